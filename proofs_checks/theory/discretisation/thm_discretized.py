r"""thm:discretized: planning with rewards rounded up to multiples of eta loses at most eta.  The loss is up to T eta.

Each of the T steps may lose nearly eta, and the losses add up.  For every nondecreasing G

.. math:: \hat\Phi^* - T\eta \le \Phi(\pi) \le \Phi^* \le \hat\Phi^*,

where pi is optimal in the rounded model and adapted to the raw one.  T is the exact constant: one action pays d < eta
surely, the other pays eta with probability 1 - e; rounding makes the first look like eta, and the loss in units of eta
is :math:`T(1 - e - d/\eta)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import every, grid, one_state_models
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from ...engine.symbolic import Proof, Step, parameters
from .. import causes


@dataclass(frozen=True)
class Case:
    """A model, a grid step, a concave weighting."""

    mdp: vr.MDP
    eta: Fraction
    objective: vr.Weighting


def _values(case: Case) -> tuple[Real, Fraction, Fraction]:
    """Phi of the adapted policy, the optimum, the optimum of the rounded model."""
    rounded = vr.exact_plan(case.mdp.discretised(case.eta), case.objective)
    assert isinstance(rounded.policy, vr.ReturnPolicy)
    adapted = vr.GridPolicy.adapt(rounded.policy, case.mdp, case.eta)
    attained = case.objective.of(vr.return_law(case.mdp, adapted))
    return attained, vr.exact_plan(case.mdp, case.objective).value, rounded.value


def _printed(case: Case) -> Real:
    """Phi(pi) - (Phi* - eta)."""
    attained, best, _ = _values(case)
    return at_most(best - attained, case.eta)


def _corrected(case: Case) -> Real:
    """The least slack of Phi^* - T eta <= Phi(pi) <= Phi* <= Phi^*."""
    attained, best, rounded = _values(case)
    loss = at_most(rounded - attained, case.mdp.horizon * case.eta, "loss")
    return least(loss, at_most(attained, best, "best"), at_most(best, rounded, "rounded"))


@st.composite
def tempting_models(draw: st.DrawFn, eta: Fraction) -> vr.MDP:
    """Models whose sure rewards are small and round up to what risky rewards nearly always pay."""
    horizon = draw(st.integers(1, 3))
    laws: list[vr.Law] = []
    for _ in range(draw(st.integers(1, 2))):
        laws.append(vr.Law.point(eta / draw(st.sampled_from((2, 3, 4, 6, 1000)))))
        failure = Fraction(1, draw(st.sampled_from((2, 3, 5, 8, 12, 1000))))
        laws.append(vr.Law.of_weights({Fraction(0): failure, eta: 1 - failure}))
    return vr.MDP(0, [[[1]] * len(laws)], [laws], horizon)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    eta = draw(strategies.levels(max_denominator=4))
    mdp = draw(st.one_of(strategies.mdps(max_horizon=3, max_atoms=2), tempting_models(eta)))
    return Case(mdp, eta, draw(strategies.weightings(shape="concave")))


def _small_cases() -> Iterator[Case]:
    risky = [vr.Law.of_weights({Fraction(0): Fraction(i, 10), Fraction(1): 1 - Fraction(i, 10)}) for i in range(1, 6)]
    sure = [vr.Law.point(r) for r in grid("1/4")]
    for horizon in (1, 2):
        models = one_state_models([*sure, *risky], horizon)
        yield from every(Case, models, [Fraction(1)], (vr.Mean(), vr.CVaR("1/2")))


def _proof_steps(planted: bool) -> list[Step]:
    """One step of a path, one strip of an area, one atom of a law."""
    r, up, left, ahead, behind = parameters("r, up, left, ahead, behind")
    eta, rounded = up + left, r + up
    earned = r - (up if planted else 0)
    # before this step the rounded path was `ahead` in front of the raw one, which was `behind` in front of the bound
    path = [
        Step("the rounded path stays in front", ahead + rounded - r),
        Step("the raw path stays in front of it minus eta a step", behind + earned - (rounded - eta)),
    ]
    width, lower, gain = parameters("width, lower, gain")
    strip = width * (lower + gain) - width * lower  # what W has in its area, and Z does not
    x, c, g, h = parameters("x, c, g, h")
    shift = (x - c) * (h - g) - (x * (h - g) - c * (h - g))
    return [
        *path,
        Step("a strip under a larger CDF is no smaller", strip),
        Step("a shifted atom adds the shift times its mass", shift, equation=True),
    ]


PROOF = Proof(
    "every T, laws with finitely many atoms", _proof_steps, "the raw reward is as far below as the rounded above"
)
r"""thm:discretized, :math:`\hat\Phi^* - T\eta \le \Phi(\pi) \le \Phi^* \le \hat\Phi^*`, for every horizon.

