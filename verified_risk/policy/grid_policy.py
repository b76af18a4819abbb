r"""Policies of a discretised model, adapted to the original model.

A file holds the complete table of a grid policy as bytes, typically a few megabytes.  Before step t the sum of rounded
rewards, in units of eta, lies between ``offsets[t]`` and ``offsets[t] + widths[t] - 1``; ``tables[t][s, k]`` is the
action at sum ``offsets[t] + k``.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from .. import files
from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import Rational, as_step, as_whole, ceil_div, said, text
from .base import Choice, Chosen, Policy, choice_json, read_choice, same_shape
from .tables import ReturnPolicy


class GridPolicy(Policy):
    r"""A policy of a discretised model, adapted: it acts by the sum :math:`\hat y = \sum_t \phi(\gamma^t r_t)`.

    ``rule(t, s, i)`` is the choice when :math:`\hat y = i \eta`.  On rewards that lie on the grid, this is a
    :class:`ReturnPolicy`.  The rule may be any callable; :meth:`save` writes the table of its choices at every
    reachable sum, and a policy read from a file has no choice elsewhere.

    :param mdp: the model
    :param eta: the grid's step
    :param rule: a function of step, state and the return so far in units of the grid
    :raises InvalidPolicy: if an action does not exist
    """

    def __init__(self, mdp: MDP, eta: Rational, rule: Callable[[int, int, int], Chosen]) -> None:
        super().__init__(mdp)
        self.eta = as_step(eta)
        self.rule = rule
        self._rounded: dict[tuple[int, Fraction], int] = {}

    @classmethod
    def adapt(cls, policy: ReturnPolicy, mdp: MDP, eta: Rational) -> GridPolicy:
        """Adapt a y-policy of ``mdp.discretised(eta)`` to ``mdp``.

        :param policy: a policy of the rounded model
        :param mdp: the original model
        :param eta: the grid's step
        :returns: the policy that acts by the rounded return
        """
        step = as_step(eta)
        same_shape(policy.mdp, mdp)
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

    def memory_of_return(self, unit: Fraction) -> Callable[[int], int] | None:
        """Return how many steps of the grid a return is, if every return lies on the grid.

        :param unit: a number of which every reward, discounted, is a multiple
        :returns: a function of a whole number of units, or None
        """
        steps = unit / self.eta
        return (lambda z: z * steps.numerator) if steps.denominator == 1 else None

    def choices(self) -> Hashable:
        """Return the choices at every reachable sum; others do not count."""
        return self.eta, tuple(self.reached())

    def on(self, mdp: MDP) -> GridPolicy:
        same_shape(self.mdp, mdp)
        return GridPolicy(mdp, self.eta, self.rule)

    def to_json(self) -> dict[str, Any]:
        """Return the packed table if there is one, otherwise the choices at the reachable sums."""
        table = packed(self.mdp, self.eta, self.rule)
        if table is not None:
            return {"kind": "grid", "eta": text(self.eta), "packed": table}
        rows = [[t, s, i, choice_json(choice)] for t, s, i, choice in self.reached()]
        return {"kind": "grid", "eta": text(self.eta), "rows": rows}

    def reached(self) -> Iterator[tuple[int, int, int, Choice]]:
        """Yield every reachable ``(t, s, i)``, in order, with its choice; rewards may be continuous.

        :returns: step, state, units, choice
        """
        from ..grid import grid_model

        grid = grid_model(self.mdp, self.eta)
        cells = {(s, 0) for s, _ in grid.initial}
        for t, step in enumerate(grid.steps):
            following: set[tuple[int, int]] = set()
            for s, i in sorted(cells):
                choice = self.choice(t, s, i)
                yield t, s, i, choice
                following |= {(target, i + j) for a, _ in choice for _, target, j in step[s][a]}
            cells = following


class GridTable:
    """A rule given by a table over ``(t, s, i)``."""

    def __init__(self, table: Mapping[tuple[int, int, int], Chosen]) -> None:
        self.table = dict(table)

    def __call__(self, t: int, s: int, i: int) -> Chosen:
        try:
            return self.table[t, s, i]
        except KeyError:
            raise InvalidPolicy(f"the policy says nothing at step {t}, state {s}, rounded return {i} eta") from None


MOST_CELLS = 200_000_000
"""Maximum number of cells of a table that is written whole; each is one byte, or four, before compression."""


@runtime_checkable
class ArrayRule(Protocol):
    """A rule that can return its choices at one step as an array over states and shifted sums."""

    offsets: Sequence[int]
    """The sum before step t that column 0 stands for."""

    def __call__(self, t: int, s: int, i: int) -> Any: ...

    def choices(self, t: int, width: int) -> npt.NDArray[Any]: ...


class PackedRule:
    """A rule given by its tables, equivalent to the rule that was packed."""

    def __init__(self, offsets: Sequence[int], tables: Sequence[npt.NDArray[Any]]) -> None:
        self.offsets: Sequence[int] = tuple(offsets)
        self.tables = tuple(tables)

    def __call__(self, t: int, s: int, i: int) -> int:
        k, table = i - self.offsets[t], self.tables[t]
        if not 0 <= k < table.shape[1]:
            raise InvalidPolicy(
                f"the policy says nothing at step {t}, state {s}, rounded return {text(Fraction(i))} eta"
            )
        return int(table[s, k])

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        return self.tables[t][:, :width]


def windows(mdp: MDP, eta: Fraction) -> tuple[list[int], list[int]]:
    """Return the least sum before each step, and the number of sums."""
    low, high = mdp.reward_range
    offsets, widths = [0], [1]
    for t in range(mdp.horizon - 1):
        least, most = (ceil_div(mdp.step_reward(t, r), eta) for r in (low, high))
        offsets.append(offsets[-1] + least)
        widths.append(widths[-1] + most - least)
    return offsets, widths


def packed(mdp: MDP, eta: Fraction, rule: Any) -> dict[str, Any] | None:
    """Return the whole table of ``rule`` for a file; None if it has no arrays or would be too large.  Continuous
    rewards are rounded up to sums outside :func:`windows`; such a policy is not packed."""
    if not isinstance(rule, ArrayRule) or not mdp.is_discrete:
        return None
    offsets, widths = windows(mdp, eta)
    if list(rule.offsets[: mdp.horizon]) != offsets:
        return None
    if mdp.n_states * sum(widths) > MOST_CELLS:
        return None
    kind = "<i1" if max(mdp.n_actions) <= 127 else "<i4"
    tables = []
    for t, width in enumerate(widths):
        table = np.asarray(rule.choices(t, width)).astype(kind)
        if table.shape != (mdp.n_states, width):
            return None
        tables.append(table)
    flat = np.concatenate([table.ravel() for table in tables])
    return {"offsets": offsets, "widths": widths, "type": kind, "tables": files.packed(flat)}


def unpacked(data: dict[str, Any], mdp: MDP, eta: Fraction) -> PackedRule:
    """Read a rule from a file, checking that its windows are the model's on the grid and that every action exists."""
    kind = data["type"]
    if kind not in ("<i1", "<i4"):
        raise InvalidPolicy(f"tables of the policy have type {kind!r}, wanted '<i1' or '<i4'")
    offsets, widths = windows(mdp, eta)
    for name, wanted in (("offsets", offsets), ("widths", widths)):
        given = data[name]
        if len(given) != mdp.horizon:
            raise InvalidPolicy(f"the policy has {len(given)} {name}, wanted {mdp.horizon}")
        for t, (found, right) in enumerate(zip(given, wanted, strict=True)):
            if as_whole(found) != right:
                raise InvalidPolicy(f"{name}[{t}] of the policy is {found!r}, wanted {right} on a grid of {said(eta)}")
    claimed = mdp.n_states * sum(widths)
    if claimed > MOST_CELLS:
        raise InvalidPolicy(f"tables of the policy hold {claimed} actions, wanted at most {MOST_CELLS}")
    try:
        raw = files.unpacked(data["tables"], claimed * np.dtype(kind).itemsize)
        flat = np.frombuffer(raw, dtype=kind)
    except (ValueError, zlib.error) as error:
        raise InvalidPolicy(f"tables of the policy cannot be unpacked ({error}), wanted base64 of zlib") from None
    if len(flat) != claimed:
        raise InvalidPolicy(f"tables of the policy hold {len(flat)} actions, wanted {claimed}")
    most = np.array(mdp.n_actions)[:, None]
    tables = [part.reshape(mdp.n_states, -1) for part in np.split(flat, mdp.n_states * np.cumsum(widths)[:-1])]
    for t, table in enumerate(tables):
        wrong = np.argwhere((table < 0) | (table >= most))
        if len(wrong):
            s, k = wrong[0]
            raise InvalidPolicy(
                f"policy({t}, {s}, {offsets[t] + k} eta) plays action {table[s, k]}, state {s} has actions "
                f"0..{mdp.n_actions[s] - 1}"
            )
    return PackedRule(offsets, tables)
