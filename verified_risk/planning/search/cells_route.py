r"""Search for any weighting if returns lie between grid points: with a discount, or if the rewards' grid is too fine.

``upper`` comes from a search over boxes of CDFs with interpolated tables (docs/theory/05-certificates.md, part D),
``lower`` from the policy found: with lines :math:`G \le m_k + c_k \tau` above the weighting on the range of its CDF in
cell k,

.. math:: \int G(F)\,dx \le \sum_k m_k + \mathbf E\, h(Z), \qquad h(z) = \int_z^B c,

and one more pass bounds the last term from above (D5).

The oracle (:class:`CellOracle`) averages CDFs.  The CDF of a discounted return is not a vector on a grid.  Its averages
over the cells of a grid are, :math:`A_k = \int_k^{k+1} P(Z \le x)\,dx`, and :math:`c \cdot A = \mathbf E\, h(Z)` for
the polygon :math:`h(z) = \int_z^B c`. Backward passes interpolate tables between nodes, and move each outward far
enough to bound every real return (:mod:`verified_risk.kernels.cell_pass`).

Where slopes of G differ little, the mean decides (D4), by bounds on how far each action moves the mean and the law of
the remaining return, against one reference policy (:func:`reference`).  The reference policy maximises the mean, so the
law of its remaining return depends only on step and state.  Laws are kept on :data:`POINTS` points per step; mass
between two points is split so as to preserve the mean, which moves a law by at most half a grid step in the distance
:math:`\int |F - F'|`.
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

from ...errors import InvalidArgument
from ...grid import ScaledModel, scaled_model
from ...kernels import cell_pass as kernels
from ...kernels import polygon_bounds
from ...kernels.jit import compile_next
from ...mdp import MDP
from ...mdp.packed import Floats, Ints
from ...numbers.rational import digits
from ...objectives import VaR, Weighting
from ...objectives.lines import line_above
from ...policy import Policy
from ...policy.cell_policy import CellPolicy
from ...progress import Progress
from .. import clock
from .. import clock as timing
from ..affordable_law import PATIENT_SECONDS, float_law, forward_seconds
from ..certify import Held, certify, evaluated
from ..clock import Clock, memory_limit
from ..exact_route import exact_plan
from ..problem import Problem, few_returns
from ..result import Plan
from ..rounding import confirmable, round_up_to_two_digits, short_below, within_range
from ..tails.interpolated_tables import mean_part, narrowest
from .branching import Search
from .driver import (
    DEFAULT_SECONDS,
    SPARED,
    Coordinates,
    Driver,
    accuracy_in,
    by_laws,
    compile_search,
    kept_parts,
    lower_by_law,
    mixed,
    off_the_jump,
    power_of_four_below,
)
from .grid_coordinates import MOST_ACTIONS
from .relaxation import Mixture

FIRST_CELLS = 64  # cells of the first grid, which is coarse, since its passes are timed to choose the next one
MOST_CELLS = 2048
"""Maximum number of cells of the finest grid: the tables of a search grow with the square of the cells."""
DEFAULT_GAP = Fraction(1, 1000)  # default gap to aim at, as a share of the range of returns
ACCURACY = Fraction(1, 1000)  # largest distance between the polygon and the weighting, as a share of one cell
PASSES = 60  # approximate number of passes in a round that reaches the bound of its root


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
    return _answer(problem, rounds, wanted, quantiles, clock)


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

    driver = Driver(coordinates, objective, accuracy, starts, float(gap / eta) / 4, clock, worth, deadline=deadline)
    began = timing.now()
    driver.search.vertex(np.ones(oracle.top), masked=False)
    spent = timing.now() - began
    driver.run(by_mean=False)
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
    r"""Return an upper bound on :math:`\int G(F)\,dx` of the mixture, in cells (D5, what the policy earns).  Every cell
    has a line of its own; after the deadline and its grace period, two, four, ... cells share one."""
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
    problem: Problem, rounds: list[SearchedGrid], wanted: Fraction, quantiles: Sequence[Plan], clock: Clock
) -> Plan:
    mdp, objective = problem.mdp, problem.objective
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
    compile_next(*(found for module in (kernels, polygon_bounds) for found in vars(module).values()))
    coin = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    toy = MDP(0, [[coin, {0: 1}], [{0: 1}]], [[coin, {"1/3": 1}], [{0: 1}]], horizon=2, discount=Fraction(1, 2))
    oracle = CellOracle(toy, Fraction(1, 2))
    slopes: Floats = np.ones(oracle.top)
    oracle.contract(slopes, slopes, slopes)
    oracle.above(slopes, oracle.choice)
    oracle.cdf()
    compile_search()


# -- the oracle --------------------------------------------------------------------------------------------------------


SPARE = 4  # cells of tables beyond the returns that are met, where their ends shall lose as much as the checker's
CELLS_PER_SECOND = 2e8  # table entries that the contractor mixes per second: a first guess, until a pass has been timed


def cells_of(mdp: MDP, eta: Fraction) -> int:
    """Return B, the number of cells in the range of returns."""
    low, high = mdp.remaining_range(0)
    return math.ceil((high - low) / eta)


def sizes(mdp: MDP, eta: Fraction) -> tuple[Ints, Ints]:
    """Return, for each step, the nodes of the returns so far and the cells of those to come."""
    low, high = mdp.reward_range
    sums = [Fraction()]
    for t in range(mdp.horizon):
        sums.append(sums[-1] + mdp.step_reward(t, high - low) / eta)
    nodes = np.array([max(1, math.ceil(y)) for y in sums])
    wides = np.array([math.ceil(sums[-1] - y) for y in sums])
    wides[0] = nodes[-1]
    return nodes, wides


class CellOracle:
    """Bounds on ``cost . A`` over all policies and for one policy, and on A itself; the interface of
    :class:`~.grid_coordinates.Oracle`.

    With ``beyond``, tables go on for some cells beyond the returns that are met, at both ends; beyond the greatest one
    F = 1 costs at least that.  A node at an end then has two cells like every other, and loses as much as it does for
    the checker.  The contractor has no such tables.
    """

    def __init__(self, mdp: MDP, eta: Fraction, beyond: float | None = None) -> None:
        self.mdp, self.eta, self.beyond = mdp, eta, beyond or 0.0
        self.spare = 0 if beyond is None else SPARE
        require_memory(mdp, eta)
        self.model: ScaledModel = scaled_model(mdp, eta, (0,) * mdp.horizon, joint=True)
        model, n, horizon = self.model, mdp.n_states, mdp.horizon
        self.nodes, self.wides = sizes(mdp, eta)
        self.top = int(self.nodes[-1])
        wide = self.top + 2 * self.spare
        self.calls = 0
        self.maskable = int(np.diff(model.action_start).max()) <= MOST_ACTIONS
        self.arrays = (
            model.action_start, model.succ_start, model.succ_state, model.succ_prob,
            np.array([step.units for step in model.steps]), np.array([step.share for step in model.steps]),
        )  # fmt: skip
        self.initial_state = np.array([s for s, _ in mdp.initial])
        self.initial_prob = np.array([float(p) for _, p in mdp.initial])
        self.spans = np.array([step.span for step in model.steps])
        actions = np.minimum(np.diff(model.action_start), MOST_ACTIONS)
        self.allowed: Ints = np.repeat(
            np.tile((np.int64(1) << actions) - 1, (horizon, 1))[:, :, None], wide + 1, axis=2
        )
        self.choice = np.zeros((horizon, n, wide + 1), dtype=narrowest(model))
        width = wide + int(self.spans.max()) + 4
        self._values, self._mass = np.zeros((2, n, width)), np.zeros((2, n, self.top + 1))
        self._work = np.zeros((5, width))
        self._reached = np.zeros((horizon, n, self.top + 1), dtype=np.int8)
        self._buffers: tuple[Any, ...] | None = None
        self._reference: Reference | None = None
        outcomes = len(model.succ_prob)
        work = sum((self.nodes[:-1] + 1) * (self.wides[:-1] + 20)) * outcomes
        #: seconds per pass of the contractor: a guess until one has been timed
        self.contract_seconds = 2 * float(work) / CELLS_PER_SECOND

    def solve(self, cost: Floats, *, masked: bool = True) -> float:
        """Return a lower bound on ``cost . A`` over all policies; :attr:`choice` is then the apparent best policy."""
        self.calls += 1
        return self._pass(cost, self.choice, masked=masked and self.maskable, fixed=False)

    def above(self, cost: Floats, choice: npt.NDArray[Any]) -> float:
        """Return an upper bound on ``cost . A`` for the policy ``choice``."""
        return self._pass(cost, choice, masked=False, fixed=True)

    def _pass(self, cost: Floats, choice: npt.NDArray[Any], *, masked: bool, fixed: bool) -> float:
        beyond = max(float(cost[-1]), self.beyond)  # so that tables do not bend upwards at the greatest return
        cost = np.pad(np.asarray(cost, dtype=float), self.spare, constant_values=(0.0, beyond))
        kernels.value_pass(
            *self.arrays, self.nodes + 2 * self.spare, self.spans, self.model.terms, self.allowed, masked, fixed,
            cost, self._values, self._work, choice,
        )  # fmt: skip
        rows = self._values[0, self.initial_state, self.spare] - beyond * self.spare
        slack = 4.0 * (len(rows) + 2) * 2.0**-53 * float(np.abs(rows).max())
        return float(self.initial_prob @ rows) + (slack if fixed else -slack)

    def slack(self, cost: Floats) -> float:
        """Return 0, since the value of :meth:`solve` is already a bound."""
        return 0.0

    def cdf(self, choice: npt.NDArray[Any] | None = None) -> Floats:
        """Return an approximation of the averages A of a policy."""
        out = np.zeros(self.top)
        met = np.ascontiguousarray((self.choice if choice is None else choice)[:, :, self.spare :])
        kernels.share_pass(
            *self.arrays, self.nodes, self.initial_state, self.initial_prob, met, self._mass, out,
        )  # fmt: skip
        return out

    def contract(
        self, c0: Floats, c_low: Floats, c_high: Floats, deadline: float = math.inf
    ) -> tuple[Floats, Floats] | None:
        """Remove actions from :attr:`allowed`; return certified ranges of A over the rest.  A pass always completes."""
        if self._reference is None:
            self._reference = reference(self.model)
        began = clock.now()
        self._rule_out_by_mean(self._reference, c_low, c_high)
        self.solve(c0)
        low, high, _ = self._contract(self.allowed, self.choice, c0, c_low, c_high)
        self.contract_seconds = clock.now() - began
        return low, high

    def _rule_out_by_mean(self, against: Reference, c_low: Floats, c_high: Floats) -> None:
        kernels.rule_out_by_mean(
            *self.arrays, self.nodes, self.wides, self.allowed, against.loss, against.distance,
            against.action, c_low, c_high, *np.zeros((4, 2, self.mdp.n_states, self.top + 1)),
        )  # fmt: skip

    def ranges(self, choice: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """Return certified ranges of A for one policy."""
        only = np.int64(1) << choice.astype(np.int64)
        flat = np.zeros(self.top)
        low, high, _ = self._contract(only, choice, flat, flat, flat)
        return low, high

    def _contract(
        self, allowed: Ints, choice: npt.NDArray[Any], c0: Floats, c_low: Floats, c_high: Floats
    ) -> tuple[Floats, Floats, int]:
        if self._buffers is None:
            n = self.mdp.n_states
            size = n * int(((self.nodes + 1) * (self.wides + 6)).max())
            self._buffers = (
                np.zeros((2, 2, n, self._values.shape[2])),
                np.zeros((4, 2, size)),
                np.zeros((4, 3, self.top + 4)),
            )
        reached = self._reached
        a, o, state, prob, units, share = self.arrays
        kernels.mark_cells(a, o, state, units, share, self.nodes, self.initial_state, allowed, reached)
        inflate = 1.0 + 16.0 * (self.top + 8) * 2.0**-53
        low, high = np.zeros(self.top), np.zeros(self.top)
        removed = kernels.contract_cells(
            a, o, state, prob, units, share, self.nodes, self.wides, self.model.terms, self.initial_state,
            self.initial_prob, allowed, reached, choice, c0, c_low, c_high, inflate, *self._buffers, low, high,
        )  # fmt: skip
        wide = 2.0**-48 * (len(self.initial_prob) + 2)
        return np.maximum(low - wide, 0.0), np.minimum(high + wide, 1.0), removed


def bytes_needed(mdp: MDP, nodes: Ints, wides: Ints) -> int:
    """Return the bytes of the contractor's tables; of masks (three of eight bytes), policies and reached flags per
    cell; and of a few rows of floats per state."""
    cells = mdp.n_states * (int(nodes[-1]) + 1)
    return 64 * mdp.n_states * int(((nodes + 1) * (wides + 6)).max()) + (32 * mdp.horizon + 160) * cells


def fits(mdp: MDP, eta: Fraction) -> bool:
    """Return whether the tables of a grid fit in memory."""
    return bytes_needed(mdp, *sizes(mdp, eta)) <= memory_limit()


def require_memory(mdp: MDP, eta: Fraction) -> None:
    """Raise if the tables do not fit in memory, naming a grid step whose tables do."""
    needed, limit = bytes_needed(mdp, *sizes(mdp, eta)), memory_limit()
    if needed > limit:
        wanted = round_up_to_two_digits(eta * Fraction(math.isqrt(1 + 10**6 * needed // limit), 1000))
        raise InvalidArgument(
            f"eta is {digits(eta, 3)}: the search needs {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB allowed, "
            f"wanted eta of at least {wanted}"
        )


class CellSearch(Search):
    """Search whose boxes contain F at every point of a cell, while cuts concern averages (D2): a bound on the average
    over cell k holds at every point of cell k + 1 (from below) or k - 1 (from above)."""

    oracle: CellOracle
    reach = 1

    def incumbents(self) -> None:
        """Find incumbents, then raise the tolerance to what this grid can prove of the incumbent's policy."""
        super().incumbents()
        self.tol = max(self.tol, 1.25 * (self.best.value - self.own_bound()))


