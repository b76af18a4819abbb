"""The actions of a product model in a few arrays, and states whose actions are made of them on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from ..law import Law
from .action import Action
from .packed import Floats, Ints, Packed, entry_places
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
    """The actions of every state, made on first access.

    Action i has row ``rows[i]`` of ``packed`` as its successors; it stays where it is if that is -1.
    """

    def __init__(
        self, packed: Packed, rows: Ints, action_start: Ints, laws: tuple[Law | ContinuousReward, ...], law: Ints
    ) -> None:
        self.packed, self.rows = packed, rows
        self._made: list[tuple[Action, ...] | None] = [None] * (len(action_start) - 1)
        start, column, value = packed.start, packed.column, packed.value
        mask = packed.positive()
        if mask is not None:
            start = np.concatenate(([0], np.cumsum(mask)))[start]
            column, value = column[mask], value[mask]
        if len(rows) != len(start) - 1 or (rows < 0).any():
            sizes = np.where(rows < 0, 1, np.diff(start)[rows])
            at = entry_places(start, rows[rows >= 0])
            moves = np.repeat(rows >= 0, sizes)
            target = np.repeat(np.arange(len(action_start) - 1), np.diff(action_start))  # the state of each action
            succ_state, succ_prob = np.repeat(target, sizes), np.ones(int(sizes.sum()))
            succ_state[moves], succ_prob[moves] = column[at], value[at]
            start, column, value = starts(sizes), succ_state, succ_prob
        self.flat = FlatModel(action_start, start, column, value, laws, law)

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
            row, law = int(self.rows[i]), flat.laws[flat.law[i]]
            yield Action(((s, Fraction(1)),), law) if row < 0 else PackedAction(self.packed, row, law)


def flat_model(states: Sequence[tuple[Action, ...]]) -> FlatModel:
    """Return the arrays of a product model."""
    if isinstance(states, PackedStates):
        return states.flat
    actions = [action for own in states for action in own]
    rows = [action.successors for action in actions]
    number: dict[int, int] = {}
    laws = [action.reward for action in actions]
    law = np.array([number.setdefault(id(reward), len(number)) for reward in laws])
    return FlatModel(
        starts(map(len, states)),
        starts(map(len, rows)),
        np.array([s for row in rows for s, _ in row], dtype=np.int64),
        np.array([p.numerator / p.denominator for row in rows for _, p in row]),
        tuple({id(reward): reward for reward in laws}.values()),
        law,
    )


def starts(counts: Iterable[int]) -> Ints:
    """Return where each row of a compressed table begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.fromiter(counts, dtype=np.int64))))
