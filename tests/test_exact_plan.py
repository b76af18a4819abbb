"""The exact planner against brute force over all deterministic policies."""

from __future__ import annotations

import random
from fractions import Fraction

import oracles
import pytest

import verified_risk as vr

MODELS_PER_OBJECTIVE = 500
MOST_POLICIES = 600

LEVELS = [Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


def as_mdp(model: oracles.Model) -> vr.MDP:
    return vr.MDP.from_outcomes(model.outcomes, initial=model.initial, horizon=model.horizon, discount=model.discount)


def small_models(seed, count, most=MOST_POLICIES, **sizes):
    rng = random.Random(seed)
    while count:
        model = oracles.random_model(rng, max_states=3, max_actions=3, max_horizon=3, **sizes)
        if 1 < oracles.count_return_policies(model) <= most:
            count -= 1
            yield model, rng


def objectives(rng):
    a, b, c = rng.sample(LEVELS, 3)
    w = rng.choice([Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)])
    return {
        "mean": (vr.Mean(), oracles.mean),
        "cvar": (vr.CVaR(a), lambda law: oracles.cvar(law, a)),
        "mean-cvar": (
            w * vr.Mean() + (1 - w) * vr.CVaR(a),
            lambda law: w * oracles.mean(law) + (1 - w) * oracles.cvar(law, a),
        ),
        "spectral": (
            vr.Spectral([a, b, c], [w / 2, w / 2, 1 - w]),
            lambda law: w / 2 * (oracles.cvar(law, a) + oracles.cvar(law, b)) + (1 - w) * oracles.cvar(law, c),
        ),
        "var": (vr.VaR(a), lambda law: oracles.quantile(law, a)),
        "upper-var": (
            vr.VaR(a - Fraction(1, 20), upper=True),
            lambda law: oracles.quantile(law, a - Fraction(1, 20), upper=True),
        ),
    }


@pytest.mark.parametrize("name", ["mean", "cvar", "mean-cvar", "spectral", "var", "upper-var"])
def test_the_planner_attains_the_brute_force_optimum(name):
    for model, rng in small_models(f"plan {name}", MODELS_PER_OBJECTIVE):
        G, phi = objectives(rng)[name]
        plan = vr.exact_plan(as_mdp(model), G)
        best = max(phi(law) for law in oracles.all_return_laws(model))
        assert plan.value == best
        assert phi(dict(plan.law)) == best
