r"""This library's exact planner and evaluator, as cases of the theory.

* The planner's policy is Bellman-optimal at *every* reachable (t, s, y) for one rho that attains the value.
* The law it returns satisfies the key identity and gives the value it claims.
* The evaluator's law is that of enumerating all histories, for every kind of policy.
* The certified planner's bounds hold, and planning on a grid of step eta loses at most T eta.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import COIN_MODELS, attainable_laws, coin_models, every, history_policies, return_cells
from ...cases.histories import law_by_histories
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from ..augmentation.def_augmented import Case as PlanCase
from ..cvar import cvar_appendix
from ..cvar.budget import Budgets, attainable_returns
from ..cvar.cvar_appendix import ModelCase
from ..discretisation.thm_discretized import tempting_models
from ..setting.def_history import Case as PolicyCase
from ..setting.lem_key import area

SECTION = "this library"

# -- Bellman optimality everywhere ------------------------------------------------------------------------------------


def _bellman(case: ModelCase) -> Fraction:
    """For the best rho among those that attain the value: minus the largest regret of an action at any (t, s, y)."""
    answer = vr.exact_plan(case.mdp, vr.CVaR(case.alpha))
    table = Budgets(case.mdp)
    attaining = [rho for rho in attainable_returns(case.mdp) if rho - table.expected(rho) / case.alpha == answer.value]
    if not attaining:
        return -abs(answer.value - max(rho - table.expected(rho) / case.alpha for rho in attainable_returns(case.mdp)))
    played = [(t, s, y, a) for t, s, y in return_cells(case.mdp) for a, _ in answer.policy.choice(t, s, y)]
    return max(
        min(table.value(t, s, rho - y) - table.after(t, s, rho - y, a) for t, s, y, a in played) for rho in attaining
    )


BELLMAN = Statement(
    label="production/bellman",
    title="the exact planner is Bellman-optimal everywhere",
    section=SECTION,
    corrected=Claim(
        r"\exists \rho^*\ \forall (t,s,y):\ \pi(t,s,y) \in \arg\min_a E\,W_{t+1}(S', \rho^* - y - R)",
        "One rho attains the planner's value, and the planner's action is optimal for it wherever any policy leads.",
        _bellman,
    ),
    uses=("cvar:min", "cvar:value", "cvar:rho"),
    cases=lambda: st.builds(
        ModelCase,
        strategies.mdps(max_states=3, max_actions=3, max_horizon=3, max_denominator=4),
        strategies.levels(max_denominator=5),
    ),
    small_cases=cvar_appendix.small_models,
    small_size=cvar_appendix.SMALL,
    formal=Formal(
        missing="The claim is about the code of the planner. Its recursion is proved (`cvar:value`), its code is not;"
        " `plan.prove()` has the verified checker confirm single plans."
    ),
    theory="04-planning.md#budget",
)


# -- the law and the value --------------------------------------------------------------------------------------------


def _key(case: PlanCase) -> Real:
    """The key identity of the planner's law, its value, and the optimum over all policies by enumeration."""
    answer = vr.exact_plan(case.mdp, case.objective)
    top = Fraction(case.mdp.horizon + 1)
    value = top - area(answer.required_law(), case.objective, Fraction(0), top)
    return least(
        equality(answer.value, value),
        equality(answer.value, case.objective.of(vr.return_law(case.mdp, answer.policy))),
        *(at_most(case.objective.of(law), value) for law in attainable_laws(case.mdp)),
    )


def _plan_cases() -> st.SearchStrategy[PlanCase]:
    concave = strategies.weightings(shape="concave")
    models = strategies.mdps(max_horizon=2, max_actions=2, max_denominator=3)
    return st.builds(PlanCase, models, st.one_of(concave, strategies.quantile_weightings()))


SMALL_OBJECTIVES = (vr.Mean(), vr.CVaR("1/2"), vr.Spectral(["1/3", 1], ["1/2", "1/2"]), vr.VaR("1/2"))

KEY = Statement(
    label="production/key",
    title="the planner's law satisfies the key identity and its value is the optimum",
    section=SECTION,
    corrected=Claim(
        r"\mathrm{value} = M - \int_0^M G(F_{\mathrm{law}}) = \Phi(\pi) = \max_{\pi'} \Phi(\pi')",
        "The value, the key identity of the returned law, the evaluated policy and the optimum by enumeration agree.",
        _key,
    ),
    uses=("lem:key", "thm:augmented"),
    cases=_plan_cases,
    small_cases=lambda: every(PlanCase, coin_models(), SMALL_OBJECTIVES),
    small_size=f"{COIN_MODELS}; mean, CVaR, spectral, VaR; all policies",
    formal=Formal(
        missing="The claim compares four programs of the library. The identity behind it is proved (`lem:key`)."
    ),
    theory="04-planning.md#dp",
    examples_share=0.5,
)


