r"""Replay a search's argument from its :class:`~verified_risk.planning.search.trace.Proof` on the integer model.

This module shares nothing with the planner's kernels or float model: outcomes are joint, every cell is visited, and the
rules of docs/theory/05-certificates.md (B1 weak duality, B2 reduced costs, B3 probing, B5 the contractor, B6
monotonicity, B7 the result) are implemented independently, with their own rounding.  The cost vectors, probes and cuts
come from the proof; any choice gives a valid bound.  The polygon below the weighting *is* shared.

Notation: rewards of step t are shifted to start at 0; ``y`` is the shifted sum so far, at most ``sums[t]``; ``F_i`` is
the probability that the shifted return is at most i, ``0 <= i < top``.  A conditional CDF of a cell ``(t, s, y)`` is
kept for ``i = y, ..., y + left[t] - 1``; it is 0 before and 1 after.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import InvalidFile
from ...grid import GridModel
from ...grid.floats import Floats
from ...objectives import Weighting
from ...objectives.polygon import Polygon, past_the_jump
from ...objectives.weighting import Jump
from ..search.trace import Branch, Proof, Round
from .line import Line, U

Mask: TypeAlias = list[list[npt.NDArray[np.bool_]]]
"""``mask[t][s][a, y]`` is true if the action is still allowed."""

CALL = 2000
"""Cost of one numpy call, in multiplications."""
HUGE = 1e100
TINY = 1e-290
"""Exceeds the total loss by underflow."""


def gamma(depth: int) -> float:
    """Return ``K u / (1 - K u)``, rounded up."""
    if depth * U > 0.01:
        raise OverflowError(f"{depth} roundings in a row")
    return math.nextafter(float(Fraction(depth, 2**53 - depth)), math.inf)


class Tables(Protocol):
    """The questions that a replay asks about policies, answered on a grid by :class:`Outcomes` and between its points
    by :class:`~.cell_replay.CellTables`."""

    top: int

    def everything(self) -> Mask: ...

    def work(self, proof: Proof) -> float: ...

    def least_costs(self, costs: Floats, mask: Mask) -> Floats: ...

    def contract(self, middle: Floats, low: Floats, high: Floats, mask: Mask) -> tuple[Floats, Floats]: ...


class Outcomes:
    """Lists of (probability, next state, shifted reward) per step, state and action; ``tick`` may interrupt a pass."""

    def __init__(self, grid: GridModel, tick: Callable[[], None] = lambda: None) -> None:
        self.tick = tick
        self.horizon, self.n_states = grid.horizon, len(grid.steps[0])
        self.initial = [(s, w / grid.initial_denominator) for s, w in grid.initial]
        self.steps: list[list[list[list[tuple[float, int, int]]]]] = []
        self.spans: list[int] = []
        known: dict[int, tuple[Any, int]] = {}
        for step in grid.steps:
            if id(step) not in known:
                rewards = [j for actions in step for branches in actions for _, _, j in branches]
                least = min(rewards)
                rows = [
                    [[(w / grid.denominator, s, j - least) for w, s, j in branches] for branches in actions]
                    for actions in step
                ]
                known[id(step)] = rows, max(rewards) - least
            rows, span = known[id(step)]
            self.steps.append(rows)
            self.spans.append(span)
        self.sums = [sum(self.spans[:t]) for t in range(self.horizon + 1)]
        self.top = self.sums[-1]
        self.left = [self.top - y for y in self.sums]
        terms = max(len(branches) for rows in self.steps for actions in rows for branches in actions)
        start = len(self.initial) + 1
        # A weight is rounded once, multiplied once and added with the others of its action: terms + 1 per step.  Sizes
        # are summed, multiplied and subtracted with four roundings.
        self.gamma_table = gamma(self.horizon * (terms + 2) + start)
        self.gamma_value = gamma(self.top + self.horizon * (terms + 2) + start + 4)

    def everything(self) -> Mask:
        return [
            [np.ones((len(actions), self.sums[t] + 1), dtype=bool) for actions in self.steps[t]]
            for t in range(self.horizon)
        ]

    def work(self, proof: Proof) -> float:
        """Estimate the multiplications of a replay; a call of numpy counts as ``CALL`` of them."""
        calls = per_value = per_table = 0
        for t, rows in enumerate(self.steps):
            terms = sum(len(branches) for actions in rows for branches in actions)
            calls += CALL * terms
            per_value += terms * (self.sums[t] + 1)
            per_table += 3 * (terms * (self.sums[t] + 1) * self.left[t] + 2 * CALL * terms)

        def of(branch: Branch) -> float:
            own = 0.0
            for step in branch.rounds:
                own += 2 * calls + 20 * CALL * self.top + per_value * (1 + len(step.probes))
                own += per_table * (step.slopes is not None)
            return own + sum(of(child) for child in branch.children)

        return of(proof.root)

    def least_costs(self, costs: Floats, mask: Mask) -> Floats:
        """Return, for each row c of ``costs``, a lower bound on ``c . F`` over all policies of allowed actions (signed
        terminal costs, A5)."""
        tail = np.zeros((self.top + 1, len(costs)))
        tail[:-1] = np.cumsum(costs.T[::-1], axis=0)[::-1]
        value = [tail] * self.n_states
        for t in range(self.horizon - 1, -1, -1):
            width, after = self.sums[t] + 1, value
            value = []
            for s, actions in enumerate(self.steps[t]):
                self.tick()
                rows = [
                    np.where(
                        mask[t][s][a][:, None],
                        sum((p * after[target][j : j + width] for p, target, j in branches), np.zeros(1)),
                        np.inf,
                    )
                    for a, branches in enumerate(actions)
                ]
                value.append(np.minimum.reduce(rows))
        total = sum((p * value[s][0] for s, p in self.initial), np.zeros(len(costs)))
        sizes = np.array([math.fsum(row) for row in np.abs(costs)])
        lowered: Floats = total - self.gamma_value * sizes - TINY
        return lowered

    def contract(self, middle: Floats, low: Floats, high: Floats, mask: Mask) -> tuple[Floats, Floats]:
        """Apply the contractor (B5): remove actions from ``mask`` that are optimal for no slope of the box."""
        magnitude, spread = np.abs(middle).sum(), np.maximum(middle - low, high - middle).sum()
        margin = 2 * self.gamma_value * magnitude + 2 * self.gamma_table * spread + 2.0**-49 * (magnitude + spread)
        inflate = 1 + 4 * (self.top + 8) * U
        tail = np.zeros(self.top + 1)
        tail[:-1] = np.cumsum(middle[::-1])[::-1]
        value = np.tile(tail, (self.n_states, 1))
        least = most = own = np.zeros((self.n_states, self.top + 1, 0))
        for t in range(self.horizon - 1, -1, -1):
            shape = (self.n_states, self.sums[t] + 1, self.left[t])
            new = np.empty(shape[:2]), np.empty(shape), np.empty(shape), np.empty(shape)
            windows = [np.lib.stride_tricks.sliding_window_view(c, shape[2]) for c in (middle - low, high - middle)]
            for s, actions in enumerate(self.steps[t]):
                self.tick()
                kept = mask[t][s]
                quality = np.stack([self._average(branches, value, shape[1]) for branches in actions])
                quality[~kept] = np.inf
                tables = [
                    np.stack([self._shifted(branches, after, shape[1:]) for branches in actions])
                    for after in (least, most, own)
                ]
                greedy = np.argmin(quality, axis=0)
                cheapest = np.take_along_axis(quality, greedy[None], axis=0)[0]
                f0 = np.take_along_axis(tables[2], greedy[None, :, None], axis=0)[0]
                for a in range(len(actions)):
                    gain = np.maximum(windows[0] * (tables[1][a] - f0), windows[1] * (f0 - tables[0][a]))
                    worth = np.maximum(gain, 0.0).sum(axis=1) * inflate
                    kept[a] &= (quality[a] - cheapest - margin <= worth) | (greedy == a)
                new[0][s], new[3][s] = cheapest, f0
                new[1][s] = np.where(kept[:, :, None], tables[0], np.inf).min(axis=0)
                new[2][s] = np.where(kept[:, :, None], tables[1], -np.inf).max(axis=0)
            value, least, most, own = new
        below = sum((p * least[s, 0] for s, p in self.initial), np.zeros(self.top))
        above = sum((p * most[s, 0] for s, p in self.initial), np.zeros(self.top))
        wide = 2 * self.gamma_table
        return np.maximum(below * (1 - wide) - TINY, 0.0), np.minimum(above * (1 + wide) + TINY, 1.0)

    @staticmethod
    def _average(branches: list[tuple[float, int, int]], after: Floats, width: int) -> Floats:
        total = np.zeros(width)
        for p, target, j in branches:
            total += p * after[target, j : j + width]
        return total

    @staticmethod
    def _shifted(branches: list[tuple[float, int, int]], after: Floats, shape: tuple[int, ...]) -> Floats:
        """Average the successors' conditional CDFs, each shifted by its reward."""
        total, wide = np.zeros(shape), after.shape[2]
        for p, target, j in branches:
            total[:, j : j + wide] += p * after[target, j : j + shape[0]]
            total[:, j + wide :] += p
        return total


