r"""class/markov: the optimistic pair for Markov policies and any Lipschitz weighting.

.. math:: 0 \le \hat\Phi(\pi) - \Phi(\pi) \le L_G\, \mathbf E_{M,\pi} \sum_t [(T-t)\min(1,S_0\epsilon) +
          \min(1,2\epsilon)] \le T L_G\, \mathbf E_{M,\pi} \sum_t (|S|+1)\,\epsilon .

So a learner of Markov policies has the regret of the corrected theorem for every Lipschitz G, concave or not.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import expected_cost, lifted, lipschitz, optimistic_mdp, phi
from ...engine.model import Claim, Formal, Statement, at_most, least
from .. import reasons
from ..optimism.l1_markov import MARKOV_ON_EVENT, told_apart
from ..optimism.optimistic_pairs import SMALL_SIZE, Played, played, small_played_markov


def slack(case: Played) -> Real:
    mdp, states, horizon = case.mdp, case.mdp.n_states, case.mdp.horizon
    better = optimistic_mdp(case.estimate, case.radii)

    def cost(t: int, s: int, a: int) -> Fraction:
        eps, one = case.radii[s][a], Fraction(1)
        return (horizon - 1 - t) * min(one, states * eps) + min(one, 2 * eps)

    def coarse(t: int, s: int, a: int) -> Fraction:
        return horizon * (states + 2) * case.radii[s][a]

    scale = lipschitz(case.weighting)
    bound = scale * expected_cost(mdp, case.policy, cost)
    rough = scale * expected_cost(mdp, case.policy, coarse)
    gap = phi(case.weighting, better, lifted(case.policy, better)) - phi(case.weighting, mdp, case.policy)
    return least(gap, at_most(gap, bound), at_most(bound, rough, "coarse"))


STATEMENT = Statement(
    label="class/markov",
    title="Markov policies, any Lipschitz weighting",
    section="corrected theory",
    corrected=Claim(
        r"\mathcal E, \pi \text{ Markov}:\ 0 \le \hat\Phi - \Phi \le L_G\, \mathbf E \sum_t "
        r"[(T-t)\min(1,S_0\epsilon) + \min(1,2\epsilon)] \le T (|S|+1) L_G\, \mathbf E \sum_t \epsilon",
        "on the event, the optimistic model overestimates every Markov policy by at most the stated amount",
        slack,
        when=MARKOV_ON_EVENT,
    ),
    uses=("close/markov", "L1/markov", "L0/adaptive"),
    cases=lambda: st.one_of(played(markov=True), played(markov=True), played(markov=True), told_apart()),
    small_cases=small_played_markov,
    small_size=SMALL_SIZE + "; all deterministic Markov policies",
    formal=Formal(proves=("markov_policies_are_flattered_a_little",)),
    reaches={"coarse": ("0.5", reasons.COARSE)},
    theory="08-regret.md#markov-class",
)
