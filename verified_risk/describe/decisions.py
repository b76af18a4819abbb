"""The decisions that a policy meets, their probabilities and its choices, by a forward walk through the model.

A decision is ``(t, s, earned)``.  ``earned`` is the return so far if that determines the choice; otherwise, for a
policy that rounds rewards up, the rounded return; otherwise the return so far again, and the choice is the *average*
over everything else that the policy remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..law import added_up
from ..mdp import MDP, Action
from ..policy import Choice, GridPolicy, Policy

MOST_BRANCHES = 60_000
"""Maximum number of outcomes to follow: about a second.  Later steps are not described."""

Place = tuple[int, int, Fraction]
"""``(t, s, earned)``."""


@dataclass(frozen=True)
class Decisions:
    """The choice at every place met before step ``steps``, and the probability of the place."""

    mdp: MDP
    played: Mapping[Place, Choice]
    mass: Mapping[Place, float]
    steps: int
    earned: str
    """The meaning of a place's third number: ``"earned"``, ``"rounded"`` or ``"average"``."""

    @property
    def open_places(self) -> list[Place]:
        """The places where the choice matters: those in states whose actions differ."""
        free = {s for s in {place[1] for place in self.played} if _matters(self.mdp, s)}
        return [place for place in self.played if place[1] in free]


def _matters(mdp: MDP, s: int) -> bool:
    """Whether the actions of a state differ; four ways to stay in a hole count as one."""
    first, *others = mdp.actions(s)
    return not all(_same(first, other) for other in others)


def _same(one: Action, other: Action) -> bool:
    if one.independent and other.independent:
        return one.successors == other.successors and one.reward == other.reward
    return one.independent == other.independent and one.outcomes == other.outcomes


def decisions(policy: Policy) -> Decisions:
    """Return the decisions of a policy that is not a mixture."""
    walked = _walk(policy, float)
    chosen, earned = walked.by_return, "earned"
    if any(len(choices) > 1 for choices in chosen.values()):
        if walked.by_memory:
            chosen, earned = walked.by_memory, "rounded"
        else:  # averages are printed, so compute them exactly
            chosen, earned = _walk(policy, Fraction).by_return, "average"
    return Decisions(
        policy.mdp,
        {place: _mean(choices) for place, choices in chosen.items()},
        {place: float(sum(choices.values())) for place, choices in chosen.items()},
        walked.steps,
        earned,
    )


@dataclass
class _Walk:
    """The probability of each choice at each place, by the return so far and by the rounded return."""

    by_return: dict[Place, dict[Choice, Any]] = field(default_factory=dict)
    by_memory: dict[Place, dict[Choice, Any]] = field(default_factory=dict)
    steps: int = 0


def _walk(policy: Policy, weight: Callable[[Fraction], Any]) -> _Walk:
    """Follow every history step by step, with masses as floats or fractions."""
    mdp, found, branches = policy.mdp, _Walk(), 0
    weighed: dict[tuple[int, int], list[tuple[Any, int, Fraction]]] = {}
    level: dict[tuple[int, Fraction, Any], Any] = {(s, Fraction(), policy.start()): weight(p) for s, p in mdp.initial}
    for t in range(mdp.horizon):
        chosen = {(s, y, memory): policy.choice(t, s, memory) for s, y, memory in level}
        for (s, y, memory), mass in level.items():
            _add(found.by_return, (t, s, y), chosen[s, y, memory], mass)
            if isinstance(policy, GridPolicy):
                _add(found.by_memory, (t, s, memory * policy.eta), chosen[s, y, memory], mass)
        found.steps = t + 1
        if not mdp.is_discrete:
            break
        following: dict[tuple[int, Fraction, Any], Any] = {}
        for (s, y, memory), mass in level.items():
            for a, p in chosen[s, y, memory]:
                if (s, a) not in weighed:
                    weighed[s, a] = [(weight(q), target, r) for q, target, r in mdp.actions(s)[a].outcomes]
                branches += len(weighed[s, a])
                if branches > MOST_BRANCHES:
                    return found
                reached = mass * weight(p)
                for q, target, r in weighed[s, a]:
                    key = (target, y + mdp.step_reward(t, r), policy.remember(memory, t, s, a, r))
                    following[key] = following[key] + reached * q if key in following else reached * q
        level = following
    return found


def _add(table: dict[Place, dict[Choice, Any]], place: Place, choice: Choice, mass: Any) -> None:
    choices = table.setdefault(place, {})
    choices[choice] = choices[choice] + mass if choice in choices else mass


def _mean(choices: Mapping[Choice, Any]) -> Choice:
    """Return the only choice, or the average of several."""
    if len(choices) == 1:
        return next(iter(choices))
    total = sum(choices.values())
    played = added_up((a, p * mass / total) for choice, mass in choices.items() for a, p in choice)
    return tuple((a, p) for a, p in sorted(played.items()) if p)
