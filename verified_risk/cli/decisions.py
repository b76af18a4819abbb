"""Which decisions a policy meets, how likely, and what it plays there: a walk forward through the model.

A decision is ``(t, s, earned)``.  What has been earned is the return so far wherever that decides what is played;
otherwise, for a policy that rounds rewards up, the rounded return; otherwise the return so far again, and the choice
is what the policy plays *on average* over whatever else it remembers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..mdp import MDP
from ..policy import Choice, GridPolicy, Policy

MOST_BRANCHES = 150_000
"""Outcomes that are followed: a second or so.  Steps beyond are not described."""

Place = tuple[int, int, Fraction]
"""``(t, s, earned)``."""


@dataclass(frozen=True)
class Decisions:
    """What is played at every place that is met before step ``steps``, and how likely the place is."""

    mdp: MDP
    played: Mapping[Place, Choice]
    mass: Mapping[Place, float]
    steps: int
    earned: str
    """``"earned"``, ``"rounded"`` or ``"average"``: what the third number of a place is."""

    @property
    def open_places(self) -> list[Place]:
        """The places where it matters what is played: the state has actions that differ."""
        free = {s for s in {place[1] for place in self.played} if _matters(self.mdp, s)}
        return [place for place in self.played if place[1] in free]


def _matters(mdp: MDP, s: int) -> bool:
    """Whether the actions of a state differ; four ways to stay in a hole are one."""
    actions = mdp.actions(s)
    if not mdp.is_discrete:
        return len(actions) > 1
    return len({tuple(sorted(action.outcomes)) for action in actions}) > 1


def decisions(policy: Policy) -> Decisions:
    """The decisions of a policy that is not a mixture."""
    mdp = policy.mdp
    level: dict[tuple[int, Fraction, Any], float] = {(s, Fraction(), policy.start()): float(p) for s, p in mdp.initial}
    by_return: dict[Place, dict[Choice, float]] = {}
    by_memory: dict[Place, dict[Choice, float]] = {}
    steps, branches = 0, 0
    for t in range(mdp.horizon):
        following: dict[tuple[int, Fraction, Any], float] = {}
        for (s, y, memory), mass in level.items():
            choice = policy.choice(t, s, memory)
            _add(by_return, (t, s, y), choice, mass)
            if isinstance(policy, GridPolicy):
                _add(by_memory, (t, s, memory * policy.eta), choice, mass)
        steps = t + 1
        if steps == mdp.horizon or not mdp.is_discrete:
            break
        for (s, y, memory), mass in level.items():
            for a, p in policy.choice(t, s, memory):
                for q, target, r in mdp.actions(s)[a].outcomes:
                    key = (target, y + mdp.step_reward(t, r), policy.remember(memory, t, s, a, r))
                    following[key] = following.get(key, 0.0) + mass * float(p * q)
                    branches += 1
            if branches > MOST_BRANCHES:
                break
        if branches > MOST_BRANCHES:
            break
        level = following
    chosen, earned = by_return, "earned"
    if any(len(choices) > 1 for choices in by_return.values()):
        chosen, earned = (by_memory, "rounded") if by_memory else (by_return, "average")
    return Decisions(
        mdp,
        {place: _mean(choices) for place, choices in chosen.items()},
        {place: sum(choices.values()) for place, choices in chosen.items()},
        steps,
        earned,
    )


def _add(table: dict[Place, dict[Choice, float]], place: Place, choice: Choice, mass: float) -> None:
    choices = table.setdefault(place, {})
    choices[choice] = choices.get(choice, 0.0) + mass


def _mean(choices: Mapping[Choice, float]) -> Choice:
    """The choice itself where there is one, otherwise the average, to three digits of its probabilities."""
    if len(choices) == 1:
        return next(iter(choices))
    total = sum(choices.values())
    played: dict[int, Fraction] = {}
    for choice, mass in choices.items():
        for a, p in choice:
            played[a] = played.get(a, Fraction()) + p * Fraction(mass / total)
    return tuple((a, p) for a, p in sorted(played.items()) if p)