# -- pruning by the mean -----------------------------------------------------------------------------------------------


POINTS = 512  # points of each step's laws: a finer grid moves laws less, so losses rule out more, but takes longer
SAFE = 2.0**-30  # exceeds the rounding error of any loss or distance, as a share of the remaining range


@dataclass(frozen=True)
class Reference:
    """Per step and action, in grid units, relative to the policy ``action[t, s]``: ``loss`` is a lower bound on the
    mean lost by playing the action once, ``distance`` an upper bound on how far that moves the law."""

    action: npt.NDArray[Any]
    loss: Floats
    distance: Floats


def reference(model: ScaledModel) -> Reference:
    """Compute the reference backwards over steps, on grids that shrink with the remaining range."""
    action = mean_part(model).action.astype(np.int64)
    n, horizon, actions = model.n_states, model.horizon, len(model.succ_start) - 1
    loss, distance = np.zeros((horizon, actions)), np.zeros((horizon, actions))
    laws, means, off = np.zeros((n, POINTS + 1)), np.zeros(n), 0.0
    laws[:, 0] = 1.0
    width = 0.0
    owner = np.repeat(np.arange(n), np.diff(model.action_start))
    for t in range(horizon - 1, -1, -1):
        step = model.steps[t]
        after, width = width, (width + step.scale) * (1 + 1e-12)
        grid = width / POINTS
        gains = step.units + step.share
        mixed = np.zeros((actions, POINTS + 1))
        mean = np.zeros(actions)
        for i in range(actions):
            first, last = model.succ_start[i], model.succ_start[i + 1]
            for o in range(first, last):
                s, p = model.succ_state[o], model.succ_prob[o]
                _add(mixed[i], laws[s], gains[o] / grid, after / POINTS / grid, p)
                mean[i] += p * (gains[o] + means[s])
        chosen = model.action_start[:-1] + action[t]
        cdf = np.cumsum(mixed, axis=1)
        off += 0.5 * grid
        loss[t] = mean[chosen][owner] - mean - SAFE * width
        distance[t] = np.abs(cdf - cdf[chosen][owner]).sum(axis=1) * grid + 2 * off + SAFE * width
        loss[t, chosen], distance[t, chosen] = 0.0, 0.0
        laws, means = mixed[chosen], mean[chosen]
    return Reference(action, loss, distance)


def _add(out: Floats, law: Floats, start: float, step: float, weight: float) -> None:
    """Add ``weight`` times a law on points ``start, start + step, ...`` to one on 0, 1, ..., splitting mass in
    between."""
    used = np.flatnonzero(law)
    place = start + step * used
    cell = np.minimum(place.astype(np.int64), len(out) - 2)
    share = np.clip(place - cell, 0.0, 1.0)
    mass = weight * law[used]
    np.add.at(out, cell, mass * (1.0 - share))
    np.add.at(out, cell + 1, mass * share)
