r"""Cases of the claims of ``lem:event``: a law on finitely many outcomes and a number of independent draws.

Each claim is an inequality :math:`P(d(\tilde p, p) \ge v) \le b(v)` for every v.  Only the attained distances matter,
and between two of them the worst v is the upper one; so one slack covers every v, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.sampling import compositions, tail_of
from ...engine.model import at_most, least

SMALL_SIZE = "up to 3 outcomes with masses in sixths, up to 6 draws; uniform laws on 4 and 5 outcomes, up to 5 draws"


@dataclass(frozen=True)
class Draws:
    """The masses of the outcomes (for rewards: in increasing order) and the number of independent draws."""

    masses: tuple[Fraction, ...]
    n: int


def tail_slack(
    draws: Draws,
    gap: Callable[[Sequence[int], Sequence[Fraction]], Fraction],
    bound: Callable[[Fraction], Real],
    used: Callable[[Fraction], bool] = lambda v: True,
) -> Real:
    """The least ``bound(v) - P(gap >= v)`` over the attained ``v > 0`` that are ``used``; 1 if there is none."""
    slacks = [at_most(p, bound(v)) for v, p in tail_of(gap, draws.masses, draws.n) if v > 0 and used(v)]
    return least(Fraction(1), *slacks)


@st.composite
def drawn(draw: st.DrawFn, *, max_outcomes: int = 4, max_draws: int = 7) -> Draws:
    """Laws and numbers of draws; half of the laws are uniform."""
    count = draw(st.integers(1, max_outcomes))
    if draw(st.booleans()):
        masses = (Fraction(1, count),) * count
    else:
        masses = draw(strategies.masses(count, max_weight=6, positive=True))
    return Draws(masses, draw(st.integers(1, max_draws)))


def small_draws() -> Iterator[Draws]:
    """The cases described by :data:`SMALL_SIZE`, without zero masses."""
    for outcomes in (1, 2, 3):
        for weights in compositions(6, outcomes):
            if all(weights):
                for n in range(1, 7):
                    yield Draws(tuple(Fraction(w, 6) for w in weights), n)
    for outcomes in (4, 5):
        for n in range(1, 6):
            yield Draws((Fraction(1, outcomes),) * outcomes, n)
