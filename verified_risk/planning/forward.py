r"""The law of the return of a planned policy in float64, with a bound on its error.

Masses are sums of products of nonnegative numbers, so each is off by a factor of at most :math:`1 + \gamma_K` (theory
A1), and so is every value of the CDF.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..errors import Unsupported
from ..evaluation import return_law
from ..grid.floats import FloatModel, Floats, float_model
from ..law import Law
from ..mdp import MDP
from ..policy import GridPolicy, Policy
from .rounding import gamma


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


def float_law(mdp: MDP, policy: Policy) -> tuple[Law, Fraction]:
    """The law of ``policy`` on its grid and a bound on the error of its CDF; exact, however long it takes, for other
    kinds."""
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
