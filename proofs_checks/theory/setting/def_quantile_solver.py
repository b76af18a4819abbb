r"""def:quantile/zero, def:quantile/invertible: where a quantile lies, and when it inverts F.

The first takes F from the atoms of a law.  The second is about every function that is continuous at its quantile: as in
``lem:quantileinverse``, F is unknown and only consequences of the hypotheses are assumed, each where the proof uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, z3
from ...evidence.solver.terms import both, indicator, is_law, real, reals, smaller, total, when


def above_least(atoms: int, *, zero: bool = False, planted: bool = False) -> Problem:
    """Whatever x has F(x) >= tau is at least the least atom with mass, for tau > 0.  ``zero`` also allows tau = 0."""
    x, p, tau, point = reals("x", atoms), reals("p", atoms), real("tau"), real("x")
    reached = total(indicator(v <= point, mass) for v, mass in zip(x, p, strict=True))
    least = x[0]
    for v in x[1:]:
        least = smaller(least, v)
    hypotheses = [*is_law(p), *(mass > 0 for mass in p), tau >= 0 if zero else tau > 0, tau <= 1, reached >= tau]
    hypotheses += [both(v >= 0, v <= 1) for v in x] + ([x[0] < x[1]] if zero else [])
    everywhere = total(indicator(v <= point - 1, mass) for v, mass in zip(x, p, strict=True)) >= 0  # no infimum at 0
    return Problem(hypotheses, both(point > least if planted else point >= least, everywhere))


def level_case(numbers: Mapping[str, Fraction]) -> Any:
    """The law, the level and the point."""
    from verified_risk.law import Law

    from .def_quantile import LevelCase

    law = Law({numbers["x0"]: numbers["p0"], numbers["x1"]: numbers["p1"]})
    return LevelCase(law, numbers["tau"], numbers["x"])


def inverts(*, planted: bool = False) -> Problem:
    """F(q) < tau contradicts continuity from the right and the infimum; F(q) > tau continuity from the left."""
    module = z3()
    function = module.Function("F", module.RealSort(), module.RealSort())
    q, d, e, w, u, tau = module.Reals("q d e w u tau")
    right = module.ForAll([u], when(both(q <= u, u < q + d), function(u) < tau), patterns=[function(u)])
    left = function(q - e) >= tau  # continuity from the left, at one point
    hypotheses = [
        module.ForAll([u], when(function(u) >= tau, q <= u), patterns=[function(u)]),  # q is a lower bound
        when(d > 0, both(function(w) >= tau, w < q + d)),  # and the largest one
        when(function(q) < tau, both(d > 0, right)),
        when(function(q) > tau, both(e > 0, True if planted else left)),
    ]
    return Problem(hypotheses, function(q) == tau)


def jump() -> Problem:
    """F rises from 0 to a, jumps to b at 0, and rises to 1: a strictly increasing CDF; is F(q) = tau at every level?"""
    a, b, tau = (real(name) for name in ("a", "b", "tau"))
    hypotheses = [a > 0, a <= b, b < 1, tau > a, tau <= b]  # the quantile is the place of the jump
    return Problem(hypotheses, b == tau)


def inverse_case(numbers: Mapping[str, Fraction]) -> Any:
    """The function with corners at -1, 0, 1, and the level."""
    from .def_quantile import InverseCase
    from .monotone import Corner, Monotone

    zero, one = Fraction(0), Fraction(1)
    corners = (
        Corner(-one, zero, zero, zero),
        Corner(zero, numbers["a"], numbers["b"], numbers["b"]),
        Corner(one, one, one, one),
    )
    return InverseCase(Monotone(corners), numbers["tau"])


QUERIES = (
    Query(
        "def:quantile/zero",
        "no quantile of a level in (0, 1] is below the least return, and the level 0 has none",
        "6 atoms in any order",
        partial(above_least, 6),
        "claim",
        partial(above_least, 2, planted=True),
        "strictly above",
    ),
    Query(
        "def:quantile/zero",
        "no quantile of a level in [0, 1] is below the least return",
        "2 atoms",
        partial(above_least, 2, zero=True),
        "printed",
        case=level_case,
    ),
    Query(
        "def:quantile/invertible",
        "F takes the value tau at its quantile, F continuous there",
        "every function F with a finite quantile",
        inverts,
        "claim",
        partial(inverts, planted=True),
        "continuity from the left is dropped",
    ),
    Query(
        "def:quantile/invertible",
        "F takes the value tau at its quantile, F strictly increasing",
        "one jump between two linear pieces",
        jump,
        "printed",
        case=inverse_case,
    ),
)
