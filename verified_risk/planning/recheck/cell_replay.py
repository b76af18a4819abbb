r"""Recheck of returns between grid points: the tables of docs/theory/05-certificates.md, part D, in numpy.

This module shares nothing with the planner's kernels or its scaled model.  Rewards are put on the grid here, rows are
slices of padded arrays, and every table is moved outward by its own bound on rounding, so that its entries are bounds.
:class:`CellTables` provides what a replay needs (:mod:`.replay`): a lower bound on ``c . A`` for any cost vector (D1),
and the contractor (D3, D4).

Notation: y is the return so far in units of the grid.  Step t has nodes ``0 .. nodes[t]`` and cells ``[j, j + 1]``; a
node belongs to the cell on its left and 0 to the first.  ``left[t]`` cells may still be earned.  A row of CDFs of node
n has columns for the cells ``n - 1 .. n + left[t]``: before them it is 0, after them 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...grid.floats import Floats, Ints
from ...mdp import MDP
from ..search.trace import Branch, Proof
from .cells_mean import MeanRule
from .cells_step import WAYS, Outcome, Step, Test, longer, mixed
from .line import U
from .replay import CALL, TINY, Mask

Own: TypeAlias = list[list[Ints]]
"""``own[t][s][j]``: the action of a policy in cell j."""


class CellTables:
    """A model with finite reward laws on cells of ``eta``; ``tick`` may interrupt a pass."""

    def __init__(self, mdp: MDP, eta: Fraction, tick: Callable[[], None] = lambda: None) -> None:
        self.tick, self.horizon, self.n_states = tick, mdp.horizon, mdp.n_states
        self.nodes, self.left = sizes(mdp, eta)
        self.top = self.nodes[-1]
        least, most = mdp.reward_range
        weights = [mdp.step_reward(t, Fraction(1)) for t in range(self.horizon)]
        self.offset = least * sum(weights, Fraction())
        self.spans = [float(weight * (most - least) / eta) for weight in weights]
        self.initial = [(s, float(p)) for s, p in mdp.initial]
        known: dict[tuple[int, int], int] = {}
        self.rows: list[list[list[tuple[float, int, int]]]] = [[] for _ in range(mdp.n_states)]
        for s, _, action in mdp:
            self.rows[s].append(
                [
                    (float(p), target, known.setdefault((r.numerator, r.denominator), len(known)))
                    for p, target, r in action.outcomes
                ]
            )
        self.terms = max(len(row) for actions in self.rows for row in actions)
        self._paid = [[_split(weight * (Fraction(*r) - least) / eta) for r in known] for weight in weights]
        self.most_units = [max(units for units, _, _ in paid) for paid in self._paid]

    def outcomes(self, t: int, s: int, a: int) -> Iterator[Outcome]:
        paid = self._paid[t]
        for p, target, number in self.rows[s][a]:
            yield Outcome(p, target, *paid[number])

    def everything(self) -> Mask:
        return [
            [np.ones((len(actions), self.nodes[t]), dtype=bool) for actions in self.rows] for t in range(self.horizon)
        ]

    def only(self, own: Own) -> Mask:
        """Return the mask of the actions of one policy."""
        return [[np.arange(len(self.rows[s]))[:, None] == cells[None] for s, cells in enumerate(step)] for step in own]

    def slip(self, size: Any) -> Any:
        """Return a bound that exceeds the rounding error of one backup of values up to ``size``.

        A term has about ten roundings of at most ``p * size`` each, including those of the shares, its correction as
        many, and two sums have ``terms`` more: below ``(2 terms + 50) u size``.
        """
        return (8 * self.terms + 128) * U * size + TINY

    def work(self, proof: Proof) -> float:
        """Estimate the multiplications of a replay; a call of numpy counts as ``CALL`` of them."""
        calls, per_table = 8.0 * CALL * self._terms * self.horizon, self.table_work
        per_value = 6.0 * self._terms * sum(self.nodes)

        def of(branch: Branch) -> float:
            own = sum(
                calls + per_value * (1 + len(step.probes)) + per_table * (step.slopes is not None)
                for step in branch.rounds
            )
            return own + sum(of(child) for child in branch.children)

        return of(proof.root)

    @property
    def table_work(self) -> float:
        """Estimate the multiplications of one pass over the tables of CDFs."""
        cells = sum(n * (wide + 1) for n, wide in zip(self.nodes[:-1], self.left[:-1], strict=True))
        return self._terms * (30.0 * cells + 64.0 * CALL * self.horizon)

    @property
    def _terms(self) -> int:
        return sum(len(row) for actions in self.rows for row in actions)

    # -- cost vectors (D1) --------------------------------------------------------------------------------------------

    def least_costs(self, costs: Floats, mask: Mask) -> Floats:
        """Return, for each row c of ``costs``, a lower bound on ``c . A`` over all policies of allowed actions."""
        return self._values(costs, mask)[0]

    def most_cost(self, cost: Floats, own: Own) -> float:
        """Return an upper bound on ``c . A`` for one policy."""
        return -float(self.least_costs(-cost[None], self.only(own))[0])

    def _values(self, costs: Floats, mask: Mask) -> tuple[Floats, Own]:
        """Return the bounds, and the apparent best policy for the first row."""
        after = [self._tail(costs)] * self.n_states
        size = np.abs(costs).sum(axis=1)
        after = [after[0] - 4 * (self.top + 2) * U * size] * self.n_states
        own: Own = [[] for _ in range(self.horizon)]
        for t in range(self.horizon - 1, -1, -1):
            n = self.nodes[t]
            padded = [longer(v, n + self.most_units[t] + 3) for v in after]
            slip = self.slip(np.max([np.abs(v).max(axis=0) for v in after], axis=0))
            after = []
            for s, actions in enumerate(self.rows):
                best = np.full((n + 1, len(costs)), np.inf)
                scores = np.empty((len(actions), n))
                for a in range(len(actions)):
                    self.tick()
                    ends = mixed(self.outcomes(t, s, a), padded, np.arange(n), 1.0, len(costs), first=t == 0)
                    here = mask[t][s][a][:, None]
                    np.minimum(best[:-1], np.where(here, ends.bound(False, 1.0), np.inf), out=best[:-1])
                    if t:
                        np.minimum(best[1:], np.where(here, ends.bound(True, 1.0), np.inf), out=best[1:])
                    scores[a] = np.where(here[:, 0], (ends.start + ends.end)[:, 0], np.inf)
                own[t].append(np.argmin(scores, axis=0))
                after.append(np.where(np.isfinite(best), best, 0.0) - slip)  # the first step meets only y = 0
        parts = np.array([p * after[s][0] for s, p in self.initial])
        total: Floats = parts.sum(axis=0) - 4 * (len(parts) + 2) * U * np.abs(parts).sum(axis=0) - TINY
        return total, own

    def _tail(self, costs: Floats) -> Floats:
        """Return h at the nodes: ``h(j) = c_j + c_{j+1} + ...``."""
        tail = np.zeros((self.top + 1, len(costs)))
        tail[:-1] = np.cumsum(costs.T[::-1], axis=0)[::-1]
        return tail

    # -- conditional CDFs and the contractor (D3) ---------------------------------------------------------------------

    @cached_property
    def mean_rule(self) -> MeanRule:
        return MeanRule(self)

    def contract(self, middle: Floats, low: Floats, high: Floats, mask: Mask) -> tuple[Floats, Floats]:
        """Remove actions from ``mask`` that are optimal for no slope of the box; return bounds on A over the rest."""
        self.mean_rule.remove(mask, low, high)
        _, own = self._values(middle[None], mask)
        return self._backwards(middle, low, high, mask, own)

    def ranges(self, own: Own) -> tuple[Floats, Floats]:
        """Return bounds on A for one policy."""
        flat = np.zeros(self.top)
        return self._backwards(flat, flat, flat, self.only(own), own)

    def reached(self, mask: Mask) -> list[list[npt.NDArray[np.bool_]]]:
        """Return the cells that some policy of allowed actions can reach."""
        found = [[np.zeros(n, dtype=bool) for _ in self.rows] for n in self.nodes]
        for s, _ in self.initial:
            found[0][s][0] = True
        for t in range(self.horizon - 1):
            self.tick()
            last = self.nodes[t + 1] - 1
            for s, actions in enumerate(self.rows):
                for a in range(len(actions)):
                    cells = np.flatnonzero(found[t][s] & mask[t][s][a])
                    if not len(cells):
                        continue
                    for o in self.outcomes(t, s, a):
                        met = found[t + 1][o.target]
                        met[np.minimum(cells + o.units, last)] = True
                        if not o.whole and t > 0:
                            met[np.minimum(cells + o.units + 1, last)] = True
                        if o.whole and cells[0] == 0:  # y = 0 leads to a node, which belongs to the cell on its left
                            met[max(min(o.units, last + 1) - 1, 0)] = True
        return found

    def _backwards(self, middle: Floats, low: Floats, high: Floats, mask: Mask, own: Own) -> tuple[Floats, Floats]:
        """Return values and CDFs of kept actions, from below and above, and of the policy ``own``, from both sides."""
        spread = float(np.maximum(middle - low, high - middle).sum())
        magnitude = float(np.abs(middle).sum())
        tail = self._tail(middle[None])
        slack = 4 * (self.top + 2) * U * magnitude
        values = [[tail - way * slack] * self.n_states for way in WAYS]
        ends = np.tile([0.0, 1.0], (self.top + 1, 1))
        tables = [[ends] * self.n_states for _ in range(4)]  # kept: below, above; the policy: below, above
        reached = self.reached(mask)
        for t in range(self.horizon - 1, -1, -1):
            step = Step(self, t, values, tables)
            test = Test(self, t, middle, low, high, 16 * step.table_slip * spread)
            new_values: list[list[Floats]] = [[], []]
            new_tables: list[list[Floats]] = [[], [], [], []]
            for s in range(self.n_states):
                self.tick()
                step.state(s, np.flatnonzero(reached[t][s]), mask[t][s], own[t][s], test)
                for kind, found in zip((*new_values, *new_tables), (*step.values, *step.tables), strict=True):
                    kind.append(found)
            values, tables = new_values, new_tables
        ranges = []
        for way, kind in zip(WAYS, tables[:2], strict=True):
            total = sum((p * kind[s][0, 1 : self.top + 1] for s, p in self.initial), np.zeros(self.top))
            ranges.append(total - way * 8 * (len(self.initial) + 2) * U * max(1.0, float(np.abs(total).max())))
        return np.maximum(ranges[0], 0.0), np.minimum(ranges[1], 1.0)


def sizes(mdp: MDP, eta: Fraction) -> tuple[list[int], list[int]]:
    """Return, for each step, the nodes of the return so far and the cells of the return to come."""
    low, high = mdp.reward_range
    spans = [mdp.step_reward(t, high - low) / eta for t in range(mdp.horizon)]
    sums = list(accumulate(spans, initial=Fraction()))
    nodes = [max(1, math.ceil(y)) for y in sums]
    return nodes, [nodes[-1], *(math.ceil(sums[-1] - y) for y in sums[1:])]


def bytes_needed(mdp: MDP, eta: Fraction) -> int:
    """Return the bytes of the tables of two steps, their padded copies, and the masks."""
    nodes, left = sizes(mdp, eta)
    rows = max((n + 1) * (wide + 2) for n, wide in zip(nodes, left, strict=True))
    return mdp.n_states * (160 * rows + max(mdp.n_actions) * sum(nodes))


def _split(x: Fraction) -> tuple[int, float, bool]:
    """Split a nonnegative number into an integer and a share, and say whether the share is 0."""
    units, rest = divmod(x.numerator, x.denominator)
    return units, rest / x.denominator, rest == 0
