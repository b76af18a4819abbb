r"""Histories and the empirical model, exactly.

.. math:: \tilde P(s' \mid s, a) = \frac{N(s, a, s')}{N(s, a)}, \qquad
          \tilde F(r) = \frac{1}{N(s, a)} \#\{\text{visits of } (s, a) \text{ with } r_i \le r\},

where N counts the visits *before* the present episode.  This is the slow, exact form of what the kernel counts; the
audit and the tests compare the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import InvalidArgument
from ..law import Law


@dataclass
class PairHistory:
    """What was seen after one state and action: next states, and rewards as atoms in [0, 1]."""

    following: Counter[int] = field(default_factory=Counter)
    rewards: Counter[Fraction] = field(default_factory=Counter)

    @property
    def visits(self) -> int:
        return sum(self.rewards.values())

    def transition(self, target: int) -> Fraction:
        """The empirical probability of a next state."""
        return Fraction(self.following[target], self.visits)

    def reward_law(self) -> Law:
        """The empirical law of the reward."""
        return Law.of_weights({r: Fraction(n, self.visits) for r, n in self.rewards.items()})


class History:
    """All episodes so far, as counts per (state, action)."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], PairHistory] = {}
        self.episodes = 0

    def __getitem__(self, pair: tuple[int, int]) -> PairHistory:
        return self.pairs.get(pair, PairHistory())

    def add(self, states: Sequence[int], actions: Sequence[int], rewards: Iterable[Fraction]) -> None:
        """One episode: ``T + 1`` states, ``T`` actions, ``T`` rewards."""
        paid = list(rewards)
        if len(states) != len(actions) + 1 or len(paid) != len(actions):
            raise InvalidArgument(
                f"an episode has {len(states)} states, {len(actions)} actions and {len(paid)} rewards, "
                "wanted T + 1, T and T"
            )
        for s, a, r, target in zip(states, actions, paid, states[1:], strict=False):
            pair = self.pairs.setdefault((s, a), PairHistory())
            pair.following[target] += 1
            pair.rewards[r] += 1
        self.episodes += 1
