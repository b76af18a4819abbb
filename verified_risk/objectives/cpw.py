r"""Cumulative probability weighting (Tversky and Kahneman 1992)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import InvalidObjective
from ..numbers.enclosure import Real, ball, enclose
from ..numbers.rational import Rational, said
from .polygon import Points, concave_then_convex, stairs
from .weighting import Shape, Weighting, read_number

MOST_BALLS = 40_000
"""Maximum number of intervals on which the sign of the curvature is tried before giving up: a few seconds."""


class CPW(Weighting):
    r""":math:`G(\tau) = \tau^\gamma / (\tau^\gamma + (1 - \tau)^\gamma)^{1/\gamma}`, an inverse S for gamma < 1.

    >>> float(CPW(0.71)("1/10"))
    0.16...

    Not Lipschitz for ``gamma < 1``: :math:`G(\tau)/\tau \ge \tau^{\gamma-1} 2^{-(1-\gamma)/\gamma}` tends to infinity
    at 0.  Below gamma = 0.28 the formula is not monotone and raises an error.

    :param gamma: in (0, 1], where the function increases
    :raises InvalidObjective: if it is outside
    """

    def __init__(self, gamma: Rational) -> None:
        self.gamma = read_number(gamma, "gamma")
        if not Fraction(28, 100) <= self.gamma <= 1:
            raise InvalidObjective(
                f"gamma is {said(self.gamma)}, wanted a number in [0.28, 1]: below it, G is not monotone"
            )

    def value(self, tau: Fraction) -> Real:
        if tau in (0, 1) or self.gamma == 1:
            return tau

        def formula(arb: Any) -> Any:
            gamma = ball(self.gamma, arb)
            gain, loss = ball(tau, arb) ** gamma, ball(1 - tau, arb) ** gamma
            return gain / (gain + loss) ** (1 / gamma)

        return enclose(formula)

    @property
    def shape(self) -> Shape:
        return "linear" if self.gamma == 1 else "general"

    @property
    def lipschitz(self) -> Fraction | float:
        return Fraction(1) if self.gamma == 1 else math.inf

    def points_below(self, accuracy: Fraction) -> Points:
        """Return chords where G is concave and lines where it is convex, with the turn bracketed by a proof."""
        if self.gamma == 1:
            return super().points_below(accuracy)
        turn = inflection(self.gamma)
        return stairs(self) if turn is None else concave_then_convex(self, *turn, accuracy)

    @property
    def spec(self) -> str:
        return f"cpw({self.gamma})"


@lru_cache(maxsize=32)
def inflection(gamma: Fraction) -> tuple[Fraction, Fraction] | None:
    r"""Return floats ``a < b`` such that CPW's G is concave on [0, a] and convex on [b, 1], proved in ball arithmetic;
    None if that fails (G is nearly a line for gamma near 1).

    With :math:`D = \tau^\gamma + \sigma^\gamma`, :math:`\sigma = 1 - \tau`,
    :math:`N = \tau^{\gamma-1} - \sigma^{\gamma-1}` and :math:`h = (\ln G)' = \gamma/\tau - N/D`,

    .. math:: G''/G = h^2 + h' = h^2 - \gamma/\tau^2
              - (\gamma-1)(\tau^{\gamma-2} + \sigma^{\gamma-2})/D + \gamma N^2/D^2 .

    Its sign is found on subintervals, after multiplication with :math:`\tau^2` left of 1/2 and with
    :math:`\sigma^{2-\gamma}` right of it, which keeps all terms bounded at the ends.
    """
    guess = where_it_turns(float(gamma))
    width = Fraction(1, 2**26)
    for _ in range(4):
        a, b = Fraction(float(guess - width)), Fraction(float(guess + width))
        if _sign_is(lambda arb, x: -_curvature(gamma, arb, x), Fraction(), a) and _sign_is(
            lambda arb, x: _curvature(gamma, arb, x), b, Fraction(1)
        ):
            return a, b
        width *= 64
    return None


def where_it_turns(gamma: float) -> Fraction:
    """Guess the place of the least slope of G, by bisection in floats."""

    def curvature(x: float) -> float:
        s = 1 - x
        d, n = x**gamma + s**gamma, x ** (gamma - 1) - s ** (gamma - 1)
        h = gamma / x - n / d
        bend = h * h - gamma / x**2 - (gamma - 1) * (x ** (gamma - 2) + s ** (gamma - 2)) / d + gamma * n * n / d**2
        return float(bend)

    low, high = 1e-6, 1 - 1e-6
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if curvature(middle) < 0 else (low, middle)
    return Fraction((low + high) / 2)


def _curvature(gamma: Fraction, arb: Any, x: Any) -> Any:
    g = ball(gamma, arb)
    s = 1 - x
    if float(x.mid()) <= 0.5:  # times tau^2
        up = _power(x, g)
        d = up + s**g
        n = up - x * s ** (g - 1)
        return (g - n / d) ** 2 - g - (g - 1) * (up + x * x * s ** (g - 2)) / d + g * (n / d) ** 2
    down = _power(s, g)  # times sigma^(2 - gamma)
    half = _power(s, 1 - g / 2)
    d = x**g + down
    n = half * x ** (g - 1) - _power(s, g / 2)
    h = g * half / x - n / d
    rest = _power(s, 2 - g)
    return h**2 - g * rest / x**2 - (g - 1) * (rest * x ** (g - 2) + 1) / d + g * (n / d) ** 2


def _power(x: Any, k: Any) -> Any:
    """Return ``x**k`` for a ball that may touch 0: between 0 and the power of its upper end."""
    if x.lower() > 0:
        return x**k
    top = x.upper() ** k
    return (top / 2).union(0 * top).union(top)


def _sign_is(positive: Callable[[Any, Any], Any], left: Fraction, right: Fraction) -> bool:
    """Return whether ``positive`` is proved > 0 on all of ``[left, right]``, by repeated halving."""
    from flint import arb, ctx

    saved, ctx.prec = ctx.prec, 128
    try:
        todo, spent = [(left, right)], 0
        while todo:
            a, b = todo.pop()
            spent += 1
            if spent > MOST_BALLS:
                return False
            x = ball(a, arb).union(ball(b, arb))
            image = positive(arb, x)
            if image.is_finite() and image.lower() > 0:
                continue
            if b - a < Fraction(1, 2**45):
                return False
            middle = (a + b) / 2
            todo += [(a, middle), (middle, b)]
        return True
    finally:
        ctx.prec = saved
