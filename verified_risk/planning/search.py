r"""Branch and bound on boxes of CDFs, for any weighting (docs/theory/05-certificates.md, part B).

Minimise :math:`\underline g(F) = \sum_i \underline G(F_i)` over the CDF vectors of all policies, :math:`\underline G`
a polygon below G.  A node is a box of CDFs.  Its bound is weak duality (B1); reduced costs (B2), probing (B3) and
above all the stationarity contractor (B5) shrink boxes and rule out actions, usually until the root closes.  Every
cut is valid for one fixed global minimiser as long as it is better than ``incumbent - tol``, so the answer (B7) is
``min(incumbent - tol, bounds of open nodes)``.

What chooses slopes, reference points and branching is heuristic and cannot make a bound wrong.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from .atoms import Atoms, Parts, best_length
from .cdf import Oracle
from .floats import Floats
from .under import Polygon, concave_corners, convex_corners

PENALTY = 20.0
STARTS = 40
ROOT_ROUNDS = 60
MORE_STEPS = 24
NODE_ROUNDS = 6
SHARP = 1e-10
BLURRED = 0.05


@dataclass
class Mixture:
    """A point of the polytope with the policies that it is made of."""

    cdf: Floats
    value: float
    parts: Parts = field(default_factory=list)


@dataclass
class Node:
    low: Floats
    high: Floats
    reference: Floats
    bound: float = -np.inf
    branch: tuple[int, float] | None = None


class Search:
    """The state of one search; :meth:`run` until done or out of time, then read :attr:`best` and :attr:`bound`."""

    def __init__(
        self,
        oracle: Oracle,
        polygon: Polygon,
        tol: float,
        deadline: float,
        report: Callable[[float, float], None] | None = None,
    ) -> None:
        self.oracle, self.x, self.g, self.tol, self.deadline = oracle, polygon.x, polygon.g, tol, deadline
        self.report = report
        self.concave, self.convex = concave_corners(polygon), convex_corners(polygon)
        n = oracle.top
        self.best = Mixture(np.ones(n), np.inf)
        self.bound = -np.inf
        self.uncut_bound = -np.inf
        self.multipliers = np.zeros(n)
        self.nodes = 0
        self._hull = np.zeros(len(self.x) + 2), np.zeros(len(self.x) + 2)
        self._next_report = time.monotonic() + 1.0

    # -- pieces -------------------------------------------------------------------------------------------------------

    @property
    def target(self) -> float:
        return self.best.value - self.tol

    def late(self) -> bool:
        now = time.monotonic()
        if self.report is not None and now > self._next_report and np.isfinite(self.best.value):
            self._next_report = now + 1.0
            self.report(self.best.value, max(self.bound, self.uncut_bound))
        return now > self.deadline

    def total(self, cdf: Floats) -> float:
        from ..kernels import polygon as kernels

        return float(kernels.total(cdf, self.x, self.g))

    def offer(self, cdf: Floats, parts: Parts | None = None) -> bool:
        """Keep a point if it is better; by default that of the oracle's last policy."""
        value = self.total(cdf)
        if value >= self.best.value - 1e-13:
            return False
        self.best = Mixture(cdf.copy(), value, [(1.0, self.oracle.choice.copy())] if parts is None else list(parts))
        return True

    def vertex(self, cost: Floats, *, masked: bool = True) -> tuple[float, Floats]:
        """A certified lower bound of ``cost . F`` and the CDF of the minimising policy."""
        value = self.oracle.solve(cost, masked=masked)
        cdf = self.oracle.cdf()
        self.offer(cdf)
        return value - self.oracle.slack(cost), cdf

    def climb(self, cdf: Floats) -> None:
        """Minimise the tangent again and again (for concave G each step improves)."""
        from ..kernels import polygon as kernels

        cost, value = np.zeros_like(cdf), self.total(cdf)
        for _ in range(100):
            kernels.slopes_at(cdf, self.x, self.g, cost)
            _, cdf = self.vertex(np.maximum(cost, 0.0), masked=False)
            after = self.total(cdf)
            if after >= value - 1e-12 or self.late():
                return
            value = after

    def dual(self, cost: Floats, low: Floats, high: Floats) -> tuple[float, Floats, Floats, Floats]:
        """B1: a valid lower bound for any cost, the vertex, where the minima are, and the minima."""
        from ..kernels import polygon as kernels

        value, cdf = self.vertex(cost)
        least, where = np.zeros_like(cost), np.zeros_like(cost)
        kernels.tilted_minima(cost, low, high, self.x, self.g, least, where)
        total = float(least.sum())
        slack = 4.0 * (len(cost) + 2) * 2.0**-53 * (float(np.abs(least).sum()) + abs(value))
        return value + total - slack, cdf, where, least

    def envelope(self, low: Floats, high: Floats, ref: Floats, blur: float = SHARP) -> tuple[Floats, Floats]:
        from ..kernels import polygon as kernels

        slope, height = np.zeros_like(low), np.zeros_like(low)
        kernels.envelope(low, high, ref, blur, self.convex, self.x, self.g, slope, height, *self._hull)
        return slope, height

    # -- bounds -------------------------------------------------------------------------------------------------------

    def node_bound(self, low: Floats, high: Floats, ref: Floats, steps: int) -> tuple[float, Floats, Floats, Floats]:
        """The best of several duals: bound, cost, reference point, minima."""
        return self._polyak(low, high, steps) if self.concave else self._pairwise(low, high, ref, steps)

    def _polyak(self, low: Floats, high: Floats, steps: int) -> tuple[float, Floats, Floats, Floats]:
        from ..kernels import polygon as kernels

        cost, _ = self.envelope(low, high, low)
        best: tuple[float, Floats, Floats, Floats] | None = None
        for step in range(steps + 1):
            bound, cdf, where, least = self.dual(cost, low, high)
            if best is None or bound > best[0]:
                best = (bound, cost.copy(), cdf, least)
            if best[0] >= self.target or step == steps or self.late():
                break
            ends = np.zeros_like(cost)
            other = np.zeros_like(cost)
            kernels.tilted_ends(cost, low, high, self.x, self.g, ends, other)
            tied = np.abs(ends - other) < 1e-9 * (1 + np.abs(cost))
            direction = cdf - np.where(tied, np.clip(cdf, low, high), where)
            norm = float(direction @ direction)
            if norm < 1e-14:
                break
            cost = cost + (self.best.value - bound) / norm * direction
        assert best is not None
        return best

    def _pairwise(self, low: Floats, high: Floats, ref: Floats, steps: int) -> tuple[float, Floats, Floats, Floats]:
        """Pairwise Frank-Wolfe on the convex envelope plus a quadratic penalty for leaving the box."""
        point = np.clip(ref, low, high)
        atoms: Atoms | None = None
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
            move = self._step_length(point, cdf - atoms.cdfs[away], atoms.weights[away], low, high, blur)
            atoms.shift(away, cdf, self.oracle.choice, move)
            point = atoms.point()
            self.offer(point, atoms.parts())
        assert best is not None
        return best

    def _step_length(
        self, point: Floats, direction: Floats, most: float, low: Floats, high: Floats, blur: float
    ) -> float:
        """Where the penalised envelope stops falling, by bisection on its derivative."""

        def slope_at(length: float) -> float:
            x = point + length * direction
            slope, _ = self.envelope(low, high, x, blur)
            return float((slope + PENALTY * (x - np.clip(x, low, high))) @ direction)

        if slope_at(most) <= 0:
            return most
        left, right = 0.0, most
        for _ in range(20):
            middle = 0.5 * (left + right)
            left, right = (left, middle) if slope_at(middle) > 0 else (middle, right)
        return 0.5 * (left + right)

    def descend(self, steps: int) -> None:
        """Pairwise Frank-Wolfe on the polygon itself: mixtures can beat policies unless G is concave."""
        from ..kernels import polygon as kernels

        atoms = Atoms([(w, self.oracle.cdf(table), table) for w, table in self.best.parts])
        point, cost = self.best.cdf.copy(), np.zeros_like(self.best.cdf)
        for _ in range(steps):
            kernels.slopes_at(point, self.x, self.g, cost)
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

    # -- cuts ---------------------------------------------------------------------------------------------------------

    def probe(self, node: Node, bound: float, cost: Floats, least: Floats, ref: Floats, most: int) -> bool:
        """B3 on the coordinates where the envelope is furthest below G; False if the box is empty."""
        inside = np.clip(ref, node.low, node.high)
        middle = 0.5 * (node.low + node.high)
        gaps = self._gap(node, inside) + 0.1 * self._gap(node, middle)
        sum_least = float(least.sum()) - 4.0 * (len(least) + 2) * 2.0**-53 * float(np.abs(least).sum())
        for i in np.argsort(-gaps)[:most]:
            if gaps[i] <= 1e-12 or self.late():
                break
            for sign in (1.0, -1.0):
                room = inside[i] - node.low[i] if sign > 0 else node.high[i] - inside[i]
                if room < 1e-7:
                    continue
                theta = 2.0 * max(self.target - bound, 1e-9) / room
                probed = cost.copy()
                probed[i] += sign * theta
                theta = abs(probed[i] - cost[i])  # as rounded
                value, _ = self.vertex(probed)
                edge = (value + sum_least - self.target) / theta
                edge -= 1e-12 * (1 + abs(edge)) + 2.0**-50 * (abs(value) + abs(sum_least) + abs(self.target)) / theta
                if sign > 0 and edge > node.low[i]:
                    node.low[i] = edge
                if sign < 0 and -edge < node.high[i]:
                    node.high[i] = -edge
                if node.low[i] > node.high[i]:
                    return False
        return True

    def _gap(self, node: Node, point: Floats) -> Floats:
        from ..kernels import polygon as kernels

        _, height = self.envelope(node.low, node.high, point)
        values = np.zeros_like(point)
        kernels.values_at(point, self.x, self.g, values)
        return values - height

    def contract(self, node: Node) -> bool:
        """B5, then B6; False if the box is empty."""
        from ..kernels import polygon as kernels

        c_low, c_high, c0 = (np.zeros_like(node.low) for _ in range(3))
        kernels.slope_ranges(node.low, node.high, self.x, self.g, c_low, c_high, c0)
        low, high, _ = self.oracle.contract(c0, c_low, c_high)
        np.maximum(node.low, low, out=node.low)
        np.minimum(node.high, high, out=node.high)
        return bool(kernels.close_monotone(node.low, node.high))

    # -- nodes --------------------------------------------------------------------------------------------------------

    def evaluate(self, node: Node, rounds: int, probes: int, steps: int) -> None:
        """Tighten a node until it closes (``bound`` reaches the target) or stops shrinking; then choose where to
        branch."""
        from ..kernels import polygon as kernels

        reference = node.reference
        for _ in range(rounds):
            width = float((node.high - node.low).sum())
            bound, cost, reference, least = self.node_bound(node.low, node.high, reference, steps)
            node.bound = max(node.bound, bound)
            if node.bound >= self.target or self.late():
                break
            kernels.cut_ends(cost, least, self.target - bound, node.low, node.high, self.x, self.g)
            if (
                not kernels.close_monotone(node.low, node.high)
                or not self.probe(node, bound, cost, least, reference, probes)
                or not kernels.close_monotone(node.low, node.high)
                or (self.oracle.maskable and not self.contract(node))
            ):
                node.bound = np.inf
                return
            if float((node.high - node.low).sum()) > 0.85 * width:
                break
        if node.bound < self.target and not self.late():
            bound, _, reference, _ = self.node_bound(node.low, node.high, reference, steps)
            node.bound = max(node.bound, bound)
        node.reference = reference
        node.branch = self._branching(node, reference)

    def _branching(self, node: Node, reference: Floats) -> tuple[int, float] | None:
        """The coordinate whose envelope is furthest below G, cut at a knot; the widest one if no box has a knot
        inside."""
        inside, middle = np.clip(reference, node.low, node.high), 0.5 * (node.low + node.high)
        width = node.high - node.low
        scores = np.where(width > 1e-11, self._gap(node, inside) + 0.1 * self._gap(node, middle), -1.0)
        share = 0.5 if self.concave else 1.0
        for i in np.argsort(-scores):
            if scores[i] <= 1e-13:
                break
            wanted = np.clip(
                share * inside[i] + (1 - share) * middle[i], node.low[i] + 0.1 * width[i], node.high[i] - 0.1 * width[i]
            )
            k = int(np.searchsorted(self.x, wanted))
            knots = [float(v) for v in self.x[max(k - 1, 0) : k + 1] if node.low[i] < v < node.high[i]]
            if knots:
                return int(i), min(knots, key=lambda v, wanted=wanted: abs(v - wanted))  # type: ignore[misc]
        i = int(np.argmax(100 * np.abs(reference - inside) + np.where(width > 1e-9, width, -1e3)))
        return (i, float(middle[i])) if width[i] > 1e-9 else None

    def run(self) -> None:
        """Incumbents, the root, then best-first branching."""
        n = self.oracle.top
        self.incumbents()
        root = Node(np.zeros(n), np.ones(n), self.best.cdf.copy())
        steps = 4 if self.concave else 6
        first = steps if self.concave else 300 if self.convex else 60
        bound, self.multipliers, reference, _ = self.node_bound(root.low, root.high, root.reference, first)
        self.uncut_bound = bound
        if bound >= self.target or self.late():
            return
        root.reference, root.bound = reference, bound
        if self.oracle.maskable:
            self.contract(root)
        began = time.monotonic()
        budget = self.deadline - began
        for _ in range(ROOT_ROUNDS):
            width = float((root.high - root.low).sum())
            everything = time.monotonic() - began < 0.3 * budget
            self.evaluate(root, 1, n if everything else 10, steps)
            self.bound = min(root.bound, self.target)
            if root.bound >= self.target or self.late():
                break
            if float((root.high - root.low).sum()) > 0.97 * width:
                if self.concave or steps >= MORE_STEPS:
                    break
                steps = MORE_STEPS  # the relaxation is smaller now: solve it better
        self._branch(root, steps)

    def _branch(self, root: Node, steps: int) -> None:
        """Best-first; a node that cannot be branched keeps its bound as a leaf."""
        order = count()
        kept = self.oracle.allowed.copy()
        heap = [(root.bound, next(order), root)]
        leaf = np.inf
        while heap:
            self.bound = min(heap[0][0], leaf, self.target)
            if self.bound >= self.target or self.late():
                break
            _, _, node = heapq.heappop(heap)
            if node.branch is None:
                leaf = min(leaf, node.bound)
                continue
            for child in self._children(node):
                self.oracle.allowed[:] = kept
                self.nodes += 1
                self.evaluate(child, NODE_ROUNDS, 4 if self.concave else 10, steps)
                child.bound = max(child.bound, node.bound)
                if child.bound < self.target:
                    heapq.heappush(heap, (child.bound, next(order), child))
        self.bound = min([node_bound for node_bound, _, _ in heap[:1]] + [leaf, self.target])

    def _children(self, node: Node) -> list[Node]:
        from ..kernels import polygon as kernels

        assert node.branch is not None
        i, cut = node.branch
        children = []
        for below in (True, False):
            child = Node(node.low.copy(), node.high.copy(), node.reference.copy())
            if below:
                child.high[i] = min(child.high[i], cut)
            else:
                child.low[i] = max(child.low[i], cut)
            if kernels.close_monotone(child.low, child.high):
                children.append(child)
        return children

    def incumbents(self) -> None:
        """Climb from the mean-optimal policy and from thresholds; mix where that can help."""
        n = self.oracle.top
        _, cdf = self.vertex(np.ones(n), masked=False)
        self.climb(cdf)
        began, budget = time.monotonic(), self.deadline - time.monotonic()
        for k in np.unique(np.linspace(1, n, min(n, STARTS)).astype(int)):
            if time.monotonic() - began > 0.15 * budget or self.late():
                break
            _, cdf = self.vertex((np.arange(n) < k).astype(float), masked=False)
            self.climb(cdf)
        if not self.concave:
            for _ in range(3):
                self.descend(60)
