r"""The CVaR appendix: its three formulas, restated for rewards (a cost is a negative reward).

* Rockafellar-Uryasev: :math:`\mathrm{CVaR}_\alpha(Z) = \max_\rho \{\rho - E(\rho-Z)^+/\alpha\}`, attained at the
  quantile.  The appendix states the mirror image for costs, with the tail 1 - alpha, and is right.
* :math:`J(\rho)` is printed with a maximum over policies where a minimum is meant.
* The recursion is printed with its terminal value at T; it belongs at T + 1.

The choice of rho is in :mod:`proofs_checks.theory.cvar.cvar_rho`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.numbers.enclosure import Real
from verified_risk.objectives import CVaR

from ...cases import strategies
from ...cases.enumeration import all_laws, attainable_laws, grid, one_state_models, two_point_laws
from ...engine.model import Claim, Formal, Statement, equality, least
from ...engine.severity import Severity
from .. import causes
from .budget import Budgets, attainable_returns

SECTION = "D"
THEORY = "04-planning.md"


def shortfall(law: Law, rho: Fraction) -> Fraction:
    """E(rho - Z)^+."""
    return sum((p * max(rho - z, Fraction()) for z, p in law), Fraction())


def tail_mean(law: Law, alpha: Fraction) -> Fraction:
    """The mean of the worst alpha share, filled from below: CVaR as the body of the paper defines it."""
    left, total = alpha, Fraction()
    for z, p in law:
        total += min(left, p) * z
        left -= min(left, p)
    return total / alpha


# -- Rockafellar-Uryasev ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LawCase:
    """The law of a return and a level in (0, 1)."""

    law: Law
    alpha: Fraction


def _cost_form(case: LawCase) -> Real:
    """The mean of the highest 1 - alpha share of a cost is inf_rho {rho + E(C - rho)^+ / (1 - alpha)}, at VaR."""
    tail = 1 - case.alpha

    def excess(rho: Fraction) -> Fraction:
        return rho + sum((p * max(c - rho, Fraction()) for c, p in case.law), Fraction()) / tail

    left, total = tail, Fraction()
    for c, p in reversed(list(case.law)):
        total += min(left, p) * c
        left -= min(left, p)
    attained = equality(excess(case.law.quantile(case.alpha)), total / tail, "VaR attains")
    return least(equality(min(map(excess, case.law.atoms)), total / tail), attained)


def _rockafellar_uryasev(case: LawCase) -> Real:
    """max_rho {rho - E(rho - Z)^+/alpha} = CVaR_alpha, attained at the alpha-quantile; likewise the library's CVaR."""

    def score(rho: Fraction) -> Fraction:
        return rho - shortfall(case.law, rho) / case.alpha

    value = tail_mean(case.law, case.alpha)
    best = max(score(rho) for rho in case.law.atoms)
    return least(
        equality(best, value),
        equality(score(case.law.quantile(case.alpha)), value),
        equality(CVaR(case.alpha).of(case.law), value),
    )


def _law_cases() -> SearchStrategy[LawCase]:
    return st.builds(LawCase, strategies.laws(max_value=2), strategies.levels(include_one=False))


_LAWS = "all laws on {0, 1/2, 1} with masses in quarters, levels in eighths"


def _small_laws() -> Iterator[LawCase]:
    for law in all_laws(grid("1/2"), 4):
        for alpha in grid("1/8")[1:-1]:
            yield LawCase(law, alpha)


COSTS = Statement(
    label="cvar:ru/costs",
    title="CVaR of a cost as an infimum over rho",
    section=SECTION,
    printed=Claim(
        r"\mathrm{CVaR}_\alpha(C) = \inf_\rho \{\rho + \tfrac{1}{1-\alpha} E(C-\rho)^+\}",
        "The mean of the highest 1 - alpha share of a cost is the infimum of rho plus expected excess over 1 - alpha, "
        "and VaR attains it.",
        _cost_form,
    ),
    cases=_law_cases,
    small_cases=_small_laws,
    small_size=_LAWS,
    formal=Formal(proves=("rockafellar_uryasev_for_costs",)),
    theory=THEORY + "#ru",
    notes="Line 1141 announces costs, and for costs the lemma is true. The notation clashes with the body, where "
    "rewards are meant and the tail has the share alpha; here it has 1 - alpha.",
)

ROCKAFELLAR_URYASEV = Statement(
    label="cvar:ru",
    title="CVaR of a reward as a maximum over rho",
    section=SECTION,
    corrected=Claim(
        r"\mathrm{CVaR}_\alpha(Z) = \max_\rho \{\rho - \tfrac1\alpha E(\rho-Z)^+\}, \quad \rho^* = F^\dagger(\alpha)",
        "The mean of the lowest alpha share is the maximum of rho minus the expected shortfall over alpha.",
        _rockafellar_uryasev,
    ),
    uses=("def:objective/cvar",),
    cases=_law_cases,
    small_cases=_small_laws,
    small_size=_LAWS,
    formal=Formal(proves=("rockafellar_uryasev",)),
    theory=THEORY + "#ru",
    notes="The lemma of the appendix, which speaks of costs, in the rewards and levels of the body.",
)


# -- J(rho): max against min ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelCase:
    """A model and a level."""

    mdp: MDP
    alpha: Fraction


def _model_cases() -> SearchStrategy[ModelCase]:
    return st.builds(ModelCase, strategies.mdps(max_horizon=2, max_denominator=3), strategies.levels(max_denominator=4))


def _small_models() -> Iterator[ModelCase]:
    for horizon in (1, 2):
        for mdp in one_state_models(two_point_laws(grid("1/2"), 2), horizon):
            for alpha in (Fraction(1, 3), Fraction(1, 2), Fraction(1)):
                yield ModelCase(mdp, alpha)


