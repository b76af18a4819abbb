r"""close/hat-tilde: the optimistic against the empirical model, for every policy, in full generality.

.. math:: |\hat\Phi(\pi) - \tilde\Phi(\pi)| \le L_G\, \mathbf E_\pi \sum_t
          [(T-t+1)\min(1,\epsilon) + (T-t)\,\hat P(s_\infty)] \le T L_G\, \mathbf E_\pi \sum_t |S|\,\epsilon,

under the empirical or the optimistic model, on or off the event.
"""

from fractions import Fraction

from ...cases.estimation import expected_cost, lifted, lipschitz, optimistic_mdp, phi, row_of, with_top_state
from ...cases.irrational import absolute
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from .. import reasons
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, played, small_played_markov


def slack(case: Played) -> Real:
    better = optimistic_mdp(case.estimate, case.radii)
    estimate = with_top_state(case.estimate)
    policy = lifted(case.policy, better)
    other = policy.on(estimate)
    horizon, states = case.mdp.horizon, case.mdp.n_states

    def cost(t: int, s: int, a: int) -> Fraction:
        if s == states:
            return Fraction()
        return (horizon - t) * min(Fraction(1), case.radii[s][a]) + (horizon - 1 - t) * row_of(better, s, a)[states]

    def coarse(t: int, s: int, a: int) -> Fraction:
        return Fraction() if s == states else horizon * (states + 1) * case.radii[s][a]

    scale = lipschitz(case.weighting)
    gap = absolute(phi(case.weighting, better, policy) - phi(case.weighting, estimate, other))
    sides = ((better, policy), (estimate, other))
    bounds = [(scale * expected_cost(*side, cost), scale * expected_cost(*side, coarse)) for side in sides]
    return least(*(at_most(gap, sharp) for sharp, _ in bounds), *(at_most(*bound, "coarse") for bound in bounds))


STATEMENT = Statement(
    label="close/hat-tilde",
    title="the optimistic model is close to the empirical one in total variation",
    corrected=Claim(
        r"|\hat\Phi - \tilde\Phi| \le L_G\, \mathbf E \sum_t [(T-t+1)\min(1,\epsilon) + (T-t)\hat P(s_\infty)] "
        r"\le T L_G\, \mathbf E \sum_t |S|\,\epsilon",
        "every policy has nearly the same objective in both models, whatever the true model is",
        slack,
    ),
    uses=("close/tv", "def:optimistic/rows", "def:optimistic/rewards"),
    cases=played,
    small_cases=small_played_markov,
    small_size=SMALL_PLAYED,
    formal=Formal(proves=("hat_and_tilde_close",)),
    reaches={"coarse": ("0.5", reasons.COARSE)},
    theory="07-closeness.md#hattildebound",
)
