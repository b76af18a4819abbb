r"""``plan.recheck()``: recompute both bounds by routes that share no code with the planner's kernels.

They do share :func:`verified_risk.return_law`, which the planner uses to evaluate policies of small models, and the
polygon below an irrational weighting (:mod:`verified_risk.objectives.polygon`).

* lower: the policy's exact law (:func:`verified_risk.return_law`) if the plan states one or it is quick; otherwise the
  law on the grid in extended precision (:mod:`verified_risk.planning.recheck.wide`), every value of its CDF raised by
  its error, less what rounding rewards up can have added; a law stated in the plan must agree;
* upper, Mean, CVaR, mean-CVaR and VaR: :func:`exact_plan` in integers on small models, one rational for each state and
  attainable sum if those are few; otherwise the plain recursion in extended precision, over all budgets, without
  windows, with its own error bound;
* lower and upper, discounted mean and CVaR: the polygons of the plan, by independent code
  (:mod:`verified_risk.planning.recheck.discounted_tails`); the mean alone in rationals;
* lower and upper, other weightings with a discount: lines above the weighting, and the search's record replayed, with
  interpolated tables (:mod:`verified_risk.planning.recheck.cell_replay`);
* upper, several levels: ``exact_plan`` on small models; otherwise the boxes of budgets of the plan's record
  (:mod:`verified_risk.planning.recheck.budget_boxes`);
* upper, other weightings searched over few attainable returns: the record replayed over returns listed afresh
  (:mod:`verified_risk.planning.recheck.attained_returns`);
* upper, other weightings: weak duality with the first multipliers of the search's record, in rational arithmetic
  (:mod:`verified_risk.planning.recheck.integer_routes`), on small models (tight for convex G); otherwise, or if that is
  too weak, the whole record is replayed in numpy (:mod:`verified_risk.planning.recheck.replay`).

If a route does not confirm a bound, would take too long, or reaches the time limit, the answer is *unknown*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...grid import grid_model, own_unit
from ...law import Law
from ...mdp import MDP, Action
from ...numbers.enclosure import Truth
from ...numbers.enclosure import bounds as interval_of
from ...numbers.rational import exact_sum
from ...objectives import Weighting
from ...objectives.levels import Levels
from ...policy import GridPolicy, MarkovPolicy, Policy
from ...policy.cell_policy import CellPolicy
from ...policy.evaluation import return_law
from ...progress import Progress, Report
from ..affordable_law import PATIENT, QUICK, SECONDS_PER_BRANCH, evaluation_work, most_cells, surely_more_cells
from ..clock import Clock, Tick, TimeUp, memory_limit
from ..exact.exact_route import exact_within
from ..one_pass_bounds import is_above
from ..outward import within_range
from ..result import ErrorBudget, Plan, Recheck
from ..search.trace import BudgetTree, Proof
from .attained_returns import TooManyReturns, attained_replay
from .budget_boxes import BudgetBoxes, RecordDoesNotFit
from .cell_replay import CellTables, bytes_needed
from .cells_worth import cells_of, least_worth, own_actions, pass_jumps, replay_between
from .discounted_tails import MOST_WORK, InterpolatedTails
from .integer_routes import best_on_sums, dual_bound, is_passed, mean_of, remaining_range
from .replay import Outcomes, Replay
from .wide import ROUNDOFF, WideModel, above, at_least, at_most, below, largest, wide

EXACT_WORK = 1_000_000
"""Maximum number of backups for the integer routes."""
SUMS_WORK = 300_000
"""Maximum number of additions of rationals for trying every attainable return: a second."""
TIES_WORK = 1_000_000
"""Maximum number of additions for the pass that decides whether a level is met with equality."""
REPLAY_WORK = 10**11
"""Maximum number of multiplications for replaying a search without a time limit: a few minutes."""
MEAN = Levels(Fraction(1), ())
EXACTLY = "exact optimum in integers"
EXACTLY_ON_SUMS = "exact optimum over attainable sums"
MEAN_EXACTLY = "the mean in rationals"
EXACT_ROUTES = (EXACTLY, EXACTLY_ON_SUMS, MEAN_EXACTLY)
EXACT_LAW = "exact law of the policy"
AGAIN = "the plan's polygon again, in numpy"
TOO_LONG = "the exact law of this policy would take too long"
OTHER_LAW = ", which is not the law that the plan states"
BITS = ROUNDOFF.denominator.bit_length() - 1


@dataclass(frozen=True)
class Worth:
    """Bounds on the policy's value, the route that found them, and whether the plan's law is the policy's."""

    least: Fraction | None
    most: Fraction | None
    route: str
    same_law: bool = True