SMALL = "one state, two actions, T <= 2, rewards in halves, coin flips, levels 1/3, 1/2, 1"


def supremum(functions: list[Callable[[Fraction], Fraction]], corners: list[Fraction]) -> Fraction:
    """sup over rho of the minimum of concave functions that are linear between corners and fall or are flat outside.

    On each piece the minimum of lines is concave; its maximum is at an end or where two lines meet.
    """
    candidates = set(corners)
    for low, high in pairwise(corners):
        lines = {(f(low), (f(high) - f(low)) / (high - low)) for f in functions}
        for (v, a), (w, b) in combinations(sorted(lines), 2):
            if a != b:
                x = low + (w - v) / (a - b)
                if low < x < high:
                    candidates.add(x)
    return max(min(f(x) for f in functions) for x in candidates)


def _optimum(laws: list[Law], alpha: Fraction) -> Fraction:
    return max(tail_mean(law, alpha) for law in laws)


def _j_printed(case: ModelCase) -> Fraction:
    """-|CVaR* - sup_rho {rho - max_pi E(rho - Z)^+ / alpha}|."""
    laws = attainable_laws(case.mdp)

    def line(law: Law) -> Callable[[Fraction], Fraction]:
        return lambda rho: rho - shortfall(law, rho) / case.alpha

    corners = sorted({z for law in laws for z in law.atoms})
    return -abs(_optimum(laws, case.alpha) - supremum([line(law) for law in laws], corners))


def _j_corrected(case: ModelCase) -> Fraction:
    """-|CVaR* - max_rho {rho - min_pi E(rho - Z)^+ / alpha}| over attainable rho, the minimum by recursion."""
    table = Budgets(case.mdp)
    best = max(rho - table.expected(rho) / case.alpha for rho in attainable_returns(case.mdp))
    return -abs(_optimum(attainable_laws(case.mdp), case.alpha) - best)


MINIMUM = Statement(
    label="cvar:min",
    title="the minimum inside J",
    section=SECTION,
    printed=Claim(
        r"\mathrm{CVaR}^* = \sup_\rho \{\rho - \tfrac1\alpha \max_\pi E(\rho - Z^\pi)^+\}",
        "The optimal CVaR is the best rho against the policy with the largest expected shortfall.",
        _j_printed,
    ),
    corrected=Claim(
        r"\mathrm{CVaR}^* = \max_{\rho\ \text{attainable}} \{\rho - \tfrac1\alpha \min_\pi E(\rho - Z^\pi)^+\}",
        "The optimal CVaR is the best attainable rho against the policy with the least expected shortfall.",
        _j_corrected,
    ),
    finding=Severity.SLIP,
    cause=causes.MAXIMUM,
    uses=("cvar:ru",),
    cases=_model_cases,
    small_cases=_small_models,
    small_size=SMALL,
    counterexample=ModelCase(MDP(0, [[[1], [1]]], [[0, 1]], 1), Fraction(1)),
    find_budget=200,
    formal=Formal(proves=("cvar_planner_correct",)),
    theory=THEORY + "#appendix-printed",
    examples_share=0.5,
    notes="Lines 1156, 1168 and 1193 have the minimum.",
)


# -- the value at T + 1 -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BudgetCase:
    """A model and a budget."""

    mdp: MDP
    rho: Fraction


@st.composite
def _budget_cases(draw: DrawFn) -> BudgetCase:
    mdp = draw(strategies.mdps(max_horizon=2, max_denominator=3))
    return BudgetCase(mdp, draw(strategies.rationals(min_value=-1, max_value=3, max_denominator=3)))


def _small_budgets() -> Iterator[BudgetCase]:
    for horizon in (1, 2):
        for mdp in one_state_models(two_point_laws(grid("1/2"), 2), horizon):
            for rho in grid("1/2", 2):
                yield BudgetCase(mdp, rho)


def _value(case: BudgetCase, steps: int) -> Fraction:
    """-|min_pi E(rho - Z)^+ - E_D W(S, rho)|, the minimum over all policies by enumeration."""
    least_shortfall = min(shortfall(law, case.rho) for law in attainable_laws(case.mdp))
    return -abs(least_shortfall - Budgets(case.mdp, steps).expected(case.rho))


VALUE = Statement(
    label="cvar:value",
    title="the terminal step of the recursion",
    section=SECTION,
    printed=Claim(
        r"W_T(s,b) = b^+ \Rightarrow \min_\pi E(\rho - Z)^+ = E\,W_1(S_1, \rho)",
        "With the terminal value at step T, the recursion gives the least expected shortfall.",
        lambda case: _value(case, case.mdp.horizon - 1),
    ),
    corrected=Claim(
        r"W_{T+1}(s,b) = b^+ \Rightarrow \min_\pi E(\rho - Z)^+ = E\,W_1(S_1, \rho)",
        "With the terminal value after step T, the recursion gives the least expected shortfall.",
        lambda case: _value(case, case.mdp.horizon),
    ),
    finding=Severity.SLIP,
    cause=causes.EPISODE,
    uses=("def:augmented",),
    cases=_budget_cases,
    small_cases=_small_budgets,
    small_size="one state, two actions, T <= 2, rewards in halves, coin flips, budgets in halves",
    counterexample=BudgetCase(MDP(0, [[[1]]], [[1]], 1), Fraction(1)),
    find_budget=200,
    formal=Formal(parts=("budget_le_shortfall", "budget_greedy_attains")),
    theory=THEORY + "#budget",
    examples_share=0.5,
    notes="Line 1196 says in words that the value is the expectation of the whole shortfall; by the printed "
    "index the last reward is left out.",
)


STATEMENTS = (COSTS, ROCKAFELLAR_URYASEV, MINIMUM, VALUE)
