r"""Weightings that are not piecewise linear, in the checker's form: mixtures of curves with points of their graphs.

A :class:`Point` states that a curve is at least, or at most, ``height`` at ``place``; its hints help the checker verify
it (``proofs_checks/formal/checker/CurveCheck.v``): for Wang's transform a z with :math:`N(z)` on the right side of the
place, for CPW bounds of :math:`\tau^\gamma` from both sides and of :math:`(1-\tau)^\gamma`.  A line of pieces lies
below the curve, each with the reason; stairs bound it from above.  Nothing here is trusted: the checker tests every
point.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ..numbers.rational import lcm_of_denominators
from ..objectives.piecewise import interpolate
from ..objectives.weighting import Knots

ROOM = Fraction(1, 2**64)
"""Distance above the level of an upper quantile; the lower quantile there is at least as large."""


@dataclass(frozen=True)
class Point:
    place: Fraction
    height: Fraction
    hints: tuple[Fraction, ...] = ()

    def words(self) -> str:
        return " ".join(str(x) for x in (self.place, self.height, *self.hints))


@dataclass(frozen=True)
class Level:
    """The curve is nondecreasing: it is at least its value at a place to the left."""

    left: Point

    def at(self, tau: Fraction) -> Fraction:
        return self.left.height

    def words(self) -> str:
        return f"level {self.left.words()}"


@dataclass(frozen=True)
class Through:
    """The line through two points, by its ``reason``: a ``chord`` of a concave curve, between points below it; a
    ``line`` of a convex one, which is above it beyond ``a``, a point below the curve, if ``b`` is a point above it."""

    reason: str
    a: Point
    b: Point

    def at(self, tau: Fraction) -> Fraction:
        a, b = self.a, self.b
        return a.height + (b.height - a.height) * (tau - a.place) / (b.place - a.place)

    def words(self) -> str:
        return f"{self.reason} {self.a.words()} {self.b.words()}"


@dataclass(frozen=True)
class Linear:
    """The curve is a polygon without a corner inside the piece."""

    knots: Knots

    def at(self, tau: Fraction) -> Fraction:
        return interpolate(self.knots, tau)

    def words(self) -> str:
        return "linear"


Support: TypeAlias = Level | Through | Linear
Piece: TypeAlias = tuple[Fraction, Support]
"""Where a piece ends, and why the curve is above it."""
Cell: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""Where a cell ends, and the bounds of :math:`(\\tau / (1 - \\tau))^\\gamma` on it."""


@dataclass(frozen=True)
class Turn:
    """Cells on which CPW is proved to be concave, from 0 on, and convex, from ``start`` on."""

    falling: tuple[Cell, ...]
    start: Fraction
    low: Fraction
    rising: tuple[Cell, ...]

    def words(self) -> str:
        def cells(found: tuple[Cell, ...]) -> str:
            return f"{len(found)} " + " ".join(f"{t} {low} {high}" for t, low, high in found)

        return f"falling {cells(self.falling)} rising {self.start} {self.low} {cells(self.rising)}\n"


@dataclass(frozen=True)
class BoundedCurve:
    """One curve of a mixture: the line below it at the places of the mixture, the stairs above it."""

    weight: Fraction
    name: str
    heights: tuple[Fraction, ...]
    supports: tuple[Support, ...]
    stairs: tuple[Point, ...]
    turn: Turn | None

    def lines(self) -> Iterator[str]:
        yield "curve\n" + (self.turn.words() if self.turn else "") + "line\n"
        for height, support in zip(self.heights, self.supports, strict=True):
            yield f"{height} {support.words()}\n"
        yield f"stairs {len(self.stairs)}\n" + "".join(f"{point.words()}\n" for point in self.stairs)


@dataclass(frozen=True)
class CurveJump:
    """At this corner of the broken line the mixture jumps by ``height``."""

    corner: int
    height: Fraction


@dataclass(frozen=True)
class Curved:
    """A mixture of curves, bounded by a broken line with corners at ``places`` and by stairs."""

    places: tuple[Fraction, ...]
    curves: tuple[BoundedCurve, ...]

    def words(self) -> str:
        return f"mixture {len(self.curves)} " + " ".join(f"weight {c.weight} {c.name}" for c in self.curves)

    @property
    def knots(self) -> Knots:
        """The broken line below the mixture, from (0, 0) on."""
        zero = (Fraction(), Fraction())
        return (
            zero,
            *((x, sum((c.weight * c.heights[i] for c in self.curves), Fraction())) for i, x in enumerate(self.places)),
        )

    def above(self, tau: Fraction) -> Fraction:
        """Return the bound of the stairs on the mixture at ``tau``."""
        total = Fraction()
        for c in self.curves:
            k = bisect_left(c.stairs, tau, key=lambda point: point.place)
            total += c.weight * (c.stairs[k].height if k < len(c.stairs) else 1)
        return total

    @property
    def jumps(self) -> tuple[CurveJump, ...]:
        """Where the line below the mixture may be raised for values not below a level."""
        found = []
        for c in self.curves:
            kind, _, level = c.name.partition(" ")
            if kind in ("jump", "upper"):
                start = Fraction(level) + (ROOM if kind == "upper" else 0)
                corner = 1 + self.places.index(start)
                found.append(CurveJump(corner, c.weight * (1 - c.heights[corner - 1])))
        return tuple(found)

    @property
    def stair_denominator(self) -> int:
        """A common denominator of all weights given by the stairs."""
        return lcm_of_denominators(c.weight * p.height for c in self.curves for p in c.stairs)

    @property
    def has_upper_quantiles(self) -> bool:
        return any(c.name.startswith("upper") for c in self.curves)

    def lines(self) -> Iterator[str]:
        if self.has_upper_quantiles:
            yield f"room {ROOM}\n"
        yield f"places {len(self.places)}\n" + " ".join(str(x) for x in self.places) + "\n"
        for c in self.curves:
            yield from c.lines()
