r"""lem:pihatphibound and lem:piphibound: what adapting a policy to another rounding costs.

Adapted to unrounded rewards it loses at most eta, by ``lem:pihatcdfbound`` at t = 1 and ``lem:monotoneinversebound``,
for every nondecreasing weighting.  Adapted to rounded-up rewards it loses nothing with the internal state r - rho; with
the printed internal state r (see ``lem:picdfbound``) it may act on a wrong return and be worse.
"""

from dataclasses import dataclass, replace

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import every
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes
from . import adaptation
from .adaptation import Case, keep, lift, rounded_steps, start_law, undo
from .lem_pihatcdfbound import looks_up_the_wrong_return


@dataclass(frozen=True)
class ObjectiveCase:
    """An adaptation and a weighting."""

    adaptation: Case
    objective: vr.Weighting


def _unrounded(case: ObjectiveCase) -> Real:
    """Phi(pi) - (Phi_hat(pi_hat) - eta)."""
    inner = case.adaptation
    mine = start_law(inner, rounded_steps(inner, inner.tau - 1), lift(inner))
    other = start_law(inner, rounded_steps(inner, inner.tau), keep)
    return at_most(case.objective.of(other) - case.objective.of(mine), inner.eta)


UNROUNDED = Statement(
    label="lem:pihatphibound",
    title="adapting a policy to unrounded rewards loses at most eta",
    section="B",
    printed=Claim(
        r"\Phi(\pi) \ge \hat\Phi(\hat\pi) - \eta",
        "The adapted policy is worth at least the original minus eta.",
        _unrounded,
    ),
    uses=("lem:pihatcdfbound/before", "lem:monotoneinversebound", "def:objective/jumps"),
    cases=lambda: st.builds(ObjectiveCase, adaptation.cases(), strategies.weightings(jumps=True)),
    small_cases=lambda: every(ObjectiveCase, adaptation.small_cases(), (vr.Mean(), vr.VaR("1/2"))),
    small_size=adaptation.SMALL + "; mean and median",
    formal=Formal(proves=("one_step_value_ge",)),
    theory="03-discretisation.md#adapt-down",
)


def _rounded(case: ObjectiveCase, *, printed: bool) -> Real:
    """Phi_hat(pi_hat) - Phi(pi)."""
    inner = case.adaptation
    mine = start_law(inner, rounded_steps(inner, inner.tau), undo(inner, printed=printed))
    other = start_law(inner, rounded_steps(inner, inner.tau - 1), keep)
    return at_most(case.objective.of(other), case.objective.of(mine))


ROUNDED = replace(
    UNROUNDED,
    label="lem:piphibound",
    said="inherited",
    title="adapting a policy to rounded-up rewards loses nothing",
    printed=Claim(
        r"\hat\Phi(\hat\pi) \ge \Phi(\pi), \quad \alpha_{\tau+1} = r",
        "With internal state r after step tau, the adapted policy is worth at least the original.",
        lambda case: _rounded(case, printed=True),
    ),
    corrected=Claim(
        r"\hat\Phi(\hat\pi) \ge \Phi(\pi), \quad \alpha_{\tau+1} = r - \rho",
        "With internal state r - rho after step tau, the adapted policy is worth at least the original.",
        lambda case: _rounded(case, printed=False),
    ),
    cause=causes.INTERNAL_STATE,
    uses=("lem:picdfbound/before", "lem:monotoneinversebound"),
    counterexample=ObjectiveCase(looks_up_the_wrong_return(), vr.Mean()),
    find_budget=1500,
    formal=Formal(
        proves=("undone_value_ge",),
        refutes=("printed_internal_state_fails",),
        counterexample="action a pays 3/4 and b pays 0; the executable counterexample has rewards 0 and 1",
    ),
    theory="03-discretisation.md#adapt-up",
    notes="It refers to the policy of lem:picdfbound, whose statement prints r at line 903; the proof has r - rho.",
)
