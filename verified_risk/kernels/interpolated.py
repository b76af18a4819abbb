r"""One step of the budget recursion on a table that is read between its nodes.

Tables have one row per state; node b is column ``margin + b``, columns left of ``margin`` repeat what budgets below 0
are worth.  A reward of ``units + share`` units moves budget b between the nodes ``b - units - 1`` and ``b - units``,
which are mixed with weights ``share`` and ``1 - share``.  See :mod:`verified_risk.planning.tails.interpolated`.
"""

from __future__ import annotations

import numpy as np
from numpy import uint64

from .budget import mix_rows
from .jit import kernel


@kernel
def add_reward(row, s, origin, share, prob, n, lower, q, d):  # type: ignore[no-untyped-def]
    """Add one outcome to ``q[b]``, b = 0..n-1, and, for a lower bound, to ``d[b]``: by how much the chord over
    ``[b, b + 1]`` can exceed the outcome's piecewise linear function.  ``row[s, origin + b]`` is node ``b - units``."""
    k, c, m = uint64(s), uint64(origin), uint64(n)
    before = uint64(origin - 1)
    after = uint64(origin + 1)
    p, x = prob * (1.0 - share), prob * share
    if share == 0.0:
        for b in range(m):
            q[b] += prob * row[k, c + b]
    elif not lower:
        for b in range(m):
            q[b] += p * row[k, c + b] + x * row[k, before + b]
    else:
        bend = x * (1.0 - share)
        for b in range(m):
            here, left = row[k, c + b], row[k, before + b]
            q[b] += p * here + x * left
            d[b] += bend * max(left - 2.0 * here + row[k, after + b], 0.0)


@kernel
def keep_least(q, d, n, extra, lower, action, now, s, margin, choice):  # type: ignore[no-untyped-def]
    """``now[s, b]`` becomes the least ``extra + q[b] - max(d[b - 1], d[b])`` so far, ``choice[s, b]`` its action."""
    row, first, m, me = uint64(s), uint64(margin), uint64(n), choice.dtype.type(action)
    if lower:
        for b in range(n - 1, 0, -1):
            d[b] = max(d[b - 1], d[b])
        for b in range(m):
            q[b] -= d[b]
    if action == 0:
        for b in range(m):
            now[row, first + b] = q[b] + extra
            choice[row, b] = me
    else:
        for b in range(m):
            y = q[b] + extra
            less = y < now[row, first + b]
            choice[row, b] = me if less else choice[row, b]
            now[row, first + b] = y if less else now[row, first + b]


@kernel
def interpolated_step(  # type: ignore[no-untyped-def]
    s_first, s_last, product, lower, top, span, margin, action_start, succ_start, succ_state, succ_prob,
    reward_start, reward_prob, units, share, extra, after, now, choice, u, q, d,
):  # fmt: skip
    """Nodes ``0..top`` of states ``s_first <= s < s_last``."""
    n = top + 1
    for s in range(s_first, s_last):
        for i in range(action_start[s], action_start[s + 1]):
            for b in range(n):
                q[b] = 0.0
                d[b] = 0.0
            if product:
                # nodes -span-1 .. top+1
                start = margin - span - 1
                mix_rows(
                    after, succ_state, succ_prob, succ_start[i], succ_start[i + 1], start, top + span + 3, u[0], start
                )
                for k in range(reward_start[i], reward_start[i + 1]):
                    add_reward(u, 0, margin - units[k], share[k], reward_prob[k], n, lower, q, d)
            else:
                for k in range(succ_start[i], succ_start[i + 1]):
                    add_reward(after, succ_state[k], margin - units[k], share[k], succ_prob[k], n, lower, q, d)
            keep_least(q, d, n, extra[i], lower, i - action_start[s], now, s, margin, choice)


@kernel
def finish(lower, top, reach, margin, shift, left, factor, now, q):  # type: ignore[no-untyped-def]
    """Move every node by ``shift``, keep every ``factor``-th one in the units of the coarser grid, and fill what the
    next step reads: ``left`` (already in those units) below node 0, slope 1 from the last node to ``reach``.

    A lower bound must stay below every value that is left out: a kept node is lowered by as much as the chord to a
    neighbour exceeds a value between them.
    """
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
            if lower:
                for k in range(coarse):
                    x, y = row[margin + k * factor], row[margin + (k + 1) * factor]
                    for j in range(1, factor):
                        excess = x + (y - x) * (j / factor) - row[margin + k * factor + j]
                        q[k] = max(q[k], excess)
                for k in range(coarse, 0, -1):
                    q[k] = max(q[k - 1], q[k])
            for k in range(coarse + 1):
                row[margin + k] = (row[margin + k * factor] - q[k]) / factor
        for b in range(coarse + 1, reach + 1):
            row[margin + b] = row[margin + coarse] + (b - coarse)
        for b in range(margin):
            row[b] = left[s]


@kernel
def mean_pass(action_start, succ_start, succ_state, succ_prob, deficit, scale, value, choice):  # type: ignore[no-untyped-def]
    """``value[t, s] = min_a { scale[t] * deficit[a] + E value[t + 1, S'] }`` and its action."""
    for t in range(scale.shape[0] - 1, -1, -1):
        after = value[t + 1]
        for s in range(action_start.shape[0] - 1):
            best = np.inf
            for i in range(action_start[s], action_start[s + 1]):
                total = scale[t] * deficit[i]
                for j in range(succ_start[i], succ_start[i + 1]):
                    total += succ_prob[j] * after[succ_state[j]]
                if total < best:
                    best = total
                    choice[t, s] = i - action_start[s]
            value[t, s] = best
