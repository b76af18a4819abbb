"""A plan: the law of its return under a line that says what is certified."""

from __future__ import annotations

from ..planning import Plan
from .law import draw_law
from .picture import Picture, bounds_words, short


def draw_plan(plan: Plan) -> Picture:
    """The law of the return of the plan's policy, what the objective weighs, and the certified bounds as the title."""
    if plan.gap == 0:
        claim = f"the best over all policies, {short(plan.value)}, is attained"
    else:
        low, high = bounds_words(plan.lower, plan.upper)
        claim = f"{low} is attained, {high} is exceeded by no policy"
    return draw_law(plan.law, plan.objective, title=f"{plan.objective.spec}: {claim}")
