r"""A concave piecewise-linear weighting as a mixture of CVaRs.

With corners :math:`0 = \tau_0 < \tau_1 < \dots < \tau_n = 1`, slopes :math:`c_1 \ge c_2 \ge \dots \ge c_n` and
:math:`c_{n+1} = 0`,

.. math:: G(\tau) = \sum_j w_j \min\{\tau/\tau_j, 1\}, \qquad w_j = \tau_j (c_j - c_{j+1}) \ge 0,

hence, with one :math:`\rho_j` for each level,

.. math:: \Phi(Z) = \max_{\rho_1, \rho_2, \dots} \mathbf E \sum_j w_j \bigl(\rho_j - (\rho_j - Z)^+/\tau_j\bigr).

The level 1 is the mean and needs no :math:`\rho`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .piecewise import slopes
from .weighting import Knots


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
