r"""The budget recursion in float64, for every rho of a window at once.

With ``b = rho - y`` the budget left, in units, and rewards shifted to start at 0,

.. math:: W_T(s, b) = b^+ \text{ or } 1(b > 0), \qquad
          W_t(s, b) = \min_a \{ \kappa\, \mathbf E[m_t - R] + \mathbf E\, W_{t+1}(S', b - R) \},

:math:`m_t` the greatest reward of step t.  :math:`\kappa = 0` is CVaR; a mixture
:math:`w_0 \mathrm{Mean} + k\alpha\,\mathrm{CVaR}_\alpha` has the cost :math:`w_0 b + k b^+`, and adding
:math:`w_0 (M_t - b)`, :math:`M_t = m_t + m_{t+1} + \dots`, makes every term nonnegative:
:math:`\kappa = w_0 / k`.

Exact reductions: left of ``b = 0`` W does not depend on b; right of :math:`M_t` it is linear (or 1); only budgets
that lead from the window can be met.  The chosen action of each cell is kept in one byte.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidArgument
from .floats import FloatModel, Floats
from .rounding import Enclosure

DENSE_SHARE = 0.5
"""Successors per state above which BLAS beats the sparse sweeps (docs/decisions/planner.md)."""
CHUNK = 8
"""States per BLAS call: their mixed rows stay in the cache until their rewards are done."""


def memory_limit() -> int:
    """Half of the machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def table_bytes(n_states: int, remaining: list[int]) -> int:
    """Two tables of floats and a byte per cell for the policy."""
    widest = remaining[0] + max(a - b for a, b in pairwise(remaining))
    return n_states * (16 * (widest + 1) + sum(remaining[:-1]))


def require_memory(model: FloatModel) -> None:
    """Refuse tables that would not fit, naming a grid step that would."""
    needed, limit = table_bytes(model.n_states, model.remaining), memory_limit()
    if needed > limit:
        fits = _round_up_to_two_digits(model.unit * Fraction(needed, limit) * Fraction(11, 10))
        raise InvalidArgument(
            f"eta is {model.unit}: the tables need {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB allowed, "
            f"wanted eta of at least {fits}"
        )


def _round_up_to_two_digits(x: Fraction) -> Fraction:
    power = Fraction(1)
    while x * power < 10:
        power *= 10
    while x * power >= 100:
        power /= 10
    return Fraction(-((-x * power).__floor__())) / power


@dataclass(frozen=True)
class LinearPart:
    """The recursion where the budget plays no role: ``E[M_t - Z]`` at its least, its actions, and a variance."""

    value: list[Floats]
    action: list[npt.NDArray[Any]]
    variance: float
    """Of the return of the policy that maximises the mean, in units squared (an estimate with error below
    ``slack``)."""
    slack: float


def linear_part(model: FloatModel, *, with_variance: bool = False) -> LinearPart:
    """Maximise the mean: ``value[t][s]`` is :math:`M_t - J_t(s)` in units, J the best mean to go."""
    from ..kernels import budget as kernels

    value = [np.zeros(model.n_states)]
    action: list[npt.NDArray[Any]] = []
    choice_type = _choice_type(model)
    for step in reversed(model.steps):
        now, choice = np.zeros(model.n_states), np.zeros(model.n_states, dtype=choice_type)
        kernels.linear_step(
            model.action_start,
            model.succ_start,
            model.succ_state,
            model.succ_prob,
            step.shortfall,
            value[-1],
            now,
            choice,
        )
        value.append(now)
        action.append(choice)
    value.reverse()
    action.reverse()
    size = model.remaining[0]
    variance = slack = 0.0
    if with_variance:
        variance = _variance(model, value, action)
        slack = 20.0 * (model.horizon + 1) * 2.0**-52 * model.depth * float(size) ** 2
    return LinearPart(value, action, variance, slack)


def _variance(model: FloatModel, value: list[Floats], action: list[npt.NDArray[Any]]) -> float:
    """The law of total variance, backwards, under the given Markov actions; the initial state is a step like any
    other."""
    from ..kernels import budget as kernels

    spread = np.zeros(model.n_states)
    for t in range(model.horizon - 1, -1, -1):
        step, now = model.steps[t], np.zeros(model.n_states)
        kernels.variance_step(
            model.product, model.action_start, model.succ_start, model.succ_state, model.succ_prob,
            step.units, step.variance, float(step.span), value[t + 1], value[t], action[t], spread, now,
        )  # fmt: skip
        spread = now
    first = value[0][model.initial_state]
    centre = float(model.initial_prob @ first)
    return float(model.initial_prob @ (spread[model.initial_state] + (first - centre) ** 2))


def _choice_type(model: FloatModel) -> type[np.signedinteger[Any]]:
    return np.int8 if int(np.diff(model.action_start).max()) <= 127 else np.int16


class BudgetRule:
    """``rule(t, s, i)``: the action of the budget ``rho - y``, where ``y`` is ``i`` units less the shift of steps
    before t."""

    def __init__(self, tables: BudgetTables, rho: int) -> None:
        self.tables, self.rho = tables, rho
        self._offsets = tables.model.offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return self.tables.action(t, s, self.rho - (i - self._offsets[t]))

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        """The actions at shifted sums ``0..width-1``; sums at which the window has nothing are not reached from rho."""
        tables = self.tables
        table, first, reach = tables.policy[t], tables.first[t], tables.model.remaining[t]
        budgets = np.minimum(self.rho - np.arange(width), reach)
        linear = tables.linear.action[t][:, None]
        if table.shape[1] == 0:
            return np.repeat(linear, width, axis=1)
        inside = np.clip(budgets - first, 0, table.shape[1] - 1)
        return np.where(budgets[None, :] <= 0, linear, table[:, inside])


