"""The parts of a certificate, each from its definition: the verified checker is not asked here."""

from __future__ import annotations

from fractions import Fraction as Q
from itertools import pairwise

import mpmath
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning.clock import Clock
from verified_risk.proving.bounded import bounded, family_of
from verified_risk.proving.budgets import runs_of
from verified_risk.proving.certificate import Grid, integer_model
from verified_risk.proving.cover_search import find_cover, on_grid
from verified_risk.proving.write import Draft, lower_by_stairs, values_of_cdf

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


def test_cells_are_counted_window_by_window():
    assert Grid(Q(1), ((0, 3), (-2, -2), (5, 4))).cells == 4 + 1 + 0


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


@pytest.mark.parametrize("text", ["pl(0, 0; 1/4, 1/2; 3/4, 3/4; 1, 1)", "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)"])
def test_a_cover_is_complete_exactly_if_no_box_is_left(text):
    plan = vr.plan(TWO, text, gap="1/100")
    found = find_cover(on_grid(plan.mdp, plan.eta), plan.objective.knots, plan.upper, Clock())
    assert (found.complete, found.doubtful, found.upper) == (True, "", plan.upper)
    short = find_cover(on_grid(plan.mdp, plan.eta), plan.objective.knots, plan.lower - Q(1, 10), Clock())
    assert (short.complete, short.doubtful) == (False, "")  # a policy attains more: there is nothing to doubt


@pytest.mark.parametrize("rounded", [False, True])
def test_stairs_prove_the_least_return_and_every_step_above_it(rounded):
    """The bound is that of the law itself, weighed at every value of its CDF, but for what points and masses lose."""
    plan = vr.plan(TWO, "wang(1/2)", gap="1/10")
    drawn, law = Draft.of(plan).drawn, plan.law
    scale = 2**70 if rounded else integer_model(TWO).exact_scale(2)
    values = values_of_cdf(drawn, scale)
    assert (values == [0, *law.cumulative()]) is not rounded
    assert all(x <= y < x + Q(1, 2**60) for x, y in zip([0, *law.cumulative()], values, strict=True))
    value, _ = lower_by_stairs(bounded(plan.objective, values[:-1], Q(1, 1000), exact=not rounded), drawn, scale)
    low, high = bounds(plan.objective.of(law))
    assert low - Q(1, 2**55) <= value <= high
