r"""lem:augmented:1, lem:augmented:2, thm:augmented: polynomial identities in all probabilities of model and policy.

The weight of a history is a monomial in the initial, transition and reward probabilities and in the probabilities of a
policy that sees the whole history.  With :math:`D_t(y,s)` the weight of the histories with reward so far y in state s
and :math:`N_t(y,s,a)` that of those on which a follows, the averaged policy is :math:`N_t/D_t`.  These identities are
checked:

1. the average plays as often: :math:`D_t(y,s)\,N'_t(y,s,a) = N_t(y,s,a)\,D'_t(y,s)`, where the average
   :math:`N'/D'` runs over :math:`J = y` (or, planted, over :math:`J \le y`);
2. one step from the flows :math:`N_t` leads to :math:`D_{t+1}`; so the joint laws agree at every t, and so does the
   law of the return.

The policy's probabilities are free for every history; rewards are 0, 1, ..., so that different histories collide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from ...evidence.solver.query import Identity, Problem, Query, sympy
from ...evidence.solver.terms import both, real

Cell = tuple[int, int]
"""Reward so far and state."""


class Flows(NamedTuple):
    """D_t by cell and N_t by cell and action, and the two as averaged over J <= y."""

    reached: dict[Cell, Any]
    played: dict[tuple[Cell, int], Any]

    def up_to(self) -> Flows:
        """The same sums over all smaller rewards so far."""
        reached = {
            (y, s): sum((w for (z, r), w in self.reached.items() if r == s and z <= y), start=0)
            for y, s in self.reached
        }
        played = {
            ((y, s), a): sum((w for ((z, r), b), w in self.played.items() if (r, b) == (s, a) and z <= y), start=0)
            for (y, s), a in self.played
        }
        return Flows(reached, played)


class Symbols:
    """Free parameters by name; the ring is made once all names are known."""

    def __init__(self, names: list[str]) -> None:
        from sympy.polys.rings import ring

        _, *generators = ring(names, sympy().QQ)
        self._by_name = dict(zip(names, generators, strict=True))

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name]


History = tuple[int, ...]
"""s, a, r, s, a, r, ..., s."""


def _walk(states: int, actions: int, rewards: int, horizon: int) -> tuple[list[Flows], dict[Cell, Any], Symbols]:
    """The flows at every step and the joint law at the end, by adding up the weights of all histories."""
    levels: list[list[History]] = [[(s,) for s in range(states)]]
    step = [(a, r, s) for a in range(actions) for r in range(rewards) for s in range(states)]
    for _ in range(horizon):
        levels.append([(*h, *more) for h in levels[-1] for more in step])
    names = [f"D{s}" for s in range(states)]
    names += [f"P{s}.{a}.{z}" for s in range(states) for a in range(actions) for z in range(states)]
    names += [f"R{s}.{a}.{r}" for s in range(states) for a in range(actions) for r in range(rewards)]
    names += [_choice(h, a) for level in levels[:-1] for h in level for a in range(actions)]
    x = Symbols(names)
    weight: dict[History, Any] = {(s,): x[f"D{s}"] for s in range(states)}
    flows = []
    for level in levels[:-1]:
        reached: dict[Cell, Any] = defaultdict(int)
        played: dict[tuple[Cell, int], Any] = defaultdict(int)
        for h in level:
            cell = (sum(h[2::3]), h[-1])
            reached[cell] += weight[h]
            for a in range(actions):
                share = weight[h] * x[_choice(h, a)]
                played[cell, a] += share
                for r in range(rewards):
                    for s in range(states):
                        weight[(*h, a, r, s)] = share * x[f"R{h[-1]}.{a}.{r}"] * x[f"P{h[-1]}.{a}.{s}"]
        flows.append(Flows(dict(reached), dict(played)))
    ends: dict[Cell, Any] = defaultdict(int)
    for h in levels[-1]:
        ends[sum(h[2::3]), h[-1]] += weight[h]
    return flows, dict(ends), x


def _choice(history: History, action: int) -> str:
    return "v" + ".".join(map(str, (*history, action)))


def plays_as_often(states: int, actions: int, rewards: int, horizon: int, *, up_to: bool = False) -> Identity:
    """Identity 1, cross-multiplied; ``up_to`` averages over J <= y."""
    flows, _, _ = _walk(states, actions, rewards, horizon)
    differences = []
    for flow in flows:
        average = flow.up_to() if up_to else flow
        for (cell, a), played in flow.played.items():
            differences.append(flow.reached[cell] * average.played[cell, a] - played * average.reached[cell])
    return Identity(differences)


def reaches_as_often(
    states: int, actions: int, rewards: int, horizon: int, *, returns: bool = False, planted: bool = False
) -> Identity:
    """Identity 2 at every t; ``returns`` adds up over the last state.  Planted: rewards of the next step are lost."""
    flows, ends, x = _walk(states, actions, rewards, horizon)
    following = [*(flow.reached for flow in flows[1:]), ends]
    differences = []
    for flow, after in zip(flows, following, strict=True):
        moved: dict[Cell, Any] = defaultdict(int)
        for ((y, s), a), played in flow.played.items():
            for r in range(rewards):
                for z in range(states):
                    cell = (y if planted else y + r, z)
                    moved[cell] += played * x[f"R{s}.{a}.{r}"] * x[f"P{s}.{a}.{z}"]
        if not returns or after is ends:
            differences += _compare(moved, after, returns)
    return Identity(differences)


def _compare(mine: Mapping[Cell, Any], other: Mapping[Cell, Any], returns: bool) -> list[Any]:
    if not returns:
        return [mine.get(cell, 0) - other.get(cell, 0) for cell in {*mine, *other}]
    values = {y for y, _ in {*mine, *other}}
    return [
        sum(w for (y, _), w in mine.items() if y == v) - sum(w for (y, _), w in other.items() if y == v) for v in values
    ]


def printed(what: str) -> Problem:
    """T = 2, one state, a pays x < b's pay: the first action is a coin, the second may depend on the first.

    After the lower pay J <= y only if a was played; after the higher one the printed average mixes both.
    """
    low, high, u, v, w = (real(name) for name in ("low", "high", "u", "v", "w"))
    hypotheses = [low >= 0, low < high, high <= 1, u > 0, u < 1, v >= 0, v <= 1, w >= 0, w <= 1]
    mixed = u * v + (1 - u) * w
    if what == "plays":  # how often a follows, on histories that earned at most `high`
        return Problem(hypotheses, u * v + (1 - u) * w == u * v + (1 - u) * mixed)
    if what == "reaches":  # P(return = 2 low), P(return = low + high)
        return Problem(
            hypotheses,
            both(u * v == u * v, u * (1 - v) + (1 - u) * w == u * (1 - v) + (1 - u) * mixed),
        )
    second = u * (v * low + (1 - v) * high) + (1 - u) * (w * low + (1 - w) * high)
    averaged = u * (v * low + (1 - v) * high) + (1 - u) * (mixed * low + (1 - mixed) * high)
    return Problem(hypotheses, second == averaged)


def _model(numbers: Mapping[str, Fraction]) -> tuple[Any, Any]:
    from verified_risk.mdp import MDP

    from ...cases.histories import history_policy

    low, high, u, v, w = (numbers[name] for name in ("low", "high", "u", "v", "w"))
    mdp = MDP(0, [[[1], [1]]], [[low, high]], 2)
    rule: dict[Any, Any] = {
        (0,): {0: u, 1: 1 - u},
        ((0, 0, low), 0): {0: v, 1: 1 - v},
        ((0, 1, high), 0): {0: w, 1: 1 - w},
    }
    return mdp, history_policy(mdp, rule)


def lemma_case(numbers: Mapping[str, Fraction]) -> Any:
    """The model and the policy."""
    from .lem_augmented import Case

    return Case(*_model(numbers))


def theorem_case(numbers: Mapping[str, Fraction]) -> Any:
    """The model and the policy, with the mean."""
    from verified_risk.objectives import Mean

    from .thm_augmented import Case

    return Case(*_model(numbers), Mean())


LARGE = (3, 2, 3, 2)
LONG = (2, 2, 2, 3)
QUERIES = (
    Query(
        "lem:augmented:1",
        "the average over J = y plays as often",
        "T = 2, 3 states, 2 actions, rewards 0, 1, 2",
        partial(plays_as_often, *LARGE),
        "claim",
        partial(plays_as_often, 1, 2, 2, 2, up_to=True),
        "the average runs over J <= y",
    ),
    Query(
        "lem:augmented:1",
        "the average over J <= y plays as often",
        "T = 2, one state, two sure rewards",
        partial(printed, "plays"),
        "printed",
        case=lemma_case,
    ),
    Query(
        "lem:augmented:2",
        "the joint law of reward so far and state is kept",
        "T = 3, 2 states, 2 actions, rewards 0, 1",
        partial(reaches_as_often, *LONG),
        "claim",
        partial(reaches_as_often, 1, 2, 2, 2, planted=True),
        "the reward of the step is lost",
    ),
    Query(
        "lem:augmented:2",
        "the same for the average over J <= y",
        "T = 2, one state, two sure rewards",
        partial(printed, "reaches"),
        "printed",
        case=lemma_case,
    ),
    Query(
        "thm:augmented",
        "the law of the return is kept",
        "T = 2, 3 states, 2 actions, rewards 0, 1, 2",
        partial(reaches_as_often, *LARGE, returns=True),
        "claim",
        partial(reaches_as_often, 1, 2, 2, 2, returns=True, planted=True),
        "the reward of the step is lost",
    ),
    Query(
        "thm:augmented",
        "the law of the return is kept",
        "T = 3, 2 states, 2 actions, rewards 0, 1",
        partial(reaches_as_often, *LONG, returns=True),
        "claim",
        partial(reaches_as_often, 1, 2, 2, 3, returns=True, planted=True),
        "the reward of the step is lost",
    ),
    Query(
        "thm:augmented",
        "the average over J <= y keeps the mean",
        "T = 2, one state, two sure rewards",
        partial(printed, "mean"),
        "printed",
        case=theorem_case,
    ),
)
