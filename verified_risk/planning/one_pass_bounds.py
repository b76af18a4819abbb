r"""What one pass gives a search for nothing: policies to compare its own with, and upper bounds.

If G is concave and :math:`G(\alpha) \ge H(\alpha)` for :math:`H(\tau) = (1 - w)\tau + w \min(\tau/\alpha, 1)`, then
:math:`G \ge H` on [0, 1], because H is linear on both sides of alpha and meets G at 0 and 1; so
:math:`\Phi_G \le \Phi_H`, and the best mixture H of mean and CVaR bounds the optimum (theory 05, B13).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from ..errors import InvalidArgument
from ..numbers.enclosure import bounds
from ..objectives import CVaR, Mean, VaR, Weighting
from ..policy.cell_policy import CellPolicy
from .affordable_law import affordable_law
from .clock import Clock
from .grid_choice import DEFAULT_GAP
from .outward import confirmable
from .problem import Problem
from .result import Plan
from .search.driver import lower_by_law

LEVELS = tuple(Fraction(1, k) for k in (20, 4, 2))
"""Levels of the CVaRs that are tried."""
SHARES = 10**6
"""Denominator of the weights of CVaRs."""
RESERVED = 0.2
"""Share of a time limit that a search leaves for this."""


def improved(found: Plan, problem: Problem, solve: Callable[[Problem], Plan]) -> Plan:
    """Return the plan of a search, with a better policy or upper bound if one pass has it and the gap is not met.

    :raises AssertionError: if a policy's value exceeds an upper bound
    """
    # compilations are not charged to a time limit, so this share of it is left even where they took longer than all
    clock = Clock(None if problem.seconds is None else max(problem.clock.left, RESERVED * problem.seconds))
    low, high = span = problem.mdp.remaining_range(0)
    wanted = problem.gap if problem.gap is not None else DEFAULT_GAP * (high - low)
    best, above = found, ""
    searched_between = any(isinstance(part, CellPolicy) for _, part in found.policy.parts())
    for other in candidates(problem.objective):
        left = None if clock.seconds is None else max(clock.left, 0.0)
        if best.gap <= wanted or clock.late():
            break
        try:
            plan = solve(Problem(problem.mdp, other, problem.eta, None, left))
        except InvalidArgument:  # its tables do not fit
            continue
        between = isinstance(plan.policy, CellPolicy)
        if plan.upper < best.upper and not between and is_above(problem.objective, other):
            best, above = replace(best, upper=plan.upper, value=min(best.value, plan.upper)), other.spec
        if not above and not searched_between and plan.eta != best.eta:  # a certificate has one grid
            continue
        if (known := affordable_law(problem.mdp, plan.policy)) is not None:
            lower = lower_by_law(problem.objective, *known, span, Clock(left))
            lower = confirmable(lower, problem.mdp, problem.objective)
            if lower > best.lower:
                best = replace(
                    best, policy=plan.policy, lower=lower, value=lower, known_law=known[0], known_error=known[1],
                    eta=plan.eta,
                )  # fmt: skip
        if best.lower > best.upper:
            raise AssertionError(
                f"a policy attains {best.lower}, above the upper bound {best.upper}: please report this model"
            )
    if best is found:
        return found
    method = f"{found.certificate.method}; compared with one pass each for mean, CVaR and VaR"
    method += f"; the upper bound is that of {above}, which is never less" if above else ""
    budget = replace(best.certificate, method=method, contributions=(("search, and what one pass leaves", best.gap),))
    return replace(best, certificate=budget)


def candidates(objective: Weighting) -> Iterator[Weighting]:
    """Yield objectives of one pass: the mean; CVaR at a few levels, mixed with the mean so that :func:`is_above` holds
    if the objective is concave; the median."""
    yield Mean()
    for alpha in LEVELS:
        if objective.shape == "concave":
            reached, _ = bounds(objective.value(alpha))
            share = Fraction(math.floor((reached - alpha) / (1 - alpha) * SHARES), SHARES)
            both = (1 - share) * Mean() + share * CVaR(alpha)
            assert isinstance(both, Weighting)
            yield both
        else:
            yield CVaR(alpha)
    yield VaR("1/2")


def is_above(objective: Weighting, other: Weighting) -> bool:
    """Whether ``other``, a mixture of the mean and one CVaR, is certainly at least ``objective`` for every law."""
    levels = other.levels
    if objective.shape != "concave" or levels is None or len(levels.tails) > 1:
        return False
    return all(bounds(objective.value(a))[0] >= levels.mean * a + w for a, w in levels.tails)
