"""Fuzzing: check properties of the whole project on new random cases until time is up."""

from .catalogue import ALL, check
from .runner import Report, run

__all__ = ["ALL", "Report", "check", "run"]
