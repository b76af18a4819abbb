r"""Strategies for learning: pairs of close models, histories, empirical models on and off the event.

The closeness lemma of the paper fails if the rewards of the two models *interlace*: the CDFs are close, but the atoms
differ, and a y-policy can tell the models apart.  Random pairs rarely interlace, so :func:`mdp_pairs` constructs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.policy import MixturePolicy, Policy, ReturnPolicy

from . import strategies
from .estimation import Episode, Radii, optimistic_mdp, row_of
from .greedy import reachable_sums
from .histories import weighted

Event: TypeAlias = Literal["on", "off", "any"]


@st.composite
def mdp_pairs(
    draw: DrawFn,
    *,
    max_states: int = 2,
    max_actions: int = 2,
    min_horizon: int = 1,
    max_horizon: int = 2,
    max_atoms: int = 2,
    max_denominator: int = 4,
    interlaced: bool | None = None,
) -> tuple[MDP, MDP]:
    """Two models that differ in transitions and rewards only; with ``interlaced`` rewards fall between the other's.

    They shrink towards two equal models.
    """
    if interlaced is not False and draw(st.booleans()):
        return draw(interlaced_pairs())
    mdp = draw(
        strategies.mdps(
            max_states=max_states,
            max_actions=max_actions,
            min_horizon=min_horizon,
            max_horizon=max_horizon,
            max_atoms=max_atoms,
            max_denominator=max_denominator,
        )
    )
    shifted = draw(st.booleans()) if interlaced is None else interlaced
    half = Fraction(1, 2 * max_denominator)
    transitions: list[list[Any]] = [[] for _ in range(mdp.n_states)]
    rewards: list[list[Any]] = [[] for _ in range(mdp.n_states)]
    for s, a, action in mdp:
        row = row_of(mdp, s, a)
        transitions[s].append(draw(st.one_of(st.just(row), strategies.masses(mdp.n_states))))
        law = action.reward_law
        if shifted:
            move = draw(st.sampled_from((Fraction(), half, -half)))
            rewards[s].append(_moved(law, move))
        else:
            other = strategies.laws(max_atoms=max_atoms, max_denominator=max_denominator)
            rewards[s].append(draw(st.one_of(st.just(law), other)))
    return mdp, MDP(dict(mdp.initial), transitions, rewards, mdp.horizon)


@st.composite
def interlaced_pairs(draw: DrawFn, *, max_teeth: int = 4) -> tuple[MDP, MDP]:
    """One state, T = 2: the first action pays a comb of ``m`` equally likely rewards, its twin the comb between.

    The other actions pay 0 or 1 in both.  KS is at most ``1/m``, TV is 1.
    """
    teeth = draw(st.integers(1, max_teeth))
    shift = Fraction(1, teeth * draw(st.sampled_from((2, 4, 8))))
    pays = draw(st.lists(st.integers(0, 1), min_size=1, max_size=2, unique=True))
    rows = [[[1]] * (1 + len(pays))]
    mass = Fraction(1, teeth)
    combs = [{Fraction(j, teeth) + move: mass for j in range(teeth)} for move in (Fraction(), shift)]
    if draw(st.booleans()):
        combs.reverse()
    mdp, twin = (MDP(0, rows, [[Law(comb), *pays]], 2) for comb in combs)
    return mdp, twin


def _moved(law: Law, move: Fraction) -> Law:
    """Every atom moved by the same amount, kept inside [0, 1]."""
    return weighted((min(max(r + move, Fraction()), Fraction(1)), p) for r, p in law)


def _shared_keys(mdp: MDP, models: Iterable[MDP]) -> list[tuple[int, int, Fraction]]:
    """All ``(t, s, y)`` where some policy leads in some of the models, s a state of ``mdp``."""
    return sorted(
        {
            (t, s, y)
            for model in models
            for t, level in enumerate(reachable_sums(model)[:-1])
            for s, y in level
            if s < mdp.n_states
        }
    )


@st.composite
def shared_return_policies(draw: DrawFn, mdp: MDP, models: Iterable[MDP]) -> ReturnPolicy:
    """y-policies of ``mdp`` with an entry wherever some policy leads in any of ``models``."""
    choose = {s: strategies.choices(mdp.n_actions[s]) for s in range(mdp.n_states)}
    return ReturnPolicy(mdp, {(t, s, y): draw(choose[s]) for t, s, y in _shared_keys(mdp, models)})


@st.composite
def origin_policies(draw: DrawFn, mdp: MDP, models: Iterable[MDP]) -> ReturnPolicy:
    """y-policies that play one action per state where the first model leads and one elsewhere."""
    several = tuple(models)
    own = reachable_sums(several[0])
    actions = [st.integers(0, count - 1) for count in mdp.n_actions]
    first, inside, outside = ([draw(choice) for choice in actions] for _ in range(3))
    table = {}
    for t, s, y in _shared_keys(mdp, several):
        table[t, s, y] = first[s] if t == 0 else (inside if (s, y) in own[t] else outside)[s]
    return ReturnPolicy(mdp, table)


def shared_policies(mdp: MDP, models: Iterable[MDP]) -> SearchStrategy[Policy]:
    """Markov policies, y-policies, origin policies and mixtures of two y-policies, playable in all of ``models``."""
    several = tuple(models)
    returns = shared_return_policies(mdp, several)
    mixtures = st.tuples(st.integers(1, 3), returns, returns).map(
        lambda parts: MixturePolicy([(Fraction(parts[0], 4), parts[1]), (1 - Fraction(parts[0], 4), parts[2])])
    )
    markov: SearchStrategy[Policy] = strategies.markov_policies(mdp)
    return st.one_of(markov, returns, origin_policies(mdp, several), mixtures)


@st.composite
def episodes(draw: DrawFn, mdp: MDP) -> Episode:
    """One episode of positive probability under some policy."""
    s = draw(st.sampled_from([state for state, _ in mdp.initial]))
    steps = []
    for _ in range(mdp.horizon):
        a = draw(st.integers(0, mdp.n_actions[s] - 1))
        _, following, r = draw(st.sampled_from(mdp.actions(s)[a].outcomes))
        steps.append((s, a, r))
        s = following
    return Episode(tuple(steps), s)


def histories(mdp: MDP, *, min_episodes: int = 0, max_episodes: int = 6) -> SearchStrategy[tuple[Episode, ...]]:
    """Sequences of episodes of ``mdp``, played by any learner; they shrink to no episode."""
    return st.lists(episodes(mdp), min_size=min_episodes, max_size=max_episodes).map(tuple)


@st.composite
def empirical_models(draw: DrawFn, mdp: MDP, *, event: Event = "on", max_weight: int = 3) -> tuple[MDP, Radii]:
    """An estimate of ``mdp`` whose atoms are atoms of ``mdp``, and a radius for every pair.

    On the event the radii cover the errors (often with nothing to spare); off it, some radius does not.
    """
    transitions: list[list[Any]] = [[] for _ in range(mdp.n_states)]
    rewards: list[list[Any]] = [[] for _ in range(mdp.n_states)]
    needed: list[list[Fraction]] = [[] for _ in range(mdp.n_states)]
    for s, a, action in mdp:
        row = row_of(mdp, s, a)
        support = [i for i, p in enumerate(row) if p]
        moved = [Fraction()] * mdp.n_states
        for i, p in zip(support, draw(strategies.masses(len(support), max_weight=max_weight)), strict=True):
            moved[i] = p
        estimate = tuple(moved) if draw(st.booleans()) else row
        law = action.reward_law
        if draw(st.booleans()):
            weights = draw(strategies.masses(len(law), max_weight=max_weight))
            seen = Law.of_weights(dict(zip(law.atoms, weights, strict=True)))
        else:
            seen = law
        transitions[s].append(estimate)
        rewards[s].append(seen)
        excess = max(q - p for p, q in zip(row, estimate, strict=True))
        needed[s].append(max(excess, law.kolmogorov(seen)))
    spare = st.sampled_from((Fraction(), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1)))
    radii = [[min(Fraction(1), least + draw(spare)) for least in row] for row in needed]
    off = event == "off" or (event == "any" and draw(st.booleans()))
    if off:
        radii = [[least / draw(st.sampled_from((1, 2, 4))) for least in row] for row in needed]
    estimated = MDP(dict(mdp.initial), transitions, rewards, mdp.horizon)
    return estimated, tuple(tuple(row) for row in radii)


def models_of(mdp: MDP, estimate: MDP, radii: Radii) -> tuple[MDP, MDP]:
    """The true and the optimistic model; a policy for both has an entry wherever either leads."""
    return mdp, optimistic_mdp(estimate, radii)
