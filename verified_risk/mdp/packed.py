"""Rows of probabilities, and the actions of a product model, in a few arrays, converted to fractions on demand.

A model of 50,000 states, 4 actions and 10 successors has two million probabilities.  As Python fractions they take
hundreds of megabytes and seconds; here they take no more than the arrays, and an action creates its fractions on first
access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel
from ..law import Law
from ..numbers import decimals
from ..numbers.rational import as_fraction, exact_sum, meant, said
from .action import Action, ContinuousReward
from .reading import ULPS, Reader, Repairs, listed

Ints: TypeAlias = npt.NDArray[np.int64]
Ints32: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

AT_ONCE = 16_000  # entries read together: few enough that the arrays of one round stay in the cache
LONGEST = 90_000  # maximum number of entries of a row whose decimals are added in 64 bits


@dataclass(frozen=True)
class Rows:
    """A matrix in compressed rows: row i has the columns ``column[start[i]:start[i + 1]]`` with these values."""

    start: Ints
    column: Ints
    value: npt.NDArray[Any]
    width: int
    bits: int = 53  # significant bits of the input numbers: float32 has 24, so its rows sum to 1 less closely
    actions_first: bool = False  # true if the user listed actions before states

    def __len__(self) -> int:
        return len(self.start) - 1

    def row(self, i: int) -> tuple[list[int], list[Any]]:
        """Return the columns and values of one row, as Python numbers."""
        here = slice(self.start[i], self.start[i + 1])
        return self.column[here].tolist(), self.value[here].tolist()


class Packed:
    """Rows of probabilities, exactly.  ``value`` are the nearest floats.  Row i consists of their shortest decimals,
    except entry ``filled[i]``, if that is not -1, which is 1 less the others; or of the fractions ``own[i]``."""

    def __init__(
        self, start: Ints, column: Ints, value: Floats, filled: Ints32, own: dict[int, tuple[Fraction, ...]]
    ) -> None:
        self.start, self.column, self.value, self.filled, self.own = start, column, value, filled, own

    @classmethod
    def read(cls, rows: Rows, name: Callable[[int], str], normalise: bool, repairs: Repairs) -> Packed:
        """Read the rows of a matrix.

        :raises InvalidModel: if a row is not a law; ``name`` names it
        """
        given, kind = rows.value, rows.value.dtype.kind
        zeros_and_ones = kind in "iu" and (not given.size or (given.min() >= 0 and given.max() <= 1))
        floats = bool(kind == "f" or zeros_and_ones)
        value = given.astype(np.float64) if floats else np.zeros(len(rows.column))
        self = cls(rows.start, rows.column, value, np.full(len(rows), -1, dtype=np.int32), {})
        _Reader(self, rows, name, normalise, repairs).read(floats)
        return self

    @classmethod
    def of(cls, laws: Sequence[tuple[tuple[int, Fraction], ...]]) -> Packed:
        """Return laws of next states given by fractions."""
        known: dict[tuple[int, int], tuple[float, bool]] = {}  # the nearest float, and whether it means the fraction
        value, own = [], {}
        for i, law in enumerate(laws):
            plain = True
            for _, p in law:
                key = (p.numerator, p.denominator)
                if key not in known:
                    x = p.numerator / p.denominator
                    known[key] = (x, as_fraction(x, "") == p)
                x, means = known[key]
                value.append(x)
                plain &= means
            if not plain:
                own[i] = tuple(p for _, p in law)
        column = np.array([s for law in laws for s, _ in law], dtype=np.int64)
        return cls(starts(map(len, laws)), column, np.array(value), np.full(len(laws), -1, dtype=np.int32), own)

    def check(self, name: Callable[[int], str]) -> None:
        """Raise for the first row that is not a law, and for values that are not the nearest floats."""
        reader = _Reader(self, Rows(self.start, self.column, self.value, 0), name, False, Repairs())
        doubtful = list(self.own)
        for first, last in reader.blocks():
            block = reader.sums(first, last)
            filled, at = self.filled[first:last], block.heads + np.maximum(self.filled[first:last], 0)
            nearest, certain = decimals.less(block.x[at], block.digits[at], block.places[at], block.high, block.low)
            right = np.where(filled < 0, (block.high == 0) & (block.low == 0), certain & (nearest == block.x[at]))
            doubtful += (first + np.flatnonzero(~(block.plain & right))).tolist()
        for i in sorted(set(doubtful)):
            exact, found = self.entries(i), self.value[self.start[i] : self.start[i + 1]].tolist()
            if sum(exact) != 1 or min(exact) <= 0:
                raise InvalidModel(f"{name(i)} sums to {said(sum(exact, Fraction()))}, not to 1: {listed(exact)}")
            if [float(p) for p in exact] != found:
                raise InvalidModel(f"{name(i)} is {listed(exact)}, wanted the nearest floats, not {found}")

    def selected(self, rows: Ints, stay: Ints) -> Packed:
        """Return the rows of these numbers without zeros; -1 is a row that leads to state ``stay[i]``."""
        start, column, value, filled, own = self.start, self.column, self.value, self.filled, self.own
        mask = self._positive()
        if mask is None and len(rows) == len(filled) and (rows >= 0).all():
            return self
        if mask is not None:
            dropped = np.concatenate(([0], np.cumsum(~mask)))
            filled = np.where(filled < 0, -1, filled - dropped[start[:-1] + filled] + dropped[start[:-1]])
            start, column, value = start - dropped[start], column[mask], value[mask]
            own = {i: tuple(p for p in row if p) for i, row in own.items()}
        sizes = np.where(rows < 0, 1, np.diff(start)[rows])
        moves, at = np.repeat(rows >= 0, sizes), entry_places(start, rows[rows >= 0])
        new_column, new_value = np.repeat(stay, sizes), np.ones(int(sizes.sum()))
        new_column[moves], new_value[moves] = column[at], value[at]
        numbers = enumerate(rows.tolist())
        return Packed(
            starts(sizes), new_column, new_value,
            np.where(rows < 0, -1, filled[rows]).astype(np.int32), {i: own[r] for i, r in numbers if r in own},
        )  # fmt: skip

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

    def _positive(self) -> npt.NDArray[np.bool_] | None:
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


class _Block(NamedTuple):
    """Some rows: their entries, as decimals too, and by how much each sums to more than 1 if it is ``plain``."""

    x: Floats
    heads: Ints
    sizes: Ints
    digits: Ints
    places: Ints
    high: Ints
    low: Ints
    plain: npt.NDArray[np.bool_]


class _Reader:
    """Fills a :class:`Packed`."""

    def __init__(
        self, packed: Packed, rows: Rows, name: Callable[[int], str], normalise: bool, repairs: Repairs
    ) -> None:
        self.packed, self.rows, self.name, self.normalise, self.repairs = packed, rows, name, normalise, repairs
        self.moved: list[tuple[int, Fraction]] = []  # rows and amounts, the largest among those read together
        self.small: dict[tuple[float, ...], tuple[Fraction, ...] | None] = {}

    def read(self, floats: bool) -> None:
        """Read all rows: floats as arrays, and row by row where that takes exact arithmetic."""
        for first, last in self.blocks():
            for i in self._read_block(first, last) if floats else range(last - first):
                self._read_row(first + i, floats)
        self.repairs.moved -= len(self.moved)
        for i, amount in sorted(self.moved):
            self.repairs.move(amount, self.name(i))

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Divide the rows into those that are read together."""
        start, first = self.rows.start, 0
        while first < len(self.rows):
            last = max(first + 1, int(np.searchsorted(start, start[first] + AT_ONCE, side="right")) - 1)
            yield first, last
            first = last

    def sums(self, first: int, last: int) -> _Block:
        begin = self.rows.start[first : last + 1] - self.rows.start[first]
        x, heads, sizes = self.packed.value[self.rows.start[first] : self.rows.start[last]], begin[:-1], np.diff(begin)
        digits, places = decimals.shortest_decimals(np.minimum(x, 1.0))
        high, low = decimals.row_sums(digits, places, begin)
        plain = (np.maximum.reduceat(x, heads) <= 1) & (sizes <= LONGEST) & (np.add.reduceat(x, heads) < 8)
        plain &= np.maximum.reduceat(places, heads) <= decimals.HIGH + decimals.LOW
        return _Block(x, heads, sizes, digits, places, high - 10**decimals.HIGH, low, plain)

    def _read_block(self, first: int, last: int) -> list[int]:
        """Read some rows, and return those that are left, in order."""
        x, heads, sizes, digits, places, high, low, plain = self.sums(first, last)
        off = plain & ((high != 0) | (low != 0))
        if not off.any():
            return np.flatnonzero(~plain).tolist()
        gap = np.abs(high + low * 10.0**-decimals.LOW) * 10.0**-decimals.HIGH
        slow = ~plain | (off & (gap > ULPS * sizes * 2.0**-self.rows.bits * (1 - decimals.CLOSE)))
        rows = np.flatnonzero(off & ~slow)
        maybe = rows[decimals.near_small_fractions(x[heads[rows]])]
        if len(maybe):
            near = decimals.near_small_fractions(x[entry_places(np.append(heads, len(x)), maybe)])
            slow[maybe[np.logical_and.reduceat(near, np.cumsum(sizes[maybe]) - sizes[maybe])]] = True
            rows = np.flatnonzero(off & ~slow)
        if len(rows):
            here = np.where(x == np.repeat(np.maximum.reduceat(x, heads), sizes), np.arange(len(x)), len(x))
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
        self.repairs.moved += len(rows)
        self.moved.append((first - row, Fraction(amount, whole)))

    def _read_row(self, i: int, floats: bool) -> None:
        """Read one row in exact arithmetic."""
        packed, here = self.packed, slice(self.rows.start[i], self.rows.start[i + 1])
        columns, values = self.rows.row(i)
        if floats:  # checked as a whole; an array of objects may hold any
            values = packed.value[here].tolist()
        elif not all(type(x) is float and 0 <= x < float("inf") for x in values):
            read = Reader(0, normalise=False).probability
            exact = [read(x, f"{self.name(i)}[{s}]") for s, x in zip(columns, values, strict=True)]
            self._keep(i, self._summing_to_one(i, exact))
            return
        exact = [Fraction(w, 10**k) for w, k in map(decimals.shortest_decimal, values)]
        gap = exact_sum(exact) - 1
        packed.value[here] = values
        if gap and abs(gap) * 2**self.rows.bits <= ULPS * len(values):
            small = self._as_small(tuple(values))
            if small is not None:
                self.repairs.fractions += 1
                self._keep(i, small)
                return
            largest = max(range(len(values)), key=values.__getitem__)
            packed.filled[i] = largest
            packed.value[self.rows.start[i] + largest] = float(exact[largest] - gap)
            self.repairs.moved += 1
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
            self.repairs.divide(total, self.name(i))
            return tuple(p / total for p in exact)
        raise InvalidModel(
            f"{self.name(i)} sums to {said(total)}, not to 1: {listed(exact)}; normalise=True divides by the sum"
        )


