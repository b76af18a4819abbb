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

On an interpolated table column ``margin + b`` is node b, and columns left of ``margin`` repeat the value of budgets
below 0.  A reward of ``units + share`` units moves budget b between the nodes ``b - units - 1`` and ``b - units``,
which are mixed with weights ``share`` and ``1 - share``.  See :mod:`verified_risk.planning.tails.interpolated_tables`.
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


@kernel
def add_outcome(row, s, origin, share, prob, n, sign, i, q, d):  # type: ignore[no-untyped-def]
    """Add one outcome to ``q[i, b]``, b = 0..n-1, and to ``d[i, b]`` a bound on how far the chord over ``[b, b + 1]``
    is above (sign 1) or below (sign -1) the outcome's line, which bends once there.  ``row[s, origin + b]`` is node ``b
    - units``."""
    k, c, m, j = uint64(s), uint64(origin), uint64(n), uint64(i)
    before, after = uint64(origin - 1), uint64(origin + 1)
    p, x = prob * (1.0 - share), prob * share
    if share == 0.0:
        for b in range(m):
            q[j, b] += prob * row[k, c + b]
        return
    bend = x * (1.0 - share)
    for b in range(m):
        here, left = row[k, c + b], row[k, before + b]
        q[j, b] += p * here + x * left
        d[j, b] += bend * max(sign * (left - 2.0 * here + row[k, after + b]), 0.0)


@kernel
def lower_nodes(actions, n, q, d, now, s, margin):  # type: ignore[no-untyped-def]
    """Set ``now[s, b] = min_a q[a, b] - max(d[a, b - 1], d[a, b])``; every chord is then below every action's line."""
    row, first = uint64(s), uint64(margin)
    for i in range(actions):
        for b in range(n):
            y = q[i, b] - (max(d[i, b - 1], d[i, b]) if b else d[i, b])
            if i == 0 or y < now[row, first + b]:
                now[row, first + b] = y


@kernel
def upper_nodes(actions, n, q, d, now, s, margin, choice, best):  # type: ignore[no-untyped-def]
    """Choose for each cell the action that raises its nodes least; every chord is then above that action's line."""
    row, first = uint64(s), uint64(margin)
    kind = choice.dtype.type
    for i in range(actions):
        me = kind(i)
        for b in range(n - 1):
            y = q[i, b] + q[i, b + 1] + 2.0 * d[i, b]
            less = i == 0 or y < best[b]
            best[b] = y if less else best[b]
            choice[row, b] = me if less else choice[row, b]
        y = q[i, n - 1]
        if i == 0 or y < best[n - 1]:
            best[n - 1] = y
            choice[row, n - 1] = me
    for b in range(n):
        i = choice[row, b]
        now[row, first + b] = q[i, b] + (d[i, b] if b < n - 1 else 0.0)
    for b in range(n - 1, 0, -1):
        i = choice[row, b - 1]
        now[row, first + b] = max(now[row, first + b], q[i, b] + d[i, b - 1])


@kernel
def interpolated_step(  # type: ignore[no-untyped-def]
    s_first, s_last, product, lower, top, span, margin, action_start, succ_start, succ_state, succ_prob,
    reward_start, reward_prob, units, share, extra, after, now, choice, u, q, d, best,
):  # fmt: skip
    """Compute nodes ``0..top`` of states ``s_first <= s < s_last``."""
    n = top + 1
    sign = 1.0 if lower else -1.0
    for s in range(s_first, s_last):
        for i in range(action_start[s], action_start[s + 1]):
            a = i - action_start[s]
            for b in range(n):
                q[a, b] = extra[i]
                d[a, b] = 0.0
            if product:
                start = margin - span - 1  # nodes -span-1 .. top+1
                mix_rows(
                    after, succ_state, succ_prob, succ_start[i], succ_start[i + 1], start, top + span + 3, u[0], start
                )
                for k in range(reward_start[i], reward_start[i + 1]):
                    add_outcome(u, 0, margin - units[k], share[k], reward_prob[k], n, sign, a, q, d)
            else:
                for k in range(succ_start[i], succ_start[i + 1]):
                    add_outcome(after, succ_state[k], margin - units[k], share[k], succ_prob[k], n, sign, a, q, d)
        actions = action_start[s + 1] - action_start[s]
        if lower:
            lower_nodes(actions, n, q, d, now, s, margin)
        else:
            upper_nodes(actions, n, q, d, now, s, margin, choice, best)


@kernel
def finish(lower, top, reach, margin, shift, left, factor, now, q):  # type: ignore[no-untyped-def]
    """Move every node by ``shift``, keep every ``factor``-th one in the units of the coarser grid, and fill in what the
    next step reads: ``left`` (already in those units) below node 0, slope 1 from the last node to ``reach``.

    A lower bound must stay below every dropped value, an upper bound above it: a kept node is moved by as much as the
    chord to a neighbour is on the wrong side of a value between them.
    """
    sign = 1.0 if lower else -1.0
    coarse = (top + factor - 1) // factor
    for s in range(now.shape[0]):
        row = now[s]
        for b in range(top + 1):
            row[margin + b] += shift
        for b in range(top + 1, coarse * factor + 1):
            row[margin + b] = row[margin + top] + (b - top)
        if factor > 1:
            for k in range(coarse + 1):
                q[k] = 0.0
            for k in range(coarse):
                x, y = row[margin + k * factor], row[margin + (k + 1) * factor]
                for j in range(1, factor):
                    wrong = sign * (x + (y - x) * (j / factor) - row[margin + k * factor + j])
                    q[k] = max(q[k], wrong)
            for k in range(coarse, 0, -1):
                q[k] = max(q[k - 1], q[k])
            for k in range(coarse + 1):
                row[margin + k] = (row[margin + k * factor] - sign * q[k]) / factor
        for b in range(coarse + 1, reach + 1):
            row[margin + b] = row[margin + coarse] + (b - coarse)
        for b in range(margin):
            row[b] = left[s]
