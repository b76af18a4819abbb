r"""def:objective/var, def:objective/jumps, def:objective/cvar: the weightings of VaR and CVaR, from their definitions.

Laws are atoms :math:`x_1 \le \dots \le x_n` with masses; the quantile is the first atom whose cumulative mass reaches
the level (or exceeds it, for the upper quantile).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, Term, z3
from ...evidence.solver.terms import (
    both,
    cumulative,
    distance,
    increasing,
    indicator,
    is_law,
    number,
    real,
    reals,
    smaller,
    total,
)


def step(*, falling: bool = False, planted: bool = False) -> Problem:
    """G(tau) = 1(tau >= alpha), or as printed 1(tau <= alpha), is nondecreasing from G(0) = 0 to G(1) = 1."""
    alpha, sigma, tau = real("alpha"), real("sigma"), real("tau")

    def weight(level: Term) -> Term:
        return indicator(level <= alpha if falling else level >= alpha, number(1))

    grows = weight(sigma) < weight(tau) if planted else weight(sigma) <= weight(tau)
    hypotheses = [alpha > 0, alpha <= 1, sigma >= 0, sigma <= tau, tau <= 1]
    return Problem(hypotheses, both(grows, weight(number(0)) == 0, weight(number(1)) == 1))


def step_case(numbers: Mapping[str, Fraction]) -> Any:
    """The level and the two arguments."""
    from .def_objective import StepCase

    return StepCase(numbers["alpha"], numbers["sigma"], numbers["tau"])


def _first(atoms: Sequence[Term], reached: Sequence[Term]) -> Term:
    """The first atom that is reached, the last one if none before it is."""
    found = atoms[-1]
    for x, hit in reversed(list(zip(atoms[:-1], reached[:-1], strict=True))):
        found = z3().If(hit, x, found)
    return found


def quantiles(atoms: int, *, planted: bool = False) -> Problem:
    """M minus the area under 1(F >= alpha) is the lower quantile, under 1(F > alpha) the upper one, 0 < alpha < 1."""
    x, p, alpha, top = reals("x", atoms), reals("p", atoms), real("alpha"), real("M")
    levels = [*cumulative(p)[:-1], number(1)]
    ends = [*x[1:], top]
    hypotheses = [*is_law(p), *increasing(x), x[0] >= 0, x[-1] <= top, alpha > 0, alpha < 1]
    lower, upper = _first(x, [c >= alpha for c in levels]), _first(x, [c > alpha for c in levels])

    def area(strict: bool) -> Term:
        over = [c > alpha if strict else c >= alpha for c in levels]
        return total(indicator(hit, end - start) for hit, start, end in zip(over, x, ends, strict=True))

    return Problem(hypotheses, both(top - area(planted) == lower, top - area(True) == upper))


def tail(atoms: int, *, planted: bool = False) -> Problem:
    """The worst alpha share filled from below has the masses min(c_i, alpha) - min(c_{i-1}, alpha); L is 1/alpha."""
    p, alpha, sigma, tau = reals("p", atoms), real("alpha"), real("sigma"), real("tau")
    ranks = [smaller(c, alpha) for c in cumulative(p)]
    shares = [b - a for a, b in zip([number(0), *ranks], ranks, strict=False)]
    left, equal = alpha, []
    for mass, share in zip(p, shares, strict=True):
        taken = smaller(left, mass)
        equal.append(taken == share)
        left = left - taken
    gap = distance(smaller(sigma, alpha), smaller(tau, alpha))  # alpha |G(sigma) - G(tau)|
    bound = distance(sigma, tau) / (2 if planted else 1)
    return Problem([*is_law(p), alpha > 0, alpha <= 1], both(*equal, gap <= bound))


def no_level() -> Problem:
    """At alpha = 0 the weighting is 1(tau > 0): is it at most L tau?"""
    tau, constant = real("tau"), real("L")
    return Problem([tau >= 0, tau <= 1, constant >= 1], constant * tau >= indicator(tau > 0, number(1)))


def tail_case(numbers: Mapping[str, Fraction]) -> Any:
    """The level 0, the argument and the constant; the law plays no part."""
    from verified_risk.law import Law

    from .def_objective import TailCase

    return TailCase(Law.point(0), Fraction(0), numbers["tau"], numbers["L"])


QUERIES = (
    Query(
        "def:objective/var",
        "1(tau >= alpha) is a distribution function on [0, 1]",
        "every alpha in (0, 1]",
        step,
        "claim",
        partial(step, planted=True),
        "it grows strictly",
    ),
    Query(
        "def:objective/var",
        "1(tau <= alpha) is a distribution function on [0, 1]",
        "every alpha in (0, 1]",
        partial(step, falling=True),
        "printed",
        case=step_case,
    ),
    Query(
        "def:objective/jumps",
        "the two versions of the step take the two quantiles",
        "8 sorted atoms, every alpha in (0, 1)",
        partial(quantiles, 8),
        "claim",
        partial(quantiles, 2, planted=True),
        "the left-continuous step takes the lower quantile",
    ),
    Query(
        "def:objective/cvar",
        "CVaR weighs the worst alpha share, and 1/alpha is its constant",
        "8 atoms, every alpha in (0, 1]",
        partial(tail, 8),
        "claim",
        partial(tail, 2, planted=True),
        "half the constant",
    ),
    Query(
        "def:objective/cvar",
        "the weighting of level 0 is Lipschitz",
        "every constant",
        no_level,
        "printed",
        case=tail_case,
    ),
)
