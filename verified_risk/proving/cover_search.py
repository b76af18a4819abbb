r"""Search for a cover: the planner's search over CDFs, with every cut on record.

Steps are cuts of a box of CDFs, each with the multipliers that prove it by weak duality (theory 05, B1): a probe (B3)
that finds :math:`F_i \ge p` closes the box with :math:`F_i \le p` and goes on with the rest.  On a grid a contraction
(B5) removes actions for all that follows.  Where these stop, a box is cut in two.

A weighting that jumps at a level counts as having jumped wherever no policy's CDF is below the level (theory 05,
B8).  Floats decide where that is, except for CDFs that meet the level; a table of integers decides those.  They also
choose cuts and multipliers; the checker decides what they prove.

The coordinates of a CDF are points of a grid, attainable returns (B9), or cells of a grid (D2), where a cut at a node
says that F is at most a level in the cells before the node, or at least that in the cells from the node on.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidArgument, Unsupported
from ..grid import GridModel, float_model, grid_model
from ..kernels import polygon_bounds as kernels
from ..mdp import MDP
from ..mdp.packed import Floats, Ints
from ..objectives.polygon import Polygon, corners_as_floats
from ..objectives.weighting import Knots
from ..planning.clock import Clock, TimeUp
from ..planning.exact_route import MeanToGo, least_below, mean_to_go
from ..planning.search.branching import SHRUNK, Node, Search, width_of
from ..planning.search.cells_route import CellOracle, CellSearch
from ..planning.search.driver import Coordinates
from ..planning.search.grid_coordinates import Oracle
from .budgets import Charges
from .certificate import STEEP, Cover, CoverNode, CurveJump

MOST_LEAVES = 20_000
"""Maximum number of leaves of a cover: the certificate lists a cost vector for each, as long as the grid."""
DEEPEST = 4_000
"""Largest depth of nested cuts; the checker reads 5,000."""
MULTIPLIER = 2**44
"""Denominator of multipliers; every multiplier is valid."""
LEVELS = 2**30
"""Denominator of the levels of cuts, rounded so that less is cut off."""
FEW_CORNERS = 40
"""Corners of G up to which boxes end at them: between two corners G is its own envelope."""
ROUND = 2.0**-40
"""Share of the number of grid points by which a bound exceeds what is wanted, for the checker's rounding."""
BETWEEN = 2.0**-20
"""The same where tables are read between nodes, of numbers that fit words."""
LARGEST = 2**10
"""Largest multiplier of a cell, so that words have room for its digits."""
NOISE = 1e-9
"""Share of the number of grid points by which floats may misplace a point."""
CLOSE_CALL = 1e-10
"""Share of the number of grid points by which a bound may miss the aim and still be left to the checker."""
MOST_PASSES, FEW_PASSES = 50_000, 500
"""Maximum number of passes of a search, and of a first one without contractions."""
MOST_CONTRACTED = 5 * 10**8
"""Maximum number of products of a law and a weight in a contraction, whose check takes seconds for ten million."""
ROOT_ROUNDS, ROUNDS, WORTHWHILE = 200, 6, 0.9
"""Maximum number of rounds of probes at the root, whose cuts every box inherits, and of any other box, which is cut in
two once a round leaves more than this share."""
ROOT_PROBES, PROBES = 20, 10
"""Maximum number of coordinates probed in one round, at the root and elsewhere."""
SHARES = (0.5, 0.2, 0.07)


class Pace(NamedTuple):
    """A box is cut in two once a round leaves more than the share ``worthwhile`` of the root; a cut takes off more than
    ``least`` of a coordinate; ``steps`` of its relaxation bound a box, ``further`` ones each cut beyond a probe, at
    ``shares`` of what the probe leaves."""

    worthwhile: float
    least: float
    steps: int
    further: int = 0
    shares: tuple[float, ...] = ()


