"""Fuzzing: check properties of the whole project on new random cases until time is up."""

from .runner import ALL, Report, check, run

__all__ = ["ALL", "Report", "check", "run"]
