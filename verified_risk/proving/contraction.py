r"""Contractions of a cover, in integers: actions that no best policy plays are removed from the tables of what follows.

Among all mixtures of policies one, :math:`F^*`, has the least :math:`\sum_k G_k(F_k)`.  Where it comes with positive
probability, no other way on does better to first order: the CDFs F of its own and :math:`F'` of another from there have

.. math:: \sum_k c^{\max}_k (F'_k - F_k)^+ - c^{\min}_k (F_k - F'_k)^+ \ge 0

if :math:`c^{\min}, c^{\max}` bound the slopes of :math:`G_k` in the box.  Take the policy that is greedy for costs
:math:`c^0` for the other: an action that costs more at :math:`c^0` than other slopes can regain is not its own
(docs/theory/05-certificates.md, B5; the program is ``proofs_checks/formal/checker/ContractCheck.v``).

A cell is a state and an index.  Its rows hold V P(X > k) for the coordinates k which it leaves open, as many for all
cells of a step; P is 1 before these and 0 behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .integer_tables import UPPER, Action, Refused, Row, Setting, ceil_div, require

Kept: TypeAlias = Sequence[Mapping[int, Row]]
"""For each step and state, whether each action is kept at each index of the window; all are, where nothing is said."""


class Cells(NamedTuple):
    """Of a state, along its window: the least cost of kept actions, from below; the cost of the greedy policy, from
    above; its law, short by at most 1 for each step to come; the least and the greatest law of kept actions."""

    cost: Row
    own_cost: Row
    own: Row
    least: Row
    most: Row


def slopes_between(points: Sequence[tuple[Fraction, Fraction]], p: Fraction, q: Fraction, V: int) -> tuple[int, int]:
    """Return the least slope to the left of a place between p and q, over V, and the largest to the right of one."""
    pieces = [(a, b, V * (v - u) / (b - a)) for (a, u), (b, v) in pairwise(points) if a <= q and p <= b]
    flattest = min((slope // 1 for a, b, slope in pieces if a < q), default=0)
    return flattest, max((ceil_div(slope, 1) for a, b, slope in pieces if p < b), default=0)


def contracted(
    c: Setting, start: int, costs: Sequence[int], slopes: Sequence[tuple[int, int]], kept: Kept
) -> tuple[Kept, list[Fraction], list[Fraction]]:
    """Return what is kept, and the least and the greatest CDF of kept actions; costs and slopes are over the scale."""
    model, windows, steps = c.model, c.grid.windows, len(c.model.steps)
    terminal = [0, *accumulate(costs)]
    kind = c.integer_type(max(c.V, *map(abs, terminal)) + steps)
    gains = [(x - low, high - x) for x, (low, high) in zip(costs, slopes, strict=True)]
    wide = np.int64 if max(map(abs, sum(gains, (0,)))) * (c.V + steps) * len(terminal) < 2**62 else object
    regains = np.array([*gains, (0, 0)], wide).T
    row, empty = np.array(terminal, kind), np.zeros((len(terminal), 0), kind)
    after: Callable[[int], Cells | None] = lambda s: Cells(row, row, empty, empty, empty)  # noqa: E731
    found, spent, width = list[dict[int, Row]](), 0, 0
    for n, (step, charge) in enumerate(zip(model.steps[::-1], c.grid.charges(model)[::-1], strict=True), 1):
        (lo, hi), (lo_after, _) = windows[steps - n : steps - n + 2]
        most = max(charge.values())
        shape = hi - lo + 1, width + most - min(charge.values())
        shifts = {gain: (lo - x - lo_after, most - x) for gain, x in charge.items()}
        spent, width = spent + most, shape[1]
        first = lo - spent - windows[-1][0]
        require(first >= 0, f"{UPPER}: an index leaves its window")
        places = first + np.arange(shape[0])[:, None] + np.arange(width)
        down, up = regains[:, np.minimum(places, len(costs))]
        now, flags = dict[int, Cells](), dict[int, Row]()
        for s, actions in step.items():
            each = [cells for cells in (averaged(c, action, after, shifts, shape, kind) for action in actions) if cells]
            if len(each) == len(actions):
                old = kept[steps - n].get(s) if kept else None
                allowed = np.ones((len(each), shape[0]), bool) if old is None else old
                flags[s], now[s] = _tested(c.V, n, each, allowed, down, up)
        after, found = now.get, [flags, *found]
    gap, place = start - spent - windows[-1][0], start - windows[0][0]
    laws = np.zeros((2, max(len(costs), gap + width)), object)
    for s, weight in model.initial:
        if (cells := after(s)) is None or not 0 <= place < len(cells.cost) or gap < 0:
            raise Refused(f"{UPPER}: a contraction does not reach the start")
        laws[:, :gap] += weight * c.V
        laws[:, gap : gap + width] += weight * np.array([cells.least[place], cells.most[place]], object)
    least, greatest = ([Fraction(x, c.total) for x in law[: len(costs)]] for law in laws.tolist())
    return found, least, greatest


def averaged(
    c: Setting,
    action: Action,
    after: Callable[[int], Cells | None],
    shifts: Mapping[int, tuple[int, int]],
    shape: tuple[int, int],
    kind: Any,
) -> Cells | None:
    """Return the cells of an action; None if a next state has none.  ``shifts`` says for each gain at which index of
    the next window its cells are read, and how much later their rows begin."""
    c.tick()
    costs, laws = np.zeros((2, shape[0]), kind), np.zeros((3, *shape), kind)
    for weight, gain, s in action.outcomes:
        (k, gap), cells = shifts[gain], after(s)
        if cells is None or not 0 <= k <= len(cells.cost) - shape[0]:
            return None
        here = slice(k, k + shape[0])
        costs += weight * np.array([x[here] for x in cells[:2]])
        laws[..., :gap] += weight * c.V
        laws[..., gap : gap + cells.own.shape[1]] += weight * np.array([law[here] for law in cells[2:]])
    total = action.total
    own, least = laws[:2] // total
    return Cells(costs[0] // total, ceil_div(costs[1], total), own, least, ceil_div(laws[2], total))


def _tested(V: int, n: int, each: Sequence[Cells], allowed: Row, down: Row, up: Row) -> tuple[Row, Cells]:
    """Return which actions are kept, ``n`` steps before the end, and the cells of these."""
    cost, at = np.array([cells.cost for cells in each]), np.arange(allowed.shape[1])
    best = np.where(allowed, cost, cost.max() + 1).argmin(axis=0)
    own_cost, own = (np.array([cells[i] for cells in each])[best, at] for i in (1, 2))
    kept = allowed.copy()
    for flags, x in zip(kept, each, strict=True):
        regained = np.maximum(np.maximum(down * (x.most - own), up * (own + n - x.least)), 0).sum(axis=1)
        flags &= (V * (x.cost - own_cost).astype(object) <= regained).astype(bool)
    least = np.minimum.reduce([np.where(f[:, None], x.least, V) for f, x in zip(kept, each, strict=True)])
    most = np.maximum.reduce([np.where(f[:, None], x.most, 0) for f, x in zip(kept, each, strict=True)])
    return kept, Cells(cost[best, at], own_cost, own, least, most)
