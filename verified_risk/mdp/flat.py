"""The actions of a product model in a few arrays, and states whose actions are made of them on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from ..law import Law
from .action import Action
from .packed import Floats, Ints, Packed
from .rewards import ContinuousReward


@dataclass(frozen=True)
class FlatModel:
    """The actions of all states, concatenated: state s has actions ``action_start[s]`` to ``action_start[s + 1] - 1``,
    and action i the successors from ``succ_start[i]`` to ``succ_start[i + 1] - 1`` and the reward law ``laws[law[i]]``.
    """

    action_start: Ints
    succ_start: Ints
    succ_state: Ints
    succ_prob: Floats
    """Probabilities, rounded once to the nearest float."""
    laws: tuple[Law | ContinuousReward, ...]
    """The different reward laws, in the order in which actions have them."""
    law: Ints

    @property
    def branches(self) -> int:
        """The greatest number of pairs of next state and reward of one action; rewards must be finite laws."""
        sizes = np.array([len(law) if isinstance(law, Law) else 0 for law in self.laws])
        return int((np.diff(self.succ_start) * sizes[self.law]).max())


class PackedAction(Action):
    """An action whose successors are a row of :class:`~.packed.Packed`."""

    __slots__ = ("_packed", "_row")

    def __init__(self, packed: Packed, row: int, reward: Law | ContinuousReward) -> None:
        super().__init__(None, reward)
        self._packed, self._row = packed, row

    @property
    def successors(self) -> tuple[tuple[int, Fraction], ...]:
        if self._successors is None:
            self._successors = self._packed.successors(self._row)
        return self._successors


class PackedStates(Sequence[tuple[Action, ...]]):
    """The actions of every state, made on first access: action i has row i of ``packed``, and a reward law."""

    def __init__(self, packed: Packed, action_start: Ints, laws: tuple[Law | ContinuousReward, ...], law: Ints) -> None:
        self.packed = packed
        self._made: list[tuple[Action, ...] | None] = [None] * (len(action_start) - 1)
        self.flat = FlatModel(action_start, packed.start, packed.column, packed.value, laws, law)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, s: int) -> tuple[Action, ...]: ...
    @overload
    def __getitem__(self, s: slice) -> tuple[tuple[Action, ...], ...]: ...
    def __getitem__(self, s: Any) -> Any:
        if isinstance(s, slice):
            return tuple(self[k] for k in range(*s.indices(len(self))))
        made = self._made[s]
        if made is None:
            made = self._made[s] = tuple(self._actions(s % len(self)))
        return made

    def _actions(self, s: int) -> Iterator[Action]:
        flat = self.flat
        for i in range(int(flat.action_start[s]), int(flat.action_start[s + 1])):
            yield PackedAction(self.packed, i, flat.laws[flat.law[i]])


def flat_model(states: Sequence[tuple[Action, ...]], packed: Packed) -> FlatModel:
    """Return the arrays of a product model, with the laws of next states ``packed``."""
    if isinstance(states, PackedStates):
        return states.flat
    actions = [action for own in states for action in own]
    number: dict[Any, int] = {}
    by_id = {id(action.reward): action.reward for action in actions}
    of_id = {key: number.setdefault(_content(law), len(number)) for key, law in by_id.items()}
    laws = {of_id[key]: law for key, law in by_id.items()}
    law = np.array([of_id[id(action.reward)] for action in actions])
    start = starts(map(len, states))
    return FlatModel(start, packed.start, packed.column, packed.value, tuple(laws[k] for k in range(len(laws))), law)


def _content(law: Law | ContinuousReward) -> Any:
    """Return what equal laws have in common; hashing fractions is slow."""
    if not isinstance(law, Law):
        return id(law)
    return tuple((x.numerator, x.denominator) for x in (*law.atoms, *law.masses))


def starts(counts: Iterable[int]) -> Ints:
    """Return where each row of a compressed table begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.fromiter(counts, dtype=np.int64))))
