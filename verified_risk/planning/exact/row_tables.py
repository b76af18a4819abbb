r"""The exact budget recursion of :mod:`.exact_route` on rows: one array of integers holds the budgets of a state.

Values are over the common denominator :math:`D^{T-t}`, D the product of the denominators of successors and of rewards,
which are averaged one after the other, and over a common factor.  Ties go to the least action.  Rows are faster where
most budgets are met; other models are solved cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...grid import Grid, GridStep, compiled, own_unit
from ...mdp import MDP
from ...numbers.rational import lcm_of_denominators
from ...objectives.weighting import Jump
from ..clock import Tick, unlimited

if TYPE_CHECKING:
    from .exact_route import Decision, MeanToGo

Row: TypeAlias = npt.NDArray[Any]
"""Integers: of int64 if no sum of them can overflow, otherwise Python's."""

LARGEST_DENOMINATOR, MOST_UNITS, MOST_ACTIONS = 2**32, 2**31, 127
"""Limits on the denominators of successors and of rewards, on the units of a return, and on the actions of a state."""
MOST_DIGITS = 50_000_000
"""Maximum size of one table, in digits of 30 bits."""


class TooLarge(ArithmeticError):
    """Raised if rows would hold too many or too long numbers."""


@dataclass(frozen=True)
class RowTables:
    """``cost[rho]`` is the least expected cost of the budget rho = 0, 1, ... in shifted units, over ``denominator``."""

    grid: Grid
    denominator: int
    cost: list[int]
    policy: list[npt.NDArray[np.int8]]
    """The actions at budgets 1, 2, ... of each step."""
    linear: list[list[int]]
    """The actions at all others: nothing is left to decide there, or the cost is linear."""

    @property
    def offsets(self) -> list[int]:
        """The sums of the least rewards of the steps before each."""
        return [0, *accumulate(step.least for step in self.grid.steps)]

    def decision(self, rho: int) -> Decision:
        """Return the policy that starts at budget ``rho``."""
        offsets = self.offsets

        def decision(t: int, s: int, y: int) -> int:
            b = rho - (y - offsets[t])
            return int(self.policy[t][s, b - 1]) if 0 < b <= self.policy[t].shape[1] else self.linear[t][s]

        return decision


