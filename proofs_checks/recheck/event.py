"""The empirical model and the confidence event."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

from .enclosed import above, below, exp_minus, log_of, printed_radius
from .exact import Law
from .file_format import Outcome, check, number, require, whole, worst


@check("def:empirical")
def _empirical(instance: dict[str, Any]) -> Outcome:
    """1/N sum 1(r <= r_i) is nondecreasing: its value at the far left is at most its value at the far right."""
    seen = [number(r) for r in instance["rewards"]]
    require(all(0 <= r <= 1 for r in seen), "rewards in [0, 1]")
    left, right = min(seen) - 1, max(seen) + 1
    share = [Fraction(sum(x <= r for r in seen), len(seen)) for x in (left, right)]
    return Outcome(share[0], "<=", share[1])


@check("lem:event/hoeffding")
def _hoeffding(instance: dict[str, Any]) -> Outcome:
    """P(max |p~ - p| >= v) <= 2 exp(-2 n v^2) for every v: the attained v with the largest difference."""
    masses, n = [number(p) for p in instance["masses"]], whole(instance["n"], 1)
    require(sum(masses) == 1 and min(masses) >= 0, "a probability vector")
    require(n <= 64 and len(masses) ** n <= 10**6, "few draws, all of which are listed here")
    weights: Law = {}
    for draws in product(range(len(masses)), repeat=n):
        gap = max(abs(Fraction(draws.count(i), n) - p) for i, p in enumerate(masses))
        weights[gap] = weights.get(gap, Fraction()) + math.prod((masses[i] for i in draws), start=Fraction(1))
    sides = []
    for v in weights:
        tail = sum((p for gap, p in weights.items() if gap >= v), Fraction())
        sides.append((tail, 2 * exp_minus(2 * n * v * v)[1]))
    found = worst(sides, "<=")
    return found._replace(right=above(found.right))


@check("lem:event/conditioning")
def _conditioning(instance: dict[str, Any]) -> Outcome:
    """P[event | counts] >= 1 - delta, by enumeration of the earlier episodes."""
    stay, delta = number(instance["stay"]), number(instance["delta"])
    horizon, visits = whole(instance["horizon"], 1), [whole(v, 1) for v in instance["visits"]]
    require(0 <= stay <= 1 and 0 < delta <= 1 and max(visits) <= horizon, "a chain and its counts")
    require(horizon <= 12 and len(visits) <= 100, "few steps and episodes, all of which are enumerated here")
    episodes = len(visits) + 1
    courses = {(0, 0): (Fraction(1), Fraction(1))}  # (stays, leaves): probability, and that of the event as well
    for wanted in visits:
        following: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
        for (stays, leaves), (mass, good) in courses.items():
            for moves in product((True, False), repeat=horizon):  # True: stays; after the first False all is forced
                first = moves.index(False) if False in moves else horizon
                if False in moves and any(moves[first:]):
                    continue
                if min(first + 1, horizon) != wanted:
                    continue
                p = stay**first * (1 - stay if False in moves else 1)
                if not p:
                    continue
                new = (stays + first, leaves + (False in moves))
                n = sum(new)
                radius = printed_radius(3, 1, episodes, delta, n)
                gap = abs(Fraction(new[0], n) - stay)
                require(not radius[0] < gap <= radius[1], "the radius is decided")
                old = following.get(new, (Fraction(), Fraction()))
                following[new] = (old[0] + mass * p, old[1] + (good * p if gap <= radius[0] else 0))
        courses = following
    total = sum((mass for mass, _ in courses.values()), Fraction())
    require(total > 0, "counts of positive probability")
    return Outcome(sum((good for _, good in courses.values()), Fraction()) / total, ">=", 1 - delta)


@check("thm:main/log")
def _main_log(instance: dict[str, Any]) -> Outcome:
    """log 6x <= log 4x."""
    sizes = [whole(instance[key], 1) for key in ("states", "actions", "episodes")]
    delta = number(instance["delta"])
    require(sizes[0] >= 2 and 0 < delta <= 1, "an ordinary state, and delta in (0, 1]")
    x = Fraction(math.prod(sizes)) / delta
    return Outcome(below(log_of(6 * x)[0]), "<=", above(log_of(4 * x)[1]))
