r"""L2/values: what a value inherits from one step of the recursion.

:math:`V(y) = \max_a \sum_j p_{aj} V_j(y + r_{aj})`.  If every :math:`V_j` is nondecreasing and L-Lipschitz, so is V.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...evidence.solver.query import Lemma, Problem, Query, Term, z3
from ...evidence.solver.terms import both, is_law, real, reals, total


def inherits(actions: int, outcomes: int, *, planted: bool = False) -> Problem:
    """v, w are the values after the step from y <= z; rise is L (z - y).  Planted: half the rise."""
    rise, low, high = real("rise"), real("V"), real("W")
    hypotheses = [rise >= 0]
    uses: list[tuple[Lemma, tuple[Term, ...]]] = []
    before, after = [], []
    for a in range(actions):
        p, v, w = (reals(f"{name}{a}.", outcomes) for name in ("p", "v", "w"))
        hypotheses += is_law(p)
        hypotheses += [both(x <= y, y <= x + rise) for x, y in zip(v, w, strict=True)]
        uses += [(grows, (mass, x, y, rise)) for mass, x, y in zip(p, v, w, strict=True)]
        uses.append((whole, (rise, *p)))
        before.append(total(mass * x for mass, x in zip(p, v, strict=True)))
        after.append(total(mass * y for mass, y in zip(p, w, strict=True)))
    for value, options in ((low, before), (high, after)):
        hypotheses += [value >= option for option in options]
        hypotheses.append(z3().Or(*(value == option for option in options)))
    if planted:
        return Problem(hypotheses, high <= low + rise / 2)
    return Problem(hypotheses, both(low <= high, high <= low + rise), uses)


def grows(p: Term, x: Term, y: Term, rise: Term) -> tuple[Sequence[Term], Term]:
    """p x <= p y <= p (x + rise)."""
    return [p >= 0, x <= y, y <= x + rise], both(p * x <= p * y, p * y <= p * x + p * rise)


def whole(x: Term, *masses: Term) -> tuple[Sequence[Term], Term]:
    """A number times masses that add up to 1."""
    return [total(masses) == 1], total(m * x for m in masses) == x


QUERIES = (
    Query(
        "L2/values",
        "one step keeps values nondecreasing and L-Lipschitz in y",
        "3 actions, 4 outcomes",
        partial(inherits, 3, 4),
        "step",
        partial(inherits, 1, 2, planted=True),
        "half the constant",
    ),
)
