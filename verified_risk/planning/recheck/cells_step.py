r"""One backward step between grid points: rows of values and of conditional CDFs, and the test of the contractor.

The formulas are D1 and D3 of docs/theory/05-certificates.md; :mod:`.cell_replay` defines rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...grid.floats import Floats, Ints
from .line import U

if TYPE_CHECKING:
    from .cell_replay import CellTables

WAYS = (1.0, -1.0)
"""Directions of a table: from below, and from above."""


@dataclass(frozen=True)
class Outcome:
    """An outcome of an action at one step, with reward ``units + share``; ``whole`` if the share is exactly 0."""

    prob: float
    target: int
    units: int
    share: float
    whole: bool


@dataclass(frozen=True)
class Ends:
    """Values of some cells at both ends, and a bound on the error of the chord between them."""

    start: Any
    end: Any
    off: Any

    def bound(self, last: bool, way: float) -> Any:
        """Return the values at one end, moved so that the chord is below (way 1) or above (way -1)."""
        return (self.end if last else self.start) - way * self.off


def mixed(
    outcomes: Iterable[Outcome],
    padded: list[Floats],
    cells: Ints,
    way: float,
    width: int,
    *,
    first: bool,
    before: int | None = None,
) -> Ends:
    """Average the following rows over outcomes, at both ends of each cell (D1).

    Rows of CDFs begin one cell later from node to node, so the same cell of the return is a different column in each;
    ``before`` columns of zeros precede them.  The first step meets only y = 0 and needs no chord.
    """
    start, end, off = (np.zeros((len(cells), width)) for _ in range(3))
    for o in outcomes:
        rows = [
            padded[o.target][cells + o.units + i, slice(None) if before is None else slice(c, c + width)]
            for i in range(2 if o.whole else 3)
            for c in [0 if before is None else before + 1 - o.units - i]
        ]
        if o.whole:
            start += o.prob * rows[0]
            end += o.prob * rows[1]
            continue
        left, middle, right = rows
        start += o.prob * ((1 - o.share) * left + o.share * middle)
        end += o.prob * ((1 - o.share) * middle + o.share * right)
        off += o.prob * o.share * (1 - o.share) * np.maximum(way * (left - 2 * middle + right), 0.0)
    return Ends(start, end, np.zeros_like(off) if first else off)


class Step:
    """One backward step: :meth:`state` leaves the rows of one state in :attr:`values` and :attr:`tables`."""

    def __init__(self, model: CellTables, t: int, values: list[list[Floats]], tables: list[list[Floats]]) -> None:
        self.model, self.t = model, t
        self.n, self.wide = model.nodes[t], model.left[t]
        most = model.most_units[t]
        self.before = most + 1
        rows, columns = self.n + most + 3, self.wide + 2
        self._values = [[longer(v, rows) for v in kind] for kind in values]
        self._tables = [[longer(_wider(table, self.before, columns), rows) for table in kind] for kind in tables]
        self.value_slip = model.slip(max(float(np.abs(v).max()) for kind in values for v in kind))
        self.table_slip = model.slip(max(1.0, *(float(np.abs(x).max()) for kind in tables for x in kind)))

    def state(self, s: int, cells: Ints, kept: npt.NDArray[np.bool_], own: Ints, test: Test) -> None:
        n, wide = self.n, self.wide
        self.values = [np.full((n + 1, 1), way * np.inf) for way in WAYS]
        self.tables = [np.full((n + 1, wide + 2), way * np.inf) for way in WAYS * 2]
        for table in self.tables:
            table[:, 0], table[:, -1] = 0.0, 1.0
        policy = self._policy(s, cells, own)
        for a in range(len(kept)):
            here = np.flatnonzero(kept[a, cells])
            if not len(here):
                continue
            self.model.tick()
            where = cells[here]
            value = self._value(s, a, where, 0)
            rows = [self._mixed(s, a, where, self._tables[q], way) for q, way in enumerate(WAYS)]
            gone = (own[where] != a) & test(where, self._moved(value, 1.0), rows, [_some(x, here) for x in policy])
            kept[a, where[gone]] = False
            stays = ~gone
            where, value, rows = where[stays], _some(value, stays), [_some(row, stays) for row in rows]
            self._keep(self.values[0], where, value, 1.0, self.value_slip, 0)
            for q, way in enumerate(WAYS):
                self._keep(self.tables[q], where, rows[q], way, self.table_slip, 1)
        # nodes of unreached cells are read with weight 0 only
        self.values = [np.where(np.isfinite(x), x, 0.0) for x in self.values]
        self.tables = [np.where(np.isfinite(x), x, 0.0) for x in self.tables]

    def _moved(self, value: Ends, way: float) -> Ends:
        """Return a value from below (way 1) or above, moved by its rounding and that of a comparison."""
        slip = 2 * way * self.value_slip
        return Ends(value.start - slip, value.end - slip, value.off)

    def _policy(self, s: int, cells: Ints, own: Ints) -> list[Ends]:
        """Return, in all cells, the policy's value from above and its CDFs from below and above."""
        shapes = ((len(cells), 1), (len(cells), self.wide + 1), (len(cells), self.wide + 1))
        found = [Ends(np.zeros(shape), np.zeros(shape), np.zeros(shape)) for shape in shapes]
        for a in np.unique(own[cells]):
            here = np.flatnonzero(own[cells] == a)
            value = self._value(s, int(a), cells[here], 1)
            rows = [self._mixed(s, int(a), cells[here], self._tables[2 + q], way) for q, way in enumerate(WAYS)]
            for whole, part in zip(found, (value, *rows), strict=True):
                whole.start[here], whole.end[here], whole.off[here] = part.start, part.end, part.off
        self._keep(self.values[1], cells, found[0], -1.0, self.value_slip, 0)
        for q, way in enumerate(WAYS):
            self._keep(self.tables[2 + q], cells, found[1 + q], way, self.table_slip, 1)
        return [self._moved(found[0], -1.0), *found[1:]]

    def _value(self, s: int, a: int, cells: Ints, kind: int) -> Ends:
        return mixed(self.model.outcomes(self.t, s, a), self._values[kind], cells, WAYS[kind], 1, first=self.t == 0)

    def _mixed(self, s: int, a: int, cells: Ints, tables: list[Floats], way: float) -> Ends:
        """Return the CDFs of one action in the cells ``j .. j + wide`` of the return, for each j in ``cells``."""
        width, outcomes = self.wide + 1, self.model.outcomes(self.t, s, a)
        return mixed(outcomes, tables, cells, way, width, first=self.t == 0, before=self.before)

    def _keep(self, out: Floats, cells: Ints, ends: Ends, way: float, slip: float, before: int) -> None:
        """Lower (way -1: raise) both nodes of each cell until the chord between them is on the right side."""
        width = ends.start.shape[1]
        for last in (False, True) if self.t else (False,):
            columns = slice(0 if last else before, (0 if last else before) + width)
            nodes = cells + last
            moved = way * (ends.bound(last, way) - way * slip)
            out[nodes, columns] = way * np.minimum(way * out[nodes, columns], moved)


