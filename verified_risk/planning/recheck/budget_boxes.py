r"""Recheck a search over the differences of budgets (theory 05, B10) in numpy's ``longdouble``.

Nothing here is shared with :mod:`verified_risk.planning.tails.several_levels`: the tables are those of
:class:`~.wide.WideModel`, over every budget, and each box of the record is bounded again.  Whatever the record says,
the result bounds the optimum: it only chooses how the differences are split.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ...grid.floats import Ints
from ...objectives.levels import Levels
from ..clock import Tick
from ..search.trace import Cut
from .wide import ROUNDOFF, UNDERFLOW, Wide, WideModel, wide


class RecordDoesNotFit(Exception):
    """The record splits a level that the objective does not have."""


class BudgetBoxes:
    """Bounds on the objective over boxes of differences ``d_j = rho_j - rho_0``, in shifted units."""

    def __init__(self, model: WideModel, levels: Levels, tick: Tick) -> None:
        self.model, self.levels, self.tick, self.top = model, levels, tick, model.top
        table, depth = model.shortfalls(Fraction(), "one")
        shrink = wide([1 - 2 * depth * ROUNDOFF])[0]
        self.least = np.maximum(table * shrink - wide([UNDERFLOW])[0], 0)  # P(Z < rho) from below
        self.depth = depth
        self.known: dict[tuple[int, ...], Wide] = {}

    def bound(self, root: Cut) -> Fraction:
        """Return an upper bound on the optimum in shifted units.

        :raises RecordDoesNotFit: if the record is that of another number of levels
        """
        free = len(self.levels.tails) - 1
        everything = np.full(self.top + 1, np.inf, dtype=np.longdouble)
        worst, stack = -np.inf, [(root, [0] * free, [self.top] * free, everything)]
        while stack:
            cut, low, high, most = stack.pop()
            for j in range(1, free):
                low[j] = max(low[j], low[j - 1])
            for j in range(free - 1, 0, -1):
                high[j - 1] = min(high[j - 1], high[j])
            if any(a > b for a, b in zip(low, high, strict=True)):
                continue
            most = np.minimum(most, self._box(tuple(low), tuple(high)))
            if not cut.children:
                worst = max(worst, most.max())
                continue
            if cut.level >= free:
                raise RecordDoesNotFit(f"the record splits level {cut.level + 1} of {free}")
            below, above = list(high), list(low)
            below[cut.level], above[cut.level] = min(cut.at, below[cut.level]), max(cut.at + 1, above[cut.level])
            stack += [(cut.children[0], list(low), below, most), (cut.children[1], above, list(high), most)]
        return Fraction(*worst.as_integer_ratio()) + self._margin() if worst > -np.inf else Fraction()

    def _margin(self) -> Fraction:
        """Return more than the rounding of a bound: of each table, the gains' sums, and numbers below 16 (top + 1)."""
        return (self.depth + self.top + 100) * ROUNDOFF * 16 * (self.top + 1)

    def _box(self, low: tuple[int, ...], high: tuple[int, ...]) -> Wide:
        bound = self._corner(low).copy()
        rho = np.arange(self.top + 1)
        for (alpha, w), a, b in zip(self.levels.tails[1:], low, high, strict=True):
            rate = np.maximum(wide([w])[0] - wide([w / alpha])[0] * np.append(self.least[1:], 1.0), 0)
            total = np.concatenate([np.zeros(1, dtype=np.longdouble), np.cumsum(rate)])
            bound += total[np.minimum(rho + b, self.top + 1)] - total[np.minimum(rho + a, self.top + 1)]
        return bound

    def _corner(self, low: tuple[int, ...]) -> Wide:
        """Return V at differences ``low``, from above up to rounding; -inf where a budget is not a quantile."""
        if low in self.known:
            return self.known[low]
        self.tick()
        tails, differences = self.levels.tails, (0, *low)
        slope = sum((w / alpha for alpha, w in tails), Fraction())
        shares = [w / alpha / slope for alpha, w in tails]
        scale = lcm(*(share.denominator for share in shares))
        delays = [low[-1] - d for d in differences]
        cost = [sum(int(v * scale) * max(b - delay, 0) for v, delay in zip(shares, delays, strict=True))
                for b in range(low[-1] + 1)]  # fmt: skip
        table, depth = self.model.shortfalls(
            self.levels.mean / slope, "line", cost=wide([Fraction(c, scale) for c in cost])
        )
        self.depth = max(self.depth, depth)
        rho = np.arange(self.top + 1)
        paid = np.minimum(wide([slope])[0] * table[low[-1] : low[-1] + self.top + 1], 4 * (self.top + 1))
        offset = sum((w * d for (_, w), d in zip(tails, differences, strict=True)), self.levels.mean * self.top)
        value: Wide = wide([offset])[0] + wide([1 - self.levels.mean])[0] * rho - paid
        for (alpha, _), d in zip(tails, differences, strict=True):
            value[~self._quantile(rho + d, alpha)] = -np.inf
        self.known[low] = value
        return value

    def _quantile(self, rho: Ints, alpha: Fraction) -> Any:
        """Whether some policy may have its quantile at ``alpha`` there: ``P(Z < rho) < alpha``."""
        met = self.least[np.minimum(rho, self.top)] < wide([alpha])[0] * (1 + 4 * np.longdouble(float(ROUNDOFF)))
        return met & (rho <= self.top)
