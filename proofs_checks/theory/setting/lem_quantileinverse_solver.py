r"""lem:quantileinverse: both halves for *all* functions, by instances of the definition of the infimum.

F is an unknown function.  Only consequences of the hypotheses are assumed, each at the point where the proof uses it,
so the result is about every function.  The printed second half is refuted by a step function.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, Term, z3
from ...evidence.solver.terms import both, indicator, real, reals, total, when


def first_half(*, planted: bool = False) -> Problem:
    """q is a lower bound of {u : F(u) >= F(x)}, in particular of x.  Planted: q < x."""
    module = z3()
    function = module.Function("F", module.RealSort(), module.RealSort())
    x, q, u = module.Reals("x q u")
    bound = module.ForAll([u], when(function(u) >= function(x), q <= u), patterns=[function(u)])
    return Problem([bound], q < x if planted else q <= x)


def second_half(*, planted: bool = False) -> Problem:
    """If F(q) < tau, right-continuity keeps F below tau up to some q + d, but the infimum is approached before it."""
    module = z3()
    function = module.Function("F", module.RealSort(), module.RealSort())
    q, d, w, u, tau = module.Reals("q d w u tau")
    stays = module.ForAll([u], when(both(q <= u, u < q + d), function(u) < tau), patterns=[function(u)])
    hypotheses = [
        module.ForAll([u], when(function(u) >= tau, q <= u), patterns=[function(u)]),  # q is a lower bound
        when(function(q) < tau, both(d > 0, True if planted else stays)),  # right-continuity, with eps = tau - F(q)
        when(d > 0, both(function(w) >= tau, w < q + d)),  # no larger lower bound, with eps = d
    ]
    return Problem(hypotheses, function(q) >= tau)


def steps(jumps: int, *, right_continuous: bool, first: bool = False, strict: bool = False) -> Problem:
    """A step function with jumps of sizes p at x, and its infimum q at the level tau (or at the level F(y))."""
    module = z3()
    x, p, low = reals("x", jumps), reals("p", jumps), real("low")
    attained = [module.BoolVal(True) if right_continuous else module.Bool(f"b{i}") for i in range(jumps)]

    def at(point: Term) -> Term:
        reached = [module.If(b, v <= point, v < point) for b, v in zip(attained, x, strict=True)]
        return low + total(indicator(r, size) for r, size in zip(reached, p, strict=True))

    q, y = real("q"), real("y")
    level = at(y) if first else real("tau")
    below = low + total(indicator(v < q, size) for v, size in zip(x, p, strict=True))
    above = low + total(indicator(v <= q, size) for v, size in zip(x, p, strict=True))
    hypotheses = [*(size > 0 for size in p), *(a < b for a, b in itertools.pairwise(x))]
    hypotheses += [below < level, level <= above]  # q is the infimum: not reached before q, reached right after it
    if first:
        return Problem(hypotheses, q < y if strict else q <= y)
    return Problem(hypotheses, at(q) > level if strict else at(q) >= level)


def case(numbers: Mapping[str, Fraction]) -> Any:
    """The step function with its values at the jumps, and the level."""
    from .lem_quantileinverse import LevelCase
    from .monotone import Corner, Monotone

    corners, height = [], numbers["low"]
    for i in range(2):
        left, height = height, height + numbers[f"p{i}"]
        corners.append(Corner(numbers[f"x{i}"], left, height if numbers.get(f"b{i}") else left, height))
    return LevelCase(Monotone(tuple(corners)), numbers["tau"])


QUERIES = (
    Query(
        "lem:quantileinverse/first",
        "the quantile of F(x) is at most x",
        "every function F",
        first_half,
        "claim",
        partial(first_half, planted=True),
        "strictly less than x",
    ),
    Query(
        "lem:quantileinverse/first",
        "the same from the definition of the infimum of a step function",
        "5 jumps, any value at each jump",
        partial(steps, 5, right_continuous=False, first=True),
        "claim",
        partial(steps, 2, right_continuous=False, first=True, strict=True),
        "strictly less than x",
    ),
    Query(
        "lem:quantileinverse/second",
        "F is at least tau at its quantile, F right-continuous",
        "every right-continuous F with a finite quantile",
        second_half,
        "claim",
        partial(second_half, planted=True),
        "right-continuity is dropped",
    ),
    Query(
        "lem:quantileinverse/second",
        "the same from the definition of the infimum of a step function",
        "8 jumps, right-continuous",
        partial(steps, 8, right_continuous=True),
        "claim",
        partial(steps, 8, right_continuous=False),
        "right-continuity is dropped",
    ),
    Query(
        "lem:quantileinverse/second",
        "F is at least tau at its quantile, F nondecreasing",
        "2 jumps, any value at each jump",
        partial(steps, 2, right_continuous=False),
        "printed",
        case=case,
    ),
)