def entry_places(start: Ints, rows: Ints) -> Ints:
    """Return the places of all entries of some rows, row by row."""
    sizes = start[rows + 1] - start[rows]
    ends = np.cumsum(sizes)
    places: Ints = np.repeat(start[rows] - ends + sizes, sizes) + np.arange(ends[-1] if len(ends) else 0)
    return places


@dataclass(frozen=True)
class FlatModel:
    """The actions of all states, concatenated: state s has actions ``action_start[s]`` to ``action_start[s + 1] - 1``,
    and action i the successors from ``succ_start[i]`` to ``succ_start[i + 1] - 1`` and the reward law ``laws[law[i]]``.
    """

    action_start: Ints
    succ_start: Ints
    succ_state: Ints
    succ_prob: Floats  # probabilities, rounded once to the nearest float
    laws: tuple[Law | ContinuousReward, ...]  # the different reward laws, in the order in which actions have them
    law: Ints

    @property
    def branches(self) -> int:
        """The greatest number of pairs of next state and reward of one action; rewards must be finite laws."""
        sizes = np.array([len(law) if isinstance(law, Law) else 0 for law in self.laws])
        return int((np.diff(self.succ_start) * sizes[self.law]).max())


class PackedAction(Action):
    """An action whose successors are a row of :class:`~.packed.Packed`."""

    __slots__ = ("_packed", "_row")

    def __init__(self, packed: Packed, row: int, reward: Law | ContinuousReward) -> None:
        super().__init__(None, reward)
        self._packed, self._row = packed, row

    @property
    def successors(self) -> tuple[tuple[int, Fraction], ...]:
        if self._successors is None:
            self._successors = self._packed.successors(self._row)
        return self._successors


