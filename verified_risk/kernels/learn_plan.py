r"""Planning inside the learner: the optimistic pair, the budget recursion, the utility recursion, the law of a policy.

A model is compressed: pair ``p`` (a state and one of its actions) leads to ``state[p, :length[p]]`` with
probabilities ``prob``, to :math:`s_\infty` with probability ``miss[p]``, and draws reward atom ``i`` with
probability ``reward[p, i]``.  Atom ``i`` at step ``t`` is worth ``units[t, i]``; ``top[t]`` is the most that steps
``t..T-1`` can pay, ``used[t]`` the most that steps ``0..t-1`` can. The state :math:`s_\infty` always pays the most,
so it needs no row: from step ``t`` it is worth exactly ``top[t]``.

Ties: an action replaces the best one so far only if it is better by more than ``tie``; hence rounding does not decide.
"""

# mypy: allow-untyped-calls, allow-untyped-defs, disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .jit import kernel


class Shape(NamedTuple):
    first: Any  # pairs of state s are first[s] .. first[s + 1]
    units: Any
    top: Any
    used: Any
    initial_state: Any
    initial_prob: Any


class Model(NamedTuple):
    length: Any
    state: Any
    prob: Any
    miss: Any
    reward: Any


class Counts(NamedTuple):
    visits: Any
    following: Any
    reward: Any


class Tables(NamedTuple):
    cost: Any  # W_t(s, b) at [t, s, b], 1 <= b <= top[t]
    mean: Any  # the best expected remaining return
    by_budget: Any  # the action of W_t(s, b)
    by_mean: Any
    moved: Any  # whether row (t, s) changed in the last pass
    policy: Any  # the action at (t, s, y), y in units
    gain: Any  # V_t(s, y) of the utility recursion
    mixed: Any  # scratch: one row
    actions: Any  # scratch: one row per action
    mass: Any  # scratch: two levels of a forward pass


@kernel
def radius_of(visits, log_term, scale):
    """A float at least ``scale * sqrt(log_term / 2 visits)``: three roundings are outweighed by the last factor."""
    return math.sqrt(log_term / (2.0 * visits)) * scale * (1.0 + 1e-15)


@kernel
def refresh_pair(p, s, counts, log_term, scale, model):
    r"""Rebuild pair ``p`` of state ``s`` from its counts; True if anything changed.

    .. math:: \hat P(s') = (N(s')/N - \epsilon)^+, \quad \hat P(s_\infty) = 1 - \sum_{s'} \hat P(s'), \quad
              \hat F(r) = (\tilde F(r) - \epsilon)^+ \text{ for } r < 1,

    and for ``N = 0`` all mass at :math:`s_\infty` and at reward 1.  With ``scale = 0`` there is no optimism: the
    empirical model, and a pair never tried pays the least reward and stays.
    """
    visits = counts.visits[p]
    last = model.reward.shape[1] - 1
    eps = 0.0
    if visits > 0 and scale > 0.0:
        eps = radius_of(visits, log_term, scale)
    changed = False
    n = 0
    total = 0.0
    if visits == 0 and scale == 0.0:
        n = 1
        total = 1.0
        changed = model.length[p] != 1 or model.state[p, 0] != s or model.prob[p, 0] != 1.0
        model.state[p, 0] = s
        model.prob[p, 0] = 1.0
    elif visits > 0:
        for target in range(model.state.shape[1]):
            count = counts.following[p, target]
            if count > 0:
                q = count / visits - eps
                if q > 0.0:
                    if model.state[p, n] != target or model.prob[p, n] != q:
                        changed = True
                    model.state[p, n] = target
                    model.prob[p, n] = q
                    total += q
                    n += 1
    if model.length[p] != n:
        changed = True
    model.length[p] = n
    miss = max(1.0 - total, 0.0) if scale > 0.0 else 0.0
    if model.miss[p] != miss:
        changed = True
    model.miss[p] = miss
    below = 0.0
    seen = 0
    for i in range(last):
        here = 0.0
        if visits > 0:
            seen += counts.reward[p, i]
            here = max(seen / visits - eps, 0.0)
        elif scale == 0.0:
            here = 1.0
        if model.reward[p, i] != here - below:
            changed = True
        model.reward[p, i] = here - below
        below = here
    if model.reward[p, last] != 1.0 - below:
        changed = True
    model.reward[p, last] = 1.0 - below
    return changed


