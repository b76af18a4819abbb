r"""Mean, CVaR and their mixture for discounted models, by two interpolated tables.

Let :math:`V_t(s, c) = \min_\pi \mathbf E[\kappa (M_t - Z_t) + (c - Z_t)^+]` over the rewards of steps t, t+1, ..., for
every *real* budget c, in units of :math:`\delta_t`.  With ``x = units + share`` the reward in those units,

.. math:: V_t(s, c) = \min_a \mathbf E[\kappa (m_t - x) + V_{t+1}(S', c - x)] .

Two tables of nodes k = 0, 1, ... enclose it (docs/theory/03-discretisation.md, "Interpolation"); between nodes they are
interpolated linearly.  An outcome ``i + share`` bends once in a cell ``[k, k + 1]``, so the chord of :math:`Q_a(c) =
\mathbf E\,W_{t+1}(S', c - x)` over the cell is off by at most :math:`\lambda(1-\lambda)` times a second difference, in
the mean over outcomes.

* *Below*: at each node the least :math:`Q_a`, lowered until the polygon is below every :math:`Q_a` at every c.
* *Above*: in each cell one action, the policy's, and nodes raised until the polygon is above its :math:`Q_a`.  The
  policy knows its budget exactly and acts by the cell (:class:`~verified_risk.policy.cell_policy.CellPolicy`).

Both errors are of second order in the grid step if returns have a density; rounding up is of first order.

Every table is moved outward by a bound on the rounding of its own step, so its entries are bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...grid import ScaledModel
from ...kernels import budget_pass as kernels
from ...mdp.packed import Floats
from ...numbers.rational import float_above, float_below
from ..rounding import Enclosure
from ..threads import in_threads, shares
from .budget_tables import require_memory

ROUNDOFF = 2.0**-53
TINY = 1e-290  # exceeds the total underflow of one step


@dataclass(frozen=True)
class MeanPart:
    """The best mean: ``value[t, s]`` encloses the least ``E[M_t - Z]`` in units of ``eta``; and its actions."""

    value: Floats
    action: npt.NDArray[Any]
    enclosure: Enclosure


@dataclass(frozen=True)
class Shortfall:
    """One table at the first step: ``rows[j]`` contains the nodes of the j-th initial state."""

    probs: tuple[Fraction, ...]
    rows: Floats

    def at(self, k: int) -> Fraction:
        """Return the mean over initial states at node k, exactly for the numbers in the table."""
        return sum((p * Fraction(x) for p, x in zip(self.probs, self.rows[:, k].tolist(), strict=True)), Fraction())

    def about(self) -> Floats:
        """Return an approximation of :meth:`at` at all nodes, in floats."""
        found: Floats = np.array([float(p) for p in self.probs]) @ self.rows
        return found

    def best(self, per_node: Fraction, slope: Fraction) -> tuple[Fraction, int]:
        """Return the largest ``per_node * k - slope * at(k)`` and its least k; close ones are compared exactly."""
        nodes = np.arange(self.rows.shape[1])
        scores = float(per_node) * nodes - float(slope) * self.about()
        margin = 1e-12 * (float(np.abs(scores).max()) + float(slope) * float(np.abs(self.rows).max()) + len(nodes))
        rivals = np.flatnonzero(scores >= scores.max() - margin).tolist()
        value, k = max((per_node * k - slope * self.at(k), -k) for k in rivals)
        return value, -k


@dataclass(frozen=True)
class Envelope:
    """Both tables: ``below <= E V_0(S, rho)``, and ``above`` bounds the value under the policy of ``rho`` from
    above."""

    model: ScaledModel
    mean: MeanPart
    below: Shortfall
    above: Shortfall
    policy: list[npt.NDArray[Any]]
    """Per step, the action of each cell ``[k, k + 1)``, k = 0, 1, ..."""
    shift: float
    """Total distance, in units of eta, by which a table was moved outward for rounding."""


def narrowest(model: ScaledModel) -> type[np.signedinteger[Any]]:
    """Return the narrowest integer type that holds every action."""
    most = int(np.diff(model.action_start).max()) - 1
    return next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)


def mean_part(model: ScaledModel) -> MeanPart:
    value = np.zeros((model.horizon + 1, model.n_states))
    action = np.zeros((model.horizon, model.n_states), dtype=narrowest(model))
    scale = np.array([step.scale / 2.0**h for step, h in zip(model.steps, model.halvings, strict=True)])
    kernels.linear_pass(
        np.arange(model.horizon), model.action_start, model.succ_start, model.succ_state, model.succ_prob,
        scale[:, None] * model.deficit, value, action,
    )  # fmt: skip
    depth = model.horizon * (int(np.diff(model.succ_start).max()) + 5) + len(model.mdp.initial) + 2
    return MeanPart(value, action, Enclosure(depth, size=int(model.greatest) + 1))


def bytes_needed(model: ScaledModel) -> int:
    """Return the bytes of two tables of floats, and of the policy's actions at one (or two, or four) bytes each."""
    widest = max(own for own, _ in model.tops)
    margin = max(step.span for step in model.steps)
    width = np.dtype(narrowest(model)).itemsize
    tables = 16 * (widest + margin + 8) + width * (widest + 1)
    rows = 16 * int(np.diff(model.action_start).max()) * (widest + margin + 8)
    return model.n_states * (tables + width * sum(own + 1 for own, _ in model.tops)) + rows


