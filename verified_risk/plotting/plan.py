"""A plan: the law of its return under a line that says what is certified."""

from __future__ import annotations

from ..planning import Plan
from .law import draw_law
from .picture import Picture, short


def draw_plan(plan: Plan) -> Picture:
    """The law of the return of the plan's policy, what the objective weighs, and the certified bounds as the title."""
    if plan.gap == 0:
        claim = f"the best over all policies, {short(plan.value)}, is attained"
    else:
        claim = f"attains {short(plan.lower)}; no policy exceeds {short(plan.upper)} (gap {float(plan.gap):.2g})"
    return draw_law(plan.law, plan.objective, title=f"{plan.objective.spec}: {claim}")
