"""The optimistic model."""

from fractions import Fraction
from typing import Any

from .enclosed import log_of
from .exact import Law, cdf, cdfs, ks_distance, phi, weighting
from .file_format import Outcome, check, number, require, whole, worst
from .paths import Model, model, policy, returns, rewards_of, same_shape


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


@check("lem:optimismhat")
def _optimismhat(instance: dict[str, Any]) -> Outcome:
    """Phi^ >= Phi."""
    true, flattered = on_event(instance)
    g = weighting(instance["weighting"])
    return Outcome(phi(flattered, g), ">=", phi(true, g))


@check("lem:optimismhat/cdf")
def _optimismhat_cdf(instance: dict[str, Any]) -> Outcome:
    """F of the optimistic return <= F of the return, where they differ most."""
    true, flattered = on_event(instance)
    weighting(instance["weighting"])  # not used by this claim, but part of the instance
    return worst(cdfs(flattered, true), "<=")


def on_event(instance: dict[str, Any]) -> tuple[Law, Law]:
    """The return in the true and in the optimistic model, on the printed event, with the printed radius for some
    delta <= 1."""
    m, estimate = model(instance["mdp"]), model(instance["estimate"])
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
    return returns(m, choose), returns(hat, lambda xi: [(0, Fraction(1))] if xi[-1] == 1 else choose(xi))
