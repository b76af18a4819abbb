r"""lem:event/conditioning: the event given the visit counts.  False: the counts determine the transitions.

If a chain leaves its first state almost surely but was seen only there, it was seen to stay: the counts force a wrong
estimate.  Without conditioning, and with a union over the number of visits, the event has the
probability claimed (``L0``).

The rewards of these cases are constant, so the event is about the transitions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.estimation import corrected_level, is_near, printed_level
from ...cases.histories import added
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes, reasons

Moves = tuple[int, int]
"""Numbers of observed stays in the first state and of observed exits from it."""


@dataclass(frozen=True)
class Case:
    """A chain that stays in its first state with probability ``stay`` and never comes back from the second.

    ``visits[k]`` are the visits to the first state in episode k, for the K - 1 episodes before the last.
    """

    stay: Fraction
    horizon: int
    delta: Fraction
    visits: tuple[int, ...]

    @property
    def episodes(self) -> int:
        return len(self.visits) + 1


def _episode(case: Case) -> list[tuple[int, Moves, Fraction]]:
    """``(visits, (stays, leaves), probability)`` of one episode."""
    rows = [(v, (v - 1, 1), case.stay ** (v - 1) * (1 - case.stay)) for v in range(1, case.horizon + 1)]
    rows.append((case.horizon, (case.horizon, 0), case.stay**case.horizon))
    return [row for row in rows if row[2]]


def _given_counts(case: Case) -> tuple[Fraction, Fraction]:
    """The probability of the counts, and of the counts together with the event, by enumeration of transition counts."""
    # the sup-norm part of the event at the first state (the l1 part is implied: two coordinates, a larger radius)
    radius = printed_level(3, 1, case.episodes, case.delta)
    level: dict[Moves, tuple[Fraction, Fraction]] = {(0, 0): (Fraction(1), Fraction(1))}
    for wanted in case.visits:
        following: dict[Moves, tuple[Fraction, Fraction]] = {}
        for moves, (all_, good) in level.items():
            for visits, (stays, leaves), p in _episode(case):
                if visits == wanted:
                    new = (moves[0] + stays, moves[1] + leaves)
                    a, g = following.get(new, (Fraction(), Fraction()))
                    following[new] = (a + all_ * p, g + (good * p if is_near(new, case.stay, radius) else 0))
        level = following
    return sum((a for a, _ in level.values()), Fraction()), sum((g for _, g in level.values()), Fraction())


def _printed_slack(case: Case) -> Real:
    counts, good = _given_counts(case)
    return good / counts - (1 - case.delta)


def _corrected_slack(case: Case) -> Real:
    """P[event] - (1 - delta) over all courses of the K - 1 episodes."""
    radius = corrected_level(2, 1, case.episodes, case.horizon, case.delta)  # one-sided, for both successors
    level: dict[Moves, Fraction] = {(0, 0): Fraction(1)}
    for _ in case.visits:
        level = added(
            (new, mass * p)
            for moves, mass in level.items()
            for _, (stays, leaves), p in _episode(case)
            if is_near(new := (moves[0] + stays, moves[1] + leaves), case.stay, radius)
        )
    return at_most(1 - sum(level.values(), Fraction()), case.delta)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    horizon = draw(st.integers(1, 4))
    odd = st.sampled_from((Fraction(1, 100), Fraction(1, 10), Fraction(9, 10), Fraction(99, 100)))
    stay = draw(st.one_of(odd, strategies.rationals()))
    delta = draw(strategies.levels(include_one=False, max_denominator=4))
    often = draw(st.booleans())
    visits = st.just(horizon) if often else st.integers(1, horizon)
    return Case(stay, horizon, delta, tuple(draw(st.lists(visits, min_size=1, max_size=7))))


def _small_cases() -> Iterator[Case]:
    stays, deltas = (Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)), (Fraction(1, 10), Fraction(1, 2))
    for horizon, episodes in product((1, 2, 3), (1, 2, 3)):
        for visits, stay, delta in product(product(range(1, horizon + 1), repeat=episodes), stays, deltas):
            yield Case(stay, horizon, delta, visits)


STATEMENT = Statement(
    label="lem:event/conditioning",
    title="the event has its probability given the counts",
    section="5",
    printed=Claim(
        r"P[\mathcal E \mid \{N^{(k)}\}_{k \le K}] \ge 1 - \delta",
        "given any visit counts, the event has probability at least 1 - delta",
        _printed_slack,
        when=lambda case: _given_counts(case)[0] > 0,
    ),
    corrected=Claim(
        r"P[\mathcal E] \ge 1 - \delta, \ \epsilon = \sqrt{\log((S_0+2) S_0 |A| K T/\delta) / 2N}",
        "without conditioning, and with a union over the number of visits, the event has that probability",
        _corrected_slack,
    ),
    cause=causes.CONDITIONING,
    uses=("lem:event/rewards", "lem:event/l1", "lem:event/sup-norm"),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="T <= 3, up to 3 episodes before the last, stay in 1/100, 1/2, 9/10, delta in 1/10, 1/2",
    counterexample=Case(Fraction(1, 100), 4, Fraction(1, 2), (4,)),
    find_budget=400,
    formal=Formal(
        proves=("event_holds",),
        refutes=("event_given_counts_is_impossible",),
        counterexample="six earlier episodes with T = 2; the executable counterexample has one with T = 4",
    ),
    reaches={"bound": ("0.001", reasons.UNION)},
    theory="06-event-and-optimism.md#event-conditioning",
    notes="One earlier episode suffices: four visits to the first state show at least three stays.",
)
