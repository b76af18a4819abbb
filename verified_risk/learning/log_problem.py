"""A log as a problem of the learner: names become numbers, declarations are compared with every row, rows are counted.

The log stands for a black box (:mod:`.environment`): an outcome of a step is its reward together with the next state.
States are those of the log, the ends of episodes and, unless the initial law is known, the state before the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np

from ..errors import InvalidArgument
from ..numbers.rational import Rational, as_probability, as_whole
from ..objectives import Weighting
from .declarations import Declared, Witness, check_box, possible_rewards
from .environment import black_box, shell_of
from .learner import Learner
from .log import CUT, ENDED, Log, Name
from .markov_test import markov_test
from .task import Settings, Task

MARKOV = (
    "the next state and the reward depend on the present state and action only, by a law that does not change "
    "(Markov): a log can refute this, it cannot show it"
)


class Facts(TypedDict, total=False):
    """Which return is meant, and what is asserted about the model; names are those of the log."""

    horizon: int  #: the steps whose rewards are added up; by default those of the longest episode
    rewards: Sequence[Rational]  #: all rewards that a step can pay; ``log.rewards`` asserts that there are no others
    reward_range: tuple[Rational, Rational]  #: the least and greatest reward instead, with ``eta``
    eta: Rational  #: the step of a grid to which rewards are rounded
    initial: Any  #: the state in which episodes begin, or ``{state: probability}``; by default this law is estimated
    states: Sequence[Any]  #: all states; by default those of the log
    actions: Sequence[Any]  #: all actions, possible in every state; by default a state has those that the log has there
    known_successors: int | Mapping[tuple[Any, Any], Sequence[Any]]  #: what can follow (None: the end), or how many
    known_rewards: Callable[[Any, Any, Any], Any]  #: the reward of (state, action, next state), or those possible
    largest_return: Rational  #: no return exceeds it


class LogProblem:
    """One question asked of a log.  ``live`` and ``ends`` name the states, ``own`` the actions of the live ones;
    ``untried`` pairs have no rows and are not played, but have tests.

    Raises :class:`InvalidArgument` for an option out of range, and for the first row that contradicts a declaration.
    """

    def __init__(self, log: Log, objective: Weighting, delta: Rational, facts: Facts, wanted: Sequence[Name]) -> None:
        if not isinstance(log, Log):
            raise InvalidArgument(f"log is {log!r}, wanted a Log, such as Log.from_csv(...)")
        unknown = [x for x in facts if x not in Facts.__annotations__]
        if unknown:
            raise InvalidArgument(f"{unknown[0]} is no option, wanted one of {', '.join(Facts.__annotations__)}")
        self.log, self.facts = log, facts
        steps = as_whole(facts.get("horizon", log.longest))
        if steps is None or steps < 1:
            raise InvalidArgument(f"horizon is {facts['horizon']!r}, wanted a positive integer")
        if "rewards" not in facts and "reward_range" not in facts:
            raise InvalidArgument(
                f"rewards is missing, wanted all rewards that a step can pay: the log has {some(log.rewards)}, and "
                "rewards=log.rewards asserts that there are no others"
            )
        rewarded, following = facts.get("known_rewards", False), facts.get("known_successors", False)
        self.declared = Declared.read(rewarded, following, facts.get("largest_return"))
        check_box(self.declared)
        settings = Settings.read(objective, 1, delta, facts.get("eta"), algorithm="kl")
        self.delta = settings.delta
        self._name(wanted)
        start = self._initial(facts.get("initial"))
        rewards, known_start = (facts.get("rewards"), facts.get("reward_range"), settings.eta), "initial" in facts
        self.shell = shell_of((len(self.live),), len(self.every), steps, *rewards, not known_start)
        self._count()
        fixed = frozenset(range(len(self.live), len(self.ends)))
        self.untried = len(self.live) * len(self.every) - sum(map(len, self.own))
        standard = black_box(self.shell, [len(own) for own in self.own], len(fixed), start)
        settings = replace(settings, declared=self._numbered())
        self.task = Task.of(standard, settings, fixed=fixed, untried=self.untried)
        knowledge = self.task.knowledge  # the same sets whatever the horizon and the objective
        self.key = (replace(self.shell, steps=1), self.ends, self.every, start, *vars(knowledge).values())

    def _name(self, wanted: Sequence[Name]) -> None:
        """Number states and actions; ``wanted`` actions may be played in every state."""
        log, states, actions = self.log, self.facts.get("states"), self.facts.get("actions")
        self.live = log.states if states is None else tuple(dict.fromkeys(states))
        self.every = tuple(dict.fromkeys([*(log.actions if actions is None else actions), *wanted]))
        columns = (log.states, self.live, log.state, log.successor), (log.actions, self.every, log.action, log.action)
        for own, known, column, after in columns:
            for i, x in enumerate(own):
                if x not in known:
                    row = int(np.flatnonzero((column == i) | (after == i))[0])
                    raise InvalidArgument(f"{log.where(row)}: {x!r} is not among the declared {some(known)}")
        twice = [x for x in log.terminal if x in self.live]
        if twice:
            raise InvalidArgument(f"states has {twice[0]!r}, which the log calls terminal")
        self.ends: tuple[Name, ...] = (*self.live, *log.terminal, *[None] * bool((log.successor == ENDED).any()))
        self.number = {name: s for s, name in enumerate(self.ends)}
        self.code = np.array([self.number[x] for x in (*log.states, *log.terminal)])
        state, action = self.code[log.state], np.array([self.every.index(x) for x in log.actions])[log.action]
        played = np.zeros((len(self.live), len(self.every)), np.bool_)
        played[state, action] = True
        played[:, [self.every.index(x) for x in (wanted if actions is None else self.every)]] = True
        played[~played.any(axis=1)] = True  # nothing was done in these states
        self.own = tuple(tuple(a for a, x in zip(self.every, row, strict=True) if x) for row in played)
        first = np.concatenate([[0], np.cumsum(played.sum(axis=1))])
        self._pair = first[state] + np.cumsum(played, axis=1)[state, action] - 1
        self.idle = [x for i, x in enumerate(self.live) if i not in set(np.unique(state).tolist())]

    def _initial(self, initial: Any) -> tuple[tuple[int, Fraction], ...]:
        """Return the declared initial law by number."""
        if initial is None:
            return ((0, Fraction(1)),)
        law = initial if isinstance(initial, Mapping) else {initial: 1}
        exact = {x: as_probability(p, f"initial[{x!r}]") for x, p in law.items()}
        if sum(exact.values()) != 1 or not set(exact) <= set(self.live):
            raise InvalidArgument(f"initial is {initial!r}, wanted a law on the states {some(self.live)}")
        for row in self.log.first[:-1]:
            name = self.log.states[self.log.state[row]]
            if not exact.get(name):
                raise InvalidArgument(f"{self.log.where(int(row))}: an episode begins in {name!r}, not as initial says")
        return tuple((self.number[x], p) for x, p in exact.items() if p)

    def _count(self) -> None:
        """Set the distinct outcomes ``{(pair, state, atom): count}``; compare rows with the declarations."""
        log, declared = self.log, self.declared
        atoms = []
        for i, r in enumerate(log.rewards):
            try:
                atoms.append(self.shell.atom(r))
            except InvalidArgument as error:
                raise InvalidArgument(f"{log.where(np.flatnonzero(log.reward == i)[0])}: {error}") from None
        after = np.where(log.successor >= 0, self.code[np.maximum(log.successor, 0)], len(self.ends) - 1)
        kept, m = np.flatnonzero(log.successor != CUT), len(log.rewards)
        keys = (self._pair[kept] * len(self.ends) + after[kept]) * m + log.reward[kept]
        found, first, count = np.unique(keys, return_index=True, return_counts=True)
        pairs = [(s, a) for s, own in zip(self.live, self.own, strict=True) for a in own]
        witness: Any = Witness(declared)
        self.outcomes: dict[tuple[int, int, int], int] = {}
        for j in np.argsort(first):
            rest, reward = divmod(int(found[j]), m)
            p, s = divmod(rest, len(self.ends))
            if isinstance(declared.successors, Mapping) and pairs[p] not in declared.successors:
                raise InvalidArgument("known_successors has no entry for state {!r}, action {!r}".format(*pairs[p]))
            witness.step(log.where(kept[first[j]]), *pairs[p], log.rewards[reward], self.ends[s])
            witness.add(*pairs[p], log.rewards[reward], self.ends[s])
            outcome = p, s, atoms[reward]  # a grid makes rewards equal
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + int(count[j])
        for k, earned in enumerate(log.returns(self.shell.steps) if declared.largest is not None else ()):
            witness.end(log.where(int(log.first[k])), *pairs[self._pair[log.first[k]]], earned)
        if self.shell.random_starts:
            begun, times = np.unique(self.code[log.state[log.first[:-1]]], return_counts=True)
            start = len(pairs) + len(self.ends) - len(self.live)
            self.outcomes |= {(start, int(s), 0): int(k) for s, k in zip(begun, times, strict=True)}

    def _numbered(self) -> Declared:
        """Return the declarations by number, as the learner reads them; a pair without an entry may lead anywhere."""
        named: Any = self.declared
        successors, rewards = named.successors, named.rewards
        if isinstance(successors, Mapping):
            for pair, states in successors.items():
                if not states or not set(states) <= set(self.ends):
                    raise InvalidArgument(f"known_successors[{pair!r}] is {states!r}, wanted {some(self.ends)}")
            successors = {
                (i, j): [self.number[x] for x in named.successors.get((s, a), self.ends)]
                for i, s in enumerate(self.live) for j, a in enumerate(self.own[i])
            }  # fmt: skip
        if callable(rewards):

            def rewards(s: int, a: int, after: int) -> set[Fraction]:
                return possible_rewards(named, self.live[s], self.own[s][a], self.ends[after])  # type: ignore[arg-type]

        return Declared(rewards, successors, named.largest)

    def learner(self) -> Learner:
        """Return a learner that has counted the log and made its sets."""
        room = int(np.bincount([p for p, _, _ in self.outcomes]).max())
        learner = self.task.learner(room=room)
        counts = learner.counts
        for (p, state, atom), times in self.outcomes.items():
            j = counts.length[p]
            counts.state[p, j], counts.atom[p, j], counts.count[p, j] = state, atom, times
            counts.length[p] += 1
            counts.visits[p] += times
        learner.plan()
        return learner

    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what a guarantee rests on beside the data, and what a reader should know of the log."""
        log, steps, rounding = self.log, self.shell.steps, self.task.standard.rounding
        states, actions = ("as declared" if x in self.facts else "those of the log" for x in ("states", "actions"))
        actions += "" if "actions" in self.facts else " in each state"
        cut = int((log.successor == CUT).sum())
        assumed = {
            MARKOV: True,
            "actions were chosen, and rows kept or dropped, without knowledge of what followed": True,
            f"the states are {states}, the actions {actions}, the rewards as declared": True,
            "episodes begin independently, by one law, which is estimated": self.shell.random_starts,
            f"declared: {self.declared}": str(self.declared),
        }
        longer = f"the horizon is {steps}, the longest episode has {log.longest} steps"
        test = markov_test(log)
        notes = {
            f"the log contradicts the first assumption: {test}": test.rejects(float(self.delta)),
            f"{longer}: beyond them all rests on laws that do not change": steps > log.longest,
            f"{cut} steps are not counted: the log does not show where they led": cut,
            "the second half of the log repeats the first, row by row: was a file appended to itself?": log.twice,
            f"nothing was done in {some(self.idle)}: what follows there is not known": self.idle,
            f"{self.untried} pairs of a state and an action are not in the log, and not played": self.untried,
            f"rewards are rounded up to a grid; the lower end allows {rounding} for that": rounding,
        }
        return tuple(x for x, true in assumed.items() if true), tuple(x for x, true in notes.items() if true)


def some(names: Sequence[Any]) -> str:
    """Return the first names of a list, for messages."""
    return ", ".join(map(str, names[:8])) + (f", ... ({len(names)})" if len(names) > 8 else "")
