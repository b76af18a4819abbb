"""Rows of probabilities that miss a sum of 1: what was meant, and what was done about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..numbers.format import above
from ..numbers.rational import exact_sum, meant, said

ULPS = 4
"""Allowed deviation of a row's sum from 1, in units in the last place per entry, due to normalising in floats."""
DECIMALS = 10**60
"""A multiple of the denominators of decimals of floats, and of their sums, but not of thirds."""


class Repairs:
    """Counts repaired rows and remembers those that moved most; :meth:`notes` says so in a line each."""

    def __init__(self) -> None:
        self.fractions = self.moved = self.divided = 0
        self.largest, self.where = Fraction(), ""
        self.worst, self.at = Fraction(1), ""

    def repaired(self, row: Sequence[Fraction], where: str) -> list[Fraction] | None:
        """Return the law that a row of floats was normalised to; None if that is not how it misses a sum of 1.

        Every entry must be a decimal, and the sum within :data:`ULPS` units in the last place of 1 per entry.  The row
        is read as small fractions if these sum to 1; otherwise its largest entry absorbs the difference.
        """
        gap = exact_sum(row) - 1
        if abs(gap) * 2**53 > ULPS * len(row) or any(DECIMALS % p.denominator for p in row):
            return None
        small = [meant(float(p)) for p in row]
        if sum(small) == 1:
            self.fractions += 1
            return small
        self.move(abs(gap), where)
        largest = max(range(len(row)), key=row.__getitem__)
        return [p - gap if i == largest else p for i, p in enumerate(row)]

    def move(self, amount: Fraction, where: str) -> None:
        """Record that the largest entry of a row was moved."""
        self.moved += 1
        if amount > self.largest:
            self.largest, self.where = amount, where

    def divide(self, total: Fraction, where: str) -> None:
        """Record that a row was divided by its sum."""
        self.divided += 1
        if abs(total - 1) > abs(self.worst - 1):
            self.worst, self.at = total, where

    def notes(self) -> Iterator[str]:
        if self.fractions:
            yield f"{self.fractions} rows of floats were read as the small fractions that they round"
        if self.moved:
            yield (
                f"{self.moved} rows of floats missed a sum of 1 by rounding: the largest entry of each was moved, "
                f"by at most {above(self.largest)} ({self.where})"
            )
        if self.divided:
            amount = f"moved by {float(abs(self.worst - 1)):.3g}"
            worst = f"{self.at} summed to {said(self.worst)} and was divided by it ({amount})"
            more = f"{self.divided} rows did not sum to 1 and were divided by their sum; the farthest: "
            yield more + worst if self.divided > 1 else worst
