"""Linear functions of the CDF of a return between grid points (docs/theory/05-certificates.md, part D).

``y`` is the return so far in units of the grid, any real number.  Step t has nodes ``0 .. nodes[t]`` and cells ``[j, j
+ 1]``; a reward is ``units + share``, so that y in cell j is followed by the cells ``j + units`` and ``j + units + 1``.
Tables hold nodes and are interpolated linearly; an outcome bends once in a cell, by ``share * (1 - share)`` times a
second difference, which bounds the error of the chord over the cell.  ``allowed[t, s, j]`` has a bit per action allowed
in cell j.

Actions are removed from cells: the contractor (D3) removes them by tables of conditional CDFs, :func:`rule_out_by_mean`
(D4) by the mean they lose.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

ROUNDOFF = 2.0**-53
TINY = 1e-290  # exceeds all underflows of one backup, each below the least normal number, 2.3e-308


@kernel
def action_row(first, last, state, prob, units, share, after, n, sign, x, d):  # type: ignore[no-untyped-def]
    """Set ``x[b]`` to the mean of ``after`` over outcomes ``first .. last`` at nodes b < n, and ``d[b]`` to a bound on
    how far the chord over cell b is above (sign 1) or below (sign -1) that mean."""
    for b in range(n):
        x[b] = 0.0
        d[b] = 0.0
    for o in range(first, last):
        p, lam, u, row = prob[o], share[o], units[o], after[state[o]]
        r0 = row[u : u + n]
        if lam == 0.0:
            for b in range(n):
                x[b] += p * r0[b]
            continue
        r1, r2 = row[u + 1 : u + 1 + n], row[u + 2 : u + 2 + n]
        w0, w1 = p * (1.0 - lam), p * lam
        bend = w1 * (1.0 - lam)
        for b in range(n):
            x[b] += w0 * r0[b] + w1 * r1[b]
            d[b] += bend * max(sign * (r0[b] - 2.0 * r1[b] + r2[b]), 0.0)


@kernel
def outward(terms, size):  # type: ignore[no-untyped-def]
    """Return a bound exceeding the rounding error of one backup of ``terms`` outcomes, of values up to ``size``."""
    return (16.0 * terms + 256.0) * ROUNDOFF * size + TINY


@kernel
def value_pass(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, out_share, nodes, spans, terms, allowed, masked, fixed,
    cost, values, work, choice,
):  # fmt: skip
    """Bound ``E h(Z)``, h the polygon with ``h(j) = sum over k >= j of cost[k]``, at the first step: ``values[0, s,
    0]``.

    With ``fixed``, an upper bound for the policy ``choice``; otherwise a lower bound over all policies, and ``choice``
    becomes the apparent best one.
    """
    horizon, n_states = nodes.shape[0] - 1, action_start.shape[0] - 1
    x, d, left, right, best = work[0], work[1], work[2], work[3], work[4]
    sign = -1.0 if fixed else 1.0
    width = values.shape[2]
    for s in range(n_states):
        last = values[horizon & 1, s]
        for b in range(nodes[horizon], width):
            last[b] = 0.0
        for b in range(nodes[horizon] - 1, -1, -1):
            last[b] = last[b + 1] + cost[b]
    slope = 0.0
    for k in range(cost.shape[0]):
        slope += abs(cost[k])
    size = slope
    shift = 4.0 * (cost.shape[0] + 2) * ROUNDOFF * slope  # the terminal sums
    for t in range(horizon - 1, -1, -1):
        after, now = values[(t + 1) & 1], values[t & 1]
        n = nodes[t] + 1
        for s in range(n_states):
            for b in range(n):
                left[b] = -np.inf if fixed else np.inf
                right[b] = left[b]
                best[b] = np.inf
            chosen, bits = choice[t, s], allowed[t, s]
            for i in range(action_start[s], action_start[s + 1]):
                a = i - action_start[s]
                action_row(
                    out_start[i],
                    out_start[i + 1],
                    out_state,
                    out_prob,
                    out_units[t],
                    out_share[t],
                    after,
                    n,
                    sign,
                    x,
                    d,
                )
                if t == 0:
                    d[0] = 0.0  # only y = 0 is met
                if fixed:
                    for b in range(n - 1):
                        if chosen[b] == a:
                            left[b] = x[b] + d[b]
                            right[b] = x[b + 1] + d[b]
                    continue
                for b in range(n - 1):
                    if masked and (bits[b] >> a) & 1 == 0:
                        continue
                    left[b] = min(left[b], x[b] - d[b])
                    right[b] = min(right[b], x[b + 1] - d[b])
                    score = x[b] + x[b + 1]
                    if score < best[b]:
                        best[b] = score
                        chosen[b] = a
            row = now[s]
            if fixed:
                row[0] = left[0] + shift
                for b in range(1, n - 1):
                    row[b] = max(left[b], right[b - 1]) + shift
                row[n - 1] = right[n - 2] + shift
            else:
                row[0] = left[0] - shift
                for b in range(1, n - 1):
                    row[b] = min(left[b], right[b - 1]) - shift
                row[n - 1] = right[n - 2] - shift
        following = 0.0
        for s in range(n_states):
            row = now[s]
            for b in range(n):
                following = max(following, abs(row[b]))
            for b in range(n, width):
                row[b] = row[n - 1]  # never met: any number will do
        shift = outward(terms, size)
        for s in range(n_states):
            row = now[s]
            for b in range(width):
                row[b] += shift if fixed else -shift
        size = following + shift
        shift = 0.0


@kernel
def share_pass(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, out_share, nodes, initial, initial_prob, choice, mass, cdf
):  # fmt: skip
    """Approximate the CDF of the policy ``choice``, averaged over cells: mass between two nodes is split between them,
    and mass on a node plays half by the cell on either side.  It guides a search and proves nothing."""
    horizon, n_states = nodes.shape[0] - 1, action_start.shape[0] - 1
    mass[0] = 0.0
    for k in range(initial.shape[0]):
        mass[0, initial[k], 0] += initial_prob[k]
    for t in range(horizon):
        now, after = mass[t & 1], mass[(t + 1) & 1]
        after[:] = 0.0
        for s in range(n_states):
            for y in range(nodes[t] + 1):
                m = now[s, y]
                if m == 0.0:
                    continue
                for side in range(2):
                    cell = min(max(y - side, 0), nodes[t] - 1)
                    half = 0.5 * m
                    i = action_start[s] + choice[t, s, cell]
                    for o in range(out_start[i], out_start[i + 1]):
                        z, lam, p = y + out_units[t, o], out_share[t, o], half * out_prob[o]
                        top = nodes[t + 1]
                        after[out_state[o], min(z, top)] += p * (1.0 - lam)
                        after[out_state[o], min(z + 1, top)] += p * lam
    last = mass[horizon & 1]
    running = 0.0
    for z in range(cdf.shape[0]):
        for s in range(n_states):
            running += last[s, z]
        cdf[z] = min(running, 1.0)


# -- removing actions --------------------------------------------------------------------------------------------------


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
    """Return whether an action whose loss at the middle slopes is ``gap`` is worse than the reference policy at every
    slope of the box, at one end of a cell (D3).  ``rows`` holds the least and greatest CDFs of the action, then of
    the reference, each with its correction."""
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
