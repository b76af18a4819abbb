r"""close/markov: closeness (b), for Markov policies, with the area between the reward CDFs.

.. math:: |\Phi'(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_\pi \sum_{t=1}^T
          \bigl[W_1(R,R') + (T-t)\,\mathrm{TV}(P,P')\bigr], \qquad W_1 \le \mathrm{KS},

under M or under M'.  A Markov policy cannot see the rewards, so any coupling of them is allowed.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from verified_risk.policy import MarkovPolicy

from ...cases.estimation import lipschitz
from ...engine.model import Claim, Formal, Real, Statement
from .model_pairs import Pair, difference, drawn, in_both, small_triples, variation_of_rows


def _slack(pair: Pair) -> Real:
    horizon = pair.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        law, other = pair.mdp.actions(s)[a].reward_law, pair.twin.actions(s)[a].reward_law
        return law.wasserstein(other) + (horizon - 1 - t) * variation_of_rows(pair.mdp, pair.twin, s, a)

    return in_both(difference(pair), pair, cost, lipschitz(pair.weighting))


def _small_cases() -> Iterator[Pair]:
    """Each pair of the enumeration with the four Markov policies of two steps and two actions."""
    for (mdp, twin, weighting), first, second in product(small_triples(), (0, 1), (0, 1)):
        yield Pair(twin, mdp, MarkovPolicy(mdp, [[first], [second]]), weighting)


STATEMENT = Statement(
    label="close/markov",
    title="closeness (b): Markov policies, areas between CDFs",
    corrected=Claim(
        r"|\Phi' - \Phi| \le L_G\, \mathbf E \sum_t [W_1(R,R') + (T-t)\,\mathrm{TV}(P,P')], \ \pi \text{ Markov}",
        "for Markov policies the rewards need only be close in distribution",
        _slack,
    ),
    uses=("lem:key",),
    cases=lambda: drawn(markov=True),
    small_cases=_small_cases,
    small_size="T = 2, one state, two actions, six reward laws, mean and CVaR at 1/2, all Markov policies",
    formal=Formal(proves=("markov_values_close_in_area",)),
    theory="07-closeness.md#close-b",
)
