r"""corrected/episode, i/sum, ii/sum, iii: the arithmetic of the corrected regret theorem.

One episode: with :math:`Y_t = (T-t)\min(1,S_0\epsilon) + \min(1,2\epsilon)`, a step costs :math:`Y_t \le T-t+1`, and
:math:`Y_t \le ((T-1)S_0+2)\,\epsilon`; the episode costs at most :math:`T(T+1)/2`.

All visits: counting (``L3``) over the :math:`S_0|A|` pairs and Cauchy-Schwarz,

.. math:: \sum_{s,a} \bigl[T\min(T,N) + 2c\sqrt N\bigr] \le T^2 S_0|A| + 2c\sqrt{S_0|A|KT} = \beta,
          \qquad c = ((T-1)S_0+2)\sqrt{l/2} .

(i) adds :math:`\delta KT` for the event's failure, (ii) is the martingale step with :math:`b = T(T+1)/2`.  The regret
is at most KT in any case, and at most (ii); (iii): run at delta/2, for all sizes the lesser of the two is at most the
printed :math:`4T^{3/2}|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}`, without its root of 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every
from ...cases.irrational import minimum, root, total
from ...cases.sampling import compositions
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from .. import reasons
from .regret_sizes import SMALL_SIZE, Problem, printed_bound, probable_bound, problems, small_problems


@dataclass(frozen=True)
class Episode:
    """Ordinary states, and the radii of the pairs met at the steps of one episode."""

    ordinary: int
    eps: tuple[Fraction, ...]


def _episode_slack(case: Episode) -> Real:
    horizon, one = len(case.eps), Fraction(1)
    slacks: list[Real] = []
    total = Fraction()
    for t, eps in enumerate(case.eps):
        y = (horizon - 1 - t) * min(one, case.ordinary * eps) + min(one, 2 * eps)
        slacks += [at_most(y, horizon - t, "step"), at_most(y, ((horizon - 1) * case.ordinary + 2) * eps, "radius")]
        total += y
    return least(at_most(total, Fraction(horizon * (horizon + 1), 2), "episode"), *slacks)


RADII = strategies.rationals(max_value=Fraction(3, 2), max_denominator=12)
SMALL_RADII = (Fraction(), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2))

EPISODE = Statement(
    label="corrected/episode",
    title="what one episode can cost",
    corrected=Claim(
        r"Y_t \le \min\{T-t+1,\ ((T-1)S_0+2)\,\epsilon\}, \quad \sum_t Y_t \le \tfrac{T(T+1)}2",
        "a step costs at most the steps left, and at most a multiple of its radius",
        _episode_slack,
    ),
    uses=("L2/optimistic",),
    cases=lambda: st.builds(Episode, st.integers(1, 5), st.lists(RADII, min_size=1, max_size=6).map(tuple)),
    small_cases=lambda: every(Episode, (1, 2, 3), (eps for T in (1, 2, 3) for eps in product(SMALL_RADII, repeat=T))),
    small_size="S0, T <= 3, radii 0, 1/4, 1/2, 1, 2",
    formal=Formal(proves=("what_an_episode_costs",)),
    theory="08-regret.md#regret-theorem",
)


@dataclass(frozen=True)
class Split:
    """A problem, and how its KT steps are shared among the pairs."""

    problem: Problem
    visits: tuple[int, ...]


def _complete(case: Split) -> bool:
    p = case.problem
    return len(case.visits) == p.ordinary * p.actions and sum(case.visits) == p.steps


def _parts(case: Split) -> Real:
    """T min(T, N) <= T^2 summed over the pairs, and sum sqrt N <= sqrt(n sum N), an equation for equal shares."""
    visits, horizon = case.visits, case.problem.horizon
    first = at_most(sum(min(horizon, n) for n in visits), horizon * len(visits), "first visits")
    if len(set(visits)) == 1:
        return least(first, at_most(len(visits), len(visits), "roots"))
    return least(first, at_most(total(map(root, visits)), root(len(visits) * sum(visits)), "roots"))


def _probable_slack(case: Split) -> Real:
    """The parts of :func:`_parts`, and Y_max = T + (T-1) + ... + 1 in the martingale step."""
    horizon = case.problem.horizon
    most = at_most(sum(range(1, horizon + 1)), Fraction(horizon * (horizon + 1), 2), "largest cost")
    return least(_parts(case), most)


@st.composite
def _drawn(draw: st.DrawFn) -> Split:
    ordinary, actions = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    horizon, episodes = draw(st.integers(1, 6)), draw(st.integers(1, 200))
    cuts = sorted(draw(st.integers(0, horizon * episodes)) for _ in range(ordinary * actions - 1))
    visits = tuple(b - a for a, b in zip((0, *cuts), (*cuts, horizon * episodes), strict=True))
    delta = draw(st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(1, 100))))
    return Split(Problem(ordinary, actions, horizon, episodes, delta), visits)


def _small_cases() -> Iterator[Split]:
    for pairs, size in product(((1, 1), (1, 2), (2, 1), (1, 3)), ((1, 1), (1, 4), (2, 2), (2, 4), (3, 3))):
        problem = Problem(*pairs, *size, Fraction(1, 10))
        yield from every(Split, [problem], compositions(problem.steps, problem.ordinary * problem.actions))


EXPECTED = Statement(
    label="corrected/i/sum",
    title="the costs of all visits",
    corrected=Claim(
        r"\sum_{s,a}[T\min(T,N) + 2c\sqrt N] \le \beta",
        "the costs of all visits add up to at most beta, however the steps are shared among the pairs",
        _parts,
        when=_complete,
    ),
    uses=("L3", "corrected/episode"),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="up to 3 pairs, T <= 3, K <= 4, all ways to share the steps, delta 1/10",
    reaches=reasons.FORM,
    formal=Formal(proves=("costs_add_up_to_beta",)),
    theory="08-regret.md#regret-i",
    notes="What is checked here is the arithmetic that joins the lemmas; corrected/run checks exact regrets.",
)

PROBABLE = replace(
    EXPECTED,
    label="corrected/ii/sum",
    title="the costs of all visits after the martingale step",
    corrected=Claim(
        r"\tfrac{e}{e-1}\bigl[\sum + Y_{\max}\log\tfrac1\delta\bigr] \le "
        r"\tfrac{e}{e-1} [\beta + \tfrac{T(T+1)}2 \log\tfrac1\delta]",
        "the martingale step applied to the costs of all visits gives the stated bound",
        _probable_slack,
        when=_complete,
    ),
    uses=("corrected/i/sum", "martingale"),
    formal=Formal(proves=("martingale_step_of_beta",)),
    theory="08-regret.md#regret-ii",
    notes="",
)


def _printed_slack(p: Problem) -> Real:
    half = Problem(p.ordinary, p.actions, p.horizon, p.episodes, p.delta / 2)
    return at_most(minimum(Fraction(p.steps), probable_bound(half)), printed_bound(p, inside=1))


PRINTED = Statement(
    label="corrected/iii",
    title="the printed right-hand side for the corrected learner",
    corrected=Claim(
        r"\min\{KT,\ \tfrac{e}{e-1}[\beta_{\delta/2} + \tfrac{T(T+1)}2 \log\tfrac2\delta]\} \le "
        r"4T^{3/2}|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}",
        "the corrected bound at delta/2, or the trivial one, is below the printed right side without its root of 5",
        _printed_slack,
    ),
    uses=("corrected/ii/sum",),
    cases=problems,
    small_cases=small_problems,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("printed_right_side_without_5",)),
    reaches={"bound": ("0.5", reasons.CLOSED_FORMS)},
    theory="08-regret.md#regret-iii",
)

STATEMENTS = (EPISODE, EXPECTED, PROBABLE, PRINTED)