PACE = Pace(0.9999, 0.02, 6, 8, SHARES), Pace(0.995, 0.02, 60, 20, SHARES)
"""If G is concave, and otherwise."""
CONTRACTING_PACE = Pace(0.97, 0.06, 4), Pace(0.99, 0.06, 24)
"""The same where boxes are contracted."""
MOST_STEPS = 2000
"""Steps of the relaxation of a box that no cut can help."""
STEEPEST = 2.0**12
"""Largest multiplier where boxes are contracted, so that the numbers of tables stay short."""
CONTRACTING = 2**40
"""Denominator of the costs of a contraction, and its scale."""
NARROWED = 1e-11
"""How much less than in floats a box is narrowed by a contraction, besides what the checker rounds at each step."""


@dataclass(frozen=True)
class Found:
    """A cover, and the bound ``upper`` that it should prove, at least the one wanted.

    ``complete`` is False if floats already show that the checker will refuse it; ``doubtful`` says why, if the bound
    may be right nevertheless.
    """

    cover: Cover
    upper: Fraction
    complete: bool = True
    doubtful: str = ""


def on_grid(mdp: MDP, unit: Fraction) -> Coordinates:
    """Return the points of a grid, one of ``unit``, as coordinates of a CDF."""
    model = float_model(mdp, unit)
    try:
        oracle = Oracle(model)
    except InvalidArgument as error:
        raise Unsupported(f"not covered: a cover by boxes of CDFs on this grid ({error})") from None
    return Coordinates(oracle, unit, (model.remaining[0] + model.offsets[-1]) * unit)


def in_cells(mdp: MDP, unit: Fraction, steep: Fraction | None) -> Coordinates:
    """Return the cells of a grid; ``steep`` is the multiplier where F is 1, None if only returns that are met count."""
    try:
        oracle = CellOracle(mdp, unit, beyond=None if steep is None else float(steep))
    except InvalidArgument as error:
        raise Unsupported(f"not covered: a cover by cells ({error})") from None
    return Coordinates(oracle, unit, oracle.model.offset + unit * oracle.top, kind=CellSearch)


def find_cover(
    space: Coordinates,
    knots: Knots,
    upper: Fraction,
    clock: Clock,
    allowance: Fraction | int = 0,
    jumps: Sequence[CurveJump] = (),
    exact: Exact | None = None,
) -> Found:
    """Find a cover that should prove ``upper``, or up to ``allowance`` more.

    With ``exact`` tables, a level of ``jumps`` that the least CDF meets with equality counts as passed.  Raise
    :class:`Unsupported` if it needs too many boxes or too much time.
    """
    oracle, unit = space.oracle, space.width
    if oracle.top == 0:
        return Found([CoverNode("dual")], upper, complete=upper >= space.most)
    needed, allowed = float((space.most - upper) / unit), float(Fraction(allowance) / unit)
    heights: dict[int, Fraction] = {}
    passed: list[tuple[int, int, Fraction]] = []
    between = isinstance(oracle, CellOracle)
    by_cut = between or space.shares is not None
    room = 2 * needed / LARGEST if between else CLOSE_LEVEL
    pieces: list[tuple[int, Polygon]] = []
    for jump in sorted(jumps, key=lambda jump: jump.corner):
        where = where_passed(oracle, knots, jump, exact, room, space.kind.reach)
        if where is not None:
            heights[jump.corner] = heights.get(jump.corner, Fraction()) + jump.height
            passed.append(where)
            pieces.append((where[1], _past(knots, heights)))
    search = _Recorded(space, knots, pieces, needed, allowed, clock)
    for _, i, level in passed:
        search.root.low[i:] = np.maximum(search.root.low[i:], float(level))
    try:
        cover = search.cover()
    except (_GivesUp, TimeUp) as error:
        reached = space.most - Fraction(search.bound) * unit if math.isfinite(search.bound) else None
        raise Unsupported(_gave_up(str(error), search.leaves, reached, upper)) from None
    if search.target < needed:
        upper = max(upper, space.most - Fraction(search.target) * unit)
    for scale, i, level in passed:
        cover = [*(search.cut_below(i, level) if by_cut else [CoverNode("passed", i, level, scale)]), *cover]
    doubtful = "" if search.hopeless or not search.stuck else "no multipliers were found that prove the upper bound"
    return Found(cover, upper, not (search.hopeless or search.stuck), doubtful)


