r"""Cases of the closeness statements: two models of one shape, a policy for both, a weighting, and distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.numbers.enclosure import Real
from verified_risk.objectives import CVaR, Mean, Weighting
from verified_risk.policy import Policy, ReturnPolicy

from ...cases import strategies
from ...cases.estimation import expected_cost, phi, row_of, total_variation
from ...cases.estimation_strategies import (
    interlaced_pairs,
    markov_policies_of,
    mdp_pairs,
    origin_policies,
    shared_policies,
)
from ...cases.greedy import reachable_sums
from ...cases.irrational import absolute

Cost = Callable[[int, int, int], Fraction]
"""``cost(t, s, a)``."""

SMALL_SIZE = "T = 2, one state, two actions, six reward laws, mean and CVaR at 1/2, all deterministic y-policies"


@dataclass(frozen=True)
class Pair:
    """Two models that share states, actions, initial law and horizon; a policy that plays in both; a weighting."""

    twin: MDP
    mdp: MDP
    policy: Policy
    weighting: Weighting


def kolmogorov(mdp: MDP, twin: MDP, s: int, a: int) -> Fraction:
    return mdp.actions(s)[a].reward_law.kolmogorov(twin.actions(s)[a].reward_law)


def variation_of_rewards(mdp: MDP, twin: MDP, s: int, a: int) -> Fraction:
    return mdp.actions(s)[a].reward_law.total_variation(twin.actions(s)[a].reward_law)


def variation_of_rows(mdp: MDP, twin: MDP, s: int, a: int) -> Fraction:
    return total_variation(row_of(mdp, s, a), row_of(twin, s, a))


def area(law: Law, other: Law) -> Fraction:
    r""":math:`\int (F - F')^+`."""
    points = pairwise(sorted({*law.atoms, *other.atoms}))
    return sum((max(law.cdf(x) - other.cdf(x), Fraction()) * (y - x) for x, y in points), Fraction())


def difference(pair: Pair) -> Real:
    r""":math:`|\Phi'(\pi) - \Phi(\pi)|`."""
    return absolute(phi(pair.weighting, pair.twin, pair.policy) - phi(pair.weighting, pair.mdp, pair.policy))


def expected(pair: Pair, cost: Cost) -> Real:
    """The expected total cost under the model itself."""
    return expected_cost(pair.mdp, pair.policy, cost)


def expected_in_twin(pair: Pair, cost: Cost) -> Real:
    """The expected total cost under the other model."""
    return expected_cost(pair.twin, pair.policy.on(pair.twin), cost)


@st.composite
def _drawn(draw: st.DrawFn, markov: bool, interlaced: bool | None) -> Pair:
    if draw(st.integers(0, 3)) == 3:  # coins, whose objectives differ as much as the bounds allow
        chances = (draw(strategies.rationals()), draw(strategies.rationals()))
        laws = [Law.of_weights({Fraction(0): 1 - p, Fraction(1): p}) for p in chances]
        mdp, twin = (one_state([law], 1) for law in laws)
        return Pair(twin, mdp, draw(markov_policies_of(mdp)), draw(strategies.weightings(max_corners=1)))
    if not markov and interlaced is not False and draw(st.booleans()):
        mdp, twin = draw(interlaced_pairs())
        return Pair(twin, mdp, draw(origin_policies(mdp, (twin, mdp))), draw(strategies.weightings(max_corners=1)))
    mdp, twin = draw(mdp_pairs(interlaced=interlaced))
    policy: Policy
    policy = draw(markov_policies_of(mdp)) if markov else draw(shared_policies(mdp, (twin, mdp)))
    return Pair(twin, mdp, policy, draw(strategies.weightings()))


def drawn(*, markov: bool = False, interlaced: bool | None = None) -> SearchStrategy[Pair]:
    """Pairs of models, half of them with interlaced rewards, and a policy of any kind, or Markov."""
    return _drawn(markov, interlaced)


def one_state(rewards: list[Law | int | Fraction], horizon: int) -> MDP:
    """One state, one action per reward."""
    return MDP(0, [[[1]] * len(rewards)], [list(rewards)], horizon)


def small_pairs() -> Iterator[Pair]:
    """The cases described by :data:`SMALL_SIZE`."""
    half = Fraction(1, 2)
    coin = Law({0: half, 1: half})
    laws: list[Law | int | Fraction] = [0, half, 1, coin, Fraction(1, 8), Law({0: half, half: half})]
    for reward, other, fixed in product(laws, laws, (0, 1)):
        mdp, twin = one_state([reward, fixed], 2), one_state([other, fixed], 2)
        sums = sorted({y for model in (mdp, twin) for _, y in reachable_sums(model)[1]})
        for first in (0, 1):
            for actions in product((0, 1), repeat=len(sums)):
                table = {(0, 0, Fraction()): first} | {(1, 0, y): a for y, a in zip(sums, actions, strict=True)}
                policy = ReturnPolicy(mdp, table)
                for weighting in (Mean(), CVaR(half)):
                    yield Pair(twin, mdp, policy, weighting)
