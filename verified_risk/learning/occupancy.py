"""How often a policy meets each pair, and the law of its return: exactly, in the learner's standard form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..law import Law
from ..numbers.rational import lcm_of_denominators
from .problem import Standard


class Occupancy:
    """``visits[t][s, a]``: the probability of taking action a in state s at step t; ``law``: the return in units.

    One forward pass in integers over a common denominator.
    """

    def __init__(self, standard: Standard, table: Sequence[Sequence[Sequence[int]]]) -> None:
        following = lcm_of_denominators(
            p for actions in standard.pairs for pair in actions for _, _, p in pair.outcomes
        )
        paying = lcm_of_denominators(p for actions in standard.pairs for pair in actions for _, p in pair.rewards)
        total = lcm_of_denominators(p for _, p in standard.initial)
        level = {(s, 0): p.numerator * (total // p.denominator) for s, p in standard.initial}
        self.visits: list[dict[tuple[int, int], Fraction]] = []
        for t in range(standard.horizon):
            met: dict[tuple[int, int], int] = {}
            paid: dict[tuple[int, int, int], int] = {}
            for (s, y), weight in level.items():
                row = table[t][s]
                a = int(row[min(y, len(row) - 1)])  # one column: the return so far plays no part
                met[s, a] = met.get((s, a), 0) + weight
                for atom, p in standard.pairs[s][a].rewards:
                    key = (s, a, y + standard.units[t][atom])
                    paid[key] = paid.get(key, 0) + weight * p.numerator * (paying // p.denominator)
            self.visits.append({pair: Fraction(weight, total) for pair, weight in met.items()})
            level = {}
            for (s, a, y), weight in paid.items():
                for atom, target, p in standard.pairs[s][a].outcomes:
                    place = (target, y + standard.units[t][atom])
                    level[place] = level.get(place, 0) + weight * p.numerator * (following // p.denominator)
            total *= following * paying
        returns: dict[int, int] = {}
        for (_, z), weight in level.items():
            returns[z] = returns.get(z, 0) + weight
        self.law = Law.of_integers(returns, unit=Fraction(1), total=total)
