"""Counts, empirical and optimistic models, standard form: the learner's arrays against slow exact constructions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import oracles
import pytest
from plan_models import as_mdp

import verified_risk as vr
from verified_risk.errors import InvalidArgument, Unsupported
from verified_risk.kernels.learn_data import Path
from verified_risk.learning.audit import Occupancy
from verified_risk.learning.learner import Learner
from verified_risk.learning.planner import problem_of, target_of
from verified_risk.learning.policies import LearnedPolicy
from verified_risk.learning.problem import standard_form


def learner_of(mdp, objective, *, algorithm="ucb", episodes=50, scale=Fraction(1), eta=None):
    standard = standard_form(mdp, eta)
    problem = problem_of(standard, objective, episodes, Fraction(1, 10))
    target, _ = target_of(standard, objective, algorithm, problem, scale)
    return Learner(standard, target)


def random_episode(rng, standard):
    """A random walk in the standard form, in plain Python."""
    states = [rng.choice([s for s, _ in standard.initial])]
    actions, atoms, paid = [], [], []
    for _ in range(standard.horizon):
        s = states[-1]
        a = rng.randrange(standard.n_actions[s])
        pair = standard.pairs[s][a]
        actions.append(a)
        atoms.append(rng.choices([i for i, _ in pair.rewards], [float(p) for _, p in pair.rewards])[0])
        i, target, _ = rng.choices(pair.outcomes, [float(p) for _, _, p in pair.outcomes])[0]
        paid.append(i)
        states.append(target)
    return states, actions, atoms, paid


def slow_optimistic_pair(visits, eps):
    """From the list of (reward, next state) seen: sort, cut eps off the bottom, put it on 1; shave every successor."""
    n = len(visits)
    if n == 0:
        return {}, Fraction(1), {Fraction(1): Fraction(1)}
    tokens = [[r, Fraction(1, n)] for r, _ in sorted(visits)]
    left = eps
    for token in tokens:
        if token[0] < 1:
            cut = min(left, token[1])
            token[1] -= cut
            left -= cut
    law = {}
    for r, p in tokens:
        law[r] = law.get(r, 0) + p
    law[Fraction(1)] = law.get(Fraction(1), Fraction()) + 1 - sum(law.values())
    shares = {s: Fraction(sum(1 for _, s2 in visits if s2 == s), n) - eps for _, s in visits}
    kept = {s: p for s, p in shares.items() if p > 0}
    return kept, 1 - sum(kept.values()), {r: p for r, p in law.items() if p}


MODELS = {
    "lake": vr.models.frozen_lake,
    "machine": vr.models.machine_replacement,
    "ruin": vr.models.gamblers_ruin,
    "random": lambda: vr.models.random_sparse(6, 3, 4, 3, horizon=5, seed=1, grid=5),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_optimistic_arrays_are_the_exact_construction_on_random_histories(name):
    rng = random.Random(f"history {name}")
    for scale in (Fraction(1), Fraction(1, 10), Fraction(1, 100)):
        learner = learner_of(MODELS[name](), vr.CVaR("1/3"), scale=scale, episodes=400)
        standard, seen = learner.standard, {}
        for k in range(120):
            states, actions, atoms, paid = random_episode(rng, standard)
            learner.count(Path(*map(np.array, (states, actions, atoms, paid))))
            for s, a, i, j, s2 in zip(states, actions, atoms, paid, states[1:], strict=False):
                seen.setdefault((s, a), []).append((standard.atoms[i], (j, s2)))
            if k % 40 != 39:
                continue
            learner.plan()
            p = -1
            for s in range(standard.n_states):
                for a in range(standard.n_actions[s]):
                    p += 1
                    visits = seen.get((s, a), [])
                    n = len(visits)
                    eps = Fraction(0)
                    if n:
                        eps = Fraction(
                            float(np.sqrt(learner.target.log_term / (2.0 * n))) * float(scale) * (1.0 + 1e-15)
                        )
                    kept, miss, law = slow_optimistic_pair(visits, eps)
                    length = learner.model.length[p] - (learner.model.miss[p] > 0)  # the last entry is s_inf
                    rows = zip(*(x[p, :length].tolist() for x in learner.model[1:4]), strict=True)
                    found = {(i, t): q for t, i, q in rows}
                    assert set(found) == set(kept)
                    assert all(abs(found[t] - float(q)) < 1e-14 for t, q in kept.items())
                    assert abs(learner.model.miss[p] - float(miss)) < 1e-14
                    for i, r in enumerate(() if standard.joint else standard.atoms):
                        assert abs(learner.model.reward[p, i] - float(law.get(r, 0))) < 1e-14


def test_the_standard_form_keeps_the_law_of_the_return_of_every_policy():
    """The judge evaluates the policy in the user's model; the standard form is another path to the same law."""
    rng = random.Random("standard form")
    joint = 0
    for _ in range(150):
        model = oracles.random_model(rng, max_states=3, max_actions=2, max_horizon=3)
        mdp = as_mdp(model)
        standard = standard_form(mdp)
        assert standard.exact
        joint += standard.joint
        table = [
            [
                [rng.randrange(standard.n_actions[s]) for _ in range(standard.used[t] + 1)]
                for s in range(standard.n_states)
            ]
            for t in range(standard.horizon)
        ]
        inner = Occupancy(standard, table).law
        outer = vr.return_law(mdp, LearnedPolicy(mdp, standard, table))
        assert outer == inner.affine(standard.range * standard.unit, standard.offset)
    assert 20 < joint < 140


def test_rewards_are_rounded_up_to_eta_and_nothing_is_called_exact_that_is_not():
    mdp = vr.MDP(0, [[[1]]], [[{"-1": "1/2", "1/3": "1/4", 2: "1/4"}]], horizon=2)
    standard = standard_form(mdp, "1/2")
    assert standard.range == 3
    assert standard.unit == Fraction(1, 6)
    assert standard.atoms == (0, Fraction(4, 9), 1)
    assert standard.units == ((0, 3, 6), (0, 3, 6))
    assert not standard.exact
    assert standard.rounding == 2 * Fraction(1, 2)
    assert standard_form(mdp).exact
    assert standard_form(mdp, "1/3").exact


def test_continuous_rewards_take_the_grid_law_of_their_cdf():
    from scipy import stats

    mdp = vr.MDP(0, [[[1], [1]]], [[stats.uniform(-1, 2), {0: 1}]], horizon=1)
    standard = standard_form(mdp, "1/2")
    assert standard.atoms == tuple(Fraction(i, 4) for i in range(5))
    law = dict(standard.pairs[0][0].rewards)
    assert law == {1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 4), 4: Fraction(1, 4)}
    assert dict(standard.pairs[0][1].rewards) == {2: 1}
    with pytest.raises(InvalidArgument, match="continuous"):
        standard_form(mdp)
    with pytest.raises(Unsupported, match="discount"):
        standard_form(vr.MDP(0, [[[1]]], [[stats.uniform(0, 1)]], horizon=1, discount="1/2"), "1/2")


@pytest.mark.parametrize(("eta", "said"), [("2/5", "1/2 does"), (0, "positive"), ("-1", "positive"), (3, "1 does")])
def test_an_infeasible_eta_is_refused_with_one_that_works(eta, said):
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=2)
    with pytest.raises(InvalidArgument, match=said):
        standard_form(mdp, eta)


def test_a_grid_too_long_to_build_is_refused():
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", "1/99991": "1/4", 1: "1/4"}]], horizon=10)
    with pytest.raises(InvalidArgument, match="coarser"):
        standard_form(mdp)
