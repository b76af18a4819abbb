r"""``plan.recheck()``: both bounds again, by routes that share no code with the planner's kernels.

* lower: the policy's exact law (:func:`verified_risk.return_law`) and the objective's exact value or enclosure;
* upper, Mean, CVaR, mean-CVaR and VaR: :func:`exact_plan` in integers on small models, otherwise the plain recursion
  in numpy, all budgets, no windows, joint outcomes, in extended precision with its own error bound;
* upper, several levels: ``exact_plan`` on small models;
* upper, other weightings: weak duality (theory B1) with the first multipliers of the search's record, in rational
  arithmetic, on small models (tight for convex G); otherwise, and where that is too weak, the whole record is replayed
  in numpy (:mod:`verified_risk.planning.replay`).  Where neither confirms the bound the answer is *unknown*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..enclosure import Truth, bounds
from ..errors import Unsupported
from ..evaluation import return_law
from ..grid import GridModel, grid_model
from ..objectives import VaR
from .exact import exact_plan
from .laws import PATIENT, evaluation_work
from .levels import Levels, levels_of
from .plan import Plan
from .proof import Proof
from .replay import Replay
from .under import polygon_below

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
            f"{name} {holds.value:8} {'' if bound is None else f'{float(bound):.15g}':>22}  {route}"
            for name, bound, holds, route in rows
        )


def recheck(plan: Plan) -> Recheck:
    lower, lower_route = _lower(plan)
    upper, upper_route = _upper(plan)
    lower_holds = Truth.UNKNOWN if lower is None else Truth.HOLDS if lower >= plan.lower else Truth.FAILS
    if lower is not None and lower > plan.upper:
        upper_holds = Truth.FAILS
    elif upper is None or upper > plan.upper:
        upper_holds = Truth.FAILS if upper_route == EXACTLY and upper is not None else Truth.UNKNOWN
    else:
        upper_holds = Truth.HOLDS
    return Recheck(lower, upper, lower_route, upper_route, lower_holds, upper_holds)


EXACTLY = "exact optimum in integers"


def _lower(plan: Plan) -> tuple[Fraction | None, str]:
    """What the policy is worth at least; for continuous rewards, what it is worth rounded up, less ``T * eta``."""
    if plan.mdp.is_discrete:
        if evaluation_work(plan.mdp, plan.policy) > 10 * PATIENT:
            return None, "the exact law of this policy would take too long"
        return bounds(plan.objective.of(return_law(plan.mdp, plan.policy)))[0], "exact law of the policy"
    rounded = plan.mdp.discretised(plan.eta)
    if evaluation_work(rounded, plan.policy.on(rounded)) > 10 * PATIENT:
        return None, "the exact law of this policy would take too long"
    law = return_law(rounded, plan.policy.on(rounded))
    return bounds(plan.objective.of(law))[
        0
    ] - plan.mdp.horizon * plan.eta, "exact law of the rounded return, less T eta"


def _upper(plan: Plan) -> tuple[Fraction | None, str]:
    mdp, objective = plan.mdp, plan.objective
    levels = _levels(plan)
    grid = grid_model(mdp, plan.eta)
    work = _work(grid)
    small = work <= EXACT_WORK
    if mdp.is_discrete and small and (isinstance(objective, VaR) or levels is not None):
        own = grid_model(mdp)
        if _work(own) <= EXACT_WORK and (levels is None or len(levels.tails) <= 1 or _work(own) <= EXACT_WORK // 200):
            return exact_plan(mdp, objective).value, EXACTLY
    if isinstance(objective, VaR) or (levels is not None and len(levels.tails) <= 1):
        return _extended(grid, objective, levels)
    low, high = remaining_range(grid)[0]
    if low == high:
        return high * grid.unit, "every policy has the same return on the grid"
    proof = plan.certificate.proof
    if proof is None or not proof.root.rounds or proof.root.rounds[0].cost is None:
        return None, "the plan carries no record of its search"
    replay = Replay(grid, polygon_below(objective, proof.accuracy), proof)
    if small:
        upper = _dual(plan, grid, proof)
        if upper <= plan.upper:
            return upper, "weak duality in rationals"
    if replay.outcomes.work(proof) > REPLAY_WORK:
        return None, "replaying the search would take too long"
    return (high - Fraction(max(replay.bound(), 0.0))) * grid.unit, "the search's record, replayed in numpy"


def _levels(plan: Plan) -> Levels | None:
    try:
        return levels_of(plan.objective)
    except Unsupported:
        return None


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


def _extended(grid: GridModel, objective: Any, levels: Levels | None) -> tuple[Fraction | None, str]:
    """An upper bound of the optimum of the grid model."""
    digits = np.finfo(np.longdouble).nmant + 1
    route = f"plain recursion with {digits} bits"
    low, high = remaining_range(grid)[0]
    budgets = np.arange(low, high + 1)
    kinked = isinstance(objective, VaR) or bool(levels is not None and levels.tails)
    mean, slope = (Fraction(), Fraction()) if levels is None else (levels.mean, _slope(levels))
    # cost c(b) = mean * b + slope * b^+, plus mean * (greatest remaining return - b): every term is nonnegative
    kappa = mean / slope if slope else Fraction(1)
    shortfall, depth = _plain(grid, budgets, kappa, kinked, isinstance(objective, VaR))
    roundoff = Fraction(1, 2**digits)
    shrink = 1 - (depth + 8) * roundoff
    if shrink <= 0:
        return None, route
    below = [max(Fraction(), _exactly(w) * shrink - Fraction(1, 2**1000)) for w in shortfall]
    if isinstance(objective, VaR):
        alpha = objective.alpha
        possible = [b for b, p in zip(budgets, below, strict=True) if p < alpha or (objective.upper and p == alpha)]
        return max(map(int, possible)) * grid.unit, route
    if not slope:
        return (high - below[-1]) * grid.unit, route
    best = max((1 - mean) * int(b) + mean * high - slope * w for b, w in zip(budgets, below, strict=True))
    return best * grid.unit, route


def _slope(levels: Levels) -> Fraction:
    return levels.tails[0][1] / levels.tails[0][0] if levels.tails else Fraction()


def _exactly(x: Any) -> Fraction:
    """A long double as a fraction."""
    high = float(x)
    return Fraction(high) + Fraction(float(x - np.longdouble(high)))


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


def _dual(plan: Plan, grid: GridModel, proof: Proof) -> Fraction:
    """:math:`M - \\eta (V(c) + \\sum_i \\min_x (G(x) - c_i x))` with the record's first multipliers c, in rationals."""
    polygon = polygon_below(plan.objective, proof.accuracy)
    low, high = remaining_range(grid)[0]
    assert proof.root.rounds[0].cost is not None
    cost = [Fraction(c) for c in proof.root.rounds[0].cost.tolist()]
    tail = [Fraction()]
    for c in reversed(cost):
        tail.append(tail[-1] + c)
    tail.reverse()  # tail[z - low] = sum of c_i over i >= z
    value: dict[tuple[int, int], Fraction] = {
        (s, z): tail[z - low] for s, sums in grid.reachable()[-1].items() for z in sums
    }
    reach = grid.reachable()
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
    corners = [(Fraction(float(x)), Fraction(float(g))) for x, g in zip(polygon.x, polygon.g, strict=True)]
    least = {c: min(g - c * x for x, g in corners) for c in set(cost)}
    return (high - total - sum(least[c] for c in cost)) * grid.unit
