r"""What the played policies are worth, and what the best policy is worth: exactly, or enclosed; never by sampling.

On an exact grid the law of the return comes from one forward pass in floating point.  All its terms are nonnegative,
so every :math:`F_i` has a relative error below :math:`\gamma_D`, D the number of roundings on the longest chain.  With
:math:`|F_i - F(i)| \le e` and G nondecreasing,

.. math:: \sum_i \bigl(1 - G(F_i + e)\bigr) \;\le\; \Phi \;\le\; \sum_i \bigl(1 - G(F_i - e)\bigr)
          \quad \text{(in units)}.

Where rewards were rounded to a grid, the policy is judged in the user's model itself, in rational arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Unsupported
from ..mdp import MDP
from ..numbers.enclosure import bounds
from ..objectives import Weighting
from ..policy.evaluation import return_law
from .learner import Floats, Learner
from .policies import LearnedPolicy
from .problem import Standard
from .target import planner_allowance

MOST_EXACT_BRANCHES = 400_000
"""Up to about this many branches the optimum is computed in integers."""
UNIT_ROUNDOFF = 2.0**-53
SECONDS_FOR_THE_OPTIMUM = 20
SEARCHED = "certified search"
"""How the optimum was bounded where the bounds depend on what a machine does in a given time."""
WIDEST = 1e-6
"""An enclosure wider than this (in units of the whole range) is replaced by exact arithmetic: VaR near a jump."""


class Judge:
    """Values of policies in one model under one objective; policies are looked up by their tables."""

    def __init__(self, mdp: MDP | None, standard: Standard, objective: Weighting, learner: Learner) -> None:
        self.mdp, self.standard, self.objective, self.learner = mdp, standard, objective, learner
        self._exact: dict[bytes, tuple[float, float]] = {}

    @property
    def by_laws(self) -> bool:
        """Whether laws in floating point tell the values.

        They do where the grid is the model and G has no jump that rounding could hit.
        """
        grid = self.standard.exact or (self.mdp is not None and not self.mdp.is_discrete)
        return grid and not self.objective.jumps

    def of_laws(self, laws: Floats) -> tuple[Floats, Floats]:
        """Lower and upper values, in the user's units, of policies given by their laws in the true model."""
        top = self.standard.top[0]
        cdf = np.minimum(np.cumsum(laws[:, :top], axis=1), 1.0)
        error = self.law_error()
        low = self._sum(np.minimum(cdf + error, 1.0))
        high = self._sum(np.maximum(cdf - error, 0.0))
        steepest = (
            self.objective.lipschitz if self.objective.lipschitz != math.inf else 1
        )  # else G is exact or enclosed
        slack = 1e-14 * max(top, 1) * max(1.0, float(steepest))
        return self._user(low - slack, math.floor), self._user(high + slack, math.ceil)

    def law_error(self) -> float:
        """Rounding in the forward pass: at most this in every value of the CDF."""
        standard = self.standard
        m, pairs = len(standard.atoms), sum(standard.n_actions)
        chain = (
            standard.horizon * (m + pairs * (m if standard.joint else 1) + 6) + standard.n_states + standard.top[0] + 4
        )
        return 1.01 * chain * UNIT_ROUNDOFF + UNIT_ROUNDOFF

    def _sum(self, cdf: Floats) -> Floats:
        knots = self.objective.knots
        if knots is not None:
            tau, height = (np.array([float(x) for x in column]) for column in zip(*knots, strict=True))
            return np.asarray((1.0 - np.interp(cdf, tau, height)).sum(axis=1))
        levels, where = np.unique(cdf, return_inverse=True)
        weights = np.array([float(sum(bounds(self.objective.value(Fraction(x)))) / 2) for x in levels])
        return np.asarray((1.0 - weights[where.reshape(cdf.shape)]).sum(axis=1))

    def _user(self, units: Floats, direction: Any) -> Floats:
        scale, offset = float(self.standard.range * self.standard.unit), float(self.standard.offset)
        value = scale * units + offset
        nudge = 4 * UNIT_ROUNDOFF * (np.abs(value) + abs(offset) + scale * np.abs(units))
        return value - nudge if direction is math.floor else value + nudge

    def of_policy(self, table: NDArray[np.int16]) -> tuple[float, float]:
        """The same for one policy table, in exact arithmetic in the user's model; remembered."""
        key = table.tobytes()
        if key not in self._exact:
            if self.mdp is None:
                raise Unsupported("the environment is a black box: policies cannot be evaluated without its model")
            policy = LearnedPolicy(self.mdp, self.standard, table.tolist())
            low, high = bounds(self.objective.of(return_law(self.mdp, policy)))
            self._exact[key] = (math.nextafter(float(low), -math.inf), math.nextafter(float(high), math.inf))
        return self._exact[key]


def planner_of_truth(standard: Standard, target: Any) -> Learner:
    """A learner that has planned in the true model: nothing was counted, so nothing is rebuilt."""
    learner = Learner(standard, target)
    learner.plan_truth()
    return learner


def plan_error(standard: Standard, target: Any, objective: Weighting, height_error: float) -> Fraction:
    """How far, in units, a plan's value can be from that of G: rounding, ties, and the polygon that stands for G."""
    rounding = planner_allowance(standard, target, float(objective.lipschitz))
    return Fraction(rounding) + Fraction(height_error) * standard.top[0]


def best_value(
    mdp: MDP, standard: Standard, objective: Weighting, target: Any, height_error: float
) -> tuple[Fraction, Fraction, str]:
    """Bounds on the optimum over all policies, in the user's units, and how they were obtained.

    ``target`` is the kernel's target for the objective without optimism, ``height_error`` that of its curve.  With
    continuous rewards the grid is the model.
    """
    solvable = objective.quantile is not None or objective.levels is not None
    if mdp.is_discrete and solvable and _branches(mdp, standard) <= MOST_EXACT_BRANCHES:
        from ..planning import exact_plan

        value = exact_plan(mdp, objective).value
        return value, value, "exact integer arithmetic"
    learner = planner_of_truth(standard, target)
    if solvable and objective.quantile is None and learner.value == learner.upper:
        allowance = plan_error(standard, target, objective, height_error)
        low, high = Fraction(learner.value) - allowance, Fraction(learner.upper) + allowance
        loss = standard.rounding if mdp.is_discrete else Fraction()
        return (
            standard.value(low) - loss,
            standard.value(high),
            "budget recursion in floating point with a rounding bound",
        )
    if mdp.is_discrete:
        from .. import planning  # its kernels are needed only here

        found = planning.plan(mdp, objective, time_limit=SECONDS_FOR_THE_OPTIMUM)
        return found.lower, found.upper, SEARCHED
    judge = Judge(mdp, standard, objective, learner)
    lower = Fraction(float(judge.of_laws(learner.law(learner.policy_table())[None])[0][0]))
    error = plan_error(standard, target, objective, height_error)
    if objective.quantile is not None:  # a level missed by less than the error may be met
        generous = float(objective.quantile.level) + float(error)
        error, learner = Fraction(), planner_of_truth(standard, target._replace(threshold=generous))
    upper = standard.value(Fraction(learner.upper) + error)
    return lower, max(lower, upper), "local search below, every level at its own optimum above"


def _branches(mdp: MDP, standard: Standard) -> int:
    """An estimate of the work of the exact planner."""
    outcomes = sum(len(action.outcomes) for _, _, action in mdp)
    returns: int = min(standard.top[0] + 1, 4 ** min(mdp.horizon, 10))
    return outcomes * mdp.horizon * returns
