r"""Cumulative probability weighting (Tversky and Kahneman 1992)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..enclosure import Real, ball, enclose
from ..errors import InvalidObjective
from .weighting import Knots, Shape, Weighting, read_number


class CPW(Weighting):
    r""":math:`G(\tau) = \tau^\gamma / (\tau^\gamma + (1 - \tau)^\gamma)^{1/\gamma}`, an inverse S for gamma < 1.

    >>> float(CPW(0.71)("1/10"))
    0.16...

    Not Lipschitz for ``gamma < 1``: :math:`G(\tau)/\tau \ge \tau^{\gamma-1} 2^{-(1-\gamma)/\gamma}` tends to infinity
    at 0. Below gamma = 0.28 the formula is not monotone and is refused.
    """

    def __init__(self, gamma: Any) -> None:
        self.gamma = read_number(gamma, "gamma")
        if not Fraction(28, 100) <= self.gamma <= 1:
            raise InvalidObjective(f"gamma is {self.gamma}, wanted a number in [0.28, 1]: below it, G is not monotone")

    def value(self, tau: Fraction) -> Real:
        if tau in (0, 1) or self.gamma == 1:
            return tau

        def formula(arb: Any) -> Any:
            gamma = ball(self.gamma, arb)
            gain, loss = ball(tau, arb) ** gamma, ball(1 - tau, arb) ** gamma
            return gain / (gain + loss) ** (1 / gamma)

        return enclose(formula)

    @property
    def knots(self) -> Knots | None:
        return ((Fraction(), Fraction()), (Fraction(1), Fraction(1))) if self.gamma == 1 else None

    @property
    def shape(self) -> Shape:
        return "linear" if self.gamma == 1 else "general"

    @property
    def lipschitz(self) -> Fraction | float:
        return Fraction(1) if self.gamma == 1 else math.inf

    @property
    def spec(self) -> str:
        return f"cpw({self.gamma})"
