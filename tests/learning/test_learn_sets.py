"""Time-uniform confidence sets: their ends against the definition, their coverage, and the intervals made of them."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.kernels.learn_data import Path
from verified_risk.kernels.learn_sets import kl_low, radius_of, refresh_reward, threshold_of
from verified_risk.learning.declarations import Declared, knowledge_of
from verified_risk.learning.evaluate import Bracket
from verified_risk.learning.learner import draws_of
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

LEAST = mpmath.mpf(2) ** -1022  # of the normal floats


def divergence(x, n, q):
    """``n kl(x/n, q)`` in sixty digits."""
    parts = ((x, mpmath.mpf(x) / n, q), (n - x, mpmath.mpf(n - x) / n, 1 - q))
    return mpmath.fsum(k * mpmath.log(f / g) for k, f, g in parts if k)


def thresholds(x, n, rng):
    """Every size of float; then those whose lower end is a given number: of any size, and close to the least."""
    yield from (10.0**e * rng.uniform(0.5, 1) for e in (-300, -100, -30, -12, -6, -3, *range(7), 9, 12, 30, 100, 308))
    sizes = [-rng.uniform(a, b) for a, b in ((0, 3), (3, 60), (60, 1021), (1000, 1022), (1022, 1080)) for _ in range(6)]
    ends = [mpmath.mpf(2) ** e * x / n for e in sizes]
    ends += [LEAST * (1 + mpmath.mpf(e)) for e in (-0.5, -1e-9, 1e-9, 1e-6, 1e-3, 0.5)]
    yield from (float(divergence(x, n, q)) for q in ends)


@pytest.fixture(scope="module")
def ends():
    """``(x, n, threshold, end)``: few and many draws, rare and frequent successes."""
    rng = random.Random("ends")
    counts = [(x, n) for n in (1, 2, 3, 7, 100, 10**6, 10**9) for x in {1, 2, n // 3, n // 2, n - 1, n} if 0 < x <= n]
    counts += [(rng.randint(1, n), n) for n in (int(10 ** rng.uniform(0, 9)) for _ in range(60))]
    with mpmath.workdps(60):
        cases = [(x, n, size) for x, n in counts for size in thresholds(x, n, rng)]
    return [(*case, kl_low(*case)) for case in cases]


def test_a_lower_end_is_at_most_the_true_one_whatever_the_threshold(ends):
    with mpmath.workdps(60):
        for x, n, size, q in ends:
            assert 0 <= q * n <= x, (x, n, size, q)
            assert q == 0 or divergence(x, n, mpmath.mpf(q)) >= size, (x, n, size, q)


def test_a_lower_end_is_hardly_below_the_true_one_and_zero_only_where_that_is_no_normal_float(ends):
    with mpmath.workdps(60):
        for x, n, size, q in ends:
            more = max(mpmath.mpf(q), LEAST) * (1 + mpmath.mpf("7e-12"))
            assert n * more >= x or divergence(x, n, more) <= size, (x, n, size, q)


def test_compiled_and_interpreted_ends_are_the_same_bits(ends):
    compiled = kl_low.compiled
    assert all(compiled(x, n, size) == q for x, n, size, q in ends)
    for x, n in ((0, 1), (0, 10**9), (1, 2), (1, 3), (7, 7)):
        assert all(kernel(x, n, math.inf) == 0 for kernel in (compiled, kl_low))


def test_thresholds_and_radii_are_rounded_up_by_less_than_fourteen_digits():
    rng = random.Random("sizes")
    with mpmath.workdps(40):
        for _ in range(3000):
            n, log, scale = int(10 ** rng.uniform(0, 12)), 10 ** rng.uniform(-1, 4), 10 ** rng.uniform(-9, 9)
            size = (log + mpmath.log(4 * n) / 2) * mpmath.mpf(scale) ** 2
            radius = mpmath.sqrt(mpmath.mpf(log) / (2 * n)) * scale
            for found, exact in ((threshold_of(n, log, scale), size), (radius_of(n, log, scale), radius)):
                assert exact <= found <= exact * (1 + mpmath.mpf("1e-14")), (n, log, scale)


def small():
    """Two states, two actions each; the optimum of its first objective is 27/16."""
    stay, go, back = {0: 1}, {0: "3/4", 1: "1/4"}, {0: "1/4", 1: "3/4"}
    return vr.MDP(0, [[stay, go], [back, go]], [["1/2", 1], [{0: "1/2", 1: "1/2"}, "1/2"]], 2)


@pytest.mark.parametrize(
    "told", [{"bonus_scale": 12}, {"bonus_scale": 10**9}, {"delta": "1e-320"}, {"delta": "1e-5000"}]
)
def test_wide_sets_give_wide_intervals_that_hold(told):
    G = 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4")
    for seed in range(5):
        run = vr.learn(small(), G, episodes=60, seed=seed, known_rewards=True, **told)
        assert run.interval[0] <= Fraction(27, 16) <= run.interval[1]
        assert run.proved


def test_reward_laws_are_laws_even_if_ends_are_out_of_order(monkeypatch):
    """Rounding has not been seen to do that; here the end falls as successes grow."""
    refresh = refresh_reward.plain
    monkeypatch.setitem(refresh.__globals__, "low_end", lambda x, n, kind, size: 1 / (3 + x))
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/4", "1/3": "1/4", "2/3": "1/4", 1: "1/4"}]], horizon=1)
    learner = Task.of(standard_form(mdp), Settings.read(vr.Mean(), 10)).learner()
    learner.counts.visits[0], learner.counts.reward[0] = 8, 2
    refresh(0, learner.sets, learner.target)
    for law in (learner.model.reward[0], learner.model.reward_low[0]):
        assert (law >= 0).all()
        assert law.sum() == pytest.approx(1)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_the_sets_cover_at_all_moments_at_once_and_smaller_ones_do_not(p):
    """2000 sequences of 400 draws, delta = 1/10 for one test: how many ever leave the set."""
    rng = np.random.default_rng(int(1000 * p))
    x = np.cumsum(rng.random((2000, 400)) < p, axis=1)
    n = np.arange(1, 401)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = x / n
        left = np.where(x > 0, x * np.log(f / p), 0.0) + np.where(x < n, (n - x) * np.log((1 - f) / (1 - p)), 0.0)
    limit = math.log(10) + 0.5 * np.log(n) + math.log(2)
    outside = (left >= limit).any(axis=1).mean()
    assert outside <= 0.1
    assert (left >= limit / 4).any(axis=1).mean() > 0.1


def divergences(learner):
    """``N kl`` of every test of every visited pair against the true model, and N, from the learner's counts."""
    counts, standard = learner.counts, learner.standard
    for p, pair in enumerate(pair for actions in standard.pairs for pair in actions):
        n = int(counts.visits[p])
        seen = dict(zip(counts.state[p, : counts.length[p]].tolist(), counts.count[p].tolist(), strict=False))
        tests = [(seen.get(state, 0), float(q)) for _, state, q in pair.outcomes]
        paid = dict(pair.rewards)
        for i in range(len(standard.atoms) - 1):
            tests.append((int(counts.reward[p, : i + 1].sum()), float(sum(paid.get(j, 0) for j in range(i + 1)))))
        for x, q in tests if n else ():
            f = x / n
            yield n, sum(k * math.log(a / b) for k, a, b in ((x, f, q), (n - x, 1 - f, 1 - q)) if k)


