"""Intervals, rounded numbers and progress: printed bounds and comparisons are true, not approximate."""

import math
import random
from fractions import Fraction

import mpmath
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import Truth, at_least, divide, exp, log, minimum, root
from verified_risk.numbers.rational import float_above, float_below

rng = random.Random(11)
NUMBERS = [Fraction(rng.randint(-(10**9), 10**9), rng.randint(1, 10**9)) for _ in range(200)]


def number(text: str) -> Fraction:
    return Fraction(text.replace("≈", "").strip())


def around(x: Fraction) -> vr.Interval:
    return vr.Interval(x - Fraction(1, 7), x + Fraction(1, 9))


@pytest.mark.parametrize("operate", [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y])
def test_arithmetic_encloses_every_pair_of_members(operate):
    for x, y in zip(NUMBERS[::2], NUMBERS[1::2], strict=True):
        left, right = around(x), around(y)
        if operate(1, Fraction(2)) == Fraction(1, 2) and right.lower <= 0 <= right.upper:
            with pytest.raises(ZeroDivisionError, match="not known to differ from 0"):
                operate(left, right)
            continue
        enclosed = operate(left, right)
        for a in (left.lower, x, left.upper):
            for b in (right.lower, y, right.upper):
                assert operate(a, b) in enclosed
                assert operate(a, b) in operate(a, right)


def test_a_number_over_an_interval_and_the_absolute_value():
    assert 1 / vr.Interval(Fraction(2), Fraction(4)).lower == Fraction(1, 2)
    inverse = 1 / vr.Interval(Fraction(2), Fraction(4))
    assert (inverse.lower, inverse.upper) == (Fraction(1, 4), Fraction(1, 2))
    for low, high, wanted in ((-3, 1, (0, 3)), (-3, -1, (1, 3)), (1, 3, (1, 3))):
        size = abs(vr.Interval(Fraction(low), Fraction(high)))
        assert (size.lower, size.upper) == wanted


def test_intervals_have_no_equality():
    x = around(Fraction(1))
    with pytest.raises(TypeError, match="use at_least"):
        assert x == x
    with pytest.raises(TypeError, match="use at_least"):
        assert x != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert at_least(x, 2) is Truth.FAILS
    assert at_least(x, 1) is Truth.UNKNOWN


@pytest.mark.parametrize(
    ("ours", "theirs"), [(log, mpmath.log), (exp, mpmath.exp), (root, mpmath.sqrt)], ids=["log", "exp", "root"]
)
def test_elementary_functions_enclose_what_mpmath_computes(ours, theirs):
    with mpmath.workdps(60):
        for x in NUMBERS[:60]:
            value = abs(x) % 50 + Fraction(1, 10**6)
            exact = theirs(mpmath.mpf(value.numerator) / value.denominator)
            low, high = (value, value + Fraction(1, 3))
            for enclosed in (ours(value), ours(vr.Interval(low, high))):
                assert mpmath.mpf(enclosed.lower.numerator) / enclosed.lower.denominator <= exact
                assert mpmath.mpf(enclosed.upper.numerator) / enclosed.upper.denominator >= exact


def test_rational_values_are_exact():
    assert (log(1), exp(Fraction(0)), root(Fraction(9, 4)), root(0)) == (0, 1, Fraction(3, 2), 0)
    assert divide(1, 3) == Fraction(1, 3)
    assert minimum(Fraction(2), vr.Interval(Fraction(3), Fraction(4))) == 2
    with pytest.raises(ValueError, match="logarithm of -1"):
        log(-1)
    with pytest.raises(ValueError, match="square root of -4"):
        root(-4)


def test_progress_prints_true_bounds_and_says_only_what_it_knows():
    third = Fraction(1, 3) + Fraction(1, 10**12)
    line = str(vr.Progress(2.0, third, third + Fraction(1, 10**11)))
    seconds, bounds, gap = line.split("   ")
    low, _, high = bounds.partition(" <= optimum <= ")
    assert (seconds, number(low) <= third, number(high) >= third + Fraction(1, 10**11)) == ("2.0 s", True, True)
    assert number(gap.removesuffix(" apart")) >= Fraction(1, 10**11)
    assert str(vr.Progress(0.5, upper=Fraction(2))) == "0.5 s   optimum <= 2"
    assert str(vr.Progress(0.5, done=3, total=8)) == "0.5 s   3 of 8"


def test_every_progress_of_a_search_bounds_the_optimum():
    """The optimum is found by brute force; the weighting is irrational, so the planner works on a polygon below it."""
    mdp = vr.models.two_paths()
    policies = [vr.MarkovPolicy(mdp, [[a, 0, 0, 0], [0] * 4]) for a in (0, 1)]
    for G in (vr.Wang("3/4"), vr.Wang("-3/4"), vr.CPW("71/100")):
        best = max(float(G.of(vr.return_law(mdp, policy))) for policy in policies)
        seen: list[vr.Progress] = []
        plan = vr.plan(mdp, G, progress=seen.append)
        told = [now for now in seen if now.lower is not None]  # the first may say that the compiler is at work
        assert told
        for now in told:
            assert now.lower <= plan.upper
            assert now.upper >= plan.lower
            assert float(now.upper) >= best - 1e-12


def test_a_float_on_one_side_of_a_number_is_on_that_side_and_next_to_it():
    rng = random.Random(4)
    sides = [0, 0]
    for _ in range(300):
        x = Fraction(rng.randint(-(10**20), 10**20), rng.randint(1, 10**20)) * Fraction(10) ** rng.randint(-30, 30)
        low, high = float_below(x), float_above(x)
        assert Fraction(low) <= x <= Fraction(high)
        assert math.nextafter(low, math.inf) == high
        sides[Fraction(float(x)) > x] += 1
    assert min(sides) > 100, "rounding to nearest goes both ways"
    for x in (0.1, -0.3, 0.0, 2.0**60):
        assert float_below(Fraction(x)) == float_above(Fraction(x)) == x
