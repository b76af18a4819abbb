r"""Mean, CVaR and ``w * Mean + (1 - w) * CVaR``, certified, in one backward pass.

.. math:: \Phi^* = \max_\rho \{ \rho - \mathbf E\, c(\rho - Z) \}, \qquad c(b) = w_0 b + k b^+,
          \qquad k = (1 - w_0)/\alpha .

The computed table encloses the exact one (A2, the budget recursion) and the chosen policy's own (A3, the chosen policy
attains the computed value), so both bounds come from the same pass; the rest is rational arithmetic (A4, CVaR).  The
proofs are in docs/theory/05-certificates.md.  For one level, only rho in

.. math:: c \le \rho \le J_1 + (J_1 - c)\,\alpha / (1 - \alpha)

matter, with :math:`J_1` the best mean and c any lower bound on the optimal CVaR: an optimal rho is a quantile of the
optimal law, hence at least its CVaR, and ``alpha * CVaR + (1 - alpha) * rho`` is at most its mean.  Here c comes from
the mean-optimal policy's mean and standard deviation, :math:`\mathrm{CVaR}_\alpha \ge \mu - \sigma
\sqrt{(1-\alpha)/\alpha}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...grid import FloatModel
from ...mdp.packed import Floats
from ...objectives.piecewise import Levels
from ..rounding import UNIT_ROUNDOFF, Enclosure
from .budget_tables import BudgetRule, BudgetTables, LinearPart, budget_tables, linear_part

Rule: TypeAlias = Callable[[int, int, int], int]

STEEPEST = Fraction(2**900)
"""Largest cost k; a steeper one, times the underflow of a table, would exceed every return, so
:func:`best_single_level` and :func:`assemble` replace it."""

TIE_SHARE = Fraction(1, 2**33)  # weight of the mean where it decides between policies that are as good
MOST_RIVALS = 64  # maximum number of values of rho to compare exactly


@dataclass(frozen=True)
class Bounds:
    """Bounds in the model's units: ``lower <= Phi of the rule <= optimum <= upper`` in the (rounded) model."""

    lower: Fraction
    estimate: Fraction
    upper: Fraction
    rule: Rule


class MeanRule:
    """The rule that maximises the mean to go."""

    def __init__(self, linear: LinearPart, offsets: list[int]) -> None:
        self.action, self.offsets = linear.action, offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return int(self.action[t][s])

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        return np.repeat(self.action[t][:, None], width, axis=1)


def best_mean(model: FloatModel, linear: LinearPart | None = None) -> Bounds:
    """Return the largest mean, in shifted units."""
    linear = linear_part(model) if linear is None else linear
    computed = float(model.initial_prob @ linear.value[0][model.initial_state])
    enclosure = Enclosure(model.depth + len(model.initial_state) + 2, size=model.remaining[0])
    top = model.remaining[0]
    lower, upper = top - enclosure.above(computed), top - enclosure.below(computed)
    return Bounds(lower, top - Fraction(computed), upper, MeanRule(linear, model.offsets))


def best_single_level(model: FloatModel, levels: Levels, *, by_mean: bool = False) -> Bounds:
    """Maximise ``levels.mean * E Z + w * CVaR_alpha(Z)``, in shifted units; ``by_mean`` prefers, of policies that are
    as good, one with the better mean."""
    if not levels.tails:
        return best_mean(model)
    ((alpha, weight),) = levels.tails
    slope = weight / alpha
    if levels.mean > STEEPEST * min(slope, STEEPEST):
        return _nearly_mean(model, levels.mean)
    linear = linear_part(model, with_variance=True)
    low, high = rho_window(model, linear, weight / min(slope, STEEPEST))
    tables = budget_tables(model, levels.mean / min(slope, STEEPEST), low, high, linear=linear)
    found = assemble(tables, levels.mean, slope)
    return found if levels.mean or not by_mean or slope > 1 / TIE_SHARE else _with_better_mean(tables, slope, found)


def _with_better_mean(tables: BudgetTables, slope: Fraction, found: Bounds) -> Bounds:
    """Repeat a pass for CVaR with a little of the mean, for those rho that may be the best (theory 05, B12)."""
    model, rhos = tables.model, range(tables.low, tables.high + 1)
    scores = scores_of(tables.shortfall, rhos, Fraction(), slope, model.remaining[0])
    tied = np.flatnonzero(scores >= float(2 * found.lower - found.upper)) + tables.low
    again = budget_tables(model, TIE_SHARE / slope, int(tied[0]), int(tied[-1]), linear=tables.linear)
    best = int(np.argmax(np.arange(again.low, again.high + 1) - float(slope) * again.shortfall))
    least = again.enclosure.below(float(model.initial_prob @ tables.linear.value[0][model.initial_state]))
    shortfall = again.enclosure.above(again.shortfall[best]) - TIE_SHARE / slope * least
    rho = again.low + best
    lower = rho - slope * shortfall
    return Bounds(lower, lower, found.upper, BudgetRule(again, rho))


