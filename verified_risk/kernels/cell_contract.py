r"""Remove actions from cells where returns lie between grid points (theory 05, part D).

The contractor (D3) removes actions by tables of conditional CDFs, :func:`rule_out_by_mean` (D4) by the mean they lose.
Cells, nodes and shares are those of :mod:`.cell_pass`.
"""

from __future__ import annotations

import numpy as np

from .cell_pass import ROUNDOFF, outward
from .jit import kernel


@kernel
def mark_cells(action_start, out_start, out_state, out_units, out_share, nodes, initial, allowed, reached):  # type: ignore[no-untyped-def]
    """Set ``reached[t, s, j]`` to 1 where some policy of allowed actions can be in cell j; a node belongs to the cell
    on its left, 0 to the first."""
    horizon, n_states = nodes.shape[0] - 1, action_start.shape[0] - 1
    reached[:] = 0
    for s in initial:
        reached[0, s, 0] = 1
    for t in range(horizon - 1):
        last = nodes[t + 1] - 1
        for s in range(n_states):
            for j in range(nodes[t]):
                if reached[t, s, j] == 0:
                    continue
                bits = allowed[t, s, j]
                for i in range(action_start[s], action_start[s + 1]):
                    if (bits >> (i - action_start[s])) & 1 == 0:
                        continue
                    for o in range(out_start[i], out_start[i + 1]):
                        cell = j + out_units[t, o]
                        reached[t + 1, out_state[o], min(cell, last)] = 1
                        if out_share[t, o] > 0.0 and t > 0:
                            reached[t + 1, out_state[o], min(cell + 1, last)] = 1
                        if out_share[t, o] == 0.0 and j == 0:
                            reached[t + 1, out_state[o], max(min(cell, last + 1) - 1, 0)] = 1


@kernel
def mix_cdfs(  # type: ignore[no-untyped-def]
    first, last, state, prob, units, share, j, top, wide, length, table, sign, ends
):
    """Mix conditional CDFs, averaged over cells ``j + b``, of one action in cell j: ``ends[0, b]`` at node j, ``ends[1,
    b]`` at node j + 1, ``ends[2, b]`` the error of the chord.

    ``table`` has rows of ``wide + 6`` numbers per node n of the next step: cells ``n - 3 .. n + wide + 2``, the first
    two zeros and the last two ones.
    """
    low, high, off = ends[0], ends[1], ends[2]
    for b in range(length):
        low[b] = 0.0
        high[b] = 0.0
        off[b] = 0.0
    for o in range(first, last):
        p, lam, u = prob[o], share[o], units[o]
        base, begin, end = state[o] * (top + 1), max(u - 1, 0), min(u + wide + 3, length)
        n0 = (base + min(j + u, top)) * (wide + 6) + 3 - u
        n1 = (base + min(j + u + 1, top)) * (wide + 6) + 2 - u
        n2 = (base + min(j + u + 2, top)) * (wide + 6) + 1 - u
        w0, w1 = p * (1.0 - lam), p * lam
        bend = w1 * (1.0 - lam)
        for b in range(begin, end):
            r0, r1, r2 = table[n0 + b], table[n1 + b], table[n2 + b]
            low[b] += w0 * r0 + w1 * r1
            high[b] += w0 * r1 + w1 * r2
            off[b] += bend * max(sign * (r0 - 2.0 * r1 + r2), 0.0)
        for b in range(end, length):
            low[b] += p
            high[b] += p


@kernel
def mix_values(first, last, state, prob, units, share, j, row, sign):  # type: ignore[no-untyped-def]
    """Mix one value: return it at node j, at node j + 1, and the error of the chord."""
    x, y, d = 0.0, 0.0, 0.0
    for o in range(first, last):
        p, lam, u, s = prob[o], share[o], units[o], state[o]
        v0, v1 = row[s, j + u], row[s, j + u + 1]
        if lam == 0.0:
            x += p * v0
            y += p * v1
        else:
            v2 = row[s, j + u + 2]
            x += p * ((1.0 - lam) * v0 + lam * v1)
            y += p * ((1.0 - lam) * v1 + lam * v2)
            d += p * lam * (1.0 - lam) * max(sign * (v0 - 2.0 * v1 + v2), 0.0)
    return x, y, d


