r"""Several CVaR levels at once, by exact branch and bound on boxes of :math:`(\rho_1, \dots, \rho_n)`.

For a fixed vector the objective is the mean of a utility and one backward pass maximises it.  Over a box
:math:`\rho_j \in [l_j, h_j]` the utility

.. math:: \bar u(z) = \sum_j w_j \max_{l_j \le \rho \le h_j} \{\rho - (\rho - z)^+/\alpha_j\}, \qquad
          \text{maximum at } \rho = \min\{\max\{z, l_j\}, h_j\},

dominates every utility of the box, so its optimal value bounds the box; the law of the greedy policy gives an
incumbent.  An optimal :math:`\rho_j` is a quantile of the optimal law, hence an attainable return, so boxes are finite
and the search ends.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from ...grid import GridModel
from ...law import Law
from ...numbers.rational import lcm_of_denominators
from ...objectives import CVaR
from ...objectives.piecewise import Levels
from ..clock import Tick, unlimited

Table: TypeAlias = list[dict[tuple[int, int], int]]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each level, the first and last index into the attainable returns."""


def best_over_boxes(
    grid: GridModel, levels: Levels, tick: Tick = unlimited
) -> tuple[Fraction, Callable[[int, int, int], int]]:
    """Return the optimum of ``mean * E Z + sum of w CVaR_alpha(Z)`` and a policy that attains it."""
    search = _Search(grid, levels, tick)
    best, table = search.run()
    return best * grid.unit, lambda t, s, y: table[t][s, y]


class _Search:
    def __init__(self, grid: GridModel, levels: Levels, tick: Tick = unlimited) -> None:
        self.grid, self.levels, self.tick = grid, levels, tick
        self.reach = grid.reachable()
        self.returns = sorted({z for sums in self.reach[-1].values() for z in sums})
        self.best: tuple[Fraction, Table] | None = None

    def run(self) -> tuple[Fraction, Table]:
        """Search best-first; an entry is ``(-bound, tie-breaker, box, law of the box's greedy policy)``."""
        order = count()
        everything = tuple((0, len(self.returns) - 1) for _ in self.levels.tails)
        queue = [self._entry(everything, next(order))]
        while queue:
            minus_bound, _, box, law = heapq.heappop(queue)
            assert self.best is not None
            if -minus_bound <= self.best[0]:
                return self.best
            for part in self._split(box, law):
                entry = self._entry(part, next(order))
                if -entry[0] > self.best[0]:
                    heapq.heappush(queue, entry)
        assert self.best is not None
        return self.best

    def _entry(self, box: Box, number: int) -> tuple[Fraction, int, Box, Law]:
        bound, table = self._maximise(lambda z: self._utility(z, box))
        law = self._law(table)
        value = self.levels.mean * law.mean + sum((w * _cvar(law, a) for a, w in self.levels.tails), Fraction())
        if self.best is None or value > self.best[0]:
            self.best = (value, table)
        return -bound, number, box, law

    def _utility(self, z: int, box: Box) -> Fraction:
        tails = (w * self._term(z, alpha, span) for (alpha, w), span in zip(self.levels.tails, box, strict=True))
        return self.levels.mean * z + sum(tails, Fraction())

    def _term(self, z: int, alpha: Fraction, span: tuple[int, int]) -> Fraction:
        rho = min(max(z, self.returns[span[0]]), self.returns[span[1]])
        return rho - max(rho - z, 0) / alpha

    def _split(self, box: Box, law: Law) -> list[Box]:
        """Split the level that the bound overstates most, at the quantile of the greedy policy's law."""
        slack = []
        for j, ((alpha, w), span) in enumerate(zip(self.levels.tails, box, strict=True)):
            if span[0] < span[1]:
                claimed = sum((p * self._term(int(z), alpha, span) for z, p in law), Fraction())
                slack.append((w * (claimed - _cvar(law, alpha)), j))
        if not slack:
            return []
        _, j = max(slack)
        low, high = box[j]
        quantile = self.returns.index(int(law.quantile(self.levels.tails[j][0])))
        cut = quantile if low <= quantile < high else (low + high) // 2
        halves = ((low, cut), (cut + 1, high))
        parts = [(*box[:j], half, *box[j + 1 :]) for half in halves]
        return [part for part in map(_ordered, parts) if part is not None]

    def _maximise(self, utility: Callable[[int], Fraction]) -> tuple[Fraction, Table]:
        """Run one backward pass over the reachable ``(t, s, y)`` in integers; ties go to the least action."""
        gains = {z: utility(z) for z in self.returns}
        scale = lcm_of_denominators(gains.values())
        final = {z: int(u * scale) for z, u in gains.items()}
        value = {(s, z): final[z] for s, sums in self.reach[-1].items() for z in sums}
        tables: Table = []
        for t in range(self.grid.horizon - 1, -1, -1):
            step, best = self.grid.steps[t], {}
            for s, sums in self.reach[t].items():
                self.tick()
                for y in sums:
                    best[s, y] = max(
                        (sum(w * value[target, y + j] for w, target, j in branches), -a)
                        for a, branches in enumerate(step[s])
                    )
            value = {key: v for key, (v, _) in best.items()}
            tables.append({key: -a for key, (_, a) in best.items()})
        full = self.grid.denominator**self.grid.horizon * self.grid.initial_denominator
        return Fraction(sum(w * value[s, 0] for s, w in self.grid.initial), full * scale), tables[::-1]

    def _law(self, table: Table) -> Law:
        """Return the law of the return, in units, of a deterministic table."""
        return self.grid.law(lambda t, s, y: ((table[t][s, y], Fraction(1)),), unit=Fraction(1))


def _cvar(law: Law, alpha: Fraction) -> Fraction:
    value = CVaR(alpha).of(law)
    assert isinstance(value, Fraction)
    return value


def _ordered(box: Box) -> Box | None:
    """Intersect a box with ``rho_1 <= rho_2 <= ...``, as quantiles increase with the level; None if that is empty."""
    spans = list(box)
    for j in range(1, len(spans)):
        spans[j] = (max(spans[j][0], spans[j - 1][0]), spans[j][1])
    for j in range(len(spans) - 2, -1, -1):
        spans[j] = (spans[j][0], min(spans[j][1], spans[j + 1][1]))
    return tuple(spans) if all(low <= high for low, high in spans) else None
