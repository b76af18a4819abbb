"""The model in integers as compressed arrays, the input of the exact kernels."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..mdp.flat import starts
from ..numbers.rational import lcm_of_denominators
from .compiled import Grid
from .floats import Ints


@dataclass(frozen=True)
class IntegerModel:
    """An integer model: probabilities over ``succ_total`` (and ``reward_total``), rewards shifted to start at 0."""

    unit: Fraction
    two_stages: bool
    action_start: Ints
    succ_start: Ints
    succ_state: Ints
    succ_weight: list[int]
    succ_total: int
    reward_start: Ints
    reward_weight: list[int]
    reward_total: int
    units: list[Ints]
    """Per step, parallel to the successors or, in a product model, to the rewards."""
    least: list[int]
    spans: list[int]

    @property
    def step_total(self) -> int:
        return self.succ_total * self.reward_total


def integer_arrays(grid: Grid) -> IntegerModel:
    """Build the arrays; rewards must lie on the grid, since rounding may merge rewards at some steps only.  Raise
    OverflowError for a reward of 2**63 units or more."""
    row = grid.steps[0].row.tolist()
    laws = [grid.steps[0].masses[k] for k in row] if grid.product else [()] * len(row)
    succ_total = lcm_of_denominators(p for row in grid.successors for _, p in row)
    reward_total = lcm_of_denominators(q for law in laws for q in law)
    units: dict[int, Ints] = {}
    for step in grid.steps:
        if id(step) not in units:
            units[id(step)] = np.array([j - step.least for k in row for j in step.units[k]], dtype=np.int64)
    return IntegerModel(
        grid.unit,
        grid.product,
        starts(grid.mdp.n_actions),
        starts(len(row) for row in grid.successors),
        np.array([s for row in grid.successors for s, _ in row], dtype=np.int64),
        [p.numerator * (succ_total // p.denominator) for row in grid.successors for _, p in row],
        succ_total,
        starts(len(law) for law in laws),
        [q.numerator * (reward_total // q.denominator) for law in laws for q in law],
        reward_total,
        [units[id(step)] for step in grid.steps],
        [step.least for step in grid.steps],
        [step.span for step in grid.steps],
    )
