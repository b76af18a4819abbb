r"""Covers: why no policy is better under a piecewise-linear weighting, as a tree of cuts with multipliers at leaves.

In units, with the return rounded up to the grid, :math:`\Phi = \text{top} - \sum_i G(F_i)`, :math:`F_i = P(Z \le i)`.
A leaf is a box of CDFs and proves its bound by weak duality (docs/theory/05-certificates.md, B1): for any c,

.. math:: \sum_i G(F_i) \ge \min_\pi \sum_i c_i F_i + \sum_i \min_{x \in \text{box}_i} (G(x) - c_i x) .

Where the weighting jumps at a level, a box of values that are not below the level takes the height behind the jump;
that every policy passes the level at a coordinate is shown by a table (B8).

The search for the tree (:mod:`verified_risk.proving.cover_search`) is in floats and decides nothing: the checker does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True)
class Dual:
    """A leaf: a multiplier for each coordinate i, exact."""

    costs: tuple[Fraction, ...]


@dataclass(frozen=True)
class Cut:
    """First what holds where :math:`F_i \\le` level, then where it is at least that."""

    coordinate: int
    level: Fraction
    below: Cover
    above: Cover


@dataclass(frozen=True)
class Passed:
    """Every policy has :math:`F_i \\ge` level, by a table over ``scale``; then what holds for such CDFs."""

    scale: int
    coordinate: int
    level: Fraction
    rest: Cover


Cover: TypeAlias = Dual | Cut | Passed


def leaves(cover: Cover) -> Iterator[Dual]:
    """All leaves, without recursion."""
    waiting = [cover]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Dual):
            yield one
        elif isinstance(one, Passed):
            waiting.append(one.rest)
        else:
            waiting += [one.above, one.below]


def passes(cover: Cover) -> int:
    """How many levels are shown to be passed before the first cut: one table for each."""
    return 1 + passes(cover.rest) if isinstance(cover, Passed) else 0
