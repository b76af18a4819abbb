r"""corrected/i and corrected/ii: the sum over all visits is at most beta, and the bounds that follow.

Counting (``L3``) over the :math:`S_0|A|` pairs and Cauchy-Schwarz,

.. math:: \sum_{s,a} \bigl[T\min(T,N) + 2c\sqrt N\bigr] \le T^2 S_0|A| + 2c\sqrt{S_0|A|KT} = \beta,
          \qquad c = ((T-1)S_0+2)\sqrt{l/2} .

(i) adds :math:`\delta KT` for the event's failure, (ii) is the martingale step with :math:`b = T(T+1)/2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases.enumeration import every
from ...cases.irrational import root, total
from ...cases.sampling import compositions
from ...engine.model import Claim, Formal, Statement, at_most, least
from .. import reasons
from .regret_sizes import Problem


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
    """The same, and Y_max = T + (T-1) + ... + 1 in the martingale step."""
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


_SIZE = "up to 3 pairs, T <= 3, K <= 4, all ways to share the steps, delta 1/10"

EXPECTED = Statement(
    label="corrected/i/sum",
    title="the costs of all visits",
    section="corrected theory",
    corrected=Claim(
        r"\sum_{s,a}[T\min(T,N) + 2c\sqrt N] \le \beta",
        "the costs of all visits add up to at most beta, however the steps are shared among the pairs",
        _parts,
        when=_complete,
    ),
    uses=("L3", "corrected/episode"),
    cases=_drawn,
    small_cases=_small_cases,
    small_size=_SIZE,
    reaches=reasons.FORM,
    formal=Formal(proves=("costs_add_up_to_beta",)),
    theory="08-regret.md#regret-i",
    notes="What is checked here is the arithmetic that joins the lemmas; corrected/run checks exact regrets.",
)

PROBABLE = Statement(
    label="corrected/ii/sum",
    title="the costs of all visits after the martingale step",
    section="corrected theory",
    corrected=Claim(
        r"\tfrac{e}{e-1}\bigl[\sum + Y_{\max}\log\tfrac1\delta\bigr] \le "
        r"\tfrac{e}{e-1} [\beta + \tfrac{T(T+1)}2 \log\tfrac1\delta]",
        "the martingale step applied to the costs of all visits gives the stated bound",
        _probable_slack,
        when=_complete,
    ),
    uses=("corrected/i/sum", "martingale"),
    cases=_drawn,
    small_cases=_small_cases,
    small_size=_SIZE,
    reaches=reasons.FORM,
    formal=Formal(proves=("martingale_step_of_beta",)),
    theory="08-regret.md#regret-ii",
)

STATEMENTS = (EXPECTED, PROBABLE)
