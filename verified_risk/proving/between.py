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
from typing import Any, NamedTuple

import numpy as np

from .tables import (
    LOWER,
    UPPER,
    Action,
    Model,
    Refused,
    Row,
    Runs,
    Table,
    Tail,
    Tick,
    add_shifted,
    array_of,
    at_start,
    ceil_div,
    column,
    means,
    require_at_most,
    row_or,
    scaled_costs,
    segments,
    shortened,
)

SHARE_BITS = 20
"""Binary digits of a share of a cell, in int64."""


@dataclass(frozen=True)
class Cells:
    """``windows[t]`` are nodes of the grid before step t, which that step halves ``halvings[t]`` times."""

    unit: Fraction
    base: int
    halvings: Sequence[int]
    windows: Sequence[tuple[int, int]]

    @property
    def last_unit(self) -> Fraction:
        return self.unit / (1 << sum(self.halvings))

    def rates(self, model: Model) -> Iterator[tuple[int, int]]:
        """Yield, for each step, a gain of 1 in cells of its grid, as numerator and denominator, not reduced."""
        num, den = self.unit.denominator, model.denominator * self.unit.numerator
        for halved in self.halvings:
            num <<= halved
            yield num, den
            num, den = num * model.p, den * model.q


class Share(NamedTuple):
    """A reward in cells: ``whole`` ones and between ``low`` and ``high`` of ``one``; ``bend`` of ``bend_one``."""

    whole: int
    low: int
    high: int
    bend: int


class Read(NamedTuple):
    """A row as outcomes read it: each node, less it from its left neighbour, and how much the row bends there."""

    node: Row
    step: Row
    bent: Row
    bottom: Row


