r"""Entropic risk and the entropic value at risk: objectives of the whole law, not weightings of its levels.

.. math:: \mathrm{ERM}_\beta(X) = -\tfrac1\beta \log \mathbb E\, e^{-\beta X}, \qquad
          \mathrm{EVaR}_\alpha(X) = \sup_{\beta > 0} \mathrm{ERM}_\beta(X) + \tfrac1\beta \log \alpha .
"""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any

from ..errors import InvalidObjective, Unsupported
from ..law import Law, moved
from ..numbers.enclosure import Interval, Real, ball, bounds, enclose
from ..numbers.rational import Rational
from .weighting import Weighting, read_level, read_number


class Entropic(Weighting):
    """Base class of both: planned and evaluated as text or object like a weighting, but it has no function ``G``."""

    @abstractmethod
    def of(self, law: Law) -> Real: ...

    def value(self, tau: Fraction) -> Real:
        raise Unsupported(f"{self.spec} does not weigh the levels of the return", instead="plan, compare or evaluate")

    def within(self, law: Law, error: Fraction, span: tuple[Fraction, Fraction]) -> Real:
        """Evaluate a law in ``span`` whose CDF is within ``error``: between two laws with that mass at the ends.

        :param law: a law
        :param error: a bound on the distance of its CDF
        :param span: the range of the return
        :returns: an enclosure
        """
        low, high = (self.of(moved(law, error, end)) for end in span)
        return Interval(bounds(low)[0], bounds(high)[1])


class ERM(Entropic):
    r"""Entropic risk: :math:`-\log(\mathbb E\, e^{-\beta X}) / \beta`, about the mean less :math:`\beta/2` variances.

    >>> from verified_risk import Law
    >>> float(ERM(1).of(Law({0: "1/2", 2: "1/2"})))
    0.5662191695169728

    :param beta: positive for risk aversion, negative for risk seeking
    :raises InvalidObjective: if it is 0 or no exact finite number
    """

    def __init__(self, beta: Rational) -> None:
        self.beta = read_number(beta, "beta")
        if not self.beta:
            raise InvalidObjective("beta is 0, wanted another number: the entropic risk at 0 is the mean")

    def of(self, law: Law) -> Real:
        return enclose(lambda arb: entropic(law, ball(self.beta, arb), arb))

    @property
    def spec(self) -> str:
        return f"erm({self.beta})"


class EVaR(Entropic):
    r"""Entropic value at risk: :math:`\sup_{\beta > 0} \mathrm{ERM}_\beta(X) + \log(\alpha) / \beta`, at most CVaR.

    >>> from verified_risk import Law
    >>> round(float(EVaR("1/2").of(Law({0: "1/4", 2: "3/4"}))), 9)
    0.37857925

    :param alpha: a level in (0, 1]; 1 is the mean
    :raises InvalidObjective: if it is outside
    """

    def __init__(self, alpha: Rational) -> None:
        self.alpha = read_level(alpha, "alpha")

    def of(self, law: Law) -> Real:
        """Return an enclosure.

        In ``theta = 1/beta`` the function to maximise is concave: if it is no larger at two points around a third, the
        maximum lies between them, and the chords bound it.

        :param law: a law with finitely many atoms
        :returns: a Fraction, or an :class:`Interval` that contains the value
        """
        if self.alpha == 1 or len(law) == 1:
            return law.mean
        if law.masses[0] >= self.alpha:
            return law.atoms[0]
        best = Fraction(self._float_maximum(law))
        for power in range(24, 0, -4):
            step = best / 2**power
            left, here, right = (self._at(law, theta) for theta in (best - step, best, best + step))
            if left.upper <= here.lower >= right.upper:
                return Interval(here.lower, 2 * here.upper - min(left.lower, right.lower))
        return Interval(max(law.atoms[0], here.lower), law.mean)

    def _at(self, law: Law, theta: Fraction) -> Interval:
        return enclose(
            lambda arb: entropic(law, 1 / ball(theta, arb), arb) + ball(theta, arb) * ball(self.alpha, arb).log()
        )

    def _float_maximum(self, law: Law) -> float:
        """Return the theta of the largest value, by golden sections in its logarithm."""
        rest = [(float(x - law.atoms[0]), float(p)) for x, p in law]
        span, goal = rest[-1][0], math.log(self.alpha)

        def worth(power: float) -> float:
            theta = span * math.exp(power)
            return theta * (goal - math.log(sum(p * math.exp(-x / theta) for x, p in rest)))

        low, high, ratio = -12.0, 12.0, (math.sqrt(5) - 1) / 2
        for _ in range(80):
            a, b = high - ratio * (high - low), low + ratio * (high - low)
            low, high = (low, b) if worth(a) > worth(b) else (a, high)
        return span * math.exp((low + high) / 2)

    @property
    def spec(self) -> str:
        return f"evar({self.alpha})"


def entropic(law: Law, beta: Any, arb: Any) -> Any:
    """Return the entropic risk of a law, as a ball."""
    total = arb(0)
    for x, p in law:
        total += ball(p, arb) * (-beta * ball(x, arb)).exp()
    return -total.log() / beta
