r"""L0/adaptive: the event for every learner.  Exact enumeration of adaptive sampling trees.

One state, T = 1, two actions that pay 0 or 1.  The learner is any deterministic rule of the outcomes so far, stored as
a table over the nodes of the binary tree; a rule may stop sampling a pair when its estimate is low.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.estimation import corrected_level, is_near
from ...engine.model import Claim, Formal, Statement, at_most
from .. import reasons


@dataclass(frozen=True)
class Case:
    """Chances of a reward of the two actions; the action at each node, level by level; delta.

    Node ``i`` has the children ``2i + 1`` (reward 0) and ``2i + 2`` (reward 1).
    """

    chances: tuple[Fraction, Fraction]
    actions: tuple[int, ...]
    delta: Fraction

    @property
    def episodes(self) -> int:
        """K: the tree holds the K - 1 episodes before the last."""
        return (len(self.actions) + 1).bit_length()


def within(case: Case) -> Fraction:
    """The probability of the event: before every episode both empirical chances are within their radius."""
    level = corrected_level(1, 2, case.episodes, 1, case.delta)

    def good(counts: tuple[tuple[int, int], ...]) -> bool:
        return all(is_near(seen, chance, level) for seen, chance in zip(counts, case.chances, strict=True))

    def walk(node: int, counts: tuple[tuple[int, int], ...], mass: Fraction) -> Fraction:
        if not good(counts) or not mass:
            return Fraction()
        if node >= len(case.actions):
            return mass
        a = case.actions[node]
        total = Fraction()
        for reward, p in ((0, 1 - case.chances[a]), (1, case.chances[a])):
            wins, losses = counts[a]
            seen = tuple((wins + reward, losses + 1 - reward) if b == a else counts[b] for b in (0, 1))
            total += walk(2 * node + 1 + reward, seen, mass * p)
        return total

    return walk(0, ((0, 0), (0, 0)), Fraction(1))


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    small = st.sampled_from((Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(9, 10)))
    chance = st.one_of(small, strategies.rationals())
    depth = draw(st.integers(1, 6))
    actions = draw(st.lists(st.integers(0, 1), min_size=2**depth - 1, max_size=2**depth - 1))
    delta = draw(st.sampled_from((Fraction(1, 10), Fraction(1, 2), Fraction(99, 100))))
    return Case((draw(chance), draw(chance)), tuple(actions), delta)


STATEMENT = Statement(
    label="L0/adaptive",
    title="the event, whatever the learner does",
    corrected=Claim(
        r"P[\forall k, s, a:\ \|F_{\tilde R} - F_R\|_\infty \le \epsilon,\ \tilde P - P \le \epsilon] \ge 1 - \delta",
        "for every learner, all estimates are within their radii at once, except with probability delta",
        lambda case: at_most(1 - within(case), case.delta),
        when=lambda case: (len(case.actions) + 1).bit_count() == 1,
    ),
    uses=("L0/tape",),
    cases=_drawn,
    small_cases=lambda: (
        Case((chance, Fraction(1, 5)), actions, Fraction(9, 10))
        for actions in product((0, 1), repeat=7)
        for chance in (Fraction(1, 10), Fraction(1, 2))
    ),
    small_size="all adaptive rules for three episodes, chances 1/10 or 1/2 against 1/5, delta 9/10",
    formal=Formal(proves=("event_holds",)),
    reaches={**reasons.FORM, "bound": ("0.01", reasons.UNION)},
    theory="06-event-and-optimism.md#L0",
    notes="Chains, where the transitions are at stake, are enumerated in lem:event/conditioning.",
)
