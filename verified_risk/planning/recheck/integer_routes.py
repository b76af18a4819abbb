"""Rechecks in rational arithmetic: the largest mean, CVaR or quantile, and weak duality for any weighting."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction

from ...grid import GridModel
from ...mdp import MDP
from ...numbers.rational import exact_sum
from ...objectives.polygon import Polygon
from ...objectives.weighting import Jump, Weighting
from ...policy import MarkovPolicy
from ..clock import Tick, unlimited
from ..search.trace import Proof


def mean_of(mdp: MDP, policy: MarkovPolicy | None) -> Fraction:
    """Return the mean of a policy, or the largest mean, exactly: one rational per step and state."""
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
    """Return, for each t, the least and greatest sum of the rewards of steps t, ..., T-1 over all states."""
    ranges = [(0, 0)]
    for step in reversed(grid.steps):
        rewards = [j for actions in step for branches in actions for _, _, j in branches]
        low, high = ranges[-1]
        ranges.append((low + min(rewards), high + max(rewards)))
    return ranges[::-1]


def least_expected(grid: GridModel, cost: Callable[[int], Fraction], tick: Tick = unlimited) -> Fraction:
    """Return the least expected cost of the return, in units, over all policies; calls ``tick`` for every cell."""
    reach = grid.reachable()
    value: dict[tuple[int, int], Fraction] = {(s, z): cost(z) for s, sums in reach[-1].items() for z in sums}
    for t in range(grid.horizon - 1, -1, -1):
        now = {}
        for s, y in ((s, y) for s, sums in reach[t].items() for y in sums):
            tick()
            now[s, y] = min(
                sum((w * value[target, y + j] for w, target, j in branches), Fraction()) / grid.denominator
                for branches in grid.steps[t][s]
            )
        value = now
    return sum((w * value[s, 0] for s, w in grid.initial), Fraction()) / grid.initial_denominator


def best_on_sums(grid: GridModel, objective: Weighting, tick: Tick = unlimited) -> Fraction:
    r"""Return the optimum of a quantile, or of a mean and at most one CVaR, over the reachable sums.

    For :math:`w \mathbf E Z + v\, \mathrm{CVaR}_\alpha(Z)` it is the largest, over the attainable returns rho, of
    :math:`v \rho - \min_\pi \mathbf E[\frac v\alpha (\rho - Z)^+ - w Z]`.
    """
    returns = sorted({z for sums in grid.reachable()[-1].values() for z in sums})
    if (jump := objective.quantile) is not None:
        short = [lambda z, rho=rho: Fraction(z < rho) for rho in returns]
        first = bisect_left(short, True, key=lambda cost: not jump.reached_by(least_expected(grid, cost, tick)))
        return returns[max(first - 1, 0)] * grid.unit
    levels = objective.require_levels()
    if not levels.tails:
        return -least_expected(grid, lambda z: Fraction(-z), tick) * grid.unit
    ((alpha, weight),) = levels.tails

    def worth(rho: int) -> Fraction:
        return weight * rho - least_expected(grid, lambda z: weight / alpha * max(rho - z, 0) - levels.mean * z, tick)

    return max(map(worth, returns)) * grid.unit


def is_passed(grid: GridModel, jump: Jump, i: int, tick: Tick = unlimited) -> bool:
    """Whether the CDF of every policy is past a jump at coordinate i (shifted units), and hence beyond it."""
    low, _ = remaining_range(grid)[0]
    return not jump.reached_by(least_expected(grid, lambda z: Fraction(z - low <= i), tick))


def dual_bound(polygon: Polygon, grid: GridModel, proof: Proof, tick: Tick = unlimited) -> Fraction:
    """Return :math:`M - \\eta (V(c) + \\sum_i \\min_x (G(x) - c_i x))` for the record's first multipliers c."""
    low, high = remaining_range(grid)[0]
    assert proof.root.rounds[0].cost is not None
    cost = [Fraction(c) for c in proof.root.rounds[0].cost.tolist()]
    tail = [Fraction()]
    for c in reversed(cost):
        tail.append(tail[-1] + c)
    tail.reverse()  # tail[z - low] = sum of c_i over i >= z
    total = least_expected(grid, lambda z: tail[z - low], tick)
    least = least_above_lines(polygon, set(cost))
    return (high - total - sum(least[c] for c in cost)) * grid.unit


def least_above_lines(polygon: Polygon, slopes: set[Fraction]) -> dict[Fraction, Fraction]:
    r"""Return :math:`\min_x (G(x) - c x)` for every slope c, exactly: on the lower convex hull of G, at the corner
    where its slopes pass c."""
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