class Watch:
    """The clock of one recheck, and its progress callback."""

    def __init__(self, seconds: float | None, progress: Report | None) -> None:
        self.clock, self.progress = Clock(seconds), progress

    @property
    def limited(self) -> bool:
        return self.clock.seconds is not None

    def ticks(self, doing: str, total: int) -> Tick:
        """Return a function to call after each of ``total`` steps."""
        done = 0

        def tick() -> None:
            nonlocal done
            done += 1
            if self.progress is not None:
                self.progress(Progress(self.clock.spent, done=done, total=total, doing=doing))
            if done < total:
                self.clock.require()

        return tick


def recheck(plan: Plan, seconds: float | None = None, progress: Report | None = None) -> Recheck:
    watch = Watch(seconds, progress)
    known: list[tuple[Fraction, Fraction]] = []

    def polygons() -> tuple[Fraction, Fraction]:
        """Compute both bounds of a discounted plan at once."""
        if not known:
            known.append(_polygons(plan, watch))
        return known[0]

    worth, (upper, upper_route) = _lower(plan, watch, polygons), (None, "")
    try:
        upper, upper_route = _upper(plan, watch, polygons)
    except TimeUp as error:
        upper_route = str(error)
    lower_holds = Truth.UNKNOWN
    if not worth.same_law or (worth.most is not None and worth.most < plan.lower):
        lower_holds = Truth.FAILS
    elif worth.least is not None and worth.least >= plan.lower:
        lower_holds = Truth.HOLDS
    if worth.least is not None and worth.least > plan.upper:
        upper_holds = Truth.FAILS
    elif upper is None or upper > plan.upper:
        upper_holds = Truth.FAILS if upper_route in EXACT_ROUTES and upper is not None else Truth.UNKNOWN
    else:
        upper_holds = Truth.HOLDS
    return Recheck(worth.least, upper, worth.route, upper_route, lower_holds, upper_holds)


class TooLong(Exception):
    """There is more work than is done without a time limit."""


def _affordable(work: float, most: float, watch: Watch, what: str) -> None:
    """Raise if the work would take many minutes and there is no time limit; with one, the clock decides."""
    if work > most and not watch.limited:
        raise TooLong(
            f"{what} would take too long: about {work:.1e} multiplications, {most:.0e} are done without a time_limit"
        )


# -- the policy's value -----------------------------------------------------------------------------------------------


def _lower(plan: Plan, watch: Watch, polygons: Callable[[], tuple[Fraction, Fraction]]) -> Worth:
    """Recheck by the cheapest route that decides; by the exact law if the others are inconclusive."""
    if isinstance(plan.policy, MarkovPolicy) and plan.objective.levels == MEAN:
        mean = mean_of(plan.mdp, plan.policy)
        return Worth(mean, mean, MEAN_EXACTLY)
    work = evaluation_work(plan.mdp, plan.policy)
    stated = plan.known_law is not None and plan.known_error == 0
    found = Worth(None, None, TOO_LONG)
    try:
        if not (work <= QUICK or (stated and work <= 10 * PATIENT)):
            found = _wide_worth(plan, watch) if plan.known_error else _table_worth(plan, watch, polygons)
            if found.least is not None and (found.least >= plan.lower or not found.same_law):
                return found
    except TooLong as error:
        found = Worth(None, None, str(error))
    except TimeUp as error:
        return Worth(None, None, str(error))
    if found.most is not None and found.most < plan.lower:
        return found
    patience = PATIENT * (1 if isinstance(plan.policy, CellPolicy) else 10)
    if work > patience:
        return found
    if not watch.clock.affords(work * SECONDS_PER_BRANCH, EXACT_LAW):
        return replace(found, route=f"{EXACT_LAW} does not fit into the time limit")
    law = return_law(plan.mdp, plan.policy)
    same = _is_stated(plan, law)
    least, most = interval_of(plan.objective.of(law))
    return Worth(least, most, EXACT_LAW if same else EXACT_LAW + OTHER_LAW, same)


def _table_worth(plan: Plan, watch: Watch, polygons: Callable[[], tuple[Fraction, Fraction]]) -> Worth:
    """Recheck by tables: interpolated if the policy depends on cells of a grid, otherwise by the law on the grid."""
    parts = cells_of(plan.policy)
    if isinstance(plan.policy, CellPolicy) and _one_level(plan):
        return Worth(polygons()[0], None, AGAIN)
    if parts is None:
        return _wide_worth(plan, watch)
    tables = _cell_tables(plan.mdp, parts[0][1].eta, watch)
    _affordable(2 * len(parts) * tables.table_work, REPLAY_WORK, watch, "the tables of the policy")
    actions = [(weight, own_actions(part, tables)) for weight, part in parts]
    known = [(weight, own) for weight, own in actions if own is not None]
    if len(known) < len(actions):
        raise TooLong("a cell of the policy has more than one action")
    proof = _proof(plan)
    least = least_worth(plan.objective, tables, parts[0][1].eta, known, None if proof is None else proof.touch)
    least, _ = within_range(plan.mdp, at_most(least), plan.upper)
    return Worth(least, None, "lines above the weighting, tables read between nodes again")


