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
from typing import NamedTuple, TypeAlias

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
    model, V, grid, last = c.model, c.V, c.grid, c.grid.windows[-1][0]
    terminal = [0, *accumulate(costs)]
    kind = c.integer_type(max(V, *map(abs, terminal)) + len(model.steps))
    row, empty = np.array(terminal, kind), np.zeros((len(terminal), 0), kind)
    ends = Cells(row, row, empty, empty, empty)
    after: Callable[[int], Cells | None] = lambda s: ends  # noqa: E731
    found, spent, width = list[dict[int, Row]](), 0, 0
    largest = max(max(abs(x - low), abs(high - x)) for x, (low, high) in zip(costs, slopes, strict=True)) + 1
    exact = np.int64 if largest * (V + len(model.steps)) * len(terminal) < 2**62 else object
    regains = np.array([(x - low, high - x) for x, (low, high) in zip(costs, slopes, strict=True)], exact).T
    for n, (step, charge) in enumerate(zip(model.steps[::-1], grid.charges(model)[::-1], strict=True), 1):
        t = len(model.steps) - n
        (lo, hi), (lo_after, _) = grid.windows[t : t + 2]
        most, before = max(0, *charge.values()), width
        spent, width = spent + most, width + most - min(0, *charge.values())
        first = lo - spent - last
        require(first >= 0, f"{UPPER}: an index leaves its window")
        places = first + np.arange(hi - lo + 1)[:, None] + np.arange(width)
        down, up = np.concatenate([regains, np.zeros((2, 1), exact)], axis=1)[:, np.minimum(places, len(costs))]

        def average(action: Action) -> Cells | None:
            c.tick()
            sums = [np.zeros(hi - lo + 1, kind) for _ in range(2)]
            laws = [np.zeros((hi - lo + 1, width), kind) for _ in range(3)]
            for weight, gain, s in action.outcomes:
                k, gap = lo - charge[gain] - lo_after, most - charge[gain]
                if (cells := after(s)) is None or not 0 <= k <= len(cells.cost) - len(sums[0]):
                    return None
                here = slice(k, k + len(sums[0]))
                for total, x in zip(sums, cells[:2], strict=True):
                    total += weight * x[here]
                for law, x in zip(laws, cells[2:], strict=True):
                    law[:, :gap] += weight * V
                    law[:, gap : gap + before] += weight * x[here]
            total = action.total
            return Cells(sums[0] // total, ceil_div(sums[1], total), laws[0] // total, laws[1] // total,
                         ceil_div(laws[2], total))  # fmt: skip

        now, flags = dict[int, Cells](), dict[int, Row]()
        for s, actions in step.items():
            each = [cells for cells in map(average, actions) if cells is not None]
            if len(each) < len(actions):
                continue
            old = kept[t].get(s) if kept else None
            allowed = np.ones((len(each), hi - lo + 1), bool) if old is None else old
            cost = np.array([cells.cost for cells in each])
            best = np.where(allowed, cost, cost.max() + 1).argmin(axis=0)
            at = np.arange(hi - lo + 1)
            own_cost, own = (np.array([cells[i] for cells in each])[best, at] for i in (1, 2))
            wide = own.astype(exact)
            keeps = [
                (V * (x.cost - own_cost).astype(object) <= np.maximum(
                    np.maximum(down * (x.most - wide), up * (wide + n - x.least)), 0).sum(axis=1)).astype(bool)
                for x in each
            ]  # fmt: skip
            flags[s] = allowed & np.array(keeps)
            least = np.minimum.reduce([np.where(f[:, None], x.least, V) for f, x in zip(flags[s], each, strict=True)])
            greatest = np.maximum.reduce([np.where(f[:, None], x.most, 0) for f, x in zip(flags[s], each, strict=True)])
            now[s] = Cells(cost[best, at], own_cost, own, least, greatest)
        after, found = now.get, [flags, *found]
    gap, place = start - spent - last, start - grid.windows[0][0]
    bounds = []
    for i in (3, 4):
        law = np.zeros(max(len(costs), gap + width), object)
        for s, weight in model.initial:
            if (cells := after(s)) is None or not 0 <= place < len(cells.cost) or gap < 0:
                raise Refused(f"{UPPER}: a contraction does not reach the start")
            law[:gap] += weight * V
            law[gap : gap + width] += weight * cells[i][place].astype(object)
        bounds.append([Fraction(x, c.total) for x in law[: len(costs)].tolist()])
    return found, bounds[0], bounds[1]
