r"""L2/greedy: closeness (c), for a concave weighting and the policy that is greedy in M' at every (t, s, y).

.. math:: v' - \Phi(\pi') \le L_G\, \mathbf E_{M,\pi'} \sum_{t=1}^T
          \Bigl[(T-t)\,\mathrm{TV}(P',P) + \int_0^1 (F_R - F_{R'})^+\Bigr],

where the integral is at most KS.

The proof telescopes the values of M' along the process of M.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.estimation_strategies import mdp_pairs
from ...cases.greedy import Greedy
from ...engine.model import Claim, Formal, Statement, at_most, equality, least
from .model_pairs import greedy_cost, small_triples


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
    mdp, twin = draw(mdp_pairs(max_denominator=3))
    corners = 2 if mdp.n_states == 1 else 1
    weighting = draw(strategies.weightings(shape="concave", max_corners=corners))
    return Case(mdp, twin, weighting, draw(st.booleans()))


STATEMENT = Statement(
    label="L2/greedy",
    title="closeness (c): concave weighting, greedy everywhere",
    section="corrected theory",
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
