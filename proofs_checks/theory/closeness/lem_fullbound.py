r"""lem:fullbound: the optimistic model against the true one.  False on the event, for a policy that knows the sample.

It inherits the failure of ``lem:tildebound``: with enough visits every radius is small, but the rewards of the
optimistic model are in the sample and those of the true model are not.  A regret bound needs less, which is true:
``L2/optimistic``.
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
    on_the_event,
    optimistic_value,
    printed_budget,
    small_seen,
    true_value,
)
from ..optimism.l1_markov import MARKOV_ON_EVENT, told_apart
from ..optimism.optimistic_pairs import SMALL_PLAYED, played, small_played_markov, unlucky_played
from ..regret import class_markov


def _printed_slack(case: Seen) -> Real:
    gap = absolute(optimistic_value(case) - true_value(case))
    return 2 * HORIZON * root(2) * printed_budget(case) - gap


STATEMENT: Statement[Any] = Statement(
    label="lem:fullbound",
    title="the optimistic model is close to the true one",
    section="5",
    printed=Claim(
        r"|\hat\Phi(\pi) - \Phi(\pi)| \le 2 T L_G \sqrt{|S|}\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R) "
        r"\text{ on } \mathcal E",
        "on the event, every policy has nearly the same objective in the optimistic and in the true model",
        _printed_slack,
        when=on_the_event,
    ),
    corrected=Claim(
        r"0 \le \hat\Phi(\pi) - \Phi(\pi) \le L_G\, \mathbf E_M \sum_t [(T-t)\min(1, S_0\epsilon) + "
        r"\min(1, 2\epsilon)], \ \pi \text{ Markov}",
        "on the event, every Markov policy has nearly the same objective in both, without the factor T on the rewards",
        class_markov.slack,
        when=MARKOV_ON_EVENT,
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("lem:tildebound", "lem:hattildebound", "L2/optimistic"),
    cases=lambda: st.one_of(drawn(1), played(markov=True), unlucky_played(), told_apart()),
    small_cases=lambda: chain(small_played_markov(), small_seen(1)),
    small_size=SMALL_PLAYED + "; and up to 4 rewards seen of up to 16",
    counterexample=Seen(20_000, 10, 1, 10_000, 50_001, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(parts=("markov_optimism", "markov_optimistic_close")),
    reaches={"coarse": ("0.5", reasons.COARSE)},
    theory="07-closeness.md#fullbound",
    notes="The corrected claim is tested in full generality as class/markov, and for greedy policies as L2/optimistic.",
)
