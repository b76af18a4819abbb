r"""The grid of cumulative rewards, and the model in integers.

Every planner runs on one compiled :class:`Grid`: rewards are integer multiples of one ``unit``, step by step.  With
``eta=None`` the unit is the largest of which every step reward is a multiple, and nothing is lost.  With ``eta`` given,
the rewards of each step are rounded *up*, :math:`\phi(x) = \eta\lceil x/\eta\rceil`.  The same numbers have two
views:

* :meth:`Grid.joint`: outcomes ``(weight, next state, reward)`` over one denominator, for the exact algorithms;
* :meth:`Grid.floats`: compressed rows of floats, rewards shifted to start at 0, for the float kernels.

The learner's form (:mod:`verified_risk.learning.problem`) rounds with the same :class:`~.unit.Multiples`.  The
reader of certificates (:mod:`verified_risk.proving.reader`) deliberately builds its own, from their text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..law import Law
from ..mdp import MDP
from ..mdp.action import finite
from ..mdp.packed import Ints
from ..numbers.rational import Rational, as_step, lcm_of_denominators
from .unit import Multiples, own_unit

if TYPE_CHECKING:
    from .floats import FloatModel

Branch: TypeAlias = tuple[int, int, int]
"""``(weight, next state, reward in units)``."""


class TooManySums(Exception):
    """Raised if there are more sums of rewards than the caller allows."""


@dataclass(frozen=True)
class GridStep:
    """The rewards of one step, as rows of units and masses; action i has row ``row[i]``.

    In a product model a row is a law of rewards, which actions share; otherwise it is parallel to the outcomes of its
    action.
    """

    units: tuple[tuple[int, ...], ...]
    masses: tuple[tuple[Fraction, ...], ...]
    row: Ints
    loss: Fraction
    """The largest amount by which rounding up raised a reward of this step."""

    @cached_property
    def least(self) -> int:
        return min(min(row) for row in self.units)

    @cached_property
    def span(self) -> int:
        """The greatest reward less the least one."""
        return max(max(row) for row in self.units) - self.least


@dataclass(frozen=True)
class Grid:
    """A model on multiples of ``unit``; ``product`` says whether reward and next state are independent throughout."""

    mdp: MDP
    unit: Fraction
    product: bool
    steps: tuple[GridStep, ...]

    @cached_property
    def successors(self) -> tuple[tuple[tuple[int, Fraction], ...], ...]:
        """Pairs (next state, probability) of each action or, if ``product`` is False, of each of its outcomes."""
        return tuple(
            action.successors if self.product else tuple((s, p) for p, s, _ in action.outcomes)
            for _, _, action in self.mdp
        )

    @property
    def exact(self) -> bool:
        """Whether no reward was rounded."""
        return not any(step.loss for step in self.steps)

    @property
    def loss(self) -> Fraction:
        """A bound on what rounding up added to a return: at most ``horizon * eta``."""
        return sum((step.loss for step in self.steps), Fraction())

    def joint(self) -> GridModel:
        """Return joint outcomes as integer weights over one denominator."""
        distinct = {id(step): step for step in self.steps}
        outcomes = {
            key: [list(self._outcomes(step, i)) for i in range(len(step.row))] for key, step in distinct.items()
        }
        denominator = lcm_of_denominators(p for rows in outcomes.values() for row in rows for p, _, _ in row)
        counts = self.mdp.n_actions
        built = {}
        for key, rows in outcomes.items():
            merged = iter(
                [_merged((p.numerator * (denominator // p.denominator), s, j) for p, s, j in row) for row in rows]
            )
            built[key] = tuple(tuple(next(merged) for _ in range(count)) for count in counts)
        whole = lcm_of_denominators(p for _, p in self.mdp.initial)
        initial = tuple((s, p.numerator * (whole // p.denominator)) for s, p in self.mdp.initial)
        steps = tuple(built[id(step)] for step in self.steps)
        return GridModel(self.unit, denominator, initial, whole, steps)

    def _outcomes(self, step: GridStep, i: int) -> Iterator[tuple[Fraction, int, int]]:
        row = step.row[i]
        rewards = tuple(zip(step.units[row], step.masses[row], strict=True))
        if not self.product:
            yield from ((p, s, j) for (s, p), (j, _) in zip(self.successors[i], rewards, strict=True))
            return
        for s, p in self.successors[i]:
            yield from ((p * q, s, j) for j, q in rewards)

    def floats(self) -> FloatModel:
        """Return arrays of float64: probabilities rounded once to nearest, rewards shifted to start at 0."""
        from .floats import float_arrays

        return float_arrays(self)


@dataclass(frozen=True)
class GridModel:
    """An MDP over integers: ``steps[t][s][a]`` lists branches whose weights sum to ``denominator``."""

    unit: Fraction
    denominator: int
    initial: tuple[tuple[int, int], ...]
    initial_denominator: int
    steps: tuple[tuple[tuple[tuple[Branch, ...], ...], ...], ...]

    @property
    def horizon(self) -> int:
        return len(self.steps)

    def reachable(self, most: float = math.inf) -> list[dict[int, set[int]]]:
        """Return, for each ``t = 0..T``, the cumulative rewards that some policy reaches in each state.

        :raises TooManySums: if there are more than ``most`` in total
        """
        levels: list[dict[int, set[int]]] = [{s: {0} for s, _ in self.initial}]
        total = len(levels[0])
        for step in self.steps:
            following: dict[int, set[int]] = {}
            for s, sums in levels[-1].items():
                for target, j in {(target, j) for branches in step[s] for _, target, j in branches}:
                    found = following.setdefault(target, set())
                    total -= len(found)
                    found.update(y + j for y in sums)
                    total += len(found)
                    if total > most:
                        raise TooManySums
            levels.append(following)
        return levels

    def law(
        self, choice: Callable[[int, int, int], tuple[tuple[int, Fraction], ...]], unit: Fraction | None = None
    ) -> Law:
        """Return the law of the return, in the model's units or ``unit``, of a policy by step, state and sum so far."""
        *_, (level, total) = self.forward(choice)
        weights: dict[int, int] = {}
        for (_, i), mass in level.items():
            weights[i] = weights.get(i, 0) + mass
        return Law.of_integers(weights, unit=self.unit if unit is None else unit, total=total)

    def forward(
        self, choice: Callable[[int, int, int], tuple[tuple[int, Fraction], ...]]
    ) -> Iterator[tuple[dict[tuple[int, int], int], int]]:
        """Yield, for t = 0..T, the weights of every reachable ``(state, sum of units)``, and their denominator."""
        level, total = {(s, 0): w for s, w in self.initial}, self.initial_denominator
        yield level, total
        for t, step in enumerate(self.steps):
            choices = {(s, i): choice(t, s, i) for s, i in level}
            common = lcm_of_denominators(p for chosen in choices.values() for _, p in chosen)
            following: dict[tuple[int, int], int] = {}
            for (s, i), mass in level.items():
                for a, p in choices[s, i]:
                    share = mass * p.numerator * (common // p.denominator)
                    for w, target, j in step[s][a]:
                        following[target, i + j] = following.get((target, i + j), 0) + share * w
            level, total = following, total * common * self.denominator
            yield level, total


def compiled(mdp: MDP, eta: Rational | None = None) -> Grid:
    """Compile ``mdp`` on its own grid for ``eta=None``, otherwise rounded up to multiples of ``eta``."""
    unit = own_unit(mdp) if eta is None else as_step(eta)
    stationary = mdp.discount == 1
    if not mdp.is_discrete and not mdp.is_product and stationary:
        mdp = mdp.map_rewards(lambda r: r, lambda law: law.round_up(unit))
    rewards = _Rewards.of(mdp) if mdp.is_discrete else None
    steps = tuple(
        _continuous_step(mdp, t, unit) if rewards is None else rewards.step(mdp, t, unit)
        for t in range(1 if stationary else mdp.horizon)
    )
    return Grid(mdp, unit, mdp.is_product, steps * mdp.horizon if stationary else steps)


def grid_model(mdp: MDP, eta: Rational | None = None) -> GridModel:
    """Return the joint outcomes of ``mdp``, exact for ``eta=None``, rounded up to multiples of ``eta`` otherwise."""
    return compiled(mdp, eta).joint()


@dataclass(frozen=True)
class _Rewards:
    """The rewards of all actions as indices into the distinct ones, so that each is rounded once per step."""

    distinct: Multiples
    rows: tuple[tuple[int, ...], ...]
    masses: tuple[tuple[Fraction, ...], ...]
    row: Ints
    product: bool

    @classmethod
    def of(cls, mdp: MDP) -> _Rewards:
        distinct = Multiples.of(mdp.rewards)
        number = {(r.numerator, r.denominator): k for k, r in enumerate(mdp.rewards)}
        flat = mdp.flat
        if flat is not None:
            laws = [finite(law) for law in flat.laws]
            atoms, masses, row = [law.atoms for law in laws], tuple(law.masses for law in laws), flat.law
        else:
            outcomes = [action.outcomes for _, _, action in mdp]
            atoms, row = [tuple(r for _, _, r in own) for own in outcomes], np.arange(len(outcomes))
            masses = tuple(tuple(p for p, _, _ in own) for own in outcomes)
        rows = tuple(tuple(number[r.numerator, r.denominator] for r in own) for own in atoms)
        return cls(distinct, rows, masses, row, flat is not None)

    def step(self, mdp: MDP, t: int, unit: Fraction) -> GridStep:
        units, loss = self.distinct.rounded_up(mdp.step_reward(t, Fraction(1)), unit)
        rows = tuple(tuple(map(units.__getitem__, row)) for row in self.rows)
        if not self.product or len(set(units)) == len(units):
            return GridStep(rows, self.masses, self.row, loss)
        pairs = [_added_up(*pair) for pair in zip(rows, self.masses, strict=True)]
        return GridStep(tuple(row for row, _ in pairs), tuple(masses for _, masses in pairs), self.row, loss)


def _added_up(units: tuple[int, ...], masses: tuple[Fraction, ...]) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """Merge equal rewards of a law in units, which rounding may have created."""
    if len(set(units)) == len(units):
        return units, masses
    merged: dict[int, Fraction] = {}
    for j, q in zip(units, masses, strict=True):
        merged[j] = merged.get(j, Fraction()) + q
    return tuple(merged), tuple(merged.values())


def _continuous_step(mdp: MDP, t: int, unit: Fraction) -> GridStep:
    """Return a step of a product model with some continuous reward, which is rounded up from its CDF."""
    weight, loss, rows, flat = mdp.step_reward(t, Fraction(1)), Fraction(), [], mdp.flat
    if flat is None:
        finite(next(action.reward for _, _, action in mdp if not isinstance(action.reward, Law)))  # raises
    assert flat is not None
    for law in flat.laws:
        if not isinstance(law, Law):
            law, loss = law.round_up(unit / weight), unit
        units, raised = Multiples.of(law.atoms).rounded_up(weight, unit)
        loss = max(loss, raised)
        rows.append(_added_up(units, law.masses))
    return GridStep(tuple(units for units, _ in rows), tuple(masses for _, masses in rows), flat.law, loss)


def _merged(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """Merge branches with equal target and reward, which rounding may have created."""
    totals: dict[tuple[int, int], int] = {}
    for weight, s, j in branches:
        totals[s, j] = totals.get((s, j), 0) + weight
    return tuple((weight, s, j) for (s, j), weight in totals.items())
