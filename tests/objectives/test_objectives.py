"""Weightings: shapes, constants, exact values, rigorous enclosures, and the key identity as a test."""

import math
import os
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

import mpmath
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_laws import levels, plain_laws

import verified_risk as vr
from verified_risk.numbers.enclosure import Interval, Truth, at_least, bounds

RATIONAL = [
    vr.Mean(),
    vr.CVaR("1/4"),
    vr.CVaR(1),
    vr.VaR("1/2"),
    vr.VaR("1/3", upper=True),
    vr.PiecewiseLinear([(0, 0), ("1/2", "1/8"), ("3/4", "7/8"), (1, 1)]),
    vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"]),
    vr.ProportionalHazard(2),
    vr.DualPower(3),
    0.25 * vr.VaR("1/2") + 0.75 * vr.CVaR("1/5"),
]
IRRATIONAL = [
    vr.Wang("3/4"),
    vr.Wang("-3/4"),
    vr.CPW("71/100"),
    vr.CPW("1/2"),
    vr.ProportionalHazard("1/2"),
    vr.DualPower("5/2"),
    0.5 * vr.Wang("1/2") + 0.5 * vr.Mean(),
]
EVERY = RATIONAL + IRRATIONAL
every_weighting = pytest.mark.parametrize("G", EVERY, ids=repr)


@every_weighting
def test_a_weighting_goes_from_zero_to_one_and_never_down(G):
    assert G(0) == 0
    assert G(1) == 1
    values = [bounds(G(Fraction(i, 60))) for i in range(61)]
    assert all(a[0] <= b[1] for a, b in pairwise(values))


@every_weighting
def test_the_declared_shape_is_the_shape_on_a_grid(G):
    values = [bounds(G(Fraction(i, 60))) for i in range(61)]
    bends = [(2 * values[i][1] - values[i - 1][0] - values[i + 1][0]) for i in range(1, 60)]
    dents = [(2 * values[i][0] - values[i - 1][1] - values[i + 1][1]) for i in range(1, 60)]
    if G.shape in ("concave", "linear"):
        assert min(bends) >= 0
    if G.shape in ("convex", "linear"):
        assert max(dents) <= 0
    if G.shape == "general":
        assert min(bends) < 0 < max(dents)


@every_weighting
def test_no_slope_exceeds_the_lipschitz_constant_and_it_is_nearly_attained(G):
    tiny = [Fraction(1, 10**k) for k in range(2, 40)]
    near = {c + d for c in (0, Fraction(1, 3), Fraction(1, 2), 1) for x in tiny for d in (x, -x) if 0 <= c + d <= 1}
    points = sorted(near | {Fraction(i, 60) for i in range(61)})
    slopes = []
    for a, b in pairwise(points):
        low, high = bounds(G(b) - G(a))
        slopes.append((low / (b - a), high / (b - a)))
    if G.lipschitz == math.inf:
        assert max(low for low, _ in slopes) > 100
    else:
        assert max(low for low, _ in slopes) <= G.lipschitz
        assert max(high for _, high in slopes) >= G.lipschitz * Fraction(999, 1000)


@given(plain_laws(), st.sampled_from(EVERY))
def test_the_key_identity_holds_for_the_quantile_integral(plain, G):
    """Phi = M - integral of G(F) over [bottom, M] for every M beyond the support; the two sums share no term."""
    value = G.of(vr.Law(plain))
    support = {x: p for x, p in plain.items() if p}
    for top in (max(support), max(support) + 3):
        area = oracles.phi_by_area(support, lambda level: G(level), top)
        difference = value - area
        if isinstance(difference, Interval):
            assert 0 in difference
            assert difference.width < Fraction(1, 10**30)
        else:
            assert difference == 0


@given(plain_laws(), levels.filter(bool))
def test_cvar_is_the_mean_of_the_worst_share(plain, alpha):
    assert vr.CVaR(alpha).of(vr.Law(plain)) == oracles.cvar(plain, alpha)


