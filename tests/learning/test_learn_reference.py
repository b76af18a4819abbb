"""The compiled learner against a plain-Python learner of another shape: same random numbers, same trajectories."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reference_learner import ReferenceKL, ReferenceLearner, ReferenceUCBVI, walked

import verified_risk as vr
from verified_risk.learning.declarations import Declared
from verified_risk.learning.learner import Learner, draws_of
from verified_risk.learning.planner import problem_of, target_of
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

EPISODES = 200
LONG = 500
DELTA = Fraction(1, 10)


def compiled(mdp, objective, algorithm, scale, draws):
    standard = standard_form(mdp)
    problem = problem_of(standard, objective, len(draws), DELTA)
    target, _ = target_of(standard, objective, algorithm, problem, scale)
    return Learner(standard, target).run(draws, evaluate=False)


def machine():
    return vr.models.machine_replacement(horizon=5)


def sparse():
    return vr.models.random_sparse(5, 2, 3, 2, horizon=4, seed=3, grid=3)


CASES = {
    "lake": (vr.models.frozen_lake, Fraction(1, 20), Fraction(33, 100), Fraction(0), "ucb"),
    "machine": (machine, Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), "ucb"),
    "random": (sparse, Fraction(1, 5), Fraction(1, 2), Fraction(0), "ucb"),
    "two paths, the theorem's radii": (vr.models.two_paths, Fraction(1), Fraction(1, 3), Fraction(0), "ucb"),
    "machine, greedy": (vr.models.machine_replacement, Fraction(1), Fraction(1, 4), Fraction(1, 3), "greedy"),
    "machine, tried": (vr.models.machine_replacement, Fraction(1), Fraction(1, 4), Fraction(1, 3), "greedy-tried"),
    "lake, tried": (vr.models.frozen_lake, Fraction(1), Fraction(33, 100), Fraction(0), "greedy-tried"),
    "machine, ucbvi": (vr.models.machine_replacement, Fraction(1, 500), Fraction(1, 4), Fraction(0), "ucbvi"),
    "lake, ucbvi": (vr.models.frozen_lake, Fraction(1, 2000), Fraction(1, 4), Fraction(0), "ucbvi"),
    "two paths as printed": (vr.models.two_paths, Fraction(1), Fraction(1, 3), Fraction(1, 5), "ucb-as-printed"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("episodes", [EPISODES, pytest.param(LONG, marks=pytest.mark.slow)])
def test_both_learners_walk_the_same_trajectories(name, episodes):
    build, scale, alpha, weight, algorithm = CASES[name]
    mdp = build()
    objective = vr.CVaR(alpha) if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR(alpha)
    draws = draws_of(7, episodes, mdp.horizon)
    found = compiled(mdp, objective, algorithm, scale, draws)
    assert len(found.values) == episodes
    if algorithm == "ucbvi":
        reference = ReferenceUCBVI(mdp, episodes, float(DELTA), scale=float(scale))
    else:
        radii = 0.0 if algorithm.startswith("greedy") else float(scale)
        kind = {"printed": algorithm == "ucb-as-printed", "tried": algorithm == "greedy-tried"}
        reference = ReferenceLearner(mdp, episodes, float(DELTA), alpha=alpha, mean_weight=weight, scale=radii, **kind)
    assert len(set(walked(reference, draws, found))) > 1


def coin_walk():
    """Rewards come with the next state: two places, a safe and a bold move."""
    return vr.MDP.from_outcomes(
        [
            [[("1/2", 1, 1), ("1/2", 0, 0)], [("1/4", 1, 0), ("3/4", 0, "1/2")]],
            [[(1, 0, "1/2")], [("1/3", 1, 1), ("2/3", 0, 0)]],
        ],
        initial=["1/2", "1/2"],
        horizon=4,
    )


def corridor(length=4, horizon=8):
    """Forward with probability 3/4, or back to the start; the far end pays once and the episode is over."""
    over = length
    rows = [
        [[("3/4", s + 1, int(s + 1 == over)), ("1/4", s, 0)], [(1, 0, 0)]] if s < over else [[(1, over, 0)]]
        for s in range(over + 1)
    ]
    return vr.MDP.from_outcomes(rows, initial=[1, *[0] * over], horizon=horizon)


UNIFORM = {
    "lake": (vr.models.frozen_lake, Fraction(33, 100), Fraction(0), False),
    "lake, rewards known": (vr.models.frozen_lake, Fraction(33, 100), Fraction(0), True),
    "machine": (machine, Fraction(1, 4), Fraction(1, 3), False),
    "random": (sparse, Fraction(1, 2), Fraction(0), True),
    "rewards with the next state": (coin_walk, Fraction(1, 3), Fraction(0), False),
    "mean, no return above 1": (corridor, Fraction(1), Fraction(0), False, 1),
}


@pytest.mark.parametrize("name", UNIFORM)
@pytest.mark.parametrize("episodes", [EPISODES, pytest.param(LONG, marks=pytest.mark.slow)])
def test_the_default_learner_walks_the_same_trajectories(name, episodes):
    build, alpha, weight, told, *most = UNIFORM[name]
    mdp = build()
    objective = vr.CVaR(alpha) if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR(alpha)
    settings = Settings.read(objective, episodes, DELTA, declared=Declared(told, False, *map(Fraction, most)))
    draws = draws_of(7, episodes, mdp.horizon)
    found = Task.of(standard_form(mdp), settings).learner().run(draws, evaluate=False)
    reference = ReferenceKL(
        mdp, float(DELTA), alpha=alpha, mean_weight=weight, known_rewards=told, most=most[0] if most else None
    )
    assert len(set(walked(reference, draws, found))) > 10
