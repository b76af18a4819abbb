r"""Bounds on one box of CDFs: replace G by its convex envelope in each coordinate, and find multipliers.

A box is given by the corners of G between which each coordinate is.  If every coordinate is between neighbouring
corners, or if G is convex, the envelope is G itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingDependency, Unsupported
from ..grid.compiled import Floats, Ints
from ..objectives.weighting import Knots
from ..planning.clock import Clock
from ..planning.search.grid_coordinates import Oracle

Bools: TypeAlias = npt.NDArray[np.bool_]

MOST_ROUNDS = 200
"""Maximum number of linear programs for one box."""
PENALTY, STEEPEST = 1000.0, 1e7
"""Least and greatest penalty for leaving a box: above the slopes of G, which are large behind a jump."""
MULTIPLIER = 2**44
"""Denominator to which multipliers found in floats are rounded; every multiplier is valid."""
EXACT_KNOTS = 40
"""Corners of G up to which its envelopes are exact; lines below curves have many corners, and use floats."""
STEEP = 2**40
"""Above the slopes of most weightings."""
TOLERANCES = (1e-9, 1e-7)
"""Solver tolerances: where a curve is steep, small displacements are large heights; the first may be missed."""
CLOSE = 0.2
"""Stop on a box that must be cut once its bound is known up to this share of what it lacks."""


@dataclass(frozen=True)
class Bound:
    """Multipliers, the bound they give in floats, and the CDF of a policy that minimises the relaxation.

    ``linear`` is the least expected sum of the multipliers, which holds for every box; ``columns`` are CDFs of the
    policies that matter here.
    """

    costs: Floats
    value: float
    linear: float
    point: Floats
    columns: tuple[Floats, ...] = ()
    slopes: tuple[Fraction, ...] | None = None
    certain: int | None = None
    steep: Fraction = Fraction()

    def exact(self) -> tuple[Fraction, ...]:
        """Return the multipliers; from coordinate ``certain`` on F is 1, expressed by a ``steep`` slope."""
        if self.slopes is not None:
            return self.slopes
        costs = self.costs[: self.certain].tolist()
        return tuple(Fraction(c) for c in costs) + (self.steep,) * (len(self.costs) - len(costs))


class Envelopes:
    """A polygon G and its convex envelopes between its corners."""

    def __init__(self, knots: Knots, raised: Mapping[int, Fraction] | None = None) -> None:
        """``raised`` gives the jump of G at a corner; a box of values from there on takes the height behind it."""
        self.knots = knots
        self.raised = dict(raised or {})
        self.x, self.g = (np.array([float(pair[side]) for pair in knots]) for side in (0, 1))
        self.points = [(float(x), float(g)) for x, g in knots] if len(knots) > EXACT_KNOTS else list(knots)
        self.hulls: dict[tuple[int, int], Ints] = {}
        self.graphs: dict[int, Floats] = {}
        slopes = ((v - u) / (b - a) for (a, u), (b, v) in pairwise(knots))
        self.steep = Fraction(max(STEEP, *(ceil(slope) for slope in slopes)))
        """Above every slope."""

    def graph(self, first: int) -> Floats:
        """Return the heights of the corners for values from corner ``first`` on."""
        if first not in self.raised:
            return self.g
        if first not in self.graphs:
            self.graphs[first] = self.g.copy()
            self.graphs[first][first] += float(self.raised[first])
        return self.graphs[first]

    def total(self, point: Floats, first: Ints) -> float:
        """Return the sum of G over the coordinates, whose values are known not to be below the corners ``first``."""
        total = 0.0
        for k in set(first.tolist()):
            here = point[first == k]
            total += float(np.interp(np.maximum(here, self.x[k]), self.x[k:], self.graph(k)[k:]).sum())
        return total

    def sure(self, first: Ints) -> float:
        """Return the sum of G(1) over coordinates that are 1."""
        return sum(float(self.graph(k)[-1]) for k in first.tolist()) if self.raised else float(self.g[-1]) * len(first)

    def gap(self, first: Ints, last: Ints, point: Floats) -> Floats:
        """Return how far G is above its envelope; negative where the envelope has all its corners."""
        inside = np.clip(point, self.x[first], self.x[last])
        gap, loose = np.empty(len(point)), np.empty(len(point), bool)
        for pair, here in groups(first, last):
            corners, g, k = self.hull(*pair), self.graph(pair[0]), pair[0]
            own = np.interp(inside[here], self.x[k:], g[k:])
            gap[here] = own - np.interp(inside[here], self.x[corners], g[corners])
            loose[here] = len(corners) < pair[1] - pair[0] + 1
        return np.where(loose, np.where(gap > 1e-12, gap, 0.0), -1.0)

    def least(self, first: Ints, last: Ints, costs: Floats) -> tuple[float, Ints]:
        """Return the sum of the least G(x) - c x over the box, and the corner of each."""
        total, corner = 0.0, np.empty(len(costs), int)
        for pair, here in groups(first, last):
            hull = self.hull(*pair)
            heights = self.graph(pair[0])[hull] - costs[here, None] * self.x[hull]
            chosen = heights.argmin(axis=1)
            total += float(heights[np.arange(len(chosen)), chosen].sum())
            corner[here] = hull[chosen]
        return total, corner

    def around(self, first: Ints, last: Ints, point: Floats) -> Iterator[set[int]]:
        """Yield, for each coordinate, the ends of its envelope and the corners beside the point."""
        found = np.empty((4, len(point)), int)
        for pair, here in groups(first, last):
            hull = self.hull(*pair)
            after = np.clip(np.searchsorted(self.x[hull], point[here]), 0, len(hull) - 1)
            before = np.maximum(after - 1, 0)
            found[:2, here] = hull[[0, -1], None]
            found[2:, here] = hull[before], hull[after]
        return (set(row) for row in found.T.tolist())

    def hull(self, first: int, last: int) -> Ints:
        """Return the corners of the convex envelope of G between two of its corners."""
        if (first, last) not in self.hulls:
            self.hulls[first, last] = np.array(self._hull(first, last))
        return self.hulls[first, last]

    def _hull(self, first: int, last: int) -> list[int]:
        kept: list[int] = []
        x, g = self.points[first]
        low = (x, g + type(g)(self.raised[first])) if first in self.raised else (x, g)
        for k in range(first, last + 1):
            while len(kept) > 1 and self._above(low if len(kept) == 2 else self.points[kept[-2]], kept[-1], k):
                kept.pop()
            kept.append(k)
        return kept

    def _above(self, start: tuple[Any, Any], b: int, c: int) -> bool:
        """Whether corner b is on or above the chord from a point to corner c."""
        (ax, ag), (bx, bg), (cx, cg) = start, self.points[b], self.points[c]
        return bool((bg - ag) * (cx - ax) >= (cg - ag) * (bx - ax))


def groups(first: Ints, last: Ints) -> Iterator[tuple[tuple[int, int], Ints]]:
    """Group coordinates that lie between the same corners."""
    both = first * (int(last.max()) + 1) + last
    order = np.argsort(both, kind="stable")
    for here in np.split(order, np.flatnonzero(np.diff(both[order])) + 1):
        yield (int(first[here[0]]), int(last[here[0]])), here


class Relaxed:
    r"""Minimising the sum of envelopes over mixtures of the policies met so far is a linear program; the prices of its
    coordinates are multipliers.  The best policy for these prices is added, and so is the best corner of each envelope,
    until none improves.

    A CDF may leave its box at a penalty, so that the program is feasible for every box.
    """

    closes_far_sides = True
    """Whether a box without any CDF is detected at once."""

    def __init__(self, oracle: Oracle, shape: Envelopes) -> None:
        self.oracle, self.shape = oracle, shape
        ends = oracle.low[-1], oracle.high[-1]
        met = ends[0] <= ends[1]
        self.free = slice(int(ends[0][met].min()), int(ends[1][met].max()))
        """Coordinates before these are 0 under every policy, those after them 1."""
        oracle.solve(np.ones(oracle.top), masked=False)
        self.first_column = np.clip(oracle.cdf(), 0.0, 1.0)
        slopes = np.diff(shape.g) / np.maximum(np.diff(shape.x), 1e-300)
        self.penalty = min(max(PENALTY, 2 * float(slopes.max())), STEEPEST)

    def again(self, first: Ints, last: Ints, known: Bound) -> Bound:
        """Apply the multipliers of another box to this one."""
        least, _ = self._least(first, last, known.costs)
        return replace(known, value=known.linear + least)

    def _least(self, first: Ints, last: Ints, costs: Floats) -> tuple[float, Ints]:
        """Compute :meth:`Envelopes.least`, with G(1) where F is 1."""
        free = self.free
        least, corner = self.shape.least(first[free], last[free], costs[free])
        return least + self.shape.sure(first[free.stop :]), corner

    def bound(self, first: Ints, last: Ints, parent: Bound | None, needed: float, clock: Clock) -> Bound:
        free, n = self.free, len(first)
        if free.start == free.stop:  # one return is certain
            sure = self.shape.sure(first[free.stop :])
            return Bound(np.zeros(n), sure, 0.0, self.first_column, certain=free.stop, steep=self.shape.steep)
        columns = [self.first_column] if parent is None else list(parent.columns)
        near = columns[0] if parent is None else parent.point
        working = list(self.shape.around(first[free], last[free], near[free]))
        sides = first[free] > 0, last[free] < len(self.shape.x) - 1
        best: Bound | None = None
        for _ in range(MOST_ROUNDS):
            prices, value, weights = self._program(
                [column[free] for column in columns], working, first[free], *sides, clock
            )
            value += self.shape.sure(first[free.stop :])
            tried = np.zeros(n)
            tried[free] = np.round(prices * MULTIPLIER) / MULTIPLIER
            linear = self.oracle.solve(tried, masked=False)
            least, corner = self._least(first, last, tried)
            if best is None or linear + least > best.value:
                best = Bound(tried, linear + least, linear, near, certain=free.stop, steep=self.shape.steep)
            lacks, unsure = needed + 2.0**-40 * n - best.value, value - best.value
            if lacks <= 0 or unsure < 1e-11 * n or (value < needed and unsure < CLOSE * lacks) or clock.late():
                break
            new = np.clip(self.oracle.cdf(), 0.0, 1.0)
            fresh = [k not in mine for k, mine in zip(corner.tolist(), working, strict=True)]
            for k, mine in zip(corner.tolist(), working, strict=True):
                mine.add(k)
            if not any(fresh) and any(np.array_equal(new, old) for old in columns):
                break
            columns.append(new)
        assert best is not None
        kept = tuple(column for column, w in zip(columns, [*weights, 1.0], strict=False) if w > 1e-12)
        return replace(best, point=np.asarray(weights @ np.array(columns[: len(weights)])), columns=kept)

    def _program(
        self, columns: list[Floats], working: list[set[int]], first: Ints, raised: Bools, capped: Bools, clock: Clock
    ) -> tuple[Floats, float, Floats]:
        """Return prices of the coordinates, value, and weights of the columns.

        Each coordinate is a convex combination of corners of its envelope, plus its distance from the box if that was
        cut.
        """
        try:
            from scipy.optimize import linprog
            from scipy.sparse import csr_matrix
        except ImportError:
            raise MissingDependency("covers of weightings that are not concave need scipy", extra="prove") from None
        n, known = len(working), len(columns)
        coordinate = np.repeat(np.arange(n), [len(mine) for mine in working])
        corners = np.array([k for mine in working for k in sorted(mine)])
        used, each = len(corners), np.arange(n)
        outside = np.concatenate((each[raised], each[capped]))
        sign = np.where(np.arange(len(outside)) < raised.sum(), 1.0, -1.0)
        at, aside = known + np.arange(used), known + used + np.arange(len(outside))
        rows = [np.tile(each, known), np.full(known, 2 * n), coordinate, n + coordinate, outside]
        cols = [np.repeat(np.arange(known), n), np.arange(known), at, at, aside]
        data = [np.concatenate(columns), np.ones(known), -self.shape.x[corners], np.ones(used), sign]
        heights = self.shape.g[corners]
        for k, more in self.shape.raised.items():
            heights[(corners == k) & (first[coordinate] == k)] += float(more)
        cost = np.concatenate((np.zeros(known), heights, np.full(len(outside), self.penalty)))
        places = (np.concatenate(rows), np.concatenate(cols))
        matrix = csr_matrix((np.concatenate(data), places), shape=(2 * n + 1, len(cost)))
        right = np.concatenate((np.zeros(n), np.ones(n + 1)))
        for tolerance in TOLERANCES:
            options = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            if clock.seconds is not None:
                options["time_limit"] = max(clock.left, 0.01)
            found = linprog(cost, A_eq=matrix, b_eq=right, method="highs", options=options)
            if not found.status:
                return -found.eqlin.marginals[:n], float(found.fun), found.x[:known]
            clock.require()
        raise Unsupported(f"not covered: the linear program of a box was not solved ({found.message})")


class Chords:
    """Relaxation for concave G: the envelope is a chord, whose slope is an exact multiplier."""

    closes_far_sides = False

    def __init__(self, oracle: Oracle, shape: Envelopes) -> None:
        self.oracle, self.shape = oracle, shape
        self.free = slice(0, oracle.top)

    def again(self, first: Ints, last: Ints, known: Bound) -> Bound:
        """Apply the multipliers of another box to this one."""
        low, high = (self.shape.g[k] - known.costs * self.shape.x[k] for k in (first, last))
        value = known.linear + float(np.minimum(low, high).sum())
        return replace(known, value=value)

    def bound(self, first: Ints, last: Ints, parent: Bound | None, needed: float, clock: Clock) -> Bound:
        pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        slopes = {pair: self._slope(*pair) for pair in set(pairs)}
        exact = tuple(slopes[pair] for pair in pairs)
        costs = np.array([float(c) for c in exact])
        linear = self.oracle.solve(costs, masked=False)
        value = linear + float((self.shape.g[first] - costs * self.shape.x[first]).sum())
        return Bound(costs, value, linear, self.oracle.cdf(), slopes=exact)

    def _slope(self, first: int, last: int) -> Fraction:
        """Return the slope of the chord, or of an adjacent piece if the box is a point."""
        knots = self.shape.knots
        if first == last:
            first, last = (first, last + 1) if last + 1 < len(knots) else (first - 1, last)
        (a, u), (b, v) = knots[first], knots[last]
        return (v - u) / (b - a)
