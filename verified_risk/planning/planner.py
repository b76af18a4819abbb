r"""``plan(mdp, G)``: the certified planner.

Floats find the policy; the certificate is about the exact model (docs/theory/05-certificates.md, part C):

* rewards are put on a grid, rounded up if they are not on it: the optimum can only rise, by less than ``T * eta``;
* the grid model is solved in float64, with bounds that account for every rounding;
* the policy is adapted to the model itself, and evaluated there exactly where that is affordable.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..errors import InvalidArgument, InvalidNumber
from ..grid import own_unit
from ..grid.floats import FloatModel, float_model
from ..mdp import MDP
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy import GridPolicy, Policy
from ..progress import Report, read_report
from ..rational import Rational, as_fraction, as_step, float_below
from .plan import Certificate, Plan
from .policy_law import exact_value
from .tails.budget import memory_limit, require_memory, table_bytes
from .tails.route import Bounds, best_single_level

LARGEST_GRID = 2**40
"""Grid points of the returns: beyond it, sums of units times probabilities are no longer exact enough in float64."""
DEFAULT_SEARCH_SECONDS = 60.0
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
    memory, and otherwise the coarsest grid that meets ``gap``.  Mean, CVaR, their mixtures and VaR need no search.
    All other weightings do: it stops when ``upper - lower`` is at most ``gap`` (default: a millionth of the range of
    returns) or after ``time_limit`` seconds (default: a minute if no gap is given either), and the bounds are valid
    whenever it stops.  It goes no closer than about 1e-10 of the range of returns, which is what floats can certify.
    ``objective`` may be text, ``"cvar(1/10)"``.  ``progress`` is called with a :class:`~verified_risk.Progress` now and
    then.

    Possible issues: ties between actions break towards the least index, in float64; compare values, not policies.  A
    ``time_limit`` bounds the search, not the compilation of the kernels; where it is short, an irrational weighting is
    enclosed less closely.
    """
    if not isinstance(mdp, MDP):
        raise InvalidArgument(f"mdp is {mdp!r}, wanted an MDP")
    progress = read_report(progress)
    objective = read_objective(objective)
    wanted = read_gap(gap)
    seconds = _nonnegative(time_limit, "time_limit")
    share = Fraction(1, 2) if _needs_search(objective) else Fraction(99, 100)
    model = float_model(mdp, choose_unit(mdp, eta, wanted, share))
    require_memory(model)
    return _solve(mdp, objective, model, wanted, None if seconds is None else float(seconds), progress)


def _needs_search(objective: Weighting) -> bool:
    """Whether one pass does not suffice: anything but VaR, the mean, and the mean with one CVaR."""
    if objective.quantile is not None:
        return False
    levels = objective.levels
    return levels is None or len(levels.tails) > 1


def read_gap(gap: Any) -> Fraction | None:
    """``gap`` as an exact nonnegative number."""
    return _nonnegative(gap, "gap")


def _nonnegative(value: Any, name: str) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, float) and value == math.inf and name == "time_limit":
        return None
    try:
        number = as_fraction(value, name)
    except InvalidNumber as error:
        raise InvalidArgument(str(error)) from None
    if number < 0:
        raise InvalidArgument(f"{name} is {number}, wanted a nonnegative number")
    return number


def choose_unit(mdp: MDP, eta: Rational | None, gap: Fraction | None, share: Fraction = Fraction(99, 100)) -> Fraction:
    """The grid step: the caller's, the rewards' own, or the coarsest that keeps ``T * eta`` within ``share`` of gap."""
    if eta is not None:
        return _unit_that_fits(mdp, eta)
    if mdp.is_discrete:
        unit = own_unit(mdp)
        if table_bytes(mdp.n_states, _steps_remaining(mdp, unit)) <= memory_limit():
            return unit
        if not gap:
            fits = own_grid_that_fits(mdp, unit)
            raise InvalidArgument(
                f"eta is None and the rewards' own grid (step {unit}) does not fit in {memory_limit() / 1e9:.1f} GB: "
                f"give eta (at least {fits} fits) or a positive gap"
            )
    if not gap:
        raise InvalidArgument(
            f"eta is None, gap is {gap} and the rewards are continuous: give eta, the grid step, or a positive gap"
        )
    # Rounding up costs at most T eta; the rest of the gap is left for floating point and for a search.
    unit = _short_below(gap * share / mdp.horizon)
    needed, limit = table_bytes(mdp.n_states, _steps_remaining(mdp, unit)), memory_limit()
    if needed > limit:
        fits = own_grid_that_fits(mdp, unit)
        raise InvalidArgument(
            f"gap is {gap}: the grid it needs (step {unit}) takes {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB "
            f"allowed, wanted a larger gap, or eta of at least {fits}"
        )
    return unit


