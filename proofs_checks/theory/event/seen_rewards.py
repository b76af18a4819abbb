r"""Cases of ``lem:tildebound``, ``lem:hattildebound``, ``lem:fullbound``: a model whose estimate has seen a comb.

T = 2, one ordinary state, three actions, the mean.  Action a pays one of :math:`L = mq` equally likely rewards
:math:`j/L`; it has been played m times and has shown every q-th of them once.  Action b pays ``pay_b``, action c pays
0. The policy plays a, then b if the first reward is one of those seen (or 1), and c otherwise.

The counts are those of :math:`K - 1` earlier episodes of two steps: :math:`m + N(b) + N(c) = 2(K-1)`.  Every number
below is a closed form in exact arithmetic (the tests compare it with an evaluation of the models themselves); the
radii are the printed ones, enclosed.  :math:`|S| = 2` counts :math:`s_\infty`, :math:`|A| = 3`, :math:`L_G = 1`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Real, Truth, at_least, between, bounds

from ...cases.estimation import printed_level, radius
from ...cases.irrational import minimum, root

HORIZON = 2


@dataclass(frozen=True)
class Seen:
    """``seen`` of ``seen * spread`` rewards of a; the pay of b; visits of b; episodes; delta."""

    seen: int
    spread: int
    pay_b: int
    visits_b: int
    episodes: int
    delta: Fraction

    @property
    def visits_c(self) -> int:
        return 2 * (self.episodes - 1) - self.seen - self.visits_b

    @property
    def points(self) -> int:
        return self.seen * self.spread

    @property
    def offset(self) -> int:
        """The first seen reward is ``offset / points``: the middle of its tooth, for a small KS distance."""
        return (self.spread - 1) // 2


def valid(case: object) -> bool:
    """Counts that some history has."""
    return isinstance(case, Seen) and (
        min(case.seen, case.spread, case.visits_b, case.visits_c) >= 1 and case.pay_b in (0, 1) and 0 < case.delta <= 1
    )


def radii(case: Seen) -> tuple[Real, Real, Real]:
    r"""The printed :math:`\epsilon_R` of a, b, c."""
    level = printed_level(2, 3, case.episodes, case.delta)
    return radius(level, case.seen), radius(level, case.visits_b), radius(level, case.visits_c)


def true_mean(case: Seen) -> Fraction:
    return Fraction(case.points - 1, 2 * case.points)


def seen_mean(case: Seen) -> Fraction:
    return Fraction(2 * case.offset + case.spread * (case.seen - 1), 2 * case.points)


def distance(case: Seen) -> Fraction:
    """KS of the seen and the true rewards of a."""
    return Fraction(max(case.offset, case.spread - 1 - case.offset), case.points)


def on_the_event(case: object) -> bool:
    """Possible counts, on the printed event: only the rewards of a can err."""
    return isinstance(case, Seen) and valid(case) and at_least(radii(case)[0], distance(case)) is Truth.HOLDS


def optimistic_mean(case: Seen) -> Real:
    r"""The mean of :math:`\hat R(a)`: mean of the seen rewards plus :math:`\int_0^1 \min(F_{\tilde R}, \epsilon)`."""
    return between(*(_optimistic_mean(case, min(eps, Fraction(1))) for eps in bounds(radii(case)[0])))


def _optimistic_mean(case: Seen, eps: Fraction) -> Fraction:
    """The lowest ``eps * m`` of the m seen rewards, the last of them in part, are replaced by 1."""
    moved = eps * case.seen
    whole = int(moved)
    step, first = Fraction(case.spread, case.points), Fraction(case.offset, case.points)
    gain = whole * (1 - first) - step * whole * (whole - 1) / 2
    if whole < case.seen:
        gain += (moved - whole) * (1 - first - step * whole)
    return seen_mean(case) + gain / case.seen


def true_value(case: Seen) -> Fraction:
    """Phi of the policy: one in ``spread`` first rewards has been seen."""
    return true_mean(case) + Fraction(case.pay_b, case.spread)


def empirical_value(case: Seen) -> Fraction:
    """Phi~: every first reward has been seen."""
    return seen_mean(case) + case.pay_b


def optimistic_value(case: Seen) -> Real:
    r"""Phi^: with probability :math:`\epsilon(a)` the state is :math:`s_\infty`, which pays 1; else b is played."""
    a, b, _ = radii(case)
    jump = minimum(a, Fraction(1))
    pay = Fraction(1) if case.pay_b else minimum(b, Fraction(1))
    return optimistic_mean(case) + jump + (1 - jump) * pay


def printed_budget(case: Seen) -> Real:
    r""":math:`B = \mathbf E_M \sum_t (\epsilon_P + \epsilon_R) = (2\sqrt{|S|} + 1)(\epsilon_R(a) + \dots)`."""
    a, b, c = radii(case)
    share = Fraction(1, case.spread)
    return (2 * root(2) + 1) * (a + share * b + (1 - share) * c)


# -- the models themselves, for tests and small sizes --------------------------------------------------------------


def models(case: Seen) -> tuple[vr.MDP, vr.MDP, vr.ReturnPolicy]:
    """The true model, the empirical model and the policy (with an entry at every first reward and at 1)."""
    points = case.points
    everything = {Fraction(j, points): Fraction(1, points) for j in range(points)}
    comb = {Fraction(case.offset + i * case.spread, points): Fraction(1, case.seen) for i in range(case.seen)}
    rows: list[list[Any]] = [[[1]] * 3]
    mdp = vr.MDP(0, rows, [[vr.Law(everything), case.pay_b, 0]], HORIZON)
    estimate = vr.MDP(0, rows, [[vr.Law(comb), case.pay_b, 0]], HORIZON)
    table: dict[tuple[int, int, Any], Any] = {(1, 0, y): 1 if y in comb else 2 for y in everything}
    return mdp, estimate, vr.ReturnPolicy(mdp, {(0, 0, 0): 0, **table, (1, 0, 1): 1})


# -- cases -----------------------------------------------------------------------------------------------------------


@st.composite
def drawn(draw: st.DrawFn, pay_b: int) -> Seen:
    """Counts from one visit to a hundred thousand."""
    seen = draw(st.sampled_from((1, 2, 4, 10, 100, 1000, 10_000, 100_000)))
    spread = draw(st.sampled_from((1, 2, 3, 10, 100, 10_000)))
    visits_b = draw(st.sampled_from((1, 2, 10, 1000)))
    extra = draw(st.sampled_from((1, 2, 10, 1000, 10_000, 100_000)))
    episodes = 1 + -(-(seen + visits_b + extra) // 2)
    delta = draw(st.sampled_from((Fraction(1, 2), Fraction(1, 10), Fraction(99, 100), Fraction(1))))
    return Seen(seen, spread, pay_b, visits_b, episodes, delta)


def small_seen(pay_b: int) -> Iterator[Seen]:
    """``seen``, ``spread`` and ``visits_b`` up to 4, delta 1/2 and 1."""
    upto = range(1, 5)
    for seen, spread, visits_b, delta in product(upto, upto, upto, (Fraction(1, 2), Fraction(1))):
        yield Seen(seen, spread, pay_b, visits_b, 2 + -(-(seen + visits_b) // 2), delta)
