r"""lem:event/rewards, l1, hoeffding, sup-norm: how far frequencies are from probabilities, for a *fixed* sample size.

The cases are a law on finitely many outcomes and a number n of independent draws.  Each claim is an inequality
:math:`P(d(\tilde p, p) \ge v) \le b(v)` for every v.  Only the attained distances matter, and between two of them the
worst v is the upper one; so one slack covers every v, exactly.

* Rewards: the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant.  With
  :math:`\epsilon_R^2 = \log(6|S||A|K/\delta)/2n` the bound :math:`2e^{-2n\epsilon_R^2}` is
  :math:`\delta/(3|S||A|K)`: the constant is right.
* The l1 norm: the inequality of Weissman and others, and the printed radius, which is large enough:

  .. math:: P(\|\tilde p - p\|_1 \ge v) \le (2^m - 2) e^{-n v^2/2}, \qquad
            (2^m - 2) \Bigl(\frac{u}{6m}\Bigr)^m \le \frac{u}{3m} \quad (0 < u \le 1),

  the second with :math:`u = \delta/(|A|K)` and :math:`m = |S|`.
* Hoeffding's inequality for all successors at once is false without a union over them: the proof bounds
  :math:`\max_{s'} |\tilde P(s') - P(s')|` as if it were one coordinate.  One draw from three equally likely outcomes
  is always 2/3 away from its own mass, and :math:`2 e^{-8/9} < 1`.
* The sup-norm radius rests on it.  The radius is :math:`\epsilon_R`, so the claim is
  :math:`P(\|\tilde P - P\|_\infty \ge v) \le 2e^{-2nv^2}` wherever the right side is at most :math:`1/(6|S|)`.  In this
  range no violation is known, and no proof.  With the union over successors in the logarithm it is true.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Truth, at_least

from ...cases import strategies
from ...cases.irrational import exp
from ...cases.sampling import compositions, kolmogorov_gap, l1_gap, sup_gap, tail_of
from ...engine.model import Claim, Evidence, Formal, Rank, Real, Statement, at_most, least
from ...engine.severity import Severity
from .. import causes, reasons

SMALL_SIZE = "up to 3 outcomes with masses in sixths, up to 6 draws; uniform laws on 4 and 5 outcomes, up to 5 draws"


@dataclass(frozen=True)
class Draws:
    """The masses of the outcomes (for rewards: in increasing order) and the number of independent draws."""

    masses: tuple[Fraction, ...]
    n: int


def tail_slack(
    draws: Draws,
    gap: Callable[[Sequence[int], Sequence[Fraction]], Fraction],
    bound: Callable[[Fraction], Real],
    used: Callable[[Fraction], bool] = lambda v: True,
) -> Real:
    """The least ``bound(v) - P(gap >= v)`` over the attained ``v > 0`` that are ``used``; 1 if there is none."""
    slacks = [at_most(p, bound(v)) for v, p in tail_of(gap, draws.masses, draws.n) if v > 0 and used(v)]
    return least(Fraction(1), *slacks)


@st.composite
def drawn(draw: st.DrawFn, *, max_outcomes: int = 4, max_draws: int = 7) -> Draws:
    """Laws and numbers of draws; half of the laws are uniform."""
    count = draw(st.integers(1, max_outcomes))
    if draw(st.booleans()):
        masses = (Fraction(1, count),) * count
    else:
        masses = draw(strategies.masses(count, max_weight=6, positive=True))
    return Draws(masses, draw(st.integers(1, max_draws)))


def small_draws() -> Iterator[Draws]:
    """The cases described by :data:`SMALL_SIZE`, without zero masses."""
    for outcomes in (1, 2, 3):
        for weights in compositions(6, outcomes):
            if all(weights):
                for n in range(1, 7):
                    yield Draws(tuple(Fraction(w, 6) for w in weights), n)
    for outcomes in (4, 5):
        for n in range(1, 6):
            yield Draws((Fraction(1, outcomes),) * outcomes, n)


REWARDS = Statement(
    label="lem:event/rewards",
    title="the empirical reward CDF is within its radius",
    section="5",
    printed=Claim(
        r"P(\|F_{\tilde R} - F_R\|_\infty \ge v) \le 2 e^{-2 n v^2}",
        "n independent rewards have an empirical CDF within v of the true one, except with probability 2 exp(-2 n v^2)",
        lambda draws: tail_slack(draws, kolmogorov_gap, lambda v: 2 * exp(-2 * draws.n * v**2)),
    ),
    uses=("def:empirical",),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    examples_share=0.3,
    formal=Formal(parts=("dkw", "near_at_every_real")),
    reaches={"bound": ("0.8", "attained as the number of draws grows; one toss of a fair coin comes to 0.824")},
    theory="06-event-and-optimism.md#event-printed",
    evidence=(Evidence(Rank.CITED, "Massart, Ann. Probab. 18 (1990)"),),
)


def _l1_slack(draws: Draws) -> Real:
    m = len(draws.masses)
    tail = tail_slack(draws, l1_gap, lambda v: (2**m - 2) * exp(-Fraction(draws.n) * v**2 / 2))
    shares = (Fraction(1), Fraction(1, 2), Fraction(1, 100))
    return least(tail, *(at_most((2**m - 2) * (u / (6 * m)) ** m, u / (3 * m), "share") for u in shares))


L1 = replace(
    REWARDS,
    label="lem:event/l1",
    title="the empirical transitions are within their l1 radius",
    printed=Claim(
        r"P(\|\tilde P - P\|_1 \ge v) \le (2^{|S|} - 2) e^{-n v^2/2} \le \delta/(3|S||A|K) \text{ at } v = \epsilon_P",
        "n independent successors have frequencies within l1 distance v, except with the stated probability",
        _l1_slack,
    ),
    small_size=SMALL_SIZE + "; shares 1, 1/2, 1/100",
    formal=Formal(parts=("l1_rarely_large", "l1_radius_is_large_enough")),
    reaches={
        "bound": ("0.8", "one toss of a fair coin comes to 0.824"),
        "share": ("0.01", "the share is generous by its exponent m"),
    },
    evidence=(Evidence(Rank.CITED, "Weissman et al., HP Labs (2003)"),),
)


def sup_bound(draws: Draws, v: Fraction, events: int) -> Real:
    """Hoeffding's bound for both sides of so many events."""
    return 2 * events * exp(-2 * draws.n * v**2)


