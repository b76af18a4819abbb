"""From what a route found to a :class:`~.result.Plan`: every route's answer is put together here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from ..grid.floats import FloatModel
from ..law import Law
from ..mdp import MDP
from ..objectives import Weighting
from ..policy import GridPolicy, Policy
from .affordable_law import exact_value
from .clock import Clock
from .outward import tidy_above, tidy_below, within_range
from .result import ErrorBudget, Plan
from .search.trace import Proof
from .tails.tail_route import Bounds

Shares: TypeAlias = Callable[[Fraction, Fraction], tuple[tuple[str, Fraction], ...]]
"""For the final bounds, what each source of error contributed to the gap between them."""


@dataclass(frozen=True)
class Held:
    """A policy and a certified lower bound on its objective; its law, to within ``error``, where that is known."""

    lower: Fraction
    policy: Policy
    law: Law | None = None
    error: Fraction = Fraction()


def evaluated(held: Held, mdp: MDP, objective: Weighting, clock: Clock, *, patient: bool = True) -> Held:
    """``held`` with the exact law of its policy, and the better of both lower bounds; unchanged if the law takes too
    long."""
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
    proof: Proof | None = None,
    estimate: Fraction | None = None,
) -> Plan:
    """The plan for a policy and an upper bound on the optimum, both cut to the range of returns.

    ``estimate`` is what the policy is worth, about, where only bounds are certain.

    :raises AssertionError: if the policy is worth more than the upper bound; the two share no code
    """
    lower, upper = within_range(mdp, held.lower, upper)
    if lower > upper:
        raise AssertionError(f"the policy attains {lower}, above the upper bound {upper}: please report this model")
    value = lower if estimate is None else min(max(estimate, lower), upper)
    budget = ErrorBudget(method, shares(lower, upper), proof)
    return Plan(mdp, objective, value, lower, upper, held.policy, held.law, eta, budget, held.error)


def certify_on_grid(
    mdp: MDP, objective: Weighting, model: FloatModel, bounds: Bounds, method: str, clock: Clock | None = None
) -> Plan:
    """The plan for bounds in the units of a grid model, and the rule that attains the lower one."""
    clock = Clock() if clock is None else clock
    shift = model.offsets[-1]
    grid_lower, estimate, upper = (model.unit * (shift + x) for x in (bounds.lower, bounds.estimate, bounds.upper))
    grid_lower = tidy_below(grid_lower)
    held = Held(grid_lower - model.loss, GridPolicy(mdp, model.unit, bounds.rule))
    held = evaluated(held, mdp, objective, clock, patient=not model.exact)

    def shares(lower: Fraction, upper: Fraction) -> tuple[tuple[str, Fraction], ...]:
        rounded = rounded_up(model, grid_lower, lower, upper)
        return (("rewards rounded up to the grid", rounded), *model.float_parts(upper - lower - rounded))

    return certify(
        mdp, objective, held, tidy_above(upper), model.unit, clock.said(method), shares,
        estimate=None if held.law is not None else estimate - model.loss,
    )  # fmt: skip


def rounded_up(model: FloatModel, grid_lower: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    """The share of the gap that comes from rounding rewards up to the grid; ``grid_lower`` is the bound there."""
    return Fraction() if model.exact else min(max(Fraction(), grid_lower - lower), upper - lower)
