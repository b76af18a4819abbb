r"""Whole episodes of a learner: count, rebuild the optimistic model, plan, play.

Random numbers are an argument: row ``k`` of ``draws`` drives episode ``k`` (the initial state, then reward and next
state of each step), so a run depends on its seed and on nothing else.
"""

# mypy: allow-untyped-calls, allow-untyped-defs, disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any, NamedTuple

from .jit import kernel
from .learn_plan import (
    budget_pass,
    forward_law,
    initial_cost,
    mean_pass,
    objective_of_law,
    refresh_pair,
    set_policy_of_budget,
    utility_pass,
)

MEAN, TAIL, QUANTILE, CURVE, UCBVI = range(5)
MOST_ASCENTS = 40


class Target(NamedTuple):
    """What to maximise and how."""

    kind: int
    left: float  # slopes of the terminal cost (TAIL)
    right: float
    threshold: float  # QUANTILE: the largest rho with W_0(rho) below it
    knots: Any  # corners of G (CURVE)
    heights: Any
    levels: Any  # G as a mixture of CVaRs (CURVE, concave): levels below 1, their weights, the weight of the mean
    weights: Any
    mean_weight: float
    concave: bool
    log_term: float
    scale: float  # multiplies the radii; 0 for no optimism
    unit_per_reward: float  # how many units a reward of 1 is
    tie: float


class Ascent(NamedTuple):
    """Memory of the utility ascent: the utility of the last plan, and scratch."""

    utility: Any
    best: Any
    law: Any
    slopes: Any


class Sampler(NamedTuple):
    """Cumulative probabilities of the true model."""

    initial: Any
    following: Any
    reward: Any


@kernel
def set_markov_policy(shape, tables):
    """Play ``by_mean`` whatever the return so far; True if that differs from the policy before."""
    changed = False
    for t in range(shape.units.shape[0]):
        for s in range(shape.first.shape[0] - 1):
            for y in range(shape.used[t] + 1):
                if tables.policy[t, s, y] != tables.by_mean[t, s]:
                    tables.policy[t, s, y] = tables.by_mean[t, s]
                    changed = True
    return changed


@kernel
def mean_of_start(shape, tables):
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        total += shape.initial_prob[i] * tables.mean[0, shape.initial_state[i]]
    return total


@kernel
def ucbvi_pass(shape, counts, tables, quality, target):
    r"""Azar, Osband and Munos 2017 with their Hoeffding bonus :math:`7 H L / \sqrt{N}`; values never exceed H or the
    last ones.

    ``quality[t, p]`` is kept from episode to episode; the mean reward, known there, is estimated here.
    """
    horizon, atoms = shape.units.shape
    most = horizon * target.unit_per_reward
    for t in range(horizon - 1, -1, -1):
        for s in range(shape.first.shape[0] - 1):
            best, choice = -1.0, 0
            for p in range(shape.first[s], shape.first[s + 1]):
                visits = counts.visits[p]
                if visits > 0:
                    total = 0.0
                    for i in range(atoms):
                        total += counts.reward[p, i] * shape.units[t, i]
                    for j in range(counts.following.shape[1]):
                        if counts.following[p, j] > 0:
                            total += counts.following[p, j] * tables.mean[t + 1, j]
                    bonus = 7.0 * most * target.log_term * target.scale / math.sqrt(visits)
                    quality[t, p] = min(quality[t, p], total / visits + bonus)
                if p == shape.first[s] or quality[t, p] > best + target.tie:
                    best, choice = quality[t, p], p - shape.first[s]
            tables.mean[t, s] = best
            tables.by_mean[t, s] = choice


@kernel
def best_budget(shape, tables, target):
    """The least rho that maximises ``rho - E_D W_0(S, rho)`` up to ties, and the maximum."""
    rho, best = 0, -initial_cost(shape, tables, target.left, 0)
    for b in range(1, shape.top[0] + 1):
        score = b - initial_cost(shape, tables, target.left, b)
        if score > best + target.tie:
            rho, best = b, score
    return rho, best


