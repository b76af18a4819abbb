r"""Points of the polytope and bounds on it, the pieces of the search over CDFs (docs/theory/05-certificates.md).

:class:`Relaxation` keeps the best point found, and bounds :math:`\underline g(F) = \sum_i \underline G(F_i)` on a box
from below by weak duality (B1): any cost vector is valid; Polyak steps (concave G) or pairwise Frank-Wolfe (others)
find good ones.

:class:`Atoms` is a mixture of policies as Frank-Wolfe maintains it: CDF vectors, their weights, and the policies behind
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ...kernels import polygon_bounds as kernels
from ...mdp.packed import Floats, Ints
from ...objectives.polygon import Polygon, concave_corners, convex_corners
from .. import clock

PENALTY = 20.0
"""Penalty per unit by which a CDF value leaves its box.  Slopes of G are of the order of 1 to 10, so a point outside
pays more than it gains.  It only guides the search: every cost vector gives a valid bound."""
STARTS = 40  # maximum number of policies tried for a first incumbent
FRUITLESS = 8  # starts in a row without a better incumbent after which no more are tried
SHARP = 1e-10  # the least blur, at which a point at a corner sees the slopes of both sides
BLURRED = 0.05
"""Distance from a corner of G, as a share of the widest box, within which both slopes count; steps zigzag less."""


class Oracle(Protocol):
    """The questions that a search asks about policies, answered on a grid by :class:`~.grid_coordinates.Oracle` and
    between its points by :class:`~.cells_route.CellOracle`."""

    top: int
    calls: int
    maskable: bool
    allowed: Ints
    choice: npt.NDArray[Any]
    contract_seconds: float

    def solve(self, cost: Floats, *, masked: bool = True) -> float: ...

    def slack(self, cost: Floats) -> float: ...

    def cdf(self, choice: npt.NDArray[Any] | None = None) -> Floats: ...

    def contract(self, c0: Floats, c_low: Floats, c_high: Floats, deadline: float) -> tuple[Floats, Floats] | None: ...


@dataclass
class Mixture:
    """A point of the polytope with the policies that compose it."""

    cdf: Floats
    value: float
    parts: Parts = field(default_factory=list)


class _Hulls:
    """The convex envelopes of the polygons on the boxes of a node, cached for the last node."""

    def __init__(self, pieces: list[tuple[slice, Polygon]], shape: int) -> None:
        self.pieces, self.shape = pieces, shape
        self._low, self._high = np.zeros(0), np.zeros(0)
        self._start: Ints = np.zeros(0, dtype=np.int64)
        self._count: Ints = np.zeros(0, dtype=np.int64)
        self._corners: Floats = np.zeros((2, 64 + sum(4 * len(p.x) for _, p in pieces)))

    def of(self, low: Floats, high: Floats) -> tuple[Ints, Ints, Floats, Floats]:
        """Return the start and count of each box's corners, and all corners."""
        if not (np.array_equal(low, self._low) and np.array_equal(high, self._high)):
            self._low, self._high = low.copy(), high.copy()
            self._start, self._count = np.zeros((2, len(low)), dtype=np.int64)
            used, left = 0, list(self.pieces)
            while left:
                i, p = left[0]
                places = self._start[i], self._count[i], *self._corners
                hulls = kernels.hulls.at(self._work(low[i], high[i], p))
                found = hulls(low[i], high[i], self.shape, p.x, p.g, used, *places)
                if found < 0:
                    self._corners = np.concatenate((self._corners, np.zeros_like(self._corners)), axis=1)
                else:
                    used, left = found, left[1:]
        return self._start, self._count, self._corners[0], self._corners[1]

    def _work(self, low: Floats, high: Floats, polygon: Polygon) -> float:
        """Return how many steps the envelopes take: those of the knots within each box that is unlike the one before,
        if the polygon is neither convex nor concave."""
        if self.shape == 1:
            return len(low) + len(polygon.x)
        new = np.append(True, (np.diff(low) != 0) | (np.diff(high) != 0))
        inside = np.searchsorted(polygon.x, high[new]) - np.searchsorted(polygon.x, low[new])
        return len(low) + 20 * len(inside) + (0 if self.shape else 3 * int(inside.sum()))


def _weighed(pieces: list[tuple[slice, Polygon]], widths: Sequence[Fraction]) -> list[tuple[slice, Polygon]]:
    """Weigh coordinate i ``widths[i]`` times; neighbours of equal width share a polygon."""
    found: list[tuple[slice, Polygon]] = []
    for where, polygon in pieces:
        first = where.start
        for width, run in groupby(widths[where]):
            after = first + len(list(run))
            found.append((slice(first, after), polygon.times(width)))
            first = after
    return found


