r"""A discounted plan again: both polygons of docs/theory/03-discretisation.md, "Interpolation", in other code.

Nothing is shared with the planner's kernels or its scaled model: rewards are put on the grids here, outcomes are joint,
tables are read with clipped indices, numbers have the precision of numpy's ``longdouble``, and each step has its own
bound on rounding.  From the plan come only the policy (its grids, its rho, its actions) and the objective.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...objectives.levels import Levels
from ...policy.cells import CellPolicy

Wide: TypeAlias = npt.NDArray[Any]
"""Of ``np.longdouble``."""
MOST_WORK = 2 * 10**9
"""Multiplications for which the tables are computed again: about a minute."""


@dataclass(frozen=True)
class Outcome:
    """Of one action at one step: the reward is ``units + share`` units of the step's grid."""

    prob: np.longdouble
    state: int
    units: int
    share: np.longdouble


class Between:
    """:meth:`bounds` are a lower bound of what the policy is worth and an upper bound of the optimum."""

    def __init__(self, policy: CellPolicy, levels: Levels) -> None:
        self.policy, self.mdp = policy, policy.mdp
        ((alpha, weight),) = levels.tails
        self.mean, self.slope = levels.mean, weight / alpha
        self.kappa = np.longdouble(float(self.mean / self.slope))
        self.unit = Fraction(1, 2 ** (np.finfo(np.longdouble).nmant + 1))
        least, most = self.mdp.reward_range
        self.usable = policy.least <= least
        # the weight of a step, in units of its grid, and the greatest return that is left
        self.scale = [self.mdp.step_reward(t, Fraction(1)) * 2**h / policy.eta for t, h in enumerate(policy.halvings)]
        self.span = [scale * (most - policy.least) for scale in self.scale]
        self.top = self._tops()

    def _tops(self) -> list[int]:
        tops, left = [], Fraction()
        for t in range(self.mdp.horizon - 1, -1, -1):
            left += self.span[t]
            tops.append(max(math.ceil(left), self.policy.tables[t].shape[1] - 1))
            left /= self._factor(t)
        return tops[::-1]

    def _factor(self, t: int) -> int:
        return 2 ** (self.policy.halvings[t] - self.policy.halvings[t - 1]) if t else 1

    @property
    def work(self) -> int:
        terms = sum(len(action.outcomes) for _, _, action in self.mdp)
        return 2 * terms * sum(self.top)

    def outcomes(self, t: int) -> list[list[list[Outcome]]]:
        known: dict[Fraction, tuple[int, np.longdouble]] = {}

        def read(p: Fraction, s: int, r: Fraction) -> Outcome:
            if r not in known:
                x = self.scale[t] * (r - self.policy.least)
                whole = x.numerator // x.denominator
                known[r] = whole, _wide(x - whole)
            return Outcome(_wide(p), s, *known[r])

        states = range(self.mdp.n_states)
        return [[[read(*o) for o in action.outcomes] for action in self.mdp.actions(s)] for s in states]

    def bounds(self) -> tuple[Fraction, Fraction]:
        """In the user's units."""
        below = self._backwards(lower=True)
        above = self._backwards(lower=False)
        policy = self.policy
        weights = sum((self.mdp.step_reward(t, Fraction(1)) for t in range(self.mdp.horizon)), Fraction())
        offset = policy.least * weights
        constant = self.mean * (self.mdp.reward_range[1] - policy.least) * weights / policy.eta

        def worth(k: int, table: Wide) -> Fraction:
            short = sum((p * _exactly(_read(table[s], np.array([k]))[0]) for s, p in self.mdp.initial), Fraction())
            return (1 - self.mean) * k + constant - self.slope * short

        upper = max(worth(k, below) for k in self._candidates(below))
        return offset + policy.eta * worth(policy.rho, above), offset + policy.eta * upper

    def _candidates(self, table: Wide) -> list[int]:
        """The nodes at which the bound may be largest: those within rounding of the largest computed one."""
        nodes = np.arange(table.shape[1] - 1)
        short = sum(_wide(p) * table[s, 1:] for s, p in self.mdp.initial)
        scores = _wide(1 - self.mean) * nodes - _wide(self.slope) * short
        margin = 1e-12 * (1 + np.abs(scores).max())
        return [int(k) for k in np.flatnonzero(scores >= scores.max() - margin)]

    def _backwards(self, *, lower: bool) -> Wide:
        """The table of the first step: column 0 is what budgets below 0 are worth, column ``1 + k`` node k."""
        n = self.mdp.n_states
        table: Wide = np.zeros((n, 2), dtype=np.longdouble)
        mean: Wide = np.zeros(n, dtype=np.longdouble)
        for t in range(self.mdp.horizon - 1, -1, -1):
            steps, nodes = self.outcomes(t), np.arange(self.top[t] + 1)
            span = _wide(self.span[t])
            short = [[self._short(span, rows, mean) for rows in actions] for actions in steps]
            new = np.empty((n, len(nodes) + 1), dtype=np.longdouble)
            terms = max(len(rows) for actions in steps for rows in actions)
            size = (1 + self.kappa) * (self.top[t] + self.mdp.horizon + 2)
            slack = (4 * terms + 64) * np.longdouble(float(self.unit)) * size
            for s, actions in enumerate(steps):
                rows = [self._action(outcome, span, table, nodes, lower) for outcome in actions]
                new[s, 1:] = _below(rows) - slack if lower else self._above(t, s, rows) + slack
                chosen = min(short[s]) if lower else short[s][int(self.policy.linear[t, s])]
                new[s, 0] = self.kappa * chosen + (-slack if lower else slack)
            mean = np.array([min(row) if lower else row[int(self.policy.linear[t, s])] for s, row in enumerate(short)])
            factor = self._factor(t)
            table, mean = _coarser(new, factor, lower), mean / factor
        return table

    def _short(self, span: Any, outcomes: list[Outcome], mean: Wide) -> Any:
        """``E[span - x + what is missing later]``: the mean of an action, as a shortfall."""
        return sum(o.prob * (span - o.units - o.share + mean[o.state]) for o in outcomes)

    def _action(self, outcomes: list[Outcome], span: Any, table: Wide, nodes: Any, lower: bool) -> tuple[Wide, Wide]:
        """Q at the nodes, and by how much its chords can be on the wrong side of it."""
        q: Wide = np.zeros(len(nodes), dtype=np.longdouble)
        wrong: Wide = np.zeros(len(nodes), dtype=np.longdouble)
        for o in outcomes:
            here, left, right = (_read(table[o.state], nodes - o.units + j) for j in (0, -1, 1))
            q += o.prob * (self.kappa * (span - o.units - o.share) + (1 - o.share) * here + o.share * left)
            bend = left - 2 * here + right
            wrong += o.prob * o.share * (1 - o.share) * np.maximum(bend if lower else -bend, 0)
        return q, wrong

    def _above(self, t: int, s: int, rows: list[tuple[Wide, Wide]]) -> Wide:
        """Raised until every chord is above the line of the action that the policy plays in its cell."""
        played = self.policy.tables[t][s]
        q, wrong = (np.stack(part) for part in zip(*rows, strict=True))
        cells = np.arange(q.shape[1])
        action = played[np.minimum(cells, len(played) - 1)].astype(np.int64)
        here: Wide = q[action, cells] + wrong[action, cells]
        there = q[action[:-1], cells[1:]] + wrong[action[:-1], cells[:-1]]
        here[1:] = np.maximum(here[1:], there)
        return here


