r"""lem:tildebound: the empirical model against the true one.  False on the event, for a policy that knows the sample.

In the empirical model every first reward has been seen; in the true one hardly any has.  A y-policy that acts on this
difference separates the two models, although every CDF is within its radius.  For Markov policies the bound is true,
and the radii enter without the factor T.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.irrational import absolute
from ...engine.model import Claim, Formal, Hypotheses, Statement, at_most
from ...engine.severity import Severity
from .. import causes
from ..event.seen_rewards import (
    HORIZON,
    Seen,
    drawn,
    empirical_value,
    on_the_event,
    printed_budget,
    small_seen,
    true_value,
)
from ..optimism.l1_markov import is_markov, told_apart
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, event, played, small_played_markov, unlucky_played


def _event(case: Played) -> bool:
    """The event; with one or two states the rows are within eps_P = 2 eps_R in the l1 norm."""
    return event(case) and case.mdp.n_states <= 2


def _corrected_slack(case: Played) -> Real:
    horizon = case.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        return (horizon - t) * case.radii[s][a]

    gap = phi(case.weighting, case.estimate, case.policy.on(case.estimate)) - phi(case.weighting, case.mdp, case.policy)
    return at_most(absolute(gap), lipschitz(case.weighting) * expected_cost(case.mdp, case.policy, cost))


STATEMENT: Statement[Any] = Statement(
    label="lem:tildebound",
    title="the empirical model is close to the true one",
    section="5",
    printed=Claim(
        r"|\tilde\Phi(\pi) - \Phi(\pi)| \le T L_G\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R), "
        r"\text{ on } \mathcal E",
        "on the event, every policy has nearly the same objective in the empirical and in the true model",
        lambda case: HORIZON * printed_budget(case) - absolute(empirical_value(case) - true_value(case)),
        when=on_the_event,
    ),
    corrected=Claim(
        r"|\tilde\Phi(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_M \sum_t [\epsilon_R + (T-t) \tfrac12 \epsilon_P], "
        r"\ \pi \text{ Markov}",
        "on the event, every Markov policy has nearly the same objective in the empirical and in the true model",
        _corrected_slack,
        when=Hypotheses(Markov=is_markov, event=_event),
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("lem:genbound", "close/markov"),
    cases=lambda: st.one_of(drawn(1), played(markov=True), unlucky_played(), told_apart()),
    small_cases=lambda: chain(small_played_markov(), small_seen(1)),
    small_size=SMALL_PLAYED + "; and up to 4 rewards seen of up to 16",
    counterexample=Seen(2000, 10, 1, 1000, 5001, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("empirical_value_close",)),
    theory="07-closeness.md#tildebound",
    notes="The corrected claim is tested in full generality as close/markov.",
)