def _spread(places: Ints) -> Ints:
    """Return the entries so that the first few are spread over all: the middle, then quarters, eighths, ..."""
    bits = len(places).bit_length()
    return places[sorted(range(len(places)), key=lambda k: int(f"{k:0{bits}b}"[::-1], 2))]


class Relaxation:
    """The best point so far (:attr:`best`), and bounds on boxes; the certified bounds of the search are :attr:`bound`
    and, before any cut, :attr:`uncut_bound`."""

    def __init__(
        self,
        oracle: Oracle,
        polygon: Polygon,
        tol: float,
        deadline: float,
        report: Callable[[float, float], None] | None = None,
        passed: Sequence[tuple[int, Polygon]] = (),
        widths: Sequence[Fraction] | None = None,
    ) -> None:
        self.oracle, self.tol, self.deadline = oracle, tol, deadline
        n = oracle.top
        #: the polygon below G at each coordinate: from each start on, every policy is past some jumps (B8)
        begins = [(0, polygon), *passed, (n, polygon)]
        self.pieces = [(slice(a, b), p) for (a, p), (b, _) in pairwise(begins) if a < b]
        self.report = report
        self.concave = all(concave_corners(p) for _, p in self.pieces)
        self.convex = all(convex_corners(p) for _, p in self.pieces)
        self.shares = np.ones(n) if widths is None else np.array([float(w) for w in widths])
        if widths is not None:
            self.pieces = _weighed(self.pieces, widths)
        self.best = Mixture(np.ones(n), np.inf)
        self.bound = -np.inf
        self.uncut_bound = 0.0  # every CDF value has nonnegative cost
        self.uncut = False
        self._hulls = _Hulls(self.pieces, 1 if self.convex else -1 if self.concave else 0)
        self._next_report = clock.now() + 1.0
        self.atoms: Atoms | None = None
        """The atoms of the last relaxation, from which the next one of the same node or its children starts."""

    # -- pieces -------------------------------------------------------------------------------------------------------

    @property
    def target(self) -> float:
        return self.best.value - self.tol

    def late(self) -> bool:
        now = clock.now()
        if self.report is not None and now > self._next_report and np.isfinite(self.best.value):
            self._next_report = now + 1.0
            self.report(self.best.value, max(self.bound, self.uncut_bound))
        return now > self.deadline

    def total(self, cdf: Floats) -> float:
        return float(sum(kernels.total(cdf[i], p.x, p.g) for i, p in self.pieces))

    def polygon_at(self, i: int) -> Polygon:
        """Return the polygon below G at coordinate i."""
        return next(p for where, p in self.pieces if where.start <= i < where.stop)

    def slopes_at(self, cdf: Floats, out: Floats) -> None:
        """Write one slope of the polygon at every value of a CDF to ``out``."""
        for i, p in self.pieces:
            kernels.slopes_at(cdf[i], p.x, p.g, out[i])

    def tilted_minima(self, cost: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the minimum of ``G(x) - c_i x`` on every box, and where it is attained."""
        least, where = np.zeros_like(cost), np.zeros_like(cost)
        for i, p in self.pieces:
            kernels.tilted_minima(cost[i], low[i], high[i], p.x, p.g, p.slope, *p.runs, least[i], where[i])
        return least, where

    def offer(self, cdf: Floats, parts: Parts | None = None) -> bool:
        """Keep a point if it improves on the best; by default the point of the oracle's last policy."""
        value = self.total(cdf)
        if value >= self.best.value - 1e-13:
            return False
        self.best = Mixture(cdf.copy(), value, [(1.0, self.oracle.choice.copy())] if parts is None else list(parts))
        return True

    def vertex(self, cost: Floats, *, masked: bool = True) -> tuple[float, Floats]:
        """Return a certified lower bound on ``cost . F`` and the CDF of the minimising policy."""
        value = self.oracle.solve(cost, masked=masked)
        cdf = self.oracle.cdf()
        self.offer(cdf)
        return value - self.oracle.slack(cost), cdf

    def prefer_mean(self, share: float) -> None:
        """Replace the best policy by one with a better mean that costs at most ``share`` of the range of returns more,
        if a pass for the tangent there and a share of the mean leads to one (theory 05, B12)."""
        cost, before = np.zeros_like(self.best.cdf), self.best
        self.slopes_at(before.cdf, cost)
        self.oracle.solve(np.maximum(cost, 0.0) + share * self.shares, masked=False)
        cdf = self.oracle.cdf()
        value = self.total(cdf)
        if value <= before.value + share * self.shares.sum() and self.shares @ cdf < self.shares @ before.cdf:
            self.best = Mixture(cdf.copy(), value, [(1.0, self.oracle.choice.copy())])

    def climb(self, cdf: Floats) -> None:
        """Minimise the tangent repeatedly; for concave G each step improves."""

        cost, value = np.zeros_like(cdf), self.total(cdf)
        for _ in range(100):
            self.slopes_at(cdf, cost)
            _, cdf = self.vertex(np.maximum(cost, 0.0), masked=False)
            after = self.total(cdf)
            if after >= value - 1e-12 or self.late():
                return
            value = after

    def dual(self, cost: Floats, low: Floats, high: Floats) -> tuple[float, Floats, Floats, Floats]:
        """Apply weak duality (B1): return a lower bound valid for any cost, the vertex, minimisers and minima."""

        value, cdf = self.vertex(cost)
        least, where = self.tilted_minima(cost, low, high)
        total = math.fsum(least)  # rounded once, added and lowered: three roundings, allowing for four
        bound = value + total - 2.0**-51 * (abs(value) + abs(total))
        if self.uncut:
            self.uncut_bound = max(self.uncut_bound, bound)
        return bound, cdf, where, least

    def envelope(self, low: Floats, high: Floats, ref: Floats, blur: float = SHARP) -> tuple[Floats, Floats]:
        slope, height = np.zeros_like(low), np.zeros_like(low)
        kernels.envelope(low, high, ref, blur, *self._hulls.of(low, high), slope, height)
        return slope, height

    # -- bounds -------------------------------------------------------------------------------------------------------

    def node_bound(
        self, low: Floats, high: Floats, ref: Floats, steps: int, atoms: Atoms | None = None
    ) -> tuple[float, Floats, Floats, Floats]:
        """Return the best of several duals: bound, cost, reference point, minima; ``atoms`` is the starting point."""
        return self._polyak(low, high, steps) if self.concave else self._pairwise(low, high, ref, steps, atoms)

    def _polyak(self, low: Floats, high: Floats, steps: int) -> tuple[float, Floats, Floats, Floats]:
        cost, _ = self.envelope(low, high, low, blur=1.0)  # the chord, whose slope is that of the whole box
        best: tuple[float, Floats, Floats, Floats] | None = None
        for step in range(steps + 1):
            bound, cdf, where, least = self.dual(cost, low, high)
            if best is None or bound > best[0]:
                best = (bound, cost.copy(), cdf, least)
            if best[0] >= self.target or step == steps or self.late():
                break
            ends = np.zeros_like(cost)
            other = np.zeros_like(cost)
            for i, p in self.pieces:
                kernels.tilted_ends(cost[i], low[i], high[i], p.x, p.g, ends[i], other[i])
            tied = np.abs(ends - other) < 1e-9 * (1 + np.abs(cost))
            direction = cdf - np.where(tied, np.clip(cdf, low, high), where)
            norm = float(direction @ direction)
            if norm < 1e-14:
                break
            cost = cost + (self.best.value - bound) / norm * direction
        assert best is not None
        return best

    def _pairwise(
        self, low: Floats, high: Floats, ref: Floats, steps: int, atoms: Atoms | None
    ) -> tuple[float, Floats, Floats, Floats]:
        """Run pairwise Frank-Wolfe on the convex envelope plus a quadratic penalty for leaving the box."""
        point = np.clip(ref, low, high) if atoms is None else atoms.point()
        best: tuple[float, Floats, Floats, Floats] | None = None
        blur = max(BLURRED * float(np.max(high - low, initial=0.0)), SHARP) if steps > 10 else SHARP
        for _ in range(steps):
            slope, _ = self.envelope(low, high, point, blur)
            cost = slope + PENALTY * (point - np.clip(point, low, high))
            bound, cdf, _, least = self.dual(cost, low, high)
            if best is None or bound > best[0]:
                best = (bound, cost, point.copy(), least)
            if best[0] >= self.target or self.late():
                break
            if atoms is None:
                atoms = Atoms([(1.0, cdf, self.oracle.choice.copy())])
                point = cdf.copy()
                continue
            away, worst = atoms.worst(cost)
            if worst - float(cost @ cdf) < max(1e-11, 0.1 * self.tol):
                if blur <= SHARP:
                    break
                blur = max(0.1 * blur, SHARP)
                continue
            blur = max(0.7 * blur, SHARP)
            move = kernels.step_length(
                point, cdf - atoms.cdfs[away], atoms.weights[away], low, high, blur, PENALTY, *self._hulls.of(low, high)
            )
            atoms.shift(away, cdf, self.oracle.choice, move)
            point = atoms.point()
            self.offer(point, atoms.parts())
        assert best is not None
        self.atoms = atoms
        return best

    def descend(self, steps: int) -> None:
        """Run pairwise Frank-Wolfe on the polygon itself: mixtures can beat policies unless G is concave."""

        atoms = Atoms([(w, self.oracle.cdf(table), table) for w, table in self.best.parts])
        point, cost = self.best.cdf.copy(), np.zeros_like(self.best.cdf)
        for _ in range(steps):
            self.slopes_at(point, cost)
            _, cdf = self.vertex(cost, masked=False)
            away, worst = atoms.worst(cost)
            if worst - float(cost @ cdf) < 1e-11 or self.late():
                return
            direction = cdf - atoms.cdfs[away]

            def along(length: float, point: Floats = point, direction: Floats = direction) -> float:
                return self.total(np.clip(point + length * direction, 0.0, 1.0))

            move, value = best_length(along, atoms.weights[away])
            if value > self.total(point) - 1e-13:
                return
            atoms.shift(away, cdf, self.oracle.choice, move)
            point = atoms.point()
            self.offer(point, atoms.parts())

    def incumbents(self) -> None:
        """Climb from the mean-optimal policy and from thresholds; mix policies where that can help."""
        n = self.oracle.top
        _, cdf = self.vertex(np.ones(n), masked=False)
        self.climb(cdf)
        began, budget = clock.now(), self.deadline - clock.now()
        starts, fruitless = np.unique(np.linspace(1, n, min(n, STARTS)).astype(int)), 0
        for k in _spread(starts):
            if fruitless == FRUITLESS or clock.now() - began > 0.15 * budget or self.late():
                break
            before = self.best.value
            _, cdf = self.vertex((np.arange(n) < k).astype(float), masked=False)
            self.climb(cdf)
            fruitless = fruitless + 1 if self.best.value >= before - 1e-12 else 0
        if not self.concave:
            for _ in range(3):
                self.descend(60)


# -- mixtures of policies ----------------------------------------------------------------------------------------------


Table: TypeAlias = npt.NDArray[Any]
"""The choices of a deterministic policy."""
Parts: TypeAlias = list[tuple[float, Table]]

SAME = 1e-11  # distance within which CDFs are one atom: passes that break ties differently differ by rounding
NOTHING = 1e-14  # weights below this are rounding errors and become 0


class Atoms:
    """Atoms with weights that sum to 1; atoms of weight 0 are kept, since they tend to return."""

    def __init__(self, atoms: list[tuple[float, Floats, Table]]) -> None:
        self.weights = [w for w, _, _ in atoms]
        self.cdfs = [cdf for _, cdf, _ in atoms]
        self.tables = [table for _, _, table in atoms]

    def copy(self) -> Atoms:
        """Return the atoms of positive weight, sharing CDFs and tables."""
        return Atoms([x for x in zip(self.weights, self.cdfs, self.tables, strict=True) if x[0] > 0])

    def worst(self, cost: Floats) -> tuple[int, float]:
        """Return the costliest atom of positive weight, and its cost."""
        scores = [float(cost @ cdf) if w > 0 else -np.inf for w, cdf in zip(self.weights, self.cdfs, strict=True)]
        k = int(np.argmax(scores))
        return k, scores[k]

    def shift(self, away: int, cdf: Floats, table: Table, move: float) -> None:
        """Move weight from one atom to ``cdf``, reusing an existing atom if there is one."""
        distances = [float(np.max(np.abs(known - cdf), initial=0.0)) for known in self.cdfs]
        target = int(np.argmin(distances))
        if distances[target] >= SAME:
            target = len(self.cdfs)
            self.cdfs.append(cdf)
            self.weights.append(0.0)
            self.tables.append(table.copy())
        self.weights[target] += move
        self.weights[away] -= move
        if self.weights[away] < NOTHING:
            self.weights[away] = 0.0
        total = sum(self.weights)
        self.weights = [w / total for w in self.weights]

    def point(self) -> Floats:
        """Return the CDF of the mixture."""
        mixed: Floats = np.sum([w * cdf for w, cdf in zip(self.weights, self.cdfs, strict=True) if w > 0], axis=0)
        return np.clip(mixed, 0.0, 1.0)

    def parts(self) -> Parts:
        return [(w, table) for w, table in zip(self.weights, self.tables, strict=True) if w > 0]


def best_length(cost: Callable[[float], float], most: float) -> tuple[float, float]:
    """Minimise a function of one variable on ``(0, most]`` by a scan and golden sections; return argument and value."""
    lengths = most * np.arange(1, 17) / 16
    values = [cost(float(length)) for length in lengths]
    k = int(np.argmin(values))
    left, right = max(0.0, lengths[k] - most / 16), min(most, lengths[k] + most / 16)
    for _ in range(30):
        a, b = left + 0.382 * (right - left), left + 0.618 * (right - left)
        left, right = (left, b) if cost(a) < cost(b) else (a, right)
    middle = float(0.5 * (left + right))
    return min((cost(middle), middle), (values[k], float(lengths[k])))[::-1]