A reward r becomes ``r + up`` with ``eta = up + left``, both nonnegative.  Adapted policies play on each path of the raw
model what they play on the rounded path, so path by path :math:`\hat Z - T\eta \le Z \le \hat Z`: induction over the
steps.  Where :math:`W \le Z` path by path, the CDF of W is nowhere below that of Z, and the key identity compares the
objectives strip by strip: G is nondecreasing.  A shift by c moves an objective by c, again by induction over the atoms.

So any policy is worth at most :math:`\hat\Phi^*` in the raw model, and the optimal policy of the rounded one, adapted,
is worth at least :math:`\hat\Phi^* - T\eta`; between them is :math:`\Phi^*`, the best of the raw model.
"""

LOSS = Statement(
    label="thm:discretized",
    title="the loss of discretisation",
    section="3",
    printed=Claim(
        r"\Phi(\pi) \ge \Phi^* - \eta",
        "The adapted optimal policy of the rounded model is worth at least the optimum minus eta.",
        _printed,
    ),
    corrected=Claim(
        r"\hat\Phi^* - T\eta \le \Phi(\pi) \le \Phi^* \le \hat\Phi^*, \quad G \text{ concave}",
        "For concave G, the adapted optimal policy of the rounded model is worth at least the optimum minus T eta.",
        _corrected,
    ),
    cause=causes.LOST_T,
    uses=("lem:pihatphibound", "lem:piphibound", "thm:augmented", "def:grid/range"),
    cases=_cases,
    small_cases=_small_cases,
    small_size="one state, two actions, T <= 2, eta = 1, sure rewards in quarters, coins in tenths; mean and CVaR 1/2",
    counterexample=Case(vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/10", 1: "9/10"}]], 2), Fraction(1), vr.Mean()),
    find_budget=600,
    proof=PROOF,
    formal=Formal(
        proves=("discretisation_chain",),
        refutes=("discretisation_loss_exceeds_eta",),
        counterexample="reward 1/4 mixed with mass 1/100 at 1, so that F†(1) = T; the executable counterexample has no "
        "such mass and loses 13/10",
    ),
    theory="03-discretisation.md#discretised",
    notes="True as printed for T = 1. The proof arrives at T eta (lines 983 and 987), and line 244 chooses eta "
    "= epsilon/T. Line 975 loses a - 2 eta, and line 985 exchanges the indices of pi_0^T; neither "
    "matters.",
)


@dataclass(frozen=True)
class FamilyCase:
    """A horizon, a grid step and a constant c < T proposed instead of T."""

    horizon: int
    eta: Fraction
    constant: Fraction


def _loss(case: FamilyCase) -> Fraction:
    """The loss, in units of eta, of the family with e = d/eta = (T - c)/(4T)."""
    share = (case.horizon - case.constant) / (4 * case.horizon)
    risky = {Fraction(0): share, case.eta: 1 - share}
    mdp = vr.MDP(0, [[[1], [1]]], [[{share * case.eta: 1}, risky]], case.horizon)
    attained, best, _ = _values(Case(mdp, case.eta, vr.Mean()))
    assert isinstance(attained, Fraction)
    return (best - attained) / case.eta


@st.composite
def _family_cases(draw: st.DrawFn) -> FamilyCase:
    horizon = draw(st.integers(1, 4))
    gap = Fraction(1, draw(st.sampled_from((1, 2, 3, 5, 12, 100)))) if draw(st.integers(0, 9)) else Fraction()
    return FamilyCase(horizon, draw(strategies.levels(max_denominator=4)), horizon - gap)


def _small_families() -> Iterator[FamilyCase]:
    for horizon in (1, 2, 3, 4):
        yield from every(FamilyCase, [horizon], (Fraction(1, 2), Fraction(1)), grid("1/4", horizon)[:-1])


CONSTANT = Statement(
    label="thm:discretized/constant",
    title="T is the exact constant of the discretisation loss",
    corrected=Claim(
        r"\forall c < T\ \exists \text{ a model}:\ \Phi(\pi) < \Phi^* - c\,\eta",
        "For every constant below T, some model loses more than that constant times eta.",
        lambda case: at_most(case.constant, _loss(case)),
        when=lambda case: 0 <= case.constant < case.horizon and 0 < case.eta <= 1,
    ),
    uses=("thm:discretized",),
    cases=_family_cases,
    small_cases=_small_families,
    small_size="T <= 4, eta in {1/2, 1}, constants in quarters below T",
    formal=Formal(proves=("no_constant_below_T",)),
    theory="03-discretisation.md#discretised-refuted",
)

STATEMENTS = (LOSS, CONSTANT)
