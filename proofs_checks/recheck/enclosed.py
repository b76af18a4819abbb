"""Irrational numbers as rational intervals ``(low, high)``.

A claim "left <= right" is refuted when the low end of its left side exceeds the high end of its right side.
"""

import math
from fractions import Fraction

from .file_format import require

Bounds = tuple[Fraction, Fraction]


def outward(low: Fraction, high: Fraction, digits: int = 50) -> Bounds:
    """A slightly wider interval with short endpoints."""
    scale = 10**digits
    return Fraction(low * scale // 1, scale), Fraction(-(-high * scale // 1), scale)


def below(x: Fraction) -> Fraction:
    """A lower bound with twelve decimals, to be printed."""
    return outward(x, x, 12)[0]


def above(x: Fraction) -> Fraction:
    """An upper bound with twelve decimals, to be printed."""
    return outward(x, x, 12)[1]


def log_of(x: Fraction) -> Bounds:
    """log x = k log 2 + log m with 1 <= m < 2, by log m = 2 (z + z^3/3 + z^5/5 + ...), z = (m-1)/(m+1) <= 1/3."""
    require(x >= 1, "a logarithm of a number at least 1")
    k = 0
    while x >= 2:
        x, k = x / 2, k + 1
    low, high = _log_series(x)
    two_low, two_high = _log_series(Fraction(2))
    return outward(low + k * two_low, high + k * two_high)


def _log_series(m: Fraction, terms: int = 60) -> Bounds:
    z = (m - 1) / (m + 1)
    total = sum((2 * z ** (2 * i + 1) / (2 * i + 1) for i in range(terms)), Fraction())
    return total, total + 2 * z ** (2 * terms + 1) / ((2 * terms + 1) * (1 - z * z))


def exp_minus(x: Fraction) -> Bounds:
    """exp(-x) for x >= 0, by the Taylor series of exp(x / 2^k), 0 <= x / 2^k <= 1/2, squared k times and inverted."""
    require(x >= 0, "a nonnegative exponent")
    k = 0
    while x > Fraction(1, 2):
        x, k = x / 2, k + 1
    term, low = Fraction(1), Fraction()
    for i in range(1, 60):
        low, term = low + term, term * x / i
    high = low + 2 * term
    for _ in range(k):
        low, high = outward(low * low, high * high)
    return outward(1 / high, 1 / low)


def root_of(x: Fraction, digits: int = 50) -> Bounds:
    """The square root of a nonnegative number."""
    scale = 10**digits
    floor = math.isqrt(x.numerator * scale**2 // x.denominator)
    return Fraction(floor, scale), Fraction(floor + 1, scale)


def root_between(x: Bounds) -> Bounds:
    """The square root of an enclosed number."""
    return root_of(x[0])[0], root_of(x[1])[1]


def normal(z: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the normal CDF: 1/2 + (2 pi)^(-1/2) sum_n (-1)^n z^(2n+1) / (n! 2^n (2n+1)), an alternating series."""
    low_pi, high_pi = Fraction("3.14159265358979323846"), Fraction("3.14159265358979323847")
    unit = 10**20
    low, high = (Fraction(unit, math.isqrt(int(2 * p * unit**2)) + e) for p, e in ((high_pi, 1), (low_pi, 0)))
    term, total, n = z, z, 0
    while n < z * z or abs(term) > Fraction(1, 10**15):  # beyond n = z^2 the terms decrease
        n += 1
        term = -term * z * z * (2 * n - 1) / (2 * n * (2 * n + 1))
        total += term
    ends = [c * (total + e * abs(term)) for c in (low, high) for e in (-1, 1)]
    return Fraction(1, 2) + min(ends), Fraction(1, 2) + max(ends)


def printed_radius(states: int, actions: int, episodes: int, delta: Fraction, visits: int) -> Bounds:
    """sqrt(log(6 |S| |A| K / delta) / (2 N)), |S| counting s_inf."""
    require(0 < delta <= 1 and visits >= 1, "delta in (0, 1] and at least one visit")
    low, high = log_of(Fraction(6 * states * actions * episodes) / delta)
    return root_between((low / (2 * visits), high / (2 * visits)))


def printed_regret_bound(states: int, actions: int, horizon: int, episodes: int, delta: Fraction) -> Bounds:
    """4 T^(3/2) |S| sqrt(5 |S| |A| K log(4 |S| |A| K / delta)) for L_G = 1."""
    low, high = log_of(Fraction(4 * states * actions * episodes) / delta)
    inside = 5 * horizon**3 * states * actions * episodes
    low, high = root_between((inside * low, inside * high))
    return 4 * states * low, 4 * states * high
