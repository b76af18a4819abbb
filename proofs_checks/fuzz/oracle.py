r"""Brute force on plain data: the laws that policies attain, and the value of a law.

A model is ``{"initial": ["p", ...], "outcomes": [[[["p", s', "r"], ...], ...], ...], "horizon": T, "discount": "g"}``.
The laws that deterministic policies of the *whole history* attain from (t, s) are built backwards as sets: an action,
and after each of its outcomes any law that is attained from there.  The worth of a law is the area form
:math:`\Phi = x_{max} - \int G(F(x))\,dx`.  The library and its tests use neither method.
"""

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain, pairwise, product
from statistics import NormalDist
from typing import Any, TypeAlias, TypeVar

from verified_risk.policy import Policy

Atoms: TypeAlias = frozenset[tuple[Fraction, Fraction]]
"""Pairs (return, probability)."""
Weights: TypeAlias = frozenset[tuple[int, int]]
Number = TypeVar("Number", int, Fraction)
Value: TypeAlias = Fraction | float
Curve: TypeAlias = Callable[[Fraction], Value]

FLOAT_ERROR = 1e-9  # bound of the error of wang and cpw, which are floats here, per unit of the range of returns


class TooMany(Exception):
    """There are more laws than the limit."""


def attainable(model: dict[str, Any], most: int = 3000) -> set[Atoms]:
    """The laws of the return of all deterministic history-dependent policies, computed in integers: returns over
    ``unit``, masses over ``whole`` to the power of the number of steps."""
    discount, outcomes, horizon = Fraction(model["discount"]), model["outcomes"], model["horizon"]
    rows = [row for actions in outcomes for rows in actions for row in rows]
    unit = math.lcm(*(Fraction(r).denominator for _, _, r in rows)) * discount.denominator**horizon
    start = [Fraction(p) for p in model["initial"]]
    whole = math.lcm(*(Fraction(p).denominator for p, _, _ in rows), *(p.denominator for p in start))
    laws: list[set[Weights]] = [{frozenset({(0, 1)})} for _ in outcomes]
    for t in reversed(range(horizon)):
        scale = discount**t * unit
        parts = [
            [[(int(Fraction(p) * whole), int(scale * Fraction(r)), laws[s]) for p, s, r in rows] for rows in actions]
            for actions in outcomes
        ]
        laws = [set[Weights]().union(*(_joined(own, most) for own in actions)) for actions in parts]
    found = _joined([(int(p * whole), 0, laws[s]) for s, p in enumerate(start)], most)
    total = whole ** (horizon + 1)
    return {frozenset((Fraction(x, unit), Fraction(p, total)) for x, p in law) for law in found}


def _joined(parts: list[tuple[int, int, set[Weights]]], most: int) -> set[Weights]:
    """The laws that result from choosing one law after each outcome."""
    moved = [[[(x + r, p * q) for x, q in law] for law in laws] for p, r, laws in parts if p]
    if math.prod(map(len, moved)) > most:
        raise TooMany
    return {_summed(chain.from_iterable(chosen)) for chosen in product(*moved)}


def _summed(pairs: Iterable[tuple[Number, Number]]) -> frozenset[tuple[Number, Number]]:
    """The law with these ``(return, probability)``, those of equal returns added up."""
    total: dict[Number, Number] = {}
    for x, p in pairs:
        total[x] = total[x] + p if x in total else p
    return frozenset(total.items())


def played(model: dict[str, Any], policy: Policy) -> Atoms:
    """The law of the return of a policy, by enumerating all histories of the plain model."""
    ends: list[tuple[Fraction, Fraction]] = []
    discount = Fraction(model["discount"])

    def walk(part: Policy, t: int, s: int, memory: Any, z: Fraction, p: Fraction) -> None:
        if t == model["horizon"]:
            ends.append((z, p))
            return
        for a, q in part.choice(t, s, memory):
            for w, target, r in model["outcomes"][s][a]:
                if Fraction(w) and q:
                    after = part.remember(memory, t, s, a, Fraction(r))
                    walk(part, t + 1, target, after, z + discount**t * Fraction(r), p * q * Fraction(w))

    for share, part in policy.parts():
        for s, p in enumerate(model["initial"]):
            if Fraction(p) and share:
                walk(part, 0, s, part.start(), Fraction(), share * Fraction(p))
    return _summed(ends)


def mixed(one: Atoms, other: Atoms, share: Fraction) -> Atoms:
    """The law of the return if ``one`` is drawn with probability ``share`` at the start, ``other`` otherwise."""
    return _summed((x, weight * p) for law, weight in ((one, share), (other, 1 - share)) for x, p in law)


def worth(law: Atoms, curve: Curve) -> Value:
    """The largest atom minus the integral of G(F)."""
    atoms = sorted(law)
    area: Value = Fraction()
    level = Fraction()
    for (x, p), (following, _) in pairwise(atoms):
        level += p
        area = area + curve(level) * (following - x)
    return atoms[-1][0] - area


def curve_of(text: str) -> tuple[Curve, bool]:
    """The weighting G of an objective as written on the command line, and whether its values are exact."""
    terms = [part.strip() for part in re.split(r"\+(?![^()]*\))", text)]
    curves: list[tuple[Fraction, Curve, bool]] = []
    for term in terms:
        weight, _, rest = term.rpartition("*")
        name, _, inside = rest.strip().partition("(")
        curve, exact = _single(name, inside.rstrip(")"))
        curves.append((Fraction(weight or 1), curve, exact))

    def value(tau: Fraction) -> Value:
        return sum((weight * curve(tau) for weight, curve, _ in curves), Fraction())

    return value, all(exact for _, _, exact in curves)


def _single(name: str, inside: str) -> tuple[Curve, bool]:
    if name == "mean":
        return (lambda tau: tau), True
    if name == "pl":
        corners = [tuple(map(Fraction, corner.split(","))) for corner in inside.replace(" ", "").split(";")]
        return (lambda tau: _on_polygon(corners, tau)), True
    first, _, upper = inside.partition(",")
    a = Fraction(first.strip())
    if name == "var":
        return (lambda tau: Fraction(tau > a if upper else tau >= a)), True
    if name == "cvar":
        return (lambda tau: min(tau / a, Fraction(1))), True
    if name == "hazard" and a.denominator == 1:
        return (lambda tau: tau ** int(a)), True
    if name == "dual" and a.denominator == 1:
        return (lambda tau: 1 - (1 - tau) ** int(a)), True
    return {"wang": _wang, "cpw": _cpw}[name](float(a)), False


def _on_polygon(corners: list[tuple[Fraction, ...]], tau: Fraction) -> Fraction:
    for (x, y), (u, v) in pairwise(corners):
        if x <= tau <= u:
            return y + (v - y) * (tau - x) / (u - x)
    raise ValueError(f"{tau} is not in [0, 1]")


def _wang(b: float) -> Curve:
    normal = NormalDist()
    return lambda tau: tau if tau in (0, 1) else normal.cdf(normal.inv_cdf(float(tau)) + b)


def _cpw(g: float) -> Curve:
    return lambda tau: tau if tau in (0, 1) else tau**g / (tau**g + (1 - tau) ** g) ** (1 / g)
