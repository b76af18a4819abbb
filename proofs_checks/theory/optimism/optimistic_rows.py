r"""def:optimistic/rows: the rows of the optimistic model.  As printed they do not sum to 1.

The printed mass of :math:`s_\infty` is :math:`1 - \sum \tilde P = 0`: what the shift by epsilon took away is lost.  The
missing mass of the *shifted* row belongs there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.enumeration import every, grid, probability_vectors
from ...cases.estimation import optimistic_row, printed_optimistic_row
from ...engine.model import Claim, Formal, Statement, at_most, equality, least
from ...engine.severity import Severity
from .. import causes


@dataclass(frozen=True)
class Case:
    """An empirical row over the ordinary states, and its radius."""

    row: tuple[Fraction, ...]
    eps: Fraction


def _is_law(row: tuple[Fraction, ...]) -> Real:
    return least(min(row), equality(sum(row, Fraction()), Fraction(1)))


def _corrected_slack(case: Case) -> Real:
    r"""A law; no state gains or loses more than epsilon; :math:`\hat P(s_\infty) \le \min(1, S_0 \epsilon)`."""
    row = optimistic_row(case.row, case.eps)
    losses = [p - q for p, q in zip(case.row, row, strict=False)]
    most = min(Fraction(1), len(case.row) * case.eps)
    gain = at_most(max(losses), case.eps, "loss")
    return least(_is_law(row), min(losses), gain, at_most(row[-1], most, "top state"))


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    row = draw(strategies.masses(draw(st.integers(1, 4))))
    return Case(row, draw(strategies.rationals(max_value=Fraction(3, 2), max_denominator=8)))


STATEMENT = Statement(
    label="def:optimistic/rows",
    title="the optimistic transitions are laws",
    section="4",
    printed=Claim(
        r"\hat P(s') = (\tilde P(s') - \epsilon)^+, \ \hat P(s_\infty) = 1 - \sum_{s'} \tilde P(s'): \ \sum \hat P = 1",
        "the optimistic row, with the mass missing from the empirical row at s_inf, is a law",
        lambda case: _is_law(printed_optimistic_row(case.row, case.eps)),
    ),
    corrected=Claim(
        r"\hat P(s_\infty) = 1 - \sum_{s'} \hat P(s'): \ \sum \hat P = 1,\ 0 \le \tilde P - \hat P \le \epsilon,\ "
        r"\hat P(s_\infty) \le \min(1, S_0\epsilon)",
        "with the mass missing from the shifted row at s_inf it is a law, close to the empirical one",
        _corrected_slack,
    ),
    finding=Severity.SLIP,
    cause=causes.LOST_HAT,
    uses=("def:empirical",),
    cases=_drawn,
    small_cases=lambda: every(
        Case, (row for states in (1, 2, 3) for row in probability_vectors(states, 4)), grid("1/8")
    ),
    small_size="up to 3 states, masses in quarters, radii in eighths up to 1",
    counterexample=Case((Fraction(1),), Fraction(1)),
    find_budget=20,
    formal=Formal(proves=("optimistic_rows",)),
    theory="06-event-and-optimism.md#optimistic",
    notes="A hat is lost: line 1079 prints 1 minus the sum of P^. For the row (3/4, 1/4) and radius 1/8 the "
    "printed row sums to 3/4.",
)
