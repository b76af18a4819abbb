"""Rigorous enclosures with rational endpoints, and the one place that talks to arb.

An :class:`Interval` is a pair of rationals known to bracket a real number.  Its arithmetic is exact, hence outward
rounding is never needed; comparing is three-valued, because "not proved" must never read as "false".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import MissingDependency

if TYPE_CHECKING:
    from flint import arb

PRECISION_BITS = 160


class Truth(Enum):
    """Holds, fails, or not decided at this precision."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a three-valued truth has no bool: compare with Truth.HOLDS, FAILS or UNKNOWN")


@dataclass(frozen=True, slots=True)
class Interval:
    """A real number known to lie in ``[lower, upper]``.

    >>> Interval(Fraction(1), Fraction(2)) - Fraction(1, 2)
    Interval(1/2, 3/2)
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"an interval from {self.lower} to {self.upper} is empty")

    def __repr__(self) -> str:
        return f"Interval({self.lower}, {self.upper})"

    def __str__(self) -> str:
        return f"{float(self):.15g}"

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower

    def __add__(self, other: Real) -> Interval:
        low, high = bounds(other)
        return Interval(self.lower + low, self.upper + high)

    __radd__ = __add__

    def __neg__(self) -> Interval:
        return Interval(-self.upper, -self.lower)

    def __sub__(self, other: Real) -> Interval:
        return self + (-other)

    def __rsub__(self, other: Real) -> Interval:
        return (-self) + other

    def __mul__(self, other: Real) -> Interval:
        low, high = bounds(other)
        corners = (self.lower * low, self.lower * high, self.upper * low, self.upper * high)
        return Interval(min(corners), max(corners))

    __rmul__ = __mul__

    def __contains__(self, x: Fraction | int) -> bool:
        return self.lower <= x <= self.upper


#: An exact number, or a rigorous enclosure of one.
Real: TypeAlias = Fraction | int | Interval


def bounds(x: Real) -> tuple[Fraction, Fraction]:
    """Rational numbers below and above ``x``; equal when ``x`` is exact."""
    return (x.lower, x.upper) if isinstance(x, Interval) else (Fraction(x), Fraction(x))


def at_least(x: Real, y: Real) -> Truth:
    """Is ``x >= y``?"""
    low, high = bounds(x - y)
    if low >= 0:
        return Truth.HOLDS
    return Truth.FAILS if high < 0 else Truth.UNKNOWN


def enclose(formula: Callable[[Any], arb], *, bits: int = PRECISION_BITS) -> Interval:
    """Evaluate ``formula(arb)`` in ball arithmetic and return rational endpoints.

    ``formula`` receives the ``arb`` type (so that callers need not import flint) and must use only ball operations.
    The precision is doubled, up to sixteen times ``bits``, until the radius is finite and below ``2^-bits/2``.
    """
    try:
        from flint import arb, ctx
    except ImportError:
        raise MissingDependency(
            "this value is irrational and its enclosure needs python-flint: pip install 'verified-risk[exact]'"
        ) from None
    saved = ctx.prec
    try:
        for factor in (1, 2, 4, 8, 16):
            ctx.prec = bits * factor
            ball = formula(arb)
            if ball.is_finite() and float(ball.rad()) < 2.0 ** (-bits // 2):
                break
        else:
            if not ball.is_finite():
                raise ArithmeticError("ball arithmetic gave no finite enclosure at the highest precision")
        return Interval(_dyadic(ball.lower()), _dyadic(ball.upper()))
    finally:
        ctx.prec = saved


def _dyadic(ball: arb) -> Fraction:
    """The exact rational of a ball of radius zero."""
    mantissa, exponent = ball.man_exp()
    scale = Fraction(2) ** int(exponent)
    return int(mantissa) * scale


def ball(x: Fraction, arb: Any) -> Any:
    """A rational as a ball of the current precision."""
    return arb(x.numerator) / arb(x.denominator)
