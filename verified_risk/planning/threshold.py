r"""Value at risk by threshold probabilities.

The best lower quantile is the largest rho such that some policy falls short of it with probability below alpha (upper
quantile: at most alpha).  One pass computes :math:`p(\rho) = \min_\pi P(Z < \rho)` for all rho; if its enclosure
contains alpha (equality is common), exact integers decide, provided the model is small enough.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..grid import FloatModel, grid_model
from ..mdp import MDP
from ..objectives.weighting import Jump
from .clock import Clock
from .exact_route import TooLarge, last_attained, mean_to_go
from .exact_route import best_quantile as best_quantile_in_rows
from .tails.budget_tables import BudgetRule, BudgetTables, budget_tables
from .tails.tail_route import TIE_SHARE, Bounds

EXACT_CELLS = 300_000  # maximum number of backups for deciding thresholds cell by cell: about a second
ROW_CELLS = 30_000_000  # maximum number of backups for deciding thresholds row by row: about ten seconds
SECONDS_PER_CELL, SECONDS_IN_ROWS = 4e-6, 3e-7
"""Approximate costs of both; they matter only when time is short."""
NONE = Bounds(Fraction(-1), Fraction(-1), Fraction(-1), lambda t, s, i: 0)
"""Stands for: no doubtful threshold is attained."""


def best_quantile(
    model: FloatModel, jump: Jump, mdp: MDP, clock: Clock | None = None, *, by_mean: bool = False
) -> Bounds:
    """Return the largest quantile, in shifted units; ``by_mean`` prefers, of policies that fall short as rarely, one
    with the better mean."""
    tables = budget_tables(model, Fraction(), 0, model.remaining[0], threshold=True)
    certain = _last(tables, jump, tables.enclosure.above)
    possible = max(certain, _last(tables, jump, tables.enclosure.below))
    if possible > certain:
        settled = _settle(model, jump, mdp, range(certain + 1, possible + 1), Clock() if clock is None else clock)
        if settled is not None:
            if settled.lower > certain:
                return settled
            possible = certain
    if by_mean:
        kappa = TIE_SHARE / (model.remaining[0] + 1)
        again = budget_tables(model, kappa, certain, certain, threshold=True, linear=tables.linear)
        least = again.enclosure.below(float(model.initial_prob @ tables.linear.value[0][model.initial_state]))
        if jump.reached_by(again.enclosure.above(float(again.shortfall[0])) - kappa * least):
            return _answer(again, certain, possible)
    return _answer(tables, certain, possible)


def _last(tables: BudgetTables, jump: Jump, bound: Callable[[float], Fraction]) -> int:
    """Bisect for the largest rho that such a bound on p(rho) lets pass; p is nondecreasing, and rho = 0 passes."""
    low, high = 0, tables.high
    while low < high:
        middle = (low + high + 1) // 2
        if jump.reached_by(bound(float(tables.shortfall[middle]))):
            low = middle
        else:
            high = middle - 1
    return low


def _answer(tables: BudgetTables, certain: int, possible: int) -> Bounds:
    return Bounds(Fraction(certain), Fraction(certain), Fraction(possible), BudgetRule(tables, certain))


def _settle(model: FloatModel, jump: Jump, mdp: MDP, rhos: range, clock: Clock) -> Bounds | None:
    """Decide the doubtful rhos in integers; the lower bound is -1 if none is attained.  None if it would take too
    long."""
    cells = model.n_states * sum(model.remaining) * max(1, int(model.succ_start[-1]) // model.n_states)
    tries = len(rhos).bit_length()
    small = cells * tries <= EXACT_CELLS
    if not clock.affords(cells * (tries * SECONDS_PER_CELL if small else SECONDS_IN_ROWS), "ties decided in integers"):
        return None
    if not small:
        return _settle_in_rows(model, jump, mdp, rhos) if cells <= ROW_CELLS else None
    grid, shift = grid_model(mdp, model.unit), model.offsets[-1]
    best = last_attained(grid, jump, [rho + shift for rho in rhos])
    if best is None:
        return NONE
    value, decision = best
    rho = value / grid.unit - shift
    return Bounds(rho, rho, rho, decision)


def _settle_in_rows(model: FloatModel, jump: Jump, mdp: MDP, rhos: range) -> Bounds | None:
    """Decide larger models; with a discount, only if nothing was rounded."""
    if not model.exact and mdp.discount != 1:
        return None
    grid, shift = grid_model(mdp, model.unit), model.offsets[-1]
    try:
        value, decision = best_quantile_in_rows(mdp, jump, mean_to_go(grid), grid.denominator, unit=model.unit)
    except TooLarge:
        return None
    rho = value / grid.unit - shift
    return Bounds(rho, rho, rho, decision) if rho >= rhos[0] else NONE
