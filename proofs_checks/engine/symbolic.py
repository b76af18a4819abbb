"""Proofs by polynomials in free parameters.

A step is an equation, whose polynomial must be zero, or an inequality, whose polynomial must have no negative
coefficient.  The parameters of an inequality are nonnegative: ``a <= b`` is written ``b = a + gain``.  Both kinds are
decided by expanding in the ring of polynomials over the rationals, so they hold for all real parameters.

Each proof has a planted error, which must break a step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from verified_risk.errors import MissingDependency


@dataclass(frozen=True)
class Step:
    """One polynomial of a proof: zero if ``equation``, otherwise without a negative coefficient."""

    says: str
    polynomial: Any
    equation: bool = False

    @property
    def holds(self) -> bool:
        if self.equation:
            return bool(self.polynomial == 0)
        return bool(all(coefficient >= 0 for coefficient in self.polynomial.coeffs()))


@dataclass(frozen=True)
class Proof:
    """A proof of a corrected claim at a stated size: ``steps(False)`` hold, ``steps(True)`` contain an error."""

    size: str
    steps: Callable[[bool], Sequence[Step]]
    planted: str

    def failures(self) -> list[str]:
        """Describe the failing steps; empty if every step holds and the planted error breaks one."""
        found = [f"the symbolic proof fails: {step.says}" for step in self.steps(False) if not step.holds]
        if all(step.holds for step in self.steps(True)):
            found.append(f"the symbolic proof does not notice an error: {self.planted}")
        return found


def parameters(names: str) -> list[Any]:
    """Free parameters, as polynomials over the rationals; ``x:3`` stands for x0, x1, x2."""
    try:
        from sympy import QQ, symbols
        from sympy.polys.rings import ring
    except ImportError:
        raise MissingDependency("symbolic proofs need sympy", extra="audit") from None
    return list(ring(symbols(names), QQ)[1:])