class Test:
    """The inequality of D3 for the cells of one action; ``margin`` exceeds the total rounding error of the CDFs."""

    def __init__(self, model: CellTables, t: int, middle: Floats, low: Floats, high: Floats, margin: float) -> None:
        self.margin, self.both = margin, t > 0
        self.inflate = 1 + 16 * (model.top + 8) * U
        width = model.left[t] + 1
        missing = np.zeros(max(0, model.nodes[t] + width - model.top))
        self.down, self.up = (
            np.lib.stride_tricks.sliding_window_view(np.concatenate((x, missing)), width)
            for x in (middle - low, high - middle)
        )

    def __call__(self, cells: Ints, value: Ends, rows: list[Ends], policy: list[Ends]) -> npt.NDArray[np.bool_]:
        found = np.ones(len(cells), dtype=bool)
        down, up = self.down[cells], self.up[cells]
        worth, *own = policy
        for last in (False, True) if self.both else (False,):
            gap = (value.bound(last, 1.0) - worth.bound(last, -1.0))[:, 0] - self.margin
            (mn, mx), (least, most) = (
                [x.bound(last, way) for x, way in zip(pair, WAYS, strict=True)] for pair in (rows, own)
            )
            win = np.maximum(np.maximum(down * (mx - least), up * (most - mn)), 0.0)
            rise = np.empty_like(win)
            rise[:, :-1], rise[:, -1] = (most + mx)[:, 1:], 2.0
            rise[:, 1:] -= (least + mn)[:, :-1]
            total = (win + 0.25 * (down + up) * np.maximum(rise, 0.0)).sum(axis=1)
            found &= gap > total * self.inflate
        return found


def _some(ends: Ends, which: Any) -> Ends:
    return Ends(ends.start[which], ends.end[which], ends.off[which])


def longer(table: Floats, rows: int) -> Floats:
    """Append copies of the last row: beyond the largest sum nothing is met, so any number will do."""
    missing = rows - len(table)
    return table if missing <= 0 else np.concatenate((table, np.repeat(table[-1:], missing, axis=0)))


def _wider(table: Floats, before: int, columns: int) -> Floats:
    """Pad with zeros before and ones after, to ``columns`` from the first column of the table on."""
    n = len(table)
    after = max(0, columns - table.shape[1])
    return np.concatenate((np.zeros((n, before)), table, np.ones((n, after))), axis=1)
