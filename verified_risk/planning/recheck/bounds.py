r"""``plan.recheck()``: both bounds again, by routes that share no code with the planner's kernels.

What they do share: :func:`verified_risk.return_law`, which the planner, too, asks for the value of its policy on small
models, and the polygon below an irrational weighting (:mod:`verified_risk.objectives.polygon`).

* lower: the policy's exact law (:func:`verified_risk.return_law`; for continuous rewards, that of the rounded
  return, by a walk over the grid) and the objective's exact value or enclosure; a law
  that the plan states must be that law;
* upper, Mean, CVaR, mean-CVaR and VaR: :func:`exact_plan` in integers on small models, otherwise the plain recursion
  in numpy, all budgets, no windows, joint outcomes, in extended precision with its own error bound;
* lower and upper, discounted mean and CVaR: the polygons of the plan, in other code
  (:mod:`verified_risk.planning.recheck.between`); the mean alone in rationals;
* upper, several levels: ``exact_plan`` on small models;
* upper, other weightings: weak duality (theory B1) with the first multipliers of the search's record, in rational
  arithmetic, on small models (tight for convex G); otherwise, and where that is too weak, the whole record is replayed
  in numpy (:mod:`verified_risk.planning.recheck.replay`).  Where neither confirms the bound the answer is *unknown*.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...grid import GridModel, grid_model, own_unit
from ...law import Law
from ...mdp import MDP
from ...numbers.enclosure import Truth, bounds
from ...numbers.rational import digits, exact_sum
from ...objectives.levels import Levels
from ...objectives.polygon import Polygon
from ...objectives.weighting import Jump
from ...policy import GridPolicy, MarkovPolicy
from ...policy.cells import CellPolicy
from ...policy.evaluation import return_law
from ..exact.route import exact_plan
from ..plan import Plan
from ..policy_law import PATIENT, evaluation_work
from ..search.proof import Proof
from .between import MOST_WORK, Between
from .replay import Replay

EXACT_WORK = 1_000_000
"""Backups for which the integer routes are used."""
REPLAY_WORK = 10**11
"""Multiplications for which a search is replayed: a few minutes."""


@dataclass(frozen=True)
class Recheck:
    """The recomputed bounds, by which route, and whether they confirm the plan's."""

    lower: Fraction | None
    upper: Fraction | None
    lower_route: str
    upper_route: str
    lower_holds: Truth
    upper_holds: Truth

    def __str__(self) -> str:
        rows = (
            ("lower", self.lower, self.lower_holds, self.lower_route),
            ("upper", self.upper, self.upper_holds, self.upper_route),
        )
        return "\n".join(
            f"{name} {holds.value:8} {'' if bound is None else digits(bound, 15):>22}  {route}"
            for name, bound, holds, route in rows
        )


def recheck(plan: Plan) -> Recheck:
    lower, lower_route, same_law = _lower(plan)
    upper, upper_route = _upper(plan)
    lower_holds = Truth.UNKNOWN
    if lower is not None:
        lower_holds = Truth.HOLDS if same_law and lower >= plan.lower else Truth.FAILS
        if lower_holds is Truth.FAILS and lower_route == AGAIN:
            lower_holds = Truth.UNKNOWN  # a bound of what the policy is worth, not its value
    if lower is not None and lower > plan.upper:
        upper_holds = Truth.FAILS
    elif upper is None or upper > plan.upper:
        upper_holds = Truth.FAILS if upper_route == EXACTLY and upper is not None else Truth.UNKNOWN
    else:
        upper_holds = Truth.HOLDS
    return Recheck(lower, upper, lower_route, upper_route, lower_holds, upper_holds)


MEAN = Levels(Fraction(1), ())
EXACTLY = "exact optimum in integers"
AGAIN = "the plan's polygon again, in numpy"
TOO_LONG = "the exact law of this policy would take too long"

OTHER_LAW = ", which is not the law that the plan states"


