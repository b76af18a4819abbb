r"""Search for any weighting on a grid of returns, then certify the answer in the original model.

``upper`` comes from the search over a polygon below G (theory 05, B7, result of the search), ``lower`` from the policy
found: its exact law if affordable, otherwise its float law with every CDF value raised by its error.  For convex or
general G the policy may be a mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...grid import FloatModel
from ...mdp.packed import Floats
from ...numbers.rational import float_above
from ...policy import GridPolicy
from ..certify import Held, certify, evaluated, rounded_up
from ..clock import Clock
from ..result import Plan
from ..rounding import SMALLEST_NORMAL, confirmable
from ..tails.budget_tables import BudgetRule
from ..tails.tail_route import Bounds
from ..threshold import best_quantile
from .driver import (
    CLOSEST,
    Aim,
    Coordinates,
    Driver,
    by_laws,
    compile_search,
    kept_parts,
    mixed,
    off_the_jump,
    weighed_above,
)
from .grid_coordinates import Oracle
from .relaxation import Mixture

if TYPE_CHECKING:
    from ..problem import Problem


class TableRule:
    """A policy on the grid given by ``table[t, s, y]``, with y the shifted sum."""

    def __init__(self, model: FloatModel, table: npt.NDArray[Any]) -> None:
        self.table = table
        self.offsets = model.offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return int(self.table[t, s, i - self.offsets[t]])

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        return self.table[t, :, :width]


@dataclass(frozen=True)
class HeldOnGrid(Held):
    """Also holds the CDF of the policy on the grid, raised by its error, and an upper bound on its cost under G."""

    raised: Floats | None = None
    cost: Fraction = Fraction()


def search_grid(problem: Problem, model: FloatModel, clock: Clock) -> Plan:
    """Search until the gap is closed or time is up."""
    mdp, objective = problem.mdp, problem.objective
    top, unit = model.remaining[0], model.unit
    aim = Aim.of(unit * top, problem.gap, clock.seconds, model.loss)
    compile_search()
    clock = Clock(aim.seconds)
    quantiles = _best_quantiles(problem, model, clock)
    oracle = Oracle(model)
    most = unit * (model.offsets[-1] + top)

    def worth(best: Mixture) -> HeldOnGrid:
        parts = kept_parts(best)
        raised = _raised_cdf(oracle, parts)
        cost = weighed_above(objective, raised, clock)
        policy = mixed((w, GridPolicy(mdp, unit, TableRule(model, choice))) for w, choice in parts)
        return HeldOnGrid(most - unit * cost - model.loss, policy, raised=raised, cost=cost)

    driver = Driver(
        Coordinates(oracle, unit, most), objective, aim.accuracy, [int(q.upper) for q in quantiles],
        float(aim.gap / unit) / 2, clock, worth, problem.progress,
    )  # fmt: skip
    driver.run(by_mean=problem.by_mean)
    upper, found = driver.upper, driver.held
    assert isinstance(found, HeldOnGrid)
    assert found.raised is not None
    grid_lower, raised, cost = found.lower + model.loss, found.raised, found.cost
    held = evaluated(found, mdp, objective, clock, patient=not model.exact or upper - found.lower > aim.gap)
    for quantile in quantiles:
        if upper - held.lower > CLOSEST * top * unit and not clock.over():
            held = _off_the_jump(held, problem, model, oracle, raised, quantile, clock)

    def shares(lower: Fraction, upper: Fraction) -> tuple[tuple[str, Fraction], ...]:
        rounded = rounded_up(model, grid_lower, lower, upper)
        rest = upper - lower - rounded
        searched = max(Fraction(), min(upper - driver.found, rest))
        polygon = Fraction(driver.search.total(raised))  # approximate, used only to attribute the gap
        enclosed = max(Fraction(), min(unit * (cost - polygon), rest - searched))
        return (
            ("rewards rounded up to the grid", rounded),
            ("search", searched),
            ("weighting above its polygon", enclosed),
            *model.float_parts(rest - searched - enclosed),
        )

    method = clock.said(f"search over CDFs: {oracle.calls} passes, {driver.search.nodes} nodes")
    held = Held(confirmable(held.lower, mdp, objective), held.policy, held.law)
    return certify(mdp, objective, held, upper, unit, method, shares)


def _best_quantiles(problem: Problem, model: FloatModel, clock: Clock) -> list[Bounds]:
    """Return the best quantile at the level of each jump of G, in shifted units; an empty list if there is no time."""
    found: list[Bounds] = []
    for jump in problem.objective.jumps:
        if clock.late():
            return []
        found.append(best_quantile(model, jump, problem.mdp, clock))
    return found


def _off_the_jump(
    held: Held, problem: Problem, model: FloatModel, oracle: Oracle, raised: Floats, quantile: Bounds, clock: Clock
) -> Held:
    """Mix in a share of the best quantile's policy, judged by exact laws or by CDFs raised by their errors."""
    mdp, objective = problem.mdp, problem.objective
    other = GridPolicy(mdp, model.unit, quantile.rule)
    if held.law is not None:
        law = evaluated(Held(held.lower, other), mdp, objective, clock).law
        return held if law is None else off_the_jump(held, other, by_laws(objective, held.law, law))
    if not isinstance(quantile.rule, BudgetRule) or clock.late():  # if integers decided there is no table
        return held
    table = np.array([quantile.rule.choices(t, oracle.top + 1) for t in range(mdp.horizon)], dtype=oracle.choice.dtype)
    apart = _raised_cdf(oracle, [(Fraction(1), table)])

    def worth(share: Fraction) -> tuple[Fraction, None]:
        other_share = float_above(share)
        both = np.minimum(_up(_up(float_above(1 - share) * raised) + _up(other_share * apart)), 1.0)
        cost = weighed_above(objective, both, clock)
        return model.unit * (model.offsets[-1] + oracle.top - cost) - model.loss, None

    return off_the_jump(held, other, worth)


def _raised_cdf(oracle: Oracle, parts: Sequence[tuple[Fraction, Any]]) -> Floats:
    """Return the mixture's CDF from float laws, raised by its error; every operation is rounded up."""
    raised = np.zeros(oracle.top)
    factor, lost = float_above(1 + oracle.law_gamma), float_above(oracle.top * SMALLEST_NORMAL * 2**20)
    for w, choice in parts:
        own = np.minimum(_up(_up(oracle.cdf(choice) * factor) + lost), 1.0)
        raised = _up(raised + _up(float_above(w) * own))
    return np.minimum(raised, 1.0)


def _up(x: Floats) -> Floats:
    """Return an upper bound on the exact result of the one operation that computed ``x``."""
    return np.nextafter(x, np.inf)
