"""The regret bound and the counting behind it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .certificate import Outcome, check, number, require, whole
from .enclosed import above, below, log_of, printed_regret_bound, root_of
from .exact import ks_distance, law_of, phi


def visits_before(visits: list[int]) -> list[tuple[int, int]]:
    """``(visits before the episode, visits in it)``."""
    return [(sum(visits[:k]), v) for k, v in enumerate(visits)]


@check("thm:main/visits")
def _main_visits(instance: dict[str, Any]) -> Outcome:
    """Visits with N <= T number fewer than 2T, that is at most 2T - 1."""
    horizon, visits = whole(instance["horizon"], 1), [whole(v) for v in instance["visits"]]
    require(max(visits) <= horizon, "at most T visits per episode")
    return Outcome(sum(v for n, v in visits_before(visits) if n <= horizon), "<=", 2 * horizon - 1)


@check("thm:main/unvisited")
def _main_unvisited(instance: dict[str, Any]) -> Outcome:
    """1/sqrt(N) <= 1 at every visit, that is N >= 1."""
    horizon, visits = whole(instance["horizon"], 1), [whole(v) for v in instance["visits"]]
    require(max(visits) <= horizon and any(visits), "at most T visits per episode, and some visit")
    return Outcome(min(n for n, v in visits_before(visits) if v), ">=", 1)


@check("thm:main/factor")
def _main_factor(instance: dict[str, Any]) -> Outcome:
    """sum over pairs and j <= N of j^(-1/2) <= sqrt(number of pairs * visits)."""
    counts = [whole(n, 1) for n in instance["counts"]]
    left = sum((1 / root_of(Fraction(j))[1] for n in counts for j in range(1, n + 1)), Fraction())
    return Outcome(below(left), "<=", above(root_of(Fraction(len(counts) * sum(counts)))[1]))


@check("thm:main/dropped")
def _main_dropped(instance: dict[str, Any]) -> Outcome:
    """sum of min(1, 1/sqrt(N)) over all visits <= sqrt(2 |S| |A| K T), |S| = 2."""
    rows = [[whole(v) for v in row] for row in instance["visits"]]
    actions, horizon = len(rows[0]), sum(rows[0])
    require(all(len(row) == actions and sum(row) == horizon for row in rows) and horizon >= 1, "episodes of T steps")
    left = Fraction()
    for a in range(actions):
        for n, v in visits_before([row[a] for row in rows]):
            left += v if n == 0 else v / root_of(Fraction(n))[1]
    return Outcome(below(left), "<=", above(root_of(Fraction(4 * actions * len(rows) * horizon))[1]))


@check("thm:main/constant")
def _main_constant(instance: dict[str, Any]) -> Outcome:
    """2T sqrt(5 |S|^2 l) * 2 sqrt(2 |S| |A| K T) <= 4 T^(3/2) |S| sqrt(5 |S| |A| K l)."""
    states, actions = whole(instance["ordinary"], 1) + 1, whole(instance["actions"], 1)
    horizon, episodes, delta = whole(instance["horizon"], 1), whole(instance["episodes"], 1), number(instance["delta"])
    level = log_of(Fraction(4 * states * actions * episodes) / delta)[0]
    pairs = root_of(Fraction(2 * states * actions * episodes * horizon))[0]
    left = 2 * horizon * root_of(5 * states**2 * level)[0] * 2 * pairs
    return Outcome(below(left), "<=", above(printed_regret_bound(states, actions, horizon, episodes, delta)[1]))


@check("thm:main")
def _main(instance: dict[str, Any]) -> Outcome:
    """P[Reg > bound] <= delta.

    a pays one of m equally likely rewards below 1, b nothing, T = 2.  The planner plays a, then a at a first reward
    seen before (or 1) and b at any other; a and b then have equal counts as long as no first reward repeats.  Episode
    k loses the mean reward at all but its k - 1 seen first rewards.  A repetition has probability at most K (K-1) / 2m.
    """
    points, episodes = whole(instance["points"], 1), whole(instance["episodes"], 1)
    low, delta = number(instance["low"]), number(instance["delta"])
    require(0 <= low < 1 and 0 < delta <= 1, "rewards in [0, 1) and delta in (0, 1]")
    mean = low + (1 - low) * Fraction(points - 1, 2 * points)
    regret = mean * Fraction(sum(points - k for k in range(episodes)), points)
    require(regret > printed_regret_bound(2, 2, 2, episodes, delta)[1], "the regret exceeds the printed bound")
    return Outcome(1 - Fraction(episodes * (episodes - 1), 2 * points), "<=", delta)


@check("intro:bound")
def _intro_bound(instance: dict[str, Any]) -> Outcome:
    """T^2 |A| = T^(3/2) sqrt|A|, squared."""
    horizon, actions = whole(instance["horizon"], 1), whole(instance["actions"], 1)
    return Outcome(horizon**4 * actions**2, "=", horizon**3 * actions)


@check("limits/convex")
def _convex(instance: dict[str, Any]) -> Outcome:
    """Phi' - Phi <= L_G KS + w for the mean of the upper half, L_G = 2, and a policy greedy up to w for a utility.

    First rewards: m points below zeta in M, those between in M'.  Then a pays 1/5, b pays 1 with probability 1/8.  The
    policy plays a at every first reward of M, and in M' a at three of seven, b at four of seven.
    """
    points, zeta = whole(instance["points"], 7), number(instance["zeta"])
    require(points % 7 == 0 and 0 < zeta <= 1, "a multiple of seven points below zeta")
    safe, chance = Fraction(1, 5), Fraction(1, 8)
    own = [zeta * j / points for j in range(points)]
    other = [y + zeta / (2 * points) for y in own]

    def utility(z: Fraction) -> Fraction:
        return Fraction(8, 7) * min(z, safe) + 2 * max(z - safe, Fraction())

    def upper_half(tau: Fraction) -> Fraction:
        return max(2 * tau - 1, Fraction())

    values, gap = [], Fraction()
    for sums, plays in ((own, [0] * points), (other, [int(j % 7 >= 3) for j in range(points)])):
        pairs: list[tuple[Fraction, Fraction]] = []
        for y, a in zip(sums, plays, strict=True):
            q = [utility(y + safe), (1 - chance) * utility(y) + chance * utility(y + 1)]
            gap = max(gap, max(q) - q[a])
            pairs += [(y, (1 - chance) / points), (y + 1, chance / points)] if a else [(y + safe, Fraction(1, points))]
        values.append(phi(law_of(pairs), upper_half))
    uniform = Fraction(1, points)
    distance = ks_distance(dict.fromkeys(own, uniform), dict.fromkeys(other, uniform))
    return Outcome(values[1] - values[0], "<=", 2 * distance + gap)