# -- the evaluator ----------------------------------------------------------------------------------------------------


EVALUATOR = Statement(
    label="production/evaluator",
    title="the evaluator is the history measure",
    section=SECTION,
    corrected=Claim(
        r"F_{\mathrm{return\_law}(\pi)} = F_{Z^\pi}",
        "The evaluator's law of the return is that of enumerating all histories, for every kind of policy.",
        lambda case: -vr.return_law(case.mdp, case.policy).kolmogorov(law_by_histories(case.mdp, case.policy)),
    ),
    uses=("def:history",),
    cases=lambda: (
        st.booleans()
        .flatmap(lambda both: strategies.mdps_with_policies(max_horizon=3, max_actions=3, max_atoms=2, product=both))
        .map(lambda pair: PolicyCase(*pair))
    ),
    small_cases=lambda: (PolicyCase(mdp, policy) for mdp in coin_models() for policy in history_policies(mdp)),
    small_size=f"{COIN_MODELS}, all deterministic history policies",
    formal=Formal(
        missing="The claim is about the code of the evaluator. That its recursion has the right marginals is proved "
        "(`def:history`)."
    ),
    theory="01-setting.md#def-history",
)


# -- the certified planner and its grid -------------------------------------------------------------------------------


@dataclass(frozen=True)
class GridPlanCase:
    """A model, a weighting, and a grid step (or the rewards' own grid)."""

    mdp: vr.MDP
    objective: vr.Weighting
    eta: Fraction | None


def _certified(case: GridPlanCase) -> Real:
    """lower <= Phi(policy) <= optimum <= upper, and the adapted policy loses at most T eta."""
    answer = vr.plan(case.mdp, case.objective, eta=case.eta)
    optimum = vr.exact_plan(case.mdp, case.objective).value
    attained = case.objective.of(vr.return_law(case.mdp, answer.policy))
    chain = (answer.lower, attained, optimum, answer.upper)
    slacks = [at_most(a, b, name) for (a, b), name in zip(pairwise(chain), ("lower", "policy", "upper"), strict=True)]
    if case.eta is not None:
        slacks.append(at_most(optimum - attained, case.mdp.horizon * case.eta, "loss"))
    return least(*slacks)


def _grid_plan_cases() -> st.SearchStrategy[GridPlanCase]:
    objectives = st.one_of(strategies.levels(max_denominator=4).map(vr.CVaR), st.just(vr.VaR("1/2")))
    free = st.builds(GridPlanCase, strategies.mdps(max_horizon=3, max_atoms=2), objectives, st.none())
    return free | strategies.levels(max_denominator=4).flatmap(
        lambda eta: st.builds(
            GridPlanCase, strategies.mdps(max_horizon=3, max_atoms=2) | tempting_models(eta), objectives, st.just(eta)
        )
    )


GRIDS = (None, Fraction(1, 2), Fraction(2, 3), Fraction(1))

CERTIFIED = Statement(
    label="production/plan",
    title="the certified planner's bounds, and the loss of its grid",
    section=SECTION,
    corrected=Claim(
        r"\mathrm{lower} \le \Phi(\pi) \le \Phi^* \le \mathrm{upper}, \quad \Phi(\pi) \ge \Phi^* - T\eta",
        "The optimum lies between the bounds, the policy attains the lower one, and its grid costs at most T eta.",
        _certified,
    ),
    uses=("thm:discretized", "adaptation/pathwise", "production/key", "production/proved"),
    notes="The bounds of one plan are a theorem once `plan.prove()` has accepted them.",
    cases=_grid_plan_cases,
    small_cases=lambda: every(GridPlanCase, coin_models(), (vr.Mean(), vr.CVaR("1/2")), GRIDS),
    small_size=f"{COIN_MODELS}; mean and CVaR 1/2; four grids",
    reaches={"loss": ("0.8", "thm:discretized has models that lose nearly T eta")},
    formal=Formal(
        missing="The claim is about the bounds that the planner prints. They are a theorem for each plan that "
        "`plan.prove()` accepts (`production/proved`). For the others the rounding bounds are proved for a model of "
        "floats, not for the kernels."
    ),
    theory="05-certificates.md",
    examples_share=0.5,
)

STATEMENTS = (BELLMAN, KEY, EVALUATOR, CERTIFIED)
