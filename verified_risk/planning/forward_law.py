r"""The law of the return of a planned policy in float64, with a bound on its error.

Masses are sums of products of nonnegative numbers, so each mass, and each value of the CDF, is off by a factor of at
most :math:`1 + \gamma_K` (theory 05, A1, nonnegative expressions).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..grid import own_unit
from ..grid.compiled import FloatModel, Floats, float_model
from ..grid.scaled import scaled_model
from ..law import Law
from ..mdp import MDP
from ..policy import GridPolicy, Policy
from ..policy.cell_policy import CellPolicy
from .clock import memory_limit
from .float_error import gamma
from .grid_choice import own_grid, steps_remaining

POINTS = 4096
"""Grid points on which :func:`shared_law` tracks the return."""
PATIENT_SECONDS = 5.0
"""Time limit of a forward pass on the rewards' own grid for a policy planned on another grid."""
SECONDS_PER_PRODUCT, SECONDS_PER_POINT = 1e-9, 5e-6
"""Approximate cost of such a pass and of building its law."""


@runtime_checkable
class ArrayRule(Protocol):
    """A rule that can return its choices at one step as an array over states and shifted sums."""

    def choices(self, t: int, width: int) -> Any: ...


def forward_depth(model: FloatModel) -> int:
    """Return the successive roundings: rewards and successors of every step, plus the terms that a cell can receive."""
    incoming = len(model.succ_prob) if not model.product else len(model.succ_prob) + int(model.steps[0].start[-1])
    return model.horizon * (min(incoming, 2**40) + 6) + model.n_states + model.remaining[0] + 4


def forward_law(model: FloatModel, rule: ArrayRule) -> Floats:
    """Return the probabilities of the shifted returns 0, 1, ..., M_0, in units, in the rounded-up model."""
    from ..kernels import cdf_pass as kernels

    top = model.remaining[0]
    mass, after = np.zeros((model.n_states, top + 1)), np.zeros((model.n_states, top + 1))
    u = np.zeros(top + max(step.span for step in model.steps) + 2)
    mass[model.initial_state, 0] = model.initial_prob
    width = 1
    for t, step in enumerate(model.steps):
        after[:] = 0.0
        kernels.forward_step(
            model.product, model.action_start, model.succ_start, model.succ_state, model.succ_prob,
            step.start, step.units, step.prob, np.ascontiguousarray(rule.choices(t, width)), width, step.span, mass,
            after, u,
        )  # fmt: skip
        mass, after = after, mass
        width += step.span
    total: Floats = mass.sum(axis=0)
    return total


def shared_law(mdp: MDP, policy: CellPolicy) -> Law:
    """Approximate the law of a policy that depends on its exact return, with no proved error.  The return is tracked on
    :data:`POINTS` points; mass between two of them is split so as to preserve the mean."""
    from ..kernels import cdf_pass as kernels

    low, high = mdp.remaining_range(0)
    step = (high - low) / POINTS
    model = scaled_model(mdp, step, (0,) * mdp.horizon, joint=True)
    width = sum(part.span + 1 for part in model.steps) + 1
    mass, after = np.zeros((mdp.n_states, width)), np.zeros((mdp.n_states, width))
    mass[[s for s, _ in mdp.initial], 0] = [float(p) for _, p in mdp.initial]
    starts, states = 2 * model.succ_start, np.repeat(model.succ_state, 2)
    shift = Fraction()
    for t, part in enumerate(model.steps):
        units = np.stack([part.units, part.units + 1], axis=1).ravel()
        prob = (np.stack([1.0 - part.share, part.share], axis=1) * model.succ_prob[:, None]).ravel()
        after[:] = 0.0
        reach = width - part.span - 1
        kernels.forward_step(
            False, model.action_start, starts, states, prob, starts, units, prob,
            np.ascontiguousarray(_cell_choices(policy, t, shift, step, reach)), reach, part.span + 1, mass, after,
            np.zeros(1),
        )  # fmt: skip
        mass, after = after, mass
        shift += mdp.step_reward(t, model.least)
    total = mass.sum(axis=0)
    weights = {j: Fraction(float(p)) for j, p in enumerate(total) if p > 0}
    whole = sum(weights.values(), Fraction())
    return Law.of_weights({model.offset + j * step: p / whole for j, p in weights.items()})


