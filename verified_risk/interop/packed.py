"""Rows of probabilities in a few arrays: integers over powers of ten, converted to fractions on demand.

A model of 10,000 states, 4 actions and 10 successors has 400,000 probabilities.  As Python fractions they take 100 MB
and seconds; here they take no more than the arrays, and an action creates its fractions on first access.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidModel, InvalidNumber
from ..law import Law
from ..mdp.action import Action
from ..mdp.rewards import ContinuousReward
from ..numbers.format import above
from ..numbers.rational import LARGEST_DENOMINATOR, as_fraction, meant, said
from .matrices import Rows

ULPS = 4
"""Allowed deviation of a row's sum from 1, in units in the last place per entry, due to normalising in floats."""
LARGEST_WEIGHT = 2**63 - 1
"""Largest weight of a row in integers: packed arrays are int64."""
MOST_SHOWN = 8
"""Maximum number of entries of a row in an error message, which should stay short."""


class Packed:
    """Rows of probabilities read exactly: row i has weights over ``10 ** digits[i]``, or its own fractions."""

    def __init__(self, rows: Rows, name: Callable[[int], str], normalise: bool) -> None:
        self.rows = rows
        self.digits = np.zeros(len(rows), dtype=np.int16)
        self.weights = np.zeros(len(rows.column), dtype=np.int64)
        self.own: dict[int, tuple[Fraction, ...]] = {}
        self.fractions = self.moved = self.divided = 0
        self.largest, self.where = Fraction(), ""
        for i in range(len(rows)):
            self._read(i, name, normalise)
        self.rows = replace(rows, value=np.zeros(0))  # the data is now in weights and own

    def _read(self, i: int, name: Callable[[int], str], normalise: bool) -> None:
        columns, values = self.rows.row(i)
        # arrays of floats have been checked as a whole; an array of objects may hold any
        if self.rows.value.dtype.kind != "f" and not all(type(x) is float and 0 <= x < math.inf for x in values):
            exact = [_number(x, f"{name(i)}[{s}]") for s, x in zip(columns, values, strict=True)]
            self.own[i] = self._summing_to_one(i, exact, name, normalise)
            return
        parts = [_decimal(x) for x in values]
        most = max(k for _, k in parts)
        whole = 10**most
        weights = [w if k == most else w * 10 ** (most - k) for w, k in parts]
        gap = sum(weights) - whole
        if gap and abs(gap) << self.rows.bits <= ULPS * len(weights) * whole and not self._small(i, values):
            largest = max(range(len(weights)), key=weights.__getitem__)
            weights[largest] -= gap
            self._note_move(Fraction(abs(gap), whole), name, i)
            gap = 0
        if i in self.own:
            return
        if gap or max(weights) > LARGEST_WEIGHT:
            self.own[i] = self._summing_to_one(i, [Fraction(w, whole) for w in weights], name, normalise)
            return
        self.weights[self.rows.start[i] : self.rows.start[i + 1]] = weights
        self.digits[i] = most

    def _small(self, i: int, values: list[float]) -> bool:
        """Whether the floats of a row round small fractions that sum to 1; if so, use these as the row."""
        if not all(map(_near_a_small_fraction, values)):
            return False
        small = tuple(meant(x) for x in values)
        if sum(small) != 1:
            return False
        self.own[i] = small
        self.fractions += 1
        return True

    def _note_move(self, amount: Fraction, name: Callable[[int], str], i: int) -> None:
        self.moved += 1
        if amount > self.largest:
            self.largest, self.where = amount, name(i)

    def _summing_to_one(
        self, i: int, exact: list[Fraction], name: Callable[[int], str], normalise: bool
    ) -> tuple[Fraction, ...]:
        """Return the row, divided by its sum if ``normalise``; otherwise raise if it does not sum to 1."""
        total = sum(exact, Fraction())
        if total == 1:
            return tuple(exact)
        if normalise and total > 0:
            self.divided += 1
            return tuple(p / total for p in exact)
        shown = ", ".join(map(said, exact[:MOST_SHOWN])) + (", …" if len(exact) > MOST_SHOWN else "")
        raise InvalidModel(f"{name(i)} sums to {said(total)}, not to 1: [{shown}]; normalise=True divides by the sum")

    def successors(self, i: int) -> tuple[tuple[int, Fraction], ...]:
        """Return pairs ``(next state, probability)`` of row i, with positive probabilities."""
        here = slice(self.rows.start[i], self.rows.start[i + 1])
        columns = self.rows.column[here].tolist()
        if i in self.own:
            return tuple((s, p) for s, p in zip(columns, self.own[i], strict=True) if p)
        whole = 10 ** int(self.digits[i])
        return tuple((s, Fraction(w, whole)) for s, w in zip(columns, self.weights[here].tolist(), strict=True) if w)

    def notes(self) -> Iterator[str]:
        if self.fractions:
            yield f"{self.fractions} rows of floats were read as the small fractions that they round"
        if self.moved:
            yield (
                f"{self.moved} rows of floats missed a sum of 1 by rounding: the largest entry of each was moved, "
                f"by at most {above(self.largest)} ({self.where})"
            )
        if self.divided:
            yield f"{self.divided} rows did not sum to 1 and were divided by their sum"


class PackedAction(Action):
    """An action whose successors are a row of :class:`Packed`."""

    __slots__ = ("_packed", "_row")

    def __init__(self, packed: Packed, row: int, reward: Law | ContinuousReward) -> None:
        super().__init__(None, reward)
        self._packed, self._row = packed, row

    @property
    def successors(self) -> tuple[tuple[int, Fraction], ...]:
        if self._successors is None:
            self._successors = self._packed.successors(self._row)
        return self._successors


def _near_a_small_fraction(x: float) -> bool:
    """Whether a convergent of x with denominator up to 10**5 is within 2**-50: a quick test before the exact one."""
    before, here, low, high, rest = 0, 1, 1, 0, x
    for _ in range(24):
        whole = int(rest)
        before, here, low, high = here, whole * here + before, high, whole * high + low
        if high > LARGEST_DENOMINATOR:
            return False
        if abs(x - here / high) <= 2.0**-50:
            return True
        if rest - whole < 1e-9:
            return False
        rest = 1.0 / (rest - whole)
    return False


def _decimal(x: float) -> tuple[int, int]:
    """Return the shortest decimal of a float as ``(digits, k)``, meaning ``digits / 10**k``.

    >>> _decimal(0.25), _decimal(3.0), _decimal(1e-07), _decimal(1e22)
    ((25, 2), (30, 1), (1, 7), (10000000000000000000000, 0))
    """
    shown = repr(x)
    if "e" not in shown:
        whole, _, part = shown.partition(".")
        return int(whole + part), len(part)
    _, digits, exponent = Decimal(shown).as_tuple()
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits)))
    return (value, -exponent) if exponent < 0 else (value * 10**exponent, 0)


def _number(x: Any, where: str) -> Fraction:
    try:
        p = as_fraction(x, where)
    except InvalidNumber as error:
        raise InvalidModel(str(error)) from None
    if p < 0:
        raise InvalidModel(f"{where} is {said(p)}, wanted a probability in [0, 1]")
    return p
