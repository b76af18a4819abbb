r"""martingale: from expected costs to costs.  Exact enumeration of adaptive trees.

For :math:`0 \le Y_k \le b` and :math:`X = \sum_k \bigl((1 - \tfrac1e)\,\mathbf E[Y_k\mid H_k] - Y_k\bigr)/b`, the claim

.. math:: \sum_k \mathbf E[Y_k\mid H_k] \le \tfrac{e}{e-1}\bigl(\textstyle\sum_k Y_k + b\log\tfrac1\delta\bigr)
          \quad\text{with probability} \ge 1-\delta, \text{ for every } \delta,

is :math:`P(X \ge x) \le e^{-x}` for every x, and follows from :math:`\mathbf E\,e^X \le 1`.  Both are checked.  By
Ville's inequality the same holds of the largest X over all prefixes (``martingale/prefix``): the bound is valid at
all times.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product
from typing import TypeAlias

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import bounds

from ...cases import strategies
from ...cases.histories import added
from ...cases.irrational import divide, exp, total
from ...engine.model import Claim, Formal, Real, Statement, at_most, least


@dataclass(frozen=True)
class Case:
    """The law of the next cost at each node, level by level: ``(low, high, probability of high)``, costs in [0, 1].

    Node ``i`` has the children ``2i + 1`` (low) and ``2i + 2`` (high).
    """

    nodes: tuple[tuple[Fraction, Fraction, Fraction], ...]


Sums: TypeAlias = tuple[Fraction, Fraction]
"""The sums of the conditional means and of the costs."""
SHRINK = 1 - divide(Fraction(1), exp(Fraction(1)))


def _score(sums: Sums) -> tuple[Fraction, Fraction]:
    return bounds(SHRINK * sums[0] - sums[1])


def attained(case: Case, prefix: Callable[[list[Sums]], Sums]) -> dict[Sums, Fraction]:
    """The probability of the sums of one prefix of each course, which ``prefix`` chooses."""

    def walk(node: int, sums: list[Sums], mass: Fraction) -> Iterator[tuple[Sums, Fraction]]:
        if mass and node >= len(case.nodes):
            yield prefix(sums), mass
        elif mass:
            (means, costs), (low, high, p) = sums[-1], case.nodes[node]
            mean = means + low * (1 - p) + high * p
            yield from walk(2 * node + 1, [*sums, (mean, costs + low)], mass * (1 - p))
            yield from walk(2 * node + 2, [*sums, (mean, costs + high)], mass * p)

    return added(walk(0, [(Fraction(), Fraction())], Fraction(1)))


def _tails(found: dict[Sums, Fraction]) -> Iterator[Real]:
    """exp(-x) - P(X >= x) at every attained x."""
    falling = sorted(found, key=_score, reverse=True)  # two different scores never overlap: e is irrational
    for sums, tail in zip(falling, accumulate(found[sums] for sums in falling), strict=True):
        yield at_most(tail, exp(sums[1] - SHRINK * sums[0]), "tail")


def _slack(case: Case) -> Real:
    found = attained(case, lambda sums: sums[-1])
    moment = total(mass * exp(SHRINK * means - costs) for (means, costs), mass in found.items())
    return least(at_most(moment, 1, "moment"), *_tails(found))


def _costs(case: Case) -> bool:
    size = len(case.nodes) + 1
    return size & (size - 1) == 0 and all(0 <= low <= high <= 1 and 0 <= p <= 1 for low, high, p in case.nodes)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    depth = draw(st.integers(1, 4))
    chance = st.one_of(strategies.rationals(), st.sampled_from((Fraction(1, 10), Fraction(1, 100))))
    if draw(st.sampled_from((False, False, False, True))):  # rare costs above 1
        return Case(((Fraction(), Fraction(draw(st.integers(5, 9))), Fraction(1, 10)),) * (2**depth - 1))
    nodes = []
    for _ in range(2**depth - 1):
        low, high = sorted((draw(strategies.rationals()), draw(strategies.rationals())))
        nodes.append((low, high, draw(chance)))
    return Case(tuple(nodes))


def _small_cases() -> Iterator[Case]:
    zero, one = Fraction(), Fraction(1)
    laws = [(zero, one, Fraction(p, 4)) for p in (0, 1, 2, 4)] + [(zero, Fraction(1, 2), Fraction(1, 2))]
    yield from (Case((law,)) for law in laws)
    yield from (Case(nodes) for nodes in product(laws, repeat=3))


STATEMENT = Statement(
    label="martingale",
    title="expected costs are not much more than costs",
    corrected=Claim(
        r"P\Bigl[\sum_k \mathbf E[Y_k\mid H_k] > \tfrac{e}{e-1}\bigl(\sum_k Y_k + b\log\tfrac1\delta\bigr)\Bigr] "
        r"\le \delta, \ 0 \le Y_k \le b",
        "the sum of the conditional means is at most e/(e-1) times the sum of the costs and a logarithm, except with "
        "probability delta",
        _slack,
        when=_costs,
    ),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="depth 1 and 2, five laws of a cost at each node",
    formal=Formal(proves=("sum_of_means_rarely_large",)),
    theory="08-regret.md#martingale",
)

PREFIX = replace(
    STATEMENT,
    label="martingale/prefix",
    title="the same at all times at once",
    corrected=Claim(
        r"P\Bigl[\exists n \le K:\ \sum_{k \le n} \mathbf E[Y_k\mid H_k] > "
        r"\tfrac{e}{e-1}\bigl(\sum_{k \le n} Y_k + b\log\tfrac1\delta\bigr)\Bigr] \le \delta",
        "the bound holds for every prefix of the episodes simultaneously, except with probability delta",
        lambda case: least(*_tails(attained(case, lambda sums: max(sums, key=_score)))),
        when=_costs,
    ),
    uses=("martingale",),
    formal=Formal(proves=("sums_of_means_rarely_large",)),
    theory="08-regret.md#regret-prefix",
)

STATEMENTS = (STATEMENT, PREFIX)
