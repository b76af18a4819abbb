r"""lem:optimismhat: a deterministic model whose optimistic model is worse for an optimal y-policy.

T = 2, one ordinary state, a pays r and b nothing, every pair seen N times with radius eps.  The policy plays a, then a
after r and b otherwise.  In the optimistic model a reward is raised to 1 with probability eps, and each step leads to
:math:`s_\infty` with probability eps; after a raised reward the policy plays b.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...evidence.solver.query import Problem, Query
from ...evidence.solver.terms import number, real

VISITS = 12  # 2 N eps^2 >= log(24 (N + 1)) for eps >= 1/2: the radius belongs to some delta <= 1


def printed() -> Problem:
    """Is the optimistic mean at least the true mean 2r?"""
    r, eps = real("r"), real("eps")
    stays, raised = 1 - eps, eps
    after_r = stays * (stays * r + raised) + eps
    after_one = stays * raised + eps
    optimistic = stays * (r + after_r) + raised * (1 + after_one)
    return Problem([r > 0, r < 1, eps >= number("1/2"), eps < 1], optimistic >= 2 * r)


def case(numbers: Mapping[str, Fraction]) -> Any:
    """The model, which is also its estimate; the policy; the mean."""
    from verified_risk.mdp import MDP
    from verified_risk.objectives import Mean
    from verified_risk.policy import ReturnPolicy

    from .lem_optimismhat import Case

    r = numbers["r"]
    mdp = MDP(0, [[[1], [1]]], [[r, 0]], 2)
    rule: dict[Any, Any] = {(0, 0, 0): 0, (1, 0, 0): 1, (1, 0, r): 0, (1, 0, 1): 1}
    return Case(mdp, mdp, VISITS, numbers["eps"], ReturnPolicy(mdp, rule), Mean())


QUERIES = (
    Query(
        "lem:optimismhat",
        "the optimistic model flatters this policy",
        "T = 2, one state, mean, one y-policy, N = 12",
        printed,
        "printed",
        case=case,
    ),
)
