r"""The Wang transform."""

import math
from fractions import Fraction

from ..numbers.enclosure import Real, ball, enclose
from ..numbers.rational import Rational
from .weighting import Shape, Weighting, read_number


class Wang(Weighting):
    r""":math:`G(\tau) = N(N^{-1}(\tau) + \beta)`, N the standard normal CDF.

    Concave and risk-averse for ``beta > 0``, convex and risk-seeking for ``beta < 0``.

    >>> float(Wang(0.75)("1/2"))
    0.7733726476231318

    Not Lipschitz for ``beta != 0``: with :math:`z = N^{-1}(\tau)` the slope is :math:`e^{-\beta z - \beta^2/2}`,
    unbounded as z tends to minus (``beta > 0``) or plus infinity.  Values are irrational and returned as rigorous
    enclosures.

    :param beta: positive for risk aversion, negative for risk seeking, 0 for the mean
    :raises InvalidObjective: if it is not an exact finite number
    """

    def __init__(self, beta: Rational) -> None:
        self.beta = read_number(beta, "beta")

    def value(self, tau: Fraction) -> Real:
        if tau in (0, 1) or self.beta == 0:
            return tau
        # N(x) = erfc(-x / sqrt 2) / 2 and N^{-1}(p) = -sqrt 2 erfcinv(2p); the erf forms lose the lower tail.
        return enclose(lambda arb: ((2 * ball(tau, arb)).erfcinv() - ball(self.beta, arb) / arb(2).sqrt()).erfc() / 2)

    @property
    def shape(self) -> Shape:
        if self.beta == 0:
            return "linear"
        return "concave" if self.beta > 0 else "convex"

    @property
    def lipschitz(self) -> Fraction | float:
        return Fraction(1) if self.beta == 0 else math.inf

    @property
    def spec(self) -> str:
        return f"wang({self.beta})"
