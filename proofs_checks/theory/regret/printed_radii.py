r"""L0/block, L0/printed-radii: the printed radii hold at every number of visits, without a union over it.

The printed radius :math:`\sqrt{l'/2n}`, :math:`l' = \log(6|S||A|K/\delta)`, is too small for a union over
:math:`n \le KT`.  Nearby sample sizes fail together: a block :math:`[m, (1 + 1/l)m]` of them leaves
its radius with probability at most :math:`42 e^{-l}` (DKW and Doob's inequality), and few blocks cover all sizes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every, probability_vectors
from ...cases.estimation import printed_level
from ...cases.irrational import divide, exceeds, exp, log
from ...cases.sampling import kolmogorov_gap, leaving_probability
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import reasons
from .regret_sizes import Problem

CONSTANT = 21  # constant of a one-sided deviation; a CDF leaves its band on two sides


@dataclass(frozen=True)
class Block:
    """Masses of the rewards (increasing), the smallest sample size of the block, and l."""

    rewards: tuple[Fraction, ...]
    start: int
    level: Fraction


def _block_slack(block: Block) -> Real:
    """42 exp(-l) - P[the empirical CDF is off by sqrt(l / 2n) or more for some n of the block]."""
    last = int(block.start * (1 + 1 / block.level))

    def wrong(n: int, counts: tuple[int, ...]) -> bool:
        return n >= block.start and 2 * n * kolmogorov_gap(counts, block.rewards) ** 2 >= block.level

    return at_most(leaving_probability(block.rewards, last, wrong), 2 * CONSTANT * exp(-block.level))


@st.composite
def _block(draw: st.DrawFn) -> Block:
    """Rare rewards, which a few draws miss by nearly 1, and others."""
    rare = draw(st.booleans())
    few = Fraction(1, draw(st.integers(20, 2000)))
    masses = (1 - few, few) if rare else draw(strategies.masses(draw(st.integers(2, 3)), max_weight=6, positive=True))
    return Block(
        tuple(masses), draw(st.integers(3, 14)), draw(st.sampled_from((Fraction(5), Fraction(11, 2), Fraction(7))))
    )


BLOCK = Statement(
    label="L0/block",
    title="nearby sample sizes fail together",
    corrected=Claim(
        r"P\bigl[\exists n \in [m, (1 + \tfrac1l)m]:\ \|F_n - F\|_\infty \ge \sqrt{l/2n}\bigr] \le 42\,e^{-l}, "
        r"\quad l \ge 5",
        "the empirical CDF leaves its band at some sample size of a block with probability at most 42 exp(-l)",
        _block_slack,
        when=lambda block: block.level >= 5,
    ),
    uses=("lem:event/rewards",),
    cases=_block,
    small_cases=lambda: every(Block, probability_vectors(2, 8), range(3, 13), (Fraction(5), Fraction(6))),
    small_size="two rewards in eighths, blocks that start at 3 to 12, l in 5, 6",
    formal=Formal(proves=("cdf_block_rarely_far",)),
    reaches={
        "bound": ("0.01", reasons.UNION),
        "hypotheses": ("not noticed", "l from 5 on is what the proof uses; below, no violation is known"),
    },
    theory="08-regret.md#block",
)


def _sizes_slack(p: Problem) -> Real:
    """delta/2 - 21 S0 (S0 + 2) |A| b exp(-l'), exp(-l') = delta / 6|S||A|K."""
    level = printed_level(p.states, p.actions, p.episodes, p.delta)
    blocks = 1 + (level + 1) * log(divide(Fraction(2 * p.steps), level))
    share = p.delta / (6 * p.states * p.actions * p.episodes)
    return at_most(CONSTANT * p.ordinary * (p.ordinary + 2) * p.actions * share * blocks, p.delta / 2)


@st.composite
def _sizes(draw: st.DrawFn) -> Problem:
    """Sizes near the least K that is large, and beyond."""
    ordinary, actions = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    horizon = draw(st.one_of(st.integers(1, 5), st.integers(0, 6).map(lambda i: 10**i)))
    delta = Fraction(1, 10 ** draw(st.sampled_from((0, 1, 3, 10, 100))))
    rest = 16 * horizon * (ordinary + 1) ** 3 * actions
    return Problem(ordinary, actions, horizon, rest * draw(st.sampled_from((9, 12, 20, 40, 300, 10**6))), delta)


def _small_sizes() -> Iterator[Problem]:
    deltas = (Fraction(1), Fraction(1, 100))
    for ordinary, horizon, factor, delta in product((1, 2, 3), (1, 2, 10, 1000), (9, 10, 15, 30, 100), deltas):
        yield Problem(ordinary, 1, horizon, factor * 16 * horizon * (ordinary + 1) ** 3, delta)


SIZES = Statement(
    label="L0/printed-radii",
    title="the blocks of all sample sizes fit into delta/2",
    corrected=Claim(
        r"K > 16T|S|^3|A|\log\tfrac{4|S||A|K}\delta \Rightarrow "
        r"21\,S_0(S_0+2)|A|\bigl[1 + (l'+1)\log\tfrac{2KT}{l'}\bigr]e^{-l'} \le \tfrac\delta2",
        "once the printed bound can be below KT, the failures of all blocks at the printed radius add "
        "up to at most delta/2",
        _sizes_slack,
        # otherwise the printed bound exceeds KT
        when=lambda p: exceeds(Fraction(p.episodes), 16 * p.horizon * p.states**3 * p.actions * p.logarithm),
    ),
    uses=("L0/block", "lem:event/hoeffding"),
    cases=_sizes,
    small_cases=_small_sizes,
    small_size="S0 <= 3, |A| = 1, T in 1, 2, 10, 1000, K 9 to 100 times 16 T |S|^3, delta in 1, 1/100",
    formal=Formal(proves=("blocks_fit",)),
    reaches={"bound": ("0.5", reasons.CLOSED_FORMS)},
    theory="08-regret.md#blocks",
)

STATEMENTS = (BLOCK, SIZES)