class Reading:
    """How rewards and rows are written in the integers of one table."""

    def __init__(self, model: Model, largest: int, kind: Any) -> None:
        self.exact = kind is object
        room = (2**62 // model.largest_total) if not self.exact else 0
        self.apart = room >> SHARE_BITS + 1
        self.bend_bits = (room // (4 * largest + 1)).bit_length() - 1

    def share(self, gain: int, num: int, den: int) -> Share:
        whole, part = divmod(gain * num, den)
        if self.exact:
            return Share(whole, part, part, part * (den - part))
        one = 1 << SHARE_BITS
        low, high = part * one // den, ceil_div(part * one, den)
        return Share(whole, low, high, ceil_div(part * (den - part) << self.bend_bits, den * den))

    def ones(self, den: int) -> tuple[int, int]:
        return (den, den * den) if self.exact else (1 << SHARE_BITS, 1 << self.bend_bits)

    def read(self, row: Row, bottom: Row) -> Read:
        padded = np.concatenate([bottom, bottom, row, bottom, bottom], axis=1)
        bent = np.maximum(padded[:, 2:] - 2 * padded[:, 1:-1] + padded[:, :-2], 0)
        node, step = padded[:, 2:-1], padded[:, 1:-2] - padded[:, 2:-1]
        if not self.exact:
            far = abs(step) > self.apart
            node, step = np.where(far, node + np.minimum(step, 0), node), np.where(far, 0, step)
        return Read(node, step, bent, bottom)


def cells_table(
    model: Model,
    cells: Cells,
    terminal: Row,
    bottom: Row,
    kind: Any,
    tick: Tick,
    choices: Sequence[Mapping[int, Runs]] | None = None,
) -> Table:
    """Return a lower bound of the least expected cost over all policies, or of minus the cost of one, at every node."""
    table: Table = lambda s: terminal  # noqa: E731
    reading = Reading(model, max(abs(int(x)) for x in (terminal.min(), terminal.max(), bottom[0, 0])), kind)
    rates, none = list(cells.rates(model)), np.zeros((1, 1), kind)
    for t in reversed(range(len(model.steps))):
        (lo, hi), (lo_after, hi_after), halved = *cells.windows[t : t + 2], cells.halvings[t]
        step, now = model.steps[t], dict[int, Row]()
        width, offset = ((hi - lo) << halved) + 1, (lo << halved) - lo_after
        if width < 1:
            table = now.get
            continue
        shares = {gain: reading.share(gain - cells.base, *rates[t]) for gain in model.gains(step)}
        one, bend_one = reading.ones(rates[t][1])
        empty = np.repeat(bottom, max(0, hi_after - lo_after + 1), axis=1)
        rows = {
            s: capped(row_of(table(s), empty), bottom) for row in step.values() for a in row for _, _, s in a.outcomes
        }
        read = {s: reading.read(row, bottom) for s, row in rows.items()}

        def ends(action: Action) -> tuple[Row, Row]:
            """Return the nodes of an action, and what is taken off in each cell, from the one before the first node."""
            if action.factors is not None and empty.shape[1]:
                after, gains = action.factors
                size = sum(q for q, _ in after)
                merged = reading.read(sum(q * rows[s] for q, s in after), bottom * size)  # type: ignore[arg-type]
                parts, total = [(p, gain, merged) for p, gain in gains], size * sum(p for p, _ in gains)
            else:
                parts, total = [(w, gain, read[s]) for w, gain, s in action.outcomes], action.total
            node, step, taken = np.zeros((1, width), kind), np.zeros((1, width), kind), np.zeros((1, width + 1), kind)
            for weight, gain, row in parts:
                share = shares[gain]
                k = offset - share.whole
                add_shifted(node, weight, row.node, k, row.bottom)
                if share.high:
                    moved = share.low * row.step + (share.high - share.low) * np.minimum(row.step, 0)
                    add_shifted(step, weight, moved, k, none)
                    add_shifted(taken, weight * share.bend, row.bent, k, none)
            return (node + step // one) // total, ceil_div(taken, total * bend_one)

        for s, row in step.items():
            tick()
            found: Row | None = None
            if choices is None:
                for action in row:
                    tick()
                    lowered = lowered_by(*ends(action))
                    found = lowered if found is None else np.minimum(found, lowered)
            else:
                parts = segments(choices[t].get(s, ()), width)
                if parts is None or any(not 0 <= a < len(row) for _, _, a in parts):
                    continue
                found = played(parts, {a: ends(row[a]) for _, _, a in parts}, bottom)
            assert found is not None
            for _ in range(halved):
                found = coarser(found)
            now[s] = found
        table = now.get
    return table


def row_of(row: Row | None, empty: Row) -> Row:
    return empty if row is None else row


def capped(row: Row, bottom: Row) -> Row:
    """The first and the last node count as the least cost."""
    row = row.copy()
    for place in (0, -1):
        if row.shape[1]:
            row[:, place] = np.minimum(row[:, place], bottom[:, 0])
    return row


def lowered_by(nodes: Row, taken: Row) -> Row:
    return np.asarray(nodes - np.maximum(taken[:, :-1], taken[:, 1:]))


def played(parts: list[tuple[int, int, int]], rows: dict[int, tuple[Row, Row]], bottom: Row) -> Row:
    """What the action of each cell proves for its left and for its right end; the lesser where two cells meet."""
    lefts = np.concatenate([(rows[a][0] - rows[a][1][:, 1:])[:, i:j] for i, j, a in parts], axis=1)
    rights = np.concatenate([(rows[a][0] - rows[a][1][:, :-1])[:, 1:][:, i:j] for i, j, a in parts], axis=1)
    lefts[:, 1:] = np.minimum(lefts[:, 1:], rights)
    return capped(lefts, bottom)


def coarser(row: Row) -> Row:
    zero = np.zeros_like(row[:, :1])
    excess = np.maximum(ceil_div(row[:, :-2:2] + row[:, 2::2] - 2 * row[:, 1:-1:2], 2), 0)
    return lowered_by(row[:, ::2], np.concatenate([zero, excess, zero], axis=1))


def _ranges(model: Model, cells: Cells) -> tuple[Fraction, Fraction, Fraction]:
    """Return the base of the return, and the most that the return exceeds it or falls short of it."""
    weights = sum((Fraction(model.p, model.q) ** t for t in range(len(model.steps))), Fraction())
    gains = {gain - cells.base for step in model.blocks for gain in (0, *model.gains(step))}
    more, less = max(0, *gains), max(0, *(-gain for gain in gains))
    base, most, least = (weights * Fraction(x, model.denominator) for x in (cells.base, more, less))
    return base, most, least


def tail_by_all_cells(model: Model, V: int, cells: Cells, tail: Tail, upper: Fraction, tick: Tick) -> None:
    """J is at most ``upper`` at every node of the first window, and outside of it by the largest mean."""
    (lo, hi), (lo_last, hi_last), mean = cells.windows[0], cells.windows[-1], means(model, V, tick)
    if mean is None or lo > hi or lo_last > hi_last:
        raise Refused(UPPER)
    base, most, _ = _ranges(model, cells)
    unit = cells.unit
    if (found := tail.around(mean, unit * lo + base, unit * hi + base)) > upper:
        raise Refused(f"{UPPER}: outside of the first window the largest mean allows {shortened(found)}")
    bottom = 0 if tail.w == 0 else scaled_costs(V, tail.slopes, Fraction(1), unit * lo - most, 0, 0, up=False)[0]
    terminal = scaled_costs(V, tail.slopes, cells.last_unit, Fraction(), lo_last, hi_last, up=False)
    row, kind = array_of(terminal, model, bottom << 12)
    outside = column([bottom], kind)
    table = cells_table(model, cells, row, outside, kind, tick)
    cost = np.zeros((1, hi - lo + 1), kind)
    for s, weight in model.initial:
        cost += weight * row_of(table(s), outside)
    require_at_most(model, V, unit, lo, cost, upper - base)


def tail_by_cells(
    model: Model,
    V: int,
    cells: Cells,
    start: int,
    choices: Sequence[Mapping[int, Runs]],
    tail: Tail,
    lower: Fraction,
    tick: Tick,
) -> None:
    """J of the policy at its budget, ``start`` units, is at least ``lower``."""
    (lo, hi), (lo_last, hi_last) = cells.windows[0], cells.windows[-1]
    if not lo <= start < hi or lo_last > hi_last:
        raise Refused(f"{LOWER}: the start is outside of its window")
    base, _, least = _ranges(model, cells)
    bottom = -scaled_costs(V, tail.slopes, Fraction(1), cells.unit * start + least, 0, 0, up=True)[0]
    terminal = [-x for x in scaled_costs(V, tail.slopes, cells.last_unit, Fraction(), lo_last, hi_last, up=True)]
    row, kind = array_of(terminal, model, bottom << 12)
    outside = column([bottom], kind)
    table = cells_table(model, cells, row, outside, kind, tick, choices)
    (x,) = at_start(model, lambda s: row_or(table(s), outside), start - lo, outside) or [0]
    proved = cells.unit * start + base + Fraction(x, V * model.initial_total)
    if proved < lower:
        raise Refused(f"{LOWER}: it proves only {shortened(proved)}")
