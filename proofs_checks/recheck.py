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
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

FORMAT = "proofs_checks/counterexample"
VERSION = 1


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
    """A stored policy as a function of the history."""
    if data["kind"] == "markov":
        return lambda xi: lottery(data["table"][len(xi) - 1][xi[-1]], len(m.outcomes[xi[-1]]))
    if data["kind"] == "return":
        cells = {(t, s, number(y)): entry for t, s, y, entry in data["rows"]}
        return lambda xi: lottery(cells[len(xi) - 1, xi[-1], gained(xi)], len(m.outcomes[xi[-1]]))
    require(data["kind"] == "history", "a policy of kind markov, return or history")
    rows = {(*((s, a, number(r)) for s, a, r in xi[:-1]), xi[-1]): entry for xi, entry in data["rows"]}
    return lambda xi: lottery(rows[xi], len(m.outcomes[xi[-1]]))


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

# -- part B: the event, closeness, optimism, regret -------------------------------------------------------------------

# -- command ----------------------------------------------------------------------------------------------------------


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
        says = f"the claim says {outcome.left} {outcome.relation} {outcome.right}"
        print(f"{path}: {'REFUTES' if outcome.refutes else 'DOES NOT REFUTE'}: {says}")
        if not outcome.refutes:
            status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
