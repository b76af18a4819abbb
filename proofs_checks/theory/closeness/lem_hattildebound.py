r"""lem:hattildebound: the optimistic model against the empirical one.  The printed expectation is under the wrong
model.

The optimistic model differs from the empirical one by mass moved to the top, so the two are close in total variation
and closeness (a) applies to every policy, with the expectation under one of *these two* models.  Under the true model
the policy may never visit the pairs with large radii.  The equation :math:`2|S|\epsilon_R = \sqrt{|S|}\,\epsilon_P`
is exact.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import absolute, minimum, root
from ...engine.model import Claim, Formal, Statement, least
from ...engine.severity import Severity
from .. import causes
from ..event.seen_rewards import (
    HORIZON,
    Seen,
    drawn,
    empirical_value,
    optimistic_value,
    printed_budget,
    radii,
    small_seen,
    valid,
)


def _printed_slack(case: Seen) -> Real:
    gap = absolute(optimistic_value(case) - empirical_value(case))
    return HORIZON * root(2) * printed_budget(case) - gap


def _corrected_slack(case: Seen) -> Real:
    """T L_G E_M~ sum_t |S| eps: the empirical process plays a, then b."""
    a, b, _ = radii(case)
    gap = absolute(optimistic_value(case) - empirical_value(case))
    sharp = HORIZON * (2 * minimum(a, Fraction(1)) + minimum(b, Fraction(1)))
    return least(HORIZON * 2 * (a + b) - gap, sharp - gap)


STATEMENT = Statement(
    source=__file__,
    label="lem:hattildebound",
    title="the optimistic model is close to the empirical one",
    section="5",
    printed=Claim(
        r"|\hat\Phi(\pi) - \tilde\Phi(\pi)| \le T L_G \sqrt{|S|}\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R)",
        "every policy has nearly the same objective in the optimistic and in the empirical model",
        _printed_slack,
        when=valid,
    ),
    corrected=Claim(
        r"|\hat\Phi(\pi) - \tilde\Phi(\pi)| \le T L_G\, \mathbf E_{\tilde M} \sum_t |S|\,\epsilon_R = "
        r"\tfrac12 T L_G \sqrt{|S|}\, \mathbf E_{\tilde M} \sum_t \epsilon_P",
        "with the expectation under the empirical (or the optimistic) model it holds, with less than half the constant",
        _corrected_slack,
        when=valid,
    ),
    finding=Severity.REPAIR,
    cause=causes.OTHER_MODEL,
    uses=("lem:genbound", "close/tv", "def:optimistic/rows", "def:optimistic/rewards"),
    cases=lambda: drawn(0),
    small_cases=lambda: small_seen(0),
    small_size="up to 4 rewards seen of up to 16, up to 4 visits of b",
    counterexample=Seen(10_000, 100, 0, 1, 10_002, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("hat_and_tilde_close_with_printed_radii",)),
    theory="07-closeness.md#hattildebound",
    notes="Stated without the event.  The corrected claim is tested in full generality as close/hat-tilde.",
)
