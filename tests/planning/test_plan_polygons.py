"""The polygons that stand for a weighting in the search lie below it, everywhere."""

import random
from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.kernels import polygon_bounds as kernels
from verified_risk.numbers.enclosure import bounds
from verified_risk.objectives.cpw import inflection

ACCURACY = Fraction(1, 10**6)
WEIGHTINGS = [
    vr.Wang("3/4"),
    vr.Wang("-3/4"),
    vr.CPW("0.71"),
    vr.CPW("1/3"),
    vr.CPW("0.95"),
    vr.ProportionalHazard("1/2"),
    vr.ProportionalHazard(2),
    vr.DualPower("1/2"),
    vr.DualPower(3),
    vr.Spectral(["1/20", "1/7", "1/2"], ["1/3", "1/3", "1/3"]),
    vr.PiecewiseLinear([(0, 0), ("1/3", "1/7"), ("2/3", "6/7"), (1, 1)]),
    0.5 * vr.Mean() + 0.5 * vr.CPW("0.71"),
    0.25 * vr.VaR("1/3") + 0.75 * vr.Wang("1/2"),
    vr.PiecewiseLinear([(0, 0), ("1/10", "1/1000000007"), ("7/10", "999999/1000000"), (1, 1)]),
]


@pytest.mark.parametrize("G", WEIGHTINGS, ids=str)
def test_the_polygon_is_below_the_weighting_and_close_to_it(G):
    polygon = G.polygon_below(ACCURACY)
    rng = random.Random(str(G))
    knots = [Fraction(float(x)) for x in rng.sample(list(polygon.x), min(200, len(polygon.x)))]
    between = [(a + b) / 2 for a, b in zip(sorted(knots), sorted(knots)[1:], strict=False)]
    near_ends = [Fraction(rng.random() ** 8) for _ in range(60)]
    points = [*knots, *between, *near_ends, *(1 - x for x in near_ends), *(Fraction(rng.random()) for _ in range(200))]
    distances = [bounds(G(x))[0] - polygon(x) for x in points]
    assert min(distances) >= 0
    jump = isinstance(G, vr.VaR) or "var" in str(G)
    steep_end = str(G) == "cpw(1/3)"  # its slope at 1 is so large that the last float below 1 is far below G
    assert sorted(distances)[-5 if jump else -1] <= (Fraction(1, 10**3) if steep_end or jump else 4 * ACCURACY)
    assert polygon.x[0] == 0
    assert polygon.x[-1] == 1
    assert all(a < b for a, b in zip(polygon.x, polygon.x[1:], strict=False))


@pytest.mark.parametrize("gamma", ["0.3", "1/2", "0.71", "0.99"])
def test_the_inflection_of_cpw_is_bracketed_and_the_bracket_is_proved_by_second_differences(gamma):
    """A sample, not a proof: the proof is the interval evaluation inside."""
    a, b = inflection(Fraction(gamma))
    assert 0 < a < b < 1
    assert b - a < Fraction(1, 10**6)
    G, h = vr.CPW(gamma), Fraction(1, 10**5)
    rng = random.Random(gamma)
    for _ in range(40):
        x = h + (a - 2 * h) * Fraction(rng.random())
        assert bounds(G(x - h) + G(x + h) - 2 * G(x))[1] <= 0
        y = b + h + (1 - b - 2 * h) * Fraction(rng.random())
        assert bounds(G(y - h) + G(y + h) - 2 * G(y))[0] >= 0


@pytest.mark.parametrize("G", WEIGHTINGS, ids=str)
def test_minima_over_boxes_are_those_of_all_corners(G):
    """Only runs of slopes are looked at, in floats; the answer is at most, and within rounding, the exact minimum."""
    polygon = G.polygon_below(Fraction(1, 10**4))
    rng = random.Random(f"minima {G}")
    x, g = ([Fraction(v) for v in values.tolist()] for values in (polygon.x, polygon.g))
    c, low, high, n = [], [], [], 60
    for _ in range(n):
        ends = sorted(rng.choice([rng.random(), rng.random() ** 6, float(rng.choice(polygon.x))]) for _ in range(2))
        low.append(ends[0])
        high.append(ends[1])
        c.append(rng.choice([float(rng.choice(polygon.slope)), rng.uniform(-1, 4), rng.uniform(0.2, 2)]))
    least, where = np.zeros(n), np.zeros(n)
    kernels.tilted_minima(
        np.array(c), np.array(low), np.array(high), polygon.x, polygon.g, polygon.slope, *polygon.runs, least, where
    )
    for tilt, a, b, found, at in zip(c, low, high, least, where, strict=True):
        inside = [k for k in range(bisect_right(x, Fraction(a)), len(x)) if x[k] < b]
        ends = [polygon(Fraction(t)) - Fraction(tilt) * Fraction(t) for t in (a, b)]
        exact = min([*ends, *(g[k] - Fraction(tilt) * x[k] for k in inside)])
        assert found <= exact
        assert exact - Fraction(float(found)) <= Fraction(1, 2**46) * (1 + abs(Fraction(tilt)))
        assert a <= at <= b
