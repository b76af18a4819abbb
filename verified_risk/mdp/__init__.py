"""A finite-horizon MDP, read exactly and validated once."""

from .action import Action, Outcome
from .model import MDP

__all__ = ["MDP", "Action", "Outcome"]
