r"""One step of the budget recursion :math:`W_t(s, b) = \min_a \{ e_a + \mathbf E\, W_{t+1}(S', b - R) \}` on a window
of budgets.

Tables have one row per state; budget ``b`` is column ``margin + b``.  Columns left of ``margin`` repeat budget 0 (where
nothing is left to lose), so that ``b - r`` needs no test.  Rows of actions are in compressed form: the actions of state
s are ``action_start[s] .. action_start[s + 1]``, the successors of action i are ``succ_start[i] .. succ_start[i + 1]``,
and so on.  All terms are nonnegative; sums are plain loops, because the error bound (theory 05, A1, nonnegative
expressions) holds for every order of summation.  ``planning/tails/in_numpy.py`` has the same steps as operations on
whole arrays, in the same order of summation, for models too small to compile for.

Indices of inner loops are unsigned, because tests of signed ones for wrap-around prevent vectorisation.  Slices that
start at 0 would be counted references, a tenth of the time on rows of a few hundred budgets.
"""

from __future__ import annotations

import numpy as np
from numpy import uint64

from .jit import kernel


@kernel
def mix_rows(table, state, prob, first, last, start, width, out, shift):  # type: ignore[no-untyped-def]
    """Set ``out[shift + b] = sum_j prob[j] * table[state[j], start + b]``, ``first <= j < last``, for ``b < width``."""
    j, n, c, d = first, uint64(width), uint64(start), uint64(shift)
    if last - j >= 5:
        s0, s1, s2 = uint64(state[j]), uint64(state[j + 1]), uint64(state[j + 2])
        s3, s4 = uint64(state[j + 3]), uint64(state[j + 4])
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        for b in range(n):
            k = c + b
            out[d + b] = (
                p0 * table[s0, k] + p1 * table[s1, k] + p2 * table[s2, k] + p3 * table[s3, k] + p4 * table[s4, k]
            )
        j += 5
    elif last - j >= 3:
        s0, s1, s2 = uint64(state[j]), uint64(state[j + 1]), uint64(state[j + 2])
        p0, p1, p2 = prob[j], prob[j + 1], prob[j + 2]
        for b in range(n):
            k = c + b
            out[d + b] = p0 * table[s0, k] + p1 * table[s1, k] + p2 * table[s2, k]
        j += 3
    else:
        s0, p0 = uint64(state[j]), prob[j]
        for b in range(n):
            out[d + b] = p0 * table[s0, c + b]
        j += 1
    while j + 5 <= last:
        s0, s1, s2 = uint64(state[j]), uint64(state[j + 1]), uint64(state[j + 2])
        s3, s4 = uint64(state[j + 3]), uint64(state[j + 4])
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        for b in range(n):
            k = c + b
            out[d + b] += (
                p0 * table[s0, k] + p1 * table[s1, k] + p2 * table[s2, k] + p3 * table[s3, k] + p4 * table[s4, k]
            )
        j += 5
    while j < last:
        s0, p0 = uint64(state[j]), prob[j]
        for b in range(n):
            out[d + b] += p0 * table[s0, c + b]
        j += 1


@kernel
def up_to_three(origin, units, prob, first, last):  # type: ignore[no-untyped-def]
    """Return columns ``origin - units[k]`` and probabilities of up to three rewards, padded with probability 0."""
    k1, k2, p1, p2 = first, first, 0.0, 0.0
    if last - first > 1:
        k1, p1 = first + 1, prob[first + 1]
    if last - first > 2:
        k2, p2 = first + 2, prob[first + 2]
    return uint64(origin - units[first]), uint64(origin - units[k1]), uint64(origin - units[k2]), prob[first], p1, p2


