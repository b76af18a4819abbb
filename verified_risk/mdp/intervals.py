"""Models whose transition probabilities are known up to intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ..errors import InvalidModel
from ..numbers.rational import exact_sum, said
from .model import MDP
from .reading import Repairs

Ends: TypeAlias = tuple[Fraction, Fraction]
"""The least and the greatest value of a probability."""


@dataclass(frozen=True, eq=False)
class IntervalMDP:
    """A model in which every transition probability is known up to an interval; ``MDP.from_arrays((P_low, P_high), R,
    ...)`` makes one.

    ``plan(mdp, G, against="worst")`` plans against all rates in the intervals: at every step, for every state, return
    so far and action, any law within them may be the one that holds.  That covers every fixed model in the intervals.

    :param nominal: the model with the law at the same share of every interval of a row; it is a model like any other,
        and the policies of plans are its policies
    :param intervals: for each action of each state, in order, the ends of the intervals of its successors in
        ``nominal``
    """

    nominal: MDP
    intervals: tuple[tuple[Ends, ...], ...]

    def __repr__(self) -> str:
        return f"Interval{self.nominal!r}"

    def contains(self, mdp: MDP) -> bool:
        """Return whether every transition probability of another model lies in its interval.

        :param mdp: a model with the same states and actions; rewards, horizon and discount do not count
        :returns: whether a guarantee against the worst rates covers the rates of ``mdp``
        """
        if mdp.n_actions != self.nominal.n_actions:
            return False
        for (_, _, own), (_, _, other), ends in zip(self.nominal, mdp, self.intervals, strict=True):
            masses = dict(other.successors)
            within = [low <= masses.pop(s, Fraction()) <= high
                      for (s, _), (low, high) in zip(own.successors, ends, strict=True)]  # fmt: skip
            if masses or not all(within):
                return False
        return True


def inside(ends: Sequence[Ends], where: str) -> tuple[list[Ends], list[Fraction]]:
    """Return the intervals of a row and the law at the same share of each; a sum of floats that misses 1 by rounding is
    repaired.

    :raises InvalidModel: if no law lies in the intervals
    """
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    if exact_sum(lows) > 1:
        lows = Repairs().repaired(lows, where) or lows
        highs = list(map(max, lows, highs))
    elif exact_sum(highs) < 1:
        highs = Repairs().repaired(highs, where) or highs
        lows = list(map(min, lows, highs))
    least, most = exact_sum(lows), exact_sum(highs)
    if least > 1 or most < 1:
        sums = f"low ends sum to {said(least)}, more than 1" if least > 1 else f"high ends sum to {said(most)}, below 1"
        raise InvalidModel(f"{where} has intervals that exclude every law: their {sums}")
    share = (1 - least) / (most - least) if most > least else Fraction()
    found = list(zip(lows, highs, strict=True))
    return found, [low + share * (high - low) for low, high in found]
