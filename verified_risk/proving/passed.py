r"""Levels that every policy's CDF has passed (docs/theory/05-certificates.md, B8).

A weighting that jumps at a level counts as having jumped wherever no policy's CDF is below the level.  Floats decide
where that is, except for CDFs that meet the level; a table of integers decides those.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..objectives.weighting import Knots
from ..planning.clock import Clock
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
    """Lossless tables of integers over ``scale``."""

    charges: Charges
    scale: int
    clock: Clock

    @property
    def affordable(self) -> bool:
        return self.charges.model.branches * self.charges.horizon * (self.charges.span + 1) <= MOST_WORK

    def least(self, i: int) -> Fraction:
        """Return the least probability, over all policies, of a return up to ``i`` units above the least one."""
        model, total = self.charges.model, self.charges.model.step_denominator
        moves = [dict(step) for step in model.moves(self.charges.unit)]
        first = i + self.charges.spent_least[-1]
        met: list[set[tuple[int, int]]] = [{(s, first) for s, _ in model.initial}]
        for move in moves:
            self.clock.require()
            met.append(
                {
                    (target, left - move[gain])
                    for s, left in met[-1]
                    for _, outcomes in model.states[s]
                    for _, gain, target in outcomes
                }
            )
        values = {(s, left): int(left >= 0) for s, left in met[-1]}
        for move, cells in zip(reversed(moves), reversed(met[:-1]), strict=True):
            self.clock.require()
            values = {
                (s, left): min(
                    total // own * sum(w * values[target, left - move[gain]] for w, gain, target in outcomes)
                    for own, outcomes in model.states[s]
                )
                for s, left in cells
            }
        weighed = sum(w * values[s, first] for s, w in model.initial)
        return Fraction(weighed, model.initial_total * total**model.horizon)


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
