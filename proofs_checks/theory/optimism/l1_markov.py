r"""L1/markov: optimism policy by policy, for Markov policies and every nondecreasing weighting."""

from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...engine.model import Claim, Formal, Hypotheses, Statement, at_most
from . import lem_optimismhat
from .optimistic_pairs import SMALL_PLAYED, Played, both_values, event, played, small_played_markov


def is_markov(case: object) -> bool:
    return isinstance(case, Played) and isinstance(case.policy, vr.MarkovPolicy)


MARKOV_ON_EVENT = Hypotheses(Markov=is_markov, event=event)


@st.composite
def _every_other_seen(draw: st.DrawFn) -> Played:
    """One of 2k equally likely rewards, of which every other was seen; then 1 or 0, by whether it is one of these."""
    teeth, then = 2 * draw(st.integers(1, 8)), draw(st.sampled_from(((1, 2), (2, 1))))
    law, seen = (vr.Law({Fraction(j, teeth): Fraction(k, teeth) for j in range(0, teeth, k)}) for k in (1, 2))
    mdp, estimate = (vr.MDP(0, [[[1]] * 3], [[first, 1, 0]], 2) for first in (law, seen))
    policy = vr.ReturnPolicy(mdp, {(0, 0, 0): 0} | {(1, 0, y): then[y not in seen.atoms] for y in (*law.atoms, 1)})
    return Played(estimate, mdp, ((Fraction(1, teeth), Fraction(), Fraction()),), policy, vr.Mean())


def told_apart() -> st.SearchStrategy[Played]:
    """The cases of the paper's lemmas, which are false: policies that tell models apart by the rewards seen."""
    known = lem_optimismhat.drawn().map(
        lambda case: Played(case.estimate, case.mdp, case.radii, case.policy, case.weighting)
    )
    return st.one_of(known, _every_other_seen())


STATEMENT = Statement(
    label="L1/markov",
    title="optimism of every Markov policy",
    corrected=Claim(
        r"\mathcal E \Rightarrow \hat\Phi(\pi) \ge \Phi(\pi), \ \pi \text{ Markov, any nondecreasing } G",
        "on the event, a policy that cannot see the rewards does at least as well in the optimistic model",
        lambda case: at_most(*both_values(case)),
        when=MARKOV_ON_EVENT,
    ),
    uses=("L1/coupling",),
    cases=lambda: st.one_of(played(markov=True, jumps=True), told_apart()),
    small_cases=small_played_markov,
    small_size=SMALL_PLAYED,
    formal=Formal(proves=("markov_optimism",)),
    theory="06-event-and-optimism.md#optimism-markov",
)
