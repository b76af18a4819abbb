r"""L1/markov: optimism policy by policy, for Markov policies and every nondecreasing weighting."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verified_risk.numbers.enclosure import Real
from verified_risk.policy import MarkovPolicy

from ...cases.estimation import lifted, optimistic_mdp, phi
from ...engine.model import Claim, Formal, Statement, at_most
from . import lem_optimismhat
from .optimistic_pairs import SMALL_SIZE, Played, event, played, small_played_markov


def _slack(case: Played) -> Real:
    better = optimistic_mdp(case.estimate, case.radii)
    own = phi(case.weighting, case.mdp, case.policy)
    return at_most(own, phi(case.weighting, better, lifted(case.policy, better)))


def markov_on_event(case: object) -> bool:
    return isinstance(case, Played) and isinstance(case.policy, MarkovPolicy) and event(case)


def told_apart() -> SearchStrategy[Played]:
    """The cases of the paper's lemma, which is false: policies that tell the two models apart by the rewards seen."""
    return lem_optimismhat.drawn().map(
        lambda case: Played(case.estimate, case.mdp, case.radii, case.policy, case.weighting)
    )


STATEMENT = Statement(
    label="L1/markov",
    title="optimism of every Markov policy",
    section="corrected theory",
    corrected=Claim(
        r"\mathcal E \Rightarrow \hat\Phi(\pi) \ge \Phi(\pi), \ \pi \text{ Markov, any nondecreasing } G",
        "on the event, a policy that cannot see the rewards does at least as well in the optimistic model",
        _slack,
        when=markov_on_event,
    ),
    uses=("L1/coupling",),
    cases=lambda: st.one_of(played(markov=True, jumps=True), told_apart()),
    small_cases=small_played_markov,
    small_size=SMALL_SIZE + "; all deterministic Markov policies",
    formal=Formal(proves=("markov_optimism",)),
    theory="06-event-and-optimism.md#optimism-markov",
)
