r"""The CVaR appendix: its three formulas, restated for rewards (a cost is a negative reward).

* Rockafellar-Uryasev: :math:`\mathrm{CVaR}_\alpha(Z) = \max_\rho \{\rho - E(\rho-Z)^+/\alpha\}`, attained at the
  quantile.  The appendix states the mirror image for costs, with the tail 1 - alpha, and is right.
* :math:`J(\rho)` is printed with a maximum over policies where a minimum is meant.
* The recursion is printed with its terminal value at T; it belongs at T + 1.

The choice of rho is in :mod:`proofs_checks.theory.cvar.cvar_rho`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import COIN_MODELS, all_laws, attainable_laws, coin_models, every, grid
from ...engine.model import Claim, Formal, Real, Statement, equality, least
from .. import causes
from ..setting.def_objective import QuantileCase
from .budget import Budgets, attainable_returns, shortfall, tail_mean

SECTION = "D"
THEORY = "04-planning.md"


# -- Rockafellar-Uryasev ----------------------------------------------------------------------------------------------


def _cost_form(case: QuantileCase) -> Real:
    """The mean of the highest 1 - alpha share of a cost is inf_rho {rho + E(C - rho)^+ / (1 - alpha)}, at VaR."""
    tail = 1 - case.alpha

    def excess(rho: Fraction) -> Fraction:
        return rho + sum((p * max(c - rho, Fraction()) for c, p in case.law), Fraction()) / tail

    highest = -tail_mean(case.law.affine(-1, 0), tail)
    attained = equality(excess(case.law.quantile(case.alpha)), highest, "VaR attains")
    return least(equality(min(map(excess, case.law.atoms)), highest), attained)


def _rockafellar_uryasev(case: QuantileCase) -> Real:
    """max_rho {rho - E(rho - Z)^+/alpha} = CVaR_alpha, attained at the alpha-quantile; likewise the library's CVaR."""

    def score(rho: Fraction) -> Fraction:
        return rho - shortfall(case.law, rho) / case.alpha

    value = tail_mean(case.law, case.alpha)
    best = max(score(rho) for rho in case.law.atoms)
    return least(
        equality(best, value),
        equality(score(case.law.quantile(case.alpha)), value),
        equality(vr.CVaR(case.alpha).of(case.law), value),
    )


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
    cases=lambda: st.builds(QuantileCase, strategies.laws(max_value=2), strategies.levels(include_one=False)),
    small_cases=lambda: every(QuantileCase, all_laws(grid("1/2"), 4), grid("1/8")[1:-1]),
    small_size="all laws on {0, 1/2, 1} with masses in quarters, levels in eighths",
    formal=Formal(proves=("rockafellar_uryasev_for_costs",)),
    theory=THEORY + "#ru",
    notes="Line 1141 announces costs, and for costs the lemma is true. The notation clashes with the body, where "
    "rewards are meant and the tail has the share alpha; here it has 1 - alpha.",
)

ROCKAFELLAR_URYASEV = replace(
    COSTS,
    label="cvar:ru",
    title="CVaR of a reward as a maximum over rho",
    printed=None,
    corrected=Claim(
        r"\mathrm{CVaR}_\alpha(Z) = \max_\rho \{\rho - \tfrac1\alpha E(\rho-Z)^+\}, \quad \rho^* = F^\dagger(\alpha)",
        "The mean of the lowest alpha share is the maximum of rho minus the expected shortfall over alpha.",
        _rockafellar_uryasev,
    ),
    uses=("def:objective/cvar",),
    formal=Formal(proves=("rockafellar_uryasev",)),
    notes="The lemma of the appendix, which speaks of costs, in the rewards and levels of the body.",
)


# -- J(rho): max against min ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelCase:
    """A model and a level."""

    mdp: vr.MDP
    alpha: Fraction


def small_models() -> Iterator[ModelCase]:
    """The cases described by :data:`SMALL`."""
    return every(ModelCase, coin_models(), (Fraction(1, 3), Fraction(1, 2), Fraction(1)))


SMALL = f"{COIN_MODELS}, levels 1/3, 1/2, 1"


def supremum(functions: list[Callable[[Fraction], Fraction]], corners: list[Fraction]) -> Fraction:
    """sup over rho of the minimum of concave functions that are linear between corners and fall or are flat outside.
    On each piece the minimum of lines is concave; its maximum is at an end or where two lines meet."""
    candidates = set(corners)
    for low, high in pairwise(corners):
        lines = {(f(low), (f(high) - f(low)) / (high - low)) for f in functions}
        for (v, a), (w, b) in combinations(sorted(lines), 2):
            if a != b:
                x = low + (w - v) / (a - b)
                if low < x < high:
                    candidates.add(x)
    return max(min(f(x) for f in functions) for x in candidates)


def _optimum(laws: list[vr.Law], alpha: Fraction) -> Fraction:
    return max(tail_mean(law, alpha) for law in laws)


def _j_printed(case: ModelCase) -> Fraction:
    """-|CVaR* - sup_rho {rho - max_pi E(rho - Z)^+ / alpha}|."""
    laws = attainable_laws(case.mdp)

    def line(law: vr.Law) -> Callable[[Fraction], Fraction]:
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
    cause=causes.MAXIMUM,
    uses=("cvar:ru",),
    cases=lambda: st.builds(
        ModelCase, strategies.mdps(max_horizon=2, max_denominator=3), strategies.levels(max_denominator=4)
    ),
    small_cases=small_models,
    small_size=SMALL,
    counterexample=ModelCase(vr.MDP(0, [[[1], [1]]], [[0, 1]], 1), Fraction(1)),
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

    mdp: vr.MDP
    rho: Fraction


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
    cause=causes.EPISODE,
    uses=("def:augmented",),
    cases=lambda: st.builds(
        BudgetCase,
        strategies.mdps(max_horizon=2, max_denominator=3),
        strategies.rationals(min_value=-1, max_value=3, max_denominator=3),
    ),
    small_cases=lambda: every(BudgetCase, coin_models(), grid("1/2", 2)),
    small_size=f"{COIN_MODELS}, budgets in halves",
    counterexample=BudgetCase(vr.MDP(0, [[[1]]], [[1]], 1), Fraction(1)),
    find_budget=200,
    formal=Formal(parts=("budget_le_shortfall", "budget_greedy_attains")),
    theory=THEORY + "#budget",
    examples_share=0.5,
    notes="Line 1196 says in words that the value is the expectation of the whole shortfall; by the printed "
    "index the last reward is left out.",
)

STATEMENTS = (COSTS, ROCKAFELLAR_URYASEV, MINIMUM, VALUE)
