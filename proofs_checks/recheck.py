#!/usr/bin/env python3
"""Recheck a stored counterexample with nothing but the standard library.

    python recheck.py FILE [FILE ...]

Reads a certificate (see docs/certificate_format.md), recomputes both sides of the printed claim in exact rational
arithmetic, and says whether the claim fails on the stored instance.  This file shares no code with the package: its
models are dicts and lists, its evaluator walks every path.  Exit status 0: every file refutes; 1: some file does not;
2: some file is not a valid certificate.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import isqrt, prod
from statistics import NormalDist
from typing import Any, NamedTuple

FORMAT = "proofs_checks/counterexample"
VERSION = 1
MOST_POLICIES = 512


class Rejected(ValueError):
    """The file is not a certificate, was edited, or its instance does not meet the hypotheses."""


class Outcome(NamedTuple):
    """Both sides of the printed claim, which says ``left relation right``; it is refuted iff that is false."""

    left: Any
    relation: str
    right: Any

    @property
    def refutes(self) -> bool:
        return not {">=": self.left >= self.right, "<=": self.left <= self.right, "=": self.left == self.right}[
            self.relation
        ]


# -- reading ----------------------------------------------------------------------------------------------------------


def digest(content: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of everything but the digest itself."""
    body = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read(text: str) -> dict[str, Any]:
    """The certificate, if it is whole and unedited."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON: {error}") from None
    if not isinstance(data, dict) or set(data) != {"format", "version", "label", "instance", "sha256"}:
        raise Rejected("wanted the keys format, version, label, instance, sha256 and no others")
    if data["format"] != FORMAT or data["version"] != VERSION:
        raise Rejected(f"format {data['format']!r} version {data['version']!r}, wanted {FORMAT!r} version {VERSION}")
    if digest(data) != data["sha256"]:
        raise Rejected("the content does not match its digest: the file was edited")
    return data


def check_text(text: str) -> Outcome:
    """Read a certificate and recompute both sides of its claim."""
    data = read(text)
    if data["label"] not in CHECKS:
        raise Rejected(f"no printed claim with the label {data['label']!r} is known here")
    try:
        return CHECKS[data["label"]](data["instance"])
    except Rejected:
        raise
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError, AttributeError) as error:
        raise Rejected(f"the instance cannot be read: {type(error).__name__}: {error}") from None


CHECKS: dict[str, Callable[[dict[str, Any]], Outcome]] = {}


def check(label: str) -> Callable[[Callable[[dict[str, Any]], Outcome]], Callable[[dict[str, Any]], Outcome]]:
    """Register the function that recomputes the printed claim of a label."""

    def register(function: Callable[[dict[str, Any]], Outcome]) -> Callable[[dict[str, Any]], Outcome]:
        CHECKS[label] = function
        return function

    return register


def require(condition: bool, what: str) -> None:
    """Refuse an instance that does not meet a hypothesis."""
    if not condition:
        raise Rejected(f"a hypothesis fails: {what}")


# -- exact tools: laws, weightings, models, policies, paths -----------------------------------------------------------

Law = dict[Fraction, Fraction]
Lottery = list[tuple[int, Fraction]]


def number(entry: Any) -> Fraction:
    """``"p/q"`` or an integer."""
    require(isinstance(entry, (str, int)) and not isinstance(entry, bool), f"{entry!r} is a rational")
    return Fraction(entry)


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
        return lambda tau: Fraction(tau > alpha if upper else tau >= alpha)
    require(family == "pl", f"a known weighting, not {name!r}")
    corners = [(number(t), number(v)) for t, v in (corner.split(",") for corner in rest.split(";"))]
    require(corners == sorted(corners) and {*corners[0]} == {0} and {*corners[-1]} == {1}, "corners (0,0) to (1,1)")

    def polygon(tau: Fraction) -> Fraction:
        for (x, y), (u, v) in pairwise(corners):
            if x <= tau <= u:
                return y + (v - y) * (tau - x) / (u - x)
        raise Rejected(f"{tau} is outside [0, 1]")

    return polygon


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


class Model(NamedTuple):
    """``outcomes[s][a]`` lists ``(probability, next state, reward)``."""

    horizon: int
    initial: list[tuple[int, Fraction]]
    outcomes: list[list[list[tuple[Fraction, int, Fraction]]]]


def model(data: Any) -> Model:
    """An undiscounted model with rewards in [0, 1]."""
    require(isinstance(data["horizon"], int) and data["horizon"] >= 1, "a positive horizon")
    require(number(data["discount"]) == 1, "no discount")
    initial = [(int(s), number(p)) for s, p in data["initial"]]
    outcomes = []
    for actions in data["states"]:
        require(len(actions) >= 1, "every state has an action")
        outcomes.append([_outcomes(action) for action in actions])
    for row in [[p for _, p in initial], *([p for p, _, _ in action] for state in outcomes for action in state)]:
        require(sum(row) == 1 and min(row) >= 0, "rows are probability vectors")
    states = [s for s, _ in initial] + [s for state in outcomes for action in state for _, s, _ in action]
    require(all(0 <= s < len(outcomes) for s in states), "states exist")
    require(all(0 <= r <= 1 for state in outcomes for action in state for _, _, r in action), "rewards lie in [0, 1]")
    return Model(data["horizon"], initial, outcomes)


def _outcomes(action: Any) -> list[tuple[Fraction, int, Fraction]]:
    if "outcomes" in action:
        return [(number(p), int(s), number(r)) for p, s, r in action["outcomes"]]
    pay = law(action["reward"])
    return [(number(p) * q, int(s), r) for s, p in action["next"] for r, q in pay.items()]


def lottery(entry: Any, count: int) -> Lottery:
    """An action, or ``{action: probability}``."""
    pairs = [(entry, Fraction(1))] if isinstance(entry, int) else [(int(a), number(p)) for a, p in entry.items()]
    require(sum(p for _, p in pairs) == 1 and all(p >= 0 and 0 <= a < count for a, p in pairs), "choices are lotteries")
    return pairs


History = tuple[Any, ...]
"""``((s, a, r), ..., s)``."""


def policy(data: Any, m: Model) -> Callable[[History], Lottery]:
    """A stored policy as a function of the history; every entry is checked, whether it is played or not."""
    if data["kind"] == "markov":
        require(len(data["table"]) == m.horizon, "one row a step")
        table = [[lottery(entry, len(m.outcomes[s])) for s, entry in enumerate(row)] for row in data["table"]]
        require(all(len(row) == len(m.outcomes) for row in table), "one entry a state")
        return lambda xi: table[len(xi) - 1][xi[-1]]
    if data["kind"] == "return":
        cells = {(t, s, number(y)): lottery(entry, len(m.outcomes[s])) for t, s, y, entry in data["rows"]}
        require(all(0 <= t < m.horizon and s >= 0 for t, s, _ in cells), "entries at steps and states that exist")
        return lambda xi: cells[len(xi) - 1, xi[-1], gained(xi)]
    require(data["kind"] == "history", "a policy of kind markov, return or history")
    rows = {
        (*((s, a, number(r)) for s, a, r in xi[:-1]), xi[-1]): lottery(entry, len(m.outcomes[xi[-1]]))
        for xi, entry in data["rows"]
    }
    return lambda xi: rows[xi]


def gained(xi: History) -> Fraction:
    """The sum of the rewards of a history."""
    return sum((r for _, _, r in xi[:-1]), Fraction())


def histories(m: Model, choose: Callable[[History], Lottery], t: int) -> dict[History, Fraction]:
    """The law of the history after ``t`` steps, by walking every path."""
    level: dict[History, Fraction] = {(s,): p for s, p in m.initial if p}
    for _ in range(t):
        following: dict[History, Fraction] = {}
        for xi, mass in level.items():
            for a, q in choose(xi):
                for p, s, r in m.outcomes[xi[-1]][a]:
                    if p and q:
                        longer = (*xi[:-1], (xi[-1], a, r), s)
                        following[longer] = following.get(longer, Fraction()) + mass * q * p
        level = following
    return level


def law_of(pairs: Any) -> Law:
    """``(value, probability)`` pairs, equal values added up."""
    z: Law = {}
    for value, p in pairs:
        z[value] = z.get(value, Fraction()) + p
    return z


def returns(m: Model, choose: Callable[[History], Lottery]) -> Law:
    """The law of the return of a policy."""
    return law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon).items())


# -- part A: definitions, augmentation, discretisation, key identity, CVaR, experiment --------------------------------


def kolmogorov(x: Law, y: Law) -> tuple[Fraction, Fraction]:
    """The two CDFs where they differ most."""
    return max(((cdf(x, z), cdf(y, z)) for z in {*x, *y}), key=lambda pair: abs(pair[0] - pair[1]))


def shifted(z: Law, by: Fraction) -> Law:
    """The law of Z + by."""
    return {x + by: p for x, p in z.items()}


def round_up(r: Fraction, eta: Fraction) -> Fraction:
    """The least multiple of eta that is at least r."""
    return eta * -(-r // eta)


def y_policies(m: Model) -> Iterator[Callable[[History], Lottery]]:
    """All deterministic policies of (step, state, return so far), if they are not too many."""
    levels: list[set[tuple[int, Fraction]]] = [{(s, Fraction()) for s, p in m.initial if p}]
    for _ in range(m.horizon - 1):
        levels.append({(s2, y + r) for s, y in levels[-1] for a in m.outcomes[s] for p, s2, r in a if p})
    cells = [(t, s, y) for t, level in enumerate(levels) for s, y in sorted(level)]
    options = [range(len(m.outcomes[s])) for _, s, _ in cells]
    require(prod(map(len, options)) <= MOST_POLICIES, f"at most {MOST_POLICIES} policies, all of which are tried here")
    for actions in product(*options):
        table = dict(zip(cells, actions, strict=True))
        yield lambda xi, table=table: [(table[len(xi) - 1, xi[-1], gained(xi)], Fraction(1))]  # type: ignore[misc]


@check("lem:key")
def _key_identity(data: dict[str, Any]) -> Outcome:
    """Phi <= T - int_0^M G(F), which the printed identity implies for every M because G(F) >= 0."""
    return _key_form(data, 1)


@check("intro:key")
def _key_identity_of_the_introduction(data: dict[str, Any]) -> Outcome:
    """The same with 2T."""
    return _key_form(data, 2)


def _key_form(data: dict[str, Any], factor: int) -> Outcome:
    z, g, horizon, top = law(data["law"]), weighting(data["objective"]), data["horizon"], number(data["top"])
    require(min(z) >= 0 and max(z) == horizon <= top, "returns in [0, T], T attained, M >= T")
    return Outcome(factor * horizon - area(z, g, Fraction(), top), ">=", phi(z, g))


@check("def:history/episode")
def _episode(data: dict[str, Any]) -> Outcome:
    """The rewards in a history of length T against the return."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    short = law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon - 1).items())
    left, right = kolmogorov(short, returns(m, choose))
    return Outcome(left, "=", right)


