r"""The exact optimum, in integers over one common denominator.

Mean, CVaR and ``w * Mean + (1 - w) * CVaR`` take one backward pass over the *budget* ``b = rho - y``:

.. math:: W_T(s, b) = c(b), \qquad W_t(s, b) = \min_a \mathbf E\, W_{t+1}(S', b - R), \qquad
          \Phi^* = \max_\rho \{ \rho - \mathbf E_D W_0(S, \rho) \},

with :math:`c(b) = w b + \frac{1-w}{\alpha} b^+`, rho over the attainable returns.  VaR takes the same pass with
:math:`c(b) = 1(b > 0)`: the largest rho such that some policy falls short of it with probability below alpha. A
weighting with several levels needs one rho for each, found by branch and bound on boxes of rhos.

Cells break ties by the mean to go, then towards the least action index; rows, in larger models, by the index.  If the
objective no longer depends on the remaining return, or is linear in it, both take the action with the largest expected
remaining return.  Compare values, not policies.

In larger models the budget recursion runs on rows: one array of integers holds the budgets of a state.  Values are over
the common denominator :math:`D^{T-t}`, D the product of the denominators of successors and of rewards, which are
averaged one after the other, and over a common factor.  Ties go to the least action.  Rows are faster where most
budgets are met; other models are solved cell by cell.

Several CVaR levels take exact branch and bound on boxes of :math:`(\rho_1, \dots, \rho_n)`.  The utility of a box,
:math:`\sum_j w_j \max_{l_j \le \rho \le h_j} \{\rho - (\rho - z)^+/\alpha_j\}`, dominates those of its points, and one
pass maximises its mean; the law of the greedy policy gives an incumbent.  An optimal :math:`\rho_j` is a quantile of
the optimal law, hence an attainable return, so boxes are finite and the search ends (theory 04, spectral-dp).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import Unsupported
from ..grid import Grid, GridModel, GridStep, TooManySums, compiled, grid_model, own_unit
from ..law import Law
from ..mdp import MDP
from ..mdp import Action as ModelAction
from ..mdp.model import required_model
from ..numbers.rational import Rational, exact_sum, lcm_of_denominators
from ..objectives import CVaR, Weighting
from ..objectives import objective as read_objective
from ..objectives.piecewise import Levels
from ..objectives.weighting import Jump
from ..policy import MarkovPolicy, ReturnPolicy
from ..policy.evaluation import return_law
from .affordable_law import most_cells
from .certify import Held, certify
from .clock import Clock, Tick, TimeUp, read_seconds, unlimited
from .result import Plan

MOST_CELLS = 5_000_000  # maximum number of pairs of state and return so far to list: two or three gigabytes
MOST_BUDGETS = 10_000_000
"""Maximum number of pairs of state and budget that one pass lists: also two or three gigabytes."""
CERTAINLY_MORE = 4 * MOST_CELLS  # bound on the pairs of one step beyond which nothing is listed; such bounds are rough
FEW_CELLS = 200  # pairs of one step up to which Python integers take no time, however fine the grid of the returns

Action: TypeAlias = int
Decision: TypeAlias = Callable[[int, int, int], Action]
"""``decision(t, s, y)`` with y in units."""
Cell: TypeAlias = tuple[int, int, Action]
"""A value and minus the mean to go (integers over ``Q**(T-t)``), and an action: the least cell of a budget."""


def exact_plan(mdp: MDP, objective: Weighting | str, *, time_limit: Rational | None = None) -> Plan:
    """Return the optimum over all policies as a Fraction, an optimal policy and its law.

    Supports Mean, CVaR, VaR (lower and upper) and every concave piecewise-linear weighting with rational corners.

    >>> from verified_risk import CVaR, MDP
    >>> mdp = MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> exact_plan(mdp, CVaR("1/8")).value
    Fraction(1, 4)

    :param mdp: the model
    :param objective: a weighting, or its text form
    :param time_limit: seconds; a call that exceeds them has no answer
    :returns: a plan with gap 0
    :raises Unsupported: if the weighting has no exact algorithm, the model is too large for it, or time is up
    :raises InvalidArgument: if the limit is not a nonnegative number
    """
    clock = Clock(read_seconds(time_limit))
    try:
        return exact_within(required_model(mdp), read_objective(objective), clock)
    except TimeUp as error:
        raise Unsupported(str(error), instead="plan(mdp, G, time_limit=...)") from None


def exact_within(mdp: MDP, objective: Weighting, clock: Clock) -> Plan:
    """Run :func:`exact_plan` against a clock; raise :class:`.clock.TimeUp` once it is late."""
    if not mdp.is_discrete:
        raise Unsupported(
            "rewards are continuous", instead="exact_plan(mdp.discretised(eta), G), or plan(mdp, G, eta=...)"
        )
    if most_cells(mdp) > CERTAINLY_MORE:
        return _without_sums(mdp, objective, clock)
    grid = grid_model(mdp)
    clock.require()
    try:
        reached = grid.reachable(MOST_CELLS)
        clock.require()
        found = _in_rows(mdp, grid, objective, clock.require)
        value, decision = found or _in_cells(grid, objective, reached, clock.require)
    except TooManySums:
        return _without_sums(mdp, objective, clock)
    policy = ReturnPolicy(
        mdp,
        {
            (t, s, y * grid.unit): decision(t, s, y)
            for t, level in enumerate(reached[:-1])
            for s, sums in level.items()
            for y in sums
        },
    )
    clock.require()
    law = return_law(mdp, policy)
    attained = objective.of(law)
    if attained != value:  # the evaluator and the planner share no code; they must agree
        raise AssertionError(f"the policy attains {attained}, the recursion says {value}: please report this model")
    return certify(mdp, objective, Held(value, policy, law), value, grid.unit, "exact integer arithmetic")


def _without_sums(mdp: MDP, objective: Weighting, clock: Clock) -> Plan:
    """Maximise the mean if there are too many sums of rewards to list; every other objective needs them."""
    if objective.levels != Levels(Fraction(1), ()):
        raise Unsupported(
            f"{mdp!r} has too many returns to list: more than {MOST_CELLS:,} with their states", instead="plan(mdp, G)"
        )
    value, table = best_mean(mdp, clock.require)
    policy = MarkovPolicy(mdp, table)
    width = mdp.reward_range[1] - mdp.reward_range[0]
    return certify(mdp, objective, Held(value, policy), value, width or Fraction(1), "exact rational arithmetic")


def best_mean(mdp: MDP, tick: Tick = unlimited) -> tuple[Fraction, list[list[int]]]:
    """Return the largest mean in rationals, and an action for every step and state; ties go to the least index.
    ``tick`` is called at every step; no sums of rewards are listed."""
    value = [Fraction()] * mdp.n_states
    table: list[list[int]] = []
    for t in range(mdp.horizon - 1, -1, -1):
        tick()
        best = [max((_mean(mdp, t, a, value), -i) for i, a in enumerate(mdp.actions(s))) for s in range(mdp.n_states)]
        value = [v for v, _ in best]
        table.append([-a for _, a in best])
    return exact_sum([p * value[s] for s, p in mdp.initial]), table[::-1]


def _mean(mdp: MDP, t: int, action: ModelAction, value: list[Fraction]) -> Fraction:
    paid = mdp.step_reward(t, action.reward_law.mean)
    return exact_sum([paid, *(p * value[s] for s, p in action.successors)])


def _in_cells(
    grid: GridModel, objective: Weighting, reached: list[dict[int, set[int]]], tick: Tick = unlimited
) -> tuple[Fraction, Decision]:
    returns = sorted({z for sums in reached[-1].values() for z in sums})
    if objective.quantile is not None:
        found = last_attained(grid, objective.quantile, returns, tick)
        assert found is not None  # the least return is always attained
        return found
    levels = objective.require_levels()
    if len(levels.tails) > 1:
        best, table = _Search(grid, levels, tick).run()
        return best * grid.unit, lambda t, s, y: table[t][s, y]
    return _best_single_level(grid, levels, returns, tick)


def last_attained(
    grid: GridModel, jump: Jump, rhos: Sequence[int], tick: Tick = unlimited
) -> tuple[Fraction, Decision] | None:
    """Bisect for the largest of ``rhos`` (in units, increasing) that some policy attains as its quantile, and return it
    with that policy; None if there is none.  If one rho is attained, so are all below it."""
    outlook = mean_to_go(grid)
    best, low, high = None, 0, len(rhos) - 1
    while low <= high:
        middle = (low + high) // 2
        least, decision = least_below(grid, outlook, rhos[middle], tick)
        if jump.reached_by(least):
            best, low = (rhos[middle] * grid.unit, decision), middle + 1
        else:
            high = middle - 1
    return best


def _in_rows(
    mdp: MDP, grid: GridModel, objective: Weighting, tick: Tick = unlimited
) -> tuple[Fraction, Decision] | None:
    """Solve row by row if one pass suffices and that is worth it; otherwise return None."""
    jump = objective.quantile
    levels = None if jump is not None else objective.require_levels()
    if (levels is not None and len(levels.tails) != 1) or most_cells(mdp) <= FEW_CELLS or not worth_it(mdp):
        return None
    outlook = mean_to_go(grid)
    try:
        if jump is not None:
            return best_quantile(mdp, jump, outlook, grid.denominator, tick=tick)
        assert levels is not None
        ((alpha, weight),) = levels.tails
        return best_tail(mdp, levels.mean, weight / alpha, outlook, grid.denominator, tick)
    except TooLarge:
        return None


@dataclass(frozen=True)
class MeanToGo:
    """Per step and state: best expected remaining return (over ``Q**(T-t)``), its action, least and greatest return."""

    value: list[list[int]]
    action: list[list[int]]
    least: list[list[int]]
    greatest: list[list[int]]


def mean_to_go(grid: GridModel) -> MeanToGo:
    n = len(grid.steps[0])
    value, least, greatest = [[0] * n], [[0] * n], [[0] * n]
    action: list[list[int]] = []
    power = 1
    for step in reversed(grid.steps):
        best = [
            max((sum(w * (j * power + value[-1][s]) for w, s, j in branches), -a) for a, branches in enumerate(actions))
            for actions in step
        ]
        value.append([v for v, _ in best])
        action.append([-a for _, a in best])
        ends = [[(j, s) for branches in actions for _, s, j in branches] for actions in step]
        least.append([min(j + least[-1][s] for j, s in pairs) for pairs in ends])
        greatest.append([max(j + greatest[-1][s] for j, s in pairs) for pairs in ends])
        power *= grid.denominator
    return MeanToGo(value[::-1], action[::-1], least[::-1], greatest[::-1])


def budget_pass(
    grid: GridModel,
    budgets: Iterable[int],
    terminal: Callable[[int], int],
    known: Callable[[int, int, int], Cell | None],
    tick: Tick = unlimited,
) -> list[dict[tuple[int, int], Cell]]:
    """Compute ``W_t(s, b)`` for every budget reachable from the given initial ones, unless ``known`` has the answer.

    Values at step t are integers over ``Q**(T-t)``; returns one dict ``{(s, b): (W, -mean to go, action)}`` per step.

    ``tick`` is called for every cell and may raise.

    :raises TooManySums: if there are more than :data:`MOST_BUDGETS`, or would be if no later step had fewer
    """
    needed: list[set[tuple[int, int]]] = [{(s, b) for s, _ in grid.initial for b in budgets if known(0, s, b) is None}]
    for t, step in enumerate(grid.steps[:-1]):
        if len(needed[t]) * (grid.horizon - t) > MOST_BUDGETS:  # later steps are expected to have as many
            raise TooManySums
        following: set[tuple[int, int]] = set()
        for s, b in needed[t]:
            tick()
            following.update((target, b - j) for branches in step[s] for _, target, j in branches)
            if len(following) > MOST_BUDGETS:
                raise TooManySums
        needed.append({(s, b) for s, b in following if known(t + 1, s, b) is None})
        if sum(map(len, needed)) > MOST_BUDGETS:
            raise TooManySums
    tables: list[dict[tuple[int, int], Cell]] = [{}]
    power = 1
    for t in range(grid.horizon - 1, -1, -1):
        following_table, last = tables[-1], t == grid.horizon - 1

        def after(
            s: int, b: int, t: int = t, table: dict[tuple[int, int], Cell] = following_table, last: bool = last
        ) -> Cell:
            if last:
                return terminal(b), 0, 0
            cell = table.get((s, b)) or known(t + 1, s, b)
            assert cell is not None
            return cell

        cells = {}
        for s, b in needed[t]:
            tick()
            options = []
            for a, branches in enumerate(grid.steps[t][s]):
                ways = [(w, j, after(target, b - j)) for w, target, j in branches]
                cost = sum([w * cell[0] for w, _, cell in ways])
                options.append((cost, sum([w * (cell[1] - j * power) for w, j, cell in ways]), a))
            cells[s, b] = min(options)
        tables.append(cells)
        power *= grid.denominator
    return tables[:0:-1]


def _powers(grid: GridModel) -> list[int]:
    """Return ``Q**(T-t)``, the denominators of the values of each step."""
    powers = [1]
    for _ in grid.steps:
        powers.append(powers[-1] * grid.denominator)
    return powers[::-1]


def _cells(
    grid: GridModel,
    outlook: MeanToGo,
    budgets: Iterable[int],
    terminal: Callable[[int], int],
    below: int,
    beyond: Callable[[int, int, int], int],
    more: int,
    tick: Tick,
) -> Callable[[int, int, int], Cell]:
    """Return ``cell(t, s, b)``: where no shortfall is possible the cost has slope ``below``, and from ``more`` units
    above the greatest remaining return on it is ``beyond(t, s, b)``."""
    powers = _powers(grid)

    def known(t: int, s: int, b: int) -> Cell | None:
        if b <= outlook.least[t][s]:
            cost = below * (b * powers[t] - outlook.value[t][s])
        elif b >= outlook.greatest[t][s] + more:
            cost = beyond(t, s, b)
        else:
            return None
        return cost, -outlook.value[t][s], outlook.action[t][s]

    tables = budget_pass(grid, budgets, terminal, known, tick)

    def cell(t: int, s: int, b: int) -> Cell:
        found = tables[t].get((s, b)) or known(t, s, b)
        assert found is not None
        return found

    return cell


def _best_single_level(
    grid: GridModel, levels: Levels, budgets: Sequence[int], tick: Tick = unlimited
) -> tuple[Fraction, Decision]:
    """Maximise ``mean * E Z + w * CVaR_alpha(Z)``, or the mean alone."""
    outlook = mean_to_go(grid)
    full = _powers(grid)[0] * grid.initial_denominator
    if not levels.tails:
        best = Fraction(sum(w * outlook.value[0][s] for s, w in grid.initial), full) * grid.unit
        return best, lambda t, s, y: outlook.action[t][s]
    ((alpha, weight),) = levels.tails
    slope = weight / alpha
    scale = lcm_of_denominators((levels.mean, slope))
    below, above = int(levels.mean * scale), int((levels.mean + slope) * scale)  # slopes of c left and right of 0
    powers = _powers(grid)

    def beyond(t: int, s: int, b: int) -> int:
        return above * (b * powers[t] - outlook.value[t][s])

    cell = _cells(grid, outlook, budgets, lambda b: (above if b > 0 else below) * b, below, beyond, 0, tick)

    def score(rho: int) -> int:
        return rho * scale * full - sum(w * cell(0, s, rho)[0] for s, w in grid.initial)

    rho = max(budgets, key=lambda rho: (score(rho), -sum(w * cell(0, s, rho)[1] for s, w in grid.initial)))
    return Fraction(score(rho), scale * full) * grid.unit, lambda t, s, y: cell(t, s, rho - y)[2]


def least_below(grid: GridModel, outlook: MeanToGo, rho: int, tick: Tick = unlimited) -> tuple[Fraction, Decision]:
    """Return the least probability of a return below ``rho`` units over all policies, and a policy that attains it."""
    powers = _powers(grid)
    cell = _cells(grid, outlook, [rho], lambda b: int(b > 0), 0, lambda t, s, b: powers[t], 1, tick)
    least = Fraction(sum(w * cell(0, s, rho)[0] for s, w in grid.initial), powers[0] * grid.initial_denominator)
    return least, lambda t, s, y: cell(t, s, rho - y)[2]


# -- rows --------------------------------------------------------------------------------------------------------------


Row: TypeAlias = npt.NDArray[Any]
"""Integers: of int64 if no sum of them can overflow, otherwise Python's."""