@dataclass(frozen=True)
class Dual:
    """A bound by weak duality: lower bounds on ``min G(x) - c_i x`` over the box, their sum, and ``G(x) - c_i x`` at
    its corners."""

    bound: float
    least: Floats
    sum_least: float
    corners: list[tuple[Floats, Floats]]


@dataclass
class Box:
    low: Floats
    high: Floats
    mask: Mask

    def copy(self) -> Box:
        return Box(self.low.copy(), self.high.copy(), [[kept.copy() for kept in step] for step in self.mask])

    def narrow(self, low: Floats, high: Floats, reach: int) -> bool:
        """Intersect with bounds on coordinate i, which hold ``reach`` cells further: lower ones after it, upper ones
        before it (D2); return False if the box is empty."""
        known = len(low) - reach
        self.low[reach:] = np.maximum(self.low[reach:], low[:known])
        self.high[:known] = np.minimum(self.high[:known], high[reach:])
        return self.close()

    def close(self) -> bool:
        """Close the box under monotonicity (B6); return False if it is empty."""
        self.low = np.maximum.accumulate(self.low)
        self.high = np.minimum.accumulate(self.high[::-1])[::-1]
        return bool(np.all(self.low <= self.high))


class Replay:
    """:meth:`bound` returns a lower bound on ``sum_i G(F_i)`` over all policies or, if ``reach`` is 1, on the integral
    of ``G(F)`` over cells."""

    def __init__(self, outcomes: Tables, polygon: Polygon, proof: Proof, reach: int = 0) -> None:
        self.outcomes, self.proof, self.target, self.reach = outcomes, proof, proof.target, reach
        self.lines = [Line.of(polygon)] * self.outcomes.top
        _require(np.isfinite(self.target), f"target is {self.target}, wanted a finite number")
        self._read(proof.root)

    def least_cdf(self, i: int) -> float:
        """Return a lower bound on ``F_i`` over all policies."""
        costs = np.eye(1, self.outcomes.top, i)
        return float(self.outcomes.least_costs(costs, self.outcomes.everything())[0])

    def pass_jumps(self, objective: Weighting, surely: Callable[[Jump, int], bool]) -> None:
        """Use the polygons past a jump from the record's coordinates on (B8), if ``surely`` confirms that every policy
        is past it there."""
        jumps, starts = objective.jumps, self.proof.passed
        if len(starts) != len(jumps):
            return
        gone: list[Jump] = []
        for start, jump in sorted(zip(starts, jumps, strict=True), key=lambda pair: pair[0]):
            if start < self.outcomes.top and surely(jump, start):
                gone.append(jump)
                line = Line.of(past_the_jump(objective, self.proof.accuracy, gone))
                self.lines[start:] = [line] * (self.outcomes.top - start)

    def _read(self, branch: Branch) -> None:
        """Reject input that could become NaN: comparisons with NaN are false, and an empty box closes a node."""
        top = self.outcomes.top
        for step in branch.rounds:
            for vector in (step.cost, step.slopes):
                if vector is not None:
                    _require(len(vector) == top, f"a round has {len(vector)} multipliers, wanted {top}")
                    _require(bool(np.all(np.abs(vector) < HUGE)), "a multiplier is not a number below 1e100")
            for i, value in step.probes:
                _require(0 <= i < top and abs(value) < HUGE, f"a probe puts {value} at coordinate {i} of {top}")
        if branch.cut is not None:
            i, point = branch.cut
            _require(0 <= i < top and abs(point) < HUGE, f"a cut at {point} of coordinate {i} of {top}")
            _require(len(branch.children) in (0, 2), f"a cut has {len(branch.children)} children, wanted 2")
        for child in branch.children:
            self._read(child)

    def bound(self) -> float:
        """Return the bound that the tree proves (result of the search, B7), or that of the first multipliers before any
        cut, if it is better."""
        top, root = self.outcomes.top, self.proof.root
        box = Box(np.zeros(top), np.ones(top), self.outcomes.everything())
        first = root.rounds[0].cost if root.rounds else None
        uncut = -np.inf if first is None else self._dual(first, box).bound
        return max(uncut, min(self.target, self._node(root, box, -np.inf)))

    def _node(self, branch: Branch, box: Box, known: float) -> float:
        """Return the best bound of a node, or of its children if it was split (result of the search, B7)."""
        for step in branch.rounds:
            known = max(known, self._round(step, box))
            if known >= self.target:
                return known
        if branch.cut is None:
            return known
        i, point = branch.cut
        found = []
        for child, below in zip(branch.children or [Branch(), Branch()], (True, False), strict=True):
            part = box.copy()
            if not below:
                part.low[i] = max(part.low[i], point)
            elif i >= self.reach:
                part.high[i - self.reach] = min(part.high[i - self.reach], point)
            found.append(self._node(child, part, known) if part.close() else np.inf)
        return min(found)

    def _round(self, step: Round, box: Box) -> float:
        """Bound, cut, probe and contract; return infinity if the box is empty."""
        bound = -np.inf
        if step.cost is not None:
            dual = self._dual(step.cost, box)
            bound = dual.bound
            if bound >= self.target:
                return bound
            if not box.narrow(*self._cut(step.cost, dual, box), self.reach):
                return np.inf
            if step.probes and not box.narrow(*self._probe(step, step.cost, dual.sum_least, box), self.reach):
                return np.inf
        if step.slopes is not None:
            ranges = [line.slopes(a, b) for line, a, b in zip(self.lines, box.low, box.high, strict=True)]
            low, high = (np.array(column) for column in zip(*ranges, strict=True))
            below, above = self.outcomes.contract(np.clip(step.slopes, low, high), low, high, box.mask)
            if not box.narrow(below, above, self.reach):
                return np.inf
        return bound

    def _dual(self, cost: Floats, box: Box) -> Dual:
        """Apply weak duality (B1), rounding every part down."""
        corners = []
        least = np.empty(len(cost))
        for i, c in enumerate(cost):
            t, g = self.lines[i].corners(box.low[i], box.high[i])
            values = g - c * t
            corners.append((t, values))
            least[i] = values.min() - 16 * U * (1 + abs(c))
        sum_least = float(least.sum()) - (len(cost) + 2) * 2 * U * float(np.abs(least).sum())
        value = float(self.outcomes.least_costs(cost[None], box.mask)[0])
        return Dual(value + sum_least - 4 * U * (abs(value) + abs(sum_least)), least, sum_least, corners)

    def _cut(self, cost: Floats, dual: Dual, box: Box) -> tuple[Floats, Floats]:
        """Drop the ends of boxes where ``G(x) - c_i x`` exceeds its minimum by all the room: reduced costs (B2)."""
        low, high = box.low.copy(), box.high.copy()
        least, room = dual.least, self.target - dual.bound
        for i, (t, values) in enumerate(dual.corners):
            # values are off by 16 u (1 + |c|), and so is every chord between them
            level = least[i] + room * (1 + 4 * U) + 32 * U * (1 + abs(cost[i]) + abs(least[i]) + room)
            below = np.flatnonzero(values <= level)
            first, last = below[0], below[-1]
            if first > 0:
                share = (values[first - 1] - level) / (values[first - 1] - values[first])
                edge = t[first - 1] + share * (t[first] - t[first - 1]) - 16 * U
                low[i] = max(low[i], edge)
            if last < len(t) - 1:
                share = (values[last + 1] - level) / (values[last + 1] - values[last])
                edge = t[last + 1] - share * (t[last + 1] - t[last]) + 16 * U
                high[i] = min(high[i], edge)
        return low, high

    def _probe(self, step: Round, cost: Floats, sum_least: float, box: Box) -> tuple[Floats, Floats]:
        """Probe (B3): move the multiplier of one coordinate, which bounds that coordinate."""
        low, high = box.low.copy(), box.high.copy()
        probed = np.tile(cost, (len(step.probes), 1))
        for row, (i, value) in zip(probed, step.probes, strict=True):
            row[i] = value
        values = self.outcomes.least_costs(probed, box.mask)
        for value, (i, moved) in zip(values, step.probes, strict=True):
            shift = Fraction(moved) - Fraction(float(cost[i]))
            if shift == 0:
                continue
            over = (Fraction(float(value)) + Fraction(sum_least) - Fraction(self.target)) / shift
            edge = float(min(max(over, Fraction(-1)), Fraction(2)))  # beyond [0, 1] the distance is irrelevant
            if shift > 0:  # F_i > over
                low[i] = max(low[i], edge - 4 * U * abs(edge))
            else:  # over has the sign of a negative shift: F_i < over
                high[i] = min(high[i], edge + 4 * U * abs(edge))
        return low, high


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidFile(f"the record of the search is unusable: {message}")
