"""A mixture of policies as Frank-Wolfe maintains it: CDF vectors, their weights, and the policies behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...grid.compiled import Floats

Table: TypeAlias = npt.NDArray[Any]
"""The choices of a deterministic policy."""
Parts: TypeAlias = list[tuple[float, Table]]

SAME = 1e-11
"""Distance within which CDFs are one atom: passes that break ties differently differ by rounding."""
NOTHING = 1e-14
"""Weights below this are rounding errors and become 0."""


class Atoms:
    """Atoms with weights that sum to 1; atoms of weight 0 are kept, since they tend to return."""

    def __init__(self, atoms: list[tuple[float, Floats, Table]]) -> None:
        self.weights = [w for w, _, _ in atoms]
        self.cdfs = [cdf for _, cdf, _ in atoms]
        self.tables = [table for _, _, table in atoms]

    def copy(self) -> Atoms:
        """Return the atoms of positive weight, sharing CDFs and tables."""
        return Atoms([x for x in zip(self.weights, self.cdfs, self.tables, strict=True) if x[0] > 0])

    def worst(self, cost: Floats) -> tuple[int, float]:
        """Return the costliest atom of positive weight, and its cost."""
        scores = [float(cost @ cdf) if w > 0 else -np.inf for w, cdf in zip(self.weights, self.cdfs, strict=True)]
        k = int(np.argmax(scores))
        return k, scores[k]

    def shift(self, away: int, cdf: Floats, table: Table, move: float) -> None:
        """Move weight from one atom to ``cdf``, reusing an existing atom if there is one."""
        distances = [float(np.max(np.abs(known - cdf), initial=0.0)) for known in self.cdfs]
        target = int(np.argmin(distances))
        if distances[target] >= SAME:
            target = len(self.cdfs)
            self.cdfs.append(cdf)
            self.weights.append(0.0)
            self.tables.append(table.copy())
        self.weights[target] += move
        self.weights[away] -= move
        if self.weights[away] < NOTHING:
            self.weights[away] = 0.0
        total = sum(self.weights)
        self.weights = [w / total for w in self.weights]

    def point(self) -> Floats:
        """Return the CDF of the mixture."""
        mixed: Floats = np.sum([w * cdf for w, cdf in zip(self.weights, self.cdfs, strict=True) if w > 0], axis=0)
        return np.clip(mixed, 0.0, 1.0)

    def parts(self) -> Parts:
        return [(w, table) for w, table in zip(self.weights, self.tables, strict=True) if w > 0]


def best_length(cost: Callable[[float], float], most: float) -> tuple[float, float]:
    """Minimise a function of one variable on ``(0, most]`` by a scan and golden sections; return argument and value."""
    lengths = most * np.arange(1, 17) / 16
    values = [cost(float(length)) for length in lengths]
    k = int(np.argmin(values))
    left, right = max(0.0, lengths[k] - most / 16), min(most, lengths[k] + most / 16)
    for _ in range(30):
        a, b = left + 0.382 * (right - left), left + 0.618 * (right - left)
        left, right = (left, b) if cost(a) < cost(b) else (a, right)
    middle = float(0.5 * (left + right))
    return min((cost(middle), middle), (values[k], float(lengths[k])))[::-1]
