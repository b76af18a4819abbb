"""Names for the z3 expressions that the proofs are written in."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from .query import Term, z3


def real(name: str) -> Term:
    """A real number."""
    return z3().Real(name)


def reals(name: str, count: int) -> list[Term]:
    """``count`` real numbers ``name0, name1, ...``."""
    return [z3().Real(f"{name}{i}") for i in range(count)]


def number(value: int | str) -> Term:
    """A rational constant."""
    return z3().RealVal(value)


def total(terms: Iterable[Term]) -> Term:
    """The sum, 0 if there is none."""
    return z3().Sum([number(0), *terms])


def larger(x: Term, y: Term) -> Term:
    """max(x, y)."""
    return z3().If(x >= y, x, y)


def smaller(x: Term, y: Term) -> Term:
    """min(x, y)."""
    return z3().If(x <= y, x, y)


def positive_part(x: Term) -> Term:
    """max(x, 0)."""
    return larger(x, number(0))


def distance(x: Term, y: Term) -> Term:
    """|x - y|."""
    return larger(x - y, y - x)


def both(*conditions: Term) -> Term:
    """Conjunction."""
    return z3().And(*conditions)


def when(condition: Term, consequence: Term) -> Term:
    """Implication."""
    return z3().Implies(condition, consequence)


def indicator(condition: Term, value: Term) -> Term:
    """``value`` where the condition holds, else 0."""
    return z3().If(condition, value, number(0))


def is_law(masses: Sequence[Term]) -> list[Term]:
    """The masses are a probability vector."""
    return [*(p >= 0 for p in masses), total(masses) == 1]


def increasing(xs: Sequence[Term]) -> list[Term]:
    """x_0 <= x_1 <= ..."""
    return [x <= y for x, y in itertools.pairwise(xs)]


def cumulative(masses: Sequence[Term]) -> list[Term]:
    """The partial sums, from the first mass to all of them."""
    return [total(masses[: i + 1]) for i in range(len(masses))]


def within(x: Term, low: Term | int, high: Term | int) -> Term:
    """low <= x <= high."""
    return both(low <= x, x <= high)
