r"""corrected/episode: the cost of one episode in the corrected theorem.

With :math:`Y_t = (T-t)\min(1,S_0\epsilon) + \min(1,2\epsilon)`: :math:`Y_t \le T-t+1`,
:math:`Y_t \le ((T-1)S_0+2)\,\epsilon`, and the episode costs at most :math:`T(T+1)/2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.enumeration import every
from ...engine.model import Claim, Formal, Statement, at_most, least


@dataclass(frozen=True)
class Case:
    """Ordinary states, and the radii of the pairs met at the steps of one episode."""

    ordinary: int
    eps: tuple[Fraction, ...]


def _slack(case: Case) -> Real:
    horizon, one = len(case.eps), Fraction(1)
    slacks: list[Real] = []
    total = Fraction()
    for t, eps in enumerate(case.eps):
        y = (horizon - 1 - t) * min(one, case.ordinary * eps) + min(one, 2 * eps)
        slacks += [at_most(y, horizon - t, "step"), at_most(y, ((horizon - 1) * case.ordinary + 2) * eps, "radius")]
        total += y
    return least(at_most(total, Fraction(horizon * (horizon + 1), 2), "episode"), *slacks)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    radius = strategies.rationals(max_value=Fraction(3, 2), max_denominator=12)
    return Case(draw(st.integers(1, 5)), tuple(draw(st.lists(radius, min_size=1, max_size=6))))


def _small_cases() -> Iterator[Case]:
    rates = (Fraction(), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2))
    return every(Case, (1, 2, 3), (eps for horizon in (1, 2, 3) for eps in product(rates, repeat=horizon)))


STATEMENT = Statement(
    label="corrected/episode",
    title="what one episode can cost",
    section="corrected theory",
    corrected=Claim(
        r"Y_t \le \min\{T-t+1,\ ((T-1)S_0+2)\,\epsilon\}, \quad \sum_t Y_t \le \tfrac{T(T+1)}2",
        "a step costs at most the steps left, and at most a multiple of its radius",
        _slack,
    ),
    uses=("L2/optimistic",),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="S0, T <= 3, radii 0, 1/4, 1/2, 1, 2",
    formal=Formal(proves=("what_an_episode_costs",)),
    theory="08-regret.md#regret-theorem",
)
