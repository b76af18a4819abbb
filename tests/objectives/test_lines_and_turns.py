"""Lines above a weighting are as close as their shape allows, and the curvature of CPW is the second derivative."""

import math
import random
from fractions import Fraction
from fractions import Fraction as Q
from itertools import pairwise

import mpmath
import pytest

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.numbers.enclosure import Interval, bounds
from verified_risk.objectives import polygon
from verified_risk.objectives.cpw import _curvature, _power, _sign_is, inflection
from verified_risk.objectives.lines import CLOSE, line_above
from verified_risk.objectives.polygon import Polygon, supports
from verified_risk.objectives.weighting import Weighting


@pytest.mark.parametrize("gamma", [Q(3, 10), Q(1, 2), Q(71, 100)])
def test_the_curvature_of_cpw_is_its_second_derivative(gamma):
    """The inflection is proved by the sign of G''/G times tau^2, or sigma^(2 - gamma); here by mpmath's derivative."""
    from flint import arb

    def G(t):
        g = mpmath.mpf(gamma.numerator) / gamma.denominator
        return t**g / (t**g + (1 - t) ** g) ** (1 / g)

    with mpmath.workdps(60):
        for tau in (Q(1, 1000), Q(1, 10), Q(2, 5), Q(499, 1000), Q(501, 1000), Q(7, 10), Q(9, 10), Q(999, 1000)):
            t = mpmath.mpf(tau.numerator) / tau.denominator
            g = mpmath.mpf(gamma.numerator) / gamma.denominator
            scale = t**2 if tau <= Q(1, 2) else (1 - t) ** (2 - g)
            wanted = scale * mpmath.diff(G, t, 2) / G(t)
            found = _curvature(gamma, arb, arb(tau.numerator) / tau.denominator)
            assert float(found.mid()) == pytest.approx(float(wanted), rel=1e-9, abs=1e-12)


POLYGON = vr.PiecewiseLinear([(0, 0), ("1/4", "1/2"), ("3/4", "5/8"), (1, 1)])
SLOPES = (Q(2), Q(1, 4), Q(3, 2))


@pytest.mark.parametrize(
    ("at", "slopes"),
    [
        (Q(0), SLOPES[:1]), (Q(1, 8), SLOPES[:1]), (Q(1, 4), SLOPES[:2]), (Q(1, 2), SLOPES[1:2]),
        (Q(3, 4), SLOPES[1:]), (Q(7, 8), SLOPES[2:]), (Q(1), SLOPES[2:]),
    ],
)  # fmt: skip
def test_a_line_above_a_polygon_has_a_slope_of_its_point_and_touches(at, slopes):
    for a, b in ((Q(0), Q(1)), (Q(1, 8), Q(7, 8)), (at, at)):
        slope, height = line_above(POLYGON, a, b, at)
        inside = min(max(at, a), b)
        assert slope in slopes or inside != at
        gaps = [
            height + slope * t - POLYGON(t) for t in sorted({a, b, *(x for x in (Q(1, 4), Q(3, 4)) if a <= x <= b)})
        ]
        assert min(gaps) == 0


@pytest.mark.parametrize("at", [Q(1, 1000), Q(1, 3), Q(9, 10)])
def test_a_line_above_a_concave_weighting_is_nearly_its_tangent(at):
    """hazard(1/2) is the square root."""
    slope, height = line_above(vr.ProportionalHazard("1/2"), Q(0), Q(1), at)
    root = mpmath.sqrt(float(at))
    assert float(slope) == pytest.approx(float(1 / (2 * root)), rel=float(CLOSE / at) / 10)
    above = height + slope * at - bounds(vr.ProportionalHazard("1/2")(at))[1]
    assert 0 <= above <= 2 * CLOSE * slope


@pytest.mark.parametrize("G", [vr.CPW(1), vr.Wang(0), vr.DualPower(1), vr.ProportionalHazard(1)], ids=str)
def test_a_family_that_ends_in_the_mean_is_the_mean_there(G):
    law = vr.Law({0: "1/3", "1/2": "1/3", 7: "1/3"})
    assert (G.of(law), G.lipschitz, G.shape) == (Q(5, 2), 1, "linear")
    assert [G(tau) for tau in ("1/3", "1/7")] == [Q(1, 3), Q(1, 7)]
    below = G.polygon_below(Q(1, 100))
    assert [(float(x), float(g)) for x, g in zip(below.x, below.g, strict=True)] == [(0.0, 0.0), (1.0, 1.0)]
    assert line_above(G, Q(1, 4), Q(3, 4), Q(1, 2)) == (1, 0)


