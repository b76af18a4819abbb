"""Planning for CVaR, the appendix of the paper in the language of rewards; and the paths of the experiment."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

from .exact import Law, law_of, shortfall, tail_mean
from .file_format import Outcome, check, number, require
from .paths import model, returns, y_policies


@check("cvar:min")
def _maximum_inside_j(data: dict[str, Any]) -> Outcome:
    """CVaR* <= sup_rho {rho - max_pi E(rho - Z)^+ / alpha}.  For each pi, rho - E(rho-Z)^+/alpha <= CVaR(pi), so the
    right side is at most the least CVaR of a policy, which is compared."""
    m, alpha = model(data["mdp"]), number(data["alpha"])
    require(0 < alpha <= 1, "a level in (0, 1]")
    values = [tail_mean(returns(m, choose), alpha) for choose in y_policies(m)]
    return Outcome(max(values), "<=", min(values))


@check("cvar:value")
def _terminal_value(data: dict[str, Any]) -> Outcome:
    """min over policies of E(rho - Z)^+ against the recursion that stops one step early."""
    m, rho = model(data["mdp"]), number(data["rho"])

    def early(t: int, s: int, b: Fraction) -> Fraction:
        if t == m.horizon - 1:
            return max(b, Fraction())
        return min(sum((p * early(t + 1, s2, b - r) for p, s2, r in a), Fraction()) for a in m.outcomes[s])

    recursion = sum((p * early(0, s, rho) for s, p in m.initial), Fraction())
    return Outcome(recursion, "=", min(shortfall(returns(m, choose), rho) for choose in y_policies(m)))


@check("cvar:rho")
def _own_rho(data: dict[str, Any]) -> Outcome:
    """T = 1: each initial state takes its own rho and a greedy action (ties in favour), against the optimum."""
    m, alpha = model(data["mdp"]), number(data["alpha"])
    require(m.horizon == 1 and 0 < alpha <= 1, "one step and a level in (0, 1]")
    laws = [[law_of((r, p) for p, _, r in a) for a in m.outcomes[s]] for s, _ in m.initial]
    points = sorted({r for options in laws for z in options for r in z})
    require(math.prod(map(len, laws)) <= 10**4, "few policies, all of which are enumerated here")
    chosen = []
    for options in laws:
        scores = {rho: rho - min(shortfall(z, rho) for z in options) / alpha for rho in points}
        best = [rho for rho in points if scores[rho] == max(scores.values())]
        chosen.append(
            [z for z in options if any(shortfall(z, b) == min(shortfall(y, b) for y in options) for b in best)]
        )

    def value(options: list[list[Law]]) -> Fraction:
        return max(
            tail_mean(law_of((r, p * w) for (_, p), z in zip(m.initial, zs, strict=True) for r, w in z.items()), alpha)
            for zs in product(*options)
        )

    return Outcome(value(chosen), ">=", value(laws))


@check("cvar:concave")
def _midpoint_of_j(data: dict[str, Any]) -> Outcome:
    """J at the middle of two budgets against the mean of J at the two."""
    m, alpha, low, high = model(data["mdp"]), *(number(data[key]) for key in ("alpha", "low", "high"))
    require(0 < alpha <= 1, "a level in (0, 1]")
    laws = [returns(m, choose) for choose in y_policies(m)]

    def j(rho: Fraction) -> Fraction:
        return rho - min(shortfall(z, rho) for z in laws) / alpha

    return Outcome(j((low + high) / 2), ">=", (j(low) + j(high)) / 2)


@check("experiment:paths")
def _optimal_path(data: dict[str, Any]) -> Outcome:
    """The CVaR of the path named in print against the best of the four."""
    alpha = number(data["alpha"])
    chance = {6: Fraction("0.729"), 4: Fraction("0.81"), 2: Fraction("0.9"), 1: Fraction(1)}
    named = {Fraction("0.40"): 6, Fraction("0.33"): 4, Fraction("0.25"): 2, Fraction("0.01"): 1}
    require(alpha in named, "one of the four printed levels")
    worth = {x: tail_mean(law_of([(Fraction(0), 1 - q), (Fraction(x), q)]), alpha) for x, q in chance.items()}
    return Outcome(worth[named[alpha]], ">=", max(worth.values()))