def is_fine_enough(space: Coordinates, knots: Knots, upper: Fraction, clock: Clock) -> bool:
    """Return whether tables between nodes lose, for the best policy found, at most half of what ``upper`` leaves; or
    whether one box proves it, if the weighting is not concave."""
    search = _Recorded(space, knots, [], float((space.most - upper) / space.width), 0.0, clock)
    search.incumbents()
    if not search.concave:
        search._bound(search.root, PACE[1].steps)
        return search.root.bound >= search.wanted
    return 2 * (search.best.value - search.own_bound()) <= search.best.value - search.wanted


def _past(knots: Knots, heights: dict[int, Fraction]) -> Polygon:
    """Return the polygon through the knots from the last corner that jumped on, raised there by the jump, and its first
    piece to the left of it."""
    corner = max(heights)
    (a, u), *rest = knots[corner:]
    start = a, u + heights[corner]
    if not rest:
        return Polygon.through([(Fraction(), start[1]), start])
    slope = (rest[0][1] - start[1]) / (rest[0][0] - a)
    before = [(Fraction(), start[1] - a * slope)] if a else []
    return Polygon.through(corners_as_floats((*before, start, *rest)))


def _gave_up(why: str, leaves: int, reached: Fraction | None, upper: Fraction) -> str:
    told = "" if reached is None or reached > 10**12 else f", which would prove about {float(reached):.6g}"
    return (
        f"not covered: {why} after {leaves} boxes of CDFs{told} instead of the upper bound {float(upper):.6g}; more "
        "time, a plan with a larger gap or a larger eta may help"
    )


class _GivesUp(Exception):
    """Raised if there are too many boxes."""


@dataclass
class _Box(Node):
    """A box with the steps made in it: cuts, with the closed side and the multipliers that close it, and contractions;
    and the actions that are kept."""

    cuts: list[tuple[CoverNode, bool, Floats | None]] = field(default_factory=list)
    kept: Ints | None = None
    closed: Floats | None = None
    split: tuple[int, Fraction] | None = None
    children: list[_Box] = field(default_factory=list)
    depth: int = 0