@check("def:return")
def _printed_return(data: dict[str, Any]) -> Outcome:
    """(T - t + 1) r_t against r_t + ... + r_T."""
    m, t = model(data["mdp"]), data["t"]
    require(1 <= t <= m.horizon, "t between 1 and T")
    episodes = histories(m, policy(data["policy"], m), m.horizon)
    printed = law_of(((m.horizon - t + 1) * xi[t - 1][2], p) for xi, p in episodes.items())
    true = law_of((sum((r for _, _, r in xi[t - 1 : -1]), Fraction()), p) for xi, p in episodes.items())
    left, right = kolmogorov(printed, true)
    return Outcome(left, "=", right)


@check("def:quantile/zero")
def _quantile_at_zero(data: dict[str, Any]) -> Outcome:
    """A point x with F(x) >= tau against the least return."""
    z, tau, x = law(data["law"]), number(data["tau"]), number(data["x"])
    require(0 <= tau <= 1 and cdf(z, x) >= tau, "a level in [0, 1] that F(x) reaches")
    return Outcome(x, ">=", min(z))


class Corners(NamedTuple):
    """A nondecreasing function: at each place its left limit, value and right limit; linear between places."""

    places: list[tuple[Fraction, Fraction, Fraction, Fraction]]

    def value(self, x: Fraction) -> Fraction:
        """F(x)."""
        if x < self.places[0][0]:
            return self.places[0][1]
        for (a, _, va, ra), (b, lb, _, _) in pairwise(self.places):
            if x == a:
                return va
            if x < b:
                return ra + (lb - ra) * (x - a) / (b - a)
        last = self.places[-1]
        return last[2] if x == last[0] else last[3]

    def quantile(self, tau: Fraction) -> Fraction:
        """inf{x : F(x) >= tau}, which must be finite."""
        require(self.places[0][1] < tau <= self.places[-1][3], "a finite quantile")
        for i, (at, _, _, right) in enumerate(self.places):
            if right >= tau:
                return at
            following, left, _, _ = self.places[i + 1]
            if left >= tau:
                return at + (tau - right) * (following - at) / (left - right)
        raise Rejected("no quantile")


def corners(data: Any) -> Corners:
    """A function, checked to be nondecreasing."""
    places = [tuple(number(c[key]) for key in ("at", "left", "value", "right")) for c in data["corners"]]
    heights = [h for place in places for h in place[1:]]
    require(len(places) > 0 and heights == sorted(heights), "nondecreasing heights")
    require(all(a[0] < b[0] for a, b in pairwise(places)), "increasing places")
    return Corners(places)  # type: ignore[arg-type]


@check("def:quantile/invertible")
def _strictly_increasing(data: dict[str, Any]) -> Outcome:
    """F(F†(tau)) = tau for a strictly increasing CDF F."""
    f, tau = corners(data["function"]), number(data["tau"])
    require(len(f.places) > 1 and all(a[3] < b[1] for a, b in pairwise(f.places)), "F strictly increasing")
    require(f.places[0][1] == 0 and f.places[-1][2] == 1, "F rising from 0 to 1")
    require(all(value == right for _, _, value, right in f.places), "F continuous from the right")
    require(0 < tau < 1, "a level in (0, 1)")
    return Outcome(f.value(f.quantile(tau)), "=", tau)


@check("lem:quantileinverse/second")
def _reaches_its_level(data: dict[str, Any]) -> Outcome:
    """F(F†(tau)) >= tau for a nondecreasing F."""
    f, tau = corners(data["function"]), number(data["tau"])
    return Outcome(f.value(f.quantile(tau)), ">=", tau)


