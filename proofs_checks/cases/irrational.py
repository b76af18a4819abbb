r"""What the claims need of real numbers beyond :mod:`verified_risk.numbers.enclosure`, whose functions it hands on.

Where a value is rational (``root(4)``, ``log(1)``, ``exp(0)``) it is exact, so that an attained claim is seen to hold
and is not left undecided.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Interval, Real, Truth, at_least, divide, exp, log, minimum, root

__all__ = ["absolute", "divide", "e_ratio", "exceeds", "exp", "log", "minimum", "root"]


def absolute(x: Real) -> Real:
    """The absolute value."""
    return abs(x) if isinstance(x, Interval) else abs(Fraction(x))


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
