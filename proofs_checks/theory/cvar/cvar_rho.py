r"""The CVaR appendix: the choice of rho.

* One :math:`\rho^*` belongs to the initial law; the paper chooses one for each initial state.
* J need not be concave, so rho must be searched over all attainable returns.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import every, grid, one_state_models
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from ...engine.severity import Severity
from .. import causes
from .budget import Budgets, attainable_returns, tail_mean
from .cvar_appendix import SECTION, THEORY, ModelCase

# -- one rho for the initial law --------------------------------------------------------------------------------------


def _worth(case: ModelCase, rhos: Mapping[int, list[Fraction]]) -> list[Fraction]:
    """CVaR of each policy that starts state s with one of the budgets and then plays greedily, for all ties."""
    table = Budgets(case.mdp)
    options = [[(p, law) for rho in rhos[s] for law in table.laws_from(0, s, rho)] for s, p in case.mdp.initial]
    return [tail_mean(vr.Law.mixture(parts), case.alpha) for parts in product(*options)]


def _maximisers(returns: list[Fraction], score: Callable[[Fraction], Fraction]) -> list[Fraction]:
    best = max(score(rho) for rho in returns)
    return [rho for rho in returns if score(rho) == best]


def _own_rho(case: ModelCase) -> Fraction:
    """CVaR of the printed rule, one rho per initial state, ties broken in its favour, minus the optimum."""
    table = Budgets(case.mdp)
    returns = attainable_returns(case.mdp)

    def best(s: int) -> list[Fraction]:
        return _maximisers(returns, lambda rho: rho - table.value(0, s, rho) / case.alpha)

    return (
        max(_worth(case, {s: best(s) for s, _ in case.mdp.initial}))
        - vr.exact_plan(case.mdp, vr.CVaR(case.alpha)).value
    )


def _one_rho(case: ModelCase) -> Fraction:
    """-|CVaR of the rule with one rho against the initial law - optimum|, for all ways to break ties."""
    table = Budgets(case.mdp)
    best = _maximisers(attainable_returns(case.mdp), lambda rho: rho - table.expected(rho) / case.alpha)
    optimum = vr.exact_plan(case.mdp, vr.CVaR(case.alpha)).value
    starts = [s for s, _ in case.mdp.initial]
    return min(-abs(worth - optimum) for rho in best for worth in _worth(case, {s: [rho] for s in starts}))


def _start_cases() -> st.SearchStrategy[ModelCase]:
    two_states = strategies.mdps(min_states=2, max_states=2, max_horizon=1, max_denominator=4)
    return st.builds(
        ModelCase, st.one_of(two_states, _lucky_or_not()), strategies.levels(max_denominator=4, include_one=False)
    )


@st.composite
def _lucky_or_not(draw: st.DrawFn) -> vr.MDP:
    """Two equally likely states; one pays surely, the other offers a sure reward or a lottery."""
    half = [Fraction(1, 2), Fraction(1, 2)]
    reward = strategies.rationals()
    first, sure, prize = vr.Law.point(draw(reward)), vr.Law.point(draw(reward)), draw(reward)
    failure = draw(strategies.levels(include_one=False, max_denominator=4))
    risky = vr.Law.mixture([(failure, vr.Law.point(0)), (1 - failure, vr.Law.point(prize))])
    return vr.MDP(half, [[[1, 0]], [[0, 1], [0, 1]]], [[first], [sure, risky]], 1)


def _small_starts() -> Iterator[ModelCase]:
    half = [Fraction(1, 2), Fraction(1, 2)]
    choices = [vr.Law.point(r) for r in grid("1/4")] + [vr.Law({0: "1/2", "3/4": "1/2"}), vr.Law({0: "1/2", 1: "1/2"})]
    models = (
        vr.MDP(half, [[[1, 0]], [[0, 1], [0, 1]]], [[vr.Law.point(sure)], list(pair)], 1)
        for sure, pair in product(grid("1/2"), combinations(choices, 2))
    )
    return every(ModelCase, models, grid("1/4")[1:-1])


ONE_RHO = Statement(
    label="cvar:rho",
    title="one rho for the initial law",
    section=SECTION,
    printed=Claim(
        r"\rho^*(s_1) = \arg\max_\rho \{\rho - \tfrac1\alpha W_1(s_1, \rho)\} \text{ is optimal for every } s_1",
        "Choosing rho for the initial state that occurred and playing greedily is optimal.",
        _own_rho,
    ),
    corrected=Claim(
        r"\rho^* = \arg\max_\rho \{\rho - \tfrac1\alpha \textstyle\sum_s D(s) W_1(s, \rho)\} \text{ is optimal}",
        "Choosing one rho against the initial law and playing greedily is optimal.",
        _one_rho,
    ),
    cause=causes.ONE_RHO,
    uses=("cvar:min", "cvar:value"),
    cases=_start_cases,
    small_cases=_small_starts,
    small_size="T = 1, two equally likely states, one with a choice between two of seven laws, three levels",
    counterexample=ModelCase(
        vr.MDP(["1/2", "1/2"], [[[1, 0]], [[0, 1], [0, 1]]], [[1], [{"1/3": 1}, {0: "1/2", "3/4": "1/2"}]], 1),
        Fraction(1, 2),
    ),
    find_budget=1500,
    formal=Formal(proves=("cvar_planner_correct",), refutes=("best_action_per_state_is_not_best",)),
    theory=THEORY + "#one-rho",
    notes="Lines 1164-1166 and 1194 average over the initial state; line 1206, the recipe, does not.",
)


# -- J is not concave -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CurveCase:
    """A model, a level, and two budgets."""

    mdp: vr.MDP
    alpha: Fraction
    low: Fraction
    high: Fraction


def _j(case: CurveCase) -> Callable[[Fraction], Fraction]:
    table = Budgets(case.mdp)
    return lambda rho: rho - table.expected(rho) / case.alpha


def _midpoint(case: CurveCase) -> Fraction:
    """J at the middle minus the mean of J at the ends."""
    j = _j(case)
    return j((case.low + case.high) / 2) - (j(case.low) + j(case.high)) / 2


def _attainable_suffices(case: CurveCase) -> Real:
    """The least of max over attainable rho of J minus J at the two budgets and their middle, and -|max J - CVaR*|."""
    j = _j(case)
    best = max(j(rho) for rho in attainable_returns(case.mdp))
    points = (case.low, (case.low + case.high) / 2, case.high)
    optimum = vr.exact_plan(case.mdp, vr.CVaR(case.alpha)).value
    return least(*(at_most(j(rho), best) for rho in points), equality(best, optimum))


@st.composite
def _curve_cases(draw: st.DrawFn) -> CurveCase:
    mdp = draw(st.one_of(_sure_against_risky(), strategies.mdps(max_horizon=2, max_denominator=4)))
    alpha = draw(strategies.levels(max_denominator=4, include_one=False))
    returns = attainable_returns(mdp)
    low, high = draw(st.sampled_from(returns)), draw(st.sampled_from(returns))
    return CurveCase(mdp, alpha, min(low, high), max(low, high))


@st.composite
def _sure_against_risky(draw: st.DrawFn) -> vr.MDP:
    """One action pays x surely, the other more, or nothing: J follows the first, falls, and rises with the second."""
    prize = draw(strategies.rationals(min_value=Fraction(1, 4)))
    sure = prize * draw(strategies.levels(include_one=False, max_denominator=4))
    failure = draw(strategies.levels(include_one=False, max_denominator=8))
    return vr.MDP(
        0, [[[1], [1]]], [[vr.Law.point(sure), vr.Law.of_weights({Fraction(0): failure, prize: 1 - failure})]], 1
    )


def _small_curves() -> Iterator[CurveCase]:
    laws = [vr.Law.point(r) for r in grid("1/4")]
    laws += [vr.Law({0: p, "1/2": 1 - p}) for p in (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2))]
    budgets = combinations(grid("1/4"), 2)
    for mdp, alpha, pair in product(one_state_models(laws, 1), (Fraction(1, 4), Fraction(1, 2)), budgets):
        yield CurveCase(mdp, alpha, *pair)


CONCAVITY = Statement(
    label="cvar:concave",
    said="tempting",
    title="J is concave in rho",
    section=SECTION,
    printed=Claim(
        r"J(\tfrac{\rho+\rho'}2) \ge \tfrac12 J(\rho) + \tfrac12 J(\rho'), \quad "
        r"J(\rho) = \rho - \tfrac1\alpha E\,W_1(S_1,\rho)",
        "J is concave, so that a local search over rho finds the optimum.",
        _midpoint,
    ),
    corrected=Claim(
        r"\sup_\rho J(\rho) = \max\{J(\rho) : \rho \text{ an attainable return}\} = \mathrm{CVaR}^*",
        "The maximum of J over all attainable returns is its supremum and the optimal CVaR.",
        _attainable_suffices,
    ),
    finding=Severity.SUBSTANCE,
    uses=("cvar:min", "cvar:value"),
    cases=_curve_cases,
    small_cases=_small_curves,
    small_size="T = 1, one state, two of eight laws, levels 1/4 and 1/2, budgets in quarters",
    counterexample=CurveCase(
        vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], 1),
        Fraction(1, 4),
        Fraction(1, 4),
        Fraction(1, 2),
    ),
    find_budget=1000,
    formal=Formal(proves=("cvar_planner_correct",), refutes=("outer_objective_is_not_concave",)),
    theory=THEORY + "#nonconcave-j",
    notes="The paper does not state concavity; it minimises J over the line without saying how.",
)

STATEMENTS = (ONE_RHO, CONCAVITY)
