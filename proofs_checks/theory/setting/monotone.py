r"""Nondecreasing functions on the line with rational corners, and their generalised inverse.

A function is constant left of its first and right of its last corner, linear in between, and may jump at a corner,
where its left limit, its value and its right limit are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from hypothesis import strategies as st

Extended: TypeAlias = Fraction | float
"""A rational, or plus or minus infinity."""


@dataclass(frozen=True)
class Corner:
    """A point of the line with the limits and the value there."""

    at: Fraction
    left: Fraction
    value: Fraction
    right: Fraction


@dataclass(frozen=True)
class Monotone:
    """A nondecreasing function; see the module."""

    corners: tuple[Corner, ...]

    def __post_init__(self) -> None:
        heights = [h for c in self.corners for h in (c.left, c.value, c.right)]
        places = [c.at for c in self.corners]
        if not places or heights != sorted(heights) or any(a >= b for a, b in pairwise(places)):
            raise ValueError(f"corners must have increasing places and nondecreasing heights: {self.corners}")

    def __call__(self, x: Fraction) -> Fraction:
        """F(x)."""
        if x < self.corners[0].at:
            return self.corners[0].left
        for here, following in pairwise(self.corners):
            if x == here.at:
                return here.value
            if x < following.at:
                share = (x - here.at) / (following.at - here.at)
                return here.right + share * (following.left - here.right)
        last = self.corners[-1]
        return last.value if x == last.at else last.right

    def inverse(self, tau: Fraction) -> Extended:
        r""":math:`F^\dagger(\tau) = \inf\{x : F(x) \ge \tau\}`, in the extended line."""
        if self.corners[0].left >= tau:
            return -math.inf
        for i, corner in enumerate(self.corners):
            if corner.right >= tau:
                return corner.at
            if i + 1 < len(self.corners) and self.corners[i + 1].left >= tau:
                following = self.corners[i + 1]
                share = (tau - corner.right) / (following.left - corner.right)
                return corner.at + share * (following.at - corner.at)
        return math.inf

    @property
    def right_continuous(self) -> bool:
        return all(c.value == c.right for c in self.corners)

    def shifted(self, eta: Fraction) -> Monotone:
        """``x -> F(x + eta)``."""
        return Monotone(tuple(Corner(c.at - eta, c.left, c.value, c.right) for c in self.corners))


def lower_of(first: Monotone, second: Monotone) -> Monotone:
    """The pointwise minimum of two step functions, again a step function."""
    places = sorted({c.at for c in (*first.corners, *second.corners)})

    def corner(x: Fraction) -> Corner:
        below, above = (min(limit(first, x, side), limit(second, x, side)) for side in (-1, 1))
        return Corner(x, below, min(first(x), second(x)), above)

    return Monotone(tuple(map(corner, places)))


def limit(function: Monotone, x: Fraction, side: int) -> Fraction:
    """The one-sided limit at ``x``: from below for ``side = -1``, from above for ``side = 1``."""
    for corner in function.corners:
        if corner.at == x:
            return corner.left if side < 0 else corner.right
    return function(x)


@st.composite
def monotone_functions(draw: st.DrawFn, *, steps: bool = False) -> Monotone:
    """Nondecreasing functions with up to three corners; they shrink to constants.  ``steps``: constant between them."""
    count, d = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    places = sorted(draw(st.lists(st.integers(-2 * d, 2 * d), min_size=count, max_size=count, unique=True)))
    needed = 2 * count + 1 if steps else 3 * count
    heights = iter(sorted(draw(st.lists(st.integers(-d, 2 * d), min_size=needed, max_size=needed))))
    corners = []
    plateau = Fraction(next(heights), d) if steps else None
    for x in places:
        left = plateau if plateau is not None else Fraction(next(heights), d)
        value, right = Fraction(next(heights), d), Fraction(next(heights), d)
        corners.append(Corner(Fraction(x, d), left, value, right))
        plateau = right if steps else None
    return Monotone(tuple(corners))
