r"""The model on a grid of returns in numpy's ``longdouble``, for rechecks of large plans.

This module shares nothing with the planner's grid model, kernels or float laws: arrays are built here from the MDP,
rows of many states are moved at once, every budget and every reachable sum is visited, and the rounding bounds are its
own.  All numbers are nonnegative, so ``K`` successive roundings change a result by a factor between ``1 - K u`` and ``1
/ (1 - K u)``, u the roundoff of ``longdouble`` (docs/theory/05-certificates.md, A1, nonnegative expressions).

* :meth:`WideModel.shortfalls`: the least :math:`\mathbf E\,c(\rho - Z)` over all policies, for every rho
  (A2, the budget recursion).
* :meth:`WideModel.law`: the law of the return of one policy (A1, nonnegative expressions).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import InvalidPolicy
from ...grid.floats import Ints
from ...law import Law
from ...mdp import MDP, Action
from ...mdp.flat import starts
from ...numbers.rational import ceil_div
from ...policy import GridPolicy, Policy
from ...policy.packed_rule import ArrayRule
from ..clock import Tick, unlimited

Wide: TypeAlias = npt.NDArray[Any]
"""An array of ``np.longdouble``."""

ROUNDOFF = Fraction(1, 2 ** min(np.finfo(np.longdouble).nmant + 1, 64))
"""Unit roundoff of a ``longdouble``; at least that of 64 bits, since long rationals are read by their leading 62."""
UNDERFLOW = Fraction(2) ** (int(np.finfo(np.longdouble).minexp) + 128)
"""Exceeds the total underflow of a pass, including the factors that amplify it."""
PER_FACTOR = 6
"""Roundings of a probability (a quotient of rounded integers, or a sum of floats), of its product and its sum."""
BLOCK = 2**16
"""Numbers in the rows processed at once, few enough to stay in the cache."""


@dataclass(frozen=True)
class Pay:
    """The rewards of one step, in units above the least reward: a law per action, or one entry per outcome."""

    start: Ints
    units: Ints
    prob: Wide
    least: int
    span: int
    loss: Fraction
    """The largest amount by which rounding up raised a reward."""


class WideModel:
    """``mdp`` on multiples of ``eta``, with rewards rounded up; ``check`` is called for every block of rows."""

    def __init__(self, mdp: MDP, eta: Fraction, check: Tick = unlimited) -> None:
        raised, self.check = Fraction(), check
        if not mdp.is_discrete and mdp.discount == 1:
            mdp, raised = mdp.map_rewards(lambda r: r, lambda law: law.round_up(eta)), eta
        self.mdp, self.eta, self.product = mdp, eta, mdp.is_product
        actions = [action for _, _, action in mdp]
        rows = [a.successors if self.product else [(s, p) for p, s, _ in a.outcomes] for a in actions]
        self.first = starts(mdp.n_actions)
        self.start = starts(map(len, rows))
        self.state = np.array([s for row in rows for s, _ in row], dtype=np.int64)
        self.prob = wide([p for row in rows for _, p in row])
        self.initial = [s for s, _ in mdp.initial], wide([p for _, p in mdp.initial])
        if mdp.discount == 1:
            self.steps = [self._pay(0, actions, raised)] * mdp.horizon
        else:
            self.steps = [self._pay(t, actions, raised) for t in range(mdp.horizon)]

    def _pay(self, t: int, actions: list[Action], raised: Fraction) -> Pay:
        weight = self.mdp.step_reward(t, Fraction(1))
        if not self.product:
            rewards = [[r for _, _, r in action.outcomes] for action in actions]
            start, prob = self.start, self.prob
        else:
            laws = []
            for action in actions:
                law = action.reward
                if not isinstance(law, Law):
                    law, raised = law.round_up(self.eta / weight), self.eta
                laws.append(law)
            rewards = [list(law.atoms) for law in laws]
            start, prob = starts(map(len, rewards)), wide([q for law in laws for q in law.masses])
        known: dict[tuple[int, int], int] = {}
        number = np.array([known.setdefault((r.numerator, r.denominator), len(known)) for row in rewards for r in row])
        gains = [weight * Fraction(*key) for key in known]
        units = [ceil_div(gain, self.eta) for gain in gains]
        loss = max((j * self.eta - gain for j, gain in zip(units, gains, strict=True)), default=Fraction())
        least = min(units)
        shifted = np.array([j - least for j in units], dtype=np.int64)[number]
        return Pay(start, shifted, prob, least, max(units) - least, max(loss, raised))

    @property
    def n_states(self) -> int:
        return len(self.first) - 1

    @cached_property
    def offsets(self) -> list[int]:
        """The offsets: before step t, the sum of units is the shifted one plus ``offsets[t]``."""
        found = [0]
        for step in self.steps:
            found.append(found[-1] + step.least)
        return found

    @cached_property
    def top(self) -> int:
        """The greatest shifted return."""
        return sum(step.span for step in self.steps)

    @property
    def loss(self) -> Fraction:
        """A bound on what rounding up added to a return."""
        return sum((step.loss for step in self.steps), Fraction())

    def _terms(self, step: Pay) -> int:
        """Return the greatest number of terms in one backup of one action, counting each stage of a product."""
        return int(np.diff(self.start).max()) + (int(np.diff(step.start).max()) if self.product else 0)

    @property
    def work(self) -> int:
        """The multiplications of :meth:`shortfalls`."""
        total, reach = 0, 0
        for step in reversed(self.steps):
            reach += step.span
            total += (reach + 1) * (len(self.state) + (len(step.units) if self.product else 0))
        return total

    # -- the least shortfall over all policies ------------------------------------------------------------------------

    def shortfalls(
        self, kappa: Fraction, right: str, tick: Tick = unlimited, *, cost: Wide | None = None
    ) -> tuple[Wide, int]:
        r""":math:`\mathbf E_D W_0(S, \rho)` at rho = 0, ..., top, and the number of successive roundings.

        .. math:: W_t(s, b) = \min_a \{ \kappa\,\mathbf E[m_t - R] + \mathbf E\,W_{t+1}(S', b - R) \}

        with :math:`W_T(s, 0) = 0`, constant left of 0; right of the greatest remaining return it is ``"line"`` (slope
        1), ``"one"`` (the probability 1) or ``"flat"``.  ``cost`` replaces :math:`W_T` at budgets 0, 1, ...; its
        numbers are rounded as probabilities are, and there are as many more rho.
        """
        weight = wide([kappa])[0]
        table: Wide = np.zeros((self.n_states, 1), dtype=np.longdouble)
        if cost is not None:
            table = np.repeat(cost[None, :], self.n_states, axis=0)
        depth = len(self.initial[0]) + 2 * PER_FACTOR
        for step in reversed(self.steps):
            paid = weight * self._sum(step.start, np.arange(len(step.start) - 1), _missing(step))
            table = self._backup(step, _padded(table, step.span, right), paid)
            depth += self._terms(step) + 4 * PER_FACTOR
            tick()
        states, probs = self.initial
        return probs @ table[states], depth

    def _backup(self, step: Pay, padded: Wide, paid: Wide) -> Wide:
        """Back up one step: budget b less reward r is column ``span + b - r`` of ``padded``."""
        width = padded.shape[1] - step.span
        now: Wide = np.empty((self.n_states, width), dtype=np.longdouble)
        counts = np.diff(self.first)
        for states in _blocks(self.n_states, padded.shape[1]):
            for a in range(int(counts[states].max())):
                self.check()
                s = states[counts[states] > a]
                i = self.first[s] + a
                found = self._expected(step, i, padded, width) + paid[i][:, None]
                now[s] = found if a == 0 else np.minimum(now[s], found)
        return now

    def _expected(self, step: Pay, i: Ints, padded: Wide, width: int) -> Wide:
        if not self.product:
            windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=1)
            return self._sum(
                self.start, i, lambda _, j: self.prob[j][:, None] * windows[self.state[j], step.span - step.units[j]]
            )
        mixed = self._sum(self.start, i, lambda _, j: self.prob[j][:, None] * padded[self.state[j]])
        windows = np.lib.stride_tricks.sliding_window_view(mixed, width, axis=1)
        return self._sum(
            step.start, i, lambda rows, j: step.prob[j][:, None] * windows[rows, step.span - step.units[j]]
        )

    @staticmethod
    def _sum(start: Ints, rows: Ints, term: Callable[[Ints, Ints], Wide]) -> Wide:
        """Return, for each of ``rows``, the sequential sum of its terms ``start[row] .. start[row + 1]``."""
        counts = start[rows + 1] - start[rows]
        total = term(np.arange(len(rows)), start[rows])
        for k in range(1, int(counts.max())):
            here = np.flatnonzero(counts > k)
            total[here] += term(here, start[rows[here]] + k)
        return total

    # -- the law of a policy ------------------------------------------------------------------------------------------

    def law(self, policy: Policy, tick: Tick = unlimited) -> tuple[Wide, int]:
        """Return the probabilities of the shifted returns 0, ..., top, and the number of successive roundings."""
        states, probs = self.initial
        mass: Wide = np.zeros((self.n_states, 1), dtype=np.longdouble)
        mass[states, 0] = probs
        incoming = int(np.bincount(self.state).max())
        depth = self.n_states + PER_FACTOR
        for t, step in enumerate(self.steps):
            mass = self._forward(step, mass, _chooser(policy, self, t, mass.shape[1]))
            most = int(np.diff(step.start).max()) if self.product else 0
            depth += incoming + most + 4 * PER_FACTOR
            tick()
        return mass.sum(axis=0), depth

    def _forward(self, step: Pay, mass: Wide, chooser: Callable[[Ints, Ints], tuple[Ints, Ints, Wide]]) -> Wide:
        width = mass.shape[1] + step.span
        after: Wide = np.zeros(self.n_states * width, dtype=np.longdouble)
        states, sums = np.nonzero(mass)
        for first in range(0, len(states), BLOCK):
            self.check()
            s, y = states[first : first + BLOCK], sums[first : first + BLOCK]
            cell, action, share = chooser(s, y)
            m, y, i = mass[s[cell], y[cell]] * share, y[cell], self.first[s[cell]] + action
            if self.product:
                used, row = np.unique(i, return_inverse=True)
                paid: Wide = np.zeros(len(used) * width, dtype=np.longdouble)
                for here, j in each_term(step.start, i):
                    np.add.at(paid, row[here] * width + y[here] + step.units[j], step.prob[j] * m[here])
                met = np.flatnonzero(paid)
                m, y, i = paid[met], met % width, used[met // width]
            for here, j in each_term(self.start, i):
                column = y[here] if self.product else y[here] + step.units[j]
                np.add.at(after, self.state[j] * width + column, self.prob[j] * m[here])
        return after.reshape(self.n_states, width)


def _missing(step: Pay) -> Callable[[Ints, Ints], Wide]:
    """Return the terms of ``E[m - R]``."""
    return lambda _, j: step.prob[j] * (step.span - step.units[j])


def _padded(table: Wide, span: int, right: str) -> Wide:
    """Pad with ``span`` columns on both sides."""
    left = np.repeat(table[:, :1], span, axis=1)
    beyond = np.repeat(table[:, -1:], span, axis=1)
    if right == "line":
        beyond = beyond + np.arange(1, span + 1)
    elif right == "one":
        beyond = np.ones_like(beyond)
    return np.concatenate([left, table, beyond], axis=1)


def _blocks(count: int, width: int) -> Iterator[Ints]:
    size = max(1, BLOCK // width)
    for first in range(0, count, size):
        yield np.arange(first, min(first + size, count))


def each_term(start: Ints, rows: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for k = 0, 1, ..., the positions in ``rows`` of all rows with a k-th term, and those of the terms."""
    counts = start[rows + 1] - start[rows]
    for k in range(int(counts.max(initial=0))):
        here = np.flatnonzero(counts > k)
        yield here, start[rows[here]] + k


def _chooser(policy: Policy, model: WideModel, t: int, width: int) -> Callable[[Ints, Ints], tuple[Ints, Ints, Wide]]:
    """Return a function from cells (state, shifted sum) to positions of the cells, actions and probabilities.  A policy
    on the grid remembers the sum of units, any other the sum itself."""
    rule = policy.rule if isinstance(policy, GridPolicy) else None
    scale = 1 if isinstance(policy, GridPolicy) else model.eta
    most = np.diff(model.first)
    if isinstance(rule, ArrayRule) and list(rule.offsets[: t + 1]) == model.offsets[: t + 1]:
        table = np.asarray(rule.choices(t, width))

        def from_table(s: Ints, y: Ints) -> tuple[Ints, Ints, Wide]:
            actions = table[s, y].astype(np.int64)
            wrong = np.flatnonzero((actions < 0) | (actions >= most[s]))
            if len(wrong):
                k = wrong[0]
                raise InvalidPolicy(f"policy({t}, {s[k]}) plays {actions[k]}, state {s[k]} has 0..{most[s[k]] - 1}")
            return np.arange(len(s)), actions, np.ones(len(s), dtype=np.longdouble)

        return from_table

    def one_by_one(s: Ints, y: Ints) -> tuple[Ints, Ints, Wide]:
        found = [
            (k, a, p)
            for k, (state, z) in enumerate(zip(s.tolist(), y.tolist(), strict=True))
            for a, p in policy.choice(t, state, (z + model.offsets[t]) * scale)
        ]
        cells, actions, shares = zip(*found, strict=True)
        return np.array(cells), np.array(actions), wide(shares)

    return one_by_one


def wide(values: Any) -> Wide:
    """Convert nonnegative rationals to ``longdouble``: as a quotient of two integers, or a sum of two floats."""
    values = list(values)
    top, bottom = [x.numerator for x in values], [x.denominator for x in values]
    if max(max(top, default=0), max(bottom, default=0)) < 2**63:
        return np.array(top, dtype=np.int64).astype(np.longdouble) / np.array(bottom, dtype=np.int64)
    return np.array([_quotient(x) for x in values], dtype=np.longdouble)


def _quotient(x: Fraction) -> Any:
    """Compute a quotient from its 62 leading bits, which also works outside the range of floats."""
    if not x:
        return np.longdouble(0)
    shift = 63 - x.numerator.bit_length() + x.denominator.bit_length()
    whole = (x.numerator << shift) // x.denominator if shift >= 0 else x.numerator // (x.denominator << -shift)
    return np.ldexp(np.longdouble(whole >> 31) * 2**31 + np.longdouble(whole & (2**31 - 1)), -shift)


def exactly(x: Any) -> Fraction:
    """Return the rational equal to a finite longdouble."""
    part, exponent = np.frexp(x)
    total = Fraction()
    while part:
        total += Fraction(float(part))
        part = part - np.longdouble(float(part))
    return total * Fraction(2) ** int(exponent)


def below(x: Any, depth: int) -> Fraction:
    """Return a lower bound on the exact value, after ``depth`` successive roundings."""
    return max(Fraction(), exactly(x) * (1 - depth * ROUNDOFF) - UNDERFLOW)


def largest(scores: Wide, size: Any, depth: int) -> Ints:
    """Return the places where a score, minus ``depth`` roundings of numbers up to ``size``, may be largest: all others
    fall short of the largest score by more than those roundings and those of the scores."""
    return np.flatnonzero(~(scores < scores.max() - 4 * depth * np.longdouble(float(ROUNDOFF)) * size))


def above(x: Any, depth: int) -> Fraction:
    """Return an upper bound on the exact value."""
    return (exactly(x) + UNDERFLOW) / (1 - depth * ROUNDOFF)


def at_most(x: Fraction) -> Fraction:
    """Return ``x`` if it is short, otherwise a number of 160 bits below it: products of many factors are long."""
    if x.denominator.bit_length() <= 64:
        return x
    shift = 160 - x.numerator.bit_length() + x.denominator.bit_length()
    return Fraction(math.floor(x * Fraction(2) ** shift)) / Fraction(2) ** shift


def at_least(x: Fraction) -> Fraction:
    """Return ``x`` if it is short, otherwise a number of 160 bits above it."""
    return -at_most(-x)