@kernel
def keep_ends(ends, sign, single, eps, base, stride, length, table):  # type: ignore[no-untyped-def]
    """Lower (sign 1; -1: raise) the rows of nodes j and j + 1 so that their chord is below (above) one action's, in the
    cells ``j .. j + length - 1``; in all others both are always 0, or both 1.  A node may have to leave [0, 1] for
    that.  Returns the largest number written."""
    most = 0.0
    for end in range(1 if single else 2):
        start = base + end * (stride - 1) + 3
        for b in range(length):
            x = ends[end, b] - sign * (ends[2, b] + eps)
            table[start + b] = sign * min(sign * table[start + b], sign * x)
            most = max(most, abs(x))
    return most


@kernel
def ruled_out(end, gap, rows, reach, first, count, c_low, c_mid, c_high, inflate):  # type: ignore[no-untyped-def]
    """Whether an action whose loss at the middle slopes is ``gap`` is worse than the reference policy at every slope of
    the box, at one end of a cell (D3).  ``rows`` holds the least and greatest CDFs of the action, then of the
    reference, each with its correction."""
    if gap <= 0.0:
        return False
    total = 0.0
    for b in range(count):
        down, up = c_mid[first + b] - c_low[first + b], c_high[first + b] - c_mid[first + b]
        win = max(
            down * (rows[1, end, b] + rows[1, 2, b] - rows[2, end, b] + rows[2, 2, b]),
            up * (rows[3, end, b] + rows[3, 2, b] - rows[0, end, b] + rows[0, 2, b]),
        )
        swing = 2.0
        if b < reach:
            swing = rows[3, end, b + 1] + rows[3, 2, b + 1] + rows[1, end, b + 1] + rows[1, 2, b + 1]
        if b > 0:
            swing -= rows[2, end, b - 1] - rows[2, 2, b - 1] + rows[0, end, b - 1] - rows[0, 2, b - 1]
        total += max(win, 0.0) + 0.25 * (down + up) * max(swing, 0.0)
        if total * inflate >= gap:
            return False
    return True


@kernel
def empty_rows(n_nodes, s, stride, here, tables, values):  # type: ignore[no-untyped-def]
    """Initialise rows and values of one state; the first cell processed replaces them."""
    for n in range(n_nodes):
        base = (s * n_nodes + n) * stride
        for q in range(4):
            for b in range(stride):
                tables[q, here, base + b] = 0.0 if b < 3 or (q & 1 and b < stride - 3) else 1.0
        values[0, here, s, n] = np.inf
        values[1, here, s, n] = -np.inf


@kernel
def last_rows(n_nodes, c0, here, tables, values):  # type: ignore[no-untyped-def]
    """Initialise the rows after the last step, where everything is known."""
    for s in range(values.shape[2]):
        for n in range(n_nodes):
            for q in range(4):
                for b in range(6):
                    tables[q, here, (s * n_nodes + n) * 6 + b] = 0.0 if b < 3 else 1.0
        for q in range(2):
            for n in range(n_nodes - 1, values.shape[3]):
                values[q, here, s, n] = 0.0
            for n in range(n_nodes - 2, -1, -1):
                values[q, here, s, n] = values[q, here, s, n + 1] + c0[n]


