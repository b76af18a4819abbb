r"""A policy of a discounted model that depends on the grid cell of its budget.

Its memory is the exact return so far, :math:`y = \sum_{u<t} \gamma^u r_u`.  With :math:`\delta_t = \eta\,2^{-h_t}` the
grid of step t and rho an integer, its budget is

.. math:: c = \Bigl(\eta\rho - y + \text{least} \sum_{u<t} \gamma^u\Bigr) / \delta_t ,

and the action depends on step, state and the integer part of c: from 0 down it is the action of the largest mean,
beyond the last column of the table that of the last column.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import files
from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_whole, said, text
from .base import Choice, read_choice, same_shape
from .tables import RemembersReturn


class CellPolicy(RemembersReturn):
    """A policy by cells: ``tables[t][s, k]`` is the action at budgets from k to k + 1, ``linear[t, s]`` from 0 down."""

    def __init__(
        self,
        mdp: MDP,
        eta: Rational,
        halvings: Sequence[int],
        rho: int,
        tables: Sequence[npt.NDArray[Any]],
        linear: npt.NDArray[Any],
        least: Rational | None = None,
    ) -> None:
        super().__init__(mdp)
        self.eta = as_fraction(eta, "eta")
        self.least = mdp.reward_range[0] if least is None else as_fraction(least, "least")
        self.halvings, self.rho = tuple(halvings), rho
        self.tables, self.linear = tuple(tables), linear
        self._check()
        weights = [Fraction()]
        for u in range(mdp.horizon):
            weights.append(weights[-1] + mdp.step_reward(u, Fraction(1)))
        self._start = [self.eta * self.rho + self.least * weight for weight in weights]

    def _check(self) -> None:
        horizon, n = self.mdp.horizon, self.mdp.n_states
        if self.eta <= 0:
            raise InvalidPolicy(f"eta is {said(self.eta)}, wanted a positive grid step")
        for t, h in enumerate(self.halvings):
            before = self.halvings[t - 1] if t else 0
            if as_whole(h) is None or h < before or (t == 0 and h != 0):
                raise InvalidPolicy(f"halvings[{t}] is {h!r}, wanted {'0' if t == 0 else f'a number from {before}'}")
        if as_whole(self.rho) is None or self.rho < 0:
            raise InvalidPolicy(f"rho is {self.rho!r}, wanted a whole number from 0")
        if len(self.halvings) != horizon or len(self.tables) != horizon or self.linear.shape != (horizon, n):
            raise InvalidPolicy(
                f"the policy has {len(self.halvings)} halvings, {len(self.tables)} tables and linear actions of shape "
                f"{self.linear.shape}, wanted {horizon}, {horizon} and {(horizon, n)}"
            )
        most = np.array(self.mdp.n_actions)
        for t, table in enumerate(self.tables):
            if table.ndim != 2 or len(table) != n or table.shape[1] == 0:
                raise InvalidPolicy(f"table {t} has shape {table.shape}, wanted {n} rows of actions")
            for name, part in (("tables", table), ("linear", self.linear[t][:, None])):
                wrong = np.argwhere((part < 0) | (part >= most[:, None]))
                if len(wrong):
                    s, b = wrong[0]
                    raise InvalidPolicy(f"{name}[{t}] plays {part[s, b]} in state {s}, wanted 0..{most[s] - 1}")

    def cell(self, t: int, y: Fraction) -> int:
        """Return the integer part of the budget at step t, in units of its grid; negative from 0 down."""
        left = self._start[t] - y
        return -1 if left <= 0 else int(left * 2 ** self.halvings[t] / self.eta)

    def choice(self, t: int, s: int, memory: Fraction) -> Choice:
        k, table = self.cell(t, memory), self.tables[t]
        action = self.linear[t, s] if k < 0 else table[s, min(k, table.shape[1] - 1)]
        return read_choice(self.mdp, s, int(action), f"policy({t}, {s}, {memory})")

    def on(self, mdp: MDP) -> CellPolicy:
        same_shape(self.mdp, mdp)
        return CellPolicy(mdp, self.eta, self.halvings, self.rho, self.tables, self.linear, self.least)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation; tables are compressed 32-bit little-endian integers in base64."""
        return {
            "kind": "cells",
            "eta": text(self.eta),
            "least": text(self.least),
            "halvings": list(self.halvings),
            "rho": self.rho,
            "widths": [table.shape[1] for table in self.tables],
            "tables": _packed(np.concatenate([table.ravel() for table in self.tables])),
            "linear": _packed(self.linear),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], mdp: MDP) -> CellPolicy:
        n, flat, widths = mdp.n_states, _unpacked(data["tables"], "tables"), []
        for t, width in enumerate(data["widths"]):
            if (as_whole(width) or 0) < 1:
                raise InvalidPolicy(f"widths[{t}] of the policy is {width!r}, wanted a whole number from 1")
            widths.append(int(width))
        if sum(widths) * n != len(flat):
            raise InvalidPolicy(f"tables hold {len(flat)} actions, wanted {sum(widths) * n}")
        tables = [part.reshape(n, -1) for part in np.split(flat, n * np.cumsum(widths)[:-1])]
        linear = _unpacked(data["linear"], "linear")
        if len(linear) != n * mdp.horizon:
            raise InvalidPolicy(f"linear holds {len(linear)} actions, wanted {n * mdp.horizon}")
        shape = (mdp.horizon, n)
        return cls(mdp, data["eta"], data["halvings"], data["rho"], tables, linear.reshape(shape), data["least"])


def _packed(actions: npt.NDArray[Any]) -> str:
    return files.packed(actions.astype("<i4"))


def _unpacked(packed: str, name: str) -> npt.NDArray[Any]:
    try:
        return np.frombuffer(files.unpacked(packed), dtype="<i4").astype(np.int32)
    except (ValueError, zlib.error) as error:
        raise InvalidPolicy(f"{name} of the policy cannot be unpacked ({error}), wanted base64 of zlib") from None
