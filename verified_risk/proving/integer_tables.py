r"""Tables of a certificate, in integers: means, budgets of all policies, budgets of one policy.

Z is the return, V the scale: tables hold integers over V, and every average is rounded outward.  Index b before step t
stands for the budget :math:`b u_t`; a reward leads to an index that stands for at most the budget less the reward
(docs/proof_format.md, *Grids*).  By backward induction the table of all policies is at most the least expected terminal
cost, and that of the certificate's policy is at least its expected terminal cost, if costs do not fall with the budget.

* Mean and CVaR: :math:`\Phi = \max_\rho J(\rho)`, :math:`J(\rho) = \rho - E c(\rho - Z)`, :math:`c(x) = w x + k x^+`,
  :math:`k = (1 - w) / \alpha`.
* Quantiles: the cost 1 of a budget that is positive, for the policy, or not negative, for all of them.

Rows are arrays of int64 where a bound on every intermediate sum fits, of Python's integers otherwise.  A row has two
axes: tables that differ in their terminal costs alone, and indices.  What is tested follows the programs of
``proofs_checks/formal/checker``, whose theorems say why what they accept is true.

Where a grid of all sums would be too fine for mean and CVaR, tables are read between their nodes.  The polygon through
the nodes is below the least expected cost at every real budget, by backward induction.  A reward of :math:`i + \lambda`
units takes the cell [b, b + 1] to two cells, so that each outcome bends once in it, and the chord exceeds their average
by at most :math:`\lambda (1 - \lambda)` times the positive part of the second difference: that is taken off both
ends.  To a coarser grid every second node is kept, lowered by what the chord exceeds the node between. For a policy the
same is done with minus its cost, cell by cell: nothing is ever raised.

In int64, :math:`\lambda` has few binary digits and is rounded so that the table falls; where two neighbours are too far
apart for that, the lesser of them is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Tick: TypeAlias = Callable[[], None]
Row: TypeAlias = np.ndarray[Any, Any]
Table: TypeAlias = Callable[[int], Row | None]
Runs: TypeAlias = Sequence[tuple[int, int]]

LOWER = "refused: the policy of the certificate does not prove the lower bound"
UPPER = "refused: the tables of the certificate do not prove the upper bound"


class Refused(Exception):
    """The certificate is not proved; the text begins with ``refused:`` or ``not covered:``."""


def require(holds: bool, why: str) -> None:
    if not holds:
        raise Refused(why)


def ceil_div(a: Any, b: int) -> Any:
    return -(-a // b)


def shortened(x: Fraction) -> Fraction:
    """Return a number of at most 64 fractional bits that is not above ``x``."""
    return Fraction((x.numerator << 64) // x.denominator, 1 << 64)


# -- models ----------------------------------------------------------------------------------------------------------


class Action(NamedTuple):
    """Outcomes (weight, gain, next) with weights over ``total``; ``factors`` if gain and next are independent."""

    total: int
    outcomes: Sequence[tuple[int, int, int]]
    factors: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]] | None


Step: TypeAlias = Mapping[int, Sequence[Action]]


@dataclass(frozen=True)
class Model:
    """Rewards are gain / ``denominator``, discounted by p / q; a state that a step does not list stays and earns 0."""

    p: int
    q: int
    denominator: int
    initial_total: int
    initial: Sequence[tuple[int, int]]
    steps: Sequence[Step]

    def require_good(self) -> None:
        wrong = "refused: the model is not one: a row does not sum to its total, or a number has the wrong sign"
        good = self.p > 0 and sum(weight for _, weight in self.initial) == self.initial_total
        require(good, f"{wrong} (the discount or the initial law)")
        for step in self.blocks:
            for s, a, action in ((s, a, action) for s, row in step.items() for a, action in enumerate(row)):
                require(sum(w for w, _, _ in action.outcomes) == action.total, f"{wrong} (state {s}, action {a})")

    @property
    def blocks(self) -> list[Step]:
        """The distinct steps."""
        return list({id(step): step for step in self.steps}.values())

    @property
    def gains(self) -> list[set[int]]:
        """The gains of each step."""
        every = {id(step): {g for row in step.values() for a in row for _, g, _ in a.outcomes} for step in self.blocks}
        return [every[id(step)] for step in self.steps]

    @property
    def largest_total(self) -> int:
        return max([self.initial_total, *(a.total for step in self.blocks for row in step.values() for a in row)])


def factors_of(total: int, outcomes: Sequence[tuple[int, int, int]]) -> Any:
    """Return weights of next states and of gains whose products are the weights, if there are several of both."""
    width = next((i for i, (_, _, s) in enumerate(outcomes) if s != outcomes[0][2]), len(outcomes))
    if width < 2 or len(outcomes) == width or len(outcomes) % width:
        return None
    ps, qs = [w for w, _, _ in outcomes[:width]], [w for w, _, _ in outcomes[::width]]
    ps, qs = ([w // (math.gcd(*ws) or 1) for w in ws] for ws in (ps, qs))
    every = sum(ps) * sum(qs)
    for i, (w, gain, s) in enumerate(outcomes):
        row, place = divmod(i, width)
        same = gain == outcomes[place][1] and s == outcomes[i - place][2]
        if not same or not every or w * every != total * qs[row] * ps[place]:
            return None
    after, gains = [s for _, _, s in outcomes[::width]], [gain for _, gain, _ in outcomes[:width]]
    return list(zip(qs, after, strict=True)), list(zip(ps, gains, strict=True))


# -- grids -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Index b before step t stands for the budget b u_t; ``windows[t]`` are the first and the last index."""

    unit: Fraction
    stretch: int
    shrink: int
    windows: Sequence[tuple[int, int]]

    @property
    def shifts(self) -> bool:
        return self.stretch == self.shrink == 1

    def unit_after(self, t: int) -> Fraction:
        return self.unit * Fraction(self.shrink, self.stretch) ** t

    def rates(self, model: Model) -> Iterator[tuple[int, int]]:
        """Yield, for each step, the charge of a gain of 1 as numerator and denominator, not reduced."""
        num, den = self.unit.denominator * self.stretch, model.denominator * self.unit.numerator
        for _ in model.steps:
            yield num, den
            num, den = num * model.p * self.stretch, den * model.q * self.shrink

    def charges(self, model: Model) -> list[dict[int, int]]:
        """Return the charge of each gain at each step, rounded up; also that of a gain of 0."""
        every = zip(self.rates(model), model.gains, strict=True)
        return [{gain: ceil_div(gain * num, den) for gain in (0, *gains)} for (num, den), gains in every]

    def move(self, b: int, charge: int) -> int:
        return (self.stretch * b - charge) // self.shrink

    def loss(self, model: Model) -> Fraction:
        """Return a bound on what rounding can take from a budget over all steps."""
        found = Fraction()
        for t, ((num, den), gains) in enumerate(zip(self.rates(model), model.gains, strict=True), 1):
            excess = max([0, *(ceil_div(gain * num, den) * den - gain * num for gain in gains)])
            excess += (self.shrink - 1) * den
            found += self.unit_after(t) * Fraction(excess, self.shrink * den) if excess else 0
        return found

    def never_leaves(self, model: Model, *, below: bool = False, above: bool = False) -> bool:
        """Return whether no index leaves its window for the next one below, or above; nor if nothing is earned."""
        for charges, (here, after) in zip(self.charges(model), pairwise(self.windows), strict=True):
            least, most = min(charges.values()), max(charges.values())
            if below and self.move(here[0], most) < after[0]:
                return False
            if above and self.move(here[1], least) > after[1]:
                return False
        return True


