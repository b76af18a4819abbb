r"""Weightings G: the law of a policy's return, covers of the CDFs of all policies, and points of curves.

* From below: with masses p over V of the returns :math:`z_1 < z_2 < \dots`, rounded down, :math:`\Phi \ge z_0 + \sum_i
  (z_i - z_{i-1}) (1 - G(1 - p_i - p_{i+1} - \dots))`, :math:`z_0` at most every return.
* From above: with the return rounded to top - u X, :math:`\Phi = \mathit{top} - u \sum_k G(F_k)`, :math:`F_k = P(X >
  k)`.  In a box of CDFs, for any multipliers c, :math:`\sum_k G(F_k) \ge \min_\pi \sum_k c_k F_k + \sum_k \min_x (G(x)
  - c_k x)`, and :math:`\sum_k c_k F_k` is the expectation of the terminal cost :math:`c_0 + \dots + c_{X-1}`.

Points of curves (powers, Wang's transform, CPW, polygons and jumps) are tested in integers.  A point below a curve says
that the curve is at least its height there, a point above that it is at most that.  A *line* of pieces is below a
curve, each for one of four reasons; *stairs* are above it.  docs/proof_format.md, *Curves*.

The normal law is :math:`N(z) = 1/2 + A(z) / 2 A(\infty)` with :math:`A(z) = \int_0^z e^{-t^2/2} dt = z \sum_n (-u)^n /
(n! (2n + 1))`, :math:`u = z^2 / 2`; the partial sums are in turn above and below.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .contraction import Kept, contracted, slopes_between
from .integer_tables import (
    FREE_BITS,
    LOWER,
    UPPER,
    Model,
    Quantile,
    Refused,
    Row,
    Runs,
    Setting,
    Step,
    Table,
    Tail,
    at_start,
    ceil_div,
    cells_table,
    require,
    shortened,
    table,
)

Corners: TypeAlias = Sequence[tuple[Fraction, Fraction]]

BLOCK = 1 << 21
"""Maximum number of cells in one step of tables that are computed together."""


# -- the law of a policy with a memory ---------------------------------------------------------------------------------


class Rule(NamedTuple):
    """After a gain the memory becomes ``factor`` times it plus a shift, plus 1 with probability coin / ``coins``."""

    factor: int
    coins: int
    moves: Mapping[int, tuple[int, int]]


class Machine(NamedTuple):
    """``tables`` has, for each step and state, the first memory of the runs, the action before it, and the runs."""

    weight: int
    memory: int
    rules: Sequence[Rule]
    tables: Sequence[Mapping[int, tuple[int, int, Runs]]]


Masses: TypeAlias = dict[int, dict[tuple[int, int], int]]
"""For each state, the masses of pairs (memory, return)."""


def law_of(c: Setting, total: int, machines: Sequence[Machine], most: int) -> dict[int, int]:
    """Return the law of the return, over denominator q^T: masses over V, rounded down at every step.

    More than ``most`` pairs of memory and return are refused.
    """
    model, law = c.model, dict[int, int]()
    require(sum(m.weight for m in machines) == total, f"{LOWER}: the machines' weights do not sum to {total}")
    coins = ((coin, rule.coins) for m in machines for rule in m.rules for _, coin in rule.moves.values())
    require(all(coin <= every for coin, every in coins), f"{LOWER}: a coin has a probability above 1")
    for machine in machines:
        masses: Masses = {}
        for s, weight in model.initial:
            here = masses.setdefault(s, {})
            mass = c.V * (machine.weight * weight) // (total * model.initial_total)
            here[machine.memory, 0] = here.get((machine.memory, 0), 0) + mass
        power = 1
        for step, rule, rows in zip(model.steps, machine.rules, machine.tables, strict=True):
            masses = _law_step(c, step, rule, rows, masses, power)
            count = sum(map(len, masses.values()))
            require(count <= most, "refused: a law of more returns than the memory that is allowed has room for")
            power *= model.p
        for here in masses.values():
            for (_, y), mass in here.items():
                law[y] = law.get(y, 0) + mass
    return law


def _law_step(c: Setting, step: Step, rule: Rule, rows: Any, masses: Masses, power: int) -> Masses:
    """Move the masses by one step; returns are over denominator q^t.  What a missing state holds is lost."""
    following: Masses = {}
    for s, row, here in ((s, step[s], here) for s, here in masses.items() if s in step):
        first, before, runs = rows.get(s, (0, 0, ()))
        ends, chosen = list(accumulate(length for length, _ in runs)), [*(action for _, action in runs), 0]
        by_action = dict[int, list[tuple[int, int, int]]]()
        for (memory, y), mass in here.items():
            a = before if memory < first else chosen[bisect_right(ends, memory - first)]
            by_action.setdefault(a if a < len(row) else 0, []).append((memory, y, mass))
        for a, entries in by_action.items():
            for weight, gain, target in row[a].outcomes:
                shift, coin = rule.moves.get(gain, (0, 0))
                there = following.setdefault(target, {})
                for share, add in ((rule.coins - coin, shift), (coin, shift + 1)):
                    c.tick()
                    w, full, more = weight * share, row[a].total * rule.coins, gain * power
                    for memory, y, mass in entries if share else ():
                        key = rule.factor * memory + add, c.model.q * (y + more)
                        there[key] = there.get(key, 0) + mass * w // full
    return following


def _least_and_denominator(model: Model) -> tuple[int, int]:
    """Return a return that no history falls short of, over the denominator of all returns, and that denominator."""
    y, power = 0, 1
    for gains in model.gains:
        y, power = model.q * (y + power * min(0, *gains, 0)), power * model.p
    return y, int(model.denominator * model.q ** len(model.steps))


def worth_of_law(c: Setting, law: Mapping[int, int], weigh: Callable[[int], int]) -> Fraction:
    """Sum the layers between returns; ``weigh(x)`` is V G(x / V), rounded up."""
    y, den = _least_and_denominator(c.model)
    found, left = y * c.V, sum(law.values())
    for z in sorted(law):
        require(y <= z, LOWER)
        found += (z - y) * (c.V - weigh(c.V - left))
        y, left = z, left - law[z]
    return Fraction(found, den * c.V)


def value_by_law(c: Setting, law: Mapping[int, int], weigh: Callable[[int], int], lower: Fraction) -> None:
    require(worth_of_law(c, law, weigh) >= lower, LOWER)


def quantile_by_law(c: Setting, law: Mapping[int, int], goal: Quantile, lower: Fraction) -> None:
    _, den = _least_and_denominator(c.model)
    kept = sum(mass for y, mass in law.items() if y * lower.denominator >= lower.numerator * den)
    goal.require_short(Fraction(c.V - kept, c.V))


# -- polygons --------------------------------------------------------------------------------------------------------


class Polygon:
    """A broken line from (0, 0) through the corners."""

    def __init__(self, corners: Corners) -> None:
        self.points = [(Fraction(), Fraction()), *corners]
        self.hulls: dict[tuple[int, Fraction, Fraction], Any] = {}

    @property
    def is_good(self) -> bool:
        """True if the corners go up, strictly to the right, to (1, 1)."""
        steps = all(a < b and u <= v for (a, u), (b, v) in pairwise(self.points))
        return steps and self.points[-1] == (Fraction(1), Fraction(1))

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

    def most(self, V: int, c: int) -> int:
        """Return the largest V G(x) - c x for x from 0 to 1, rounded up."""
        return max(math.ceil(V * g - c * x) for x, g in self.points)

    def least(self, V: int, p: Fraction, q: Fraction) -> Callable[[int], int]:
        """Return the least V G(x) - c x for x from p to q, rounded down, as a function of c."""
        if (V, p, q) not in self.hulls:
            a, b = max(p, Fraction()), min(q, Fraction(1))
            require(a <= b, f"{UPPER}: a box is empty")
            kept: list[tuple[Fraction, Fraction]] = []
            for x in sorted({a, b, *(x for x, _ in self.points if a < x < b)}):
                g = self(x)
                while len(kept) > 1 and _is_above(kept[-1], kept[-2], (x, g)):
                    kept.pop()
                kept.append((x, g))
            slopes = [(v - u) / (d - c) for (c, u), (d, v) in pairwise(kept)]
            ends = [V * slope.numerator // slope.denominator for slope in slopes]
            parts = [(V * g.numerator * x.denominator, x.numerator * g.denominator, g.denominator * x.denominator)
                     for x, g in kept]  # fmt: skip

            def least(c: int) -> int:
                height, place, den = parts[bisect_left(ends, c)]
                return (height - c * place) // den

            self.hulls[V, p, q] = least
        return self.hulls[V, p, q]  # type: ignore[no-any-return]


def _is_above(b: Any, a: Any, c: Any) -> bool:
    """Return whether b is on or above the chord from a to c."""
    return bool((b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0]))


def weighting_of(tail: Tail) -> Polygon:
    """Return the weighting of w Mean + (1 - w) CVaR."""
    one = (Fraction(1), Fraction(1))
    return Polygon([one] if tail.alpha == 1 else [(tail.alpha, tail.w * tail.alpha + 1 - tail.w), one])


def _blocks(c: Setting, count: int) -> Iterator[slice]:
    """Split so many tables into blocks that are computed together."""
    widest = 1 if c.grid is None else max(hi - lo + 1 for lo, hi in c.grid.windows)
    size = max(1, BLOCK // max(1, widest * max(map(len, c.model.steps))))
    return (slice(i, min(i + size, count)) for i in range(0, count, size))


def polygon_by_policy(c: Setting, start: int, choices: Any, polygon: Polygon, lower: Fraction) -> None:
    """Bound P(last index >= j) for every j of the last window by a table of the policy."""
    lo, hi = c.grid.windows[-1]
    inside = start <= c.grid.windows[0][1] and lo <= hi and c.grid.never_leaves(c.model, above=True)
    require(inside, f"{LOWER}: an index leaves its window above")
    weigh, places, total, kind = polygon.weigh(c.total), np.arange(hi - lo + 1), 0, c.integer_type(c.V)
    for block in _blocks(c, len(places)):
        terminal = (places >= places[block, None]).astype(kind) * c.V
        outside = np.zeros_like(terminal[:, :1])
        found = at_start(c, table(c, terminal, outside, choices), start, outside)
        if found is None:
            raise Refused(f"{LOWER}: it leaves its windows, or has no action somewhere")
        total += sum(ceil_div(weigh(min(x, c.total)), c.model.initial_total) for x in found)
    proved = c.grid.unit * start - c.grid.loss(c.model) - c.last_unit * (lo - 1 + Fraction(total, c.V))
    require(proved >= lower, f"{LOWER}: it proves only {shortened(proved)}")


# -- covers ----------------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """Of a cover, in the order of reading: ``cut`` k p, ``passed`` scale k p, ``contract`` scale and multipliers, or
    ``dual`` and multipliers, in runs."""

    kind: str
    k: int = 0
    level: Fraction = Fraction()
    scale: int = 1
    costs: Runs = ()


def polygon_by_cover(
    c: Setting,
    start: int,
    nodes: Sequence[Node],
    line_for: Callable[[Fraction], Polygon],
    upper: Fraction,
    *,
    contracts: bool = False,
) -> None:
    """Every leaf proves ``upper`` in its box; ``line_for(p)`` is below the weighting for values from p on.

    With contractions, coordinates keep the lines that they have once the levels are read that every policy passes.
    """
    (lo, hi), (lo_last, hi_last), unit = c.grid.windows[0], c.grid.windows[-1], c.last_unit
    inside = lo <= start <= hi and lo_last <= hi_last and c.grid.never_leaves(c.model, below=True, above=True)
    require(inside, f"{UPPER}: an index leaves its window")
    need, size = (c.grid.unit * start - unit * lo_last - upper) / unit * c.total, hi_last - lo_last

    def passes(node: Node) -> bool:
        above = (np.arange(size + 1) > node.k) & (0 <= node.k < size)
        own = c._replace(V=node.scale)
        (x,) = _below_at_start(own, start, above[None, :].astype(own.integer_type(own.V)) * own.V, table)
        return x >= node.level * own.total

    def contracts_to(node: Node, lines: Sequence[Polygon], box: Sequence[tuple[Fraction, Fraction]], kept: Kept) -> Any:
        slopes = [slopes_between(line.points, p, q, node.scale) for line, (p, q) in zip(lines, box, strict=True)]
        costs = [cost for length, cost in node.costs for _ in range(length)]
        return contracted(c._replace(V=node.scale), start, costs, slopes, kept)

    contract = contracts_to if contracts else None
    require(contract is None or c.grid.shifts, f"{UPPER}: a contraction where indices do not shift alike")
    leaves = list(_leaves(c, nodes, line_for, [1] * size, passes, contract=contract))

    def duals(terminal: Row, kept: Kept) -> list[int]:
        return _below_at_start(c, start, terminal, partial(table, kept=kept))

    _require_leaves(c, leaves, need, [1] * size, duals)


def polygon_by_cell_cover(
    c: Setting, start: int, nodes: Sequence[Node], line_for: Callable[[Fraction], Polygon], upper: Fraction
) -> None:
    """As :func:`polygon_by_cover`, for all values of F in each cell, by tables that are read between their nodes."""
    (lo, hi), unit = c.grid.windows[-1], c.last_unit
    require(c.grid.holds_ends(c.model, start), f"{UPPER}: a budget leaves its window")
    need = (c.grid.unit * start + c.grid.ranges(c.model)[0] - unit * lo - upper) / unit * c.total
    leaves = list(_leaves(c, nodes, line_for, [1] * (hi - lo), lambda node: False, reach=1))

    def duals(terminal: Row, _: Kept) -> list[int]:
        return _below_at_start(c, start, terminal, cells_table)

    _require_leaves(c, leaves, need, [1] * (hi - lo), duals, FREE_BITS)


def polygon_by_lines(c: Setting, start: int, costs: Runs, choices: Any, polygon: Polygon, lower: Fraction) -> None:
    """The polygon is below a line in each cell, and the table of the policy bounds the expectation of their slopes."""
    (lo, hi), unit = c.grid.windows[-1], c.last_unit
    require(c.grid.holds_ends(c.model, start), f"{LOWER}: a budget leaves its window")
    (terminal,) = _terminal(c, [[(length, -cost) for length, cost in costs]], [1] * (hi - lo), FREE_BITS)
    bottom = terminal.min(keepdims=True)[None, :]
    (x,) = at_start(c, cells_table(c, terminal[None, :], bottom, choices), start, bottom) or [0]
    most = sum(length * polygon.most(c.V, cost) for length, cost in costs)
    lost = unit * (lo + Fraction(most * c.model.initial_total - x, c.total))
    proved = c.grid.unit * start + c.grid.ranges(c.model)[0] - lost
    require(proved >= lower, f"{LOWER}: it proves only {shortened(proved)}")


def polygon_by_returns(
    c: Setting, returns: Sequence[int], nodes: Sequence[Node], line_for: Callable[[Fraction], Polygon], upper: Fraction
) -> None:
    """As :func:`polygon_by_cover`; coordinate k is P(return <= ``returns[k + 1]``), and counts as much as they differ.

    Returns are over the denominator of all sums of rewards; tables have the sums that are met, and no others.
    """
    model, widths = c.model, [a - b for a, b in pairwise(returns)]
    p, q, steps = model.p, model.q, len(model.steps)
    weights = [p**t * q ** (steps - t) for t in range(steps)]
    largest = max(0, *(gain for gains in model.gains for gain in gains)) * sum(weights)
    require(min(widths, default=1) > 0 and largest <= returns[0], f"{UPPER}: a return is more than the first one")
    sums: list[dict[int, list[int]]] = [{s: [0] for s, _ in model.initial}]
    for step, weight in zip(model.steps, weights, strict=True):
        after: dict[int, set[int]] = {}
        for s, ys in sums[-1].items():
            for _, gain, target in (outcome for action in step.get(s, ()) for outcome in action.outcomes):
                c.tick()
                after.setdefault(target, set()).update(y + weight * gain for y in ys)
        sums.append({s: sorted(ys)[: len(returns)] for s, ys in after.items()})

    def duals(terminal: Row, _: Kept) -> list[int]:
        bottom = terminal.min(axis=1, keepdims=True)
        found: Any = lambda s: (dict(zip(returns, range(len(returns)), strict=True)), terminal)  # noqa: E731
        for step, weight, met in zip(model.steps[::-1], weights[::-1], sums[-2::-1], strict=True):
            now: dict[int, Any] = {}
            for s, ys in met.items():
                averages = []
                for action in step.get(s, ()):
                    c.tick()
                    total = np.zeros((len(terminal), len(ys)), terminal.dtype)
                    for w, gain, target in action.outcomes:
                        places, row = found(target) or ({}, bottom[:, :0])
                        index = [places.get(y + weight * gain, row.shape[1]) for y in ys]
                        total += w * np.concatenate([row, bottom], axis=1)[:, index]
                    averages.append(total // action.total)
                if averages:
                    now[s] = {y: i for i, y in enumerate(ys)}, np.minimum.reduce(averages)
            found = now.get
        start: Table = lambda s: bottom if (x := found(s)) is None else x[1][:, [x[0][0]]]  # noqa: E731
        return [int(x) for x in sum(weight * start(s)[:, 0].astype(object) for s, weight in model.initial)]  # type: ignore

    units = model.denominator * q**steps
    leaves = list(_leaves(c, nodes, line_for, widths, lambda node: False))
    _require_leaves(c, leaves, (returns[0] - upper * units) * c.total, widths, duals)


def _require_leaves(
    c: Setting, leaves: Sequence[Any], need: Fraction, widths: Sequence[int], duals: Any, more: int = 0
) -> None:
    """The multipliers of each leaf and the least of its box prove ``need``; ``duals`` are tables of terminal costs."""
    by_kept: dict[int, list[Any]] = {}
    for leaf in leaves:
        by_kept.setdefault(id(leaf[3]), []).append(leaf)
    for alike in by_kept.values():
        for block in _blocks(c, len(alike)):
            terminal = _terminal(c, [costs for _, costs, _, _ in alike[block]], widths, more)
            for (i, _, least, _), x in zip(alike[block], duals(terminal, alike[0][3]), strict=True):
                proved = x + least * c.model.initial_total
                require(proved >= need, f"{UPPER}: node {i} of the cover proves too little")


def _leaves(
    c: Setting,
    nodes: Sequence[Node],
    line_for: Any,
    widths: Sequence[int],
    passes: Any,
    reach: int = 0,
    contract: Any = None,
) -> Iterator[tuple[int, Runs, int, Kept]]:
    """Yield each leaf with its multipliers, the sum of the least V G(x) - c x over its box, each so often as it is
    wide, and what is kept there.

    A box is two rows of numbers of levels.  F_k <= p holds for all later coordinates, F_k >= p for all earlier ones; if
    coordinates are cells, for those before it.
    """
    size, across = len(widths), [0, *accumulate(widths)]
    levels = sorted({Fraction(), Fraction(1), *(node.level for node in nodes)})
    number = {level: i for i, level in enumerate(levels)}
    zeros, ones = (np.full(size, number[Fraction(end)], np.int32) for end in (0, 1))
    waiting: list[tuple[Row, Row, Kept]] = [(zeros, ones, ())]
    lines: list[Polygon] | None = None
    for i, node in enumerate(nodes):
        c.tick()
        low, high, kept = waiting.pop()
        if contract is not None and lines is None and node.kind != "passed":
            lines = [line_for(levels[p]) for p in low]
        if node.kind == "dual":
            if lines is not None and (low > high).any():
                continue
            changes = np.flatnonzero(np.diff(low) | np.diff(high)) + 1
            costs, total = np.repeat(np.arange(len(node.costs)), [length for length, _ in node.costs]), 0
            for a, b in pairwise(sorted({0, *changes.tolist(), *accumulate(length for length, _ in node.costs)})):
                p, q = levels[low[a]], levels[high[a]]
                line = line_for(p) if lines is None else lines[a]
                total += (across[b] - across[a]) * line.least(c.V, p, q)(node.costs[costs[a]][1])
            yield i, node.costs, total, kept
            continue
        if node.kind == "contract":
            box = [(levels[p], levels[q]) for p, q in zip(low, high, strict=True)]
            kept, least, most = contract(node, lines, box, kept)
            more = sorted({*levels, *least, *most})
            number = {level: i for i, level in enumerate(more)}
            renumbered = np.array([number[level] for level in levels], np.int32)
            waiting = [(renumbered[p], renumbered[q], here) for p, q, here in waiting]
            raised, capped = (np.array([number[x] for x in law], np.int32) for law in (least, most))
            waiting.append((np.maximum(renumbered[low], raised), np.minimum(renumbered[high], capped), kept))
            levels = more
            continue
        raised, capped, k = low.copy(), high.copy(), node.k
        before = max(k + 1 - reach, 0)
        raised[:before] = np.maximum(raised[:before], number[node.level])
        capped[max(k, 0) :] = np.minimum(capped[max(k, 0) :], number[node.level])
        waiting.append((raised, high, kept))
        if node.kind == "cut":
            waiting.append((low, capped, kept))
        else:
            why = f"{UPPER}: not every policy passes the level {shortened(node.level)} at coordinate {k}"
            require(lines is None and passes(node), why)


def _terminal(c: Setting, leaves: Sequence[Runs], widths: Sequence[int], more: int = 0) -> Row:
    """Return the terminal costs of each leaf, the sums of its multipliers; ``more`` bits are kept free."""
    most = max(1, *(sum(length * abs(cost) for length, cost in costs) for costs in leaves))
    kind = c.integer_type(most * max(widths, default=1) << more)  # widths fit it also where no multiplier is positive
    terminal = np.zeros((len(leaves), len(widths) + 1), kind)
    for row, costs in zip(terminal, leaves, strict=True):
        row[1:] = np.repeat(np.array([cost for _, cost in costs], kind), [length for length, _ in costs])
    terminal[:, 1:] *= np.array(widths, kind)
    return np.add.accumulate(terminal, axis=1)


def _below_at_start(c: Setting, start: int, terminal: Row, rows: Any) -> list[int]:
    bottom = terminal.min(axis=1, keepdims=True)
    return at_start(c, rows(c, terminal, bottom), start, bottom) or []


# -- points of curves --------------------------------------------------------------------------------------------------


ZERO, ONE = Fraction(), Fraction(1)
HALF_LOW = Fraction(125331413731550025120788264240552262, 10**35)
HALF_HIGH = Fraction(125331413731550025120788264240552263, 10**35)
"""Half of the whole integral, the root of pi / 2, is between these."""
DIGITS = 192
"""Binary digits of the terms of the series, which are rounded outward."""


class Curve(NamedTuple):
    """``hazard``, ``dual``, ``cpw`` p / q, ``wang`` shift, ``jump`` level (all in ``x``), or ``polygon``."""

    kind: str
    x: Fraction
    corners: Corners = ()

    @property
    def is_good(self) -> bool:
        p, q = self.x.numerator, self.x.denominator
        if self.kind in ("hazard", "dual"):
            return p > 0
        if self.kind == "cpw":
            return 0 < p < q and Fraction(p * p, q * (q - p)) ** p <= Fraction(p * q, (q - p) ** 2) ** q
        if self.kind == "polygon":
            return Polygon(self.corners).is_good
        return self.kind == "wang" or 0 < self.x <= 1

    def concave_to(self, turn: Turn, tick: Callable[[], None]) -> Fraction:
        """The curve is concave between 0 and this."""
        if self.kind == "cpw":
            return proved_to(self.x, turn.falling, ZERO, ZERO, tick, rising=False)
        signs = {"hazard": self.x <= 1, "dual": self.x >= 1, "wang": self.x >= 0}
        return ONE if signs.get(self.kind, False) else ZERO

    def convex_between(self, turn: Turn, tick: Callable[[], None]) -> tuple[Fraction, Fraction]:
        """The curve is convex between these."""
        if self.kind == "cpw":
            t, low = turn.start, turn.low
            if 0 < t < 1 and low >= 0 and root_below(self.x, odds(t), low):
                return t, proved_to(self.x, turn.rising, t, low, tick, rising=True)
        signs = {"hazard": self.x >= 1, "dual": self.x <= 1, "wang": self.x <= 0}
        return (ZERO, ONE) if signs.get(self.kind, False) else (ONE, ONE)


def root_below(g: Fraction, x: Fraction, y: Fraction) -> bool:
    """Return whether y <= x^g is shown by integers."""
    return y <= 0 or (x >= 0 and y**g.denominator <= x**g.numerator)


def root_above(g: Fraction, x: Fraction, y: Fraction) -> bool:
    """Return whether x^g <= y."""
    return x >= 0 and y >= 0 and x**g.numerator <= y**g.denominator


def compared(g: Fraction, y: Fraction, d: Fraction, a: Fraction) -> int:
    """Return a number of the sign of y^p d^q - a^p, g = p / q."""
    p, q = g.numerator, g.denominator
    left = y.numerator**p * d.numerator**q * a.denominator**p
    return int(left - a.numerator**p * y.denominator**p * d.denominator**q)


@lru_cache(1 << 14)
def normal(z: Fraction, *, up: bool) -> Fraction:
    """Return a bound of N(z), from above or from below."""
    if z < 0:
        return 1 - normal(-z, up=not up)
    n, d = z.numerator**2, 2 * z.denominator**2
    one = 1 << DIGITS + 4 * (n // d)
    low = high = one  # of u^k / k!
    total = 0
    for k in range(2 * (24 + 4 * (n // d)) + (1 if up else 2)):
        if k:
            low, high = low * n // (d * k), -(-high * n // (d * k))
        from_above = up == (k % 2 == 0)
        term = -(-high // (2 * k + 1)) if from_above else low // (2 * k + 1)
        total += -term if k % 2 else term
    share = z * Fraction(total, one) / (2 * (HALF_LOW if up else HALF_HIGH))
    return Fraction(1, 2) + share


class Point(NamedTuple):
    place: Fraction
    height: Fraction
    hints: tuple[Fraction, ...] = ()

    @lru_cache(1 << 12)  # noqa: B019 (a point ends one piece and begins the next)
    def is_below(self, curve: Curve) -> bool:
        """Return whether the curve is proved to be at least the height at the place."""
        x, y, (kind, g, corners) = self.place, self.height, curve
        if not 0 <= x <= 1:
            return False
        if kind == "hazard":
            return root_below(g, x, y)
        if kind == "dual":
            return root_above(g, 1 - x, 1 - y)
        if kind == "polygon":
            return y <= Polygon(corners)(x)
        if y <= 0:
            return True
        if kind == "jump":
            return g <= x and y <= 1
        if kind == "wang":
            (z,) = self.hints
            return normal(z, up=True) <= x and y <= normal(z + g, up=False)
        a, b, c = self.hints
        holds = root_below(g, x, a) and root_above(g, x, b) and root_above(g, 1 - x, c)
        return holds and b + c > 0 and a >= 0 and compared(g, y, b + c, a) <= 0

    def is_above(self, curve: Curve) -> bool:
        """Return whether the curve is proved to be at most the height at the place."""
        x, y, (kind, g, corners) = self.place, self.height, curve
        if not 0 <= x <= 1:
            return False
        if y >= 1 or (x == 0 and y >= 0):
            return True
        if kind == "hazard":
            return root_above(g, x, y)
        if kind == "dual":
            return root_below(g, 1 - x, 1 - y)
        if kind == "polygon":
            return Polygon(corners)(x) <= y
        if kind == "jump":
            return y >= 0 and x < g
        if kind == "wang":
            (z,) = self.hints
            return x <= normal(z, up=False) and normal(z + g, up=True) <= y
        a, b, c = self.hints
        holds = root_above(g, x, a) and root_below(g, x, b) and root_below(g, 1 - x, c)
        return holds and y > 0 and b + c > 0 and compared(g, y, b + c, a) >= 0


# -- where CPW bends -------------------------------------------------------------------------------------------------

Bend: TypeAlias = Sequence[tuple[Fraction, Fraction, Fraction]]
"""Where each cell ends, and bounds of (t / (1 - t))^g there."""


class Turn(NamedTuple):
    """Cells in which CPW is concave, from 0 on, and convex, from ``start`` on, where v^g is at least ``low``."""

    falling: Bend = ()
    start: Fraction = ZERO
    low: Fraction = ZERO
    rising: Bend = ()


def odds(t: Fraction) -> Fraction:
    return t / (1 - t)


def proved_to(
    g: Fraction, cells: Bend, t: Fraction, low: Fraction, tick: Callable[[], None], *, rising: bool
) -> Fraction:
    """Return how far the sign of the curvature is proved, from t on, which :func:`bend` has at v = t / (1 - t) and r =
    v^g."""
    for end, low_end, high_end in cells:
        tick()
        if not (
            t < end < 1 and low_end >= 0 and root_below(g, odds(end), low_end) and root_above(g, odds(end), high_end)
        ):
            return t
        curvature = bend(g, (odds(t), odds(end)), (low, high_end), rising=rising)
        if curvature < 0 if rising else curvature > 0:
            return t
        t, low = end, low_end
    return t


def bend(g: Fraction, v: tuple[Fraction, Fraction], r: tuple[Fraction, Fraction], *, rising: bool) -> Fraction:
    """Bound (1-g)(2-g) r^2 + r (2 g^2 - 5 g + 1 - 2 v + (1-g) v^2) + 2 g v + 2 v^2 - g (1-g), from below if ``rising``,
    otherwise from above, by the ends of v and r that favour it least."""
    (near, far), (one, other) = (v, r) if rising else (v[::-1], r[::-1])
    middle = 2 * g * g - 5 * g + 1 - 2 * far + (1 - g) * near * near
    steep = one if middle >= 0 else other
    return (1 - g) * (2 - g) * one * one + steep * middle + 2 * g * near + 2 * near * near - g * (1 - g)


# -- lines below and stairs above a curve ----------------------------------------------------------------------------


class Piece(NamedTuple):
    """The height of a line at a place, and why the curve is above the piece that ends there."""

    height: Fraction
    reason: str
    points: tuple[Point, ...] = ()


class Bounds(NamedTuple):
    turn: Turn
    pieces: Sequence[Piece]
    stairs: Sequence[Point]


def is_supported(
    curve: Curve,
    concave: Fraction,
    convex: tuple[Fraction, Fraction],
    x: Fraction,
    y: Fraction,
    x_end: Fraction,
    piece: Piece,
) -> bool:
    """Return whether the piece from (x, y) to ``x_end`` is below the curve."""
    y_end, points = piece.height, piece.points
    if piece.reason == "linear":
        own = Polygon(curve.corners) if curve.kind == "polygon" else None
        return (
            own is not None and not any(x < c < x_end for c, _ in curve.corners) and y <= own(x) and y_end <= own(x_end)
        )
    if piece.reason == "level":
        (left,) = points
        return left.is_below(curve) and left.place <= x and max(y, y_end) <= left.height
    a, b = points
    if a.place == b.place or not a.is_below(curve):
        return False
    slope = (b.height - a.height) / (b.place - a.place)
    if y > a.height + slope * (x - a.place) or y_end > a.height + slope * (x_end - a.place):
        return False
    if piece.reason == "chord":
        return b.is_below(curve) and a.place <= x and x_end <= b.place < concave
    low, high = convex  # a touches the curve, b is above it on the other side of a
    if not b.is_above(curve):
        return False
    return (
        low < b.place < a.place <= x and x_end < high
        if b.place < a.place
        else low < x and x_end <= a.place and b.place < high
    )


class Mixture:
    """Weights and curves, each with its bounds; the lines have their corners at ``places``."""

    def __init__(
        self, parts: Sequence[tuple[Fraction, Curve]], places: Sequence[Fraction], bounds: Sequence[Bounds]
    ) -> None:
        self.parts, self.places, self.bounds = parts, places, bounds
        self.lines: dict[Fraction, Polygon] = {}

    def require_good(self, why: str) -> None:
        good = all(w >= 0 and curve.is_good for w, curve in self.parts)
        require(good and sum(w for w, _ in self.parts) == 1, why)

    def require_bounded(self, tick: Callable[[], None]) -> None:
        for number, ((_, curve), bounds) in enumerate(zip(self.parts, self.bounds, strict=True)):
            wrong = f"refused: a point of a curve is not proved: curve {number}: "
            concave, convex = curve.concave_to(bounds.turn, tick), curve.convex_between(bounds.turn, tick)
            x, y = ZERO, ZERO
            for i, (x_end, piece) in enumerate(zip(self.places, bounds.pieces, strict=True)):
                tick()
                right = x < x_end <= 1 and is_supported(curve, concave, convex, x, y, x_end, piece)
                require(right, f"{wrong}piece {i} of its line is not proved to be below it")
                x, y = x_end, piece.height
            require(x >= 1, f"{wrong}the line does not reach 1")
            for i, point in enumerate(bounds.stairs):
                tick()
                require(point.is_above(curve), f"{wrong}stair {i} is not proved to be above it")

    def line_for(self, p: Fraction) -> Polygon:
        """Return the mixture of the lines for values from p on: a jump that is not behind p counts as 1."""
        passed = max((curve.x for _, curve in self.parts if curve.kind == "jump" and curve.x <= p), default=ZERO)
        if passed not in self.lines:
            heights = [ZERO] * len(self.places)
            for (w, curve), bounds in zip(self.parts, self.bounds, strict=True):
                full = curve.kind == "jump" and curve.x <= passed
                heights = [
                    g + w * (1 if full else piece.height) for g, piece in zip(heights, bounds.pieces, strict=True)
                ]
            self.lines[passed] = Polygon(list(zip(self.places, heights, strict=True)))
        return self.lines[passed]

    def weigh(self, V: int) -> Callable[[int], int]:
        """Return V times the stairs at x / V, rounded up, as a function of an integer x."""
        parts: list[Any] = []
        for (w, _), bounds in zip(self.parts, self.bounds, strict=True):
            places = [V * x.numerator // x.denominator for x in accumulate((p.place for p in bounds.stairs), max)]
            parts.append((places, [w * p.height for p in bounds.stairs] + [w]))
        return lambda x: -int(-V * sum(heights[bisect_left(places, x)] for places, heights in parts) // 1)