@kernel
def reward_min(  # type: ignore[no-untyped-def]
    u, origin, units, prob, first, last, extra, action, width, q, now, s, start, policy
):
    """Compute ``x[b] = extra + sum_k prob[k] * u[origin - units[k] + b]``; keep it where it is less than ``now[s, start
    + b]`` (action 0: everywhere)."""
    k, n, row, d = first, uint64(width), uint64(s), uint64(start)
    byte = policy.dtype.type
    me = byte(action)
    for b in range(n):
        q[b] = extra
    while last - k > 3:
        c0, c1 = uint64(origin - units[k]), uint64(origin - units[k + 1])
        p0, p1 = prob[k], prob[k + 1]
        for b in range(n):
            q[b] += p0 * u[c0 + b] + p1 * u[c1 + b]
        k += 2
    c0, c1, c2, p0, p1, p2 = up_to_three(origin, units, prob, k, last)
    for b in range(n):
        y = q[b] + (p0 * u[c0 + b] + p1 * u[c1 + b] + p2 * u[c2 + b])
        less = action == 0 or y < now[row, d + b]
        policy[row, b] = me if less else policy[row, b]
        now[row, d + b] = y if less else now[row, d + b]


@kernel
def reward_min_pair(  # type: ignore[no-untyped-def]
    u, v, origin, units, prob, reward_start, i, extra, action, width, now, s, start, policy
):
    """Apply :func:`reward_min` to actions i (mixed in ``u``) and i + 1 (in ``v``), of at most three rewards each, in
    one sweep: ``now`` and ``policy`` are read and written once instead of twice."""
    n, row, d = uint64(width), uint64(s), uint64(start)
    c0, c1, c2, p0, p1, p2 = up_to_three(origin, units, prob, reward_start[i], reward_start[i + 1])
    d0, d1, d2, q0, q1, q2 = up_to_three(origin, units, prob, reward_start[i + 1], reward_start[i + 2])
    e, f = extra[i], extra[i + 1]
    byte = policy.dtype.type  # no wider than the stored type, or the sweep slows down
    first, then = byte(action), byte(action + 1)
    if action == 0:
        for b in range(n):
            x = p0 * u[c0 + b] + p1 * u[c1 + b] + p2 * u[c2 + b] + e
            y = q0 * v[d0 + b] + q1 * v[d1 + b] + q2 * v[d2 + b] + f
            less = y < x
            policy[row, b] = then if less else first
            now[row, d + b] = y if less else x
    else:
        for b in range(n):
            x = p0 * u[c0 + b] + p1 * u[c1 + b] + p2 * u[c2 + b] + e
            y = q0 * v[d0 + b] + q1 * v[d1 + b] + q2 * v[d2 + b] + f
            second = y < x
            z = y if second else x
            chosen = then if second else first
            less = z < now[row, d + b]
            policy[row, b] = chosen if less else policy[row, b]
            now[row, d + b] = z if less else now[row, d + b]


@kernel
def extend_left(u, low, span):  # type: ignore[no-untyped-def]
    """Make budgets below 0 repeat budget 0, which is at ``u[span]``."""
    for b in range(low, span):
        u[b] = u[span]


@kernel
def product_step(  # type: ignore[no-untyped-def]
    s_first, s_last, low, high, margin, span,
    action_start, succ_start, succ_state, succ_prob, reward_start, reward_units, reward_prob, extra,
    after, column, now, u, q, policy,
):  # fmt: skip
    """Compute budgets ``low..high`` of states ``s_first <= s < s_last`` of a product model: transitions first, then
    rewards (at most ``span`` units).  ``after[:, column]`` is the least budget met, ``max(low - span, 0)``."""
    width, start = high - low + 1, max(low - span, 0)
    mixed, origin = high - start + 1, span + low - start
    for s in range(s_first, s_last):
        i, last = action_start[s], action_start[s + 1]
        while i < last:
            mix_rows(after, succ_state, succ_prob, succ_start[i], succ_start[i + 1], column, mixed, u, span)
            extend_left(u, low, span)
            action, j = i - action_start[s], i + 1
            if j < last and reward_start[j] - reward_start[i] <= 3 and reward_start[j + 1] - reward_start[j] <= 3:
                mix_rows(after, succ_state, succ_prob, succ_start[j], succ_start[j + 1], column, mixed, q, span)
                extend_left(q, low, span)
                reward_min_pair(
                    u, q, origin, reward_units, reward_prob, reward_start, i, extra, action, width,
                    now, s, margin + low, policy,
                )  # fmt: skip
                i += 2
            else:
                reward_min(
                    u, origin, reward_units, reward_prob, reward_start[i], reward_start[j], extra[i], action, width, q,
                    now, s, margin + low, policy,
                )  # fmt: skip
                i += 1


