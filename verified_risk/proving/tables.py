r"""The tests of a certificate, in integers: tables over all policies, the table or the law of one policy, covers.

An objective is :math:`\Phi`, Z the return, V the scale of a table: it holds integers over V, and every average is
rounded outward.  Index b before step t stands for the budget :math:`b u_t`; an outcome of reward r leads to an index
that stands for at most the budget less r (docs/proof_format.md, *Grids*).

* Tail: :math:`\Phi = \max_\rho J(\rho)`, :math:`J(\rho) = \rho - E c(\rho - Z)`, :math:`c(x) = w x + k x^+`, :math:`k =
  (1 - w) / \alpha`.  The table below holds the least expected cost over all policies; the table above holds that of the
  certificate's policy.
* Quantile: the same two tables, with the cost 1 of a budget that is positive, or not negative.
* Weighting G: :math:`\Phi = \mathit{top} - u_T \sum_k G(F_k)`.  In a box of CDFs, for any multipliers c,
  :math:`\sum_k G(F_k) \ge \min_\pi \sum_k c_k F_k + \sum_k \min_x (G(x) - c_k x)` (weak duality), and
  :math:`\sum_k c_k F_k` is the expectation of the terminal cost :math:`c_0 + \dots + c_{X-1}`.

Rows are arrays of int64 where a bound on every intermediate sum fits, and of Python's integers otherwise.  A row has
two axes: tables that differ in their terminal costs only, and indices.  The functions follow the programs of the same
names in ``proofs_checks/formal/checker``, whose theorems say why what they accept is true.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Tick: TypeAlias = Callable[[], None]
Row: TypeAlias = np.ndarray[Any, Any]
Runs: TypeAlias = Sequence[tuple[int, int]]
Corners: TypeAlias = Sequence[tuple[Fraction, Fraction]]

BLOCK = 1 << 21
"""Maximum number of cells in one step of tables that are computed together."""


class Refused(Exception):
    """The certificate is not proved; the text begins with ``refused:`` or ``not covered:``."""


LOWER = "refused: the policy of the certificate does not prove the lower bound"
UPPER = "refused: the tables of the certificate do not prove the upper bound"


def ceil_div(a: Any, b: int) -> Any:
    return -(-a // b)


def ceiling(x: Fraction) -> int:
    return -(-x.numerator // x.denominator)


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
        if self.p <= 0 or sum(weight for _, weight in self.initial) != self.initial_total:
            raise Refused(f"{wrong} (the discount or the initial law)")
        for s, a, action in (
            (s, a, action) for step in self.blocks for s, row in step.items() for a, action in enumerate(row)
        ):
            if sum(weight for weight, _, _ in action.outcomes) != action.total:
                raise Refused(f"{wrong} (state {s}, action {a})")

    @property
    def blocks(self) -> list[Step]:
        """The distinct steps."""
        return list({id(step): step for step in self.steps}.values())

    @property
    def actions(self) -> Iterator[Action]:
        return (action for step in self.blocks for row in step.values() for action in row)

    def gains(self, step: Step) -> set[int]:
        return {gain for row in step.values() for action in row for _, gain, _ in action.outcomes}

    @property
    def largest_total(self) -> int:
        return max([self.initial_total, *(action.total for action in self.actions)])


def factors_of(total: int, outcomes: Sequence[tuple[int, int, int]]) -> Any:
    """Return weights of next states and of gains whose products are the weights, if there are several of both."""
    width = next((i for i, (_, _, s) in enumerate(outcomes) if s != outcomes[0][2]), len(outcomes))
    if width < 2 or len(outcomes) == width or len(outcomes) % width:
        return None
    ps, qs = [w for w, _, _ in outcomes[:width]], [w for w, _, _ in outcomes[::width]]
    ps, qs = ([w // (math.gcd(*ws) or 1) for w in ws] for ws in (ps, qs))
    every = sum(ps) * sum(qs)
    fits = every > 0 and all(
        w * every == total * qs[i // width] * ps[i % width]
        and (gain, s) == (outcomes[i % width][1], outcomes[i - i % width][2])
        for i, (w, gain, s) in enumerate(outcomes)
    )
    if not fits:
        return None
    return (
        [(q, outcomes[i * width][2]) for i, q in enumerate(qs)],
        [(p, gain) for p, (_, gain, _) in zip(ps, outcomes, strict=False)],
    )


# -- means -----------------------------------------------------------------------------------------------------------


def means(model: Model, V: int, tick: Tick, choices: Sequence[Mapping[int, int]] | None = None) -> Fraction | None:
    """Return the largest mean, rounded up, or that of a Markov policy, rounded down; None if a state has no value."""
    after: Mapping[int, int] | None = None
    for t in reversed(range(len(model.steps))):
        now = {}
        for s, row in model.steps[t].items():
            tick()
            kept = [model_mean(model, V, action, after) for action in row]
            if choices is None:
                if None not in kept:
                    now[s] = max(ceil_div(*x) for x in kept if x)
            elif 0 <= choices[t].get(s, -1) < len(row) and (x := kept[choices[t][s]]) is not None:
                now[s] = x[0] // x[1]
        after = now
    return start_sum(model, V, {s: after.get(s) for s, _ in model.initial} if after is not None else {})


def model_mean(model: Model, V: int, action: Action, after: Mapping[int, int] | None) -> tuple[int, int] | None:
    """Return V times the mean of the rewards to come, as numerator and denominator."""
    size, values = model.denominator, (lambda s: 0) if after is None else after.get
    found = 0
    for weight, gain, s in action.outcomes:
        if (x := values(s)) is None:
            return None
        found += weight * (gain * V * model.q + model.p * size * x)
    return found, action.total * size * model.q


def start_sum(model: Model, V: int, values: Mapping[int, int | None]) -> Fraction | None:
    """Return the average over the initial law."""
    kept = [values[s] for s, _ in model.initial]
    if None in kept:
        return None
    return Fraction(
        sum(w * x for (_, w), x in zip(model.initial, kept, strict=True) if x is not None), V * model.initial_total
    )


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
        """Return the charge of each gain at each step, rounded up."""
        gains = {id(step): model.gains(step) for step in model.blocks}
        return [
            {gain: ceil_div(gain * num, den) for gain in (0, *gains[id(step)])}
            for (num, den), step in zip(self.rates(model), model.steps, strict=True)
        ]

    def move(self, b: int, charge: int) -> int:
        return (self.stretch * b - charge) // self.shrink

    def loss(self, model: Model) -> Fraction:
        """Return a bound on what rounding can take from a budget over all steps."""
        found = Fraction()
        for t, ((num, den), step) in enumerate(zip(self.rates(model), model.steps, strict=True)):
            excess = max([0, *(ceil_div(gain * num, den) * den - gain * num for gain in model.gains(step))])
            if excess or self.shrink > 1:
                found += self.unit_after(t + 1) * Fraction(excess + (self.shrink - 1) * den, self.shrink * den)
        return found

    def never_leaves(self, model: Model, *, below: bool, above: bool) -> bool:
        """Whether no index leaves its window for the next one below, or above; nor if nothing is earned."""
        for charges, (lo, hi), (lo_after, hi_after) in zip(
            self.charges(model), self.windows, self.windows[1:], strict=False
        ):
            least, most = min(charges.values()), max(charges.values())
            if (below and self.move(lo, most) < lo_after) or (above and self.move(hi, least) > hi_after):
                return False
        return True


# -- rows ------------------------------------------------------------------------------------------------------------


def integer_type(largest: int) -> Any:
    """Return int64 if sums up to ``largest`` fit, otherwise Python's integers."""
    return np.int64 if largest < 2**62 else object


