"""The parts of a certificate, each from its definition: the verified checker is not asked here."""

from __future__ import annotations

import math
from fractions import Fraction as Q
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning.clock import Clock
from verified_risk.policy.cell_policy import CellPolicy
from verified_risk.proving.bounded import ROUNDING, bounded, family_of, stair_level, value_by_stairs
from verified_risk.proving.budgets import (
    MARGIN,
    Budgets,
    Charges,
    PolicyRows,
    ShorterRows,
    _filled,
    _sparse,
    best_mean_above,
    runs_of,
)
from verified_risk.proving.certificate import STEEP, ByCover, Dual, Grid, integer_model
from verified_risk.proving.cover_search import find_cover, groups
from verified_risk.proving.write import Draft

TWO = vr.MDP(
    {0: "1/2", 1: "1/2"},
    [[["1/3", "2/3"], [1, 0]], [[0, 1]]],
    [[{0: "1/4", "3/2": "3/4"}, {1: 1}], [{"-1/2": "1/5", 1: "4/5"}]],
    horizon=3,
)


def flat(runs):
    return [action for count, action in runs for _ in range(count)]


@pytest.mark.parametrize("row", [[1], [0, 0], [1, 1, 1, 0, 0], [0, 1, 0, 1], [2, 2, 0, 2]])
def test_runs_say_every_action_and_none_twice(row):
    runs = runs_of(row)
    assert flat(runs) == row
    assert all(one[1] != other[1] for one, other in pairwise(runs))


@pytest.mark.parametrize("known", [{}, {0: 1}, {3: 1}, {0: 2, 2: 1}, {1: 0, 4: 1}, {4: 1, 5: 2}, {-1: 2, 2: 1}])
def test_a_sum_that_is_not_met_takes_the_action_of_the_next_one(known):
    """Indices grow as sums fall; sums outside the window are left out."""
    inside = {i: a for i, a in known.items() if 0 <= i < 5}
    wanted = []
    for i in range(4, -1, -1):
        above = [k for k in sorted(inside) if k >= i] or sorted(inside)[-1:]
        wanted.append(inside[above[0]] if inside else 0)
    assert flat(_filled(known, 5)) == wanted


def test_sparse_runs_reach_from_one_sum_to_the_next():
    assert _sparse({}, 7) == (0, [])
    assert _sparse({2: 1, 5: 0, 6: 3}, 7) == (9, [(3, 1), (1, 0), (1, 3)])


def test_cells_are_counted_window_by_window():
    assert Grid(Q(1), ((0, 3), (-2, -2), (5, 4))).cells == 4 + 1 + 0


@pytest.mark.parametrize("unit", [Q(1, 2), Q(2, 3)])
@pytest.mark.parametrize("discount", [1, Q(1, 2)])
def test_charges_are_sums_of_rounded_rewards(unit, discount):
    mdp = TWO.with_discount(discount)
    model = integer_model(mdp)
    charges, loss = Charges(model, unit), Q(0)
    spent = [(0, 0)]
    for t in range(3):
        units = [math.ceil(mdp.step_reward(t, r) / unit) for r in mdp.rewards]
        loss += max(math.ceil(x / unit) * unit - x for x in (mdp.step_reward(t, r) for r in mdp.rewards))
        spent.append((spent[-1][0] + min(units), spent[-1][1] + max(units)))
        assert dict(model.moves(unit)[t]) == {
            int(r * model.reward_denominator): u for r, u in zip(mdp.rewards, units, strict=True)
        }
    assert list(zip(charges.spent_least, charges.spent_most, strict=True)) == spent
    assert charges.span == spent[-1][1] - spent[-1][0]
    assert model.loss(unit) == loss


def test_the_mean_from_above_is_hardly_above_it():
    for discount in (1, Q(2, 3)):
        mdp = TWO.with_discount(discount)
        best = vr.exact_plan(mdp, "mean").value if discount == 1 else vr.plan(mdp, "mean").upper
        assert best - Q(1, 10**9) <= best_mean_above(integer_model(mdp)) <= best + Q(1, 10**9)
    exact = vr.exact_plan(TWO, "mean").value
    assert exact <= best_mean_above(integer_model(TWO)) <= exact + Q(4, 2**64)


@pytest.mark.parametrize("loss", [Q(0), Q(1, 4), Q(1, 2), Q(3, 4), Q(5, 4)])
def test_windows_without_shortfall_are_cut_by_as_many_whole_units_as_rounding_may_cost(loss):
    unit = Q(1, 2)
    charges = Charges(integer_model(TWO), unit)
    rows = PolicyRows(vr.MarkovPolicy(TWO, [[0, 0]] * 3), charges)
    start = charges.spent_most[-1]
    short = ShorterRows(rows, start, loss)
    whole = charges.policy_grid(start)
    for t, (first, last) in enumerate(short.grid.windows):
        safe = charges.least_left(t) - math.ceil(
            loss / unit
        )  # a return that is short of it by the loss has no shortfall
        assert (first, last) == (min(max(whole.windows[t][0], safe), whole.windows[t][1]), whole.windows[t][1])
        if t < 3:
            assert [sum(count for count, _ in runs) for runs in short(t)] == [last - first + 1] * 2