@kernel
def best_quantile(shape, tables, target):
    """The largest rho that some policy falls short of with probability below the threshold."""
    for b in range(shape.top[0], 0, -1):
        if initial_cost(shape, tables, 0.0, b) < target.threshold:
            return b
    return 0


@kernel
def ascend(shape, model, tables, target, ascent):
    r"""Local search for general G: repeat ``u' = G'(F)``, the best policy for ``E u(Z)``, its law F.

    Starts: the last utility found, the mean, and three hinges ``min(z, theta)``.  Leaves in ``tables.policy`` the
    greedy policy of the best utility and returns its worth: for concave G the value of the linearisation, a lower
    bound on the objective of that policy (and equal to it at a fixed point); for other G the objective itself.
    """
    top = shape.top[0]
    best = -1.0
    trial = ascent.slopes[1]
    for start in range(5):
        for z in range(top + 1):
            if start == 0:
                trial[z] = ascent.utility[z]
            elif start == 1:
                trial[z] = z
            else:
                trial[z] = min(z, (start - 1) * top / 4.0)
        utility_pass(shape, model, tables, trial, target.tie)
        forward_law(shape, model, tables, tables.policy, ascent.law)
        worth = objective_of_law(ascent.law, target.knots, target.heights, ascent.slopes[0])
        if not target.concave and worth > best + target.tie:
            best = worth
            ascent.best[:] = trial
        for _ in range(MOST_ASCENTS):
            level, tangent = 0.0, 0.0
            trial[0] = 0.0
            for z in range(top):
                level += ascent.law[z]
                tangent += ascent.slopes[0, z] * (1.0 - min(level, 1.0))
                trial[z + 1] = trial[z] + ascent.slopes[0, z]
            linear = worth + utility_pass(shape, model, tables, trial, target.tie) - tangent
            forward_law(shape, model, tables, tables.policy, ascent.law)
            reached = objective_of_law(ascent.law, target.knots, target.heights, ascent.slopes[0])
            found = linear if target.concave else reached
            if found > best + target.tie:
                best = found
                ascent.best[:] = trial
            if reached <= worth + 1e-9 * top:
                break
            worth = reached
    ascent.utility[:] = ascent.best
    utility_pass(shape, model, tables, ascent.best, target.tie)
    return best


@kernel
def curve_bound(shape, tables, target):
    r"""A value that no policy exceeds, from one budget pass.

    Concave G: each CVaR level at its own optimum.  Any other: ``top - sum_i G(min P(Z <= i))``, every point of the
    CDF at its own.
    """
    top = shape.top[0]
    if not target.concave:
        total = 0.0
        for i in range(top):
            level = min(max(initial_cost(shape, tables, 0.0, i + 1), 0.0), 1.0)
            j = 1
            while j < target.knots.shape[0] - 1 and target.knots[j] < level:
                j += 1
            slope = (target.heights[j] - target.heights[j - 1]) / (target.knots[j] - target.knots[j - 1])
            total += 1.0 - (target.heights[j - 1] + slope * (level - target.knots[j - 1]))
        return total
    total = target.mean_weight * mean_of_start(shape, tables)
    for j in range(target.levels.shape[0]):
        best = 0.0
        for b in range(1, top + 1):
            best = max(best, b - initial_cost(shape, tables, 0.0, b) / target.levels[j])
        total += target.weights[j] * best
    return total


@kernel
def refresh(shape, counts, model, target, touched, stale):
    """Rebuild the pairs that were played; True if the model changed."""
    changed = False
    for s in range(shape.first.shape[0] - 1):
        for p in range(shape.first[s], shape.first[s + 1]):
            stale[p] = False
            if touched[p]:
                stale[p] = refresh_pair(p, s, counts, target.log_term, target.scale, model)
                changed = changed or stale[p]
                touched[p] = False
    return changed


