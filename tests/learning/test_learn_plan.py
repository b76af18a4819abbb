"""The learner's planners against exact ones, and its shortcuts against doing everything."""

from __future__ import annotations

import contextlib
import random
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from test_learn_models import learner_of, random_episode, slow_optimistic_pair

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.kernels.learn_data import Path
from verified_risk.learning.declarations import Declared
from verified_risk.learning.evaluate import Judge
from verified_risk.learning.learner import Learner
from verified_risk.learning.planner import planner_allowance
from verified_risk.learning.policies import LearnedPolicy
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

CONCAVE = {
    "mean": vr.Mean(),
    "cvar": vr.CVaR("1/4"),
    "mean-cvar": 0.25 * vr.Mean() + 0.75 * vr.CVaR("1/3"),
    "spectral": vr.Spectral(["1/5", "1/2", 1], ["1/4", "1/4", "1/2"]),
}


def kernel_radius(learner, n):
    target = learner.target
    return Fraction(float(np.sqrt(target.log_term / (2.0 * n))) * target.scale * (1.0 + 1e-15))


def histories(seed, count):
    rng = random.Random(seed)
    for case in range(count):
        mdp = vr.models.random_sparse(3, 2, 2, 2, horizon=3, seed=case, grid=2)
        yield rng, mdp, rng.choice([1, 5, 30, 100])


def observed_model(rng, learner, episodes):
    """Count random episodes and plan; the exact optimistic model of the same counts, its last state s_inf."""
    standard, seen = learner.standard, {}
    for _ in range(episodes):
        states, actions, atoms, paid = random_episode(rng, standard)
        learner.count(Path(*map(np.array, (states, actions, atoms, paid))))
        for s, a, i, after in zip(states, actions, atoms, states[1:], strict=False):
            seen.setdefault((s, a), []).append((standard.atoms[i], after))
    learner.plan()
    top = standard.n_states
    transitions, rewards = [[] for _ in range(top)], [[] for _ in range(top)]
    for s, a in ((s, a) for s, count in enumerate(standard.n_actions) for a in range(count)):
        visits = seen.get((s, a), [])
        kept, miss, law = slow_optimistic_pair(visits, kernel_radius(learner, len(visits)) if visits else 0)
        transitions[s].append({**kept, top: miss})
        rewards[s].append(law)
    rows = [*transitions, [{top: 1}]], [*rewards, [1]]
    return vr.MDP(dict(standard.initial), *rows, standard.horizon, standard.discount)


@pytest.mark.parametrize("name", CONCAVE)
def test_the_optimistic_value_is_the_exact_optimum_of_the_optimistic_model(name):
    """Within the stated rounding; with several levels between the value found and its certified upper bound."""
    G = CONCAVE[name]
    for rng, mdp, episodes in histories(f"value {name}", 25):
        learner = learner_of(mdp, G, scale=Fraction(1, 4), episodes=200)
        standard, hat = learner.standard, observed_model(rng, learner, episodes)
        exact = vr.exact_plan(hat, G).value / standard.unit
        allowance = planner_allowance(standard, learner.target, float(G.lipschitz))
        assert allowance < 1e-7
        assert learner.value - allowance <= exact <= learner.upper + allowance
        if name != "spectral":
            assert learner.value == learner.upper


def test_the_quantile_planner_finds_the_exact_optimum():
    for rng, mdp, episodes in histories("quantile", 25):
        G = vr.VaR(rng.choice(["1/10", "1/3", "3/5"]), upper=rng.random() < 0.5)
        learner = learner_of(mdp, G, scale=Fraction(1, 4), episodes=200)
        standard, hat = learner.standard, observed_model(rng, learner, episodes)
        assert vr.exact_plan(hat, G).value == Fraction(learner.value) * standard.unit


@pytest.mark.parametrize("G", [vr.CVaR("1/3"), 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/5"), vr.VaR("1/4")], ids=str)
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 20), Fraction(1, 500)])
def test_replanning_only_what_moved_is_bitwise_the_same_as_replanning_everything(G, scale):
    mdp = vr.models.random_sparse(8, 3, 3, 3, horizon=5, seed=2, grid=4)
    replans_the_same(*(learner_of(mdp, G, scale=scale, episodes=300) for _ in range(2)), episodes=300)


