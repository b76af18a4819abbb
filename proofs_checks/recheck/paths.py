"""Models, policies and the laws of their histories, by enumeration of paths."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from .exact import Law, law, law_of
from .file_format import number, require, whole

MOST_POLICIES = 512  # limit of policies of one model, each of which is evaluated on every path
MOST_STEPS, MOST_HISTORIES = 64, 10**5
"""Limit of steps of a model; stored models have at most 4."""

Lottery = list[tuple[int, Fraction]]


class Model(NamedTuple):
    """``outcomes[s][a]`` lists ``(probability, next state, reward)``."""

    horizon: int
    initial: list[tuple[int, Fraction]]
    outcomes: list[list[list[tuple[Fraction, int, Fraction]]]]


def model(data: Any) -> Model:
    """An undiscounted model with rewards in [0, 1]."""
    require(
        whole(data["horizon"], 1) <= MOST_STEPS, f"at most {MOST_STEPS} steps, all paths of which are enumerated here"
    )
    require(number(data["discount"]) == 1, "no discount")
    initial = [(whole(s), number(p)) for s, p in data["initial"]]
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
        return [(number(p), whole(s), number(r)) for p, s, r in action["outcomes"]]
    pay = law(action["reward"])
    return [(number(p) * q, whole(s), r) for s, p in action["next"] for r, q in pay.items()]


def lottery(entry: Any, count: int) -> Lottery:
    """An action, or ``{action: probability}``."""
    pairs = [(entry, Fraction(1))] if isinstance(entry, int) else [(int(a), number(p)) for a, p in entry.items()]
    require(sum(p for _, p in pairs) == 1 and all(p >= 0 and 0 <= a < count for a, p in pairs), "choices are lotteries")
    return pairs


History = tuple[Any, ...]
"""``((s, a, r), ..., s)``."""


def policy(data: Any, m: Model) -> Callable[[History], Lottery]:
    """A stored policy as a function of the history; all entries are validated."""
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
    """The law of the history after ``t`` steps, by enumeration of paths."""
    level: dict[History, Fraction] = {(s,): p for s, p in m.initial if p}
    for _ in range(t):
        level = law_of(
            ((*xi[:-1], (xi[-1], a, r), s), mass * q * p)
            for xi, mass in level.items()
            for a, q in choose(xi)
            for p, s, r in m.outcomes[xi[-1]][a]
            if p and q
        )
        require(len(level) <= MOST_HISTORIES, f"at most {MOST_HISTORIES} histories, all of which are enumerated here")
    return level


def returns(m: Model, choose: Callable[[History], Lottery]) -> Law:
    """The law of the return of a policy."""
    return law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon).items())


def y_policies(m: Model, *, most: int = MOST_POLICIES) -> Iterator[Callable[[History], Lottery]]:
    """All deterministic policies of (step, state, return so far), at most ``most``."""
    levels: list[set[tuple[int, Fraction]]] = [{(s, Fraction()) for s, p in m.initial if p}]
    for _ in range(m.horizon - 1):
        require(len(levels[-1]) <= MOST_HISTORIES, f"at most {MOST_HISTORIES} pairs of state and return so far")
        levels.append({(s2, y + r) for s, y in levels[-1] for a in m.outcomes[s] for p, s2, r in a if p})
    cells = [(t, s, y) for t, level in enumerate(levels) for s, y in sorted(level)]
    options = [range(len(m.outcomes[s])) for _, s, _ in cells]
    require(math.prod(map(len, options)) <= most, f"at most {most} policies, all of which are enumerated here")
    for actions in product(*options):
        yield _rule(dict(zip(cells, actions, strict=True)))


def _rule(table: dict[tuple[int, int, Fraction], int]) -> Callable[[History], Lottery]:
    return lambda xi: [(table[len(xi) - 1, xi[-1], gained(xi)], Fraction(1))]


def rewards_of(m: Model, s: int, a: int) -> Law:
    """The law of the reward of one action."""
    return law_of((r, p) for p, _, r in m.outcomes[s][a])


def row_of(m: Model, s: int, a: int) -> list[Fraction]:
    """The law of the next state of one action."""
    row = law_of((target, p) for p, target, _ in m.outcomes[s][a])
    return [row.get(target, Fraction()) for target in range(len(m.outcomes))]


def same_shape(m: Model, twin: Model) -> None:
    """Require the same states, actions, initial law and horizon."""
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
