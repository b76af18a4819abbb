"""The false claim again, from the numbers of its certificate, with the standard library alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any


def median(masses: dict[Fraction, Fraction]) -> Fraction:
    """The least value whose CDF is at least 1/2."""
    return min(x for x in masses if sum(p for y, p in masses.items() if y <= x) >= Fraction(1, 2))


def pool_median(instance: dict[str, Any]) -> tuple[Fraction, str, Fraction]:
    """Both sides of the claim: left, relation, right."""
    first, second = (
        dict(zip(map(Fraction, law["atoms"]), map(Fraction, law["masses"]), strict=True))
        for law in (instance["first"], instance["second"])
    )
    if not all(sum(law.values()) == 1 and min(law.values()) > 0 for law in (first, second)):
        raise ValueError("wanted two laws")
    total: dict[Fraction, Fraction] = {}
    for (x, p), (y, q) in product(first.items(), second.items()):
        total[x + y] = total.get(x + y, Fraction()) + p * q
    return median(total), ">=", median(first) + median(second)


CHECKS = {"pool:median": pool_median}