def test_only_concave_polygons_are_mixtures_of_levels():
    assert vr.CVaR("1/4").require_levels().tails == ((Q(1, 4), 1),)
    for G in (vr.Wang("1/2"), vr.VaR("1/2"), POLYGON):
        with pytest.raises(Unsupported, match="not concave piecewise linear"):
            G.require_levels()


def test_a_part_without_a_constant_leaves_none_however_small_its_weight():
    w = Q(1, 10**400)
    assert (w * vr.Wang("1/2") + (1 - w) * vr.CVaR("1/2")).lipschitz == math.inf
    assert (Q(1, 2) * vr.DualPower(3) + Q(1, 2) * vr.CVaR("1/4")).lipschitz == Q(7, 2)


def test_weightings_are_equal_if_they_say_the_same():
    assert vr.CVaR("1/2") == vr.CVaR(0.5) == vr.objective("cvar(1/2)")
    assert vr.CVaR("1/2") != vr.CVaR("1/3")
    assert vr.VaR("1/2") != vr.VaR("1/2", upper=True)
    assert vr.CVaR(1) != "cvar(1)"
    assert len({vr.CVaR("1/2"), vr.CVaR(0.5), vr.Wang(0), vr.Mean()}) == 3


@pytest.mark.parametrize("accuracy", [Q(1, 100), Q(1, 1000)])
def test_lines_below_a_parabola_lose_as_much_over_every_chord(accuracy):
    """All second differences are equal, so every chord but the outer two gets a line, at the same distance."""
    lines = Polygon.through(supports(vr.ProportionalHazard(2), Q(0), Q(1), accuracy))
    chords = 16 if accuracy == Q(1, 100) else 32
    losses = [
        max(t * t - lines(t) for t in (Q(32 * k + j, 32 * chords) for j in range(33))) for k in range(1, chords - 1)
    ]
    assert min(losses) > 0
    assert max(losses) - min(losses) <= Q(1, 10**12)


# -- no rounding is left out ------------------------------------------------------------------------------------------


class Largest(Weighting):
    """The largest of some lines, declared as convex without corners."""

    shape, lipschitz, spec = "convex", Q(1000), "largest"

    def __init__(self, corners):
        self.corners = corners

    def value(self, tau):
        return next(g + (h - g) * (tau - x) / (y - x) for (x, g), (y, h) in pairwise(self.corners) if x <= tau <= y)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


def convex_polygons(count):
    """From (0, 0) to (1, 1), with corners and slopes that are no floats."""
    rng = random.Random("convex polygons")
    for _ in range(count):
        taus = [Q(0), *sorted(Q(rng.randint(1, 10**6), 10**6 + 3) for _ in range(rng.randint(1, 5))), Q(1)]
        rises = sorted(Q(rng.randint(1, 10**6), rng.randint(10**3, 10**6)) for _ in taus[1:])
        heights = [Q(0)]
        for (a, b), rise in zip(pairwise(taus), rises, strict=True):
            heights.append(heights[-1] + rise * (b - a))
        yield Largest([(tau, g / heights[-1]) for tau, g in zip(taus, heights, strict=True)])


def test_every_line_below_a_polygon_is_below_all_of_its_corners(monkeypatch):
    """Chords of a polygon are its pieces: no curvature hides what rounding does to a line."""
    lines = []
    monkeypatch.setattr(polygon, "_upper_envelope", lambda found, *_: lines.append(found) or [])
    for G in convex_polygons(25):
        polygon.supports(G, Q(0), Q(1), Q(1, 10**4))
        for slope, height in lines.pop():
            assert all(Q(slope) * tau + Q(height) <= g for tau, g in G.corners)


def test_the_polygon_of_some_lines_is_below_the_largest_of_them():
    """At both ends it is one line: less what rounding can add, and hardly more."""
    rng = random.Random("lines")
    for _ in range(50):
        lines = [(0.0, 0.0), *((rng.uniform(0, 9), rng.uniform(-3, 0)) for _ in range(8))]
        left, right = rng.uniform(0, 0.3), rng.uniform(0.7, 1)
        for x, found in polygon._upper_envelope(lines, left, right):
            exact = max(Q(slope) * x + Q(height) for slope, height in lines)
            assert exact - Q(1, 2**44) <= found <= exact


