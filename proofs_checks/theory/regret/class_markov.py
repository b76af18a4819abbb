r"""class/markov: the optimistic pair for Markov policies and any Lipschitz weighting.

.. math:: 0 \le \hat\Phi(\pi) - \Phi(\pi) \le L_G\, \mathbf E_{M,\pi} \sum_t [(T-t)\min(1,S_0\epsilon) +
          \min(1,2\epsilon)] \le T L_G\, \mathbf E_{M,\pi} \sum_t (|S|+1)\,\epsilon .

So a learner of Markov policies has the regret of the corrected theorem for every Lipschitz G, concave or not.
"""

from fractions import Fraction

from hypothesis import strategies as st

from ...cases.estimation import expected_cost, lipschitz
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from .. import reasons
from ..optimism.l1_markov import MARKOV_ON_EVENT, told_apart
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, both_values, played, radius_cost, small_played_markov


def slack(case: Played) -> Real:
    mdp, states, horizon = case.mdp, case.mdp.n_states, case.mdp.horizon

    def coarse(t: int, s: int, a: int) -> Fraction:
        return horizon * (states + 2) * case.radii[s][a]

    scale = lipschitz(case.weighting)
    bound = scale * expected_cost(mdp, case.policy, radius_cost(case))
    rough = scale * expected_cost(mdp, case.policy, coarse)
    own, better = both_values(case)
    return least(better - own, at_most(better - own, bound), at_most(bound, rough, "coarse"))


STATEMENT = Statement(
    label="class/markov",
    title="Markov policies, any Lipschitz weighting",
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
    small_size=SMALL_PLAYED,
    formal=Formal(proves=("markov_policies_are_flattered_a_little",)),
    reaches={"coarse": ("0.5", reasons.COARSE)},
    theory="08-regret.md#markov-class",
)