@check("def:objective/var")
def _decreasing_indicator(data: dict[str, Any]) -> Outcome:
    """G(tau) = 1(tau <= alpha) as a CDF: nondecreasing, G(0) = 0, G(1) = 1."""
    alpha, sigma, tau = number(data["alpha"]), number(data["sigma"]), number(data["tau"])
    require(0 < alpha <= 1 and 0 <= sigma <= tau <= 1, "levels in order")
    if int(tau <= alpha) < int(sigma <= alpha):
        return Outcome(int(tau <= alpha), ">=", int(sigma <= alpha))
    return Outcome(int(alpha >= 0), "=", 0)


@check("def:objective/jumps")
def _lower_and_upper_quantile(data: dict[str, Any]) -> Outcome:
    """The lower and the upper quantile."""
    z, alpha = law(data["law"]), number(data["alpha"])
    require(0 < alpha < 1, "a level in (0, 1)")
    return Outcome(
        min(x for x in z if z[x] and cdf(z, x) >= alpha), "=", min(x for x in z if z[x] and cdf(z, x) > alpha)
    )


@check("def:objective/cvar")
def _cvar_at_level_zero(data: dict[str, Any]) -> Outcome:
    """G(tau) <= L tau for CVaR, the level 0 read as the limit 1(tau > 0), L = 1/alpha or, at 0, any L proposed."""
    alpha, tau, constant = number(data["alpha"]), number(data["tau"]), number(data["constant"])
    law(data["law"])  # not used by this claim, but part of the instance
    require(0 <= alpha <= 1 and 0 <= tau <= 1 and (alpha == 0 or constant * alpha == 1), "a level and its constant")
    return Outcome(min(tau / alpha, Fraction(1)) if alpha else Fraction(tau > 0), "<=", constant * tau)


@check("assump:quantile")
def _largest_return(data: dict[str, Any]) -> Outcome:
    """F†(1) = T."""
    z = law(data["law"])
    require(min(z) >= 0 and max(z) <= data["horizon"], "returns in [0, T]")
    return Outcome(max(x for x in z if z[x]), "=", data["horizon"])


@check("assump:quantile/empirical")
def _largest_sampled_reward(data: dict[str, Any]) -> Outcome:
    """The largest reward of a sample of a law that can pay 1."""
    z, sample = law(data["law"]), [number(r) for r in data["sample"]]
    require(max(x for x in z if z[x]) == 1 and all(z.get(r, 0) > 0 for r in sample), "a sample of a law that pays 1")
    return Outcome(max(sample), "=", 1)


@check("assump:lipschitz/var")
def _var_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """|VaR - VaR'| <= L KS for the coins with P(0) = 1/2 and 1/2 - 1/(2L+2), medians 0 and 1."""
    constant = data["constant"]
    require(isinstance(constant, int) and constant >= 1, "a positive constant")
    apart = Fraction(1, 2 * constant + 2)
    fair = {Fraction(0): Fraction(1, 2), Fraction(1): Fraction(1, 2)}
    tilted = {Fraction(0): Fraction(1, 2) - apart, Fraction(1): Fraction(1, 2) + apart}
    medians = [min(x for x in z if cdf(z, x) >= Fraction(1, 2)) for z in (fair, tilted)]
    return Outcome(abs(medians[0] - medians[1]), "<=", constant * apart)


@check("assump:lipschitz/cpw")
def _cpw_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """G(tau) <= L tau for gamma = 1/2, squared, at tau = 1/(n^2+1), n = 4L + 8: (G(tau)/tau)^2 = (n^2+1)^3/(n+1)^4."""
    constant = data["constant"]
    require(isinstance(constant, int) and constant >= 1, "a positive constant")
    n = 4 * constant + 8
    return Outcome(Fraction((n * n + 1) ** 3, (n + 1) ** 4), "<=", constant**2)


@check("assump:lipschitz/wang")
def _wang_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """N(N^{-1}(tau) + 1) <= L tau at tau = 4^-k: take z with N(z) <= tau; then the left side is at least N(z + 1)."""
    constant = data["constant"]
    require(isinstance(constant, int) and constant >= 1, "a positive constant")
    tau = Fraction(1, 4 ** (2 + constant.bit_length()))
    z = Fraction(round(NormalDist().inv_cdf(float(tau)) * 2**20) - 1, 2**20)  # a guess, certified by the next line
    require(normal(z)[1] <= tau, "the guessed quantile is below the true one")
    return Outcome(normal(z + 1)[0], "<=", constant * tau)


