r"""Bounds on the rounding error of a computed number (docs/theory/05-certificates.md, part A).

With :math:`u = 2^{-53}`, an expression of nonnegative leaves of depth ``K`` is computed as :math:`\hat x` with

.. math:: \hat x (1 - K u) \le x \le \hat x / (1 - K u),

whatever the order of its sums, fused or not.  Underflow adds an absolute term.  All arithmetic here is rational and
adds no rounding of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import Unsupported

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

    @property
    def shrink(self) -> Fraction:
        """``1 - K u``."""
        gamma(self.depth)  # raises if the depth is too large to bound
        return 1 - self.depth * UNIT_ROUNDOFF

    @property
    def underflow(self) -> Fraction:
        return 4 * self.depth * (self.size + 1) * SMALLEST_NORMAL

    def below(self, computed: float) -> Fraction:
        """Return a lower bound on the exact value."""
        return max(Fraction(computed) * self.shrink - self.underflow, Fraction())

    def above(self, computed: float) -> Fraction:
        """Return an upper bound on the exact value."""
        return (Fraction(computed) + self.underflow) / self.shrink
