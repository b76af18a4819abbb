r"""Linear functions of the CDF of the return, the oracle of every search over policies.

For :math:`c \in \mathbf R^B`, :math:`h(z) = \sum_{i \ge z} c_i` and a CDF vector :math:`F_i = P(Z \le i)`, ``i < B``,
in units, :math:`c \cdot F = \mathbf E\, h(Z)`.  One backward pass minimises it over all policies (A5,
signed terminal costs, in docs/theory/05-certificates.md).

Outcomes are joint: those of action i are ``out_start[i] .. out_start[i + 1]``; ``out_prob[block[t]]`` and
``out_units[block[t]]`` are their probabilities and rewards at step t.  ``low[t, s] .. high[t, s]`` are the reachable
sums; ``allowed[t, s, y]`` has a bit per allowed action.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel


@kernel
def reach_windows(action_start, out_start, out_state, out_units, block, initial, low, high):  # type: ignore[no-untyped-def]
    """Fill in the least and greatest reachable sum of every step and state; ``high < low`` if there is none."""
    low[:] = 1 << 60
    high[:] = -1
    for s in initial:
        low[0, s] = 0
        high[0, s] = 0
    for t in range(block.shape[0]):
        units = out_units[block[t]]
        for s in range(action_start.shape[0] - 1):
            if high[t, s] < low[t, s]:
                continue
            for j in range(out_start[action_start[s]], out_start[action_start[s + 1]]):
                target = out_state[j]
                low[t + 1, target] = min(low[t + 1, target], low[t, s] + units[j])
                high[t + 1, target] = max(high[t + 1, target], high[t, s] + units[j])


@kernel
def cost_step(  # type: ignore[no-untyped-def]
    s_first, s_last, t, action_start, out_start, out_state, out_prob, out_units, block, low, high, allowed, masked,
    values, q, choice,
):  # fmt: skip
    """Compute step t of :func:`cost_pass` for states ``s_first <= s < s_last``."""
    after, now = values[(t + 1) & 1], values[t & 1]
    units, probs = out_units[block[t]], out_prob[block[t]]
    for s in range(s_first, s_last):
        y, width = low[t, s], high[t, s] - low[t, s] + 1
        if width <= 0:
            continue
        out, best, bits = now[s, y : y + width], choice[t, s, y : y + width], allowed[t, s, y : y + width]
        x = q[:width]
        for b in range(width):
            out[b] = np.inf
        for i in range(action_start[s], action_start[s + 1]):
            j, end = out_start[i], out_start[i + 1]
            first = True
            while j + 3 <= end:
                y0, y1, y2 = y + units[j], y + units[j + 1], y + units[j + 2]
                v0 = after[out_state[j], y0 : y0 + width]
                v1 = after[out_state[j + 1], y1 : y1 + width]
                v2 = after[out_state[j + 2], y2 : y2 + width]
                p0, p1, p2 = probs[j], probs[j + 1], probs[j + 2]
                if first:
                    for b in range(width):
                        x[b] = p0 * v0[b] + p1 * v1[b] + p2 * v2[b]
                else:
                    for b in range(width):
                        x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b]
                first = False
                j += 3
            while j < end:
                y0 = y + units[j]
                v0 = after[out_state[j], y0 : y0 + width]
                p0 = probs[j]
                if first:
                    for b in range(width):
                        x[b] = p0 * v0[b]
                else:
                    for b in range(width):
                        x[b] += p0 * v0[b]
                first = False
                j += 1
            action = i - action_start[s]
            if masked:
                for b in range(width):
                    less = x[b] < out[b] and (bits[b] >> action) & 1 == 1
                    best[b] = action if less else best[b]
                    out[b] = x[b] if less else out[b]
            else:
                for b in range(width):
                    less = x[b] < out[b]
                    best[b] = action if less else best[b]
                    out[b] = x[b] if less else out[b]


@kernel
def terminal_costs(low, high, cost, last):  # type: ignore[no-untyped-def]
    """Set ``last[s, z] = cost[z] + cost[z + 1] + ...`` for every state reached according to ``low``, ``high``."""
    top = cost.shape[0]
    for s in range(last.shape[0]):
        if high[s] >= low[s]:
            last[s, top] = 0.0
            for i in range(top - 1, -1, -1):
                last[s, i] = last[s, i + 1] + cost[i]


@kernel
def cost_pass(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, block, low, high, allowed, masked, cost,
    values, q, choice,
):  # fmt: skip
    """Minimise ``cost . F``: ``values[0, s, 0]`` is the result from state s, ``choice[t, s, y]`` the action taken."""
    horizon = block.shape[0]
    terminal_costs(low[horizon], high[horizon], cost, values[horizon & 1])
    for t in range(horizon - 1, -1, -1):
        cost_step(
            0, action_start.shape[0] - 1, t, action_start, out_start, out_state, out_prob, out_units, block, low, high,
            allowed, masked, values, q, choice,
        )  # fmt: skip


@kernel
def law_pass(  # type: ignore[no-untyped-def]
    action_start, out_start, out_state, out_prob, out_units, block, low, high, initial, initial_prob, choice, mass, cdf
):
    """Compute the CDF vector of the policy ``choice``."""
    horizon = block.shape[0]
    n_states = action_start.shape[0] - 1
    for s in range(n_states):
        if high[0, s] >= low[0, s]:
            mass[0, s, 0] = 0.0
    for k in range(initial.shape[0]):
        mass[0, initial[k], 0] += initial_prob[k]
    for t in range(horizon):
        now, after = mass[t & 1], mass[(t + 1) & 1]
        units, probs = out_units[block[t]], out_prob[block[t]]
        for s in range(n_states):
            if high[t + 1, s] >= low[t + 1, s]:
                after[s, low[t + 1, s] : high[t + 1, s] + 1] = 0.0
        for s in range(n_states):
            for y in range(low[t, s], high[t, s] + 1):
                m = now[s, y]
                if m > 0.0:
                    i = action_start[s] + choice[t, s, y]
                    for j in range(out_start[i], out_start[i + 1]):
                        after[out_state[j], y + units[j]] += m * probs[j]
    cdf[:] = 0.0
    last = mass[horizon & 1]
    for s in range(n_states):
        for z in range(low[horizon, s], min(high[horizon, s] + 1, cdf.shape[0])):
            cdf[z] += last[s, z]
    running = 0.0
    for z in range(cdf.shape[0]):
        running += cdf[z]
        cdf[z] = min(running, 1.0)


@kernel
def mark_reachable(action_start, out_start, out_state, out_units, block, low, high, initial, allowed, reached):  # type: ignore[no-untyped-def]
    """Set ``reached[t, s, y]`` to 1 where some policy of allowed actions can be."""
    n_states = action_start.shape[0] - 1
    for t in range(block.shape[0]):
        for s in range(n_states):
            for y in range(low[t, s], high[t, s] + 1):
                reached[t, s, y] = 0
    for s in initial:
        reached[0, s, 0] = 1
    for t in range(block.shape[0] - 1):
        units = out_units[block[t]]
        for s in range(n_states):
            for y in range(low[t, s], high[t, s] + 1):
                if reached[t, s, y]:
                    bits = allowed[t, s, y]
                    for i in range(action_start[s], action_start[s + 1]):
                        if (bits >> (i - action_start[s])) & 1:
                            for j in range(out_start[i], out_start[i + 1]):
                                reached[t + 1, out_state[j], y + units[j]] = 1


@kernel
def contract_step(  # type: ignore[no-untyped-def]
    s_first, s_last, t, action_start, out_start, out_state, out_prob, out_units, block, low, high,
    wide, wide_after, sums, sums_after, allowed, reached, tail, c0, c_low, c_high, margin, inflate,
    values, least_buffer, most_buffer, own_buffer, rows,
):  # fmt: skip
    r"""Apply one step of the stationarity contractor (theory, B5) to states ``s_first <= s < s_last``: remove actions
    that are optimal for no slope vector of the box.

    Each cell carries the value for ``c0`` and three conditional CDFs of the remaining return: the least and the
    greatest over kept actions, and that of the c0-greedy policy.  An action is removed if its loss at c0 exceeds what
    any other c of the box can regain by more than ``margin``; ``inflate`` is the relative error of that sum.  ``wide``
    is the greatest remaining return, ``sums`` the greatest sum so far, both in units; ``tail[z]`` is ``c0[z] + c0[z +
    1] + ...``.  Returns the number of actions removed.
    """
    horizon, removed = block.shape[0], 0
    units, probs = out_units[block[t]], out_prob[block[t]]
    after, now = values[(t + 1) & 1], values[t & 1]
    size, size_after = (sums + 1) * wide, (sums_after + 1) * wide_after
    least, least_after = least_buffer[t & 1], least_buffer[(t + 1) & 1]
    most, most_after = most_buffer[t & 1], most_buffer[(t + 1) & 1]
    own, own_after = own_buffer[t & 1], own_buffer[(t + 1) & 1]
    for s in range(s_first, s_last):
        n_actions = action_start[s + 1] - action_start[s]
        for y in range(low[t, s], high[t, s] + 1):
            if not reached[t, s, y]:
                continue
            bits = allowed[t, s, y]
            greedy, cheapest, kept = -1, np.inf, 0
            for a in range(n_actions):
                if not (bits >> a) & 1:
                    continue
                kept += 1
                i = action_start[s] + a
                mn, mx, mf = rows[0, a, :wide], rows[1, a, :wide], rows[2, a, :wide]
                for b in range(wide):
                    mn[b] = 0.0
                    mx[b] = 0.0
                    mf[b] = 0.0
                quality = 0.0
                for j in range(out_start[i], out_start[i + 1]):
                    p, r, target = probs[j], units[j], out_state[j]
                    if t == horizon - 1:
                        quality += p * tail[y + r]
                    else:
                        quality += p * after[target, y + r]
                        base = target * size_after + (y + r) * wide_after
                        an, ax, af = (
                            least_after[base : base + wide_after],
                            most_after[base : base + wide_after],
                            own_after[base : base + wide_after],
                        )
                        bn, bx, bf = mn[r : r + wide_after], mx[r : r + wide_after], mf[r : r + wide_after]
                        for b in range(wide_after):
                            bn[b] += p * an[b]
                            bx[b] += p * ax[b]
                            bf[b] += p * af[b]
                    for b in range(r + wide_after, wide):
                        mn[b] += p
                        mx[b] += p
                        mf[b] += p
                rows[3, a, 0] = quality
                if quality < cheapest:
                    greedy, cheapest = a, quality
            f0 = rows[2, greedy, :wide]
            keep = bits
            if kept > 1:
                d_low, d_mid, d_high = c_low[y : y + wide], c0[y : y + wide], c_high[y : y + wide]
                for a in range(n_actions):
                    if a == greedy or not (bits >> a) & 1:
                        continue
                    advantage = rows[3, a, 0] - cheapest
                    if advantage <= margin:
                        continue
                    mn, mx = rows[0, a, :wide], rows[1, a, :wide]
                    gain = 0.0
                    for b in range(wide):
                        down = (d_mid[b] - d_low[b]) * (mx[b] - f0[b])
                        up = (d_high[b] - d_mid[b]) * (f0[b] - mn[b])
                        gain += max(max(down, up), 0.0)
                    if advantage - margin > gain * inflate:
                        keep &= ~(1 << a)
                        removed += 1
            allowed[t, s, y] = keep
            now[s, y] = cheapest
            base = s * size + y * wide
            on, ox, of = least[base : base + wide], most[base : base + wide], own[base : base + wide]
            mn, mx = rows[0, greedy, :wide], rows[1, greedy, :wide]
            for b in range(wide):
                on[b] = mn[b]
                ox[b] = mx[b]
                of[b] = f0[b]
            for a in range(n_actions):
                if a != greedy and (keep >> a) & 1:
                    mn, mx = rows[0, a, :wide], rows[1, a, :wide]
                    for b in range(wide):
                        on[b] = min(on[b], mn[b])
                        ox[b] = max(ox[b], mx[b])
    return removed
