r"""Linear functions of the CDF of a return between grid points (docs/theory/05-certificates.md, part D).

``y`` is the return so far in units of the grid, any real number.  Step t has nodes ``0 .. nodes[t]`` and cells ``[j, j
+ 1]``; a reward is ``units + share``, so that y in cell j is followed by the cells ``j + units`` and ``j + units + 1``.
Tables hold nodes and are interpolated linearly; an outcome bends once in a cell, by ``share * (1 - share)`` times a
second difference, which bounds the error of the chord over the cell.  ``allowed[t, s, j]`` has a bit per action allowed
in cell j.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

ROUNDOFF = 2.0**-53
TINY = 1e-290
"""Exceeds all underflows of one backup, each below the least normal number, 2.3e-308."""


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
