r"""Plans against the worst, or the best, rates within intervals.

The cost of a budget is charged to the rates as well as to the policy: with ``b = rho - y`` and the cost
:math:`c(b) = w_0 b + k b^+` of :mod:`~.tails.tail_route`,

.. math:: W_t(s, b) = \min_a \max_{p \in [l, h]} \sum_{s'} p(s')\, \mathbf E[W_{t+1}(s', b - R) \mid s'], \qquad
          \Phi^* = \max_\rho \{ \rho - \mathbf E_D W_0(S, \rho) \},

with a minimum over p for the best rates.  The inner problem is solved by filling the row up from its low ends,
beginning with the costliest successor.  The best rho need not be an attainable return, so the function of rho is
bounded between the points where it was computed, and computed again where that is too coarse.  The proofs are in
docs/theory/05-certificates.md, part G.

Small models are solved in rationals, larger ones in float64, with bounds that contain every rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..errors import InvalidArgument, Unsupported
from ..grid import Grid, compiled
from ..mdp.intervals import IntervalMDP
from ..mdp.packed import starts
from ..numbers.enclosure import Truth
from ..numbers.format import ends, number, span
from ..numbers.rational import said
from ..objectives import Weighting
from ..objectives.piecewise import Levels
from ..objectives.weighting import Jump
from ..policy import GridPolicy
from ..policy.grid_policy import PackedRule
from .clock import Clock, memory_limit
from .grid_choice import choose_unit
from .result import ErrorBudget, Recheck
from .rounding import tidy_above, tidy_below, within_range
from .search.driver import DEFAULT_GAP

Array: TypeAlias = Any
"""A numpy array of floats, or of rationals as objects."""
EXACT_TERMS = 100_000  # products up to which rationals are used: about a second
AT_ONCE = 2_000_000  # numbers held in one array while a step is computed


@dataclass(frozen=True)
class RobustPlan:
    """A policy, and bounds on the best value that any policy has at the worst (or the best) rates.

    Against the worst rates, ``policy`` is worth at least ``lower`` in every model within the intervals, even if the
    rates change with the step and the return so far, and no policy can be sure of more than ``upper``.  Against the
    best rates, no policy in any such model exceeds ``upper``, and ``policy`` attains ``lower`` at some rates.

    :param mdp: the model, with its intervals
    :param objective: the weighting
    :param against: ``"worst"`` or ``"best"``
    :param lower: what the policy is worth at those rates, at least
    :param upper: what any policy is worth at those rates, at most
    :param policy: a policy of ``mdp.nominal``; ``policy.on(other)`` plays in another model
    :param eta: the step of the grid
    :param certificate: why the bounds hold
    """

    WHY: ClassVar[str] = "not covered: plans at the worst or best rates have no second computation and no Coq theorem"

    mdp: IntervalMDP = field(repr=False)
    objective: Weighting
    against: str
    lower: Fraction
    upper: Fraction
    policy: GridPolicy = field(repr=False)
    eta: Fraction
    certificate: ErrorBudget = field(repr=False)

    @property
    def gap(self) -> Fraction:
        """A bound on how far the policy is from optimal."""
        return self.upper - self.lower

    def __str__(self) -> str:
        """Return the objective, value and certified bounds, in three lines."""
        sure = span(self.lower, self.upper) if self.gap else "no policy is better: the bounds meet exactly"
        low, _ = ends(self.lower, self.upper)
        value = f"at least {low}" if self.gap else number(self.lower)
        return (
            f"{self.objective.spec} of the return in {self.mdp!r}, at the {self.against} rates\n"
            f"value      {value}\ncertified  {sure}"
        )

    def recheck(self) -> Recheck:
        """Answer *unknown* for both bounds.

        :returns: no bounds, and why
        """
        return Recheck(None, None, self.WHY, self.WHY, Truth.UNKNOWN, Truth.UNKNOWN)

    def prove(self) -> None:
        """Raise: the checker has no theorem for these bounds.

        :raises Unsupported: always
        """
        raise Unsupported(self.WHY, instead="a plan for a model whose rates are numbers")


def plan_robustly(
    mdp: IntervalMDP,
    objective: Weighting,
    against: str | None,
    *,
    eta: Fraction | None = None,
    gap: Fraction | None = None,
    time_limit: float | None = None,
) -> RobustPlan:
    """Plan at the worst or the best rates.

    :raises InvalidArgument: if ``against`` is neither "worst" nor "best"
    :raises Unsupported: if the objective is none of the mean, CVaR, their mixtures and VaR, or there is no horizon
    """
    if against not in ("worst", "best"):
        raise InvalidArgument(f"against is {against!r}, wanted 'worst' or 'best' for a model with intervals")
    jump, model = objective.quantile, mdp.nominal
    levels = objective.levels or Levels(Fraction(1), ())
    if jump is None and (objective.levels is None or len(levels.tails) > 1):
        raise Unsupported(
            f"{objective.spec}: uncertain rates are planned for the mean, CVaR at one level, their mixtures and VaR"
        )
    if model.endless:
        raise Unsupported("uncertain rates need a horizon", instead="IntervalMDP(mdp.nominal.with_horizon(T), ...)")
    low, high = model.remaining_range(0)
    wanted = DEFAULT_GAP * (high - low) if gap is None else gap
    grid = compiled(model, choose_unit(model, eta, gap, searching=False))
    worst = against == "worst"
    rates = _Rates(grid, mdp, worst=worst, points=60 if levels.tails and worst else 0)
    clock = Clock(60.0 if time_limit is None and gap is None else time_limit)
    kappa = Fraction()
    if jump is not None:
        certain, possible = rates.quantiles(jump)
        lower, upper, rho = Fraction(certain), Fraction(possible), Fraction(certain)
    elif levels.tails:
        ((alpha, weight),) = levels.tails
        kappa = levels.mean * alpha / weight
        lower, upper, rho = rates.best(levels.mean, alpha, (wanted - grid.loss) / grid.unit, clock)
    else:
        lower, upper, rho = *rates.best_mean(), Fraction(-1)
    policy = GridPolicy(model, grid.unit, rates.rule(kappa, rho, threshold=jump is not None))
    shift = sum(step.least for step in grid.steps)
    raised = tidy_above(grid.unit * (upper + shift))
    lower, upper = within_range(model, tidy_below(grid.unit * (lower + shift)) - grid.loss, raised)
    how = "rationals" if rates.exact else "float64, rounded outward"
    shares = (("rewards rounded up to the grid", min(grid.loss, upper - lower)),
              ("between points of rho, and floats", max(upper - lower - grid.loss, Fraction())))  # fmt: skip
    budget = ErrorBudget(f"{against} rates at every step, state and return so far: {how}", shares)
    return RobustPlan(mdp, objective, against, lower, upper, policy, grid.unit, budget)


class _Rates:
    """The arrays of a model with intervals, and passes over budgets."""

    def __init__(self, grid: Grid, mdp: IntervalMDP, *, worst: bool, points: int) -> None:
        self.grid, self.worst, self.initial = grid, worst, mdp.nominal.initial
        self.spans = [step.span for step in grid.steps]
        self.top = sum(self.spans)
        self.first = starts(mdp.nominal.n_actions)
        self.width = max(map(len, grid.successors))
        self.atoms = max(len(row) for step in grid.steps for row in step.masses) if grid.product else 1
        rows, cells = len(grid.successors), (self.top + 2) * len(grid.steps)
        if 9 * mdp.nominal.n_states * cells > memory_limit():
            raise InvalidArgument(f"eta is {said(grid.unit)}: the tables do not fit in memory, wanted a larger eta")
        terms = rows * self.width * self.atoms * (cells + points * len(grid.steps))
        self.exact = terms <= EXACT_TERMS
        self.target = np.zeros((rows, self.width), dtype=np.int64)
        low, room = np.full((2, rows, self.width), Fraction(), dtype=object)
        for i, (row, own) in enumerate(zip(grid.successors, mdp.intervals, strict=True)):
            self.target[i, : len(row)] = [s for s, _ in row]
            low[i, : len(row)] = [a for a, _ in own]
            room[i, : len(row)] = [b - a for a, b in own]
        free = 1 - low.sum(axis=1)
        self.low, self.room, self.free = (self.numbers(x)[..., None, None] for x in (low, room, free))
        self.free = self.free[:, None]
        self.start = self.numbers(np.array([p for _, p in self.initial], dtype=object))
        self.paid = {id(step): self._rewards(step) for step in grid.steps}

    def numbers(self, values: Array) -> Array:
        """Round rationals to the nearest floats, unless the model is solved exactly."""
        return values if self.exact else values.astype(np.float64)

    def _rewards(self, step: Any) -> tuple[Array, Array]:
        """Return the shifted rewards of each row, by successor if they depend on it, and their probabilities."""
        rows, product = len(step.row), self.grid.product
        units = np.zeros((rows, 1 if product else self.width, self.atoms), dtype=np.int64)
        masses = np.full((rows, self.atoms), Fraction(), dtype=object)
        for i, k in enumerate(step.row.tolist()):
            shifted = [j - step.least for j in step.units[k]]
            if product:
                units[i, 0, : len(shifted)], masses[i, : len(shifted)] = shifted, step.masses[k]
            else:
                units[i, : len(shifted), 0], masses[i, 0] = shifted, Fraction(1)
        return units, self.numbers(masses)

    def run(
        self,
        kappa: Fraction,
        thetas: Sequence[Fraction],
        top: int,
        shifts: Sequence[Sequence[Fraction]] = (),
        *,
        threshold: bool = False,
        keep: bool = False,
    ) -> tuple[Array, list[Array]]:
        """Return the mean cost at the start of every budget ``j + theta``, ``-1 <= j <= top`` (-1 stands for all
        budgets below 0), and the actions of every step if they are to be kept.

        ``shifts`` adds the costs of budgets that are larger by ``shift[k]`` for ``thetas[k]``, under rates that are
        chosen for the unshifted budgets.
        """
        weight: Any = kappa if self.exact else float(kappa)
        plain: Array = np.array([[j + theta for theta in thetas] for j in range(-1, top + 1)], dtype=object)
        budgets: Array = np.array([plain, *(plain + np.array(shift, dtype=object) for shift in shifts)])
        last = np.maximum(budgets > 0 if threshold else budgets, 0) + Fraction()
        tables = np.repeat(self.numbers(last)[:, None], len(self.first) - 1, axis=1)
        chosen: list[Array] = []
        size = max(1, AT_ONCE // (self.width * (top + 2) * len(thetas)))
        for step in reversed(self.grid.steps):
            units, masses = self.paid[id(step)]
            parts = [self._backed_up(i, min(i + size, len(units)), units, masses, step.span, weight, tables)
                     for i in range(0, len(units), size)]  # fmt: skip
            cost = np.concatenate(parts, axis=1)
            tables = np.minimum.reduceat(cost, self.first[:-1], axis=1)
            if keep:
                own = [np.argmin(cost[0, i:j, :, 0], axis=0) for i, j in pairwise(self.first)]
                chosen.append(np.array(own))
        begin = np.array([s for s, _ in self.initial])
        return (tables[:, begin] * self.start[:, None, None]).sum(axis=1), chosen[::-1]

    def _backed_up(self, i: int, end: int, units: Array, masses: Array, span: int, weight: Any, tables: Array) -> Array:
        """Return the costs of the actions of rows i to ``end - 1`` at all budgets."""
        rows, columns = slice(i, end), np.arange(tables.shape[2])
        values: Any = 0
        for a in range(self.atoms):
            earned = units[rows, :, a, None]
            after = tables[:, self.target[rows, :, None], np.maximum(columns - earned, 0)]
            extra = weight * (span - earned)[..., None] if weight else 0
            values = values + masses[rows, a, None, None, None] * (after + extra)
        order = np.argsort(-values[0] if self.worst else values[0], axis=1, kind="stable")
        low, room = (np.take_along_axis(np.broadcast_to(x[rows], order.shape), order, axis=1)
                     for x in (self.low, self.room))  # fmt: skip
        filled = np.minimum(np.cumsum(room, axis=1), self.free[rows])
        filled[:, 1:] -= filled[:, :-1].copy()
        found: Array = ((low + filled) * np.take_along_axis(values, order[None], axis=2)).sum(axis=2)
        return found

    def error(self, kappa: Fraction) -> Fraction:
        """Bound the error of a computed cost, of the optimum and of the chosen policy alike (theory 05, G4)."""
        if self.exact:
            return Fraction()
        roundings = 4 * self.width**2 + 4 * self.width + self.atoms + 8
        depth = len(self.grid.steps) * roundings + len(self.initial) + 128
        return depth * Fraction(1, 2**52) * ((kappa + 1) * (self.top + 2) + 1)

    def best_mean(self) -> tuple[Fraction, Fraction]:
        """Return both bounds on the largest mean, in shifted units."""
        cost, _ = self.run(Fraction(1), [Fraction()], -1)
        value, error = self.top - Fraction(cost[0, 0, 0]), self.error(Fraction(1))
        return value - error, value + error

    def quantiles(self, jump: Jump) -> tuple[int, int]:
        """Return the largest quantile that is certainly, and possibly, attained, in shifted units."""
        cost, _ = self.run(Fraction(), [Fraction()], self.top, threshold=True)
        error, short = self.error(Fraction()), [Fraction(x) for x in cost[0, 1:, 0]]
        certain = max((j for j, p in enumerate(short) if jump.reached_by(min(p + error, Fraction(1)))), default=0)
        possible = (j for j, p in enumerate(short) if jump.reached_by(max(p - error, Fraction())))
        return certain, max(possible, default=certain)

    def best(
        self, mean: Fraction, alpha: Fraction, wanted: Fraction, clock: Clock
    ) -> tuple[Fraction, Fraction, Fraction]:
        """Return both bounds on the largest ``mean * E Z + (1 - mean) * CVaR`` and the rho of the lower one, in shifted
        units.

        Between two neighbours of the points computed so far the optimum is below every line through its values at
        both ends under fixed rates; intervals where two lines cross too high are halved (theory 05, G3).
        """
        slope, top, one = (1 - mean) / alpha, self.top, Fraction(1)
        error = slope * self.error(mean / slope)

        def scores(thetas: list[Fraction], shifts: list[list[Fraction]]) -> Array:
            """Return the value at every rho, and at rho shifted, under the rates chosen for rho."""
            cost, _ = self.run(mean / slope, thetas, top, shifts)
            at = np.array([[[j + theta + by for theta, by in zip(thetas, shift, strict=True)] for j in range(top + 1)]
                           for shift in ([Fraction()] * len(thetas), *shifts)], dtype=object)  # fmt: skip
            found: Array = self.numbers((1 - mean) * at + mean * self.top) - self.numbers(np.array(slope)) * cost[:, 1:]
            return found

        own, left, right = scores([Fraction()], [[-one], [one]])[..., 0]
        rho = Fraction(int(np.argmax(own)))
        best = highest = Fraction(own[int(rho)])
        settled, target = best, max(wanted - 2 * error, Fraction())
        spans = {(Fraction(), one): [(own[:-1], right[:-1]), (left[1:], own[1:])]} if self.worst and top else {}
        while spans:
            peaks = {span: _peaks(lines) for span, lines in spans.items()}
            highest = max(settled, *(Fraction(peak.max()) for peak in peaks.values()))
            if highest - best <= target or clock.late() or min(v - u for u, v in spans) < 2**-40:
                break
            last = {span: int(np.flatnonzero(peak > best + target).max(initial=-1)) for span, peak in peaks.items()}
            top = max(last.values()) + 1
            for within, peak in peaks.items():
                done = peak[top if last[within] >= 0 else 0 :]
                settled = max(settled, Fraction(done.max(initial=settled if self.exact else -np.inf)))
            spans = {span: [(x[:top], y[:top]) for x, y in lines] for span, lines in spans.items() if last[span] >= 0}
            middles = [(u + v) / 2 for u, v in spans]
            found = scores(middles, [[span[i] - m for span, m in zip(spans, middles, strict=True)] for i in (0, 1)])
            halves: dict[tuple[Fraction, Fraction], list[tuple[Array, Array]]] = {}
            for k, ((u, v), m) in enumerate(zip(spans, middles, strict=True)):
                own, left, right = found[:, :top, k]
                j = int(np.argmax(own))
                if own[j] > best:
                    best, rho = Fraction(own[j]), j + m
                lines = spans[u, v]
                halves[u, m] = [*((x, (x + y) / 2) for x, y in lines), (left, own)]
                halves[m, v] = [*(((x + y) / 2, y) for x, y in lines), (own, right)]
            spans = halves
        return best - error, max(highest, best) + error, rho

    def rule(self, kappa: Fraction, rho: Fraction, *, threshold: bool) -> PackedRule:
        """Return the actions of the policy for one rho; without a budget left, those that are best for the mean."""
        whole, least = math.floor(rho), [step.least for step in self.grid.steps]
        _, acts = self.run(kappa, [rho - whole], whole, threshold=threshold, keep=True)
        _, by_mean = self.run(Fraction(1), [Fraction()], -1, keep=True)
        tables, sums = [], [0, *accumulate(self.spans)]
        for own, mean, widest in zip(acts, by_mean, sums, strict=False):
            own[:, 0] = mean[:, 0]
            tables.append(own[:, np.maximum(whole + 1 - np.arange(widest + 1), 0)])
        return PackedRule([0, *accumulate(least)][:-1], tables)


def _peaks(lines: list[tuple[Array, Array]]) -> Array:
    """Return the greatest value of the least of some lines, each given by its values at both ends of an interval."""
    least = np.minimum.reduce([np.maximum(x, y) for x, y in lines])
    for (a, b), (c, d) in combinations(lines, 2):
        crosses = (a > c) & (b < d) | (a < c) & (b > d)
        share = (a - c) / np.where(crosses, (a - c) + (d - b), 1)
        cut = np.maximum(np.maximum(np.minimum(a, c), np.minimum(b, d)), a + share * (b - a))
        least = np.minimum(least, np.where(crosses, cut, np.maximum(np.minimum(a, c), np.minimum(b, d))))
    return least
