r"""wang:half-width: Hoeffding's half-width with another constant.  False for five tosses of a fair coin.

The tosses are all equal with probability 1/16, and then the mean is off by 1/2, which is more than
:math:`\frac12 \sqrt{\log 80 / 5} \approx 0.468`; but 1/16 is more than :math:`\delta = 1/20`.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import log, root
from ...engine.model import Claim, Formal, Statement
from ...engine.papers import WANG
from ...engine.severity import Cause, Severity
from .deviations import SMALL_SIZE, Draws, drawn, has_two_draws, missed, small_draws


def _printed_slack(draws: Draws) -> Real:
    return draws.delta - missed(draws, abs, lambda _: root(log(4 / draws.delta) * Fraction(1, 4 * draws.n)))


def _corrected_slack(draws: Draws) -> Real:
    return draws.delta - missed(draws, abs, lambda _: root(log(2 / draws.delta) * Fraction(1, 2 * draws.n)))


STATEMENT = Statement(
    source=__file__,
    paper=WANG.key,
    said="reported",
    label="wang:half-width",
    title="Hoeffding's half-width",
    section="second paper",
    printed=Claim(
        r"P\left(|\hat p - p| > \tfrac12 \sqrt{\log(4/\delta)/N}\right) \le \delta",
        "the mean of N draws in [0, 1] is within half the root of log(4/delta)/N, with probability 1 - delta",
        _printed_slack,
        when=has_two_draws,
    ),
    corrected=Claim(
        r"P\left(|\hat p - p| > \sqrt{\log(2/\delta)/2N}\right) \le \delta",
        "the mean of N draws in [0, 1] is within the root of log(2/delta)/2N, with probability 1 - delta",
        _corrected_slack,
        when=has_two_draws,
    ),
    finding=Severity.REPAIR,
    cause=Cause(
        "half-width",
        "the constant of Hoeffding's half-width",
        "",
        "the root of log(2/delta)/2N; the order of the bound stays",
    ),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    counterexample=Draws((Fraction(1, 2), Fraction(1, 2)), 5, Fraction(1, 20)),
    find_budget=400,
    formal=Formal(proves=("half_width",), refutes=("other_half_width_fails",)),
    theory="11-rivals.md#second-source",
    notes="The formula as it was reported to us. The appendix of the published version and the other versions of the "
    "preprint could not be consulted; where one of them has the right constant, the finding does not concern it. The "
    "order of the paper's bound does not depend on it.",
)
