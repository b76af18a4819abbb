r"""Functions of real numbers that claims need beyond :mod:`verified_risk.numbers.enclosure`, which it re-exports.

Rational values (``root(4)``, ``log(1)``, ``exp(0)``) are exact, so that a claim that holds with equality is decided.
"""

import operator
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce

from verified_risk.numbers.enclosure import Interval, Real, Truth, at_least, divide, exp, log, minimum, root

__all__ = ["absolute", "divide", "e_ratio", "exceeds", "exp", "log", "minimum", "root", "total"]


def absolute(x: Real) -> Real:
    """The absolute value."""
    return abs(x) if isinstance(x, Interval) else abs(Fraction(x))


def total(numbers: Iterable[Real]) -> Real:
    """The sum; :func:`sum` is typed for numbers of one kind."""
    return reduce(operator.add, numbers, Fraction())


def exceeds(x: Real, y: Real) -> bool:
    """``x > y``; raise ``ArithmeticError`` if the enclosures overlap."""
    verdict = at_least(y, x)
    if verdict is Truth.UNKNOWN:
        raise ArithmeticError(f"{x} and {y} are too close to compare")
    return verdict is Truth.FAILS


def e_ratio() -> Real:
    r""":math:`e / (e - 1)`, the constant of the martingale step."""
    e = exp(Fraction(1))
    return divide(e, e - 1)
