r"""assump:lipschitz: :math:`|\Phi(X) - \Phi(Y)| \le L \int |F_X - F_Y|`, strip by strip of the key identity.

Two laws on common points :math:`x_1 \le \dots \le x_n` enter through the differences of their CDFs and of the levels of
G there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...evidence.solver.query import Problem, Query, Term
from ...evidence.solver.terms import both, distance, real, reals, total


def strip(width: Term, gap: Term, limit: Term) -> tuple[Sequence[Term], Term]:
    """A bound of the height of a strip, times its width."""
    return [width >= 0, gap <= limit, -gap <= limit], both(width * gap <= width * limit, -width * gap <= width * limit)


def area(points: int, *, planted: bool = False) -> Problem:
    """Phi(X) - Phi(Y) is the sum of width times difference of levels, by the key identity; d = L |F_X - F_Y|."""
    w, first, second, apart, limits, gaps = (reals(name, points) for name in ("w", "F", "H", "e", "d", "g"))
    constant = real("L")
    hypotheses = [constant >= 0, *(width >= 0 for width in w)]
    hypotheses += [e == distance(a, b) for e, a, b in zip(apart, first, second, strict=True)]
    hypotheses += [d == constant * e for d, e in zip(limits, apart, strict=True)]
    hypotheses += [both(gap <= d, -gap <= d) for gap, d in zip(gaps, limits, strict=True)]
    difference = total(width * gap for width, gap in zip(w, gaps, strict=True))
    limit = total(width * d for width, d in zip(w, limits, strict=True))
    if planted:
        return Problem(hypotheses, difference <= limit / 2)
    shares = [(strip, (width, gap, d)) for width, gap, d in zip(w, gaps, limits, strict=True)]
    return Problem(hypotheses, both(difference <= limit, -difference <= limit), shares)


QUERIES = (
    Query(
        "assump:lipschitz",
        "objectives differ by at most L times the area between the CDFs",
        "laws on 12 common points",
        partial(area, 12),
        "claim",
        partial(area, 1, planted=True),
        "half that area",
    ),
)
