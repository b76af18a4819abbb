r"""lem:picdfbound: a policy of the model that does not round step tau, adapted to the one that does.

Seeing the rounded reward rho, draw r given :math:`\phi(r) = \rho` and play on as if r had been paid.  The internal
state that does this is :math:`\alpha = r - \rho`; printed is :math:`\alpha = r`, which counts the reward twice: the
policy acts on a wrong return, even if rounding changes nothing.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.mdp import MDP

from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes
from . import adaptation
from .adaptation import Case, YRule, increments, keep, reachable, rounded_steps, shift_needed, undo
from .lem_pihatcdfbound import LATER_SMALL, LaterCase, after_tau, later, later_cases, small_later_cases


def _later(case: LaterCase) -> Fraction:
    """The adapted policy in M_tau, the original in M_{tau-1}."""
    inner = case.adaptation
    rounded, raw = rounded_steps(inner, inner.tau), rounded_steps(inner, inner.tau - 1)
    return later(case, rounded, undo(inner, printed=False), raw)


AFTER = Statement(
    label="lem:picdfbound/after",
    title="after the rounded step the adapted policy earns the same",
    section="B",
    printed=Claim(
        r"t > \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,\alpha)} = F_{Z_t^{\pi}(s,y+\alpha)}, \quad Z_t = r_t + \dots + r_T",
        "After step tau, the rewards to come of the adapted policy from (y, alpha) are those from y + alpha, in law.",
        _later,
        when=after_tau,
    ),
    uses=("def:bellman", "def:pushforward"),
    cases=later_cases,
    small_cases=small_later_cases,
    small_size=LATER_SMALL,
    formal=Formal(proves=("undone_rewards_ahead",)),
    theory="03-discretisation.md#adapt-up",
    notes="Z_t is the reward from step t on, as at line 134 and in the proofs.",
)


def _before(case: Case, *, printed: bool) -> Fraction:
    """Minus the shift that F_hat(x) <= F(x + shift) needs, over t <= tau, reachable (s, y) and x."""
    raw, rounded = rounded_steps(case, case.tau - 1), rounded_steps(case, case.tau)
    update = undo(case, printed=printed)
    return -max(
        shift_needed(increments(rounded, case.rule, update, t, s, y), increments(raw, case.rule, keep, t, s, y))
        for t in range(case.tau)
        for s, y in reachable(case, raw)[t]
    )


def looks_up_the_wrong_return() -> Case:
    """T = 2, eta = 1, R(a) = 1, R(b) = 0; play a, then a iff the return so far is 1 (b is action 0 here)."""
    mdp = MDP(0, [[[1], [1]]], [[0, 1]], 2)
    second = (Fraction(0), Fraction(1))
    rule = YRule(((0, 0, Fraction(0), second), (1, 0, Fraction(1), second)))
    return Case(mdp, Fraction(1), 1, rule)


BEFORE = Statement(
    label="lem:picdfbound/before",
    title="in the rounded model the adapted policy earns at least as much",
    section="B",
    printed=Claim(
        r"t \le \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,0)}(x) \le F_{Z_t^{\pi}(s,y)}(x), \quad \alpha_{\tau+1} = r",
        "With internal state r after step tau, the adapted policy falls to x at most as often as the original.",
        lambda case: _before(case, printed=True),
    ),
    corrected=Claim(
        r"t \le \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,0)}(x) \le F_{Z_t^{\pi}(s,y)}(x), \quad \alpha_{\tau+1} = r - \rho",
        "With internal state r - rho after step tau, the adapted policy falls to x at most as often as the original.",
        lambda case: _before(case, printed=False),
    ),
    finding=Severity.SLIP,
    cause=causes.INTERNAL_STATE,
    uses=("lem:picdfbound/after",),
    cases=adaptation.cases,
    small_cases=adaptation.small_cases,
    small_size=adaptation.SMALL,
    counterexample=looks_up_the_wrong_return(),
    find_budget=600,
    formal=Formal(proves=("undone_cdf_le",)),
    theory="03-discretisation.md#adapt-up",
    notes="The proof uses r - rho (lines 928 and 934), the statement prints r.",
)

STATEMENTS = (AFTER, BEFORE)