@kernel
def plan_curve(shape, model, tables, target, ascent, stale, everything):
    """Plan for a general G; returns (value, upper bound on the best value)."""
    if target.concave:
        budget_pass(shape, model, tables, 0.0, 1.0, 0.0, target.tie, stale, everything)
    else:
        budget_pass(shape, model, tables, 0.0, 0.0, 1.0, target.tie, stale, everything)
    value = ascend(shape, model, tables, target, ascent)
    return value, curve_bound(shape, tables, target)


@kernel
def first_above(cumulative, u):
    i = 0
    while u >= cumulative[i]:
        i += 1
    return i


@kernel
def play(shape, truth, sampler, tables, draws, states, actions, rewards):
    """One episode in the true model: ``states[T + 1]``, ``actions[T]``, reward atoms ``rewards[T]``; returns the
    return in units.
    """
    s = shape.initial_state[first_above(sampler.initial, draws[0])]
    states[0] = s
    y = 0
    for t in range(shape.units.shape[0]):
        a = tables.policy[t, s, y]
        p = shape.first[s] + a
        atom = first_above(sampler.reward[p], draws[1 + 2 * t])
        s = truth.state[p, first_above(sampler.following[p], draws[2 + 2 * t])]
        y += shape.units[t, atom]
        states[t + 1], actions[t], rewards[t] = s, a, atom
    return y


@kernel
def count(shape, counts, states, actions, rewards, touched):
    for t in range(actions.shape[0]):
        p = shape.first[states[t]] + actions[t]
        counts.visits[p] += 1
        counts.following[p, states[t + 1]] += 1
        counts.reward[p, rewards[t]] += 1
        touched[p] = True


@kernel
def differs(shape, policy, other):
    for t in range(shape.units.shape[0]):
        for s in range(shape.first.shape[0] - 1):
            for y in range(shape.used[t] + 1):
                if policy[t, s, y] != other[t, s, y]:
                    return True
    return False


@kernel
def episodes(
    shape, truth, sampler, model, counts, tables, target, quality, touched, stale, fresh, planning, playing,
    draws, values, returns, law_index, laws, last_policy, states, actions, rewards,
):  # fmt: skip
    """One episode per row of ``draws``: plan (if ``planning``), play and count (if ``playing``).

    ``laws`` receives the law of the return, in the true model, of every policy that differs from the one before it;
    ``law_index[k]`` is the row of episode k's policy, -1 for the policy the call began with.  An empty ``laws`` turns
    evaluation off; a full one ends the call early.  ``values[0]`` holds the last value on entry, in case nothing
    changed. Returns (episodes done, laws found).
    """
    found, current = 0, -1
    value = values[0]
    evaluating = laws.shape[0] > 0
    for k in range(draws.shape[0]):
        changed = planning and refresh(shape, counts, model, target, touched, stale)
        if planning and (changed or fresh or target.kind == UCBVI):
            if target.kind == UCBVI or target.kind == MEAN:
                if target.kind == UCBVI:
                    ucbvi_pass(shape, counts, tables, quality, target)
                else:
                    mean_pass(shape, model, tables, target.tie)
                moved = set_markov_policy(shape, tables)
                value = mean_of_start(shape, tables)
            else:
                quantile = target.kind == QUANTILE
                ceiling = 1.0 if quantile else 0.0
                budget_pass(shape, model, tables, target.left, target.right, ceiling, target.tie, stale, fresh)
                if quantile:
                    rho = best_quantile(shape, tables, target)
                    value = float(rho)
                else:
                    rho, value = best_budget(shape, tables, target)
                moved = set_policy_of_budget(shape, tables, rho)
            if evaluating and (fresh or (moved and differs(shape, tables.policy, last_policy))):
                last_policy[:] = tables.policy
                forward_law(shape, truth, tables, tables.policy, laws[found])
                current = found
                found += 1
            fresh = False
        values[k] = value
        if evaluating:
            law_index[k] = current
        if playing:
            returns[k] = play(shape, truth, sampler, tables, draws[k], states[k], actions[k], rewards[k])
            count(shape, counts, states[k], actions[k], rewards[k], touched)
        if evaluating and found == laws.shape[0]:
            return k + 1, found
    return draws.shape[0], found
