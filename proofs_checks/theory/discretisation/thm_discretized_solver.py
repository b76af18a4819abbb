r"""thm:discretized, adaptation/pathwise: rounding up to multiples of eta costs at most T eta, and can cost nearly that.

The unit is eta = 1, which loses nothing: rewards and eta scale together.  Rounded rewards are integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Problem, Query, Term, z3
from ...evidence.solver.terms import both, larger, number, real, reals, total


def _rounds(raw: Term, up: Term) -> Term:
    """``up`` is ``raw`` rounded up to an integer."""
    rounded = z3().ToReal(up)
    return both(rounded - 1 < raw, raw <= rounded)


def pathwise(steps: int, *, planted: bool = False) -> Problem:
    """Z^ - T eta < Z <= Z^ on one path of ``steps`` steps."""
    raw, up = reals("r", steps), [z3().Int(f"k{t}") for t in range(steps)]
    believed, earned = total(z3().ToReal(k) for k in up), total(raw)
    margin = 1 if planted else steps
    return Problem(
        [_rounds(r, k) for r, k in zip(raw, up, strict=True)], both(believed - margin < earned, earned <= believed)
    )


def sure_rewards(steps: int, actions: int, *, loss: int) -> Problem:
    """Sure rewards that depend on step and action: the best rounded choices lose less than ``loss`` eta."""
    best, got, hypotheses = [], [], []
    for t in range(steps):
        raw, up = reals(f"r{t}.", actions), [z3().Int(f"k{t}.{a}") for a in range(actions)]
        choice, value = z3().Int(f"c{t}"), real(f"g{t}")
        hypotheses += [r >= 0 for r in raw] + [_rounds(r, k) for r, k in zip(raw, up, strict=True)]
        hypotheses += [choice >= 0, choice < actions]
        for a in range(actions):  # the chosen action is best after rounding
            chosen = choice == a
            hypotheses += [z3().Implies(chosen, both(value == raw[a], *(up[a] >= other for other in up)))]
        top = raw[0]
        for r in raw[1:]:
            top = larger(top, r)
        best.append(top)
        got.append(value)
    return Problem(hypotheses, total(best) - total(got) < loss)


def printed() -> Problem:
    """T = 2, mean: a pays d surely, b pays 1 or, with probability e, nothing; rounded, a looks better than b."""
    d, e = real("d"), real("e")
    return Problem([d > 0, d < 1, e > 0, e < 1], 2 * ((1 - e) - d) <= 1)


def case(numbers: Mapping[str, Fraction]) -> Any:
    """The model with eta = 1 and the mean."""
    from verified_risk.law import Law
    from verified_risk.mdp import MDP
    from verified_risk.objectives import Mean

    from .thm_discretized import Case

    risky = Law({Fraction(0): numbers["e"], Fraction(1): 1 - numbers["e"]})
    return Case(MDP(0, [[[1], [1]]], [[Law.point(numbers["d"]), risky]], 2), Fraction(1), Mean())


def family(*, planted: bool = False) -> Problem:
    """For every T > c >= 0 the shares e = d/eta = (T - c)/4T lose T(1 - e - d/eta) eta > c eta."""
    horizon, constant, share = real("T"), real("c"), real("e")
    hypotheses = [horizon >= 1, constant >= 0, constant < horizon, share * 4 * horizon == horizon - constant]
    loss = horizon - 2 * (share * horizon)
    return Problem(hypotheses, both(share > 0, share < number("1/2"), loss > (horizon if planted else constant)))


QUERIES = (
    Query(
        "adaptation/pathwise",
        "Z^ - T eta < Z <= Z^ on every path",
        "T = 12",
        partial(pathwise, 12),
        "step",
        partial(pathwise, 2, planted=True),
        "eta in place of T eta",
    ),
    Query(
        "thm:discretized",
        "the loss is less than T eta",
        "T = 4, 3 actions, sure rewards, any tie-breaking",
        partial(sure_rewards, 4, 3, loss=4),
        "step",
        partial(sure_rewards, 4, 3, loss=3),
        "(T - 1) eta",
    ),
    Query(
        "thm:discretized",
        "the loss is at most eta",
        "T = 2, one state, mean",
        printed,
        "printed",
        case=case,
    ),
    Query(
        "thm:discretized/constant",
        "the family loses more than c eta",
        "all real T > c >= 0",
        family,
        "step",
        partial(family, planted=True),
        "more than T eta",
    ),
)