def test_multipliers_are_zero_before_the_first_coordinate_and_steep_behind_the_last():
    costs = (Q(3), Q(1, 2), Q(5))
    proof = ByCover(4, Grid(Q(1), ((0, 0), (-2, 4))), 0, Dual(costs), shift=4)
    steep = 4 * STEEP
    assert proof.multipliers(Dual(costs)) == [steep, steep, 20, 2, 12, 0]
    above = ByCover(4, Grid(Q(1), ((0, 0), (0, 3))), 0, Dual(costs), shift=2)
    assert above.multipliers(Dual((Q(2 * STEEP), *costs[1:]))) == [20, 2, 8 * STEEP]


def test_coordinates_between_the_same_corners_are_one_group():
    first, last = np.array([0, 2, 0, 1, 2, 0]), np.array([3, 3, 3, 2, 3, 2])
    found = {pair: sorted(here.tolist()) for pair, here in groups(first, last)}
    assert found == {(0, 3): [0, 2], (2, 3): [1, 4], (1, 2): [3], (0, 2): [5]}
    assert sum(1 for _ in groups(first, last)) == 4


@pytest.mark.parametrize("text", ["cvar(1/3)", "1/2*mean + 1/2*cvar(1/3)", "mean"])
def test_rewards_that_are_not_rounded_need_no_law(text):
    draft = Draft.of(vr.plan(TWO, text))
    assert not draft.model.loss(draft.charges.unit)
    assert not draft.by_law


def test_rounded_rewards_and_polygons_rest_on_the_law():
    assert Draft.of(vr.plan(TWO, "cvar(1/3)", eta="1/3")).by_law
    assert Draft.of(vr.plan(TWO, "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)", gap="1/10")).by_law


@pytest.mark.parametrize("text", ["pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)", "pl(0, 0; 2/7, 1/3; 1, 1)"])
def test_weights_of_multiples_of_one_over_n_are_multiples_over_the_denominator(text):
    draft = Draft.of(vr.plan(TWO, text, gap="1/10"))
    whole, knots = draft._weighting_denominator(), draft.plan.objective.knots
    for n in (1, 4, 6, 7):
        for j in range(n + 1):
            assert (draft.plan.objective(Q(j, n)) * n * whole).denominator == 1
            for k, (a, u) in enumerate(knots):
                for b, v in knots[k + 1 :]:  # and so are the chords of all envelopes
                    assert ((u + (v - u) / (b - a) * (Q(j, n) - a)) * n * whole).denominator == 1


def test_windows_of_cells_hold_every_budget_that_is_met():
    mdp = TWO.with_discount("1/2")
    plan = vr.plan(mdp, "cvar(1/3)", eta="1/3")
    assert isinstance(plan.policy, CellPolicy)
    budgets = Budgets(integer_model(mdp), plan.policy)
    rho, eta, least = plan.policy.rho, plan.policy.eta, plan.policy.least
    grid = budgets.grid(rho, rho, eta, whole=True)
    assert budgets.offset == least * Q(7, 4)
    sums = {Q(0)}
    for t, (first, last) in enumerate(grid.windows):
        unit = eta / 2 ** (0, *plan.policy.halvings)[t]
        met = [(eta * rho - y) / unit for y in sums]
        assert first + MARGIN <= min(met) < first + MARGIN + 1
        assert max(met) <= last <= eta * rho / unit + 4
        if t < 3:
            sums = {y + mdp.step_reward(t, r - least) for y in sums for r in mdp.rewards}
    rows = budgets.rows(grid)
    for t, (first, last) in enumerate(grid.fine[:-1]):
        for s, runs in enumerate(rows(t)):
            table = plan.policy.tables[t][s]
            wanted = [
                plan.policy.linear[t, s] if k < 0 else table[min(k, len(table) - 1)] for k in range(first, last + 1)
            ]
            assert flat(runs) == wanted


def test_actions_of_windows_that_end_before_zero_or_start_behind_it():
    mdp = TWO.with_discount("1/2")
    plan = vr.plan(mdp, "cvar(1/3)", eta="1/3")
    budgets = Budgets(integer_model(mdp), plan.policy)
    for first, last in ((-5, -3), (-2, -1), (-3, 0), (0, 2), (1, 4)):
        grid = budgets.grid(first, last, plan.policy.eta, whole=False)
        inside = type(grid)(grid.unit, grid.base, grid.halvings, ((first, last), *grid.windows[1:]))
        for s, runs in enumerate(budgets.rows(inside)(0)):
            table, linear = plan.policy.tables[0][s], plan.policy.linear[0, s]
            wanted = [linear if k < 0 else table[min(k, len(table) - 1)] for k in range(first, last + 1)]
            assert flat(runs) == wanted
            assert all(count > 0 for count, _ in runs)


