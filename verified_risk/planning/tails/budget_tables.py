r"""The budget recursion in float64, for every rho of a window at once.

With ``b = rho - y`` the budget left, in units, and rewards shifted to start at 0,

.. math:: W_T(s, b) = b^+ \text{ or } 1(b > 0), \qquad
          W_t(s, b) = \min_a \{ \kappa\, \mathbf E[m_t - R] + \mathbf E\, W_{t+1}(S', b - R) \},

:math:`m_t` the greatest reward of step t.  :math:`\kappa = 0` is CVaR; a mixture
:math:`w_0 \mathrm{Mean} + k\alpha\,\mathrm{CVaR}_\alpha` has the cost :math:`w_0 b + k b^+`, and adding
:math:`w_0 (M_t - b)`, :math:`M_t = m_t + m_{t+1} + \dots`, makes every term nonnegative:
:math:`\kappa = w_0 / k`.

Several CVaRs together have a cost with several bends, :math:`W_T(s, b) = \sum_j v_j (b - \delta_j)^+`
(:class:`Shortfall`).

Exact reductions: left of ``b = 0`` W does not depend on b; right of :math:`M_t` and the last bend it is linear (or 1);
only budgets reachable from the window are computed.  The chosen action of each cell takes one byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import InvalidArgument
from ...grid import FloatModel
from ...kernels import budget_pass as kernels
from ...mdp.packed import Floats
from ...numbers.rational import digits
from ..clock import memory_limit
from ..rounding import Enclosure, round_up_to_two_digits
from ..threads import in_threads, shares
from . import in_numpy

DENSE_SHARE = 2 / 3  # successors per state above which BLAS beats the sparse sweeps (docs/decisions/planner.md)
CHUNK = 8  # states per BLAS call: few enough that their mixed rows stay in the cache until their rewards are done
NUMPY_TERMS_PER_STEP = 100  # products that numpy computes and adds in the time of one step of a Python loop
COMPILING = 3.0  # approximate seconds to compile one of these kernels
NUMPY_STEPS = 50  # overhead of numpy calls per step of the model, in steps of a Python loop


def require_memory(eta: Fraction, needed: int) -> None:
    """Raise if tables of so many bytes, on a grid of this step, do not fit; name a step for which they do."""
    if needed > (limit := memory_limit()):
        fits = round_up_to_two_digits(eta * Fraction(needed, limit) * Fraction(11, 10))
        raise InvalidArgument(
            f"eta is {digits(eta, 3)}: the tables need {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB allowed, "
            f"wanted eta of at least {fits}"
        )


@dataclass(frozen=True)
class Shortfall:
    r"""The terminal cost :math:`\sum_j v_j (b - \delta_j)^+`: ``shares`` v that sum to 1, ``delays`` delta >= 0."""

    shares: tuple[Fraction, ...] = (Fraction(1),)
    delays: tuple[int, ...] = (0,)

    @property
    def bend(self) -> int:
        """The budget from which on the cost is linear."""
        return max(self.delays)

    @property
    def roundings(self) -> int:
        """The depth of a computed cost: of each share, its product, and the sum."""
        return 0 if len(self.shares) == 1 else len(self.shares) + 1

    def upto(self, high: int) -> Floats:
        """Return the costs of budgets 1, 2, ..., ``high``."""
        budgets, cost = np.arange(1.0, high + 1), np.zeros(high)
        for share, delay in zip(self.shares, self.delays, strict=True):
            cost += float(share) * np.maximum(budgets - delay, 0.0)
        return cost


PLAIN = Shortfall()


@dataclass(frozen=True)
class LinearPart:
    """The recursion where the budget is irrelevant: the least ``E[M_t - Z]``, its actions, and a variance."""

    value: Floats
    action: npt.NDArray[Any]
    variance: float
    """Variance of the return of the mean-optimal policy, in units squared (an estimate with error below ``slack``)."""
    slack: float


def linear_part(model: FloatModel, *, with_variance: bool = False) -> LinearPart:
    """Maximise the mean: ``value[t, s]`` is :math:`M_t - J_t(s)` in units, J the best mean to go."""
    m, blocks = model, model.blocks
    value = np.zeros((m.horizon + 1, m.n_states))
    action = np.zeros((m.horizon, m.n_states), dtype=m.choice_type)
    work = m.horizon * len(m.succ_prob)
    kernels.linear_pass.at(work)(
        blocks.block, m.action_start, m.succ_start, m.succ_state, m.succ_prob, blocks.shortfall, value, action
    )
    if not with_variance:
        return LinearPart(value, action, 0.0, 0.0)
    spread = kernels.variance_pass.at(2 * work)(
        m.product, blocks.block, blocks.span, m.action_start, m.succ_start, m.succ_state, m.succ_prob, blocks.units,
        blocks.variance, value, action, np.zeros(m.n_states), np.zeros(m.n_states),
    )  # fmt: skip
    first = value[0, m.initial_state]  # treat the initial state like a step
    centre = float(m.initial_prob @ first)
    variance = float(m.initial_prob @ (spread[m.initial_state] + (first - centre) ** 2))
    slack = 20.0 * (m.horizon + 1) * 2.0**-52 * m.depth * float(m.remaining[0]) ** 2
    return LinearPart(value, action, variance, slack)


class BudgetRule:
    """The rule ``rule(t, s, i)``: the action at budget ``rho - y``, where ``y`` is ``i`` units less the shift of steps
    before t."""

    def __init__(self, tables: BudgetTables, rho: int) -> None:
        self.tables, self.rho = tables, rho
        self.offsets = tables.model.offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return self.tables.action(t, s, self.rho - (i - self.offsets[t]))

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        """Return the actions at shifted sums ``0..width-1``; sums outside the window are not reached from rho."""
        tables = self.tables
        table, first, reach = tables.policy[t], tables.first[t], tables.model.remaining[t] + tables.bend
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
    first: list[int]  # budget of the first column of each step's policy
    enclosure: Enclosure
    bend: int = 0

    def action(self, t: int, s: int, b: int) -> int:
        reach = self.model.remaining[t] + self.bend
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
    cost: Shortfall = PLAIN,
    linear: LinearPart | None = None,
) -> BudgetTables:
    """Run the recursion for rho in ``low..high`` (shifted units, ``0 <= low <= high <= M_0``)."""
    linear = linear_part(model) if linear is None else linear
    m, blocks, remaining, weight = model, model.blocks, np.array(model.remaining), float(kappa)
    margin = int(blocks.span.max())
    width = margin + high + 1
    first = np.maximum(1, low - (remaining[0] - remaining[:-1]))
    last = np.minimum(remaining[:-1] + cost.bend, high)
    widths = np.maximum(0, last - first + 1)
    reach = np.concatenate(([high], last))  # the budgets that step t - 1 reads of table t; the last one has all
    base = np.append(np.where(first > 1, margin + first, 0) if m.product else np.zeros_like(first), 0)
    pitch = margin + 1 + reach - base
    cell = np.dtype(m.choice_type).itemsize
    require_memory(m.unit, m.n_states * (16 * int(pitch.max()) + cell * int(widths.sum())))
    rooms = np.zeros((2, m.n_states * int(pitch.max())))
    tables = [rooms[t % 2, : m.n_states * w].reshape(m.n_states, w) for t, w in enumerate(pitch.tolist())]
    tables[-1][:, : margin + 1] = 0.0
    tables[-1][:, margin + 1 :] = 1.0 if threshold else cost.upto(int(reach[-1]))
    policy = [np.empty((m.n_states, w), dtype=m.choice_type) for w in widths]
    step = _step_of(m, weight * blocks.shortfall, width + margin + 1, int(widths.sum()))
    for t in range(m.horizon - 1, -1, -1):
        after, now, margins = tables[t + 1], tables[t], (margin - int(base[t + 1]), margin - int(base[t]))
        if widths[t]:
            step(int(blocks.block[t]), int(first[t]), int(last[t]), margins, after, now, policy[t])
        slope = 0.0 if threshold else 1.0
        _fill_outside(now, margins[1], int(first[t]), int(last[t]), int(reach[t]), slope, weight * linear.value[t])
    rows = tables[0][m.initial_state, margin - base[0] + low :]
    enclosure = Enclosure(m.depth + len(m.initial_state) + 2 + cost.roundings, size=m.remaining[0] + 1)
    return BudgetTables(m, linear, low, high, m.initial_prob @ rows, policy, first.tolist(), enclosure, cost.bend)


def _fill_outside(now: Floats, margin: int, first: int, last: int, reach: int, slope: float, left: Floats) -> None:
    """Fill in what the next step reads outside budgets ``first..last``: ``left`` from budget 0 down, then up to
    ``reach``.

    Right of the greatest remaining return the table continues with ``slope`` per unit from its last value, or, for
    ``slope = 0``, at probability 1 plus ``left``.
    """
    if first == 1:
        now[:, : margin + 1] = left[:, None]
    beyond = slice(margin + last + 1, margin + reach + 1)
    if slope:
        now[:, beyond] = now[:, margin + last, None] + slope * np.arange(1, reach - last + 1)
    else:
        now[:, beyond] = 1.0 + left[:, None]


Stepper: TypeAlias = Callable[[int, int, int, tuple[int, int], Floats, Floats, npt.NDArray[Any]], None]
"""``step(k, first, last, margins, after, now, policy)`` computes budgets ``first..last`` of ``now`` and their actions,
with the rewards of block k; ``margins`` are the columns of budget 0 in both tables."""


def _step_of(m: FloatModel, extra: Floats, room: int, cells: int) -> Stepper:
    """Return a function that computes one step of every state, with the states shared among threads: compiled, or in
    numpy if the model is too small to compile for."""
    blocks, outcomes = m.blocks, m.succ_start[m.action_start[1:]] - m.succ_start[m.action_start[:-1]]
    parts = shares(outcomes, len(m.succ_prob) * cells / m.horizon)
    rooms = np.zeros((len(parts), 2, room))
    terms = len(m.succ_prob) + (blocks.prob.shape[1] if m.product else 0)
    work = terms * cells / NUMPY_TERMS_PER_STEP + NUMPY_STEPS * m.horizon
    if not m.product:
        joint = kernels.joint_step.at(work, otherwise=in_numpy.joint_step, compiling=COMPILING)

        def joint_part(
            i: int, k: int, first: int, last: int, margins: Any, after: Floats, now: Floats, policy: Any
        ) -> None:
            s, end = parts[i]
            joint(
                first, last, margins[0], m.action_start[s : end + 1], m.succ_start, m.succ_state, m.succ_prob,
                blocks.units[k], extra[k], after, now[s:end], rooms[i, 1], policy[s:end],
            )  # fmt: skip

        return lambda *step: in_threads(lambda i: joint_part(i, *step), len(parts))
    product = kernels.product_step.at(work, otherwise=in_numpy.product_step, compiling=COMPILING)
    cells = (len(m.succ_start) - 1) * m.n_states
    if m.product and len(m.succ_prob) >= DENSE_SHARE * cells and m.n_states >= 16:
        return _blas_step(m, product, extra, *rooms[0])

    def product_part(
        i: int, k: int, first: int, last: int, margins: Any, after: Floats, now: Floats, policy: Any
    ) -> None:
        product(
            *parts[i], first, last, margins[1], blocks.span[k], m.action_start, m.succ_start, m.succ_state, m.succ_prob,
            blocks.start[k], blocks.units[k], blocks.prob[k], extra[k], after,
            margins[0] + max(first - int(blocks.span[k]), 0), now, *rooms[i], policy,
        )  # fmt: skip

    return lambda *step: in_threads(lambda i: product_part(i, *step), len(parts))


def _blas_step(m: FloatModel, product: Any, extra: Floats, u: Floats, q: Floats) -> Stepper:
    """Mix successors by BLAS, a few states at a time.  The result is a table in which every action has one successor of
    its own."""
    blocks, rows, n = m.blocks, len(m.succ_start) - 1, m.n_states
    dense = np.zeros((rows, n))
    np.add.at(dense, (np.repeat(np.arange(rows), np.diff(m.succ_start)), m.succ_state), m.succ_prob)
    chunks = [(s, min(s + CHUNK, n)) for s in range(0, n, CHUNK)]
    buffer = np.zeros(max(int(m.action_start[end] - m.action_start[s]) for s, end in chunks) * (len(u) + 1))
    one_each, surely = np.arange(rows + 1), np.ones(rows)
    own_row = np.concatenate([np.arange(m.action_start[end] - m.action_start[s]) for s, end in chunks])

    def step(k: int, first: int, last: int, margins: Any, after: Floats, now: Floats, policy: npt.NDArray[Any]) -> None:
        start = max(first - int(blocks.span[k]), 0)
        columns = after[:, margins[0] + start : margins[0] + last + 1]
        for s, end in chunks:
            i, j = m.action_start[s], m.action_start[end]
            mixed = buffer[: (j - i) * columns.shape[1]].reshape(j - i, columns.shape[1])
            np.matmul(dense[i:j], columns, out=mixed)
            product(
                s, end, first, last, margins[1], blocks.span[k], m.action_start, one_each, own_row, surely,
                blocks.start[k], blocks.units[k], blocks.prob[k], extra[k], mixed, 0, now, u, q, policy,
            )  # fmt: skip

    return step
