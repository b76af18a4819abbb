r"""Cases for optimism and closeness of the optimistic pair: a model, an estimate, radii, a weighting, a policy.

The radii are free rationals: the theory only uses that the event holds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.enumeration import every
from ...cases.estimation import Radii, lifted, on_event, optimistic_mdp, phi

SMALL_SIZE = (
    "T = 2; one state with two actions, or two states with one; rewards on 0, 1/2, 1; "
    "estimates and radii in halves; a few more with three states or quarters; mean and CVaR at 1/2"
)
SMALL_PLAYED = SMALL_SIZE + "; all deterministic Markov policies"


@dataclass(frozen=True)
class Estimated:
    """A model, an estimate of it, the radii of the pairs, a weighting; whether ties break to the last action."""

    mdp: vr.MDP
    estimate: vr.MDP
    radii: Radii
    weighting: vr.Weighting
    last_of_ties: bool


@dataclass(frozen=True)
class Played:
    """A model, an estimate of it, the radii of the pairs, a policy of the model, a weighting."""

    estimate: vr.MDP
    mdp: vr.MDP
    radii: Radii
    policy: vr.Policy
    weighting: vr.Weighting


def event(case: Any) -> bool:
    """The corrected event."""
    return on_event(case.mdp, case.estimate, case.radii)


def both_values(case: Any) -> tuple[Real, Real]:
    """The objective of the policy of a case in the true and in the optimistic model."""
    better = optimistic_mdp(case.estimate, case.radii)
    return phi(case.weighting, case.mdp, case.policy), phi(case.weighting, better, lifted(case.policy, better))


def radius_cost(case: Estimated | Played) -> Callable[[int, int, int], Fraction]:
    r""":math:`(T-t)\min(1, S_0\epsilon) + \min(1, 2\epsilon)`."""
    states, horizon, one = case.mdp.n_states, case.mdp.horizon, Fraction(1)

    def cost(t: int, s: int, a: int) -> Fraction:
        eps = case.radii[s][a]
        return (horizon - 1 - t) * min(one, states * eps) + min(one, 2 * eps)

    return cost


@st.composite
def estimated(draw: st.DrawFn) -> Estimated:
    """Models with an estimate on the event or off it, and a concave weighting."""
    mdp, estimate, radii = draw(_models())
    corners = 2 if mdp.n_states == 1 else 1
    weighting = draw(strategies.weightings(shape="concave", max_corners=corners))
    return Estimated(mdp, estimate, radii, weighting, draw(st.booleans()))


@st.composite
def unlucky_models(draw: st.DrawFn) -> tuple[vr.MDP, vr.MDP, Radii]:
    """One action pays 1 with a chance that is estimated off by the radius; the next state too, if there are two."""
    low = st.just(Fraction(1, 1000))  # not 0: both outcomes can be seen
    chance = draw(st.one_of(low, strategies.levels(max_denominator=4, include_one=False)))
    radius = draw(strategies.rationals(max_denominator=8))
    seen = draw(st.sampled_from((max(chance - radius, Fraction()), min(chance + radius, Fraction(1)))))
    horizon = draw(st.integers(1, 2))
    laws = [vr.Law.of_weights({Fraction(0): 1 - p, Fraction(1): p}) for p in (chance, seen)]
    if draw(st.booleans()):
        mdp, estimate = (vr.MDP(0, [[[1]]], [[law]], horizon) for law in laws)
        return mdp, estimate, ((radius,),)
    mdp, estimate = (
        vr.MDP(0, [[[1 - p, p]], [[0, 1]]], [[law], [1]], horizon) for p, law in zip((chance, seen), laws, strict=True)
    )
    return mdp, estimate, ((radius,), (Fraction(),))


@st.composite
def unlucky_played(draw: st.DrawFn) -> Played:
    """Such a model with its only policy, and a weighting under which the estimate costs as much as it can."""
    mdp, estimate, radii = draw(unlucky_models())
    only = vr.MarkovPolicy(mdp, [[0] * mdp.n_states] * mdp.horizon)
    return Played(estimate, mdp, radii, only, draw(st.sampled_from((vr.Mean(), vr.CVaR(Fraction(1, 2))))))


@st.composite
def misled_models(draw: st.DrawFn) -> tuple[vr.MDP, vr.MDP, Radii]:
    """Off the event: the action nearly always pays 1, and paid nothing whenever it was tried."""
    law, radius = vr.Law({0: Fraction(1, 8), 1: Fraction(7, 8)}), draw(strategies.rationals(max_value=Fraction(1, 4)))
    mdp, estimate = (vr.MDP(0, [[[1]]], [[pays]], 1) for pays in (law, vr.Law.point(0)))
    return mdp, estimate, ((radius,),)


@st.composite
def _models(draw: st.DrawFn) -> tuple[vr.MDP, vr.MDP, Radii]:
    special = {"unlucky": unlucky_models(), "misled": misled_models()}
    family = draw(st.sampled_from(("any", "any", "unlucky", "misled")))
    if family != "any":
        return draw(special[family])
    mdp = draw(strategies.mdps(max_horizon=2, max_atoms=2, max_denominator=3))
    return mdp, *draw(strategies.empirical_models(mdp, event="any"))


@st.composite
def played(draw: st.DrawFn, *, markov: bool = False, jumps: bool = False) -> Played:
    """Models with an estimate on the event or off it, and a policy: Markov, or of any kind."""
    mdp, estimate, radii = draw(_models())
    policy: vr.Policy = draw(
        strategies.markov_policies(mdp)
        if markov
        else strategies.shared_policies(mdp, (mdp, optimistic_mdp(estimate, radii)))
    )
    return Played(estimate, mdp, radii, policy, draw(strategies.weightings(jumps=jumps)))


def small_models() -> Iterator[tuple[vr.MDP, vr.MDP, Radii]]:
    """Models and estimates of :data:`SMALL_SIZE`, on and off the event."""
    half = Fraction(1, 2)
    laws = [vr.Law({0: 1}), vr.Law({1: 1}), vr.Law({0: half, 1: half}), vr.Law({half: 1})]
    seen = {law: [law] if len(law) == 1 else [law, vr.Law({0: 1}), vr.Law({1: 1})] for law in laws}
    rates = (Fraction(), half, Fraction(1))
    for first, second in product(laws, laws[:3:2]):
        for one, two in product(seen[first], seen[second]):
            for eps in product(rates, repeat=2):
                rows = [[[1], [1]]]
                yield vr.MDP(0, rows, [[first, second]], 2), vr.MDP(0, rows, [[one, two]], 2), (eps,)
    for stay, guess in product((Fraction(1), half, Fraction()), repeat=2):
        for eps in product(rates, repeat=2):
            pay = [[laws[3]], [laws[1]]]
            mdp = vr.MDP(0, [[[stay, 1 - stay]], [[half, half]]], pay, 2)
            estimate = vr.MDP(0, [[[guess, 1 - guess]], [[half, half]]], pay, 2)
            yield mdp, estimate, tuple((e,) for e in eps)
    yield from _three_successors()
    yield from _shifted_twice()


def _three_successors() -> Iterator[tuple[vr.MDP, vr.MDP, Radii]]:
    """With three successors, one frequency can be too high by more than any other is too low."""
    half, one = Fraction(1, 2), Fraction(1)
    pay: list[list[Any]] = [[0], [1], [1]]
    rest: list[list[Any]] = [[{1: 1}], [{2: 1}]]
    mdp = vr.MDP(0, [[{1: half, 2: half}], *rest], pay, 2)
    estimate = vr.MDP(0, [[{0: 1}], *rest], pay, 2)
    for eps in (Fraction(), half, one):
        yield mdp, estimate, ((eps,), (one,), (one,))


def _shifted_twice() -> Iterator[tuple[vr.MDP, vr.MDP, Radii]]:
    """An estimate that is too high by its radius and is then shifted: the rewards differ by 2 eps."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    true, seen = vr.Law({0: 1 - quarter, 1: quarter}), vr.Law({0: half, 1: half})
    mdp, estimate = (vr.MDP(0, [[[1], [1]]], [[law, 0]], 2) for law in (true, seen))
    for eps in (quarter, half):
        yield mdp, estimate, ((eps, quarter),)


def small_estimated() -> Iterator[Estimated]:
    for model in small_models():
        yield from every(Estimated, *([part] for part in model), (vr.Mean(), vr.CVaR(Fraction(1, 2))), (False, True))


def small_played_markov() -> Iterator[Played]:
    """With all deterministic Markov policies."""
    for mdp, estimate, radii in small_models():
        for actions in product(*(range(count) for count in mdp.n_actions * mdp.horizon)):
            table = [actions[t * mdp.n_states : (t + 1) * mdp.n_states] for t in range(mdp.horizon)]
            for weighting in (vr.Mean(), vr.CVaR(Fraction(1, 2))):
                yield Played(estimate, mdp, radii, vr.MarkovPolicy(mdp, table), weighting)
