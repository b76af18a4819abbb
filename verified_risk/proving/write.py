"""Build the certificate of a plan, choosing the proof of the checker that fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, pairwise

import numpy as np

from ..errors import Unsupported
from ..grid import own_unit
from ..numbers.rational import ceil_div, lcm_of_denominators
from ..objectives import VaR, Weighting
from ..objectives.weighting import Knots
from ..planning.affordable_law import PATIENT, evaluation_work
from ..planning.clock import Clock
from ..planning.result import Plan
from ..planning.rounding import short_below
from ..planning.search.attained_coordinates import Unfolded, unfolded
from ..planning.search.cells_route import FIRST_CELLS, MOST_CELLS, CellOracle
from ..planning.search.driver import Coordinates
from ..planning.search.grid_coordinates import Oracle
from ..policy.cell_policy import CellPolicy
from .bounded import FEW_VALUES, apart, bounded, line_accuracy
from .budgets import Budgets, Charges, Drawn, PolicyRows, ShorterRows, TooLong, best_mean_above, cell_rows
from .certificate import (
    ByBudget,
    ByCover,
    ByLaw,
    ByMarkov,
    ByTables,
    Certificate,
    Cover,
    CoverNode,
    Curved,
    IntegerModel,
    Piecewise,
    Quantile,
    Returns,
    Runs,
    Tail,
    integer_model,
    leaves,
)
from .cover_search import LARGEST, MULTIPLIER, Exact, Found, find_cover, in_cells, is_fine_enough, on_grid
from .integer_tables import SHARE_BITS
from .weightings import worth_of_law

EXACT_WORK = 2e8
"""Maximum number of bits, over all cells, of a certificate whose tables are exact by default."""
MOST_EXACT_BITS = 100_000
"""Longest numbers of such tables, used in the arithmetic of every cell."""
CURVE_BITS = 120
"""Fractional bits in the tables of a curved weighting; the points of its curve have at most 96."""
LEAST_SLACK = Fraction(1, 2**40)
"""Share of the range of returns added to an upper bound; it exceeds what the points of a curve and its line near 1 can
lose."""
SHORT_SCALE = 20_000
"""Bits up to which the law of the return is computed without rounding for such a weighting."""
MET = (
    "where tables of exact numbers are too long, a level of a quantile that some CDF meets with equality counts as not "
    "reached"
)
BEHIND = "a value of the policy's CDF that is close behind the level of an upper quantile counts as not beyond it"
WIDEST_GRID = 20_000
"""Points of a grid of returns up to which a cover is sought, or a plan on another grid is proved on this one."""


def objective_of(weighting: Weighting) -> Tail | Quantile | Piecewise:
    """Return the objective in the checker's form."""
    if weighting.quantile is not None:
        return Quantile(weighting.quantile.level, weighting.quantile.upper)
    levels = weighting.levels
    if levels is not None and len(levels.tails) <= 1:
        return Tail(levels.mean, levels.tails[0][0]) if levels.tails else Tail(Fraction(1), Fraction(1))
    assert weighting.knots is not None, "curves are bounded by points"
    return Piecewise(weighting.knots[1:])


def _law_scale(drawn: Drawn) -> int:
    """Return the scale of a law without loss or, if that is long, of one that is fine enough for a curve."""
    model = drawn.charges.model
    exact = model.exact_scale(drawn.total * model.initial_total)
    return exact if exact.bit_length() <= SHORT_SCALE else 1 << CURVE_BITS + 20


def values_of_cdf(drawn: Drawn, scale: int) -> list[Fraction]:
    """Return the values of the CDF of the return, as the checker bounds them, from 0 or what rounding loses."""
    _, law = drawn.law(scale)
    return [Fraction(x, scale) for x in accumulate((law[y] for y in sorted(law)), initial=scale - sum(law.values()))]


