r"""def:empirical: the empirical CDF of the rewards.  Printed with the inequality the wrong way round.

:math:`\frac1N\sum_i 1(r \le r_i)` falls from 1 to 0: it is (nearly) a survival function.  The CDF of the rewards seen
is :math:`\frac1N\sum_i 1(r_i \le r)`.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import grid
from ...cases.estimation import empirical_law
from ...engine.model import Claim, Formal, Real, Statement, equality, least
from .. import causes


@dataclass(frozen=True)
class Case:
    """The rewards observed at one pair."""

    rewards: tuple[Fraction, ...]


def _points(case: Case) -> list[Fraction]:
    return sorted({Fraction(-1), *case.rewards, Fraction(2)})


def _is_cdf(values: list[Fraction]) -> Real:
    """0 at the left end, 1 at the right end, and no step down."""
    return least(-abs(values[0]), -abs(values[-1] - 1), *(b - a for a, b in pairwise(values)))


def _printed_slack(case: Case) -> Real:
    n = len(case.rewards)
    return _is_cdf([Fraction(sum(x <= r for r in case.rewards), n) for x in _points(case)])


def _corrected_slack(case: Case) -> Real:
    """The counting function is a CDF, and it is the CDF of the empirical law that the learner uses."""
    n = len(case.rewards)
    values = [Fraction(sum(r <= x for r in case.rewards), n) for x in _points(case)]
    law = empirical_law([(r, case.rewards.count(r)) for r in set(case.rewards)])
    return least(_is_cdf(values), *(equality(v, law.cdf(x)) for v, x in zip(values, _points(case), strict=True)))


STATEMENT = Statement(
    label="def:empirical",
    title="the empirical model's reward CDF is a CDF",
    section="4",
    printed=Claim(
        r"\tilde F(r) = \frac1N \sum_i 1(r \le r_i) \text{ is a CDF}",
        "the share of observations not below r is a distribution function of r",
        _printed_slack,
    ),
    corrected=Claim(
        r"\tilde F(r) = \frac1N \sum_i 1(r_i \le r) \text{ is the CDF of the observed rewards}",
        "the share of observations not above r is the distribution function of the observed rewards",
        _corrected_slack,
    ),
    cause=causes.CDF_INDICATOR,
    cases=lambda: st.lists(strategies.rationals(), min_size=1, max_size=6).map(lambda rewards: Case(tuple(rewards))),
    small_cases=lambda: (Case(seen) for n in range(1, 5) for seen in combinations_with_replacement(grid("1/4"), n)),
    small_size="up to 4 rewards in quarters",
    counterexample=Case((Fraction(),)),
    find_budget=10,
    formal=Formal(proves=("empirical_cdf_is_a_cdf",)),
    theory="06-event-and-optimism.md#empirical",
    notes="The inequality is reversed; the left side is called a CDF.",
)
