r"""wang:variance: the empirical variance alone bounds the error of a mean.  False for two tosses of a fair coin.

Both are tails with probability 1/4; then the sample variance is 0, the width is 0 and the mean is 1/2 too low.  The
empirical Bernstein inequality (Maurer and Pontil 2009, Theorem 4) has a second term.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real

from ...cases.irrational import log, root
from ...engine.model import Claim, Evidence, Formal, Rank, Statement
from ...engine.papers import WANG
from ...engine.severity import Cause, Severity
from .deviations import SMALL_SIZE, Draws, drawn, has_two_draws, missed, small_draws


def _first_term(draws: Draws, variance: Fraction) -> Real:
    return root(log(2 / draws.delta) * (2 * variance / draws.n))


def _too_low(gap: Fraction) -> Fraction:
    return gap


def _corrected_slack(draws: Draws) -> Real:
    second = log(2 / draws.delta) * Fraction(7, 3 * (draws.n - 1))
    return draws.delta - missed(draws, _too_low, lambda variance: _first_term(draws, variance) + second)


STATEMENT = Statement(
    source=__file__,
    paper=WANG.key,
    said="reported",
    label="wang:variance",
    title="the empirical variance alone bounds the error of a mean",
    section="second paper",
    printed=Claim(
        r"P\left(p - \hat p > \sqrt{2 V_N \log(2/\delta)/N}\right) \le \delta",
        "the mean of N draws in [0, 1] is too low by at most a multiple of the empirical standard deviation",
        lambda draws: draws.delta - missed(draws, _too_low, lambda variance: _first_term(draws, variance)),
        when=has_two_draws,
    ),
    corrected=Claim(
        r"P\left(p - \hat p > \sqrt{2 V_N \log(2/\delta)/N} + \tfrac{7 \log(2/\delta)}{3(N-1)}\right) \le \delta",
        "a second term, of order 1/N, makes it true",
        _corrected_slack,
        when=has_two_draws,
    ),
    finding=Severity.REPAIR,
    cause=Cause(
        "second-term",
        "the second term of the empirical Bernstein inequality",
        "",
        "add 7 log(2/delta)/(3(N-1)); the order of the bound stays",
    ),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    counterexample=Draws((Fraction(1, 2), Fraction(1, 2)), 2, Fraction(1, 20)),
    find_budget=100,
    formal=Formal(
        missing="A claim of another paper. Its corrected form is the empirical Bernstein inequality, which is cited."
    ),
    theory="11-rivals.md#second-source",
    evidence=(Evidence(Rank.CITED, "Maurer and Pontil 2009, Theorem 4"),),
    notes="The formula as it was reported to us. The appendix of the published version and the other versions of the "
    "preprint could not be consulted; where one of them has the second term, the finding does not concern it. The "
    "order of the paper's bound does not depend on it.",
)
