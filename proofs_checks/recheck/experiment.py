"""The numbers of the experiment."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from .certificate import Outcome, check, number, require, whole
from .enclosed import above, printed_radius
from .exact import law_of, tail_mean


@check("experiment:paths")
def _optimal_path(data: dict[str, Any]) -> Outcome:
    """The CVaR of the path named in print against the best of the four."""
    alpha = number(data["alpha"])
    chance = {6: Fraction("0.729"), 4: Fraction("0.81"), 2: Fraction("0.9"), 1: Fraction(1)}
    named = {Fraction("0.40"): 6, Fraction("0.33"): 4, Fraction("0.25"): 2, Fraction("0.01"): 1}
    require(alpha in named, "one of the four printed levels")
    worth = {x: tail_mean(law_of([(Fraction(0), 1 - q), (Fraction(x), q)]), alpha) for x, q in chance.items()}
    return Outcome(worth[named[alpha]], ">=", max(worth.values()))


@check("exp:forty")
def _forty(instance: dict[str, Any]) -> Outcome:
    """P[6 (1 - (f/n - eps)^+ / alpha)^+ <= 4] >= 1/2 with f failures of n, each of probability 271/1000."""
    n, episodes, delta = whole(instance["visits"], 1), whole(instance["episodes"], 1), number(instance["delta"])
    require(n <= 40 <= episodes, "at most 40 visits")
    eps, alpha, failure = printed_radius(1, 1, episodes, delta, n)[0], Fraction(33, 100), Fraction(271, 1000)
    total = Fraction()
    for f in range(n + 1):
        value = 6 * max(1 - max(Fraction(f, n) - eps, Fraction()) / alpha, Fraction())
        if value <= 4:
            total += math.comb(n, f) * failure**f * (1 - failure) ** (n - f)
    return Outcome(above(total), ">=", Fraction(1, 2))
