r"""def:objective/cpw: cumulative probability weighting as a weighting G.  A CDF for its usual parameters, not for all.

.. math:: G(\tau) = \frac{\tau^\gamma}{(\tau^\gamma + (1-\tau)^\gamma)^{1/\gamma}} .

At :math:`\gamma = 1/q` and :math:`\tau = x^q/(1+x^q)` its q-th power is :math:`x^q (1+x^q)^{q-1} / (1+x)^{q^2}`, a
rational number for rational x.  For q = 4 it falls between x = 1/2 and x = 2/3; for q = 2 it never falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ...cases import strategies
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes


@dataclass(frozen=True)
class Case:
    """Two levels tau <= tau', given as the ratios x <= x' with tau = x^q / (1 + x^q)."""

    low: Fraction
    high: Fraction


def power(x: Fraction, q: int) -> Fraction:
    """``G(tau)^q`` for gamma = 1/q at ``tau = x^q / (1 + x^q)``."""
    return x**q * (1 + x**q) ** (q - 1) / (1 + x) ** (q * q)


def _ordered(case: Case) -> bool:
    return 0 <= case.low <= case.high


def _cases() -> SearchStrategy[Case]:
    ratios = strategies.rationals(max_value=2, max_denominator=6)
    return st.tuples(ratios, ratios).map(lambda pair: Case(*sorted(pair)))


STATEMENT = Statement(
    source=__file__,
    label="def:objective/cpw",
    said="implied",
    title="the weighting of CPW is a CDF",
    section="2",
    printed=Claim(
        r"\gamma > 0:\ G(\tau) = \tau^\gamma/(\tau^\gamma + (1-\tau)^\gamma)^{1/\gamma} \text{ is nondecreasing}",
        "For every parameter, here gamma = 1/4, cumulative probability weighting is nondecreasing.",
        lambda case: power(case.high, 4) - power(case.low, 4),
        when=_ordered,
    ),
    corrected=Claim(
        r"\gamma = \tfrac12:\ G \text{ is nondecreasing}",
        "For gamma = 1/2 it is nondecreasing.",
        lambda case: power(case.high, 2) - power(case.low, 2),
        when=_ordered,
    ),
    finding=Severity.SLIP,
    cause=causes.CPW_PARAMETER,
    cases=_cases,
    small_cases=lambda: (Case(x, y) for x, y in combinations((Fraction(i, 6) for i in range(19)), 2)),
    small_size="all pairs of ratios in sixths up to 3",
    counterexample=Case(Fraction(1, 2), Fraction(2, 3)),
    find_budget=200,
    formal=Formal(proves=("cpw_is_nondecreasing",)),
    theory="01-setting.md#objective-instances",
    notes="Line 153 names the family without a range for its parameter. The parameters used in practice, about 0.6, "
    "are far from where it fails.",
)
