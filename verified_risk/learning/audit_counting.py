r"""The counting step of the regret proof, on the visits that were made.

A visit of a pair with N earlier ones costs at most :math:`\min(T, c/\sqrt N)`, and over the visits of a pair

.. math:: \sum \min(T, c/\sqrt N) \le T \min(T, N) + 2 c \sqrt N .

Sums are integers, scaled by ``2 ** SHIFT``; every root is rounded to the safe side.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from ..numbers.enclosure import Interval
from .audit_sets import threshold

if TYPE_CHECKING:
    from .api import Task

SHIFT = 60
"""Square roots are taken of integers scaled by ``2 ** (2 * SHIFT)``."""


class Counting:
    """What the visits of each pair cost; ``log`` is the logarithm of the sets, counted by the audit itself."""

    def __init__(self, task: Task, log: Interval) -> None:
        self.task, self.log = task, log
        self.kl = task.settings.algorithm == "kl"
        self.factor, self.cap = self._factor()
        self.sums: dict[tuple[int, int], int] = defaultdict(int)

    def _factor(self) -> tuple[Fraction, int]:
        """A visit costs at most ``min(cap, factor * radius)``."""
        problem, standard = self.task.problem, self.task.standard
        T = standard.horizon
        if self.kl:
            outcomes = Fraction(self.task.uniform.outcomes)
            spread = min(outcomes, 2 * root_ratio(outcomes))
            return (T * spread if standard.joint else (T - 1) * spread + 2), T
        if standard.joint:
            return Fraction(T * problem.atoms * problem.states), T
        if problem.concave:
            return Fraction((T - 1) * problem.states + 2), T
        return T * (problem.states + 1 + root_ratio(Fraction(problem.atoms + 1))), 2 * T

    def _square(self, visits: int, *, up: bool) -> Fraction:
        """The square of the radius at one visit, from one side."""
        needed = threshold(self.log, visits) if self.kl else self.log
        return (needed.upper if up else needed.lower) / 2

    def visit(self, pair: tuple[int, int], used: int) -> None:
        """One more visit, planned with sets of ``used`` visits."""
        most = self.cap << SHIFT
        self.sums[pair] += min(most, root_up(self.factor**2 * self._square(used, up=True) / used)) if used else most

    def slack(self, pair: tuple[int, int], visits: int) -> Fraction:
        """The right side minus the left for a pair that was visited so often."""
        waited = 1 + Fraction(self.task.target.patience)
        right = (self.cap * min(self.task.standard.horizon, visits) << SHIFT) + root_down(
            4 * self.factor**2 * self._square(visits, up=False) * waited * visits
        )
        return Fraction(right - self.sums[pair], 1 << SHIFT)


def root_up(x: Fraction) -> int:
    return math.isqrt(-((-x.numerator << 2 * SHIFT) // x.denominator)) + 1


def root_down(x: Fraction) -> int:
    return math.isqrt((x.numerator << 2 * SHIFT) // x.denominator)


def root_ratio(x: Fraction) -> Fraction:
    """A rational at least the square root."""
    return Fraction(root_up(x), 1 << SHIFT)
