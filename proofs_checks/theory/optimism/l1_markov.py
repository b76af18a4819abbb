r"""L1/markov: optimism policy by policy, for Markov policies and every nondecreasing weighting."""

from __future__ import annotations

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import lifted, optimistic_mdp, phi
from ...engine.codec import decoder
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .optimistic_pairs import SMALL_SIZE, Played, event, played, small_played_markov


def _slack(case: Played) -> Real:
    better = optimistic_mdp(case.estimate, case.radii)
    return phi(case.weighting, better, lifted(case.policy, better)) - phi(case.weighting, case.mdp, case.policy)


STATEMENT = Statement(
    source=__file__,
    label="L1/markov",
    title="optimism of every Markov policy",
    section="corrected theory",
    printed=None,
    corrected=Claim(
        r"\mathcal E \Rightarrow \hat\Phi(\pi) \ge \Phi(\pi), \ \pi \text{ Markov, any nondecreasing } G",
        "on the event, a policy that cannot see the rewards does at least as well in the optimistic model",
        _slack,
        when=event,
    ),
    finding=Severity.HOLDS,
    uses=("L1/coupling",),
    cases=lambda: played(markov=True, jumps=True),
    small_cases=small_played_markov,
    small_size=SMALL_SIZE + "; all deterministic Markov policies",
    decode=decoder(Played),
    formal=Formal(proves=("markov_optimism",)),
    theory="06-event-and-optimism.md#optimism-markov",
)
