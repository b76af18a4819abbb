r"""Recheck of a discounted plan: both polygons of docs/theory/03-discretisation.md, "Interpolation".

This module shares nothing with the planner's kernels or its scaled model: rewards are put on the grids here, tables are
read with clipped indices, numbers have the precision of numpy's ``longdouble``, and each step has its own bound on
rounding.  Only the policy (its grids, its rho, its actions) and the objective come from the plan.

If reward and next state are independent, the polygons of the next states are mixed before they are read: opposite bends
of next states then cancel, while those of joint outcomes would add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...grid.floats import Ints
from ...mdp.flat import starts
from ...objectives.levels import Levels
from ...policy.cell_policy import CellPolicy
from ..clock import Tick, unlimited
from .wide import BLOCK, ROUNDOFF, Wide, each_term, exactly, wide

MOST_WORK = 2 * 10**10
"""Maximum number of multiplications for recomputing the tables without a time limit: a few minutes."""


@dataclass(frozen=True)
class Paid:
    """The rewards of one step: that of each outcome is ``units + share`` units of the step's grid."""

    units: Ints
    share: Wide


class InterpolatedTails:
    """:meth:`bounds` returns a lower bound on the policy's value and an upper bound on the optimum."""

    def __init__(self, policy: CellPolicy, levels: Levels, check: Tick = unlimited) -> None:
        self.policy, self.mdp, self.check = policy, policy.mdp, check
        ((alpha, weight),) = levels.tails
        self.mean, self.slope = levels.mean, weight / alpha
        self.kappa = wide([self.mean / self.slope])[0]
        least, most = self.mdp.reward_range
        self.usable = policy.least <= least
        # the weight of a step, in units of its grid, and the greatest remaining return
        self.scale = [self.mdp.step_reward(t, Fraction(1)) * 2**h / policy.eta for t, h in enumerate(policy.halvings)]
        self.span = [scale * (most - policy.least) for scale in self.scale]
        self.top = self._tops()
        self.product = self.mdp.is_product
        self.first = starts(self.mdp.n_actions)
        actions = [action for _, _, action in self.mdp]
        if self.product:
            paid = [[(q, r) for r, q in action.reward_law] for action in actions]
            moves = [[(p, s) for s, p in action.successors] for action in actions]
        else:
            paid = [[(p, r) for p, _, r in action.outcomes] for action in actions]
            moves = [[(p, s) for p, s, _ in action.outcomes] for action in actions]
        self.start, self.move_start = starts(map(len, paid)), starts(map(len, moves))
        self.prob, self.move_prob = (wide([p for row in rows for p, _ in row]) for rows in (paid, moves))
        self.state = np.array([s for row in moves for _, s in row], dtype=np.int64)
        known: dict[tuple[int, int], int] = {}
        self.number = np.array(
            [known.setdefault((r.numerator, r.denominator), len(known)) for row in paid for _, r in row]
        )
        self.rewards = [Fraction(*key) for key in known]
        terms = int(np.diff(self.start).max()) + (int(np.diff(self.move_start).max()) if self.product else 0)
        self.roundings = 4 * terms + 64

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
        return 2 * (len(self.prob) + (len(self.state) if self.product else 0)) * sum(self.top)

    def _paid(self, t: int) -> Paid:
        units, shares = [], []
        for r in self.rewards:
            x = self.scale[t] * (r - self.policy.least)
            whole = x.numerator // x.denominator
            units.append(whole)
            shares.append(x - whole)
        return Paid(np.array(units, dtype=np.int64)[self.number], wide(shares)[self.number])

    def bounds(self, tick: Tick = unlimited) -> tuple[Fraction, Fraction]:
        """Return both bounds, in the user's units."""
        below = self._backwards(tick, lower=True)
        above = self._backwards(tick, lower=False)
        policy = self.policy
        weights = sum((self.mdp.step_reward(t, Fraction(1)) for t in range(self.mdp.horizon)), Fraction())
        offset = policy.least * weights
        constant = self.mean * (self.mdp.reward_range[1] - policy.least) * weights / policy.eta

        def worth(k: int, table: Wide) -> Fraction:
            short = sum((p * exactly(_read(table[s], np.array([k]))[0]) for s, p in self.mdp.initial), Fraction())
            return (1 - self.mean) * k + constant - self.slope * short

        upper = max(worth(k, below) for k in self._candidates(below))
        return offset + policy.eta * worth(policy.rho, above), offset + policy.eta * upper

    def _candidates(self, table: Wide) -> list[int]:
        """Return the nodes at which the bound may be largest: those within rounding of the largest computed one."""
        nodes = np.arange(table.shape[1] - 1)
        short = sum(wide([p])[0] * table[s, 1:] for s, p in self.mdp.initial)
        scores = wide([1 - self.mean])[0] * nodes - wide([self.slope])[0] * short
        margin = 1e-12 * (1 + np.abs(scores).max())
        return [int(k) for k in np.flatnonzero(scores >= scores.max() - margin)]

    def _backwards(self, tick: Tick, *, lower: bool) -> Wide:
        """Return the first step's table: column 0 is the value of budgets below 0, column ``1 + k`` node k."""
        n = self.mdp.n_states
        table: Wide = np.zeros((n, 2), dtype=np.longdouble)
        mean: Wide = np.zeros(n, dtype=np.longdouble)
        for t in range(self.mdp.horizon - 1, -1, -1):
            paid, span = self._paid(t), wide([self.span[t]])[0]
            # E[span - x + later shortfall] of each action: its mean, as a shortfall
            short = np.add.reduceat(self.prob * (span - paid.units - paid.share), self.start[:-1])
            short = short + np.add.reduceat(self.move_prob * mean[self.state], self.move_start[:-1])
            if lower:
                mean = np.minimum.reduceat(short, self.first[:-1])
            else:
                mean = short[self.first[:-1] + self.policy.linear[t].astype(np.int64)]
            size = (1 + self.kappa) * (self.top[t] + self.mdp.horizon + 2)
            slack = self.roundings * np.longdouble(float(ROUNDOFF)) * size
            new = np.empty((n, self.top[t] + 2), dtype=np.longdouble)
            new[:, 1:] = self._nodes(t, paid, span, table, lower) + (-slack if lower else slack)
            new[:, 0] = self.kappa * mean + (-slack if lower else slack)
            table, mean = _coarser(new, self._factor(t), lower), mean / self._factor(t)
            tick()
        return table

    def _nodes(self, t: int, paid: Paid, span: Any, table: Wide, lower: bool) -> Wide:
        """Return the nodes of every state: below every action's line, or above that of the action played."""
        count, reach = self.top[t] + 1, int(paid.units.max()) + 1
        # nodes -reach .. top + 1, so that an outcome of u units reads three columns from reach - u - 1 on
        padded = _read(table, np.arange(-reach, count + 1))
        found: Wide = np.full((self.mdp.n_states, count), np.inf if lower else -np.inf, dtype=np.longdouble)
        counts, size = np.diff(self.first), max(1, BLOCK // (count + 2))
        for begin in range(0, len(found), size):
            states = np.arange(begin, min(begin + size, len(found)))
            for a in range(int(counts[states].max())):
                self.check()
                s = states[counts[states] > a]
                q, wrong = self._action(self.first[s] + a, paid, span, padded, reach, lower)
                if lower:
                    wrong[:, 1:] = np.maximum(wrong[:, 1:], wrong[:, :-1].copy())
                    found[s] = np.minimum(found[s], q - wrong)
                    continue
                played = self.policy.tables[t][s] == a
                here = played[:, np.minimum(np.arange(count), played.shape[1] - 1)]
                raised = np.where(here, q + wrong, -np.inf)
                raised[:, 1:] = np.maximum(raised[:, 1:], np.where(here[:, :-1], q[:, 1:] + wrong[:, :-1], -np.inf))
                found[s] = np.maximum(found[s], raised)
        return found

    def _action(self, i: Ints, paid: Paid, span: Any, padded: Wide, reach: int, lower: bool) -> tuple[Wide, Wide]:
        """Return Q of the actions ``i`` at the nodes, and by how much its chords can be on the wrong side."""
        rows = self._mixed(i, padded) if self.product else padded
        windows = np.lib.stride_tricks.sliding_window_view(rows, padded.shape[1] - reach + 1, axis=1)
        q: Wide = np.zeros((len(i), windows.shape[2] - 2), dtype=np.longdouble)
        wrong = np.zeros_like(q)
        for here, j in each_term(self.start, i):
            read = windows[here if self.product else self.state[j], reach - 1 - paid.units[j]]
            left, middle, right = read[:, :-2], read[:, 1:-1], read[:, 2:]
            p, share = self.prob[j][:, None], paid.share[j][:, None]
            missing = self.kappa * (span - paid.units[j] - paid.share[j])
            q[here] += p * (missing[:, None] + (1 - share) * middle + share * left)
            bend = left - 2 * middle + right
            wrong[here] += p * share * (1 - share) * np.maximum(bend if lower else -bend, 0)
        return q, wrong

    def _mixed(self, i: Ints, padded: Wide) -> Wide:
        """Return the mean polygon of the next states of each of the actions ``i``."""
        mixed: Wide = np.zeros((len(i), padded.shape[1]), dtype=np.longdouble)
        for here, j in each_term(self.move_start, i):
            mixed[here] += self.move_prob[j][:, None] * padded[self.state[j]]
        return mixed


def _read(rows: Wide, index: Any) -> Any:
    """Read nodes ``index`` of one row, or of each: constant left of 0, slope 1 beyond the last one."""
    last = rows.shape[-1] - 2
    return rows[..., np.clip(index, -1, last) + 1] + np.maximum(index - last, 0)


def _coarser(table: Wide, factor: int, lower: bool) -> Wide:
    if factor == 1:
        return table
    count = -(-(table.shape[1] - 2) // factor)
    fine = _read(table, np.arange(count * factor + 1))
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
