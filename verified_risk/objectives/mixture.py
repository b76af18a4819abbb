"""Convex mixtures of weightings: ``0.5 * Mean() + 0.5 * CVaR("1/10")``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from ..errors import InvalidObjective
from ..numbers.enclosure import Real
from ..numbers.rational import Rational, said
from .entropic import Entropic
from .piecewise import shape_of, slopes, without_flat_corners
from .polygon import Points, weighted_sum
from .weighting import Jump, Knots, Shape, WeightedTerms, Weighting, read_number


class Mixture(Weighting):
    """``sum_j w_j G_j`` with weights that are nonnegative and sum to exactly 1."""

    def __init__(self, terms: Iterable[tuple[Rational, Weighting]]) -> None:
        read = []
        for j, (weight, part) in enumerate(terms):
            if not isinstance(part, Weighting):
                raise InvalidObjective(f"term {j} is {part!r}, wanted a weighting")
            if isinstance(part, Entropic):
                raise InvalidObjective(
                    f"term {j} is {part!r}, which has no place in a sum, wanted a weighting of levels"
                )
            read.append((read_weight(weight, f"weight {j}"), part))
        total = sum((w for w, _ in read), Fraction())
        if total != 1:
            raise InvalidObjective(f"mixture weights sum to {said(total)}, not to 1: {[said(w) for w, _ in read]}")
        merged: dict[Weighting, Fraction] = {}
        for w, part in read:
            for v, leaf in part.terms:
                merged[leaf] = merged.get(leaf, Fraction()) + w * v
        self._terms = tuple((w, part) for part, w in merged.items() if w)

    @property
    def terms(self) -> tuple[tuple[Fraction, Weighting], ...]:
        return self._terms

    def value(self, tau: Fraction) -> Real:
        total: Real = Fraction()
        for w, part in self.terms:
            total = total + w * part.value(tau)
        return total

    @cached_property
    def knots(self) -> Knots | None:
        parts = [part.knots for _, part in self.terms]
        taus: set[Fraction] = set()
        for knots in parts:
            if knots is None:
                return None
            taus.update(tau for tau, _ in knots)
        corners = []
        for tau in sorted(taus):
            value = self.value(tau)
            assert isinstance(value, Fraction)
            corners.append((tau, value))
        return without_flat_corners(tuple(corners))

    @property
    def jumps(self) -> tuple[Jump, ...]:
        return tuple(Jump(j.level, w * j.height, j.upper) for w, part in self.terms for j in part.jumps)

    def points_below(self, accuracy: Fraction) -> Points:
        if self.knots is not None:
            return super().points_below(accuracy)
        return weighted_sum([(w, part.points_below(accuracy)) for w, part in self.terms])

    @property
    def shape(self) -> Shape:
        if self.knots is not None:
            return shape_of(self.knots)
        shapes = {part.shape for _, part in self.terms} - {"linear"}
        if len(shapes) == 1:
            return shapes.pop()
        return "general" if shapes else "linear"

    @property
    def lipschitz(self) -> Fraction | float:
        """The least constant if piecewise linear, otherwise the upper bound ``sum_j w_j L_j``."""
        if self.knots is not None:
            return max(slopes(self.knots))
        constants = [(w, part.lipschitz) for w, part in self.terms]
        if any(constant == math.inf for _, constant in constants):
            return math.inf
        total: Fraction | float = Fraction()
        for w, constant in constants:
            total = total + (w * constant if isinstance(constant, Fraction) else float(w) * constant)
        return total

    @property
    def spec(self) -> str:
        if len(self.terms) == 1:
            return self.terms[0][1].spec
        return " + ".join(f"{w}*{part.spec}" for w, part in self.terms)


def read_weight(value: Rational, name: str = "mixture weight") -> Fraction:
    weight = read_number(value, name)
    if weight < 0:
        raise InvalidObjective(f"{name} is {said(weight)}, wanted a nonnegative number")
    return weight


def finished(terms: tuple[tuple[Fraction, Weighting], ...]) -> WeightedTerms | Mixture:
    """Return a mixture if the weights sum to 1, unfinished terms otherwise."""
    return Mixture(terms) if sum((w for w, _ in terms), Fraction()) == 1 else WeightedTerms(terms)
