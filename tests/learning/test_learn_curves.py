"""The polygon that stands for a smooth G, what a plan can be off, and which way rewards are rounded: each constant a
second time."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.experiments.baselines import bernstein_log_term
from verified_risk.learning import planner
from verified_risk.learning.evaluate import best_value, plan_error
from verified_risk.learning.guarantee import Problem, regret_bounds
from verified_risk.learning.policies import BlackBox
from verified_risk.learning.problem import standard_form
from verified_risk.numbers.enclosure import Interval, bounds

SMOOTH = (
    vr.Wang("3/4"), vr.Wang("-3/4"), vr.ProportionalHazard("1/2"), vr.ProportionalHazard("3/2"), vr.DualPower("1/2"),
    vr.DualPower("5/2"), vr.CPW("71/100"),
)  # fmt: skip


def middle(G, tau):
    low, high = bounds(G.value(Fraction(tau)))
    return float((low + high) / 2)


@pytest.mark.parametrize("points", [8, 64])
@pytest.mark.parametrize("G", SMOOTH, ids=str)
def test_the_curve_is_as_close_as_it_says_in_every_cell_and_its_error_is_the_formula(G, points, monkeypatch):
    monkeypatch.setattr(planner, "CURVE_POINTS", points)
    curve = planner.curve_of(G)
    values = [middle(G, Fraction(i, points)) for i in range(points + 1)]
    assert np.allclose(curve.heights, values, atol=1e-15)
    off = {}
    for i in range(points):
        for share in (Fraction(1, 100), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(99, 100)):
            chord = values[i] + float(share) * (values[i + 1] - values[i])
            off[i] = max(off.get(i, 0.0), abs(middle(G, (i + share) / points) - chord))
    assert max(off.values()) <= curve.error
    rises = [b - a for a, b in pairwise(values)]
    if G.shape == "general":
        assert curve.error == pytest.approx(max(rises))
        return
    bends = [abs(rises[i + 1] - rises[i - 1]) / 4 for i in range(1, points - 1)]
    cells = [abs(rises[1] - rises[0]), *bends, abs(rises[-1] - rises[-2])]
    assert all(off[i] <= cell + 1e-14 for i, cell in enumerate(cells))
    assert curve.error == pytest.approx(max(cells))


def test_the_error_of_a_curve_is_that_of_its_worst_cell():
    """The root of tau is worst in the first cell, its mirror image in the last, one with a corner there."""
    n = planner.CURVE_POINTS
    first = (2 - math.sqrt(2)) / math.sqrt(n)
    for G in (vr.ProportionalHazard("1/2"), vr.DualPower("1/2")):
        assert first <= planner.curve_of(G).error <= first * (1 + 1e-9)
    corner = Fraction(1, 2) * vr.CVaR("1/4") + Fraction(1, 2) * vr.DualPower("5/2")
    assert corner.shape == "concave"
    bend = 0.5 * 4 / (4 * n)  # the slope falls by two at 1/4, a quarter of it counts
    assert bend <= planner.curve_of(corner).error <= 1.01 * bend


class Vague(vr.DualPower):
    """A weighting whose values are known up to a millionth only."""

    def value(self, tau):
        exact = super().value(tau)
        return Interval(exact - Fraction(1, 10**6), exact + Fraction(1, 10**6)) if 0 < tau < 1 else exact


def test_the_error_of_a_curve_counts_what_is_not_known_of_its_values():
    """In the first cell two chords are off by two values each, and the polygon by one: five halves of an enclosure."""
    plain, vague = planner.curve_of(vr.DualPower(2)).error, planner.curve_of(Vague(2)).error
    assert plain + 5e-6 <= vague <= plain + 10e-6


# -- what a plan can be off -------------------------------------------------------------------------------------------


def reference_of(standard, G):
    problem = planner.problem_of(standard, G, 1, Fraction(1, 20))
    return planner.target_of(standard, G, "greedy", problem, Fraction(1))


@pytest.mark.parametrize("G", [*SMOOTH, vr.VaR("1/3"), vr.PiecewiseLinear([(0, 0), ("1/2", "1/4"), (1, 1)])], ids=str)
def test_the_optimum_with_continuous_rewards_lies_within_its_bounds(G):
    """One action: the optimum is Phi of the law of the grid.  Its levels lie between the points of the curve."""
    from scipy import stats

    for chances, eta in (((Fraction(1, 3),) * 3, "1/3"), ((Fraction(1, 1500), Fraction(1499, 1500)), "1/2")):
        if len(chances) == 3:
            law = stats.uniform()
        else:  # half of the range is met with probability 1/1500: inside the first cell of the curve
            law = stats.rv_histogram((np.array([1 / 1500, 1499 / 1500]), np.array([0.0, 0.5, 1.0])))
        mdp = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[law]], horizon=1)
        standard = standard_form(mdp, eta)
        low, high, how = best_value(mdp, standard, G, *reference_of(standard, G))
        given = {atom: p for atom, p in zip(standard.atoms, (0, *chances), strict=True) if p}
        masses = {standard.atoms[atom]: p for atom, p in standard.pairs[0][0].rewards if p}
        assert all(abs(masses[atom] - p) < Fraction(1, 10**12) for atom, p in given.items())
        truth = bounds(G.of(vr.Law(masses)))
        assert low <= truth[1], how
        assert truth[0] <= high, how


def test_each_constant_of_what_a_plan_can_be_off():
    mdp = vr.MDP(0, [[["1/2", "1/2"], [1, 0]], [[0, 1]]], [[{0: "1/2", 1: "1/2"}, {"1/2": 1}], [{1: 1}]], horizon=3)
    standard = standard_form(mdp)
    T, S, m, top, u = 3, 2, 3, 6, 2.0**-53
    assert (standard.horizon, standard.n_states, len(standard.atoms), standard.top[0]) == (T, S, m, top)
    for G, steepest in ((vr.CVaR("1/4"), 4.0), (vr.Mean(), 1.0), (vr.Spectral(["1/8", "1/2"], ["1/2", "1/2"]), 5.0)):
        kernel, error = reference_of(standard, G)
        assert error == 0
        stretch = steepest if len(G.levels.tails) > 1 else 1  # tables of unit slope stand for all levels
        formula = (2 * T + 1) * (T + 1) * (8 * (S + m + 8) * u * steepest * top + stretch * kernel.tie)
        found = planner.planner_allowance(standard, kernel, float(G.lipschitz))
        assert found == pytest.approx(formula, rel=1e-12)
        assert plan_error(standard, kernel, G, 0.25) == Fraction(found) + Fraction(top, 4)
    wang = vr.Wang("3/4")  # not Lipschitz: the polygon's own slopes count
    kernel, _ = reference_of(standard, wang)
    steepest = 1024 * middle(wang, Fraction(1, 1024))
    formula = (2 * T + 1) * (T + 1) * steepest * (8 * (S + m + 8) * u * top + kernel.tie)
    assert planner.planner_allowance(standard, kernel, math.inf) == pytest.approx(formula, rel=1e-9)


# -- theorem (i) and (ii), all three forms ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["concave", "any", "joint"])
@pytest.mark.parametrize("scale", [1, 3, Fraction(1, 2)])
def test_each_constant_of_the_theorem_with_radii_fixed_beforehand(form, scale):
    T, S, A, K, m, delta, L = 4, 5, 3, 1000, 6, 0.05, 10 / 3
    problem = Problem(S, A, T, K, Fraction(1, 20), concave=form == "concave", atoms=m, joint=form == "joint")
    events = {"concave": S + 2, "any": S + 3, "joint": m * S}[form]
    c = {"concave": (T - 1) * S + 2, "any": T * (S + 1 + math.sqrt(m + 1)), "joint": T * m * S}[form]
    visit, episode = (2 * T, 2 * T**2) if form == "any" else (T, T * (T + 1) / 2)
    root = L * max(scale, 1) * c * math.sqrt(2 * S * A * T * math.log(events * S * A * K * T / delta))
    expected, likely = regret_bounds(problem, Fraction(10, 3), scale=Fraction(scale))
    e = math.e / (math.e - 1)
    for k in (1.0, 10.0, 1000.0):
        mean = root * math.sqrt(k) + L * visit * T * S * A + delta * k * T
        tail = e * (root * math.sqrt(k) + L * (visit * T * S * A + episode * math.log(1 / delta)))
        for bound, value in ((expected, mean), (likely, tail)):
            (found,) = bound.at(np.array([k]))
            assert value * (1 - 1e-14) <= found <= value * (1 + 1e-12)


def test_the_theorem_of_page_eleven_takes_ten_inequalities_for_each_test():
    for tests, delta in ((1, Fraction(1)), (7, Fraction(1, 20)), (10**6, Fraction(1, 3))):
        low, high = bounds(bernstein_log_term(tests, delta))
        assert float(low) == pytest.approx(math.log(10 * tests / delta), rel=1e-14)
        assert 0 <= high - low < Fraction(1, 10**9)


def test_a_run_pays_for_its_planner_once_an_episode():
    """The a-priori bound of a run, in the user's units: the theorem's and K times what one plan can be off."""
    mdp = vr.MDP(0, [[["1/2", "1/2"], [1, 0]], [[0, 1]]], [[{0: "1/2", 1: "1/2"}, {"1/2": 1}], [{1: 1}]], horizon=3)
    G, K, delta = vr.CVaR("1/4"), 20, Fraction(1, 20)
    run = vr.learn(mdp, G, episodes=K, delta=delta, algorithm="ucb")
    standard = standard_form(mdp)
    problem = planner.problem_of(standard, G, K, delta)
    kernel, _ = planner.target_of(standard, G, "ucb", problem, Fraction(1))
    once = float(standard.unit) * planner.planner_allowance(standard, kernel, 4.0)
    expected, likely = regret_bounds(problem, Fraction(4))
    k = np.arange(1.0, K + 1)
    assert any(np.allclose(run.bound, bound.at(k) + once * k, rtol=1e-11) for bound in (expected, likely))


# -- rewards of an environment ----------------------------------------------------------------------------------------


def test_rewards_between_grid_points_are_rounded_up_and_only_those():
    atoms = tuple(Fraction(i, 4) for i in range(5))
    box = BlackBox((3,), 2, 2, Fraction(-1), Fraction(4), Fraction(1, 4), atoms, exact=False, random_starts=False)
    hair = Fraction(1, 10**30)
    for i in range(5):
        assert box.atom(Fraction(i - 1)) == i
        assert box.units(i) == i
        if i < 4:
            assert box.atom(i - 1 + hair) == i + 1
        if i > 0:
            assert box.atom(i - 1 - hair) == i
    for reward in (-1 - hair, 3 + hair):
        with pytest.raises(vr.errors.InvalidArgument, match="outside the declared range"):
            box.atom(reward)


def test_a_run_whose_optimum_was_searched_says_that_it_depends_on_the_machine():
    said = "the optimum was searched for at most"
    assert any(said in note for note in vr.learn(vr.models.two_paths(), "wang(3/4)", episodes=1).notes)
    assert not any(said in note for note in vr.learn(vr.models.two_paths(), "cvar(1/4)", episodes=1).notes)