def _below(rows: list[tuple[Wide, Wide]]) -> Wide:
    found = []
    for q, wrong in rows:
        both = wrong.copy()
        both[1:] = np.maximum(both[1:], wrong[:-1])
        found.append(q - both)
    least: Wide = np.min(found, axis=0)
    return least


def _read(row: Wide, index: Any) -> Any:
    """Node ``index``, constant left of 0, slope 1 beyond the last one."""
    last = len(row) - 2
    return row[np.clip(index, -1, last) + 1] + np.maximum(index - last, 0)


def _coarser(table: Wide, factor: int, lower: bool) -> Wide:
    if factor == 1:
        return table
    count = -(-(table.shape[1] - 2) // factor)
    fine = np.stack([_read(row, np.arange(count * factor + 1)) for row in table])
    kept = fine[:, ::factor]
    wrong = np.zeros_like(kept)
    for j in range(1, factor):
        chord = kept[:, :-1] + (kept[:, 1:] - kept[:, :-1]) * (np.longdouble(j) / factor)
        off = chord - fine[:, j::factor]
        off = np.maximum(off if lower else -off, 0)
        wrong[:, :-1] = np.maximum(wrong[:, :-1], off)
        wrong[:, 1:] = np.maximum(wrong[:, 1:], off)
    moved = kept - wrong if lower else kept + wrong
    return np.concatenate([table[:, :1], moved], axis=1) / factor


def _wide(x: Fraction) -> np.longdouble:
    """The nearest number of numpy's longest type, to within two roundings."""
    high = float(x)
    return np.longdouble(high) + np.longdouble(float(x - Fraction(high)))


def _exactly(x: Any) -> Fraction:
    """The rational that a finite longdouble is."""
    high = float(x)
    return Fraction(high) + Fraction(float(x - np.longdouble(high)))
