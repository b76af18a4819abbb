r"""The planning routes, in order; the first that accepts a problem solves it.

One pass gives a search for nothing policies to compare its own with, and upper bounds (:func:`improved`).  If G is
concave and :math:`G(\alpha) \ge H(\alpha)` for :math:`H(\tau) = (1 - w)\tau + w \min(\tau/\alpha, 1)`, then :math:`G
\ge H` on [0, 1], because H is linear on both sides of alpha and meets G at 0 and 1; so :math:`\Phi_G \le \Phi_H`, and
the best mixture H of mean and CVaR bounds the optimum (theory 05, B13).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ..errors import InvalidArgument
from ..grid import FloatModel, float_model
from ..numbers.enclosure import bounds
from ..objectives import CVaR, Mean, VaR, Weighting
from ..objectives.entropic import Entropic
from ..policy.cell_policy import CellPolicy
from ..progress import Progress
from .affordable_law import affordable_law
from .certify import certify_on_grid
from .clock import Clock
from .entropic_route import plan_entropic
from .exact_route import exact_within
from .grid_choice import DEFAULT_GAP, choose_unit, fits_own_grid, interpolates, served_by_own_grid, wanted_unit
from .problem import Problem, few_returns
from .result import ErrorBudget, Plan
from .rounding import confirmable
from .search.attained_coordinates import search_attained_returns
from .search.cells_route import search_cells
from .search.driver import Aim, lower_by_law
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
    return improved(route.solve(replace(problem, seconds=seconds)), problem)


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
    bounds = search.bounds(by_mean=problem.by_mean)
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
    Route("integers, over attainable returns", lambda p: p.eta is None and few_returns(p.mdp, p.objective), _exact),
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
        "search, tables read between grid points", lambda p: p.needs_search and interpolates(p.mdp, p.eta), search_cells
    ),
    Route("a few CVaRs on a grid", lambda p: few_levels(p.objective), _on_grid(_several_levels)),
    Route("VaR on a grid", lambda p: p.objective.quantile is not None, _on_grid(_thresholds)),
    Route("mean and one CVaR on a grid", lambda p: not p.needs_search, _on_grid(_budgets)),
    Route("search on a grid", lambda p: True, _on_grid(search_grid)),
)


# -- bounds by one pass ------------------------------------------------------------------------------------------------


LEVELS = tuple(Fraction(1, k) for k in (20, 4, 2))  # levels of the CVaRs that are tried
SHARES = 10**6  # denominator of the weights of CVaRs
RESERVED = 0.2  # share of a time limit that a search leaves for this


def improved(found: Plan, problem: Problem) -> Plan:
    """Return the plan of a search, with a better policy or upper bound if one pass has it and the gap is not met.

    :raises AssertionError: if a policy's value exceeds an upper bound
    """
    # compilations are not charged to a time limit, so this share of it is left even where they took longer than all
    clock = Clock(None if problem.seconds is None else max(problem.clock.left, RESERVED * problem.seconds))
    low, high = span = problem.mdp.remaining_range(0)
    wanted = problem.gap if problem.gap is not None else DEFAULT_GAP * (high - low)
    best, above = found, ""
    searched_between = any(isinstance(part, CellPolicy) for _, part in found.policy.parts())
    for other in candidates(problem.objective):
        left = None if clock.seconds is None else max(clock.left, 0.0)
        if best.gap <= wanted or clock.late():
            break
        # a quantile has no tables between grid points, and its own grid may be thousands of times as fine
        eta = found.eta if searched_between and other.quantile is not None else problem.eta
        try:
            plan = solve(Problem(problem.mdp, other, eta, None, left))
        except InvalidArgument:  # its tables do not fit
            continue
        between = isinstance(plan.policy, CellPolicy)
        if plan.upper < best.upper and not between and is_above(problem.objective, other):
            best, above = replace(best, upper=plan.upper, value=min(best.value, plan.upper)), other.spec
        if not above and not searched_between and plan.eta != best.eta:  # a certificate has one grid
            continue
        if (known := affordable_law(problem.mdp, plan.policy)) is not None:
            lower = lower_by_law(problem.objective, *known, span, Clock(left))
            lower = confirmable(lower, problem.mdp, problem.objective)
            if lower > best.lower:
                best = replace(
                    best, policy=plan.policy, lower=lower, value=lower, known_law=known[0], known_error=known[1],
                    eta=plan.eta,
                )  # fmt: skip
        if best.lower > best.upper:
            raise AssertionError(
                f"a policy attains {best.lower}, above the upper bound {best.upper}: please report this model"
            )
    if best is found:
        return found
    method = f"{found.certificate.method}; compared with one pass each for mean, CVaR and VaR"
    method += f"; the upper bound is that of {above}, which is never less" if above else ""
    budget = replace(best.certificate, method=method, contributions=(("search, and what one pass leaves", best.gap),))
    return replace(best, certificate=budget)


def candidates(objective: Weighting) -> Iterator[Weighting]:
    """Yield objectives of one pass: the mean; CVaR at a few levels, mixed with the mean so that :func:`is_above` holds
    if the objective is concave; the median."""
    yield Mean()
    for alpha in LEVELS:
        if objective.shape == "concave":
            reached, _ = bounds(objective.value(alpha))
            share = Fraction(math.floor((reached - alpha) / (1 - alpha) * SHARES), SHARES)
            both = (1 - share) * Mean() + share * CVaR(alpha)
            assert isinstance(both, Weighting)
            yield both
        else:
            yield CVaR(alpha)
    yield VaR("1/2")


def is_above(objective: Weighting, other: Weighting) -> bool:
    """Return whether ``other``, a mixture of mean and one CVaR, is certainly at least ``objective`` for every law."""
    levels = other.levels
    if objective.shape != "concave" or levels is None or len(levels.tails) > 1:
        return False
    return all(bounds(objective.value(a))[0] >= levels.mean * a + w for a, w in levels.tails)
