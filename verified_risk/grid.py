r"""The grid of cumulative rewards, and the model in integers.

All exact algorithms run on a :class:`GridModel`: probabilities are integer weights over one denominator, rewards are
integer multiples of one ``unit``.  With ``eta=None`` the unit is the largest one on which every step reward lies, and
nothing is lost.  With ``eta`` given, the rewards of each step are rounded *up*,
:math:`\phi(x) = \eta\lceil x/\eta\rceil`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .mdp import MDP, Outcome
from .rational import Rational, as_step, ceil_div, gcd_of, lcm_of_denominators

Branch: TypeAlias = tuple[int, int, int]
"""``(weight, next state, reward in units)``."""


def round_up_reward(r: Fraction, eta: Fraction) -> Fraction:
    r""":math:`\phi(r) = \eta \lceil r / \eta \rceil`."""
    return ceil_div(r, eta) * eta


def own_unit(mdp: MDP) -> Fraction:
    """The largest unit of which every step reward is a multiple; 1 if all rewards are 0."""
    seen: dict[tuple[int, int], Fraction] = {}  # hashing a Fraction costs more than all the rest
    for _, _, action in mdp:
        for r in action.reward_law.atoms if action.independent else [r for _, _, r in action.outcomes]:
            seen.setdefault((r.numerator, r.denominator), r)
    steps = range(mdp.horizon) if mdp.discount != 1 else range(1)
    return gcd_of(mdp.step_reward(t, r) for t in steps for r in seen.values()) or Fraction(1)


@dataclass(frozen=True)
class GridModel:
    """An MDP over integers: ``steps[t][s][a]`` lists branches whose weights sum to ``denominator``.

    ``exact`` says that rounding changed no reward.
    """

    unit: Fraction
    denominator: int
    initial: tuple[tuple[int, int], ...]
    initial_denominator: int
    steps: tuple[tuple[tuple[tuple[Branch, ...], ...], ...], ...]
    exact: bool

    @property
    def horizon(self) -> int:
        return len(self.steps)

    def reachable(self) -> list[dict[int, set[int]]]:
        """For each ``t = 0..T``, the cumulative rewards that some policy reaches in each state."""
        levels: list[dict[int, set[int]]] = [{s: {0} for s, _ in self.initial}]
        for step in self.steps:
            following: dict[int, set[int]] = {}
            for s, sums in levels[-1].items():
                for target, j in {(target, j) for branches in step[s] for _, target, j in branches}:
                    following.setdefault(target, set()).update(y + j for y in sums)
            levels.append(following)
        return levels


def grid_model(mdp: MDP, eta: Rational | None = None) -> GridModel:
    """The integer form of ``mdp``, exact for ``eta=None``, rounded up to multiples of ``eta`` otherwise."""
    unit = own_unit(mdp) if eta is None else as_step(eta)
    stationary = mdp.discount == 1
    outcomes = [_step_outcomes(mdp, t, unit) for t in range(1 if stationary else mdp.horizon)]
    denominator = lcm_of_denominators(
        p for step in outcomes for actions in step for action in actions for p, _, _ in action
    )
    exact = mdp.is_discrete

    def branch(p: Fraction, s: int, r: Fraction, t: int) -> Branch:
        nonlocal exact
        gain = mdp.step_reward(t, r)
        j = ceil_div(gain, unit)
        exact = exact and j * unit == gain
        return p.numerator * (denominator // p.denominator), s, j

    steps = tuple(
        tuple(tuple(_merged(branch(p, s, r, t) for p, s, r in action) for action in actions) for actions in step)
        for t, step in enumerate(outcomes)
    )
    if stationary:
        steps *= mdp.horizon
    initial_denominator = lcm_of_denominators(p for _, p in mdp.initial)
    initial = tuple((s, p.numerator * (initial_denominator // p.denominator)) for s, p in mdp.initial)
    return GridModel(unit, denominator, initial, initial_denominator, steps, exact)


def _step_outcomes(mdp: MDP, t: int, unit: Fraction) -> list[list[tuple[Outcome, ...]]]:
    """The outcomes of step ``t``; a continuous reward is rounded up so that ``discount**t * r`` lies on the grid."""
    if not mdp.is_discrete:
        step = unit / mdp.step_reward(t, Fraction(1))
        mdp = mdp.map_rewards(lambda r: r, lambda law: law.round_up(step))
    return [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]


def _merged(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """Branches with equal target and reward added up: rounding may have made them equal."""
    totals: dict[tuple[int, int], int] = {}
    for weight, s, j in branches:
        totals[s, j] = totals.get((s, j), 0) + weight
    return tuple((weight, s, j) for (s, j), weight in totals.items())
