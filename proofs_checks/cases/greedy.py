r"""Bellman-greedy policies for concave weightings: a slow reference implementation.

A concave piecewise-linear ``G`` is a mixture of CVaRs, :math:`G(\tau) = \sum_j w_j \min(\tau/\alpha_j, 1)`, and

.. math:: \Phi(Z) = \max_\rho \mathbf E\, h_\rho(Z), \qquad
          h_\rho(z) = \sum_j w_j \bigl(\rho_j - (\rho_j - z)^+/\alpha_j\bigr),

with every :math:`\rho_j` an atom of Z.  For fixed rho, :math:`V_T(s,y) = h_\rho(y)`,
:math:`V_t(s,y) = \max_a \mathbf E\,V_{t+1}(S', y + R)`.  The greedy policy maximises at **every** (t, s, y),
reachable or not.  This file shares no code with the planners of ``verified_risk``.
"""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any, TypeAlias

from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.objectives import Weighting
from verified_risk.policy import ReturnPolicy

Tails: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""Pairs ``(alpha_j, w_j)``."""


def concave(case: Any) -> bool:
    """Return whether the weighting of a case is concave."""
    return case.weighting.shape in ("linear", "concave")


def tails_of(weighting: Weighting) -> Tails:
    r"""The mixture of CVaRs that a concave polygon is: :math:`w_j = (g_j - g_{j+1})\,\alpha_j`, g the slopes."""
    knots = weighting.knots
    if knots is None or weighting.shape not in ("linear", "concave"):
        raise ValueError(f"{weighting} is not concave and piecewise linear")
    slopes = [(v - y) / (u - x) for (x, y), (u, v) in pairwise(knots)] + [Fraction()]
    found = [(knots[j + 1][0], (slopes[j] - slopes[j + 1]) * knots[j + 1][0]) for j in range(len(slopes) - 1)]
    return tuple((alpha, w) for alpha, w in found if w)


def utility(tails: Tails, rho: tuple[Fraction, ...], z: Fraction) -> Fraction:
    r""":math:`h_\rho(z)`."""
    return sum(
        (w * (level - max(level - z, Fraction()) / alpha) for (alpha, w), level in zip(tails, rho, strict=True)),
        Fraction(),
    )


def expected_utility(law: Law, tails: Tails, rho: tuple[Fraction, ...]) -> Fraction:
    r""":math:`\mathbf E\, h_\rho(Z)`."""
    return sum((p * utility(tails, rho, z) for z, p in law), Fraction())


def reachable_sums(mdp: MDP) -> list[set[tuple[int, Fraction]]]:
    """For each ``t = 0..T`` all ``(s, y)`` that some policy reaches."""
    levels = [{(s, Fraction()) for s, _ in mdp.initial}]
    for _ in range(mdp.horizon):
        levels.append(
            {(target, y + r) for s, y in levels[-1] for action in mdp.actions(s) for _, target, r in action.outcomes}
        )
    return levels


class Values:
    """``V_t(s, y)`` of one utility in one model, for any rational y, and the actions that attain it."""

    def __init__(self, mdp: MDP, tails: Tails, rho: tuple[Fraction, ...], *, last_of_ties: bool = False) -> None:
        self.mdp, self.tails, self.rho, self.last_of_ties = mdp, tails, rho, last_of_ties
        self._cells: dict[tuple[int, int, Fraction], tuple[Fraction, int]] = {}

    def value(self, t: int, s: int, y: Fraction) -> Fraction:
        return self._cell(t, s, y)[0] if t < self.mdp.horizon else utility(self.tails, self.rho, y)

    def action(self, t: int, s: int, y: Fraction) -> int:
        return self._cell(t, s, y)[1]

    def of_action(self, t: int, s: int, y: Fraction, a: int) -> Fraction:
        """``E V_{t+1}(S', y + R)`` of one action."""
        return sum(
            (p * self.value(t + 1, target, y + r) for p, target, r in self.mdp.actions(s)[a].outcomes), Fraction()
        )

    def start(self) -> Fraction:
        return sum((p * self.value(0, s, Fraction()) for s, p in self.mdp.initial), Fraction())

    def _cell(self, t: int, s: int, y: Fraction) -> tuple[Fraction, int]:
        key = (t, s, y)
        if key not in self._cells:
            values = [self.of_action(t, s, y, a) for a in range(self.mdp.n_actions[s])]
            best = max(values)
            ties = [a for a, value in enumerate(values) if value == best]
            self._cells[key] = best, ties[-1] if self.last_of_ties else ties[0]
        return self._cells[key]


class Greedy:
    """The optimum of a concave weighting in a model, and a policy greedy at every ``(t, s, y)`` for its rho."""

    def __init__(self, mdp: MDP, weighting: Weighting, *, last_of_ties: bool = False) -> None:
        self.mdp, self.tails = mdp, tails_of(weighting)
        returns = sorted({z for _, z in reachable_sums(mdp)[-1]})
        candidates = (
            Values(mdp, self.tails, rho, last_of_ties=last_of_ties) for rho in product(returns, repeat=len(self.tails))
        )
        self.values = max(candidates, key=lambda values: values.start())
        self.rho = self.values.rho
        self.value = self.values.start()

    def policy(self, mdp: MDP | None = None) -> ReturnPolicy:
        """The greedy rule, to be played in its own model or in another of the same shape."""
        return ReturnPolicy(self.mdp if mdp is None else mdp, self.values.action)
