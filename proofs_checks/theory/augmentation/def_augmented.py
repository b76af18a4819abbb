r"""def:augmented: the augmented MDP pays the reward so far at step T, before the last reward is earned.

Its state is (s, y).  As printed it pays :math:`y_T` at step T and omits :math:`r_T`.  With the payment after the last
step, policies of (t, s, y) are as good as policies of the whole history.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import bounds

from ...cases import strategies
from ...cases.enumeration import attainable_laws, coin_models, every, return_policies
from ...cases.histories import weighted
from ...engine.model import Claim, Formal, Real, Statement, equality, least
from .. import causes
from .conditioning import joint_laws, rule_of


@dataclass(frozen=True)
class Case:
    """A model and a concave weighting (so that deterministic policies suffice)."""

    mdp: vr.MDP
    objective: vr.Weighting


def _best(laws: list[vr.Law], objective: vr.Weighting) -> Fraction:
    return max(bounds(objective.of(law))[0] for law in laws)


def _payments(mdp: vr.MDP, after: int) -> list[vr.Law]:
    """The laws of the reward before step ``after`` (counted from 0), over all deterministic y-policies."""
    laws = []
    for policy in return_policies(mdp):
        levels = joint_laws(mdp, rule_of(policy))
        assert levels is not None
        laws.append(weighted((y, mass) for (_, y), mass in levels[after].items()))
    return laws


def _printed(case: Case) -> Real:
    """The optimum of the printed augmented MDP against the optimum over all policies."""
    optimum = _best(attainable_laws(case.mdp), case.objective)
    return equality(_best(_payments(case.mdp, case.mdp.horizon - 1), case.objective), optimum)


def _corrected(case: Case) -> Real:
    """With the payment after the last step, y-policies attain the optimum over histories, and so does the planner."""
    optimum = _best(attainable_laws(case.mdp), case.objective)
    augmented = _best(_payments(case.mdp, case.mdp.horizon), case.objective)
    return least(equality(augmented, optimum), equality(vr.exact_plan(case.mdp, case.objective).value, optimum))


STATEMENT = Statement(
    label="def:augmented",
    title="the augmented MDP is equivalent",
    section="3",
    printed=Claim(
        r"\max_{\pi(a\mid s,y)} \Phi(y_T) = \max_\pi \Phi(Z)",
        "Paying the reward so far at step T, policies of state and reward so far attain the optimum.",
        _printed,
    ),
    corrected=Claim(
        r"\max_{\pi(a\mid s,y)} \Phi(y_{T+1}) = \max_\pi \Phi(Z), \quad G \text{ concave}",
        "For concave G, paying the reward so far after step T, policies of state and reward so far attain the optimum.",
        _corrected,
    ),
    cause=causes.EPISODE,
    uses=("thm:augmented",),
    cases=lambda: st.builds(
        Case, strategies.mdps(max_horizon=2, max_denominator=2), strategies.weightings(shape="concave")
    ),
    small_cases=lambda: every(Case, coin_models(), (vr.Mean(), vr.CVaR("1/2"), vr.CVaR("1/3"))),
    small_size="one state, two actions, T <= 2, rewards in halves, coin flips; mean and two CVaRs; all policies",
    counterexample=Case(vr.MDP(0, [[[1]]], [[1]], 1), vr.Mean()),
    find_budget=100,
    formal=Formal(proves=("augmented_mdp_has_the_same_optimum",)),
    theory="02-augmentation.md#augmented-mdp",
    examples_share=0.5,
    notes="Line 222 says in words that the cumulative reward is paid at the end of the rollout; by the printed "
    "indices the last reward is left out.",
)
