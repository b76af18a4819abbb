r"""The values of the policies played and of the best policy: exact or enclosed, never sampled.

On an exact grid the law of the return comes from one forward pass in floating point.  All its terms are nonnegative,
so every :math:`F_i` has a relative error below :math:`\gamma_D`, D the number of roundings on the longest chain.  With
:math:`|F_i - F(i)| \le e` and G nondecreasing,

.. math:: \sum_i \bigl(1 - G(F_i + e)\bigr) \;\le\; \Phi \;\le\; \sum_i \bigl(1 - G(F_i - e)\bigr)
          \quad \text{(in units)}.

Where rewards were rounded to a grid, the policy is evaluated in the user's model, in rational arithmetic.

:class:`Bracket` is the interval for the optimum from data alone, with the policy that is returned (theory, page 10,
kl-interval).  All intervals of a run hold at once, so the best ends so far are valid, and a stopping rule may depend on
all of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import Unsupported
from ..files import decode_array, encode_array, plain
from ..kernels.learn_data import Actions, Target
from ..mdp import MDP
from ..numbers.enclosure import bounds
from ..numbers.rational import as_fraction
from ..objectives import Weighting
from ..policy.evaluation import return_law
from .learner import Floats, Learner
from .planner import planner_allowance
from .policies import LearnedPolicy
from .problem import Standard

GROWTH, SELDOM = 1.05, 2
"""The interval is computed again when the number of episodes has grown by this factor: if the run may stop then, and if
not."""
FIRST_CHECK = 32  # the number of episodes after which the interval of a run that does not stop by it is computed first


class Bracket:
    """The interval so far: ``lower`` and ``upper`` in the user's units; ``table`` is a policy worth at least ``lower``.

    ``slack`` bounds rounding, ties and the polygon that stands for a smooth G, in units.  Without ``wanted`` the
    interval stays what is certain before the first episode.  ``history`` is the interval after some numbers of
    episodes; it is computed after more of them if ``stops`` is true.
    """

    def __init__(self, learner: Learner, slack: float, *, wanted: bool, stops: bool = False) -> None:
        self.learner, self.slack, self.wanted = learner, Fraction(slack), wanted
        self.growth = GROWTH if stops else SELDOM
        self.history: list[tuple[int, Fraction, Fraction]] = []
        standard = learner.standard
        self.lower = standard.value(Fraction())
        self.upper = standard.value(Fraction(learner.knowledge.largest))  # no return exceeds it
        self.table: Actions | None = None
        self.next_check = 1 if stops else FIRST_CHECK

    @property
    def gap(self) -> Fraction:
        """The length of the interval."""
        return self.upper - self.lower

    def add_uppers(self, uppers: Floats) -> None:
        """Lower ``upper`` to the least of the optimistic upper bounds of some episodes, which are in units."""
        if self.wanted and len(uppers):
            least = Fraction(float(np.min(uppers))) + self.slack
            self.upper = min(self.upper, self.learner.standard.value(least))

    def replan(self, episodes: int) -> None:
        """Plan from above and from below with everything counted in ``episodes`` episodes."""
        if not self.wanted or (self.history and self.history[-1][0] == episodes):
            return
        self.learner.plan()
        self.add_uppers(np.array([self.learner.upper]))
        self.add_lower(*self.learner.plan_below())
        self.history.append((episodes, self.lower, self.upper))
        if episodes >= self.next_check:
            self.next_check = max(episodes + 1, int(episodes * self.growth))

    def replan_if_due(self, episodes: int) -> None:
        """Call :meth:`replan` if the number of episodes has grown enough since the last time."""
        if self.wanted and episodes >= self.next_check:
            self.replan(episodes)

    def add_lower(self, value: float, table: Actions) -> None:
        """Raise ``lower`` to a pessimistic value, which is in units, and keep its policy."""
        standard = self.learner.standard
        lower = standard.value(Fraction(value) - self.slack) - standard.rounding
        if lower > self.lower or self.table is None:
            self.lower, self.table = max(lower, self.lower), table

    def to_json(self) -> dict[str, Any]:
        named = {name: plain(getattr(self, name)) for name in ("lower", "upper", "next_check", "history")}
        return {**named, "table": None if self.table is None else encode_array(self.table)}

    def restore(self, data: dict[str, Any]) -> None:
        """Set the interval to what :meth:`to_json` returned."""
        self.lower, self.upper = as_fraction(data["lower"], "lower"), as_fraction(data["upper"], "upper")
        self.next_check = data["next_check"]
        self.history = [
            (int(k), as_fraction(lower, "lower"), as_fraction(upper, "upper"))
            for k, lower, upper in data.get("history", ())
        ]
        self.table = None if data["table"] is None else decode_array(data["table"])


MOST_EXACT_BRANCHES = 400_000  # the most branches (an estimate) for which the optimum is computed in integers
UNIT_ROUNDOFF = 2.0**-53
SECONDS_FOR_THE_OPTIMUM = 20  # the time limit of the search for the optimum
SEARCHED = "certified search"  # the method of an optimum whose bounds depend on the speed of the machine
WIDEST = 1e-6  # a note reports enclosures of values wider than this share of the range of the rewards


class Judge:
    """Values of policies in one model under one objective; ``mdp`` is None for a black box."""

    def __init__(self, mdp: MDP | None, standard: Standard, objective: Weighting, learner: Learner) -> None:
        self.mdp, self.standard, self.objective, self.learner = mdp, standard, objective, learner
        self._exact: dict[bytes, tuple[float, float]] = {}

    @property
    def by_laws(self) -> bool:
        """True if values are computed from laws in floating point: the grid is the model, and G has no jump that
        rounding could hit."""
        grid = self.standard.exact or (self.mdp is not None and not self.mdp.is_discrete)
        return grid and not self.objective.jumps

    def of_laws(self, laws: Floats) -> tuple[Floats, Floats]:
        """Return lower and upper values, in the user's units, of policies given by their laws in the true model."""
        top = self.standard.top[0]
        cdf = np.minimum(np.cumsum(laws[:, :top], axis=1), 1.0)
        error = self.law_error()
        low = self._sum(np.minimum(cdf + error, 1.0))
        high = self._sum(np.maximum(cdf - error, 0.0))
        steepest = self.objective.lipschitz if self.objective.lipschitz != math.inf else 1  # else G is exact, enclosed
        slack = 1e-14 * max(top, 1) * max(1.0, float(steepest))
        return self._user(low - slack, -1), self._user(high + slack, 1)

    def law_error(self) -> float:
        """Return a bound on the rounding error of the forward pass in every value of the CDF."""
        standard = self.standard
        m, pairs = len(standard.atoms), sum(standard.n_actions)
        step = m + pairs * (m if standard.joint else 1) + 6
        chain = standard.horizon * step + standard.n_states + standard.top[0] + 4
        return 1.01 * chain * UNIT_ROUNDOFF + UNIT_ROUNDOFF

    def _sum(self, cdf: Floats) -> Floats:
        """Return ``sum_i (1 - G(F_i))`` of each row."""
        knots = self.objective.knots
        if knots is not None:
            tau, height = (np.array([float(x) for x in column]) for column in zip(*knots, strict=True))
            return np.asarray((1.0 - np.interp(cdf, tau, height)).sum(axis=1))
        levels, where = np.unique(cdf, return_inverse=True)
        weights = np.array([float(sum(bounds(self.objective.value(Fraction(x)))) / 2) for x in levels])
        return np.asarray((1.0 - weights[where.reshape(cdf.shape)]).sum(axis=1))

    def _user(self, units: Floats, sign: int) -> Floats:
        """Return values in the user's units, rounded down (``sign`` -1) or up (1)."""
        scale, offset = float(self.standard.range * self.standard.unit), float(self.standard.offset)
        value = scale * units + offset
        return value + sign * (4 * UNIT_ROUNDOFF * (np.abs(value) + abs(offset) + scale * np.abs(units)))

    def of_policy(self, table: Actions) -> tuple[float, float]:
        """Return lower and upper value of one policy, computed exactly in the user's model; results are cached.

        Raises :class:`Unsupported` for a black box.
        """
        key = table.tobytes()
        if key not in self._exact:
            if self.mdp is None:
                raise Unsupported("the environment is a black box: policies cannot be evaluated without its model")
            policy = LearnedPolicy(self.mdp, self.standard, table.tolist())
            low, high = bounds(self.objective.of(return_law(self.mdp, policy)))
            self._exact[key] = (math.nextafter(float(low), -math.inf), math.nextafter(float(high), math.inf))
        return self._exact[key]


