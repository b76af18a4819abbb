"""Arrays with a row for each available pair of state and action, as in quantecon's ``DiscreteDP``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel
from ..mdp.packed import Rows
from .matrices import array_of, rows_of


def by_pairs(P: Any, R: Any, pairs: tuple[Sequence[int], Sequence[int]]) -> tuple[Rows, npt.NDArray[Any]]:
    """Return ``P`` with a row for every state and action in the order (s, a), and ``R[s, a]``: -inf for unlisted pairs.

    An unlisted pair gets a self-loop, which is never used.
    """
    rows, pays = rows_of(P, "P"), array_of(R, "R")
    n = rows.width
    s, a = (_indices(part, f"pairs[{i}]", len(rows)) for i, part in enumerate(pairs))
    if s.max() >= n:
        raise InvalidModel(f"pairs[0] names state {s.max()}, wanted an integer in 0..{n - 1}, as P has {n} columns")
    if pays.shape != (len(rows),):
        raise InvalidModel(f"R has shape {pays.shape}, wanted ({len(rows)},), one entry for each row of P")
    count = int(a.max()) + 1
    place = s * count + a
    order = np.argsort(place, kind="stable")
    twice = np.flatnonzero(np.diff(place[order]) == 0)
    if len(twice):
        k = int(order[twice[0] + 1])
        raise InvalidModel(f"pairs lists state {s[k]} with action {a[k]} twice, wanted each pair once")
    table = np.full((n, count), -np.inf, dtype=object)
    table[s, a] = pays
    sizes = np.ones(n * count, dtype=np.int64)
    sizes[place] = np.diff(rows.start)
    start = np.concatenate(([0], np.cumsum(sizes)))
    column = np.repeat(np.arange(n * count) // count, sizes)
    value = np.ones(len(column), dtype=rows.value.dtype)
    at = np.repeat(start[place] - rows.start[:-1], np.diff(rows.start)) + np.arange(len(rows.column))
    column[at], value[at] = rows.column, rows.value
    return replace(rows, start=start, column=column, value=value), table


def _indices(part: Any, name: str, wanted: int) -> npt.NDArray[np.int64]:
    array = np.asarray(part)
    if array.shape != (wanted,) or array.dtype.kind not in "iu" or (wanted and array.min() < 0):
        raise InvalidModel(f"{name} is {part!r}, wanted {wanted} integers from 0, one for each row of P")
    if not wanted:
        raise InvalidModel("P has no rows, wanted one for each state and action")
    return array.astype(np.int64)
