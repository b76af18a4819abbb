r"""One step of the budget recursion on an interpolated table.

Tables have one row per state; node b is column ``margin + b``, columns left of ``margin`` repeat the value of budgets
below 0.  A reward of ``units + share`` units moves budget b between the nodes ``b - units - 1`` and ``b - units``,
which are mixed with weights ``share`` and ``1 - share``.  See :mod:`verified_risk.planning.tails.interpolated_tables`.
"""

from __future__ import annotations

from numpy import uint64

from .budget_pass import mix_rows
from .jit import kernel


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
