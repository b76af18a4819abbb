"""Planners: ``exact_plan`` in integers, ``plan`` in floats with certified bounds."""

from .exact.route import exact_plan
from .plan import Certificate, Plan
from .planner import plan
from .tails.frontier import CVaRFrontier, Front, FrontPoint, cvar_frontier, mean_cvar_front

__all__ = [
    "CVaRFrontier",
    "Certificate",
    "Front",
    "FrontPoint",
    "Plan",
    "cvar_frontier",
    "exact_plan",
    "mean_cvar_front",
    "plan",
]
