r"""The model in float64 arrays: what the kernels read.

Step rewards are integers in units of ``unit`` (rounded up where ``eta`` is given, exact otherwise), shifted by the
least one of their step so that they start at 0.  Probabilities are rounded once to the nearest float.  The rows of
all actions lie behind each other; models of the paper's product form keep successors and rewards apart, all others
list joint outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidArgument
from ..law import Law
from ..mdp import MDP, Action
from ..rational import Rational, as_step, ceil_div

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

LARGEST_GRID = 2**40


@dataclass(frozen=True)
class Step:
    """The rewards of one step; in product form ``start`` delimits actions, in joint form units go with the
    successors."""

    units: Ints
    prob: Floats
    start: Ints
    least: int
    """What was subtracted from every reward of the step, in units."""
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
    """The distinct steps behind each other, shorter rows padded with probability 0; step t is number ``block[t]``."""

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
    """No reward was rounded."""

    @property
    def horizon(self) -> int:
        return len(self.steps)

    @cached_property
    def blocks(self) -> StepArrays:
        """An undiscounted model has one step T times: one block."""
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
        """Before step t, the unshifted sum of units is the shifted one plus ``offsets[t]``."""
        return [0, *accumulate(step.least for step in self.steps)]

    @cached_property
    def remaining(self) -> list[int]:
        """``remaining[t]``: the greatest shifted sum that steps t, t+1, ... can add."""
        return [0, *accumulate(step.span for step in reversed(self.steps))][::-1]

    @cached_property
    def branches(self) -> int:
        """The greatest number of terms in one backup of one action."""
        terms = int(np.diff(self.succ_start).max())
        if not self.product:
            return terms
        distinct = {id(step): step for step in self.steps}.values()  # an undiscounted model has one step T times
        return terms + max(int(np.diff(step.start).max()) for step in distinct)

    @property
    def depth(self) -> int:
        """Roundings in a row of one whole backward pass (A2, with two more per step for a constant per action)."""
        return self.horizon * (self.branches + 5)

    def float_parts(self, amount: Fraction) -> tuple[tuple[str, Fraction], ...]:
        """``amount``, lost to floating point, by what was rounded: each probability on the way once, then every
        operation; bounds grow in proportion to the number of roundings (A1)."""
        probabilities = self.horizon * (2 if self.product else 1) + 1
        share = Fraction(probabilities, self.depth + len(self.initial_state) + 2)
        return (
            ("probabilities rounded to float64", share * amount),
            ("float64 arithmetic", (1 - share) * amount),
        )

    @property
    def loss(self) -> Fraction:
        """What rounding up can have added to a return: at most ``horizon * eta``."""
        return sum((step.loss for step in self.steps), Fraction())


def read_unit(mdp: MDP, eta: Rational | None) -> Fraction | None:
    """``eta`` as an exact positive number."""
    if eta is None:
        return None
    unit = as_step(eta)
    low, high = mdp.reward_range
    if (high - low) / unit * mdp.horizon > LARGEST_GRID or max(abs(low), abs(high)) / unit > LARGEST_GRID:
        raise InvalidArgument(f"eta is {eta}: the returns then need more than 2**40 grid points, wanted a larger eta")
    return unit


def float_model(mdp: MDP, unit: Fraction) -> FloatModel:
    """``mdp`` on multiples of ``unit``, rewards rounded up."""
    product = mdp.is_product
    n_actions = np.array(mdp.n_actions, dtype=np.int64)
    action_start = np.concatenate(([0], np.cumsum(n_actions)))
    rows: list[tuple[Action, Any]] = []
    states: list[int] = []
    probs: list[float] = []
    counts: list[int] = []
    for _, _, action in mdp:
        if product:
            pairs = action.successors
            states += [s for s, _ in pairs]
            probs += [p.numerator / p.denominator for _, p in pairs]
            counts.append(len(pairs))
            rows.append((action, None))
        else:
            triples = action.outcomes
            states += [s for _, s, _ in triples]
            probs += [p.numerator / p.denominator for p, _, _ in triples]
            counts.append(len(triples))
            rows.append((action, triples))
    succ_start = np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.int64))))
    succ_prob = np.array(probs)
    build = _product_step if product else _joint_step
    if mdp.discount == 1:
        steps = (build(mdp, 0, unit, rows, succ_start, succ_prob),) * mdp.horizon
    else:
        steps = tuple(build(mdp, t, unit, rows, succ_start, succ_prob) for t in range(mdp.horizon))
    return FloatModel(
        unit,
        mdp.n_states,
        product,
        action_start,
        succ_start,
        np.array(states, dtype=np.int64),
        succ_prob,
        steps,
        np.array([s for s, _ in mdp.initial], dtype=np.int64),
        np.array([float(p) for _, p in mdp.initial]),
        not any(step.loss for step in steps),
    )


class _Rounder:
    """Rewards of one step in units, with the largest amount by which one was raised."""

    def __init__(self, mdp: MDP, t: int, unit: Fraction) -> None:
        self.weight, self.unit = mdp.step_reward(t, Fraction(1)), unit
        self.loss = Fraction()
        self._seen: dict[tuple[int, int], int] = {}

    def __call__(self, r: Fraction) -> int:
        key = (r.numerator, r.denominator)
        j = self._seen.get(key)
        if j is None:
            gain = self.weight * r
            j = self._seen[key] = ceil_div(gain, self.unit)
            self.loss = max(self.loss, j * self.unit - gain)
        return j


def _product_step(mdp: MDP, t: int, unit: Fraction, rows: Any, succ_start: Ints, succ_prob: Floats) -> Step:
    rounded = _Rounder(mdp, t, unit)
    units: list[int] = []
    probs: list[float] = []
    counts: list[int] = []
    for action, _ in rows:
        law = action.reward
        if not isinstance(law, Law):
            rounded.loss = unit
            law = law.round_up(unit / rounded.weight)
        if len(law.atoms) == 1:
            units.append(rounded(law.atoms[0]))
            probs.append(1.0)
            counts.append(1)
            continue
        indices = [rounded(r) for r in law.atoms]
        masses = law.masses
        if len(set(indices)) < len(indices):  # rounding made rewards equal
            merged: dict[int, Fraction] = {}
            for j, q in zip(indices, masses, strict=True):
                merged[j] = merged.get(j, Fraction()) + q
            indices, masses = list(merged), tuple(merged.values())
        units += indices
        probs += [q.numerator / q.denominator for q in masses]
        counts.append(len(indices))
    start = np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.int64))))
    return _step(units, np.array(probs), start, rounded.loss)


def _joint_step(mdp: MDP, t: int, unit: Fraction, rows: Any, succ_start: Ints, succ_prob: Floats) -> Step:
    rounded = _Rounder(mdp, t, unit)
    units: list[int] = []
    for _, triples in rows:
        units += [rounded(r) for _, _, r in triples]
    return _step(units, succ_prob, succ_start, rounded.loss)


def _step(units: list[int], prob: Floats, start: Ints, loss: Fraction) -> Step:
    least = min(units)
    shifted = np.array([j - least for j in units], dtype=np.int64)  # rewards may be far from 0, their range is not
    span = int(shifted.max())
    mean = np.add.reduceat(prob * shifted, start[:-1])
    deviation = shifted - np.repeat(mean, np.diff(start))
    return Step(
        shifted,
        prob,
        start,
        least,
        span,
        np.add.reduceat(prob * (span - shifted), start[:-1]),
        np.add.reduceat(prob * deviation**2, start[:-1]),
        loss,
    )
