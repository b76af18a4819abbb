r"""L1/greedy: optimism of the policy that is greedy in the *true* model at every (t, s, y), for a concave weighting."""

from __future__ import annotations

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import optimistic_mdp, phi, with_top_state
from ...cases.greedy import Greedy
from ...engine.model import Claim, Formal, Statement, at_most, equality, least
from .optimistic_pairs import SMALL_SIZE, Estimated, estimated, event, small_estimated


def _slack(case: Estimated) -> Real:
    better = optimistic_mdp(case.estimate, case.radii)
    mdp = with_top_state(case.mdp)
    best = Greedy(mdp, case.weighting, last_of_ties=case.last_of_ties)
    own = phi(case.weighting, mdp, best.policy())
    return least(at_most(own, phi(case.weighting, better, best.policy(better))), equality(own, best.value))


STATEMENT = Statement(
    label="L1/greedy",
    title="optimism of the greedy optimal policy",
    section="corrected theory",
    corrected=Claim(
        r"\mathcal E \Rightarrow \hat\Phi(\pi^*) \ge \Phi(\pi^*), \ \pi^* \text{ greedy in } M \text{ everywhere, } "
        r"G \text{ concave}",
        "on the event, the optimal policy that is greedy everywhere does at least as well in the optimistic model",
        _slack,
        when=event,
    ),
    uses=("L0/adaptive", "L2/duality", "L2/values"),
    cases=estimated,
    small_cases=small_estimated,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("optimism_of_greedy_policies",)),
    theory="06-event-and-optimism.md#optimism-greedy",
)
