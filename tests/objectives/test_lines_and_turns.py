"""Lines above a weighting are as close as their shape allows, and the curvature of CPW is the second derivative."""

from __future__ import annotations

import math
from fractions import Fraction as Q

import mpmath
import pytest

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.numbers.enclosure import bounds
from verified_risk.objectives.cpw import _curvature
from verified_risk.objectives.lines import CLOSE, line_above
from verified_risk.objectives.polygon import Polygon, supports


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
