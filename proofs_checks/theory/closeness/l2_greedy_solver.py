r"""L2/greedy: what other rewards cost a nondecreasing, L-Lipschitz value, summand by summand.

:math:`\sum_j (p'_j - p_j) V(y + r_j) = \sum_j (F_j - F'_j)(V_{j+1} - V_j) \le L \int (F - F')^+`.  The rows are
the step of ``close/markov``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...evidence.solver.query import Problem, Query, Term
from ...evidence.solver.terms import positive_part, real, reals, total


def rewards(atoms: int, *, planted: bool = False) -> Problem:
    """c = F - F' between the points, d its positive part, w the widths, v the values.  Planted: the value may fall."""
    c, d, w, v, m = (reals(name, atoms - 1) for name in ("c", "d", "w", "v", "m"))
    constant = real("L")
    hypotheses = [constant >= 0, *(x >= 0 for x in w)]
    hypotheses += [x == positive_part(y) for x, y in zip(d, c, strict=True)]
    hypotheses += [x == constant * y for x, y in zip(m, w, strict=True)]  # L times the width
    low = -1 if planted else 0
    hypotheses += [x >= low * y for x, y in zip(v, m, strict=True)] + [x <= y for x, y in zip(v, m, strict=True)]
    gain = total(x * y for x, y in zip(c, v, strict=True))
    bound = total(x * y for x, y in zip(d, m, strict=True))
    uses = [(strip, terms) for terms in zip(c, d, v, m, strict=True)]
    return Problem(hypotheses, gain <= bound, () if planted else uses)


def strip(gap: Term, part: Term, rise: Term, limit: Term) -> tuple[Sequence[Term], Term]:
    """(F - F') dV <= (F - F')^+ L dx."""
    return [part == positive_part(gap), rise >= 0, rise <= limit], gap * rise <= part * limit


QUERIES = (
    Query(
        "L2/greedy",
        "step of the telescope: other rewards cost at most L times the area of (F - F')^+",
        "12 reward atoms",
        partial(rewards, 12),
        "step",
        partial(rewards, 2, planted=True),
        "the value may fall in y",
    ),
)
