"""Rewards in units of a grid: the common unit of all rewards, and rounding up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..mdp import MDP
from ..numbers.rational import ceil_div, gcd_of, lcm_of_denominators


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

    tops: tuple[int, ...]
    """The rewards, over ``whole``."""
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
