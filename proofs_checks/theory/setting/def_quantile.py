r"""def:quantile: :math:`F^\dagger(\tau) = \inf\{x : F(x) \ge \tau\}`, and its value at 0.

At level 0 every x qualifies and the infimum is minus infinity, so the objective integrates over (0, 1].
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.law import Law

from ...cases import strategies
from ...cases.enumeration import every, grid, two_point_laws
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes


@dataclass(frozen=True)
class LevelCase:
    """The law of a return, a level and a point x with F(x) >= tau."""

    law: Law
    tau: Fraction
    x: Fraction


def _reaches(case: LevelCase) -> bool:
    return case.law.cdf(case.x) >= case.tau


def _above_least(case: LevelCase) -> Real:
    """x minus the least return: nonnegative for all x with F(x) >= tau iff the infimum is at least the least return."""
    return at_most(case.law.atoms[0], case.x)


@st.composite
def _level_cases(draw: st.DrawFn) -> LevelCase:
    law = draw(strategies.laws(max_value=2))
    tau = draw(strategies.rationals())
    low = law.quantile(tau) if tau else Fraction(-2)
    return LevelCase(law, tau, draw(strategies.rationals(min_value=low, max_value=low + 2, max_denominator=4)))


POINTS = (*(-u for u in grid("1/2")[1:]), *grid("1/2"))

STATEMENT = Statement(
    label="def:quantile/zero",
    said="implied",
    title="the quantiles of a return are returns",
    section="2",
    printed=Claim(
        r"F^\dagger(\tau) \ge \min Z \quad (0 \le \tau \le 1)",
        "On [0, 1], the range of the integral in the objective, no quantile lies below the least return.",
        _above_least,
        when=lambda case: 0 <= case.tau <= 1 and _reaches(case),
    ),
    corrected=Claim(
        r"F^\dagger(\tau) \ge \min Z \quad (0 < \tau \le 1), \qquad F^\dagger(0) = -\infty",
        "On (0, 1] no quantile lies below the least return; the level 0 must be left out of the integral.",
        _above_least,
        when=lambda case: 0 < case.tau <= 1 and _reaches(case),
    ),
    cause=causes.LEVEL_ZERO,
    cases=_level_cases,
    small_cases=lambda: every(LevelCase, two_point_laws(grid("1/2"), 4), grid("1/4"), POINTS),
    small_size="at most two atoms in {0, 1/2, 1}, masses and levels in quarters, x in halves of [-1, 1]",
    counterexample=LevelCase(Law.point(0), Fraction(0), Fraction(-1)),
    find_budget=200,
    formal=Formal(proves=("quantiles_are_returns_above_level_zero",)),
    theory="01-setting.md#def-quantile",
    notes="Not printed: it is what an integral over [0, 1] needs. For a Lipschitz G the level 0 has no mass, "
    "and nothing changes.",
)
