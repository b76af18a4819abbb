r"""lem:event/sup-norm: the sup-norm radius of the transitions.  A gap: the union over successors is missing.

The radius is :math:`\epsilon_R`, so the claim is :math:`P(\|\tilde P - P\|_\infty \ge v) \le 2e^{-2nv^2}` wherever
the right side is at most :math:`1/(6|S|)`.  The inequality is false in general (``lem:event/hoeffding``); in this
range no violation is known, and no proof.  With the union over successors in the logarithm it is true.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real, Truth, at_least

from ...cases.sampling import sup_gap
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes, reasons
from .event_hoeffding import sup_bound
from .event_laws import SMALL_SIZE, Draws, drawn, small_draws, tail_slack


def _in_range(draws: Draws, bound: Real) -> bool:
    r"""``bound`` is at most :math:`\delta/(3|S||A|K)` for some delta <= 1, |A| = 1 and K = 2, the first
    episode with a visit behind it; the states are the outcomes and s_inf."""
    return at_least(Fraction(1, 6 * (len(draws.masses) + 1)), bound) is Truth.HOLDS


def _slack(draws: Draws, events: int) -> Real:
    def bound(v: Fraction) -> Real:
        return sup_bound(draws, v, events)

    return tail_slack(draws, sup_gap, bound, lambda v: _in_range(draws, bound(v)))


def _met(draws: Draws) -> bool:
    """Some attained distance lies in the range, so that the claim is not vacuous."""
    farthest = max(1 - min(draws.masses), max(draws.masses))
    return len(draws.masses) > 1 and _in_range(draws, sup_bound(draws, farthest, 1))


STATEMENT = Statement(
    label="lem:event/sup-norm",
    title="the empirical transitions are within their sup-norm radius",
    section="5",
    printed=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 e^{-2 n v^2} \text{ if } 2 e^{-2 n v^2} \le 1/(6|S|)",
        "at the radius of the rewards, every successor's frequency is close, except with the stated probability",
        lambda draws: _slack(draws, 1),
        when=_met,
    ),
    corrected=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 |S_0| e^{-2 n v^2}",
        "with the union over successors in the logarithm of its radius, every frequency is close, except with the "
        "stated probability",
        lambda draws: _slack(draws, len(draws.masses)),
        when=_met,
    ),
    finding=Severity.GAP,
    cause=causes.UNION,
    uses=("lem:event/hoeffding",),
    cases=lambda: drawn(max_outcomes=5, max_draws=8),
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("sup_norm_rarely_large",)),
    reaches={**reasons.FORM, "bound": ("0.1", reasons.UNION)},
    theory="06-event-and-optimism.md#event-supnorm",
    notes="The closest case known: four draws from four equally likely outcomes, v = 3/4, ratio 0.703.",
    examples_share=0.5,
)