class PackedStates(Sequence[tuple[Action, ...]]):
    """The actions of every state, made on first access: action i has row i of ``packed``, and a reward law."""

    def __init__(self, packed: Packed, action_start: Ints, laws: tuple[Law | ContinuousReward, ...], law: Ints) -> None:
        self.packed = packed
        self._made: list[tuple[Action, ...] | None] = [None] * (len(action_start) - 1)
        self.flat = FlatModel(action_start, packed.start, packed.column, packed.value, laws, law)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, s: int) -> tuple[Action, ...]: ...
    @overload
    def __getitem__(self, s: slice) -> tuple[tuple[Action, ...], ...]: ...
    def __getitem__(self, s: Any) -> Any:
        if isinstance(s, slice):
            return tuple(self[k] for k in range(*s.indices(len(self))))
        made = self._made[s]
        if made is None:
            made = self._made[s] = tuple(self._actions(s % len(self)))
        return made

    def _actions(self, s: int) -> Iterator[Action]:
        flat = self.flat
        for i in range(int(flat.action_start[s]), int(flat.action_start[s + 1])):
            yield PackedAction(self.packed, i, flat.laws[flat.law[i]])


def flat_model(states: Sequence[tuple[Action, ...]], packed: Packed) -> FlatModel:
    """Return the arrays of a product model, with the laws of next states ``packed``."""
    if isinstance(states, PackedStates):
        return states.flat
    actions = [action for own in states for action in own]
    number: dict[Any, int] = {}
    by_id = {id(action.reward): action.reward for action in actions}
    of_id = {key: number.setdefault(_content(law), len(number)) for key, law in by_id.items()}
    laws = {of_id[key]: law for key, law in by_id.items()}
    law = np.array([of_id[id(action.reward)] for action in actions])
    start = starts(map(len, states))
    return FlatModel(start, packed.start, packed.column, packed.value, tuple(laws[k] for k in range(len(laws))), law)


def _content(law: Law | ContinuousReward) -> Any:
    """Return what equal laws have in common; hashing fractions is slow."""
    if not isinstance(law, Law):
        return id(law)
    return tuple((x.numerator, x.denominator) for x in (*law.atoms, *law.masses))


def starts(counts: Iterable[int]) -> Ints:
    """Return where each row of a compressed table begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.fromiter(counts, dtype=np.int64))))
