r"""def:objective: the examples of weightings.  VaR is printed with a decreasing indicator, and jumps are ambiguous.

The objective is :math:`\Phi = M - \int_0^M G(F(x))\,dx`.  For :math:`G = 1(\tau \ge \alpha)` it is the lower
quantile :math:`F^\dagger(\alpha)`, for :math:`G = 1(\tau > \alpha)` the upper quantile :math:`F^\dagger(\alpha+)`; they
differ where F is flat at height alpha.  CVaR needs alpha in (0, 1].
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import every, grid, two_point_laws
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from .. import causes
from ..cvar.budget import tail_mean
from .lem_key import area


@dataclass(frozen=True)
class StepCase:
    """A level and two arguments sigma <= tau of the weighting."""

    alpha: Fraction
    sigma: Fraction
    tau: Fraction


def _is_cdf(case: StepCase, increasing: bool) -> Fraction:
    """The least of G(tau) - G(sigma), -|G(0)|, -|G(1) - 1|."""

    def weight(tau: Fraction) -> Fraction:
        return Fraction(tau >= case.alpha if increasing else tau <= case.alpha)

    return min(weight(case.tau) - weight(case.sigma), -abs(weight(Fraction(0))), -abs(weight(Fraction(1)) - 1))


VAR = Statement(
    label="def:objective/var",
    title="the weighting of VaR",
    section="2",
    printed=Claim(
        r"G(\tau) = \mathbf 1(\tau \le \alpha) \text{ is a CDF on } [0,1]",
        "The indicator of the levels up to alpha is nondecreasing from 0 to 1.",
        lambda case: _is_cdf(case, increasing=False),
    ),
    corrected=Claim(
        r"G(\tau) = \mathbf 1(\tau \ge \alpha) \text{ is a CDF on } [0,1], \quad 0 < \alpha \le 1",
        "The indicator of the levels from alpha on is nondecreasing from 0 to 1.",
        lambda case: _is_cdf(case, increasing=True),
        when=lambda case: 0 < case.alpha <= 1,
    ),
    cause=causes.VAR_INDICATOR,
    cases=lambda: st.builds(
        lambda alpha, pair: StepCase(alpha, *sorted(pair)),
        st.one_of(strategies.levels(), st.just(Fraction())),
        st.tuples(strategies.rationals(), strategies.rationals()),
    ),
    small_cases=lambda: (
        StepCase(alpha, sigma, tau)
        for alpha, tau, sigma in product(grid("1/4")[1:], grid("1/4"), grid("1/4"))
        if sigma <= tau
    ),
    small_size="levels and arguments in quarters",
    counterexample=StepCase(Fraction(1, 2), Fraction(0), Fraction(1)),
    find_budget=20,
    formal=Formal(proves=("var_weight_is_a_weighting",)),
    theory="01-setting.md#objective-instances",
    notes="The inequality is reversed; the same sentence calls G a CDF.",
)


@dataclass(frozen=True)
class QuantileCase:
    """The law of a return and a level in (0, 1)."""

    law: vr.Law
    alpha: Fraction


@st.composite
def _quantile_cases(draw: st.DrawFn) -> QuantileCase:
    law = draw(strategies.laws(max_value=2))
    if draw(st.booleans()) and len(law) > 1:  # at the height of a step the two quantiles differ
        return QuantileCase(law, draw(st.sampled_from(law.cumulative()[:-1])))
    return QuantileCase(law, draw(strategies.levels(include_one=False)))


def _versions_are_the_quantiles(case: QuantileCase) -> Real:
    top = case.law.atoms[-1] + 1
    lower = top - area(case.law, lambda level: Fraction(level >= case.alpha), Fraction(0), top)
    upper = top - area(case.law, lambda level: Fraction(level > case.alpha), Fraction(0), top)
    return least(
        equality(lower, case.law.quantile(case.alpha)),
        equality(upper, case.law.upper_quantile(case.alpha)),
        equality(lower, vr.VaR(case.alpha).of(case.law)),
        equality(upper, vr.VaR(case.alpha, upper=True).of(case.law)),
    )


JUMPS = Statement(
    label="def:objective/jumps",
    title="the value of G at a jump decides between the quantiles",
    section="2",
    corrected=Claim(
        r"M - \int_0^M \mathbf 1(F \ge \alpha) = F^\dagger(\alpha), \quad "
        r"M - \int_0^M \mathbf 1(F > \alpha) = F^\dagger(\alpha+)",
        "A right-continuous step takes the lower quantile, a left-continuous one the upper quantile.",
        _versions_are_the_quantiles,
    ),
    cases=_quantile_cases,
    small_cases=lambda: every(QuantileCase, two_point_laws(grid("1/2"), 4), grid("1/8")[1:-1]),
    small_size="laws with at most two atoms in {0, 1/2, 1}, masses in quarters, levels in eighths",
    formal=Formal(proves=("value_at_the_jump_decides",)),
    theory="01-setting.md#objective-instances",
    notes="No claim of the paper: its G is a CDF, hence right-continuous, and by assumption Lipschitz. It "
    "matters for weightings with jumps, such as VaR, which this library also accepts.",
)


@dataclass(frozen=True)
class TailCase:
    """The law of a return, a level alpha in [0, 1], an argument tau of G, and a constant for it."""

    law: vr.Law
    alpha: Fraction
    tau: Fraction
    constant: Fraction


def _cvar_printed_slack(case: TailCase) -> Fraction:
    """L tau - G(tau); at alpha = 0 the weighting is read as its limit 1(tau > 0)."""
    weight = min(case.tau / case.alpha, Fraction(1)) if case.alpha else Fraction(case.tau > 0)
    return case.constant * case.tau - weight


def _cvar_corrected_slack(case: TailCase) -> Real:
    """CVaR is the mean of the worst alpha share, filled from below, and 1/alpha is the constant of its weighting."""
    value = equality(vr.CVaR(case.alpha).of(case.law), tail_mean(case.law, case.alpha))
    weight = vr.CVaR(case.alpha).value(case.tau)
    grows = at_most(weight, case.tau / case.alpha, "growth")
    attained = [equality(weight, case.tau / case.alpha, "attained")] if case.tau <= case.alpha else []
    return least(value, grows, *attained, equality(vr.CVaR(case.alpha).lipschitz, 1 / case.alpha, "constant"))


@st.composite
def _tail_cases(draw: st.DrawFn) -> TailCase:
    alpha = Fraction(0) if draw(st.integers(0, 4)) == 4 else draw(strategies.levels())
    constant = 1 / alpha if alpha else Fraction(draw(st.integers(1, 6)))
    tau = draw(strategies.rationals(max_denominator=12))
    return TailCase(draw(strategies.laws(max_value=2)), alpha, tau, constant)


CVAR = Statement(
    label="def:objective/cvar",
    said="implied",
    title="the weighting of CVaR",
    section="2",
    printed=Claim(
        r"G(\tau) = \min\{\tau/\alpha, 1\} \text{ is Lipschitz for every } \alpha \in [0,1], \quad L_G = 1/\alpha",
        "For every level in [0, 1] the weighting of CVaR grows at most at the rate L (any L proposed for level 0).",
        _cvar_printed_slack,
        when=lambda case: case.constant == 1 / case.alpha if case.alpha else True,
    ),
    corrected=Claim(
        r"\alpha \in (0,1]:\ \Phi = \tfrac1\alpha \int_0^\alpha F^\dagger, \quad L_G = 1/\alpha",
        "For levels in (0, 1] the objective is the mean of the worst alpha share, and 1/alpha is the least "
        "Lipschitz constant.",
        _cvar_corrected_slack,
        when=lambda case: case.alpha > 0,
    ),
    cause=causes.LEVEL_ZERO,
    cases=_tail_cases,
    small_cases=lambda: (
        TailCase(law, alpha, tau, 1 / alpha if alpha else Fraction(1))
        for law, alpha, tau in product(two_point_laws(grid("1/2"), 3), grid("1/6"), grid("1/6"))
    ),
    small_size="laws with at most two atoms in {0, 1/2, 1}, masses in thirds, levels in sixths",
    counterexample=TailCase(vr.Law.point(0), Fraction(0), Fraction(1, 2), Fraction(1)),
    find_budget=400,
    formal=Formal(proves=("cvar_is_mean_of_worst_share",)),
    theory="01-setting.md#objective-instances",
    reaches={"hypotheses": ("not noticed", "at level 0 neither CVaR nor 1/alpha is defined")},
    notes="Line 153 lets alpha range over [0, 1], line 172 has L_G = 1/alpha, which needs alpha > 0. In Coq: "
    "1/alpha is a Lipschitz constant; that none is smaller is seen at any tau up to alpha.",
)

STATEMENTS = (VAR, JUMPS, CVAR)
