"""Random models for the planner's tests, with and without steps that differ, and oracles that work another way."""

import importlib
import itertools
import pkgutil
import random
from fractions import Fraction

import numpy as np
import oracles

import verified_risk as vr
from verified_risk import planning
from verified_risk.planning.problem import Problem
from verified_risk.planning.routes import ROUTES


def plan_on_grid(mdp: vr.MDP, objective: vr.Weighting, eta, gap=None, seconds=None) -> vr.Plan:
    """By rounding rewards up to a grid, whatever other route would serve."""
    problem = Problem(mdp, objective, eta, gap, seconds)
    return next(route for route in ROUTES if "on a grid" in route.name and route.accepts(problem)).solve(problem)


def limit_memory(monkeypatch, bytes_allowed: int) -> None:
    """Set the memory limit of every part of the planner."""
    for found in pkgutil.walk_packages(planning.__path__, f"{planning.__name__}."):
        module = importlib.import_module(found.name)
        if hasattr(module, "memory_limit"):
            monkeypatch.setattr(module, "memory_limit", lambda: bytes_allowed)


def as_mdp(model: oracles.Model) -> vr.MDP:
    return vr.MDP.from_outcomes(model.outcomes, initial=model.initial, horizon=model.horizon, discount=model.discount)


def data_of(mdp: vr.MDP) -> oracles.Model:
    """The joint outcomes of a model, as data."""
    outcomes = [[list(action.outcomes) for action in mdp.actions(s)] for s in range(mdp.n_states)]
    return oracles.Model(dict(mdp.initial), outcomes, mdp.horizon, mdp.discount)


def product(rng: random.Random, *, max_states=3, max_actions=2, max_horizon=3, grids=(1, 2, 3, 4, 5)):
    """A model of the paper's form with ragged actions, ties, zero probabilities and (often) unreachable states."""
    n, horizon, grid = rng.randint(1, max_states), rng.randint(1, max_horizon), rng.choice(grids)
    discount = rng.choice([1, 1, 1, Fraction(1, 2), Fraction(9, 10)])

    def simplex(k):
        weights = [rng.choice([0, 1, 1, 2, 3]) for _ in range(k)]
        weights[rng.randrange(k)] += not any(weights)
        return [Fraction(w, sum(weights)) for w in weights]

    transitions, rewards, outcomes = [], [], []
    for _ in range(n):
        rows, laws, merged = [], [], []
        for _ in range(rng.randint(1, max_actions)):
            row = simplex(n)
            values = rng.sample(range(-1, grid + 1), rng.randint(1, min(3, grid + 1)))
            law = dict(zip([Fraction(v, grid) for v in values], simplex(len(values)), strict=True))
            rows.append(row)
            laws.append(law)
            merged.append([(p * q, s, r) for s, p in enumerate(row) for r, q in law.items()])
        transitions.append(rows)
        rewards.append(laws)
        outcomes.append(merged)
    initial = simplex(n)
    mdp = vr.MDP(initial, transitions, rewards, horizon, discount)
    return mdp, oracles.Model(dict(enumerate(initial)), outcomes, horizon, discount)


def small(seed, count, most=300, **sizes):
    """An MDP and its oracle data, joint and product forms in turn, with few enough policies to try them all."""
    rng = random.Random(seed)
    found = 0
    while found < count:
        if found % 2:
            mdp, model = product(rng, **sizes)
        else:
            model = oracles.random_model(rng, **sizes)
            mdp = as_mdp(model)
        if 1 < oracles.count_return_policies(model) <= most:
            found += 1
            yield mdp, model, rng


def tail_objectives(alpha: Fraction, w: Fraction):
    """Objectives by name, each with its value of a law as ``{return: probability}``."""
    return {
        "mean": (vr.Mean(), oracles.mean),
        "cvar": (vr.CVaR(alpha), lambda law: oracles.cvar(law, alpha)),
        "mean-cvar": (
            w * vr.Mean() + (1 - w) * vr.CVaR(alpha),
            lambda law: w * oracles.mean(law) + (1 - w) * oracles.cvar(law, alpha),
        ),
        "var": (vr.VaR(alpha), lambda law: oracles.quantile(law, alpha)),
    }


def law_by_playing(model: oracles.Model, policy: vr.Policy):
    """{return: probability}, walking every history of every part of the policy with the oracle's own numbers."""
    total: dict[Fraction, Fraction] = {}

    def walk(part, t, s, memory, z, p):
        if t == model.horizon:
            total[z] = total.get(z, Fraction()) + p
            return
        for a, q in part.choice(t, s, memory):
            for w, s2, r in model.outcomes[s][a]:
                if w and q:
                    after = part.remember(memory, t, s, a, r)
                    walk(part, t + 1, s2, after, z + model.discount**t * r, p * q * w)

    for share, part in policy.parts():
        for s, p in model.initial.items():
            if p:
                walk(part, 0, s, part.start(), Fraction(), share * p)
    return total


