"""Policies of models without a horizon: one for the first steps, then the same actions for ever."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from ..errors import InvalidPolicy
from ..mdp import MDP
from .base import Choice, Policy, read_choice
from .mixture_policy import MixturePolicy


class EndlessPolicy(Policy):
    """Play ``first``, a policy of the model with a horizon, to its end; then the action ``afterwards[s]`` in state s.

    :param mdp: a model without a horizon
    :param first: a policy of ``mdp.with_horizon(T)``
    :param afterwards: an action for each state
    :raises InvalidPolicy: if ``first`` is the policy of another model, or an action does not exist
    """

    def __init__(self, mdp: MDP, first: Policy, afterwards: Sequence[int]) -> None:
        super().__init__(mdp)
        if not mdp.endless or len(afterwards) != mdp.n_states:
            raise InvalidPolicy(
                f"afterwards has {len(afterwards)} actions for {mdp!r}, wanted one for each state of a model without a "
                "horizon"
            )
        self.steps = first.mdp.horizon
        first.require(mdp.with_horizon(self.steps))
        self.first, self.afterwards = first, tuple(afterwards)
        self._last = tuple(read_choice(mdp, s, a, f"afterwards[{s}]") for s, a in enumerate(afterwards))

    def parts(self) -> tuple[tuple[Fraction, Policy], ...]:
        if not isinstance(self.first, MixturePolicy):
            return ((Fraction(1), self),)
        return tuple((w, EndlessPolicy(self.mdp, part, self.afterwards)) for w, part in self.first.parts())

    def start(self) -> Hashable:
        return self.first.start()

    def choice(self, t: int, s: int, memory: Any) -> Choice:
        return self.first.choice(t, s, memory) if t < self.steps else self._last[s]

    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        return self.first.remember(memory, t, s, a, r) if t + 1 < self.steps else None

    def memories(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> tuple[tuple[Any, Fraction], ...]:
        return self.first.memories(memory, t, s, a, r) if t + 1 < self.steps else ((None, Fraction(1)),)

    def choices(self) -> Hashable:
        return self.steps, type(self.first), self.first.choices(), self.afterwards

    def on(self, mdp: MDP) -> EndlessPolicy:
        return EndlessPolicy(mdp, self.first.on(mdp.with_horizon(self.steps)), self.afterwards)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "endless",
            "steps": self.steps,
            "first": self.first.to_json(),
            "afterwards": list(self.afterwards),
        }
