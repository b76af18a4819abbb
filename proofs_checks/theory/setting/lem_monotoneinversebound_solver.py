r"""lem:monotoneinversebound: :math:`F(x) \le H(x+\eta)` gives :math:`F^\dagger \ge H^\dagger - \eta`, always.

If :math:`F^\dagger(\tau) < H^\dagger(\tau) - \eta`, the infimum of F is approached at some w below the right side, and
H reaches tau at w + eta, below its own infimum.  F and H are unknown functions, monotone or not.
"""

from __future__ import annotations

from functools import partial

from ...evidence.solver.query import Problem, Query, z3
from ...evidence.solver.terms import both, when


def bound(*, planted: bool = False) -> Problem:
    """f, h are the infima of F, H at tau; w is a point of {F >= tau} close to f."""
    module = z3()
    lower = module.Function("F", module.RealSort(), module.RealSort())
    upper = module.Function("H", module.RealSort(), module.RealSort())
    f, h, w, u, eta, tau = module.Reals("f h w u eta tau")
    goal = h - eta
    hypotheses = [
        module.ForAll([u], lower(u) <= upper(u + eta), patterns=[lower(u)]),
        module.ForAll([u], when(upper(u) >= tau, h <= u), patterns=[upper(u)]),  # h is a lower bound
        when(f < goal, both(lower(w) >= tau, w < goal)),  # f is the largest one of {F >= tau}
    ]
    return Problem(hypotheses, f >= h if planted else f >= goal)


QUERIES = (
    Query(
        "lem:monotoneinversebound",
        "F(x) <= H(x + eta) moves the quantile by at most eta",
        "all functions F, H, every eta and tau",
        bound,
        "claim",
        partial(bound, planted=True),
        "eta is dropped from the conclusion",
    ),
)
