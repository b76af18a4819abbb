r"""Points of curves, tested in integers: powers, Wang's transform, CPW, polygons and jumps.

A point below a curve says that the curve is at least its height there, a point above that it is at most that.  A
*line* of pieces is below a curve, each for one of four reasons; *stairs* are above it.  docs/proof_format.md, *Curves*.

The normal law is :math:`N(z) = 1/2 + A(z) / 2 A(\infty)` with :math:`A(z) = \int_0^z e^{-t^2/2} dt = z \sum_n (-u)^n /
(n! (2n + 1))`, :math:`u = z^2 / 2`; the partial sums are in turn above and below.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

from .integer_tables import require
from .weightings import Corners, Polygon

ZERO, ONE = Fraction(), Fraction(1)
HALF_LOW = Fraction(125331413731550025120788264240552262, 10**35)
HALF_HIGH = Fraction(125331413731550025120788264240552263, 10**35)
"""Half of the whole integral, the root of pi / 2, is between these."""
DIGITS = 192
"""Binary digits of the terms of the series, which are rounded outward."""


class Curve(NamedTuple):
    """``hazard``, ``dual``, ``cpw`` p / q, ``wang`` shift, ``jump`` level (all in ``x``), or ``polygon``."""

    kind: str
    x: Fraction
    corners: Corners = ()

    @property
    def is_good(self) -> bool:
        p, q = self.x.numerator, self.x.denominator
        if self.kind in ("hazard", "dual"):
            return p > 0
        if self.kind == "cpw":
            return 0 < p < q and Fraction(p * p, q * (q - p)) ** p <= Fraction(p * q, (q - p) ** 2) ** q
        if self.kind == "polygon":
            return Polygon(self.corners).is_good
        return self.kind == "wang" or 0 < self.x <= 1

    def concave_to(self, turn: Turn) -> Fraction:
        """The curve is concave between 0 and this."""
        if self.kind == "cpw":
            return proved_to(self.x, turn.falling, ZERO, ZERO, rising=False)
        signs = {"hazard": self.x <= 1, "dual": self.x >= 1, "wang": self.x >= 0}
        return ONE if signs.get(self.kind, False) else ZERO

    def convex_between(self, turn: Turn) -> tuple[Fraction, Fraction]:
        """The curve is convex between these."""
        if self.kind == "cpw":
            t, low = turn.start, turn.low
            if 0 < t < 1 and low >= 0 and root_below(self.x, odds(t), low):
                return t, proved_to(self.x, turn.rising, t, low, rising=True)
        signs = {"hazard": self.x >= 1, "dual": self.x <= 1, "wang": self.x <= 0}
        return (ZERO, ONE) if signs.get(self.kind, False) else (ONE, ONE)


def root_below(g: Fraction, x: Fraction, y: Fraction) -> bool:
    """Whether y <= x^g is shown by integers."""
    return y <= 0 or (x >= 0 and y**g.denominator <= x**g.numerator)


def root_above(g: Fraction, x: Fraction, y: Fraction) -> bool:
    """Whether x^g <= y."""
    return x >= 0 and y >= 0 and x**g.numerator <= y**g.denominator


def compared(g: Fraction, y: Fraction, d: Fraction, a: Fraction) -> int:
    """Return a number of the sign of y^p d^q - a^p, g = p / q."""
    p, q = g.numerator, g.denominator
    left = y.numerator**p * d.numerator**q * a.denominator**p
    return int(left - a.numerator**p * y.denominator**p * d.denominator**q)


@lru_cache(1 << 14)
def normal(z: Fraction, *, up: bool) -> Fraction:
    """Return a bound of N(z), from above or from below."""
    if z < 0:
        return 1 - normal(-z, up=not up)
    n, d = z.numerator**2, 2 * z.denominator**2
    one = 1 << DIGITS + 4 * (n // d)
    low = high = one  # of u^k / k!
    total = 0
    for k in range(2 * (24 + 4 * (n // d)) + (1 if up else 2)):
        if k:
            low, high = low * n // (d * k), -(-high * n // (d * k))
        from_above = up == (k % 2 == 0)
        term = -(-high // (2 * k + 1)) if from_above else low // (2 * k + 1)
        total += -term if k % 2 else term
    share = z * Fraction(total, one) / (2 * (HALF_LOW if up else HALF_HIGH))
    return Fraction(1, 2) + share


class Point(NamedTuple):
    place: Fraction
    height: Fraction
    hints: tuple[Fraction, ...] = ()

    @lru_cache(1 << 12)  # noqa: B019 (a point ends one piece and begins the next)
    def is_below(self, curve: Curve) -> bool:
        """Whether the curve is proved to be at least the height at the place."""
        x, y, (kind, g, corners) = self.place, self.height, curve
        if not 0 <= x <= 1:
            return False
        if kind == "hazard":
            return root_below(g, x, y)
        if kind == "dual":
            return root_above(g, 1 - x, 1 - y)
        if kind == "polygon":
            return y <= Polygon(corners)(x)
        if y <= 0:
            return True
        if kind == "jump":
            return g <= x and y <= 1
        if kind == "wang":
            (z,) = self.hints
            return normal(z, up=True) <= x and y <= normal(z + g, up=False)
        a, b, c = self.hints
        holds = root_below(g, x, a) and root_above(g, x, b) and root_above(g, 1 - x, c)
        return holds and b + c > 0 and a >= 0 and compared(g, y, b + c, a) <= 0

    def is_above(self, curve: Curve) -> bool:
        """Whether the curve is proved to be at most the height at the place."""
        x, y, (kind, g, corners) = self.place, self.height, curve
        if not 0 <= x <= 1:
            return False
        if y >= 1 or (x == 0 and y >= 0):
            return True
        if kind == "hazard":
            return root_above(g, x, y)
        if kind == "dual":
            return root_below(g, 1 - x, 1 - y)
        if kind == "polygon":
            return Polygon(corners)(x) <= y
        if kind == "jump":
            return y >= 0 and x < g
        if kind == "wang":
            (z,) = self.hints
            return x <= normal(z, up=False) and normal(z + g, up=True) <= y
        a, b, c = self.hints
        holds = root_above(g, x, a) and root_below(g, x, b) and root_below(g, 1 - x, c)
        return holds and y > 0 and b + c > 0 and compared(g, y, b + c, a) >= 0


# -- where CPW bends -------------------------------------------------------------------------------------------------

Bend: TypeAlias = Sequence[tuple[Fraction, Fraction, Fraction]]
"""Where each cell ends, and bounds of (t / (1 - t))^g there."""


class Turn(NamedTuple):
    """Cells in which CPW is concave, from 0 on, and convex, from ``start`` on, where v^g is at least ``low``."""

    falling: Bend = ()
    start: Fraction = ZERO
    low: Fraction = ZERO
    rising: Bend = ()


def odds(t: Fraction) -> Fraction:
    return t / (1 - t)


def proved_to(g: Fraction, cells: Bend, t: Fraction, low: Fraction, *, rising: bool) -> Fraction:
    """Return how far the sign of the curvature is proved, from t on.

    With v = t / (1 - t) and r = v^g it is the sign of (1-g)(2-g) r^2 + r (2 g^2 - 5 g + 1 - 2 v + (1-g) v^2) + 2 g v
    + 2 v^2 - g (1-g), which a cell bounds by the ends that favour it least.
    """
    for end, low_end, high_end in cells:
        if not (
            t < end < 1 and low_end >= 0 and root_below(g, odds(end), low_end) and root_above(g, odds(end), high_end)
        ):
            return t
        v, v_end = odds(t), odds(end)
        near, far = (v, v_end) if rising else (v_end, v)
        r, other = (low, high_end) if rising else (high_end, low)
        middle = 2 * g * g - 5 * g + 1 - 2 * far + (1 - g) * near * near
        curvature = (
            (1 - g) * (2 - g) * r * r
            + (r if middle >= 0 else other) * middle
            + 2 * g * near
            + 2 * near * near
            - g * (1 - g)
        )
        if curvature < 0 if rising else curvature > 0:
            return t
        t, low = end, low_end
    return t


# -- lines below and stairs above a curve ----------------------------------------------------------------------------


class Piece(NamedTuple):
    """The height of a line at a place, and why the curve is above the piece that ends there."""

    height: Fraction
    reason: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Bounds:
    turn: Turn
    pieces: Sequence[Piece]
    stairs: Sequence[Point]


def is_supported(
    curve: Curve,
    concave: Fraction,
    convex: tuple[Fraction, Fraction],
    x: Fraction,
    y: Fraction,
    x_end: Fraction,
    piece: Piece,
) -> bool:
    """Whether the piece from (x, y) to ``x_end`` is below the curve."""
    y_end, points = piece.height, piece.points
    if piece.reason == "linear":
        own = Polygon(curve.corners) if curve.kind == "polygon" else None
        return (
            own is not None and not any(x < c < x_end for c, _ in curve.corners) and y <= own(x) and y_end <= own(x_end)
        )
    if piece.reason == "level":
        (left,) = points
        return left.is_below(curve) and left.place <= x and max(y, y_end) <= left.height
    a, b = points
    if a.place == b.place or not a.is_below(curve):
        return False
    slope = (b.height - a.height) / (b.place - a.place)
    if y > a.height + slope * (x - a.place) or y_end > a.height + slope * (x_end - a.place):
        return False
    if piece.reason == "chord":
        return b.is_below(curve) and a.place <= x and x_end <= b.place < concave
    low, high = convex  # a touches the curve, b is above it on the other side of a
    if not b.is_above(curve):
        return False
    return (
        low < b.place < a.place <= x and x_end < high
        if b.place < a.place
        else low < x and x_end <= a.place and b.place < high
    )


class Mixture:
    """Weights and curves, each with its bounds; the lines have their corners at ``places``."""

    def __init__(
        self, parts: Sequence[tuple[Fraction, Curve]], places: Sequence[Fraction], bounds: Sequence[Bounds]
    ) -> None:
        self.parts, self.places, self.bounds = parts, places, bounds
        self.lines: dict[Fraction, Polygon] = {}

    def require_good(self, why: str) -> None:
        good = all(w >= 0 and curve.is_good for w, curve in self.parts)
        require(good and sum(w for w, _ in self.parts) == 1, why)

    def require_bounded(self, tick: Callable[[], None]) -> None:
        for number, ((_, curve), bounds) in enumerate(zip(self.parts, self.bounds, strict=True)):
            wrong = f"refused: a point of a curve is not proved: curve {number}: "
            concave, convex = curve.concave_to(bounds.turn), curve.convex_between(bounds.turn)
            x, y = ZERO, ZERO
            for i, (x_end, piece) in enumerate(zip(self.places, bounds.pieces, strict=True)):
                tick()
                right = x < x_end <= 1 and is_supported(curve, concave, convex, x, y, x_end, piece)
                require(right, f"{wrong}piece {i} of its line is not proved to be below it")
                x, y = x_end, piece.height
            require(x >= 1, f"{wrong}the line does not reach 1")
            for i, point in enumerate(bounds.stairs):
                tick()
                require(point.is_above(curve), f"{wrong}stair {i} is not proved to be above it")

    def line_for(self, p: Fraction) -> Polygon:
        """Return the mixture of the lines for values from p on: a jump that is not behind p counts as 1."""
        passed = max((curve.x for _, curve in self.parts if curve.kind == "jump" and curve.x <= p), default=ZERO)
        if passed not in self.lines:
            heights = [ZERO] * len(self.places)
            for (w, curve), bounds in zip(self.parts, self.bounds, strict=True):
                full = curve.kind == "jump" and curve.x <= passed
                heights = [
                    g + w * (1 if full else piece.height) for g, piece in zip(heights, bounds.pieces, strict=True)
                ]
            self.lines[passed] = Polygon(list(zip(self.places, heights, strict=True)))
        return self.lines[passed]

    def weigh(self, V: int) -> Callable[[int], int]:
        """Return V times the stairs at x / V, rounded up, as a function of an integer x."""
        parts: list[Any] = []
        for (w, _), bounds in zip(self.parts, self.bounds, strict=True):
            places = [V * x.numerator // x.denominator for x in accumulate((p.place for p in bounds.stairs), max)]
            parts.append((places, [w * p.height for p in bounds.stairs] + [w]))
        return lambda x: -int(-V * sum(heights[bisect_left(places, x)] for places, heights in parts) // 1)
