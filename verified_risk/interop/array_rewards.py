"""``R`` of one step: ``R[s]``, ``R[s, a]``, ``R[s, a, s']``, matrices for each action, or laws ``R[s][a]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel
from ..law import Law
from ..mdp.action import Action
from ..mdp.flat import PackedAction
from ..mdp.packed import Packed, Rows
from ..mdp.reading import Reader
from ..mdp.rewards import ContinuousReward
from ..numbers.rational import as_fraction
from .matrices import array_of, interleaved, is_matrix_list, rows_of, widened


class StepRewards:
    """``R`` of one step: the rewards of actions, and whether a state has an action."""

    def __init__(self, R: Any, n: int, count: int, ass: bool, where: str, *, stacked: bool) -> None:
        self.n, self.count, self.where, self.ass = n, count, where, ass
        self.stacked = stacked
        self.alike = False  # the actions of a state earn the same
        self.by_state: npt.NDArray[Any] | None = None
        self.joint: Rows | None = None
        self.laws: Sequence[Sequence[Any]] | None = None
        self._read = Reader(n, normalise=False)
        self._points: dict[Any, Law | ContinuousReward] = {}
        if isinstance(R, (list, tuple)) and _holds_laws(R):
            self.laws = self._laws(R)
        elif is_matrix_list(R):
            self._next_state([rows_of(part, where) for part in R])
        elif hasattr(R, "tocsr"):
            self._table(widened(R.toarray()))
        else:
            array = array_of(R, where)
            if array.ndim == 3:
                ordered = array.transpose(1, 0, 2) if ass else array
                if ordered.shape != (n, count, n):
                    wanted = (count, n, n) if ass else (n, count, n)
                    steps = len(array) if array.shape[1:] == (n, count) else 0
                    hint = f"; for rewards that change with the step, P is a list too: [P] * {steps}" if steps else ""
                    raise InvalidModel(f"{where} has shape {array.shape}, wanted {wanted} as P{hint}")
                self.joint = rows_of(ordered.reshape(n * count, n), where)
            else:
                self._table(array)

    def _table(self, array: npt.NDArray[Any]) -> None:
        """Read ``R[s]`` or ``R[s, a]``."""
        if array.shape == (self.n,):
            array, self.alike = np.repeat(array[:, None], self.count, axis=1), True
        elif self.stacked and array.shape == (self.n * self.count,):  # one per row of P
            array = array.reshape(self.count, self.n).T if self.ass else array.reshape(self.n, self.count)
        if array.shape != (self.n, self.count):
            n, count = self.n, self.count
            read = f"P was read as P[{'a, s' if self.ass else 's, a'}, s'], with {n} states and {count} actions"
            raise InvalidModel(
                f"{self.where} has shape {array.shape}, wanted ({n},), ({n}, {count}) or one as P ({read})"
            )
        self.by_state = array

    def _next_state(self, parts: list[Rows]) -> None:
        if len(parts) != self.count or any((len(part), part.width) != (self.n, self.n) for part in parts):
            raise InvalidModel(f"{self.where} is a list of matrices, wanted {self.count} of shape {(self.n, self.n)}")
        self.joint = interleaved(parts)

    def _laws(self, R: Sequence[Any]) -> Sequence[Sequence[Any]]:
        if len(R) != self.n:
            raise InvalidModel(f"{self.where} has {len(R)} states, wanted {self.n} as in P")
        for s, own in enumerate(R):
            if len(own) != self.count:
                raise InvalidModel(f"{self.where}[{s}] has {len(own)} actions, wanted {self.count} as in P")
        return R

    def notes(self, rows: Rows) -> list[str]:
        """Say that a reward ``R[s, a]`` is certain, where it may be the mean of rewards that the next state decides."""
        if self.by_state is None or self.alike or self.by_state.dtype.kind != "f":
            return []
        random = (np.diff(rows.start) > 1).reshape(self.n, self.count)
        broken = random & np.isfinite(self.by_state) & (self.by_state != np.round(self.by_state))
        said = "R[s, a] is paid for certain; if it is a mean, risk is understated: pass R[s, a, s'] or laws R[s][a]"
        return [said] if broken.any() else []

    def offered(self) -> npt.NDArray[np.bool_]:
        """Return, for each state and action, whether the state has the action."""
        if self.by_state is None:
            return np.ones((self.n, self.count), dtype=bool)
        return np.asarray(self.by_state != -np.inf, dtype=bool)

    def laws_of(self, rows: npt.NDArray[np.int64]) -> tuple[tuple[Law | ContinuousReward, ...], npt.NDArray[np.int64]]:
        """Return the different laws of the rewards of rows ``s * |A| + a``, and the number of each row's own."""
        if self.laws is None and self.by_state is not None and self.by_state.dtype.kind in "fiu":
            table = self.by_state.ravel()[rows]
            for k in np.flatnonzero(~np.isfinite(table))[:1].tolist():
                self._law(table[k].item(), self._name(int(rows[k])))  # raises
            _, first, law = np.unique(table, return_index=True, return_inverse=True)
            order = np.argsort(first)
            ranks = np.empty_like(order)
            ranks[order] = np.arange(len(order))
            values = table[first[order]].tolist()
            return tuple(self._read.point(as_fraction(value, self.where)) for value in values), ranks[law]
        found: dict[int, tuple[int, Law | ContinuousReward]] = {}
        law = np.empty(len(rows), dtype=np.int64)
        for k, row in enumerate(rows.tolist()):
            s, a = divmod(row, self.count)
            own = self._law(self.laws[s][a] if self.laws is not None else self._entry(s, a), self._name(row))
            law[k] = found.setdefault(id(own), (len(found), own))[0]
        return tuple(own for _, own in found.values()), law

    def _name(self, row: int) -> str:
        s, a = divmod(row, self.count)
        return f"{self.where}[{s}, {a}]"

    def action(self, packed: Packed, row: int) -> Action:
        """Return an action whose reward depends on the next state."""
        assert self.joint is not None
        paid = dict(zip(*self.joint.row(row), strict=True))
        columns = packed.column[packed.start[row] : packed.start[row + 1]].tolist()
        values = {paid.get(target, 0) for target in columns}
        if len(values) == 1:
            return PackedAction(packed, row, self._law(values.pop(), self._name(row)))
        outcomes = tuple(
            (p, target, self._read.number(paid.get(target, 0), f"{self._name(row)}[{target}]"))
            for target, p in packed.successors(row)
        )
        return Action.of_outcomes(outcomes)

    def _entry(self, s: int, a: int) -> Any:
        assert self.by_state is not None
        value = self.by_state[s, a]
        return value.item() if isinstance(value, np.generic) else value

    def _law(self, value: Any, where: str) -> Law | ContinuousReward:
        if not isinstance(value, (int, float, str)):
            return self._read.reward(value, where)
        key = (type(value), value)
        if key not in self._points:
            self._points[key] = self._read.reward(value, where)
        return self._points[key]


def _holds_laws(R: Sequence[Any]) -> bool:
    """Whether the entries ``R[s][a]`` are laws rather than numbers."""
    first = R[0]
    if not isinstance(first, (list, tuple)) or not first:
        return False
    return isinstance(first[0], (Mapping, Law, ContinuousReward)) or hasattr(first[0], "cdf")
