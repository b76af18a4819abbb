"""Certificates for the checker extracted from Coq, a program proved correct."""

from .coq import write_coq
from .proved import Proved, prove

__all__ = ["Proved", "prove", "write_coq"]
