"""What keeps a bound true when something else is wrong: guards, counts of roundings, sizes and short numbers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.grid import float_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning import certify, grid_choice, rounding
from verified_risk.planning import exact_route as exact
from verified_risk.planning.search.cells_route import CellOracle
from verified_risk.planning.search.grid_coordinates import MOST_ACTIONS, Oracle
from verified_risk.planning.search.relaxation import SAME, Atoms


def chain(discount=1, actions=2, horizon=3):
    """State 0 has ``actions`` actions, the first of which leads anywhere; the other states stay."""
    rows = [["1/4"] * 4, *([[1, 0, 0, 0]] * (actions - 1))]
    moves = [rows, *([[int(s == t) for t in range(4)]] for s in range(1, 4))]
    rewards = [[{0: "1/2", 1: "1/2"}, *([{"1/2": 1}] * (actions - 1))], [{0: 1}], [{1: 1}], [{"1/2": 1}]]
    return vr.MDP(0, moves, rewards, horizon=horizon, discount=discount)


@pytest.mark.parametrize("objective", ["cvar(1/2)", "var(1/2)", "wang(1/2)"])
@pytest.mark.parametrize(("mdp", "eta"), [(chain(), "1/2"), (chain("9/10"), "1/7")], ids=["grid", "discount"])
def test_a_policy_that_seems_to_beat_its_own_upper_bound_is_an_error(mdp, eta, objective, monkeypatch):
    monkeypatch.setattr(certify, "exact_value", lambda *_, **__: (Fraction(4), None))
    monkeypatch.setattr(certify, "within_range", lambda mdp, lower, upper: (lower, upper))
    with pytest.raises(AssertionError, match="above the upper bound"):
        vr.plan(mdp, objective, eta=eta, time_limit=5)


def test_an_exact_optimum_that_its_policy_does_not_attain_is_an_error(monkeypatch):
    monkeypatch.setattr(exact, "return_law", lambda mdp, policy: vr.Law({1: 1}))
    with pytest.raises(AssertionError, match="the policy attains 1, the recursion says 5/4"):
        vr.exact_plan(vr.MDP(0, [[[1]]], [[{0: "1/2", "5/2": "1/2"}]], horizon=1), "mean")


def test_roundings_are_counted_for_the_action_with_most_outcomes():
    """Three for each joint probability and one for each term, a step; eight terms from state 0, one elsewhere."""
    oracle = Oracle(float_model(chain(), Fraction(1, 2)))
    assert oracle.table_depth >= 3 * (8 + 3)
    assert oracle.depth >= oracle.table_depth + oracle.top


@pytest.mark.parametrize(("actions", "fits"), [(MOST_ACTIONS, True), (MOST_ACTIONS + 1, False)])
def test_masks_are_used_only_if_the_actions_of_every_state_fit(actions, fits):
    assert Oracle(float_model(chain(actions=actions), Fraction(1, 2))).maskable is fits
    assert CellOracle(chain("9/10", actions), Fraction(1, 7)).maskable is fits


def test_a_short_number_is_at_most_the_long_one_and_not_much_less():
    for n in range(1, 400):
        for x in (Fraction(n, 7), Fraction(7, n), n * Fraction(10**40, 3), Fraction(1, 3 * n) / 10**40):
            found = rounding.short_below(x)
            assert x / 2 < found <= x
            if x >= 10:
                assert x * Fraction(9, 10) < found
                assert str(found).rstrip("0")[2:] == ""


def test_a_bound_that_prints_on_one_line_is_on_its_own_side_of_the_long_one():
    for n in range(1, 200):
        long = Fraction(3**60 + n, 7**50)
        for x in (long, long * 10**20, long / 10**20, long / 10**300, -long, 1 + long, -long * 10**20, -long / 10**300):
            low, high = rounding.tidy_below(x), rounding.tidy_above(x)
            assert low <= x <= high
            assert high - low <= max(abs(x) * Fraction(1, 2**50), Fraction(1, 2**62) if abs(x) >= 1 else 0)


def test_the_value_of_a_plan_is_that_of_its_policy_and_not_its_upper_bound():
    """On a grid of ones the rewards of a half are rounded up."""
    mdp, G = chain(), vr.CVaR("1/2")
    plan = vr.plan(mdp, G, eta=1)
    assert plan.lower <= plan.value == G.of(vr.return_law(mdp, plan.policy)) < plan.upper


def test_tables_are_read_between_grid_points_only_with_a_discount_and_a_grid_that_misses_a_reward():
    assert not grid_choice.interpolates(chain(), Fraction(1))
    halves = chain("1/2")  # rewards 1/2, and a quarter of that at the last step
    assert grid_choice.own_grid(halves) == Fraction(1, 8)
    wanted = {Fraction(1, n): n in (4, 9) for n in (8, 16, 24, 4, 9)}
    assert {unit: grid_choice.interpolates(halves, unit) for unit in wanted} == wanted


@pytest.mark.parametrize("gap", [Fraction(1, 10), Fraction(1, 300), Fraction(1, 10**5)])
def test_a_grid_for_continuous_rewards_costs_nearly_the_gap_that_is_asked_for(gap):
    from scipy import stats

    mdp = vr.MDP(0, [[[1]]], [[stats.uniform()]], horizon=2)
    for searching, share in ((False, Fraction(99, 100)), (True, Fraction(1, 2))):
        unit = grid_choice.wanted_unit(mdp, gap, searching=searching)
        assert share * gap * Fraction(9, 10) < mdp.horizon * unit <= share * gap


@pytest.mark.parametrize(("far", "atoms"), [(0.25, 2), (2 * SAME, 2), (SAME / 2, 1), (0.0, 1)])
def test_cdfs_are_one_atom_only_if_they_are_close_everywhere(far, atoms):
    """The first entries agree in every case."""
    first, second = np.array([0.5, 0.5, 1.0]), np.array([0.5, 0.5 + far, 1.0])
    mixture = Atoms([(1.0, first, np.zeros(1, dtype=np.int8))])
    mixture.shift(0, second, np.ones(1, dtype=np.int8), 0.25)
    assert len(mixture.cdfs) == len(mixture.weights) == len(mixture.tables) == atoms
    assert sum(mixture.weights) == 1.0
    assert mixture.point() == pytest.approx(0.75 * first + 0.25 * second, abs=SAME)


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
