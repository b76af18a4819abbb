r"""L2/greedy, L2/planner-error: closeness (c), for a concave weighting and a policy greedy in M' at every (t, s, y).

.. math:: v' - \Phi(\pi') \le L_G\, \mathbf E_{M,\pi'} \sum_{t=1}^T
          \Bigl[(T-t)\,\mathrm{TV}(P',P) + \int_0^1 (F_R - F_{R'})^+\Bigr],

where the integral is at most KS.  The proof telescopes the values of M' along the process of M.

A policy that is greedy only up to :math:`w_t` at step t loses :math:`\sum_t w_t` more, :math:`w_t` being the largest
loss of an action at step t, in the value of M', wherever the process of M leads.  So the error of a planner only adds
to the regret, if it is measured where M leads, not where M' does.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.greedy import Greedy, concave, reachable_sums
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from .. import reasons
from .model_pairs import Pair, greedy_cost, small_pairs, small_triples


@dataclass(frozen=True)
class Case:
    """Two models and a concave weighting; whether ties break to the last action."""

    mdp: vr.MDP
    twin: vr.MDP
    weighting: vr.Weighting
    last_of_ties: bool


def greedy_slack(mdp: vr.MDP, twin: vr.MDP, weighting: vr.Weighting, last_of_ties: bool) -> Real:
    """The right side minus ``v' - Phi(pi')``, and ``Phi'(pi') - v'``."""
    best = Greedy(twin, weighting, last_of_ties=last_of_ties)
    policy = best.policy(mdp)
    bound = lipschitz(weighting) * expected_cost(mdp, policy, greedy_cost(mdp, twin))
    attained = phi(weighting, twin, best.policy())
    return least(at_most(attained - phi(weighting, mdp, policy), bound), equality(attained, best.value))


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    mdp, twin = draw(strategies.mdp_pairs(max_denominator=3))
    corners = 2 if mdp.n_states == 1 else 1
    weighting = draw(strategies.weightings(shape="concave", max_corners=corners))
    return Case(mdp, twin, weighting, draw(st.booleans()))


GREEDY = Statement(
    label="L2/greedy",
    title="closeness (c): concave weighting, greedy everywhere",
    corrected=Claim(
        r"\Phi'(\pi') - \Phi(\pi') \le L_G\, \mathbf E_{M,\pi'} \sum_t "
        r"[(T-t)\,\mathrm{TV}(P',P) + \int (F_R - F_{R'})^+]",
        "a policy that is greedy in M' at every (t, s, y) loses little when played in M",
        lambda case: greedy_slack(case.mdp, case.twin, case.weighting, case.last_of_ties),
    ),
    uses=("L2/duality", "L2/values"),
    cases=_drawn,
    small_cases=lambda: (Case(*triple, last) for triple in small_triples() for last in (False, True)),
    small_size="T = 2, one state, two actions, six reward laws, mean and CVaR at 1/2, both tie rules",
    formal=Formal(proves=("greedy_values_close_in_area",)),
    theory="07-closeness.md#L2",
)


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


def _error_slack(pair: Pair) -> Real:
    best = Greedy(pair.twin, pair.weighting)
    cost = expected_cost(pair.mdp, pair.policy, greedy_cost(pair.mdp, pair.twin))
    bound = lipschitz(pair.weighting) * cost + errors(pair, best)
    return at_most(best.value - phi(pair.weighting, pair.mdp, pair.policy), bound)


@st.composite
def _drawn_pair(draw: st.DrawFn) -> Pair:
    mdp, twin = draw(strategies.mdp_pairs(max_denominator=3))
    policy = draw(strategies.shared_policies(mdp, (twin, mdp)))
    return Pair(twin, mdp, policy, draw(strategies.weightings(shape="concave", max_corners=1)))


PLANNER_ERROR = Statement(
    label="L2/planner-error",
    title="closeness (c) with an error of the planner",
    corrected=Claim(
        r"v' - \Phi(\pi) \le L_G\, \mathbf E_{M,\pi} \sum_t [(T-t)\,\mathrm{TV}(P',P) + \int (F_R - F_{R'})^+] + "
        r"\sum_t w_t",
        "a policy that is greedy in M' up to an error, wherever M may lead, loses little more when played in M",
        _error_slack,
        when=concave,
    ),
    uses=("L2/greedy",),
    cases=_drawn_pair,
    small_cases=lambda: (pair for pair in small_pairs() if pair.weighting.shape == "concave"),
    small_size="T = 2, one state, two actions, six reward laws, CVaR at 1/2, all deterministic y-policies",
    reaches=reasons.CONCAVE,
    formal=Formal(proves=("planner_error_adds",)),
    theory="08-regret.md#planner-error",
)
