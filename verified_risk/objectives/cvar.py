r"""Mean, CVaR, and their finite mixtures.

CVaR at level alpha is the mean of the worst ``alpha`` share of outcomes,

.. math:: G(\tau) = \min\{\tau/\alpha, 1\}, \qquad
          \mathrm{CVaR}_\alpha(Z) = \max_\rho \{ \rho - \mathbf E (\rho - Z)^+ / \alpha \}, \qquad L_G = 1/\alpha .
"""

from collections.abc import Sequence
from fractions import Fraction

from ..errors import InvalidObjective
from ..numbers.rational import Rational
from .mixture import Mixture
from .weighting import Knots, Shape, Weighting, read_level, read_number


class CVaR(Weighting):
    """The mean of the worst ``alpha`` share of outcomes; ``alpha`` in (0, 1].

    >>> from verified_risk.law import Law
    >>> CVaR("1/2").of(Law({0: "1/4", 1: "3/4"}))
    Fraction(1, 2)

    :param alpha: the share of outcomes, in (0, 1]
    :raises InvalidObjective: if it is outside
    """

    def __init__(self, alpha: Rational) -> None:
        self.alpha = read_level(alpha, "alpha")

    @property
    def knots(self) -> Knots:
        corners = ((Fraction(), Fraction()), (self.alpha, Fraction(1)), (Fraction(1), Fraction(1)))
        return corners if self.alpha < 1 else corners[:2]

    def value(self, tau: Fraction) -> Fraction:
        return min(tau / self.alpha, Fraction(1))

    @property
    def shape(self) -> Shape:
        return "linear" if self.alpha == 1 else "concave"

    @property
    def lipschitz(self) -> Fraction:
        return 1 / self.alpha

    @property
    def spec(self) -> str:
        return "mean" if self.alpha == 1 else f"cvar({self.alpha})"


class Mean(CVaR):
    """The expected return: ``G(tau) = tau``."""

    def __init__(self) -> None:
        super().__init__(1)


class Spectral(Mixture):
    """A mixture of CVaRs: ``sum_j weights[j] * CVaR(levels[j])``, the general concave piecewise-linear weighting.

    >>> Spectral(["1/10", 1], ["1/2", "1/2"])
    1/2*cvar(1/10) + 1/2*mean

    :param levels: in (0, 1]
    :param weights: nonnegative, one for each level, with sum 1
    :raises InvalidObjective: if a level or a weight is outside, or the sum is not 1
    """

    def __init__(self, levels: Sequence[Rational], weights: Sequence[Rational]) -> None:
        if len(levels) != len(weights):
            raise InvalidObjective(f"{len(levels)} levels and {len(weights)} weights, wanted as many of each")
        super().__init__(
            [
                (read_number(w, f"weights[{j}]"), CVaR(read_level(a, f"levels[{j}]")))
                for j, (a, w) in enumerate(zip(levels, weights, strict=True))
            ]
        )
