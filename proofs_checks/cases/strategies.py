r"""Hypothesis strategies for the objects of the paper, public.

They construct rather than filter, reach ties and zero masses, and shrink towards one state, one action, no reward and
small denominators.

>>> from hypothesis import given
>>> from proofs_checks import strategies
>>> @given(strategies.laws(), strategies.levels())
... def test_cvar_is_below_the_mean(law, alpha): ...
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import verified_risk as vr
from verified_risk.grid import grid_model
from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.objectives import PiecewiseLinear, VaR, Weighting
from verified_risk.policy import HistoryPolicy, MarkovPolicy, Policy, ReturnPolicy

from .estimation import Episode, Radii
from .histories import history_policy, possible_histories

Shape: TypeAlias = Literal["any", "linear", "concave", "convex", "general"]
Kind: TypeAlias = Literal["markov", "return", "history"]


@st.composite
def rationals(
    draw: DrawFn, *, min_value: int | Fraction = 0, max_value: int | Fraction = 1, max_denominator: int = 4
) -> Fraction:
    """Rationals of small denominator in ``[min_value, max_value]``; they shrink to small denominators first."""
    if min_value > max_value:
        raise ValueError(f"min_value is {min_value}, above max_value {max_value}")
    fitting = [d for d in range(1, max_denominator + 1) if math.ceil(min_value * d) <= math.floor(max_value * d)]
    if not fitting:
        raise ValueError(f"no rational in [{min_value}, {max_value}] has a denominator up to {max_denominator}")
    d = draw(st.sampled_from(fitting))
    return Fraction(draw(st.integers(math.ceil(min_value * d), math.floor(max_value * d))), d)


@st.composite
def levels(draw: DrawFn, *, max_denominator: int = 8, include_one: bool = True) -> Fraction:
    """Levels in (0, 1], or in (0, 1); they shrink to the mean's level 1 or to 1/2."""
    if not include_one and max_denominator < 2:
        raise ValueError("no level in (0, 1) has denominator 1: wanted max_denominator of at least 2")
    d = draw(st.integers(1 if include_one else 2, max_denominator))
    return 1 - Fraction(draw(st.integers(0 if include_one else 1, d - 1)), d)


@st.composite
def masses(draw: DrawFn, count: int, *, max_weight: int = 3, positive: bool = False) -> tuple[Fraction, ...]:
    """Probability vectors; zeros are reachable unless ``positive``; they shrink to all mass on the first entry."""
    low = 1 if positive else 0
    weights = [draw(st.integers(1, max_weight)), *(draw(st.integers(low, max_weight)) for _ in range(count - 1))]
    if not positive and count > 1 and draw(st.booleans()):  # the first entry may be zero too
        weights = weights[1:] + weights[:1]
    total = sum(weights)
    return tuple(Fraction(w, total) for w in weights)


@st.composite
def laws(
    draw: DrawFn,
    *,
    min_value: int | Fraction = 0,
    max_value: int | Fraction = 1,
    max_atoms: int = 3,
    max_denominator: int = 4,
    max_weight: int = 3,
) -> Law:
    """Finite laws on a small grid of ``[min_value, max_value]``; they shrink to a point."""
    d = draw(st.integers(1, max_denominator))
    low, high = math.ceil(min_value * d), math.floor(max_value * d)
    while low > high:  # a coarse grid may have no point in a short interval
        d += 1
        low, high = math.ceil(min_value * d), math.floor(max_value * d)
    count = draw(st.integers(1, min(max_atoms, high - low + 1)))
    atoms = draw(st.lists(st.integers(low, high), min_size=count, max_size=count, unique=True))
    weights = draw(masses(count, max_weight=max_weight, positive=True))
    return Law.of_weights({Fraction(x, d): p for x, p in zip(atoms, weights, strict=True)})


