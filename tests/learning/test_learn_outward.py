"""What a run certifies errs to the safe side: by what a grid adds, and at every rounding to a float."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_learn_models import learner_of

import verified_risk as vr
from verified_risk.learning import evaluate
from verified_risk.learning.declarations import Declared
from verified_risk.learning.episodes import Record
from verified_risk.learning.evaluate import Bracket, Judge, best_on_grid
from verified_risk.learning.guarantee import Problem, UniformProblem, data_bound, regret_bounds, uniform_bounds, up
from verified_risk.learning.planner import curve_of, planner_allowance, problem_of, target_of
from verified_risk.learning.policies import LearnedPolicy
from verified_risk.learning.problem import standard_form
from verified_risk.learning.run import assemble, data_range
from verified_risk.learning.task import Settings, Task

# -- grids -------------------------------------------------------------------------------------------------------------


def coarse():
    """The best CVaR at 1/2 is 1/4; on a grid of halves the same policy seems to be worth 1."""
    return vr.MDP(0, [[[1], [1]]], [[{"1/8": 1}, {0: "999/1000", 1: "1/1000"}]], horizon=2)


def test_the_interval_holds_in_the_model_and_not_only_on_the_grid():
    told = {"eta": "1/2", "known_rewards": True, "known_successors": True}
    run = vr.learn(coarse(), vr.CVaR("1/2"), episodes=5, **told)
    assert run.interval[0] <= Fraction(1, 4) <= run.interval[1]
    assert vr.CVaR("1/2").of(vr.return_law(run.mdp, run.policy())) >= run.interval[0]


def test_an_optimum_found_on_a_grid_is_lowered_by_what_the_grid_adds(monkeypatch):
    monkeypatch.setattr(evaluate, "MOST_EXACT_BRANCHES", 0)
    run = vr.learn(coarse(), vr.CVaR("1/2"), episodes=2, eta="1/2")
    assert run.best[0] <= Fraction(1, 4) <= run.best[1]
    assert run.best[0] < run.best[1]


@pytest.mark.parametrize("algorithm", ["kl", "ucb"])
def test_a_run_pays_for_its_grid_in_every_episode(algorithm):
    """The model that the grid makes is learned by itself: the same theorem without T eta, which is 1 here."""
    rounded = vr.MDP(0, [[[1], [1]]], [[{"1/2": 1}, {0: "999/1000", 1: "1/1000"}]], horizon=2)
    on_grid = vr.learn(coarse(), vr.CVaR("1/2"), episodes=9, eta="1/2", algorithm=algorithm)
    plain = vr.learn(rounded, vr.CVaR("1/2"), episodes=9, algorithm=algorithm)
    episodes = np.arange(1, 10)
    for name in ("bound", "expected_bound", *(["data_bound"] if algorithm == "kl" else [])):
        assert getattr(on_grid, name) == pytest.approx(getattr(plain, name) + episodes, rel=1e-9), name


@pytest.mark.parametrize("G", [vr.Mean(), vr.CVaR("1/3")], ids=str)
def test_the_optimum_on_a_grid_lies_between_the_numbers_that_an_audit_takes_for_it(G):
    """Thirds, so that no float is the optimum itself."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/8": "1/3", "3/5": "2/3"}, {0: "2/3", 1: "1/3"}]], horizon=2)
    standard = standard_form(mdp, "1/2")
    target, error = target_of(standard, G, "greedy", problem_of(standard, G, 1, Fraction(1, 10)), Fraction(1))
    low, high = best_on_grid(standard, G, target, error, (Fraction(), Fraction(), ""))
    best = vr.exact_plan(mdp.discretised("1/2"), G).value
    assert low < best < high
    assert high - low < Fraction(1, 10**6)


@pytest.mark.parametrize("G", [vr.Wang("3/4"), vr.objective("hazard(2)"), vr.CVaR("1/4")], ids=str)
def test_a_plan_pays_twice_for_the_polygon_that_stands_for_a_curve(G):
    """Once for the value that was found and once for the optimum of the polygon, which is another one."""
    task = Task.of(standard_form(vr.models.two_paths()), Settings.read(G, 10))
    height, top = curve_of(G).error, task.standard.top[0]
    planned = planner_allowance(task.standard, task.target, float(G.lipschitz))
    assert task.slack == pytest.approx(planned + 2 * height * top, rel=1e-12)
    assert (height > 0) is (G.knots is None)


# -- the widths of one episode -----------------------------------------------------------------------------------------