def envelope(model: ScaledModel, kappa: Fraction) -> Envelope:
    """Compute both tables, from the last step to the first."""
    require_memory(model.eta, bytes_needed(model))
    mean = mean_part(model)
    above, policy = _pass(model, mean, kappa, lower=False)
    below, _ = _pass(model, mean, kappa, lower=True)
    shift = sum(_outward(model, t, kappa) / 2.0 ** model.halvings[t] for t in range(model.horizon))
    return Envelope(model, mean, below, above, policy, shift)


def _pass(
    model: ScaledModel, mean: MeanPart, kappa: Fraction, *, lower: bool
) -> tuple[Shortfall, list[npt.NDArray[Any]]]:
    """Compute one table at the first step, and the policy of the upper one."""
    n, weight = model.n_states, float(kappa)
    margin = max(step.span for step in model.steps) + 2
    widest = max(own for own, _ in model.tops) + max(model.finer(t) for t in range(model.horizon)) + margin
    after, now = np.zeros((n, margin + widest)), np.zeros((n, margin + widest))
    after[:, margin:] = np.arange(widest)
    most = int(np.diff(model.action_start).max())
    outcomes = model.succ_start[model.action_start[1:]] - model.succ_start[model.action_start[:-1]]
    parts = shares(outcomes, 4.0 * len(model.succ_prob) * model.cells / (n * model.horizon))
    rooms = [
        (np.zeros((1, margin + widest)), np.zeros((most, widest)), np.zeros((most, widest)), np.zeros(widest))
        for _ in parts
    ]
    choice = np.zeros((n, widest), dtype=narrowest(model))
    policy: list[npt.NDArray[Any]] = []
    for t in range(model.horizon - 1, -1, -1):
        step, (top, coarse) = model.steps[t], model.tops[t]
        extra = weight * step.scale * model.deficit
        shift = -_outward(model, t, kappa) if lower else _outward(model, t, kappa)
        left = _left(mean, t, kappa, lower) * 2.0 ** model.halvings[max(t - 1, 0)]
        reach = model.tops[t - 1][0] + 2 if t else coarse  # nothing reads beyond the first step's last node

        def some_states(k, t=t, extra=extra, after=after, now=now, shift=shift, left=left, reach=reach):  # type: ignore[no-untyped-def]
            step, (top, _), (first, last) = model.steps[t], model.tops[t], parts[k]
            kernels.interpolated_step(
                first, last, model.product, lower, top, step.span, margin, model.action_start, model.succ_start,
                model.succ_state, model.succ_prob, model.reward_start, model.reward_prob, step.units, step.share, extra,
                after, now, choice, *rooms[k],
            )  # fmt: skip
            kernels.finish(
                lower, top, reach, margin, shift, left[first:last], model.finer(t), now[first:last], rooms[k][3]
            )

        in_threads(some_states, len(parts))
        if not lower:
            policy.append(choice[:, : top + 1].copy())
        after, now = now, after
    columns = slice(margin, margin + model.tops[0][1] + 1)
    states = [s for s, _ in model.mdp.initial]
    return Shortfall(tuple(p for _, p in model.mdp.initial), after[states, columns].copy()), policy[::-1]


def _outward(model: ScaledModel, t: int, kappa: Fraction) -> float:
    """Bound the rounding error of a value of step t, in its own units.

    Every value is at most c + kappa M, and corrections move it by at most half a unit per step; a backup adds ``terms``
    products, each off by a few roundings of that size, and the coarser grid adds a few more.
    """
    size = (1.0 + float(kappa)) * (model.tops[t][0] + model.steps[t].span + model.horizon + 2)
    return (4 * model.terms + 64) * ROUNDOFF * size


def _left(mean: MeanPart, t: int, kappa: Fraction, lower: bool) -> Floats:
    """Bound the value of a budget below 0 at step t from one side, in units of eta.  Factor and product are rounded
    once each, which the eight roundings of ``spare`` more than cover."""
    if not kappa:
        return np.zeros_like(mean.value[t])
    shrink, spare = mean.enclosure.shrink, Fraction(1, 2**50)
    lost = float_above(kappa * mean.enclosure.underflow / shrink) + TINY
    if lower:
        below: Floats = mean.value[t] * float_below(kappa * shrink * (1 - spare)) - lost
        return below
    above: Floats = mean.value[t] * float_above(kappa / shrink * (1 + spare)) + lost
    return above


@dataclass(frozen=True)
class ScaledBounds:
    """A lower bound on the value of the policy of ``rho``, and an upper bound on the optimum, in shifted units of
    ``eta``."""

    lower: Fraction
    upper: Fraction
    rho: int


def best_rho(tables: Envelope, mean_weight: Fraction, slope: Fraction) -> ScaledBounds:
    r"""Compute :math:`\max_\rho (1 - w_0)\rho + w_0 M_0 - k\,\mathbf E_D V_0(S, \rho)`.  Between nodes the lower table
    is linear, and outside them the expression decreases, so the nodes suffice."""
    constant = mean_weight * tables.model.greatest
    lower, rho = tables.above.best(1 - mean_weight, slope)
    upper, _ = tables.below.best(1 - mean_weight, slope)
    return ScaledBounds(lower + constant, upper + constant, rho)