@kernel
def contract_cells(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, out_share, nodes, wides, terms, initial, initial_prob,
    allowed, reached, choice, c0, c_low, c_high, inflate, values, tables, rows, out_low, out_high,
):  # fmt: skip
    r"""Apply the stationarity contractor between grid points (D3).

    ``values[0]`` and ``values[1]`` bound ``c0 . A`` for kept actions and for the policy ``choice``; ``tables[0]`` and
    ``tables[1]`` the least and greatest conditional CDFs of kept actions, ``tables[2]`` and ``tables[3]`` bounds on
    that of ``choice``.  ``out_low, out_high`` receive bounds on the CDF, averaged over cells.  Returns the number of
    actions removed.

    Rounding of the test: two mixed rows in the first term of D3, four quarters in the second, each wrong by at most
    ``(2 n + 14) u`` times its size, and their sums, are less than :func:`outward` times the spread of the slopes.
    """
    horizon, n_states, top = nodes.shape[0] - 1, action_start.shape[0] - 1, c0.shape[0]
    removed = 0
    last_rows(nodes[horizon] + 1, c0, horizon & 1, tables, values)
    size, spread = 0.0, 0.0
    for k in range(top):
        size += abs(c0[k])
        spread += max(c0[k] - c_low[k], c_high[k] - c0[k])
    largest = 1.0
    for t in range(horizon - 1, -1, -1):
        here, there, n_nodes = t & 1, (t + 1) & 1, nodes[t] + 1
        reach, single = wides[t], t == 0
        eps, largest = outward(terms, largest), 1.0
        charge = eps * spread
        stride = reach + 6
        move = outward(terms, size) + (4.0 * (top + 2) * ROUNDOFF * size if t == horizon - 1 else 0.0)
        size = 0.0
        for s in range(n_states):
            empty_rows(n_nodes, s, stride, here, tables, values)
            for j in range(nodes[t]):
                if reached[t, s, j] == 0:
                    continue
                bits, own = allowed[t, s, j], choice[t, s, j]
                base, count = (s * n_nodes + j) * stride, min(reach + 1, top - j)
                u_left, u_right = 0.0, 0.0
                for a in range(-1, action_start[s + 1] - action_start[s]):  # first the reference, then every action
                    if a >= 0 and (bits >> a) & 1 == 0:
                        continue
                    i = action_start[s] + (own if a < 0 else a)
                    kind = 1 if a < 0 else 0
                    for q in range(2):
                        mix_cdfs(
                            out_start[i], out_start[i + 1], out_state, out_prob, out_units[t], out_share[t], j,
                            nodes[t + 1], wides[t + 1], reach + 1, tables[2 * kind + q, there], 1.0 - 2.0 * q,
                            rows[2 * kind + q],
                        )  # fmt: skip
                        if single:
                            rows[2 * kind + q, 2, :] = 0.0
                    sign = 1.0 - 2.0 * kind
                    left, right, off = mix_values(
                        out_start[i], out_start[i + 1], out_state, out_prob, out_units[t], out_share[t], j,
                        values[kind, there], sign,
                    )  # fmt: skip
                    off = sign * ((0.0 if single else off) + move)
                    left, right = left - off, right - off
                    if a < 0:
                        u_left, u_right = left, right
                    elif a != own and count > 0:
                        out = True
                        for end in range(1 if single else 2):
                            x, y = (right, u_right) if end else (left, u_left)
                            gap = x - y - 4.0 * ROUNDOFF * (abs(x) + abs(y)) - charge
                            out = out and ruled_out(end, gap, rows, reach, j, count, c_low, c0, c_high, inflate)
                        if out:
                            bits &= ~(1 << a)
                            removed += 1
                            continue
                    for q in range(2):
                        written = keep_ends(
                            rows[2 * kind + q], 1.0 - 2.0 * q, single, eps, base, stride, reach + 1,
                            tables[2 * kind + q, here],
                        )  # fmt: skip
                        largest = max(largest, written)
                    values[kind, here, s, j] = sign * min(sign * values[kind, here, s, j], sign * left)
                    if not single:
                        values[kind, here, s, j + 1] = sign * min(sign * values[kind, here, s, j + 1], sign * right)
                    size = max(size, max(abs(left), abs(right)))
                allowed[t, s, j] = bits
            for b in range(n_nodes, values.shape[3]):
                for q in range(2):
                    values[q, here, s, b] = values[q, here, s, n_nodes - 1]
    out_low[:] = 0.0
    out_high[:] = 0.0
    for k in range(initial.shape[0]):
        base = initial[k] * (nodes[0] + 1) * (wides[0] + 6) + 3
        for b in range(top):
            out_low[b] += initial_prob[k] * tables[0, 0, base + b]
            out_high[b] += initial_prob[k] * tables[1, 0, base + b]
    return removed