def test_the_widths_of_one_episode_are_at_most_their_range():
    """Nothing is seen and nothing is paid, so a step of Bernstein's tables is as wide as what remains: 3 + 2 + 1."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: 1}, {0: "1/2", 1: "1/2"}]], horizon=3)
    for algorithm, declared, most in (
        ("bernstein", Declared(rewards=True), 6), ("kl", Declared(rewards=True), 3), ("kl", Declared(), 6),
    ):  # fmt: skip
        settings = Settings.read(vr.Mean(), 10, algorithm=algorithm, declared=declared)
        task = Task.of(standard_form(mdp), settings)
        learner = task.learner()
        learner.plan()
        (widths,) = learner.run(np.full((1, 7), 0.25), evaluate=False).widths
        assert data_range(task) == most
        assert float(widths) <= most
        if algorithm == "bernstein":
            assert float(widths) == most


# -- floats ------------------------------------------------------------------------------------------------------------


def test_coefficients_of_a_bound_are_rounded_up():
    rng = random.Random(2)
    nearest_is_below = 0
    for _ in range(200):
        x = Fraction(rng.randint(1, 10**30), rng.randint(1, 10**30))
        assert x <= Fraction(up(x)) <= x * (1 + Fraction(1, 2**52))
        assert -x <= Fraction(up(-x)) <= -x * (1 - Fraction(1, 2**52))
        nearest_is_below += Fraction(float(x)) < x
    assert nearest_is_below > 50


def exact(x):
    """A float or a fraction in fifty digits."""
    x = Fraction(x)
    return mpmath.mpf(x.numerator) / x.denominator


def test_the_root_terms_of_the_bounds_pay_for_radii_that_are_rounded_up():
    """By one part in 2^48, which is how much ``learn_sets.UPWARD`` widens them."""
    S, A, T, K, tenth = 3, 2, 4, 100, Fraction(1, 10)
    corrected = regret_bounds(Problem(S, A, T, K, tenth), Fraction(1))[0].root
    uniform = uniform_bounds(UniformProblem(S * A, 20, 3, T, tenth, False, False), Fraction(1))[0].root
    with mpmath.workdps(50):
        log = mpmath.log((S + 2) * S * A * K * T * 10)
        for root, exact in (
            (corrected, 11 * mpmath.sqrt(2 * S * A * T * log)),
            (uniform, 11 * mpmath.sqrt(2 * S * A * T)),
        ):
            assert 2.0**-48 <= root / exact - 1 < 2.0**-47


def test_a_bound_from_data_covers_a_running_sum_that_drops_every_term():
    """After the first width every other is half a unit in the last place, which rounds to nothing."""
    widths = np.array([1.0] + [2.0**-53] * 4095)
    total = 1 + 4095 * mpmath.mpf(2) ** -53
    assert data_bound(widths, Fraction(), Fraction(1), Fraction(1, 2))[-1] >= total * mpmath.e / (mpmath.e - 1)


def test_a_bound_from_data_is_not_below_its_formula_in_fifty_digits():
    rng = np.random.default_rng(1)
    with mpmath.workdps(50):
        for b, L, delta in ((15, Fraction(4), Fraction(1, 20)), (Fraction(1, 3), Fraction(10, 3), Fraction(1, 7))):
            widths = rng.random(300) * rng.choice([1e-9, 1.0, 1e9], 300)
            total = mpmath.mpf(0)
            for width, found in zip(widths, data_bound(widths, Fraction(b), L, delta), strict=True):
                total += exact(width)
                value = mpmath.e / (mpmath.e - 1) * exact(L) * (total - exact(b) * mpmath.log(exact(delta)))
                assert value <= exact(found) <= value * (1 + mpmath.mpf(10) ** -12)


def test_a_bound_in_expectation_is_not_below_its_formula_where_its_linear_term_rules():
    """T delta is 3/8, a float: only the product with k is rounded."""
    problem = Problem(3, 2, 3, 10**9, Fraction(1, 8))
    expected, _ = regret_bounds(problem, Fraction(10, 3))
    with mpmath.workdps(50):
        log = mpmath.log(mpmath.mpf(5 * 3 * 2 * 3) * 10**9 * 8)
        root = mpmath.mpf(10) / 3 * (2 * 3 + 2) * mpmath.sqrt(2 * 3 * 2 * 3 * log)
        start = mpmath.mpf(10) / 3 * 9 * 3 * 2
        for k in (10.0**20 + i * 2.0**14 for i in range(200)):
            (found,) = expected.at(np.array([k]))
            value = root * mpmath.sqrt(exact(k)) + start + exact(k) * 3 / 8
            assert value <= exact(found) <= value * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("shift", [0, 10**6])
def test_what_a_policy_is_worth_lies_between_the_floats_that_say_it(shift):
    """In exact arithmetic, whichever way the nearest float lies and whatever the units."""
    G = vr.CVaR("1/3")
    nearest = set()
    for i in range(1, 9):
        pays = {shift + Fraction(i, 7): "1/3", shift + Fraction(i * i, 11): "2/3"}
        mdp = vr.MDP(0, [[[1]]], [[pays]], horizon=2)
        learner = learner_of(mdp, G)
        table = learner.policy_table()
        judge = Judge(mdp, learner.standard, G, learner)
        value = G.of(vr.return_law(mdp, LearnedPolicy(mdp, learner.standard, table.tolist())))
        lows, highs = judge.of_laws(learner.law(table)[None])
        for low, high in (judge.of_policy(table), (lows[0], highs[0])):
            assert Fraction(float(low)) <= value <= Fraction(float(high))
            assert float(high) - float(low) < 1e-8
        nearest.add(Fraction(float(value)) > value)
    assert nearest == {False, True}


def test_the_value_of_a_law_leaves_room_for_the_sum_over_its_grid():
    """All mass is at 0, where the error of the law counts for nothing: 1e-14 of the steepest slope times the grid."""
    for G, steepest in ((vr.Mean(), 1), (vr.CVaR("1/100"), 100), (vr.Wang("1/2"), 1)):
        learner = learner_of(vr.models.machine_replacement(horizon=4), G)
        standard = learner.standard
        law = np.zeros((1, standard.top[0] + 1))
        law[0, 0] = 1.0
        (low,), _ = Judge(None, standard, G, learner).of_laws(law)
        room = float(standard.value(Fraction())) - low
        wanted = 1e-14 * steepest * standard.top[0] * float(standard.range * standard.unit)
        assert wanted * 0.999 <= room <= wanted * 1.001 + 1e-14 * abs(float(standard.offset))


def test_regret_is_rounded_up_at_every_episode():
    """An optimum of 1/3 and policies worth floats at random: the sums as rationals are at most the printed ones."""
    rng = np.random.default_rng(5)
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/3": 1}, {0: 1}]], horizon=1)
    task = Task.of(standard_form(mdp), Settings.read(vr.Mean(), 400, algorithm="ucb"))
    learner = task.learner()
    low = np.where(np.arange(400) < 4, 1 / 3, rng.uniform(0, 1 / 3, 400))  # the float 1/3 is less than 1/3
    record = Record(np.zeros(400), np.zeros(400), np.zeros(400), np.zeros(400), low, low + 2.0**-40)
    third = Fraction(1, 3)
    run = assemble(mdp, task, record, (third, third, ""), None, Bracket(learner, 0.0, wanted=False), learner)
    least = most = Fraction()
    up = 0
    for k in range(400):
        most += third - Fraction(low[k])
        least += max(third - Fraction(low[k]) - Fraction(1, 2**40), Fraction())
        assert most <= Fraction(run.regret[k]) <= most * (1 + Fraction(k + 9, 2**50)) + Fraction(k + 1, 2**53)
        assert Fraction(run.regret[k]) - Fraction(run.regret_width[k]) <= least
        up += float(np.cumsum(float(third) - low)[k]) < most
    assert up >= 20, "sums to nearest are below the truth often enough"


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10, 3)])
def test_every_bound_of_a_run_is_rounded_up_at_every_episode(scale):
    """Planner errors that no float sums exactly, many times the theorem's own share: the sums as rationals are less."""
    rng, K = np.random.default_rng(6), 3000
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", scale: "1/2"}, {scale / 3: 1}]], horizon=2)
    task = Task.of(standard_form(mdp), Settings.read(vr.Mean(), K))
    learner, none = task.learner(), np.zeros(K)
    uppers, widths = rng.uniform(0, 1, K) * rng.choice([1e-3, 1e3, 1e9], K), rng.uniform(0, 1, K)
    record = Record(none, none, uppers, widths, None, None)
    run = assemble(mdp, task, record, None, None, Bracket(learner, 0.0, wanted=False), learner)
    k = np.arange(1.0, K + 1)
    kept = {"data_bound": data_bound(widths, data_range(task), Fraction(1), task.settings.delta)}
    both = uniform_bounds(task.uniform, Fraction(1))
    kept.update({name: bound.at(k) for name, bound in zip(("expected_bound", "bound"), both, strict=True)})
    unit = task.standard.range * task.standard.unit
    spent, below = Fraction(), 0
    for i in range(K):
        spent += unit * (Fraction(uppers[i]) + Fraction(task.slack))
        for name, bound in kept.items():
            exact = (unit if name == "data_bound" else task.standard.range) * Fraction(bound[i]) + spent
            found = Fraction(getattr(run, name)[i])
            assert exact <= found <= exact * (1 + Fraction(i + 32, 2**52)), (name, i)
        below += np.cumsum(float(unit) * uppers)[i] < spent
    assert below > 100, "sums to nearest are below the truth often enough"
