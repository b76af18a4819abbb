"""A finite-horizon MDP, read exactly and validated once."""

from .action import Action, Outcome
from .intervals import IntervalMDP
from .model import MDP

__all__ = ["MDP", "Action", "IntervalMDP", "Outcome"]
