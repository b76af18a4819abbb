"""The planning routes, in order; the first that accepts a problem solves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ..errors import InvalidArgument
from ..grid.compiled import FloatModel, float_model
from ..objectives.entropic import Entropic
from ..progress import Progress
from .certify import certify_on_grid
from .clock import Clock
from .entropic_route import plan_entropic
from .exact.exact_route import exact_within
from .grid_choice import choose_unit, fits_own_grid, interpolates, served_by_own_grid, wanted_unit
from .one_pass_bounds import RESERVED, improved
from .problem import Problem, few_returns
from .result import ErrorBudget, Plan
from .search.attained_coordinates import search_attained_returns
from .search.cells_route import search_cells
from .search.driver import Aim
from .search.grid_route import search_grid
from .tails.refine import mean_plan, refined_plan, serves
from .tails.several_levels import SeveralLevels, few_levels
from .tails.tail_route import best_mean, best_single_level
from .threshold import best_quantile


class Route(NamedTuple):
    """One way to plan."""

    name: str
    accepts: Callable[[Problem], bool]
    solve: Callable[[Problem], Plan]


def solve(problem: Problem) -> Plan:
    """Solve a problem by the first route that accepts it; a search is compared with what one pass finds."""
    route = next(route for route in ROUTES if route.accepts(problem))
    if not problem.needs_search or isinstance(problem.objective, Entropic):
        return route.solve(problem)
    seconds = None if problem.seconds is None else (1 - RESERVED) * problem.seconds
    return improved(route.solve(replace(problem, seconds=seconds)), problem, solve)


def _exact(problem: Problem) -> Plan:
    found = exact_within(problem.mdp, problem.objective, Clock())  # tens of milliseconds
    return replace(found, certificate=ErrorBudget("exact integer arithmetic on the attainable returns"))


def _interpolated_tables(problem: Problem) -> Plan:
    """Interpolate budget tables.  Rounding up costs at most ``T * eta`` at any level; if few returns and a small level
    make interpolation cost more, return the better of both."""
    mdp, objective = problem.mdp, problem.objective
    found = refined_plan(mdp, objective, problem.eta, problem.gap, problem.seconds, problem.progress)
    if found.gap <= mdp.horizon * found.eta or problem.clock.late():
        return found
    try:
        rounded = _budgets(problem, float_model(mdp, found.eta), Clock())
    except InvalidArgument:  # its tables do not fit
        return found
    return min(found, rounded, key=lambda plan: plan.gap)


def _thresholds(problem: Problem, model: FloatModel, clock: Clock) -> Plan:
    assert problem.objective.quantile is not None
    bounds = best_quantile(model, problem.objective.quantile, problem.mdp, clock, by_mean=problem.by_mean)
    return certify_on_grid(problem.mdp, problem.objective, model, bounds, "threshold probabilities", clock)


def _budgets(problem: Problem, model: FloatModel, clock: Clock) -> Plan:
    bounds = best_single_level(model, problem.objective.require_levels(), by_mean=problem.by_mean)
    found = certify_on_grid(problem.mdp, problem.objective, model, bounds, "budget recursion, float64", clock)
    if problem.by_mean and problem.gap is not None and found.gap > problem.gap:  # the mean may cost too much
        return _budgets(replace(problem, by_mean=False), model, clock)
    return found


def _constant(problem: Problem, model: FloatModel, clock: Clock) -> Plan:
    method = "the return is constant on the grid"
    return certify_on_grid(problem.mdp, problem.objective, model, best_mean(model), method, clock)


def _several_levels(problem: Problem, model: FloatModel, clock: Clock) -> Plan:
    aim = Aim.of(model.unit * model.remaining[0], problem.gap, clock.seconds, model.loss)
    clock, shift, report = Clock(aim.seconds), model.offsets[-1], problem.progress
    search = SeveralLevels(model, problem.objective.require_levels())

    def shown(lower: Fraction, upper: Fraction) -> None:
        assert report is not None
        in_units = (model.unit * (shift + lower) - model.loss, model.unit * (shift + upper))
        report(Progress(clock.spent, *in_units))

    search.run(aim.gap / model.unit / 2, clock, None if report is None else shown)
    bounds = search.bounds
    method = f"budgets of {len(search.alphas)} levels, float64: {search.passes} passes"
    return certify_on_grid(
        problem.mdp, problem.objective, model, bounds, method, clock,
        left_open=bounds.upper - search.margin - bounds.lower,
    )  # fmt: skip


def _on_grid(method: Callable[[Problem, FloatModel, Clock], Plan]) -> Callable[[Problem], Plan]:
    """Run ``method`` on the caller's grid, the rewards' own, or the coarsest that keeps rounding within the gap."""

    def solved(problem: Problem) -> Plan:
        mdp, searching = problem.mdp, problem.needs_search
        model = float_model(mdp, choose_unit(mdp, problem.eta, problem.gap, searching=searching))
        left = None if problem.seconds is None else max(problem.clock.left, 0.0)
        chosen = _constant if searching and model.remaining[0] == 0 else method
        found = chosen(problem, model, Clock(left))
        if problem.eta is not None or fits_own_grid(mdp):
            return found
        if model.unit <= wanted_unit(mdp, problem.gap, searching=searching):
            return found
        said = f"{found.certificate.method}; on the finest grid that fits into memory"
        return replace(found, certificate=replace(found.certificate, method=said))

    return solved


ROUTES = (
    Route("entropic risk and EVaR", lambda p: isinstance(p.objective, Entropic), plan_entropic),
    Route(
        "integers, over attainable returns",
        lambda p: p.eta is None and few_returns(p.mdp, p.objective),
        _exact,
    ),
    Route(
        "mean and one CVaR, tables read between grid points",
        lambda p: serves(p.mdp, p.objective) and not served_by_own_grid(p.mdp, p.eta),
        _interpolated_tables,
    ),
    Route(
        "mean, without returns",
        lambda p: p.eta is None and p.is_mean and p.mdp.is_discrete and not fits_own_grid(p.mdp),
        lambda p: mean_plan(p.mdp, p.objective),
    ),
    Route(
        "search over attainable returns",
        lambda p: p.eta is None and p.needs_search and p.unfolded is not None,
        search_attained_returns,
    ),
    Route(
        "search, tables read between grid points",
        lambda p: p.needs_search and interpolates(p.mdp, p.eta),
        search_cells,
    ),
    Route("a few CVaRs on a grid", lambda p: few_levels(p.objective), _on_grid(_several_levels)),
    Route("VaR on a grid", lambda p: p.objective.quantile is not None, _on_grid(_thresholds)),
    Route("mean and one CVaR on a grid", lambda p: not p.needs_search, _on_grid(_budgets)),
    Route("search on a grid", lambda p: True, _on_grid(search_grid)),
)
