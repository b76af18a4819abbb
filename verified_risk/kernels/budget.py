r"""One step of the budget recursion :math:`W_t(s, b) = \min_a \{ e_a + \mathbf E\, W_{t+1}(S', b - R) \}` on a window
of budgets.

Tables have one row per state; budget ``b`` is column ``margin + b``.  Columns left of ``margin`` repeat budget 0
(nothing is left to lose there), so that ``b - r`` never needs a test.  Rows of actions are in compressed form: the
actions of state s are ``action_start[s] .. action_start[s + 1]``, the successors of action i are ``succ_start[i] ..
succ_start[i + 1]``, and so on. All terms are nonnegative; sums are plain loops, because the error bound (docs/theory,
A1) holds for every order of summation.

The inner loops run over slices that start at 0: with offsets numba tests every index for wrap-around and does not
vectorise.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel


@kernel
def mix_rows(table, state, prob, first, last, start, width, out):  # type: ignore[no-untyped-def]
    """``out[:width] = sum_j prob[j] * table[state[j], start : start + width]`` over ``first <= j < last``."""
    x = out[:width]
    j = first
    if last - j >= 10:
        v0 = table[state[j], start : start + width]
        v1 = table[state[j + 1], start : start + width]
        v2 = table[state[j + 2], start : start + width]
        v3 = table[state[j + 3], start : start + width]
        v4 = table[state[j + 4], start : start + width]
        v5 = table[state[j + 5], start : start + width]
        v6 = table[state[j + 6], start : start + width]
        v7 = table[state[j + 7], start : start + width]
        v8 = table[state[j + 8], start : start + width]
        v9 = table[state[j + 9], start : start + width]
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        p5, p6, p7, p8, p9 = prob[j + 5], prob[j + 6], prob[j + 7], prob[j + 8], prob[j + 9]
        for b in range(width):
            x[b] = (p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b] + p4 * v4[b]) + (
                p5 * v5[b] + p6 * v6[b] + p7 * v7[b] + p8 * v8[b] + p9 * v9[b]
            )
        j += 10
    elif last - j >= 5:
        v0 = table[state[j], start : start + width]
        v1 = table[state[j + 1], start : start + width]
        v2 = table[state[j + 2], start : start + width]
        v3 = table[state[j + 3], start : start + width]
        v4 = table[state[j + 4], start : start + width]
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        for b in range(width):
            x[b] = p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b] + p4 * v4[b]
        j += 5
    elif last - j >= 3:
        v0 = table[state[j], start : start + width]
        v1 = table[state[j + 1], start : start + width]
        v2 = table[state[j + 2], start : start + width]
        p0, p1, p2 = prob[j], prob[j + 1], prob[j + 2]
        for b in range(width):
            x[b] = p0 * v0[b] + p1 * v1[b] + p2 * v2[b]
        j += 3
    else:
        v0 = table[state[j], start : start + width]
        p0 = prob[j]
        for b in range(width):
            x[b] = p0 * v0[b]
        j += 1
    while j + 5 <= last:
        v0 = table[state[j], start : start + width]
        v1 = table[state[j + 1], start : start + width]
        v2 = table[state[j + 2], start : start + width]
        v3 = table[state[j + 3], start : start + width]
        v4 = table[state[j + 4], start : start + width]
        p0, p1, p2, p3, p4 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3], prob[j + 4]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b] + p4 * v4[b]
        j += 5
    while j + 2 <= last:
        v0 = table[state[j], start : start + width]
        v1 = table[state[j + 1], start : start + width]
        p0, p1 = prob[j], prob[j + 1]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b]
        j += 2
    if j < last:
        v0 = table[state[j], start : start + width]
        p0 = prob[j]
        for b in range(width):
            x[b] += p0 * v0[b]


@kernel
def reward_min(u, origin, units, prob, first, last, extra, action, width, q, out, choice):  # type: ignore[no-untyped-def]
    """``x[b] = extra + sum_k prob[k] * u[origin - units[k] + b]``; keep it where it is less than ``out`` (action 0:
    everywhere)."""
    k = first
    x = q[:width]
    if last - k > 3:
        for b in range(width):
            x[b] = extra
    while last - k > 3:
        u0 = u[origin - units[k] : origin - units[k] + width]
        u1 = u[origin - units[k + 1] : origin - units[k + 1] + width]
        p0, p1 = prob[k], prob[k + 1]
        for b in range(width):
            x[b] += p0 * u0[b] + p1 * u1[b]
        k += 2
    started = k > first
    u0 = u[origin - units[k] : origin - units[k] + width]
    p0 = prob[k]
    u1, u2, p1, p2 = u0, u0, 0.0, 0.0
    if last - k > 1:
        u1 = u[origin - units[k + 1] : origin - units[k + 1] + width]
        p1 = prob[k + 1]
    if last - k > 2:
        u2 = u[origin - units[k + 2] : origin - units[k + 2] + width]
        p2 = prob[k + 2]
    o, best = out[:width], choice[:width]
    if started:
        for b in range(width):
            x[b] += p0 * u0[b] + p1 * u1[b] + p2 * u2[b]
        if action == 0:
            for b in range(width):
                o[b] = x[b]
                best[b] = 0
        else:
            for b in range(width):
                less = x[b] < o[b]
                best[b] = action if less else best[b]
                o[b] = x[b] if less else o[b]
    elif action == 0:
        for b in range(width):
            o[b] = p0 * u0[b] + p1 * u1[b] + p2 * u2[b] + extra
            best[b] = 0
    else:
        for b in range(width):
            y = p0 * u0[b] + p1 * u1[b] + p2 * u2[b] + extra
            less = y < o[b]
            best[b] = action if less else best[b]
            o[b] = y if less else o[b]


@kernel
def product_step(  # type: ignore[no-untyped-def]
    low, high, margin, span,
    action_start, succ_start, succ_state, succ_prob, reward_start, reward_units, reward_prob, extra,
    after, now, u, q, policy,
):  # fmt: skip
    """Budgets ``low..high`` of one step of a product model: transitions first, then rewards (at most ``span``
    units)."""
    width = high - low + 1
    start = max(low - span, 0)
    mixed = high - start + 1
    for s in range(action_start.shape[0] - 1):
        out = now[s, margin + low : margin + high + 1]
        choice = policy[s]
        for i in range(action_start[s], action_start[s + 1]):
            mix_rows(after, succ_state, succ_prob, succ_start[i], succ_start[i + 1], margin + start, mixed, u[span:])
            if low < span:
                for b in range(span - low):
                    u[low + b] = u[span]
            reward_min(
                u, span + low - start, reward_units, reward_prob, reward_start[i], reward_start[i + 1], extra[i],
                i - action_start[s], width, q, out, choice,
            )  # fmt: skip


@kernel
def joint_step(  # type: ignore[no-untyped-def]
    low, high, margin, action_start, succ_start, succ_state, succ_prob, succ_units, extra, after, now, q, policy
):
    """Budgets ``low..high`` of one step when reward and next state are drawn together: each outcome has its own
    shift."""
    width = high - low + 1
    x = q[:width]
    origin = margin + low
    for s in range(action_start.shape[0] - 1):
        out = now[s, margin + low : margin + high + 1]
        choice = policy[s, :width]
        for i in range(action_start[s], action_start[s + 1]):
            e = extra[i]
            for b in range(width):
                x[b] = e
            j, last = succ_start[i], succ_start[i + 1]
            while j + 4 <= last:
                c0, c1 = origin - succ_units[j], origin - succ_units[j + 1]
                c2, c3 = origin - succ_units[j + 2], origin - succ_units[j + 3]
                v0 = after[succ_state[j], c0 : c0 + width]
                v1 = after[succ_state[j + 1], c1 : c1 + width]
                v2 = after[succ_state[j + 2], c2 : c2 + width]
                v3 = after[succ_state[j + 3], c3 : c3 + width]
                p0, p1, p2, p3 = succ_prob[j], succ_prob[j + 1], succ_prob[j + 2], succ_prob[j + 3]
                for b in range(width):
                    x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b]
                j += 4
            while j < last:
                c0 = origin - succ_units[j]
                v0 = after[succ_state[j], c0 : c0 + width]
                p0 = succ_prob[j]
                for b in range(width):
                    x[b] += p0 * v0[b]
                j += 1
            action = i - action_start[s]
            if action == 0:
                for b in range(width):
                    out[b] = x[b]
                    choice[b] = 0
            else:
                for b in range(width):
                    less = x[b] < out[b]
                    choice[b] = action if less else choice[b]
                    out[b] = x[b] if less else out[b]


@kernel
def reward_chunk(  # type: ignore[no-untyped-def]
    low, high, margin, span, s_first, s_last,
    action_start, reward_start, reward_units, reward_prob, extra, mixed, now, u, q, policy,
):  # fmt: skip
    """The rewards of states ``s_first..s_last`` after BLAS has mixed the successors.

    ``mixed[i - action_start[s_first]]`` holds budgets ``max(low - span, 0)..high`` of action i.
    """
    width = high - low + 1
    start = max(low - span, 0)
    base = action_start[s_first]
    for s in range(s_first, s_last):
        out = now[s, margin + low : margin + high + 1]
        for i in range(action_start[s], action_start[s + 1]):
            row = mixed[i - base]
            x = u[span : span + high - start + 1]
            for b in range(high - start + 1):
                x[b] = row[b]
            if low < span:
                for b in range(span - low):
                    u[low + b] = u[span]
            reward_min(
                u, span + low - start, reward_units, reward_prob, reward_start[i], reward_start[i + 1], extra[i],
                i - action_start[s], width, q, out, policy[s],
            )  # fmt: skip


@kernel
def finish_step(low, high, reach, margin, slope, ceiling, left, now):  # type: ignore[no-untyped-def]
    """Fill what the next step reads outside ``low..high``: ``left`` from budget 0 down, then budgets up to ``reach``.

    Right of the greatest remaining return the table continues with ``slope`` per unit from its last value, or, for
    ``slope = 0``, at ``ceiling``.
    """
    for s in range(now.shape[0]):
        row = now[s]
        if low == 1:
            for b in range(margin + 1):
                row[b] = left[s]
        last = row[margin + high]
        for b in range(high + 1, reach + 1):
            row[margin + b] = last + slope * (b - high) if slope > 0.0 else ceiling


@kernel
def linear_step(action_start, succ_start, succ_state, succ_prob, extra, after, now, choice):  # type: ignore[no-untyped-def]
    """``now[s] = min_a { extra[a] + E after[S'] }``: the recursion where it no longer depends on the budget."""
    for s in range(action_start.shape[0] - 1):
        best = np.inf
        for i in range(action_start[s], action_start[s + 1]):
            total = extra[i]
            for j in range(succ_start[i], succ_start[i + 1]):
                total += succ_prob[j] * after[succ_state[j]]
            if total < best:
                best = total
                choice[s] = i - action_start[s]
        now[s] = best


@kernel
def variance_step(  # type: ignore[no-untyped-def]
    product, action_start, succ_start, succ_state, succ_prob, units, reward_variance, span,
    value_after, value, choice, after, now,
):  # fmt: skip
    """The variance of the remaining return under one action per state.

    ``value[s] = E[greatest - return]``, so one step's return deviates from its mean by
    ``value[s] - (span - r) - value_after[s']``.
    """
    for s in range(action_start.shape[0] - 1):
        i = action_start[s] + choice[s]
        first, last = succ_start[i], succ_start[i + 1]
        total = 0.0
        if product:
            centre = 0.0
            for j in range(first, last):
                centre += succ_prob[j] * value_after[succ_state[j]]
            for j in range(first, last):
                d = value_after[succ_state[j]] - centre
                total += succ_prob[j] * (d * d + after[succ_state[j]])
            total += reward_variance[i]
        else:
            for j in range(first, last):
                d = value[s] - (span - units[j]) - value_after[succ_state[j]]
                total += succ_prob[j] * (d * d + after[succ_state[j]])
        now[s] = total
