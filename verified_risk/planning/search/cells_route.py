r"""Search for any weighting if returns lie between grid points: with a discount, or if the rewards' grid is too fine.

``upper`` comes from a search over boxes of CDFs with interpolated tables (docs/theory/05-certificates.md, part D),
``lower`` from the policy found: with lines :math:`G \le m_k + c_k \tau` above the weighting on the range of its CDF in
cell k,

.. math:: \int G(F)\,dx \le \sum_k m_k + \mathbf E\, h(Z), \qquad h(z) = \int_z^B c,

and one more pass bounds the last term from above (D5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...grid.compiled import Floats
from ...mdp import MDP
from ...objectives import VaR, Weighting
from ...objectives.lines import line_above
from ...policy import Policy
from ...policy.cell_policy import CellPolicy
from ...progress import Progress
from .. import clock as timing
from ..certify import Held, certify, evaluated
from ..clock import Clock
from ..exact.exact_route import exact_plan
from ..forward_law import PATIENT_SECONDS, float_law, forward_seconds
from ..outward import confirmable, short_below, within_range
from ..problem import Problem, few_returns
from ..result import Plan
from .cell_coordinates import CellOracle, CellSearch, cells_of, fits
from .driver import (
    DEFAULT_SECONDS,
    SPARED,
    Coordinates,
    Driver,
    accuracy_in,
    compile_search,
    kept_parts,
    lower_by_law,
    mixed,
    power_of_four_below,
)
from .jump_mixing import by_laws, off_the_jump
from .relaxation import Mixture

FIRST_CELLS = 64
"""Cells of the first grid, which is coarse, since its passes are timed to choose the next one."""
MOST_CELLS = 2048
"""Maximum number of cells of the finest grid: the tables of a search grow with the square of the cells."""
DEFAULT_GAP = Fraction(1, 1000)
"""Default gap to aim at, as a share of the range of returns."""
ACCURACY = Fraction(1, 1000)
"""Largest distance between the polygon and the weighting, as a share of one cell."""
PASSES = 60
"""Approximate number of passes in a round that reaches the bound of its root."""


@dataclass(frozen=True)
class SearchedGrid:
    """The result of one grid, in the user's units."""

    eta: Fraction
    lower: Fraction
    upper: Fraction
    policy: Policy
    passes: int
    nodes: int
    seconds_per_pass: float
    contract_seconds: float


def search_cells(problem: Problem) -> Plan:
    """Run one round for a given ``eta``; otherwise a coarse one, then the finest that fits in the remaining time."""
    mdp, objective, eta = problem.mdp, problem.objective, problem.eta
    compile_cells()
    clock = Clock(DEFAULT_SECONDS if problem.seconds is None else problem.seconds)
    low, high = mdp.remaining_range(0)
    wanted = DEFAULT_GAP * (high - low) if problem.gap is None else problem.gap
    quantiles = _best_quantiles(mdp, objective)
    surely = [found.value for found in quantiles]
    rounds: list[SearchedGrid] = []
    unit: Fraction | None = _coarse(mdp, high - low) if eta is None else eta
    while unit is not None:
        coarse = eta is None and not rounds
        limit = clock.began + 0.15 * (clock.deadline - clock.began) if coarse else clock.deadline
        rounds.append(_round(mdp, objective, unit, wanted, limit, surely, clock))
        lower, upper = max(r.lower for r in rounds), min(r.upper for r in rounds)
        if problem.progress is not None:
            problem.progress(Progress(clock.spent, lower, upper))
        unit = None
        if eta is None and upper - lower > wanted:
            unit = _finer(mdp, rounds[-1], clock.left)
    return _answer(mdp, objective, rounds, wanted, quantiles, clock)


def _coarse(mdp: MDP, width: Fraction) -> Fraction:
    """Return the step of the first grid: :data:`FIRST_CELLS` cells, or as many as fit in memory."""
    cells = FIRST_CELLS
    while cells > 1 and not fits(mdp, width / cells):
        cells //= 2
    return short_below(width / cells)