def curved(plan: Plan, drawn: Drawn, clock: Clock, *, sharp: bool, everywhere: bool = False) -> Curved:
    """Return the weighting with a line below and stairs above it."""
    try:
        scale = _law_scale(drawn)
        levels = values_of_cdf(drawn, scale)
    except TooLong:
        raise Unsupported(
            f"not covered: {plan.objective.spec} where the law of the policy's return is too long to be exact"
        ) from None
    values = FEW_VALUES + 1 if everywhere else len(levels)
    accuracy = line_accuracy(plan, drawn.charges.span * drawn.charges.unit, values, sharp=sharp)
    return bounded(
        plan.objective, levels[:-1], accuracy, exact=not levels[0], everywhere=everywhere, tick=clock.require
    )


def lower_by_stairs(objective: Curved, drawn: Drawn, scale: int) -> tuple[Fraction, int]:
    """Return the bound that the stairs prove for the law, and its scale, a multiple of ``scale``."""
    c, law = drawn.law(scale)
    if sum(law.values()) == scale:  # so that weights of the masses are multiples as well
        k = objective.stair_denominator
        c, law = c._replace(V=c.V * k), {y: mass * k for y, mass in law.items()}
    return worth_of_law(c, law, objective.mixture.weigh(c.V)), c.V