def _unit_that_fits(mdp: MDP, eta: Rational) -> Fraction:
    """``eta`` as an exact positive number that needs no more than :data:`LARGEST_GRID` points."""
    unit = as_step(eta)
    low, high = mdp.reward_range
    if (high - low) / unit * mdp.horizon > LARGEST_GRID or max(abs(low), abs(high)) / unit > LARGEST_GRID:
        raise InvalidArgument(f"eta is {eta}: the returns then need more than 2**40 grid points, wanted a larger eta")
    return unit


def _short_below(x: Fraction) -> Fraction:
    """A short number, at most ``x`` and not much less: ``1/n``, or two digits if it is above 1."""
    if x < 1:
        return Fraction(1, math.ceil(1 / x))
    power = Fraction(10) ** (len(str(math.floor(x))) - 2)
    return math.floor(x / power) * power


def own_grid_that_fits(mdp: MDP, unit: Fraction) -> Fraction:
    """A grid step, a multiple of ten times or more of what is too fine, whose tables fit in memory."""
    while table_bytes(mdp.n_states, _steps_remaining(mdp, unit)) > memory_limit():
        unit *= 2
    power = Fraction(10) ** math.floor(math.log10(unit))
    return math.ceil(unit / power * 10) * power / 10


def _steps_remaining(mdp: MDP, unit: Fraction) -> list[int]:
    """A bound on ``FloatModel.remaining`` without building the model."""
    low, high = mdp.reward_range
    spans = [math.ceil(mdp.step_reward(t, high - low) / unit) + 1 for t in range(mdp.horizon)]
    remaining = [0]
    for span in reversed(spans):
        remaining.append(remaining[-1] + span)
    return remaining[::-1]


def _solve(
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    gap: Fraction | None,
    seconds: float | None,
    progress: Report | None,
) -> Plan:
    if objective.quantile is not None:
        from .quantile import best_quantile

        return finished(mdp, objective, model, best_quantile(model, objective.quantile, mdp), "threshold probabilities")
    if not _needs_search(objective):
        bounds = best_single_level(model, objective.require_levels())
        return finished(mdp, objective, model, bounds, "budget recursion, float64")
    from .search.route import best_general

    return best_general(mdp, objective, model, gap, seconds, progress)


def tidy_below(x: Fraction) -> Fraction:
    """``x`` itself if it is short, otherwise a short number just below it: bounds should print on one line."""
    if x.denominator.bit_length() <= 64:
        return x
    if abs(x) < 1:
        return Fraction(float_below(x))
    return Fraction(math.floor(x * 2**64), 2**64)  # a float would lose the fraction of a large number


def tidy_above(x: Fraction) -> Fraction:
    """``x`` itself if it is short, otherwise a short number just above it."""
    return -tidy_below(-x)


def finished(mdp: MDP, objective: Weighting, model: FloatModel, bounds: Bounds, method: str) -> Plan:
    """Back to the user's units and the user's model."""
    shift = model.offsets[-1]
    grid_lower, estimate, upper = (model.unit * (shift + x) for x in (bounds.lower, bounds.estimate, bounds.upper))
    grid_lower, upper = tidy_below(grid_lower), tidy_above(upper)
    policy: Policy = GridPolicy(mdp, model.unit, bounds.rule)
    lower = grid_lower - model.loss
    value, law = estimate - model.loss if model.loss else estimate, None
    found = exact_value(mdp, policy, objective, patient=not model.exact)
    if found is not None:
        attained, law = found
        lower = value = max(lower, attained)
    if lower > upper:  # the judge and the bound share no code; they must agree
        raise AssertionError(f"the policy attains {lower}, above the upper bound {upper}: please report this model")
    value = min(max(value, lower), upper)
    discretised = max(Fraction(), grid_lower - lower) if not model.exact else Fraction()
    contributions = (
        ("rewards rounded up to the grid", discretised),
        *model.float_parts(upper - lower - discretised),
    )
    return Plan(mdp, objective, value, lower, upper, policy, law, model.unit, Certificate(method, contributions))
