r"""Value at risk: a quantile of the return."""

from __future__ import annotations

from fractions import Fraction

from ..errors import InvalidObjective
from ..numbers.rational import Rational, said
from .polygon import Points, ramp
from .weighting import Jump, Weighting, read_number


class VaR(Weighting):
    r"""The lower quantile :math:`F^\dagger(\alpha)`, weighting :math:`G(\tau) = 1(\tau \ge \alpha)`.

    With ``upper=True``, the upper quantile :math:`F^\dagger(\alpha+)`, weighting :math:`1(\tau > \alpha)`.  They differ
    if the CDF is flat at height alpha:

    >>> from verified_risk.law import Law
    >>> coin = Law({0: "1/2", 1: "1/2"})
    >>> VaR("1/2").of(coin), VaR("1/2", upper=True).of(coin)
    (Fraction(0, 1), Fraction(1, 1))

    Not Lipschitz: G jumps, so laws that are arbitrarily close in CDF can differ by a fixed amount in VaR (the coin with
    P(0) = 1/2 and with P(0) = 1/2 - e have VaR 0 and 1).  No regret theorem of the paper covers it.

    :param alpha: the level, in (0, 1]; with ``upper``, in [0, 1)
    :param upper: whether to take the upper quantile
    :raises InvalidObjective: if the level is outside
    """

    def __init__(self, alpha: Rational, *, upper: bool = False) -> None:
        self.alpha = read_number(alpha, "alpha")
        self.upper = upper
        if upper and not 0 <= self.alpha < 1:
            raise InvalidObjective(f"alpha is {said(self.alpha)}, wanted a level in [0, 1) for the upper quantile")
        if not upper and not 0 < self.alpha <= 1:
            raise InvalidObjective(f"alpha is {said(self.alpha)}, wanted a level in (0, 1]")

    def value(self, tau: Fraction) -> Fraction:
        return Fraction(tau > self.alpha if self.upper else tau >= self.alpha)

    @property
    def jumps(self) -> tuple[Jump, ...]:
        return (Jump(self.alpha, Fraction(1), self.upper),)

    def points_below(self, accuracy: Fraction) -> Points:
        return ramp(self.alpha)

    @property
    def spec(self) -> str:
        return f"var({self.alpha}{', upper' if self.upper else ''})"
