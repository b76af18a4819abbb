"""Numbers that print on one line, rounded to the side that keeps a bound a bound."""

from __future__ import annotations

import math
from fractions import Fraction

from ..rational import float_below


def tidy_below(x: Fraction) -> Fraction:
    """``x`` itself if it is short, otherwise a short number just below it: bounds should print on one line."""
    if x.denominator.bit_length() <= 64:
        return x
    if abs(x) < 1:
        return Fraction(float_below(x))
    return Fraction(math.floor(x * 2**64), 2**64)  # a float would lose the fraction of a large number


def tidy_above(x: Fraction) -> Fraction:
    """``x`` itself if it is short, otherwise a short number just above it."""
    return -tidy_below(-x)


def short_below(x: Fraction) -> Fraction:
    """A short number, at most ``x`` and not much less: ``1/n``, or two digits if it is above 1."""
    if x < 1:
        return Fraction(1, math.ceil(1 / x))
    power = Fraction(10) ** (len(str(math.floor(x))) - 2)
    return math.floor(x / power) * power
