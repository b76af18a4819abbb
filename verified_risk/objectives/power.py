r"""Power weightings: proportional hazard :math:`\tau^k` and dual power :math:`1 - (1 - \tau)^k`."""

import math
from fractions import Fraction

from ..errors import InvalidObjective
from ..numbers.enclosure import Real, ball, enclose
from ..numbers.rational import Rational, said
from .weighting import Shape, Weighting, read_number


def _power(x: Fraction, k: Fraction) -> Real:
    if x in (0, 1) or k.denominator == 1:
        return x ** int(k)
    return enclose(lambda arb: ball(x, arb) ** ball(k, arb))


class _Power(Weighting):
    name: str

    def __init__(self, k: Rational) -> None:
        self.k = read_number(k, "k")
        if self.k <= 0:
            raise InvalidObjective(f"k is {said(self.k)}, wanted a positive exponent")

    @property
    def lipschitz(self) -> Fraction | float:
        return self.k if self.k >= 1 else math.inf

    @property
    def spec(self) -> str:
        return f"{self.name}({self.k})"


class ProportionalHazard(_Power):
    """``G(tau) = tau**k``: convex and ``k``-Lipschitz for k >= 1; concave for k < 1, with infinite slope at 0.

    :param k: the power, positive
    :raises InvalidObjective: if it is not
    """

    name = "hazard"

    def value(self, tau: Fraction) -> Real:
        return _power(tau, self.k) if tau else Fraction()

    @property
    def shape(self) -> Shape:
        return "linear" if self.k == 1 else "convex" if self.k > 1 else "concave"


class DualPower(_Power):
    """``G(tau) = 1 - (1 - tau)**k``: concave and ``k``-Lipschitz for k >= 1, the mean of the worst of ``k`` draws for
    integer k; convex for k < 1, with infinite slope at 1.

    :param k: the power, positive
    :raises InvalidObjective: if it is not
    """

    name = "dual"

    def value(self, tau: Fraction) -> Real:
        return 1 - _power(1 - tau, self.k) if tau < 1 else Fraction(1)

    @property
    def shape(self) -> Shape:
        return "linear" if self.k == 1 else "concave" if self.k > 1 else "convex"
