r"""L2/planner-error: closeness (c) for a policy that is greedy only up to :math:`w_t` at step t.

.. math:: v' - \Phi(\pi) \le L_G\, \mathbf E_{M,\pi} \sum_{t=1}^T \Bigl[(T-t)\,\mathrm{TV}(P',P)
          + \int_0^1 (F_R - F_{R'})^+\Bigr] + \sum_t w_t .

Here :math:`w_t` is the largest loss of an action at step t, in the value of M', wherever the process of M leads.  So
the error of a planner only adds to the regret, if it is measured where M leads, not where M' does.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.estimation_strategies import mdp_pairs, shared_policies
from ...cases.greedy import Greedy, concave, reachable_sums
from ...engine.model import Claim, Formal, Statement, at_most
from .. import reasons
from .model_pairs import Pair, greedy_cost, small_pairs


def errors(pair: Pair, best: Greedy) -> Fraction:
    """The sum over the steps of the largest loss of an action that the policy may take in M."""
    values, total = best.values, Fraction()
    for t, level in enumerate(reachable_sums(pair.mdp)[:-1]):
        worst = Fraction()
        for s, y in level:
            for _, part in pair.policy.parts():
                for a, _ in part.choice(t, s, y if part.start() is not None else None):
                    worst = max(worst, values.value(t, s, y) - values.of_action(t, s, y, a))
        total += worst
    return total


def _slack(pair: Pair) -> Real:
    best = Greedy(pair.twin, pair.weighting)
    cost = expected_cost(pair.mdp, pair.policy, greedy_cost(pair.mdp, pair.twin))
    bound = lipschitz(pair.weighting) * cost + errors(pair, best)
    return at_most(best.value - phi(pair.weighting, pair.mdp, pair.policy), bound)


@st.composite
def _drawn(draw: st.DrawFn) -> Pair:
    mdp, twin = draw(mdp_pairs(max_denominator=3))
    policy = draw(shared_policies(mdp, (twin, mdp)))
    return Pair(twin, mdp, policy, draw(strategies.weightings(shape="concave", max_corners=1)))


STATEMENT = Statement(
    label="L2/planner-error",
    title="closeness (c) with an error of the planner",
    section="corrected theory",
    corrected=Claim(
        r"v' - \Phi(\pi) \le L_G\, \mathbf E_{M,\pi} \sum_t [(T-t)\,\mathrm{TV}(P',P) + \int (F_R - F_{R'})^+] + "
        r"\sum_t w_t",
        "a policy that is greedy in M' up to an error, wherever M may lead, loses little more when played in M",
        _slack,
        when=concave,
    ),
    uses=("L2/greedy",),
    cases=_drawn,
    small_cases=lambda: (pair for pair in small_pairs() if pair.weighting.shape == "concave"),
    small_size="T = 2, one state, two actions, six reward laws, CVaR at 1/2, all deterministic y-policies",
    reaches=reasons.CONCAVE,
    formal=Formal(proves=("planner_error_adds",)),
    theory="08-regret.md#planner-error",
)
