r"""The base class of weightings.

A weighting is a nondecreasing ``G`` on [0, 1] with ``G(0) = 0`` and ``G(1) = 1``.  Its objective is the
Lebesgue-Stieltjes integral over (0, 1]

.. math:: \Phi_G(X) = \int_{(0,1]} F_X^\dagger(\tau)\, dG(\tau)
          = \sum_i x_i \bigl(G(F(x_i)) - G(F(x_{i-1}))\bigr)

for a law with atoms :math:`x_1 < x_2 < \dots`, because :math:`F^\dagger` equals :math:`x_i` on
:math:`(F(x_{i-1}), F(x_i)]`.  At a jump of a right-continuous ``G`` this takes the lower quantile; a left-continuous
``G`` charges :math:`[F(x_{i-1}), F(x_i))` instead, and the same sum takes the upper quantile.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..errors import InvalidObjective, Unsupported
from ..law import Law
from ..numbers.enclosure import Real
from ..numbers.rational import Rational, as_fraction, as_probability, said

if TYPE_CHECKING:
    from .mixture import Mixture
    from .piecewise import Levels
    from .polygon import Points, Polygon

Shape: TypeAlias = Literal["linear", "concave", "convex", "general"]
Knots: TypeAlias = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Jump:
    """``G`` rises by ``height`` at ``level``; ``upper``: just after it, so that the upper quantile is taken."""

    level: Fraction
    height: Fraction
    upper: bool

    def reached_by(self, probability: Fraction) -> bool:
        """Return whether a return that is below rho with this probability has a quantile of at least rho."""
        return probability <= self.level if self.upper else probability < self.level


class Weighting(ABC):
    """A weighting ``G``; calling it returns its value, exact if rational, a rigorous enclosure otherwise.

    ``shape``: "linear", "concave" (risk-averse), "convex" (risk-seeking) or "general".  ``lipschitz``: the least
    Lipschitz constant as a Fraction, ``math.inf`` if there is none, an upper bound as a float if it is irrational.  By
    default they claim nothing: "general" and ``math.inf``.
    """

    @abstractmethod
    def value(self, tau: Fraction) -> Real:
        """Return G(tau) for a rational tau in [0, 1].

        :param tau: a level
        :returns: a Fraction, or an :class:`Interval` that contains the value
        """

    @property
    def shape(self) -> Shape:
        return "general"

    @property
    def lipschitz(self) -> Fraction | float:
        return math.inf

    @property
    @abstractmethod
    def spec(self) -> str:
        """The objective as text that :func:`verified_risk.objective` parses."""

    @property
    def knots(self) -> Knots | None:
        """The corners ``(tau, G(tau))`` of a rational continuous piecewise-linear G, None for any other."""
        return ((Fraction(), Fraction()), (Fraction(1), Fraction(1))) if self.shape == "linear" else None

    @property
    def terms(self) -> tuple[tuple[Fraction, Weighting], ...]:
        """The weights and parts of a mixture; any other ``G`` is its own single part."""
        return ((Fraction(1), self),)

    @property
    def jumps(self) -> tuple[Jump, ...]:
        """The discontinuities of ``G``; empty if it is continuous."""
        return ()

    @property
    def quantile(self) -> Jump | None:
        """The jump of a ``G`` that consists of one jump from 0 to 1, None for any other."""
        jumps = self.jumps
        return jumps[0] if len(jumps) == 1 and jumps[0].height == 1 else None

    @property
    def levels(self) -> Levels | None:
        """The mixture of mean and CVaRs equal to a concave ``G`` with rational corners, None for any other.

        >>> from verified_risk import CVaR, Mean
        >>> (0.5 * Mean() + 0.5 * CVaR("1/4")).levels
        Levels(mean=Fraction(1, 2), tails=((Fraction(1, 4), Fraction(1, 2)),))
        """
        from .piecewise import levels_of_knots

        knots = self.knots
        return None if knots is None or self.shape not in ("linear", "concave") else levels_of_knots(knots)

    def require_levels(self) -> Levels:
        """Return :attr:`levels`, or raise an error that says what is missing.

        :returns: the mixture of mean and CVaRs equal to the weighting
        :raises Unsupported: if it is not such a mixture
        """
        levels = self.levels
        if levels is None:
            raise Unsupported(f"{self!r} is not concave piecewise linear with rational corners", instead="plan(mdp, G)")
        return levels

    def polygon_below(self, accuracy: Fraction) -> Polygon:
        """Return a polygon with float corners below ``G``, within about ``accuracy`` if its shape is known.

        :param accuracy: how far below the weighting the polygon may be
        :returns: the polygon
        """
        from .polygon import Polygon

        return Polygon.through(self.points_below(accuracy))

    def points_below(self, accuracy: Fraction) -> Points:
        """Return the corners of :meth:`polygon_below`; families whose shape is known override this.

        :param accuracy: how far below the weighting the polygon may be
        :returns: levels and heights
        """
        from . import polygon

        if self.knots is not None:
            return polygon.corners_as_floats(self.knots)
        if self.shape == "concave":
            return polygon.graph(self, Fraction(), Fraction(1), accuracy)
        if self.shape == "convex":
            return polygon.supports(self, Fraction(), Fraction(1), accuracy)
        return polygon.stairs(self)

    def __call__(self, tau: Rational) -> Real:
        return self.value(as_probability(tau, "tau"))

    def of(self, law: Law) -> Real:
        """Return the objective of a law, by the quantile integral; a Fraction if G is rational.

        :param law: a law with finitely many atoms
        :returns: a Fraction, or an :class:`Interval` that contains the value
        """
        total: Real = Fraction()
        below: Real = Fraction()
        for x, level in zip(law.atoms, law.cumulative(), strict=True):
            here = self.value(level)
            total = total + x * (here - below)
            below = here
        return total

    def __add__(self, other: Weighting | WeightedTerms) -> WeightedTerms | Mixture:
        return WeightedTerms.of(self) + other

    def __mul__(self, weight: Rational) -> WeightedTerms | Mixture:
        return WeightedTerms.of(self) * weight

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weighting) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return self.spec

    def to_json(self) -> str:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: the text that :func:`objective` parses
        """
        return self.spec