def _finer(mdp: MDP, last: SearchedGrid, left: float) -> Fraction | None:
    """Return the step of the finest grid expected to finish its root in the time left; None if there is none."""
    best, factor = None, 2
    while cells_of(mdp, last.eta / factor) <= MOST_CELLS and fits(mdp, last.eta / factor):
        expected = PASSES * last.seconds_per_pass * factor + last.contract_seconds * factor**2
        if expected > 0.8 * left:
            break
        best, factor = last.eta / factor, 2 * factor
    return best


def _best_quantiles(mdp: MDP, objective: Weighting) -> list[Plan]:
    """Return the plans for the quantiles of all jumps, if they are found quickly: at such a quantile the CDF of every
    policy is past the jump (B8)."""
    quantiles = [VaR(jump.level, upper=jump.upper) for jump in objective.jumps]
    return [exact_plan(mdp, G) for G in quantiles] if all(few_returns(mdp, G) for G in quantiles) else []


def _round(
    mdp: MDP,
    objective: Weighting,
    eta: Fraction,
    gap: Fraction,
    deadline: float,
    surely: Sequence[Fraction] = (),
    clock: Clock | None = None,
) -> SearchedGrid:
    """Search on one grid; from the return ``surely[j]`` on, every policy is past jump j of the weighting."""
    oracle = CellOracle(mdp, eta)
    clock = Clock() if clock is None else clock
    accuracy = power_of_four_below(max(ACCURACY / oracle.top, accuracy_in(clock.seconds)))
    starts = tuple(math.ceil((value - oracle.model.offset) / eta) for value in surely)
    model = oracle.model
    coordinates = Coordinates(oracle, eta, model.offset + eta * oracle.top, kind=CellSearch)

    def worth(best: Mixture) -> Held:
        parts = kept_parts(best)
        cost = cost_above(objective, oracle, best, parts, clock) + Fraction(SPARED) * oracle.top
        return Held(coordinates.most - eta * cost, mixed((w, policy_of(oracle, choice)) for w, choice in parts))

    driver = Driver(
        coordinates, objective, accuracy, starts, float(gap / eta) / 4, clock, worth, deadline=deadline
    )  # fmt: skip
    began = timing.now()
    driver.search.vertex(np.ones(oracle.top), masked=False)
    spent = timing.now() - began
    driver.run()
    lower, upper = within_range(mdp, confirmable(driver.held.lower, mdp, objective), driver.upper)
    seconds = oracle.contract_seconds
    return SearchedGrid(eta, lower, upper, driver.held.policy, oracle.calls, driver.search.nodes, spent, seconds)


