r"""def:empirical, def:optimistic/rows, def:optimistic/rewards: the models that the learner builds are models.

The radius, the masses and the observed rewards are free; the number of states, atoms or observations is fixed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, Term
from ...evidence.solver.terms import (
    both,
    cumulative,
    distance,
    indicator,
    is_law,
    number,
    positive_part,
    real,
    reals,
    smaller,
    total,
)


def rows(states: int, *, printed: bool = False, planted: bool = False) -> Problem:
    """The optimistic row is a law, at most eps below the empirical one, with at most S0 eps at s_inf."""
    p, eps = reals("p", states), real("eps")
    row = [positive_part(mass - eps) for mass in p]
    end = 1 - total(p if printed else row)
    conclusions = [*is_law([*row, end]), end <= smaller(number(1), states * eps)]
    if not printed:
        conclusions += [
            both(mass - q >= 0, mass - q <= (eps / 2 if planted else eps)) for mass, q in zip(p, row, strict=True)
        ]
    return Problem([*is_law(p), eps >= 0, *([p[0] > 0] if printed else [])], both(*conclusions))


def row_case(numbers: Mapping[str, Fraction]) -> Any:
    """The empirical row and the radius."""
    from .optimistic_rows import Case

    return Case((numbers["p0"], numbers["p1"]), numbers["eps"])


def rewards(atoms: int, *, planted: bool = False) -> Problem:
    """Shifting a CDF down by eps below 1 gives a law that dominates, within eps in KS, TV and mean."""
    x, p, eps = reals("x", atoms), reals("p", atoms), real("eps")
    before = cumulative(p)
    after = [*(positive_part(c - eps) for c in before[:-1]), number(1)]
    masses = [after[0], *(b - a for a, b in itertools.pairwise(after))]
    half = number("1/2")
    apart = half * total(distance(q, m) for q, m in zip(masses, p, strict=True))
    hypotheses = [*is_law(p), x[0] >= 0, *(a < b for a, b in itertools.pairwise(x)), x[-1] == 1, eps >= 0]
    conclusions = [
        *is_law(masses),
        *(b <= a for a, b in zip(before, after, strict=True)),
        *(a - b <= eps for a, b in zip(before, after, strict=True)),
        apart <= (half * eps if planted else eps),
    ]
    widths = [b - a for a, b in itertools.pairwise(x)]
    losses = [a - b for a, b in zip(before, after[:-1], strict=False)]
    # the mean grows by the area between the CDFs, between 0 and eps: every strip is, and the widths add up to at most 1
    shares = [(strip, (w, loss, eps)) for w, loss in zip(widths, losses, strict=True)]
    area = total(w * loss for w, loss in zip(widths, losses, strict=True))
    return Problem(
        hypotheses,
        both(*conclusions, area >= 0, area <= total(w * eps for w in widths)),
        () if planted else shares,
    )


def strip(width: Term, loss: Term, eps: Term) -> tuple[Sequence[Term], Term]:
    """A strip of nonnegative width and a height between 0 and eps has an area between 0 and width times eps."""
    return [width >= 0, loss >= 0, loss <= eps], both(width * loss >= 0, width * loss <= width * eps)


def counting(observations: int, *, printed: bool = False, planted: bool = False) -> Problem:
    """The share of observations up to x is 0 far left, 1 far right and never falls."""
    r, x, y = reals("r", observations), real("x"), real("y")

    def share(point: Term) -> Term:
        seen = [(point <= value if printed else value <= point) for value in r]
        return total(indicator(hit, number(1)) for hit in seen) / observations

    grows = share(x) < share(y) if planted else share(x) <= share(y)
    ends = [share(number(-1)) == 0, share(number(2)) == 1]
    return Problem([*(both(value >= 0, value <= 1) for value in r), x <= y], both(grows, *ends))


def rewards_case(numbers: Mapping[str, Fraction]) -> Any:
    """The observed rewards."""
    from ..event.empirical_model import Case

    return Case((numbers["r0"], numbers["r1"]))


QUERIES = (
    Query(
        "def:empirical",
        "the share of observations up to x is a distribution function",
        "6 observations",
        partial(counting, 6),
        "claim",
        partial(counting, 2, planted=True),
        "it grows strictly",
    ),
    Query(
        "def:empirical",
        "the share of observations from x on is a distribution function",
        "2 observations",
        partial(counting, 2, printed=True),
        "printed",
        case=rewards_case,
    ),
    Query(
        "def:optimistic/rows",
        "a law, within eps of the empirical row, s_inf at most min(1, S0 eps)",
        "S0 = 6",
        partial(rows, 6),
        "claim",
        partial(rows, 2, planted=True),
        "within eps/2",
    ),
    Query(
        "def:optimistic/rows",
        "with 1 - sum of the empirical row at s_inf it is a law",
        "S0 = 2",
        partial(rows, 2, printed=True),
        "printed",
        case=row_case,
    ),
    Query(
        "def:optimistic/rewards",
        "a law that dominates, within eps in KS, TV and mean",
        "5 atoms",
        partial(rewards, 5),
        "claim",
        partial(rewards, 2, planted=True),
        "within eps/2 in TV",
    ),
)
