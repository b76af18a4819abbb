"""Turn the result of a route into a :class:`~.result.Plan`; every route ends here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from ..grid.compiled import FloatModel
from ..law import Law
from ..mdp import MDP
from ..objectives import Weighting
from ..policy import GridPolicy, Policy
from .affordable_law import exact_value
from .clock import Clock
from .outward import tidy_above, tidy_below, within_range
from .result import ErrorBudget, Plan
from .tails.tail_route import Bounds

Shares: TypeAlias = Callable[[Fraction, Fraction], tuple[tuple[str, Fraction], ...]]
"""Map the final bounds to the contribution of each source of error to the gap between them."""


@dataclass(frozen=True)
class Held:
    """A policy, a certified lower bound on its objective, and, if known, its law to within ``error``."""

    lower: Fraction
    policy: Policy
    law: Law | None = None
    error: Fraction = Fraction()


def evaluated(held: Held, mdp: MDP, objective: Weighting, clock: Clock, *, patient: bool = True) -> Held:
    """Return ``held`` with the exact law of its policy and the better of both lower bounds; return it unchanged if the
    law takes too long."""
    found = exact_value(mdp, held.policy, objective, patient=patient, clock=clock)
    return held if found is None else replace(held, lower=max(held.lower, found[0]), law=found[1])


def certify(
    mdp: MDP,
    objective: Weighting,
    held: Held,
    upper: Fraction,
    eta: Fraction,
    method: str,
    shares: Shares = lambda lower, upper: (),
    *,
    estimate: Fraction | None = None,
) -> Plan:
    """Build the plan for a policy and an upper bound on the optimum, with both bounds clipped to the range of returns.

    ``estimate`` approximates the policy's value where only bounds on it are certain.

    :raises AssertionError: if the policy's value exceeds the upper bound; the two share no code
    """
    lower, upper = within_range(mdp, held.lower, upper)
    if lower > upper:
        raise AssertionError(f"the policy attains {lower}, above the upper bound {upper}: please report this model")
    value = lower if estimate is None else min(max(estimate, lower), upper)
    budget = ErrorBudget(method, shares(lower, upper))
    return Plan(mdp, objective, value, lower, upper, held.policy, held.law, eta, budget, held.error)


def certify_on_grid(
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    bounds: Bounds,
    method: str,
    clock: Clock | None = None,
    *,
    left_open: Fraction | None = None,
) -> Plan:
    """Build the plan for bounds in the units of a grid model, with the rule that attains the lower bound; a search over
    budgets adds how many units it left open."""
    clock = Clock() if clock is None else clock
    shift = model.offsets[-1]
    grid_lower, estimate, upper = (model.unit * (shift + x) for x in (bounds.lower, bounds.estimate, bounds.upper))
    grid_lower = tidy_below(grid_lower)
    held = Held(grid_lower - model.loss, GridPolicy(mdp, model.unit, bounds.rule))
    held = evaluated(held, mdp, objective, clock, patient=not model.exact)

    def shares(lower: Fraction, upper: Fraction) -> tuple[tuple[str, Fraction], ...]:
        rounded = rounded_up(model, grid_lower, lower, upper)
        searched = min(model.unit * (left_open or 0), upper - lower - rounded)
        parts = () if left_open is None else (("search", searched),)
        rest = model.float_parts(upper - lower - rounded - searched)
        return (("rewards rounded up to the grid", rounded), *parts, *rest)

    return certify(
        mdp, objective, held, tidy_above(upper), model.unit, clock.said(method), shares,
        estimate=None if held.law is not None else estimate - model.loss,
    )  # fmt: skip


def rounded_up(model: FloatModel, grid_lower: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    """Return the share of the gap due to rounding rewards up to the grid, where the lower bound is ``grid_lower``."""
    return Fraction() if model.exact else min(max(Fraction(), grid_lower - lower), upper - lower)
