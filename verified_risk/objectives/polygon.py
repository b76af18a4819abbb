r"""Piecewise-linear functions below a weighting, the rigorous form of any G in the search.

The search works with a *continuous* piecewise-linear :math:`\underline G \le G` whose knots and values are floats.  It
is proved here to lie below G from enclosures of G at rational points and from its shape; its distance only affects the
gap.

* rational corners: the polygon itself, each corner moved to a float and below both lines that meet there;
* concave: chords between points of the graph;
* convex: lines with the slopes of chords, lowered until the extended neighbouring chords prove them below;
* the inverse S of CPW: concave, then convex, with the inflection point bracketed by ball arithmetic;
* mixtures: the sum of the parts; a jump: a steep ramp to its right; any other monotone G: a smoothed staircase.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..numbers.enclosure import bounds
from ..numbers.rational import float_above, float_below
from .piecewise import slopes
from .weighting import Jump, Weighting

Floats: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = list[tuple[Fraction, Fraction]]
"""Knots ``(tau, lower bound on G(tau))``, floats as fractions, from tau = 0 to 1."""

RAMP = Fraction(1, 2**14)
"""Width of the steep piece that replaces a jump: wide enough for slopes of 16384, narrow against any level in use."""
STAIRS = 4096  # steps if only monotonicity is known; the polygon is then within one step of G in tau
DEEPEST = 60  # maximum number of halvings of a chord; beyond that, neighbouring points are one float apart


@dataclass(frozen=True)
class Polygon:
    """A piecewise-linear function with values ``g`` at knots ``x``, which increase from 0 to 1."""

    x: Floats
    g: Floats

    @cached_property
    def slope(self) -> Floats:
        """The rounded slope of every piece."""
        found: Floats = np.diff(self.g) / np.diff(self.x)
        return found

    @cached_property
    def runs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Knots ``run[m] .. run[m + 1]`` between which rounded slopes increase, or else decrease; and which it is."""
        up = np.diff(self.slope) >= 0
        run, convex = [0], []
        while run[-1] < len(self.slope):
            first = run[-1]
            after = first + 1
            while after < len(self.slope) and up[after - 1] == up[first]:
                after += 1
            convex.append(bool(up[first]) if first < len(up) else True)
            run.append(after)
        return np.array(run), np.array(convex)

    @classmethod
    def through(cls, points: Points) -> Polygon:
        return cls(np.array([float(x) for x, _ in points]), np.array([float(g) for _, g in points]))

    def times(self, width: Fraction) -> Polygon:
        """Return a polygon with the same knots that is at most ``width`` times this one."""
        if width == 1:
            return self
        product = np.where(self.g < 0, self.g * float_above(width), self.g * float_below(width))
        return Polygon(self.x, np.where(self.g == 0, 0.0, np.nextafter(product, -np.inf)))

    def __call__(self, tau: Fraction) -> Fraction:
        """Return the exact value of the polygon."""
        k = min(max(bisect_right(self.x, tau) - 1, 0), len(self.x) - 2)
        a, b = Fraction(float(self.x[k])), Fraction(float(self.x[k + 1]))
        u, v = Fraction(float(self.g[k])), Fraction(float(self.g[k + 1]))
        return u + (v - u) * (tau - a) / (b - a)


def corners_as_floats(knots: tuple[tuple[Fraction, Fraction], ...]) -> Points:
    """Move each corner to the nearest float, at most as high as both lines that meet there.

    Between two moved corners the polygon is then below the line of that piece; in the sliver between a corner and its
    float, where the neighbouring line applies, it is below that line at both ends, since the lines agree at the corner.
    """
    steepness = slopes(knots)
    found: dict[Fraction, Fraction] = {}
    for k, (tau, g) in enumerate(knots):
        x = Fraction(float(tau))
        value = min(g + slope * (x - tau) for slope in steepness[max(k - 1, 0) : k + 1])
        value = Fraction(float_below(value))
        found[x] = min(found.get(x, value), value)
    return sorted(found.items())


@lru_cache(maxsize=1 << 16)
def _enclosed(weighting: Weighting, tau: Fraction) -> tuple[Fraction, Fraction]:
    """Return floats, as fractions, below and above G(tau)."""
    low, high = bounds(weighting.value(tau))
    return Fraction(float_below(low)), -Fraction(float_below(-high))


def _low(weighting: Weighting, tau: Fraction) -> Fraction:
    return _enclosed(weighting, tau)[0]


