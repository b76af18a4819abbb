r"""Piecewise-linear functions on [0, 1], as pairs of increasing knots ``x`` and values ``g``.

Bounds are rounded down by :data:`SLACK` times the magnitudes added (weak duality, B1): interpolation gives ``g[a] +
(g[b] - g[a]) * t`` with ``0 <= t <= 1`` known to a few roundings, so its error is a few units of roundoff, whatever the
slope.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel, nested_kernel

SLACK = 2.0**-48


@kernel
def segment(t, x):  # type: ignore[no-untyped-def]
    """Return the k with ``x[k] <= t < x[k + 1]``; at the right end, the last segment."""
    low, high = 0, x.shape[0] - 1
    if t >= x[high]:
        return high - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if x[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@kernel
def value(t, x, g):  # type: ignore[no-untyped-def]
    k = segment(t, x)
    return g[k] + (g[k + 1] - g[k]) * min(max((t - x[k]) / (x[k + 1] - x[k]), 0.0), 1.0)


@kernel
def total(f, x, g):  # type: ignore[no-untyped-def]
    """Return ``sum_i G(f_i)``."""
    out = 0.0
    for i in range(f.shape[0]):
        out += value(f[i], x, g)
    return out


@kernel
def slopes_at(f, x, g, out):  # type: ignore[no-untyped-def]
    """Write the slope of the segment that contains ``f_i`` to ``out``."""
    for i in range(f.shape[0]):
        k = segment(f[i], x)
        out[i] = (g[k + 1] - g[k]) / (x[k + 1] - x[k])


@kernel
def first_at_least(c, slope, first, last):  # type: ignore[no-untyped-def]
    """Return the first index k in ``first .. last - 1`` with ``slope[k] >= c``, slopes increasing; else ``last``."""
    while first < last:
        middle = (first + last) >> 1
        if slope[middle] < c:
            first = middle + 1
        else:
            last = middle
    return first


@nested_kernel
def tilted_minima(c, low, high, x, g, slope, run, convex, least, where):  # type: ignore[no-untyped-def]
    """Compute ``least_i <= min over [low_i, high_i] of G(t) - c_i t``, attained near ``where_i``.

    Knots ``run[m] .. run[m + 1]`` have increasing slopes (``convex[m]``) or decreasing ones.  In a run of decreasing
    slopes a minimum is at an end, in one of increasing slopes where they pass c; the error due to rounded slopes is
    within :data:`SLACK` (weak duality, B1).
    """
    for i in range(c.shape[0]):
        a, b, tilt = low[i], high[i], c[i]
        best, at = value(a, x, g) - tilt * a, a
        other = value(b, x, g) - tilt * b
        if other < best:
            best, at = other, b
        m, after = 0, run.shape[0] - 1
        while after - m > 1:  # the run that contains a
            middle = (m + after) >> 1
            if x[run[middle]] <= a:
                m = middle
            else:
                after = middle
        while m < run.shape[0] - 1 and x[run[m]] < b:
            for candidate in range(2 if convex[m] else 1):
                k = run[m] if candidate == 0 else first_at_least(tilt, slope, run[m], run[m + 1])
                if a < x[k] < b:
                    other = g[k] - tilt * x[k]
                    if other < best:
                        best, at = other, x[k]
            m += 1
        least[i] = best - SLACK * (1.0 + abs(tilt))
        where[i] = at


@nested_kernel
def hulls(low, high, shape, x, g, used, start, count, hull_x, hull_g):  # type: ignore[no-untyped-def]
    """Compute the corners of the convex envelope of G on each box, concatenated in ``hull_x, hull_g``; heuristic.

    Equal neighbours share theirs.  ``shape`` is 1 for a convex G, which is its own envelope, and -1 for a concave one,
    whose envelopes are chords.  The first ``used`` places are taken; returns the new number of used places, or -1 if
    there are too few.
    """
    if used + x.shape[0] + 2 > hull_x.shape[0]:
        return -1
    if shape == 1:
        for k in range(x.shape[0]):
            hull_x[used + k], hull_g[used + k] = x[k], g[k]
        for i in range(low.shape[0]):
            start[i], count[i] = used, x.shape[0]
        return used + x.shape[0]
    for i in range(low.shape[0]):
        a, b = low[i], high[i]
        if i > 0 and a == low[i - 1] and b == high[i - 1]:
            start[i], count[i] = start[i - 1], count[i - 1]
            continue
        if used + x.shape[0] + 2 > hull_x.shape[0]:
            return -1
        hx, hg = hull_x[used:], hull_g[used:]
        k = segment(a, x)
        n = 1
        if b - a < 1e-12:
            hx[0], hg[0] = x[k], g[k]
            hx[1], hg[1] = x[k + 1], g[k + 1]
            n = 2
        else:
            hx[0], hg[0] = a, value(a, x, g)
            k = x.shape[0] if shape == -1 else k + 1
            while True:
                if k < x.shape[0] and x[k] < b:
                    px, pg, last = x[k], g[k], False
                else:
                    px, pg, last = b, value(b, x, g), True
                while n >= 2 and (hg[n - 1] - hg[n - 2]) * (px - hx[n - 1]) >= (pg - hg[n - 1]) * (
                    hx[n - 1] - hx[n - 2]
                ):
                    n -= 1
                if px > hx[n - 1]:
                    hx[n], hg[n] = px, pg
                    n += 1
                if last:
                    break
                k += 1
        start[i], count[i] = used, n
        used += n
    return used


@kernel
def slope_near(t, a, b, blur, hx, hg):  # type: ignore[no-untyped-def]
    """Return the mean slope of an envelope within ``blur`` of t, a point of ``[a, b]``."""
    left, right = max(a, t - blur), min(b, t + blur)
    if right - left < 1e-12:
        k = segment(t, hx)
        return (hg[k + 1] - hg[k]) / (hx[k + 1] - hx[k])
    return (value(right, hx, hg) - value(left, hx, hg)) / (right - left)


@kernel
def envelope(low, high, ref, blur, start, count, hull_x, hull_g, slope, height):  # type: ignore[no-untyped-def]
    """Compute the height of the envelopes of :func:`hulls` at ``ref`` and the mean slope within ``blur``; heuristic.
    Blurring makes the slope continuous; otherwise Frank-Wolfe stalls at corners."""
    for i in range(low.shape[0]):
        a, b = low[i], high[i]
        t = min(max(ref[i], a), b)
        hx, hg = hull_x[start[i] : start[i] + count[i]], hull_g[start[i] : start[i] + count[i]]
        height[i] = value(t, hx, hg)
        slope[i] = slope_near(t, a, b, blur, hx, hg)


@kernel
def step_length(point, direction, most, low, high, blur, penalty, start, count, hull_x, hull_g):  # type: ignore[no-untyped-def]
    """Return how far from ``point`` along ``direction`` the envelopes decrease, with ``penalty`` times the squared
    distance from a box: by bisection on the derivative; heuristic."""
    left, right, length = 0.0, most, most
    for _ in range(21):
        total = 0.0
        for i in range(point.shape[0]):
            if direction[i] != 0.0:
                x = point[i] + length * direction[i]
                t = min(max(x, low[i]), high[i])
                hx, hg = hull_x[start[i] : start[i] + count[i]], hull_g[start[i] : start[i] + count[i]]
                total += (slope_near(t, low[i], high[i], blur, hx, hg) + penalty * (x - t)) * direction[i]
        if total > 0.0:
            right = length
        elif length == most:
            return most
        else:
            left = length
        length = 0.5 * (left + right)
    return length


@nested_kernel
def slope_ranges(low, high, x, g, least, greatest, middle):  # type: ignore[no-untyped-def]
    """Compute a box that contains a stationary slope for every point of ``[low_i, high_i]`` (the contractor, B5), and a
    slope inside it.

    It spans the slopes of all segments that meet the open box and, at an end that is a knot with a convex corner, the
    slope beyond it (at a concave corner either slope will do), widened by a few roundings.
    """
    n = x.shape[0]
    for i in range(low.shape[0]):
        a, b = low[i], high[i]
        first = segment(a, x)
        last = segment(b, x)
        if x[last] >= b and last > first:
            last -= 1
        if x[first] >= a and first > 0:
            left = (g[first] - g[first - 1]) / (x[first] - x[first - 1])
            right = (g[first + 1] - g[first]) / (x[first + 1] - x[first])
            if left < right + 1e-12 * (1.0 + abs(right)):
                first -= 1
        if last + 1 < n - 1 and x[last + 1] <= b:
            left = (g[last + 1] - g[last]) / (x[last + 1] - x[last])
            right = (g[last + 2] - g[last + 1]) / (x[last + 2] - x[last + 1])
            if left < right + 1e-12 * (1.0 + abs(right)):
                last += 1
        lo, hi = np.inf, -np.inf
        for k in range(first, last + 1):
            s = (g[k + 1] - g[k]) / (x[k + 1] - x[k])
            lo, hi = min(lo, s), max(hi, s)
        least[i] = lo - 1e-15 * abs(lo)
        greatest[i] = hi + 1e-15 * abs(hi)
        k = segment(0.5 * (a + b), x)
        s = (g[k + 1] - g[k]) / (x[k + 1] - x[k])
        middle[i] = min(max(s, least[i]), greatest[i])


@kernel
def close_monotone(low, high):  # type: ignore[no-untyped-def]
    """Close the boxes under monotonicity of a CDF; return False if one is empty (monotonicity, B6)."""
    n = low.shape[0]
    for i in range(1, n):
        low[i] = max(low[i], low[i - 1])
    for i in range(n - 2, -1, -1):
        high[i] = min(high[i], high[i + 1])
    empty = 0
    for i in range(n):
        empty += low[i] > high[i]
    return empty == 0


@kernel
def values_at(f, x, g, out):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        out[i] = value(f[i], x, g)


@kernel
def tilted_ends(c, low, high, x, g, left, right):  # type: ignore[no-untyped-def]
    """Compute ``G(t) - c_i t`` at both ends of each box."""
    for i in range(c.shape[0]):
        left[i] = value(low[i], x, g) - c[i] * low[i]
        right[i] = value(high[i], x, g) - c[i] * high[i]
