"""Laws and weightings as dicts and functions, in exact rational arithmetic."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

from .file_format import Rejected, number, require

Law = dict[Fraction, Fraction]
Value = TypeVar("Value")


def law(data: Any) -> Law:
    """``{"atoms": [..], "masses": [..]}`` as ``{value: probability}``."""
    atoms, weights = [number(x) for x in data["atoms"]], [number(p) for p in data["masses"]]
    require(len(atoms) == len(weights) == len(set(atoms)), "as many masses as distinct atoms")
    require(sum(weights) == 1 and min(weights) >= 0, "masses are a probability vector")
    return dict(zip(atoms, weights, strict=True))


def weighting(spec: str) -> Callable[[Fraction], Fraction]:
    """The function that a text such as ``1/2*mean + 1/2*cvar(1/4)``, ``var(1/2, upper)``, ``pl(0, 0; 1, 1)`` names."""
    parts = []
    for term in spec.replace(" ", "").split("+"):
        weight, _, name = term.rpartition("*")
        parts.append((number(weight or "1"), _leaf(name)))
    require(sum(w for w, _ in parts) == 1 and min(w for w, _ in parts) >= 0, "mixture weights sum to 1")
    return lambda tau: sum((w * leaf(tau) for w, leaf in parts), Fraction())


def _leaf(name: str) -> Callable[[Fraction], Fraction]:
    if name == "mean":
        return lambda tau: tau
    family, _, rest = name.removesuffix(")").partition("(")
    if family == "cvar":
        alpha = number(rest)
        require(0 < alpha <= 1, "a CVaR level in (0, 1]")
        return lambda tau: min(tau / alpha, Fraction(1))
    if family == "var":
        level, _, upper = rest.partition(",")
        alpha = number(level)
        require(0 <= alpha < 1 if upper else 0 < alpha <= 1, "a level in (0, 1], of an upper quantile in [0, 1)")
        return lambda tau: Fraction(tau > alpha if upper else tau >= alpha)
    require(family == "pl", f"a known weighting, not {name!r}")
    corners = _corners(name)
    require(corners == sorted(corners) and {*corners[0]} == {0} and {*corners[-1]} == {1}, "corners (0,0) to (1,1)")

    def polygon(tau: Fraction) -> Fraction:
        for (x, y), (u, v) in pairwise(corners):
            if x <= tau <= u:
                return y + (v - y) * (tau - x) / (u - x)
        raise Rejected(f"{tau} is outside [0, 1]")

    return polygon


def concave(spec: str) -> Callable[[Fraction], Fraction]:
    """The weighting, if it is a mixture of the mean, CVaRs and concave polygons: then no lottery between policies is
    worth more than the best of them."""
    for term in spec.replace(" ", "").split("+"):
        name = term.rpartition("*")[2]
        slopes = [(v - y) / (u - x) for (x, y), (u, v) in pairwise(_corners(name))] if name.startswith("pl(") else []
        require(not name.startswith("var("), "a concave weighting")
        require(all(a >= b for a, b in pairwise(slopes)), "a concave weighting")
    return weighting(spec)


def _corners(name: str) -> list[tuple[Fraction, Fraction]]:
    """Return the corners ``(t, v)`` of the text ``pl(t, v; t, v; ...)``."""
    inside = name.removesuffix(")").partition("(")[2]
    return [(number(t), number(v)) for t, v in (corner.split(",") for corner in inside.split(";"))]


def steepest(spec: str) -> Fraction:
    """The Lipschitz constant of the mean, a CVaR or a polygon."""
    name = spec.replace(" ", "")
    if name == "mean":
        return Fraction(1)
    family, _, rest = name.removesuffix(")").partition("(")
    if family == "cvar":
        return 1 / number(rest)
    require(family == "pl", "the mean, a CVaR or a polygon")
    corners = _corners(name)
    return max((v - y) / (u - x) for (x, y), (u, v) in pairwise(corners))


def cdf(z: Law, x: Fraction) -> Fraction:
    """P(Z <= x)."""
    return sum((p for value, p in z.items() if value <= x), Fraction())


def phi(z: Law, g: Callable[[Fraction], Fraction]) -> Fraction:
    """The objective, as the sum of ``x_i (G(F(x_i)) - G(F(x_{i-1})))`` over the atoms."""
    total, level = Fraction(), Fraction()
    for x in sorted(z):
        total += x * (g(level + z[x]) - g(level))
        level += z[x]
    return total


def area(z: Law, g: Callable[[Fraction], Fraction], low: Fraction, high: Fraction) -> Fraction:
    """The integral of G(F(x)) over ``[low, high]``."""
    corners = sorted({low, high, *(x for x in z if low < x < high)})
    return sum((g(cdf(z, x)) * (u - x) for x, u in pairwise(corners)), Fraction())


def law_of(pairs: Iterable[tuple[Value, Fraction]]) -> dict[Value, Fraction]:
    """``(value, probability)`` pairs, equal values added up."""
    z: dict[Value, Fraction] = {}
    for value, p in pairs:
        z[value] = z.get(value, Fraction()) + p
    return z


def cdfs(one: Law, two: Law) -> list[tuple[Fraction, Fraction]]:
    """Both CDFs at each value of one of the laws; between two values neither changes."""
    return [(cdf(one, x), cdf(two, x)) for x in {*one, *two}]


def ks_distance(one: Law, two: Law) -> Fraction:
    """The largest difference of two CDFs."""
    return max(abs(p - q) for p, q in cdfs(one, two))


def tail_mean(z: Law, alpha: Fraction) -> Fraction:
    """The mean of the lowest alpha share."""
    return phi(z, lambda tau: min(tau / alpha, Fraction(1)))


def shortfall(z: Law, rho: Fraction) -> Fraction:
    """E(rho - Z)^+."""
    return sum((p * max(rho - x, Fraction()) for x, p in z.items()), Fraction())
