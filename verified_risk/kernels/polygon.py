r"""Piecewise-linear functions on [0, 1]: ``x`` increasing knots, ``g`` values; a function is the pair.

Bounds are rounded down by :data:`SLACK` times the magnitudes that were added (weak duality, B1): interpolation gives
``g[a] + (g[b] - g[a]) * t`` with ``0 <= t <= 1`` known to a few roundings, so its error is a few units of roundoff,
whatever the slope.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel, nested_kernel

SLACK = 2.0**-48


@kernel
def segment(t, x):  # type: ignore[no-untyped-def]
    """The k with ``x[k] <= t < x[k + 1]``, at the right end the last segment."""
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
    """``sum_i G(f_i)``."""
    out = 0.0
    for i in range(f.shape[0]):
        out += value(f[i], x, g)
    return out


@kernel
def slopes_at(f, x, g, out):  # type: ignore[no-untyped-def]
    """The slope of the segment that holds ``f_i``."""
    for i in range(f.shape[0]):
        k = segment(f[i], x)
        out[i] = (g[k + 1] - g[k]) / (x[k + 1] - x[k])


@nested_kernel
def tilted_minima(c, low, high, x, g, least, where):  # type: ignore[no-untyped-def]
    """``least_i <= min over [low_i, high_i] of G(t) - c_i t``, attained near ``where_i``; a minimum is at an end or a
    knot."""
    for i in range(c.shape[0]):
        a, b, slope = low[i], high[i], c[i]
        best, at = value(a, x, g) - slope * a, a
        other = value(b, x, g) - slope * b
        if other < best:
            best, at = other, b
        k = segment(a, x) + 1
        while k < x.shape[0] and x[k] < b:
            other = g[k] - slope * x[k]
            if other < best:
                best, at = other, x[k]
            k += 1
        least[i] = best - SLACK * (1.0 + abs(slope))
        where[i] = at


@nested_kernel
def envelope(low, high, ref, blur, convex, x, g, slope, height, hull_x, hull_g):  # type: ignore[no-untyped-def]
    """Height and mean slope within ``blur`` of ``ref`` of the convex envelope of G on each box; heuristic.

    Blurring makes the slope continuous, without which Frank-Wolfe stalls at corners.  A convex G is its own envelope.
    """
    for i in range(low.shape[0]):
        a, b = low[i], high[i]
        t = min(max(ref[i], a), b)
        if b - a < 1e-12:
            k = segment(a, x)
            slope[i] = (g[k + 1] - g[k]) / (x[k + 1] - x[k])
            height[i] = value(t, x, g)
            continue
        left, right = max(a, t - blur), min(b, t + blur)
        if convex:
            height[i] = value(t, x, g)
            slope[i] = (value(right, x, g) - value(left, x, g)) / (right - left)
            continue
        hull_x[0], hull_g[0] = a, value(a, x, g)
        n = 1
        k = segment(a, x) + 1
        while True:
            if k < x.shape[0] and x[k] < b:
                px, pg, last = x[k], g[k], False
            else:
                px, pg, last = b, value(b, x, g), True
            while n >= 2 and (hull_g[n - 1] - hull_g[n - 2]) * (px - hull_x[n - 1]) >= (pg - hull_g[n - 1]) * (
                hull_x[n - 1] - hull_x[n - 2]
            ):
                n -= 1
            if px > hull_x[n - 1]:
                hull_x[n], hull_g[n] = px, pg
                n += 1
            if last:
                break
            k += 1
        height[i] = value(t, hull_x[:n], hull_g[:n])
        slope[i] = (value(right, hull_x[:n], hull_g[:n]) - value(left, hull_x[:n], hull_g[:n])) / (right - left)


@nested_kernel
def slope_ranges(low, high, x, g, least, greatest, middle):  # type: ignore[no-untyped-def]
    """A box that contains a stationary slope for every point of ``[low_i, high_i]`` (the contractor, B5), and a
    slope inside it.

    Slopes of all segments that meet the open box; at an end that is a knot also the slope beyond it if the corner
    there is convex (at a concave corner either slope will do).  Widened by a few roundings.
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


@nested_kernel
def cut_ends(c, least, room, low, high, x, g):  # type: ignore[no-untyped-def]
    """Shrink boxes to where ``G(t) - c_i t <= least_i + room``: end pieces only, cut points moved outward
    (the reduced cost, B2)."""
    changed = 0
    for i in range(c.shape[0]):
        a, b, slope = low[i], high[i], c[i]
        if b - a < 1e-12:
            continue
        limit = least[i] + room + 2.0 * SLACK * (1.0 + abs(slope) + abs(room))
        right = value(b, x, g) - slope * b
        if right > limit:
            px, pv = b, right
            k = segment(b, x)
            if x[k] >= b:
                k -= 1
            while k > 0 and x[k] > a and g[k] - slope * x[k] > limit:
                px, pv = x[k], g[k] - slope * x[k]
                k -= 1
            qx = max(x[k], a)
            qv = value(qx, x, g) - slope * qx
            if qv <= limit:
                px = qx + (px - qx) * min(1.0, (limit - qv) / (pv - qv) + 1e-9)
            if px + 1e-15 < b:
                high[i] = px + 1e-15
                changed += 1
        left = value(a, x, g) - slope * a
        if left > limit:
            px, pv = a, left
            k = segment(a, x) + 1
            while k < x.shape[0] - 1 and x[k] < high[i] and g[k] - slope * x[k] > limit:
                px, pv = x[k], g[k] - slope * x[k]
                k += 1
            qx = min(x[k], high[i])
            qv = value(qx, x, g) - slope * qx
            if qv <= limit:
                px = qx - (qx - px) * min(1.0, (limit - qv) / (pv - qv) + 1e-9)
            if px - 1e-15 > a:
                low[i] = px - 1e-15
                changed += 1
    return changed


@kernel
def close_monotone(low, high):  # type: ignore[no-untyped-def]
    """Close the boxes under monotonicity of a CDF; False if one is empty (monotonicity, B6)."""
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
    """``G(t) - c_i t`` at both ends of each box."""
    for i in range(c.shape[0]):
        left[i] = value(low[i], x, g) - c[i] * low[i]
        right[i] = value(high[i], x, g) - c[i] * high[i]
