r"""Exact laws of small experiments: multinomials, tapes of independent draws, adaptive trees.

Every outcome is enumerated with its rational probability; nothing is simulated.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

from .histories import added

Gap: TypeAlias = Callable[[Sequence[int], Sequence[Fraction]], Fraction]
"""``gap(counts, masses)``, a distance of frequencies and masses."""


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write ``total`` as an ordered sum of ``parts`` nonnegative integers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def multinomial(masses: Sequence[Fraction], n: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """The counts of ``n`` independent draws, with their probabilities; impossible counts are left out."""
    for counts in compositions(n, len(masses)):
        ways = math.factorial(n)
        probability = Fraction(1)
        for count, mass in zip(counts, masses, strict=True):
            ways //= math.factorial(count)
            probability *= mass**count
        if probability:
            yield counts, ways * probability


def _errors(counts: Sequence[int], masses: Sequence[Fraction]) -> list[Fraction]:
    """Each frequency minus its mass."""
    n = sum(counts)
    return [Fraction(c, n) - p for c, p in zip(counts, masses, strict=True)]


def kolmogorov_gap(counts: Sequence[int], masses: Sequence[Fraction]) -> Fraction:
    """The largest difference of the cumulative frequencies and the cumulative masses (atoms in increasing order)."""
    return max(map(abs, accumulate(_errors(counts, masses))))


def l1_gap(counts: Sequence[int], masses: Sequence[Fraction]) -> Fraction:
    return sum(map(abs, _errors(counts, masses)), Fraction())


def sup_gap(counts: Sequence[int], masses: Sequence[Fraction]) -> Fraction:
    return max(map(abs, _errors(counts, masses)))


def excess_gap(counts: Sequence[int], masses: Sequence[Fraction]) -> Fraction:
    """The largest excess of a frequency over its mass."""
    return max(_errors(counts, masses))


def tail_of(gap: Gap, masses: Sequence[Fraction], n: int) -> list[tuple[Fraction, Fraction]]:
    """Pairs ``(d, P(gap >= d))`` over the attained distances d, increasing."""
    weights = added((gap(counts, masses), p) for counts, p in multinomial(masses, n))
    falling = sorted(weights, reverse=True)
    return list(zip(falling, accumulate(weights[d] for d in falling), strict=True))[::-1]


def leaving_probability(
    masses: Sequence[Fraction], most: int, leaves: Callable[[int, tuple[int, ...]], bool]
) -> Fraction:
    """The probability that independent draws ever make ``leaves(n, counts)`` true for some ``1 <= n <= most``."""
    level: dict[tuple[int, ...], Fraction] = {(0,) * len(masses): Fraction(1)}
    left = Fraction()
    for n in range(1, most + 1):
        following = added(
            ((*counts[:i], counts[i] + 1, *counts[i + 1 :]), p * mass)
            for counts, p in level.items()
            for i, mass in enumerate(masses)
            if mass
        )
        level = {}
        for counts, p in following.items():
            if leaves(n, counts):
                left += p
            else:
                level[counts] = p
    return left