@given(plain_laws(), levels)
def test_var_is_a_quantile(plain, alpha):
    if alpha > 0:
        assert vr.VaR(alpha).of(vr.Law(plain)) == oracles.quantile(plain, alpha)
    if alpha < 1:
        assert vr.VaR(alpha, upper=True).of(vr.Law(plain)) == oracles.quantile(plain, alpha, upper=True)


@given(plain_laws(), st.integers(1, 4))
def test_dual_power_is_the_mean_of_the_worst_of_k_draws(plain, k):
    survival = [(x, sum(p for y, p in plain.items() if y >= x) ** k) for x in sorted(plain)]
    worst = sum(x * (here - after) for (x, here), (_, after) in pairwise([*survival, (None, Fraction(0))]))
    assert vr.DualPower(k).of(vr.Law(plain)) == worst


@given(levels.filter(lambda tau: 0 < tau < 1), st.sampled_from([Fraction(3, 4), Fraction(-3, 4), Fraction(2)]))
def test_wang_encloses_what_mpmath_computes_at_fifty_digits(tau, beta):
    with mpmath.workdps(50):
        z = mpmath.findroot(
            lambda x: mpmath.ncdf(x) - mpmath.mpf(tau.numerator) / tau.denominator, NormalDist().inv_cdf(float(tau))
        )
        reference = mpmath.ncdf(z + mpmath.mpf(beta.numerator) / beta.denominator)
        _close(vr.Wang(beta)(tau), reference)


@given(levels.filter(lambda tau: 0 < tau < 1), st.sampled_from([Fraction(71, 100), Fraction(1, 2), Fraction(28, 100)]))
def test_cpw_encloses_what_mpmath_computes_at_fifty_digits(tau, gamma):
    with mpmath.workdps(50):
        t, g = (mpmath.mpf(x.numerator) / x.denominator for x in (tau, gamma))
        _close(vr.CPW(gamma)(tau), t**g / (t**g + (1 - t) ** g) ** (1 / g))


def _close(value: Interval, reference) -> None:
    low, high = (mpmath.mpf(x.numerator) / x.denominator for x in bounds(value))
    assert low - mpmath.mpf(10) ** -45 <= reference <= high + mpmath.mpf(10) ** -45
    assert value.width < Fraction(1, 10**20)


def test_wang_keeps_its_digits_in_the_far_tail():
    tiny = Fraction(1, 10**30)
    value = vr.Wang("3/4")(tiny)
    assert value.width < tiny / 10**6
    assert value.lower > tiny


def test_cpw_is_monotone_from_its_least_gamma_on_and_not_below():
    def least_step(gamma):
        def weight(tau):
            return tau**gamma / (tau**gamma + (1 - tau) ** gamma) ** (1 / gamma)

        return min(weight((i + 1) / 4000) - weight(i / 4000) for i in range(1, 3998))

    assert least_step(0.28) > 0
    assert least_step(0.27) < 0


def test_cpw_has_the_slope_ratio_of_the_audit():
    """gamma = 1/2: G(tau)/tau = (n^2 + 1)^{3/2} / (n + 1)^2 at tau = 1/(n^2 + 1), unbounded in n."""
    for n in (1, 5, 50):
        value = vr.CPW("1/2")(Fraction(1, n * n + 1))
        low, high = (x**2 * (n + 1) ** 4 for x in bounds(value * (n * n + 1)))
        assert low <= (n * n + 1) ** 3 <= high


def test_mixtures_merge_equal_parts_and_know_their_corners():
    mixed = 0.5 * vr.Mean() + 0.25 * vr.CVaR("1/4") + 0.25 * vr.CVaR("1/4")
    assert mixed == 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4")
    assert mixed.knots == ((0, 0), (Fraction(1, 4), Fraction(5, 8)), (1, 1))
    assert mixed.lipschitz == Fraction(5, 2)
    assert (0.5 * (vr.Mean() + vr.CVaR("1/4"))).spec == "1/2*mean + 1/2*cvar(1/4)"
    concave_and_convex = 0.5 * vr.PiecewiseLinear([(0, 0), ("1/2", 1), (1, 1)])
    concave_and_convex += 0.5 * vr.PiecewiseLinear([(0, 0), ("1/2", 0), (1, 1)])
    assert concave_and_convex.shape == "linear"


