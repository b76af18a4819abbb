r"""Mean, CVaR and their mixture for discounted models: two tables that are read between their nodes.

Let :math:`V_t(s, c) = \min_\pi \mathbf E[\kappa (M_t - Z_t) + (c - Z_t)^+]` over what steps t, t+1, ... still pay, for
every *real* budget c, in units of :math:`\delta_t`.  With ``x = units + share`` the reward in those units,

.. math:: V_t(s, c) = \min_a \mathbf E[\kappa (m_t - x) + V_{t+1}(S', c - x)] .

Two tables of nodes k = 0, 1, ... enclose it (docs/theory/03-discretisation.md, "Interpolation").

* *Above*: :math:`U_t(s, k) = \min_a \mathbf E[\dots + (1-\lambda) U_{t+1}(S', k-i) + \lambda U_{t+1}(S', k-i-1)]`.
  This is what a policy is worth that remembers its return on the grid and rounds it with a coin: in the mean it
  remembers no more than it was paid, and by Jensen's inequality the coins only add to the shortfall.  So the policy is
  worth at least what the table says.
* *Below*: the same mixture, lowered until the polygon through the nodes is below :math:`\mathbf E V_{t+1}(S', c - x)`
  at every c.  An outcome bends once in a cell, so a chord exceeds it by at most :math:`\lambda(1-\lambda)` times a
  second difference.

Both errors are of second order in the grid where returns have a density; rounding up costs the first order.

Every table is moved outward by a bound on the rounding of its own step, so its entries, as they are, are bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InvalidArgument
from ...grid.floats import Floats
from ...grid.scaled import ScaledModel
from ...objectives.levels import Levels
from ...rational import float_above, float_below
from ..rounding import Enclosure
from .budget import memory_limit

ROUNDOFF = 2.0**-53
TINY = 1e-290
"""More than all underflows of one step can lose."""


@dataclass(frozen=True)
class MeanPart:
    """The best mean: ``value[t, s]`` encloses the least ``E[M_t - Z]`` in units of ``eta``; its actions."""

    value: Floats
    action: npt.NDArray[Any]
    enclosure: Enclosure


@dataclass(frozen=True)
class Envelope:
    """Values of the initial law at every node of the first step: ``below <= E V_0(S, rho) <= above`` of the policy."""

    model: ScaledModel
    mean: MeanPart
    below: list[Fraction]
    above: list[Fraction]
    policy: list[npt.NDArray[Any]]
    """Per step, the actions at nodes 0, 1, ... of the grid of the step before."""


def narrowest(model: ScaledModel) -> type[np.signedinteger[Any]]:
    """The narrowest integers that hold every action."""
    most = int(np.diff(model.action_start).max()) - 1
    return next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)


def mean_part(model: ScaledModel) -> MeanPart:
    from ...kernels import interpolated as kernels

    value = np.zeros((model.horizon + 1, model.n_states))
    action = np.zeros((model.horizon, model.n_states), dtype=narrowest(model))
    scale = np.array([step.scale / 2.0**h for step, h in zip(model.steps, model.halvings, strict=True)])
    kernels.mean_pass(
        model.action_start, model.succ_start, model.succ_state, model.succ_prob, model.deficit, scale, value, action
    )
    depth = model.horizon * (int(np.diff(model.succ_start).max()) + 5) + len(model.mdp.initial) + 2
    return MeanPart(value, action, Enclosure(depth, size=int(model.greatest) + 1))


def bytes_needed(model: ScaledModel) -> int:
    """Two tables of floats, and one byte (or two, or four) for each action of the policy."""
    widest = max(own for own, _ in model.tops)
    margin = max(step.span for step in model.steps)
    width = np.dtype(narrowest(model)).itemsize
    tables = 16 * (widest + margin + 8) + width * (widest + 1)
    return model.n_states * (tables + width * sum(coarse + 1 for _, coarse in model.tops))


def envelope(model: ScaledModel, kappa: Fraction) -> Envelope:
    """Both tables, from the last step to the first."""
    needed = bytes_needed(model)
    if needed > memory_limit():
        raise InvalidArgument(
            f"eta is {model.eta}: the tables need {needed / 1e9:.1f} GB of {memory_limit() / 1e9:.1f} GB allowed, "
            "wanted a larger eta"
        )
    mean = mean_part(model)
    above, policy = _pass(model, mean, kappa, lower=False)
    below, _ = _pass(model, mean, kappa, lower=True)
    return Envelope(model, mean, below, above, policy)


def _pass(
    model: ScaledModel, mean: MeanPart, kappa: Fraction, *, lower: bool
) -> tuple[list[Fraction], list[npt.NDArray[Any]]]:
    """One table: the values of the initial law, exact for the numbers in the table, and the policy of the upper one."""
    from ...kernels import interpolated as kernels

    n, weight = model.n_states, float(kappa)
    margin = max(step.span for step in model.steps) + 2
    widest = max(own for own, _ in model.tops) + max(model.finer(t) for t in range(model.horizon)) + margin
    after, now = np.zeros((n, margin + widest)), np.zeros((n, margin + widest))
    after[:, margin:] = np.arange(widest)
    u, q, d = np.zeros((1, margin + widest)), np.zeros(widest), np.zeros(widest)
    choice = np.zeros((n, widest), dtype=narrowest(model))
    policy: list[npt.NDArray[Any]] = []
    for t in range(model.horizon - 1, -1, -1):
        step, (top, coarse), factor = model.steps[t], model.tops[t], model.finer(t)
        kernels.interpolated_step(
            0, n, model.product, lower, top, step.span, margin, model.action_start, model.succ_start,
            model.succ_state, model.succ_prob, model.reward_start, model.reward_prob, step.units,
            step.share if lower else step.coin, weight * step.scale * model.deficit, after, now, choice, u, q, d,
        )  # fmt: skip
        # Every value is at most c + kappa M; a backup adds `terms` products, each off by a few roundings of that size.
        size = (1.0 + weight) * (top + step.span + 2)
        shift = (4 * model.terms + 64) * ROUNDOFF * size + TINY
        if not lower:
            policy.append(choice[:, : coarse * factor + 1 : factor].copy())
        units = 2.0 ** model.halvings[max(t - 1, 0)]
        reach = model.tops[t - 1][0] + 2 if t else coarse + 1
        kernels.finish(
            lower, top, reach, margin, -shift if lower else shift, _left(mean, t, kappa, lower) * units, factor, now, q
        )
        after, now = now, after
    columns = slice(margin, margin + model.tops[0][1] + 1)
    rows = [(p, after[s, columns].tolist()) for s, p in model.mdp.initial]
    totals = [sum((p * Fraction(x) for p, x in zip((p for p, _ in rows), column, strict=True)), Fraction())
              for column in zip(*(row for _, row in rows), strict=True)]  # fmt: skip
    return totals, policy[::-1]


def _left(mean: MeanPart, t: int, kappa: Fraction, lower: bool) -> Floats:
    """What a budget below 0 is worth at step t, in units of eta, bounded from one side."""
    if not kappa:
        return np.zeros_like(mean.value[t])
    if lower:
        return np.array([float_below(kappa * mean.enclosure.below(x)) for x in mean.value[t]])
    return np.array([float_above(kappa * mean.enclosure.above(x)) for x in mean.value[t]])


@dataclass(frozen=True)
class ScaledBounds:
    """In units of ``eta``, shifted: what the policy of ``rho`` is worth at least, and the optimum at most."""

    lower: Fraction
    upper: Fraction
    rho: int


def best_rho(tables: Envelope, mean_weight: Fraction, slope: Fraction) -> ScaledBounds:
    r""":math:`\max_\rho (1 - w_0)\rho + w_0 M_0 - k\,\mathbf E_D V_0(S, \rho)`.

    Between nodes the lower table is linear, and outside them the expression falls, so the nodes suffice.
    """
    constant = mean_weight * tables.model.greatest
    lower, rho = max(((1 - mean_weight) * k - slope * w, -k) for k, w in enumerate(tables.above))
    upper = max((1 - mean_weight) * k - slope * w for k, w in enumerate(tables.below))
    return ScaledBounds(lower + constant, upper + constant, -rho)


def best_scaled(model: ScaledModel, levels: Levels) -> tuple[ScaledBounds, Envelope]:
    """``levels.mean * E Z + w * CVaR_alpha(Z)``."""
    ((alpha, weight),) = levels.tails
    slope = weight / alpha
    tables = envelope(model, levels.mean / slope)
    return best_rho(tables, levels.mean, slope), tables
