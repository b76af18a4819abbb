r"""Tables that are read between their nodes: mean and CVaR where a grid of all sums would be too fine.

The polygon through the nodes is below the least expected cost at every real budget, by backward induction.  A reward of
:math:`i + \lambda` units takes the cell [b, b + 1] to two cells, so that each outcome bends once in it, and the chord
exceeds their average by at most :math:`\lambda (1 - \lambda)` times the positive part of the second difference: that is
taken off both ends.  To a coarser grid every second node is kept, lowered by what the chord exceeds the node between.
For a policy the same is done with minus its cost, cell by cell: nothing is ever raised.

In int64, :math:`\lambda` has few binary digits and is rounded so that the table falls; where two neighbours are too far
apart for that, the lesser of them is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .integer_tables import (
    LOWER,
    UPPER,
    Action,
    Model,
    Row,
    Runs,
    Setting,
    Table,
    Tail,
    add_shifted,
    at_start,
    ceil_div,
    least_costs,
    means,
    one_row,
    require,
    require_at_most,
    segments,
    shortened,
)

SHARE_BITS = 20
"""Binary digits of a share of a cell, in int64."""
FREE_BITS = 12
"""Bits that stay free for products with shares of a cell."""


@dataclass(frozen=True)
class Cells:
    """``windows[t]`` are nodes of the grid before step t, which that step halves ``halvings[t]`` times."""

    unit: Fraction
    base: int
    halvings: Sequence[int]
    windows: Sequence[tuple[int, int]]

    def unit_after(self, t: int) -> Fraction:
        return self.unit / (1 << sum(self.halvings[:t]))

    def rates(self, model: Model) -> Iterator[tuple[int, int]]:
        """Yield, for each step, a gain of 1 in cells of its grid, as numerator and denominator, not reduced."""
        num, den = self.unit.denominator, model.denominator * self.unit.numerator
        for halved in self.halvings:
            num <<= halved
            yield num, den
            num, den = num * model.p, den * model.q

    def ranges(self, model: Model) -> tuple[Fraction, Fraction, Fraction]:
        """Return the base of the return, and the most that a return exceeds it or falls short of it."""
        weights = sum((Fraction(model.p, model.q) ** t for t in range(len(model.steps))), Fraction())
        gains = {gain - self.base for gains in model.gains for gain in (0, *gains)}
        base, most, least = (weights * Fraction(x, model.denominator) for x in (self.base, max(gains), -min(gains)))
        return base, max(most, Fraction()), max(least, Fraction())


class Read(NamedTuple):
    """A row as outcomes read it: each node, less it from its left neighbour, and how much the row bends there."""

    node: Row
    step: Row
    bent: Row
    bottom: Row


class CellStep:
    """One step of a table: how its outcomes read the rows of the next window."""

    def __init__(self, c: Setting, t: int, after: Table, bottom: Row, rate: tuple[int, int]) -> None:
        (lo, hi), (self.lo_after, hi_after) = c.grid.windows[t : t + 2]
        halved = c.grid.halvings[t]
        self.width, self.first, self.tick = ((hi - lo) << halved) + 1, lo << halved, c.tick
        empty = np.repeat(bottom, max(0, hi_after - self.lo_after + 1), axis=1)
        states = {s for row in c.model.steps[t].values() for a in row for _, _, s in a.outcomes}
        rows = {s: capped(empty if (row := after(s)) is None else row, bottom) for s in states}
        largest = max(abs(int(x)) for row in (bottom, *rows.values()) if row.size for x in (row.min(), row.max()))
        kind = c.integer_type(largest << FREE_BITS)
        self.exact, self.bottom = kind is object, bottom.astype(kind)
        room, (num, den) = 2**62 // c.model.largest_total, rate
        bend_bits = max(0, (room // (4 * largest + 1)).bit_length() - 1)
        self.apart = room >> SHARE_BITS + 1
        self.one, self.bend_one = (den, den * den) if self.exact else (1 << SHARE_BITS, 1 << bend_bits)
        self.shares = {}
        for gain in c.model.gains[t]:
            whole, part = divmod((gain - c.grid.base) * num, den)
            low, high = part * self.one // den, ceil_div(part * self.one, den)
            self.shares[gain] = whole, low, high, ceil_div(part * (den - part) * self.bend_one, den * den)
        self.rows = {s: row.astype(kind) for s, row in rows.items()}
        self.reads = {s: self.read(row, self.bottom) for s, row in self.rows.items()}

    def read(self, row: Row, bottom: Row) -> Read:
        padded = np.concatenate([bottom, bottom, row, bottom, bottom], axis=1)
        bent = np.maximum(padded[:, 2:] - 2 * padded[:, 1:-1] + padded[:, :-2], 0)
        node, step = padded[:, 2:-1], padded[:, 1:-2] - padded[:, 2:-1]
        if not self.exact:
            far = abs(step) > self.apart
            node, step = np.where(far, node + np.minimum(step, 0), node), np.where(far, 0, step)
        return Read(node, step, bent, bottom)

    def ends(self, action: Action) -> tuple[Row, Row]:
        """Return the nodes of an action, and what is taken off in each cell, from the one before the first node on."""
        self.tick()
        parts, total = [(w, gain, self.reads[s]) for w, gain, s in action.outcomes], action.total
        if action.factors is not None and parts[0][2].node.shape[1] > 1:  # a sum bends less than its parts
            after, gains = action.factors
            size = sum(q for q, _ in after)
            row = self.read(np.asarray(sum(q * self.rows[s] for q, s in after)), self.bottom * size)
            parts, total = [(p, gain, row) for p, gain in gains], size * sum(p for p, _ in gains)
        node, step, taken = (np.zeros((1, self.width + i), self.bottom.dtype) for i in (0, 0, 1))
        for weight, gain, row in parts:
            whole, low, high, bend = self.shares[gain]
            k = self.first - self.lo_after - whole
            add_shifted(node, weight, row.node, k, row.bottom)
            if high:
                add_shifted(step, weight, low * row.step + (high - low) * np.minimum(row.step, 0), k, 0 * row.bottom)
                add_shifted(taken, weight * bend, row.bent, k, 0 * row.bottom)
        return (node + step // self.one) // total, ceil_div(taken, total * self.bend_one)


def cells_table(c: Setting, terminal: Row, bottom: Row, choices: Sequence[Mapping[int, Runs]] | None = None) -> Table:
    """Return a lower bound of the least expected cost over all policies, or of minus the cost of one, at every node."""
    found: Table = lambda s: terminal  # noqa: E731
    rates = list(c.grid.rates(c.model))
    for t in reversed(range(len(c.model.steps))):
        step, now = CellStep(c, t, found, bottom, rates[t]), dict[int, Row]()
        for s, row in c.model.steps[t].items() if step.width > 0 else ():
            if choices is None:
                lowest = lowered_by(*step.ends(row[0]))
                for action in row[1:]:
                    lowest = np.minimum(lowest, lowered_by(*step.ends(action)))
            elif (parts := segments(choices[t].get(s, ()), step.width, len(row))) is not None:
                lowest = played(parts, {a: step.ends(row[a]) for _, _, a in parts}, step.bottom)
            else:
                continue
            for _ in range(c.grid.halvings[t]):
                lowest = coarser(lowest)
            now[s] = lowest
        found = now.get
    first = np.repeat(bottom, max(0, c.grid.windows[0][1] - c.grid.windows[0][0] + 1), axis=1)
    return lambda s: first if (row := found(s)) is None else row


def capped(row: Row, bottom: Row) -> Row:
    """Return the row with its first and its last node at the least cost."""
    row = row.astype(np.result_type(row, bottom))
    row[:, :1] = np.minimum(row[:, :1], bottom)
    row[:, -1:] = np.minimum(row[:, -1:], bottom)
    return row


def lowered_by(nodes: Row, taken: Row) -> Row:
    """Lower each node by what is taken off in the cells beside it."""
    return np.asarray(nodes - np.maximum(taken[:, :-1], taken[:, 1:]))


def played(parts: list[tuple[int, int, int]], rows: dict[int, tuple[Row, Row]], bottom: Row) -> Row:
    """Return what the action of each cell proves for its left and right end; the lesser where two cells meet."""
    lefts = np.concatenate([(rows[a][0] - rows[a][1][:, 1:])[:, i:j] for i, j, a in parts], axis=1)
    rights = np.concatenate([(rows[a][0] - rows[a][1][:, :-1])[:, 1:][:, i:j] for i, j, a in parts], axis=1)
    lefts[:, 1:] = np.minimum(lefts[:, 1:], rights)
    return capped(lefts, bottom)


def coarser(row: Row) -> Row:
    """Return every second node, lowered by what the chord exceeds the node between."""
    zero = np.zeros_like(row[:, :1])
    excess = np.maximum(ceil_div(row[:, :-2:2] + row[:, 2::2] - 2 * row[:, 1:-1:2], 2), 0)
    return lowered_by(row[:, ::2], np.concatenate([zero, excess, zero], axis=1))


def tail_by_all_cells(c: Setting, tail: Tail, upper: Fraction) -> None:
    """J is at most ``upper`` at every node of the first window, and outside of it."""
    (lo, hi), last, unit = c.grid.windows[0], c.grid.windows[-1], c.grid.unit
    require(lo <= hi and last[0] <= last[1], f"{UPPER}: a window is empty")
    base, most, _ = c.grid.ranges(c.model)
    tail.require_around(means(c), unit * lo + base, unit * hi + base, upper)
    bottom = 0 if tail.w == 0 else tail.costs(c.V, unit, -most, (lo, lo), up=False)[0]
    row, outside = one_row(c, tail.costs(c.V, c.last_unit, Fraction(), last, up=False), bottom, FREE_BITS)
    require_at_most(c, unit, lo, least_costs(c, cells_table(c, row, outside)), upper - base)


def tail_by_cells(c: Setting, start: int, choices: Sequence[Mapping[int, Runs]], tail: Tail, lower: Fraction) -> None:
    """J of the policy at its budget, ``start`` units, is at least ``lower``."""
    (lo, hi), last, unit = c.grid.windows[0], c.grid.windows[-1], c.grid.unit
    require(lo <= start < hi and last[0] <= last[1], f"{LOWER}: the start is outside of its window")
    base, _, least = c.grid.ranges(c.model)
    bottom = -tail.costs(c.V, unit, least, (start, start), up=True)[0]
    terminal = [-x for x in tail.costs(c.V, c.last_unit, Fraction(), last, up=True)]
    row, outside = one_row(c, terminal, bottom, FREE_BITS)
    (x,) = at_start(c, cells_table(c, row, outside, choices), start, outside) or [0]
    proved = unit * start + base + Fraction(x, c.total)
    require(proved >= lower, f"{LOWER}: it proves only {shortened(proved)}")
