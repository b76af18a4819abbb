r"""Among policies that are as good, the one that a second objective prefers.

A plan for :math:`\Phi` may be indifferent between actions: a CVaR does not care what happens once the worst cases are
decided.  A plan for :math:`(1 - \varepsilon) \Phi + \varepsilon \Phi_2` with a small epsilon is not, and its policy
loses at most about epsilon times the range of returns (theory 05, B12).
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import Unsupported
from ..numbers.enclosure import bounds
from ..objectives import Weighting
from ..policy.cell_policy import CellPolicy
from .affordable_law import affordable_law, worth_within
from .problem import Problem
from .result import Plan
from .routes import solve
from .search.driver import DEFAULT_GAP


def break_ties(found: Plan, problem: Problem, then: Weighting) -> Plan:
    """Return the plan with a policy that loses at most the gap to it, or a millionth of the range of returns if that is
    more, and is at least as good for ``then``; the plan itself if there is none.

    :raises InvalidObjective: if the two objectives have no mixture
    :raises Unsupported: if the plan's tables are read between grid points
    """
    low, high = problem.mdp.remaining_range(0)
    if low == high:
        return found
    if isinstance(found.policy, CellPolicy):
        raise Unsupported(
            "a plan whose tables are read between grid points breaks no ties", instead="rewards on a grid, or then=None"
        )
    allowed = max(problem.gap if problem.gap is not None else DEFAULT_GAP * (high - low), DEFAULT_GAP * (high - low))
    share = allowed / (2 * (high - low))
    both = (1 - share) * found.objective + share * then
    assert isinstance(both, Weighting)
    left = None if problem.seconds is None else max(problem.clock.left, 0.0)
    other = solve(Problem(problem.mdp, both, found.eta if problem.eta is not None else None, allowed / 4, left))
    laws = [affordable_law(problem.mdp, plan.policy) for plan in (found, other)]
    if laws[0] is None or laws[1] is None:
        return found
    own, better = ([bounds(worth_within(w, *law, (low, high))) for w in (found.objective, then)] for law in laws if law)
    if better[0][0] < found.lower - allowed or better[1][0] <= own[1][1]:
        return found
    law, error = laws[1]
    words = f"{found.certificate.method}; of equal policies the best for {then.spec}"
    lower = min(better[0][0], found.upper)
    return replace(
        found, policy=other.policy, known_law=law, known_error=error, lower=lower, value=lower,
        certificate=replace(found.certificate, method=words),
    )  # fmt: skip
