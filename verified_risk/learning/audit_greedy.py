r"""Whether a plan is what the proof needs: greedy at every ``(t, s, y)`` for a level that is best.

The kernels plan by budgets, all levels in one pass.  Here the value of one utility
:math:`h_\rho(z) = \rho - c(\rho - z)` is computed over returns so far, level by level, in other code: dense arrays over
y, one state after the other.  Numbers are floats; the claims allow for their rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .learner import Floats, Learner


class Greedy:
    """Values of utilities in the model that a learner has in its arrays."""

    def __init__(self, learner: Learner) -> None:
        self.learner, self.standard = learner, learner.standard
        self.units = np.array(self.standard.units)
        self.best_row = learner.target.beyond == learner._plan.BEST

    def utilities(self, levels: Any) -> Floats:
        """One row per level."""
        z = np.arange(self.standard.top[0] + 1)
        if self.learner.markov:
            return z.astype(np.float64)[None]
        left, right = self.learner.target.left, self.learner.target.right
        rho = np.asarray(levels)[:, None]
        short = rho - z
        return np.asarray(rho - np.where(short > 0, right * short, left * short))

    def values(self, utilities: Floats) -> tuple[Floats, list[list[Floats]]]:
        """``E_D V_0`` of each utility and, for each step and state, the worth ``[action, utility, y]`` of every
        action at every return so far.
        """
        standard = self.standard
        after = np.repeat(utilities[:, None, :], standard.n_states, axis=1)
        worth: list[list[Floats]] = []
        for t in reversed(range(standard.horizon)):
            now = standard.used[t] + 1
            rows = self._with_missing(after, utilities, t + 1)
            p, step, here = 0, [], np.zeros((len(utilities), standard.n_states, now))
            for s in range(standard.n_states):
                each = np.array([self._pair(p + a, t, rows, now) for a in range(standard.n_actions[s])])
                p += standard.n_actions[s]
                step.append(each)
                here[:, s] = each.max(axis=0)
            worth.append(step)
            after = here
        first = sum((float(q) * after[:, s, 0] for s, q in standard.initial), np.zeros(len(utilities)))
        return first, worth[::-1]

    def _with_missing(self, after: Floats, utilities: Floats, t: int) -> Floats:
        """One more row: where the missing mass goes."""
        if self.best_row:
            return np.concatenate([after, after.max(axis=1, keepdims=True)], axis=1)
        top = self.standard.top[t]
        return np.concatenate([after, utilities[:, None, top : top + after.shape[2]]], axis=1)

    def _pair(self, p: int, t: int, rows: Floats, now: int) -> Floats:
        model, known = self.learner.model, self.learner.known
        units = self.units[t]
        wide = now if self.standard.joint else rows.shape[2]
        mixed = np.zeros((rows.shape[0], wide))
        for j in range(int(model.length[p])):
            shift = units[model.atom[p, j]]
            mixed += model.prob[p, j] * rows[:, model.state[p, j], shift : shift + wide]
        if model.miss[p] > 0 and known.length[p] > 0:
            listed = [
                rows[:, known.state[p, j], units[known.atom[p, j]] : units[known.atom[p, j]] + wide]
                for j in range(int(known.length[p]))
            ]
            mixed += model.miss[p] * np.max(listed, axis=0)
        if self.standard.joint:
            return mixed
        out = np.zeros((rows.shape[0], now))
        for i, q in enumerate(model.reward[p]):
            if q:
                out += q * mixed[:, units[i] : units[i] + now]
        return out

    def best_level(self, tolerance: float) -> tuple[int, float, list[list[Floats]]]:
        """The least level whose value is the largest up to ``tolerance``, that value, and what actions are worth."""
        most = int(min(self.standard.top[0], self.learner.knowledge.largest))
        levels = np.arange(1 if self.learner.markov else most + 1)
        scores = self.values(self.utilities(levels))[0]
        level = int(np.argmax(scores >= scores.max() - tolerance))
        return level, float(scores.max()), self.values(self.utilities([level]))[1]

    def loss(self, table: Any, worth: list[list[Floats]]) -> float:
        """The most that an action of the table falls short of the best one, over all ``(t, s, y)``."""
        worst = 0.0
        for t, step in enumerate(worth):
            for s, each in enumerate(step):
                each = each[:, 0]
                width = each.shape[1]
                chosen = np.resize(table[t, s], width) if table.shape[2] == 1 else table[t, s, :width]
                taken = each[chosen.astype(np.int64), np.arange(width)]
                worst = max(worst, float((each.max(axis=0) - taken).max()))
        return worst
