"""Learned policies of models and of environments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import files
from ..errors import InvalidArgument, InvalidFile, InvalidPolicy
from ..files import decode_array, encode_array, plain
from ..mdp import MDP
from ..numbers.format import short
from ..numbers.rational import Rational, as_fraction, as_whole, ceil_div
from ..policy import Choice, Policy
from ..policy.base import same_shape
from .problem import Standard


class LearnedPolicy(Policy):
    """Plays ``table[t][s][y]``, y the rounded-up return so far in units of the learner's standard form.

    It remembers y; a table with one column plays the same whatever was earned.
    """

    def __init__(self, mdp: MDP, standard: Standard, table: Sequence[Sequence[Sequence[int]]]) -> None:
        super().__init__(mdp)
        self.standard, self.table = standard, table
        self._atom = {r: i for i, r in enumerate(standard.atoms)}
        self._rounds = not mdp.is_discrete

    def start(self) -> int:
        return 0

    def choice(self, t: int, s: int, memory: int) -> Choice:
        row = self.table[t][s]
        return ((int(row[min(memory, len(row) - 1)]), Fraction(1)),)

    def remember(self, memory: int, t: int, s: int, a: int, r: Fraction) -> int:
        return memory + self.standard.units[t][self.atom(r)]

    def atom(self, r: Fraction) -> int:
        """Return the atom of a reward; continuous rewards are rounded up to the grid, as in learning.

        Raises :class:`InvalidPolicy` for a reward that the learner's model does not have.
        """
        x = (r - self.standard.low) / self.standard.range
        if x not in self._atom and self._rounds:
            x = ceil_div(x, self.standard.unit) * self.standard.unit
        if x not in self._atom:
            raise InvalidPolicy(f"reward {r} is not one the policy was learned with")
        return self._atom[x]

    def on(self, mdp: MDP) -> LearnedPolicy:
        same_shape(self.mdp, mdp)
        moved = LearnedPolicy(mdp, self.standard, self.table)
        moved._rounds = self._rounds
        return moved

    def to_json(self) -> dict[str, Any]:
        """Return a table over returns; where the return so far does not determine the memory, the base class raises."""
        from ..policy.evaluation import visited

        if not self.standard.exact:
            return super().to_json()
        rows = []
        cells = [(t, s, memory) for t, s, memory in visited(self.mdp, self) if isinstance(memory, int)]
        for t, s, y in sorted(cells):
            paid = self.standard.range * self.standard.unit * y
            paid += self.standard.low * sum((self.standard.discount**u for u in range(t)), Fraction())
            rows.append([t, s, str(paid), self.choice(t, s, y)[0][0]])
        return {"kind": "return", "rows": rows}


@dataclass(frozen=True)
class BlackBox:
    """The form of an environment: its spaces, its horizon, its rewards on a grid.

    Observations are numbered in mixed radix (``sizes``, one number for a Discrete space); one more state, the last
    observation plus one, stands for "the episode is over".
    """

    sizes: tuple[int, ...]
    actions: int
    steps: int
    low: Fraction
    range: Fraction
    unit: Fraction
    atoms: tuple[Fraction, ...]
    exact: bool
    random_starts: bool

    @property
    def observations(self) -> int:
        return math.prod(self.sizes)

    @property
    def names(self) -> tuple[Any, ...]:
        """The observations, by number."""
        return tuple(range(self.sizes[0]) if len(self.sizes) == 1 else product(*map(range, self.sizes)))

    def number(self, observation: Any) -> int:
        """Return the number of an observation; raise :class:`InvalidArgument` if it is outside the declared space."""
        parts = tuple(observation) if len(self.sizes) > 1 else (observation,)
        if len(parts) != len(self.sizes):
            raise InvalidArgument(f"the observation is {observation!r}, wanted {len(self.sizes)} numbers")
        total = 0
        for part, size in zip(parts, self.sizes, strict=True):
            k = as_whole(part.item() if isinstance(part, np.ndarray) and part.size == 1 else part)
            if k is None or not 0 <= k < size:
                raise InvalidArgument(f"the observation is {observation!r}, outside the declared space {self.sizes}")
            total = total * size + k
        return total

    def atom(self, reward: Fraction) -> int:
        """Return the atom of a reward, after rounding; raise :class:`InvalidArgument` if it was not declared."""
        x = (reward - self.low) / self.range
        if not 0 <= x <= 1:
            raise InvalidArgument(
                f"the reward is {reward}, outside the declared range [{self.low}, {self.low + self.range}]"
            )
        if self.exact and x not in self.atoms:
            known = ", ".join(str(self.low + self.range * y) for y in self.atoms[:8])
            raise InvalidArgument(f"the reward is {reward}, none of those declared: {known}")
        return self.atoms.index(x if self.exact else ceil_div(x, self.unit) * self.unit)

    def units(self, atom: int) -> int:
        return ceil_div(self.atoms[atom], self.unit)

    def to_json(self) -> dict[str, Any]:
        return {name: plain(x) for name, x in vars(self).items()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BlackBox:
        """Return the inverse of :meth:`to_json`; raise :class:`InvalidFile` for what no environment can be."""
        low, range_, unit = (as_fraction(data[name], name) for name in ("low", "range", "unit"))
        atoms = tuple(as_fraction(x, f"atoms[{i}]") for i, x in enumerate(data["atoms"]))
        sizes = tuple(_positive(n, f"sizes[{i}]") for i, n in enumerate(data["sizes"]))
        actions, steps = (_positive(data[name], name) for name in ("actions", "steps"))
        for name, value in (("range", range_), ("unit", unit)):
            if value <= 0:
                raise InvalidFile(f"{name} of the environment is {short(value)}, wanted a positive number")
        if not atoms or atoms[0] < 0 or atoms[-1] > 1 or any(x >= y for x, y in pairwise(atoms)):
            raise InvalidFile("atoms of the environment are not increasing numbers from 0 to 1")
        for name in ("exact", "random_starts"):
            if not isinstance(data[name], bool):
                raise InvalidFile(f"{name} of the environment is {repr(data[name])[:60]}, wanted true or false")
        if not data["exact"] and (len(atoms) != 1 // unit + 1 or any(x != i * unit for i, x in enumerate(atoms))):
            raise InvalidFile(f"atoms of the environment are not the multiples of its unit {short(unit)}")
        return cls(sizes, actions, steps, low, range_, unit, atoms, data["exact"], data["random_starts"])

    def checked(self, table: NDArray[Any]) -> NDArray[np.int16]:
        """Return a table read from a file, or raise :class:`InvalidFile`.

        After the observations come the state "the episode is over" and, where starts are random, a state and a step
        before the first observation.
        """
        if self.observations >= table.size:
            raise InvalidFile(f"the table of actions has {table.size} entries for {self.observations} observations")
        actions = [self.actions] * self.observations + [1] * (1 + self.random_starts)
        return checked_table(table, self.steps + self.random_starts, actions)


def _positive(value: Any, name: str) -> int:
    k = as_whole(value)
    if k is None or not 1 <= k < 2**31:
        raise InvalidFile(f"{name} of the environment is {repr(value)[:60]}, wanted a positive integer")
    return k


def checked_table(table: NDArray[Any], steps: int, actions: Sequence[int]) -> NDArray[np.int16]:
    """Return a table of actions read from a file; raise :class:`InvalidFile` unless every entry is an action."""
    if table.dtype != np.int16 or table.ndim != 3 or table.shape[:2] != (steps, len(actions)) or not table.shape[2]:
        raise InvalidFile(
            f"the table of actions is of type {table.dtype} and shape {table.shape}, "
            f"wanted int16 of {steps} steps, {len(actions)} states and at least one column"
        )
    wrong = (table < 0) | (table >= np.array(actions)[:, None])
    if wrong.any():
        t, s, y = (int(i[0]) for i in np.nonzero(wrong))
        raise InvalidFile(f"table[{t}][{s}][{y}] is {table[t, s, y]}, wanted an action in 0..{actions[s] - 1}")
    return table


class BlackBoxPolicy:
    """A learned policy of an environment: :meth:`player` plays it step by step, ``rollout`` many times.

    ``states`` and ``actions`` are names, where a log has given them: of the states, and of the actions of each.
    """

    def __init__(
        self,
        shell: BlackBox,
        table: NDArray[np.int16],
        states: Sequence[Any] = (),
        actions: Sequence[Sequence[Any]] = (),
    ) -> None:
        self.shell, self.table, self.states, self.actions = shell, table, tuple(states), tuple(map(tuple, actions))
        self._number = {name: s for s, name in enumerate(self.states)}

    def start(self) -> int:
        """Return the memory before the first step: units paid so far."""
        return 0

    def act(self, t: int, observation: Any, memory: int) -> Any:
        """Return the action at step ``t = 0, 1, ...``."""
        s = self._number.get(observation) if self.states else self.shell.number(observation)
        if s is None:
            raise InvalidArgument(f"the state is {observation!r}, which the log has not")
        row = self.table[t + self.shell.random_starts, s]
        a = int(row[min(memory, len(row) - 1)])
        return self.actions[s][a] if self.states else a

    def rule(self, step: int = 0, earned: Rational = 0) -> dict[Any, Any]:
        """Return the actions in all states of a log, at a step and after a return so far."""
        paid = (as_fraction(earned, "earned") - step * self.shell.low) / self.shell.range
        return {s: self.act(step, s, max(ceil_div(paid, self.shell.unit), 0)) for s in self.states}

    def observe(self, memory: int, reward: Rational) -> int:
        return memory + self.shell.units(self.shell.atom(as_fraction(reward, "reward")))

    def player(self, rng: object = None) -> BlackBoxPlayer:
        """Return a player, with ``act(observation)``, ``observe(reward)`` and ``reset()``; ``rng`` is unused."""
        return BlackBoxPlayer(self)

    def play(self, env: Any, seed: int | None = None) -> Fraction:
        """Play one episode in the environment and return what it earned.

        Raises :class:`InvalidArgument` if the environment cuts the episode off before the horizon.
        """
        observation, _ = env.reset() if seed is None else env.reset(seed=seed)
        memory, earned, steps = self.start(), Fraction(), self.shell.steps
        for t in range(steps):
            observation, reward, terminated, truncated, _ = env.step(self.act(t, observation, memory))
            memory = self.observe(memory, reward)
            earned += as_fraction(reward, "reward")
            if terminated:
                break
            if truncated and t + 1 < steps:
                raise InvalidArgument(
                    f"the environment cut the episode off after {t + 1} steps, the policy plays {steps}"
                )
        return earned

    def save(self, path: str | PathLike[str]) -> None:
        """Write as versioned JSON."""
        names = {"states": self.states, "actions": self.actions} if self.states else {}
        data = {"shell": self.shell.to_json(), "table": encode_array(self.table)}
        files.write(path, "black-box-policy", {**data, **names})

    @staticmethod
    def load(path: str | PathLike[str]) -> BlackBoxPolicy:
        """Read what :meth:`save` wrote."""

        def parse(data: dict[str, Any]) -> BlackBoxPolicy:
            shell, table = BlackBox.from_json(data["shell"]), decode_array(data["table"])
            if "states" not in data:
                return BlackBoxPolicy(shell, shell.checked(table))
            states, actions = _named(data["states"]), _named(data["actions"])
            if table.ndim != 3 or not 0 < len(states) == len(actions) <= table.shape[1]:
                raise InvalidFile(f"the policy names {len(states)} states and the actions of {len(actions)}")
            sizes = [*map(len, actions), *[1] * (table.shape[1] - len(states))]
            table = checked_table(table, shell.steps + shell.random_starts, sizes)
            return BlackBoxPolicy(shell, table, states, actions)

        return files.read(path, "black-box-policy", parse)


def _named(x: Any) -> Any:
    """Return names read from a file, where tuples are lists."""
    return tuple(_named(y) for y in x) if isinstance(x, list) else x


class BlackBoxPlayer:
    """Plays one episode after another in an environment, as :class:`~verified_risk.Player` does in a model."""

    def __init__(self, policy: BlackBoxPolicy) -> None:
        self.policy = policy
        self.reset()

    def reset(self) -> None:
        """Begin an episode."""
        self.t, self._memory, self._acted = 0, self.policy.start(), False

    @property
    def over(self) -> bool:
        """True if the horizon is reached."""
        return self.t >= self.policy.shell.steps

    def act(self, observation: Any) -> Any:
        """Return the action; raise :class:`InvalidArgument` after the horizon, or twice without :meth:`observe`."""
        if self.over:
            raise InvalidArgument(f"the episode is over after {self.t} steps: wanted reset() before another act")
        if self._acted:
            raise InvalidArgument("act was called twice: wanted observe(reward) of the action before")
        action = self.policy.act(self.t, observation, self._memory)
        self._acted = True
        return action

    def observe(self, reward: Rational) -> None:
        """Set the reward of the last action; raise :class:`InvalidArgument` if there was none."""
        if not self._acted:
            raise InvalidArgument("observe was called before act: wanted act(observation) first")
        self._memory = self.policy.observe(self._memory, reward)
        self.t, self._acted = self.t + 1, False
