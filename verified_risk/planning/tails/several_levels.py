r"""A few CVaRs at once, with or without the mean: branch and bound on the differences of their budgets.

For :math:`\Phi = w_0 \mathbf E Z + \sum_j w_j \mathrm{CVaR}_{\alpha_j}(Z)` with levels :math:`\alpha_1 < \dots <
\alpha_k`, slopes :math:`k_j = w_j / \alpha_j` and :math:`\kappa = \sum_j k_j`,

.. math:: \Phi^* = \max_{\rho_1 \le \dots \le \rho_k} V(\rho), \qquad
          V(\rho) = w_0 M + \sum_j w_j \rho_j
                    - \min_\pi \mathbf E\Bigl[w_0 (M - Z) + \sum_j k_j (\rho_j - Z)^+\Bigr].

With the differences :math:`d_j = \rho_j - \rho_1` fixed, one budget pass finds V for every :math:`\rho_1`.  A node is
a box of differences :math:`l \le d \le u`; with :math:`p(x) = \min_\pi P(Z \le x)`,

.. math:: V(\rho_1, d) \le V(\rho_1, l)
          + \sum_j \sum_{\rho_1 + l_j \le x < \rho_1 + u_j} (w_j - k_j\, p(x))^+

because :math:`(\rho + 1 - Z)^+ - (\rho - Z)^+ = 1(Z \le \rho)` (theory 05, B10).  A split needs one new pass, that of
its upper half: the lower half has the same l.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import TypeAlias

import numpy as np

from ...grid import FloatModel
from ...mdp.packed import Floats
from ...numbers.rational import float_above, float_below
from ...objectives import Weighting
from ...objectives.piecewise import Levels
from .. import clock as clocks
from ..affordable_law import forward_law
from ..clock import Clock
from ..rounding import UNIT_ROUNDOFF
from .budget_tables import BudgetRule, BudgetTables, LinearPart, Shortfall, budget_tables, linear_part
from .tail_route import TIE_SHARE, Bounds

MOST_LEVELS = 6  # CVaRs up to which this is faster than a search over CDFs; the passes grow threefold with each level
LARGEST_SLOPE = 2**60  # largest sum of slopes; beyond it, levels this small are left to the search over CDFs
ROUNDS = 12  # maximum number of improvements of an incumbent by the quantiles of its own law

Steps: TypeAlias = tuple[int, ...]
"""Differences of the budgets of levels 2, 3, ..., k from that of level 1."""


@dataclass
class Box:
    """``low <= d <= high``; ``bound[rho]`` is an upper bound on V at ``rho_1 = rho``, up to rounding."""

    low: Steps
    high: Steps
    bound: Floats

    @property
    def most(self) -> float:
        return float(self.bound.max(initial=-np.inf))


def few_levels(objective: Weighting) -> bool:
    """Return whether a weighting is a mixture of two to :data:`MOST_LEVELS` CVaRs, none of them too steep."""
    levels = objective.levels
    if levels is None or not 2 <= len(levels.tails) <= MOST_LEVELS:
        return False
    return sum((w / alpha for alpha, w in levels.tails), Fraction()) <= LARGEST_SLOPE


def ordered(low: Steps, high: Steps) -> tuple[Steps, Steps] | None:
    """Shrink a box to where the differences increase; None if that is nowhere."""
    lower = tuple(np.maximum.accumulate(low).tolist())
    upper = tuple(np.minimum.accumulate(high[::-1])[::-1].tolist())
    return (lower, upper) if all(a <= b for a, b in zip(lower, upper, strict=True)) else None


class SeveralLevels:
    """The search; call :meth:`run`, then read :attr:`bounds`."""

    def __init__(self, model: FloatModel, levels: Levels) -> None:
        self.model, self.mean, self.top = model, levels.mean, model.remaining[0]
        self.alphas, self.weights = zip(*levels.tails, strict=True)
        self.slopes = [w / alpha for alpha, w in levels.tails]
        self.slope = sum(self.slopes, Fraction())
        self.linear: LinearPart = linear_part(model)
        self.passes, self.lower = 1, Fraction(-1)
        self.best: BudgetRule | None = None
        self.steps: Steps = ()
        """The differences of the budgets of ``best``."""
        least = budget_tables(model, Fraction(), 0, self.top, threshold=True, linear=self.linear)
        lost = float_above(least.enclosure.underflow)
        # P(Z < x) for x = 0, ..., top + 1, from below
        below = np.maximum(least.shortfall * float_below(least.enclosure.shrink) * (1 - 2.0**-52) - lost, 0.0)
        self.least = np.minimum(np.append(below, 1.0), 1.0)
        #: the largest rho that is a quantile of some policy at each level
        self.largest = [int(np.flatnonzero(below < float_above(alpha))[-1]) for alpha in self.alphas]
        #: sums over x of the positive parts of w_j - k_j P(Z <= x)
        rates = [np.maximum(float(w) - float(k) * self.least[1:], 0.0)
                 for w, k in zip(self.weights, self.slopes, strict=True)]  # fmt: skip
        self.gains = [np.concatenate(([0.0], np.cumsum(rate))) for rate in rates]
        self.rhos = np.arange(self.largest[0] + 1)
        self._values: dict[Steps, Floats] = {}
        self.upper = Fraction(self.top)

    @property
    def margin(self) -> Fraction:
        """A bound on the rounding error of any upper bound of a box, in units (B10)."""
        depth = self.model.depth + len(self.model.initial_state) + len(self.weights) + self.top + 64
        return depth * UNIT_ROUNDOFF * 16 * (self.top + 1)

    def value(self, low: Steps) -> Floats:
        """Return the computed V for every ``rho_1``, at differences ``low``; -inf where some budget is no quantile."""
        if low not in self._values:
            self.passes += 1
            fits = min(limit - d for limit, d in zip(self.largest, (0, *low), strict=True))
            score = np.full(len(self.rhos), -np.inf)
            if fits >= 0:
                first, last = low[-1], min(fits + low[-1], self.top)
                tables = self._tables(low, self.mean, first, last)
                paid = np.minimum(float(self.slope) * tables.shortfall, 4.0 * (self.top + 1))
                rhos = self.rhos[: last - first + 1]
                score[: len(rhos)] = float(self._offset(low)) + float(sum(self.weights)) * rhos - paid
                self._offer(tables, low, int(np.argmax(score)), first)
            self._values[low] = score
        return self._values[low]

    def _tables(self, low: Steps, mean: Fraction, first: int, last: int) -> BudgetTables:
        delays = tuple(low[-1] - d for d in (0, *low))
        cost = Shortfall(tuple(k / self.slope for k in self.slopes), delays)
        return budget_tables(self.model, mean / self.slope, first, last, cost=cost, linear=self.linear)

    def _offset(self, low: Steps) -> Fraction:
        return sum((w * d for w, d in zip(self.weights[1:], low, strict=True)), self.mean * self.top)

    def _offer(self, tables: BudgetTables, low: Steps, rho: int, first: int) -> None:
        """Keep the policy of a pass if its certified value, at ``rho_1 = rho``, is the best so far."""
        shortfall = tables.enclosure.above(float(tables.shortfall[rho]))
        lower = self._offset(low) + sum(self.weights) * rho - self.slope * shortfall
        if lower > self.lower:
            self.lower, self.best, self.steps = lower, BudgetRule(tables, rho + first), low

    def improve(self, clock: Clock) -> None:
        """Start from the differences of the best budgets of each level alone; then use the quantiles of the law."""
        tables = budget_tables(self.model, Fraction(), 0, self.top, linear=self.linear)
        self.passes += 1
        alone = [int(np.argmax(float(alpha) * np.arange(self.top + 1) - tables.shortfall)) for alpha in self.alphas]
        steps = self._steps(alone)
        for _ in range(ROUNDS):
            before = self.lower
            self.value(steps)
            if self.lower <= before or self.best is None or clock.late():
                return
            cdf = np.cumsum(forward_law(self.model, self.best))
            steps = self._steps([int(np.searchsorted(cdf, float(alpha))) for alpha in self.alphas])

    def _steps(self, budgets: list[int]) -> Steps:
        found = np.maximum.accumulate(np.minimum(budgets, self.largest))
        return tuple((found[1:] - found[0]).tolist())

    def box(self, low: Steps, high: Steps, known: Floats) -> Box | None:
        """Return the box with its bound, at most ``known``; None if it is empty."""
        if (closed := ordered(low, high)) is None:
            return None
        low, high = closed
        bound = self.value(low) + sum(self._gain(j, low[j], high[j]) for j in range(len(low)))
        return Box(low, high, np.minimum(bound, known))

    def _gain(self, j: int, low: int, high: int) -> Floats:
        gains, end = self.gains[j + 1], self.top + 1
        return gains[np.minimum(self.rhos + high, end)] - gains[np.minimum(self.rhos + low, end)]

    def run(
        self, tolerance: Fraction, clock: Clock, report: Callable[[Fraction, Fraction], None] | None = None
    ) -> None:
        """Branch until the bounds are within ``tolerance`` units or time is up; report them once a second."""
        self.improve(clock)
        reported = clocks.now()
        everything = np.full(len(self.rhos), np.inf)
        root = self.box((0,) * (len(self.alphas) - 1), tuple(self.largest[1:]), everything)
        assert root is not None  # the differences 0 are always possible
        order, closed = count(), -np.inf
        heap = [(-root.most, next(order), root)]
        while heap and -heap[0][0] > float_above(self.lower + tolerance) and not clock.late():
            if report is not None and clocks.now() > reported + 1:
                reported = clocks.now()
                report(self.lower, self._above(max(-heap[0][0], closed)))
            _, _, box = heapq.heappop(heap)
            j = self._widest(box)
            if j is None:  # a single vector of differences
                closed = max(closed, box.most)
                continue
            at = self._middle(box, j)
            below = self.box(box.low, (*box.high[:j], at, *box.high[j + 1 :]), box.bound)
            above = self.box((*box.low[:j], at + 1, *box.low[j + 1 :]), box.high, box.bound)
            parts = [part for part in (below, above) if part is not None]
            for part in parts:
                heapq.heappush(heap, (-part.most, next(order), part))
        self.upper = self._above(max(closed, -heap[0][0] if heap else -np.inf))
        if report is not None:
            report(self.lower, self.upper)

    def _above(self, bound: float) -> Fraction:
        return max(Fraction(bound) + self.margin if bound > -np.inf else self.lower, self.lower)

    def _widest(self, box: Box) -> int | None:
        """Return the level whose range of differences adds most to the bound; None if every range is a point."""
        rho = int(np.argmax(box.bound))
        spread = [(self._gain(j, a, b)[rho], b - a, -j) for j, (a, b) in enumerate(zip(box.low, box.high, strict=True))]
        _, width, j = max((x for x in spread if x[1] > 0), default=(0.0, 0, 0))
        return -j if width else None

    def _middle(self, box: Box, j: int) -> int:
        """Return the difference that halves what level ``j`` adds to the bound."""
        rho, low, high = int(np.argmax(box.bound)), box.low[j], box.high[j]
        gains = self.gains[j + 1][np.minimum(rho + np.arange(low, high + 1), self.top + 1)]
        return low + min(int(np.searchsorted(gains, 0.5 * (gains[0] + gains[-1]))), high - low - 1)

    def bounds(self, *, by_mean: bool = False) -> Bounds:
        """Return the bounds and the best policy; ``by_mean``: of those as good, one with a better mean, found by a
        last pass (theory 05, B12)."""
        assert self.best is not None
        lower, rule = self.lower, self.best
        if by_mean and not self.mean:
            share = TIE_SHARE / 4  # with half of the smallest gap of a search below that
            tables = self._tables(self.steps, share, rule.rho, rule.rho)
            least = tables.enclosure.below(
                float(self.model.initial_prob @ self.linear.value[0][self.model.initial_state])
            )
            shortfall = tables.enclosure.above(float(tables.shortfall[0])) - share / self.slope * least
            rho = rule.rho - self.steps[-1]
            lower = self._offset(self.steps) + sum(self.weights) * rho - self.slope * shortfall
            rule = BudgetRule(tables, rule.rho)
        return Bounds(lower, lower, self.upper, rule)