def add_shifted(total: Row, weight: int, row: Row, k: int, outside: Row) -> None:
    """Add ``weight`` times the row, read at the places k, k + 1, ...; beyond the row it is ``outside``."""
    width = total.shape[-1]
    begin, end = min(max(-k, 0), width), min(max(row.shape[-1] - k, 0), width)
    if begin < end:
        total[:, :begin] += weight * outside
        total[:, begin:end] += weight * row[:, k + begin : k + end]
        total[:, end:] += weight * outside
    else:
        total += weight * outside


class Pass:
    """Averages of one step: rows of the next window, ``outside`` of which every value is ``outside``."""

    def __init__(self, grid: Grid, charges: dict[int, int], t: int, table: Table, outside: Row, up: bool) -> None:
        self.grid, self.charges, self.table, self.outside, self.up = grid, charges, table, outside, up
        (self.lo, hi), (self.lo_after, hi_after) = grid.windows[t : t + 2]
        self.width, self.width_after = max(0, hi - self.lo + 1), max(0, hi_after - self.lo_after + 1)

    def row(self, s: int) -> Row:
        found = self.table(s)
        return np.repeat(self.outside, self.width_after, axis=1) if found is None else found

    def average(self, action: Action) -> Row:
        """Return the rounded average over the outcomes, for each index of the window."""
        divided = ceil_div if self.up else lambda a, b: a // b
        if self.grid.shifts and action.factors is not None and self.width_after:
            after, gains = action.factors
            row = sum(q * self.row(s) for q, s in after)
            row = divided(row, sum(q for q, _ in after))
            return divided(self.sum((p, gain, row) for p, gain in gains), sum(p for p, _ in gains))  # type: ignore[no-any-return]
        return divided(self.sum((w, gain, self.row(s)) for w, gain, s in action.outcomes), action.total)  # type: ignore[no-any-return]

    def sum(self, parts: Iterator[tuple[int, int, Row]]) -> Row:
        grid, found = self.grid, np.zeros((len(self.outside), self.width), self.outside.dtype)
        for weight, gain, row in parts:
            charge = self.charges[gain]
            if grid.shifts:
                add_shifted(found, weight, row, self.lo - charge - self.lo_after, self.outside)
            else:
                places = [grid.move(self.lo + i, charge) - self.lo_after for i in range(self.width)]
                kept = np.array([p if 0 <= p < self.width_after else self.width_after for p in places], int)
                found += weight * np.concatenate([row, self.outside], axis=1)[:, kept]
        return found


