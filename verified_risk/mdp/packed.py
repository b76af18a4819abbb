"""Rows of probabilities in a few arrays, converted to fractions on demand.

A model of 50,000 states, 4 actions and 10 successors has two million probabilities.  As Python fractions they take
hundreds of megabytes and seconds; here they take no more than the arrays, and an action creates its fractions on first
access.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel, InvalidNumber
from ..numbers import decimals
from ..numbers.rational import as_fraction, exact_sum, meant, said
from .reading import listed
from .repairs import ULPS, Repairs

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

AT_ONCE = 16_000
"""Entries read together: few enough that the arrays of one round stay in the cache."""
LONGEST = 90_000
"""Maximum number of entries of a row whose decimals are added in 64 bits."""


@dataclass(frozen=True)
class Rows:
    """A matrix in compressed rows: row i has the columns ``column[start[i]:start[i + 1]]`` with these values."""

    start: Ints
    column: Ints
    value: npt.NDArray[Any]
    width: int
    bits: int = 53
    """Significant bits of the input numbers: float32 has 24, so its rows sum to 1 less closely."""

    def __len__(self) -> int:
        return len(self.start) - 1

    def row(self, i: int) -> tuple[list[int], list[Any]]:
        """Return the columns and values of one row, as Python numbers."""
        here = slice(self.start[i], self.start[i + 1])
        return self.column[here].tolist(), self.value[here].tolist()


class Packed:
    """Rows of probabilities read exactly; the array of values passes to the object.

    ``value`` are the nearest floats.  Row i consists of their shortest decimals, except entry ``filled[i]``, if that is
    not -1, which is 1 less the others; or of the fractions ``own[i]``.
    """

    def __init__(self, rows: Rows, name: Callable[[int], str], normalise: bool) -> None:
        self.start, self.column = rows.start, rows.column
        self.filled = np.full(len(rows), -1, dtype=np.int32)
        self.own: dict[int, tuple[Fraction, ...]] = {}
        self.repairs = Repairs()
        floats = rows.value.dtype.kind == "f" or _zeros_and_ones(rows.value)
        self.value = rows.value.astype(np.float64, copy=False) if floats else np.zeros(len(rows.column))
        _Reader(self, rows, name, normalise).read(floats)

    def entries(self, i: int) -> Sequence[Fraction]:
        """Return the probabilities of row i, zeros included."""
        if i in self.own:
            return self.own[i]
        exact = [as_fraction(x, "") for x in self.value[self.start[i] : self.start[i + 1]].tolist()]
        if (k := int(self.filled[i])) >= 0:
            exact[k] = Fraction()
            exact[k] = 1 - exact_sum(exact)
        return exact

    def successors(self, i: int) -> tuple[tuple[int, Fraction], ...]:
        """Return pairs ``(next state, probability)`` of row i, with positive probabilities."""
        columns = self.column[self.start[i] : self.start[i + 1]].tolist()
        return tuple((s, p) for s, p in zip(columns, self.entries(i), strict=True) if p)

    def positive(self) -> npt.NDArray[np.bool_] | None:
        """Return where probabilities are positive; None if all are."""
        zeros = np.flatnonzero(self.value == 0)
        if not len(zeros):
            return None
        mask = np.ones(len(self.value), dtype=bool)
        mask[zeros] = False
        for i in np.unique(np.searchsorted(self.start, zeros, side="right") - 1).tolist():
            if i in self.own:  # an own fraction may be smaller than every float
                mask[self.start[i] : self.start[i + 1]] = [p > 0 for p in self.own[i]]
        return mask


class _Reader:
    """Fills a :class:`Packed`."""

    def __init__(self, packed: Packed, rows: Rows, name: Callable[[int], str], normalise: bool) -> None:
        self.packed, self.rows, self.name, self.normalise = packed, rows, name, normalise
        self.moved: list[tuple[int, Fraction]] = []  # rows and amounts, the largest among those read together
        self.small: dict[tuple[float, ...], tuple[Fraction, ...] | None] = {}

    def read(self, floats: bool) -> None:
        """Read all rows: floats as arrays, and row by row where that takes exact arithmetic."""
        start, first = self.rows.start, 0
        while first < len(self.rows):
            last = max(first + 1, int(np.searchsorted(start, start[first] + AT_ONCE, side="right")) - 1)
            for i in self._read_block(first, last) if floats else range(last - first):
                self._read_row(first + i, floats)
            first = last
        self.packed.repairs.moved -= len(self.moved)
        for i, amount in sorted(self.moved):
            self.packed.repairs.move(amount, self.name(i))

    def _read_block(self, first: int, last: int) -> list[int]:
        """Read some rows, and return those that are left, in order."""
        begin = self.rows.start[first : last + 1] - self.rows.start[first]
        x, heads, sizes = self.packed.value[self.rows.start[first] : self.rows.start[last]], begin[:-1], np.diff(begin)
        digits, places = decimals.shortest_decimals(np.minimum(x, 1.0))
        high, low = decimals.row_sums(digits, places, begin)
        high -= 10**decimals.HIGH
        largest = np.maximum.reduceat(x, heads)
        plain = (largest <= 1) & (np.maximum.reduceat(places, heads) <= decimals.HIGH + decimals.LOW)
        plain &= (sizes <= LONGEST) & (np.add.reduceat(x, heads) < 8)
        off = plain & ((high != 0) | (low != 0))
        if not off.any():
            return np.flatnonzero(~plain).tolist()
        gap = np.abs(high + low * 10.0**-decimals.LOW) * 10.0**-decimals.HIGH
        slow = ~plain | (off & (gap > ULPS * sizes * 2.0**-self.rows.bits * (1 - decimals.CLOSE)))
        rows = np.flatnonzero(off & ~slow)
        maybe = rows[decimals.near_small_fractions(x[heads[rows]])]
        if len(maybe):
            near = decimals.near_small_fractions(x[entry_places(begin, maybe)])
            slow[maybe[np.logical_and.reduceat(near, np.cumsum(sizes[maybe]) - sizes[maybe])]] = True
            rows = np.flatnonzero(off & ~slow)
        if len(rows):
            here = np.where(x == np.repeat(largest, sizes), np.arange(len(x)), len(x))
            at = np.minimum.reduceat(here, heads)[rows]
            decimal, at_all = (digits[at], places[at]), at + self.rows.start[first]
            self._move(first, rows, at - heads[rows], at_all, decimal, (high[rows], low[rows]))
        return np.flatnonzero(slow).tolist()

    def _move(
        self, first: int, rows: Ints, entry: Ints, at: Ints, decimal: tuple[Ints, Ints], gap: tuple[Ints, Ints]
    ) -> None:
        """Let one entry of each row absorb what the row's sum misses; ``at`` is its place in the array of values."""
        (digits, places), (high, low), x = decimal, gap, self.packed.value
        packed, whole = self.packed, 10 ** (decimals.HIGH + decimals.LOW)
        nearest, certain = decimals.less(x[at], digits, places, high, low)
        packed.filled[first + rows] = entry
        for k in np.flatnonzero(~certain).tolist():
            missing = Fraction(int(high[k]) * 10**decimals.LOW + int(low[k]), whole)
            nearest[k] = float(Fraction(int(digits[k]), 10 ** int(places[k])) - missing)
        x[at] = nearest
        size = np.abs(high + low * 10.0**-decimals.LOW)
        amounts = [
            (abs(int(high[k]) * 10**decimals.LOW + int(low[k])), -int(rows[k]))
            for k in np.flatnonzero(size >= size.max() * (1 - decimals.CLOSE)).tolist()
        ]
        amount, row = max(amounts)
        packed.repairs.moved += len(rows)
        self.moved.append((first - row, Fraction(amount, whole)))

    def _read_row(self, i: int, floats: bool) -> None:
        """Read one row in exact arithmetic."""
        packed, here = self.packed, slice(self.rows.start[i], self.rows.start[i + 1])
        columns, values = self.rows.row(i)
        if floats:  # checked as a whole; an array of objects may hold any
            values = packed.value[here].tolist()
        elif not all(type(x) is float and 0 <= x < float("inf") for x in values):
            exact = [_number(x, f"{self.name(i)}[{s}]") for s, x in zip(columns, values, strict=True)]
            self._keep(i, self._summing_to_one(i, exact))
            return
        exact = [Fraction(w, 10**k) for w, k in map(decimals.shortest_decimal, values)]
        gap = exact_sum(exact) - 1
        packed.value[here] = values
        if gap and abs(gap) * 2**self.rows.bits <= ULPS * len(values):
            small = self._as_small(tuple(values))
            if small is not None:
                packed.repairs.fractions += 1
                self._keep(i, small)
                return
            largest = max(range(len(values)), key=values.__getitem__)
            packed.filled[i] = largest
            packed.value[self.rows.start[i] + largest] = float(exact[largest] - gap)
            packed.repairs.moved += 1
            self.moved.append((i, abs(gap)))
        elif gap:
            self._keep(i, self._summing_to_one(i, exact))

    def _keep(self, i: int, exact: tuple[Fraction, ...]) -> None:
        self.packed.own[i] = exact
        self.packed.value[self.rows.start[i] : self.rows.start[i + 1]] = [p.numerator / p.denominator for p in exact]

    def _as_small(self, values: tuple[float, ...]) -> tuple[Fraction, ...] | None:
        """Return the small fractions that the floats of a row round, if these sum to 1; rows often repeat."""
        if values not in self.small:
            found = None
            if decimals.near_small_fractions(np.array(values)).all():
                found = tuple(map(meant, values))
            self.small[values] = found if found is not None and sum(found) == 1 else None
        return self.small[values]

    def _summing_to_one(self, i: int, exact: list[Fraction]) -> tuple[Fraction, ...]:
        """Return the row, divided by its sum if ``normalise``; otherwise raise if it does not sum to 1."""
        total = sum(exact, Fraction())
        if total == 1:
            return tuple(exact)
        if self.normalise and total > 0:
            self.packed.repairs.divide(total, self.name(i))
            return tuple(p / total for p in exact)
        raise InvalidModel(
            f"{self.name(i)} sums to {said(total)}, not to 1: {listed(exact)}; normalise=True divides by the sum"
        )


def _zeros_and_ones(value: npt.NDArray[Any]) -> bool:
    return value.dtype.kind in "iu" and (not value.size or (value.min() >= 0 and value.max() <= 1))


def entry_places(start: Ints, rows: Ints) -> Ints:
    """Return the places of all entries of some rows, row by row."""
    sizes = start[rows + 1] - start[rows]
    ends = np.cumsum(sizes)
    places: Ints = np.repeat(start[rows] - ends + sizes, sizes) + np.arange(ends[-1] if len(ends) else 0)
    return places


def _number(x: Any, where: str) -> Fraction:
    try:
        p = as_fraction(x, where)
    except InvalidNumber as error:
        raise InvalidModel(str(error)) from None
    if p < 0:
        raise InvalidModel(f"{where} is {said(p)}, wanted a probability in [0, 1]")
    return p
