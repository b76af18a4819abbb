"""A plan for a weighting that is not piecewise linear: how fine its bounds are, and what its stairs prove."""

from __future__ import annotations

from fractions import Fraction

from ..errors import Unsupported
from ..law import Law
from ..objectives import VaR
from ..planning.affordable_law import PATIENT, evaluation_work
from ..planning.result import Plan
from .bounded import apart, bounded, stair_level
from .budgets import Charges
from .curves import Curved

FINEST, COARSEST = Fraction(1, 2**18), Fraction(1, 2**8)
"""How far the broken line may be below the weighting, at the least and at the most."""
ROUNDING = Fraction(1, 2**90)
"""Share of the returns' range that the checker's rounding may cost the lower bound."""


def line_accuracy(plan: Plan, span: Fraction) -> Fraction:
    """How close the line below the weighting is: a quarter of the plan's gap in all."""
    return min(max(plan.gap / (4 * span) if span else COARSEST, FINEST), COARSEST)


def bounded_objective(plan: Plan, charges: Charges, *, exact: bool) -> Curved:
    """The plan's weighting with a line below it and stairs above it, for a law that is exact or rounded."""
    if evaluation_work(plan.mdp, plan.policy) > PATIENT or plan.law_error:
        raise Unsupported(
            f"not covered: {plan.objective.spec} where the law of the policy's return is too long to be exact"
        )
    return bounded(plan.objective, plan.required_law(), line_accuracy(plan, charges.span * charges.unit), exact=exact)


def close_behind(plan: Plan) -> bool:
    """Whether a value of the policy's CDF is too close behind the level of an upper quantile to be told from it."""
    return any(
        isinstance(part, VaR) and part.upper and not apart(part, plan.required_law())
        for _, part in plan.objective.terms
    )


def value_by_stairs(objective: Curved, law: Law, *, rounded: bool) -> Fraction:
    """What the stairs prove of the law: the least return, and each step of the CDF with the weight above it; less what
    rounded masses may cost."""
    total, atoms = law.atoms[0], law.atoms
    for k, level in enumerate(law.cumulative()[:-1]):
        total += (atoms[k + 1] - atoms[k]) * (1 - objective.above(stair_level(level)))
    return total - ROUNDING * (1 + atoms[-1] - atoms[0]) if rounded else total
