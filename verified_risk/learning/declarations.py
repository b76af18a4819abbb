r"""Declarations: facts about the model, beside horizon and reward range, that the user may assert.

A declaration is a hypothesis of the theorem: a false one voids the guarantee (theory, page 10,
kl-declared).  :func:`check_model` compares
declarations with a model, :class:`Witness` with the steps of a black box; both raise :class:`InvalidArgument` for a
false one.

:func:`knowledge_of` turns declarations into the lists that planning uses and into the number of *tests*, the n of
:math:`\lambda_N = \log(n/\delta) + \frac12 \log N + \log 2` (theory, page 10, "Which union").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import Counts, Known
from ..numbers.rational import Rational, as_fraction
from .problem import Standard

Outcomes: TypeAlias = tuple[tuple[int, int], ...]
"""``(atom, next state)``, one per outcome that can occur."""
RewardOf: TypeAlias = Callable[[int, int, int], Rational | Collection[Rational]]
MOST_COPIED = 64
"""A limit on outcomes up to this becomes a list of outcomes once all are seen; above it only the tests are fewer."""


@dataclass(frozen=True)
class Declared:
    """The declarations of a run; by default there are none.

    ``rewards``: product model: the law of every reward; joint model: the reward of each (s, a, s'), or those that are
    possible.  ``successors``: the states that can follow each pair, or a number: at most so many outcomes can follow
    any pair (1: the model is deterministic).  ``largest``: no return exceeds it.
    """

    rewards: bool | RewardOf = False
    successors: bool | int | Mapping[tuple[int, int], Sequence[int]] = False
    largest: Fraction | None = None

    @classmethod
    def read(cls, rewards: Any, successors: Any, largest: Any) -> Declared:
        """Return the declarations; raise :class:`InvalidArgument` for a value of the wrong type or range."""
        if not (isinstance(rewards, bool) or callable(rewards)):
            raise InvalidArgument(f"known_rewards is {rewards!r}, wanted True, False or a function of (s, a, s')")
        number = isinstance(successors, Integral) and not isinstance(successors, bool)
        if number and int(successors) < 1:
            raise InvalidArgument(f"known_successors is {successors}, wanted at least 1")
        if not (number or isinstance(successors, (bool, Mapping))):
            raise InvalidArgument(
                f"known_successors is {successors!r}, wanted True, False, a number, or {{(s, a): states}}"
            )
        most = None if largest is None else as_fraction(largest, "largest_return")
        return cls(rewards, int(successors) if number else successors, most)

    def __str__(self) -> str:
        said = []
        if self.rewards:
            said.append("rewards known")
        if isinstance(self.successors, int) and not isinstance(self.successors, bool):
            said.append(f"at most {self.successors} outcome{'s' * (self.successors != 1)} per pair")
        elif self.successors:
            said.append("successors known")
        if self.largest is not None:
            said.append(f"no return above {self.largest}")
        return ", ".join(said)

    def to_json(self) -> dict[str, Any]:
        successors = self.successors
        if isinstance(successors, Mapping):
            successors = [[s, a, list(states)] for (s, a), states in sorted(successors.items())]  # type: ignore[assignment]
        return {
            "rewards": bool(self.rewards),
            "successors": successors,
            "largest": None if self.largest is None else str(self.largest),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Declared:
        successors = data["successors"]
        if isinstance(successors, list):
            successors = {(s, a): tuple(states) for s, a, states in successors}
        return cls(
            data["rewards"], successors, None if data["largest"] is None else as_fraction(data["largest"], "largest")
        )


@dataclass(frozen=True)
class Knowledge:
    """Declarations pair by pair, in the order of states, then actions.

    ``lists``: the outcomes that can occur, empty if unknown.  ``limits``: the most outcomes, 0 if unknown.  ``fixed``:
    whether the pair is known altogether.  For all pairs: whether the laws of the rewards are known, the number of
    tests, the most outcomes of a pair that is learned, the number of such pairs, the largest return in units.
    """

    lists: tuple[Outcomes, ...]
    limits: tuple[int, ...]
    fixed: tuple[bool, ...]
    rewards: bool
    tests: int
    most_outcomes: int
    learned_pairs: int
    largest: int

    def arrays(self, standard: Standard) -> Known:
        """Return the declarations in the form of the kernels."""
        flat = [pair for actions in standard.pairs for pair in actions]
        wide = max([len(one) for one in self.lists] + [x for x in self.limits if x <= MOST_COPIED] + [1])
        state, atom = np.zeros((len(flat), wide), np.int64), np.zeros((len(flat), wide), np.int64)
        for p, outcomes in enumerate(self.lists):
            for j, (i, target) in enumerate(outcomes):
                state[p, j], atom[p, j] = target, i
        length = np.array([len(one) for one in self.lists], np.int64)
        limit = np.array([x if x <= MOST_COPIED else 0 for x in self.limits], np.int64)
        reward, laws = np.zeros((len(flat), len(standard.atoms))), self.rewards and not standard.joint
        if laws:
            for p, pair in enumerate(flat):
                for i, q in pair.rewards:
                    reward[p, i] = float(q)
        return Known(length, state, atom, limit, np.array(self.fixed, np.bool_), int(laws), reward)


def knowledge_of(
    standard: Standard, declared: Declared, *, fixed: frozenset[int] = frozenset(), untried: int = 0
) -> Knowledge:
    """Return the declarations about a model in the learner's form.

    ``fixed`` are states known to be absorbing, with the one outcome in ``standard.pairs``.  ``untried`` pairs have
    tests too, although they are left out of the model because data decided so.  Declarations do not concern
    the step that leads to a random start.  Raises :class:`InvalidArgument` for entries that are missing or outside the
    model, and for a largest return below the least one.
    """
    S, m, joint = standard.n_states, len(standard.atoms), standard.joint
    rows: list[tuple[Outcomes, int, bool]] = []
    tests = most = learned = 0
    limit = declared.successors if type(declared.successors) is int else 0
    for s, actions in enumerate(standard.pairs):
        for a, pair in enumerate(actions):
            if s in fixed:
                ((atom, target, _),) = pair.outcomes
                rows.append((((atom, target),), 0, True))
                continue
            learned += 1
            if standard.free_steps and s == standard.initial[0][0]:
                rows.append(((), 0, False))
                most, tests = max(most, S), tests + S
                continue
            listed = _listed(standard, declared, s, a)
            possible = len(listed) if listed else (S * m if joint else S)
            possible = min(possible, limit) if limit else possible
            certain = len(listed) == 1
            rows.append((listed, possible if limit else 0, certain))
            most = max(most, 0 if certain else possible)
            tests += {1: 0, 2: 1}.get(possible, possible)
            if not joint and not declared.rewards:
                tests += m - 1
    blank = min(S * m if joint else S, limit or S * m)
    tests += untried * ({1: 0, 2: 1}.get(blank, blank) + (0 if joint or declared.rewards else m - 1))
    largest = standard.top[0]
    if declared.largest is not None:
        units = (declared.largest - standard.offset) / (standard.range * standard.unit)
        if units < 0:
            raise InvalidArgument(
                f"largest_return is {declared.largest}, wanted at least {standard.offset}, the least return"
            )
        # rewards rounded up can exceed the declared return by one unit a step
        slack = 0 if standard.exact else standard.steps
        largest = min(largest, int(units) + slack)
    lists, limits, known = zip(*rows, strict=True)
    return Knowledge(lists, limits, known, bool(declared.rewards), max(tests, 1), max(most, 1), learned, largest)


def _listed(standard: Standard, declared: Declared, s: int, a: int) -> Outcomes:
    """Return the outcomes that can follow a pair, or () if they were not declared; it may contain impossible ones."""
    truth = standard.pairs[s][a].outcomes
    states: Sequence[int] | None = None
    if declared.successors is True:
        states = sorted({target for _, target, _ in truth})
    elif isinstance(declared.successors, Mapping):
        if (s, a) not in declared.successors:
            raise InvalidArgument(f"known_successors has no entry for state {s}, action {a}")
        states = sorted(set(declared.successors[s, a]))
        for target in states:
            if not 0 <= target < standard.n_states:
                raise InvalidArgument(
                    f"known_successors[{s}, {a}] has state {target}, wanted 0..{standard.n_states - 1}"
                )
    if not standard.joint:
        return () if states is None else tuple((0, target) for target in states)
    if not declared.rewards:
        top = len(standard.atoms)
        return () if states is None else tuple((i, target) for target in states for i in range(top))
    if states is None:
        states = range(standard.n_states)
    return tuple((atom, target) for target in states for atom in _reward_atoms(standard, declared, s, a, target))


def _reward_atoms(standard: Standard, declared: Declared, s: int, a: int, target: int) -> list[int]:
    """Return the atoms that a step from (s, a) to ``target`` can pay; the greatest if the step is impossible."""
    if declared.rewards is True:
        found = sorted({atom for atom, state, _ in standard.pairs[s][a].outcomes if state == target})
        return found or [len(standard.atoms) - 1]
    found = []
    for reward in sorted(possible_rewards(declared, s, a, target)):
        x = (reward - standard.low) / standard.range
        if x not in standard.atoms:
            raise InvalidArgument(
                f"known_rewards({s}, {a}, {target}) is {reward}, which is none of the rewards that were declared"
            )
        found.append(standard.atoms.index(x))
    return found


def possible_rewards(declared: Declared, s: int, a: int, target: int) -> set[Fraction]:
    """Return the rewards that the declared function gives for a step; raise :class:`InvalidArgument` if none."""
    assert callable(declared.rewards)
    said, name = declared.rewards(s, a, target), f"known_rewards({s}, {a}, {target})"
    several = list(said) if isinstance(said, Collection) and not isinstance(said, str) else [said]
    rewards = {as_fraction(r, name) for r in several}
    if not rewards:
        raise InvalidArgument(f"{name} is empty, wanted the rewards that are possible")
    return rewards


# -- declarations against a model or a black box -----------------------------------------------------------------------


def check_model(standard: Standard, declared: Declared, knowledge: Knowledge) -> None:
    """Raise :class:`InvalidArgument` for the first declaration that the model contradicts."""
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
    """Return the largest return of the model, in units, and the pairs on a path that attains it."""
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
    """Raise :class:`InvalidArgument` for a declaration that would have to be read off a black box's model."""
    if declared.rewards is True:
        raise InvalidArgument("known_rewards is True, but a black box hides them, wanted a function of (s, a, s')")
    if declared.successors is True:
        raise InvalidArgument(
            "known_successors is True, but a black box hides them, wanted a number or {(s, a): states}"
        )


class Witness:
    """The outcomes of a black box so far.  A step or return that contradicts a declaration raises
    :class:`InvalidArgument`, which names step, state, action and value."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.seen: dict[tuple[int, int], set[tuple[int, Fraction]]] = {}

    def step(self, where: str, s: int, a: int, reward: Fraction, target: int) -> None:
        """Check one step; ``target`` is the number of observations where the episode is over."""
        declared, here = self.declared, f"{where}: state {s}, action {a}"
        if isinstance(declared.successors, Mapping) and target not in declared.successors[s, a]:
            raise InvalidArgument(
                f"{here} led to state {target}, but known_successors[{s}, {a}] is {list(declared.successors[s, a])}"
            )
        if type(declared.successors) is int:
            seen = self.seen.get((s, a), set()) | {(target, reward)}
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

    def add(self, s: int, a: int, reward: Fraction, target: int) -> None:
        """Remember a step that contradicts nothing, if outcomes are to be counted."""
        if type(self.declared.successors) is int:
            self.seen.setdefault((s, a), set()).add((target, reward))

    def end(self, where: str, s: int, a: int, earned: Fraction) -> None:
        """Check the return of an episode; ``where``, s and a are its last step."""
        if self.declared.largest is not None and earned > self.declared.largest:
            raise InvalidArgument(
                f"{where}: state {s}, action {a} ended the episode with a return of {earned}, but largest_return is "
                f"{self.declared.largest}"
            )

    def recall(self, counts: Counts, pairs: list[tuple[int, int]], value_of: Callable[[int], Fraction]) -> None:
        """Add the outcomes of an earlier part of the run, from the learner's counts."""
        for p, pair in enumerate(pairs):
            for j in range(int(counts.length[p])):
                self.add(*pair, value_of(int(counts.atom[p, j])), int(counts.state[p, j]))