def test_where_the_missing_mass_goes_to_listed_states_their_rows_count_as_moved():
    """A state that was listed and never seen after a pair may move while the pair's own outcomes do not."""
    mdp = vr.models.random_sparse(4, 2, 2, 2, horizon=4, seed=4, grid=2)
    settings = Settings.read(vr.CVaR("1/3"), 30, declared=Declared(rewards=True, successors=True))
    replans_the_same(*(Task.of(standard_form(mdp), settings).learner() for _ in range(2)), episodes=30)


def replans_the_same(quick, full, episodes):
    """Whatever one of two learners computes again, which computes everything, the other has."""
    draws = np.random.default_rng(3).random((episodes, 1 + 2 * quick.standard.horizon))
    skipped = 0
    for row in draws:
        full.fresh = True
        assert quick.plan() == full.plan()
        assert (quick.tables.policy == full.tables.policy).all()
        assert (quick.tables.cost == full.tables.cost).all()
        skipped += int((~quick.tables.moved[:-1, :-1]).sum())
        assert all((x == y).all() for x, y in zip(quick.play(row), full.play(row), strict=True))
    assert skipped > 0


def test_the_law_of_a_policy_in_floating_point_is_the_exact_law_within_its_bound():
    for mdp in (vr.models.frozen_lake(), vr.models.gamblers_ruin(), vr.models.machine_replacement()):
        for G in (vr.CVaR("1/3"), vr.Wang("1/2"), vr.DualPower(3)):
            learner = learner_of(mdp, G, scale=Fraction(1, 50), episodes=100)
            judge = Judge(mdp, learner.standard, G, learner)
            draws = np.random.default_rng(1).random((60, 1 + 2 * learner.standard.horizon))
            for k, row in enumerate(draws):
                learner.plan()
                if k % 20 == 0:
                    table = learner.policy_table()
                    law = learner.law(table)
                    exact = vr.return_law(mdp, LearnedPolicy(mdp, learner.standard, table.tolist()))
                    standard = learner.standard
                    for z, p in enumerate(law):
                        assert abs(p - float(exact.mass(standard.value(Fraction(z))))) <= judge.law_error()
                    low, high = judge.of_laws(law[None])
                    assert low[0] <= float(G.of(exact)) <= high[0]
                    assert high[0] - low[0] < 1e-9
                learner.play(row)


def test_episodes_in_one_call_and_one_by_one_are_the_same():
    mdp = vr.models.machine_replacement()
    for G in (vr.Mean(), vr.CVaR("1/4"), vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"])):
        whole, single = (learner_of(mdp, G, scale=Fraction(1, 10), episodes=80) for _ in range(2))
        draws = np.random.default_rng(5).random((80, 17))
        together = whole.run(draws, evaluate=True)
        for k, row in enumerate(draws):
            assert single.plan() == together.values[k]
            states, actions, rewards, _ = single.play(row)
            assert (states == together.states[k]).all()
            assert (actions == together.actions[k]).all()
            assert (rewards == together.rewards[k]).all()


def test_tables_are_refused_from_two_gigabytes_on(monkeypatch):
    """22 bytes for each of 10 x 1000 x 9091 cells; nothing is allocated here."""
    monkeypatch.setattr(Learner, "markov", False)
    for returns, fits in ((9080, True), (9091, False)):
        learner = object.__new__(Learner)
        learner.standard = SimpleNamespace(horizon=9, n_states=1000, top=(returns - 1,), n_actions=(1,) * 1000)
        learner.world = SimpleNamespace(truth=SimpleNamespace(state=np.zeros((1000, 1))))
        with contextlib.nullcontext() if fits else pytest.raises(InvalidArgument, match=r"2\.0 GB"):
            learner._check_size()


def test_tables_too_large_for_memory_are_refused_before_they_are_allocated():
    mdp = vr.models.random_sparse(400, 2, 2, 2, horizon=200, seed=0, grid=100)
    learner = learner_of(vr.models.two_paths(), vr.CVaR("1/2"))
    with pytest.raises(InvalidArgument, match="GB"):
        Learner(standard_form(mdp), learner.target)
