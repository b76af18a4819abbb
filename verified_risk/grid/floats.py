r"""The model as float64 arrays, the input of the kernels.

Step rewards are integers in units of ``unit`` (rounded up if ``eta`` is given, exact otherwise), shifted by the least
one of their step so that they start at 0.  Probabilities are rounded once to the nearest float.  The rows of all
actions are concatenated; models of the paper's product form keep successors and rewards apart, all others list joint
outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..mdp import MDP
from ..mdp.flat import starts
from ..mdp.packed import entry_places
from .compiled import Grid, GridStep, compiled

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Step:
    """The rewards of one step; in product form ``start`` delimits actions, in joint form units are parallel to the
    successors."""

    units: Ints
    prob: Floats
    start: Ints
    least: int
    """The amount subtracted from every reward of the step, in units."""
    span: int
    """The greatest shifted reward."""
    shortfall: Floats
    """Per action, ``E[span - R]`` in units: nonnegative, computed in float64."""
    variance: Floats
    """Per action, the variance of the reward in units (product form only)."""
    loss: Fraction
    """The largest amount by which rounding up raised a reward of this step."""


@dataclass(frozen=True)
class StepArrays:
    """The distinct steps, concatenated, with shorter rows padded with probability 0; step t is number ``block[t]``."""

    block: Ints
    span: Ints
    start: Ints
    units: Ints
    prob: Floats
    shortfall: Floats
    variance: Floats


def _stacked(rows: list[Any]) -> Any:
    width = max(len(row) for row in rows)
    return np.array([np.pad(row, (0, width - len(row))) for row in rows])


@dataclass(frozen=True)
class FloatModel:
    unit: Fraction
    n_states: int
    product: bool
    action_start: Ints
    succ_start: Ints
    succ_state: Ints
    succ_prob: Floats
    steps: tuple[Step, ...]
    initial_state: Ints
    initial_prob: Floats
    exact: bool
    """Whether no reward was rounded."""

    @property
    def horizon(self) -> int:
        return len(self.steps)

    @cached_property
    def blocks(self) -> StepArrays:
        """The distinct steps; an undiscounted model has one block."""
        distinct = {id(step): step for step in self.steps}
        number = {key: k for k, key in enumerate(distinct)}
        steps = list(distinct.values())
        return StepArrays(
            np.array([number[id(step)] for step in self.steps]),
            np.array([step.span for step in steps]),
            np.array([step.start for step in steps]),
            _stacked([step.units for step in steps]),
            _stacked([step.prob for step in steps]),
            np.array([step.shortfall for step in steps]),
            np.array([step.variance for step in steps]),
        )

    @cached_property
    def offsets(self) -> list[int]:
        """The offsets: before step t, the unshifted sum of units is the shifted one plus ``offsets[t]``."""
        return [0, *accumulate(step.least for step in self.steps)]

    @cached_property
    def remaining(self) -> list[int]:
        """``remaining[t]``, the greatest shifted sum that steps t, t+1, ... can add."""
        return [0, *accumulate(step.span for step in reversed(self.steps))][::-1]

    @cached_property
    def branches(self) -> int:
        """The greatest number of terms in one backup of one action."""
        terms = int(np.diff(self.succ_start).max())
        if not self.product:
            return terms
        distinct = {id(step): step for step in self.steps}.values()  # an undiscounted model repeats one step T times
        return terms + max(int(np.diff(step.start).max()) for step in distinct)

    @property
    def choice_type(self) -> type[np.signedinteger[Any]]:
        """The narrowest integer type that holds every action."""
        most = int(np.diff(self.action_start).max()) - 1
        return next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)

    @property
    def depth(self) -> int:
        """The successive roundings of a backward pass with a constant per action (theory 05, A2, the budget
        recursion)."""
        distinct = {id(step): step for step in self.steps}.values()
        terms = max(int(np.diff(step.start).max()) for step in distinct)  # of the sum that makes up the constant
        return self.horizon * (self.branches + 4) + terms + 3

    def float_parts(self, amount: Fraction) -> tuple[tuple[str, Fraction], ...]:
        """Split ``amount``, lost to floating point, by what was rounded: each probability once, then every operation;
        bounds grow in proportion to the number of roundings."""
        probabilities = self.horizon * (2 if self.product else 1) + 1
        share = Fraction(probabilities, self.depth + len(self.initial_state) + 2)
        return (
            ("probabilities rounded to float64", share * amount),
            ("float64 arithmetic", (1 - share) * amount),
        )

    @property
    def loss(self) -> Fraction:
        """A bound on what rounding up added to a return: at most ``horizon * eta``."""
        return sum((step.loss for step in self.steps), Fraction())


def float_model(mdp: MDP, unit: Fraction) -> FloatModel:
    """Build ``mdp`` on multiples of ``unit``, with rewards rounded up."""
    return compiled(mdp, unit).floats()


def float_arrays(grid: Grid) -> FloatModel:
    mdp, flat = grid.mdp, grid.mdp.flat
    if flat is not None:
        succ_start, succ_state, succ_prob = flat.succ_start, flat.succ_state, flat.succ_prob
    else:
        rows = grid.successors
        succ_start = starts(len(row) for row in rows)
        succ_state = np.array([s for row in rows for s, _ in row], dtype=np.int64)
        succ_prob = np.array([p.numerator / p.denominator for row in rows for _, p in row])
    built: dict[int, Step] = {}
    for step in grid.steps:
        if id(step) not in built:
            built[id(step)] = _step(step, succ_prob, product=grid.product)
    return FloatModel(
        grid.unit,
        mdp.n_states,
        grid.product,
        starts(mdp.n_actions),
        succ_start,
        succ_state,
        succ_prob,
        tuple(built[id(step)] for step in grid.steps),
        np.array([s for s, _ in mdp.initial], dtype=np.int64),
        np.array([float(p) for _, p in mdp.initial]),
        grid.exact,
    )


def _step(step: GridStep, succ_prob: Floats, *, product: bool) -> Step:
    """Build the arrays of the rows, then repeat them for the actions that share one."""
    start = starts(map(len, step.units))
    prob = np.array([q.numerator / q.denominator for row in step.masses for q in row]) if product else succ_prob
    least, span = step.least, step.span
    # rewards may be far from 0, but their range is not
    shifted = np.array([j - least for row in step.units for j in row], dtype=np.int64)
    mean = np.add.reduceat(prob * shifted, start[:-1])
    deviation = shifted - np.repeat(mean, np.diff(start))
    shortfall = np.add.reduceat(prob * (span - shifted), start[:-1])
    variance = np.add.reduceat(prob * deviation**2, start[:-1])
    if product:
        at = entry_places(start, step.row)
        shifted, prob, start = shifted[at], prob[at], starts(np.diff(start)[step.row])
        shortfall, variance = shortfall[step.row], variance[step.row]
    return Step(shifted, prob, start, least, span, shortfall, variance, step.loss)
