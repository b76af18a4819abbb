r"""L2/optimistic: closeness of the optimistic pair, on the event, for the greedy policy of a concave weighting.

.. math:: \hat\Phi(\hat\pi) - \Phi(\hat\pi)
          \le L_G\, \mathbf E_{M,\hat\pi} \sum_t \Bigl[(T-t)\,\hat P(s_\infty) + \int_0^1 (F_R - F_{\hat R})\Bigr]
          \le L_G\, \mathbf E_{M,\hat\pi} \sum_t [(T-t)\min(1, S_0\epsilon) + \min(1, 2\epsilon)] .
"""

from fractions import Fraction

from ...cases.estimation import expected_cost, lipschitz, optimistic_mdp, phi, row_of, with_top_state
from ...cases.greedy import Greedy
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from ..optimism.optimistic_pairs import SMALL_SIZE, Estimated, estimated, event, radius_cost, small_estimated


def _slack(case: Estimated) -> Real:
    """Both inequalities, and that the greedy policy attains the optimistic optimum."""
    better = optimistic_mdp(case.estimate, case.radii)
    mdp = with_top_state(case.mdp)
    best = Greedy(better, case.weighting, last_of_ties=case.last_of_ties)
    policy, horizon, states = best.policy(mdp), case.mdp.horizon, case.mdp.n_states

    def cost(t: int, s: int, a: int) -> Fraction:
        gain = better.actions(s)[a].reward_law.mean - mdp.actions(s)[a].reward_law.mean  # the area between the CDFs
        return (horizon - 1 - t) * row_of(better, s, a)[states] + gain

    scale = lipschitz(case.weighting)
    first = scale * expected_cost(mdp, policy, cost)
    second = scale * expected_cost(mdp, policy, radius_cost(case))
    attained = phi(case.weighting, better, best.policy())
    gap = at_most(attained - phi(case.weighting, mdp, policy), first)
    return least(gap, at_most(first, second, "radii"), at_most(best.value, attained, "attained"))


STATEMENT = Statement(
    label="L2/optimistic",
    title="closeness of the optimistic pair",
    corrected=Claim(
        r"\hat\Phi(\hat\pi) - \Phi(\hat\pi) \le L_G\, \mathbf E_{M,\hat\pi} \sum_t [(T-t)\hat P(s_\infty) + "
        r"\int (F_R - F_{\hat R})] \le L_G\, \mathbf E \sum_t [(T-t)\min(1, S_0\epsilon) + \min(1, 2\epsilon)]",
        "on the event, the greedy policy of the optimistic model loses little when played in the true one",
        _slack,
        when=event,
    ),
    uses=("L0/adaptive", "L2/greedy", "def:optimistic/rows", "def:optimistic/rewards"),
    cases=estimated,
    small_cases=small_estimated,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("optimistic_values_close",)),
    theory="07-closeness.md#close-optimistic",
)
