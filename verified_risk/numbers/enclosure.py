"""Rigorous enclosures with rational endpoints, and the only interface to arb.

An :class:`Interval` is a pair of rationals known to bracket a real number.  Its arithmetic is exact, so outward
rounding is never needed; comparison is three-valued, because "not proved" must never mean "false".  Logarithm,
exponential and square root are exact if their value is rational, and enclosed otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from flint import arb

PRECISION_BITS = 160
"""Three times the 53 bits of a float: after some cancellation, enclosures are still far narrower than floats."""


class Truth(Enum):
    """Holds, fails, or undecided at this precision."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a three-valued truth has no bool: compare with Truth.HOLDS, FAILS or UNKNOWN")


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A real number known to lie in ``[lower, upper]``.

    Enclosures cannot decide whether two numbers are equal, so ``==`` raises; see :func:`at_least`.

    >>> Interval(Fraction(1), Fraction(2)) - Fraction(1, 2)
    Interval(1/2, 3/2)

    :param lower: the lower end
    :param upper: the upper end
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

    def __eq__(self, other: object) -> bool:
        raise TypeError("enclosures have no ==: use at_least(x, y), or compare x.lower and x.upper with a purpose")

    __hash__ = None  # type: ignore[assignment]

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

    def __truediv__(self, other: Real) -> Interval:
        low, high = bounds(other)
        if low <= 0 <= high:
            raise ZeroDivisionError(f"dividing by a number in [{low}, {high}], which is not known to differ from 0")
        return self * Interval(1 / high, 1 / low)

    def __rtruediv__(self, other: Fraction | int) -> Interval:
        return Interval(Fraction(other), Fraction(other)) / self

    def __abs__(self) -> Interval:
        if self.lower >= 0:
            return self
        return -self if self.upper <= 0 else Interval(Fraction(), max(-self.lower, self.upper))

    def __contains__(self, x: Fraction | int) -> bool:
        return self.lower <= x <= self.upper


#: An exact number, or a rigorous enclosure of one.
Real: TypeAlias = Fraction | int | Interval


def bounds(x: Real) -> tuple[Fraction, Fraction]:
    """Return rational numbers below and above ``x``; equal if ``x`` is exact."""
    return (x.lower, x.upper) if isinstance(x, Interval) else (Fraction(x), Fraction(x))


def at_least(x: Real, y: Real) -> Truth:
    """Decide whether ``x >= y``."""
    low, high = bounds(x - y)
    if low >= 0:
        return Truth.HOLDS
    return Truth.FAILS if high < 0 else Truth.UNKNOWN


def enclose(formula: Callable[[Any], arb], *, bits: int = PRECISION_BITS) -> Interval:
    """Evaluate ``formula(arb)`` in ball arithmetic and return rational endpoints.

    ``formula`` receives the ``arb`` type (so that callers need not import flint) and must use only ball operations.
    The precision is doubled, up to sixteen times ``bits``, until the radius is finite and below ``2^-bits/2``.
    """
    from flint import arb, ctx

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
    """Return the exact rational of a ball of radius zero."""
    mantissa, exponent = ball.man_exp()
    scale = Fraction(2) ** int(exponent)
    return int(mantissa) * scale


def ball(x: Fraction, arb: Any) -> Any:
    """Return a rational as a ball of the current precision."""
    return arb(x.numerator) / arb(x.denominator)


# -- functions of a real number: exact if the value is rational, enclosed otherwise -----------------------------------


def log(x: Real) -> Real:
    """Return the natural logarithm of a positive number; 0 at 1."""
    return _increasing(_log, x)


def exp(x: Real) -> Real:
    """Return the exponential; 1 at 0."""
    return _increasing(_exp, x)


def root(x: Real) -> Real:
    """Return the square root of a nonnegative number, exact for squares of rationals."""
    low, high = bounds(x)
    return _increasing(_root, x if low == high else Interval(max(low, Fraction()), high))


def minimum(x: Real, y: Real) -> Real:
    """Return the lesser of two numbers."""
    (a, b), (c, d) = bounds(x), bounds(y)
    return between(min(a, c), min(b, d))


def divide(x: Real, y: Real) -> Real:
    """Return ``x / y`` in exact arithmetic, also for two integers."""
    return Fraction(x) / y if isinstance(x, int) else x / y


def _increasing(function: Callable[[Fraction], Real], x: Real) -> Real:
    """Apply an increasing function to both ends."""
    low, high = bounds(x)
    return function(low) if low == high else between(bounds(function(low))[0], bounds(function(high))[1])


def between(low: Fraction, high: Fraction) -> Real:
    """Return the number between two ends: itself if they meet, otherwise an enclosure."""
    return low if low == high else Interval(low, high)


@lru_cache(maxsize=20_000)
def _log(x: Fraction) -> Real:
    if x <= 0:
        raise ValueError(f"the logarithm of {x} is not a real number")
    return Fraction() if x == 1 else enclose(lambda arb: ball(x, arb).log())


@lru_cache(maxsize=20_000)
def _exp(x: Fraction) -> Real:
    return Fraction(1) if x == 0 else enclose(lambda arb: ball(x, arb).exp())


@lru_cache(maxsize=50_000)
def _root(x: Fraction) -> Real:
    if x < 0:
        raise ValueError(f"the square root of {x} is not a real number")
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    return enclose(lambda arb: ball(x, arb).sqrt())
