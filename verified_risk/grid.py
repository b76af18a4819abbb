r"""The model on a grid of returns: rewards are integer multiples of one ``unit``, step by step.

With ``eta=None`` the unit is the largest of which every step reward is a multiple, and nothing is lost.  With ``eta``
given, the rewards of each step are rounded *up*, :math:`\phi(x) = \eta\lceil x/\eta\rceil`.  A model is compiled once
(:func:`compiled`) and has two views of the same numbers:

* :meth:`Grid.joint`: outcomes ``(weight, next state, reward)`` over one denominator, for the exact algorithms;
* :meth:`Grid.floats`: compressed rows of floats, rewards shifted to start at 0, for the float kernels.  Probabilities
  are rounded once to the nearest float; models of the paper's product form keep successors and rewards apart, all
  others list joint outcomes.

A discounted model may instead have a grid that becomes finer as rewards become smaller (:class:`ScaledModel`).

The learner's form (:mod:`verified_risk.learning.problem`) rounds with the same :class:`Multiples`.  The
reader of certificates (:mod:`verified_risk.proving.reader`) deliberately builds its own, from their text.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from .law import Law, added_up
from .mdp import MDP
from .mdp.action import finite
from .mdp.packed import Floats, Ints, entry_places, starts
from .numbers.rational import Rational, as_step, ceil_div, gcd_of, lcm_of_denominators


def round_up_reward(r: Fraction, eta: Fraction) -> Fraction:
    r"""Return :math:`\phi(r) = \eta \lceil r / \eta \rceil`."""
    return ceil_div(r, eta) * eta


def common_unit(rewards: Sequence[Fraction], weights: Iterable[Fraction]) -> Fraction:
    """Return the largest unit of which every reward times every weight is a multiple; 1 if all of them are 0."""
    unit = gcd_of(rewards)  # that of the multiples of one weight is the multiple
    return gcd_of(w * unit for w in weights) or Fraction(1)


def own_unit(mdp: MDP) -> Fraction:
    """Return the largest unit of which every step reward is a multiple; 1 if all rewards are 0."""
    steps = range(mdp.horizon) if mdp.discount != 1 else range(1)
    return common_unit(mdp.rewards, (mdp.step_reward(t, Fraction(1)) for t in steps))


@dataclass(frozen=True)
class Multiples:
    """Rewards over one denominator, so that a step can be rounded up in integers.

    >>> Multiples.of([Fraction(1, 3), Fraction(1)]).rounded_up(Fraction(1), Fraction(1, 2))
    ((1, 2), Fraction(1, 6))
    """

    tops: tuple[int, ...]  # the rewards, over `whole`
    whole: int

    @classmethod
    def of(cls, rewards: Sequence[Fraction]) -> Multiples:
        whole = lcm_of_denominators(rewards)
        return cls(tuple(r.numerator * (whole // r.denominator) for r in rewards), whole)

    def rounded_up(self, weight: Fraction, unit: Fraction) -> tuple[tuple[int, ...], Fraction]:
        """Return ``ceil(weight * r / unit)`` for every reward r, and the largest amount by which that raised one."""
        ratio = weight / unit
        top, bottom = ratio.numerator, ratio.denominator * self.whole
        units = tuple(-(-n * top // bottom) for n in self.tops)
        return units, unit * Fraction(max(j * bottom - n * top for j, n in zip(units, self.tops, strict=True)), bottom)


# -- the model in integers ---------------------------------------------------------------------------------------------


Branch: TypeAlias = tuple[int, int, int]
"""``(weight, next state, reward in units)``."""


class TooManySums(Exception):
    """Raised if there are more sums of rewards than the caller allows."""


@dataclass(frozen=True)
class GridStep:
    """The rewards of one step, as rows of units and masses; action i has row ``row[i]``.  In a product model a row is a
    law of rewards, which actions share; otherwise it is parallel to the outcomes of its action."""

    units: tuple[tuple[int, ...], ...]
    masses: tuple[tuple[Fraction, ...], ...]
    row: Ints
    loss: Fraction  # the largest amount by which rounding up raised a reward of this step

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
        """True if no reward was rounded."""
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
                [added_up(((s, j), p.numerator * (denominator // p.denominator)) for p, s, j in row) for row in rows]
            )
            built[key] = tuple(
                tuple(tuple((w, s, j) for (s, j), w in next(merged).items()) for _ in range(count)) for count in counts
            )
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
        mdp, flat = self.mdp, self.mdp.flat
        if flat is not None:
            succ_start, succ_state, succ_prob = flat.succ_start, flat.succ_state, flat.succ_prob
        else:
            rows = self.successors
            succ_start = starts(len(row) for row in rows)
            succ_state = np.array([s for row in rows for s, _ in row], dtype=np.int64)
            succ_prob = np.array([p.numerator / p.denominator for row in rows for _, p in row])
        built = {id(step): step for step in self.steps}
        steps = {key: _step(step, succ_prob, product=self.product) for key, step in built.items()}
        return FloatModel(
            self.unit,
            mdp.n_states,
            self.product,
            starts(mdp.n_actions),
            succ_start,
            succ_state,
            succ_prob,
            tuple(steps[id(step)] for step in self.steps),
            np.array([s for s, _ in mdp.initial], dtype=np.int64),
            np.array([float(p) for _, p in mdp.initial]),
            self.exact,
        )


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
        weights = added_up((i, mass) for (_, i), mass in level.items())
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
    rounded_before = not mdp.is_discrete and not mdp.is_product and stationary
    if rounded_before:
        mdp = mdp.map_rewards(lambda r: r, lambda law: law.round_up(unit))
    rewards = _Rewards.of(mdp) if mdp.is_discrete else None
    steps = tuple(
        _continuous_step(mdp, t, unit) if rewards is None else rewards.step(mdp, t, unit)
        for t in range(1 if stationary else mdp.horizon)
    )
    if rounded_before:  # the steps do not see how far the continuous rewards were raised
        steps = tuple(replace(step, loss=unit) for step in steps)
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
    merged = added_up(zip(units, masses, strict=True))
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


# -- the model in floats -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """The rewards of one step; in product form ``start`` delimits actions, in joint form units are parallel to the
    successors."""

    units: Ints
    prob: Floats
    start: Ints
    least: int  # the amount subtracted from every reward of the step, in units
    span: int  # the greatest shifted reward
    shortfall: Floats  # per action, `E[span - R]` in units: nonnegative, computed in float64
    variance: Floats  # per action, the variance of the reward in units (product form only)
    loss: Fraction  # the largest amount by which rounding up raised a reward of this step


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
    exact: bool  # true if no reward was rounded

    @property
    def horizon(self) -> int:
        return len(self.steps)

    @cached_property
    def distinct(self) -> list[Step]:
        """The distinct steps; an undiscounted model has one."""
        return list({id(step): step for step in self.steps}.values())

    @cached_property
    def blocks(self) -> StepArrays:
        """The distinct steps, concatenated."""
        steps = self.distinct
        number = {id(step): k for k, step in enumerate(steps)}
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
        return terms + max(int(np.diff(step.start).max()) for step in self.distinct)

    @property
    def choice_type(self) -> type[np.signedinteger[Any]]:
        """The narrowest integer type that holds every action."""
        most = int(np.diff(self.action_start).max()) - 1
        return next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)

    @property
    def depth(self) -> int:
        """The successive roundings of a backward pass with a constant per action (theory 05, A2, the budget
        recursion)."""
        terms = max(int(np.diff(step.start).max()) for step in self.distinct)  # of the sum that makes up the constant
        return self.horizon * (self.branches + 4) + terms + 3

    def float_parts(self, amount: Fraction) -> tuple[tuple[str, Fraction], ...]:
        """Split ``amount``, lost to floating point, by what was rounded: each probability once, then every operation;
        bounds grow in proportion to the number of roundings."""
        probabilities = self.horizon * (2 if self.product else 1) + 1
        share = Fraction(probabilities, self.depth + len(self.initial_state) + 2)
        return (("probabilities rounded to float64", share * amount), ("float64 arithmetic", (1 - share) * amount))

    @property
    def loss(self) -> Fraction:
        """A bound on what rounding up added to a return: at most ``horizon * eta``."""
        return sum((step.loss for step in self.steps), Fraction())


def float_model(mdp: MDP, unit: Fraction) -> FloatModel:
    """Build ``mdp`` on multiples of ``unit``, with rewards rounded up."""
    return compiled(mdp, unit).floats()


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


# -- discounted returns on a grid that becomes finer -------------------------------------------------------------------


EXPONENT = Fraction(2, 3)  # exponent of the discount in the grid of step t; see the module


def halvings_of(discount: Fraction, horizon: int) -> tuple[int, ...]:
    """Return ``h_t``, the number of halvings of the grid by step t; any nondecreasing numbers are valid."""
    rate = float(EXPONENT) * math.log2(discount.denominator / discount.numerator)
    return tuple(math.floor(rate * t) for t in range(horizon))


@dataclass(frozen=True)
class ScaledStep:
    """The rewards of one step in units of its own grid."""

    units: Ints
    share: Floats  # the fraction of a unit above `units`, rounded to nearest
    span: int  # an integer at least the greatest reward
    scale: float  # the range of the rewards of the step, in units, rounded to nearest


@dataclass(frozen=True)
class ScaledModel:
    """``mdp`` with step-dependent grids; actions are concatenated as in :class:`FloatModel`."""

    mdp: MDP
    eta: Fraction
    halvings: tuple[int, ...]
    least: Fraction
    product: bool
    action_start: Ints
    succ_start: Ints
    succ_state: Ints
    succ_prob: Floats
    reward_start: Ints
    reward_prob: Floats
    steps: tuple[ScaledStep, ...]
    deficit: Floats
    """Per action, the greatest reward less the expected one, over the range of rewards, rounded to nearest."""

    @property
    def horizon(self) -> int:
        return len(self.steps)

    @property
    def n_states(self) -> int:
        return self.mdp.n_states

    def finer(self, t: int) -> int:
        """Return ``delta_{t-1} / delta_t``, the units of step t in one unit of the step before."""
        return 1 << (self.halvings[t] - self.halvings[t - 1]) if t else 1

    @cached_property
    def tops(self) -> list[tuple[int, int]]:
        """Return, per step, the node beyond which all is linear: in its own units, and in those of the step before."""
        found, after = [], 0
        for t in range(self.horizon - 1, -1, -1):
            own = after + self.steps[t].span
            after = -(-own // self.finer(t))
            found.append((own, after))
        return found[::-1]

    @cached_property
    def weights(self) -> Fraction:
        """The sum of ``discount**t``."""
        return sum((self.mdp.step_reward(t, Fraction(1)) for t in range(self.horizon)), Fraction())

    @property
    def offset(self) -> Fraction:
        """The difference between a return and its shifted form."""
        return self.least * self.weights

    @property
    def greatest(self) -> Fraction:
        """The greatest shifted return, in units of ``eta``, from the range of rewards alone."""
        return (self.mdp.reward_range[1] - self.least) * self.weights / self.eta

    @property
    def terms(self) -> int:
        """The greatest number of terms in one backup of one action."""
        terms = int(np.diff(self.succ_start).max())
        return terms + int(np.diff(self.reward_start).max()) if self.product else terms

    @property
    def cells(self) -> int:
        """The number of cells of all tables."""
        return self.n_states * sum(own + 1 for own, _ in self.tops)


def scaled_model(
    mdp: MDP, eta: Fraction, halvings: tuple[int, ...] | None = None, *, joint: bool = False
) -> ScaledModel:
    """Build a model with finite reward laws on grids of ``eta`` halved ``halvings[t]`` times, or as joint outcomes."""
    flat = None if joint else mdp.flat
    if flat is not None:
        succ_start, succ_state, succ_prob, row = flat.succ_start, flat.succ_state, flat.succ_prob, flat.law
        laws = [(law.atoms, law.masses) for law in map(finite, flat.laws)]
    else:
        outcomes = [action.outcomes for _, _, action in mdp]
        succ_start = starts(map(len, outcomes))
        succ_state = np.array([s for own in outcomes for _, s, _ in own], dtype=np.int64)
        succ_prob = np.array([p.numerator / p.denominator for own in outcomes for p, _, _ in own])
        laws = [(tuple(r for _, _, r in own), tuple(p for p, _, _ in own)) for own in outcomes]
        row = np.arange(len(outcomes))
    start = starts(len(atoms) for atoms, _ in laws)
    at = entry_places(start, row)
    least, most = mdp.reward_range
    known: dict[tuple[int, int], int] = {}
    atoms = [r for own, _ in laws for r in own]
    number = np.array([known.setdefault((r.numerator, r.denominator), len(known)) for r in atoms])[at]
    whole = math.lcm(least.denominator, *(bottom for _, bottom in known))
    zero, one = least.numerator * (whole // least.denominator), (most - least) * whole
    tops = np.array([top * (whole // bottom) - zero for top, bottom in known], dtype=object)
    halved = halvings_of(mdp.discount, mdp.horizon) if halvings is None else halvings
    scales = [mdp.step_reward(t, Fraction(1)) * 2**h / eta for t, h in enumerate(halved)]
    distinct = {scale: _scaled_step(scale, tops, whole, number, most - least) for scale in dict.fromkeys(scales)}
    steps = tuple(distinct[scale] for scale in scales)
    means = [own[0] if len(own) == 1 else sum(map(operator.mul, own, masses), Fraction()) for own, masses in laws]
    assert one.denominator == 1
    deficits = [
        (one.numerator - (mean.numerator * (whole // mean.denominator) - zero)) / (one.numerator or 1)
        if whole % mean.denominator == 0
        else float((most - mean) / (most - least or 1))
        for mean in means
    ]
    product = flat is not None
    return ScaledModel(
        mdp, eta, halved, least, product, starts(mdp.n_actions), succ_start, succ_state, succ_prob,
        starts(np.diff(start)[row]) if product else succ_start,
        np.array([q.numerator / q.denominator for _, masses in laws for q in masses])[at] if product else succ_prob,
        steps, np.array(deficits)[row],
    )  # fmt: skip


def _scaled_step(scale: Fraction, tops: Any, bottom: int, number: Any, width: Fraction) -> ScaledStep:
    """Build one step; ``tops[i] / bottom`` are the distinct rewards, as arrays of Python integers."""
    whole = scale.denominator * bottom
    scaled = tops * scale.numerator
    units = scaled // whole
    rest = scaled - units * whole
    share = (rest / whole).astype(np.float64)[number]
    return ScaledStep(units.astype(np.int64)[number], share, math.ceil(width * scale), float(width * scale))
