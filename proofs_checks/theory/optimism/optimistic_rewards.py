r"""def:optimistic/rewards: the optimistic rewards.  They are laws on [0, 1] that dominate the empirical ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.law import Law
from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid
from ...cases.estimation import optimistic_reward
from ...engine.model import Claim, Formal, Statement, at_most, equality, least


@dataclass(frozen=True)
class Case:
    """An empirical reward law and its radius."""

    law: Law
    eps: Fraction


def _slack(case: Case) -> Real:
    r"""The law used has the printed CDF; it dominates; it is within epsilon in KS and in TV, and in the mean."""
    law, eps = case.law, case.eps
    better = optimistic_reward(law, eps)
    points = [x for x in (*law.atoms, *better.atoms) if x < 1]
    printed = [equality(better.cdf(x), max(law.cdf(x) - eps, Fraction())) for x in points]
    return least(
        equality(sum(better.masses, Fraction()), Fraction(1)),
        at_most(better.atoms[-1], 1, "range"),
        better.atoms[0],
        *printed,
        *(at_most(better.cdf(x), law.cdf(x), "dominance") for x in points),
        at_most(law.kolmogorov(better), eps, "KS"),
        at_most(law.total_variation(better), eps, "TV"),
        at_most(law.mean, better.mean, "mean"),
        at_most(better.mean - law.mean, eps, "gain"),
    )


STATEMENT = Statement(
    label="def:optimistic/rewards",
    title="the optimistic rewards are laws that dominate",
    section="4",
    printed=Claim(
        r"F_{\hat R} = (F_{\tilde R} - \epsilon)^+ \text{ on } [0,1),\ F_{\hat R}(1)=1: \ \hat R \succeq \tilde R,\ "
        r"\mathrm{TV}(\hat R, \tilde R) \le \epsilon",
        "shifting the CDF down by epsilon gives a law on [0, 1] that dominates the empirical one and is within epsilon",
        _slack,
    ),
    uses=("def:empirical",),
    cases=lambda: st.builds(Case, strategies.laws(), strategies.rationals(max_value=Fraction(3, 2), max_denominator=8)),
    small_cases=lambda: every(Case, all_laws(grid("1/2"), 4), grid("1/8")),
    small_size="laws on 0, 1/2, 1 with masses in quarters, radii in eighths up to 1",
    formal=Formal(proves=("optimistic_rewards",)),
    theory="06-event-and-optimism.md#optimistic",
    notes="The shift moves the lowest epsilon of mass to reward 1, so the distance holds in TV, not only in KS.",
)