class Setting(NamedTuple):
    """What the tests of one bound have in common; ``tick`` is called for every action of every state and step."""

    model: Model
    V: int
    grid: Any
    tick: Tick

    @property
    def total(self) -> int:
        """The denominator of sums over the initial law."""
        return self.V * self.model.initial_total

    @property
    def last_unit(self) -> Fraction:
        return self.grid.unit_after(len(self.model.steps))  # type: ignore[no-any-return]

    def integer_type(self, largest: int) -> Any:
        """Return int64 if averages of numbers up to ``largest`` cannot overflow, otherwise Python's integers."""
        return np.int64 if self.model.largest_total * largest < 2**62 else object


# -- means -----------------------------------------------------------------------------------------------------------


def means(c: Setting, choices: Sequence[Mapping[int, int]] | None = None) -> Fraction | None:
    """Return the largest mean, rounded up, or that of a Markov policy, rounded down; None if a state has no value."""
    model, full = c.model, c.model.denominator * c.model.q
    after: Callable[[int], int | None] = lambda s: 0  # noqa: E731

    def mean(action: Action) -> int | None:
        found = 0
        for weight, gain, s in action.outcomes:
            if (x := after(s)) is None:
                return None
            found += weight * (gain * c.V * model.q + model.p * model.denominator * x)
        return int(ceil_div(found, action.total * full) if choices is None else found // (action.total * full))

    for t in reversed(range(len(model.steps))):
        now = dict[int, int]()
        for s, row in model.steps[t].items():
            c.tick()
            used = row if choices is None else row[choices[t].get(s, len(row)) :][:1]
            found = [mean(action) for action in used]
            if found and None not in found:
                now[s] = max(x for x in found if x is not None)
        after = now.get
    kept = [(weight, after(s)) for s, weight in model.initial]
    return None if any(x is None for _, x in kept) else Fraction(sum(w * (x or 0) for w, x in kept), c.total)


# -- rows ------------------------------------------------------------------------------------------------------------


def add_shifted(total: Row, weight: int, row: Row, k: int, outside: Row) -> None:
    """Add ``weight`` times the row, read at the places k, k + 1, ...; beyond the row it is ``outside``."""
    width = total.shape[-1]
    begin, end = min(max(-k, 0), width), min(max(row.shape[-1] - k, 0), width)
    if begin < end:
        total[:, begin:end] += weight * row[:, k + begin : k + end]
    else:
        begin = end = width
    total[:, :begin] += weight * outside
    total[:, end:] += weight * outside


def segments(runs: Runs, width: int, actions: int) -> list[tuple[int, int, int]] | None:
    """Return (begin, end, action) of the runs up to ``width``; None if they end before, or have an action too many."""
    found, begin = [], 0
    for length, action in runs:
        if begin < width:
            found.append((begin, min(begin + length, width), action))
        begin += length
    return found if begin >= width > 0 and all(a < actions for _, _, a in found) else None


def table(
    c: Setting,
    terminal: Row,
    outside: Row,
    choices: Sequence[Mapping[int, Runs]] | None = None,
    kept: Sequence[Mapping[int, Row]] = (),
) -> Table:
    """Return the rows of the first window: the least expected terminal cost, from below, or a policy's, from above.

    ``kept`` says for each step and state whether an action counts at each index; where it says nothing, it does.

    ``outside`` of the windows costs are at least this, or at most this below the window of a policy.  A state has a row
    of the policy if no index leaves its window above, none comes back from below, and every next state has a row.
    """
    grid, charges = c.grid, c.grid.charges(c.model)
    found: Table = lambda s: terminal  # noqa: E731
    most = terminal.max(axis=1, keepdims=True, initial=0)

    def divided(sums: Row, total: int) -> Row:
        return sums // total if choices is None else ceil_div(sums, total)

    for t in reversed(range(len(c.model.steps))):
        (lo, hi), (lo_after, hi_after) = grid.windows[t : t + 2]
        width, width_after, charge = max(0, hi - lo + 1), max(0, hi_after - lo_after + 1), charges[t]
        empty = np.repeat(outside, width_after, axis=1)
        rows = {s: found(s) for row in c.model.steps[t].values() for a in row for _, _, s in a.outcomes}
        stays = {g for g, x in charge.items() if grid.move(hi, x) <= hi_after and grid.move(lo - 1, x) < lo_after}

        def moved(parts: Iterable[tuple[int, int, Row]], charge=charge, k=lo - lo_after, width=width) -> Row:  # type: ignore[no-untyped-def]
            sums = np.zeros((len(outside), width), outside.dtype)
            for weight, gain, row in parts:
                if grid.shifts:
                    add_shifted(sums, weight, row, k - charge[gain], outside)
                else:
                    longer, n = np.concatenate([row, outside], axis=1), row.shape[1]
                    places = (grid.move(lo + i, charge[gain]) - lo_after for i in range(width))  # noqa: B023
                    sums += weight * longer[:, [x if 0 <= x < n else n for x in places]]
            return sums

        def average(action: Action, rows=rows, empty=empty, moved=moved) -> Row:  # type: ignore[no-untyped-def]
            c.tick()
            read = {s: empty if rows[s] is None else rows[s] for _, _, s in action.outcomes}
            if action.factors is None or not grid.shifts or not empty.shape[1]:
                return divided(moved((w, gain, read[s]) for w, gain, s in action.outcomes), action.total)
            after, gains = action.factors
            row = divided(sum(q * read[s] for q, s in after), sum(q for q, _ in after))
            return divided(moved((p, gain, row) for p, gain in gains), sum(p for p, _ in gains))

        def averaged(action: Action, flags: Row | None, a: int, average=average) -> Row:  # type: ignore[no-untyped-def]
            return average(action) if flags is None else np.where(flags[a], average(action), most)  # type: ignore[no-any-return]

        now = dict[int, Row]()
        for s, actions in c.model.steps[t].items():
            if choices is None:
                flags = kept[t].get(s) if kept else None
                least = averaged(actions[0], flags, 0)
                for a, action in enumerate(actions[1:], 1):
                    least = np.minimum(least, averaged(action, flags, a))
                now[s] = least
            elif (parts := segments(choices[t].get(s, ()), width, len(actions))) is not None:
                used = {a: actions[a] for _, _, a in parts}
                if all(g in stays and rows[n] is not None for a in used.values() for _, g, n in a.outcomes):
                    averages = {a: average(action) for a, action in used.items()}
                    now[s] = np.concatenate([averages[a][:, i:j] for i, j, a in parts], axis=1)
        found = now.get
    first = np.repeat(outside, max(0, grid.windows[0][1] - grid.windows[0][0] + 1), axis=1)
    return found if choices is not None else lambda s: first if (row := found(s)) is None else row


def at_start(c: Setting, rows: Table, start: int, outside: Row) -> list[int] | None:
    """Return the sum over the initial law of each table at the start; None if an initial state has no row."""
    found, place = [0] * len(outside), start - c.grid.windows[0][0]
    for s, weight in c.model.initial:
        if (row := rows(s)) is None:
            return None
        column = row[:, place] if 0 <= place < row.shape[1] else outside[:, 0]
        found = [x + weight * y for x, y in zip(found, column.tolist(), strict=True)]
    return found


def one_row(c: Setting, values: Sequence[int], outside: int, more: int = 0) -> tuple[Row, Row]:
    """Return terminal costs and what is outside as rows of one table; ``more`` bits are kept free."""
    kind = c.integer_type(max(map(abs, (*values, outside))) << more)
    return np.array([values], kind).reshape(1, len(values)), np.array([[outside]], kind)


# -- mean and CVaR ---------------------------------------------------------------------------------------------------


class Tail(NamedTuple):
    """w Mean + (1 - w) CVaR at level alpha."""

    w: Fraction
    alpha: Fraction

    @property
    def is_good(self) -> bool:
        return 0 <= self.w <= 1 and 0 < self.alpha <= 1

    def costs(self, V: int, unit: Fraction, shift: Fraction, window: tuple[int, int], *, up: bool) -> list[int]:
        """Return V c(unit b + shift) for every b of a window, rounded."""
        den, found = math.lcm(unit.denominator, shift.denominator), []
        step, first = int(unit * den), int(shift * den)
        slopes = [(s.numerator, s.denominator) for s in (self.w, self.w + (1 - self.w) / self.alpha)]
        for b in range(window[0], window[1] + 1):
            x = step * b + first
            num, full = slopes[x > 0]
            found.append(ceil_div(V * num * x, full * den) if up else V * num * x // (full * den))
        return found

    def require_around(self, mean: Fraction | None, left: Fraction, right: Fraction, upper: Fraction) -> None:
        """J is at most ``upper`` for every rho outside of the window, by the largest mean."""
        kappa = self.w + (1 - self.w) / self.alpha
        holds = mean is not None and (1 - self.w) * left + self.w * mean <= upper
        holds = holds and mean is not None and kappa * mean - (kappa - 1) * right <= upper
        require(holds, f"{UPPER}: outside of the first window the largest mean allows more")


def tail_by_mean(c: Setting, upper: Fraction) -> None:
    mean = means(c)
    require(mean is not None and mean <= upper, f"{UPPER}: the largest mean is more")


def tail_by_markov(c: Setting, choices: Sequence[Mapping[int, int]], lower: Fraction) -> None:
    mean = means(c, choices)
    require(mean is not None and mean >= lower, LOWER)


def tail_by_budgets(c: Setting, tail: Tail, upper: Fraction) -> None:
    """J is at most ``upper`` at every index of the first window, and outside of it."""
    (lo, hi), last, unit = c.grid.windows[0], c.grid.windows[-1], c.grid.unit
    terminal = tail.costs(c.V, c.last_unit, Fraction(), last, up=False)
    bottom = 0 if tail.w == 0 else tail.costs(c.V, c.last_unit, Fraction(), (last[0], last[0]), up=False)[0]
    require(lo <= hi and min([bottom, *terminal]) == bottom, UPPER)
    inside = tail.w == 0 or c.grid.never_leaves(c.model, below=True)
    require(inside, f"{UPPER}: an index leaves its window below")
    tail.require_around(means(c), unit * lo, unit * hi, upper)
    row, outside = one_row(c, terminal, bottom)
    costs = least_costs(c, table(c, row, outside))
    require_at_most(c, unit, lo if c.grid.shifts else lo + 1, costs, upper)


def least_costs(c: Setting, rows: Table) -> list[int]:
    """Return the sum over the initial law at every index of the first window."""
    return sum(weight * rows(s) for s, weight in c.model.initial)[0].tolist()  # type: ignore


def require_at_most(c: Setting, unit: Fraction, lo: int, costs: Sequence[int], upper: Fraction) -> None:
    """J(unit b) = unit b - cost is at most ``upper`` for b = lo, lo + 1, ..."""
    den = math.lcm(unit.denominator, upper.denominator)
    step, bound = int(unit * den), int(upper * den)
    for b, cost in enumerate(costs, lo):
        require((step * b - bound) * c.total <= cost * den, f"{UPPER}: index {b} of the first window allows more")


def policy_cost(c: Setting, start: int, choices: Any, costs: Callable[[tuple[int, int]], list[int]]) -> Fraction:
    """Return the expected terminal cost of the policy, from above; ``costs(window)`` are those of the indices."""
    (_, hi), (lo_last, hi_last) = c.grid.windows[0], c.grid.windows[-1]
    under, *terminal = costs((lo_last - 1, max(hi_last, lo_last - 1)))
    row, outside = one_row(c, terminal, under)
    found = at_start(c, table(c, row, outside, choices), start, outside) if start <= hi else None
    if found is None:
        raise Refused(f"{LOWER}: it leaves its windows, or has no action somewhere")
    return Fraction(found[0], c.total)


def tail_by_policy(c: Setting, start: int, choices: Any, tail: Tail, lower: Fraction) -> None:
    """J of the policy is at least ``lower``, at the budget of the start or at that less what rounding can take."""
    loss, proved = c.grid.loss(c.model), list[Fraction]()
    for shift in (Fraction(), -loss) if loss else (Fraction(),):
        cost = policy_cost(c, start, choices, lambda w, e=loss + shift: tail.costs(c.V, c.last_unit, e, w, up=True))  # type: ignore[misc]
        proved.append(c.grid.unit * start + shift - cost)
        if proved[-1] >= lower:
            return
    raise Refused(f"{LOWER}: it proves only {shortened(proved[0])}")


# -- quantiles -------------------------------------------------------------------------------------------------------


class Quantile(NamedTuple):
    alpha: Fraction
    is_upper: bool

    @property
    def is_good(self) -> bool:
        return 0 <= self.alpha < 1 if self.is_upper else 0 < self.alpha <= 1

    def require_short(self, short: Fraction) -> None:
        """The policy falls short with a probability below alpha; for an upper quantile, at most alpha."""
        holds = short <= self.alpha if self.is_upper else short < self.alpha
        require(holds, f"{LOWER}: it may fall short with probability {shortened(short)}")


def quantile_by_policy(c: Setting, start: int, choices: Any, goal: Quantile, lower: Fraction) -> None:
    wanted = lower - c.grid.unit * start + c.grid.loss(c.model)
    short_from = -wanted // c.last_unit + 1  # the first index whose budget is positive
    short = policy_cost(c, start, choices, lambda w: [c.V * (b >= short_from) for b in range(w[0], w[1] + 1)])
    goal.require_short(short)


def quantile_by_threshold(c: Setting, start: int, goal: Quantile, upper: Fraction) -> None:
    """Every policy stays at or below ``upper`` with probability alpha at least (upper quantile: more than alpha)."""
    lo, hi = c.grid.windows[-1]
    inside = c.grid.windows[0][0] <= start and c.grid.unit * start <= upper
    require(inside, f"{UPPER}: the start is outside of its window, or above the bound")
    row, outside = one_row(c, [c.V * (b >= 0) for b in range(lo, hi + 1)], 0)
    (x,) = at_start(c, table(c, row, outside), start, outside) or [0]
    holds = x > goal.alpha * c.total if goal.is_upper else x >= goal.alpha * c.total
    require(holds, f"{UPPER}: some policy may stay at or below it with too small a probability")


# -- tables read between their nodes -----------------------------------------------------------------------------------


SHARE_BITS = 20
"""Binary digits of a share of a cell, in int64."""
FREE_BITS = 12
"""Bits that stay free for products with shares of a cell."""


@dataclass(frozen=True)
class Cells:
    """``windows[t]`` are nodes of the grid before step t, which that step halves ``halvings[t]`` times."""

    unit: Fraction
    base: int
    halvings: Sequence[int]
    windows: Sequence[tuple[int, int]]

    def unit_after(self, t: int) -> Fraction:
        return self.unit / (1 << sum(self.halvings[:t]))

    def rates(self, model: Model) -> Iterator[tuple[int, int]]:
        """Yield, for each step, a gain of 1 in cells of its grid, as numerator and denominator, not reduced."""
        num, den = self.unit.denominator, model.denominator * self.unit.numerator
        for halved in self.halvings:
            num <<= halved
            yield num, den
            num, den = num * model.p, den * model.q

    def ranges(self, model: Model) -> tuple[Fraction, Fraction, Fraction]:
        """Return the base of the return, and the most that a return exceeds it or falls short of it."""
        weights = sum((Fraction(model.p, model.q) ** t for t in range(len(model.steps))), Fraction())
        gains = {gain - self.base for gains in model.gains for gain in (0, *gains)}
        base, most, least = (weights * Fraction(x, model.denominator) for x in (self.base, max(gains), -min(gains)))
        return base, max(most, Fraction()), max(least, Fraction())

    def holds_ends(self, model: Model, start: int) -> bool:
        """Return whether every budget left of ``start`` is in the last window."""
        (lo, hi), (first, last) = self.windows[0], self.windows[-1]
        (_, most, least), budget, unit = self.ranges(model), self.unit * start, self.unit_after(len(model.steps))
        return lo <= start < hi and first <= last and unit * first <= budget - most and budget + least <= unit * last


class Read(NamedTuple):
    """A row as outcomes read it: each node, less it from its left neighbour, and how much the row bends there."""

    node: Row
    step: Row
    bent: Row
    bottom: Row


class CellStep:
    """One step of a table: how its outcomes read the rows of the next window."""

    def __init__(self, c: Setting, t: int, after: Table, bottom: Row, rate: tuple[int, int]) -> None:
        (lo, hi), (self.lo_after, hi_after) = c.grid.windows[t : t + 2]
        halved = c.grid.halvings[t]
        self.width, self.first, self.tick = ((hi - lo) << halved) + 1, lo << halved, c.tick
        empty = np.repeat(bottom, max(0, hi_after - self.lo_after + 1), axis=1)
        states = {s for row in c.model.steps[t].values() for a in row for _, _, s in a.outcomes}
        rows = {s: capped(empty if (row := after(s)) is None else row, bottom) for s in states}
        largest = max(abs(int(x)) for row in (bottom, *rows.values()) if row.size for x in (row.min(), row.max()))
        kind = c.integer_type(largest << FREE_BITS)
        self.exact, self.bottom = kind is object, bottom.astype(kind)
        room, (num, den) = 2**62 // c.model.largest_total, rate
        bend_bits = max(0, (room // (4 * largest + 1)).bit_length() - 1)
        self.apart = room >> SHARE_BITS + 1
        self.one, self.bend_one = (den, den * den) if self.exact else (1 << SHARE_BITS, 1 << bend_bits)
        self.shares = {}
        for gain in c.model.gains[t]:
            whole, part = divmod((gain - c.grid.base) * num, den)
            low, high = part * self.one // den, ceil_div(part * self.one, den)
            self.shares[gain] = whole, low, high, ceil_div(part * (den - part) * self.bend_one, den * den)
        self.rows = {s: row.astype(kind) for s, row in rows.items()}
        self.reads = {s: self.read(row, self.bottom) for s, row in self.rows.items()}

    def read(self, row: Row, bottom: Row) -> Read:
        padded = np.concatenate([bottom, bottom, row, bottom, bottom], axis=1)
        bent = np.maximum(padded[:, 2:] - 2 * padded[:, 1:-1] + padded[:, :-2], 0)
        node, step = padded[:, 2:-1], padded[:, 1:-2] - padded[:, 2:-1]
        if not self.exact:
            far = abs(step) > self.apart
            node, step = np.where(far, node + np.minimum(step, 0), node), np.where(far, 0, step)
        return Read(node, step, bent, bottom)

    def ends(self, action: Action) -> tuple[Row, Row]:
        """Return the nodes of an action, and what is taken off in each cell, from the one before the first node on."""
        self.tick()
        parts, total = [(w, gain, self.reads[s]) for w, gain, s in action.outcomes], action.total
        if action.factors is not None and parts[0][2].node.shape[1] > 1:  # a sum bends less than its parts
            after, gains = action.factors
            size = sum(q for q, _ in after)
            row = self.read(np.asarray(sum(q * self.rows[s] for q, s in after)), self.bottom * size)
            parts, total = [(p, gain, row) for p, gain in gains], size * sum(p for p, _ in gains)
        node, step, taken = (np.zeros((len(self.bottom), self.width + i), self.bottom.dtype) for i in (0, 0, 1))
        for weight, gain, row in parts:
            whole, low, high, bend = self.shares[gain]
            k = self.first - self.lo_after - whole
            add_shifted(node, weight, row.node, k, row.bottom)
            if high:
                add_shifted(step, weight, low * row.step + (high - low) * np.minimum(row.step, 0), k, 0 * row.bottom)
                add_shifted(taken, weight * bend, row.bent, k, 0 * row.bottom)
        return (node + step // self.one) // total, ceil_div(taken, total * self.bend_one)


def cells_table(c: Setting, terminal: Row, bottom: Row, choices: Sequence[Mapping[int, Runs]] | None = None) -> Table:
    """Return a lower bound of the least expected cost over all policies, or of minus the cost of one, at every node."""
    found: Table = lambda s: terminal  # noqa: E731
    rates = list(c.grid.rates(c.model))
    for t in reversed(range(len(c.model.steps))):
        step, now = CellStep(c, t, found, bottom, rates[t]), dict[int, Row]()
        for s, row in c.model.steps[t].items() if step.width > 0 else ():
            if choices is None:
                lowest = lowered_by(*step.ends(row[0]))
                for action in row[1:]:
                    lowest = np.minimum(lowest, lowered_by(*step.ends(action)))
            elif (parts := segments(choices[t].get(s, ()), step.width, len(row))) is not None:
                lowest = played(parts, {a: step.ends(row[a]) for _, _, a in parts}, step.bottom)
            else:
                continue
            for _ in range(c.grid.halvings[t]):
                lowest = coarser(lowest)
            now[s] = lowest
        found = now.get
    first = np.repeat(bottom, max(0, c.grid.windows[0][1] - c.grid.windows[0][0] + 1), axis=1)
    return lambda s: first if (row := found(s)) is None else row


def capped(row: Row, bottom: Row) -> Row:
    """Return the row with its first and its last node at the least cost."""
    row = row.astype(np.result_type(row, bottom))
    row[:, :1] = np.minimum(row[:, :1], bottom)
    row[:, -1:] = np.minimum(row[:, -1:], bottom)
    return row


def lowered_by(nodes: Row, taken: Row) -> Row:
    """Lower each node by what is taken off in the cells beside it."""
    return np.asarray(nodes - np.maximum(taken[:, :-1], taken[:, 1:]))


def played(parts: list[tuple[int, int, int]], rows: dict[int, tuple[Row, Row]], bottom: Row) -> Row:
    """Return what the action of each cell proves for its left and right end; the lesser where two cells meet."""
    lefts = np.concatenate([(rows[a][0] - rows[a][1][:, 1:])[:, i:j] for i, j, a in parts], axis=1)
    rights = np.concatenate([(rows[a][0] - rows[a][1][:, :-1])[:, 1:][:, i:j] for i, j, a in parts], axis=1)
    lefts[:, 1:] = np.minimum(lefts[:, 1:], rights)
    return capped(lefts, bottom)


def coarser(row: Row) -> Row:
    """Return every second node, lowered by what the chord exceeds the node between."""
    zero = np.zeros_like(row[:, :1])
    excess = np.maximum(ceil_div(row[:, :-2:2] + row[:, 2::2] - 2 * row[:, 1:-1:2], 2), 0)
    return lowered_by(row[:, ::2], np.concatenate([zero, excess, zero], axis=1))


def tail_by_all_cells(c: Setting, tail: Tail, upper: Fraction) -> None:
    """J is at most ``upper`` at every node of the first window, and outside of it."""
    (lo, hi), last, unit = c.grid.windows[0], c.grid.windows[-1], c.grid.unit
    require(lo <= hi and last[0] <= last[1], f"{UPPER}: a window is empty")
    base, most, _ = c.grid.ranges(c.model)
    tail.require_around(means(c), unit * lo + base, unit * hi + base, upper)
    bottom = 0 if tail.w == 0 else tail.costs(c.V, unit, -most, (lo, lo), up=False)[0]
    row, outside = one_row(c, tail.costs(c.V, c.last_unit, Fraction(), last, up=False), bottom, FREE_BITS)
    require_at_most(c, unit, lo, least_costs(c, cells_table(c, row, outside)), upper - base)


def tail_by_cells(c: Setting, start: int, choices: Sequence[Mapping[int, Runs]], tail: Tail, lower: Fraction) -> None:
    """J of the policy at its budget, ``start`` units, is at least ``lower``."""
    (lo, hi), last, unit = c.grid.windows[0], c.grid.windows[-1], c.grid.unit
    require(lo <= start < hi and last[0] <= last[1], f"{LOWER}: the start is outside of its window")
    base, _, least = c.grid.ranges(c.model)
    bottom = -tail.costs(c.V, unit, least, (start, start), up=True)[0]
    terminal = [-x for x in tail.costs(c.V, c.last_unit, Fraction(), last, up=True)]
    row, outside = one_row(c, terminal, bottom, FREE_BITS)
    (x,) = at_start(c, cells_table(c, row, outside, choices), start, outside) or [0]
    proved = unit * start + base + Fraction(x, c.total)
    require(proved >= lower, f"{LOWER}: it proves only {shortened(proved)}")