def graph(
    weighting: Weighting,
    left: Fraction,
    right: Fraction,
    accuracy: Fraction | Callable[[Fraction, Fraction], Fraction],
    tick: Callable[[], None] = lambda: None,
) -> Points:
    """Sample the graph from below, halving until the middle of every chord is within ``accuracy`` of it, which may
    depend on the ends of the chord.  Where G is concave, the chords are below it.  ``tick`` is called for each point;
    what it raises ends the work."""
    tolerance = accuracy if callable(accuracy) else lambda _, __: accuracy

    def split(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], depth: int) -> Points:
        tick()
        middle = Fraction(float((a[0] + b[0]) / 2))
        if depth > DEEPEST or not a[0] < middle < b[0]:
            return [b]
        m = (middle, _low(weighting, middle))
        # Halving divides a smooth function's distance from its chord by four.
        if depth >= 3 and abs(float(m[1]) - (float(a[1]) + float(b[1])) / 2) <= 3.0 * float(tolerance(a[0], b[0])):
            return [m, b]
        return split(a, m, depth + 1) + split(m, b, depth + 1)

    first, last = (left, _low(weighting, left)), (right, _low(weighting, right))
    return [first, *split(first, last, 0)]


def supports(weighting: Weighting, left: Fraction, right: Fraction, accuracy: Fraction) -> Points:
    r"""Return the largest of several lines below G, convex on ``[left, right]``.

    Let :math:`x_k` be points of the graph and :math:`\sigma_k` the slope of the chord over :math:`[x_k, x_{k+1}]`.
    There G is at least the chords of the two neighbouring intervals, extended.  A line of slope :math:`m \in
    [\sigma_{k-1}, \sigma_{k+1}]` is placed below those, and below :math:`G(x_k) - \sigma_k (x_k - x)` on the interval
    to the left and :math:`G(x_{k+1}) + \sigma_k (x - x_{k+1})` on that to the right; further out G is steeper than the
    line on the right and flatter on the left.  Slopes are known up to bounds, and each is used from the side that
    lowers the line.  The constant line through the left end is always below, since G is monotone.
    """
    knots = [x for x, _ in graph(weighting, left, right, accuracy / 2)]
    low, high = (np.array(v, dtype=float) for v in zip(*(_enclosed(weighting, x) for x in knots), strict=True))
    x = np.array([float(v) for v in knots])
    width = np.diff(x)
    # least and greatest possible slope of each chord, a little wider than computed
    flat = (low[1:] - high[:-1]) / width
    steep = (high[1:] - low[:-1]) / width
    flat, steep = flat - 1e-15 * np.abs(flat), steep + 1e-15 * np.abs(steep)
    lines = [(0.0, float(low[0]))]
    for k, slope in enumerate((np.diff(low) / width).tolist()):
        following = k + 1 < len(width)
        if (k and steep[k - 1] > slope) or (following and slope > flat[k + 1]):
            continue  # enclosures too wide to place this line: skip it
        a, b = x[k], x[k + 1]
        rise = max(flat[k - 1], 0.0) if k else 0.0  # G(t) >= low[k] + rise * (t - a)
        heights = [low[k] - slope * a, low[k] + rise * (b - a) - slope * b]
        if following and steep[k + 1] > rise:
            # and G(t) >= low[k + 1] - steep[k + 1] * (b - t): where the two bounds cross, the larger of them is least
            t = a + (low[k] - low[k + 1] + steep[k + 1] * (b - a)) / (steep[k + 1] - rise)
            if a < t < b:
                heights = [
                    max(low[k], low[k + 1] - steep[k + 1] * (b - a)) - slope * a,
                    low[k] + rise * (t - a) - slope * t,
                    max(low[k] + rise * (b - a), low[k + 1]) - slope * b,
                ]
        if k:
            heights.append(low[k] - slope * a - max(steep[k] - slope, 0.0) * (a - x[k - 1]))
        if following:
            heights.append(low[k + 1] - slope * b - max(slope - flat[k], 0.0) * (x[k + 2] - b))
        # about twenty roundings of numbers up to 1 + steep; a misplaced crossing costs at most its displacement
        largest = 1.0 + abs(slope) + (steep[k + 1] if following else steep[k])
        lines.append((slope, float(min(heights)) - 2.0**-45 * float(largest)))
    return _upper_envelope(lines, float(left), float(right))