@pytest.mark.parametrize("gamma", ["0.3", "1/2", "0.71", "0.95"])
def test_the_polygon_of_cpw_is_below_it_where_it_turns(gamma):
    """Only monotonicity is known between the ends of the turn: at the first one the polygon is not above G."""
    a, b = inflection(Q(gamma))
    G = vr.CPW(gamma)
    points = dict(G.points_below(Q(1, 10**4)))
    assert points[a] == points[b] <= bounds(G(a))[0]
    assert Polygon.through(sorted(points.items()))((a + b) / 2) <= bounds(G(a))[0]


@pytest.mark.parametrize("alpha", [Q(1, 3), Q(2, 3), Q(1, 10), Q(1, 2), Q(3, 7), Q(1, 10**9)])
def test_a_ramp_begins_at_its_level_or_behind_it(alpha):
    """At the level itself an upper quantile still weighs nothing; neither does a lower one just before it."""
    below = Polygon.through(polygon.ramp(alpha))
    assert below(alpha) <= 0
    assert below(alpha + 2 * polygon.RAMP) == 1


def test_enclosures_and_sums_are_rounded_outward():
    weightings = [vr.Wang("3/4"), vr.DualPower("1/2"), vr.ProportionalHazard(3), vr.CPW("0.71")]
    for G in weightings:
        for n in range(1, 40):
            low, high = bounds(G(Q(n, 41)))
            below, above = polygon._enclosed(G, Q(n, 41))
            assert low - Q(1, 2**50) <= below <= low <= high <= above <= high + Q(1, 2**50)
    parts = [(Q(1, 3), G.points_below(Q(1, 100))) for G in weightings[:3]]
    for x, g in polygon.weighted_sum(parts):
        assert g <= sum(w * Polygon.through(points)(x) for w, points in parts) <= g + Q(1, 2**50)


class Vague(Weighting):
    """``min(2 tau, 1)``, enclosed as closely as ``widths`` says in turn."""

    shape, lipschitz, spec = "concave", Q(2), "vague"

    def __init__(self, widths):
        self.widths = list(widths)

    def value(self, tau):
        self.widths.append(self.widths.pop(0))
        exact = min(2 * tau, Q(1))
        return Interval(exact - self.widths[-1], exact)


@pytest.mark.parametrize("widths", [(0, 0), (Q(1, 2**40), 0), (0, Q(1, 2**40)), (Q(1, 2**30), Q(1, 2**28))])
def test_a_line_is_above_a_concave_weighting_however_vaguely_that_is_known(widths):
    """At both ends of the interval, at the corner, and on both sides of where it touches."""
    rng = random.Random(str(widths))
    for _ in range(100):
        at = rng.choice([Q(rng.random()), Q(1, 2) + Q(rng.randint(-20, 20), 2**29), Q(1)])
        close = CLOSE * Q(rng.random())
        for a, b in ((Q(0), Q(1)), (max(at - close, Q(0)), min(at + CLOSE - close, Q(1))), (at, at), (Q(0), at)):
            slope, height = line_above(Vague(widths), a, b, at)
            for tau in (a, b, (a + b) / 2, *(x for x in (at - CLOSE / 2, at + CLOSE / 2, Q(1, 2)) if a <= x <= b)):
                assert min(2 * tau, Q(1)) <= slope * tau + height


# -- a sign that is proved --------------------------------------------------------------------------------------------


def test_a_power_of_a_ball_at_zero_holds_all_powers():
    from flint import arb

    for top in (arb(1) / 3, arb(1) / 2**40):
        for k in (arb(1) / 3, arb(3) / 2):
            found = _power((top / 2).union(0 * top).union(top), k)
            assert all(found.contains((top * n / 8) ** k) for n in range(1, 9))
            assert found.contains(0)


def test_a_sign_is_proved_only_where_it_holds_everywhere():
    """``x + 1/8`` is on [0, 1]; ``x - 1/8`` is not at its beginning, ``7/8 - x`` not at its end, x not at 0."""
    eighth = Q(1, 8)
    for slope, height, wanted in ((1, eighth, True), (1, -eighth, False), (-1, 7 * eighth, False), (1, Q(0), False)):

        def positive(arb, x, slope=slope, height=height):
            return slope * x + arb(height.numerator) / height.denominator

        assert _sign_is(positive, Q(0), Q(1)) is wanted


ACCURACY = Fraction(1, 10**6)
CURVES = "wang(3/4) wang(-3/4) cpw(0.71) cpw(1/3) cpw(0.95) hazard(1/2) hazard(2) dual(1/2) dual(3)"
WEIGHTINGS = [
    *map(vr.objective, CURVES.split()),
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
