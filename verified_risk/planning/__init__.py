"""Planners: ``exact_plan`` in integers, ``plan`` in floats with certified bounds."""

from .exact import exact_plan
from .frontier import cvar_frontier, mean_cvar_front
from .plan import Certificate, Plan
from .planner import plan

__all__ = ["Certificate", "Plan", "cvar_frontier", "exact_plan", "mean_cvar_front", "plan"]