def row_tables(
    grid: Grid,
    below: int,
    slope: int,
    outlook: MeanToGo,
    denominator: int,
    *,
    threshold: bool = False,
    tick: Tick = unlimited,
) -> RowTables:
    """Run the recursion with cost ``below * b + slope * b^+`` (or ``1(b > 0)``); ``outlook`` is over ``denominator``.

    If rewards were rounded, every step must have the same laws of them.

    :raises TooLarge: if the tables would be
    """
    horizon, steps, spans, mdp = len(grid.steps), grid.steps, [step.span for step in grid.steps], grid.mdp
    successors = lcm_of_denominators(p for row in grid.successors for _, p in row)
    rewards = lcm_of_denominators(q for row in steps[0].masses for q in row) if grid.product else 1
    total, largest = successors * rewards, 1 if threshold else (below + slope) * (sum(spans) + 1)
    digits = (largest * total**horizon).bit_length() // 30 + 1
    if (
        max(successors, rewards) > LARGEST_DENOMINATOR
        or sum(spans) >= MOST_UNITS
        or max(mdp.n_actions) > MOST_ACTIONS
        or mdp.n_states * digits * (sum(spans) + max(spans) + 1) > MOST_DIGITS
    ):
        raise TooLarge
    weights = [_weights((p for _, p in row), successors) for row in grid.successors]

    def extended(t: int, s: int, inside: Row) -> Row:
        """Add the budgets beside those of a row that step t - 1 reads."""
        power, most, pad = total ** (horizon - t), sum(spans[t:]), spans[t - 1] if t else 0
        to_go = outlook.value[t][s] * (total // denominator) ** (horizon - t) - sum(x.least for x in steps[t:]) * power
        left = below * (np.arange(-pad, 1).astype(object) * power - to_go)
        right = (below + slope) * (np.arange(most + 1, most + pad + 1).astype(object) * power - to_go)
        return np.concatenate([left * 0, inside, right * 0 + power] if threshold else [left, inside, right])

    nothing: Row = np.zeros(0, dtype=object)
    rows = [extended(horizon, s, nothing) for s in range(mdp.n_states)]
    policy = []
    for t in reversed(range(horizon)):
        tick()
        actions, chosen = iter(range(len(weights))), np.zeros((mdp.n_states, sum(spans[t:])), dtype=np.int8)
        kind = np.int64 if 4 * largest * total ** (horizon - t) < 2**62 else object
        after, rows = [row.astype(kind) for row in rows], []
        for s, count in enumerate(mdp.n_actions):
            best: Row = nothing
            for a, i in zip(range(count), actions, strict=False):
                cost = _mean(grid, steps[t], i, weights[i], rewards, after, chosen.shape[1])
                less = cost < best if a else np.full(len(cost), True)
                best, chosen[s, less] = np.where(less, cost, best) if a else cost, a
            rows.append(extended(t, s, best))
        policy.append(chosen)
    whole = lcm_of_denominators(p for _, p in mdp.initial)
    costs = _sum(_weights((p for _, p in mdp.initial), whole), [rows[s] for s, _ in mdp.initial])
    return RowTables(grid, whole * total**horizon, costs.tolist(), policy[::-1], outlook.action)


def _weights(masses: Iterable[Fraction], total: int) -> list[int]:
    return [p.numerator * (total // p.denominator) for p in masses]


def _mean(grid: Grid, step: GridStep, i: int, weights: list[int], rewards: int, after: list[Row], width: int) -> Row:
    """Return the sum over the outcomes of action i, by weight, at the budgets 1, ..., ``width``."""
    row = step.row[i]
    begins = [1 + step.span + step.least - j for j in step.units[row]]
    read = [after[s] for s, _ in grid.successors[i]]
    if grid.product:
        mixed = _sum(weights, read)
        weights, read = _weights(step.masses[row], rewards), [mixed] * len(begins)
    return _sum(weights, [x[k : k + width] for x, k in zip(read, begins, strict=True)])


def _sum(weights: list[int], rows: list[Row]) -> Row:
    found = weights[0] * rows[0]
    for w, row in zip(weights[1:], rows[1:], strict=True):
        found += w * row
    return found


def worth_it(mdp: MDP) -> bool:
    """Whether rows are faster than cells."""
    low, high = mdp.reward_range
    unit = own_unit(mdp)
    top = sum(int(mdp.step_reward(t, high - low) / unit) for t in range(mdp.horizon))
    branches = sum(len(action.successors) * len(action.reward_law) for _, _, action in mdp)
    return top * mdp.horizon * branches > 500_000


def best_tail(
    mdp: MDP, mean: Fraction, slope: Fraction, outlook: MeanToGo, denominator: int, tick: Tick = unlimited
) -> tuple[Fraction, Decision]:
    """Return ``max_rho { rho - E c(rho - Z) }``, ``c(b) = mean * b + slope * b^+``, and a decision that attains it."""
    scale = lcm_of_denominators((mean, slope))
    tables = row_tables(compiled(mdp), int(mean * scale), int(slope * scale), outlook, denominator, tick=tick)
    scores = [scale * tables.denominator * rho - cost for rho, cost in enumerate(tables.cost)]
    rho = scores.index(max(scores))
    value = Fraction(scores[rho], scale * tables.denominator) + tables.offsets[-1]
    return value * tables.grid.unit, tables.decision(rho)


def best_quantile(
    mdp: MDP,
    jump: Jump,
    outlook: MeanToGo,
    denominator: int,
    unit: Fraction | None = None,
    tick: Tick = unlimited,
) -> tuple[Fraction, Decision]:
    """Return the largest rho with ``min P(Z < rho) < alpha`` (or ``<= alpha``), and a decision that attains it.

    Works on the rewards' own grid or, without a discount, on rewards rounded up to multiples of ``unit``.
    """
    tables = row_tables(compiled(mdp, unit), 0, 0, outlook, denominator, threshold=True, tick=tick)
    attained = (jump.reached_by(Fraction(cost, tables.denominator)) for cost in tables.cost)
    rho = max(rho for rho, holds in enumerate(attained) if holds)
    return (rho + tables.offsets[-1]) * tables.grid.unit, tables.decision(rho)
