r"""Certificates of discounted plans: interpolated tables on the planner's own grids.

The budget before step t is :math:`\eta\rho - \sum_{u<t} \gamma^u (r_u - \text{least})`, known exactly.  The grid before
step t has the unit :math:`e_t = \delta_{t-1}`, that of step t is :math:`\delta_t = \eta\,2^{-h_t}`, as in
:mod:`verified_risk.grid.scaled` and :class:`~verified_risk.policy.cell_policy.CellPolicy`.  The checker computes both
tables itself; the certificate contains only windows and actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ..errors import Unsupported
from ..policy.cell_policy import CellPolicy
from .certificate import IntegerModel, Runs

MOST_CELLS = 30_000_000
"""Maximum number of cells of a table sent to the checker, which would take a few minutes."""
MARGIN = 6
"""Nodes below a window's least budget: its first node has the worst cost, which spreads by a few nodes."""


@dataclass(frozen=True)
class CellGrid:
    """``halvings[t]`` says how often step t halves the grid before it; ``windows[t]`` are nodes of that grid."""

    unit: Fraction
    base: int
    halvings: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]

    @property
    def fine(self) -> tuple[tuple[int, int], ...]:
        """The windows on the grid of each step, and the last one."""
        halved = [(first << n, last << n) for (first, last), n in zip(self.windows[:-1], self.halvings, strict=True)]
        return (*halved, self.windows[-1])

    @property
    def cells(self) -> int:
        return sum(last - first + 1 for first, last in self.fine)

    def lines(self) -> Iterator[str]:
        yield f"unit {self.unit} base {self.base} halvings\n{' '.join(map(str, self.halvings))}\nwindows\n"
        for first, last in self.windows:
            yield f"{first} {last}\n"


@dataclass(frozen=True)
class ByCells:
    """A policy that acts by the cell of its budget: ``choices(t)[s]`` are the runs of the cells of a window."""

    scale: int
    grid: CellGrid
    start: int
    choices: Callable[[int], Sequence[Runs]]

    def lines(self) -> Iterator[str]:
        yield f"lower cells {self.scale}\n"
        yield from self.grid.lines()
        yield f"start {self.start}\n"
        for t in range(len(self.grid.halvings)):
            rows = self.choices(t)
            yield f"choices {len(rows)}\n" + "".join(
                f"{s} {len(runs)} {' '.join(f'{count} {a}' for count, a in runs)}\n" for s, runs in enumerate(rows)
            )


@dataclass(frozen=True)
class ByAllCells:
    """The least expected cost over all policies from every budget of the first window."""

    scale: int
    grid: CellGrid

    def lines(self) -> Iterator[str]:
        yield f"upper cells {self.scale}\n"
        yield from self.grid.lines()


class Budgets:
    """The budgets met at each step, in units of the grid before it."""

    def __init__(self, model: IntegerModel, policy: CellPolicy) -> None:
        gains = [gain for actions in model.states for _, outcomes in actions for _, gain, _ in outcomes]
        base = policy.least * model.reward_denominator
        if base.denominator != 1:
            raise Unsupported(f"not covered: a policy whose base {policy.least} is no multiple of the rewards' unit")
        self.policy, self.base = policy, int(base)
        before = (0, *policy.halvings)
        self.halvings = tuple(now - last for last, now in pairwise(before))
        self.units = [policy.eta / 2**h for h in before]
        widest = Fraction(max(gains) - self.base, model.reward_denominator)
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
                actions = table[s, inside]
                ends = [0, *(np.flatnonzero(np.diff(actions)) + 1).tolist(), len(actions)] if len(actions) else [0]
                runs = [(stop - start, int(actions[start])) for start, stop in pairwise(ends)]
                if first < 0:
                    runs.insert(0, (min(0, last + 1) - first, int(policy.linear[t, s])))
                found.append(runs)
            return found

        return at
