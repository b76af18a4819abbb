r"""lem:event/l1: the l1 radius of the transitions.  The inequality of Weissman and others, and the printed radius.

.. math:: P(\|\tilde p - p\|_1 \ge v) \le (2^m - 2) e^{-n v^2/2}, \qquad
          (2^m - 2) \Bigl(\frac{u}{6m}\Bigr)^m \le \frac{u}{3m} \quad (0 < u \le 1),

the second with :math:`u = \delta/(|A|K)` and :math:`m = |S|`: the printed :math:`\epsilon_P` is large enough, for a
fixed n.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import exp
from ...cases.sampling import l1_gap
from ...engine.model import Claim, Evidence, Formal, Rank, Statement, at_most, least
from .event_laws import SMALL_SIZE, Draws, drawn, small_draws, tail_slack


def _slack(draws: Draws) -> Real:
    m = len(draws.masses)
    tail = tail_slack(draws, l1_gap, lambda v: (2**m - 2) * exp(-Fraction(draws.n) * v**2 / 2))
    shares = (Fraction(1), Fraction(1, 2), Fraction(1, 100))
    return least(tail, *(at_most((2**m - 2) * (u / (6 * m)) ** m, u / (3 * m), "share") for u in shares))


STATEMENT = Statement(
    label="lem:event/l1",
    title="the empirical transitions are within their l1 radius",
    section="5",
    printed=Claim(
        r"P(\|\tilde P - P\|_1 \ge v) \le (2^{|S|} - 2) e^{-n v^2/2} \le \delta/(3|S||A|K) \text{ at } v = \epsilon_P",
        "n independent successors have frequencies within l1 distance v, except with the stated probability",
        _slack,
    ),
    uses=("def:empirical",),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE + "; shares 1, 1/2, 1/100",
    examples_share=0.3,
    formal=Formal(parts=("l1_rarely_large", "l1_radius_is_large_enough")),
    reaches={
        "bound": ("0.8", "one toss of a fair coin comes to 0.824"),
        "share": ("0.01", "the share is generous by its exponent m"),
    },
    theory="06-event-and-optimism.md#event-printed",
    evidence=(Evidence(Rank.CITED, "Weissman et al., HP Labs (2003)"),),
)
