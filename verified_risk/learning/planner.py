r"""The optimistic planner: which recursion plans for which objective, and a bound on the error of its plans.

=====================  ============================  ==================================================================
objective              planner                       planner error per episode
=====================  ============================  ==================================================================
mean                   value iteration; with a       rounding only
                       largest return z the budget
                       recursion of E min(Z, z)
w mean + (1-w) CVaR    the budget recursion: one     rounding only
                       pass, all rho, so rho is the
                       maximiser
several levels,        ascent on utilities           certified, usually not 0: the best of every level separately
smooth concave         ``u' = G'(F)`` from five      minus the value found
                       starts: greedy for a utility
                       of the right kind, perhaps
                       not the best one
other G                the same ascent               certified: every point of the CDF at its own best minus the value
                                                     found
VaR                    the quantile recursion        no bound is known for it
=====================  ============================  ==================================================================

The regret theorem needs the greedy policy of *some* utility, not of the best one (theory, page 8, regret-theorem).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels import learn_data as data
from ..kernels.learn_data import Target
from ..numbers.enclosure import bounds
from ..numbers.rational import GREATEST_FLOAT, said
from ..objectives import Weighting
from ..objectives.piecewise import Levels, levels_of_knots
from .declarations import Declared, Knowledge, knowledge_of
from .guarantee import UNIFORM, Problem, UniformProblem, up
from .problem import Standard

if TYPE_CHECKING:
    from .task import Algorithm

BERNSTEIN_PATIENCE = 1 / 8  # the patience of ``bernstein``, whose plans compute both tables whole
MOST_PATIENCE = Fraction(1, 16)  # the largest patience of ``kl`` (see :func:`patience_of`)
MOST_STEEP = 10**50  # the largest slope of a weighting: its product with any return (see ``MOST_DIGITS``) is a float
MOST_CELLS_BY_RETURN = 10**6
"""The most cells (t, s, y) for which a mean with a declared largest return is planned by the return so far."""
CURVE_POINTS = 1024  # cells of the polygon that stands for a smooth G


@dataclass(frozen=True)
class Curve:
    """A polygon for G: its corners, its CVaR levels if it is concave, and its greatest distance (in height) from G."""

    knots: tuple[float, ...]
    heights: tuple[float, ...]
    slopes: tuple[float, ...]
    levels: Levels | None
    error: float

    @classmethod
    def through(cls, points: Sequence[tuple[Fraction, Fraction]], levels: Levels | None, error: Fraction) -> Curve:
        """Return the polygon through exact points.  Of points whose floats are equal the last one stays: that moves G
        by less than one part in 2^52 of its steepest slope, which is rounding (:func:`planner_allowance`)."""
        kept = {float(x): (x, y) for x, y in points}
        slopes = [float((d - b) / (c - a)) for (a, b), (c, d) in pairwise(kept.values())]
        return cls(tuple(kept), tuple(float(y) for _, y in kept.values()), tuple(slopes), levels, up(error))


def problem_of(standard: Standard, objective: Weighting, episodes: int, delta: Fraction) -> Problem:
    """Return the numbers that the corrected theorem depends on."""
    concave = objective.shape in ("linear", "concave")
    return Problem(
        standard.n_states, max(standard.n_actions), standard.horizon, episodes, delta, concave, len(standard.atoms),
        standard.joint,
    )  # fmt: skip


def uniform_problem_of(
    standard: Standard, knowledge: Knowledge, delta: Fraction, *, bets: bool = False
) -> UniformProblem:
    """Return the numbers that the theorem with time-uniform sets depends on; ``bets``: whether there are bets, too."""
    return UniformProblem(
        max(knowledge.learned_pairs, 1), knowledge.tests, knowledge.most_outcomes, standard.horizon, delta,
        standard.joint, knowledge.rewards, patience_of(knowledge), bets_of(standard, knowledge) if bets else 0,
    )  # fmt: skip


def bets_of(standard: Standard, knowledge: Knowledge) -> int:
    """Return the number of functions that are bet on: for each learned pair the best remaining return after each step,
    together with the step's reward where that belongs to the outcome, and else the reward, as often as steps pay
    differently."""
    if standard.joint:
        return knowledge.learned_pairs * standard.horizon
    rewards = 0 if knowledge.rewards else len(set(map(tuple, standard.units)))
    return knowledge.learned_pairs * (standard.horizon - 1 + rewards)


def curve_of(objective: Weighting) -> Curve:
    """Return a polygon for G: exact for rational piecewise-linear G, else interpolated with the error of page 10
    (kl-polygon), or that of any nondecreasing G: the largest increase between neighbouring corners."""
    if objective.knots is not None:
        return Curve.through(objective.knots, objective.levels, Fraction())
    taus = [Fraction(i, CURVE_POINTS) for i in range(CURVE_POINTS + 1)]
    ends = [bounds(objective.value(tau)) for tau in taus]
    middles = [(low + high) / 2 for low, high in ends]
    middles[0], middles[-1] = Fraction(0), Fraction(1)
    chords = [b - a for a, b in pairwise(middles)]
    error = max(chords)
    if objective.shape in ("concave", "convex"):
        bends = [abs(c - a) / 4 for a, c in zip(chords, chords[2:], strict=False)]
        error = max(*bends, abs(chords[1] - chords[0]), abs(chords[-1] - chords[-2]))
    error += 4 * max(high - low for low, high in ends)  # the values are known between bounds
    points, levels = tuple(zip(taus, middles, strict=True)), None
    if objective.shape == "concave":
        exact = levels_of_knots(points)
        levels = Levels(exact.mean, tuple((tau, w) for tau, w in exact.tails if w > 0))  # the heights are rounded
    return Curve.through(points, levels, error)


def target_of(
    standard: Standard,
    objective: Weighting,
    algorithm: Algorithm,
    problem: Problem,
    scale: Fraction,
    knowledge: Knowledge | None = None,
) -> tuple[Target, float]:
    """Return the objective in the form of the kernels and the height error of its curve.

    Raises :class:`InvalidArgument` for a weighting steeper than ``MOST_STEEP``.
    """
    if math.inf > objective.lipschitz > MOST_STEEP:
        raise InvalidArgument(
            f"{objective.spec} has slope {said(Fraction(objective.lipschitz))}, wanted at most 1e50: values are floats"
        )
    top = max(standard.top[0], 1)
    none = np.zeros(0)
    fields: dict[str, Any] = dict.fromkeys(("knots", "heights", "slopes", "levels", "weights"), none)
    fields |= dict.fromkeys(("left", "right", "threshold", "mean_weight", "patience"), 0.0)
    fields.update(
        kind=data.MEAN, concave=True, sets=data.HOEFFDING, beyond=data.LARGEST, log_term=up(problem.log_term()),
        scale=float(scale), unit_per_reward=float(1 / standard.unit), tie=1e-11 * top,
    )  # fmt: skip
    error = 0.0
    if algorithm in UNIFORM:
        facts = knowledge_of(standard, Declared()) if knowledge is None else knowledge
        bets = algorithm == "bets"
        uniform = uniform_problem_of(standard, facts, problem.delta, bets=bets)
        fields.update(sets=data.KL, beyond=data.BEST, log_term=up(uniform.log_term()))
        fields.update(patience=float(patience_of(facts)), bets=bets, bet_term=up(uniform.bet_term()))
    elif algorithm == "ucb-as-printed":
        fields["log_term"] = up(problem.printed_log_term())
    elif algorithm in ("greedy", "posterior"):
        fields.update(sets=data.NONE, beyond=data.BEST)
    elif algorithm == "bernstein":
        fields.update(patience=BERNSTEIN_PATIENCE)
    elif algorithm == "greedy-tried":
        fields.update(sets=data.TRIED)
    elif algorithm == "ucbvi":
        inside = Fraction(5 * problem.states * problem.actions * problem.episodes * problem.horizon) / problem.delta
        fields.update(kind=data.UCBVI, log_term=_log(inside))
        return Target(**fields), error
    jump = objective.quantile
    if jump is not None:
        nudge = 1e-12 if jump.upper else -1e-12
        fields.update(kind=data.QUANTILE, threshold=float(jump.level) + nudge, tie=1e-11)
        return Target(**fields), error
    curve = curve_of(objective)
    levels = curve.levels
    if levels is None or len(levels.tails) > 1:
        corners = {name: np.array(getattr(curve, name)) for name in ("knots", "heights", "slopes")}
        fields.update(kind=data.CURVE, concave=levels is not None, **corners)
        error = curve.error
        if levels is not None:
            fields.update(
                levels=np.array([float(a) for a, _ in levels.tails]),
                weights=np.array([float(w) for _, w in levels.tails]),
                mean_weight=float(levels.mean),
            )
    elif levels.tails:
        ((alpha, weight),) = levels.tails
        right = float(levels.mean + weight / alpha)
        fields.update(kind=data.TAIL, left=float(levels.mean), right=right, tie=1e-11 * top * right)
    elif algorithm == "kl" and knowledge is not None and planned_by_return(standard, knowledge):
        fields.update(kind=data.TAIL, left=0.0, right=1.0)
    return Target(**fields), error


def _log(x: Fraction) -> float:
    """Return the logarithm of a positive number, which may be beyond floats."""
    return math.log(x) if x <= GREATEST_FLOAT else math.log(x.numerator) - math.log(x.denominator)


def planned_by_return(standard: Standard, knowledge: Knowledge) -> bool:
    r"""Return whether a mean is planned as :math:`E \min(Z, z)`, z the largest return (theory, page 10, kl-largest)."""
    cells = (standard.horizon + 1) * standard.n_states * (standard.top[0] + 1)
    return knowledge.largest < standard.top[0] and cells <= MOST_CELLS_BY_RETURN


def patience_of(knowledge: Knowledge) -> Fraction:
    """Return the share by which the visits of some pair must have grown before sets are rebuilt.

    Rebuilding happens at most about ``n / patience * log(visits)`` times with n pairs, so a patience proportional to n
    keeps the number of plans the same for small and large models.  It widens sets by at most ``sqrt(1 + patience)``.
    """
    return min(MOST_PATIENCE, Fraction(knowledge.learned_pairs, 1280))


def planner_allowance(standard: Standard, target: Target, lipschitz: float) -> float:
    r"""Return a bound, in units, on the cost of rounding and ties in one plan: :math:`(2T + 1)(T + 1)(e + \tau)`.

    e bounds the rounding of one backup.  Let ``u = 2^-53``, and let C bound all table entries: the steepest slope times
    the largest return (of a G that is not Lipschitz the slopes of the polygon that stands for it count).  A row of the
    optimistic model has entries within ``2u`` and a sum within ``3nu`` (n entries of at most 1), so its l1 error is
    below ``6nu``; a backup sums ``n + 1`` then ``m`` products, errors ``2(n + 2)u C`` and ``2(m + 2)u C``; the
    linear ends add less than ``10 u C``.  With ``n <= S + 1`` (``S m + 1`` in a joint model) that is below
    ``8(S + m + 8) u C``.

    :math:`\tau` bounds what a tie costs a backup in the objective: ``tie``, times the steepest slope where tables of
    unit slope stand for every level (CURVE).  It also outweighs the sums over all returns (at most 10^5, errors below
    ``10^5 u C`` each) and, in the bounds beforehand, that the ends of sets are lower than prescribed by 6e-12 of them
    (theory, page 10, kl-rounding).
    """
    T, m = standard.horizon, len(standard.atoms)
    S = standard.n_states * (m if standard.joint else 1)
    polygon = float(np.max(target.slopes, initial=0.0))
    steepest = max(float(target.right), lipschitz if math.isfinite(lipschitz) else polygon, 1.0)
    rounding = 8 * (S + m + 8) * 2.0**-53 * steepest * max(standard.top[0], 1)
    tie = float(target.tie) * (steepest if target.kind == data.CURVE else 1.0)
    return (2 * T + 1) * (T + 1) * (rounding + tie)
