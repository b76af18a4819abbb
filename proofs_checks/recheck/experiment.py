"""The numbers of the experiment."""

from fractions import Fraction
from typing import Any

from .exact import law_of, tail_mean
from .file_format import Outcome, check, number, require


@check("experiment:paths")
def _optimal_path(data: dict[str, Any]) -> Outcome:
    """The CVaR of the path named in print against the best of the four."""
    alpha = number(data["alpha"])
    chance = {6: Fraction("0.729"), 4: Fraction("0.81"), 2: Fraction("0.9"), 1: Fraction(1)}
    named = {Fraction("0.40"): 6, Fraction("0.33"): 4, Fraction("0.25"): 2, Fraction("0.01"): 1}
    require(alpha in named, "one of the four printed levels")
    worth = {x: tail_mean(law_of([(Fraction(0), 1 - q), (Fraction(x), q)]), alpha) for x, q in chance.items()}
    return Outcome(worth[named[alpha]], ">=", max(worth.values()))
