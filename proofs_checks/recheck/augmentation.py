"""A policy averaged over the histories with the same state that earned at most y."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .exact import concave, law_of, phi, weighting
from .file_format import Outcome, check, require, worst
from .paths import History, Lottery, Model, gained, histories, model, policy, returns, y_policies


def below(level: dict[History, Fraction], end: History) -> dict[History, Fraction]:
    """The histories of a level in the state of ``end`` that earned at most as much."""
    return {h: p for h, p in level.items() if h[-1] == end[-1] and gained(h) <= gained(end)}


def averaged(m: Model, choose: Callable[[History], Lottery]) -> Callable[[History], Lottery]:
    """The printed policy: E[pi(a | Xi) | J(Xi) <= y, state s]."""
    levels = [histories(m, choose, t) for t in range(m.horizon)]

    def printed(xi: History) -> Lottery:
        same = below(levels[len(xi) - 1], xi)
        total = sum(same.values(), Fraction())
        require(total > 0, "the printed policy conditions on an event of positive probability")
        return list(law_of((a, p * q / total) for h, p in same.items() for a, q in choose(h)).items())

    return printed


@check("thm:augmented")
def _augmentation(data: dict[str, Any]) -> Outcome:
    """Phi of the printed average against Phi of the policy."""
    m, g = model(data["mdp"]), weighting(data["objective"])
    choose = policy(data["policy"], m)
    return Outcome(phi(returns(m, averaged(m, choose)), g), "=", phi(returns(m, choose), g))


@check("lem:augmented:1")
def _plays_as_often(data: dict[str, Any]) -> Outcome:
    """The probability of playing an action on histories that earned at most y, at the worst t, s, y, a."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    rules = (choose, averaged(m, choose))
    pairs = []
    for level in (histories(m, choose, t) for t in range(m.horizon)):
        for end in level:
            played = [law_of((a, p * q) for h, p in below(level, end).items() for a, q in rule(h)) for rule in rules]
            pairs += [[law.get(a, Fraction()) for law in played] for a in range(len(m.outcomes[end[-1]]))]
    return worst(pairs, "=")


@check("lem:augmented:2")
def _reaches_as_often(data: dict[str, Any]) -> Outcome:
    """P(J <= y, state s) under the policy and under its printed average, at the worst t, s, y."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    printed = averaged(m, choose)
    pairs = []
    for t in range(m.horizon + 1):
        levels = histories(m, choose, t), histories(m, printed, t)
        pairs += [[sum(below(level, end).values(), Fraction()) for level in levels] for end in {*levels[0], *levels[1]}]
    return worst(pairs, "=")


@check("def:augmented")
def _augmented_payment(data: dict[str, Any]) -> Outcome:
    """The optimum of Phi(y_T) against the optimum of Phi(Z), concave G, over all deterministic y-policies."""
    m, g = model(data["mdp"]), concave(data["objective"])
    paid = [
        phi(law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon - 1).items()), g)
        for choose in y_policies(m)
    ]
    return Outcome(max(paid), "=", max(phi(returns(m, choose), g) for choose in y_policies(m)))