Table: TypeAlias = Callable[[int], Row | None]


def table_below(model: Model, grid: Grid, terminal: Row, bottom: Row, tick: Tick) -> Table:
    """The least expected terminal cost over all policies, rounded down; ``bottom`` is at most every terminal cost."""
    table: Table = lambda s: terminal  # noqa: E731
    charges = grid.charges(model)
    for t in reversed(range(len(model.steps))):
        one, now = Pass(grid, charges[t], t, table, bottom, False), dict[int, Row]()
        for s, row in model.steps[t].items():
            for action in row:
                tick()
                found = one.average(action)
                now[s] = np.minimum(now[s], found) if s in now else found
        table = now.get
    return table


def segments(runs: Runs, width: int) -> list[tuple[int, int, int]] | None:
    """Return (begin, end, action) of the runs up to ``width``; None if they end before it."""
    found, begin = [], 0
    for length, action in runs:
        if begin < width:
            found.append((begin, min(begin + length, width), action))
        begin += length
    return found if begin >= width > 0 else None


def table_above(
    model: Model, grid: Grid, choices: Sequence[Mapping[int, Runs]], terminal: Row, under: Row, tick: Tick
) -> Table:
    """The expected terminal cost of a policy, rounded up; ``under`` below the window, where costs are at most that.

    A state has a row if no index leaves its window above, none comes back into one from below, and every next state has
    a row.
    """
    table: Table = lambda s: terminal  # noqa: E731
    charges = grid.charges(model)
    for t in reversed(range(len(model.steps))):
        one, now = Pass(grid, charges[t], t, table, under, True), dict[int, Row]()
        (lo, hi), (lo_after, hi_after) = grid.windows[t : t + 2]
        stays = {
            gain: grid.move(hi, charge) <= hi_after and grid.move(lo - 1, charge) < lo_after
            for gain, charge in charges[t].items()
        }
        for s, row in model.steps[t].items():
            parts = segments(choices[t].get(s, ()), one.width)
            if parts is None or any(not 0 <= a < len(row) for _, _, a in parts):
                continue
            used = {a: row[a] for _, _, a in parts}
            if all(stays[gain] and table(n) is not None for action in used.values() for _, gain, n in action.outcomes):
                tick()
                rows = {a: one.average(action) for a, action in used.items()}
                now[s] = np.concatenate([rows[a][:, begin:end] for begin, end, a in parts], axis=1)
        table = now.get
    return table


def at_start(model: Model, table: Table, place: int, outside: Row) -> list[int] | None:
    """Return the sum over the initial law of each table at one place; None if an initial state has no row."""
    found = [0] * len(outside)
    for s, weight in model.initial:
        row = table(s)
        if row is None:
            return None
        column = row[:, place] if 0 <= place < row.shape[1] else outside[:, 0]
        found = [x + weight * y for x, y in zip(found, column.tolist(), strict=True)]
    return found


def column(values: Sequence[int], kind: Any) -> Row:
    return np.array(values, kind)[:, None]


def array_of(values: Sequence[int], model: Model, *more: int) -> tuple[Row, Any]:
    """Return one row of terminal costs, and the type in which averages of it and of ``more`` do not overflow."""
    kind = integer_type(model.largest_total * max(map(abs, (*values, *more)), default=0))
    return np.array([values], kind).reshape(1, len(values)), kind


