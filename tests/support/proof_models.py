"""Small random models for the verified checker, with plans whose certificates can be judged by brute force."""

import random
from fractions import Fraction

import oracles
from plan_models import as_mdp

import verified_risk as vr

OBJECTIVES = (
    "mean", "cvar(1/4)", "cvar(2/3)", "1/2*mean + 1/2*cvar(1/3)", "var(1/3)", "var(1/2, upper)",
    "1/2*cvar(1/5) + 1/2*cvar(1/2)", "pl(0, 0; 1/3, 0; 1, 1)", "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)",
)  # fmt: skip


def random_mdp(rng: random.Random, *, most_policies: int | None = None) -> vr.MDP:
    """Joint outcomes or product form, rewards of both signs, discounts, several initial states."""
    while True:
        drawn = oracles.random_model(rng, max_states=3, max_actions=3, max_horizon=3, product=rng.random() < 0.4)
        if most_policies is None or oracles.count_return_policies(drawn) <= most_policies:
            return as_mdp(drawn)


def random_plan(rng: random.Random, mdp: vr.MDP) -> vr.Plan:
    """By a route and an objective that are drawn; on the rewards' own grid, or on a coarser one."""
    objective = vr.objective(rng.choice(OBJECTIVES))
    if rng.random() < 0.4 and (objective.levels is not None or objective.quantile is not None):
        return vr.exact_plan(mdp, objective)
    eta = rng.choice([None, None, Fraction(1, 3), Fraction(2, 7)])
    return vr.plan(mdp, objective, eta=eta, time_limit=5)
