r"""lem:hattildebound: the optimistic model against the empirical one.  The printed expectation is under the wrong
model.

The optimistic model differs from the empirical one by mass moved to the top, so the two are close in total variation
and closeness (a) applies to every policy, with the expectation under one of *these two* models.  Under the true model
the policy may never visit the pairs with large radii.  The equation :math:`2|S|\epsilon_R = \sqrt{|S|}\,\epsilon_P`
is exact.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import absolute, root
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes, reasons
from ..event.seen_rewards import (
    HORIZON,
    Seen,
    drawn,
    empirical_value,
    optimistic_value,
    printed_budget,
    small_seen,
    valid,
)
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, played, small_played_markov
from . import close_hat_tilde


def _printed_slack(case: Seen) -> Real:
    gap = absolute(optimistic_value(case) - empirical_value(case))
    return HORIZON * root(2) * printed_budget(case) - gap


STATEMENT: Statement[Any] = Statement(
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
        "with the expectation under the empirical (or the optimistic) model, the two are close, with less than half "
        "the constant",
        close_hat_tilde.slack,
        when=lambda case: isinstance(case, Played),
    ),
    finding=Severity.REPAIR,
    cause=causes.OTHER_MODEL,
    uses=("lem:genbound", "close/tv", "def:optimistic/rows", "def:optimistic/rewards"),
    cases=lambda: st.one_of(drawn(0), played()),
    small_cases=lambda: chain(small_played_markov(), small_seen(0)),
    small_size=SMALL_PLAYED + "; and up to 4 rewards seen of up to 16",
    counterexample=Seen(10_000, 100, 0, 1, 10_002, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("hat_and_tilde_close_with_printed_radii",)),
    reaches={**reasons.FORM, "coarse": ("0.5", reasons.COARSE)},
    theory="07-closeness.md#hattildebound",
    notes="Stated without the event.  The corrected claim is tested in full generality as close/hat-tilde.",
)
