"""Finite laws against definitions by scanning."""

from fractions import Fraction

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_laws import atoms, levels, plain_laws

from verified_risk import Law, errors


@given(plain_laws(), levels, atoms)
def test_cdf_and_quantiles_are_their_definitions(plain, tau, x):
    law = Law(plain)
    assert law.cdf(x) == sum(p for y, p in plain.items() if y <= x)
    assert law.mass(x) == plain.get(x, 0)
    if tau > 0:
        assert law.quantile(tau) == oracles.quantile(plain, tau)
    if tau < 1:
        assert law.upper_quantile(tau) == oracles.quantile(plain, tau, upper=True)


@given(plain_laws(), plain_laws())
def test_convolution_adds_independent_draws(a, b):
    total = Law(a).convolve(Law(b))
    for z in {x + y for x in a for y in b}:
        assert total.mass(z) == sum(p * b.get(z - x, 0) for x, p in a.items())
    assert total.mean == oracles.mean(a) + oracles.mean(b)
    assert total.variance == Law(a).variance + Law(b).variance


@given(plain_laws(), plain_laws(), levels)
def test_mixture_mixes_the_masses(a, b, w):
    mixed = Law.mixture([(w, Law(a)), (1 - w, Law(b))])
    for x in {*a, *b}:
        assert mixed.mass(x) == w * a.get(x, 0) + (1 - w) * b.get(x, 0)


@given(plain_laws(), st.fractions(min_value=Fraction(1, 7), max_value=2, max_denominator=7))
def test_rounding_moves_each_atom_to_the_next_multiple(plain, eta):
    up, down = Law(plain).round_up(eta), Law(plain).round_down(eta)
    assert all((y / eta).denominator == 1 for y in (*up.atoms, *down.atoms))
    for y in up.atoms:
        assert up.mass(y) == sum(p for x, p in plain.items() if y - eta < x <= y)
    for y in down.atoms:
        assert down.mass(y) == sum(p for x, p in plain.items() if y <= x < y + eta)


@given(plain_laws(), plain_laws())
def test_distances_are_suprema_over_events(a, b):
    points = sorted({*a, *b})
    half_lines = [abs(sum(a.get(x, 0) - b.get(x, 0) for x in points[:i])) for i in range(len(points) + 1)]
    assert Law(a).kolmogorov(Law(b)) == max(half_lines)
    best_event = sum(max(a.get(x, 0) - b.get(x, 0), 0) for x in points)
    assert Law(a).total_variation(Law(b)) == best_event
    assert Law(a).kolmogorov(Law(b)) <= Law(a).total_variation(Law(b))


@given(plain_laws())
def test_two_laws_are_equal_when_they_are_the_same_measure(plain):
    assert Law(plain) == Law({**plain, Fraction(100): 0})
    assert hash(Law(plain)) == hash(Law(list(plain.items())[::-1]))
    assert Law(plain) != Law(plain).affine(1, 1)


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ({}, "law is empty"),
        ({0: "1/2", 1: "1/3"}, "law sums to 5/6, not to 1"),
        ({0: -1, 1: 2}, r"law\[0\] is -1, wanted a probability"),
        ({0: float("nan")}, r"law\[0\] is nan, wanted a finite number"),
        ({float("inf"): 1}, "law: atom is inf, wanted a finite number"),
        ({"x": 1}, "law: atom is 'x', wanted a number"),
        ([(0, "1/2"), ("0.0", "1/2")], "law repeats the value 0"),
        ({0: True}, "is True, wanted a number"),
    ],
)
def test_what_is_not_a_law_is_refused_with_its_witness(masses, message):
    with pytest.raises(errors.InvalidLaw, match=message):
        Law(masses)


def test_floats_are_read_as_their_shortest_decimal():
    import numpy as np

    assert Law({0.1: 0.3, 0.2: 0.7}) == Law({"1/10": "3/10", "1/5": "7/10"})
    assert Law({np.float64(0.1): np.float64(1)}).atoms == (Fraction(1, 10),)
    assert Law({np.float32(0.1): np.int64(1)}).atoms == (Fraction(1, 10),)


def test_a_quantile_outside_its_range_is_refused():
    coin = Law({0: "1/2", 1: "1/2"})
    with pytest.raises(errors.InvalidNumber, match="tau is 0"):
        coin.quantile(0)
    with pytest.raises(errors.InvalidNumber, match="tau is 1"):
        coin.upper_quantile(1)
