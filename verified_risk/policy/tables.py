"""Policies that remember nothing, the return so far, or everything."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import as_fraction, said, text
from .base import Choice, Chosen, Policy, choice_json, read_choice, same_shape

ONE = Fraction(1)
YTable: TypeAlias = Mapping[tuple[int, int, Any], Chosen]
"""``{(t, s, y): choice}``, y a number of any kind."""
History: TypeAlias = tuple[tuple[int, int, Fraction] | int, ...]
"""``((s_0, a_0, r_0), ..., (s_{t-1}, a_{t-1}, r_{t-1}), s_t)``; the remembered part lacks the last state."""


class MarkovPolicy(Policy):
    """Choices that depend on step and state only: ``table[t][s]``.

    :param mdp: the model
    :param table: ``table[t][s]``: an action, or a law ``{action: probability}``
    :raises InvalidPolicy: if an action does not exist, or a row is missing
    """

    uses_rewards = False

    def __init__(self, mdp: MDP, table: Sequence[Sequence[Chosen]]) -> None:
        super().__init__(mdp)
        if len(table) != mdp.horizon:
            raise InvalidPolicy(f"the policy has {len(table)} steps, wanted {mdp.horizon}, the horizon")
        for t, row in enumerate(table):
            if len(row) != mdp.n_states:
                raise InvalidPolicy(f"step {t} of the policy has {len(row)} states, wanted {mdp.n_states}")
        known: dict[Any, Choice] = {}  # of valid actions; all states share them

        def read(t: int, s: int, entry: Chosen) -> Choice:
            if type(entry) is not int or not 0 <= entry < mdp.n_actions[s]:
                return read_choice(mdp, s, entry, f"policy[{t}][{s}]")
            return known.setdefault(entry, ((entry, ONE),))

        self.table = tuple(tuple(read(t, s, entry) for s, entry in enumerate(row)) for t, row in enumerate(table))

    def start(self) -> None:
        return None

    def choice(self, t: int, s: int, memory: None) -> Choice:
        return self.table[t][s]

    def remember(self, memory: None, t: int, s: int, a: int, r: Fraction) -> None:
        return None

    def choices(self) -> Hashable:
        return self.table

    def on(self, mdp: MDP) -> MarkovPolicy:
        return MarkovPolicy(mdp, [[dict(choice) for choice in row] for row in self.table])

    def to_json(self) -> dict[str, Any]:
        return {"kind": "markov", "table": [[choice_json(choice) for choice in row] for row in self.table]}


class RemembersReturn(Policy):
    """A policy whose memory is y, the (discounted) return so far."""

    memory_is_return = True

    def start(self) -> Fraction:
        return Fraction()

    def remember(self, memory: Fraction, t: int, s: int, a: int, r: Fraction) -> Fraction:
        return memory + self.mdp.step_reward(t, r)


class ReturnPolicy(RemembersReturn):
    """Choices that depend on ``(t, s, y)``, y the (discounted) return so far.

    ``rule`` is a dict ``{(t, s, y): choice}`` or a function ``rule(t, s, y)``.

    :param mdp: the model
    :param rule: a function of step, state and return so far, or a dict with these keys; it returns an action or a law
        of actions
    :raises InvalidPolicy: if an action does not exist, or a reachable key is missing
    """

    def __init__(self, mdp: MDP, rule: YTable | Callable[[int, int, Fraction], Chosen]) -> None:
        super().__init__(mdp)
        self.table: dict[tuple[int, int, Fraction], Choice] | None = None
        self.rule: Callable[[int, int, Fraction], Chosen] | None = None
        if isinstance(rule, Mapping):
            self.table = {}
            for (t, s, y), entry in rule.items():
                where = f"policy[{t}, {s}, {y}]"
                if not (0 <= t < mdp.horizon and 0 <= s < mdp.n_states):
                    raise InvalidPolicy(
                        f"{where} is outside steps 0..{mdp.horizon - 1} and states 0..{mdp.n_states - 1}"
                    )
                key = (t, s, as_fraction(y, where))
                if key in self.table:  # 0.5 and "1/2" are two keys for one number
                    raise InvalidPolicy(f"{where} stands twice, wanted it once")
                self.table[key] = read_choice(mdp, s, entry, where)
        else:
            self.rule = rule

    def choice(self, t: int, s: int, memory: Fraction) -> Choice:
        if self.table is not None:
            try:
                return self.table[t, s, memory]
            except KeyError:
                raise InvalidPolicy(
                    f"the policy says nothing at step {t}, state {s}, return so far {said(memory)}"
                ) from None
        assert self.rule is not None
        return read_choice(self.mdp, s, self.rule(t, s, memory), f"policy({t}, {s}, {text(memory)})")

    def choices(self) -> Hashable:
        return id(self) if self.table is None else frozenset(self.table.items())

    def on(self, mdp: MDP) -> ReturnPolicy:
        if self.rule is not None:
            return ReturnPolicy(mdp, self.rule)
        assert self.table is not None
        same_shape(self.mdp, mdp)
        return ReturnPolicy(mdp, {key: dict(choice) for key, choice in self.table.items()})

    def to_json(self) -> dict[str, Any]:
        if self.table is None:
            return super().to_json()
        rows = sorted(self.table.items())
        return {"kind": "return", "rows": [[t, s, text(y), choice_json(choice)] for (t, s, y), choice in rows]}


class HistoryPolicy(Policy):
    """Any policy: ``rule(history)`` with ``history = ((s_0, a_0, r_0), ..., (s_{t-1}, a_{t-1}, r_{t-1}), s_t)``.

    :param mdp: the model
    :param rule: a function of the history; it returns an action or a law of actions
    :raises InvalidPolicy: if an action does not exist
    """

    def __init__(self, mdp: MDP, rule: Callable[[History], Chosen]) -> None:
        super().__init__(mdp)
        self.rule = rule

    def start(self) -> tuple[()]:
        return ()

    def choice(self, t: int, s: int, memory: History) -> Choice:
        return read_choice(self.mdp, s, self.rule((*memory, s)), f"policy{(*memory, s)}")

    def remember(self, memory: History, t: int, s: int, a: int, r: Fraction) -> History:
        return (*memory, (s, a, r))

    def on(self, mdp: MDP) -> HistoryPolicy:
        return HistoryPolicy(mdp, self.rule)
