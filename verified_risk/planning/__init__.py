"""Planners: ``exact_plan`` in integers, ``plan`` in floats with certified bounds."""

from .api import plan
from .constraints import ConstrainedPlan, Constraint
from .exact_route import exact_plan
from .result import ErrorBudget, Plan
from .robust import RobustPlan
from .tails.frontier import CVaRFrontier, Front, FrontPoint, cvar_frontier, mean_cvar_front

__all__ = [
    "CVaRFrontier", "ConstrainedPlan", "Constraint", "ErrorBudget", "Front", "FrontPoint", "Plan", "RobustPlan",
    "cvar_frontier", "exact_plan", "mean_cvar_front", "plan",
]  # fmt: skip