def occupancy_lp(model: oracles.Model):
    """The polytope of laws of the return: ``(returns, laws, A_eq, b_eq)`` over occupation measures x[t, s, y, a].

    ``laws`` maps x to the probabilities of the returns.
    """
    levels = oracles.reachable(model)
    keys = [(t, s, y, a) for t, level in enumerate(levels) for s, y in level for a in range(len(model.outcomes[s]))]
    column = {key: k for k, key in enumerate(keys)}
    cells = [(t, s, y) for t, level in enumerate(levels) for s, y in level]
    row = {cell: k for k, cell in enumerate(cells)}
    a_eq, b_eq = np.zeros((len(cells), len(keys))), np.zeros(len(cells))
    final: dict[Fraction, dict[int, float]] = {}
    for (t, s, y, a), k in column.items():
        a_eq[row[t, s, y], k] += 1
        for p, target, r in model.outcomes[s][a]:
            if p:
                y2 = y + model.discount**t * r
                if t + 1 < model.horizon:
                    a_eq[row[t + 1, target, y2], k] -= float(p)
                else:
                    final.setdefault(y2, {})[k] = final.get(y2, {}).get(k, 0.0) + float(p)
    for s, p in model.initial.items():
        if p:
            b_eq[row[0, s, Fraction()]] = float(p)
    returns = sorted(final)
    laws = np.zeros((len(returns), len(keys)))
    for i, z in enumerate(returns):
        for k, p in final[z].items():
            laws[i, k] = p
    return returns, laws, a_eq, b_eq


def lp_least_shortfall(model: oracles.Model, rho: Fraction) -> float:
    """min E (rho - Z)^+ by an LP over occupation measures."""
    from scipy.optimize import linprog

    returns, laws, a_eq, b_eq = occupancy_lp(model)
    cost = np.array([max(float(rho - z), 0.0) for z in returns]) @ laws
    result = linprog(cost, A_eq=a_eq, b_eq=b_eq, method="highs")
    assert result.status == 0
    return float(result.fun)


def lp_convex(model: oracles.Model, corners) -> float:
    """The optimum of a convex piecewise-linear weighting, ``top - sum of gaps * G(F_i)``: G is a maximum of lines."""
    from scipy.optimize import linprog

    returns, laws, a_eq, b_eq = occupancy_lp(model)
    n, m = laws.shape[1], len(returns) - 1
    if m == 0:
        return float(returns[0])
    gaps = np.array([float(b - a) for a, b in itertools.pairwise(returns)])
    rows, limits = [], []
    for (x, y), (u, v) in itertools.pairwise(corners):
        slope, height = float((v - y) / (u - x)), float(y - (v - y) / (u - x) * x)
        for i in range(m):  # slope * F_i + height <= t_i
            line = np.zeros(n + m)
            line[:n] = slope * laws[: i + 1].sum(axis=0)
            line[n + i] = -1
            rows.append(line)
            limits.append(-height)
    cost = np.concatenate([np.zeros(n), gaps])
    bounds = [(0, None)] * n + [(None, None)] * m
    result = linprog(
        cost, A_ub=np.array(rows), b_ub=limits, A_eq=np.hstack([a_eq, np.zeros((len(a_eq), m))]), b_eq=b_eq,
        bounds=bounds, method="highs",
    )  # fmt: skip
    assert result.status == 0
    return float(returns[-1]) - float(result.fun)


Q = Fraction


def random_steps(rng: random.Random):
    n, count = rng.randint(1, 2), rng.randint(1, 2)
    horizon = rng.randint(1, 3 if n * count < 4 else 2)

    def row():
        cuts = sorted(rng.randint(0, 4) for _ in range(n - 1))
        return [Q(b - a, 4) for a, b in itertools.pairwise([0, *cuts, 4])]

    P = [[[row() for _ in range(count)] for _ in range(n)] for _ in range(horizon)]
    R = [
        [[[Q(rng.randint(-2, 2), 2) for _ in range(n)] for _ in range(count)] for _ in range(n)] for _ in range(horizon)
    ]
    return P, R, [Q(rng.randint(-3, 3)) for _ in range(n)], row(), rng.choice([Q(1), Q(1, 2)])


def all_laws(P, R, terminal, gamma, t, s):
    """The laws of the return from step t on, of every deterministic policy that remembers everything."""
    if t == len(P):
        return [{gamma**t * terminal[s]: Q(1)}]
    found: dict[frozenset, dict] = {}
    for a, row in enumerate(P[t][s]):
        ways = [(p, target) for target, p in enumerate(row) if p]
        for chosen in itertools.product(*(all_laws(P, R, terminal, gamma, t + 1, target) for _, target in ways)):
            parts = [(p, gamma**t * R[t][s][a][k], after) for (p, k), after in zip(ways, chosen, strict=True)]
            law = oracles.added((pay + z, p * q) for p, pay, after in parts for z, q in after.items())
            found[frozenset(law.items())] = law
    return list(found.values())


def laws_from(initial, *model):
    starts = [(p, s) for s, p in enumerate(initial) if p]
    for chosen in itertools.product(*(all_laws(*model, 0, s) for _, s in starts)):
        masses = ((z, p * q) for (p, _), own in zip(starts, chosen, strict=True) for z, q in own.items())
        yield vr.Law.of_weights(oracles.added(masses))
