r"""Lines above a weighting on an interval, which turn the law of a policy into a bound on its objective.

If :math:`G(\tau) \le m + c\,\tau` for every value that a CDF takes on an interval, the integral of :math:`G(F)` over it
is at most that of :math:`m + c F`, which is linear in the law.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from ..numbers.enclosure import bounds
from .cpw import CPW, inflection
from .mixture import Mixture
from .weighting import Weighting

CLOSE = Fraction(1, 2**26)  # distance of the two points whose chord replaces a tangent

FLAT = Fraction(1, 2**36)
"""A convex weighting that rises by less gets a constant: its chord over a tiny interval may be steep, and steep slopes
are costly in interpolated tables."""

Line = tuple[Fraction, Fraction]
"""Slope and height at 0."""


def line_above(weighting: Weighting, a: Fraction, b: Fraction, at: Fraction) -> Line:
    """Return a line above ``weighting`` on ``[a, b]``, close to it near ``at`` if its shape is known.

    >>> from verified_risk import CVaR
    >>> line_above(CVaR("1/4"), Fraction(0), Fraction(1), Fraction(1, 8))
    (Fraction(4, 1), Fraction(0, 1))
    """
    at = min(max(at, a), b)
    if weighting.knots is not None:
        return _above_corners(weighting.knots, a, b, at)
    if isinstance(weighting, Mixture):
        lines = [(w, line_above(part, a, b, at)) for w, part in weighting.terms]
        return sum((w * c for w, (c, _) in lines), Fraction()), sum((w * m for w, (_, m) in lines), Fraction())
    for left, right, shape in _pieces(weighting):
        if left <= a and b <= right:
            return _tangent(weighting, left, right, a, b, at) if shape == "concave" else _chord(weighting, a, b)
    return Fraction(), bounds(weighting.value(b))[1]


def _pieces(weighting: Weighting) -> Iterator[tuple[Fraction, Fraction, str]]:
    """Yield intervals on which the weighting is known to be concave or convex."""
    if weighting.shape in ("concave", "convex"):
        yield Fraction(), Fraction(1), weighting.shape
    elif isinstance(weighting, CPW):
        turn = inflection(weighting.gamma)
        if turn is not None:
            yield Fraction(), turn[0], "concave"
            yield turn[1], Fraction(1), "convex"


def _above_corners(knots: tuple[tuple[Fraction, Fraction], ...], a: Fraction, b: Fraction, at: Fraction) -> Line:
    """Return the line with the slope at ``at``, as high as the corners inside and the ends require."""
    values = {}
    slope = Fraction()
    for (x, g), (y, h) in pairwise(knots):
        rise = (h - g) / (y - x)
        if x <= at <= y:
            slope = rise
        for tau in (a, b, x, y):
            if x <= tau <= y and a <= tau <= b:
                values[tau] = g + rise * (tau - x)
    return slope, max(g - slope * tau for tau, g in values.items())


def _chord(weighting: Weighting, a: Fraction, b: Fraction) -> Line:
    """Return a line above G if it is convex on ``[a, b]``."""
    low, high = bounds(weighting.value(a))[1], bounds(weighting.value(b))[1]
    slope = (high - low) / (b - a) if high - low > FLAT else Fraction()
    return slope, max(low - slope * a, high - slope * b)


def _tangent(weighting: Weighting, left: Fraction, right: Fraction, a: Fraction, b: Fraction, at: Fraction) -> Line:
    r"""Return a line above G if it is concave on ``[left, right]``: a chord over a short ``[p, q]``, raised.

    With :math:`\sigma` the slope of G's own chord over ``[p, q]``, G is at most :math:`G(q) + \sigma (\tau - q)` right
    of q, :math:`G(p) - \sigma (p - \tau)` left of p, and G(q) between.
    """
    p = max(min(at - CLOSE / 2, right - CLOSE), left)
    q = min(p + CLOSE, right)
    (p_low, p_high), (q_low, q_high) = (bounds(weighting.value(x)) for x in (p, q))
    steep, flat = (q_high - p_low) / (q - p), (q_low - p_high) / (q - p)
    slope = Fraction(float((steep + flat) / 2))
    heights = [q_high - min(slope * p, slope * q)]  # wide enclosures of a flat G may have a decreasing chord
    if b > q:
        heights.append(q_high - slope * q + max(Fraction(), steep - slope) * (b - q))
    if a < p:
        heights.append(p_high - slope * p + max(Fraction(), slope - flat) * (p - a))
    return slope, max(heights)