def cost_above(
    objective: Weighting,
    oracle: CellOracle,
    best: Mixture,
    parts: list[tuple[Fraction, npt.NDArray[Any]]],
    clock: Clock,
) -> Fraction:
    r"""Return an upper bound on :math:`\int G(F)\,dx` of the mixture, in cells (D5, what the policy earns).

    Every cell has a line of its own; after the deadline and its grace period, two, four, ... cells share one.
    """
    low, high = _pointwise(objective, oracle, parts)
    lines: list[tuple[Fraction, Fraction]] = []
    step = 1
    while len(lines) < oracle.top:
        first, after = len(lines), min(len(lines) + step, oracle.top)
        least, most, at = min(low[first:after]), max(high[first:after]), Fraction(float(best.cdf[(first + after) // 2]))
        lines += [line_above(objective, least, most, at)] * (after - first)
        if clock.over():
            clock.leave_out("a line above the weighting in every cell")
            step *= 2
    slopes = np.array([float(c) for c, _ in lines])
    total = Fraction()
    for (c, m), slope, a, b in zip(lines, slopes.tolist(), low, high, strict=True):
        rest = c - Fraction(slope)  # what rounding removed from the slope
        total += m + max(rest * a, rest * b)
    return total + sum((w * Fraction(oracle.above(slopes, choice)) for w, choice in parts), Fraction())


def _pointwise(
    objective: Weighting, oracle: CellOracle, parts: list[tuple[Fraction, npt.NDArray[Any]]]
) -> tuple[list[Fraction], list[Fraction]]:
    """Bound the mixture's CDF at every point of each cell; trivially if the weighting is concave."""
    n = oracle.top
    if objective.shape in ("concave", "linear"):
        return [Fraction()] * n, [Fraction(1)] * n
    low, high = [Fraction()] * n, [Fraction()] * n
    for w, choice in parts:
        least, most = oracle.ranges(choice)
        for k in range(n):
            low[k] += w * Fraction(float(least[k - 1])) if k else Fraction()
            high[k] += w * (Fraction(float(most[k + 1])) if k + 1 < n else 1)
    return low, [min(x, Fraction(1)) for x in high]


def policy_of(oracle: CellOracle, choice: npt.NDArray[Any]) -> CellPolicy:
    """Convert choices to a policy: cell j of the return so far is cell B - 1 - j of the budget left of B."""
    mdp, top = oracle.mdp, oracle.top
    tables, linear = [], []
    for t in range(mdp.horizon):
        cells = np.minimum(np.arange(top - 1, -1, -1), oracle.nodes[t] - 1)
        tables.append(choice[t][:, cells].copy())
        linear.append(choice[t][:, oracle.nodes[t] - 1].copy())
    return CellPolicy(mdp, oracle.eta, (0,) * mdp.horizon, top, tables, np.array(linear))


def _answer(
    mdp: MDP,
    objective: Weighting,
    rounds: list[SearchedGrid],
    wanted: Fraction,
    quantiles: Sequence[Plan] = (),
    clock: Clock | None = None,
) -> Plan:
    clock = Clock() if clock is None else clock
    best, closest = max(rounds, key=lambda r: r.lower), min(rounds, key=lambda r: r.upper)
    upper = closest.upper
    held = evaluated(Held(best.lower, best.policy), mdp, objective, clock)
    if held.law is not None:
        for quantile in quantiles:
            if upper - held.lower > wanted and held.law is not None:
                held = off_the_jump(held, quantile.policy, by_laws(objective, held.law, quantile.required_law()))
    elif upper - best.lower > wanted:
        held = _by_float_law(held, mdp, objective, clock)
    held = replace(held, lower=confirmable(held.lower, mdp, objective))
    last = rounds[-1]
    why = "the gap is met" if upper - held.lower <= wanted else "no finer grid fits into time and memory"
    method = (
        f"search over CDFs, tables read between {cells_of(mdp, last.eta) + 1} nodes: "
        f"{sum(r.passes for r in rounds)} passes, {sum(r.nodes for r in rounds)} nodes, {len(rounds)} rounds: {why}"
    )
    return certify(
        mdp, objective, held, upper, best.eta, clock.said(method),
        lambda lower, upper: (("search, and returns between grid points", upper - lower),),
    )  # fmt: skip


def _by_float_law(held: Held, mdp: MDP, objective: Weighting, clock: Clock) -> Held:
    """If the rewards' own grid allows a forward pass, return the lower bound from the policy's law, provided that it is
    at least as good as the one from interpolated tables."""
    seconds = forward_seconds(mdp)
    if seconds > PATIENT_SECONDS or not clock.affords(seconds, "the law of the policy's return", last=True):
        return held
    found = float_law(mdp, held.policy)
    if found is None:
        return held
    lower = lower_by_law(objective, *found, mdp.remaining_range(0), clock)
    return Held(lower, held.policy, *found) if lower >= held.lower else held


@lru_cache(maxsize=1)
def compile_cells() -> None:
    """Compile or load the kernels on a toy model, before the clock starts."""
    from ...kernels import cell_pass, polygon_bounds
    from ...kernels.jit import compile_next

    compile_next(*(found for module in (cell_pass, polygon_bounds) for found in vars(module).values()))
    coin = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    toy = MDP(0, [[coin, {0: 1}], [{0: 1}]], [[coin, {"1/3": 1}], [{0: 1}]], horizon=2, discount=Fraction(1, 2))
    oracle = CellOracle(toy, Fraction(1, 2))
    slopes: Floats = np.ones(oracle.top)
    oracle.contract(slopes, slopes, slopes)
    oracle.above(slopes, oracle.choice)
    oracle.cdf()
    compile_search()
