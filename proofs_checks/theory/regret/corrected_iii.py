r"""corrected/iii: the printed right-hand side, even without its sqrt 5, for the corrected learner at delta/2.

The regret is at most KT in any case, and at most (ii); for all sizes the lesser of the two is at most
:math:`4T^{3/2}|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}`.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import minimum
from ...engine.model import Claim, Formal, Statement, at_most
from .. import reasons
from .regret_sizes import SMALL_SIZE, Problem, printed_bound, probable_bound, problems, small_problems


def _slack(p: Problem) -> Real:
    half = Problem(p.ordinary, p.actions, p.horizon, p.episodes, p.delta / 2)
    return at_most(minimum(Fraction(p.steps), probable_bound(half)), printed_bound(p, inside=1))


STATEMENT = Statement(
    label="corrected/iii",
    title="the printed right-hand side for the corrected learner",
    section="corrected theory",
    corrected=Claim(
        r"\min\{KT,\ \tfrac{e}{e-1}[\beta_{\delta/2} + \tfrac{T(T+1)}2 \log\tfrac2\delta]\} \le "
        r"4T^{3/2}|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}",
        "the corrected bound at delta/2, or the trivial one, is below the printed right side without its root of 5",
        _slack,
    ),
    uses=("corrected/ii/sum",),
    cases=problems,
    small_cases=small_problems,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("printed_right_side_without_5",)),
    reaches={"bound": ("0.5", reasons.CLOSED_FORMS)},
    theory="08-regret.md#regret-iii",
)