def _one_level(plan: Plan) -> bool:
    levels = plan.objective.levels
    return levels is not None and len(levels.tails) == 1


def _cell_tables(mdp: MDP, eta: Fraction, watch: Watch) -> CellTables:
    if not mdp.is_discrete:
        raise TooLong("rewards that are not discrete have no tables between grid points")
    if bytes_needed(mdp, eta) > memory_limit():
        raise TooLong(f"the tables need more than the {memory_limit() / 1e9:.1f} GB allowed")
    return CellTables(mdp, eta, watch.clock.require)


def _wide_worth(plan: Plan, watch: Watch) -> Worth:
    """Evaluate G on the CDF of the rounded return, computed in extended precision and moved by its error."""
    parts = list(plan.policy.parts())
    steps = {_grid_of(part) for _, part in parts}
    eta = steps.pop()
    if eta is None or steps:
        return Worth(None, None, TOO_LONG)
    model = _wide_model(plan.mdp, eta, watch)
    _affordable(model.work, MOST_WORK, watch, "the law of the policy")
    tick = watch.ticks("the law of the policy", len(parts) * model.mdp.horizon)
    high, low = [Fraction()] * model.top, [Fraction()] * model.top
    for weight, part in parts:
        masses, depth = model.law(part, tick)
        depth += len(masses) + 2
        for i, x in enumerate(np.cumsum(masses)[: model.top]):
            high[i] += weight * min(Fraction(1), above(x, depth))
            low[i] += weight * below(x, depth)
    G = {x: _enclosed(plan.objective, x, watch) for x in {*high, *low}}
    top = model.offsets[-1] + model.top
    least = at_most(model.eta * (top - exact_sum([G[x][1] for x in high]))) - model.loss
    most = at_least(model.eta * (top - exact_sum([G[x][0] for x in low])))
    route = f"law of the policy with {BITS} bits" + (", rounded up, less what that can add" if model.loss else "")
    same = _states_cdf(plan, model, low, high)
    return Worth(least, most, route if same else route + OTHER_LAW, same)


def _enclosed(objective: Weighting, x: Fraction, watch: Watch) -> tuple[Fraction, Fraction]:
    watch.clock.require()
    return interval_of(objective.value(x))


def _grid_of(policy: Policy) -> Fraction | None:
    """Return the grid that contains every sum that a policy remembers."""
    if isinstance(policy, GridPolicy):
        return policy.eta
    return own_unit(policy.mdp) if policy.memory_is_return and policy.mdp.is_discrete else None


def _wide_model(mdp: MDP, eta: Fraction, watch: Watch) -> WideModel:
    least, most = mdp.remaining_range(0)
    if 48 * mdp.n_states * (most - least) <= memory_limit() * eta:  # beyond it int64 may overflow
        model = WideModel(mdp, eta, watch.clock.require)
        if 48 * model.n_states * (model.top + 2 * max(step.span for step in model.steps) + 2) <= memory_limit():
            return model
    raise TooLong(f"the tables need more than the {memory_limit() / 1e9:.1f} GB allowed")


def _states_cdf(plan: Plan, model: WideModel, low: list[Fraction], high: list[Fraction]) -> bool:
    """Whether the law stated in the plan can be true: its CDF, with its error, meets ours everywhere."""
    law, error = plan.known_law, plan.known_error
    if law is None or (plan.mdp.is_discrete and model.loss):
        return True  # ours is the law of the rounded return: nothing to compare
    values = [law.cdf((model.offsets[-1] + i) * model.eta) for i in range(model.top)]
    return all(a - error <= x <= b + error for x, a, b in zip(values, low, high, strict=True))


def _is_stated(plan: Plan, law: Law) -> bool:
    """Whether the plan states no other law; a law with an error is that of the return rounded up to the grid."""
    if plan.known_law is None or plan.known_law == law:
        return True
    if plan.known_error == 0:
        return False
    if plan.mdp.is_discrete and (own_unit(plan.mdp) / plan.eta).denominator != 1:
        return True  # this law is not that of the rounded return: nothing to compare
    return plan.known_law.kolmogorov(law) <= plan.known_error


