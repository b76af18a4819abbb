r"""Continuous piecewise-linear weightings with rational corners.

A concave one is a mixture of CVaRs (:func:`levels_of_knots`).  With corners :math:`0 = \tau_0 < \tau_1 < \dots < \tau_n
= 1`, slopes :math:`c_1 \ge c_2 \ge \dots \ge c_n` and :math:`c_{n+1} = 0`,

.. math:: G(\tau) = \sum_j w_j \min\{\tau/\tau_j, 1\}, \qquad w_j = \tau_j (c_j - c_{j+1}) \ge 0,

hence, with one :math:`\rho_j` for each level,

.. math:: \Phi(Z) = \max_{\rho_1, \rho_2, \dots} \mathbf E \sum_j w_j \bigl(\rho_j - (\rho_j - Z)^+/\tau_j\bigr).

The level 1 is the mean and needs no :math:`\rho`.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ..errors import InvalidObjective
from ..numbers.rational import Rational, said
from .weighting import Knots, Shape, Weighting, read_number


class PiecewiseLinear(Weighting):
    """The polygon through ``(tau, G(tau))`` corners from (0, 0) to (1, 1).

    >>> G = PiecewiseLinear([(0, 0), ("1/4", 1), (1, 1)])
    >>> G("1/8"), G.shape, G.lipschitz
    (Fraction(1, 2), 'concave', Fraction(4, 1))

    :param corners: pairs with increasing levels and nondecreasing heights
    :raises InvalidObjective: if the first corner is not (0, 0), the last not (1, 1), or the polygon decreases
    """

    def __init__(self, corners: Iterable[tuple[Rational, Rational]]) -> None:
        read = []
        for i, corner in enumerate(corners):
            try:
                tau, value = corner
            except (TypeError, ValueError):
                raise InvalidObjective(f"corner {i} is {corner!r}, wanted a pair (tau, G(tau))") from None
            read.append((read_number(tau, f"corner {i}: tau"), read_number(value, f"corner {i}: G(tau)")))
        check_corners(tuple(read))
        self._knots = without_flat_corners(tuple(read))

    @property
    def knots(self) -> Knots:
        return self._knots

    def value(self, tau: Fraction) -> Fraction:
        return interpolate(self._knots, tau)

    @property
    def shape(self) -> Shape:
        return shape_of(self._knots)

    @property
    def lipschitz(self) -> Fraction:
        return max(slopes(self._knots))

    @property
    def spec(self) -> str:
        return "pl(" + "; ".join(f"{tau}, {value}" for tau, value in self._knots) + ")"


def check_corners(corners: Knots) -> None:
    """Raise unless the corners form a nondecreasing polygon from (0, 0) to (1, 1)."""
    if len(corners) < 2:
        raise InvalidObjective(
            f"a piecewise-linear weighting has {len(corners)} corners, wanted at least (0,0) and (1,1)"
        )
    for name, corner, wanted in (("first", corners[0], 0), ("last", corners[-1], 1)):
        if corner[0] != wanted:
            raise InvalidObjective(f"the {name} corner is at tau = {said(corner[0])}, wanted {wanted}")
        if corner[1] != wanted:
            raise InvalidObjective(f"G({wanted}) is {said(corner[1])}, wanted {wanted}")
    for i, ((x, y), (u, v)) in enumerate(pairwise(corners)):
        if u <= x:
            raise InvalidObjective(
                f"corner {i + 1} has tau = {said(u)} after {said(x)}, wanted increasing tau (G is continuous here)"
            )
        if v < y:
            raise InvalidObjective(
                f"G decreases from {said(y)} to {said(v)} between tau = {said(x)} and {said(u)}, "
                "wanted a nondecreasing weighting"
            )


def slopes(knots: Knots) -> list[Fraction]:
    """Return the slopes between neighbouring corners."""
    return [(v - y) / (u - x) for (x, y), (u, v) in pairwise(knots)]


def shape_of(knots: Knots) -> Shape:
    steps = slopes(knots)
    if len(set(steps)) == 1:
        return "linear"
    if all(a >= b for a, b in pairwise(steps)):
        return "concave"
    return "convex" if all(a <= b for a, b in pairwise(steps)) else "general"


def interpolate(knots: Knots, tau: Fraction) -> Fraction:
    i = max(1, bisect_left(knots, tau, key=lambda knot: knot[0]))
    (x, y), (u, v) = knots[i - 1], knots[i]
    return y + (v - y) * (tau - x) / (u - x)


def without_flat_corners(knots: Knots) -> Knots:
    """Drop corners at which the slope does not change, so that equal functions have equal corners."""
    kept = [knots[0]]
    for i in range(1, len(knots) - 1):
        (x, y), (u, v), (p, q) = kept[-1], knots[i], knots[i + 1]
        if (v - y) * (p - u) != (q - v) * (u - x):
            kept.append(knots[i])
    return (*kept, knots[-1])


@dataclass(frozen=True)
class Levels:
    """``mean * E Z + sum of w * CVaR_alpha(Z)`` over ``tails = ((alpha, w), ...)``, alpha < 1 increasing."""

    mean: Fraction
    tails: tuple[tuple[Fraction, Fraction], ...]


def levels_of_knots(knots: Knots) -> Levels:
    """Return the mixture of CVaRs equal to the concave polygon with these corners."""
    steps = [*slopes(knots), Fraction()]
    weights = [(tau, tau * (steps[j] - steps[j + 1])) for j, (tau, _) in enumerate(knots[1:])]
    return Levels(weights[-1][1], tuple((tau, w) for tau, w in weights[:-1] if w))
