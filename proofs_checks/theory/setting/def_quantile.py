r"""def:quantile: :math:`F^\dagger(\tau) = \inf\{x : F(x) \ge \tau\}`, its value at 0, and when it is the inverse of F.

At level 0 every x qualifies and the infimum is minus infinity, so the objective integrates over (0, 1].  A strictly
increasing F is invertible only if it is also continuous: a jump skips levels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from verified_risk.law import Law

from ...cases import strategies
from ...cases.enumeration import grid, two_point_laws
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes
from .monotone import Corner, Monotone, strict_functions


@dataclass(frozen=True)
class LevelCase:
    """The law of a return, a level and a point x with F(x) >= tau."""

    law: Law
    tau: Fraction
    x: Fraction


def _reaches(case: LevelCase) -> bool:
    return case.law.cdf(case.x) >= case.tau


def _above_least(case: LevelCase) -> Fraction:
    """x minus the least return: nonnegative for all x with F(x) >= tau iff the infimum is at least the least return."""
    return case.x - case.law.atoms[0]


@st.composite
def _level_cases(draw: DrawFn) -> LevelCase:
    law = draw(strategies.laws(max_value=2))
    tau = draw(strategies.rationals())
    low = law.quantile(tau) if tau else Fraction(-2)
    return LevelCase(law, tau, draw(strategies.rationals(min_value=low, max_value=low + 2, max_denominator=4)))


def _small_levels() -> Iterator[LevelCase]:
    for law in two_point_laws(grid("1/2"), 4):
        for tau in grid("1/4"):
            for x in (*(-u for u in grid("1/2")[1:]), *grid("1/2")):
                yield LevelCase(law, tau, x)


ZERO = Statement(
    source=__file__,
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
    finding=Severity.SLIP,
    cause=causes.LEVEL_ZERO,
    cases=_level_cases,
    small_cases=_small_levels,
    small_size="at most two atoms in {0, 1/2, 1}, masses and levels in quarters, x in halves of [-1, 1]",
    counterexample=LevelCase(Law.point(0), Fraction(0), Fraction(-1)),
    find_budget=200,
    formal=Formal(proves=("quantiles_are_returns_above_level_zero",)),
    theory="01-setting.md#def-quantile",
    notes="Not printed: it is what an integral over [0, 1] needs. For a Lipschitz G the level 0 has no mass, "
    "and nothing changes.",
)


@dataclass(frozen=True)
class InverseCase:
    """A CDF strictly increasing between its first and last corner, and a level."""

    function: Monotone
    tau: Fraction


def _strict(case: InverseCase) -> bool:
    """F is a CDF, strictly increasing between its first and last corner, and tau a level in (0, 1)."""
    first, last = case.function.corners[0], case.function.corners[-1]
    whole = first.left == 0 and last.value == 1 and case.function.right_continuous
    return whole and case.function.strict and 0 < case.tau < 1


def _inverse_slack(case: InverseCase) -> Fraction:
    """-|F(F†(tau)) - tau|."""
    x = case.function.inverse(case.tau)
    assert isinstance(x, Fraction)  # the level lies strictly between the extreme values
    return -abs(case.function(x) - case.tau)


@st.composite
def _inverse_cases(draw: DrawFn) -> InverseCase:
    drawn = draw(strict_functions(continuous=draw(st.booleans())))
    function = Monotone(tuple(Corner(c.at, c.left, c.right, c.right) for c in drawn.corners))
    return InverseCase(function, Fraction(draw(st.integers(1, 11)), 12))


def _small_inverses() -> Iterator[InverseCase]:
    heights = grid("1/3")
    for a in heights:
        for b in (h for h in heights if h > a):
            for tau in grid("1/6"):
                ends = (Corner(Fraction(0), Fraction(0), a, a), Corner(Fraction(1), b, Fraction(1), Fraction(1)))
                yield InverseCase(Monotone(ends), tau)


INVERTIBLE = Statement(
    source=__file__,
    label="def:quantile/invertible",
    said="implied",
    title="a strictly increasing CDF is invertible",
    section="2",
    printed=Claim(
        r"F \text{ strictly increasing} \Rightarrow F^\dagger = F^{-1}",
        "If F is strictly increasing, F takes the value tau at its quantile of level tau.",
        _inverse_slack,
        when=_strict,
    ),
    corrected=Claim(
        r"F \text{ strictly increasing and continuous} \Rightarrow F^\dagger = F^{-1}",
        "If F is strictly increasing and continuous, F takes the value tau at its quantile of level tau.",
        _inverse_slack,
        when=lambda case: _strict(case) and case.function.continuous,
    ),
    finding=Severity.SLIP,
    cause=causes.ONTO,
    cases=_inverse_cases,
    small_cases=_small_inverses,
    small_size="two corners at 0 and 1, jump heights in thirds, levels in sixths",
    counterexample=InverseCase(
        Monotone(
            (
                Corner(Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1, 2)),
                Corner(Fraction(1), Fraction(1), Fraction(1), Fraction(1)),
            )
        ),
        Fraction(1, 4),
    ),
    find_budget=200,
    formal=Formal(proves=("quantile_inverts_continuous",)),
    theory="01-setting.md#def-quantile",
    least_met=10,
    notes="Line 149 says that a strictly monotone F is invertible and that then the quantile is the inverse. On "
    "the range of F that is so; this is the reading for every level. Line 392 asks that the inverse "
    "exists at tau.",
)

STATEMENTS = (ZERO, INVERTIBLE)
