"""The rivals of the default learner: references of another shape, validity of what they claim, refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reference_learner import walked
from reference_rivals import ReferenceBernstein, ReferencePosterior
from test_learn_reference import coin_walk

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.experiments.baselines import _dirichlet, best_start, table_tests
from verified_risk.learning.declarations import Declared
from verified_risk.learning.episodes import Checkpoint
from verified_risk.learning.evaluate import Bracket
from verified_risk.learning.learner import draws_of
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

LONG = 500
DELTA = Fraction(1, 10)


def small_random():
    return vr.models.random_sparse(4, 2, 3, 2, horizon=3, seed=3, grid=3)


def learner_of(mdp, objective, algorithm, *, told, seed=0, scale=1):
    declared = Declared(rewards=told)
    settings = Settings.read(
        objective, LONG, DELTA, algorithm=algorithm, declared=declared, seed=seed, bonus_scale=scale
    )  # fmt: skip
    return Task.of(standard_form(mdp), settings).learner()


BERNSTEIN = {
    "two paths": (vr.models.two_paths, Fraction(1, 2), True, 1),
    "random": (small_random, Fraction(1, 2), True, 1),
    "random, mean": (small_random, Fraction(1), True, Fraction(1, 3)),
    "rewards with the next state": (coin_walk, Fraction(1, 3), False, 1),
    "lake": (vr.models.frozen_lake, Fraction(33, 100), True, 1),
}
SLOW = {"lake"}


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow if x in SLOW else ()) for x in BERNSTEIN])
def test_bernstein_walks_the_trajectories_of_its_reference(name):
    build, alpha, told, scale = BERNSTEIN[name]
    mdp = build()
    learner = learner_of(mdp, vr.Mean() if alpha == 1 else vr.CVaR(alpha), "bernstein", told=told, scale=scale)
    draws = draws_of(7, LONG, mdp.horizon)
    found = learner.run(draws, evaluate=False)
    reference = ReferenceBernstein(mdp, float(DELTA), alpha=alpha, scale=float(scale))
    assert len(found.values) == LONG
    for k, _ in enumerate(walked(reference, draws, found)):
        assert reference.best == pytest.approx(found.values[k], abs=1e-9)
        assert reference.width == pytest.approx(found.widths[k], abs=1e-7)
    assert len({tuple(row) for row in found.actions.tolist()}) > 1
    assert found.widths[-1] < found.widths[0]


POSTERIOR = {
    "random, mean and CVaR": (small_random, Fraction(1, 4), Fraction(1, 3), False),
    "random, rewards known": (small_random, Fraction(1, 2), Fraction(0), True),
    "rewards with the next state": (coin_walk, Fraction(1, 3), Fraction(0), False),
}


@pytest.mark.parametrize("name", POSTERIOR)
def test_posterior_walks_the_trajectories_of_its_reference(name):
    build, alpha, weight, told = POSTERIOR[name]
    mdp = build()
    objective = vr.CVaR(alpha) if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR(alpha)
    learner = learner_of(mdp, objective, "posterior", told=told, seed=5)
    draws = draws_of(7, LONG, mdp.horizon)
    found = learner.run(draws, evaluate=False)
    reference = ReferencePosterior(
        mdp, float(DELTA), alpha=alpha, mean_weight=weight, known_rewards=told, seed=5
    )  # fmt: skip
    assert len(set(walked(reference, draws, found))) > 1


def shortfalls(mdp):
    """W*_t(s, b) for every b, in Fractions and in the user's rewards, which are integers here."""
    memo = {}

    def cost(t, s, b):
        if b <= 0:
            return Fraction(0)
        if t == mdp.horizon:
            return Fraction(b)
        if (t, s, b) not in memo:
            memo[t, s, b] = min(
                sum((p * cost(t + 1, s2, b - r) for p, s2, r in action.outcomes), Fraction())
                for action in mdp.actions(s)
            )
        return memo[t, s, b]

    return cost


@pytest.mark.parametrize("seed", range(4))
def test_the_tables_enclose_the_least_shortfall_in_every_episode(seed):
    """On these runs the event holds (it fails with probability below 1/10, in truth far less often)."""
    mdp = vr.models.random_sparse(4, 2, 3, 2, horizon=3, seed=seed, grid=3)
    learner = learner_of(mdp, vr.CVaR("1/2"), "bernstein", told=True)
    cost, standard = shortfalls(mdp), learner.standard
    low, high = mdp.reward_range
    scale = (high - low) * standard.unit
    draws = draws_of(seed, 3000, mdp.horizon)
    for start in range(0, 3000, 500):
        learner.run(draws[start : start + 500], evaluate=False)
        for t in range(mdp.horizon):
            for s in range(mdp.n_states):
                for b in range(1, standard.top[t] + 1):
                    true = float(cost(t, s, b * scale + low * (mdp.horizon - t)) / scale)
                    assert learner.bounds.low[t, s, b] <= true + 1e-9
                    assert true - 1e-9 <= learner.bounds.up[t, s, b]
    best = float((vr.exact_plan(mdp, vr.CVaR("1/2")).value - standard.offset) / scale)
    surely = best_start(learner.shape, learner.bounds.up, learner.rules)[1]
    assert surely <= best <= learner.value
    assert learner.value - surely < standard.top[0]


