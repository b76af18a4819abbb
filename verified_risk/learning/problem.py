"""The learner's own form of a problem: rewards in [0, 1], returns in integer units.

Rewards are rescaled, ``r = low + range * r'``, which every objective follows, and put on a grid: step t pays
``units[t][i]`` units for reward atom i.  With ``eta=None`` the unit is the largest one on which all step rewards lie
and nothing is lost; with ``eta`` they are rounded up, which costs at most ``T * eta`` in every objective (theory, page
8, eta-learning).

A pair (state, action) has *outcomes* ``(atom, next state)`` and, independent of them, a *reward* atom; a step pays the
units of both.  In a product model (reward independent of the next state) every outcome has atom 0, which pays
nothing.  In a joint model the reward belongs to the outcome, and the independent reward is always atom 0.

Unit and rounding are those of the planners' grid (:mod:`verified_risk.grid`).  Its compiled
:class:`~verified_risk.grid.Grid` is not used: it adds up rewards of an action that rounding made equal, while
confidence sets count observed rewards separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..errors import InvalidArgument, Unsupported
from ..grid import Multiples, common_unit
from ..law import Law, added_up
from ..mdp import MDP, Action
from ..numbers.rational import Rational, as_step, said

MOST_UNITS = 100_000  # the largest number of units of a return
MOST_DIGITS = 200  # the largest decimal exponent of a return and of one over the range of the rewards; floats have 308


@dataclass(frozen=True)
class Pair:
    """One state with one of its actions: ``(atom, next state, probability)`` of its outcomes, ``(atom, probability)``
    of its independent reward."""

    outcomes: tuple[tuple[int, int, Fraction], ...]
    rewards: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Standard:
    """A problem in the learner's form (see the module)."""

    horizon: int
    discount: Fraction
    low: Fraction
    range: Fraction
    unit: Fraction
    atoms: tuple[Fraction, ...]
    units: tuple[tuple[int, ...], ...]
    exact: bool
    joint: bool
    initial: tuple[tuple[int, Fraction], ...]
    pairs: tuple[tuple[Pair, ...], ...]
    free_steps: int = 0
    """Steps of weight 0 before the first of the user's: 1 where the initial law is unknown."""

    @property
    def n_states(self) -> int:
        return len(self.pairs)

    @cached_property
    def n_actions(self) -> tuple[int, ...]:
        return tuple(len(actions) for actions in self.pairs)

    @property
    def steps(self) -> int:
        """The user's steps."""
        return self.horizon - self.free_steps

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The most units that steps ``t..T-1`` can pay."""
        tops = [0]
        for row in reversed(self.units):
            tops.append(tops[-1] + row[-1])
        return tuple(tops[::-1])

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The most units that steps ``0..t-1`` can have paid."""
        return tuple(self.top[0] - top for top in self.top)

    @property
    def offset(self) -> Fraction:
        """The difference of the user's return and ``range * unit * units``."""
        return self.low * sum((self.discount**t for t in range(self.steps)), Fraction())

    def value(self, units: Fraction) -> Fraction:
        """Convert a return or an objective from units to the user's units."""
        return self.offset + self.range * self.unit * units

    @property
    def rounding(self) -> Fraction:
        """A bound on what rounding rewards changes in an objective, in the user's units: 0 or ``T * eta``."""
        return Fraction() if self.exact else self.range * self.unit * self.steps


def standard_form(mdp: MDP, eta: Rational | None = None) -> Standard:
    """Return the learner's form of ``mdp``; ``eta`` is in the user's units.

    Raises :class:`InvalidArgument` if ``eta`` does not divide the range of the rewards, if continuous rewards have no
    ``eta``, and if returns have more than ``MOST_UNITS`` units; :class:`Unsupported` for continuous rewards with a
    discount.
    """
    low, high = mdp.reward_range
    spread = high - low if high > low else Fraction(1)
    check_floats(low, high, mdp.horizon)
    step = None if eta is None else read_eta(eta, spread)
    if step is None and not mdp.is_discrete:
        raise InvalidArgument(
            "rewards are continuous and have no grid of their own: pass eta=, a step that divides their range"
        )
    if not mdp.is_discrete and mdp.discount != 1:
        raise Unsupported("continuous rewards with a discount have no common grid for all steps", instead="discount 1")
    laws = {(s, a): _rescaled(action, low, spread, step) for s, a, action in mdp}
    atoms = tuple(sorted({Fraction(0), Fraction(1)}.union(*(set(law.atoms) for law in laws.values()))))
    number = {r: i for i, r in enumerate(atoms)}
    joint = not mdp.is_product

    def pair(s: int, a: int, action: Action) -> Pair:
        if not joint:
            successors = tuple((0, target, p) for target, p in action.successors)
            return Pair(successors, tuple((number[r], p) for r, p in laws[s, a]))
        total = added_up(((target, number[(r - low) / spread]), p) for p, target, r in action.outcomes)
        return Pair(tuple((atom, target, p) for (target, atom), p in sorted(total.items())), ((0, Fraction(1)),))

    pairs = tuple(tuple(pair(s, a, x) for a, x in enumerate(mdp.actions(s))) for s in range(mdp.n_states))
    weights = [mdp.discount**t for t in range(mdp.horizon)]
    unit = step or common_unit(atoms, weights)
    rewards = Multiples.of(atoms)
    rounded = [rewards.rounded_up(w, unit) for w in weights]
    units = tuple(row for row, _ in rounded)
    total = sum(row[-1] for row in units)
    if total > MOST_UNITS:
        raise InvalidArgument(
            f"the returns of this model lie on a grid of {total + 1} points (unit {spread * unit}): "
            "pass eta=, a coarser step"
        )
    exact = mdp.is_discrete and not any(loss for _, loss in rounded)
    return Standard(
        len(weights), mdp.discount, low, spread, unit, atoms, units, exact, joint, tuple(mdp.initial), pairs
    )


def check_floats(low: Fraction, high: Fraction, steps: int) -> None:
    """Raise :class:`InvalidArgument` for rewards whose returns or differences are beyond floats."""
    if max(abs(low), abs(high)) * steps > 10**MOST_DIGITS or 0 < high - low < Fraction(1, 10**MOST_DIGITS):
        raise InvalidArgument(
            f"rewards range from {said(low)} to {said(high)} in {steps} steps, wanted returns of at most "
            f"1e{MOST_DIGITS} and a range of at least 1e-{MOST_DIGITS}: regret is computed in floats"
        )


def read_eta(eta: Rational, spread: Fraction) -> Fraction:
    """Return the grid step for rewards in [0, 1]; raise :class:`InvalidArgument` if it does not divide 1."""
    step = as_step(eta)
    parts = spread / step
    if parts.denominator != 1:
        n = max(1, round(parts))
        raise InvalidArgument(
            f"eta is {step}, wanted a step that divides the range of the rewards, {spread}, evenly; {spread / n} does"
        )
    return step / spread


def _rescaled(action: Action, low: Fraction, spread: Fraction, step: Fraction | None) -> Law:
    """Return the law of ``(r - low) / spread``; a continuous r is rounded up to a grid of that step first."""
    law = action.reward
    if not isinstance(law, Law):
        assert step is not None
        law = law.round_up(step * spread, low)
    return Law.of_weights({(r - low) / spread: p for r, p in law})