# -- mean and CVaR ---------------------------------------------------------------------------------------------------


def scaled_costs(
    V: int, slopes: tuple[Fraction, Fraction], unit: Fraction, shift: Fraction, lo: int, hi: int, *, up: bool
) -> list[int]:
    """Return V c(unit b + shift) for b = lo, ..., hi, rounded; c has the two slopes left and right of 0."""
    den = math.lcm(unit.denominator, shift.denominator)
    step, first = unit.numerator * (den // unit.denominator), shift.numerator * (den // shift.denominator)
    found = []
    for b in range(lo, hi + 1):
        x = step * b + first
        slope = slopes[x > 0]
        num, full = V * slope.numerator * x, slope.denominator * den
        found.append(ceil_div(num, full) if up else num // full)
    return found


class Tail(NamedTuple):
    """w Mean + (1 - w) CVaR at level alpha."""

    w: Fraction
    alpha: Fraction

    @property
    def slopes(self) -> tuple[Fraction, Fraction]:
        return self.w, self.w + (1 - self.w) / self.alpha

    def around(self, mean: Fraction, left: Fraction, right: Fraction) -> Fraction:
        """Return a bound on J outside of the budgets from ``left`` to ``right``."""
        kappa = self.slopes[1]
        return max((1 - self.w) * left + self.w * mean, kappa * mean - (kappa - 1) * right)


def tail_by_mean(model: Model, V: int, upper: Fraction, tick: Tick) -> None:
    mean = means(model, V, tick)
    if mean is None or mean > upper:
        raise Refused(f"{UPPER}: the largest mean is {mean}")


def tail_by_markov(model: Model, V: int, choices: Sequence[Mapping[int, int]], lower: Fraction, tick: Tick) -> None:
    mean = means(model, V, tick, choices)
    if mean is None or mean < lower:
        raise Refused(LOWER)


def tail_by_budgets(model: Model, V: int, grid: Grid, tail: Tail, upper: Fraction, tick: Tick) -> None:
    """J is at most ``upper`` at every index of the first window, and outside of it by the largest mean."""
    (lo, hi), (lo_last, hi_last) = grid.windows[0], grid.windows[-1]
    unit, last = grid.unit, grid.unit_after(len(model.steps))
    mean = means(model, V, tick)
    terminal = scaled_costs(V, tail.slopes, last, Fraction(), lo_last, hi_last, up=False)
    bottom = 0 if tail.w == 0 else scaled_costs(V, tail.slopes, last, Fraction(), lo_last, lo_last, up=False)[0]
    if mean is None or lo > hi or any(x < bottom for x in terminal):
        raise Refused(UPPER)
    if tail.w and not grid.never_leaves(model, below=True, above=False):
        raise Refused(f"{UPPER}: an index leaves its window below")
    if tail.around(mean, unit * lo, unit * hi) > upper:
        raise Refused(
            f"{UPPER}: outside of the first window the largest mean allows {tail.around(mean, unit * lo, unit * hi)}"
        )
    require_at_most(
        model, V, unit, lo if grid.shifts else lo + 1, least_costs(model, grid, terminal, bottom, tick), upper
    )


def least_costs(model: Model, grid: Grid, terminal: list[int], bottom: int, tick: Tick) -> Row:
    """Return, at each index of the first window, the least expected cost summed over the initial law."""
    row, kind = array_of(terminal, model, bottom)
    outside = column([bottom], kind)
    table, (lo, hi) = table_below(model, grid, row, outside, tick), grid.windows[0]
    cost = np.zeros((1, hi - lo + 1), kind)
    for s, weight in model.initial:
        found = table(s)
        cost += weight * (outside if found is None else found)
    return cost


def require_at_most(model: Model, V: int, unit: Fraction, lo: int, cost: Row, upper: Fraction) -> None:
    """J(unit b) = unit b - cost is at most ``upper`` at every b from ``lo`` on."""
    den = math.lcm(unit.denominator, upper.denominator)
    step, bound = int(unit * den), int(upper * den)
    size = V * model.initial_total
    for b, x in enumerate(cost[0].tolist(), lo):
        if (step * b - bound) * size > x * den:
            raise Refused(f"{UPPER}: index {b} of the first window allows {unit * b - Fraction(x, size)}")


def policy_cost(
    model: Model, grid: Grid, start: int, choices: Any, costs: Callable[[Fraction, int, int], list[int]], tick: Tick
) -> int | None:
    """Return the expected terminal cost of the policy, from above; ``costs(u_T, lo, hi)`` are those of the indices."""
    (lo, hi), (lo_last, hi_last) = grid.windows[0], grid.windows[-1]
    if start > hi:
        return None
    under, *terminal = costs(grid.unit_after(len(model.steps)), lo_last - 1, max(hi_last, lo_last - 1))
    row, kind = array_of(terminal, model, under)
    outside = column([under], kind)
    found = at_start(model, table_above(model, grid, choices, row, outside, tick), start - lo, outside)
    return None if found is None else found[0]


def tail_by_policy(
    model: Model, V: int, grid: Grid, start: int, choices: Any, tail: Tail, lower: Fraction, tick: Tick
) -> None:
    """J of the policy is at least ``lower``, at the budget of the start or at that less what rounding can take."""
    loss, proved = grid.loss(model), None
    for shift in (Fraction(), -loss) if loss else (Fraction(),):

        def costs(unit: Fraction, first: int, last: int, e: Fraction = loss + shift) -> list[int]:
            return scaled_costs(V, tail.slopes, unit, e, first, last, up=True)

        cost = policy_cost(model, grid, start, choices, costs, tick)
        if cost is None:
            raise Refused(f"{LOWER}: it leaves its windows, or has no action somewhere")
        found = grid.unit * start + shift - Fraction(cost, V * model.initial_total)
        if found >= lower:
            return
        proved = found if proved is None else proved
    raise Refused(f"{LOWER}: it proves only {shortened(proved or Fraction())}")


def shortened(x: Fraction) -> Fraction:
    return Fraction((x.numerator << 64) // x.denominator, 1 << 64)


# -- quantiles -------------------------------------------------------------------------------------------------------


class Quantile(NamedTuple):
    alpha: Fraction
    is_upper: bool


def quantile_by_policy(
    model: Model, V: int, grid: Grid, start: int, choices: Any, goal: Quantile, lower: Fraction, tick: Tick
) -> None:
    """The policy falls short of ``lower`` with a probability below alpha (upper quantile: at most alpha)."""
    shift = grid.loss(model) + lower - grid.unit * start

    def costs(unit: Fraction, first: int, last: int) -> list[int]:
        return [V if unit * b + shift > 0 else 0 for b in range(first, last + 1)]

    cost = policy_cost(model, grid, start, choices, costs, tick)
    require_short(goal, None if cost is None else Fraction(cost, V * model.initial_total))


def require_short(goal: Quantile, short: Fraction | None) -> None:
    if short is None or not (short <= goal.alpha if goal.is_upper else short < goal.alpha):
        raise Refused(f"{LOWER}: it falls short with probability {'?' if short is None else shortened(short)} at most")


def quantile_by_threshold(
    model: Model, V: int, grid: Grid, start: int, goal: Quantile, upper: Fraction, tick: Tick
) -> None:
    """Every policy stays at or below ``upper`` with probability alpha at least (upper quantile: more than alpha)."""
    (lo, _), (lo_last, hi_last) = grid.windows[0], grid.windows[-1]
    if start < lo or grid.unit * start > upper:
        raise Refused(f"{UPPER}: the start is outside of its window, or above the bound")
    row, kind = array_of([V if b >= 0 else 0 for b in range(lo_last, hi_last + 1)], model, V)
    outside = column([0], kind)
    table = table_below(model, grid, row, outside, tick)
    (x,) = at_start(model, lambda s: row_or(table(s), outside), start - lo, outside) or [0]
    found = Fraction(x, V * model.initial_total)
    if not (found > goal.alpha if goal.is_upper else found >= goal.alpha):
        raise Refused(f"{UPPER}: some policy may stay at or below it with probability {shortened(found)}")


def row_or(row: Row | None, outside: Row) -> Row:
    return outside[:, :0] if row is None else row


# -- the law of a policy with a memory ---------------------------------------------------------------------------------


class Rule(NamedTuple):
    """After a gain the memory becomes ``factor`` times it plus a shift, plus 1 with probability coin / ``coins``."""

    factor: int
    coins: int
    moves: Mapping[int, tuple[int, int]]


class Machine(NamedTuple):
    weight: int
    memory: int
    rules: Sequence[Rule]
    tables: Sequence[Mapping[int, tuple[int, int, Runs]]]
    """For each step and state: first memory of the runs, action before it, runs."""


def law_of(model: Model, V: int, total: int, machines: Sequence[Machine], tick: Tick, most: int) -> dict[int, int]:
    """Return the law of the return, over denominator q^T: masses over V, rounded down at every step."""
    if sum(machine.weight for machine in machines) != total:
        raise Refused(f"{LOWER}: the machines' weights do not sum to {total}")
    law = dict[int, int]()
    for machine in machines:
        masses = dict[int, dict[tuple[int, int], int]]()
        for s, weight in model.initial:
            here = masses.setdefault(s, {})
            mass = V * (machine.weight * weight) // (total * model.initial_total)
            here[machine.memory, 0] = here.get((machine.memory, 0), 0) + mass
        power = 1
        for step, rule, table in zip(model.steps, machine.rules, machine.tables, strict=True):
            masses = law_step(model, step, rule, table, masses, power, tick, most)
            power *= model.p
        for here in masses.values():
            for (_, y), mass in here.items():
                law[y] = law.get(y, 0) + mass
    return law


def law_step(model: Model, step: Step, rule: Rule, table: Any, masses: Any, power: int, tick: Tick, most: int) -> Any:
    """Move the masses of (memory, return) in each state by one step; returns are over denominator q^t."""
    following = dict[int, dict[tuple[int, int], int]]()
    for s, here in masses.items():
        row = step.get(s)
        if row is None:  # what is lost counts as earned nowhere
            continue
        first, before, runs = table.get(s, (0, 0, ()))
        ends, chosen = list(accumulate(length for length, _ in runs)), [action for _, action in runs]
        by_action = dict[int, list[Any]]()
        for (memory, y), mass in here.items():
            place = bisect_left(ends, memory - first + 1)
            a = before if memory < first else chosen[place] if place < len(chosen) else 0
            by_action.setdefault(a if a < len(row) else 0, []).append((memory, y, mass))
        for a, entries in by_action.items():
            for weight, gain, target in row[a].outcomes:
                tick()
                shift, coin = rule.moves.get(gain, (0, 0))
                there = following.setdefault(target, {})
                for share, add in ((rule.coins - coin, shift), (coin, shift + 1)):
                    if share == 0:
                        continue
                    w, full, more = weight * share, row[a].total * rule.coins, gain * power
                    for memory, y, mass in entries:
                        key = rule.factor * memory + add, model.q * (y + more)
                        there[key] = there.get(key, 0) + mass * w // full
        if sum(map(len, following.values())) > most:
            raise Refused("refused: a law of more returns than the memory that is allowed has room for")
    return following


def least_return(model: Model) -> int:
    """Return a return that no history falls short of, over denominator q^T."""
    y, power = 0, 1
    least = {id(step): min([0, *model.gains(step)]) for step in model.blocks}
    for step in model.steps:
        y, power = model.q * (y + power * least[id(step)]), power * model.p
    return y


def final_denominator(model: Model) -> int:
    return int(model.denominator * model.q ** len(model.steps))


Weights: TypeAlias = Callable[[int, int], Callable[[int], int]]


def value_by_law(model: Model, V: int, law: Mapping[int, int], weigh: Callable[[int], int], lower: Fraction) -> None:
    """Sum the layers between returns, each by V - V G(P(return is less)), rounded down; ``weigh(x)`` is V G(x / V)."""
    found, y, left = 0, least_return(model), sum(law.values())
    for z in sorted(law):
        if z < y:
            raise Refused(LOWER)
        found += (z - y) * (V - weigh(V - left))
        y, left = z, left - law[z]
    den = final_denominator(model)
    if Fraction(least_return(model) * V + found, den * V) < lower:
        raise Refused(LOWER)


def quantile_by_law(model: Model, V: int, law: Mapping[int, int], goal: Quantile, lower: Fraction) -> None:
    den = final_denominator(model)
    kept = sum(mass for y, mass in law.items() if y * lower.denominator >= lower.numerator * den)
    require_short(goal, Fraction(V - kept, V))


class Polygon:
    """A broken line from (0, 0) through the corners."""

    def __init__(self, corners: Corners) -> None:
        self.points = [(Fraction(), Fraction()), *corners]
        self.hulls: dict[tuple[int, Fraction, Fraction], Any] = {}

    def __call__(self, x: Fraction) -> Fraction:
        k = min(max(bisect_left(self.points, x, key=lambda point: point[0]), 1), len(self.points) - 1)
        (a, u), (b, v) = self.points[k - 1], self.points[k]
        return u + (x - a) * (v - u) / (b - a)

    def weigh(self, V: int) -> Callable[[int], int]:
        """Return V G(x / V), rounded up, as a function of an integer x of 0 to V."""
        ends, lines = [], []
        for (a, u), (b, v) in pairwise(self.points):
            slope = (v - u) / (b - a)
            height = u - a * slope
            den = math.lcm(slope.denominator, height.denominator)
            ends.append(V * b.numerator // b.denominator)
            lines.append((int(slope * den), V * int(height * den), den))

        def at(x: int) -> int:
            slope, height, den = lines[min(bisect_left(ends, x), len(lines) - 1)]
            return int(ceil_div(slope * x + height, den))

        return at

    def least(self, V: int, p: Fraction, q: Fraction) -> Callable[[int], int]:
        """Return the least V G(x) - c x for x from p to q, rounded down, as a function of c; x = 0 ... 1."""
        if (V, p, q) not in self.hulls:
            a, b = max(p, Fraction()), min(q, Fraction(1))
            if a > b:
                raise Refused(f"{UPPER}: a box is empty")
            kept: list[tuple[Fraction, Fraction]] = []
            for x, g in [
                (a, self(a)),
                *((x, g) for x, g in self.points if a < x < b),
                *([(b, self(b))] if a < b else []),
            ]:
                while len(kept) > 1 and turns_down(kept[-2], kept[-1], (x, g)):
                    kept.pop()
                kept.append((x, g))
            slopes = [(v - u) / (d - c) for (c, u), (d, v) in pairwise(kept)]
            ends = [V * slope.numerator // slope.denominator for slope in slopes]
            parts = [
                (V * g.numerator * x.denominator, x.numerator * g.denominator, g.denominator * x.denominator)
                for x, g in kept
            ]

            def least(c: int) -> int:
                height, place, den = parts[bisect_left(ends, c)]
                return (height - c * place) // den

            self.hulls[V, p, q] = least
        return self.hulls[V, p, q]  # type: ignore[no-any-return]


def turns_down(a: Any, b: Any, c: Any) -> bool:
    """Whether b is on or above the chord from a to c."""
    return bool((b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0]))


# -- weightings ------------------------------------------------------------------------------------------------------


def blocks(count: int, cells: int) -> Iterator[tuple[int, int]]:
    """Split so many tables into blocks that are computed together."""
    size = max(1, BLOCK // max(cells, 1))
    return ((i, min(i + size, count)) for i in range(0, count, size))


def cells_of(model: Model, grid: Grid) -> int:
    return max(map(len, model.steps)) * max(max(0, hi - lo + 1) for lo, hi in grid.windows)


def polygon_by_policy(
    model: Model, V: int, grid: Grid, start: int, choices: Any, polygon: Polygon, lower: Fraction, tick: Tick
) -> None:
    """Bound P(last index >= j) for every j of the last window by a table of the policy."""
    (lo, hi), (lo_last, hi_last) = grid.windows[0], grid.windows[-1]
    if start > hi or lo_last > hi_last or not grid.never_leaves(model, below=False, above=True):
        raise Refused(f"{LOWER}: an index leaves its window above")
    kind = integer_type(V * model.largest_total)
    weigh, size, total = polygon.weigh(V * model.initial_total), hi_last - lo_last + 1, 0
    for begin, end in blocks(size, cells_of(model, grid)):
        terminal = np.where(np.arange(size) >= np.arange(begin, end)[:, None], np.array(V, kind), np.array(0, kind))
        under = column([0] * (end - begin), kind)
        found = at_start(model, table_above(model, grid, choices, terminal, under, tick), start - lo, under)
        if found is None:
            raise Refused(f"{LOWER}: it leaves its windows, or has no action somewhere")
        full = V * model.initial_total
        total += sum(ceil_div(weigh(min(x, full)), model.initial_total) for x in found)
    last = grid.unit_after(len(model.steps))
    proved = grid.unit * start - grid.loss(model) - last * (lo_last - 1) - last * Fraction(total, V)
    if proved < lower:
        raise Refused(f"{LOWER}: it proves only {shortened(proved)}")


class Node(NamedTuple):
    """Of a cover, in the order of reading: ``cut`` k p, ``passed`` scale k p, or ``dual`` and runs of multipliers."""

    kind: str
    k: int = 0
    level: Fraction = Fraction()
    scale: int = 1
    costs: Runs = ()


class Cover:
    """An upper bound by a tree of cuts; ``line_for(p)`` is the polygon below the weighting for values from p on."""

    def __init__(
        self, model: Model, V: int, grid: Grid, start: int, line_for: Callable[[Fraction], Polygon], tick: Tick
    ) -> None:
        self.model, self.V, self.grid, self.start, self.line_for, self.tick = model, V, grid, start, line_for, tick
        lo, hi = grid.windows[-1]
        self.lo, self.size = grid.windows[0][0], hi - lo

    def require(self, nodes: Sequence[Node], upper: Fraction) -> None:
        """Raise :class:`Refused` unless every leaf proves ``upper`` in its box."""
        grid, last = self.grid, self.grid.unit_after(len(self.model.steps))
        (lo, hi), (lo_last, _) = grid.windows[0], grid.windows[-1]
        if not lo <= self.start <= hi or self.size < 0 or not grid.never_leaves(self.model, below=True, above=True):
            raise Refused(f"{UPPER}: an index leaves its window")
        need = (grid.unit * self.start - last * lo_last - upper) / last
        leaves = [(i, node.costs, sum_) for i, node, sum_ in self.leaves(nodes)]
        for begin, end in blocks(len(leaves), cells_of(self.model, grid)):
            block = leaves[begin:end]
            for (i, _, least), x in zip(block, self.duals([costs for _, costs, _ in block]), strict=True):
                if Fraction(x, self.V * self.model.initial_total) + Fraction(least, self.V) < need:
                    raise Refused(f"{UPPER}: the leaf {i} of the cover proves too little")

    def leaves(self, nodes: Sequence[Node]) -> Iterator[tuple[int, Node, int]]:
        """Yield each leaf with the sum of the least V G(x) - c x over its box."""
        levels = sorted({Fraction(), Fraction(1), *(node.level for node in nodes)})
        number = {level: i for i, level in enumerate(levels)}
        zero, one = (np.full(self.size, number[Fraction(x)], np.int32) for x in (0, 1))
        waiting = [(zero, one)]
        for i, node in enumerate(nodes):
            self.tick()
            low, high = waiting.pop()
            if node.kind == "dual":
                yield i, node, self.least(levels, low, high, node.costs)
                continue
            raised, capped, k = low.copy(), high.copy(), node.k
            np.maximum(raised[: max(k + 1, 0)], number[node.level], out=raised[: max(k + 1, 0)])
            np.minimum(capped[max(k, 0) :], number[node.level], out=capped[max(k, 0) :])
            waiting.append((raised, high))
            if node.kind == "passed":
                self.require_passed(node)
            else:
                waiting.append((low, capped))

    def least(self, levels: list[Fraction], low: Row, high: Row, costs: Runs) -> int:
        total = 0
        ends = set(accumulate(length for length, _ in costs))
        changes = np.flatnonzero((np.diff(low) != 0) | (np.diff(high) != 0)) + 1
        cuts = sorted({0, self.size, *changes.tolist(), *ends})
        multipliers = iter(costs)
        c, end = 0, 0
        for a, b in pairwise(cuts):
            if a == end:
                length, c = next(multipliers)
                end += length
            p, q = levels[low[a]], levels[high[a]]
            total += (b - a) * self.line_for(p).least(self.V, p, q)(c)
        return total

    def duals(self, leaves: Sequence[Runs]) -> list[int]:
        """Return, for each leaf, V initial_total times the least expected terminal cost over all policies."""
        largest = max((sum(length * abs(c) for length, c in costs) for costs in leaves), default=0)
        kind = integer_type(self.model.largest_total * largest)
        terminal = np.zeros((len(leaves), self.size + 1), kind)
        for row, costs in zip(terminal, leaves, strict=True):
            row[1:] = np.repeat(np.array([c for _, c in costs], kind), [length for length, _ in costs])
        terminal = np.add.accumulate(terminal, axis=1)
        bottom = terminal.min(axis=1, keepdims=True)
        return self.at_start(terminal, bottom)

    def at_start(self, terminal: Row, bottom: Row) -> list[int]:
        table = table_below(self.model, self.grid, terminal, bottom, self.tick)
        found = at_start(self.model, lambda s: row_or(table(s), bottom), self.start - self.lo, bottom)
        assert found is not None
        return found

    def require_passed(self, node: Node) -> None:
        """F_k is at least the level under every policy."""
        kind = integer_type(self.model.largest_total * node.scale)
        terminal = np.where(np.arange(self.size + 1) > node.k, np.array(node.scale, kind), np.array(0, kind))[None, :]
        if not 0 <= node.k < self.size:
            terminal = terminal * 0
        (x,) = self.at_start(terminal, column([0], kind))
        if Fraction(x, node.scale * self.model.initial_total) < node.level:
            raise Refused(f"{UPPER}: not every policy passes the level {node.level} at coordinate {node.k}")
