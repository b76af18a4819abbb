"""The regret bound and the counting behind it."""

import math
from fractions import Fraction
from typing import Any

from .enclosed import above, below, log_of, printed_regret_bound, root_of
from .exact import Law, ks_distance, law_of, phi
from .file_format import Outcome, check, number, require, whole
from .paths import History, Lottery, Model, gained, returns, y_policies


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
    require(sum(counts) <= 10**6, "at most a million visits, which are added up here")
    digits = 10**30  # the sum of floor(digits / sqrt j), in integers: fractions of many roots grow long
    left = Fraction(sum(math.isqrt(digits**2 // j) for n in counts for j in range(1, n + 1)), digits)
    return Outcome(below(left), "<=", above(root_of(Fraction(len(counts) * sum(counts)))[1]))


@check("thm:main/constant")
def _main_constant(instance: dict[str, Any]) -> Outcome:
    """2T sqrt(5 |S|^2 l) * 2 sqrt(2 |S| |A| K T) <= 4 T^(3/2) |S| sqrt(5 |S| |A| K l)."""
    states, actions = whole(instance["ordinary"], 1) + 1, whole(instance["actions"], 1)
    horizon, episodes, delta = whole(instance["horizon"], 1), whole(instance["episodes"], 1), number(instance["delta"])
    require(0 < delta <= 1, "delta in (0, 1]")
    level = log_of(Fraction(4 * states * actions * episodes) / delta)[0]
    pairs = root_of(Fraction(2 * states * actions * episodes * horizon))[0]
    left = 2 * horizon * root_of(5 * states**2 * level)[0] * 2 * pairs
    return Outcome(below(left), "<=", above(printed_regret_bound(states, actions, horizon, episodes, delta)[1]))


def optimistic(seen: list[Fraction], eps: Fraction) -> Model:
    """The optimistic model after each of a and b was played ``len(seen)`` times: a paid ``seen``, b nothing.

    A pair that was never played has radius 1.  The lowest ``eps`` of the mass of a reward goes to 1, ``eps`` of a row
    to s_inf, state 1, which pays 1 and is never left.
    """
    kept = max(1 - eps, Fraction()) if seen else Fraction()
    actions = []
    for rewards in (sorted(seen), [Fraction()] * len(seen)):
        pay, cut = {Fraction(1): 1 - kept}, 1 - kept
        for r in rewards:
            share = Fraction(1, len(seen))
            pay[r] = pay.get(r, Fraction()) + max(share - cut, Fraction())
            cut = max(cut - share, Fraction())
        actions.append([(p * q, s, r) for q, s in ((kept, 0), (1 - kept, 1)) for r, p in pay.items() if p * q])
    return Model(2, [(0, Fraction(1))], [actions, [[(Fraction(1), 1, Fraction(1))]]])


def planner_is_optimal(seen: list[Fraction], eps: Fraction) -> bool:
    """Return whether a, then a at a seen first reward or 1, else b, is optimal in the optimistic model."""
    m = optimistic(seen, eps)

    def plays(xi: History) -> Lottery:
        good = len(xi) == 1 or xi[-1] == 1 or gained(xi) in {*seen, Fraction(1)}
        return [(0 if good else 1, Fraction(1))]

    return mean(returns(m, plays)) == max(mean(returns(m, choose)) for choose in y_policies(m))


def mean(z: Law) -> Fraction:
    """The expectation of a law."""
    return sum((x * p for x, p in z.items()), Fraction())


def off_support(instance: dict[str, Any]) -> tuple[Fraction, Fraction, Fraction]:
    """Regret if no first reward repeats, a bound on the probability that one does, and the printed bound from above.

    a pays one of m equally likely rewards below 1, b nothing, T = 2.  The planner plays a, then a at a first reward
    seen before (or 1) and b at any other; a and b then have equal counts, hence equal radii, as long as no first reward
    repeats.  Whatever the radius, the rewards seen of a are at least those of b, all 0, so that a is best; for few seen
    rewards and some radii that is compared with every policy.  Episode k loses the mean reward at all but its k - 1
    seen first rewards.  A repetition has probability at most K (K-1) / 2m.
    """
    points, episodes = whole(instance["points"], 1), whole(instance["episodes"], 1)
    low, delta, checked = number(instance["low"]), number(instance["delta"]), whole(instance["checked"])
    require(0 <= low < 1 and 0 < delta <= 1 and checked <= 6, "rewards in [0, 1), delta in (0, 1], at most 6 to check")
    require(episodes <= 10**7, "at most ten million episodes, which are added up here")
    first = [low + (1 - low) * Fraction(j, points) for j in range(min(checked, points))]
    for n in range(len(first) + 1):
        for eps in (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction()):
            require(planner_is_optimal(first[:n], eps), f"the planner is optimal after {n} rewards, radius {eps}")
    average = low + (1 - low) * Fraction(points - 1, 2 * points)
    regret = average * Fraction(sum(points - k for k in range(episodes)), points)
    repeated = min(Fraction(1), Fraction(episodes * (episodes - 1), 2 * points))
    return regret, repeated, printed_regret_bound(2, 2, 2, episodes, delta)[1]


@check("thm:main")
def _main(instance: dict[str, Any]) -> Outcome:
    """P[Reg > bound] <= delta."""
    regret, repeated, bound = off_support(instance)
    require(regret > bound, "the regret exceeds the printed bound")
    return Outcome(1 - repeated, "<=", number(instance["delta"]))


@check("thm:main/expected")
def _main_expected(instance: dict[str, Any]) -> Outcome:
    """E[Reg] <= bound; the regret is never negative."""
    regret, repeated, bound = off_support(instance)
    return Outcome(below((1 - repeated) * regret), "<=", above(bound))


@check("limits/convex")
def _convex(instance: dict[str, Any]) -> Outcome:
    """Phi' - Phi <= L_G KS + w for the mean of the upper half, L_G = 2, and a policy greedy up to w for a utility.

    First rewards: m points below zeta in M, those between in M'.  Then a pays 1/5, b pays 1 with probability 1/8.  The
    policy plays a at every first reward of M, and in M' a at three of seven, b at four of seven.
    """
    points, zeta = whole(instance["points"], 7), number(instance["zeta"])
    require(points % 7 == 0 and points <= 10**6 and 0 < zeta <= 1, "a multiple of seven points below zeta")
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
