r"""Bounds on rounding errors (docs/theory/05-certificates.md, part A), and short numbers beyond a bound.

With :math:`u = 2^{-53}`, an expression of nonnegative leaves of depth ``K`` is computed as :math:`\hat x` with

.. math:: \hat x (1 - K u) \le x \le \hat x / (1 - K u),

whatever the order of its sums, fused or not.  Underflow adds an absolute term.  All arithmetic here is rational and
adds no rounding of its own.

Numbers are also rounded outward to short ones, so that bounds stay valid and print on one line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..errors import Unsupported
from ..mdp import MDP
from ..numbers.rational import float_below
from ..objectives import Weighting

UNIT_ROUNDOFF = Fraction(1, 2**53)
SMALLEST_NORMAL = Fraction(1, 2**1022)


def gamma(depth: int) -> Fraction:
    r""":math:`\gamma_K = K u / (1 - K u)`."""
    share = depth * UNIT_ROUNDOFF
    if share >= 1:
        raise Unsupported(f"{depth} roundings in a row leave no correct digit", instead="exact_plan, or a coarser eta")
    return share / (1 - share)


@dataclass(frozen=True)
class Enclosure:
    """Bounds on a nonnegative number of at most ``size`` after ``depth`` successive roundings, including underflow.

    Even hardware that flushes subnormal numbers to zero loses at most ``2**-1022`` per operation and, per probability
    that is itself subnormal, that much times the value it weighs.
    """

    depth: int
    size: int = 1

    @cached_property
    def shrink(self) -> Fraction:
        """``1 - K u``."""
        gamma(self.depth)  # raises if the depth is too large to bound
        return 1 - self.depth * UNIT_ROUNDOFF

    @cached_property
    def underflow(self) -> Fraction:
        return 4 * self.depth * (self.size + 1) * SMALLEST_NORMAL

    def below(self, computed: float) -> Fraction:
        """Return a lower bound on the exact value."""
        return max(Fraction(computed) * self.shrink - self.underflow, Fraction())

    def above(self, computed: float) -> Fraction:
        """Return an upper bound on the exact value."""
        return (Fraction(computed) + self.underflow) / self.shrink


# -- short numbers, rounded outward ------------------------------------------------------------------------------------


def tidy_below(x: Fraction) -> Fraction:
    """Return ``x`` if it is short, otherwise a short number just below it."""
    if x.denominator.bit_length() <= 64:
        return x
    if abs(x) < Fraction(1, 2**900):  # a float would lose some or all of its digits
        shift = 64 + x.denominator.bit_length() - abs(x.numerator).bit_length()
        return Fraction(math.floor(x * 2**shift), 2**shift)
    if abs(x) < 1:
        return Fraction(float_below(x))
    return Fraction(math.floor(x * 2**64), 2**64)  # a float would lose the fractional part of a large number


POINTS = Fraction(1, 2**58)  # share of the range of returns within which a certificate encloses an irrational weighting


def confirmable(lower: Fraction, mdp: MDP, objective: Weighting) -> Fraction:
    """Return a short number just below ``lower`` that the checker can confirm.

    The checker encloses an irrational weighting to within :data:`POINTS`, so a bound from such an enclosure is lowered
    by that much; a bound with a denominator of at most 32 bits is taken not to come from one.
    """
    low, high = mdp.remaining_range(0)
    irrational = any(part.knots is None and part.quantile is None for _, part in objective.terms)
    enclosed = irrational and lower.denominator.bit_length() > 32
    return tidy_below(max(low, lower - POINTS * (high - low)) if enclosed else lower)


def tidy_above(x: Fraction) -> Fraction:
    """Return ``x`` if it is short, otherwise a short number just above it."""
    return -tidy_below(-x)


def short_below(x: Fraction) -> Fraction:
    """Return a short number at most ``x > 0``: below 1 it is ``1/n``, at least half of x, otherwise of two digits."""
    if x < 1:
        return Fraction(1, math.ceil(1 / x))
    power = Fraction(10) ** (len(str(math.floor(x))) - 2)
    return math.floor(x / power) * power


def round_up_to_two_digits(x: Fraction) -> Fraction:
    """Return the least number of two significant digits that is at least ``x > 0``; exact, however large ``x`` is."""
    power = Fraction(1)
    while x * power < 10:
        power *= 10
    while x * power >= 100:
        power /= 10
    return math.ceil(x * power) / power


def within_range(mdp: MDP, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Clip bounds on an objective to the range of returns."""
    low, high = mdp.remaining_range(0)
    return max(lower, low), min(upper, high)
