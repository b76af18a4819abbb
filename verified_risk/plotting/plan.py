"""A plan: the law of its return under a line that says what is certified."""

from __future__ import annotations

from decimal import ROUND_CEILING

from ..planning import Plan
from .picture import Picture, decimal, short
from .return_law import draw_law


def draw_plan(plan: Plan) -> Picture:
    """The law of the return of the plan's policy, what the objective weighs, and the certified bounds as the title."""
    if plan.gap == 0:
        claim = f"the best over all policies, {short(plan.value)}, is attained"
    else:
        gap = decimal(plan.gap, ROUND_CEILING, 2)
        claim = f"{short(plan.value)}, no policy is better by more than {gap}"
    return draw_law(plan.required_law(), plan.objective, title=f"{plan.objective.spec}: {claim}")