# -- upper bound over all policies ------------------------------------------------------------------------------------


def _upper(
    plan: Plan, watch: Watch, polygons: Callable[[], tuple[Fraction, Fraction]], *, on_grid: bool = False
) -> tuple[Fraction | None, str]:
    """Recompute the upper bound; ``on_grid`` if it comes from a grid, whatever the policy is."""
    mdp, objective = plan.mdp, plan.objective
    levels, jump = objective.levels, objective.quantile
    proof = _proof(plan)
    if plan.certificate.bounded_by is not None:
        other, eta = plan.certificate.bounded_by
        if not is_above(objective, other):
            return None, f"{other.spec} is not known to be at least {objective.spec}"
        bounding = replace(plan, objective=other, eta=eta, certificate=ErrorBudget(""))
        found, route = _upper(bounding, watch, polygons, on_grid=True)
        return found, f"{other.spec}, which is never less: {route}"
    try:
        if proof is not None and proof.eta is not None:
            return _searched_between(plan, proof, proof.eta, watch)
        if isinstance(plan.policy, CellPolicy) and not on_grid:
            return polygons()[1], AGAIN
        if levels == MEAN and (on_grid or isinstance(plan.policy, MarkovPolicy) or _few_sums(mdp)):
            return mean_of(mdp, None), MEAN_EXACTLY
        small = _size(mdp, plan.eta) <= EXACT_WORK
        if mdp.is_discrete and small and (jump is not None or levels is not None):
            most = EXACT_WORK if levels is None or len(levels.tails) <= 1 else EXACT_WORK // 200
            if _size(mdp, own_unit(mdp)) <= most:
                return exact_within(mdp, objective, watch.clock).value, EXACTLY
        if jump is not None or (levels is not None and len(levels.tails) <= 1):
            if _few_sums(mdp):
                return best_on_sums(grid_model(mdp), objective, watch.clock.require), EXACTLY_ON_SUMS
            return _extended(plan, watch)
        if levels is not None and isinstance(plan.certificate.proof, BudgetTree):
            return _budgets(plan, levels, plan.certificate.proof, watch)
        return _searched(plan, watch, small)
    except TooLong as error:
        return None, str(error)


def _size(mdp: MDP, unit: Fraction) -> Fraction:
    """Return the approximate number of backups of a plain recursion on multiples of ``unit``."""
    low, high = mdp.reward_range
    terms = sum(_branches(action) for _, _, action in mdp)
    widths = [mdp.step_reward(t, high - low) / unit + 1 for t in range(mdp.horizon)]
    return terms * sum(((t + 1) * width for t, width in enumerate(widths)), Fraction())


def _few_sums(mdp: MDP) -> bool:
    """Whether one pass over states and attainable sums for every attainable return is little work."""
    if not mdp.is_discrete or surely_more_cells(mdp, SUMS_WORK):
        return False
    cells, terms = most_cells(mdp), max(mdp.n_actions) * max(_branches(action) for _, _, action in mdp)
    return cells * cells * terms * mdp.horizon <= SUMS_WORK


def _branches(action: Action) -> int:
    if not action.independent:
        return len(action.outcomes)
    return len(action.successors) * (len(action.reward) if isinstance(action.reward, Law) else 1)


def _extended(plan: Plan, watch: Watch) -> tuple[Fraction | None, str]:
    """Return an upper bound on the optimum of the grid model, by the plain recursion at every budget."""
    model, route = _wide_model(plan.mdp, plan.eta, watch), f"plain recursion with {BITS} bits"
    _affordable(model.work, MOST_WORK, watch, "the plain recursion")
    tick = watch.ticks("the plain recursion", model.mdp.horizon)
    jump, levels, offset = plan.objective.quantile, plan.objective.levels, model.offsets[-1]
    if jump is not None:
        table, depth = model.shortfalls(Fraction(), "one", tick)
        # a table far above the level attains nothing: compare those near it exactly, from the largest rho down
        near = np.flatnonzero(table <= wide([jump.level])[0] * (1 + 2 * depth * np.longdouble(float(ROUNDOFF))))
        possible = (int(rho) for rho in near[::-1] if jump.reached_by(below(table[rho], depth)))
        return (offset + next(possible, 0)) * model.eta, route
    assert levels is not None
    if not levels.tails:
        table, depth = model.shortfalls(Fraction(1), "flat", tick)
        return at_least((offset + model.top - below(table[-1], depth)) * model.eta), route
    ((alpha, weight),) = levels.tails
    mean, slope = levels.mean, weight / alpha
    # cost c(b) = mean * b + slope * b^+, plus mean * (greatest remaining return - b): every term is nonnegative
    table, depth = model.shortfalls(mean / slope, "line", tick)
    steep = wide([slope])[0]
    scores = wide([1 - mean])[0] * np.arange(model.top + 1) - steep * table
    rivals = largest(scores, model.top + steep * table.max(), depth)
    best = max((1 - mean) * rho - slope * below(table[rho], depth) for rho in rivals.tolist()) + mean * model.top
    return at_least((offset + best) * model.eta), route