def _lower(plan: Plan) -> tuple[Fraction | None, str, bool]:
    """What the policy is worth at least; for continuous rewards, what it is worth rounded up, less ``T * eta``.

    And whether the law that the plan states, if it does, is that of the policy.
    """
    if isinstance(plan.policy, MarkovPolicy) and plan.objective.levels == MEAN:
        return mean_of(plan.mdp, plan.policy), "the mean in rationals", True
    if plan.mdp.is_discrete:
        if evaluation_work(plan.mdp, plan.policy) > PATIENT * (1 if isinstance(plan.policy, CellPolicy) else 10):
            between = _between(plan)
            return (None, TOO_LONG, True) if between is None else (between.bounds()[0], AGAIN, True)
        law, route, loss = return_law(plan.mdp, plan.policy), "exact law of the policy", Fraction()
    else:
        grid = grid_model(plan.mdp, plan.eta)
        if not all(isinstance(part, GridPolicy) and part.eta == plan.eta for _, part in plan.policy.parts()):
            return None, "rewards are continuous and the policy is not one of the plan's grid", True
        if _work(grid) > 10 * PATIENT:
            return None, TOO_LONG, True
        law = Law.mixture((w, grid.law(part.choice)) for w, part in plan.policy.parts())
        route, loss = "exact law of the rounded return, less T eta", plan.mdp.horizon * plan.eta
    same = _is_stated(plan, law)
    return bounds(plan.objective.of(law))[0] - loss, route if same else route + OTHER_LAW, same


def _is_stated(plan: Plan, law: Law) -> bool:
    """Whether the plan states no other law; one with an error is that of the return rounded up to the grid."""
    if plan.known_law is None or plan.known_law == law:
        return True
    if plan.known_error == 0:
        return False
    if plan.mdp.is_discrete and (own_unit(plan.mdp) / plan.eta).denominator != 1:
        return True  # the law at hand is not of the rounded return: nothing is compared
    return plan.known_law.kolmogorov(law) <= plan.known_error


