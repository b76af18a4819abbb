"""What is asked of a solver, and what it may answer.

A **problem** is a list of hypotheses and a conclusion over the reals; the solver looks for numbers that meet the
hypotheses and miss the conclusion.  There are none: the statement holds *for all real parameters at this size*.  An
**identity** is a list of polynomials that must all be zero.

A proof that cannot fail proves nothing, so every query brings a **twin**: the same claim with one planted error, which
the solver must refute; and the hypotheses by themselves must have a solution.

Large products make z3 run for ever.  Such a problem names **lemmas** about a few numbers: each lemma is proved on fresh
variables, its instances are added to the hypotheses, and what remains is linear (products count as opaque numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from verified_risk.errors import MissingDependency

Term: TypeAlias = Any
"""A z3 expression; z3 has no types to speak of."""

Lemma: TypeAlias = Callable[..., tuple[Sequence[Term], Term]]
"""Numbers to hypotheses and conclusion."""

Covers: TypeAlias = Literal["claim", "step", "printed"]


class Status(StrEnum):
    """What became of a query.  Only ``HOLDS`` is support; a solver that gave up or was killed says nothing."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Problem:
    """``conclusion`` for all reals that meet ``hypotheses``.

    ``instances`` are the lemmas used, each with the terms it is applied to; with any of them the rest must be linear.
    """

    hypotheses: Sequence[Term]
    conclusion: Term
    instances: Sequence[tuple[Lemma, tuple[Term, ...]]] = ()


@dataclass(frozen=True)
class Identity:
    """Polynomials (or rational functions) in free parameters, over the rationals, that must be zero."""

    differences: Sequence[Any]


Build: TypeAlias = Callable[[], Problem | Identity]
"""Makes the problem inside the worker; a module-level function or a partial of one, so that it can be sent there."""


@dataclass(frozen=True)
class Query:
    """One question about a statement.

    ``covers`` says what the answer is worth.  ``"claim"``: the whole corrected claim, at the stated size.  ``"step"``:
    one step of its proof, which is no evidence for the claim by itself.  ``"printed"``: the printed claim, which the
    solver should refute; ``case`` turns its model into a case of the statement.
    """

    label: str
    asks: str
    size: str
    build: Build
    covers: Covers
    twin: Build | None = None
    planted: str = ""
    case: Callable[[Mapping[str, Fraction]], Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (self.covers == "printed") == (self.case is None):
            raise ValueError(f"{self.label}, {self.asks}: a case belongs to a printed claim and to nothing else")
        if (self.covers == "printed") == (self.twin is not None) or bool(self.planted) != (self.twin is not None):
            raise ValueError(f"{self.label}, {self.asks}: a twin and its planted error belong to every proof")


@dataclass(frozen=True)
class Answer:
    """A status, the solver's time in seconds, the solver, and the numbers of its model."""

    status: Status
    seconds: float
    solver: str
    model: Mapping[str, Fraction] = field(default_factory=dict)


def z3() -> Any:
    """The z3 module."""
    try:
        import z3 as module
    except ImportError:
        raise MissingDependency("symbolic proofs need z3", extra="smt") from None
    return module


def sympy() -> Any:
    """The sympy module."""
    try:
        import sympy as module
    except ImportError:
        raise MissingDependency("polynomial identities need sympy", extra="smt") from None
    return module
