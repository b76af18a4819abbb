"""Declarations against what is known: a model refutes a false one at once, a black box by what it does.

A declaration is a hypothesis of the theorem, so a false one is an error and never a slightly worse run.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..errors import InvalidArgument
from .declarations import Declared, Knowledge, possible_rewards
from .problem import Standard


def check_model(standard: Standard, declared: Declared, knowledge: Knowledge) -> None:
    """Refuse a declaration that the model itself contradicts, naming the first entry that does."""
    for s, actions in enumerate(standard.pairs):
        for a, pair in enumerate(actions):
            if isinstance(declared.successors, Mapping):
                for _, target, p in pair.outcomes:
                    if target not in declared.successors[s, a]:
                        raise InvalidArgument(
                            f"known_successors[{s}, {a}] is {list(declared.successors[s, a])}, wanted state {target} "
                            f"too: it follows with probability {p}"
                        )
            elif type(declared.successors) is int and len(pair.outcomes) > declared.successors:
                raise InvalidArgument(
                    f"known_successors is {declared.successors}, but state {s}, action {a} has {len(pair.outcomes)} "
                    "outcomes"
                )
    if declared.largest is not None:
        most, way = largest_return(standard)
        if most > knowledge.largest:
            steps = ", ".join(f"({s}, {a})" for s, a in way)
            raise InvalidArgument(
                f"largest_return is {declared.largest}, wanted at least {standard.value(Fraction(most))}: "
                f"the (state, action) pairs {steps} can earn that"
            )


def largest_return(standard: Standard) -> tuple[int, list[tuple[int, int]]]:
    """The largest return of the model, in units, and the pairs on a way to it."""
    after = [0] * standard.n_states
    choices: list[list[tuple[int, int]]] = []
    for units in reversed(standard.units):
        best = [
            max(
                (max(units[i] for i, _ in pair.rewards) + units[atom] + after[target], -a, target)
                for a, pair in enumerate(actions)
                for atom, target, _ in pair.outcomes
            )
            for actions in standard.pairs
        ]
        after = [value for value, _, _ in best]
        choices.append([(-a, target) for _, a, target in best])
    s = max((s for s, _ in standard.initial), key=lambda s: after[s])
    most, way = after[s], []
    for choice in reversed(choices):
        a, target = choice[s]
        way.append((s, a))
        s = target
    return most, way


def check_box(declared: Declared) -> None:
    """Refuse declarations that ask a black box for its model."""
    if declared.rewards is True:
        raise InvalidArgument("known_rewards is True, but a black box hides them, wanted a function of (s, a, s')")
    if declared.successors is True:
        raise InvalidArgument(
            "known_successors is True, but a black box hides them, wanted a number or {(s, a): states}"
        )


class Witness:
    """What a black box did, held against what was declared; every message names step, state, action and value."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.seen: dict[tuple[int, int], set[tuple[int, Fraction]]] = {}

    def step(self, where: str, s: int, a: int, reward: Fraction, target: int) -> None:
        """One step; ``target`` is the number of observations where the episode is over."""
        declared, here = self.declared, f"{where}: state {s}, action {a}"
        if isinstance(declared.successors, Mapping) and target not in declared.successors[s, a]:
            raise InvalidArgument(
                f"{here} led to state {target}, but known_successors[{s}, {a}] is {list(declared.successors[s, a])}"
            )
        if type(declared.successors) is int:
            seen = self.seen.setdefault((s, a), set())
            seen.add((target, reward))
            if len(seen) > declared.successors:
                raise InvalidArgument(
                    f"{here} led to state {target} with reward {reward}, its outcome number {len(seen)}, but "
                    f"known_successors is {declared.successors}"
                )
        if callable(declared.rewards):
            wanted = possible_rewards(declared, s, a, target)
            if reward not in wanted:
                raise InvalidArgument(
                    f"{here} led to state {target} with reward {reward}, but known_rewards({s}, {a}, {target}) is "
                    f"{' or '.join(map(str, sorted(wanted)))}"
                )

    def end(self, where: str, s: int, a: int, earned: Fraction) -> None:
        """The end of an episode; ``where``, s and a are its last step."""
        if self.declared.largest is not None and earned > self.declared.largest:
            raise InvalidArgument(
                f"{where}: state {s}, action {a} ended the episode with a return of {earned}, but largest_return is "
                f"{self.declared.largest}"
            )

    def recall(self, counts: Any, pairs: list[tuple[int, int]], value_of: Any) -> None:
        """Take over the outcomes of an earlier part of the run, from the learner's counts."""
        for p, pair in enumerate(pairs):
            for j in range(int(counts.length[p])):
                outcome = int(counts.state[p, j]), value_of(int(counts.atom[p, j]))
                self.seen.setdefault(pair, set()).add(outcome)
