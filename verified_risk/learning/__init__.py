"""Learning by optimism: histories, empirical and optimistic models, regret.

history -> empirical model -> optimistic model -> plan -> episode -> history; then regret and its bound.  The loop
runs in :mod:`verified_risk.kernels`; the modules here say what it computes, judge it, and audit the theorem on the
run itself.
"""

from .api import learn
from .run import Run

__all__ = ["Run", "learn"]
