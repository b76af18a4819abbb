r"""Certificates of discounted plans: interpolated tables on the planner's own grids.

The budget before step t is :math:`\eta\rho - \sum_{u<t} \gamma^u (r_u - \text{least})`, known exactly.  The grid before
step t has the unit :math:`e_t = \delta_{t-1}`, that of step t is :math:`\delta_t = \eta\,2^{-h_t}`, as in
:mod:`verified_risk.grid` and :class:`~verified_risk.policy.cell_policy.CellPolicy`.  The checker computes both
tables itself; the certificate contains only windows and actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ..errors import Unsupported
from ..policy.cell_policy import CellPolicy
from .budgets import runs_of
from .certificate import CellGrid, IntegerModel, Runs

MOST_CELLS = 30_000_000
"""Maximum number of cells of a table sent to the checker, which would take a few minutes."""
MARGIN = 6
"""Nodes below a window's least budget: its first node has the worst cost, which spreads by a few nodes."""


class Budgets:
    """The budgets met at each step, in units of the grid before it."""

    def __init__(self, model: IntegerModel, policy: CellPolicy) -> None:
        base = policy.least * model.reward_denominator
        if base.denominator != 1:
            raise Unsupported(f"not covered: a policy whose base {policy.least} is no multiple of the rewards' unit")
        self.policy, self.base = policy, int(base)
        before = (0, *policy.halvings)
        self.halvings = tuple(now - last for last, now in pairwise(before))
        self.units = [policy.eta / 2**h for h in before]
        widest = Fraction(model.gains[-1] - self.base, model.reward_denominator)
        self.paid = [widest * sum((model.discount**u for u in range(t)), Fraction()) for t in range(model.horizon + 1)]
        self.offset = Fraction(self.base, model.reward_denominator) * sum(
            (model.discount**u for u in range(model.horizon)), Fraction()
        )

    def grid(self, first: int, last: int, unit: Fraction, *, whole: bool) -> CellGrid:
        """Return every budget met from ``first..last`` units; unless ``whole``, without those that cannot have a
        shortfall."""
        windows = []
        for t, now in enumerate(self.units):
            size = now * unit / self.policy.eta
            low = math.floor((first * unit - self.paid[t]) / size) - MARGIN
            high = math.ceil(last * unit / size) + 3
            windows.append((low if whole else min(max(low, -2), high - 1), high))
        if not whole or first != last:
            windows[0] = (first, max(last, first + 1))
        grid = CellGrid(unit, self.base, self.halvings, tuple(windows))
        if grid.cells * self.policy.mdp.n_states > MOST_CELLS:
            raise Unsupported(
                f"not covered: a discounted plan whose tables have {grid.cells * self.policy.mdp.n_states} cells where "
                f"the checker reads them, at every budget that is met, on a grid that is halved {sum(self.halvings)} "
                f"times; more than {MOST_CELLS}"
            )
        return grid

    def rows(self, grid: CellGrid, halved: int = 0) -> Callable[[int], list[Runs]]:
        """Return the policy's actions in the cells of each window, on a grid finer by ``halved`` halvings."""
        policy = self.policy

        def at(t: int) -> list[Runs]:
            first, last = grid.fine[t]
            table, found = policy.tables[t], list[Runs]()
            inside = np.minimum(np.arange(max(first, 0), last + 1) >> halved, table.shape[1] - 1)
            for s in range(policy.mdp.n_states):
                runs = list(runs_of(table[s, inside])) if len(inside) else []
                if first < 0:
                    runs.insert(0, (min(0, last + 1) - first, int(policy.linear[t, s])))
                found.append(runs)
            return found

        return at
