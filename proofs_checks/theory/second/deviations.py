r"""Cases of both statements: a law on evenly spaced values in [0, 1], N independent draws, and a level delta.

Each claim says that the mean of the draws misses the mean of the law by more than a width with probability at most
delta.  Every outcome is enumerated with its rational probability; the width is enclosed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.irrational import exceeds
from ...cases.sampling import compositions, multinomial

SMALL_SIZE = "two and three values with masses in quarters, 2 to 7 draws, delta 1/2, 1/5, 1/20, 1/100"
LEVELS = (Fraction(1, 2), Fraction(1, 5), Fraction(1, 20), Fraction(1, 100))


@dataclass(frozen=True)
class Draws:
    """The masses of the values 0, 1/(m-1), ..., 1, the number of draws, and delta."""

    masses: tuple[Fraction, ...]
    n: int
    delta: Fraction


def missed(draws: Draws, miss: Callable[[Fraction], Fraction], width: Callable[[Fraction], Real]) -> Fraction:
    """The probability that ``miss(true mean - mean of the draws)`` exceeds ``width(sample variance)``."""
    last = len(draws.masses) - 1
    values = [Fraction(i, last) for i in range(last + 1)]
    true = sum((p * x for p, x in zip(draws.masses, values, strict=True)), Fraction())
    total = Fraction()
    for counts, p in multinomial(draws.masses, draws.n):
        mean = sum((c * x for c, x in zip(counts, values, strict=True)), Fraction()) / draws.n
        gap = miss(true - mean)
        if gap > 0 and exceeds(gap, width(sample_variance(counts, values, mean))):
            total += p
    return total


def sample_variance(counts: Sequence[int], values: Sequence[Fraction], mean: Fraction) -> Fraction:
    """The sample variance with denominator N - 1."""
    squares = sum((c * (x - mean) ** 2 for c, x in zip(counts, values, strict=True)), Fraction())
    return squares / (sum(counts) - 1)


@st.composite
def drawn(draw: st.DrawFn) -> Draws:
    """Laws on two to four values; half of them are uniform."""
    count = draw(st.integers(2, 4))
    even = draw(st.booleans())
    masses = (Fraction(1, count),) * count if even else draw(strategies.masses(count, max_weight=6, positive=True))
    return Draws(tuple(masses), draw(st.integers(2, 9)), draw(st.sampled_from(LEVELS)))


def small_draws() -> Iterator[Draws]:
    """The cases described by :data:`SMALL_SIZE`."""
    for values in (2, 3):
        for weights in compositions(4, values):
            for n in range(2, 8):
                for delta in LEVELS:
                    yield Draws(tuple(Fraction(w, 4) for w in weights), n, delta)


def has_two_draws(draws: Draws) -> bool:
    return draws.n >= 2 and 0 < draws.delta <= 1