@kernel
def add_rows(rows, state, prob, n, start, width, out):
    """``out[:width] += sum_j prob[j] * rows[state[j], start : start + width]``."""
    x = out[:width]
    j = 0
    while j + 5 <= n:
        v0 = rows[state[j], start : start + width]
        v1 = rows[state[j + 1], start : start + width]
        v2 = rows[state[j + 2], start : start + width]
        v3 = rows[state[j + 3], start : start + width]
        v4 = rows[state[j + 4], start : start + width]
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b] + p4 * v4[b]
        j += 5
    while j < n:
        v0 = rows[state[j], start : start + width]
        p0 = prob[j]
        for b in range(width):
            x[b] += p0 * v0[b]
        j += 1


@kernel
def add_shifts(row, origin, sign, units, prob, width, out):
    """``out[:width] = sum_i prob[i] * row[origin + sign * units[i] :]``."""
    x = out[:width]
    for b in range(width):
        x[b] = 0.0
    i = 0
    last = units.shape[0]
    while i < last and prob[i] == 0.0:
        i += 1
    while i + 4 <= last:
        c0, c1 = origin + sign * units[i], origin + sign * units[i + 1]
        c2, c3 = origin + sign * units[i + 2], origin + sign * units[i + 3]
        v0, v1 = row[c0 : c0 + width], row[c1 : c1 + width]
        v2, v3 = row[c2 : c2 + width], row[c3 : c3 + width]
        p0, p1, p2, p3 = prob[i], prob[i + 1], prob[i + 2], prob[i + 3]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b]
        i += 4
    while i < last:
        if prob[i] > 0.0:
            c0 = origin + sign * units[i]
            v0 = row[c0 : c0 + width]
            p0 = prob[i]
            for b in range(width):
                x[b] += p0 * v0[b]
        i += 1


@kernel
def mean_pass(shape, model, tables, tie):
    """``V_t(s) = max_a { E R + E V_{t+1}(S') }`` and its actions."""
    horizon, atoms = shape.units.shape
    n = shape.first.shape[0] - 1
    for t in range(horizon - 1, -1, -1):
        for s in range(n):
            best, choice = -1.0, 0
            for p in range(shape.first[s], shape.first[s + 1]):
                total = model.miss[p] * shape.top[t + 1]
                for j in range(model.length[p]):
                    total += model.prob[p, j] * tables.mean[t + 1, model.state[p, j]]
                for i in range(atoms):
                    total += model.reward[p, i] * shape.units[t, i]
                if p == shape.first[s] or total > best + tie:
                    best, choice = total, p - shape.first[s]
            tables.mean[t, s] = best
            tables.by_mean[t, s] = choice


@kernel
def row_is_stale(t, s, shape, model, tables, stale):
    for p in range(shape.first[s], shape.first[s + 1]):
        if stale[p]:
            return True
        for j in range(model.length[p]):
            if tables.moved[t + 1, model.state[p, j]]:
                return True
    return False