class _Recorded(Search):
    """The planner's search for boxes on which no CDF costs less than ``needed``, or ``allowance`` less than that."""

    leaves = stuck = contractions = 0
    hopeless = contracts = False
    """True if a policy costs less than may be wanted; if boxes are contracted."""
    most_calls: float = MOST_PASSES

    def __init__(
        self,
        space: Coordinates,
        knots: Knots,
        passed: Sequence[tuple[int, Polygon]],
        needed: float,
        allowance: float,
        clock: Clock,
    ) -> None:
        polygon = Polygon.through(corners_as_floats(knots))
        super().__init__(space.oracle, polygon, 0.0, clock.deadline, passed=passed, widths=space.shares)
        self.coordinates, self.clock, self.wanted, self.allowance = space, clock, needed, allowance
        self.reach, n = space.kind.reach, space.oracle.top
        self.free, self.margin, self.largest = slice(0, n), BETWEEN * n, LARGEST if self.concave else math.inf
        if isinstance(self.oracle, Oracle):  # F is 0 under every policy before, and 1 after
            met = self.oracle.low[-1] <= self.oracle.high[-1]
            self.free = slice(int(self.oracle.low[-1][met].min()), int(self.oracle.high[-1][met].max()))
            self.margin, self.largest = ROUND * n, math.inf
        self.root = _Box(np.zeros(n), np.ones(n), np.zeros(n))
        self.root.high[: self.free.start] = 0.0
        self.root.low[self.free.stop :] = 1.0
        self.steep = Fraction(max(STEEP, *(math.ceil(p.slope.max()) for _, p in self.pieces)))
        self.aim = needed
        self.exact_knots = {float(x): x for x, _ in knots}
        self.corners = np.array(sorted(self.exact_knots))
        self.few = not self.reach and len(self.corners) <= FEW_CORNERS
        slopes = [(v - u) / (b - a) for (a, u), (b, v) in pairwise(knots)]
        self.exact_slopes = {round(float(slope) * MULTIPLIER) / MULTIPLIER: slope for slope in slopes}

    @property
    def target(self) -> float:
        return self.aim

    def cover(self) -> Cover:
        """Search in phases until one closes every box, or leaves it to the checker."""
        self.incumbents()
        self._choose_aim()
        if self.hopeless:
            return [self._leaf(None)]
        whole, phases = self.root, self._phases()
        for last, (self.contracts, most) in enumerate(phases, 1 - len(phases)):
            self.root = _Box(whole.low.copy(), whole.high.copy(), whole.reference)
            self.leaves, self.stuck, self.most_calls = 0, 0, self.oracle.calls + most
            self.pace = (CONTRACTING_PACE if self.contracts else PACE)[not self.concave]
            self.largest = STEEPEST if self.contracts else self.largest
            try:
                self._close(self.root)
            except _GivesUp:
                if not last:
                    raise
            else:
                if not self.stuck or self.hopeless or not last:
                    break
        return self._tree()

    def _phases(self) -> list[tuple[bool, int]]:
        """Return whether to contract boxes, and the maximum number of passes.  Contractions are slow to check, and
        leave boxes of which no end is a corner; so a few passes without come first."""
        oracle, exact = self.oracle, self.aim >= self.best.value - NOISE * self.oracle.top
        if not isinstance(oracle, Oracle) or not oracle.maskable or self.coordinates.shares is not None or exact:
            return [(False, MOST_PASSES)]
        if oracle.work > MOST_CONTRACTED:
            return [(False, MOST_PASSES)]
        return [(False, FEW_PASSES), (True, MOST_PASSES // 2), (False, MOST_PASSES)]

    def _close(self, root: _Box) -> None:
        """Search best-first; boxes that cannot be cut, and all boxes once there is no hope, are left to the checker."""
        order = count()
        self._tighten(root)
        heap = [] if root.bound < self.aim and self._close_call(root) else [(root.bound, next(order), root)]
        while heap and not self.hopeless:
            value, _, box = heapq.heappop(heap)
            self.bound = value
            if value >= self.aim:
                break
            if box.branch is None:
                self.stuck += 1
                continue
            for child in self._split(box, *box.branch):
                self._tighten(child)
                if child.bound < self.aim and not self._close_call(child):
                    heapq.heappush(heap, (child.bound, next(order), child))

    def _choose_aim(self) -> None:
        """Aim at what is wanted or, if a policy costs hardly more, at less, within the allowance."""
        least = self.wanted - self.allowance
        self.hopeless = self.best.value < least - NOISE * self.oracle.top
        self.aim = max(least, min(self.wanted, self.best.value - self.allowance / 8))

    def _level(self, edge: float, sign: float) -> float:
        """Round the level of a cut down or up, to a corner of G if there are few: boxes between corners need no cut."""
        if not self.few:
            return (math.floor if sign < 0 else math.ceil)(edge * LEVELS) / LEVELS
        k = int(np.searchsorted(self.corners, edge, "right" if sign < 0 else "left"))
        return float(self.corners[min(max(k - (sign < 0), 0), len(self.corners) - 1)])

    def _cut(self, box: _Box, i: int, level: float, cost: Floats, *, below: bool) -> None:
        """Close the side of a box below or above a level of coordinate i by multipliers, and keep the other."""
        box.cuts.append((CoverNode("cut", i, self.exact_knots.get(level, Fraction(level))), below, cost))
        self._count(box)
        self._clip(box.low, box.high, i, level, below=not below)

    def _tighten(self, box: _Box) -> None:
        """Probe until the box closes or hardly shrinks; then choose where to cut it in two."""
        if isinstance(self.oracle, Oracle):
            self.oracle.allowed[:] = self.oracle.everything if box.kept is None else box.kept
        if box.closed is not None and self._closes(box, box.closed):
            return
        root = box is self.root
        steps = MOST_STEPS if root and self.convex else self.pace.steps
        contracted, contracting = width_of(box), False
        for _ in range(ROOT_ROUNDS if root else ROUNDS):
            width, least = width_of(box), self._bound(box, steps)
            if self.contracts and box.bound < self.aim and (contracting or width <= SHRUNK * contracted):
                self._contract(box)
                contracted, least = width_of(box), self._bound(box, steps)
            if box.bound >= self.aim or self._probes_close(box, least, ROOT_PROBES if root else PROBES):
                return
            stalled, steps = width_of(box) > (self.pace.worthwhile if root else WORTHWHILE) * width, self.pace.steps
            if stalled and (contracting or not root or not self.contracts):
                break
            contracting = stalled
        box.branch = self._branching(box, box.reference)
        if self.few and (box.branch is None or box.branch[1] not in self.exact_knots):
            self._bound(box, MOST_STEPS)  # the envelope is G: only multipliers can be missing
            box.branch = None if self.concave else box.branch

    def _contract(self, box: _Box) -> None:
        """Remove actions that no best policy plays (B5), and narrow the box to what the others reach."""
        assert isinstance(self.oracle, Oracle)
        c_low, c_high, c0 = (np.zeros_like(box.low) for _ in range(3))
        for i, p in self.pieces:
            kernels.slope_ranges(box.low[i], box.high[i], p.x, p.g, c_low[i], c_high[i], c0[i])
        c0 = np.round(np.minimum(c0, STEEPEST) * CONTRACTING) / CONTRACTING
        self.oracle.coarse = CONTRACTING
        found = self.oracle.contract(c0, c_low, c_high, self.deadline)
        if found is None:
            self.clock.require()
            return
        box.kept = self.oracle.allowed.astype(np.min_scalar_type(int(self.oracle.everything.max())))
        costs = tuple(Fraction(c) for c in c0.tolist())
        box.cuts.append((CoverNode("contract", scale=CONTRACTING, costs=costs), False, None))
        self.contractions += 1
        less = NARROWED + (self.oracle.model.horizon + 1) / CONTRACTING
        np.maximum(box.low, found[0] - less, out=box.low)
        np.minimum(box.high, found[1] + less, out=box.high)

    def _bound(self, box: _Box, steps: int) -> Floats:
        """Bound a box by some steps of its relaxation; return the least G(x) - c x of each coordinate."""
        bound, cost, box.reference, least = self.node_bound(box.low, box.high, box.reference, steps, box.atoms)
        box.atoms, box.closed, box.bound = self.atoms, self._rounded(cost), bound - self.margin
        if box is self.root:
            self.bound = max(self.bound, box.bound)
        self._count(box)
        return least

    def _close_call(self, box: _Box) -> bool:
        """Return True if the bound of a box misses the aim, or a policy's cost, by hardly more than rounding: the
        checker decides."""
        least = min(self.aim, self.best.value) - self.margin - CLOSE_CALL * self.oracle.top
        if box.bound < least or box.closed is None:
            return False
        self.stuck += 1
        return True

    def _closes(self, box: _Box, cost: Floats) -> bool:
        """True if multipliers of another box close this one."""
        least, _ = self.tilted_minima(cost, box.low, box.high)
        box.bound = self.oracle.solve(cost) + math.fsum(least) - self.margin
        self._count(box)
        return box.bound >= self.aim

    def _count(self, box: _Box) -> None:
        self.clock.require()
        self.leaves += 1
        if self.leaves > MOST_LEAVES or box.depth + len(box.cuts) >= DEEPEST or self.oracle.calls > self.most_calls:
            raise _GivesUp(f"the search for a cover stops {box.depth + len(box.cuts)} cuts deep")
        self.hopeless = self.best.value < self.wanted - self.allowance - NOISE * self.oracle.top

    def vertex(self, cost: Floats, *, masked: bool = True) -> tuple[float, Floats]:
        value, cdf = self.oracle.solve(cost, masked=masked), self.oracle.cdf()
        self.offer(cdf)
        return value, cdf

    def dual(self, cost: Floats, low: Floats, high: Floats) -> tuple[float, Floats, Floats, Floats]:
        return super().dual(self._rounded(cost), low, high)

    def _rounded(self, cost: Floats) -> Floats:
        """Round multipliers to the denominator of certificates; where F is certain they do not matter."""
        found = np.zeros_like(cost)
        kept = np.clip(cost[self.free], -self.largest, self.largest)
        found[self.free] = np.round(kept * MULTIPLIER) / MULTIPLIER
        return found

    def _probes_close(self, box: _Box, least: Floats, most: int) -> bool:
        """Probe the coordinates where the envelope is furthest below G; return True if that closes the box."""
        middle = 0.5 * (box.low + box.high)
        gaps = self._gap(box, np.clip(box.reference, box.low, box.high)) + 0.1 * self._gap(box, middle)
        return any(
            self._probe(box, math.fsum(least), i, sign)
            for i in np.argsort(-gaps)[:most].tolist()
            if gaps[i] > 1e-12
            for sign in (1.0, -1.0)
        )

    def _probe(self, box: _Box, total: float, i: int, sign: float) -> bool:
        """Cut off the low end of coordinate i (``sign`` 1) or its high end (-1) as far as a probe (B3) or the
        relaxation of the end closes it; return True if that is the whole box."""
        assert box.closed is not None
        low, high, aim = float(box.low[i]), float(box.high[i]), self.aim + self.margin
        inside = min(max(float(box.reference[i]), low), high)
        room = inside - low if sign > 0 else high - inside
        if room < 1e-7:
            return False
        cost = box.closed.copy()
        cost[i] += sign * 2.0 * max(aim - box.bound, 1e-9) / room
        cost = self._rounded(cost)
        theta = abs(float(cost[i] - box.closed[i]))
        edge = sign * ((self.oracle.solve(cost) + total - aim) / max(theta, 1e-300) - 1e-12)
        if edge >= high if sign > 0 else edge <= low:
            box.closed, box.bound = cost, math.inf
            self._count(box)
            return True
        edge, node = min(max(edge, low), high), i + self.reach if sign > 0 else i
        if not self.reach <= node < len(box.low):
            return False
        for share in self.pace.shares:
            further = self._level(edge + share * (inside - edge), -sign)
            end = box.low.copy(), box.high.copy()
            self._clip(*end, node, further, below=sign > 0)
            bound, tried, _, _ = self.node_bound(*end, box.reference, self.pace.further, box.atoms)
            if bound >= aim:
                edge, cost = further, self._rounded(tried)
                break
        level = self._level(edge, -sign)
        before = box.low[node] if sign > 0 else box.high[node - self.reach]
        if sign * (level - before) > self.pace.least * (high - low):
            self._cut(box, node, level, cost, below=sign > 0)
        return False

    def _split(self, box: _Box, i: int, cut: float) -> list[_Box]:
        box.split = i, self.exact_knots.get(cut, Fraction(cut))
        for below in (True, False):
            child = _Box(box.low.copy(), box.high.copy(), box.reference.copy(), depth=box.depth + len(box.cuts) + 1)
            child.atoms = None if box.atoms is None else box.atoms.copy()
            child.closed, child.kept = box.closed, box.kept
            self._clip(child.low, child.high, i, cut, below=below)
            box.children.append(child)
        return box.children

    def _leaf(self, cost: Floats | None) -> CoverNode:
        costs: list[float] = (np.zeros(self.oracle.top) if cost is None else cost).tolist()
        # a share below the range of floats is 0
        costs = [c / w if w else 0.0 for c, w in zip(costs, self.shares.tolist(), strict=True)]
        found = [self.exact_slopes.get(round(c * MULTIPLIER) / MULTIPLIER, Fraction(c)) for c in costs]
        found[: self.free.start] = [Fraction()] * self.free.start
        found[self.free.stop :] = [self.steep] * (self.oracle.top - self.free.stop)
        return CoverNode("dual", costs=tuple(found))

    def cut_below(self, i: int, level: Fraction) -> Cover:
        """Return a cut and the leaf that closes its lower side, since every policy is beyond the level there."""
        costs = np.zeros(self.oracle.top)
        costs[i - self.reach] = min(self.largest, LARGEST if self.reach else float(STEEP))
        return [CoverNode("cut", i, level), self._leaf(costs)]

    def _tree(self) -> Cover:
        """Return the tree, without recursion: the cuts of a box around its leaf or around what its halves hold."""
        found: list[CoverNode] = []
        waiting: list[_Box | CoverNode] = [self.root]
        while waiting:
            box = waiting.pop()
            if isinstance(box, CoverNode):
                found.append(box)
                continue
            for node, below, cost in box.cuts:
                found.append(node)
                if cost is not None:
                    (found if below else waiting).append(self._leaf(cost))
            found.append(self._leaf(box.closed) if box.split is None else CoverNode("cut", *box.split))
            waiting += box.children[::-1]
        return found

    def _clip(self, low: Floats, high: Floats, i: int, level: float, *, below: bool) -> None:
        """Keep the CDFs of a box whose value at i is at most a level, or at least that."""
        after = i + 1 - self.reach
        if below:
            high[:after] = np.minimum(high[:after], level)
        else:
            low[i:] = np.maximum(low[i:], level)


# -- levels that every CDF has passed ----------------------------------------------------------------------------------


CLOSE_LEVEL = 1e-9
"""Distance within which floats cannot tell a CDF value from a level."""
CLEAR = 2**60
"""The scale of a table for a level that no CDF comes this close to."""
MOST_WORK = 2e6
"""Maximum number of outcomes that the table of integers processes."""


@dataclass(frozen=True)
class Exact:
    """The model on the grid, and the ``scale`` of lossless tables of integers."""

    mdp: MDP
    charges: Charges
    scale: int
    clock: Clock

    @cached_property
    def grid(self) -> GridModel:
        return grid_model(self.mdp, self.charges.unit)

    @cached_property
    def outlook(self) -> MeanToGo:
        return mean_to_go(self.grid)

    @property
    def affordable(self) -> bool:
        return self.charges.model.branches * self.charges.horizon * (self.charges.span + 1) <= MOST_WORK

    def least(self, i: int) -> Fraction:
        """Return the least probability, over all policies, of a return up to ``i`` units above the least one."""
        first = i + self.charges.spent_least[-1]
        return least_below(self.grid, self.outlook, first + 1, self.clock.require)[0]


def where_passed(
    oracle: Any, knots: Knots, jump: CurveJump, exact: Exact | None, room: float, reach: int
) -> tuple[int, int, Fraction] | None:
    """Return the scale of a table, the first coordinate at which it shows that every CDF is at least the jump's level,
    or the node from which on every CDF exceeds it by ``room``, and the level."""

    def least(i: int) -> float:
        return float(oracle.solve(np.eye(1, oracle.top, i)[0], masked=False))

    level = knots[jump.corner][0]
    every: Sequence[int] = range(oracle.top)
    clear = bisect_left(every, True, key=lambda i: least(i) > level + room)
    if exact is not None:
        close = bisect_left(every, True, key=lambda i: least(i) >= level - CLOSE_LEVEL)
        met = next((i for i in range(close, clear) if exact.least(i) >= level), clear)
        if met < clear:
            return exact.scale, met, level
    return None if clear + reach >= oracle.top else (CLEAR, clear + reach, level)