@dataclass(frozen=True)
class BudgetTables:
    """The result of one pass: ``shortfall[rho - low]`` is the computed :math:`\\mathbf E_D W_0(S, \\rho)`."""

    model: FloatModel
    linear: LinearPart
    low: int
    high: int
    shortfall: Floats
    policy: list[npt.NDArray[Any]]
    first: list[int]
    """Budget of the first column of each step's policy."""
    enclosure: Enclosure

    def action(self, t: int, s: int, b: int) -> int:
        reach = self.model.remaining[t]
        if b <= 0 or reach == 0:
            return int(self.linear.action[t][s])
        return int(self.policy[t][s, min(b, reach) - self.first[t]])


class Workspace:
    """Buffers of one pass, and the choice between sparse sweeps and BLAS."""

    def __init__(self, model: FloatModel, width: int) -> None:
        self.model = model
        self.u, self.q = np.zeros(width), np.zeros(width)
        terms = len(model.succ_prob)
        rows = len(model.succ_start) - 1
        self.dense: Floats | None = None
        if model.product and terms >= DENSE_SHARE * rows * model.n_states and model.n_states >= 16:
            self.dense = np.zeros((rows, model.n_states))
            np.add.at(
                self.dense, (np.repeat(np.arange(rows), np.diff(model.succ_start)), model.succ_state), model.succ_prob
            )
            largest = max(
                int(model.action_start[min(s + CHUNK, model.n_states)] - model.action_start[s])
                for s in range(0, model.n_states, CHUNK)
            )
            self.mixed = np.zeros(largest * width)

    def step(
        self, t: int, low: int, high: int, margin: int, extra: Floats, after: Floats, now: Floats, policy: Any
    ) -> None:
        """Budgets ``low..high`` of step t, from ``after`` into ``now`` and ``policy``."""
        from ..kernels import budget as kernels

        m, step = self.model, self.model.steps[t]
        if not m.product:
            kernels.joint_step(
                low, high, margin, m.action_start, m.succ_start, m.succ_state, m.succ_prob, step.units, extra,
                after, now, self.q, policy,
            )  # fmt: skip
        elif self.dense is None:
            kernels.product_step(
                low, high, margin, step.span, m.action_start, m.succ_start, m.succ_state, m.succ_prob,
                step.start, step.units, step.prob, extra, after, now, self.u, self.q, policy,
            )  # fmt: skip
        else:
            start = max(low - step.span, 0)
            width = high - start + 1
            columns = after[:, margin + start : margin + high + 1]
            for s in range(0, m.n_states, CHUNK):
                end = min(s + CHUNK, m.n_states)
                first, last = int(m.action_start[s]), int(m.action_start[end])
                mixed = self.mixed[: (last - first) * width].reshape(last - first, width)
                np.matmul(self.dense[first:last], columns, out=mixed)
                kernels.reward_chunk(
                    low, high, margin, step.span, s, end, m.action_start, step.start, step.units, step.prob, extra,
                    mixed, now, self.u, self.q, policy,
                )  # fmt: skip


def budget_tables(
    model: FloatModel,
    kappa: Fraction,
    low: int,
    high: int,
    *,
    threshold: bool = False,
    linear: LinearPart | None = None,
) -> BudgetTables:
    """Run the recursion for rho in ``low..high`` (shifted units, ``0 <= low <= high <= M_0``)."""
    from ..kernels import budget as kernels

    linear = linear_part(model) if linear is None else linear
    remaining, weight = model.remaining, float(kappa)
    margin, choice_type = max(step.span for step in model.steps), _choice_type(model)
    width = margin + high + 1
    after, now = np.zeros((model.n_states, width)), np.zeros((model.n_states, width))
    workspace = Workspace(model, width + margin + 1)
    after[:, margin + 1 :] = 1.0 if threshold else np.arange(1, high + 1)
    policy: list[npt.NDArray[Any]] = []
    starts: list[int] = []
    for t in range(model.horizon - 1, -1, -1):
        first, last = max(1, low - (remaining[0] - remaining[t])), min(remaining[t], high)
        chosen = np.empty((model.n_states, max(0, last - first + 1)), dtype=choice_type)
        if first <= last:
            extra = weight * model.steps[t].shortfall
            workspace.step(t, first, last, margin, extra, after, now, chosen)
        reach = min(remaining[t - 1], high) if t else high
        kernels.finish_step(first, last, reach, margin, 0.0 if threshold else 1.0, 1.0, weight * linear.value[t], now)
        policy.append(chosen)
        starts.append(first)
        after, now = now, after
    rows = after[model.initial_state, margin + low : margin + high + 1]
    enclosure = Enclosure(model.depth + len(model.initial_state) + 2, size=remaining[0] + 1)
    return BudgetTables(model, linear, low, high, model.initial_prob @ rows, policy[::-1], starts[::-1], enclosure)
