r"""L1/value and L1/greedy: optimism for concave weightings, by exact dynamic programming on both sides.

On the event the best optimistic value is at least the best true value; the policy that is greedy in the *true* model at
every (t, s, y) does at least as well in the optimistic one.  Every nondecreasing weighting and every policy are in
``L1/coupling``.
"""

from dataclasses import replace
from typing import Any

from ...cases.estimation import optimistic_mdp, phi, with_top_state
from ...cases.greedy import Greedy
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from .optimistic_pairs import SMALL_SIZE, Estimated, estimated, event, small_estimated


def value_slack(case: Any) -> Real:
    """The best value in the optimistic model minus that in the true one."""
    better = optimistic_mdp(case.estimate, case.radii)
    return at_most(Greedy(case.mdp, case.weighting).value, Greedy(better, case.weighting).value)


VALUE = Statement(
    label="L1/value",
    title="optimism of the value",
    corrected=Claim(
        r"\mathcal E \Rightarrow \max_\pi \hat\Phi(\pi) \ge \max_\pi \Phi(\pi)",
        "on the event, the best value in the optimistic model is at least the best value in the true one",
        value_slack,
        when=event,
    ),
    uses=("L0/adaptive", "L1/coupling", "thm:augmented"),
    cases=estimated,
    small_cases=lambda: (case for case in small_estimated() if not case.last_of_ties),
    small_size=SMALL_SIZE,
    formal=Formal(parts=("optimistic_supremum_dominates", "optimistic_maximum_dominates")),
    theory="06-event-and-optimism.md#L1",
)


def _greedy_slack(case: Estimated) -> Real:
    better = optimistic_mdp(case.estimate, case.radii)
    mdp = with_top_state(case.mdp)
    best = Greedy(mdp, case.weighting, last_of_ties=case.last_of_ties)
    own = phi(case.weighting, mdp, best.policy())
    return least(at_most(own, phi(case.weighting, better, best.policy(better))), equality(own, best.value))


GREEDY = replace(
    VALUE,
    label="L1/greedy",
    title="optimism of the greedy optimal policy",
    corrected=Claim(
        r"\mathcal E \Rightarrow \hat\Phi(\pi^*) \ge \Phi(\pi^*), \ \pi^* \text{ greedy in } M \text{ everywhere, } "
        r"G \text{ concave}",
        "on the event, the optimal policy that is greedy everywhere does at least as well in the optimistic model",
        _greedy_slack,
        when=event,
    ),
    uses=("L0/adaptive", "L2/duality", "L2/values"),
    small_cases=small_estimated,
    formal=Formal(proves=("optimism_of_greedy_policies",)),
    theory="06-event-and-optimism.md#optimism-greedy",
)