@every_weighting
def test_an_objective_is_read_back_from_its_own_text(G):
    again = vr.objective(G.spec)
    assert again == G == vr.objective(G.spec.upper())
    assert bounds(again("1/3")) == bounds(G("1/3"))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: vr.objective("cvar"), r"'cvar' in 'cvar' has no parameter, wanted cvar\(1/4\), say"),
        (lambda: vr.CVaR(0), r"alpha is 0, wanted a level in \(0, 1\]"),
        (lambda: vr.CVaR("3/2"), "alpha is 3/2"),
        (lambda: vr.CVaR("a"), "alpha is 'a', wanted a number"),
        (lambda: vr.VaR(0), "alpha is 0"),
        (lambda: vr.VaR(1, upper=True), r"alpha is 1, wanted a level in \[0, 1\)"),
        (lambda: vr.CPW("1/5"), "gamma is 1/5"),
        (lambda: vr.DualPower(0), "k is 0, wanted a positive exponent"),
        (lambda: vr.Spectral(["1/2"], ["1/2", "1/2"]), "1 levels and 2 weights"),
        (lambda: vr.Spectral(["1/2", 1], ["1/2", "1/3"]), "mixture weights sum to 5/6, not to 1"),
        (lambda: -1 * vr.Mean() + 2 * vr.CVaR("1/2"), "mixture weight is -1"),
        (lambda: vr.PiecewiseLinear([(0, "1/4"), (1, 1)]), r"G\(0\) is 1/4, wanted 0"),
        (lambda: vr.PiecewiseLinear([(0, 0), (1, "3/4")]), r"G\(1\) is 3/4, wanted 1"),
        (lambda: vr.PiecewiseLinear([(0, 0), ("1/3", "1/2"), ("2/3", "1/4"), (1, 1)]), "G decreases from 1/2 to 1/4"),
        (lambda: vr.PiecewiseLinear([(0, 0), ("1/2", 0), ("1/2", 1), (1, 1)]), "wanted increasing tau"),
        (lambda: vr.PiecewiseLinear([(0, 0)]), "has 1 corners"),
        (lambda: vr.objective("0.5*mean + 0.4*cvar(1/10)"), "sum to 9/10, not to 1"),
        (lambda: vr.objective("mean("), "cannot read"),
        (lambda: vr.objective("x*mean + 0.5*mean"), "weight 0 is 'x'"),
    ],
)
def test_what_is_not_a_weighting_is_refused(build, message):
    with pytest.raises(vr.errors.InvalidObjective, match=message):
        build()


def test_comparisons_of_enclosures_are_three_valued_and_have_no_bool():
    one = Fraction(1)
    assert at_least(Interval(one, one + 1), 1) is Truth.HOLDS
    assert at_least(Interval(one, one + 1), 3) is Truth.FAILS
    assert at_least(Interval(one, one + 1), Fraction(3, 2)) is Truth.UNKNOWN
    with pytest.raises(TypeError, match="three-valued"):
        bool(Truth.UNKNOWN)


MIXED = (
    ("1/2*wang(3/4) + 1/2*cpw(1/2)", "general"),
    ("1/2*cpw(1/2) + 1/2*cvar(1/4)", "general"),
    ("1/2*wang(3/4) + 1/2*cvar(1/4)", "concave"),
    ("1/2*wang(-3/4) + 1/2*mean", "convex"),
    ("1/2*wang(-3/4) + 1/2*wang(3/4)", "general"),
)


@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_the_shape_of_a_mixture_does_not_depend_on_the_order_of_a_set(seed):
    """A set of words is ordered by their hashes, which Python draws anew in every process."""
    code = f"import verified_risk as vr; print([vr.objective(text).shape for text, _ in {MIXED!r}])"
    setting = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", code], env=setting, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([shape for _, shape in MIXED])