def test_bernstein_regret_stays_below_its_bound_from_data():
    mdp = small_random()
    for seed in range(5):
        run = vr.learn(mdp, "cvar(1/2)", episodes=400, seed=seed, algorithm="bernstein", known_rewards=True)
        assert run.on_paper
        assert run.bound is None
        assert (run.regret <= run.data_bound).all()
        assert run.interval is None
    narrower = {"algorithm": "bernstein", "known_rewards": True, "bonus_scale": "1/2"}
    run = vr.learn(mdp, "cvar(1/2)", episodes=20, **narrower)
    assert (run.proved, run.on_paper, run.data_bound) == (False, False, None)


def test_a_draw_that_underflows_is_the_mean_and_others_are_laws():
    weights = np.array([[1e-310, 3e-310, 0.0], [2.0, 1.0, 0.0]])
    drawn = _dirichlet(np.random.default_rng(0), weights)
    assert drawn[0] == pytest.approx([0.25, 0.75, 0.0], rel=1e-9)
    assert drawn[1].sum() == pytest.approx(1.0, rel=1e-12)
    assert (drawn[1] > 0).tolist() == [True, True, False]


def test_posterior_sampling_says_that_it_is_bayesian():
    run = vr.learn(small_random(), "cvar(1/2)", episodes=200, algorithm="posterior", seed=3)
    assert "Bayesian" in run.guarantee
    assert (run.proved, run.on_paper) == (False, False)
    again = vr.learn(small_random(), "cvar(1/2)", episodes=200, algorithm="posterior", seed=3)
    assert np.array_equal(run.regret, again.regret)
    other = vr.learn(small_random(), "cvar(1/2)", episodes=200, algorithm="posterior", seed=4)
    assert not np.array_equal(run.regret, other.regret)


def test_what_bernstein_cannot_do_is_refused():
    with pytest.raises(InvalidArgument, match="maximises cvar or mean"):
        vr.learn(small_random(), "var(1/2)", episodes=5, algorithm="bernstein", known_rewards=True)
    with pytest.raises(InvalidArgument, match="learns in models"):
        vr.learn(object(), "cvar(1/2)", episodes=5, algorithm="bernstein", horizon=3)
    with pytest.raises(InvalidArgument, match="known_rewards=True"):
        vr.learn(small_random(), "cvar(1/2)", episodes=5, algorithm="bernstein")


def test_the_number_of_tests_is_that_of_pairs_steps_and_budgets():
    standard = standard_form(small_random())
    tops = standard.top
    assert table_tests(standard, 8, only_mean=False) == 8 * (tops[0] + tops[1])
    assert table_tests(standard, 8, only_mean=True) == 8 * 2
    joint = standard_form(coin_walk())
    assert table_tests(joint, 4, only_mean=False) == 4 * sum(joint.top)


def test_each_backup_is_widened_by_more_than_it_rounds():
    """A sum over n outcomes and one over m rewards of numbers up to the largest return: 2 (n + m + 4) u of that."""
    for build, told, outcomes in ((small_random, True, 4), (coin_walk, False, 2 * 3)):
        learner = learner_of(build(), vr.CVaR("1/2"), "bernstein", told=told)
        m, top = len(learner.standard.atoms), learner.standard.top[0]
        rounded = 2 * (outcomes + m + 4) * 2.0**-53 * top
        assert rounded <= learner.rules.margin <= 8 * rounded
        learner.plan()
        (low,) = learner.bounds.low[-2, :1, 1]  # nothing is known: the least shortfall of the last step is 0
        assert low == -learner.rules.margin


@pytest.mark.parametrize("algorithm", ["bernstein", "posterior"])
def test_a_rival_goes_on_from_its_checkpoint(algorithm, tmp_path):
    mdp, told = small_random(), {"known_rewards": True, "algorithm": algorithm}
    whole = vr.learn(mdp, "cvar(1/2)", episodes=300, **told)
    settings = Settings.read("cvar(1/2)", 300, algorithm=algorithm, declared=Declared(rewards=True))
    task = Task.of(standard_form(mdp), settings)
    first, second = task.learner(), task.learner()
    draws = draws_of(0, 300, mdp.horizon)
    early = first.run(draws[:130], evaluate=False)
    path = tmp_path / "run.json"
    Checkpoint(path, {}, first, Bracket(first, 0.0, wanted=False)).save(130, lambda: 6 * [early.values], now=True)
    Checkpoint(path, {}, second, Bracket(second, 0.0, wanted=False)).restore()
    late, straight = second.run(draws[130:], evaluate=False), first.run(draws[130:], evaluate=False)
    assert np.array_equal(late.actions, straight.actions)
    assert np.array_equal(late.values, straight.values)
    assert len(whole.returns) == 300
    assert whole.optimistic[130:] == pytest.approx(
        float(task.standard.offset) + float(task.standard.range * task.standard.unit) * late.values
    )
