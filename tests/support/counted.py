"""Numbers that count the roundings on the way to them.

A number made by k roundings is off by a factor of at most ``(1 - u)**-k``.  Errors of a sum of nonnegative numbers are
those of its worse term, errors of the factors of a product multiply, and the operation itself rounds once more.
:func:`counts` runs the planner's own kernels on such numbers: for random models, how many roundings in a row it saw,
and how many the error bound allows for.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import verified_risk as vr
from verified_risk.grid import FloatModel, float_model, own_unit
from verified_risk.kernels import budget_pass as kernels
from verified_risk.planning.affordable_law import forward_depth
from verified_risk.planning.tails import budget_tables


class Counted:
    """A float and the roundings in a row that made it."""

    def __init__(self, value: float, depth: int = 0) -> None:
        self.value, self.depth = float(value), depth

    def __add__(self, other: Any) -> Counted:
        depth = max(self.depth, other.depth if isinstance(other, Counted) else 0)
        return Counted(self.value + float(other), depth + 1)

    def __mul__(self, other: Any) -> Counted:
        depth = self.depth + (other.depth if isinstance(other, Counted) else 0)
        return Counted(self.value * float(other), depth + 1)

    __radd__, __rmul__ = __add__, __mul__

    def __float__(self) -> float:
        return self.value

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)


def counted(array: Any, depth: int) -> Any:
    """The numbers, each counted as the result of ``depth`` roundings."""
    flat = [Counted(float(x), depth) for x in np.asarray(array).ravel()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(np.shape(array))


def exact(*shape: int) -> Any:
    return counted(np.zeros(shape), 0)


def random_model(random: Random, product: bool) -> vr.MDP:
    """A few states, up to a dozen successors and half a dozen rewards."""
    n, horizon = random.randint(2, 12), random.randint(1, 3)

    def law(values: list[int]) -> dict[int, Fraction]:
        weights = [random.randint(1, 5) for _ in values]
        return {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}

    def some(high: int, count: int) -> list[int]:
        return sorted(random.sample(range(high), random.randint(1, min(high, count))))

    if product:
        transitions = [[[0] * n for _ in range(2)] for _ in range(n)]
        for row in transitions:
            for action in row:
                for s, p in law(some(n, 12)).items():
                    action[s] = p  # type: ignore[call-overload]
        rewards = [[law(some(7, 6)) for _ in range(2)] for _ in range(n)]
        return vr.MDP(initial=0, transitions=transitions, rewards=rewards, horizon=horizon)
    outcomes = [[[(p, k % n, k // n) for k, p in law(some(3 * n, 12)).items()] for _ in range(2)] for _ in range(n)]
    return vr.MDP.from_outcomes(outcomes, initial=0, horizon=horizon)


def backward(m: FloatModel) -> tuple[int, int]:
    """Roundings seen in one pass over all budgets, and those that the pass's error bound allows for."""
    top, blocks, margin = m.remaining[0], m.blocks, int(m.blocks.span.max())
    after, now = exact(m.n_states, margin + top + 1), exact(m.n_states, margin + top + 1)
    after[:, margin + 1 :] = counted(np.broadcast_to(np.arange(1, top + 1), (m.n_states, top)), 0)
    weight, succ_prob = Counted(0.5, 1), counted(m.succ_prob, 1)
    terms = int(np.diff(m.steps[0].start).max())
    constant = counted(blocks.shortfall, terms + 1)  # a probability, a product, and the sum over the rewards
    value = exact(m.horizon + 1, m.n_states)
    kernels.linear_pass.plain(
        blocks.block, m.action_start, m.succ_start, m.succ_state, succ_prob, constant, value,
        np.zeros((m.horizon, m.n_states), dtype=np.int8),
    )  # fmt: skip
    extra = np.frompyfunc(lambda x: weight * x, 1, 1)(constant)
    u, q = exact(2 * margin + top + 2), exact(2 * margin + top + 2)
    for t in range(m.horizon - 1, -1, -1):
        k, high = int(blocks.block[t]), m.remaining[t]
        policy = np.zeros((m.n_states, high), dtype=np.int8)
        if high and m.product:
            kernels.product_step.plain(
                0, m.n_states, 1, high, margin, blocks.span[k], m.action_start, m.succ_start, m.succ_state, succ_prob,
                blocks.start[k], blocks.units[k], counted(blocks.prob[k], 1), extra[k], after,
                margin + max(1 - int(blocks.span[k]), 0), now, u, q, policy,
            )  # fmt: skip
        elif high:
            kernels.joint_step.plain(
                1, high, margin, m.action_start, m.succ_start, m.succ_state, succ_prob, blocks.units[k], extra[k],
                after, now, q, policy,
            )  # fmt: skip
        for s in range(m.n_states):  # left of budget 1 the mean alone, right of the greatest return a line
            now[s, : margin + 1] = weight * value[t, s]
            for b in range(high + 1, (m.remaining[t - 1] if t else high) + 1):
                now[s, margin + b] = now[s, margin + high] + (b - high)
        after, now = now, after
    rows = after[m.initial_state, margin:]
    start = counted(m.initial_prob, 1)
    sums = [sum((p * x for p, x in zip(start, column, strict=True)), Counted(0)) for column in rows.T]
    return max(x.depth for x in sums), budget_tables.budget_tables(m, Fraction(1, 2), 0, top).enclosure.depth


def forward(m: FloatModel) -> tuple[int, int]:
    """The roundings in the law of one policy: their counted number, and the number that the planner assumes."""
    top = m.remaining[0]
    mass, after = exact(m.n_states, top + 1), exact(m.n_states, top + 1)
    u = exact(top + max(step.span for step in m.steps) + 2)
    mass[m.initial_state, 0] = counted(m.initial_prob, 1)
    width = 1
    for step in m.steps:
        after[:] = exact(m.n_states, top + 1)
        kernels.forward_step.plain(
            m.product, m.action_start, m.succ_start, m.succ_state, counted(m.succ_prob, 1), step.start, step.units,
            counted(step.prob, 1), np.zeros((m.n_states, width), dtype=np.int8), width, step.span, mass, after, u,
        )  # fmt: skip
        mass, after = after, mass
        width += step.span
    cdf = Counted(0.0)
    for column in mass.T:
        for x in column:
            cdf = cdf + x
    return cdf.depth, forward_depth(m)


def counts() -> list[dict[str, tuple[int, int]]]:
    """The counted and the assumed numbers of roundings, for 24 random models, product and joint in turn."""
    rows = []
    for seed in range(24):
        mdp = random_model(Random(seed), product=seed % 2 == 0)
        model = float_model(mdp, own_unit(mdp))
        rows.append({"backward": backward(model), "forward": forward(model)})
    return rows
