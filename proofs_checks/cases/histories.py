r"""Histories by enumeration of paths: the definitions that the statements use.

A history before step t is :math:`\xi_t = ((s_0, a_0, r_0), \dots, (s_{t-1}, a_{t-1}, r_{t-1}), s_t)` with steps counted
from 0, so an episode is :math:`\xi_T` here (the paper, counting from 1, should write :math:`\xi_{T+1}`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from verified_risk.errors import InvalidPolicy
from verified_risk.law import Law, added_up
from verified_risk.mdp import MDP
from verified_risk.policy import Choice, HistoryPolicy, Policy

History: TypeAlias = tuple[Any, ...]
"""``((s, a, r), ..., s)``."""
added = added_up
"""``{key: mass}`` of ``(key, mass)`` pairs, the masses of equal keys added up."""


class HistoryTable:
    """A history-dependent rule as a finite table, so that it can be stored."""

    def __init__(self, rows: Mapping[History, Any]) -> None:
        self.rows = dict(rows)

    def __call__(self, history: History) -> Any:
        try:
            return self.rows[history]
        except KeyError:
            raise InvalidPolicy(f"the policy says nothing after the history {history}") from None


def history_policy(mdp: MDP, rows: Mapping[History, Any]) -> HistoryPolicy:
    """The policy that a table ``{history: choice}`` describes."""
    return HistoryPolicy(mdp, HistoryTable(rows))


def state(history: History) -> int:
    """The current state, the paper's S(xi)."""
    return int(history[-1])


def gained(history: History) -> Fraction:
    """The return so far, the paper's J(xi) (undiscounted models only)."""
    return sum((r for _, _, r in history[:-1]), Fraction())


def extended(history: History, a: int, r: Fraction, following: int) -> History:
    """The history one step later."""
    return (*history[:-1], (history[-1], a, r), following)


def possible_histories(mdp: MDP, t: int) -> list[History]:
    """All histories before step ``t`` that some policy meets."""
    level: list[History] = [(s,) for s, _ in mdp.initial]
    for _ in range(t):
        level = [
            extended(xi, a, r, following)
            for xi in level
            for a, action in enumerate(mdp.actions(state(xi)))
            for _, following, r in action.outcomes
        ]
    return level


def chooser(policy: Policy) -> Callable[[History], Choice]:
    """Any policy as a function of the history, by replaying its memory."""

    def choose(history: History) -> Choice:
        memory: Any = policy.start()
        for t, (s, a, r) in enumerate(history[:-1]):
            memory = policy.remember(memory, t, s, a, r)
        return policy.choice(len(history) - 1, state(history), memory)

    return choose


def history_laws(mdp: MDP, policy: Policy) -> Iterator[dict[History, Fraction]]:
    r"""The history measure before each step ``t = 0..T``:

    .. math:: P(\xi_{t+1}) = P(\xi_t)\, \pi_t(a_t \mid \xi_t)\, P(r_t, s_{t+1} \mid s_t, a_t).
    """
    choose = chooser(policy)
    level: dict[History, Fraction] = {(s,): p for s, p in mdp.initial}
    yield level
    for _ in range(mdp.horizon):
        level = added(
            (extended(xi, a, r, target), mass * q * p)
            for xi, mass in level.items()
            for a, q in choose(xi)
            for p, target, r in mdp.actions(state(xi))[a].outcomes
        )
        yield level


def law_by_histories(mdp: MDP, policy: Policy) -> Law:
    """The law of the return, by walking every history (undiscounted models only)."""
    *_, episodes = history_laws(mdp, policy)
    return weighted((gained(xi), p) for xi, p in episodes.items())


def weighted(pairs: Iterable[tuple[Fraction, Fraction]]) -> Law:
    """The law with the given ``(value, mass)`` pairs."""
    return Law.of_weights(added(pairs))