def normal(z: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the normal CDF: 1/2 + (2 pi)^(-1/2) sum_n (-1)^n z^(2n+1) / (n! 2^n (2n+1)), an alternating series."""
    low_pi, high_pi = Fraction("3.14159265358979323846"), Fraction("3.14159265358979323847")
    unit = 10**20
    low, high = (Fraction(unit, isqrt(int(2 * p * unit**2)) + e) for p, e in ((high_pi, 1), (low_pi, 0)))
    term, total, n = z, z, 0
    while n < z * z or abs(term) > Fraction(1, 10**15):  # beyond n = z^2 the terms decrease
        n += 1
        term = -term * z * z * (2 * n - 1) / (2 * n * (2 * n + 1))
        total += term
    ends = [c * (total + e * abs(term)) for c in (low, high) for e in (-1, 1)]
    return Fraction(1, 2) + min(ends), Fraction(1, 2) + max(ends)


# Augmentation: a policy averaged over the histories with the same state that earned at most y.


def averaged(m: Model, choose: Callable[[History], Lottery]) -> Callable[[History], Lottery]:
    """The printed policy: E[pi(a | Xi) | J(Xi) <= y, state s]."""
    levels = [histories(m, choose, t) for t in range(m.horizon)]

    def printed(xi: History) -> Lottery:
        same = {h: p for h, p in levels[len(xi) - 1].items() if h[-1] == xi[-1] and gained(h) <= gained(xi)}
        total = sum(same.values(), Fraction())
        require(total > 0, "the printed policy conditions on an event of positive probability")
        shares: dict[int, Fraction] = {}
        for h, p in same.items():
            for a, q in choose(h):
                shares[a] = shares.get(a, Fraction()) + p * q / total
        return list(shares.items())

    return printed


@check("thm:augmented")
def _augmentation(data: dict[str, Any]) -> Outcome:
    """Phi of the printed average against Phi of the policy."""
    m, g = model(data["mdp"]), weighting(data["objective"])
    choose = policy(data["policy"], m)
    return Outcome(phi(returns(m, averaged(m, choose)), g), "=", phi(returns(m, choose), g))


@check("lem:augmented:1")
def _plays_as_often(data: dict[str, Any]) -> Outcome:
    """How often an action is played on histories that earned at most y: the worst t, s, y, a."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    printed = averaged(m, choose)
    pairs = []
    for t in range(m.horizon):
        level = histories(m, choose, t)
        for end in level:
            below = {h: p for h, p in level.items() if h[-1] == end[-1] and gained(h) <= gained(end)}
            for a in range(len(m.outcomes[end[-1]])):
                pairs.append(
                    tuple(
                        sum((p * dict(rule(h)).get(a, Fraction()) for h, p in below.items()), Fraction())
                        for rule in (choose, printed)
                    )
                )
    left, right = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
    return Outcome(left, "=", right)


@check("lem:augmented:2")
def _reaches_as_often(data: dict[str, Any]) -> Outcome:
    """P(J <= y, state s) under the policy and under its printed average: the worst t, s, y."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    printed = averaged(m, choose)
    pairs = []
    for t in range(m.horizon + 1):
        first, second = histories(m, choose, t), histories(m, printed, t)
        for end in {*first, *second}:
            pairs.append(
                tuple(
                    sum((p for h, p in level.items() if h[-1] == end[-1] and gained(h) <= gained(end)), Fraction())
                    for level in (first, second)
                )
            )
    left, right = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
    return Outcome(left, "=", right)


@check("def:augmented")
def _augmented_payment(data: dict[str, Any]) -> Outcome:
    """The optimum of Phi(y_T) against the optimum of Phi(Z), concave G, over all deterministic y-policies."""
    m, g = model(data["mdp"]), weighting(data["objective"])
    paid = [
        phi(law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon - 1).items()), g)
        for choose in y_policies(m)
    ]
    return Outcome(max(paid), "=", max(phi(returns(m, choose), g) for choose in y_policies(m)))


# Discretisation: rewards rounded up to multiples of eta.


def _sums(data: dict[str, Any]) -> list[Fraction]:
    """The sums of up to T rounded rewards."""
    horizon, eta, rewards = data["horizon"], number(data["eta"]), [number(r) for r in data["rewards"]]
    require(horizon >= 1 and 0 < eta <= 1 and all(0 <= r <= 1 for r in rewards), "rewards in [0, 1], eta in (0, 1]")
    level, seen = {Fraction()}, {Fraction()}
    for _ in range(horizon):
        level = {y + round_up(r, eta) for y in level for r in rewards}
        seen |= level
    return sorted(seen)


@check("def:grid/points")
def _grid_points(data: dict[str, Any]) -> Outcome:
    """The number of sums against ceil(T/eta)."""
    return Outcome(len(_sums(data)), "<=", -(-data["horizon"] // number(data["eta"])))


@check("def:grid/range")
def _grid_range(data: dict[str, Any]) -> Outcome:
    """The largest sum against T."""
    return Outcome(max(_sums(data)), "<=", data["horizon"])


@check("thm:discretized")
def _discretisation_loss(data: dict[str, Any]) -> Outcome:
    """Phi of the optimal policies of the rounded model, adapted (best of ties), against the optimum minus eta."""
    m, eta, g = model(data["mdp"]), number(data["eta"]), weighting(data["objective"])
    require(eta > 0, "a positive grid step")
    rounded = m._replace(outcomes=[[[(p, s, round_up(r, eta)) for p, s, r in a] for a in acts] for acts in m.outcomes])
    scored = [(phi(returns(rounded, choose), g), choose) for choose in y_policies(rounded)]
    best = max(score for score, _ in scored)

    def adapted(choose: Callable[[History], Lottery]) -> Callable[[History], Lottery]:
        return lambda xi: choose((*((s, a, round_up(r, eta)) for s, a, r in xi[:-1]), xi[-1]))

    attained = max(phi(returns(m, adapted(choose)), g) for score, choose in scored if score == best)
    return Outcome(attained, ">=", max(phi(returns(m, choose), g) for choose in y_policies(m)) - eta)


class Adaptation(NamedTuple):
    """The models that round the rewards of their first tau - 1 and first tau steps, and a rule for every real y."""

    m: Model
    eta: Fraction
    tau: int
    rows: dict[tuple[int, int, Fraction], list[Fraction]]

    def lottery(self, t: int, s: int, y: Fraction) -> Lottery:
        return list(enumerate(self.rows[t, s, y])) if (t, s, y) in self.rows else [(0, Fraction(1))]

    def to_come(self, rounded: int, t: int, s: int, y: Fraction, alpha: Fraction, mode: str) -> Law:
        """The law of the rewards from step t on (counted from 0) if the first ``rounded`` steps are rounded up.

        ``mode`` says how the internal state changes on step tau: "keep", "up" (phi(r) - r), or "printed" (r).
        """
        if t == self.m.horizon:
            return {Fraction(): Fraction(1)}
        parts = []
        for a, q in self.lottery(t, s, y + alpha):
            for p, target, raw in self.m.outcomes[s][a]:
                r = round_up(raw, self.eta) if t < rounded else raw
                change = {"keep": alpha, "up": round_up(raw, self.eta) - raw, "printed": raw}[mode]
                beta = change if t == self.tau - 1 else alpha
                rest = self.to_come(rounded, t + 1, target, y + r, beta, mode)
                parts += [(r + z, q * p * w) for z, w in rest.items()]
        return law_of(parts)


def adaptation(data: dict[str, Any]) -> Adaptation:
    """The part of an instance that describes an adaptation."""
    m, eta, tau = model(data["mdp"]), number(data["eta"]), data["tau"]
    require(eta > 0 and 1 <= tau <= m.horizon, "a grid step and a step")
    rows = {}
    for t, s, y, entry in data["rule"]["rows"]:
        rows[t, s, number(y)] = [number(p) for p in entry]
        lottery({str(a): p for a, p in enumerate(entry)}, len(m.outcomes[s]))
    return Adaptation(m, eta, tau, rows)


@check("lem:pihatcdfbound/after")
def _after_rounding_down(data: dict[str, Any]) -> Outcome:
    """Totals after step tau: the adapted policy from (y, alpha) against that of the rounded model from y + alpha."""
    return _totals(data, ("up", lambda tau: tau - 1), ("keep", lambda tau: tau))


@check("lem:picdfbound/after")
def _after_rounding_up(data: dict[str, Any]) -> Outcome:
    """Totals after step tau: the adapted policy from (y, alpha) against that of the raw model from y + alpha."""
    return _totals(data, ("keep", lambda tau: tau), ("keep", lambda tau: tau - 1))


def _totals(data: dict[str, Any], mine: Any, other: Any) -> Outcome:
    case = adaptation(data["adaptation"])
    t, s, y, alpha = data["t"], data["s"], number(data["y"]), number(data["alpha"])
    require(case.tau < t <= case.m.horizon, "a step after tau")
    first = case.to_come(mine[1](case.tau), t - 1, s, y, alpha, mine[0])
    second = case.to_come(other[1](case.tau), t - 1, s, y + alpha, Fraction(), other[0])
    left, right = kolmogorov(shifted(first, y), shifted(second, y + alpha))
    return Outcome(left, "=", right)


@check("lem:picdfbound/before")
def _printed_internal_state(data: dict[str, Any]) -> Outcome:
    """F of the printed adaptation <= F of the policy, from the initial states, where they differ most."""
    case = adaptation(data)
    pairs = []
    for s, p in case.m.initial:
        mine = case.to_come(case.tau, 0, s, Fraction(), Fraction(), "printed")
        own = case.to_come(case.tau - 1, 0, s, Fraction(), Fraction(), "keep")
        pairs += [(cdf(mine, x), cdf(own, x)) for x in mine if p]
    left, right = max(pairs, key=lambda pair: pair[0] - pair[1])
    return Outcome(left, "<=", right)


@check("lem:piphibound")
def _printed_internal_state_costs(data: dict[str, Any]) -> Outcome:
    """Phi of the printed adaptation against Phi of the policy."""
    case, g = adaptation(data["adaptation"]), weighting(data["objective"])

    def value(rounded: int, mode: str) -> Fraction:
        laws = [(p, case.to_come(rounded, 0, s, Fraction(), Fraction(), mode)) for s, p in case.m.initial]
        return phi(law_of((z, p * w) for p, part in laws for z, w in part.items()), g)

    return Outcome(value(case.tau, "printed"), ">=", value(case.tau - 1, "keep"))


# CVaR planning and the experiment.


def tail_mean(z: Law, alpha: Fraction) -> Fraction:
    """The mean of the lowest alpha share."""
    return phi(z, lambda tau: min(tau / alpha, Fraction(1)))


def shortfall(z: Law, rho: Fraction) -> Fraction:
    """E(rho - Z)^+."""
    return sum((p * max(rho - x, Fraction()) for x, p in z.items()), Fraction())


@check("cvar:ru")
def _rockafellar_uryasev(data: dict[str, Any]) -> Outcome:
    """The body's CVaR_alpha against inf_rho {rho + E(Z - rho)^+ / (1 - alpha)}, which is attained at an atom."""
    z, alpha = law(data["law"]), number(data["alpha"])
    require(0 < alpha < 1, "a level in (0, 1)")
    costs = [r + sum((p * max(x - r, Fraction()) for x, p in z.items()), Fraction()) / (1 - alpha) for r in z]
    return Outcome(tail_mean(z, alpha), "=", min(costs))


@check("cvar:min")
def _maximum_inside_j(data: dict[str, Any]) -> Outcome:
    """CVaR* <= sup_rho {rho - max_pi E(rho - Z)^+ / alpha}.  For each pi, rho - E(rho-Z)^+/alpha <= CVaR(pi): so the
    right side is at most the least CVaR of a policy, and that is what is compared."""
    m, alpha = model(data["mdp"]), number(data["alpha"])
    require(0 < alpha <= 1, "a level in (0, 1]")
    values = [tail_mean(returns(m, choose), alpha) for choose in y_policies(m)]
    return Outcome(max(values), "<=", min(values))


@check("cvar:value")
def _terminal_value(data: dict[str, Any]) -> Outcome:
    """min over policies of E(rho - Z)^+ against the recursion that stops one step early."""
    m, rho = model(data["mdp"]), number(data["rho"])

    def early(t: int, s: int, b: Fraction) -> Fraction:
        if t == m.horizon - 1:
            return max(b, Fraction())
        return min(sum((p * early(t + 1, s2, b - r) for p, s2, r in a), Fraction()) for a in m.outcomes[s])

    recursion = sum((p * early(0, s, rho) for s, p in m.initial), Fraction())
    return Outcome(recursion, "=", min(shortfall(returns(m, choose), rho) for choose in y_policies(m)))


@check("cvar:rho")
def _own_rho(data: dict[str, Any]) -> Outcome:
    """T = 1: each initial state takes its own rho and a greedy action (ties in favour), against the optimum."""
    m, alpha = model(data["mdp"]), number(data["alpha"])
    require(m.horizon == 1 and 0 < alpha <= 1, "one step and a level in (0, 1]")
    laws = [[law_of((r, p) for p, _, r in a) for a in m.outcomes[s]] for s, _ in m.initial]
    points = sorted({r for options in laws for z in options for r in z})
    chosen = []
    for options in laws:
        scores = {rho: rho - min(shortfall(z, rho) for z in options) / alpha for rho in points}
        best = [rho for rho in points if scores[rho] == max(scores.values())]
        chosen.append(
            [z for z in options if any(shortfall(z, b) == min(shortfall(y, b) for y in options) for b in best)]
        )

    def value(options: list[list[Law]]) -> Fraction:
        return max(
            tail_mean(law_of((r, p * w) for (_, p), z in zip(m.initial, zs, strict=True) for r, w in z.items()), alpha)
            for zs in product(*options)
        )

    return Outcome(value(chosen), ">=", value(laws))


@check("cvar:concave")
def _midpoint_of_j(data: dict[str, Any]) -> Outcome:
    """J at the middle of two budgets against the mean of J at the two."""
    m, alpha, low, high = model(data["mdp"]), *(number(data[key]) for key in ("alpha", "low", "high"))
    laws = [returns(m, choose) for choose in y_policies(m)]

    def j(rho: Fraction) -> Fraction:
        return rho - min(shortfall(z, rho) for z in laws) / alpha

    return Outcome(j((low + high) / 2), ">=", (j(low) + j(high)) / 2)


@check("experiment:paths")
def _optimal_path(data: dict[str, Any]) -> Outcome:
    """The CVaR of the path named in print against the best of the four."""
    alpha = number(data["alpha"])
    chance = {6: Fraction("0.729"), 4: Fraction("0.81"), 2: Fraction("0.9"), 1: Fraction(1)}
    named = {Fraction("0.40"): 6, Fraction("0.33"): 4, Fraction("0.25"): 2, Fraction("0.01"): 1}
    require(alpha in named, "one of the four printed levels")
    worth = {x: tail_mean(law_of([(Fraction(0), 1 - q), (Fraction(x), q)]), alpha) for x, q in chance.items()}
    return Outcome(worth[named[alpha]], ">=", max(worth.values()))


# -- part B: the event, closeness, optimism, regret -------------------------------------------------------------------
#
# Irrational numbers are enclosed in rational intervals (low, high); a claim "left <= right" is refuted when the low end
# of its left side exceeds the high end of its right side.

Bounds = tuple[Fraction, Fraction]


def outward(low: Fraction, high: Fraction, digits: int = 50) -> Bounds:
    """The same interval with short endpoints, a little wider."""
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


def whole(entry: Any, least: int = 0) -> int:
    """An integer that is at least ``least``."""
    require(isinstance(entry, int) and not isinstance(entry, bool) and entry >= least, f"{entry!r} is at least {least}")
    return int(entry)


def rewards_of(m: Model, s: int, a: int) -> Law:
    """The law of the reward of one action."""
    return law_of((r, p) for p, _, r in m.outcomes[s][a])


def row_of(m: Model, s: int, a: int) -> list[Fraction]:
    """The law of the next state of one action."""
    row = [Fraction()] * len(m.outcomes)
    for p, target, _ in m.outcomes[s][a]:
        row[target] += p
    return row


def ks_distance(one: Law, two: Law) -> Fraction:
    """The largest difference of two CDFs."""
    return max(abs(cdf(one, x) - cdf(two, x)) for x in {*one, *two})


def same_shape(m: Model, twin: Model) -> None:
    """Both models have the same states, actions, initial law and horizon."""
    require(
        m.horizon == twin.horizon
        and sorted(m.initial) == sorted(twin.initial)
        and [len(state) for state in m.outcomes] == [len(state) for state in twin.outcomes],
        "two models of one shape",
    )


def expected_cost(
    m: Model, choose: Callable[[History], Lottery], cost: Callable[[int, int, int], Fraction]
) -> Fraction:
    """The expected sum of ``cost(t, s, a)`` over the steps of an episode."""
    total = Fraction()
    for t in range(m.horizon):
        for xi, mass in histories(m, choose, t).items():
            total += sum((mass * q * cost(t, xi[-1], a) for a, q in choose(xi)), Fraction())
    return total


@check("def:empirical")
def _empirical(instance: dict[str, Any]) -> Outcome:
    """1/N sum 1(r <= r_i) is nondecreasing: its value at the far left is at most its value at the far right."""
    seen = [number(r) for r in instance["rewards"]]
    left, right = min(seen) - 1, max(seen) + 1
    share = [Fraction(sum(x <= r for r in seen), len(seen)) for x in (left, right)]
    return Outcome(share[0], "<=", share[1])


@check("def:optimistic/rows")
def _optimistic_rows(instance: dict[str, Any]) -> Outcome:
    """sum (P~ - eps)^+ + (1 - sum P~) = 1."""
    row, eps = [number(p) for p in instance["row"]], number(instance["eps"])
    require(sum(row) == 1 and min(row) >= 0 and eps >= 0, "a probability vector and a radius")
    return Outcome(sum(max(p - eps, Fraction()) for p in row) + (1 - sum(row)), "=", Fraction(1))


@check("def:unvisited")
def _unvisited(instance: dict[str, Any]) -> Outcome:
    """N(s, a) >= 1 for every pair."""
    m = model(instance["mdp"])
    visits = {(s, a): 0 for s, state in enumerate(m.outcomes) for a in range(len(state))}
    for episode in instance["history"]:
        for s, a, _ in episode["steps"]:
            visits[s, a] += 1
    return Outcome(min(visits.values()), ">=", 1)


@check("lem:event/hoeffding")
def _hoeffding(instance: dict[str, Any]) -> Outcome:
    """P(max |p~ - p| >= v) <= 2 exp(-2 n v^2) for every v: the attained v where the left side is ahead most."""
    masses, n = [number(p) for p in instance["masses"]], whole(instance["n"], 1)
    require(sum(masses) == 1 and min(masses) >= 0 and len(masses) ** n <= 10**6, "a small probability vector")
    weights: Law = {}
    for draws in product(range(len(masses)), repeat=n):
        gap = max(abs(Fraction(draws.count(i), n) - p) for i, p in enumerate(masses))
        weights[gap] = weights.get(gap, Fraction()) + math.prod((masses[i] for i in draws), start=Fraction(1))
    sides = []
    for v in weights:
        tail = sum((p for gap, p in weights.items() if gap >= v), Fraction())
        sides.append((tail, 2 * exp_minus(2 * n * v * v)[1]))
    left, right = max(sides, key=lambda pair: pair[0] - pair[1])
    return Outcome(left, "<=", above(right))


@check("lem:event/conditioning")
def _conditioning(instance: dict[str, Any]) -> Outcome:
    """P[event | counts] >= 1 - delta, by walking every course of the earlier episodes."""
    stay, delta = number(instance["stay"]), number(instance["delta"])
    horizon, visits = whole(instance["horizon"], 1), [whole(v, 1) for v in instance["visits"]]
    require(0 <= stay <= 1 and 0 < delta <= 1 and max(visits) <= horizon, "a chain and its counts")
    episodes = len(visits) + 1
    courses = {(0, 0): (Fraction(1), Fraction(1))}  # (stays, leaves): probability, and that of the event as well
    for wanted in visits:
        following: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
        for (stays, leaves), (mass, good) in courses.items():
            for moves in product((True, False), repeat=horizon):  # True: stays; after the first False all is forced
                first = moves.index(False) if False in moves else horizon
                if False in moves and any(moves[first:]):
                    continue
                if min(first + 1, horizon) != wanted:
                    continue
                p = stay**first * (1 - stay if False in moves else 1)
                if not p:
                    continue
                new = (stays + first, leaves + (False in moves))
                n = sum(new)
                radius = printed_radius(3, 1, episodes, delta, n)
                gap = abs(Fraction(new[0], n) - stay)
                require(not radius[0] < gap <= radius[1], "the radius is decided")
                old = following.get(new, (Fraction(), Fraction()))
                following[new] = (old[0] + mass * p, old[1] + (good * p if gap <= radius[0] else 0))
        courses = following
    total = sum((mass for mass, _ in courses.values()), Fraction())
    require(total > 0, "counts of positive probability")
    return Outcome(sum((good for _, good in courses.values()), Fraction()) / total, ">=", 1 - delta)


@check("lem:genbound")
def _genbound(instance: dict[str, Any]) -> Outcome:
    """|Phi' - Phi| <= T L_G E_M sum [l1 distance of rows + KS distance of rewards]."""
    m, twin, g = model(instance["mdp"]), model(instance["twin"]), weighting(instance["weighting"])
    same_shape(m, twin)
    choose = policy(instance["policy"], m)

    def cost(t: int, s: int, a: int) -> Fraction:
        rows = sum((abs(p - q) for p, q in zip(row_of(m, s, a), row_of(twin, s, a), strict=True)), Fraction())
        return rows + ks_distance(rewards_of(m, s, a), rewards_of(twin, s, a))

    bound = m.horizon * steepest(instance["weighting"]) * expected_cost(m, choose, cost)
    return Outcome(abs(phi(returns(twin, choose), g) - phi(returns(m, choose), g)), "<=", bound)


def steepest(spec: str) -> Fraction:
    """The Lipschitz constant of the mean, a CVaR or a polygon."""
    name = spec.replace(" ", "")
    if name == "mean":
        return Fraction(1)
    family, _, rest = name.removesuffix(")").partition("(")
    if family == "cvar":
        return 1 / number(rest)
    require(family == "pl", "the mean, a CVaR or a polygon")
    corners = [(number(t), number(v)) for t, v in (corner.split(",") for corner in rest.split(";"))]
    return max((v - y) / (u - x) for (x, y), (u, v) in pairwise(corners))


class Comb(NamedTuple):
    """The counts of a sampled comb: ``seen`` of ``seen * spread`` rewards of a; b pays ``pay_b``, c nothing."""

    seen: int
    spread: int
    pay_b: int
    visits_b: int
    visits_c: int
    episodes: int
    delta: Fraction
    true_mean: Fraction
    seen_mean: Fraction

    def radius(self, visits: int) -> Bounds:
        return printed_radius(2, 3, self.episodes, self.delta, visits)

    def budget(self) -> Fraction:
        """An upper bound of E_M sum (eps_P + eps_R): a, then b at one of ``spread`` rewards and c at the others."""
        share = Fraction(1, self.spread)
        radii = [self.radius(n)[1] for n in (self.seen, self.visits_b, self.visits_c)]
        return (2 * root_of(Fraction(2))[1] + 1) * (radii[0] + share * radii[1] + (1 - share) * radii[2])


def comb(instance: dict[str, Any], *, event: bool) -> Comb:
    """Read the counts, list the rewards of a, and require the printed event if the claim does."""
    seen, spread = whole(instance["seen"], 1), whole(instance["spread"], 1)
    visits_b, episodes = whole(instance["visits_b"], 1), whole(instance["episodes"], 1)
    visits_c = 2 * (episodes - 1) - seen - visits_b
    points = seen * spread
    require(visits_c >= 1 and instance["pay_b"] in (0, 1) and points <= 10**7, "counts that some history has")
    offset = (spread - 1) // 2
    sample = range(offset, points, spread)
    c = Comb(
        seen,
        spread,
        int(instance["pay_b"]),
        visits_b,
        visits_c,
        episodes,
        number(instance["delta"]),
        Fraction(sum(range(points)), points * points),
        Fraction(sum(sample), points * seen),
    )
    if event:  # between two seen rewards the CDFs differ most just before the upper one and at the lower one
        gap = max(
            max(abs(Fraction(j, points) - Fraction(i, seen)) for i, j in enumerate(sample)),
            max(abs(Fraction(j + 1, points) - Fraction(i + 1, seen)) for i, j in enumerate(sample)),
        )
        require(gap <= c.radius(seen)[0], "the event")
    return c


@check("lem:tildebound")
def _tildebound(instance: dict[str, Any]) -> Outcome:
    """|Phi~ - Phi| <= T L_G B: a, then b at a seen first reward, c at any other."""
    c = comb(instance, event=True)
    gap = abs((c.seen_mean + c.pay_b) - (c.true_mean + Fraction(c.pay_b, c.spread)))
    return Outcome(gap, "<=", above(2 * c.budget()))


@check("lem:hattildebound")
def _hattildebound(instance: dict[str, Any]) -> Outcome:
    """|Phi^ - Phi~| <= T L_G sqrt|S| B.  R^(a) dominates R~(a), and R^(b) is 1 when b's radius is at least 1."""
    c = comb(instance, event=False)
    require(c.pay_b == 0 and c.radius(c.visits_b)[0] >= 1, "b pays nothing and its radius is at least 1")
    return Outcome(Fraction(1), "<=", above(2 * root_of(Fraction(2))[1] * c.budget()))


@check("lem:fullbound")
def _fullbound(instance: dict[str, Any]) -> Outcome:
    """|Phi^ - Phi| <= 2 T L_G sqrt|S| B.  R^(a) dominates R~(a), and the second reward of Phi^ is 1."""
    c = comb(instance, event=True)
    require(c.pay_b == 1, "b pays 1")
    gap = (c.seen_mean + 1) - (c.true_mean + Fraction(1, c.spread))
    return Outcome(gap, "<=", above(4 * root_of(Fraction(2))[1] * c.budget()))


@check("lem:optimismhat")
def _optimismhat(instance: dict[str, Any]) -> Outcome:
    """Phi^ >= Phi on the printed event, with the printed radius for some delta <= 1."""
    m, estimate, g = model(instance["mdp"]), model(instance["estimate"]), weighting(instance["weighting"])
    same_shape(m, estimate)
    n, eps = whole(instance["visits"], 1), number(instance["eps"])
    require(len(m.outcomes) == 1, "one ordinary state")
    actions = len(m.outcomes[0])
    require(actions * n % m.horizon == 0, "whole episodes")
    episodes = actions * n // m.horizon + 1
    require(2 * n * eps**2 >= log_of(Fraction(12 * actions * episodes))[1], "the radius belongs to some delta <= 1")
    better = []
    for a in range(actions):
        true, seen = rewards_of(m, 0, a), rewards_of(estimate, 0, a)
        require(set(seen) <= set(true) and all((n * p).denominator == 1 for p in seen.values()), "a possible estimate")
        require(ks_distance(true, seen) <= eps, "the event")
        shifted: Law = {}
        level = Fraction()
        for r in sorted(seen):
            up = max(cdf(seen, r) - eps, Fraction()) if r < 1 else Fraction(1)
            shifted[r], level = up - level, up
        shifted[Fraction(1)] = shifted.get(Fraction(1), Fraction()) + 1 - level
        kept = max(1 - eps, Fraction())
        better.append([(p * q, s, r) for q, s in ((kept, 0), (1 - kept, 1)) for r, p in shifted.items() if p * q])
    hat = Model(m.horizon, m.initial, [better, [[(Fraction(1), 1, Fraction(1))]]])
    choose = policy(instance["policy"], m)
    value = phi(returns(hat, lambda xi: [(0, Fraction(1))] if xi[-1] == 1 else choose(xi)), g)
    return Outcome(value, ">=", phi(returns(m, choose), g))


@check("thm:main/log")
def _main_log(instance: dict[str, Any]) -> Outcome:
    """log 6x <= log 4x."""
    sizes = [whole(instance[key], 1) for key in ("states", "actions", "episodes")]
    require(sizes[0] >= 2, "an ordinary state")
    x = Fraction(math.prod(sizes)) / number(instance["delta"])
    return Outcome(below(log_of(6 * x)[0]), "<=", above(log_of(4 * x)[1]))


def visits_before(visits: list[int]) -> list[tuple[int, int]]:
    """``(visits before the episode, visits in it)``."""
    return [(sum(visits[:k]), v) for k, v in enumerate(visits)]


@check("thm:main/visits")
def _main_visits(instance: dict[str, Any]) -> Outcome:
    """Visits with N <= T number fewer than 2T, that is at most 2T - 1."""
    horizon, visits = whole(instance["horizon"], 1), [whole(v) for v in instance["visits"]]
    require(max(visits) <= horizon, "at most T visits per episode")
    return Outcome(sum(v for n, v in visits_before(visits) if n <= horizon), "<=", 2 * horizon - 1)


@check("thm:main/unvisited")
def _main_unvisited(instance: dict[str, Any]) -> Outcome:
    """1/sqrt(N) <= 1 at every visit, that is N >= 1."""
    horizon, visits = whole(instance["horizon"], 1), [whole(v) for v in instance["visits"]]
    require(max(visits) <= horizon and any(visits), "at most T visits per episode, and some visit")
    return Outcome(min(n for n, v in visits_before(visits) if v), ">=", 1)


@check("thm:main/factor")
def _main_factor(instance: dict[str, Any]) -> Outcome:
    """sum over pairs and j <= N of j^(-1/2) <= sqrt(number of pairs * visits)."""
    counts = [whole(n, 1) for n in instance["counts"]]
    left = sum((1 / root_of(Fraction(j))[1] for n in counts for j in range(1, n + 1)), Fraction())
    return Outcome(below(left), "<=", above(root_of(Fraction(len(counts) * sum(counts)))[1]))


@check("thm:main/dropped")
def _main_dropped(instance: dict[str, Any]) -> Outcome:
    """sum of min(1, 1/sqrt(N)) over all visits <= sqrt(2 |S| |A| K T), |S| = 2."""
    rows = [[whole(v) for v in row] for row in instance["visits"]]
    actions, horizon = len(rows[0]), sum(rows[0])
    require(all(len(row) == actions and sum(row) == horizon for row in rows) and horizon >= 1, "episodes of T steps")
    left = Fraction()
    for a in range(actions):
        for n, v in visits_before([row[a] for row in rows]):
            left += v if n == 0 else v / root_of(Fraction(n))[1]
    return Outcome(below(left), "<=", above(root_of(Fraction(4 * actions * len(rows) * horizon))[1]))


@check("thm:main/constant")
def _main_constant(instance: dict[str, Any]) -> Outcome:
    """2T sqrt(5 |S|^2 l) * 2 sqrt(2 |S| |A| K T) <= 4 T^(3/2) |S| sqrt(5 |S| |A| K l)."""
    states, actions = whole(instance["ordinary"], 1) + 1, whole(instance["actions"], 1)
    horizon, episodes, delta = whole(instance["horizon"], 1), whole(instance["episodes"], 1), number(instance["delta"])
    level = log_of(Fraction(4 * states * actions * episodes) / delta)[0]
    pairs = root_of(Fraction(2 * states * actions * episodes * horizon))[0]
    left = 2 * horizon * root_of(5 * states**2 * level)[0] * 2 * pairs
    return Outcome(below(left), "<=", above(printed_regret_bound(states, actions, horizon, episodes, delta)[1]))


@check("thm:main")
def _main(instance: dict[str, Any]) -> Outcome:
    """P[Reg > bound] <= delta.

    a pays one of m equally likely rewards below 1, b nothing, T = 2.  The planner plays a, then a at a first reward
    seen before (or 1) and b at any other; a and b then have equal counts as long as no first reward repeats.  Episode
    k loses the mean reward at all but its k - 1 seen first rewards.  A repetition has probability at most K (K-1) / 2m.
    """
    points, episodes = whole(instance["points"], 1), whole(instance["episodes"], 1)
    low, delta = number(instance["low"]), number(instance["delta"])
    require(0 <= low < 1 and 0 < delta <= 1, "rewards in [0, 1) and delta in (0, 1]")
    mean = low + (1 - low) * Fraction(points - 1, 2 * points)
    regret = mean * Fraction(sum(points - k for k in range(episodes)), points)
    require(regret > printed_regret_bound(2, 2, 2, episodes, delta)[1], "the regret exceeds the printed bound")
    return Outcome(1 - Fraction(episodes * (episodes - 1), 2 * points), "<=", delta)


@check("intro:bound")
def _intro_bound(instance: dict[str, Any]) -> Outcome:
    """T^2 |A| = T^(3/2) sqrt|A|, squared."""
    horizon, actions = whole(instance["horizon"], 1), whole(instance["actions"], 1)
    return Outcome(horizon**4 * actions**2, "=", horizon**3 * actions)


@check("exp:forty")
def _forty(instance: dict[str, Any]) -> Outcome:
    """P[6 (1 - (f/n - eps)^+ / alpha)^+ <= 4] >= 1/2 with f failures of n, each of probability 271/1000."""
    n, episodes, delta = whole(instance["visits"], 1), whole(instance["episodes"], 1), number(instance["delta"])
    require(n <= 40 <= episodes, "at most 40 visits")
    eps, alpha, failure = printed_radius(1, 1, episodes, delta, n)[0], Fraction(33, 100), Fraction(271, 1000)
    total = Fraction()
    for f in range(n + 1):
        value = 6 * max(1 - max(Fraction(f, n) - eps, Fraction()) / alpha, Fraction())
        if value <= 4:
            total += math.comb(n, f) * failure**f * (1 - failure) ** (n - f)
    return Outcome(above(total), ">=", Fraction(1, 2))


def _rule(table: dict[tuple[int, int, Fraction], int]) -> Callable[[History], Lottery]:
    return lambda xi: [(table[len(xi) - 1, xi[-1], gained(xi)], Fraction(1))]


def all_policies(m: Model, *, most: int = 5000) -> list[Callable[[History], Lottery]]:
    """Every deterministic policy of step, state and return so far; they suffice for a concave weighting."""
    keys: list[tuple[int, int, Fraction]] = []
    level = {(s, Fraction()) for s, _ in m.initial}
    for t in range(m.horizon):
        keys += [(t, s, y) for s, y in sorted(level)]
        level = {(k, y + r) for s, y in level for action in m.outcomes[s] for p, k, r in action if p}
    require(math.prod(len(m.outcomes[s]) for _, s, _ in keys) <= most, "few policies")
    rules: list[Callable[[History], Lottery]] = []
    for actions in product(*(range(len(m.outcomes[s])) for _, s, _ in keys)):
        table = dict(zip(keys, actions, strict=True))
        rules.append(_rule(table))
    return rules


@check("L2/merely-optimal")
def _merely_optimal(instance: dict[str, Any]) -> Outcome:
    """Phi' - Phi <= L_G E_M sum [(T-t) TV + KS] for a policy that is optimal in M'."""
    m, twin, g = model(instance["mdp"]), model(instance["twin"]), weighting(instance["weighting"])
    same_shape(m, twin)
    require(instance["weighting"].replace(" ", "").startswith(("mean", "cvar(")), "a concave weighting")
    choose = policy(instance["policy"], m)
    value = phi(returns(twin, choose), g)
    require(value == max(phi(returns(twin, rule), g) for rule in all_policies(twin)), "the policy is optimal in M'")

    def cost(t: int, s: int, a: int) -> Fraction:
        rows = sum((abs(p - q) for p, q in zip(row_of(m, s, a), row_of(twin, s, a), strict=True)), Fraction()) / 2
        return (m.horizon - 1 - t) * rows + ks_distance(rewards_of(m, s, a), rewards_of(twin, s, a))

    bound = steepest(instance["weighting"]) * expected_cost(m, choose, cost)
    return Outcome(value - phi(returns(m, choose), g), "<=", bound)


@check("limits/convex")
def _convex(instance: dict[str, Any]) -> Outcome:
    """Phi' - Phi <= L_G KS + w for the mean of the upper half, L_G = 2, and a policy greedy up to w for a utility.

    First rewards: m points below zeta in M, those between in M'.  Then a pays 1/5, b pays 1 with probability 1/8.  The
    policy plays a at every first reward of M, and in M' a at three of seven, b at four of seven.
    """
    points, zeta = whole(instance["points"], 7), number(instance["zeta"])
    require(points % 7 == 0 and 0 < zeta <= 1, "a multiple of seven points below zeta")
    safe, chance = Fraction(1, 5), Fraction(1, 8)
    own = [zeta * j / points for j in range(points)]
    other = [y + zeta / (2 * points) for y in own]

    def utility(z: Fraction) -> Fraction:
        return Fraction(8, 7) * min(z, safe) + 2 * max(z - safe, Fraction())

    def upper_half(tau: Fraction) -> Fraction:
        return max(2 * tau - 1, Fraction())

    values, gap = [], Fraction()
    for sums, plays in ((own, [0] * points), (other, [int(j % 7 >= 3) for j in range(points)])):
        pairs: list[tuple[Fraction, Fraction]] = []
        for y, a in zip(sums, plays, strict=True):
            q = [utility(y + safe), (1 - chance) * utility(y) + chance * utility(y + 1)]
            gap = max(gap, max(q) - q[a])
            pairs += [(y, (1 - chance) / points), (y + 1, chance / points)] if a else [(y + safe, Fraction(1, points))]
        values.append(phi(law_of(pairs), upper_half))
    uniform = Fraction(1, points)
    distance = ks_distance(dict.fromkeys(own, uniform), dict.fromkeys(other, uniform))
    return Outcome(values[1] - values[0], "<=", 2 * distance + gap)


# -- command ----------------------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A number exactly, or, if that is long, as a decimal marked as rounded."""
    return str(value) if len(str(value)) <= 30 else f"{float(value):.12g} (rounded)"


def main(paths: list[str]) -> int:
    """Recheck files; the exit status of the worst of them."""
    if not paths:
        print(__doc__)
        return 2
    status = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                outcome = check_text(file.read())
        except (Rejected, OSError) as error:
            print(f"{path}: REJECTED: {error}")
            status = 2
            continue
        says = f"the claim says {shown(outcome.left)} {outcome.relation} {shown(outcome.right)}"
        print(f"{path}: {'REFUTES' if outcome.refutes else 'DOES NOT REFUTE'}: {says}")
        if not outcome.refutes:
            status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