@dataclass(frozen=True)
class Draft:
    """The common parts of all certificates of one plan; attempts differ only in scales and claims."""

    plan: Plan
    model: IntegerModel
    objective: Tail | Quantile | Piecewise | Curved
    charges: Charges
    drawn: Drawn
    clock: Clock
    cells: Budgets | None = None
    """Set for a discounted plan, whose tables are interpolated."""
    by_cells: bool = False
    """True if the lower bound also rests on a table, rather than on the law of the return."""
    halved: int = 0
    """Number of halvings by which the grid of the bounds is finer than the plan's."""
    unfolded: Unfolded | None = None
    """Set if a cover is over the attainable returns."""
    between: Fraction = Fraction()
    """The cells of a cover that is read between the points of a grid."""
    sharp: bool = False
    """True if a curve's own upper bound is to be proved, and no larger one."""
    doubts: list[str] = field(default_factory=list)
    """Reasons why the checker may refuse a correct upper bound."""

    @classmethod
    def of(cls, plan: Plan, clock: Clock | None = None, *, sharp: bool = False) -> Draft:
        """Read a plan; ``sharp`` if only its own upper bound will do."""
        clock = clock or Clock()
        model = integer_model(plan.mdp)
        by_return = any(isinstance(part, CellPolicy) for _, part in plan.policy.parts())
        charges = Charges(model, own_unit(plan.mdp) if by_return else plan.eta)
        short = evaluation_work(plan.mdp, plan.policy) <= PATIENT
        drawn = Drawn(plan.policy, charges, clock.require, short=short)
        searches = plan.objective.knots is None and plan.objective.quantile is None
        objective = curved(plan, drawn, clock, sharp=sharp) if searches else objective_of(plan.objective)
        draft = cls(plan, model, objective, charges, drawn, clock, sharp=sharp)
        if isinstance(plan.policy, CellPolicy) and isinstance(objective, Tail):
            budgets = Budgets(model, plan.policy.least, plan.policy.eta, plan.policy.halvings)
            return replace(draft, cells=budgets, by_cells=not short)
        if isinstance(objective, (Piecewise, Curved)):
            draft = replace(draft, unfolded=None if model.loss(charges.unit) else unfolded(plan.mdp))
            return draft.in_cells(FIRST_CELLS) if draft.unfolded is None and charges.span > WIDEST_GRID else draft
        if by_return and charges.span > WIDEST_GRID:
            points = f"{charges.span} points" if charges.span < 10**12 else "over a million million points"
            raise Unsupported(
                f"not covered: a plan for {plan.objective.spec} whose returns lie on a grid of {points}, more than "
                f"{WIDEST_GRID}"
            )
        return draft

    def in_cells(self, count: int) -> Draft:
        """Return the draft whose cover is read between the points of a grid: the coarsest of ``count``, twice as many,
        ... cells that is fine enough or, unless the weighting is concave, the plan's."""
        low, high = self.plan.mdp.remaining_range(0)
        if count > MOST_CELLS and not self._probes:
            return replace(self, between=max(self.plan.eta, short_below((high - low) / MOST_CELLS)))
        one = replace(self, between=short_below((high - low) / count))
        fine = is_fine_enough(one.space, one.knots, self.plan.upper, self.clock)
        return one if fine or (count >= MOST_CELLS and self._probes) else self.in_cells(2 * count)

    @property
    def _cell_policy(self) -> CellPolicy:
        assert isinstance(self.plan.policy, CellPolicy)
        return self.plan.policy

    @property
    def knots(self) -> Knots:
        """The corners of the weighting, or of the line below it."""
        knots = self.objective.knots if isinstance(self.objective, Curved) else self.plan.objective.knots
        assert knots is not None
        return knots

    @property
    def rows(self) -> PolicyRows:
        return self.drawn.parts[0]

    def finer(self) -> Draft | None:
        """Return the draft for the upper bound without rounding, if rewards are rounded: on their own grid or, for a
        cover where that is too wide, between the points of one."""
        if self.unfolded or self.between or (self.cells is None and not self.model.loss(self.charges.unit)):
            return None
        charges = Charges(self.model, own_unit(self.plan.mdp))
        if charges.span <= WIDEST_GRID:
            return replace(self, charges=charges, cells=None)
        return self.in_cells(FIRST_CELLS) if isinstance(self.objective, (Piecewise, Curved)) else None

    def certificate(self, *, exact: bool, bits: int, finer: Draft | None = None) -> Certificate:
        """Build a certificate; ``exact`` tables lose nothing, others at most about the horizon over ``2**bits``."""
        low = self._low(exact, bits)
        up = (finer or self)._up(exact, bits)
        return Certificate(self.model, self.objective, self.plan.lower, self.plan.upper, low, up)

    def everywhere(self) -> Draft:
        """Return the draft with a line that is as fine far from the policy's CDF as beside it."""
        return replace(self, objective=curved(self.plan, self.drawn, self.clock, sharp=self.sharp, everywhere=True))

    def curved_certificates(self, objective: Curved, finer: Draft | None = None) -> Iterator[Certificate]:
        """Yield certificates of the plan's upper bound, or of what the broken line proves, plus the cost of
        rounding."""
        lower, low = self._curved_low(objective)
        allowance = 4 * objective.accuracy * self._closed_span
        more = 0 if objective.is_exact else allowance
        tries = [(Fraction(), 0 if self.sharp else more)]
        if not self.sharp and not self.between:
            tries.append((LEAST_SLACK, allowance))
        for slack, more in tries:
            try:
                upper, up, complete = (finer or self)._curved_cover(
                    objective, self.plan.upper + self._closed_span * slack, more
                )
            except Unsupported:
                if (slack, more) == tries[-1] or self.clock.late():
                    raise
            else:
                if complete or objective.everywhere:
                    yield Certificate(self.model, objective, lower, upper, low, up)

    def _curved_low(self, objective: Curved) -> tuple[Fraction, ByLaw]:
        """Return the bound that the stairs prove, at most the plan's, and its proof."""
        lower, scale = lower_by_stairs(objective, self.drawn, _law_scale(self.drawn))
        lost, across = self.plan.lower - lower, self.charges.span * self.charges.unit
        if objective.has_upper_quantiles and lost > LEAST_SLACK * across:
            raise Unsupported(
                f"not covered: {self.plan.objective.spec} with this lower bound: the policy's CDF meets the level of "
                "an upper quantile with equality"
            )
        return min(self.plan.lower, lower), ByLaw(scale, self.drawn.total, self.drawn.machines)

    def _curved_cover(self, objective: Curved, upper: Fraction, more: Fraction | int) -> tuple[Fraction, ByCover, bool]:
        tables = Exact(self.plan.mdp, self.charges, self.model.exact_scale(1), self.clock)
        exact = tables if tables.scale.bit_length() <= SHORT_SCALE and tables.affordable else None
        exact = None if self.unfolded or self.between else exact
        found = find_cover(self.space, objective.knots, upper, self.clock, more, objective.jumps, exact)
        met = MET if exact is None and objective.jumps else BEHIND if self._close_behind else ""
        self._doubt(found, f"{self.plan.objective.spec} with this upper bound: {met}" if met else "")
        contracts = any(node.kind == "contract" for node in found.cover)  # which leaves room for rounding
        scale = MULTIPLIER << (2 if contracts else CURVE_BITS)
        scale = self._cell_scale(found.cover) if self.between else scale
        return found.upper, self._by_cover(scale, found.cover), found.complete

    @property
    def _close_behind(self) -> bool:
        """True if a value of the policy's CDF is too close above the level of an upper quantile to be told apart."""
        levels = values_of_cdf(self.drawn, _law_scale(self.drawn))
        quantiles = [part for _, part in self.plan.objective.terms if isinstance(part, VaR) and part.upper]
        return not all(apart(part, levels) for part in quantiles)

    def fixed_bits(self) -> int:
        """Return the fractional bits that lose about as much as floats in the planner; numbers then fit a word."""
        parts = dict(self.plan.certificate.contributions)
        if self.cells is not None:
            floats = parts.get("float64 arithmetic", self.plan.gap)
        else:
            floats = self.plan.gap - parts.get("rewards rounded up to the grid", Fraction())
        if floats <= 0:
            return 128
        share = (2 if self.cells is None else 16) * (self.model.horizon + 2) / floats
        return max(30, share.numerator.bit_length() - share.denominator.bit_length() + 1)

    def word_bits(self) -> int:
        """Return about as many fractional bits as tables in 64-bit integers have room for."""
        cost = Fraction(1)
        if isinstance(self.objective, Tail):
            farthest = max(abs(self.charges.spent_least[-1]), abs(self.charges.spent_most[-1])) + self.charges.span
            cost += (self.objective.weight + self._slope()) * farthest * self.charges.unit
        return 61 - int(cost).bit_length() - self.model.largest_total.bit_length()

    def without_cover(self) -> Certificate:
        """Return a certificate of the lower bound; its cover is one box that proves nothing."""
        up = self._by_cover(1, [CoverNode("dual")])
        if isinstance(self.objective, Curved):
            lower, low = self._curved_low(self.objective)
            return Certificate(self.model, self.objective, lower, self.plan.upper, low, up)
        return Certificate(
            self.model, self.objective, self.plan.lower, self.plan.upper, self._low(True, self.fixed_bits()), up
        )

    def exact_bits(self) -> int:
        """Return the bits of the numbers of lossless tables."""
        return self.model.exact_scale(self._terminal_denominator()).bit_length()

    @property
    def decides_lower(self) -> bool:
        """True if the last attempt evaluates the policy exactly: a lower bound that it does not prove is false."""
        if isinstance(self.objective, Curved) or self.exact_bits() > MOST_EXACT_BITS:
            return False
        if self.between:
            return self.by_law
        return self.by_law or (self.cells is None and not self.model.loss(self.charges.unit))

    @property
    def decides_upper(self) -> bool:
        """True if the last attempt loses nothing: an upper bound that it does not prove is false."""
        if isinstance(self.objective, Curved) and not self.charges.span:  # a share of no range pays for no line
            return False
        if self.between:
            return False
        if isinstance(self.objective, (Piecewise, Curved)):  # the doubts list what a cover leaves open
            return self.model.discount == 1 or not self.model.loss(self.charges.unit)
        rounds = self.cells is not None or self.model.loss(self.charges.unit)
        return self.exact_bits() <= MOST_EXACT_BITS and not (rounds and self.finer() is None)

    def exact_is_cheap(self, cells: int) -> bool:
        return self.exact_bits() * max(cells, 1) <= EXACT_WORK

    # -- the two proofs ---------------------------------------------------------------------------------------------

    @cached_property
    def by_law(self) -> bool:
        """True if the lower bound rests on the law of the return: true of rounded rewards, polygons and mixtures."""
        if self.cells is not None:
            return not self.by_cells
        if len(self.drawn.weights) > 1:
            return True
        if self.between and (self.plan.law_error == 0 or self.plan.objective.shape != "concave"):
            return self.drawn.is_short
        rounded = bool(self.model.loss(self.charges.unit)) or isinstance(self.objective, Piecewise)
        return rounded and self.drawn.most == math.inf  # otherwise tables or, if G is concave, lines lose little

    def _law(self, exact: bool, bits: int) -> ByLaw:
        total, machines = self.drawn.total, self.drawn.machines
        scale = 1 << bits + 20  # every mass is rounded at every step
        if exact:
            scale = self.model.exact_scale(total * self.model.initial_total * self._weighting_denominator())
        return ByLaw(scale, total, machines)

    def _low(self, exact: bool, bits: int) -> ByMarkov | ByBudget | ByLaw:
        objective = self.objective
        if self.between:
            exact = exact or self.exact_bits() <= MOST_EXACT_BITS
            return self._law(exact, bits) if self.by_law else self._lines()
        if self.cells is not None and self.by_cells:
            start = self._cell_policy.rho << self.halved
            grid = self.cells.grid(start, start, self.cells.eta / 2**self.halved, whole=True)
            return ByBudget(1 << bits, grid, start, cell_rows(self._cell_policy, grid, self.halved))
        if isinstance(objective, Tail) and objective.weight == 1 and len(self.drawn.weights) == 1:
            choices = self.rows.markov()
            if choices is not None:
                return ByMarkov(self._mean_scale(exact, bits), choices)
        if self.by_law:
            return self._law(exact, bits)
        start = self._start()
        if isinstance(objective, Piecewise):
            return ByBudget(self._scale(exact, bits), self.charges.followed_grid(start), start, self._longer_rows)
        if isinstance(objective, Tail) and objective.weight == 0:
            rows = ShorterRows(self.rows, start, self.model.loss(self.charges.unit))
            return ByBudget(self._scale(exact, bits), rows.grid, start, rows)
        return ByBudget(self._scale(exact, bits), self.charges.policy_grid(start), start, self.rows)

    def _lines(self) -> ByBudget:
        """Return a policy by cells and, in each cell, the slope of the weighting at the values of its CDF."""
        policy, knots = self.plan.policy, self.plan.objective.knots
        if not isinstance(policy, CellPolicy) or knots is None or self.plan.objective.shape != "concave":
            raise Unsupported(
                f"not covered: {self.plan.objective.spec} where the law of the policy's return is too long"
            )
        oracle, unit, start = (
            CellOracle(self.plan.mdp, policy.eta),
            policy.eta / 2**self.halved,
            policy.rho << self.halved,
        )
        choice = np.zeros_like(oracle.choice)
        for t, table in enumerate(policy.tables):
            choice[t, :, : oracle.top] = table[:, np.minimum(np.arange(oracle.top), table.shape[1] - 1)][:, ::-1]
        slopes = [(v - u) / (b - a) for (a, u), (b, v) in pairwise(knots)]
        at = np.searchsorted([float(x) for x, _ in knots[1:-1]], np.repeat(oracle.cdf(choice), 1 << self.halved))
        grid = Budgets(self.model, policy.least, policy.eta, policy.halvings).closed(start, unit)
        (lo, hi), scale = grid.windows[-1], self._cell_scale([CoverNode("dual", costs=tuple(slopes))])
        cells = np.clip(start - 1 - np.arange(lo, hi), 0, len(at) - 1)
        multipliers = [int(slopes[k] * scale) for k in at[cells]]
        return ByBudget(scale, grid, start, cell_rows(policy, grid, self.halved), multipliers)

    def _longer_rows(self, t: int) -> list[Runs]:
        """Return the runs, extended over the indices above the reachable ones."""
        more = self.charges.spent_least[t] - self.charges.gained_or_kept[t]
        rows = self.rows(t)
        return [[*runs[:-1], (runs[-1][0] + more, runs[-1][1])] for runs in rows]

    @cached_property
    def space(self) -> Coordinates:
        """The coordinates of a cover."""
        if (model := self.unfolded) is not None:
            return Coordinates(Oracle(model.model()), model.width, model.most, model.widths)
        if self.between:
            return in_cells(self.plan.mdp, self.between, self._steepest if self._probes else None)
        return on_grid(self.plan.mdp, self.charges.unit)

    def _by_cover(self, scale: int, cover: Cover) -> ByCover:
        """Return the cover with its grid, its start, and the place of its last coordinate."""
        if self.unfolded is not None:
            return self._by_returns(self.unfolded, scale, cover)
        if self.between:
            start = self.space.oracle.top
            cells = Budgets(self.model, self.plan.mdp.reward_range[0], self.between).closed(
                start, self.between, beyond=self._probes
            )
            return ByCover(scale, cells, start, cover, start - cells.windows[-1][0] - 1, self._steepest)
        start = self.charges.spent_or_kept[-1]
        grid = self.charges.closed_grid(start)
        return ByCover(scale, grid, start, cover, start - grid.windows[-1][0] - 1 - self.charges.spent_least[-1])

    def _by_returns(self, unfolded: Unfolded, scale: int, cover: Cover) -> ByCover:
        """Before the attainable returns, if rewards of 0 or the largest one at every step would exceed them, that."""
        model = self.model
        ratio = unfolded.grid.unit * model.reward_denominator * model.discount.denominator**model.horizon
        found = [int(z * ratio) for z in reversed(unfolded.returns)]
        largest = max(0, *model.gains) * sum(model.weights, Fraction()) * model.reward_denominator
        most = int(largest * model.discount.denominator**model.horizon)
        more = most > found[0]
        returns = Returns((*([most] if more else []), *found), 1 + len(unfolded.cells) // len(model.states))
        return ByCover(scale, returns, 0, cover, len(found) - 2 + more)

    @property
    def _closed_span(self) -> Fraction:
        """The width of the grid of a cover, on which nothing may be earned either."""
        return (self.charges.spent_or_kept[-1] - self.charges.gained_or_kept[-1]) * self.charges.unit

    @property
    def _probes(self) -> bool:
        """True if a cover by cells rests on probes of single cells, as it does if the weighting is concave."""
        return self.plan.objective.shape == "concave"

    @property
    def _steepest(self) -> Fraction:
        """The largest slope of a chord of the weighting that ends at 1, or nearly, where it is very steep."""
        return min(max((self.knots[-1][1] - g) / (1 - x) for x, g in self.knots[:-1]), Fraction(LARGEST))

    def _cell_scale(self, cover: Cover) -> int:
        """Return a scale over which the tables of a cover by cells fit words, shares of a cell included."""
        largest = max((abs(c) for costs in leaves(cover) for c in costs), default=Fraction(1))
        bits = (math.ceil(max(largest, self._steepest)) * self.model.largest_total).bit_length()
        return 1 << max(54 - SHARE_BITS - bits, 16)

    @cached_property
    def cover(self) -> Cover:
        found = find_cover(self.space, self.knots, self.plan.upper, self.clock)
        self._doubt(found)
        return found.cover

    def _doubt(self, found: Found, more: str = "") -> None:
        self.doubts[:] = filter(None, [found.doubtful, more])

    def _up(self, exact: bool, bits: int) -> ByTables | ByCover:
        objective, unit, bound = self.objective, self.charges.unit, self.plan.upper
        if isinstance(objective, Piecewise):
            return self._by_cover(
                self._cell_scale(self.cover) if self.between else self._scale(exact, bits), self.cover
            )
        if isinstance(objective, Quantile):
            start = -ceil_div(-bound, unit)
            grid = self.charges.all_policies_grid(start, start, whole=False)
            return ByTables("threshold", self._scale(exact, bits), grid, start)
        assert isinstance(objective, Tail)
        w, slope = objective.weight, self._slope()
        if w + slope == 1:
            return ByTables("mean", self._mean_scale(exact, bits))
        # Left of the first window (1 - w) rho + w E Z bounds the objective, right of it its slope 1 - w - k < 0 does.
        mean = best_mean_above(self.model)
        if not exact:  # the checker also rounds it up
            mean += Fraction(self.model.horizon + 1, 1 << bits)
        if self.cells is not None and mean <= bound + Fraction(1, 1 << 40):  # the greatest return, known to the planner
            return ByTables("mean", self._mean_scale(self.exact_bits() <= MOST_EXACT_BITS, bits))
        left, right = (bound - w * mean) / (1 - w), ((w + slope) * mean - bound) / (w + slope - 1)
        if self.cells is not None:
            step, offset = self.cells.eta / 2**self.halved, self.cells.offset
            first, last = -ceil_div(offset - left, step), ceil_div(right - offset, step)
            return ByTables("cells", 1 << bits, self.cells.grid(first, last, step, whole=w > 0))
        first = -ceil_div(-left, unit)
        last = max(first, ceil_div(right, unit))
        return ByTables("budgets", self._scale(exact, bits), self.charges.all_policies_grid(first, last, whole=w > 0))

    def _start(self) -> int:
        """Return the budget that minimises the policy's shortfall: a quantile of its return."""
        objective, unit = self.objective, self.charges.unit
        if isinstance(objective, (Quantile, Piecewise)):
            return -ceil_div(-self.plan.lower, unit)
        rho = getattr(getattr(self.plan.policy, "rule", None), "rho", None)
        if rho is not None:
            return int(rho) + self.charges.spent_least[-1]
        assert isinstance(objective, Tail)
        return ceil_div(self.plan.required_law().quantile(objective.level), unit)

    # -- scales -----------------------------------------------------------------------------------------------------

    def _slope(self) -> Fraction:
        assert isinstance(self.objective, Tail)
        return (1 - self.objective.weight) / self.objective.level

    def _terminal_denominator(self) -> int:
        """Return a common denominator of terminal costs, and of means once multiplied by the totals."""
        if isinstance(self.objective, Quantile):
            return 1
        if isinstance(self.objective, Piecewise):
            return MULTIPLIER * self.model.initial_total * self._weighting_denominator()
        assert isinstance(self.objective, Tail)
        unit, w, model = self.charges.unit, self.objective.weight, self.model
        means = model.reward_denominator * model.discount.denominator**model.horizon
        return math.lcm((w * unit).denominator, ((w + self._slope()) * unit).denominator, means)

    def _weighting_denominator(self) -> int:
        """Return d such that weights of probabilities that are multiples of 1/n are multiples of 1/(n d)."""
        knots = self.plan.objective.knots
        if knots is None:
            return 1
        chords = {(v - u) / (b - a) for (a, u), (b, v) in combinations(knots, 2)}
        products = {c * x for c in chords for x, _ in knots}
        return lcm_of_denominators([*chords, *products, *(g for _, g in knots)])

    def _scale(self, exact: bool, bits: int) -> int:
        if exact:
            return self.model.exact_scale(self._terminal_denominator())
        if isinstance(self.objective, Piecewise):
            return self._terminal_denominator() << bits
        return 1 << bits

    def _mean_scale(self, exact: bool, bits: int) -> int:
        if not exact:
            return 1 << bits
        model = self.model
        return int(model.reward_denominator * (model.step_denominator * model.discount.denominator) ** model.horizon)
