"""Curves and their points as Coq terms, for the theorem about one plan."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .curves import BoundedCurve, Cell, Chord, Curved, Level, Line, Point, Support, Turn


def rat(x: Fraction) -> str:
    """Return a rational number of the checker."""
    return f"(Rat {z(x.numerator)} {x.denominator})"


def z(n: int) -> str:
    return f"({n})" if n < 0 else str(n)


def coq_list(items: Iterable[str]) -> str:
    return "[" + "; ".join(items) + "]"


def mixture(objective: Curved) -> str:
    """Return the weighting that the claim is about."""
    return coq_list(f"({rat(c.weight)}, {_curve(c.name)})" for c in objective.curves)


def parts(objective: Curved) -> str:
    """Return the weighting with upper quantiles, which are not curves of the checker."""
    return coq_list(f"({rat(c.weight)}, {_part(c.name)})" for c in objective.curves)


def _part(name: str) -> str:
    kind, _, level = name.partition(" ")
    return f"UpperQuantile {rat(Fraction(level))}" if kind == "upper" else f"Whole ({_curve(name)})"


def _curve(name: str) -> str:
    kind, *words = name.split()
    numbers = [Fraction(word) for word in words]
    if kind in ("wang", "jump"):
        return f"{kind.capitalize()} {rat(numbers[0])}"
    if kind == "polygon":
        return f"Corners {coq_list(f'({rat(x)}, {rat(g)})' for x, g in zip(numbers[1::2], numbers[2::2], strict=True))}"
    constructor = {"hazard": "Hazard", "dual": "DualPower", "cpw": "Cpw"}[kind]
    return f"{constructor} {numbers[0].numerator} {numbers[0].denominator}"


def bounds(objective: Curved) -> str:
    """Return the places of the broken line, and the bounds on each curve."""
    return f"{coq_list(map(rat, objective.places))}\n  {coq_list(map(_bounds, objective.curves))}"


def _bounds(curve: BoundedCurve) -> str:
    pieces = coq_list(f"({rat(y)}, {_support(s)})" for y, s in zip(curve.heights, curve.supports, strict=True))
    return f"Bounds {_turn(curve.turn)}\n    {pieces}\n    {coq_list(map(_point, curve.stairs))}"


def _turn(turn: Turn | None) -> str:
    def cells(found: tuple[Cell, ...]) -> str:
        return coq_list(f"({rat(t)}, ({rat(low)}, {rat(high)}))" for t, low, high in found)

    if turn is None:
        return "(Turn [] (of_Z 0) (of_Z 0) [])"
    return f"(Turn {cells(turn.falling)} {rat(turn.start)} {rat(turn.low)} {cells(turn.rising)})"


def _point(point: Point) -> str:
    return f"(Point {rat(point.place)} {rat(point.height)} {coq_list(map(rat, point.hints))})"


def _support(support: Support) -> str:
    if isinstance(support, Level):
        return f"Level {_point(support.left)}"
    if isinstance(support, Chord):
        return f"Chord {_point(support.left)} {_point(support.right)}"
    if isinstance(support, Line):
        return f"Line {_point(support.touch)} {_point(support.helper)}"
    return "Linear"
