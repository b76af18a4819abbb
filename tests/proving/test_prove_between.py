"""Searched plans whose returns are on no grid: covers by cells, by returns, and lines above a polygon."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from proof_files import accepted, corrupted, is_true, verdicts
from test_prove_discounted import small_model

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.planning.clock import Clock
from verified_risk.planning.search.attained_coordinates import unfolded
from verified_risk.proving import budgets, write
from verified_risk.proving.certificate import Certificate
from verified_risk.proving.cover_search import _Recorded
from verified_risk.proving.integer_tables import Model, Setting
from verified_risk.proving.weightings import Node, Polygon, _leaves

OBJECTIVES = (
    "1/2*cvar(1/5) + 1/2*cvar(1/2)",
    "pl(0, 0; 1/3, 0; 1, 1)",
    "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)",
    "dual(3/2)",
    "hazard(3/2)",
)
KINDS = {"cell_cover": "upper cell_cover", "return_cover": "upper return_cover", "lines": "lower lines"}


def certificates(kind: str, most: int, seed: int, folder, monkeypatch) -> list[str]:
    """Certificates of small discounted models that have this kind of proof, of bounds that forty cells can prove."""
    monkeypatch.setattr(write, "WIDEST_GRID", -1)
    if kind == "lines":
        monkeypatch.setattr(write, "PATIENT", -1)
        monkeypatch.setattr(budgets, "MOST_MET", 0)
    rng, found = random.Random(seed), list[str]()
    for k in count(0):
        if len(found) == most:
            return found
        mdp, objective = small_model(rng), OBJECTIVES[0 if kind == "lines" else k % len(OBJECTIVES)]
        low, high = mdp.remaining_range(0)
        if low == high or (kind == "return_cover") != (unfolded(mdp) is not None):
            continue
        plan = vr.plan(mdp, objective, eta=None if kind == "return_cover" else (high - low) / 40)
        spare = (high - low) / 10 if kind != "return_cover" else 0
        try:
            replace(plan, lower=plan.lower - spare, upper=plan.upper + spare).prove(
                certificate=folder / "kept.txt", time_limit=2
            )
        except Unsupported:
            continue
        text = (folder / "kept.txt").read_text()
        if KINDS[kind] in text:
            found.append(text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_corrupted_certificate_is_accepted_with_a_false_bound(kind, tmp_path, monkeypatch):
    texts, rng = certificates(kind, 8, 5, tmp_path, monkeypatch), random.Random(6)
    assert all(line.startswith("proved") for line in verdicts(texts, tmp_path))
    assert all(is_true(text) for text in texts)
    changed = [corrupted(text, texts[i - 1], rng)[0] for i, text in enumerate(texts) for _ in range(20)]
    changed = [new for new in changed if new not in texts]
    proved = accepted(changed, tmp_path)
    assert len(changed) > 100
    assert proved < len(changed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_corrupted_certificates(kind, tmp_path, monkeypatch):
    texts, rng = certificates(kind, 25, 7, tmp_path, monkeypatch), random.Random(8)
    changed = [corrupted(text, texts[i - 1], rng)[0] for i, text in enumerate(texts) for _ in range(48)]
    changed = [new for new in changed if new not in texts]
    print(f"{kind}: {len(changed)} changed, {accepted(changed, tmp_path)} accepted, none with a false bound")
    assert len(changed) > 1000


COIN = """verified-risk-proof 3
objective polygon 1 1 1
claim 0 0
discount 1 reward_denominator 1 state_count 1 horizon 1
initial 1 1 0 1
steps 1 states 1
0 1 2 2 1 0 0 1 1 0
lower law 2 1 1 machine 1 0 rule 0 1 0 choices 1 0 0 0 0
upper return_cover 1 {} end
"""
"""The mean of a coin, which is 1/2, is said to be at most 0."""


@pytest.mark.parametrize("cover", ["1 0 dual", "3 1 2 0 dual 1 4 1 0"], ids=["a return too few", "not decreasing"])
def test_returns_that_prove_too_much_are_refused(cover, tmp_path):
    (line,) = verdicts([COIN.format(cover)], tmp_path)
    assert line.startswith("refused: the tables of the certificate do not prove the upper bound")


@pytest.mark.parametrize(("reach", "raised"), [(0, 2), (1, 1)])
def test_a_cut_between_cells_raises_those_before_it(reach, raised):
    setting = Setting(Model(1, 1, 1, 1, [(0, 1)], []), 2, None, lambda: None)
    nodes = [Node("cut", 1, Fraction(1, 2)), Node("dual", costs=[(3, 0)]), Node("dual", costs=[(3, 0)])]
    mean = Polygon([(Fraction(1), Fraction(1))])
    leaves = _leaves(setting, nodes, lambda _: mean, [1, 1, 1], lambda _: False, reach)
    assert [least for _, _, least, _ in leaves] == [0, raised]


def test_a_leaf_proves_what_the_search_says_and_hardly_more(tmp_path):
    """Costs that fall by 50 in one cell; where returns are likely, near the greatest one, tables lose most."""
    mdp = vr.models.machine_replacement().with_discount("9/10")
    plan = vr.plan(mdp, "1/2*cvar(1/5) + 1/2*cvar(1/2)", eta="1/8")
    draft = write.Draft.of(plan)
    search = _Recorded(draft.space, draft.knots, [], 0.0, 0.0, Clock())
    top, texts = search.oracle.top, []
    for k in range(top // 2, top, top // 12):
        cost = np.ones(top)
        cost[k] -= 50
        least, _ = search.tilted_minima(cost, np.zeros(top), np.ones(top))
        bound, leaf = search.oracle.solve(cost, masked=False) + least.sum(), [search._leaf(cost)]
        for less in (-1, 1):
            upper = draft.space.most - (Fraction(bound) + Fraction(less, 50)) * draft.space.width
            up = draft._by_cover(draft._cell_scale(leaf), leaf)
            low = draft._low(exact=True, bits=60)
            texts.append("".join(Certificate(draft.model, draft.objective, plan.lower, upper, low, up).lines()))
    assert [line.split()[0] for line in verdicts(texts, tmp_path)] == ["proved", "refused:"] * (len(texts) // 2)


@pytest.mark.parametrize("objective", ["1/4*mean + 1/4*cvar(1/10) + 1/2*cvar(1/3)", "dual(1/2)"])
def test_a_discounted_plan_is_proved_at_its_own_bounds(objective):
    plan = vr.plan(vr.models.machine_replacement().with_discount("9/10"), objective, gap="1/20")
    proved = plan.prove()
    assert (proved.lower, proved.upper) == (plan.lower, plan.upper)
