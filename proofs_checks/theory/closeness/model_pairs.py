r"""Cases of the closeness statements: two models of one shape, a policy for both, a weighting, and distances."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.estimation import expected_cost, phi, row_of, total_variation
from ...cases.greedy import reachable_sums
from ...cases.irrational import absolute
from ...engine.model import Real, at_most, least

Cost = Callable[[int, int, int], Fraction]
"""``cost(t, s, a)``."""

SMALL_SIZE = "T = 2, one state, two actions, six reward laws, mean and CVaR at 1/2, all deterministic y-policies"


@dataclass(frozen=True)
class Pair:
    """Two models that share states, actions, initial law and horizon; a policy that plays in both; a weighting."""

    twin: vr.MDP
    mdp: vr.MDP
    policy: vr.Policy
    weighting: vr.Weighting


def kolmogorov(mdp: vr.MDP, twin: vr.MDP, s: int, a: int) -> Fraction:
    return mdp.actions(s)[a].reward_law.kolmogorov(twin.actions(s)[a].reward_law)


def variation_of_rewards(mdp: vr.MDP, twin: vr.MDP, s: int, a: int) -> Fraction:
    return mdp.actions(s)[a].reward_law.total_variation(twin.actions(s)[a].reward_law)


def variation_of_rows(mdp: vr.MDP, twin: vr.MDP, s: int, a: int) -> Fraction:
    return total_variation(row_of(mdp, s, a), row_of(twin, s, a))


def area(law: vr.Law, other: vr.Law) -> Fraction:
    r""":math:`\int (F - F')^+`."""
    points = pairwise(sorted({*law.atoms, *other.atoms}))
    return sum((max(law.cdf(x) - other.cdf(x), Fraction()) * (y - x) for x, y in points), Fraction())


def difference(pair: Pair) -> Real:
    r""":math:`|\Phi'(\pi) - \Phi(\pi)|`."""
    return absolute(phi(pair.weighting, pair.twin, pair.policy) - phi(pair.weighting, pair.mdp, pair.policy))


def in_both(gap: Real, pair: Pair, cost: Cost, scale: Fraction | int = 1) -> Real:
    """``gap`` is at most ``scale`` times the expected total cost, under M and under M'."""
    own = expected_cost(pair.mdp, pair.policy, cost)
    other = expected_cost(pair.twin, pair.policy.on(pair.twin), cost)
    return least(at_most(gap, scale * own), at_most(gap, scale * other, "twin"))


def printed_cost(pair: Pair) -> Cost:
    """The l1 distance of the rows and the KS distance of the rewards."""
    mdp, twin = pair.mdp, pair.twin
    return lambda t, s, a: 2 * variation_of_rows(mdp, twin, s, a) + kolmogorov(mdp, twin, s, a)


def variation_cost(pair: Pair) -> Cost:
    """Total variation: of the rewards at every step, of the rows at all but the last."""
    mdp, twin = pair.mdp, pair.twin

    def cost(t: int, s: int, a: int) -> Fraction:
        rows = variation_of_rows(mdp, twin, s, a) if t < mdp.horizon - 1 else Fraction()
        return variation_of_rewards(mdp, twin, s, a) + rows

    return cost


def greedy_cost(mdp: vr.MDP, twin: vr.MDP) -> Cost:
    r""":math:`(T-t)\,\mathrm{TV}(P',P) + \int (F_R - F_{R'})^+`."""

    def cost(t: int, s: int, a: int) -> Fraction:
        law, other = mdp.actions(s)[a].reward_law, twin.actions(s)[a].reward_law
        return (mdp.horizon - 1 - t) * variation_of_rows(mdp, twin, s, a) + area(law, other)

    return cost


@st.composite
def drawn(draw: st.DrawFn, *, markov: bool = False) -> Pair:
    """Pairs of models, half of them with interlaced rewards, and a policy of any kind, or Markov."""
    if draw(st.integers(0, 3)) == 3:  # coins, whose objectives differ as much as the bounds allow
        chances = (draw(strategies.rationals()), draw(strategies.rationals()))
        laws = [vr.Law.of_weights({Fraction(0): 1 - p, Fraction(1): p}) for p in chances]
        mdp, twin = (one_state([law], 1) for law in laws)
        return Pair(twin, mdp, draw(strategies.markov_policies(mdp)), draw(strategies.weightings(max_corners=1)))
    if not markov and draw(st.booleans()):
        mdp, twin = draw(strategies.interlaced_pairs())
        return Pair(
            twin, mdp, draw(strategies.origin_policies(mdp, (twin, mdp))), draw(strategies.weightings(max_corners=1))
        )
    mdp, twin = draw(strategies.mdp_pairs())
    policy: vr.Policy = draw(
        strategies.markov_policies(mdp) if markov else strategies.shared_policies(mdp, (twin, mdp))
    )
    return Pair(twin, mdp, policy, draw(strategies.weightings()))


def one_state(rewards: list[vr.Law | int | Fraction], horizon: int) -> vr.MDP:
    """One state, one action per reward."""
    return vr.MDP(0, [[[1]] * len(rewards)], [list(rewards)], horizon)


def small_pairs() -> Iterator[Pair]:
    """The cases described by :data:`SMALL_SIZE`."""
    half = Fraction(1, 2)
    coin = vr.Law({0: half, 1: half})
    laws: list[vr.Law | int | Fraction] = [0, half, 1, coin, Fraction(1, 8), vr.Law({0: half, half: half})]
    for reward, other, fixed in product(laws, laws, (0, 1)):
        mdp, twin = one_state([reward, fixed], 2), one_state([other, fixed], 2)
        for policy in shared_by_two_steps(mdp, twin):
            for weighting in (vr.Mean(), vr.CVaR(half)):
                yield Pair(twin, mdp, policy, weighting)


def shared_by_two_steps(mdp: vr.MDP, twin: vr.MDP) -> Iterator[vr.ReturnPolicy]:
    """All deterministic y-policies, wherever one of the models leads; one state, two actions, T = 2."""
    sums = sorted({y for model in (mdp, twin) for _, y in reachable_sums(model)[1]})
    cells = [(0, 0, Fraction()), *((1, 0, y) for y in sums)]
    for actions in product((0, 1), repeat=len(cells)):
        yield vr.ReturnPolicy(mdp, dict(zip(cells, actions, strict=True)))


def small_triples() -> Iterator[tuple[vr.MDP, vr.MDP, vr.Weighting]]:
    """The models and weightings of :func:`small_pairs`, each once."""
    return iter(dict.fromkeys((pair.mdp, pair.twin, pair.weighting) for pair in small_pairs()))
