r"""Recheck of a search between grid points: replay of its record, and a lower bound on its policy (theory 05, D5).

With :math:`G(\tau) \le m_k + c_k \tau` on the range of the policy's CDF in cell k, :math:`\int G(F)\,dx \le \sum_k m_k
+ c \cdot A`.  The record says where a line touches G; any place is valid.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...grid.floats import Floats
from ...objectives import VaR, Weighting
from ...objectives.lines import line_above
from ...objectives.weighting import Jump
from ...policy import Policy
from ...policy.cell_policy import CellPolicy
from ..clock import Clock
from ..exact.exact_route import exact_within
from ..problem import few_returns
from ..search.trace import Proof
from .cell_replay import CellTables, Own
from .replay import Replay


def cells_of(policy: Policy) -> list[tuple[Fraction, CellPolicy]] | None:
    """Return the parts of a policy that depends on cells of one grid only, or None for any other policy."""
    parts = [(weight, part) for weight, part in policy.parts() if isinstance(part, CellPolicy)]
    if len(parts) < len(list(policy.parts())):
        return None
    first = parts[0][1]
    one_grid = all(
        not any(part.halvings) and part.eta == first.eta and part.least == part.mdp.reward_range[0] for _, part in parts
    )
    return parts if one_grid else None


def own_actions(policy: CellPolicy, tables: CellTables) -> Own | None:
    """Return the policy's action in each cell of the return so far; None if a cell has more than one.

    The budget of y is ``rho - y``; at y = 0 it is an integer, one more than that of the rest of the first cell, and
    budgets from 0 down follow another rule.
    """
    rho = policy.rho
    if rho < tables.top or any(table.shape[1] > rho for table in policy.tables):
        return None
    found: Own = []
    for t, table in enumerate(policy.tables):
        budget = np.minimum(rho - 1 - np.arange(tables.nodes[t]), table.shape[1] - 1)
        found.append(list(table[:, budget].astype(np.int64)))
    return found


def least_worth(
    objective: Weighting, tables: CellTables, eta: Fraction, parts: list[tuple[Fraction, Own]], touch: Floats | None
) -> Fraction:
    """Return a lower bound on the value of the mixture of ``parts`` (D5)."""
    top = tables.top
    low, high = [Fraction()] * top, [Fraction()] * top
    for weight, own in parts:
        least, most = tables.ranges(own)
        for k in range(top):  # the average over a cell bounds every point of the next one
            low[k] += weight * (Fraction(float(least[k - 1])) if k else 0)
            high[k] += weight * (Fraction(float(most[k + 1])) if k + 1 < top else 1)
    places = [float(a + b) / 2 for a, b in zip(low, high, strict=True)]
    if touch is not None and len(touch) == top and bool(np.all(np.isfinite(touch))):
        places = touch.tolist()
    if objective.shape in ("concave", "linear"):  # its lines need no bounds
        low, high = [Fraction()] * top, [Fraction(1)] * top
    lines = [line_above(objective, a, b, Fraction(at)) for a, b, at in zip(low, high, places, strict=True)]
    slopes = np.array([float(c) for c, _ in lines])
    total = Fraction()
    for (c, m), slope, a, b in zip(lines, slopes.tolist(), low, high, strict=True):
        rest = c - Fraction(slope)
        total += m + max(rest * a, rest * b)
    total += sum((weight * Fraction(tables.most_cost(slopes, own)) for weight, own in parts), Fraction())
    return tables.offset + eta * (top - total)


def replay_between(objective: Weighting, tables: CellTables, proof: Proof) -> Replay:
    return Replay(tables, objective.polygon_below(proof.accuracy), proof, reach=1)


def pass_jumps(
    replay: Replay,
    objective: Weighting,
    policy: Policy,
    tables: CellTables,
    proof: Proof,
    clock: Clock | None = None,
) -> None:
    """Use the polygon past a jump where every policy is past it (B8), by the averages of the CDF or, if returns are
    few, by the best quantile in integers."""

    def surely(jump: Jump, start: int) -> bool:
        if proof.eta is None or start == 0:
            return False
        if replay.least_cdf(start - 1) > jump.level:  # an average is at most F at every point of the next cell
            return True
        quantile = VaR(jump.level, upper=jump.upper)
        if not few_returns(policy.mdp, quantile):
            return False
        return exact_within(policy.mdp, quantile, clock or Clock()).value <= tables.offset + start * proof.eta

    replay.pass_jumps(objective, surely)
