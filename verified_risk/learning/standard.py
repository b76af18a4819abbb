r"""The learner's own form of a problem: rewards in [0, 1], reward and next state independent, returns in integer units.

Three exact steps lead from the user's model to it.

1. *Rescaling.*  With :math:`r = \text{low} + \text{range} \cdot r'`, the return is
   ``range * Z' + low * sum_t discount^t``, and every objective here follows:
   :math:`\Phi(aZ + b) = a\,\Phi(Z) + b` for a > 0.
2. *Product form.*  Where the reward depends on the next state, it is carried along and paid one step later: the
   states become pairs (state, reward to be paid), the horizon grows by one, and the law of the return of every
   policy is unchanged.
3. *Grid.*  Step t pays ``units[t][i]`` units for reward atom i.  With ``eta=None`` the unit is the largest one on
   which all step rewards lie and nothing is lost; with ``eta`` they are rounded up, which costs at most ``T * eta``
   in every objective.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..errors import InvalidArgument, Unsupported
from ..law import Law
from ..mdp import MDP, Action
from ..rational import Rational, as_step, ceil_div, gcd_of
from ..rewards import ContinuousReward

MOST_UNITS = 100_000
"""The longest grid of returns that is built without being asked for."""


@dataclass(frozen=True)
class Pair:
    """One state with one of its actions: where it leads, and the probabilities of the reward atoms that can occur."""

    successors: tuple[tuple[int, Fraction], ...]
    rewards: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Standard:
    """See the module.  ``names[s]`` is (the user's state, the atom to be paid), atom -1 in a product model."""

    horizon: int
    discount: Fraction
    low: Fraction
    range: Fraction
    unit: Fraction
    atoms: tuple[Fraction, ...]
    units: tuple[tuple[int, ...], ...]
    exact: bool
    names: tuple[tuple[int, int], ...]
    initial: tuple[tuple[int, Fraction], ...]
    pairs: tuple[tuple[Pair, ...], ...]

    @property
    def n_states(self) -> int:
        return len(self.names)

    @cached_property
    def n_actions(self) -> tuple[int, ...]:
        return tuple(len(actions) for actions in self.pairs)

    @property
    def carries_rewards(self) -> bool:
        """Whether step 2 of the module was needed."""
        return self.names[0][1] >= 0

    @cached_property
    def index(self) -> dict[tuple[int, int], int]:
        return {name: s for s, name in enumerate(self.names)}

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
        """What the user's return has beyond ``range * unit * units``."""
        steps = self.horizon - self.carries_rewards
        return self.low * sum((self.discount**t for t in range(steps)), Fraction())

    def value(self, units: Fraction) -> Fraction:
        """A return or an objective in units, in the user's units."""
        return self.offset + self.range * self.unit * units

    @property
    def rounding(self) -> Fraction:
        """How far an objective can be from the user's model, in the user's units: 0 if exact, else ``T * eta``."""
        return Fraction() if self.exact else self.range * self.unit * (self.horizon - self.carries_rewards)


def standard_form(mdp: MDP, eta: Rational | None = None) -> Standard:
    """The learner's form of ``mdp``; ``eta`` is in the user's units and must divide the range of the rewards evenly."""
    low, high = mdp.reward_range
    spread = high - low if high > low else Fraction(1)
    step = None if eta is None else read_eta(eta, spread)
    if step is None and not mdp.is_discrete:
        raise InvalidArgument(
            "rewards are continuous and have no grid of their own: pass eta=, a step that divides their range"
        )
    if not mdp.is_discrete and mdp.discount != 1:
        raise Unsupported(
            "continuous rewards with a discount have no grid that serves every step", instead="discount 1"
        )
    laws = {(s, a): _rescaled(action, low, spread, step) for s, a, action in mdp}
    atoms = tuple(sorted({Fraction(0), Fraction(1)}.union(*(set(law.atoms) for law in laws.values()))))
    number = {r: i for i, r in enumerate(atoms)}
    if mdp.is_product:
        names = tuple((s, -1) for s in range(mdp.n_states))
        pairs = tuple(
            tuple(
                Pair(action.successors, tuple((number[r], p) for r, p in laws[s, a]))
                for a, action in enumerate(mdp.actions(s))
            )
            for s in range(mdp.n_states)
        )
        initial, delay = mdp.initial, 0
    else:
        names, pairs, initial = _carrying_rewards(mdp, lambda r: number[(r - low) / spread])
        delay = 1
    weights = [Fraction(0)] * delay + [mdp.discount**t for t in range(mdp.horizon)]
    worth = [[w * r for r in atoms] for w in weights]
    unit = step or gcd_of(x for row in worth for x in row)
    total = sum(ceil_div(row[-1], unit) for row in worth)
    if total > MOST_UNITS:
        raise InvalidArgument(
            f"the returns of this model lie on a grid of {total + 1} points (unit {spread * unit}): "
            "pass eta=, a coarser step"
        )
    units = tuple(tuple(ceil_div(x, unit) for x in row) for row in worth)
    exact = mdp.is_discrete and all(
        i * unit == x for row, counts in zip(worth, units, strict=True) for x, i in zip(row, counts, strict=True)
    )
    return Standard(
        len(weights), mdp.discount, low, spread, unit, atoms, units, exact, names, tuple(initial), pairs
    )  # fmt: skip


def read_eta(eta: Rational, spread: Fraction) -> Fraction:
    """The grid step for rewards in [0, 1]; an error if it does not divide 1."""
    step = as_step(eta)
    parts = spread / step
    if parts.denominator != 1:
        n = max(1, round(parts))
        raise InvalidArgument(
            f"eta is {step}, wanted a step that divides the range of the rewards, {spread}, evenly; {spread / n} does"
        )
    return step / spread


def _rescaled(action: Action, low: Fraction, spread: Fraction, step: Fraction | None) -> Law:
    law = action.reward
    if isinstance(law, Law):
        return Law.of_weights({(r - low) / spread: p for r, p in law})
    assert step is not None
    return _rounded_up(law, low, spread, step)


def _rounded_up(law: ContinuousReward, low: Fraction, spread: Fraction, step: Fraction) -> Law:
    """The law of the rescaled reward, rounded up to the grid."""
    weights: dict[Fraction, Fraction] = {}
    below = Fraction()
    for i in range(int(1 / step) + 1):
        here = law.cdf(low + i * step * spread)
        weights[i * step], below = here - below, here
    return Law.of_weights(weights)


def _carrying_rewards(
    mdp: MDP, atom_of: Callable[[Fraction], int]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[Pair, ...], ...], tuple[tuple[int, Fraction], ...]]:
    """States (s, atom to be paid): whatever (s', r) can follow, and (s, 0) at the start."""
    zero = 0  # the first atom is the reward 0 after rescaling; it is worth nothing at the first step anyway
    found = {(s, zero) for s, _ in mdp.initial}
    found.update((s, atom_of(r)) for _, _, action in mdp for _, s, r in action.outcomes)
    names = tuple(sorted(found))
    index = {name: i for i, name in enumerate(names)}

    def pair(atom: int, action: Action) -> Pair:
        targets: dict[int, Fraction] = {}
        for p, s, r in action.outcomes:
            target = index[s, atom_of(r)]
            targets[target] = targets.get(target, Fraction()) + p
        return Pair(tuple(sorted(targets.items())), ((atom, Fraction(1)),))

    pairs = tuple(tuple(pair(atom, action) for action in mdp.actions(s)) for s, atom in names)
    return names, pairs, tuple((index[s, zero], p) for s, p in mdp.initial)