@kernel
def budget_pass(shape, model, tables, left, right, ceiling, tie, stale, everything):
    r"""``W_t(s, b) = min_a E W_{t+1}(S', b - R)`` for ``1 <= b <= top[t]``, and the mean recursion beside it.

    The terminal cost is ``left * b`` for ``b <= 0`` and ``right * b + ceiling`` for ``b > 0``.  Outside the window
    nothing is left to decide but the mean: ``W = left * (b - V)`` below, ``right * (b - V) + ceiling`` above.

    Only rows that can have changed are computed: those with a stale pair, or with a successor whose row moved.  All
    others would be computed from the same numbers in the same order, so the result is the same to the last bit.
    """
    horizon = shape.units.shape[0]
    atoms = shape.units.shape[1]
    pad = shape.units.max()
    n = shape.first.shape[0] - 1
    for t in range(horizon - 1, -1, -1):
        after, now = shape.top[t + 1], shape.top[t]
        u = tables.mixed
        for s in range(n):
            if not everything and not row_is_stale(t, s, shape, model, tables, stale):
                tables.moved[t, s] = False
                continue
            start = shape.first[s]
            count = shape.first[s + 1] - start
            best_mean, mean_choice = -1.0, 0
            for a in range(count):
                p = start + a
                miss = model.miss[p]
                length = model.length[p]
                following = miss * after
                for j in range(length):
                    following += model.prob[p, j] * tables.mean[t + 1, model.state[p, j]]
                for b in range(pad + 1):
                    u[b] = left * (b - pad - following)
                if after > 0:
                    x = u[pad + 1 : pad + 1 + after]
                    share = miss * left
                    for b in range(after):
                        x[b] = share * (b + 1 - after)
                    add_rows(tables.cost[t + 1], model.state[p], model.prob[p], length, 1, after, x)
                for b in range(after + 1, now + 1):
                    u[pad + b] = right * (b - following) + ceiling
                add_shifts(u, pad + 1, -1, shape.units[t], model.reward[p], now, tables.actions[a])
                for i in range(atoms):
                    following += model.reward[p, i] * shape.units[t, i]
                if a == 0 or following > best_mean + tie:
                    best_mean, mean_choice = following, a
            moved = everything or tables.mean[t, s] != best_mean
            tables.mean[t, s] = best_mean
            tables.by_mean[t, s] = mean_choice
            row, choice = tables.cost[t, s, 1 : now + 1], tables.by_budget[t, s, 1 : now + 1]
            best = tables.actions[0, :now]
            for b in range(now):
                choice[b] = 0
            for a in range(1, count):
                other = tables.actions[a, :now]
                for b in range(now):
                    better = other[b] < best[b] - tie
                    best[b] = other[b] if better else best[b]
                    choice[b] = a if better else choice[b]
            if not moved:
                for b in range(now):
                    if row[b] != best[b]:
                        moved = True
            for b in range(now):
                row[b] = best[b]
            tables.moved[t, s] = moved


@kernel
def initial_cost(shape, tables, left, b):
    """``E_D W_0(S, b)`` for ``0 <= b <= top[0]``."""
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        s = shape.initial_state[i]
        total += shape.initial_prob[i] * (tables.cost[0, s, b] if b > 0 else left * (b - tables.mean[0, s]))
    return total


@kernel
def set_policy_of_budget(shape, tables, rho):
    """The y-policy that plays ``W_t(s, rho - y)``; True if it differs from the one before."""
    horizon = shape.units.shape[0]
    changed = False
    for t in range(horizon):
        for s in range(shape.first.shape[0] - 1):
            row, beyond = tables.policy[t, s], tables.by_mean[t, s]
            first = min(max(rho - shape.top[t], 0), shape.used[t] + 1)  # budgets above the window, inside it, below it
            last = min(max(rho, first), shape.used[t] + 1)
            inside = tables.by_budget[t, s]
            for y in range(first):
                changed = changed or row[y] != beyond
                row[y] = beyond
            for y in range(first, last):
                changed = changed or row[y] != inside[rho - y]
                row[y] = inside[rho - y]
            for y in range(last, shape.used[t] + 1):
                changed = changed or row[y] != beyond
                row[y] = beyond
    return changed


