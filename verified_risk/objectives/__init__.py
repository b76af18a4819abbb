r"""Weightings ``G`` and the objectives :math:`\Phi = \int_0^1 F^\dagger(\tau)\, dG(\tau)`, one family per file."""

from .cpw import CPW
from .cvar import CVaR, Mean, Spectral
from .entropic import ERM, EVaR
from .mixture import Mixture
from .parse import objective
from .piecewise import PiecewiseLinear
from .power import DualPower, ProportionalHazard
from .var import VaR
from .wang import Wang
from .weighting import Weighting

__all__ = ["CPW", "ERM", "CVaR", "DualPower", "EVaR", "Mean", "Mixture", "PiecewiseLinear"]
__all__ += ["ProportionalHazard", "Spectral", "VaR", "Wang", "Weighting", "objective"]
