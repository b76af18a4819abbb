r"""L0/tape: one pair, one tape.  Independent draws stay within the radius at *every* length up to KT.

With :math:`l = \log((S_0+2) S_0 |A| K T/\delta)` and :math:`\epsilon_n = \sqrt{l/2n}`: the rewards' CDF (two-sided)
and each successor's frequency (one-sided) leave the radius at some :math:`n \le KT` with probability at most
:math:`\delta/(S_0|A|)`.  DKW and Hoeffding at each n, and a union over n.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every
from ...cases.enumeration import probability_vectors as vectors
from ...cases.estimation import corrected_level
from ...cases.irrational import exceeds
from ...cases.sampling import Gap, excess_gap, kolmogorov_gap, leaving_probability
from ...engine.model import Claim, Formal, Statement, at_most
from .. import reasons


@dataclass(frozen=True)
class Case:
    """Masses of the rewards (increasing) and of the successors; actions; ``steps`` = KT; delta."""

    rewards: tuple[Fraction, ...]
    successors: tuple[Fraction, ...]
    actions: int
    steps: int
    delta: Fraction


def leaving(case: Case) -> Fraction:
    """The exact probability that the tape ever leaves its radius; rewards and successors are independent."""
    level = corrected_level(len(case.successors), case.actions, case.steps, 1, case.delta)

    def staying(masses: tuple[Fraction, ...], gap: Gap) -> Fraction:
        return 1 - leaving_probability(
            masses, case.steps, lambda n, counts: exceeds(2 * n * gap(counts, masses) ** 2, level)
        )

    return 1 - staying(case.rewards, kolmogorov_gap) * staying(case.successors, excess_gap)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    rewards = draw(strategies.masses(draw(st.integers(1, 3)), max_weight=6, positive=True))
    successors = draw(strategies.masses(draw(st.integers(1, 3)), max_weight=6))
    delta = draw(st.sampled_from((Fraction(1), Fraction(9, 10), Fraction(1, 2), Fraction(1, 10))))
    return Case(rewards, successors, draw(st.integers(1, 2)), draw(st.integers(1, 9)), delta)


STATEMENT = Statement(
    label="L0/tape",
    title="one tape stays within its radius at every length",
    corrected=Claim(
        r"P[\exists n \le KT:\ \|F_n - F\|_\infty > \epsilon_n \text{ or } \max_{s'}(\tilde P_n - P)(s') > \epsilon_n] "
        r"\le \delta/(S_0|A|)",
        "the draws of one pair stay within their radius at all lengths, except with probability its share of delta",
        lambda case: at_most(leaving(case), case.delta / (len(case.successors) * case.actions)),
    ),
    uses=("lem:event/rewards", "lem:event/hoeffding"),
    cases=_drawn,
    small_cases=lambda: every(Case, vectors(2, 5), vectors(2, 4), [1], (2, 6, 12), (Fraction(1), Fraction(1, 2))),
    small_size="two rewards in fifths, two successors in quarters, KT in 2, 6, 12, delta in 1, 1/2",
    formal=Formal(proves=("tape_stays_within_its_radius",)),
    reaches={"bound": ("0.2", reasons.UNION)},
    theory="06-event-and-optimism.md#L0",
)
