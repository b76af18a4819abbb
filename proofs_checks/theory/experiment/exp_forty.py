r"""exp:forty: a remark on the experiment.  After 40 episodes the printed radius is still above a quarter.

The most favourable reading: each path one step, :math:`|S| = |A| = 1` in the logarithm, :math:`K = 40`,
:math:`\delta = 1`.  The claim says no more: which path an optimistic planner then prefers depends on the radii, which
the paper does not state for its experiment, and on the observations.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import exp, log

from ...cases.estimation import printed_level, radius
from ...engine.model import Claim, Evidence, Formal, Rank, Real, Statement, at_most
from .. import reasons


@dataclass(frozen=True)
class Case:
    """Visits to the path of return 6, episodes, delta."""

    visits: int
    episodes: int
    delta: Fraction


# -- what forty episodes can tell ------------------------------------------------------------------------------------

SLIP, OTHER = Fraction(1, 10), Fraction(2, 25)
"""The slip of the path of return 6, and another one with which that path is the best at level 0.33."""


@dataclass(frozen=True)
class Seen:
    """Episodes, each of which may have walked the path of return 6: three steps, the first slip ends it."""

    episodes: int


def nats(episodes: int) -> Real:
    """The divergence of what the episodes show with slip 2/25 from what they show with slip 1/10, at most.  A step
    carries ``kl(23/25, 9/10)``, and with slip 2/25 an episode makes ``1 + 23/25 + (23/25)^2`` steps on average."""
    stay = 1 - OTHER
    step = log(stay / (1 - SLIP)) * stay + log(OTHER / SLIP) * OTHER
    return step * (episodes * (1 + stay + stay**2))


STATEMENT = Statement(
    label="exp:forty",
    title="the printed radius after 40 episodes",
    section="remarks",
    corrected=Claim(
        r"n \le 40 \le K,\ \delta \le 1 \Rightarrow \epsilon_R \ge 26/100",
        "after at most 40 visits the printed radius is still above a quarter, even for one state and one action",
        lambda case: at_most(Fraction(26, 100), radius(printed_level(1, 1, case.episodes, case.delta), case.visits)),
        when=lambda case: 1 <= case.visits <= 40 <= case.episodes and 0 < case.delta <= 1,
    ),
    cases=lambda: st.builds(
        Case,
        st.integers(1, 40),
        st.sampled_from((40, 100, 1000)),
        st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(1, 10))),
    ),
    small_cases=lambda: (Case(visits, 40, Fraction(1)) for visits in range(1, 41)),
    small_size="all n <= 40 at K = 40, delta = 1",
    reaches=reasons.FORM,
    formal=Formal(proves=("radius_after_forty_visits",)),
    theory="09-experiment.md#forty",
    notes="A remark. That the algorithm converged within 40 episodes (line 506) is an observation on a program whose "
    "radii are not stated; it is neither confirmed nor contradicted here.",
)

INFORMATION = Statement(
    label="exp:forty/information",
    title="what forty episodes can tell",
    section="remarks",
    corrected=Claim(
        r"K \le 40 \Rightarrow P_{1/10}(\text{wrong}) + P_{2/25}(\text{wrong}) \ge 38/100",
        "after at most 40 episodes any learner names the wrong path, with slip 1/10 or with slip 2/25 on the path of "
        "return 6, with total probability at least 38/100",
        # Bretagnolle and Huber: the two error probabilities sum to at least exp(-nats)/2
        lambda seen: at_most(Fraction(38, 100), exp(-nats(seen.episodes)) * Fraction(1, 2)),
        when=lambda seen: 0 <= seen.episodes <= 40,
    ),
    cases=lambda: st.builds(Seen, st.integers(0, 40)),
    small_cases=lambda: (Seen(n) for n in range(41)),
    small_size="all K <= 40",
    formal=Formal(proves=("forty_episodes_tell_little",)),
    reaches={**reasons.FORM, "bound": ("0.95", "the value at forty episodes is 0.3847, printed as 0.38")},
    theory="09-experiment.md#forty-lower",
    evidence=(Evidence(Rank.CITED, "Bretagnolle and Huber 1979"),),
    notes="A remark. With slip 1/10 the path of return 4 is the best at level 0.33, with slip 2/25 that of return 6. "
    "The paper's claim is about one lake with chosen radii, and is not contradicted: it says how often such a learner "
    "is right there, not that it would notice the other lake.",
)
STATEMENTS = (STATEMENT, INFORMATION)
