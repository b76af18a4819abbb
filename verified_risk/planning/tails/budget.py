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

from ...errors import InvalidArgument
from ...grid.floats import FloatModel, Floats, Ints
from ...numbers.rational import digits
from ..rounding import Enclosure
from ..short import round_up_to_two_digits

DENSE_SHARE = 2 / 3
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


def require_memory(model: FloatModel, widths: Ints, width: int) -> None:
    """Refuse tables of ``width`` columns, and ``widths[t]`` of policy, that do not fit; name a grid step that does."""
    cell = np.dtype(choice_type(model)).itemsize
    needed, limit = model.n_states * (16 * width + cell * int(widths.sum())), memory_limit()
    if needed > limit:
        fits = round_up_to_two_digits(model.unit * Fraction(needed, limit) * Fraction(11, 10))
        raise InvalidArgument(
            f"eta is {digits(model.unit, 3)}: the tables need {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB allowed, "
            f"wanted eta of at least {fits}"
        )


@dataclass(frozen=True)
class LinearPart:
    """The recursion where the budget plays no role: ``E[M_t - Z]`` at its least, its actions, and a variance."""

    value: Floats
    action: npt.NDArray[Any]
    variance: float
    """Of the return of the policy that maximises the mean, in units squared (an estimate with error below
    ``slack``)."""
    slack: float


def linear_part(model: FloatModel, *, with_variance: bool = False) -> LinearPart:
    """Maximise the mean: ``value[t, s]`` is :math:`M_t - J_t(s)` in units, J the best mean to go."""
    from ...kernels import budget as kernels

    m, blocks = model, model.blocks
    value = np.zeros((m.horizon + 1, m.n_states))
    action = np.zeros((m.horizon, m.n_states), dtype=choice_type(m))
    kernels.linear_pass(
        blocks.block, m.action_start, m.succ_start, m.succ_state, m.succ_prob, blocks.shortfall, value, action
    )
    if not with_variance:
        return LinearPart(value, action, 0.0, 0.0)
    spread = kernels.variance_pass(
        m.product, blocks.block, blocks.span, m.action_start, m.succ_start, m.succ_state, m.succ_prob, blocks.units,
        blocks.variance, value, action, np.zeros(m.n_states), np.zeros(m.n_states),
    )  # fmt: skip
    first = value[0, m.initial_state]  # the initial state is a step like any other
    centre = float(m.initial_prob @ first)
    variance = float(m.initial_prob @ (spread[m.initial_state] + (first - centre) ** 2))
    slack = 20.0 * (m.horizon + 1) * 2.0**-52 * m.depth * float(m.remaining[0]) ** 2
    return LinearPart(value, action, variance, slack)


def choice_type(model: FloatModel) -> type[np.signedinteger[Any]]:
    """The narrowest integers that hold every action."""
    most = int(np.diff(model.action_start).max()) - 1
    return next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)


class BudgetRule:
    """``rule(t, s, i)``: the action of the budget ``rho - y``, where ``y`` is ``i`` units less the shift of steps
    before t."""

    def __init__(self, tables: BudgetTables, rho: int) -> None:
        self.tables, self.rho = tables, rho
        self.offsets = tables.model.offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return self.tables.action(t, s, self.rho - (i - self.offsets[t]))

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
    from ...kernels import budget as kernels

    linear = linear_part(model) if linear is None else linear
    m, blocks, remaining, weight = model, model.blocks, np.array(model.remaining), float(kappa)
    margin = int(blocks.span.max())
    width = margin + high + 1
    first = np.maximum(1, low - (remaining[0] - remaining[:-1]))
    widths = np.maximum(0, np.minimum(remaining[:-1], high) - first + 1)
    require_memory(m, widths, width)
    after, now = np.zeros((m.n_states, width)), np.zeros((m.n_states, width))
    after[:, margin + 1 :] = 1.0 if threshold else np.arange(1, high + 1)
    start = np.concatenate(([0], np.cumsum(m.n_states * widths)))
    policy = np.empty(start[-1], dtype=choice_type(m))
    run = _blas_pass if _is_dense(m) else kernels.sparse_pass
    table = run(
        m.product, low, high, margin, blocks.block, blocks.span, remaining, m.action_start, m.succ_start, m.succ_state,
        m.succ_prob, blocks.start, blocks.units, blocks.prob, weight * blocks.shortfall, weight * linear.value,
        0.0 if threshold else 1.0, after, now, np.zeros(width + margin + 1), np.zeros(width + margin + 1),
        policy, start,
    )  # fmt: skip
    rows = table[m.initial_state, margin + low : margin + high + 1]
    enclosure = Enclosure(m.depth + len(m.initial_state) + 2, size=m.remaining[0] + 1)
    tables = [policy[a:b].reshape(m.n_states, w) for a, b, w in zip(start, start[1:], widths, strict=False)]
    return BudgetTables(m, linear, low, high, m.initial_prob @ rows, tables, first.tolist(), enclosure)


def _is_dense(model: FloatModel) -> bool:
    """Whether BLAS on whole rows beats the sparse sweeps."""
    cells = (len(model.succ_start) - 1) * model.n_states
    return model.product and len(model.succ_prob) >= DENSE_SHARE * cells and model.n_states >= 16


def _blas_pass(  # type: ignore[no-untyped-def]
    _product, low, high, margin, block, span, remaining, action_start, succ_start, succ_state, succ_prob,
    reward_start, reward_units, reward_prob, extra, left, slope, after, now, u, q, policy, policy_start,
):  # fmt: skip
    """:func:`verified_risk.kernels.budget.sparse_pass` with successors mixed by BLAS, a few states at a time.

    What BLAS has mixed is a table in which every action has one successor of its own.
    """
    from ...kernels import budget as kernels

    rows, n = len(succ_start) - 1, len(action_start) - 1
    dense = np.zeros((rows, n))
    np.add.at(dense, (np.repeat(np.arange(rows), np.diff(succ_start)), succ_state), succ_prob)
    chunks = [(s, min(s + CHUNK, n)) for s in range(0, n, CHUNK)]
    buffer = np.zeros(max(int(action_start[end] - action_start[s]) for s, end in chunks) * (len(u) + 1))
    one_each, surely = np.arange(rows + 1), np.ones(rows)
    own_row = np.concatenate([np.arange(action_start[end] - action_start[s]) for s, end in chunks])
    for t in range(len(block) - 1, -1, -1):
        k = block[t]
        first, last = max(1, low - int(remaining[0] - remaining[t])), min(int(remaining[t]), high)
        if first <= last:
            start = max(first - int(span[k]), 0)
            chosen = policy[policy_start[t] : policy_start[t + 1]].reshape(n, last - first + 1)
            columns = after[:, margin + start : margin + last + 1]
            for s, end in chunks:
                i, j = action_start[s], action_start[end]
                mixed = buffer[: (j - i) * columns.shape[1]].reshape(j - i, columns.shape[1])
                np.matmul(dense[i:j], columns, out=mixed)
                kernels.product_step(
                    s, end, first, last, margin, span[k], action_start, one_each, own_row, surely, reward_start[k],
                    reward_units[k], reward_prob[k], extra[k], mixed, 0, now, u, q, chosen,
                )  # fmt: skip
        reach = min(int(remaining[t - 1]), high) if t else high
        kernels.finish_step(first, last, reach, margin, slope, left[t], now)
        after, now = now, after
    return after
