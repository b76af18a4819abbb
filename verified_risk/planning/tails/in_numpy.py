r"""One step of the budget recursion as operations on whole arrays, for models too small to compile for.

``product_step`` and ``joint_step`` take the arguments of :mod:`verified_risk.kernels.budget_pass` and return the same
bits: every sum is taken in the same order, and numpy, like the kernels, rounds each product and each sum separately.
Actions with equally many terms are summed side by side.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...grid.compiled import Floats, Ints

Term = Callable[[int], Floats]
"""``term(j)`` is the j-th product of every action of a class, as rows."""


def product_step(
    s_first, s_last, low, high, margin, span,
    action_start, succ_start, succ_state, succ_prob, reward_start, reward_units, reward_prob, extra,
    after, column, now, _u, _q, policy,
):  # fmt: skip
    """Compute budgets ``low..high`` of states ``s_first <= s < s_last``: transitions first, then rewards."""
    i, last = int(action_start[s_first]), int(action_start[s_last])
    start = max(low - span, 0)
    mixed = np.empty((last - i, high - start + 1))
    columns = slice(column, column + mixed.shape[1])
    for rows, first, count in _classes(succ_start, i, last):

        def successor(j: int, first: Ints = first) -> Floats:
            return np.asarray(succ_prob[first + j, None] * after[succ_state[first + j], columns])

        mixed[rows] = _mixed(successor, count)
    budgets = np.arange(low, high + 1)
    total = np.empty((last - i, len(budgets)))
    for rows, first, count in _classes(reward_start, i, last):

        def term(k: int, first: Ints = first, rows: Ints = rows) -> Floats:
            met = np.maximum(budgets - reward_units[first + k, None], 0) - start  # budgets below 0 equal budget 0
            return np.asarray(reward_prob[first + k, None] * mixed[rows[:, None], met])

        total[rows] = _rewarded(extra[i + rows, None], term, count)
    _keep_least(total, action_start[s_first : s_last + 1] - i, now[s_first:s_last, margin + low : margin + high + 1],
                policy[s_first:s_last])  # fmt: skip


def joint_step(
    low, high, margin, action_start, succ_start, succ_state, succ_prob, succ_units, extra, after, now, _q, policy
):
    """Compute budgets ``low..high`` of every state when reward and next state are drawn together."""
    columns = margin + np.arange(low, high + 1)
    total = np.empty((len(succ_start) - 1, len(columns)))
    for rows, first, count in _classes(succ_start, 0, len(total)):

        def term(j: int, first: Ints = first) -> Floats:
            at = first + j
            return np.asarray(succ_prob[at, None] * after[succ_state[at, None], columns - succ_units[at, None]])

        total[rows] = _jointly(extra[rows, None], term, count)
    _keep_least(total, action_start, now[:, margin + low : margin + high + 1], policy)


def _classes(start: Ints, i: int, last: int) -> Iterator[tuple[Ints, Ints, int]]:
    """Group the actions ``i <= action < last`` by their number of entries: yield their numbers from i, their first
    entries, and that number."""
    first, counts = start[i:last], np.diff(start[i : last + 1])
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        yield rows, first[rows], int(count)


def _mixed(term: Term, count: int) -> Floats:
    """Sum in the order of ``kernels.budget.mix_rows``: five at a time, or three, then one by one."""
    j = 5 if count >= 5 else 3 if count >= 3 else 1
    total = _in_a_row(term, 0, j)
    while j + 5 <= count:
        total = total + _in_a_row(term, j, j + 5)
        j += 5
    for k in range(j, count):
        total = total + term(k)
    return total


def _rewarded(extra: Floats, term: Term, count: int) -> Any:
    """Sum in the order of ``kernels.budget.reward_min``: pairs, and at most three at the end."""
    total: Any = extra
    k = 0
    while count - k > 3:
        total = total + _in_a_row(term, k, k + 2)
        k += 2
    return total + _in_a_row(term, k, count)


def _jointly(extra: Floats, term: Term, count: int) -> Any:
    """Sum in the order of ``kernels.budget.joint_step``: four at a time, then one by one."""
    total: Any = extra
    whole = count - count % 4
    for j in range(0, whole, 4):
        total = total + (_in_a_row(term, j, j + 2) + _in_a_row(term, j + 2, j + 4))
    for j in range(whole, count):
        total = total + term(j)
    return total


def _in_a_row(term: Term, first: int, last: int) -> Floats:
    total = term(first)
    for j in range(first + 1, last):
        total = total + term(j)
    return total


def _keep_least(total: Floats, action_start: Ints, now: Floats, policy: Any) -> None:
    """Keep the least row of each state, and its action; ties go to the first."""
    counts = np.diff(action_start)
    now[:] = total[action_start[:-1]]
    policy[:] = 0
    for action in range(1, int(counts.max())):
        states = np.flatnonzero(counts > action)
        here, rows = now[states], total[action_start[states] + action]
        less = rows < here
        now[states] = np.where(less, rows, here)
        chosen = policy[states]
        chosen[less] = action
        policy[states] = chosen