def _upper_envelope(lines: list[tuple[float, float]], left: float, right: float) -> Points:
    """Approximate the maximum of the lines ``slope * x + height`` by a polygon that is nowhere above it.  Over each
    segment the polygon joins two points on or below one and the same line, wherever the corners are."""
    hull: list[tuple[float, float]] = []
    starts: list[float] = []
    for slope, height in sorted(lines):
        if hull and hull[-1][0] == slope:
            if hull[-1][1] >= height:
                continue
            hull.pop()
            starts.pop()
        start = left
        while hull:
            start = (hull[-1][1] - height) / (slope - hull[-1][0])
            if start > starts[-1]:
                break
            hull.pop()
            starts.pop()
            start = left
        if start < right:
            hull.append((slope, height))
            starts.append(max(start, left))

    def below(line: tuple[float, float], x: float) -> float:
        slope, height = line
        return slope * x + height - 2.0**-50 * (1.0 + abs(slope) + abs(height))

    points = [(left, below(hull[0], left))]
    for k in range(1, len(hull)):
        points.append((starts[k], min(below(hull[k - 1], starts[k]), below(hull[k], starts[k]))))
    points.append((right, below(hull[-1], right)))
    return [(Fraction(x), Fraction(g)) for x, g in points]


def concave_then_convex(
    weighting: Weighting, concave_to: Fraction, convex_from: Fraction, accuracy: Fraction
) -> Points:
    """Return chords, then lines, constant on the short interval between, where only monotonicity is used."""
    rising = graph(weighting, Fraction(), concave_to, accuracy)
    turning = supports(weighting, convex_from, Fraction(1), accuracy)
    level = min(rising[-1][1], turning[0][1])
    return [*rising[:-1], (concave_to, level), (convex_from, level), *turning[1:]]


def ramp(alpha: Fraction) -> Points:
    """Return points below a unit jump at alpha: 0 up to the next float, then steeply to 1."""
    start = -Fraction(float_below(-alpha))
    if start >= 1:
        return [(Fraction(), Fraction()), (Fraction(1), Fraction())]
    end = min(Fraction(float(start + RAMP)), Fraction(1))
    points = {Fraction(): Fraction(), start: Fraction(), end: Fraction(1), Fraction(1): Fraction(1)}
    return sorted(points.items())


def past_the_jump(weighting: Weighting, accuracy: Fraction, passed: Collection[Jump] | None = None) -> Polygon:
    """Return a polygon below ``G`` at values past ``passed`` (default: all) of its jumps, which count in full."""
    one = [(Fraction(), Fraction(1)), (Fraction(1), Fraction(1))]
    gone = {(jump.level, jump.upper) for jump in (weighting.jumps if passed is None else passed)}

    def points(part: Weighting) -> Points:
        full = part.jumps and all((jump.level, jump.upper) in gone for jump in part.jumps)
        return one if full else part.points_below(accuracy)

    return Polygon.through(weighted_sum([(w, points(part)) for w, part in weighting.terms]))


def stairs(weighting: Weighting) -> Points:
    """Return points below any monotone G: at each, the value one step to the left."""
    values = [_low(weighting, Fraction(k, STAIRS)) for k in range(STAIRS)]
    return [(Fraction(), values[0]), *((Fraction(k + 1, STAIRS), values[k]) for k in range(STAIRS))]


def weighted_sum(parts: list[tuple[Fraction, Points]]) -> Points:
    knots = sorted({x for _, points in parts for x, _ in points})
    totals = [Fraction()] * len(knots)
    for w, points in parts:
        k = 0
        for j, x in enumerate(knots):
            while k + 2 < len(points) and points[k + 1][0] <= x:
                k += 1
            (a, u), (b, v) = points[k], points[k + 1]
            totals[j] += w * (u + (v - u) * (x - a) / (b - a))
    return [(x, Fraction(float_below(g))) for x, g in zip(knots, totals, strict=True)]


def concave_corners(polygon: Polygon) -> bool:
    """Return whether no corner of the polygon is convex; used in heuristics only, never for bounds."""
    return all(a >= b * (1 - 1e-12) - 1e-12 for a, b in pairwise(polygon.slope))


def convex_corners(polygon: Polygon) -> bool:
    """Return whether no corner of the polygon is concave; used in heuristics only, never for bounds."""
    return all(a <= b * (1 + 1e-9) + 1e-9 for a, b in pairwise(polygon.slope))