def _nearly_mean(model: FloatModel, mean_weight: Fraction) -> Bounds:
    r"""Bound the optimum if the weight of CVaR vanishes in float64: with :math:`0 \le \mathrm{CVaR} \le \mathbf E Z`
    (shifted returns are nonnegative), :math:`w_0 J_1 \le \Phi^* \le J_1`."""
    mean = best_mean(model)
    return Bounds(mean_weight * mean.lower, mean_weight * mean.estimate, mean.upper, mean.rule)


def rho_window(model: FloatModel, linear: LinearPart, alpha: Fraction) -> tuple[int, int]:
    """Return the budgets that contain an optimal rho; see the module's formula.

    A mixture with the mean has the same window: its optimum has a mean of at most :math:`J_1` and a value of at least
    that of the mean-optimal policy, so its CVaR is at least that policy's.
    """
    mean = best_mean(model, linear)
    top = model.remaining[0]
    variance = max(Fraction(linear.variance), Fraction()) + Fraction(linear.slack)
    least = max(0, math.floor(mean.lower) - _root_above(variance * (1 - alpha) / alpha))
    greatest = mean.upper + (mean.upper - least) * alpha / (1 - alpha)
    return min(least, top), min(top, math.ceil(greatest))


def _root_above(x: Fraction) -> int:
    """Return the least integer whose square is at least ``x >= 0``."""
    return math.isqrt(math.ceil(x) - 1) + 1 if x > 0 else 0


def assemble(tables: BudgetTables, mean_weight: Fraction, slope: Fraction) -> Bounds:
    r"""Find the best rho of a pass: :math:`(1 - w_0)\rho + w_0 M_0 - k\, \mathbf E_D W_0(S, \rho)`, bounded from both
    sides.

    A level alpha so small that k exceeds :data:`STEEPEST` =: k' is replaced by the larger level alpha' of k', and the
    table is that of k'.  The optimum at alpha' is at least that at alpha.  The rule's own value at alpha is at least
    the formula with k, because :math:`\mathbf E(\rho - Z)^+ + (w_0/k') \mathbf E[M_0 - Z] \le W` makes it least where
    all of W is the first term; and it is at least its value at alpha' less the value attributed to the tail, :math:`(1
    - w_0) \rho`, as no shifted return is below 0.  If no product of probabilities underflows, a computed shortfall of 0
    is exact: the rule never earns less than rho.
    """
    steepest = min(slope, STEEPEST)
    rhos = range(tables.low, tables.high + 1)
    top = tables.model.remaining[0]
    scores = scores_of(tables.shortfall, rhos, mean_weight, steepest, top)
    rest_weight, of_the_mean = 1 - mean_weight, mean_weight * top

    def exact(rho: int, shortfall: Fraction, k: Fraction = steepest) -> Fraction:
        return rest_weight * rho + of_the_mean - k * shortfall

    # The best scores are compared exactly.  Any other rho has a score of at most ``rest``; its bound is above that by
    # the roundings of the table and eight more, of numbers whose sum is at most 2 (top + 1) less the score; underflow,
    # even STEEPEST times, is less than one of them.
    enclosure, shortfall = tables.enclosure, tables.shortfall
    rivals, rest = _highest(scores)
    lower, best = max((exact(rhos[i], enclosure.above(shortfall[i])), -i) for i in rivals)
    upper = max(exact(rhos[i], enclosure.below(shortfall[i])) for i in rivals)
    if rest is not None:
        sizes = 2 * (top + 1) + abs(Fraction(rest))
        upper = max(upper, Fraction(rest) + (enclosure.depth + 8) * UNIT_ROUNDOFF * sizes)
    rho = rhos[-best]
    estimate = exact(rho, Fraction(shortfall[-best]))
    if steepest < slope:
        lower = max(exact(rho, enclosure.above(shortfall[-best]), slope), lower - (1 - mean_weight) * rho, Fraction())
        if shortfall[-best] == 0 and _cannot_underflow(tables.model):
            lower = max(lower, Fraction(rho))
    return Bounds(lower, max(estimate, lower), upper, BudgetRule(tables, rho))


def _highest(scores: Floats) -> tuple[list[int], float | None]:
    """Return the places of the best :data:`MOST_RIVALS` scores (ties go to the first), and the best other score."""
    if len(scores) <= MOST_RIVALS:
        return list(range(len(scores))), None
    least = float(np.partition(scores, -MOST_RIVALS)[-MOST_RIVALS])
    better, equal = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    return [*better.tolist(), *equal[: MOST_RIVALS - len(better)].tolist()], least


def _cannot_underflow(model: FloatModel) -> bool:
    """Return whether the probability of every history, in float64, is far above the smallest float."""
    rewards = min(float(step.prob.min()) for step in model.steps) if model.product else 1.0
    least = (float(model.initial_prob.min()), float(model.succ_prob.min()), rewards)
    if min(least) == 0:  # a probability smaller than every float
        return False
    start, *step = map(math.log2, least)
    return start + model.horizon * (sum(step) - 1) > -1000


def scores_of(shortfall: Floats, rhos: range, mean_weight: Fraction, slope: Fraction, top: int) -> Floats:
    """Return the objective at every rho, in floats."""
    return (
        float(1 - mean_weight) * np.arange(rhos.start, rhos.stop) + float(mean_weight) * top - float(slope) * shortfall
    )
