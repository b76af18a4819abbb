r"""The bounds of the verified checker for CVaR: tables of integers, rounded outward at every step.

With a unit u and a scale V, a budget is an index b that stands for b u, and a reward r takes b to
:math:`b - \lceil r/u \rceil`.  The table of all policies starts from :math:`\lfloor V (bu)^+ \rfloor` and rounds every
average down; that of one policy starts from :math:`\lceil V (bu + e)^+ \rceil`, where e is what rounding rewards can
have added, and rounds up.  Both are read at the start, on every grid and at every scale:

.. math:: \frac{\hat w_\pi(b)}V \ge \mathbf E (bu - Z^\pi)^+ , \qquad
          \frac{\hat w(b)}V \le \min_{\pi'} \mathbf E\, u (b - \hat Z^{\pi'})^+ ,

with :math:`\hat Z` the return in units, every reward rounded up.  They are bounds for every u and V; only
their distance depends on u and V.  These are the proofs ``budget`` and ``budgets`` of docs/proof_format.md in plain
recursion; the theorem about the program, with all its routes, is ``check_sound``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import COIN_MODELS, coin_models, every
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from ..cvar.budget import Budgets, attainable_returns


@dataclass(frozen=True)
class TableCase:
    """A model, a level, the unit of the budgets and the scale of the tables."""

    mdp: vr.MDP
    alpha: Fraction
    unit: Fraction
    scale: int


Table: TypeAlias = Callable[[int, int, int], int]


class _Tables:
    """Both tables of a case; entries are whole numbers over the scale."""

    def __init__(self, case: TableCase) -> None:
        self.case, self.mdp = case, case.mdp
        self.all_policies = cache(self._all_policies)
        rewards = {r for _, _, action in case.mdp for _, _, r in action.outcomes}
        self.added = case.mdp.horizon * max(self.units(r) * case.unit - r for r in rewards)

    def units(self, reward: Fraction) -> int:
        return math.ceil(reward / self.case.unit)

    def average(self, t: int, s: int, b: int, a: int, table: Table) -> Fraction:
        return sum(
            (p * table(t + 1, target, b - self.units(r)) for p, target, r in self.mdp.actions(s)[a].outcomes),
            Fraction(),
        )

    def _all_policies(self, t: int, s: int, b: int) -> int:
        if t == self.mdp.horizon:
            return math.floor(self.case.scale * max(b * self.case.unit, Fraction()))
        actions = range(self.mdp.n_actions[s])
        return min(math.floor(self.average(t, s, b, a, self.all_policies)) for a in actions)

    def choice(self, t: int, s: int, b: int) -> int:
        """The policy of the certificate, greedy for the table of all policies."""
        return min(range(self.mdp.n_actions[s]), key=lambda a: self.average(t, s, b, a, self.all_policies))

    def one_policy(self, t: int, s: int, b: int) -> int:
        if t == self.mdp.horizon:
            return math.ceil(self.case.scale * max(b * self.case.unit + self.added, Fraction()))
        return math.ceil(self.average(t, s, b, self.choice(t, s, b), self.one_policy))

    def law(self, t: int, s: int, b: int) -> vr.Law:
        """The law of the remaining rewards of the policy in the model."""
        if t == self.mdp.horizon:
            return vr.Law.point(0)
        outcomes = self.mdp.actions(s)[self.choice(t, s, b)].outcomes
        return vr.Law.mixture((p, self.law(t + 1, target, b - self.units(r)).affine(1, r)) for p, target, r in outcomes)

    def at(self, b: int, table: Table) -> Fraction:
        """rho less the expected shortfall over alpha, for rho = b u."""
        short = sum((p * table(0, s, b) for s, p in self.mdp.initial), Fraction()) / self.case.scale
        return b * self.case.unit - short / self.case.alpha


def _proved(case: TableCase) -> Real:
    """The two bounds that the tables prove, against the policy's own CVaR and the optimum over all policies."""
    tables, exact = _Tables(case), Budgets(case.mdp)
    returns = attainable_returns(case.mdp)
    optimum = max(rho - exact.expected(rho) / case.alpha for rho in returns)
    first = math.floor(returns[0] / case.unit)
    last = math.ceil((returns[-1] + tables.added) / case.unit)
    upper, start = max((tables.at(b, tables.all_policies), b) for b in range(first, last + 1))
    lower = tables.at(start, tables.one_policy)
    law = vr.Law.mixture((p, tables.law(0, s, start)) for s, p in case.mdp.initial)
    return least(at_most(lower, vr.CVaR(case.alpha).of(law), "lower"), at_most(optimum, upper, "upper"))


def _cases() -> st.SearchStrategy[TableCase]:
    models = strategies.mdps(max_states=2, max_actions=2, max_horizon=2, max_denominator=3)
    scales = st.sampled_from([1, 2, 3, 7, 64, 1000])
    return st.builds(
        TableCase, models, strategies.levels(max_denominator=4), strategies.levels(max_denominator=4), scales
    )


PROVED = Statement(
    label="production/proved",
    title="what the checker of plans accepts is true",
    section="this library",
    corrected=Claim(
        r"\text{accepted, i.e. } \mathrm{lower} \le \rho - \tfrac{\hat w_\pi(\rho)}{V\alpha},\ "
        r"\max_b \bigl\{ bu - \tfrac{\hat w(b)}{V\alpha} \bigr\} \le \mathrm{upper} \ \Rightarrow \ "
        r"\mathrm{lower} \le \mathrm{CVaR}_\alpha(\pi),\ \mathrm{CVaR}^*_\alpha \le \mathrm{upper}",
        "If a plan for CVaR is accepted, its bounds are true: tables rounded outward bound the policy's CVaR from "
        "below and the CVaR of every policy from above, on every grid and at every scale.",
        _proved,
    ),
    uses=("cvar:value", "cvar:rho", "adaptation/pathwise"),
    cases=_cases,
    small_cases=lambda: every(TableCase, coin_models(), [Fraction(1, 2)], map(Fraction, ("1/2", "1/3", "1")), (1, 5)),
    small_size=f"{COIN_MODELS}; CVaR 1/2; three grids, two scales",
    formal=Formal(proves=("check_sound",)),
    theory="05-certificates.md#certificate",
    notes="In Coq: whatever the checker accepts is true, by every route, for joint outcomes and discounts. The cases "
    "are one route, the tables of CVaR, in plain recursion.",
)

STATEMENTS = (PROVED,)
