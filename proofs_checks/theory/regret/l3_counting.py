r"""L3: counting.  A bound for the cost of all visits to one pair.

.. math:: \sum_{\text{visits}} \min\bigl(T, c/\sqrt{N^{(k)}}\bigr) \le T \min(T, N) + 2c\sqrt N,

N the visits in all, :math:`N^{(k)}` those before the current episode (T where it is 0).  The j-th visit has
:math:`N^{(k)} \ge j - T`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every
from ...cases.irrational import minimum, root, total
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .thm_main_counting import before, courses


@dataclass(frozen=True)
class Case:
    """``visits[k]`` visits in episode k, at most the horizon; the constant c."""

    horizon: int
    visits: tuple[int, ...]
    c: Fraction


def cost(horizon: int, c: Real, n: int) -> Real:
    """min(T, c / sqrt(n)), T at n = 0."""
    return Fraction(horizon) if n == 0 else minimum(Fraction(horizon), c * root(Fraction(1, n)))


def _slack(case: Case) -> Real:
    visits = sum(case.visits)
    spent = total(v * cost(case.horizon, case.c, n) for n, v in before(case.visits))
    return at_most(spent - case.horizon * min(case.horizon, visits), 2 * case.c * root(visits))


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    horizon = draw(st.integers(1, 6))
    visits = tuple(draw(st.lists(st.integers(0, horizon), min_size=1, max_size=10)))
    return Case(horizon, visits, draw(strategies.rationals(max_value=2 * horizon)))


def _small_cases() -> Iterator[Case]:
    for horizon, visits in courses():
        factors = (Fraction(), Fraction(1, 2), Fraction(1), Fraction(horizon), Fraction(2 * horizon))
        yield from every(Case, [horizon], [visits], factors)


STATEMENT = Statement(
    label="L3",
    title="what the visits of one pair cost",
    corrected=Claim(
        r"\sum_{\text{visits}} \min(T, c/\sqrt{N^{(k)}}) \le T\min(T,N) + 2c\sqrt N",
        "summed over the visits of one pair, the capped inverse roots are at most this",
        _slack,
    ),
    uses=("thm:main/harmonic",),
    cases=lambda: st.one_of(
        _drawn(), st.just(Case(1, (1,) * 10_000, Fraction(1)))
    ),  # 2 is approached from N = 5,300 on
    small_cases=_small_cases,
    small_size="T <= 3, K <= 4, all courses of one pair, c in 0, 1/2, 1, T, 2T",
    formal=Formal(proves=("visit_cost_le",)),
    theory="08-regret.md#L3",
)