@pytest.mark.slow
def test_all_sets_of_a_run_hold_at_once_and_narrower_ones_do_not():
    """100 runs of 150 episodes, delta = 1/2: in how many some set ever misses the truth."""
    mdp = vr.models.random_sparse(3, 2, 2, 2, horizon=3, seed=1, grid=2)
    missed = narrow = 0
    for seed in range(100):
        task = Task.of(standard_form(mdp), Settings.read(vr.CVaR("1/3"), 150, "1/2", seed=seed))
        learner, log, worst = task.learner(), math.log(2 * task.knowledge.tests), 0.0
        for row in draws_of(seed, 150, task.standard.horizon):
            learner.run(row[None], evaluate=False)
            worst = max(worst, *(d / (log + math.log(4 * n) / 2) for n, d in divergences(learner)))
        missed, narrow = missed + (worst >= 1), narrow + (worst >= 0.4)
    assert missed <= 50 < narrow


def test_the_number_of_tests_is_that_of_the_table():
    mdp = vr.models.machine_replacement()
    standard = standard_form(mdp)
    S, m, pairs = mdp.n_states, len(standard.atoms), sum(mdp.n_actions)

    def tests(**told):
        return knowledge_of(standard, Declared(**told)).tests

    assert tests() == (S + m - 1) * pairs
    assert tests(rewards=True) == S * pairs
    assert tests(successors=2) == (1 + m - 1) * pairs
    assert tests(successors=3, rewards=True) == 3 * pairs
    assert tests(successors=1, rewards=True) == 1  # nothing is left to test
    by_hand = sum({1: 0, 2: 1}.get(len(a.successors), len(a.successors)) for _, _, a in mdp)
    assert tests(successors=True, rewards=True) == max(by_hand, 1)
    joint = standard_form(vr.MDP.from_outcomes([[[("1/2", 0, 0), ("1/2", 0, 1)]]], initial=[1], horizon=2))
    assert knowledge_of(joint, Declared()).tests == 1  # two outcomes: the second is the complement of the first
    mixed = standard_form(vr.models.inventory())
    assert mixed.joint
    assert knowledge_of(mixed, Declared()).tests == sum(mixed.n_actions) * mixed.n_states * len(mixed.atoms)
    assert knowledge_of(mixed, Declared(successors=3)).tests == sum(mixed.n_actions) * 3


