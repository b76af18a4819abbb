r"""martingale: from expected costs to costs.  Exact enumeration of adaptive trees.

For :math:`0 \le Y_k \le b` and :math:`X = \sum_k \bigl((1 - \tfrac1e)\,\mathbf E[Y_k\mid H_k] - Y_k\bigr)/b`, the claim

.. math:: \sum_k \mathbf E[Y_k\mid H_k] \le \tfrac{e}{e-1}\bigl(\textstyle\sum_k Y_k + b\log\tfrac1\delta\bigr)
          \quad\text{with probability} \ge 1-\delta, \text{ for every } \delta,

is :math:`P(X \ge x) \le e^{-x}` for every x, and follows from :math:`\mathbf E\,e^X \le 1`.  Both are checked.  By
Ville's inequality the same holds of the largest X over all prefixes (``martingale/prefix``): the bound is valid at
all times.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import bounds

from ...cases import strategies
from ...cases.irrational import divide, exp
from ...engine.model import Claim, Formal, Real, Statement, at_most, least


@dataclass(frozen=True)
class Case:
    """The law of the next cost at each node, level by level: ``(low, high, probability of high)``, costs in [0, 1].

    Node ``i`` has the children ``2i + 1`` (low) and ``2i + 2`` (high).
    """

    nodes: tuple[tuple[Fraction, Fraction, Fraction], ...]


def paths(case: Case) -> dict[tuple[Fraction, Fraction], Fraction]:
    """``{(sum of conditional means, sum of costs): probability}``."""
    found: dict[tuple[Fraction, Fraction], Fraction] = {}

    def walk(node: int, means: Fraction, costs: Fraction, mass: Fraction) -> None:
        if not mass:
            return
        if node >= len(case.nodes):
            found[means, costs] = found.get((means, costs), Fraction()) + mass
            return
        low, high, p = case.nodes[node]
        mean = means + low * (1 - p) + high * p
        walk(2 * node + 1, mean, costs + low, mass * (1 - p))
        walk(2 * node + 2, mean, costs + high, mass * p)

    walk(0, Fraction(), Fraction(), Fraction(1))
    return found


SHRINK = 1 - divide(Fraction(1), exp(Fraction(1)))


def _slack(case: Case) -> Real:
    scores = [(SHRINK * means - costs, mass) for (means, costs), mass in paths(case).items()]
    scores.sort(key=lambda pair: bounds(pair[0]), reverse=True)
    moment: Real = Fraction()
    tail = Fraction()
    slacks: list[Real] = []
    for x, mass in scores:  # two different scores never overlap: e is irrational
        moment = moment + mass * exp(x)
        tail += mass
        slacks.append(at_most(tail, exp(-x), "tail"))
    return least(at_most(moment, 1, "moment"), *slacks)


def _prefix_slack(case: Case) -> Real:
    """exp(-x) - P(X_k >= x for some k <= K) at the worst attained x."""
    found: list[tuple[Real, Fraction]] = []

    def walk(node: int, score: Real, highest: Real, mass: Fraction) -> None:
        if not mass:
            return
        if node >= len(case.nodes):
            found.append((highest, mass))
            return
        low, high, p = case.nodes[node]
        mean = low * (1 - p) + high * p
        for child, cost, q in ((2 * node + 1, low, 1 - p), (2 * node + 2, high, p)):
            new = score + (SHRINK * mean - cost)
            walk(child, new, max(new, highest, key=bounds), mass * q)

    walk(0, Fraction(), Fraction(), Fraction(1))
    found.sort(key=lambda pair: bounds(pair[0]), reverse=True)
    tail = Fraction()
    slacks: list[Real] = []
    for i, (x, mass) in enumerate(found):
        tail += mass
        if i + 1 == len(found) or bounds(found[i + 1][0]) != bounds(x):
            slacks.append(at_most(tail, exp(-x)))
    return least(*slacks)


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
        _prefix_slack,
        when=_costs,
    ),
    uses=("martingale",),
    formal=Formal(proves=("sums_of_means_rarely_large",)),
    theory="08-regret.md#regret-prefix",
)

STATEMENTS = (STATEMENT, PREFIX)
