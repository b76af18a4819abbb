r"""``plan(mdp, G)``: the certified planner.

Floats find the policy; the certificate is about the exact model (docs/theory/05-certificates.md, part C):

* rewards are put on a grid, rounded up if they are not on it: the optimum can only rise, by less than ``T * eta``;
  discounted rewards lie between grid points instead, and tables are read there (part D);
* the grid model is solved in float64, with bounds that account for every rounding;
* the policy is adapted to the model itself, and evaluated there exactly where that is affordable.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import InvalidArgument
from ..grid.floats import FloatModel, float_model
from ..kernels.jit import reporting_compilations
from ..mdp import MDP
from ..mdp.model import required_model
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy import GridPolicy, Policy
from ..progress import Report, read_report
from .affordable_law import exact_value, most_cells, surely_more_cells
from .clock import Clock, read_nonnegative, read_seconds
from .exact.exact_route import FEW_CELLS, exact_within
from .grid_choice import (
    between_points,
    choose_unit,
    fits_own_grid,
    own_grid,
    served_by_own_grid,
    steps_remaining,
    unit_that_fits,
    wanted_unit,
)
from .outward import tidy_above, tidy_below, within_range
from .result import Certificate, Plan
from .tails.refine import mean_plan, refined_plan, serves
from .tails.tail_route import Bounds, best_single_level

DEFAULT_SEARCH_SECONDS = 60.0
MANY_POINTS = 100_000
"""Cells of plain tables, beyond which few attainable returns are listed instead."""
DEFAULT_SEARCH_GAP = Fraction(1, 10**6)
"""Of the range of returns, where a search is needed and the caller gave no gap."""


def plan(
    mdp: MDP,
    objective: Weighting | str,
    *,
    eta: Rational | None = None,
    gap: Rational | None = None,
    time_limit: float | None = None,
    progress: Report | None = None,
) -> Plan:
    """A policy with certified bounds on the optimum over *all* policies, randomised and history-dependent ones
    included.

    >>> import verified_risk as vr
    >>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> answer = vr.plan(mdp, vr.CVaR("1/4"))
    >>> answer.lower, answer.upper >= answer.lower
    (Fraction(1, 4), True)

    ``eta`` is the grid of rewards; without it, the rewards' own grid is used where there is one and it fits in
    memory, and otherwise a grid that meets ``gap`` (default: a thousandth of the range of returns), or the finest that
    fits.  With a discount, mean and CVaR are read between the points of a grid that gets finer from step to step
    (:mod:`verified_risk.planning.tails.interpolated_tables`), and a search reads its tables between grid points
    (:mod:`verified_risk.planning.search.cell_coordinates`); its default gap is a thousandth of the range of returns,
    and it gets a minute unless ``time_limit`` says otherwise.  Mean, CVaR, their mixtures and VaR need no search.  All
    other weightings do: it stops when ``upper - lower`` is at most ``gap`` (default: a millionth of the range of
    returns) or after ``time_limit`` seconds (default: a minute if no gap is given either), and the bounds are valid
    whenever it stops.  It goes no closer than about 1e-10 of the range of returns, which is what floats can certify;
    a smaller ``gap`` gets a time limit of a minute if none is given.
    ``objective`` may be text, ``"cvar(1/10)"``.  ``progress`` is called with a :class:`~verified_risk.Progress` now and
    then.

    Possible issues: ties between actions break towards the least index, in float64; compare values, not policies.  A
    ``time_limit`` bounds the call, to within a second and one pass, but not the compilation of the kernels; where it is
    short, an irrational weighting is enclosed less closely, and what was left out (the policy's exact law, ties decided
    in integers) is said in the certificate.

    :param mdp: the model
    :param objective: a weighting, or its text
    :param eta: the step of the grid of rewards
    :param gap: when the bounds are close enough
    :param time_limit: seconds
    :param progress: a function of a :class:`~verified_risk.Progress`
    :returns: bounds, policy, law and certificate
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory; a grid that fits is named
    :raises InvalidObjective: if the text is no weighting
    """
    mdp = required_model(mdp)
    progress = read_report(progress)
    objective = read_objective(objective)
    wanted = read_gap(gap)
    limit = read_seconds(time_limit)
    unit = None if eta is None else unit_that_fits(mdp, eta)
    with reporting_compilations(progress):
        return _plan(mdp, objective, unit, wanted, limit, progress)


def _plan(
    mdp: MDP,
    objective: Weighting,
    unit: Fraction | None,
    wanted: Fraction | None,
    limit: float | None,
    progress: Report | None,
) -> Plan:
    """The route that serves."""
    clock = Clock(limit)
    if unit is None and few_returns(mdp, objective):
        exact = exact_within(mdp, objective, Clock())  # tens of milliseconds
        return replace(exact, certificate=Certificate("exact integer arithmetic on the attainable returns"))
    if serves(mdp, objective) and not served_by_own_grid(mdp, unit):
        found = refined_plan(mdp, objective, unit, wanted, limit, progress)
        near = found.gap <= mdp.horizon * found.eta or clock.late()
        return found if near else _closer(found, mdp, objective)
    is_mean = objective.levels is not None and not objective.levels.tails
    if unit is None and is_mean and mdp.is_discrete and not fits_own_grid(mdp):
        return mean_plan(mdp, objective)
    if unit is None and _needs_search(objective):
        from .search.attained_coordinates import attained_plan, unfolded

        few = unfolded(mdp)
        if few is not None:
            return attained_plan(few, objective, wanted, limit, progress)
    if _needs_search(objective) and between_points(mdp, unit):
        from .search.cells_route import between_plan

        return between_plan(mdp, objective, unit, wanted, limit, progress)
    searching = _needs_search(objective)
    model = float_model(mdp, choose_unit(mdp, unit, wanted, searching=searching))
    found = _solve(mdp, objective, model, wanted, None if limit is None else max(clock.left, 0.0), progress)
    if unit is None and not fits_own_grid(mdp) and model.unit > wanted_unit(mdp, wanted, searching=searching):
        method = f"{found.certificate.method}; on the finest grid that fits into memory"
        return replace(found, certificate=replace(found.certificate, method=method))
    return found


def _closer(found: Plan, mdp: MDP, objective: Weighting) -> Plan:
    """Rounding up costs at most ``T * eta`` whatever the level; where few returns and a small level make interpolation
    cost more, it is the better of both."""
    try:
        rounded = _solve(mdp, objective, float_model(mdp, found.eta), None, None, None)
    except InvalidArgument:  # its tables do not fit
        return found
    return min(found, rounded, key=lambda plan: plan.gap)


def few_returns(mdp: MDP, objective: Weighting) -> bool:
    """Whether one exact pass over the attainable returns does, while the grid that holds them has many points."""
    if _needs_search(objective) or not mdp.is_discrete:
        return False
    if surely_more_cells(mdp, FEW_CELLS) or most_cells(mdp) > FEW_CELLS:
        return False
    own = own_grid(mdp)
    return own is None or mdp.n_states * sum(steps_remaining(mdp, own)) > MANY_POINTS


def _needs_search(objective: Weighting) -> bool:
    """Whether one pass does not suffice: anything but VaR, the mean, and the mean with one CVaR."""
    if objective.quantile is not None:
        return False
    levels = objective.levels
    return levels is None or len(levels.tails) > 1


def read_gap(gap: Any) -> Fraction | None:
    """``gap`` as an exact nonnegative number."""
    return read_nonnegative(gap, "gap")


def _solve(
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    gap: Fraction | None,
    seconds: float | None,
    progress: Report | None,
) -> Plan:
    clock = Clock(seconds)
    if objective.quantile is not None:
        from .threshold import best_quantile

        bounds = best_quantile(model, objective.quantile, mdp, clock)
        return finished(mdp, objective, model, bounds, "threshold probabilities", clock)
    if not _needs_search(objective):
        bounds = best_single_level(model, objective.require_levels())
        return finished(mdp, objective, model, bounds, "budget recursion, float64", clock)
    from .search.search_route import best_general

    return best_general(mdp, objective, model, gap, seconds, progress)


def finished(
    mdp: MDP, objective: Weighting, model: FloatModel, bounds: Bounds, method: str, clock: Clock | None = None
) -> Plan:
    """Back to the user's units and the user's model."""
    clock = Clock() if clock is None else clock
    shift = model.offsets[-1]
    grid_lower, estimate, upper = (model.unit * (shift + x) for x in (bounds.lower, bounds.estimate, bounds.upper))
    grid_lower, upper = tidy_below(grid_lower), tidy_above(upper)
    policy: Policy = GridPolicy(mdp, model.unit, bounds.rule)
    lower = grid_lower - model.loss
    value, law = estimate - model.loss if model.loss else estimate, None
    found = exact_value(mdp, policy, objective, patient=not model.exact, clock=clock)
    if found is not None:
        attained, law = found
        lower = value = max(lower, attained)
    lower, upper = within_range(mdp, lower, upper)
    if lower > upper:  # evaluator and bound share no code; they must agree
        raise AssertionError(f"the policy attains {lower}, above the upper bound {upper}: please report this model")
    value = min(max(value, lower), upper)
    discretised = Fraction() if model.exact else min(max(Fraction(), grid_lower - lower), upper - lower)
    contributions = (
        ("rewards rounded up to the grid", discretised),
        *model.float_parts(upper - lower - discretised),
    )
    certificate = Certificate(clock.said(method), contributions)
    return Plan(mdp, objective, value, lower, upper, policy, law, model.unit, certificate)
