"""A bound that is better than the truth by a hair is never confirmed."""

from dataclasses import replace
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import Truth

HAIR = Fraction(1, 10**12)
OBJECTIVES = (
    "mean", "cvar(1/2)", "1/2*mean + 1/2*cvar(1/4)", "var(1/3)", "1/2*cvar(1/3) + 1/4*cvar(2/3) + 1/4*mean",
    "pl(0, 0; 1/2, 1/4; 1, 1)",
)  # fmt: skip


@pytest.fixture(scope="module")
def model() -> vr.MDP:
    rows = [[["1/3", "2/3"], ["1/2", "1/2"]], [["1/4", "3/4"], [0, 1]]]
    pays = [[{0: "1/3", 1: "2/3"}, {"1/2": 1}], [{0: "1/5", "3/4": "4/5"}, {"1/4": "1/2", 1: "1/2"}]]
    return vr.MDP(initial=0, transitions=rows, rewards=pays, horizon=2)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_lower_bound_off_by_a_hair_fails(model, objective):
    plan = vr.plan(model, objective)
    true = plan.objective.of(vr.return_law(model, plan.policy))
    assert isinstance(true, Fraction)
    honest = replace(plan, lower=true, value=true, upper=max(plan.upper, true))
    assert honest.recheck().lower_holds is Truth.HOLDS
    forged = replace(plan, lower=true + HAIR, value=true + HAIR, upper=max(plan.upper, true + HAIR))
    assert forged.recheck().lower_holds is Truth.FAILS


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_upper_bound_off_by_a_hair_is_not_confirmed(model, objective):
    best = vr.exact_plan(model, objective) if not objective.startswith("pl") else None
    plan = vr.plan(model, objective, gap=Fraction(1, 10**9))
    if best is None:  # convex: the best policy is one of the deterministic ones
        plan = replace(plan, upper=plan.lower)
    else:
        assert replace(plan, upper=best.value, lower=min(plan.lower, best.value)).recheck().upper_holds is Truth.HOLDS
        plan = replace(plan, upper=best.value)
    forged = replace(plan, upper=plan.upper - HAIR, lower=plan.upper - HAIR)
    assert forged.recheck().upper_holds is not Truth.HOLDS


@pytest.mark.parametrize("change", [HAIR, -HAIR])
def test_a_stated_law_off_by_a_hair_is_found_out(model, change):
    plan = vr.exact_plan(model, "cvar(1/2)")
    atoms = dict(plan.law)
    low, high = min(atoms), max(atoms)
    moved = vr.Law({**atoms, low: atoms[low] + change, high: atoms[high] - change})
    assert replace(plan, known_law=moved).recheck().lower_holds is Truth.FAILS
