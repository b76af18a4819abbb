r"""lem:event/hoeffding: Hoeffding's inequality for all successors at once.  False without a union over them.

The proof bounds :math:`\max_{s'} |\tilde P(s') - P(s')|` as if it were one coordinate.  One draw from three equally
likely outcomes is always 2/3 away from its own mass, and :math:`2 e^{-8/9} < 1`.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import exp
from ...cases.sampling import sup_gap
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes, reasons
from .event_laws import SMALL_SIZE, Draws, drawn, small_draws, tail_slack


def sup_bound(draws: Draws, v: Fraction, events: int) -> Real:
    """Hoeffding's bound for both sides of so many events."""
    return 2 * events * exp(-2 * draws.n * v**2)


STATEMENT = Statement(
    label="lem:event/hoeffding",
    said="inherited",
    title="Hoeffding's inequality for the largest coordinate",
    section="C",
    printed=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 e^{-2 n v^2}",
        "one application of Hoeffding's inequality bounds the error of every successor's frequency at once",
        lambda draws: tail_slack(draws, sup_gap, lambda v: sup_bound(draws, v, 1)),
    ),
    corrected=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 m e^{-2 n v^2}, \ m \text{ outcomes}",
        "the union over the successors costs a factor, their number",
        lambda draws: tail_slack(draws, sup_gap, lambda v: sup_bound(draws, v, len(draws.masses))),
    ),
    finding=Severity.REPAIR,
    cause=causes.UNION,
    uses=("def:empirical",),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    counterexample=Draws((Fraction(1, 3),) * 3, 1),
    find_budget=100,
    formal=Formal(proves=("sup_norm_rarely_large",)),
    reaches={"bound": ("0.2", reasons.UNION)},
    theory="06-event-and-optimism.md#event-supnorm",
    notes="Two draws from four equally likely outcomes refute it as well, at v = 3/4.",
)
