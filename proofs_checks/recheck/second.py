"""Deviations of a mean: the constants of a second paper."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from .enclosed import log_of
from .file_format import Outcome, check, number, require, whole


def _failing(instance: dict[str, Any], fails: Callable[[Fraction, Fraction], bool]) -> Outcome:
    """The probability of the sequences of draws that fail, against delta; ``fails(true - mean, sum of squares)``."""
    masses, n = [number(p) for p in instance["masses"]], whole(instance["n"], 2)
    delta = number(instance["delta"])
    require(sum(masses) == 1 and min(masses) >= 0 and len(masses) >= 2, "a probability vector")
    require(0 < delta <= 1 and n <= 64 and len(masses) ** n <= 10**6, "a level, and few draws")
    values = [Fraction(i, len(masses) - 1) for i in range(len(masses))]
    true = sum((p * x for p, x in zip(masses, values, strict=True)), Fraction())
    total = Fraction()
    for draws in product(range(len(masses)), repeat=n):
        mean = sum((values[i] for i in draws), Fraction()) / n
        squares = sum(((values[i] - mean) ** 2 for i in draws), Fraction())
        if fails(true - mean, squares):
            total += prod((masses[i] for i in draws), start=Fraction(1))
    return Outcome(total, "<=", delta)


@check("wang:half-width")
def _half_width(instance: dict[str, Any]) -> Outcome:
    """P(|mean - p| > (1/2) sqrt(log(4/delta) / N)) <= delta; both sides squared."""
    n, high = whole(instance["n"], 2), log_of(4 / number(instance["delta"]))[1]
    return _failing(instance, lambda gap, _: 4 * n * gap * gap > high)


@check("wang:variance")
def _variance(instance: dict[str, Any]) -> Outcome:
    """P(p - mean > sqrt(2 V log(2/delta) / N)) <= delta, V the sample variance; both sides squared."""
    n, high = whole(instance["n"], 2), log_of(2 / number(instance["delta"]))[1]
    return _failing(instance, lambda gap, squares: gap > 0 and n * (n - 1) * gap * gap > 2 * squares * high)
