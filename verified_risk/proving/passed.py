r"""Levels that every policy's CDF has passed (docs/theory/05-certificates.md, B8).

A weighting that jumps at a level counts as having jumped wherever no policy's CDF is below the level.  Floats decide
where that is, except for CDFs that meet the level; a table of integers decides those.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..grid import GridModel, grid_model
from ..mdp import MDP
from ..objectives.weighting import Knots
from ..planning.clock import Clock
from ..planning.exact.exact_route import MeanToGo, least_below, mean_to_go
from ..planning.search.grid_coordinates import Oracle
from .budgets import Charges
from .curves import CurveJump

CLOSE = 1e-9
"""Distance within which floats cannot tell a CDF value from a level."""
CLEAR = 2**60
"""The scale of a table for a level that no CDF comes this close to."""
MOST_WORK = 2e6
"""Maximum number of outcomes that the table of integers processes."""


@dataclass(frozen=True)
class Exact:
    """The model on the grid, and the ``scale`` of lossless tables of integers."""

    mdp: MDP
    charges: Charges
    scale: int
    clock: Clock

    @cached_property
    def grid(self) -> GridModel:
        return grid_model(self.mdp, self.charges.unit)

    @cached_property
    def outlook(self) -> MeanToGo:
        return mean_to_go(self.grid)

    @property
    def affordable(self) -> bool:
        return self.charges.model.branches * self.charges.horizon * (self.charges.span + 1) <= MOST_WORK

    def least(self, i: int) -> Fraction:
        """Return the least probability, over all policies, of a return up to ``i`` units above the least one."""
        first = i + self.charges.spent_least[-1]
        return least_below(self.grid, self.outlook, first + 1, self.clock.require)[0]


def where_passed(
    oracle: Oracle, knots: Knots, jump: CurveJump, exact: Exact | None
) -> tuple[int, int, Fraction] | None:
    """Return the scale of a table, the first coordinate at which it shows that every CDF is at least the jump's level,
    and the level."""

    def least(i: int) -> float:
        return oracle.solve(np.eye(1, oracle.top, i)[0], masked=False)

    level = knots[jump.corner][0]
    every: Sequence[int] = range(oracle.top)
    clear = bisect_left(every, True, key=lambda i: least(i) > level + CLOSE)
    if exact is not None:
        close = bisect_left(every, True, key=lambda i: least(i) >= level - CLOSE)
        met = next((i for i in range(close, clear) if exact.least(i) >= level), clear)
        if met < clear:
            return exact.scale, met, level
    return None if clear == oracle.top else (CLEAR, clear, level)
