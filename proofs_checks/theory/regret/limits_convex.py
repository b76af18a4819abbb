r"""limits/convex: closeness (c) for a weighting that is not concave.  False, even for nearly greedy policies.

:math:`G(\tau) = (2\tau-1)^+`: the mean of the upper half.  T = 2.  The first state has one action; its reward is one
of m equally likely points of :math:`[0, \zeta)` in M and of the points between in M'.  It leads to a state where a
pays 1/5 and b pays 1 with probability 1/8.  Playing a on 3/7 of the first rewards of M' and b on the others is
optimal in M' up to zeta, and value 11/35.  The utility that supports this optimum, slope 8/7 up to 1/5 and 2 beyond,
leaves a and b equally good, so the policy is greedy everywhere up to a multiple of zeta.  But it may play a at every
first reward of M: value 1/5. The loss stays at :math:`4/35`, while KS is 1/m.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import verified_risk as vr

from ...cases.estimation import expected_cost, phi
from ...engine.model import Claim, Formal, Real, Statement
from ...engine.severity import Severity
from .. import reasons
from ..closeness.l2_greedy import greedy_slack
from ..closeness.model_pairs import kolmogorov

UPPER_HALF = vr.PiecewiseLinear([(0, 0), ("1/2", 0), (1, 1)])
SAFE, CHANCE = Fraction(1, 5), Fraction(1, 8)


@dataclass(frozen=True)
class Case:
    """m first rewards below zeta; m is a multiple of 7."""

    points: int
    zeta: Fraction


def models(case: Case) -> tuple[vr.MDP, vr.MDP]:
    """M and M', with interlaced first rewards."""

    def model(shift: Fraction) -> vr.MDP:
        m = case.points
        comb = vr.Law({case.zeta * (Fraction(j, m) + shift): Fraction(1, m) for j in range(m)})
        bet = vr.Law({0: 1 - CHANCE, 1: CHANCE})
        rows: list[list[Any]] = [[[0, 1]], [[0, 1], [0, 1]]]
        return vr.MDP(0, rows, [[comb], [SAFE, bet]], 2)

    return model(Fraction()), model(Fraction(1, 2 * case.points))


def policy(case: Case) -> vr.ReturnPolicy:
    """Safe at every first reward of M; in M' safe on three of seven, the bet on four of seven."""
    mdp, twin = models(case)
    table: dict[tuple[int, int, Any], int] = {(0, 0, 0): 0}
    table |= {(1, 1, y): 0 for y in mdp.actions(0)[0].reward_law.atoms}
    table |= {(1, 1, y): int(j % 7 >= 3) for j, y in enumerate(twin.actions(0)[0].reward_law.atoms)}
    return vr.ReturnPolicy(mdp, table)


def support(z: Fraction) -> Fraction:
    """The utility that supports the optimum of M' in the limit of small zeta."""
    return Fraction(8, 7) * min(z, SAFE) + 2 * max(z - SAFE, Fraction())


def greed_gap(case: Case) -> Fraction:
    """The largest loss of the policy's action for that utility, over the first rewards of both models."""
    mdp, twin = models(case)
    rule = policy(case)
    worst = Fraction()
    for model in (mdp, twin):
        for y in model.actions(0)[0].reward_law.atoms:
            values = [support(y + SAFE), (1 - CHANCE) * support(y) + CHANCE * support(y + 1)]
            ((action, _),) = rule.choice(1, 1, y)
            worst = max(worst, max(values) - values[action])
    return worst


def _printed_slack(case: Case) -> Real:
    """L_G E_M sum_t [(T-t) TV + KS] + greed gap - (Phi' - Phi); the transitions agree."""
    mdp, twin = models(case)
    rule = policy(case)
    distance = expected_cost(mdp, rule, lambda t, s, a: kolmogorov(mdp, twin, s, a))
    loss = phi(UPPER_HALF, twin, rule) - phi(UPPER_HALF, mdp, rule)
    return UPPER_HALF.lipschitz * distance + greed_gap(case) - loss


def _met(case: Case) -> bool:
    return case.points >= 7 and case.points % 7 == 0 and 0 < case.zeta <= 1


STATEMENT = Statement(
    label="limits/convex",
    said="tempting",
    title="nearly greedy policies of a convex weighting",
    printed=Claim(
        r"\Phi'(\pi') - \Phi(\pi') \le L_G\, \mathbf E_M \sum_t [(T-t)\mathrm{TV} + \mathrm{KS}] + w, \ "
        r"\pi' \text{ greedy up to } w \text{ for a supporting utility of any Lipschitz } G",
        "closeness (c) without concavity (a tempting extension of the corrected theory, not printed in the paper)",
        _printed_slack,
        when=_met,
    ),
    corrected=Claim(
        r"G \text{ concave}",
        "on the same models it holds for a concave weighting and its greedy policy",
        lambda case: greedy_slack(*models(case), vr.CVaR(Fraction(1, 2)), False),
        when=_met,
    ),
    finding=Severity.SUBSTANCE,
    uses=("L2/greedy",),
    cases=lambda: st.builds(
        Case, st.sampled_from(range(7, 43, 7)), st.sampled_from((1, 10, 100, 1000)).map(lambda d: Fraction(1, d))
    ),
    small_cases=lambda: (Case(7, Fraction(1, d)) for d in (1, 10, 1000)),
    small_size="seven first rewards, zeta in 1, 1/10, 1/1000",
    counterexample=Case(21, Fraction(1, 1000)),
    find_budget=60,
    examples_share=0.2,
    formal=Formal(proves=("greedy_values_close_in_kolmogorov",)),
    reaches={**reasons.FORM, "bound": ("0.2", "the two models of the family lose at most half of the bound")},
    theory="08-regret.md#nonconcave-example",
    notes="The loss is 4/35 up to zeta for every number of points.",
)
