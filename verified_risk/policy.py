r"""Policies: what to do, given the step, the state and something remembered.

Every policy is a small machine.  It starts with a memory, chooses an action from ``(t, s, memory)``, and updates the
memory with the reward it saw.  The kinds differ in what they remember:

================== =======================================================================================
MarkovPolicy       nothing
ReturnPolicy       the return so far ``y`` (a *y-policy*; these suffice for every objective here)
GridPolicy         the sum of the rounded-up rewards: a policy of a discretised model, *adapted* to the raw one
HistoryPolicy      everything
CellPolicy         the return so far, but only in which cell of a grid it lies (:mod:`verified_risk.cell_policy`)
MixturePolicy      which policy was drawn at the start, and that policy's memory
================== =======================================================================================

A choice is an action index, or a dict ``{action: probability}``.  Steps are ``t = 0, ..., T-1``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from . import files
from .errors import InvalidNumber, InvalidPolicy, Unsupported
from .mdp import MDP
from .packed_rule import packed, unpacked
from .rational import Rational, as_fraction, as_step, as_whole, ceil_div, text

if TYPE_CHECKING:
    import numpy as np

    from .playing import Player, State

Choice: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Pairs ``(action, probability)`` of positive probability."""


class Policy(ABC):
    """Base of all policies; it belongs to one model and knows which."""

    #: The memory is the return so far itself, so an evaluator that tracks the return need not track it twice.
    memory_is_return = False

    def __init__(self, mdp: MDP) -> None:
        self.mdp = mdp

    @abstractmethod
    def start(self) -> Hashable:
        """The memory before the first step."""

    @abstractmethod
    def choice(self, t: int, s: int, memory: Any) -> Choice:
        """The law of the action at step ``t`` in state ``s``."""

    @abstractmethod
    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        """The memory after reward ``r``."""

    def memories(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> tuple[tuple[Any, Fraction], ...]:
        """The law of the memory after reward ``r``: one memory, unless the policy draws what it remembers."""
        return ((self.remember(memory, t, s, a, r), Fraction(1)),)

    @abstractmethod
    def on(self, mdp: MDP) -> Policy:
        """The same rule for another model with the same numbers of states and actions and the same horizon."""

    def parts(self) -> Iterable[tuple[Fraction, Policy]]:
        """The policies drawn at the start of an episode, with their probabilities."""
        return ((Fraction(1), self),)

    def player(self, rng: np.random.Generator | int | None = None) -> Player:
        """Something that plays this policy: ``act(observation)``, ``observe(reward)``, ``reset()``."""
        from .playing import Player

        return Player(self, rng)

    def predict(
        self,
        observation: object,
        state: State | None = None,
        *,
        reward: float | int | str | Fraction | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> tuple[int, State]:
        """``(action, state)``, as agents of other libraries answer.

        ``state`` is None at the first step of an episode, then what the call before returned; ``reward`` is what the
        action of that call was paid, because a policy for risk remembers its return.
        """
        from .playing import predict

        return predict(self, observation, state, reward=reward, rng=rng)

    def require(self, mdp: MDP) -> None:
        """Refuse a model that is not the policy's own."""
        if mdp is not self.mdp and mdp != self.mdp:
            raise InvalidPolicy(
                f"the policy belongs to another model: its own is {self.mdp!r} ({self.mdp.fingerprint[:8]}), "
                f"this one is {mdp!r} ({mdp.fingerprint[:8]}); use policy.on(mdp) to play it there on purpose"
            )

    def choices(self) -> Hashable:
        """All that the policy decides, as one value: policies of one kind and model are equal if their choices are.

        A policy given by a function, whose choices cannot be listed, equals only itself.
        """
        return id(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        assert isinstance(other, Policy)
        return self.mdp == other.mdp and self.choices() == other.choices()

    def __hash__(self) -> int:
        return hash((type(self), self.mdp))

    def to_json(self) -> dict[str, Any]:
        raise Unsupported(f"a {type(self).__name__} given by a function has no finite description and cannot be saved")

    def save(self, path: str | PathLike[str]) -> None:
        """Write as versioned JSON together with its model."""
        files.write(path, "policy", {"model": self.mdp.to_json(), "policy": self.to_json()})

    @staticmethod
    def load(path: str | PathLike[str]) -> Policy:
        return files.read(path, "policy", lambda data: policy_from_json(data["policy"], MDP.from_json(data["model"])))

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self.mdp!r}"


class MarkovPolicy(Policy):
    """Choices that depend on step and state only: ``table[t][s]``."""

    def __init__(self, mdp: MDP, table: Sequence[Sequence[Any]]) -> None:
        super().__init__(mdp)
        if len(table) != mdp.horizon:
            raise InvalidPolicy(f"the policy has {len(table)} steps, wanted {mdp.horizon}, the horizon")
        for t, row in enumerate(table):
            if len(row) != mdp.n_states:
                raise InvalidPolicy(f"step {t} of the policy has {len(row)} states, wanted {mdp.n_states}")
        self.table = tuple(
            tuple(read_choice(mdp, s, entry, f"policy[{t}][{s}]") for s, entry in enumerate(row))
            for t, row in enumerate(table)
        )

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
        return {"kind": "markov", "table": [[_choice_json(choice) for choice in row] for row in self.table]}


class ReturnPolicy(Policy):
    """Choices that depend on ``(t, s, y)``, y the (discounted) return so far.

    ``rule`` is a dict ``{(t, s, y): choice}`` or a function ``rule(t, s, y)``.
    """

    memory_is_return = True

    def __init__(
        self, mdp: MDP, rule: Mapping[tuple[int, int, Any], Any] | Callable[[int, int, Fraction], Any]
    ) -> None:
        super().__init__(mdp)
        self.table: dict[tuple[int, int, Fraction], Choice] | None = None
        self.rule: Callable[[int, int, Fraction], Any] | None = None
        if isinstance(rule, Mapping):
            self.table = {}
            for (t, s, y), entry in rule.items():
                where = f"policy[{t}, {s}, {y}]"
                if not (0 <= t < mdp.horizon and 0 <= s < mdp.n_states):
                    raise InvalidPolicy(
                        f"{where} is outside steps 0..{mdp.horizon - 1} and states 0..{mdp.n_states - 1}"
                    )
                self.table[t, s, as_fraction(y, where)] = read_choice(mdp, s, entry, where)
        else:
            self.rule = rule

    def start(self) -> Fraction:
        return Fraction()

    def choice(self, t: int, s: int, memory: Fraction) -> Choice:
        if self.table is not None:
            try:
                return self.table[t, s, memory]
            except KeyError:
                raise InvalidPolicy(f"the policy says nothing at step {t}, state {s}, return so far {memory}") from None
        assert self.rule is not None
        return read_choice(self.mdp, s, self.rule(t, s, memory), f"policy({t}, {s}, {memory})")

    def remember(self, memory: Fraction, t: int, s: int, a: int, r: Fraction) -> Fraction:
        return memory + self.mdp.step_reward(t, r)

    def choices(self) -> Hashable:
        return id(self) if self.table is None else frozenset(self.table.items())

    def on(self, mdp: MDP) -> ReturnPolicy:
        if self.rule is not None:
            return ReturnPolicy(mdp, self.rule)
        assert self.table is not None
        _same_shape(self.mdp, mdp)
        return ReturnPolicy(mdp, {key: dict(choice) for key, choice in self.table.items()})

    def to_json(self) -> dict[str, Any]:
        if self.table is None:
            return super().to_json()
        rows = sorted(self.table.items())
        return {"kind": "return", "rows": [[t, s, text(y), _choice_json(choice)] for (t, s, y), choice in rows]}


class GridPolicy(Policy):
    r"""A policy of a discretised model, adapted: it carries :math:`\hat y = \sum_t \phi(\gamma^t r_t)` and plays by it.

    ``rule(t, s, i)`` is the choice when :math:`\hat y = i \eta`.  On rewards that lie on the grid, this is a
    :class:`ReturnPolicy`.  The rule may be any callable: what is saved is the table of its choices at every sum that
    the policy reaches, and a policy read from a file has no choice anywhere else.
    """

    def __init__(self, mdp: MDP, eta: Rational, rule: Callable[[int, int, int], Any]) -> None:
        super().__init__(mdp)
        self.eta = as_step(eta)
        self.rule = rule
        self._rounded: dict[tuple[int, Fraction], int] = {}

    @classmethod
    def adapt(cls, policy: ReturnPolicy, mdp: MDP, eta: Rational) -> GridPolicy:
        """Adapt a y-policy of ``mdp.discretised(eta)`` to ``mdp`` itself."""
        step = as_step(eta)
        _same_shape(policy.mdp, mdp)
        return cls(mdp, step, lambda t, s, i: dict(policy.choice(t, s, i * step)))

    def start(self) -> int:
        return 0

    def choice(self, t: int, s: int, memory: int) -> Choice:
        return read_choice(self.mdp, s, self.rule(t, s, memory), f"policy({t}, {s}, {memory} eta)")

    def remember(self, memory: int, t: int, s: int, a: int, r: Fraction) -> int:
        key = (t, r)
        if key not in self._rounded:
            self._rounded[key] = ceil_div(self.mdp.step_reward(t, r), self.eta)
        return memory + self._rounded[key]

    def choices(self) -> Hashable:
        """Those at every sum that the policy meets: what it would do elsewhere does not count."""
        return self.eta, tuple(self.reached())

    def on(self, mdp: MDP) -> GridPolicy:
        _same_shape(self.mdp, mdp)
        return GridPolicy(mdp, self.eta, self.rule)

    def to_json(self) -> dict[str, Any]:
        """Stored as its whole table, packed, where it has one; otherwise as its choices on the sums that it meets."""
        table = packed(self.mdp, self.eta, self.rule)
        if table is not None:
            return {"kind": "grid", "eta": text(self.eta), "packed": table}
        rows = [[t, s, i, _choice_json(choice)] for t, s, i, choice in self.reached()]
        return {"kind": "grid", "eta": text(self.eta), "rows": rows}

    def reached(self) -> Iterator[tuple[int, int, int, Choice]]:
        """Every ``(t, s, i)`` that the policy meets, in order, with its choice there; rewards may be continuous."""
        from .grid import grid_model

        grid = grid_model(self.mdp, self.eta)
        cells = {(s, 0) for s, _ in grid.initial}
        for t, step in enumerate(grid.steps):
            following: set[tuple[int, int]] = set()
            for s, i in sorted(cells):
                choice = self.choice(t, s, i)
                yield t, s, i, choice
                following |= {(target, i + j) for a, _ in choice for _, target, j in step[s][a]}
            cells = following


class HistoryPolicy(Policy):
    """Any policy: ``rule(history)`` with ``history = ((s_0, a_0, r_0), ..., (s_{t-1}, a_{t-1}, r_{t-1}), s_t)``."""

    def __init__(self, mdp: MDP, rule: Callable[[tuple[Any, ...]], Any]) -> None:
        super().__init__(mdp)
        self.rule = rule

    def start(self) -> tuple[()]:
        return ()

    def choice(self, t: int, s: int, memory: tuple[Any, ...]) -> Choice:
        return read_choice(self.mdp, s, self.rule((*memory, s)), f"policy{(*memory, s)}")

    def remember(self, memory: tuple[Any, ...], t: int, s: int, a: int, r: Fraction) -> tuple[Any, ...]:
        return (*memory, (s, a, r))

    def on(self, mdp: MDP) -> HistoryPolicy:
        return HistoryPolicy(mdp, self.rule)


class MixturePolicy(Policy):
    """Draw one of several policies at the start of an episode and play it to the end."""

    def __init__(self, parts: Iterable[tuple[Any, Policy]]) -> None:
        read: list[tuple[Fraction, Policy]] = []
        for i, (weight, part) in enumerate(parts):
            try:
                w = as_fraction(weight, f"weight {i}")
            except InvalidNumber as error:
                raise InvalidPolicy(str(error)) from None
            if w < 0:
                raise InvalidPolicy(f"weight {i} of the mixture is {w}, wanted a probability")
            if read:
                part.require(read[0][1].mdp)
            read.append((w, part))
        total = sum((w for w, _ in read), Fraction())
        if total != 1:
            raise InvalidPolicy(f"the weights of the mixture sum to {total}, not to 1")
        super().__init__(read[0][1].mdp)
        self._parts = tuple((w * v, leaf) for w, part in read for v, leaf in part.parts() if w)

    def parts(self) -> tuple[tuple[Fraction, Policy], ...]:
        return self._parts

    def start(self) -> Hashable:
        raise Unsupported("a mixture has no single starting memory: draw one of policy.parts() and play it")

    def choice(self, t: int, s: int, memory: Any) -> Choice:
        raise Unsupported("draw one of policy.parts() and play it")

    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        raise Unsupported("draw one of policy.parts() and play it")

    def choices(self) -> Hashable:
        shares: dict[tuple[type[Policy], Hashable], Fraction] = {}
        for w, part in self._parts:
            key = (type(part), part.choices())
            shares[key] = shares.get(key, Fraction()) + w
        return frozenset(shares.items())

    def on(self, mdp: MDP) -> MixturePolicy:
        return MixturePolicy([(w, part.on(mdp)) for w, part in self._parts])

    def to_json(self) -> dict[str, Any]:
        return {"kind": "mixture", "parts": [[text(w), part.to_json()] for w, part in self._parts]}


def read_choice(mdp: MDP, s: int, entry: Any, where: str) -> Choice:
    """An action index, or ``{action: probability}``, checked against the model."""
    count = mdp.n_actions[s]
    action = as_whole(entry)
    if action is not None:
        if not 0 <= action < count:
            raise InvalidPolicy(f"{where} plays action {action}, state {s} has actions 0..{count - 1}")
        return ((action, Fraction(1)),)
    if not isinstance(entry, Mapping):
        raise InvalidPolicy(f"{where} is {entry!r}, wanted an action or a dict of action probabilities")
    choice = []
    for a, p in entry.items():
        index = as_whole(a)
        if index is None or not 0 <= index < count:
            raise InvalidPolicy(f"{where} plays action {a!r}, state {s} has actions 0..{count - 1}")
        try:
            mass = as_fraction(p, f"{where}[{a}]")
        except InvalidNumber as error:
            raise InvalidPolicy(str(error)) from None
        if mass < 0:
            raise InvalidPolicy(f"{where}[{a}] is {mass}, wanted a probability")
        if mass:
            choice.append((index, mass))
    total = sum((p for _, p in choice), Fraction())
    if total != 1:
        raise InvalidPolicy(f"{where} has probabilities that sum to {total}, not to 1")
    return tuple(sorted(choice))


def policy_from_json(data: dict[str, Any], mdp: MDP) -> Policy:
    """The inverse of ``policy.to_json``."""
    kind = data["kind"]
    if kind == "markov":
        return MarkovPolicy(mdp, [[_choice_read(entry) for entry in row] for row in data["table"]])
    if kind == "return":
        return ReturnPolicy(mdp, {(t, s, y): _choice_read(entry) for t, s, y, entry in data["rows"]})
    if kind == "grid" and "packed" in data:
        return GridPolicy(mdp, data["eta"], unpacked(data["packed"], mdp))
    if kind == "grid":
        table = {(t, s, i): _choice_read(entry) for t, s, i, entry in data["rows"]}
        return GridPolicy(mdp, data["eta"], GridTable(table))
    if kind == "mixture":
        return MixturePolicy([(w, policy_from_json(part, mdp)) for w, part in data["parts"]])
    if kind == "cells":
        from .cell_policy import CellPolicy

        return CellPolicy.from_json(data, mdp)
    raise InvalidPolicy(f"policy kind {kind!r} is not known, wanted markov, return, grid, cells or mixture")


class GridTable:
    """A rule given by a table over ``(t, s, i)``."""

    def __init__(self, table: Mapping[tuple[int, int, int], Any]) -> None:
        self.table = dict(table)

    def __call__(self, t: int, s: int, i: int) -> Any:
        try:
            return self.table[t, s, i]
        except KeyError:
            raise InvalidPolicy(f"the policy says nothing at step {t}, state {s}, rounded return {i} eta") from None


def _choice_json(choice: Choice) -> Any:
    return choice[0][0] if len(choice) == 1 else {str(a): text(p) for a, p in choice}


def _choice_read(entry: Any) -> Any:
    return {int(a): p for a, p in entry.items()} if isinstance(entry, dict) else entry


def _same_shape(own: MDP, other: MDP) -> None:
    if own.n_actions != other.n_actions or own.horizon != other.horizon:
        raise InvalidPolicy(f"the policy is for {own!r}, which has not the states, actions and horizon of {other!r}")
