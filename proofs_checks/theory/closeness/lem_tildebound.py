r"""lem:tildebound: the empirical model against the true one.  False on the event, for a policy that knows the sample.

In the empirical model every first reward has been seen; in the true one hardly any has.  A y-policy that acts on this
difference separates the two models, although every CDF is within its radius.  For Markov policies the bound is true,
and the radii enter without the factor T.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import absolute
from ...engine.model import Claim, Formal, Statement, least
from ...engine.severity import Severity
from .. import causes
from ..event.seen_rewards import (
    HORIZON,
    Seen,
    drawn,
    empirical_value,
    on_the_event,
    printed_budget,
    radii,
    seen_mean,
    small_seen,
    true_mean,
    true_value,
)


def _corrected_slack(case: Seen) -> Real:
    """The nine deterministic Markov policies; only the reward of a has an error, at most one radius per visit."""
    error = absolute(seen_mean(case) - true_mean(case))
    return least(*(visits * (radii(case)[0] - error) for visits in (0, 1, 2)))


STATEMENT = Statement(
    source=__file__,
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
        when=on_the_event,
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("lem:genbound", "close/markov"),
    cases=lambda: drawn(1),
    small_cases=lambda: small_seen(1),
    small_size="up to 4 rewards seen of up to 16, up to 4 visits of b",
    counterexample=Seen(2000, 10, 1, 1000, 5001, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("empirical_value_close",)),
    theory="07-closeness.md#tildebound",
    notes="The corrected claim is tested in full generality as close/markov.",
)
