"""The largest mean in rationals: one number per step and state, no sums of rewards."""

from __future__ import annotations

from fractions import Fraction

from ...mdp import MDP, Action
from ...numbers.rational import exact_sum
from ..clock import Tick, unlimited


def best_mean(mdp: MDP, tick: Tick = unlimited) -> tuple[Fraction, list[list[int]]]:
    """The optimum, and an action for every step and state; ties to the least index.  ``tick`` is called every step."""
    value = [Fraction()] * mdp.n_states
    table: list[list[int]] = []
    for t in range(mdp.horizon - 1, -1, -1):
        tick()
        best = [max((_mean(mdp, t, a, value), -i) for i, a in enumerate(mdp.actions(s))) for s in range(mdp.n_states)]
        value = [v for v, _ in best]
        table.append([-a for _, a in best])
    return exact_sum([p * value[s] for s, p in mdp.initial]), table[::-1]


def _mean(mdp: MDP, t: int, action: Action, value: list[Fraction]) -> Fraction:
    paid = mdp.step_reward(t, action.reward_law.mean)
    return exact_sum([paid, *(p * value[s] for s, p in action.successors)])