LARGEST_DENOMINATOR, MOST_UNITS, MOST_ACTIONS = 2**32, 2**31, 127
"""Limits on the denominators of successors and of rewards, on the units of a return, and on the actions of a state."""
MOST_DIGITS = 50_000_000  # maximum size of one table, in digits of 30 bits


class TooLarge(ArithmeticError):
    """Raised if rows would hold too many or too long numbers."""


@dataclass(frozen=True)
class RowTables:
    """``cost[rho]`` is the least expected cost of the budget rho = 0, 1, ... in shifted units, over ``denominator``."""

    grid: Grid
    denominator: int
    cost: list[int]
    policy: list[npt.NDArray[np.int8]]  # the actions at budgets 1, 2, ... of each step
    linear: list[list[int]]  # the actions at all others: nothing is left to decide there, or the cost is linear

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
        for s, own in enumerate(mdp.n_actions):
            best: Row = nothing
            for a, i in zip(range(own), actions, strict=False):
                cost = _mean_row(grid, steps[t], i, weights[i], rewards, after, chosen.shape[1])
                less = cost < best if a else np.full(len(cost), True)
                best, chosen[s, less] = np.where(less, cost, best) if a else cost, a
            rows.append(extended(t, s, best))
        policy.append(chosen)
    whole = lcm_of_denominators(p for _, p in mdp.initial)
    costs = _sum(_weights((p for _, p in mdp.initial), whole), [rows[s] for s, _ in mdp.initial])
    return RowTables(grid, whole * total**horizon, costs.tolist(), policy[::-1], outlook.action)