@kernel
def continuation(  # type: ignore[no-untyped-def]
    first, last, state, prob, units, share, j, final, near, here, regret, spread, pair_regret, pair_spread
):
    """Return a lower bound on the mean lost by kept continuations after an action in cell j, and an upper bound on how
    far they move the law.  ``near``: the remaining return is less than a cell, so only cells j and j + 1 are met."""
    lost, moved = 0.0, 0.0
    for o in range(first, last):
        p, s = prob[o], state[o]
        if near:
            lost += p * pair_regret[here, s, j]
            moved += p * pair_spread[here, s, j]
            continue
        cell = min(j + units[o], final)
        least, most = regret[here, s, cell], spread[here, s, cell]
        if share[o] > 0.0 and cell < final:
            least, most = min(least, regret[here, s, cell + 1]), max(most, spread[here, s, cell + 1])
        if share[o] == 0.0 and j == 0 and cell > 0:  # from y = 0 to a node, which belongs to the cell on its left
            least, most = min(least, regret[here, s, cell - 1]), max(most, spread[here, s, cell - 1])
        lost += p * least
        moved += p * most
    return lost, moved


@kernel
def rule_out_by_mean(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, out_share, nodes, wides, allowed, loss, distance,
    reference, c_low, c_high, regret, spread, pair_regret, pair_spread,
):  # fmt: skip
    """Remove actions by their mean where the slopes of a window differ little (D4).

    ``loss[t, i]`` is a lower bound on the mean that action i loses against the reference policy, ``distance[t, i]`` an
    upper bound on how far it moves the law; ``regret`` and ``spread`` hold the same for all kept continuations from a
    cell, the pairs for those that stay within it and the next one.  Returns the number of actions removed.
    """
    horizon, n_states, top = nodes.shape[0] - 1, action_start.shape[0] - 1, c_low.shape[0]
    removed = 0
    for table in (regret, spread, pair_regret, pair_spread):
        table[horizon & 1] = 0.0
    for t in range(horizon - 1, -1, -1):
        here, there, final = t & 1, (t + 1) & 1, nodes[t + 1] - 1
        units, share, near = out_units[t], out_share[t], wides[t] <= 1
        for s in range(n_states):
            n_actions = action_start[s + 1] - action_start[s]
            for j in range(nodes[t]):
                low, high = np.inf, 0.0
                for k in range(j, min(j + wides[t] + 1, top)):
                    low, high = min(low, c_low[k]), max(high, c_high[k])
                bits = allowed[t, s, j]
                least, most = np.inf, -np.inf
                for a in range(n_actions):
                    if (bits >> a) & 1 == 0:
                        continue
                    i = action_start[s] + a
                    lost, moved = continuation(
                        out_start[i], out_start[i + 1], out_state, out_prob, units, share, j, final, near, there,
                        regret, spread, pair_regret, pair_spread,
                    )  # fmt: skip
                    lost, moved = lost + loss[t, i], moved + distance[t, i]
                    gain = 0.5 * (high + low) * lost - 0.5 * (high - low) * moved
                    last = bits == 1 << a  # a cell needs an action for its tables and its neighbours'
                    if a != reference[t, s] and not last and low > 0.0 and gain > 1e-9 * high * (abs(lost) + moved):
                        bits &= ~(1 << a)
                        removed += 1
                        continue
                    least, most = min(least, lost), max(most, moved)
                allowed[t, s, j] = bits
                regret[here, s, j] = least - 1e-12 * abs(least)
                spread[here, s, j] = most * (1.0 + 1e-12)
        if not near:
            continue
        for s in range(n_states):
            for j in range(nodes[t]):
                bits = allowed[t, s, j]
                if j + 1 < nodes[t]:
                    bits |= allowed[t, s, j + 1]
                least, most = np.inf, -np.inf
                for a in range(action_start[s + 1] - action_start[s]):
                    if (bits >> a) & 1 == 0:
                        continue
                    i = action_start[s] + a
                    lost, moved = continuation(
                        out_start[i], out_start[i + 1], out_state, out_prob, units, share, j, final, near, there,
                        regret, spread, pair_regret, pair_spread,
                    )  # fmt: skip
                    least, most = min(least, lost + loss[t, i]), max(most, moved + distance[t, i])
                pair_regret[here, s, j] = least - 1e-12 * abs(least)
                pair_spread[here, s, j] = most * (1.0 + 1e-12)
    return removed