def _upper(plan: Plan) -> tuple[Fraction | None, str]:
    mdp, objective = plan.mdp, plan.objective
    if isinstance(plan.policy, CellPolicy):
        between = _between(plan)
        return (None, "the tables would take too long again") if between is None else (between.bounds()[1], AGAIN)
    if isinstance(plan.policy, MarkovPolicy) and objective.levels == MEAN:
        return mean_of(mdp, None), "the mean in rationals"
    levels, jump = objective.levels, objective.quantile
    grid = grid_model(mdp, plan.eta)
    work = _work(grid)
    small = work <= EXACT_WORK
    if mdp.is_discrete and small and (jump is not None or levels is not None):
        own = grid_model(mdp)
        if _work(own) <= EXACT_WORK and (levels is None or len(levels.tails) <= 1 or _work(own) <= EXACT_WORK // 200):
            return exact_plan(mdp, objective).value, EXACTLY
    if jump is not None or (levels is not None and len(levels.tails) <= 1):
        if work > MOST_WORK:
            return None, "the plain recursion would take too long"
        return _extended(grid, jump, levels)
    low, high = remaining_range(grid)[0]
    if low == high:
        return high * grid.unit, "every policy has the same return on the grid"
    proof = plan.certificate.proof
    if proof is None or not proof.root.rounds or proof.root.rounds[0].cost is None:
        return None, "the plan carries no record of its search"
    polygon = objective.polygon_below(proof.accuracy)
    replay = Replay(grid, polygon, proof)
    if small:
        upper = _dual(polygon, grid, proof)
        if upper <= plan.upper:
            return upper, "weak duality in rationals"
    if replay.outcomes.work(proof) > REPLAY_WORK:
        return None, "replaying the search would take too long"
    return (high - Fraction(max(replay.bound(), 0.0))) * grid.unit, "the search's record, replayed in numpy"


def _between(plan: Plan) -> Between | None:
    """Both polygons of a discounted plan in other code, if that is not too long."""
    policy, levels = plan.policy, plan.objective.levels
    if not isinstance(policy, CellPolicy) or levels is None or len(levels.tails) != 1:
        return None
    between = Between(policy, levels)
    return between if between.usable and between.work <= MOST_WORK else None


def mean_of(mdp: MDP, policy: MarkovPolicy | None) -> Fraction:
    """The mean of a policy, or the largest one, exactly: one rational per step and state."""
    value = [Fraction()] * mdp.n_states
    for t in range(mdp.horizon - 1, -1, -1):
        means = [
            [
                exact_sum([mdp.step_reward(t, action.reward_law.mean), *(p * value[s2] for s2, p in action.successors)])
                for action in mdp.actions(s)
            ]
            for s in range(mdp.n_states)
        ]
        if policy is None:
            value = [max(row) for row in means]
        else:
            value = [exact_sum([p * row[a] for a, p in policy.choice(t, s, None)]) for s, row in enumerate(means)]
    return exact_sum([p * value[s] for s, p in mdp.initial])


def remaining_range(grid: GridModel) -> list[tuple[int, int]]:
    """For each t, the least and greatest sum of the rewards of steps t, ..., T-1, whatever the states."""
    ranges = [(0, 0)]
    for step in reversed(grid.steps):
        rewards = [j for actions in step for branches in actions for _, _, j in branches]
        low, high = ranges[-1]
        ranges.append((low + min(rewards), high + max(rewards)))
    return ranges[::-1]


def _work(grid: GridModel) -> int:
    total = 0
    for step, (low, high) in zip(grid.steps, remaining_range(grid), strict=False):
        total += (high - low + 1) * sum(len(branches) for actions in step for branches in actions)
    return total


# -- the plain recursion in extended precision ------------------------------------------------------------------------


def _extended(grid: GridModel, jump: Jump | None, levels: Levels | None) -> tuple[Fraction | None, str]:
    """An upper bound of the optimum of the grid model."""
    bits = np.finfo(np.longdouble).nmant + 1
    route = f"plain recursion with {bits} bits"
    low, high = remaining_range(grid)[0]
    budgets = np.arange(low, high + 1)
    kinked = jump is not None or bool(levels is not None and levels.tails)
    mean, slope = (Fraction(), Fraction()) if levels is None else (levels.mean, _slope(levels))
    # cost c(b) = mean * b + slope * b^+, plus mean * (greatest remaining return - b): every term is nonnegative
    kappa = mean / slope if slope else Fraction(1)
    shortfall, depth = _plain(grid, budgets, kappa, kinked, jump is not None)
    roundoff = Fraction(1, 2**bits)
    underflow = Fraction(2) ** (int(np.finfo(np.longdouble).minexp) + 64)
    shrink = 1 - (depth + 8) * roundoff
    if shrink <= 0:
        return None, route
    below = [max(Fraction(), _exactly(w) * shrink - underflow) for w in shortfall]
    if jump is not None:
        possible = [b for b, p in zip(budgets, below, strict=True) if jump.reached_by(p)]
        return max(map(int, possible)) * grid.unit, route
    if not slope:
        return (high - below[-1]) * grid.unit, route
    best = max((1 - mean) * int(b) + mean * high - slope * w for b, w in zip(budgets, below, strict=True))
    return best * grid.unit, route


def _slope(levels: Levels) -> Fraction:
    return levels.tails[0][1] / levels.tails[0][0] if levels.tails else Fraction()


def _exactly(x: Any) -> Fraction:
    """A long double as a fraction."""
    part, exponent = np.frexp(x)
    high = float(part)
    return (Fraction(high) + Fraction(float(part - np.longdouble(high)))) * Fraction(2) ** int(exponent)


def _plain(grid: GridModel, budgets: Any, kappa: Fraction, kinked: bool, threshold: bool) -> tuple[Any, int]:
    """``E_D W_0`` at every budget of the whole range, one state, action and outcome after the other."""
    real = np.longdouble
    low_now, high_now = 0, 0
    n = len(grid.steps[0])
    final = np.zeros((n, 1), dtype=real)
    table, base, depth = final, 0, 0
    denominator = _real(grid.denominator)
    weight = real(0) if threshold else _real(kappa.numerator) / _real(kappa.denominator)
    for step in reversed(grid.steps):
        rewards = [j for actions in step for branches in actions for _, _, j in branches]
        least, most = min(rewards), max(rewards)
        low, high = low_now + least, high_now + most
        now = np.empty((n, high - low + 1), dtype=real)
        columns = np.arange(low, high + 1)
        widest = 0
        for s, actions in enumerate(step):
            best = None
            for branches in actions:
                total = np.zeros(len(columns), dtype=real)
                for w, target, j in branches:
                    p = _real(w) / denominator
                    after = _at(table[target], base, columns - j, high_now, kinked, threshold)
                    total = total + p * (after + weight * (most - j))
                widest = max(widest, len(branches))
                best = total if best is None else np.minimum(best, total)
            now[s] = best
        table, base = now, low
        low_now, high_now = low, high
        depth += widest + 48  # a probability is a quotient of two integers, each known to 2**-61
    initial = np.zeros(len(budgets), dtype=real)
    for s, w in grid.initial:
        initial = initial + _real(w) / _real(grid.initial_denominator) * table[s]
    return initial, depth + len(grid.initial) + 48


def _real(x: int) -> Any:
    """An integer as a long double, with a relative error of at most 2**-61."""
    shift = max(0, x.bit_length() - 62)
    return np.ldexp(np.longdouble(x >> shift), shift)


def _at(row: Any, base: int, columns: Any, greatest: int, kinked: bool, threshold: bool) -> Any:
    """A row of the table at any budget: constant on the left, linear (or 1) on the right."""
    inside = row[np.clip(columns - base, 0, len(row) - 1)]
    beyond = np.maximum(columns - greatest, 0)
    if threshold:
        return np.where(beyond > 0, np.longdouble(1), inside)
    return inside + beyond if kinked else inside


# -- weak duality in rationals ----------------------------------------------------------------------------------------


def _dual(polygon: Polygon, grid: GridModel, proof: Proof) -> Fraction:
    """:math:`M - \\eta (V(c) + \\sum_i \\min_x (G(x) - c_i x))` with the record's first multipliers c, in rationals."""
    low, high = remaining_range(grid)[0]
    assert proof.root.rounds[0].cost is not None
    cost = [Fraction(c) for c in proof.root.rounds[0].cost.tolist()]
    tail = [Fraction()]
    for c in reversed(cost):
        tail.append(tail[-1] + c)
    tail.reverse()  # tail[z - low] = sum of c_i over i >= z
    reach = grid.reachable()
    value: dict[tuple[int, int], Fraction] = {(s, z): tail[z - low] for s, sums in reach[-1].items() for z in sums}
    for t in range(grid.horizon - 1, -1, -1):
        value = {
            (s, y): min(
                sum((w * value[target, y + j] for w, target, j in branches), Fraction()) / grid.denominator
                for branches in grid.steps[t][s]
            )
            for s, sums in reach[t].items()
            for y in sums
        }
    total = sum((w * value[s, 0] for s, w in grid.initial), Fraction()) / grid.initial_denominator
    least = least_above_lines(polygon, set(cost))
    return (high - total - sum(least[c] for c in cost)) * grid.unit


def least_above_lines(polygon: Polygon, slopes: set[Fraction]) -> dict[Fraction, Fraction]:
    r""":math:`\min_x (G(x) - c x)` for every slope c, exactly: on the lower convex hull of G, at the corner where its
    slopes pass c."""
    hull: list[tuple[Fraction, Fraction]] = []
    rises: list[Fraction] = []  # the slope of the hull to the left of each corner but the first
    for x, g in zip(map(Fraction, polygon.x.tolist()), map(Fraction, polygon.g.tolist()), strict=True):
        while hull:
            rise = (g - hull[-1][1]) / (x - hull[-1][0])
            if not rises or rise > rises[-1]:
                rises.append(rise)
                break
            hull.pop()
            rises.pop()
        hull.append((x, g))
    found = {}
    for c in slopes:
        x, g = hull[bisect_left(rises, c)]
        found[c] = g - c * x
    return found
