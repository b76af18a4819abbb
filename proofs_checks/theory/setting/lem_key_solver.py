r"""lem:key and intro:key, :math:`\Phi = M - \int_0^M G(F)`: summation by parts, for any number of atoms that fits.

A law with atoms :math:`x_1 \le \dots \le x_n` enters through the levels :math:`g_i = G(F(x_i))`, :math:`g_n = 1`; so
:math:`\Phi = \sum_i x_i (g_i - g_{i-1})`, and the area is :math:`\sum_i g_i (x_{i+1} - x_i) + M - x_n`.  The second
proof takes F from its definition, from atoms in any order with ties, and G as an unknown function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, Term, z3
from ...evidence.solver.terms import cumulative, increasing, indicator, is_law, number, real, reals, total


def _objective(atoms: Sequence[Term], levels: Sequence[Term]) -> Term:
    before = [number(0), *levels]
    return total(x * (after - g) for x, g, after in zip(atoms, before, levels, strict=False))


def _area(atoms: Sequence[Term], levels: Sequence[Term], top: Term) -> Term:
    ends = [*atoms[1:], top]
    return total(g * (end - x) for x, end, g in zip(atoms, ends, levels, strict=True))


def identity(atoms: int, *, twice: bool = False, planted: bool = False) -> Problem:
    """Sorted atoms, any levels; ``twice`` puts M = 2T for returns of at most T."""
    x, top = reals("x", atoms), real("T")
    g = [*reals("g", atoms - 1), number(1)]
    hypotheses = [x[0] >= 0, *increasing(x), x[-1] <= top, *increasing(g)]
    end = 2 * top if twice else top
    claimed = end + (x[0] if planted else 0) - _area(x, g, end)
    return Problem(hypotheses, _objective(x, g) == claimed)


def from_definitions(atoms: int, *, planted: bool = False) -> Problem:
    """Atoms in any order, with ties and zero masses; F from its definition, G any function with G(1) = 1."""
    module = z3()
    weight = module.Function("G", module.RealSort(), module.RealSort())
    x, p, top = reals("x", atoms), reals("p", atoms), real("M")
    ordered = _sorted(list(zip(x, p, strict=True)))
    values, masses = [v for v, _ in ordered], [m for _, m in ordered]
    levels = [weight(c) for c in cumulative(masses)]
    start = weight(number(0))
    objective = total(v * (b - a) for v, a, b in zip(values, [start, *levels], levels, strict=False))
    heights = [weight(total(indicator(x[j] <= v, p[j]) for j in range(atoms))) for v in values]
    if planted:
        heights = [weight(total(indicator(x[j] < v, p[j]) for j in range(atoms))) for v in values]
    hypotheses = [*is_law(p), *(v >= 0 for v in x), *(v <= top for v in x), start == 0, weight(number(1)) == 1]
    return Problem(hypotheses, objective == top - _area(values, heights, top))


def _sorted(pairs: list[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
    """A sorting network on the atoms, which carries the masses along."""
    choose = z3().If
    pairs = list(pairs)
    for last in range(len(pairs) - 1, 0, -1):
        for i in range(last):
            (x, p), (y, q) = pairs[i], pairs[i + 1]
            keep = x <= y
            pairs[i : i + 2] = [(choose(keep, x, y), choose(keep, p, q)), (choose(keep, y, x), choose(keep, q, p))]
    return pairs


def printed(factor: int) -> Problem:
    """The mean of a law with two atoms, the larger one T: is Phi at most ``factor`` T minus the area up to every M?"""
    x, p, top, end = real("x"), real("p"), z3().Int("T"), real("M")
    horizon = z3().ToReal(top)
    hypotheses = [x >= 0, x < horizon, top >= 1, top <= 3, p > 0, p < 1, end >= horizon]
    mean = p * x + (1 - p) * horizon
    area = p * (horizon - x) + end - horizon
    return Problem(hypotheses, mean <= factor * horizon - area)


def case(numbers: Mapping[str, Fraction]) -> Any:
    """The law, its horizon and the upper limit of the integral."""
    from verified_risk.law import Law
    from verified_risk.objectives import Mean

    from .lem_key import Case

    law = Law({numbers["x"]: numbers["p"], numbers["T"]: 1 - numbers["p"]})
    return Case(law, int(numbers["T"]), Mean(), numbers["M"])


QUERIES = (
    Query(
        "lem:key",
        "Phi = M - area up to M, any levels of G",
        "40 sorted atoms, every M",
        partial(identity, 40),
        "claim",
        partial(identity, 3, planted=True),
        "the least atom is added",
    ),
    Query(
        "lem:key",
        "the same, F from its definition, G an unknown function",
        "3 atoms in any order, ties, zero masses",
        partial(from_definitions, 3),
        "claim",
        partial(from_definitions, 2, planted=True),
        "F counts what is below x, not up to x",
    ),
    Query("lem:key", "Phi = T - area over the line", "2 atoms, mean", partial(printed, 1), "printed", case=case),
    Query(
        "intro:key",
        "Phi = 2T - area up to 2T",
        "40 sorted atoms",
        partial(identity, 40, twice=True),
        "claim",
        partial(identity, 3, twice=True, planted=True),
        "the least atom is added",
    ),
    Query("intro:key", "Phi = 2T - area over the line", "2 atoms, mean", partial(printed, 2), "printed", case=case),
)