@st.composite
def weightings(
    draw: DrawFn, *, shape: Shape = "any", max_corners: int = 2, max_denominator: int = 4, jumps: bool = False
) -> Weighting:
    """Rational piecewise-linear weightings with up to ``max_corners`` inner corners; with ``jumps`` also VaR.

    They shrink to the mean.  Concave ones are mixtures of CVaRs, convex ones their reflections ``1 - H(1 - tau)``.
    """
    if jumps and draw(st.booleans()):
        return draw(quantile_weightings(max_denominator=max_denominator))
    kind = draw(st.sampled_from(("linear", "concave", "convex", "general"))) if shape == "any" else shape
    if kind == "linear":
        return vr.Mean()
    count = draw(st.integers(1, max_corners))
    if kind == "general":
        d = draw(st.integers(count + 1, max(count + 1, max_denominator)))
        taus = sorted(draw(st.lists(st.integers(1, d - 1), min_size=count, max_size=count, unique=True)))
        values = sorted(draw(st.lists(st.integers(0, d), min_size=count, max_size=count)))
        inner = [(Fraction(t, d), Fraction(v, d)) for t, v in zip(taus, values, strict=True)]
        return PiecewiseLinear([(0, 0), *inner, (1, 1)])
    parts = draw(st.lists(levels(max_denominator=max_denominator), min_size=count, max_size=count, unique=True))
    weights = draw(masses(count, positive=True))
    concave = vr.Spectral(parts, weights)
    if kind == "concave":
        return concave if count > 1 else vr.CVaR(parts[0])
    assert concave.knots is not None
    return PiecewiseLinear([(1 - tau, 1 - value) for tau, value in reversed(concave.knots)])


@st.composite
def quantile_weightings(draw: DrawFn, *, max_denominator: int = 4) -> VaR:
    """Lower and upper quantiles, weightings with one jump."""
    upper = draw(st.booleans())
    level = draw(levels(max_denominator=max_denominator))
    return VaR(1 - level, upper=True) if upper else VaR(level)


@st.composite
def mdps(
    draw: DrawFn,
    *,
    min_states: int = 1,
    max_states: int = 2,
    min_actions: int = 1,
    max_actions: int = 2,
    min_horizon: int = 1,
    max_horizon: int = 3,
    max_atoms: int = 3,
    max_denominator: int = 4,
    max_weight: int = 3,
    product: bool = True,
) -> MDP:
    """Exact MDPs with rewards in [0, 1]; they shrink towards one state, one action, no reward.

    With ``product`` reward and next state are independent, as in the paper; otherwise they come as joint outcomes.
    Ties between actions and zero probabilities are reachable.  States beyond ``min_states`` are there only if some
    policy reaches them.
    """
    most = draw(st.integers(min_states, max_states))
    horizon = draw(st.integers(min_horizon, max_horizon))
    d = draw(st.integers(1, max_denominator))
    rewards = st.integers(0, d).map(lambda i: Fraction(i, d))
    initial = draw(masses(most, max_weight=max_weight))
    found = dict.fromkeys([*range(min_states), *(s for s, p in enumerate(initial) if p)])
    waiting, states = list(found), []
    for _ in waiting:  # grows as successors are found, so that shrinking a row removes what it led to
        actions: list[Any] = []
        for _ in range(draw(st.integers(min_actions, max_actions))):
            if product:
                row = draw(masses(most, max_weight=max_weight))
                actions.append((row, draw(_reward_laws(rewards, min(max_atoms, d + 1), max_weight))))
                ends = [s for s, p in enumerate(row) if p]
            else:
                entry = st.tuples(st.integers(0, most - 1), rewards)
                drawn = draw(st.lists(entry, min_size=1, max_size=max_atoms, unique=True))
                weights = draw(masses(len(drawn), max_weight=max_weight, positive=True))
                actions.append([(p, s, r) for p, (s, r) in zip(weights, drawn, strict=True)])
                ends = [s for s, _ in drawn]
            waiting += [s for s in dict.fromkeys(ends) if s not in found]
            found.update(dict.fromkeys(ends))
        states.append(actions)
    start = [initial[s] for s in waiting]
    if product:
        transitions = [[[row[s] for s in waiting] for row, _ in actions] for actions in states]
        return MDP(start, transitions, [[law for _, law in actions] for actions in states], horizon)
    number = {s: i for i, s in enumerate(waiting)}
    outcomes = [[[(p, number[s], r) for p, s, r in action] for action in actions] for actions in states]
    return MDP.from_outcomes(outcomes, initial=start, horizon=horizon)


@st.composite
def _reward_laws(draw: DrawFn, rewards: SearchStrategy[Fraction], max_atoms: int, max_weight: int) -> Law:
    values = draw(st.lists(rewards, min_size=1, max_size=max_atoms, unique=True))
    weights = draw(masses(len(values), max_weight=max_weight, positive=True))
    return Law.of_weights(dict(zip(values, weights, strict=True)))


