"""Rewards rounded up to multiples of eta."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from .exact import Law, cdf, concave, law_of, phi, weighting
from .file_format import Outcome, check, number, require, whole, worst
from .paths import History, Lottery, Model, lottery, model, returns, y_policies

MOST_STEPS, MOST_SUMS = 1000, 10**5
"""Limits for rewards whose sums are enumerated."""


def round_up(r: Fraction, eta: Fraction) -> Fraction:
    """The least multiple of eta that is at least r."""
    return eta * -(-r // eta)


def _sums(data: dict[str, Any]) -> list[Fraction]:
    """The sums of up to T rounded rewards."""
    horizon, eta, rewards = whole(data["horizon"], 1), number(data["eta"]), [number(r) for r in data["rewards"]]
    require(horizon <= MOST_STEPS, f"at most {MOST_STEPS} steps")
    require(0 < eta <= 1 and all(0 <= r <= 1 for r in rewards), "rewards in [0, 1], eta in (0, 1]")
    require(len(rewards) == len(set(rewards)) > 0, "distinct rewards, equally likely")
    level, seen = {Fraction()}, {Fraction()}
    for _ in range(horizon):
        level = {y + round_up(r, eta) for y in level for r in rewards}
        seen |= level
        require(len(seen) <= MOST_SUMS, f"at most {MOST_SUMS} sums, which are all listed here")
    return sorted(seen)


@check("def:grid/points")
def _grid_points(data: dict[str, Any]) -> Outcome:
    """The number of sums against ceil(T/eta)."""
    return Outcome(len(_sums(data)), "<=", -(-data["horizon"] // number(data["eta"])))


@check("def:grid/range")
def _grid_range(data: dict[str, Any]) -> Outcome:
    """The largest sum against the last point of the printed grid, eta ceil(T/eta)."""
    return Outcome(max(_sums(data)), "<=", round_up(Fraction(data["horizon"]), number(data["eta"])))


@check("thm:discretized")
def _discretisation_loss(data: dict[str, Any]) -> Outcome:
    """Phi of the optimal policies of the rounded model, adapted (best of ties), against the optimum minus eta."""
    m, eta, g = model(data["mdp"]), number(data["eta"]), concave(data["objective"])
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
        ``mode`` says how the internal state changes on step tau: "keep", "up" (phi(r) - r), or "printed" (r)."""
        if t == self.m.horizon:
            return {Fraction(): Fraction(1)}
        parts: list[tuple[Fraction, Fraction]] = []
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
    m, eta, tau = model(data["mdp"]), number(data["eta"]), whole(data["tau"])
    require(eta > 0 and 1 <= tau <= m.horizon, "a grid step and a step")
    rows = {}
    for t, s, y, entry in data["rule"]["rows"]:
        rows[t, s, number(y)] = [number(p) for p in entry]
        lottery({str(a): p for a, p in enumerate(entry)}, len(m.outcomes[s]))
    return Adaptation(m, eta, tau, rows)


@check("lem:picdfbound/before")
def _printed_internal_state(data: dict[str, Any]) -> Outcome:
    """F of the printed adaptation <= F of the policy, from the initial states, where they differ most."""
    case = adaptation(data)
    pairs = []
    for s, p in case.m.initial:
        mine = case.to_come(case.tau, 0, s, Fraction(), Fraction(), "printed")
        own = case.to_come(case.tau - 1, 0, s, Fraction(), Fraction(), "keep")
        pairs += [(cdf(mine, x), cdf(own, x)) for x in mine if p]
    return worst(pairs, "<=")


@check("lem:piphibound")
def _printed_internal_state_costs(data: dict[str, Any]) -> Outcome:
    """Phi of the printed adaptation against Phi of the policy."""
    case, g = adaptation(data["adaptation"]), weighting(data["objective"])

    def value(rounded: int, mode: str) -> Fraction:
        laws = [(p, case.to_come(rounded, 0, s, Fraction(), Fraction(), mode)) for s, p in case.m.initial]
        return phi(law_of((z, p * w) for p, part in laws for z, w in part.items()), g)

    return Outcome(value(case.tau, "printed"), ">=", value(case.tau - 1, "keep"))
