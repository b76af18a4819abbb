"""``plan(mdp, G)`` with neither ``eta`` nor ``gap``: it always answers, and both bounds are true by brute force."""

from __future__ import annotations

from fractions import Fraction

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import bounds

OBJECTIVES = (
    "mean", "cvar(1/3)", "1/2*mean + 1/2*cvar(1/5)", "var(1/2)", "var(1/4, upper)", "1/2*cvar(1/10) + 1/2*cvar(1/2)",
    "wang(3/4)", "wang(-1/2)", "cpw(0.71)", "dual(2)", "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)", "1/2*var(1/3) + 1/2*mean",
)  # fmt: skip


def widest_gap(seed: str, count: int, seconds: float) -> dict[str, Fraction]:
    """For each objective the widest gap as a share of the range of returns; a third of them on each model."""
    widest = dict.fromkeys(OBJECTIVES, Fraction())
    for k, (mdp, model, _) in enumerate(models.small(seed, count, most=100)):
        laws = [vr.Law(law) for law in oracles.all_return_laws(model)]
        low, high = mdp.remaining_range(0)
        for text in OBJECTIVES[k % 3 :: 3]:
            G, plan = vr.objective(text), vr.plan(mdp, text, time_limit=seconds)
            assert max(bounds(G.of(law))[0] for law in laws) <= plan.upper, (text, mdp, plan)
            assert plan.lower <= bounds(G.of(vr.return_law(mdp, plan.policy)))[1], (text, mdp, plan)
            if low < high:
                widest[text] = max(widest[text], plan.gap / (high - low))
    return widest


def test_every_family_on_a_few_models():
    assert max(widest_gap("default grids", 9, seconds=2).values()) <= Fraction(1, 1000)


@pytest.mark.slow
def test_every_family_on_five_hundred_models():
    widest = widest_gap("five hundred default grids", 500, seconds=5)
    print(*(f"{text}: {float(gap):.1e}" for text, gap in widest.items()), sep="\n")
    assert max(widest.values()) <= Fraction(1, 1000)