def _proof(plan: Plan) -> Proof | None:
    """Return the record of a search over CDFs, if the plan has one."""
    return plan.certificate.proof if isinstance(plan.certificate.proof, Proof) else None


def _budgets(plan: Plan, levels: Levels, tree: BudgetTree, watch: Watch) -> tuple[Fraction | None, str]:
    """Bound every box of budgets of the record again."""
    model = _wide_model(plan.mdp, plan.eta, watch)
    try:
        boxes = BudgetBoxes(model, levels, watch.clock.require)
        upper = boxes.bound(tree.root)
    except RecordDoesNotFit as error:
        return None, str(error)
    upper = at_least((model.offsets[-1] + upper) * model.eta)
    return within_range(plan.mdp, plan.lower, upper)[1], f"boxes of budgets with {BITS} bits"


def _searched(plan: Plan, watch: Watch, small: bool) -> tuple[Fraction | None, str]:
    """Recheck by weak duality in rationals, or by replaying the search's record."""
    proof = _proof(plan)
    if proof is not None and proof.attained:
        try:
            replay, of = attained_replay(plan, proof, watch.clock.require)
        except TooManyReturns as error:
            raise TooLong(str(error)) from None
        _affordable(replay.outcomes.work(replay.proof), REPLAY_WORK, watch, "replaying the search")
        return of(replay.bound()), "the search's record, replayed over the attainable returns"
    grid = grid_model(plan.mdp, plan.eta)
    low, high = remaining_range(grid)[0]
    if low == high:
        return high * grid.unit, "every policy has the same return on the grid"
    if proof is None or not proof.root.rounds or proof.root.rounds[0].cost is None:
        return None, "the plan carries no record of its search"
    polygon = plan.objective.polygon_below(proof.accuracy)
    try:
        replay = Replay(Outcomes(grid, watch.clock.require), polygon, proof)
    except OverflowError:  # too many successive roundings for floats, or returns beyond their range
        raise TooLong("the grid has too many points for a replay in floats") from None
    ties = _size(plan.mdp, plan.eta) <= TIES_WORK
    replay.pass_jumps(
        plan.objective,
        lambda jump, i: replay.least_cdf(i) > jump.level or (ties and is_passed(grid, jump, i, watch.clock.require)),
    )
    if small:
        upper = dual_bound(polygon, grid, proof, watch.clock.require)
        if upper <= plan.upper:
            return upper, "weak duality in rationals"
    _affordable(replay.outcomes.work(proof), REPLAY_WORK, watch, "replaying the search")
    return (high - Fraction(max(replay.bound(), 0.0))) * grid.unit, "the search's record, replayed in numpy"


def _searched_between(plan: Plan, proof: Proof, eta: Fraction, watch: Watch) -> tuple[Fraction, str]:
    """Replay the record of a search between grid points (part D)."""
    tables = _cell_tables(plan.mdp, eta, watch)
    _affordable(tables.work(proof), REPLAY_WORK, watch, "replaying the search")
    replay = replay_between(plan.objective, tables, proof)
    pass_jumps(replay, plan.objective, plan.policy, tables, proof, watch.clock)
    bound = max(replay.bound(), 0.0)
    upper = at_least(tables.offset + eta * (tables.top - Fraction(bound)))
    return within_range(plan.mdp, plan.lower, upper)[1], "the search's record, replayed between nodes"


def _polygons(plan: Plan, watch: Watch) -> tuple[Fraction, Fraction]:
    """Recompute both polygons of a discounted plan by independent code."""
    policy, levels = plan.policy, plan.objective.levels
    if not isinstance(policy, CellPolicy) or levels is None or not _one_level(plan):
        raise TooLong("the plan's tables are read between nodes for another objective than a mean and one CVaR")
    between = InterpolatedTails(policy, levels, watch.clock.require)
    if not between.usable:
        raise TooLong("the policy's least reward is above one of the model")
    _affordable(between.work, MOST_WORK, watch, "the tables again")
    lower, upper = between.bounds(watch.ticks("both polygons", 2 * plan.mdp.horizon))
    return at_most(lower), at_least(upper)
