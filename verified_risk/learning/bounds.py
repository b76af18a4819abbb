r"""The regret theorem as numbers, rounded outward.

With :math:`\ell = \log((S_0 + 2) S_0 |A| K T / \delta)` and :math:`\epsilon = \sqrt{\ell / 2N}`, for concave
``L``-Lipschitz ``G``:

.. math:: (i)\quad \mathbf E\,\mathrm{Reg} \le L \bigl[c \sqrt{2 S_0 |A| K T \ell} + T^2 S_0 |A|\bigr] + \delta K T,
          \qquad c = (T-1) S_0 + 2,

.. math:: (ii)\quad \mathrm{Reg} \le \tfrac{e}{e-1} L \bigl[c \sqrt{2 S_0 |A| K T \ell} + T^2 S_0 |A| +
          \tfrac{T(T+1)}{2} \log \tfrac1\delta\bigr] \text{ with probability at least } 1 - 2\delta .

Both hold after every episode k with k in place of K outside the logarithm; (ii) for all k at once, because its
martingale step is a supermartingale: :math:`E[e^{-Y/B}] \le 1 - (1 - 1/e) E[Y]/B \le e^{-(1 - 1/e) E[Y]/B}` for
:math:`0 \le Y \le B`.

For any other Lipschitz ``G`` with m known reward atoms the closeness step costs total variation: a step pays at most
:math:`T L (\mathrm{TV}(\hat P, P) + \mathrm{TV}(\hat R, R))`, where :math:`\mathrm{TV}(\hat P, P) \le S_0 \epsilon` and
:math:`\mathrm{TV}(\hat R, R) \le \epsilon + \mathrm{TV}(\tilde R, R) \le (1 + \sqrt{m+1})\,\epsilon` (Weissman's
inequality, one more event: ``S_0 + 3`` in the logarithm).  So :math:`c = T (S_0 + 1 + \sqrt{m+1})`, a visit costs at
most ``2T``, an episode at most :math:`2T^2`.

A discount only helps: step t pays ``discount^t r`` in [0, 1], its optimistic law is the same transformation of the
same law, and every step of the proof holds with the smaller remaining returns.  Where rewards are carried (see
:mod:`.standard`), S_0 and T are those of the carrying model.

A planner that misses the optimistic optimum by ``w_k`` in episode k adds the sum of the ``w_k``; rounding rewards up
to a grid adds ``T * eta`` per episode.  Radii scaled by ``x >= 1`` multiply the square-root term by x; below 1 there
is no theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..enclosure import Interval, ball, enclose

Floats = NDArray[np.float64]


def up(x: Fraction | Interval) -> float:
    """A float at least ``x``."""
    exact = x.upper if isinstance(x, Interval) else x
    rounded = float(exact)
    return rounded if Fraction(rounded) >= exact else math.nextafter(rounded, math.inf)


def down(x: Fraction | Interval) -> float:
    """A float at most ``x``."""
    return -up(-x)


@dataclass(frozen=True)
class Problem:
    """What the theorem counts: ``states`` is S_0, ``actions`` the largest number of actions of a state."""

    states: int
    actions: int
    horizon: int
    episodes: int
    delta: Fraction
    concave: bool = True
    atoms: int = 0

    @property
    def events(self) -> int:
        """How many inequalities each pair needs at each count.

        Two are for DKW, S_0 for the transitions, and one for Weissman where G is not concave.
        """
        return self.states + (2 if self.concave else 3)

    def log_term(self) -> Interval:
        r""":math:`\ell`, enclosed."""
        inside = Fraction(self.events * self.states * self.actions * self.episodes * self.horizon) / self.delta
        return enclose(lambda arb: ball(inside, arb).log())

    def printed_log_term(self) -> Interval:
        r"""The paper's :math:`\log(6 |S| |A| K / \delta)`, :math:`|S| = S_0 + 1`."""
        inside = Fraction(6 * (self.states + 1) * self.actions * self.episodes) / self.delta
        return enclose(lambda arb: ball(inside, arb).log())


@dataclass(frozen=True)
class RegretBound:
    """``Reg_k <= root * sqrt(k) + constant + linear * k``, coefficients rounded up."""

    root: float
    constant: float
    linear: float

    def at(self, k: Floats) -> Floats:
        # Three roundings of nonnegative terms: one part in 2^50 covers them.
        return (self.root * np.sqrt(k) + self.constant + self.linear * k) * (1 + 2.0**-50)


def regret_bounds(
    problem: Problem, lipschitz: Fraction, *, scale: Fraction = Fraction(1)
) -> tuple[RegretBound, RegretBound]:
    """Theorem (i), in expectation, and (ii), with probability ``1 - 2 delta``, for rewards in [0, 1].

    ``scale`` multiplies the radii; the bounds are proved for ``scale >= 1`` and computed for 1 below that, for
    comparison.
    """
    T, S0, A = problem.horizon, problem.states, problem.actions
    stretch = max(scale, Fraction(1)) * (1 + Fraction(1, 2**48))  # the learner's radii are floats rounded up

    def coefficient(arb: Any) -> Any:
        if problem.concave:
            return arb((T - 1) * S0 + 2)
        return T * (S0 + 1 + arb(problem.atoms + 1).sqrt())

    def root(arb: Any) -> Any:
        inside = Fraction(problem.events * S0 * A * problem.episodes * T) / problem.delta
        return ball(lipschitz * stretch, arb) * coefficient(arb) * (2 * S0 * A * T * ball(inside, arb).log()).sqrt()

    start = lipschitz * T * T * S0 * A * (1 if problem.concave else 2)
    spread = Fraction(T * (T + 1), 2) if problem.concave else Fraction(2 * T * T)
    expected = RegretBound(up(enclose(root)), up(start), up(problem.delta * T))
    e = enclose(lambda arb: arb(1).exp() / (arb(1).exp() - 1))
    tail = enclose(lambda arb: ball(lipschitz * spread, arb) * -ball(problem.delta, arb).log())
    likely = RegretBound(up(e * enclose(root)), up(e * (tail + start)), 0.0)
    return expected, likely
