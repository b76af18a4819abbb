r"""exp:forty: a remark on the experiment.  After 40 episodes the printed radius is still above a quarter.

The most favourable reading: each path one step, :math:`|S| = |A| = 1` in the logarithm, :math:`K = 40`,
:math:`\delta = 1`.  That is all that is said: which path an optimistic planner then prefers depends on radii that the
paper does not state for its experiment, and on what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import printed_level, radius
from ...engine.model import Claim, Statement
from ...engine.severity import Severity


@dataclass(frozen=True)
class Case:
    """Visits to the path of return 6, episodes, delta."""

    visits: int
    episodes: int
    delta: Fraction


def _slack(case: Case) -> Real:
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
    title="the printed radius after 40 episodes",
    section="6",
    printed=None,
    corrected=Claim(
        r"n \le 40 \le K,\ \delta \le 1 \Rightarrow \epsilon_R \ge 26/100",
        "after at most 40 visits the printed radius is still above a quarter, even for one state and one action",
        _slack,
        when=_within_forty,
    ),
    finding=Severity.HOLDS,
    cases=_cases,
    small_cases=_small_cases,
    small_size="all n <= 40 at K = 40, delta = 1",
    theory="09-experiment.md#forty",
    notes="A remark. That the algorithm converged within 40 episodes (line 506) is an observation on a program whose "
    "radii are not stated; it is neither confirmed nor contradicted here.",
)
