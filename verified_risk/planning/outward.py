"""Numbers that print on one line, rounded to the side that keeps a bound a bound."""

from __future__ import annotations

import math
from fractions import Fraction

from ..mdp import MDP
from ..numbers.rational import float_below


def tidy_below(x: Fraction) -> Fraction:
    """``x`` itself if it is short, otherwise a short number just below it: bounds should print on one line."""
    if x.denominator.bit_length() <= 64:
        return x
    if abs(x) < Fraction(1, 2**900):  # a float would lose its digits, or all of it
        shift = 64 + x.denominator.bit_length() - abs(x.numerator).bit_length()
        return Fraction(math.floor(x * 2**shift), 2**shift)
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


def round_up_to_two_digits(x: Fraction) -> Fraction:
    """The least number of two significant digits that is at least ``x > 0``; no float is needed, however large."""
    power = Fraction(1)
    while x * power < 10:
        power *= 10
    while x * power >= 100:
        power /= 10
    return Fraction(-((-x * power).__floor__())) / power


def within_range(mdp: MDP, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of an objective, cut to the range of returns that every policy stays in."""
    low, high = mdp.remaining_range(0)
    return max(lower, low), min(upper, high)