def test_outcomes_are_a_known_list_when_as_many_as_were_declared_have_been_seen():
    """Three can follow: after two of them the mass that is left may still go anywhere."""
    mdp = vr.MDP(
        0, [[{0: "1/3", 1: "1/3", 2: "1/3"}], [[0, 0, 0, 1]], [[0, 0, 0, 1]], [[0, 0, 0, 1]]], [[0], [1], [1], [0]], 2
    )
    learner = Task.of(standard_form(mdp), Settings.read(vr.Mean(), 10, declared=Declared(False, 3))).learner(room=4)
    none = np.zeros(1, np.int64)
    for seen, target in enumerate((2, 0, 2, 1), 1):
        learner.count(Path(np.array([0, target]), none, none, none))
        learner.plan()
        listed = sorted(learner.known.state[0, : learner.known.length[0]].tolist())
        beyond = [int(s) for s in learner.model.state[0, : learner.model.length[0]] if s == 4]
        assert (listed, beyond) == (([0, 1, 2], []) if seen == 4 else ([], [4]))
        assert learner.model.miss[0] > 0


# -- intervals ---------------------------------------------------------------------------------------------------------


def checks_of(mdp, objective, episodes, seed, **told):
    """Play, and look at the interval and its policy after every episode; yields how many looks were right."""
    settings = Settings.read(objective, episodes, seed=seed, declared=Declared(**told))
    task = Task.of(standard_form(mdp), settings)
    learner = task.learner()
    bracket = Bracket(learner, task.slack, wanted=True)
    best = vr.exact_plan(mdp, objective).value
    for row in draws_of(seed, episodes, task.standard.horizon):
        learner.run(row[None], evaluate=False)
        bracket.replan(1)
        yield bracket.lower <= best <= bracket.upper
    policy = vr.learning.policies.LearnedPolicy(mdp, task.standard, bracket.table.tolist())
    yield objective.of(vr.return_law(mdp, policy)) >= bracket.lower


@pytest.mark.parametrize("seeds", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_the_interval_is_right_in_hundreds_of_checks_for_each_seed(seeds):
    total = 0
    for seed in range(seeds):
        mdp = vr.models.random_sparse(3, 2, 2, 2, horizon=3, seed=seed, grid=2)
        for objective in (vr.CVaR("1/3"), vr.Mean(), 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4")):
            found = list(checks_of(mdp, objective, 120, seed, rewards=seed % 2 == 1))
            assert all(found)
            total += len(found)
    assert total > 360 * seeds


def test_a_run_stops_when_its_interval_is_short_enough_and_hands_out_the_policy():
    mdp = vr.models.two_paths()
    run = vr.learn(mdp, vr.CVaR("1/2"), stop_when="1/2", known_rewards=True)
    assert run.asked is None
    assert run.interval[1] - run.interval[0] <= Fraction(1, 2)
    assert run.interval[0] <= run.best[0] <= run.interval[1]
    assert vr.CVaR("1/2").of(vr.return_law(mdp, run.policy())) >= run.interval[0]
    longer = vr.learn(mdp, vr.CVaR("1/2"), episodes=run.episodes - 1, known_rewards=True)
    assert (longer.returns == run.returns[:-1]).all()


def test_a_run_that_may_stop_at_once_plays_one_episode():
    run = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), stop_when=10**6)
    assert run.episodes == 1


def test_narrowed_sets_claim_no_interval():
    run = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=20, bonus_scale="1/10")
    assert run.interval is None
    assert not run.proved
    with pytest.raises(InvalidArgument, match="with the theorem's sets"):
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), stop_when=1, bonus_scale="1/2")


def test_the_bound_from_the_data_is_below_the_one_before_and_above_the_regret():
    run = vr.learn(vr.models.machine_replacement(horizon=4), vr.CVaR("1/2"), episodes=400)
    assert (run.data_bound <= run.bound).all()
    assert (run.regret <= run.data_bound).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"stop_when": -1}, "stop_when is -1"),
        ({"stop_when": 1, "algorithm": "ucb", "episodes": 5}, "stop_when needs an interval"),
        ({"algorithm": "ucb"}, "episodes is None"),
        ({}, "would not end"),
        ({"episodes": 5, "known_rewards": 3}, "known_rewards is 3"),
        ({"episodes": 5, "known_successors": 0}, "known_successors is 0"),
        ({"episodes": 5, "known_successors": {}}, "no entry for state 0, action 0"),
        ({"episodes": 5, "largest_return": -3}, "largest_return is -3"),
        ({"episodes": 5, "known_rewards": True, "algorithm": "greedy"}, "makes no use of it"),
    ],
)
def test_declarations_that_make_no_sense_are_named(arguments, said):
    with pytest.raises(InvalidArgument, match=said):
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), **arguments)
