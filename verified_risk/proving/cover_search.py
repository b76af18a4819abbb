r"""Search for a cover: split boxes of CDFs, least bound first, until every bound is large enough.

It differs from the planner's search, which also uses a contractor (B5), reduced costs (B2) and probes (B3).  Every
point of a relaxation is the CDF of a policy, so :math:`\sum_i G(F_i)` there limits what any cover can prove: if less is
wanted, the search continues; if more, it lowers its aim within the allowance, or gives up at once.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

import numpy as np

from ..errors import InvalidArgument, Unsupported
from ..grid.compiled import Ints, float_model
from ..objectives.weighting import Knots
from ..planning.clock import Clock, TimeUp
from ..planning.result import Plan
from ..planning.search.grid_coordinates import Oracle
from .cover import Cover, Cut, Dual, Passed
from .curves import CurveJump
from .passed import Exact, where_passed
from .relaxed import Bound, Chords, Envelopes, Relaxed

MOST_BOXES = 10_000
"""Maximum number of boxes of a cover: the certificate lists a cost vector for each leaf, as long as the grid."""
DEEPEST = 300
"""Largest depth of nested cuts."""
ROUND = 2.0**-40
"""Share of the number of grid points by which a float bound may fall short and still be left to the checker."""
NOISE = 1e-9
"""Share of the number of grid points by which floats may misplace a point."""
LEVEL = 1e-9
"""Distance within which values of a CDF are taken to be equal."""
FEW = 10
"""Boxes up to which the search aims at what is wanted, unless a policy is known to exceed it."""
ROOM = ((FEW, 2.0**-20), (30, 1 / 64), (200, 1 / 16), (1000, 1 / 4))
"""Up to so many boxes, this share of the allowance stays between the aim and the best point; then 1/2."""


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


def find_cover(
    plan: Plan,
    knots: Knots,
    unit: Fraction,
    upper: Fraction,
    clock: Clock,
    allowance: Fraction | int = 0,
    jumps: Sequence[CurveJump] = (),
    exact: Exact | None = None,
) -> Found:
    """Find a cover that should prove ``upper`` on multiples of ``unit``, or up to ``allowance`` more.

    With ``exact`` tables, a level of ``jumps`` that the least CDF meets with equality counts as passed.  Raise
    :class:`Unsupported` if it needs too many boxes or too much time.
    """
    model = float_model(plan.mdp, unit)
    highest = model.remaining[0] + model.offsets[-1]
    try:
        oracle = Oracle(model)
    except InvalidArgument as error:
        raise Unsupported(f"not covered: a cover by boxes of CDFs on this grid ({error})") from None
    if oracle.top == 0:
        return Found(Dual(()), upper, complete=upper >= highest * unit)
    needed, allowed = float(highest - upper / unit), float(Fraction(allowance) / unit)
    raised: dict[int, Fraction] = {}
    first, passed = np.zeros(oracle.top, int), []
    for jump in jumps:
        raised[jump.corner] = raised.get(jump.corner, Fraction()) + jump.height
        where = where_passed(oracle, knots, jump, exact)
        if where is not None:
            passed.append(where)
            first[where[1] :] = np.maximum(first[where[1] :], jump.corner)
    shape = Envelopes(knots, raised)
    concave = plan.objective.shape in ("linear", "concave")
    search = _Search(Chords(oracle, shape) if concave else Relaxed(oracle, shape), shape, first, needed, allowed, clock)
    try:
        cover = search.run()
    except (_GivesUp, TimeUp) as error:
        reached = (highest - Fraction(search.reached)) * unit if math.isfinite(search.reached) else None
        raise Unsupported(_gave_up(str(error), search.boxes, reached, upper)) from None
    if search.needed < needed:
        upper = max(upper, (highest - Fraction(search.needed)) * unit)
    for scale, i, level in passed:
        cover = Passed(scale, i, level, cover)
    doubtful = "" if search.hopeless or not search.stuck else "no multipliers were found that prove the upper bound"
    return Found(cover, upper, not (search.hopeless or search.stuck), doubtful)


def _gave_up(why: str, boxes: int, reached: Fraction | None, upper: Fraction) -> str:
    told = "" if reached is None or reached > 10**12 else f", which would prove about {float(reached):.6g}"
    return (
        f"not covered: {why} after {boxes} boxes of CDFs{told} instead of the upper bound {float(upper):.6g}; more "
        "time, a plan with a larger gap or a larger eta may help"
    )


class _GivesUp(Exception):
    """Raised if there are too many boxes."""


@dataclass(eq=False)
class _Box:
    """A box between the corners ``first`` and ``last`` of G in each coordinate."""

    first: Ints
    last: Ints
    depth: int
    bound: Bound
    cut: tuple[int, int] | None = None
    children: list[_Box] = field(default_factory=list)


class _Search:
    boxes = stuck = 0
    hopeless = False
    """Whether a policy attains more than the wanted bound."""
    reached = -math.inf
    """The bound that the boxes so far would prove."""

    def __init__(
        self,
        relaxation: Chords | Relaxed,
        shape: Envelopes,
        first: Ints,
        needed: float,
        allowance: float,
        clock: Clock,
    ) -> None:
        """``first`` gives the corners of G that no CDF is below."""
        self.relaxation, self.shape, self.first, self.needed, self.clock = relaxation, shape, first, needed, clock
        self.size = relaxation.oracle.top
        self.allowance, self.least = allowance, needed - allowance
        self.best = math.inf

    def run(self) -> Cover:
        """Search best-first; boxes that cannot be cut, and all boxes once there is no hope, are left to the checker."""
        order = count()
        root = self._box(self.first, np.full(self.size, len(self.shape.x) - 1), 0, None)
        heap = [(root.bound.value, next(order), root)]
        while heap and not self.hopeless:
            self.reached = heap[0][0]
            value, _, box = heapq.heappop(heap)
            if self._enough(value):
                break
            where = self._where(box)
            if where is None:
                self.stuck += 1
                continue
            if self.boxes > MOST_BOXES or box.depth >= DEEPEST:
                raise _GivesUp(f"the search for a cover stops {box.depth} cuts deep")
            box.cut = where
            for child in self._children(box, *where):
                box.children.append(child)
                if not self._enough(child.bound.value):
                    heapq.heappush(heap, (child.bound.value, next(order), child))
        return self._tree(root)

    def _enough(self, value: float) -> bool:
        return value >= self.needed + ROUND * self.size

    def _box(self, first: Ints, last: Ints, depth: int, parent: _Box | None) -> _Box:
        self.clock.require()
        self.boxes += 1
        if parent is not None:
            again = self.relaxation.again(first, last, parent.bound)
            if self._enough(again.value):
                return _Box(first, last, depth, again)
        found = self.relaxation.bound(first, last, None if parent is None else parent.bound, self.needed, self.clock)
        self._aim(self.shape.total(found.point, self.first))
        return _Box(first, last, depth, found)

    def _aim(self, attained: float) -> None:
        """Adjust the aim to a policy that attains this much: no cover proves more, and one that nearly does is long."""
        self.best = min(self.best, attained)
        share = next((share for boxes, share in ROOM if self.boxes <= boxes), 1 / 2)
        room = self.allowance * share
        if self.best < self.least - NOISE * self.size:
            self.hopeless = True
        elif self.allowance and (self.boxes > FEW or self.best < self.needed - NOISE * self.size):
            self.needed = min(self.needed, max(self.best - room, self.least))

    def _where(self, box: _Box) -> tuple[int, int] | None:
        """Return coordinate and corner of G where G is furthest above its envelope, close to the point but inside."""
        free = self.relaxation.free
        if free.start == free.stop:
            return None
        gap = self.shape.gap(box.first[free], box.last[free], box.bound.point[free])
        if gap.max() < 0:
            return None
        rivals = free.start + np.flatnonzero(gap >= 0.7 * gap.max())
        i = int(rivals[len(rivals) // 2])  # a cut also bounds its neighbours: take the middle of many alike
        x, low, high = self.shape.x, int(box.first[i]), int(box.last[i])
        point = box.bound.point
        tenth = (x[high] - x[low]) / 10
        wanted = np.clip(point[i], x[low] + tenth, x[high] - tenth)
        near = int(np.searchsorted(x, wanted))
        inside = [k for k in (near - 1, near) if low < k < high]
        k = min(inside or [(low + high) // 2], key=lambda k: float(abs(x[k] - wanted)))
        if not self.relaxation.closes_far_sides:
            return i, k
        # where the CDF is constant, F >= x[k] at its first coordinate implies it for all, as does F <= x[k] at its last
        level = np.flatnonzero((abs(point - point[i]) < LEVEL) & (box.first == low) & (box.last == high))
        return int(level[0] if x[k] <= point[i] else level[-1]), k

    def _children(self, box: _Box, i: int, k: int) -> list[_Box]:
        capped, raised = box.last.copy(), box.first.copy()
        capped[: i + 1] = np.minimum(capped[: i + 1], k)
        raised[i:] = np.maximum(raised[i:], k)
        return [
            self._box(box.first, capped, box.depth + 1, box),
            self._box(raised, box.last, box.depth + 1, box),
        ]

    def _tree(self, root: _Box) -> Cover:
        """Build the tree, children before their parents, without recursion."""
        order, waiting = [], [root]
        while waiting:
            box = waiting.pop()
            order.append(box)
            waiting += box.children
        made: dict[int, Cover] = {}
        for box in reversed(order):
            if box.cut is None or len(box.children) < 2:
                made[id(box)] = Dual(box.bound.exact())
            else:
                i, k = box.cut
                below, above = (made[id(child)] for child in box.children)
                made[id(box)] = Cut(i, self.shape.knots[k][0], below, above)
        return made[id(root)]