WEIGHTINGS = [vr.Wang("1/2"), vr.Wang("-3/4"), vr.CPW("71/100"), vr.ProportionalHazard("1/2"), vr.DualPower("5/2")]


def plain(weighting, t):
    """G by mpmath."""
    if isinstance(weighting, vr.Wang):
        z = mpmath.sqrt(2) * mpmath.erfinv(2 * t - 1)
        return mpmath.ncdf(z + mpmath.mpf(weighting.beta.numerator) / weighting.beta.denominator)
    k = weighting.gamma if isinstance(weighting, vr.CPW) else weighting.k
    k = mpmath.mpf(k.numerator) / k.denominator
    if isinstance(weighting, vr.CPW):
        return t**k / (t**k + (1 - t) ** k) ** (1 / k)
    return t**k if isinstance(weighting, vr.ProportionalHazard) else 1 - (1 - t) ** k


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
@pytest.mark.parametrize("x", [Q(1, 10**6), Q(1, 7), Q(1, 2), Q(6, 7), 1 - Q(1, 10**6)])
def test_points_of_a_curve_are_on_their_side_and_close(weighting, x):
    family = family_of(weighting)
    with mpmath.workdps(80):
        wanted = plain(weighting, mpmath.mpf(x.numerator) / x.denominator)
        low, high = (mpmath.mpf(p.height.numerator) / p.height.denominator for p in (family.below(x), family.above(x)))
        assert low <= wanted <= high
        assert high - low <= mpmath.mpf(2) ** -40


@pytest.mark.parametrize("shift", [Q(1, 2), Q(-3, 4), Q(-5)])
@pytest.mark.parametrize("x", [Q(1, 10**6), Q(1, 2), 1 - Q(1, 10**6), Q(1)])
def test_points_of_wang_leave_the_checker_room_on_both_sides(shift, x):
    """The checker reads z, sees that it is on its side of the quantile of x, and then N(z + shift)."""
    family, grain = family_of(vr.Wang(shift)), mpmath.mpf(2) ** -96
    with mpmath.workdps(80):

        def real(y):
            return mpmath.mpf(y.numerator) / y.denominator

        for point, side in ((family.below(x), 1), (family.above(x), -1)):
            if side < 0 and x == 1:
                assert point.height == 1
                continue
            (z,) = point.hints
            if x < 1:
                assert side * (mpmath.sqrt(2) * mpmath.erfinv(2 * real(x) - 1) - real(z)) >= mpmath.mpf(2) ** -63
            assert side * (mpmath.ncdf(real(z + shift)) - real(point.height)) >= grain


@pytest.mark.parametrize("eta", [None, "1/3"])
def test_runs_of_a_policy_on_the_grid_are_its_choices(eta):
    """Index k of the window stands for the sum ``span - k`` above the least one."""
    plan = vr.plan(TWO, "cvar(1/3)", eta=eta)
    draft = Draft.of(plan)
    charges, rule = draft.charges, plan.policy.rule
    for t in range(3):
        met = charges.spent_most[t] - charges.spent_least[t]
        for s, runs in enumerate(draft.rows(t)):
            row = flat(runs)
            assert len(row) == charges.span + 1
            for i in range(met + 1):
                assert row[charges.span - i] == rule(t, s, charges.spent_least[t] + i)


@pytest.mark.parametrize("text", ["pl(0, 0; 1/4, 1/2; 3/4, 3/4; 1, 1)", "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)"])
def test_a_cover_is_complete_exactly_if_no_box_is_left(text):
    plan = vr.plan(TWO, text, gap="1/100")
    found = find_cover(plan, plan.objective.knots, plan.eta, plan.upper, Clock())
    assert (found.complete, found.doubtful, found.upper) == (True, "", plan.upper)
    short = find_cover(plan, plan.objective.knots, plan.eta, plan.lower - Q(1, 10), Clock())
    assert (short.complete, short.doubtful) == (False, "")  # a policy attains more: there is nothing to doubt


@pytest.mark.parametrize("rounded", [False, True])
def test_stairs_prove_the_least_return_and_every_step_above_it(rounded):
    plan = vr.plan(TWO, "wang(1/2)", gap="1/10")
    objective = bounded(plan.objective, plan.law, Q(1, 1000), exact=not rounded)
    law = plan.law
    value = value_by_stairs(objective, law, rounded=rounded)
    plainly, mass = law.atoms[0], Q(0)
    for k in range(len(law.atoms) - 1):
        mass += law.masses[k]
        plainly += (law.atoms[k + 1] - law.atoms[k]) * (1 - objective.above(stair_level(mass, exact=not rounded)))
    assert plainly - value == (ROUNDING * (1 + law.atoms[-1] - law.atoms[0]) if rounded else 0)
    assert value <= bounds(plan.objective.of(law))[1]
    assert plan.lower - value <= Q(1, 10**6)
