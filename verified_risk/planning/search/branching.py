r"""Branch and bound on boxes of CDFs, for any weighting (docs/theory/05-certificates.md, part B).

Minimise :math:`\underline g(F) = \sum_i \underline G(F_i)` over the CDF vectors of all policies, :math:`\underline G`
a polygon below G.  A node is a box of CDFs.  Its bound is weak duality (B1); probing (B3) and above all the
stationarity contractor (B5) shrink boxes and rule out actions, usually until the root closes.  Every cut is valid for
one fixed global minimiser as long as it is better than ``incumbent - tol``, so the answer (B7, result of the search) is
``min(incumbent - tol, bounds of open nodes)``.

The choice of slopes, reference points and branching is heuristic and cannot invalidate a bound.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from itertools import count

import numpy as np

from ...kernels import polygon_bounds as kernels
from ...mdp.packed import Floats
from .. import clock
from .relaxation import Atoms, Relaxation

ROOT_ROUNDS = 120  # maximum number of rounds at the root; all nodes benefit from them, and most searches end there
ROOT_PROBES = 20  # coordinates probed per round at the root
SHRUNK = 0.3
"""The root is contracted once its width is at most this share of what the last contraction left, or when it stops
shrinking: a contraction costs as much as a hundred probes."""
MORE_STEPS = 24  # relaxation steps per round at the root, once the first few no longer shrink its box
NODE_ROUNDS = 6  # maximum number of rounds of contraction at any other node; its children can be cut further
WORTHWHILE = 0.85  # a round that leaves more than this share of a node's width is the last: branching is then faster
ROOT_WORTHWHILE = 0.97  # the same for the root, which is then contracted
ROOT_STUCK = 0.99  # the same for a round that contracts: every node inherits the root's cuts, so slow progress pays


@dataclass
class Node:
    low: Floats
    high: Floats
    reference: Floats
    bound: float = -np.inf
    branch: tuple[int, float] | None = None
    atoms: Atoms | None = None


def width_of(node: Node) -> float:
    return float((node.high - node.low).sum())


class Search(Relaxation):
    """The state of a search; call :meth:`run`, then read :attr:`best` and :attr:`bound`."""

    nodes = 0
    reach = 0  # cells by which a statement about coordinate i is shifted; 1 between grid points (D2)

    # -- cuts ---------------------------------------------------------------------------------------------------------

    def probe(self, node: Node, bound: float, cost: Floats, least: Floats, ref: Floats, most: int) -> bool:
        """Probe (B3) the coordinates where the envelope is furthest below G; return False if the box is empty."""
        inside = np.clip(ref, node.low, node.high)
        middle = 0.5 * (node.low + node.high)
        gaps = self._gap(node, inside) + 0.1 * self._gap(node, middle)
        sum_least = math.nextafter(math.fsum(least), -math.inf)
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
                theta = abs(probed[i] - cost[i])  # the change after rounding
                value = self.oracle.solve(probed) - self.oracle.slack(probed)
                edge = (value + sum_least - self.target) / theta
                edge -= 1e-12 * (1 + abs(edge)) + 2.0**-50 * (abs(value) + abs(sum_least) + abs(self.target)) / theta
                after, before = i + self.reach, i - self.reach
                if sign > 0 and after < len(node.low) and edge > node.low[after]:
                    node.low[after] = edge
                if sign < 0 and before >= 0 and -edge < node.high[before]:
                    node.high[before] = -edge
                if self.reach == 0 and node.low[i] > node.high[i]:
                    return False
        return True

    def cut_to(self, node: Node, low: Floats, high: Floats) -> bool:
        """Intersect a box with bounds on its coordinates, then close it under monotonicity (B6); return False if it is
        empty."""
        n = len(low)
        np.maximum(node.low[self.reach :], low[: n - self.reach], out=node.low[self.reach :])
        np.minimum(node.high[: n - self.reach], high[self.reach :], out=node.high[: n - self.reach])
        return bool(kernels.close_monotone(node.low, node.high))

    def _gap(self, node: Node, point: Floats) -> Floats:
        _, height = self.envelope(node.low, node.high, point)
        values = np.zeros_like(point)
        for i, p in self.pieces:
            kernels.values_at(point[i], p.x, p.g, values[i])
        return values - height

    def contract(self, node: Node) -> bool:
        """Apply the stationarity contractor (B5), then monotonicity (B6); return False if the box is empty.  A pass
        that is not expected to end in time is skipped, which is always valid."""
        if clock.now() + self.oracle.contract_seconds > self.deadline:
            return True
        c_low, c_high, c0 = (np.zeros_like(node.low) for _ in range(3))
        for i, p in self.pieces:
            kernels.slope_ranges(node.low[i], node.high[i], p.x, p.g, c_low[i], c_high[i], c0[i])
        found = self.oracle.contract(c0, c_low, c_high, self.deadline)
        return True if found is None else self.cut_to(node, *found)

    def own_bound(self) -> float:
        """Return the bound that weak duality would prove if only the incumbent's actions were allowed."""
        oracle, cdf = self.oracle, self.best.cdf
        low = np.concatenate(([0.0], cdf[:-1]))
        high = np.concatenate((cdf[1:], [1.0]))
        kept = oracle.allowed.copy()
        oracle.allowed[:] = 0
        for _, choice in self.best.parts:
            oracle.allowed |= np.int64(1) << choice.astype(np.int64)
        cost = np.zeros_like(cdf)
        self.slopes_at(cdf, cost)
        value = oracle.solve(cost)
        oracle.allowed[:] = kept
        least, _ = self.tilted_minima(cost, low, high)
        return value + float(least.sum())

    # -- nodes --------------------------------------------------------------------------------------------------------

    def evaluate(self, node: Node, rounds: int, probes: int, steps: int, *, contracting: bool = True) -> None:
        """Tighten a node until it closes (``bound`` reaches the target) or stops shrinking; then choose where to
        branch."""
        reference = node.reference
        for _ in range(rounds):
            width = width_of(node)
            bound, cost, reference, least = self.node_bound(node.low, node.high, reference, steps, node.atoms)
            node.atoms = self.atoms
            node.bound = max(node.bound, bound)
            if node.bound >= self.target or self.late():
                break
            if (
                not self.probe(node, bound, cost, least, reference, probes)
                or not kernels.close_monotone(node.low, node.high)
                or (contracting and self.oracle.maskable and not self.contract(node))
            ):
                node.bound = np.inf
                return
            if width_of(node) > WORTHWHILE * width:
                break
        if node.bound < self.target and not self.late():
            bound, _, reference, _ = self.node_bound(node.low, node.high, reference, steps, node.atoms)
            node.atoms = self.atoms
            node.bound = max(node.bound, bound)
        node.reference = reference
        node.branch = self._branching(node, reference)

    def _branching(self, node: Node, reference: Floats) -> tuple[int, float] | None:
        """Return the coordinate whose envelope is furthest below G, cut at a knot; the widest one if no box has a knot
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
            x = self.polygon_at(int(i)).x
            k = int(np.searchsorted(x, wanted))
            knots = [float(v) for v in x[max(k - 1, 0) : k + 1] if node.low[i] < v < node.high[i]]
            if knots:
                cut = min(knots, key=lambda v, wanted=wanted: abs(v - wanted))  # type: ignore[misc]
                if (edge := self.edge(node, int(i), cut)) is not None:
                    return edge, cut
        order = np.argsort(-(100 * np.abs(reference - inside) + np.where(width > 1e-9, width, -1e3)))
        for i in order[: 1 if self.reach == 0 else None]:
            if width[i] > 1e-9 and (edge := self.edge(node, int(i), float(middle[i]))) is not None:
                return edge, float(middle[i])
        return None

    def edge(self, node: Node, i: int, cut: float) -> int | None:
        """Return where to compare F with ``cut``: coordinate i or, for cells, one of its ends; None if both are
        decided."""
        if self.reach == 0:
            return i
        if i > 0 and node.high[i - 1] > cut:
            return i
        return i + 1 if i + 1 < len(node.low) and node.low[i + 1] < cut else None

    def run(self) -> None:
        """Find incumbents, tighten the root, then branch best-first."""
        n = self.oracle.top
        self.incumbents()
        root = Node(np.zeros(n), np.ones(n), self.best.cdf.copy())
        steps = 4 if self.concave else 6
        first = steps if self.concave else 300 if self.convex else 60
        self.uncut = True
        bound, _, reference, _ = self.node_bound(root.low, root.high, root.reference, first)
        self.uncut, self.uncut_bound = False, max(self.uncut_bound, bound)
        if bound >= self.target or self.late():
            return
        root.reference, root.bound = reference, bound
        if self.oracle.maskable:
            self.contract(root)
        contracted, contracting = width_of(root), False
        for _ in range(ROOT_ROUNDS):
            width = width_of(root)
            contracting = contracting or width <= SHRUNK * contracted
            self.evaluate(root, 1, ROOT_PROBES if self.reach == 0 else 10, steps, contracting=contracting)
            self.bound = min(root.bound, self.target)
            if root.bound >= self.target or self.late():
                break
            after, stalled = width_of(root), width_of(root) > ROOT_WORTHWHILE * width
            if contracting:
                contracted = after
                if after > ROOT_STUCK * width:
                    if self.concave or steps >= MORE_STEPS:
                        break
                    steps = MORE_STEPS  # the relaxation is smaller now: solve it better
            contracting = stalled
        self._branch(root, steps)

    def _branch(self, root: Node, steps: int) -> None:
        """Branch best-first; a node that cannot be branched keeps its bound as a leaf."""
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
        assert node.branch is not None
        i, cut = node.branch
        children = []
        for below in (True, False):
            child = Node(node.low.copy(), node.high.copy(), node.reference.copy())
            child.atoms = None if node.atoms is None else node.atoms.copy()
            if below:
                child.high[i - self.reach] = min(child.high[i - self.reach], cut)
            else:
                child.low[i] = max(child.low[i], cut)
            if kernels.close_monotone(child.low, child.high):
                children.append(child)
        return children