@kernel
def joint_step(  # type: ignore[no-untyped-def]
    low, high, margin, action_start, succ_start, succ_state, succ_prob, succ_units, extra, after, now, q, policy
):
    """Compute budgets ``low..high`` of one step when reward and next state are drawn together: each outcome has its own
    shift."""
    n, origin = uint64(high - low + 1), margin + low
    d, byte = uint64(origin), policy.dtype.type
    for s in range(action_start.shape[0] - 1):
        row = uint64(s)
        for i in range(action_start[s], action_start[s + 1]):
            e = extra[i]
            for b in range(n):
                q[b] = e
            j, last = succ_start[i], succ_start[i + 1]
            while j + 4 <= last:
                s0, c0 = uint64(succ_state[j]), uint64(origin - succ_units[j])
                s1, c1 = uint64(succ_state[j + 1]), uint64(origin - succ_units[j + 1])
                s2, c2 = uint64(succ_state[j + 2]), uint64(origin - succ_units[j + 2])
                s3, c3 = uint64(succ_state[j + 3]), uint64(origin - succ_units[j + 3])
                p0, p1, p2, p3 = succ_prob[j], succ_prob[j + 1], succ_prob[j + 2], succ_prob[j + 3]
                for b in range(n):
                    q[b] += (
                        p0 * after[s0, c0 + b]
                        + p1 * after[s1, c1 + b]
                        + (p2 * after[s2, c2 + b] + p3 * after[s3, c3 + b])
                    )
                j += 4
            while j < last:
                s0, c0, p0 = uint64(succ_state[j]), uint64(origin - succ_units[j]), succ_prob[j]
                for b in range(n):
                    q[b] += p0 * after[s0, c0 + b]
                j += 1
            me = byte(i - action_start[s])
            if i == action_start[s]:
                for b in range(n):
                    now[row, d + b] = q[b]
                    policy[row, b] = me
            else:
                for b in range(n):
                    less = q[b] < now[row, d + b]
                    policy[row, b] = me if less else policy[row, b]
                    now[row, d + b] = q[b] if less else now[row, d + b]


@kernel
def linear_pass(block, action_start, succ_start, succ_state, succ_prob, extra, value, choice):  # type: ignore[no-untyped-def]
    """Compute ``value[t, s] = min_a { extra[a] + E value[t + 1, S'] }``, the recursion without budgets."""
    for t in range(block.shape[0] - 1, -1, -1):
        cost, after = extra[block[t]], value[t + 1]
        for s in range(action_start.shape[0] - 1):
            best = np.inf
            for i in range(action_start[s], action_start[s + 1]):
                total = cost[i]
                for j in range(succ_start[i], succ_start[i + 1]):
                    total += succ_prob[j] * after[succ_state[j]]
                if total < best:
                    best = total
                    choice[t, s] = i - action_start[s]
            value[t, s] = best


@kernel
def variance_pass(  # type: ignore[no-untyped-def]
    product, block, span, action_start, succ_start, succ_state, succ_prob, reward_units, reward_variance,
    value, choice, after, now,
):  # fmt: skip
    """Compute the variance of the return from step 0 under one action per step and state, by the law of total variance.

    ``value[t, s] = E[greatest - return]``, so one step's return deviates from its mean by
    ``value[t, s] - (span - r) - value[t + 1, s']``.
    """
    for t in range(block.shape[0] - 1, -1, -1):
        k = block[t]
        value_after = value[t + 1]
        for s in range(action_start.shape[0] - 1):
            i = action_start[s] + choice[t, s]
            total = 0.0
            if product:
                centre = 0.0
                for j in range(succ_start[i], succ_start[i + 1]):
                    centre += succ_prob[j] * value_after[succ_state[j]]
                for j in range(succ_start[i], succ_start[i + 1]):
                    d = value_after[succ_state[j]] - centre
                    total += succ_prob[j] * (d * d + after[succ_state[j]])
                total += reward_variance[k, i]
            else:
                for j in range(succ_start[i], succ_start[i + 1]):
                    d = value[t, s] - (span[k] - reward_units[k, j]) - value_after[succ_state[j]]
                    total += succ_prob[j] * (d * d + after[succ_state[j]])
            now[s] = total
        after, now = now, after
    return after