@kernel
def utility_pass(shape, model, tables, utility, tie):
    """``V_t(s, y) = max_a E V_{t+1}(S', y + R)``, ``V_T(s, z) = utility[z]``; writes the policy, returns
    ``E_D V_0(S, 0)``.
    """
    horizon = shape.units.shape[0]
    n = shape.first.shape[0] - 1
    total = shape.top[0]
    for s in range(n):
        for z in range(total + 1):
            tables.gain[horizon, s, z] = utility[z]
    for t in range(horizon - 1, -1, -1):
        now, after = shape.used[t] + 1, shape.used[t + 1] + 1
        u = tables.mixed
        for s in range(n):
            start = shape.first[s]
            count = shape.first[s + 1] - start
            for a in range(count):
                p = start + a
                miss = model.miss[p]
                shifted = utility[shape.top[t + 1] : shape.top[t + 1] + after]
                for y in range(after):
                    u[y] = miss * shifted[y]
                add_rows(tables.gain[t + 1], model.state[p], model.prob[p], model.length[p], 0, after, u)
                add_shifts(u, 0, 1, shape.units[t], model.reward[p], now, tables.actions[a])
            for y in range(now):
                best, action = tables.actions[0, y], 0
                for a in range(1, count):
                    if tables.actions[a, y] > best + tie:
                        best, action = tables.actions[a, y], a
                tables.gain[t, s, y] = best
                tables.policy[t, s, y] = action
    value = 0.0
    for i in range(shape.initial_state.shape[0]):
        value += shape.initial_prob[i] * tables.gain[0, shape.initial_state[i], 0]
    return value


@kernel
def forward_law(shape, model, tables, policy, law):
    """The law of the return of a policy, in units: transitions after rewards, all terms nonnegative."""
    horizon = shape.units.shape[0]
    atoms = shape.units.shape[1]
    n = shape.first.shape[0] - 1
    mass, v = tables.mass, tables.mixed
    mass[:] = 0.0
    law[:] = 0.0
    for i in range(shape.initial_state.shape[0]):
        mass[0, shape.initial_state[i], 0] += shape.initial_prob[i]
    for t in range(horizon):
        here, there = mass[t % 2], mass[(t + 1) % 2]
        now, after = shape.used[t] + 1, shape.used[t + 1] + 1
        there[:, :after] = 0.0
        for s in range(n):
            start = shape.first[s]
            for a in range(shape.first[s + 1] - start):
                p = start + a
                met = False
                for y in range(now):
                    if here[s, y] > 0.0 and policy[t, s, y] == a:
                        if not met:
                            met = True
                            for z in range(after):
                                v[z] = 0.0
                        for i in range(atoms):
                            v[y + shape.units[t, i]] += here[s, y] * model.reward[p, i]
                if not met:
                    continue
                for j in range(model.length[p]):
                    q = model.prob[p, j]
                    out = there[model.state[p, j]]
                    for z in range(after):
                        out[z] += q * v[z]
                if model.miss[p] > 0.0:
                    beyond = law[shape.top[t + 1] : shape.top[t + 1] + after]
                    for z in range(after):
                        beyond[z] += model.miss[p] * v[z]
    here = mass[horizon % 2]
    for s in range(n):
        for z in range(law.shape[0]):
            law[z] += here[s, z]


@kernel
def weight_of(tau, knots, heights):
    """A piecewise-linear G at ``tau`` and its slope there (to the right of a corner, except at 1)."""
    if tau >= 1.0:
        last = knots.shape[0] - 1
        return 1.0, (heights[last] - heights[last - 1]) / (knots[last] - knots[last - 1])
    i = max(np.searchsorted(knots, tau, side="right"), 1)
    slope = (heights[i] - heights[i - 1]) / (knots[i] - knots[i - 1])
    return heights[i - 1] + slope * (tau - knots[i - 1]), slope


@kernel
def objective_of_law(law, knots, heights, slopes):
    """``top - sum_i G(F_i)``; ``slopes[i]`` receives ``G'(F_i)``."""
    value, level = 0.0, 0.0
    for i in range(law.shape[0] - 1):
        level += law[i]
        g, slope = weight_of(min(level, 1.0), knots, heights)
        slopes[i] = slope
        value += 1.0 - g
    return value
