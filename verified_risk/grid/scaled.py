r"""Discounted returns on a grid that becomes finer as rewards become smaller.

Rewards of step t are :math:`\gamma^t (r - \text{least})` in units of :math:`\delta_t = \eta\,2^{-h_t}`, ``h``
nondecreasing: an integer part ``units`` and a fraction ``share``, both exact before ``share`` becomes a float.  Nothing
is rounded up; budgets between two nodes are interpolated (:mod:`verified_risk.planning.tails.interpolated_tables`).

Among grids :math:`\delta_t = \eta\gamma^{\kappa t}` the tables have :math:`\sum_t \gamma^t/\delta_t` cells, and the
error of interpolation is about :math:`\sum_t \delta_t^2/\gamma^t` (a conditional law as wide as :math:`\gamma^t` has a
density of :math:`\gamma^{-t}`).  For a given number of cells it is least at :math:`\kappa = 2/3`.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..mdp import MDP
from ..mdp.action import finite
from ..mdp.packed import Floats, Ints, entry_places, starts

EXPONENT = Fraction(2, 3)
"""Exponent of the discount in the grid of step t; see the module."""


def halvings_of(discount: Fraction, horizon: int) -> tuple[int, ...]:
    """Return ``h_t``, the number of halvings of the grid by step t; any nondecreasing numbers are valid."""
    rate = float(EXPONENT) * math.log2(discount.denominator / discount.numerator)
    return tuple(math.floor(rate * t) for t in range(horizon))


@dataclass(frozen=True)
class ScaledStep:
    """The rewards of one step in units of its own grid."""

    units: Ints
    share: Floats
    """The fraction of a unit above ``units``, rounded to nearest."""
    span: int
    """An integer at least the greatest reward."""
    scale: float
    """The range of the rewards of the step, in units, rounded to nearest."""


@dataclass(frozen=True)
class ScaledModel:
    """``mdp`` with step-dependent grids; actions are concatenated as in :class:`~.floats.FloatModel`."""

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
    return ScaledStep(
        units.astype(np.int64)[number],
        (rest / whole).astype(np.float64)[number],
        math.ceil(width * scale),
        float(width * scale),
    )
