r"""Rule out actions by the mean where slopes differ little (docs/theory/05-certificates.md, D4), for a replay.

The reference policy maximises the mean.  ``loss`` is a lower bound on the mean lost by playing an action once instead,
``distance`` an upper bound on how far that moves the law of the remaining return.  Laws of the reference policy are
kept on :data:`POINTS` points per step; mass between two of them is split so as to preserve the mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...grid.floats import Floats, Ints
from .line import U
from .replay import Mask

if TYPE_CHECKING:
    from .cell_replay import CellTables

POINTS = 512
"""Points of a law: splitting mass between neighbours moves it by at most half of their distance."""


class MeanRule:
    """:meth:`remove` rules actions out; :attr:`action` is the reference's per step and state, :attr:`loss` and
    :attr:`distance` are those of every action."""

    def __init__(self, model: CellTables) -> None:
        self.model = model
        steps, n = model.horizon, model.n_states
        self.action: list[list[int]] = [[0] * n for _ in range(steps)]
        self.loss: list[list[Floats]] = [[] for _ in range(steps)]
        self.distance: list[list[Floats]] = [[] for _ in range(steps)]
        laws, means = np.zeros((n, POINTS + 1)), np.zeros(n)
        laws[:, 0] = 1.0
        grid = off = 0.0
        for t in range(steps - 1, -1, -1):
            before, width = grid, (POINTS * grid + model.spans[t]) * (1 + 1e-12)
            grid = width / POINTS
            off += 0.5 * grid
            # every mass and every place has about ten roundings a step, and one for each term
            safe = (steps - t) * (8 * model.terms + 128) * U * width
            new_laws, new_means = np.empty_like(laws), np.empty_like(means)
            for s, actions in enumerate(model.rows):
                model.tick()
                found = [self._mixed(t, s, a, laws, means, before, grid) for a in range(len(actions))]
                mean = np.array([m for m, _ in found])
                best = int(np.argmax(mean))
                cdf = np.cumsum([law for _, law in found], axis=1)
                moved = np.abs(cdf - cdf[best]).sum(axis=1) * grid + 2 * off + safe
                lost = mean[best] - mean - safe
                lost[best] = moved[best] = 0.0
                self.action[t][s] = best
                self.loss[t].append(lost)
                self.distance[t].append(moved)
                new_means[s], new_laws[s] = found[best]
            laws, means = new_laws, new_means

    def _mixed(
        self, t: int, s: int, a: int, laws: Floats, means: Floats, before: float, grid: float
    ) -> tuple[float, Floats]:
        """Return the mean and law of an action followed by the reference policy; points are ``grid`` apart."""
        law, mean = np.zeros(POINTS + 1), 0.0
        for o in self.model.outcomes(t, s, a):
            gain = o.units + o.share
            mean += o.prob * (gain + means[o.target])
            place = np.zeros(POINTS + 1) if grid == 0.0 else (gain + before * np.arange(POINTS + 1)) / grid
            cell = np.minimum(place.astype(np.int64), POINTS - 1)
            share = np.clip(place - cell, 0.0, 1.0)
            mass = o.prob * laws[o.target]
            law += np.bincount(cell, mass * (1 - share), POINTS + 1) + np.bincount(cell + 1, mass * share, POINTS + 1)
        return mean, law

    def remove(self, mask: Mask, low: Floats, high: Floats) -> None:
        """Bound backwards, in every cell, the least mean lost and the greatest move of kept continuations."""
        model = self.model
        n = model.n_states
        last = model.nodes[-1]
        regret, spread, pair_regret, pair_spread = ([np.zeros(last) for _ in range(n)] for _ in range(4))
        for t in range(model.horizon - 1, -1, -1):
            cells, near = np.arange(model.nodes[t]), model.left[t] <= 1
            least, most = _window(low, high, len(cells), model.left[t] + 1)
            after = (pair_regret, pair_spread) if near else (regret, spread)
            found = [self._actions(t, s, cells, near, *after) for s in range(n)]
            regret, spread = [], []
            for s, (lost, moved) in enumerate(found):
                kept = mask[t][s]
                gain = 0.5 * (most + least) * lost - 0.5 * (most - least) * moved
                worse = (least > 0) & (gain > 1e-9 * most * (np.abs(lost) + moved))
                for a in range(len(kept)):
                    if a != self.action[t][s]:
                        kept[a] &= ~(worse[a] & (kept.sum(axis=0) > 1))  # tables need one action in every cell
                one, other = self._extremes(kept, lost, moved)
                regret.append(one)
                spread.append(other)
            if not near:
                continue
            pair_regret, pair_spread = [], []
            for (lost, moved), kept in zip(found, mask[t], strict=True):
                either = kept.copy()
                either[:, :-1] |= kept[:, 1:]
                one, other = self._extremes(either, lost, moved)
                pair_regret.append(one)
                pair_spread.append(other)

    def _actions(
        self, t: int, s: int, cells: Ints, near: bool, regret: list[Floats], spread: list[Floats]
    ) -> tuple[Floats, Floats]:
        """Return loss and distance of every action and its continuation; ``near``: only this cell and the next
        count."""
        model, final = self.model, self.model.nodes[t + 1] - 1
        lost = np.tile(self.loss[t][s][:, None], (1, len(cells)))
        moved = np.tile(self.distance[t][s][:, None], (1, len(cells)))
        for a in range(len(lost)):
            model.tick()
            for o in model.outcomes(t, s, a):
                if near:
                    lost[a] += o.prob * regret[o.target][cells]
                    moved[a] += o.prob * spread[o.target][cells]
                    continue
                met = np.minimum(cells + o.units, final)
                other = met if o.whole else np.minimum(met + 1, final)
                if o.whole and met[0] > 0:
                    other = met.copy()
                    other[0] -= 1  # from y = 0 to a node, which belongs to the cell on its left
                lost[a] += o.prob * np.minimum(regret[o.target][met], regret[o.target][other])
                moved[a] += o.prob * np.maximum(spread[o.target][met], spread[o.target][other])
        return lost, moved

    def _extremes(self, kept: npt.NDArray[np.bool_], lost: Floats, moved: Floats) -> tuple[Floats, Floats]:
        """Return the least loss and the greatest distance over kept actions, moved outward by this step's rounding."""
        slip = (8 * self.model.terms + 64) * U
        least = np.where(kept, lost, np.inf).min(axis=0)
        most = np.where(kept, moved, -np.inf).max(axis=0)
        return least - slip * float(np.abs(lost).max()), most + slip * float(moved.max())


def _window(low: Floats, high: Floats, cells: int, width: int) -> tuple[Floats, Floats]:
    """Return the least and greatest slope over the ``width`` cells from each one on, as far as they exist."""
    missing = max(0, cells + width - len(low))
    views = [
        np.lib.stride_tricks.sliding_window_view(np.concatenate((x, np.full(missing, beyond))), width)[:cells]
        for x, beyond in ((low, np.inf), (high, -np.inf))
    ]
    return views[0].min(axis=1), np.maximum(views[1].max(axis=1), 0.0)
