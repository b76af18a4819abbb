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
    """What was seen after one state and action: outcomes (atom, next state), and rewards as atoms in [0, 1].

    In a product model every outcome has atom 0; in a joint model every reward of its own is 0.
    """

    outcomes: Counter[tuple[int, int]] = field(default_factory=Counter)
    rewards: Counter[Fraction] = field(default_factory=Counter)

    @property
    def visits(self) -> int:
        return sum(self.rewards.values())

    def frequency(self, outcome: tuple[int, int]) -> Fraction:
        """The empirical probability of an outcome."""
        return Fraction(self.outcomes[outcome], self.visits)

    def paid_at_most(self, r: Fraction) -> int:
        """How many visits were paid at most ``r``."""
        return sum(n for paid, n in self.rewards.items() if paid <= r)

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

    def add(
        self,
        states: Sequence[int],
        actions: Sequence[int],
        rewards: Iterable[Fraction],
        paid: Sequence[int] | None = None,
    ) -> None:
        """One episode: ``T + 1`` states, ``T`` actions, ``T`` rewards; in a joint model ``T`` atoms of outcomes."""
        own = list(rewards)
        atoms = [0] * len(actions) if paid is None else list(paid)
        if len(states) != len(actions) + 1 or len(own) != len(actions) or len(atoms) != len(actions):
            raise InvalidArgument(
                f"an episode has {len(states)} states, {len(actions)} actions and {len(own)} rewards, "
                "wanted T + 1, T and T"
            )
        for s, a, r, atom, target in zip(states, actions, own, atoms, states[1:], strict=False):
            pair = self.pairs.setdefault((s, a), PairHistory())
            pair.outcomes[atom, target] += 1
            pair.rewards[r] += 1
        self.episodes += 1
