r"""lem:piphibound: adapting a policy to rounded-up rewards loses nothing.  True with the internal state r - rho.

With the printed internal state r (see ``lem:picdfbound``) the adapted policy may act on a wrong return and be worse.
"""

from __future__ import annotations

import verified_risk as vr
from verified_risk.numbers.enclosure import Real

from ...engine.model import Claim, Formal, Statement, at_most
from ...engine.severity import Severity
from .. import causes
from .adaptation import keep, rounded_steps, start_law, undo
from .lem_picdfbound import looks_up_the_wrong_return
from .lem_pihatphibound import SMALL, ObjectiveCase, objective_cases, small_objective_cases


def _slack(case: ObjectiveCase, *, printed: bool) -> Real:
    """Phi_hat(pi_hat) - Phi(pi)."""
    inner = case.adaptation
    mine = start_law(inner, rounded_steps(inner, inner.tau), undo(inner, printed=printed))
    other = start_law(inner, rounded_steps(inner, inner.tau - 1), keep)
    return at_most(case.objective.of(other), case.objective.of(mine))


STATEMENT = Statement(
    label="lem:piphibound",
    said="inherited",
    title="adapting a policy to rounded-up rewards loses nothing",
    section="B",
    printed=Claim(
        r"\hat\Phi(\hat\pi) \ge \Phi(\pi), \quad \alpha_{\tau+1} = r",
        "With internal state r after step tau, the adapted policy is worth at least the original.",
        lambda case: _slack(case, printed=True),
    ),
    corrected=Claim(
        r"\hat\Phi(\hat\pi) \ge \Phi(\pi), \quad \alpha_{\tau+1} = r - \rho",
        "With internal state r - rho after step tau, the adapted policy is worth at least the original.",
        lambda case: _slack(case, printed=False),
    ),
    finding=Severity.SLIP,
    cause=causes.INTERNAL_STATE,
    uses=("lem:picdfbound/before", "lem:monotoneinversebound"),
    cases=objective_cases,
    small_cases=small_objective_cases,
    small_size=SMALL,
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