def _cell_choices(policy: CellPolicy, t: int, shift: Fraction, unit: Fraction, width: int) -> Any:
    """Return the actions of every state for a return so far of ``shift + j * unit``, ``0 <= j < width``."""
    table, delta = policy.tables[t], policy.eta / 2 ** policy.halvings[t]
    before = sum((policy.mdp.step_reward(u, Fraction(1)) for u in range(t)), Fraction())
    left, cell = (policy.eta * policy.rho + policy.least * before - shift) / unit, delta / unit
    whole = math.lcm(left.denominator, cell.denominator)
    top, step = int(left * whole), int(cell * whole)
    # the greatest j with a budget of at least k cells, for k = 1, 2, ...: decreasing
    greatest = np.array([min(max((top - k * step) // whole, -1), width) for k in range(1, table.shape[1])], dtype=int)
    j = np.arange(width)
    cells = len(greatest) - np.searchsorted(greatest[::-1], j)
    played = min(max(-(-top // whole), 0), width)  # from here on no budget is left
    return np.where(j < played, table[:, cells], policy.linear[t][:, None])


class _CellRule:
    """A policy that depends on its exact return, on a grid that contains every return."""

    def __init__(self, policy: CellPolicy, model: FloatModel) -> None:
        self.policy, self.model = policy, model

    def choices(self, t: int, width: int) -> Any:
        return _cell_choices(self.policy, t, self.model.offsets[t] * self.model.unit, self.model.unit, width)


def forward_seconds(mdp: MDP) -> float:
    """Estimate the time of a forward pass on the rewards' own grid; infinite if the grid has too many points."""
    unit = own_grid(mdp)
    if unit is None:
        return math.inf
    remaining = steps_remaining(mdp, unit)
    if 16 * mdp.n_states * (remaining[0] + 1) > memory_limit():
        return math.inf
    outcomes = sum(len(action.outcomes) for _, _, action in mdp)
    return outcomes * sum(remaining) * SECONDS_PER_PRODUCT + remaining[0] * SECONDS_PER_POINT


def float_law(mdp: MDP, policy: Policy) -> tuple[Law, Fraction] | None:
    """Return the law of ``policy`` in float64 and a bound on the error of its CDF.

    Return None if the return has no grid, the policy has no table over it, or the pass would take too long.
    """
    laws: list[tuple[Fraction, Law]] = []
    error = Fraction()
    for weight, part in policy.parts():
        model = _own_model(mdp, part)
        if model is None or model.loss or 16 * mdp.n_states * (model.remaining[0] + 1) > memory_limit():
            return None
        rule = _CellRule(part, model) if isinstance(part, CellPolicy) else part.rule  # type: ignore[attr-defined]
        laws.append((weight, _normalised(forward_law(model, rule), model)))
        error = max(error, 2 * gamma(forward_depth(model)))
    return Law.mixture(laws), error


def approximate_law(mdp: MDP, policy: Policy) -> Law:
    """Return a law near that of ``policy``, without a proved error: the return is rounded up to the policy's grid, or
    its mass is split between grid points."""
    laws: list[tuple[Fraction, Law]] = []
    for weight, part in policy.parts():
        if isinstance(part, CellPolicy):
            laws.append((weight, shared_law(mdp, part)))
        else:
            model = _own_model(mdp, part)
            assert model is not None
            laws.append((weight, _normalised(forward_law(model, part.rule), model)))  # type: ignore[attr-defined]
    return Law.mixture(laws)


def _own_model(mdp: MDP, part: Policy) -> FloatModel | None:
    """Return the model on the grid of the policy's returns, if there is one."""
    if isinstance(part, GridPolicy) and isinstance(part.rule, ArrayRule):
        return float_model(mdp, part.eta)
    if not isinstance(part, CellPolicy) or forward_seconds(mdp) > PATIENT_SECONDS:
        return None
    return float_model(mdp, own_unit(mdp))


def _normalised(masses: Floats, model: FloatModel) -> Law:
    """Return the masses as rationals; the largest one absorbs the difference from 1."""
    weights = {z: Fraction(float(p)) for z, p in enumerate(masses) if p > 0}
    largest = max(weights, key=lambda z: weights[z])
    weights[largest] += 1 - sum(weights.values())
    shift = model.offsets[-1]
    return Law.of_weights({(z + shift) * model.unit: p for z, p in weights.items()})
