r"""Covers: proofs of upper bounds under a piecewise-linear weighting, as trees of cuts with multipliers at leaves.

In units, with the return rounded up to the grid, :math:`\Phi = \text{top} - \sum_i G(F_i)`, :math:`F_i = P(Z \le i)`.
A leaf is a box of CDFs and proves its bound by weak duality (docs/theory/05-certificates.md, B1): for any c,

.. math:: \sum_i G(F_i) \ge \min_\pi \sum_i c_i F_i + \sum_i \min_{x \in \text{box}_i} (G(x) - c_i x) .

If the weighting jumps at a level, a box of values not below the level takes the height past the jump; a table shows
that every policy passes the level at a coordinate (B8).

The search for the tree (:mod:`verified_risk.proving.cover_search`) uses floats; only the checker decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True)
class Dual:
    """A leaf: an exact multiplier for each coordinate i."""

    costs: tuple[Fraction, ...]


@dataclass(frozen=True)
class Cut:
    """The cover where :math:`F_i \\le` level, then the cover where it is at least that."""

    coordinate: int
    level: Fraction
    below: Cover
    above: Cover


@dataclass(frozen=True)
class Passed:
    """A table over ``scale`` showing that every policy has :math:`F_i \\ge` level; then the cover of such CDFs."""

    scale: int
    coordinate: int
    level: Fraction
    rest: Cover


Cover: TypeAlias = Dual | Cut | Passed


def leaves(cover: Cover) -> Iterator[Dual]:
    """Yield all leaves, without recursion."""
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
    """Return how many levels are shown to be passed before the first cut, with one table each."""
    return 1 + passes(cover.rest) if isinstance(cover, Passed) else 0
