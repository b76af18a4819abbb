r"""Rigorous logarithms, exponentials and square roots of rationals, as :class:`~verified_risk.enclosure.Interval`.

Where the value is rational (``root(4)``, ``log(1)``, ``exp(0)``) it is returned exactly, so that an attained claim
is seen to hold and is not left undecided.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from verified_risk.enclosure import Interval, Real, Truth, at_least, ball, bounds, enclose


@lru_cache(maxsize=20_000)
def log(x: Fraction | int) -> Real:
    """The natural logarithm of a positive rational."""
    value = Fraction(x)
    if value <= 0:
        raise ValueError(f"the logarithm of {value} is not a real number")
    return Fraction() if value == 1 else enclose(lambda arb: ball(value, arb).log())


@lru_cache(maxsize=20_000)
def _exp(x: Fraction) -> Real:
    return Fraction(1) if x == 0 else enclose(lambda arb: ball(x, arb).exp())


def exp(x: Real) -> Real:
    """The exponential; monotone, so an enclosure of ``x`` is mapped end by end."""
    low, high = bounds(x)
    if low == high:
        return _exp(low)
    return Interval(bounds(_exp(low))[0], bounds(_exp(high))[1])


@lru_cache(maxsize=50_000)
def _root(x: Fraction) -> Real:
    if x < 0:
        raise ValueError(f"the square root of {x} is not a real number")
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    return enclose(lambda arb: ball(x, arb).sqrt())


def root(x: Real | int) -> Real:
    """The square root of a nonnegative number, exact for squares of rationals."""
    low, high = bounds(x)
    if low == high:
        return _root(low)
    return Interval(bounds(_root(max(low, Fraction())))[0], bounds(_root(high))[1])


def divide(x: Real, y: Real | int) -> Real:
    """``x / y`` for ``y > 0``."""
    low, high = bounds(y)
    if low <= 0:
        raise ZeroDivisionError(f"dividing by {y}, which is not known to be positive")
    if low == high:
        return x * (1 / low)
    return x * Interval(1 / high, 1 / low)


def minimum(x: Real, y: Real) -> Real:
    """The lesser of two numbers, enclosed."""
    (a, b), (c, d) = bounds(x), bounds(y)
    low, high = min(a, c), min(b, d)
    return low if low == high else Interval(low, high)


def absolute(x: Real) -> Real:
    """The absolute value, enclosed."""
    low, high = bounds(x)
    if low >= 0:
        return x
    if high <= 0:
        return -x
    return Interval(Fraction(), max(-low, high))


def exceeds(x: Real, y: Real) -> bool:
    """``x > y``, decided; an exception where the enclosures overlap."""
    verdict = at_least(y, x)
    if verdict is Truth.UNKNOWN:
        raise ArithmeticError(f"{x} and {y} are too close to compare")
    return verdict is Truth.FAILS


def e_ratio() -> Real:
    r""":math:`e / (e - 1)`, the constant of the martingale step."""
    e = exp(Fraction(1))
    return divide(e, e - 1)
