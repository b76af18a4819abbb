"""Plans confirmed by a program whose correctness is a theorem: certificates for the checker that Coq extracted."""

from .coq import write_coq
from .proved import Proved, prove

__all__ = ["Proved", "prove", "write_coq"]
