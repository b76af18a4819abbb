r"""The law of the return of a planned policy in float64, with a bound on its error.

Masses are sums of products of nonnegative numbers, so each is off by a factor of at most :math:`1 + \gamma_K` (theory
05, A1, nonnegative expressions), and so is every value of the CDF.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..errors import Unsupported
from ..grid.floats import FloatModel, Floats, float_model
from ..grid.scaled import ScaledModel, scaled_model
from ..law import Law
from ..mdp import MDP
from ..policy import GridPolicy, Policy
from ..policy.cells import CellPolicy
from ..policy.evaluation import return_law
from .rounding import gamma

POINTS = 4096
"""On which the return of a policy that knows it exactly is followed in floats."""


@runtime_checkable
class ArrayRule(Protocol):
    """A rule that can show its choices of one step as an array over states and shifted sums."""

    def choices(self, t: int, width: int) -> Any: ...


def forward_depth(model: FloatModel) -> int:
    """Roundings in a row: rewards and successors of every step, and as many terms as a cell can receive."""
    incoming = len(model.succ_prob) if not model.product else len(model.succ_prob) + int(model.steps[0].start[-1])
    return model.horizon * (min(incoming, 2**40) + 6) + model.n_states + model.remaining[0] + 4


def forward_law(model: FloatModel, rule: ArrayRule) -> Floats:
    """The probabilities of the shifted returns 0, 1, ..., M_0, in units, of the rounded-up model."""
    from ..kernels import forward as kernels

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
    """About the law of a policy that knows its exact return: the return is carried on :data:`POINTS` points, and what
    lies between two of them is shared between both, so that the mean is kept.  No error of its CDF is proved."""
    from ..kernels import forward as kernels

    low, high = mdp.remaining_range(0)
    step = (high - low) / POINTS
    model = scaled_model(mdp, step, (0,) * mdp.horizon, joint=True)
    width = sum(part.span + 1 for part in model.steps) + 1
    mass, after = np.zeros((mdp.n_states, width)), np.zeros((mdp.n_states, width))
    mass[[s for s, _ in mdp.initial], 0] = [float(p) for _, p in mdp.initial]
    starts, states = 2 * model.succ_start, np.repeat(model.succ_state, 2)
    for t, part in enumerate(model.steps):
        units = np.stack([part.units, part.units + 1], axis=1).ravel()
        prob = (np.stack([1.0 - part.share, part.share], axis=1) * model.succ_prob[:, None]).ravel()
        after[:] = 0.0
        reach = width - part.span - 1
        kernels.forward_step(
            False, model.action_start, starts, states, prob, starts, units, prob,
            np.ascontiguousarray(_cell_choices(policy, model, t, reach)), reach, part.span + 1, mass, after,
            np.zeros(1),
        )  # fmt: skip
        mass, after = after, mass
    total = mass.sum(axis=0)
    weights = {j: Fraction(float(p)) for j, p in enumerate(total) if p > 0}
    whole = sum(weights.values(), Fraction())
    return Law.of_weights({model.offset + j * step: p / whole for j, p in weights.items()})


def _cell_choices(policy: CellPolicy, model: ScaledModel, t: int, width: int) -> Any:
    """The actions of every state at the first ``width`` points of the shifted return, before step t."""
    unit = float(model.eta * 2 ** policy.halvings[t] / policy.eta)
    shift = (model.least - policy.least) * sum((model.mdp.step_reward(u, Fraction(1)) for u in range(t)), Fraction())
    start = float((policy.eta * policy.rho - shift) * 2 ** policy.halvings[t] / policy.eta)
    budget = start - unit * np.arange(width)
    table = policy.tables[t]
    inside = np.clip(budget, 0, table.shape[1] - 1).astype(np.int64)
    return np.where(budget[None, :] <= 0, policy.linear[t][:, None], table[:, inside])


def float_law(mdp: MDP, policy: Policy) -> tuple[Law, Fraction]:
    """The law of ``policy`` on its grid and a bound on the error of its CDF; exact, however long it takes, for other
    kinds."""
    if isinstance(policy, CellPolicy):
        return shared_law(mdp, policy), Fraction(1)
    if not all(isinstance(part, GridPolicy) and isinstance(part.rule, ArrayRule) for _, part in policy.parts()):
        if not mdp.is_discrete:
            raise Unsupported("rewards are continuous and the policy has no table: its return has no law here")
        return return_law(mdp, policy), Fraction()
    laws: list[tuple[Fraction, Law]] = []
    error = Fraction()
    for weight, part in policy.parts():
        assert isinstance(part, GridPolicy)
        assert isinstance(part.rule, ArrayRule)
        model = float_model(mdp, part.eta)
        masses = forward_law(model, part.rule)
        laws.append((weight, _normalised(masses, model)))
        error = max(error, 2 * gamma(forward_depth(model)))
    return Law.mixture(laws), error


def _normalised(masses: Floats, model: FloatModel) -> Law:
    """The masses as rationals; the largest one takes up what is missing to 1."""
    weights = {z: Fraction(float(p)) for z, p in enumerate(masses) if p > 0}
    largest = max(weights, key=lambda z: weights[z])
    weights[largest] += 1 - sum(weights.values())
    shift = model.offsets[-1]
    return Law.of_weights({(z + shift) * model.unit: p for z, p in weights.items()})
