r"""lem:quantileinverse: :math:`F^\dagger(F(x)) \le x` and :math:`F(F^\dagger(\tau)) \ge \tau`.  The first half holds.

The second is printed for every monotone F; it needs right-continuity.  The infimum that defines F† is attained exactly
when F is right-continuous there: a step that takes its lower value at the jump breaks it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from hypothesis import strategies as st

from ...cases import strategies
from ...cases.enumeration import every, grid
from ...engine.model import Claim, Formal, Real, Statement, at_most
from ...engine.symbolic import Proof, Step, parameters
from .. import causes
from .monotone import Corner, Monotone, monotone_functions


@dataclass(frozen=True)
class PointCase:
    """A nondecreasing function and a point."""

    function: Monotone
    x: Fraction


def _first_half(case: PointCase) -> Real:
    """x - F†(F(x)), at most 1 (F† may be minus infinity)."""
    quantile = case.function.inverse(case.function(case.x))
    return at_most(quantile, case.x) if isinstance(quantile, Fraction) and quantile >= case.x - 1 else Fraction(1)


def _steps() -> Iterator[Monotone]:
    """All functions with one jump at 0 between heights in thirds, then one linear piece up to 1."""
    for left, value, right, end in combinations_with_replacement(grid("1/3"), 4):
        yield Monotone((Corner(Fraction(0), left, value, right), Corner(Fraction(1), end, end, end)))


def _proof_steps(planted: bool) -> list[Step]:
    """The two ways to reach a level."""
    low, into, rest, w, c, z = parameters("low, into, rest, w, c, z")
    level = low + into
    at_jump = low if planted else low + into + rest
    q = z * w  # from the beginning of the piece, where F is low
    return [
        Step("before the jump F is below the level", level - low),
        Step("at the jump F is at least the level", at_jump - level),
        Step("on a piece F equals the level (times the width)", (w * low + c * q) - w * (low + z * c), equation=True),
    ]


PROOF = Proof("any number of jumps and linear pieces", _proof_steps, "F is left-continuous")
r"""lem:quantileinverse/second, :math:`F(F^\dagger(\tau)) \ge \tau`, for right-continuous F of jumps and linear pieces.

The level tau is reached either by a jump or on a piece that rises; ``low`` is the value of F just before.

* By a jump at q from ``low`` to ``low + into + rest``, with tau ``into > 0`` above ``low``: to the left of q the values
  are at most ``low < tau``, so q is the infimum, and right-continuity puts the upper end of the jump at q itself.
* On a piece of width w and rise c, tau is the value at the share z of the piece, so q is there.
"""

FIRST = Statement(
    label="lem:quantileinverse/first",
    title="the quantile of a value is at most the point",
    section="B",
    printed=Claim(
        r"F^\dagger(F(x)) \le x \quad (F \text{ nondecreasing})",
        "The quantile at the level F(x) does not exceed x.",
        _first_half,
    ),
    uses=("def:quantile/zero",),
    cases=lambda: st.builds(PointCase, monotone_functions(), strategies.rationals(min_value=-3, max_value=3)),
    small_cases=lambda: every(PointCase, _steps(), (Fraction(-1), *grid("1/3"), Fraction(2))),
    small_size="one jump at 0 with heights in thirds and a linear piece, x in {-1, 0, 1/3, 2/3, 1, 2}",
    formal=Formal(proves=("quantile_of_value_le",)),
    theory="01-setting.md#quantile-inverse",
)


@dataclass(frozen=True)
class LevelCase:
    """A nondecreasing function and a level."""

    function: Monotone
    tau: Fraction


def _second_half(case: LevelCase) -> Real:
    """F(F†(tau)) - tau."""
    x = case.function.inverse(case.tau)
    assert isinstance(x, Fraction)
    return at_most(case.tau, case.function(x))


def _finite(case: LevelCase) -> bool:
    return isinstance(case.function.inverse(case.tau), Fraction)


@st.composite
def _level_cases(draw: st.DrawFn) -> LevelCase:
    function = draw(monotone_functions())
    if draw(st.booleans()):
        function = Monotone(tuple(Corner(c.at, c.left, c.right, c.right) for c in function.corners))
    low, high = function.corners[0].left, function.corners[-1].right
    return LevelCase(function, high - Fraction(draw(st.integers(0, 11)), 12) * (high - low))


SECOND = Statement(
    label="lem:quantileinverse/second",
    title="a function reaches the level at its quantile",
    section="B",
    printed=Claim(
        r"F(F^\dagger(\tau)) \ge \tau \quad (F \text{ nondecreasing})",
        "A nondecreasing function is at least tau at its quantile of level tau.",
        _second_half,
        when=_finite,
    ),
    corrected=Claim(
        r"F(F^\dagger(\tau)) \ge \tau \quad (F \text{ right-continuous as well, } F^\dagger(\tau) \text{ finite})",
        "A nondecreasing right-continuous function is at least tau at its quantile of level tau, if that is finite.",
        _second_half,
        when=lambda case: _finite(case) and case.function.right_continuous,
    ),
    cause=causes.RIGHT_CONTINUITY,
    uses=("def:quantile/zero",),
    cases=_level_cases,
    small_cases=lambda: every(LevelCase, _steps(), grid("1/6")),
    small_size="one jump at 0 with heights in thirds and a linear piece, levels in sixths",
    counterexample=LevelCase(Monotone((Corner(Fraction(0), Fraction(0), Fraction(0), Fraction(1)),)), Fraction(1, 2)),
    find_budget=200,
    proof=PROOF,
    formal=Formal(
        proves=("value_of_quantile_ge",),
        refutes=("value_of_quantile_ge_false_for_monotone", "quantile_of_constant_is_infinite"),
    ),
    theory="01-setting.md#quantile-inverse",
    notes="Printed for every monotone F; every F to which the paper applies it is a CDF, hence right-continuous.",
)

STATEMENTS = (FIRST, SECOND)