def _weights(masses: Iterable[Fraction], total: int) -> list[int]:
    return [p.numerator * (total // p.denominator) for p in masses]


def _mean_row(
    grid: Grid, step: GridStep, i: int, weights: list[int], rewards: int, after: list[Row], width: int
) -> Row:
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
    """Return whether rows are faster than cells."""
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
    mdp: MDP, jump: Jump, outlook: MeanToGo, denominator: int, unit: Fraction | None = None, tick: Tick = unlimited
) -> tuple[Fraction, Decision]:
    """Return the largest rho with ``min P(Z < rho) < alpha`` (or ``<= alpha``), and a decision that attains it.  Works
    on the rewards' own grid or, without a discount, on rewards rounded up to multiples of ``unit``."""
    tables = row_tables(compiled(mdp, unit), 0, 0, outlook, denominator, threshold=True, tick=tick)
    attained = (jump.reached_by(Fraction(cost, tables.denominator)) for cost in tables.cost)
    rho = max(rho for rho, holds in enumerate(attained) if holds)
    return (rho + tables.offsets[-1]) * tables.grid.unit, tables.decision(rho)


# -- several levels, on boxes ------------------------------------------------------------------------------------------


Table: TypeAlias = list[dict[tuple[int, int], int]]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each level, the first and last index into the attainable returns."""


class _Search:
    """The optimum of ``mean * E Z + sum of w CVaR_alpha(Z)``, and a policy that attains it."""

    def __init__(self, grid: GridModel, levels: Levels, tick: Tick) -> None:
        self.grid, self.levels, self.tick = grid, levels, tick
        self.reach = grid.reachable()
        self.returns = sorted({z for sums in self.reach[-1].values() for z in sums})
        self.best: tuple[Fraction, Table] | None = None

    def run(self) -> tuple[Fraction, Table]:
        """Search best-first; an entry is ``(-bound, tie-breaker, box, law of the box's greedy policy)``."""
        order = count()
        everything = tuple((0, len(self.returns) - 1) for _ in self.levels.tails)
        queue = [self._entry(everything, next(order))]
        while queue:
            minus_bound, _, box, law = heapq.heappop(queue)
            assert self.best is not None
            if -minus_bound <= self.best[0]:
                return self.best
            for part in self._split(box, law):
                entry = self._entry(part, next(order))
                if -entry[0] > self.best[0]:
                    heapq.heappush(queue, entry)
        assert self.best is not None
        return self.best

    def _entry(self, box: Box, number: int) -> tuple[Fraction, int, Box, Law]:
        bound, table = self._maximise(lambda z: self._utility(z, box))
        law = self.grid.law(lambda t, s, y: ((table[t][s, y], Fraction(1)),), unit=Fraction(1))  # in units
        value = self.levels.mean * law.mean + sum((w * _cvar(law, a) for a, w in self.levels.tails), Fraction())
        if self.best is None or value > self.best[0]:
            self.best = (value, table)
        return -bound, number, box, law

    def _utility(self, z: int, box: Box) -> Fraction:
        tails = (w * self._term(z, alpha, span) for (alpha, w), span in zip(self.levels.tails, box, strict=True))
        return self.levels.mean * z + sum(tails, Fraction())

    def _term(self, z: int, alpha: Fraction, span: tuple[int, int]) -> Fraction:
        rho = min(max(z, self.returns[span[0]]), self.returns[span[1]])
        return rho - max(rho - z, 0) / alpha

    def _split(self, box: Box, law: Law) -> list[Box]:
        """Split the level that the bound overstates most, at the quantile of the greedy policy's law."""
        slack = []
        for j, ((alpha, w), span) in enumerate(zip(self.levels.tails, box, strict=True)):
            if span[0] < span[1]:
                claimed = sum((p * self._term(int(z), alpha, span) for z, p in law), Fraction())
                slack.append((w * (claimed - _cvar(law, alpha)), j))
        if not slack:
            return []
        _, j = max(slack)
        low, high = box[j]
        quantile = self.returns.index(int(law.quantile(self.levels.tails[j][0])))
        cut = quantile if low <= quantile < high else (low + high) // 2
        halves = ((low, cut), (cut + 1, high))
        parts = [(*box[:j], half, *box[j + 1 :]) for half in halves]
        return [part for part in map(_ordered, parts) if part is not None]

    def _maximise(self, utility: Callable[[int], Fraction]) -> tuple[Fraction, Table]:
        """Run one backward pass over the reachable ``(t, s, y)`` in integers; ties go to the least action."""
        gains = {z: utility(z) for z in self.returns}
        scale = lcm_of_denominators(gains.values())
        final = {z: int(u * scale) for z, u in gains.items()}
        value = {(s, z): final[z] for s, sums in self.reach[-1].items() for z in sums}
        tables: Table = []
        for t in range(self.grid.horizon - 1, -1, -1):
            step, best = self.grid.steps[t], {}
            for s, sums in self.reach[t].items():
                self.tick()
                for y in sums:
                    best[s, y] = max(
                        (sum(w * value[target, y + j] for w, target, j in branches), -a)
                        for a, branches in enumerate(step[s])
                    )
            value = {key: v for key, (v, _) in best.items()}
            tables.append({key: -a for key, (_, a) in best.items()})
        full = self.grid.denominator**self.grid.horizon * self.grid.initial_denominator
        return Fraction(sum(w * value[s, 0] for s, w in self.grid.initial), full * scale), tables[::-1]


def _cvar(law: Law, alpha: Fraction) -> Fraction:
    value = CVaR(alpha).of(law)
    assert isinstance(value, Fraction)
    return value


def _ordered(box: Box) -> Box | None:
    """Intersect a box with ``rho_1 <= rho_2 <= ...``, as quantiles increase with the level; None if that is empty."""
    spans = list(box)
    for j in range(1, len(spans)):
        spans[j] = (max(spans[j][0], spans[j - 1][0]), spans[j][1])
    for j in range(len(spans) - 2, -1, -1):
        spans[j] = (spans[j][0], min(spans[j][1], spans[j + 1][1]))
    return tuple(spans) if all(low <= high for low, high in spans) else None
