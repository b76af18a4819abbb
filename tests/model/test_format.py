"""Printed bounds are true at every digit, and "exactly" is said only where nothing is left open."""

import random
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.cli import main
from verified_risk.numbers.enclosure import Interval, Truth
from verified_risk.numbers.format import above, at_least, at_most, ends, number, span

TINY = Fraction(1, 10**300)


def value(printed: str) -> Fraction:
    """A printed number, ``a + b``, or ``a - b``."""
    return sum((Fraction(part.strip()) for part in printed.replace(" - ", " + -").split(" + ")), Fraction())


def numbers() -> st.SearchStrategy[Fraction]:
    """Just below, at and just above decimals of every length, of all sizes and signs."""
    return st.builds(
        lambda whole, exponent, nudge, sign: sign * (whole * Fraction(10) ** exponent + nudge),
        st.integers(1, 10**12),
        st.integers(-40, 20),
        st.sampled_from([Fraction(), TINY, -TINY, Fraction(1, 3 * 10**29), Fraction(1, 7)]),
        st.sampled_from([1, -1]),
    )


@given(numbers())
def test_a_bound_is_rounded_outward_at_every_digit(x):
    assert value(at_least(x)) <= x <= value(at_most(x))
    for digits in (1, 2, 3, 6):
        assert value(above(x, digits)) >= x
    assert value(above(float(x))) >= Fraction(float(x))


@given(numbers(), numbers())
def test_both_bounds_of_a_span_are_outside(x, y):
    low, high = min(x, y), max(x, y)
    first, _, last = span(low, high).partition(", ")[0].partition(" <= best over all policies <= ")
    assert value(first) <= low
    assert high <= value(last)
    apart = re.search(r", (\S+) apart", span(low, high))
    assert apart is None or value(apart[1]) >= high - low


def test_numbers_beyond_floats_are_told_by_their_first_digits_and_an_exponent():
    huge, tiny = Fraction(10) ** 400, Fraction(10) ** -400
    assert above(huge) == "1.00e+400"
    assert above(huge + 1) == "1.01e+400"
    assert above(Fraction(123)) == "123"
    assert span(tiny / 3, tiny / 2) == "3.333333333E-401 <= best over all policies <= 5E-401, 1.67e-401 apart"
    assert ends(tiny / 3, tiny / 2) == ("3.333333333E-401", "5E-401")
    assert ends(-tiny, tiny) == ("-1e-30", "1e-30"), "rounding on both sides of zero is no value"
    assert ends(-tiny, Fraction(1, 7)) == ("-1e-30", "1/7")


def test_a_number_is_told_as_a_fraction_only_if_it_is_that_fraction():
    half = Fraction(1, 2)
    assert (number(half), number(Fraction(3))) == ("1/2 ≈ 0.5", "3")
    for low, high in ((half, half + TINY), (half - TINY, half), (Fraction(3), 3 + TINY)):
        assert number(Interval(low, high)).startswith("≈ ")
    assert number(Interval(half, half)) == number(half)


def test_numbers_that_are_not_finite_are_said_so():
    assert (above(float("inf")), above(0.0), above(Fraction())) == ("inf", "0", "0")


@pytest.fixture
def plan() -> vr.Plan:
    return vr.exact_plan(vr.models.two_paths(), "cvar(1/2)")


def test_exactly_is_said_only_at_gap_zero(plan):
    assert plan.gap == 0
    assert "the bounds meet exactly" in str(plan)
    assert ", exactly" in plan._repr_html_()
    open_a_hair = replace(plan, upper=plan.upper + TINY)
    assert "exactly" not in str(open_a_hair)
    assert "exactly" not in open_a_hair._repr_html_()
    assert repr(plan).startswith("Plan(cvar(1/2): 1, MDP(")
    assert repr(open_a_hair).startswith("Plan(cvar(1/2): 1 to 1.")
    assert value(re.search(r"\+ (\S+)", str(open_a_hair))[1]) >= TINY


def test_the_command_says_exactly_only_at_gap_zero(plan, monkeypatch):
    command = ["plan", "two_paths", "--objective", "cvar(1/2)", "--exact"]
    assert "the bounds meet exactly" in CliRunner().invoke(main, command).stdout
    from verified_risk.cli import plan as module

    monkeypatch.setattr(module, "_exactly", lambda *given: replace(plan, upper=plan.upper + TINY))
    assert "exactly" not in CliRunner().invoke(main, command).stdout.replace("evaluated exactly", "")


def test_what_a_certificate_contributes_is_rounded_up(plan):
    amount = Fraction(1234501, 10**9)
    sure = replace(plan.certificate, contributions=(("grid", amount),))
    printed = str(sure).split()[-1]
    assert amount <= value(printed) < amount * Fraction(101, 100)


@pytest.mark.parametrize("bound", [Fraction(2, 3 * 10**9), Fraction(10**12, 3), -Fraction(20**9, 7)])
def test_the_bounds_of_a_recheck_are_printed_outward(bound):
    lower, upper = str(vr.Recheck(bound, bound, "a", "b", Truth.HOLDS, Truth.HOLDS)).splitlines()
    assert value(lower.split()[2]) < bound < value(upper.split()[2])


def test_close_bounds_are_told_by_their_distance_from_a_short_number_and_stay_outward():
    rng = random.Random(5)
    told = 0
    for _ in range(500):
        near = Fraction(rng.randint(-99, 99), rng.choice([1, 2, 10, 50, 3]))
        size = Fraction(10) ** -rng.randint(0, 40)
        lower, upper = near - size * rng.randint(0, 9), near + size * rng.randint(0, 9) / 7
        low, high = ends(lower, upper)
        assert value(low) <= lower
        assert value(high) >= upper
        told += " " in low
    assert told > 100
    assert ends(Fraction(6, 5), Fraction(6, 5)) == ("6/5", "6/5")
    assert ends(1 - Fraction(1, 10**302), Fraction(1)) == ("1 - 1.00e-302", "1")


def test_a_front_says_which_of_its_numbers_are_exact():
    head, *rows = str(vr.mean_cvar_front(vr.models.frozen_lake(), "1/4")).splitlines()
    assert head.split() == ["mean", "cvar", "weight", "of", "the", "mean", "gap", "mean", "and", "cvar", "are"]
    assert [row.split()[:3] for row in rows] == [["9/5", "6/5", "1/1000"], ["81/25", "24/25", "200/629"],
                                                 ["2187/500", "0", "999/1000"]]  # fmt: skip
    assert all(row.endswith(" exact") for row in rows)


def test_the_curve_of_all_levels_prints_its_certified_bounds_outward():
    curve = vr.cvar_frontier(vr.models.frozen_lake(), eta="1/7")
    head, *rows = str(curve).splitlines()[1:]
    assert head.split()[:2] == ["alpha", "attained"]
    assert len(rows) == 7
    for row in rows:
        alpha, lower, upper, gap = re.split(r"\s{2,}", row)
        exact = curve(alpha)
        assert value(lower) <= exact.lower
        assert value(upper) >= exact.upper
        assert Fraction(gap) >= exact.upper - exact.lower
