r"""Bounds on how far each action moves the mean and the law of the remaining return, against one reference policy.

Where slopes differ little, the mean decides (docs/theory/05-certificates.md, D4).

The reference policy maximises the mean, so the law of its remaining return depends only on step and state.  Laws are
kept on :data:`POINTS` points per step; mass between two points is split so as to preserve the mean, which moves a law
by at most half a grid step in the distance :math:`\int |F - F'|`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...grid.compiled import Floats
from ...grid.scaled import ScaledModel
from ..tails.interpolated_tables import mean_part

POINTS = 512
"""Points of each step's laws: a finer grid moves laws less, so losses rule out more, but takes longer."""
SAFE = 2.0**-30
"""Exceeds the rounding error of any loss or distance, as a share of the remaining range."""


@dataclass(frozen=True)
class Reference:
    """Per step and action, in grid units, relative to the policy ``action[t, s]``: ``loss`` is a lower bound on the
    mean lost by playing the action once, ``distance`` an upper bound on how far that moves the law."""

    action: npt.NDArray[Any]
    loss: Floats
    distance: Floats


def reference(model: ScaledModel) -> Reference:
    """Compute the reference backwards over steps, on grids that shrink with the remaining range."""
    action = mean_part(model).action.astype(np.int64)
    n, horizon, actions = model.n_states, model.horizon, len(model.succ_start) - 1
    loss, distance = np.zeros((horizon, actions)), np.zeros((horizon, actions))
    laws, means, off = np.zeros((n, POINTS + 1)), np.zeros(n), 0.0
    laws[:, 0] = 1.0
    width = 0.0
    owner = np.repeat(np.arange(n), np.diff(model.action_start))
    for t in range(horizon - 1, -1, -1):
        step = model.steps[t]
        after, width = width, (width + step.scale) * (1 + 1e-12)
        grid = width / POINTS
        gains = step.units + step.share
        mixed = np.zeros((actions, POINTS + 1))
        mean = np.zeros(actions)
        for i in range(actions):
            first, last = model.succ_start[i], model.succ_start[i + 1]
            for o in range(first, last):
                s, p = model.succ_state[o], model.succ_prob[o]
                _add(mixed[i], laws[s], gains[o] / grid, after / POINTS / grid, p)
                mean[i] += p * (gains[o] + means[s])
        chosen = model.action_start[:-1] + action[t]
        cdf = np.cumsum(mixed, axis=1)
        off += 0.5 * grid
        loss[t] = mean[chosen][owner] - mean - SAFE * width
        distance[t] = np.abs(cdf - cdf[chosen][owner]).sum(axis=1) * grid + 2 * off + SAFE * width
        loss[t, chosen], distance[t, chosen] = 0.0, 0.0
        laws, means = mixed[chosen], mean[chosen]
    return Reference(action, loss, distance)


def _add(out: Floats, law: Floats, start: float, step: float, weight: float) -> None:
    """Add ``weight`` times a law on points ``start, start + step, ...`` to one on 0, 1, ..., splitting mass in
    between."""
    used = np.flatnonzero(law)
    place = start + step * used
    cell = np.minimum(place.astype(np.int64), len(out) - 2)
    share = np.clip(place - cell, 0.0, 1.0)
    mass = weight * law[used]
    np.add.at(out, cell, mass * (1.0 - share))
    np.add.at(out, cell + 1, mass * share)
