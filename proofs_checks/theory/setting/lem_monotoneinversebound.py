r"""lem:monotoneinversebound: if :math:`F(x) \le H(x + \eta)` everywhere, :math:`F^\dagger \ge H^\dagger - \eta`. Holds.

No continuity is needed: if F(x) reaches tau, so does H at x + eta, so the set over which F† takes its infimum, moved by
eta, lies inside that of H†.  The printed proof goes through the false half of ``lem:quantileinverse``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every, grid
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .monotone import Corner, Monotone, limit, lower_of, monotone_functions


@dataclass(frozen=True)
class Case:
    """Two nondecreasing step functions with F(x) <= H(x + eta), and a level."""

    lower: Monotone
    upper: Monotone
    eta: Fraction
    tau: Fraction


def _dominated(case: Case) -> bool:
    """F <= H(. + eta) at all corners and on all pieces between them."""
    moved = case.upper.shifted(case.eta)
    places = {c.at for c in (*case.lower.corners, *moved.corners)}
    sides = all(limit(case.lower, x, side) <= limit(moved, x, side) for x in places for side in (-1, 1))
    return sides and all(case.lower(x) <= moved(x) for x in places)


def _slack(case: Case) -> Real:
    """F†(tau) - (H†(tau) - eta), at most 1 (either may be infinite)."""
    mine, other = case.lower.inverse(case.tau), case.upper.inverse(case.tau)
    if isinstance(mine, Fraction) and isinstance(other, Fraction):
        return at_most(other - mine, case.eta)
    return Fraction(1 if mine >= other else -1)  # one is infinite: compare in the extended line


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    upper = draw(monotone_functions(steps=True))
    eta = draw(strategies.rationals(max_value=2, max_denominator=2))
    lower = draw(monotone_functions(steps=True))
    if draw(st.integers(0, 4)):  # otherwise the functions need not be ordered
        lower = lower_of(upper.shifted(eta), lower)
    return Case(lower, upper, eta, draw(strategies.rationals(min_value=-1, max_value=2)))


def _small_cases() -> Iterator[Case]:
    halves = grid("1/2")
    steps = {at: [Monotone((Corner(at, Fraction(0), value, Fraction(1)),)) for value in halves] for at in halves}
    for x, z in product(halves, repeat=2):
        yield from every(Case, steps[x], steps[z], halves, grid("1/4"))


STATEMENT = Statement(
    label="lem:monotoneinversebound",
    title="closeness of functions gives closeness of quantiles",
    section="B",
    printed=Claim(
        r"F(x) \le H(x + \eta)\ \forall x \Rightarrow F^\dagger(\tau) \ge H^\dagger(\tau) - \eta",
        "If one function stays below another moved by eta, its quantiles are at least the other's minus eta.",
        _slack,
        when=_dominated,
    ),
    uses=("lem:quantileinverse/first", "lem:quantileinverse/second"),
    cases=_cases,
    small_cases=_small_cases,
    small_size="single steps at 0, 1/2, 1 with every value at the jump, eta in halves, levels in quarters",
    formal=Formal(proves=("quantile_ge_of_shifted_bound",)),
    theory="01-setting.md#monotone-inverse",
    notes="True for all functions. The printed proof goes through the half of lem:quantileinverse that needs "
    "right-continuity; for CDFs, and the paper has no other use for it, that proof is sound too.",
)