class WeightedTerms:
    """An unfinished mixture ``w_1 G_1 + ...`` whose weights do not yet sum to 1.  It becomes a :class:`Mixture` as soon
    as they do (``0.5 * (Mean() + CVaR("1/4"))`` works); until then planners reject it."""

    def __init__(self, terms: tuple[tuple[Fraction, Weighting], ...]) -> None:
        self.terms = terms

    @classmethod
    def of(cls, weighting: Weighting) -> WeightedTerms:
        return cls(weighting.terms)

    def __add__(self, other: object) -> WeightedTerms | Mixture:
        from .mixture import finished

        if isinstance(other, Weighting):
            other = WeightedTerms.of(other)
        if not isinstance(other, WeightedTerms):
            return NotImplemented
        return finished(self.terms + other.terms)

    def __mul__(self, weight: Rational) -> WeightedTerms | Mixture:
        from .mixture import finished, read_weight

        w = read_weight(weight)
        return finished(tuple((w * v, g) for v, g in self.terms))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return " + ".join(f"{w}*{g!r}" for w, g in self.terms) + "   (unfinished: weights must sum to 1)"


def read_level(value: Rational, name: str) -> Fraction:
    """Read a level in (0, 1]."""
    level = read_number(value, name)
    if not 0 < level <= 1:
        raise InvalidObjective(f"{name} is {said(level)}, wanted a level in (0, 1]")
    return level


def read_number(value: Rational, name: str) -> Fraction:
    """Read a parameter of an objective."""
    return as_fraction(value, name, InvalidObjective)
