r"""Covers: why no policy is better under a piecewise-linear weighting, as a tree of cuts with multipliers at leaves.

In units, with the return rounded up to the grid, :math:`\Phi = \text{top} - \sum_i G(F_i)`, :math:`F_i = P(Z \le i)`.
A leaf is a box of CDFs and proves its bound by weak duality (docs/theory/05-certificates.md, B1): for any c,

.. math:: \sum_i G(F_i) \ge \min_\pi \sum_i c_i F_i + \sum_i \min_{x \in \text{box}_i} (G(x) - c_i x) .

The search for the tree is in floats and decides nothing: the checker does.  It is not the planner's, whose record also
uses a contractor (B5), reduced costs (B2) and probes (B3), and it may give up; then it says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..errors import MissingDependency, Unsupported
from ..grid.floats import Floats, Ints, float_model
from ..objectives.weighting import Knots
from ..planning.plan import Plan
from ..planning.search.cdf import Oracle

MOST_BOXES = 10_000
"""Of a cover: the certificate lists a cost vector for each leaf, as long as the grid."""
DEEPEST = 300
"""Cuts above each other."""
MOST_COLUMNS = 200
"""Policies that join the program of one box."""
PENALTY, STEEPEST = 1000.0, 1e6
"""Least and greatest price of leaving a box: above the slopes of G, which behind a jump are large."""
MULTIPLIER = 2**44
"""Multipliers that floats found are rounded to multiples of one over this; every multiplier is valid."""
EXACT_KNOTS = 40
"""Corners of G up to which its envelopes are exact; those of a line below a curve are many, and floats find them."""
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


def find_cover(plan: Plan, knots: Knots, unit: Fraction, upper: Fraction) -> Cover:
    """A cover that should prove ``upper`` on multiples of ``unit``; :class:`Unsupported` if it needs too many boxes."""
    model = float_model(plan.mdp, unit)
    needed = float(model.remaining[0] + model.offsets[-1] - upper / unit)
    oracle = Oracle(model)
    if oracle.top == 0:
        return Dual(())
    kind = _Concave if plan.objective.shape in ("linear", "concave") else _General
    return kind(oracle, knots, needed).cover(np.zeros(oracle.top, int), np.full(oracle.top, len(knots) - 1))


@dataclass(frozen=True)
class _Bound:
    """Multipliers, the bound that they give in floats, and the CDF at which the relaxation is least."""

    costs: tuple[Fraction, ...]
    value: float
    point: Floats


class _Boxes(ABC):
    """Boxes from corner to corner of G: ``first`` and ``last`` are the corners between which each coordinate is.

    G is replaced by its convex envelope on the box; a box that this does not prove is cut at a corner of G.  Where
    every coordinate is between neighbouring corners, or where G is convex, the envelope is G itself.
    """

    boxes = 0

    def __init__(self, oracle: Oracle, knots: Knots, needed: float) -> None:
        self.oracle, self.knots, self.needed = oracle, knots, needed
        self.x, self.g = (np.array([float(pair[side]) for pair in knots]) for side in (0, 1))
        self.points = [(float(x), float(g)) for x, g in knots] if len(knots) > EXACT_KNOTS else list(knots)
        self.hulls: dict[tuple[int, int], list[int]] = {}

    @abstractmethod
    def bound(self, first: Ints, last: Ints) -> _Bound:
        """A valid bound of the box, as close as the kind of weighting allows."""

    def cover(self, first: Ints, last: Ints, depth: int = 0) -> Cover:
        self.boxes += 1
        if self.boxes > MOST_BOXES or depth > DEEPEST:
            raise Unsupported(f"not covered: {self.boxes} boxes of CDFs, {depth} deep, do not prove the upper bound")
        found = self.bound(first, last)
        if found.value >= self.needed + ROUND * len(first):
            return Dual(found.costs)
        gap = self._gap(first, last, found.point)
        if gap.max() < 0:
            return Dual(found.costs)  # as good as it gets: the checker decides
        rivals = np.flatnonzero(gap >= 0.7 * gap.max())
        i = int(rivals[len(rivals) // 2])  # a cut also bounds the coordinates beside it: halve where many are alike
        k = min(range(first[i] + 1, last[i]), key=lambda k: abs(self.x[k] - found.point[i]))
        capped, raised = last.copy(), first.copy()
        capped[: i + 1] = np.minimum(capped[: i + 1], k)
        raised[i:] = np.maximum(raised[i:], k)
        return Cut(i, self.knots[k][0], self.cover(first, capped, depth + 1), self.cover(raised, last, depth + 1))

    def _gap(self, first: Ints, last: Ints, point: Floats) -> Floats:
        """How far G is above its envelope; below 0 where the envelope has all its corners."""
        inside = np.clip(point, self.x[first], self.x[last])
        height, loose = np.empty(len(point)), np.empty(len(point), bool)
        for pair in set(zip(first.tolist(), last.tolist(), strict=True)):
            here = (first == pair[0]) & (last == pair[1])
            corners = self.hull(*pair)
            height[here] = np.interp(inside[here], self.x[corners], self.g[corners])
            loose[here] = len(corners) < pair[1] - pair[0] + 1
        gap = np.interp(inside, self.x, self.g) - height
        return np.where(loose, np.where(gap > 1e-12, gap, 0.0), -1.0)

    def hull(self, first: int, last: int) -> list[int]:
        """The corners of the convex envelope of G between two of its corners."""
        if (first, last) not in self.hulls:
            self.hulls[first, last] = self._hull(first, last)
        return self.hulls[first, last]

    def _hull(self, first: int, last: int) -> list[int]:
        kept: list[int] = []
        for k in range(first, last + 1):
            while len(kept) > 1 and self._above(kept[-2], kept[-1], k):
                kept.pop()
            kept.append(k)
        return kept

    def _above(self, a: int, b: int, c: int) -> bool:
        """Whether corner b is on or above the chord from a to c."""
        (ax, ag), (bx, bg), (cx, cg) = self.points[a], self.points[b], self.points[c]
        return (bg - ag) * (cx - ax) >= (cg - ag) * (bx - ax)


class _General(_Boxes):
    r"""The least sum of envelopes over mixtures of the policies met so far is a linear program; the prices of its
    coordinates are multipliers, and the policy that is best for them joins the others until none is better.

    A CDF may leave its box at a price, so that the program is feasible for every box.
    """

    def __init__(self, oracle: Oracle, knots: Knots, needed: float) -> None:
        super().__init__(oracle, knots, needed)
        oracle.solve(np.ones(oracle.top), masked=False)
        self.columns = [oracle.cdf()]
        rise, width = np.diff(self.g), np.maximum(np.diff(self.x), 1 / STEEPEST)
        self.penalty = min(max(PENALTY, 2 * float((rise / width).max())), STEEPEST)

    def bound(self, first: Ints, last: Ints) -> _Bound:
        pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        hulls = {pair: self.hull(*pair) for pair in set(pairs)}
        costs: Floats = np.zeros(len(pairs))
        best, point = -np.inf, self.columns[0]
        for _ in range(MOST_COLUMNS):
            prices, value, point = self._program([hulls[pair] for pair in pairs])
            tried = np.round(prices * MULTIPLIER) / MULTIPLIER
            low = self.oracle.solve(tried, masked=False)
            for pair, corners in hulls.items():
                here = tried[(first == pair[0]) & (last == pair[1])]
                low += float((self.g[corners] - here[:, None] * self.x[corners]).min(axis=1).sum())
            if low > best:
                best, costs = low, tried
            if best >= self.needed + ROUND * len(pairs) or value - best < 1e-11 * len(pairs):
                break
            self.columns.append(self.oracle.cdf())
        return _Bound(tuple(Fraction(c) for c in costs.tolist()), best, point)

    def _program(self, hulls: list[list[int]]) -> tuple[Floats, float, Floats]:
        """Prices of the coordinates, value and point of the linear program over the columns.

        Each coordinate is a convex combination of the corners of its envelope, plus what it leaves its box by.
        """
        n, known = len(hulls), len(self.columns)
        rows, cols, data, cost = [], [], [], [0.0] * known
        for v, column in enumerate(self.columns):
            rows += [*range(n), 2 * n]
            cols += [v] * (n + 1)
            data += [*column.tolist(), 1.0]
        for i, corners in enumerate(hulls):
            for k in corners:
                rows += [i, n + i]
                cols += [len(cost)] * 2
                data += [-self.x[k], 1.0]
                cost.append(float(self.g[k]))
            for sign in (1.0, -1.0):
                rows.append(i)
                cols.append(len(cost))
                data.append(sign)
                cost.append(self.penalty)
        try:
            from scipy.optimize import linprog
            from scipy.sparse import csr_matrix
        except ImportError:
            raise MissingDependency("covers of weightings that are not concave need scipy", extra="prove") from None
        matrix = csr_matrix((data, (rows, cols)), shape=(2 * n + 1, len(cost)))
        right = np.concatenate((np.zeros(n), np.ones(n + 1)))
        found = linprog(cost, A_eq=matrix, b_eq=right, method="highs")
        if found.status:
            raise Unsupported(f"not covered: the linear program of a box was not solved ({found.message})")
        point = sum((w * column for w, column in zip(found.x[:known], self.columns, strict=True)), np.zeros(n))
        return -found.eqlin.marginals[:n], float(found.fun), point


class _Concave(_Boxes):
    """The envelope is a chord, whose slope is an exact multiplier."""

    def bound(self, first: Ints, last: Ints) -> _Bound:
        pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        slopes = {pair: self._slope(*pair) for pair in set(pairs)}
        costs = tuple(slopes[pair] for pair in pairs)
        slope = np.array([float(c) for c in costs])
        value = self.oracle.solve(slope, masked=False) + float((self.g[first] - slope * self.x[first]).sum())
        return _Bound(costs, value, self.oracle.cdf())

    def _slope(self, first: int, last: int) -> Fraction:
        """Of the chord; of a piece beside it where the box is a point."""
        if first == last:
            first, last = (first, last + 1) if last + 1 < len(self.knots) else (first - 1, last)
        (a, u), (b, v) = self.knots[first], self.knots[last]
        return (v - u) / (b - a)
