r"""CVaR by budgets, in plain rational recursion.

.. math:: W_{T+1}(s,b) = b^+, \qquad W_t(s,b) = \min_a E\,W_{t+1}(S', b - R),

.. math:: \mathrm{CVaR}^*_\alpha = \max_\rho \Bigl\{ \rho - \tfrac1\alpha \sum_s D(s) W_1(s, \rho) \Bigr\}.

Steps are counted from 0.  This slow reference implementation shares no code with the library's planner.
"""

import itertools
from fractions import Fraction

import verified_risk as vr

from ...cases.greedy import reachable_sums


class Budgets:
    """The table W of one model over its first ``steps`` rewards (the printed recursion omits the last)."""

    def __init__(self, mdp: vr.MDP, steps: int | None = None) -> None:
        self.mdp = mdp
        self.steps = mdp.horizon if steps is None else steps
        self._known: dict[tuple[int, int, Fraction], Fraction] = {}

    def value(self, t: int, s: int, b: Fraction) -> Fraction:
        """W before step t."""
        if t == self.steps:
            return max(b, Fraction())
        key = (t, s, b)
        if key not in self._known:
            self._known[key] = min(self.after(t, s, b, a) for a in range(self.mdp.n_actions[s]))
        return self._known[key]

    def after(self, t: int, s: int, b: Fraction, a: int) -> Fraction:
        """E W after playing a."""
        outcomes = self.mdp.actions(s)[a].outcomes
        return sum((p * self.value(t + 1, target, b - r) for p, target, r in outcomes), Fraction())

    def greedy(self, t: int, s: int, b: Fraction) -> list[int]:
        """All optimal actions."""
        best = self.value(t, s, b)
        return [a for a in range(self.mdp.n_actions[s]) if self.after(t, s, b, a) == best]

    def expected(self, rho: Fraction) -> Fraction:
        """E_D W(S, rho): the least expected shortfall below rho over all policies."""
        return sum((p * self.value(0, s, rho) for s, p in self.mdp.initial), Fraction())

    def laws_from(self, t: int, s: int, b: Fraction) -> set[vr.Law]:
        """The laws of the remaining rewards of all greedy policies from budget b, for all ways to break ties."""
        if t == self.mdp.horizon:
            return {vr.Law.point(0)}
        laws = set()
        for a in self.greedy(t, s, b):
            outcomes = self.mdp.actions(s)[a].outcomes
            for rest in itertools.product(*(self.laws_from(t + 1, target, b - r) for _, target, r in outcomes)):
                laws.add(vr.Law.mixture((p, law.affine(1, r)) for (p, _, r), law in zip(outcomes, rest, strict=True)))
        return laws


def attainable_returns(mdp: vr.MDP) -> list[Fraction]:
    """All returns that some policy reaches."""
    return sorted({y for _, y in reachable_sums(mdp)[-1]})


def shortfall(law: vr.Law, rho: Fraction) -> Fraction:
    """E(rho - Z)^+."""
    return sum((p * max(rho - z, Fraction()) for z, p in law), Fraction())


def tail_mean(law: vr.Law, alpha: Fraction) -> Fraction:
    """The mean of the worst alpha share, filled from below: CVaR as the body of the paper defines it."""
    left, total = alpha, Fraction()
    for z, p in law:
        total += min(left, p) * z
        left -= min(left, p)
    return total / alpha