HOEFFDING = Statement(
    label="lem:event/hoeffding",
    said="inherited",
    title="Hoeffding's inequality for the largest coordinate",
    section="C",
    printed=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 e^{-2 n v^2}",
        "one application of Hoeffding's inequality bounds the error of every successor's frequency at once",
        lambda draws: tail_slack(draws, sup_gap, lambda v: sup_bound(draws, v, 1)),
    ),
    corrected=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 m e^{-2 n v^2}, \ m \text{ outcomes}",
        "the union over the successors costs a factor, their number",
        lambda draws: tail_slack(draws, sup_gap, lambda v: sup_bound(draws, v, len(draws.masses))),
    ),
    cause=causes.UNION,
    uses=("def:empirical",),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    counterexample=Draws((Fraction(1, 3),) * 3, 1),
    find_budget=100,
    formal=Formal(proves=("sup_norm_rarely_large",)),
    reaches={"bound": ("0.2", reasons.UNION)},
    theory="06-event-and-optimism.md#event-supnorm",
    notes="Two draws from four equally likely outcomes refute it as well, at v = 3/4.",
)


def _in_range(draws: Draws, bound: Real) -> bool:
    r"""``bound`` is at most :math:`\delta/(3|S||A|K)` for some delta <= 1, |A| = 1 and K = 2, the first
    episode with a visit behind it; the states are the outcomes and s_inf."""
    return at_least(Fraction(1, 6 * (len(draws.masses) + 1)), bound) is Truth.HOLDS


def _sup_slack(draws: Draws, events: int) -> Real:
    def bound(v: Fraction) -> Real:
        return sup_bound(draws, v, events)

    return tail_slack(draws, sup_gap, bound, lambda v: _in_range(draws, bound(v)))


def _met(draws: Draws) -> bool:
    """Some attained distance lies in the range, so that the claim is not vacuous."""
    farthest = max(1 - min(draws.masses), max(draws.masses))
    return len(draws.masses) > 1 and _in_range(draws, sup_bound(draws, farthest, 1))


SUP_NORM = Statement(
    label="lem:event/sup-norm",
    title="the empirical transitions are within their sup-norm radius",
    section="5",
    printed=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 e^{-2 n v^2} \text{ if } 2 e^{-2 n v^2} \le 1/(6|S|)",
        "at the radius of the rewards, every successor's frequency is close, except with the stated probability",
        lambda draws: _sup_slack(draws, 1),
        when=_met,
    ),
    corrected=Claim(
        r"P(\|\tilde P - P\|_\infty \ge v) \le 2 |S_0| e^{-2 n v^2}",
        "with the union over successors in the logarithm of its radius, every frequency is close, except with the "
        "stated probability",
        lambda draws: _sup_slack(draws, len(draws.masses)),
        when=_met,
    ),
    finding=Severity.GAP,
    cause=causes.UNION,
    uses=("lem:event/hoeffding",),
    cases=lambda: drawn(max_outcomes=5, max_draws=8),
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("sup_norm_rarely_large",)),
    reaches={**reasons.FORM, "bound": ("0.1", reasons.UNION)},
    theory="06-event-and-optimism.md#event-supnorm",
    notes="The closest case known: four draws from four equally likely outcomes, v = 3/4, ratio 0.703.",
    examples_share=0.5,
)

STATEMENTS = (REWARDS, L1, SUP_NORM)  # Hoeffding's inequality stands in the appendix
