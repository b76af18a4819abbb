r"""exp:forty: "converges within 40 episodes".  Out of reach of the printed radius.

At alpha = 33/100 the best path has value 56/33; the path of return 6 fails with probability 271/1000.  Take the most
favourable reading: each path one step, :math:`|S| = |A| = 1` in the logarithm, :math:`K = 40`, :math:`\delta = 1`.
After n visits with f failures the optimistic value of the path is :math:`6\,(1 - (f/n - \epsilon)^+/\alpha)^+`.  No
optimistic value of the best path exceeds its return, 4, so the path of return 6 is given up for it only when its own is
at most 4.  With the printed radius that is improbable for every :math:`n \le 40`.

What the authors' program did, with whatever radii, is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verified_risk.enclosure import Real, Truth, at_least

from ...cases.estimation import printed_level, radius
from ...cases.sampling import multinomial
from ...engine.model import Claim, Statement
from ...engine.severity import Severity

ALPHA = Fraction(33, 100)
FAILURE = Fraction(271, 1000)
BEST_RETURN = 4
TOP = 6


@dataclass(frozen=True)
class Case:
    """Visits to the path of return 6, episodes, delta."""

    visits: int
    episodes: int
    delta: Fraction


def given_up(case: Case) -> Fraction:
    """The probability that the optimistic value of the path is at most the return of the best path."""
    eps = radius(printed_level(1, 1, case.episodes, case.delta), case.visits)
    needed = ALPHA * (1 - Fraction(BEST_RETURN, TOP))  # of failures, after the shift
    total = Fraction()
    for (failures, _), p in multinomial((FAILURE, 1 - FAILURE), case.visits):
        if at_least(Fraction(failures, case.visits) - needed, eps) is Truth.HOLDS:
            total += p
    return total


def _printed_slack(case: Case) -> Real:
    return given_up(case) - Fraction(1, 2)


def _corrected_slack(case: Case) -> Real:
    """The printed radius is still at least 26/100."""
    return radius(printed_level(1, 1, case.episodes, case.delta), case.visits) - Fraction(26, 100)


def _within_forty(case: Case) -> bool:
    return 1 <= case.visits <= 40 <= case.episodes and 0 < case.delta <= 1


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    deltas = st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(1, 10)))
    return Case(draw(st.integers(1, 40)), draw(st.sampled_from((40, 100, 1000))), draw(deltas))


def _cases() -> SearchStrategy[Case]:
    return _drawn()


def _small_cases() -> Iterator[Case]:
    return (Case(visits, 40, Fraction(1)) for visits in range(1, 41))


STATEMENT = Statement(
    source=__file__,
    label="exp:forty",
    said="implied",
    title="convergence within 40 episodes",
    section="6",
    printed=Claim(
        r"P[\hat\Phi(\text{path } 6) \le 4] \ge 1/2 \text{ for some } n \le 40",
        "with the printed radius, 40 episodes suffice to give up the path of return 6 with probability one half",
        _printed_slack,
        when=_within_forty,
    ),
    corrected=Claim(
        r"n \le 40 \le K,\ \delta \le 1 \Rightarrow \epsilon_R \ge 26/100",
        "after at most 40 visits the printed radius is still above a quarter, even for one state and one action",
        _corrected_slack,
        when=_within_forty,
    ),
    finding=Severity.SUBSTANCE,
    cases=_cases,
    small_cases=_small_cases,
    small_size="all n <= 40 at K = 40, delta = 1",
    counterexample=Case(40, 40, Fraction(1)),
    find_budget=20,
    theory="09-experiment.md#forty",
    notes="The probability is below 1/2 for every n up to 40. What the authors' program did, with whatever radii, is "
    "not decided: refuted is that the printed radius explains it.",
)
