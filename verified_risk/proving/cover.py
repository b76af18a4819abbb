r"""Covers: why no policy is better under a piecewise-linear weighting, as a tree of cuts with multipliers at leaves.

In units, with the return rounded up to the grid, :math:`\Phi = \text{top} - \sum_i G(F_i)`, :math:`F_i = P(Z \le i)`.
A leaf is a box of CDFs and proves its bound by weak duality (docs/theory/05-certificates.md, B1): for any c,

.. math:: \sum_i G(F_i) \ge \min_\pi \sum_i c_i F_i + \sum_i \min_{x \in \text{box}_i} (G(x) - c_i x) .

The search for the tree is in floats and decides nothing: the checker does.  It uses no contractor (B5), reduced costs
(B2) or probes (B3), which the planner's search may: so it may need more boxes, and says so when it gives up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..errors import Unsupported
from ..grid.floats import Ints, float_model
from ..objectives.polygon import Polygon
from ..objectives.weighting import Knots
from ..planning.plan import Plan
from ..planning.search.branching import Node, Search
from ..planning.search.cdf import Oracle

MOST_BOXES = 2000
MULTIPLIER = 2**44
"""Multipliers that floats found are rounded to multiples of one over this; every multiplier is valid."""
ROUND = 2.0**-40
"""Of the number of grid points: what a float bound may lack and still be left to the checker to decide."""


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


Cover: TypeAlias = Dual | Cut


def leaves(cover: Cover) -> Iterator[Dual]:
    """All leaves, without recursion."""
    waiting = [cover]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Dual):
            yield one
        else:
            waiting += [one.above, one.below]


def find_cover(plan: Plan, knots: Knots) -> Cover:
    """A cover that should prove ``plan.upper``; :class:`Unsupported` if too many boxes would be needed."""
    model = float_model(plan.mdp, plan.eta)
    needed = float(model.remaining[0] + model.offsets[-1] - plan.upper / plan.eta)
    oracle = Oracle(model)
    if plan.objective.shape in ("linear", "concave"):
        top = oracle.top
        return _Concave(oracle, knots, needed).cover(np.zeros(top, int), np.full(top, len(knots) - 1))
    return _General(oracle, plan.objective.polygon_below(Fraction(1, 2**40)), needed).root()


class _Counted:
    """Boxes looked at so far."""

    boxes = 0

    def count(self) -> None:
        self.boxes += 1
        if self.boxes > MOST_BOXES:
            raise Unsupported(
                f"not covered: {MOST_BOXES} boxes of CDFs do not prove the upper bound without the planner's contractor"
            )


class _Concave(_Counted):
    """Boxes from corner to corner: there the convex envelope of G is the chord, whose slope is an exact multiplier.

    Where every coordinate is within one piece, G is linear, so the bound is exact.
    """

    def __init__(self, oracle: Oracle, knots: Knots, needed: float) -> None:
        self.oracle, self.knots, self.needed = oracle, knots, needed
        self.x, self.g = (np.array([float(pair[side]) for pair in knots]) for side in (0, 1))

    def cover(self, first: Ints, last: Ints) -> Cover:
        """``first`` and ``last``: the corners between which each coordinate is."""
        self.count()
        pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        slopes = {pair: self._slope(*pair) for pair in set(pairs)}
        costs = tuple(slopes[pair] for pair in pairs)
        slope = np.array([float(c) for c in costs])
        low = self.x[first]
        value = self.oracle.solve(slope, masked=False) + float((self.g[first] - slope * low).sum())
        cdf = self.oracle.cdf()
        gap = np.interp(cdf, self.x, self.g) - (self.g[first] + slope * (cdf - low))
        gap = np.where(last - first > 1, np.maximum(gap, 0.0), -1.0)
        if value >= self.needed + ROUND * len(low) or gap.max(initial=-1.0) < 0:
            return Dual(costs)
        i = int(np.argmax(gap))
        k = min(range(first[i] + 1, last[i]), key=lambda k: abs(self.x[k] - cdf[i]))
        capped, raised = last.copy(), first.copy()
        capped[: i + 1] = np.minimum(capped[: i + 1], k)
        raised[i:] = np.maximum(raised[i:], k)
        return Cut(i, self.knots[k][0], self.cover(first, capped), self.cover(raised, last))

    def _slope(self, first: int, last: int) -> Fraction:
        """Of the chord; of a piece beside it where the box is a point."""
        if first == last:
            first, last = (first, last + 1) if last + 1 < len(self.knots) else (first - 1, last)
        (a, u), (b, v) = self.knots[first], self.knots[last]
        return (v - u) / (b - a)


class _General(_Counted, Search):
    """The planner's bounds of boxes and its choice of cuts, without what else shrinks its boxes."""

    def __init__(self, oracle: Oracle, polygon: Polygon, needed: float) -> None:
        super().__init__(oracle, polygon, 1e-9, np.inf)
        self.needed = needed + ROUND * oracle.top

    @property
    def target(self) -> float:
        return self.needed

    def root(self) -> Cover:
        top = self.oracle.top
        self.incumbents()
        return self._cover(Node(np.zeros(top), np.ones(top), self.best.cdf.copy()), 300)

    def _cover(self, node: Node, steps: int) -> Cover:
        self.count()
        bound, cost, reference, _ = self.node_bound(node.low, node.high, node.reference, steps)
        branch = None if bound >= self.target else self._branching(node, reference)
        if branch is None:
            return Dual(tuple(Fraction(round(c * MULTIPLIER), MULTIPLIER) for c in cost.tolist()))
        i, level = branch
        below = Node(node.low.copy(), node.high.copy(), reference)
        above = Node(node.low.copy(), node.high.copy(), reference)
        below.high[: i + 1] = np.minimum(below.high[: i + 1], level)
        above.low[i:] = np.maximum(above.low[i:], level)
        return Cut(i, Fraction(level), self._cover(below, 24), self._cover(above, 24))
