"""Rows of probabilities in a few arrays: integers over powers of ten, converted to fractions on demand.

A model of 10,000 states, 4 actions and 10 successors has 400,000 probabilities.  As Python fractions they take 100 MB
and seconds; here they take no more than the arrays, and an action creates its fractions on first access.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidModel, InvalidNumber
from ..law import Law
from ..mdp.action import Action
from ..mdp.reading import listed
from ..mdp.repairs import ULPS, Repairs
from ..mdp.rewards import ContinuousReward
from ..numbers.rational import LARGEST_DENOMINATOR, as_fraction, meant, said
from .matrices import Rows

LARGEST_WEIGHT = 2**63 - 1
"""Largest weight of a row in integers: packed arrays are int64."""


class Packed:
    """Rows of probabilities read exactly: row i has weights over ``10 ** digits[i]``, or its own fractions."""

    def __init__(self, rows: Rows, name: Callable[[int], str], normalise: bool) -> None:
        self.rows = rows
        self.digits = np.zeros(len(rows), dtype=np.int16)
        self.weights = np.zeros(len(rows.column), dtype=np.int64)
        self.own: dict[int, tuple[Fraction, ...]] = {}
        self.repairs = Repairs()
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
            self.repairs.move(Fraction(abs(gap), whole), name(i))
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
        self.repairs.fractions += 1
        return True

    def _summing_to_one(
        self, i: int, exact: list[Fraction], name: Callable[[int], str], normalise: bool
    ) -> tuple[Fraction, ...]:
        """Return the row, divided by its sum if ``normalise``; otherwise raise if it does not sum to 1."""
        total = sum(exact, Fraction())
        if total == 1:
            return tuple(exact)
        if normalise and total > 0:
            self.repairs.divide(total, name(i))
            return tuple(p / total for p in exact)
        raise InvalidModel(
            f"{name(i)} sums to {said(total)}, not to 1: {listed(exact)}; normalise=True divides by the sum"
        )

    def successors(self, i: int) -> tuple[tuple[int, Fraction], ...]:
        """Return pairs ``(next state, probability)`` of row i, with positive probabilities."""
        here = slice(self.rows.start[i], self.rows.start[i + 1])
        columns = self.rows.column[here].tolist()
        if i in self.own:
            return tuple((s, p) for s, p in zip(columns, self.own[i], strict=True) if p)
        whole = 10 ** int(self.digits[i])
        return tuple((s, Fraction(w, whole)) for s, w in zip(columns, self.weights[here].tolist(), strict=True) if w)


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
