r"""lem:pihatcdfbound and lem:picdfbound: a policy adapted between the models that do and do not round step tau.

Down, to the model that does not: the adapted policy plays :math:`\hat\pi_t(a\mid s, y+\alpha)` with
:math:`\alpha = \phi(r)-r` after step tau.  After step tau both earn the same; up to step tau it earns at most eta less.
The return from step t is the sum of the rewards from step t on, as the paper defines it.

Up, to the model that does: seeing the rounded reward rho, draw r given :math:`\phi(r) = \rho` and play on as if r had
been paid.  The internal state that does this is :math:`\alpha = r - \rho`; printed is :math:`\alpha = r`, which counts
the reward twice: the policy acts on a wrong return, even if rounding changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from .. import causes
from . import adaptation
from .adaptation import Case, YRule, increments, keep, lift, reachable, rounded_steps, shift_needed, undo


@dataclass(frozen=True)
class LaterCase:
    """An adaptation, and a state, a return and an internal state after step tau."""

    adaptation: Case
    t: int
    s: int
    y: Fraction
    alpha: Fraction


def after_tau(case: LaterCase) -> bool:
    return case.adaptation.tau < case.t <= case.adaptation.mdp.horizon


def _later(case: LaterCase, *, down: bool) -> Fraction:
    """-KS between the adapted policy from (s, y, alpha), in the model that does not round step tau (``down``) or in the
    one that does, and the original from (s, y + alpha) in the other; t is counted from 1."""
    inner, rule = case.adaptation, case.adaptation.rule
    steps, others = rounded_steps(inner, inner.tau - down), rounded_steps(inner, inner.tau - (not down))
    update = lift(inner) if down else undo(inner, printed=False)
    mine = increments(steps, rule, update, case.t - 1, case.s, case.y, case.alpha)
    return -mine.kolmogorov(increments(others, rule, keep, case.t - 1, case.s, case.y + case.alpha))


@st.composite
def later_cases(draw: st.DrawFn) -> LaterCase:
    """Adaptations with a point, mostly after step tau; alpha as rounding leaves it, or any other."""
    inner = draw(adaptation.cases(before_the_last_step=True))
    t = draw(st.integers(inner.tau + 1 if draw(st.integers(0, 4)) else 1, inner.mdp.horizon))
    places = sorted(reachable(inner, rounded_steps(inner, inner.tau - 1))[t - 1])
    s, y = draw(st.sampled_from(places))
    return LaterCase(inner, t, s, y, draw(strategies.rationals(max_denominator=4)))


def small_later_cases() -> Iterator[LaterCase]:
    """The enumeration of adaptations, with the internal states 0, 1/4 and 1/2 at t = 2, y = 1/4."""
    for inner in adaptation.small_cases():
        if inner.tau == 1:
            for alpha in (Fraction(0), Fraction(1, 4), Fraction(1, 2)):
                yield LaterCase(inner, 2, 0, Fraction(1, 4), alpha)


LATER_SMALL = adaptation.SMALL + "; t = 2, y = 1/4, alpha in {0, 1/4, 1/2}"

DOWN_AFTER = Statement(
    label="lem:pihatcdfbound/after",
    title="after the rounded step both policies earn the same",
    section="B",
    printed=Claim(
        r"t > \tau:\ F_{Z_t^{\pi}(s,y,\alpha)} = F_{\hat Z_t^{\hat\pi}(s,y+\alpha)}, \quad Z_t = r_t + \dots + r_T",
        "After step tau, the rewards to come of the adapted policy from (y, alpha) are those from y + alpha, in law.",
        lambda case: _later(case, down=True),
        when=after_tau,
    ),
    uses=("def:bellman", "def:pushforward"),
    cases=later_cases,
    small_cases=small_later_cases,
    small_size=LATER_SMALL,
    formal=Formal(proves=("lifted_rewards_ahead",)),
    theory="03-discretisation.md#adapt-down",
    notes="Z_t is the reward from step t on, as at line 134 and in the proofs. The base case is T + 1, not T.",
)


def _down_before(case: Case) -> Real:
    """eta minus the shift that F(x) <= F_hat(x + shift) needs, over t <= tau, reachable (s, y) and x."""
    raw, rounded = rounded_steps(case, case.tau - 1), rounded_steps(case, case.tau)
    return least(
        *(
            at_most(
                shift_needed(
                    increments(raw, case.rule, lift(case), t, s, y), increments(rounded, case.rule, keep, t, s, y)
                ),
                case.eta,
            )
            for t in range(case.tau)
            for s, y in reachable(case, raw)[t]
        )
    )


DOWN_BEFORE = Statement(
    label="lem:pihatcdfbound/before",
    title="up to the rounded step the adapted policy earns at most eta less",
    section="B",
    printed=Claim(
        r"t \le \tau:\ F_{Z_t^{\pi}(s,y,0)}(x) \le F_{\hat Z_t^{\hat\pi}(s,y)}(x + \eta)",
        "Up to step tau, the adapted policy falls to x at most as often as the original falls to x + eta.",
        _down_before,
    ),
    uses=("lem:pihatcdfbound/after",),
    cases=adaptation.cases,
    small_cases=adaptation.small_cases,
    small_size=adaptation.SMALL,
    formal=Formal(proves=("lifted_cdf_le",)),
    theory="03-discretisation.md#adapt-down",
    notes="The proof once writes r - phi(r) for the internal state; the statement has it right.",
)


UP_AFTER = replace(
    DOWN_AFTER,
    label="lem:picdfbound/after",
    title="after the rounded step the adapted policy earns the same",
    printed=Claim(
        r"t > \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,\alpha)} = F_{Z_t^{\pi}(s,y+\alpha)}, \quad Z_t = r_t + \dots + r_T",
        "After step tau, the rewards to come of the adapted policy from (y, alpha) are those from y + alpha, in law.",
        lambda case: _later(case, down=False),
        when=after_tau,
    ),
    formal=Formal(proves=("undone_rewards_ahead",)),
    theory="03-discretisation.md#adapt-up",
    notes="Z_t is the reward from step t on, as at line 134 and in the proofs.",
)


def _up_before(case: Case, *, printed: bool) -> Fraction:
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
    mdp = vr.MDP(0, [[[1], [1]]], [[0, 1]], 2)
    second = (Fraction(0), Fraction(1))
    rule = YRule(((0, 0, Fraction(0), second), (1, 0, Fraction(1), second)))
    return Case(mdp, Fraction(1), 1, rule)


UP_BEFORE = replace(
    DOWN_BEFORE,
    label="lem:picdfbound/before",
    title="in the rounded model the adapted policy earns at least as much",
    printed=Claim(
        r"t \le \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,0)}(x) \le F_{Z_t^{\pi}(s,y)}(x), \quad \alpha_{\tau+1} = r",
        "With internal state r after step tau, the adapted policy falls to x at most as often as the original.",
        lambda case: _up_before(case, printed=True),
    ),
    corrected=Claim(
        r"t \le \tau:\ F_{\hat Z_t^{\hat\pi}(s,y,0)}(x) \le F_{Z_t^{\pi}(s,y)}(x), \quad \alpha_{\tau+1} = r - \rho",
        "With internal state r - rho after step tau, the adapted policy falls to x at most as often as the original.",
        lambda case: _up_before(case, printed=False),
    ),
    cause=causes.INTERNAL_STATE,
    uses=("lem:picdfbound/after",),
    counterexample=looks_up_the_wrong_return(),
    find_budget=600,
    formal=Formal(proves=("undone_cdf_le",)),
    theory="03-discretisation.md#adapt-up",
    notes="The proof uses r - rho (lines 928 and 934), the statement prints r.",
)

DOWN, UP = (DOWN_AFTER, DOWN_BEFORE), (UP_AFTER, UP_BEFORE)
