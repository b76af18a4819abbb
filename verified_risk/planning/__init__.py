"""Planners: ``exact_plan`` in integers, ``plan`` in floats with certified bounds."""

from .exact import exact_plan
from .plan import Certificate, Plan

__all__ = ["Certificate", "Plan", "exact_plan"]