def planner_of_truth(standard: Standard, target: Target) -> Learner:
    """Return a learner that has planned in the true model."""
    learner = Learner(standard, target)
    learner.plan_truth()
    return learner


def plan_error(standard: Standard, target: Target, objective: Weighting, height_error: float) -> Fraction:
    """Return a bound, in units, on the error of a plan's value: rounding, ties, and the polygon that stands for G."""
    rounding = planner_allowance(standard, target, float(objective.lipschitz))
    return Fraction(rounding) + Fraction(height_error) * standard.top[0]


def best_value(
    mdp: MDP, standard: Standard, objective: Weighting, target: Target, height_error: float
) -> tuple[Fraction, Fraction, str]:
    """Return bounds on the optimum over all policies, in the user's units, and the method that gave them.

    ``target`` is the objective without optimism, ``height_error`` that of its curve.  With continuous rewards the
    bounds are for the model on the grid.
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
        how = "budget recursion in floating point with a rounding bound"
        return standard.value(low) - loss, standard.value(high), how
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


def best_on_grid(
    standard: Standard, objective: Weighting, target: Target, height_error: float, best: tuple[Fraction, Fraction, str]
) -> tuple[Fraction, Fraction]:
    """Return bounds on the optimum of the learner's model: the user's own, or the one with rewards rounded up.

    ``best`` is what :func:`best_value` returned, with the same arguments.
    """
    if standard.exact:
        return best[0], best[1]
    learner = planner_of_truth(standard, target)
    allowance = plan_error(standard, target, objective, height_error)
    return standard.value(Fraction(learner.value) - allowance), standard.value(Fraction(learner.upper) + allowance)


def _branches(mdp: MDP, standard: Standard) -> int:
    """Return an estimate of the work of the exact planner."""
    outcomes = sum(len(action.outcomes) for _, _, action in mdp)
    returns: int = min(standard.top[0] + 1, 4 ** min(mdp.horizon, 10))
    return outcomes * mdp.horizon * returns