@st.composite
def choices(draw: DrawFn, count: int, *, deterministic: bool = False, max_weight: int = 2) -> int | dict[int, Fraction]:
    """An action of ``count``, or a lottery over them; they shrink to action 0."""
    if count == 1:
        return 0
    if deterministic or not draw(st.booleans()):
        return draw(st.integers(0, count - 1))
    return {a: p for a, p in enumerate(draw(masses(count, max_weight=max_weight))) if p}


@st.composite
def markov_policies(draw: DrawFn, mdp: MDP, *, deterministic: bool = False) -> MarkovPolicy:
    """Policies of step and state."""
    table = [[draw(choices(count, deterministic=deterministic)) for count in mdp.n_actions] for _ in range(mdp.horizon)]
    return MarkovPolicy(mdp, table)


@st.composite
def return_policies(draw: DrawFn, mdp: MDP, *, deterministic: bool = False) -> ReturnPolicy:
    """Policies of step, state and return so far, with an entry wherever some policy leads."""
    grid = grid_model(mdp)
    return ReturnPolicy(
        mdp,
        {
            (t, s, y * grid.unit): draw(choices(mdp.n_actions[s], deterministic=deterministic))
            for t, level in enumerate(grid.reachable()[:-1])
            for s, sums in sorted(level.items())
            for y in sorted(sums)
        },
    )


@st.composite
def history_policies(draw: DrawFn, mdp: MDP, *, deterministic: bool = False) -> HistoryPolicy:
    """Policies of the whole history, with an entry for every possible one."""
    rows = {
        xi: draw(choices(mdp.n_actions[xi[-1]], deterministic=deterministic))
        for t in range(mdp.horizon)
        for xi in possible_histories(mdp, t)
    }
    return history_policy(mdp, rows)


def policies(
    mdp: MDP, *, kinds: Sequence[Kind] = ("markov", "return", "history"), deterministic: bool = False
) -> SearchStrategy[Policy]:
    """Policies of one model: Markov, y-dependent and history-dependent, with lotteries unless ``deterministic``."""
    by_kind: dict[str, Any] = {"markov": markov_policies, "return": return_policies, "history": history_policies}
    return st.one_of([by_kind[kind](mdp, deterministic=deterministic) for kind in kinds])


def mdps_with_policies(
    *, kinds: Sequence[Kind] = ("markov", "return", "history"), deterministic: bool = False, **bounds: Any
) -> SearchStrategy[tuple[MDP, Policy]]:
    """Pairs of a model and one of its policies; ``bounds`` go to :func:`mdps`, with at most two atoms by default."""
    return mdps(**{"max_atoms": 2, **bounds}).flatmap(
        lambda mdp: st.tuples(st.just(mdp), policies(mdp, kinds=kinds, deterministic=deterministic))
    )


# Public wrappers of estimation_strategies.py, which imports this file.


def mdp_pairs(**bounds: Any) -> SearchStrategy[tuple[MDP, MDP]]:
    """Two close models of one shape; half of them with interlaced rewards, where closeness lemmas break.

    ``bounds`` as in :func:`proofs_checks.cases.estimation_strategies.mdp_pairs`.
    """
    from . import estimation_strategies

    return estimation_strategies.mdp_pairs(**bounds)


def histories(mdp: MDP, *, min_episodes: int = 0, max_episodes: int = 6) -> SearchStrategy[tuple[Episode, ...]]:
    """Episodes of ``mdp``, played by any learner; they shrink to no episode."""
    from . import estimation_strategies

    return estimation_strategies.histories(mdp, min_episodes=min_episodes, max_episodes=max_episodes)


def empirical_models(mdp: MDP, *, event: Literal["on", "off", "any"] = "on") -> SearchStrategy[tuple[MDP, Radii]]:
    """An estimate of ``mdp`` and a radius for every pair, on or off the event that the radii cover the errors."""
    from . import estimation_strategies

    return estimation_strategies.empirical_models(mdp, event=event)


def register() -> None:
    """Register these strategies for their types, so that ``@given(m=...)`` works with annotated arguments.

    Hypothesis calls this through its entry point.
    """
    st.register_type_strategy(MDP, mdps())
    st.register_type_strategy(Law, laws())
    st.register_type_strategy(Weighting, weightings())
    st.register_type_strategy(Policy, mdps_with_policies().map(lambda pair: pair[1]))
