r"""Planning inside the learner: the mean, the budget and the utility recursion in a model with missing mass.

Pair ``p`` (a state and one of its actions) has outcomes ``(state[p, j], atom[p, j])`` with probabilities ``prob``, and
beside them an independent reward with law ``reward[p]`` (product models) or none (joint models).  Atom ``i`` at step
``t`` is worth ``units[t, i]``; ``top[t]`` is the most that steps ``t..T-1`` can pay, ``used[t]`` the most that steps
``0..t-1`` can.

State ``S``, one beyond the last, stands for the missing mass.  Its row is

=========== =================================================================================================
LARGEST     :math:`s_\infty` of the paper: pays the most at every step
BEST        the best row of all states: :math:`\max_s \hat V_t(s, y)`, never worth more than :math:`s_\infty`
WORST       the worst row of all states: for lower bounds
=========== =================================================================================================

A pair whose possible outcomes are known gives its missing mass to the best (worst) of these instead.

Ties: an action replaces the best one so far only if it is better by more than ``tie``; hence rounding does not decide.
"""

# mypy: allow-untyped-calls, allow-untyped-defs, disable-error-code="no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

from .jit import view_kernel as kernel
from .learn_rows import budget_of_pair, fill_ends

LARGEST, BEST, WORST = range(3)


class Shape(NamedTuple):
    first: Any  # pairs of state s are first[s] .. first[s + 1]
    units: Any
    top: Any
    used: Any
    initial_state: Any
    initial_prob: Any
    joint: Any  # rewards belong to outcomes
    largest: Any  # no return exceeds this, in units
    pad: Any  # the most that one step can pay, in units
    followers: Any  # states 0 .. followers - 1 can follow; one before a random start never does


class Tables(NamedTuple):
    cost: Any  # W_t(s, b) at [t, s, pad + b]; rows reach pad beyond both ends of the window 1 <= b <= top[t]
    mean: Any  # the best expected remaining return
    by_budget: Any  # the action of W_t(s, b) at [t, s, b]
    by_mean: Any
    moved: Any  # whether row (t, s) changed in the last pass
    policy: Any  # the action at (t, s, y), y in units; one column if y does not matter
    gain: Any  # V_t(s, y) of the utility recursion
    star: Any  # the state that row S of gain comes from
    mixed: Any  # scratch: one row
    spare: Any  # scratch: one row
    actions: Any  # scratch: one row per action
    mass: Any  # scratch: two levels of a forward pass


@kernel
def mean_of_pair(after, units, state, atom, prob, n, miss, listed, listed_atom, listed_n, reward, most):
    """Expected reward and remaining return of a pair; ``after`` are the means of the next step.

    The missing mass is not in the outcomes only where a list says which can occur; ``reward`` may be empty.
    """
    total = 0.0
    if reward.shape[0] == 0:
        for j in range(n):
            total += prob[j] * (units[atom[j]] + after[state[j]])
    else:  # outcomes pay nothing
        for j in range(n):
            total += prob[j] * after[state[j]]
    if miss > 0.0 and listed_n > 0:
        best = 0.0
        for j in range(listed_n):
            here = units[listed_atom[j]] + after[listed[j]]
            if j == 0 or (here > best) == most:
                best = here
        total += miss * best
    for i in range(reward.shape[0]):
        total += reward[i] * units[i]
    return total


@kernel
def mean_beyond(t, shape, tables, beyond):
    """Row S of the means."""
    n = shape.first.shape[0] - 1
    best = tables.mean[t, 0]
    if beyond == LARGEST:
        best = float(shape.top[t])
    elif beyond == BEST:
        for s in range(1, shape.followers):
            best = max(best, tables.mean[t, s])
    else:
        for s in range(1, shape.followers):
            best = min(best, tables.mean[t, s])
    changed = tables.mean[t, n] != best
    tables.mean[t, n] = best
    return changed


@kernel
def mean_pass(shape, model, known, reward, tables, beyond, tie):
    """``V_t(s) = max_a { E R + E V_{t+1}(S') }`` and its actions."""
    horizon = shape.units.shape[0]
    n = shape.first.shape[0] - 1
    own = 0 if shape.joint else reward.shape[1]
    tables.mean[horizon, :] = 0.0
    for t in range(horizon - 1, -1, -1):
        units, after = shape.units[t], tables.mean[t + 1]
        for s in range(n):
            best, choice = -1.0, 0
            for p in range(shape.first[s], shape.first[s + 1]):
                total = mean_of_pair(
                    after, units, model.state[p], model.atom[p], model.prob[p], model.length[p], model.miss[p],
                    known.state[p], known.atom[p], known.length[p], reward[p, :own], beyond != WORST,
                )  # fmt: skip
                if p == shape.first[s] or total > best + tie:
                    best, choice = total, p - shape.first[s]
            tables.mean[t, s] = best
            tables.by_mean[t, s] = choice
        mean_beyond(t, shape, tables, beyond)


@kernel
def row_is_stale(t, s, shape, model, known, tables, stale):
    for p in range(shape.first[s], shape.first[s + 1]):
        if stale[p]:
            return True
        for j in range(model.length[p]):
            if tables.moved[t + 1, model.state[p, j]]:
                return True
        if model.miss[p] > 0.0:
            for j in range(known.length[p]):
                if tables.moved[t + 1, known.state[p, j]]:
                    return True
    return False


@kernel
def budget_beyond(t, shape, tables, pad, left, right, ceiling, beyond, everything):
    """Row S of the costs and whether it moved."""
    n = shape.first.shape[0] - 1
    now = shape.top[t]
    moved = mean_beyond(t, shape, tables, beyond) or everything
    row = tables.cost[t, n]
    if beyond == LARGEST:
        if everything:
            for b in range(1, now + 1):
                row[pad + b] = left * (b - now)
            fill_ends(row, pad, now, float(now), left, right, ceiling)
        tables.moved[t, n] = everything
        return
    x = tables.spare[: now + 2 * pad]
    any_moved = everything
    for s in range(shape.followers):
        any_moved = any_moved or tables.moved[t, s]
    if not any_moved:
        tables.moved[t, n] = False
        return
    for s in range(shape.followers):
        v = tables.cost[t, s, 1 : 1 + now + 2 * pad]
        if s == 0:
            for b in range(now + 2 * pad):
                x[b] = v[b]
        elif beyond == BEST:
            for b in range(now + 2 * pad):
                x[b] = min(x[b], v[b])
        else:
            for b in range(now + 2 * pad):
                x[b] = max(x[b], v[b])
    y = row[1 : 1 + now + 2 * pad]
    different = 0
    for b in range(now + 2 * pad):
        different += x[b] != y[b]
        y[b] = x[b]
    tables.moved[t, n] = moved or different > 0


@kernel
def budget_pass(shape, model, known, reward, tables, left, right, ceiling, beyond, tie, stale, everything):
    r"""``W_t(s, b) = min_a E W_{t+1}(S', b - R)`` for ``1 <= b <= top[t]``, and the mean recursion beside it.

    The terminal cost is ``left * b`` for ``b <= 0`` and ``right * b + ceiling`` for ``b > 0``.  Outside the window
    nothing is left to decide but the mean: ``W = left * (b - V)`` below, ``right * (b - V) + ceiling`` above.

    Only rows that can have changed are computed: those with a stale pair, or with a successor whose row moved.  All
    others would be computed from the same numbers in the same order, so the result is the same to the last bit.
    """
    horizon = shape.units.shape[0]
    pad = shape.pad
    if everything:
        tables.mean[horizon, :] = 0.0
        for s in range(shape.first.shape[0]):
            fill_ends(tables.cost[horizon, s], pad, 0, 0.0, left, right, ceiling)
    for t in range(horizon - 1, -1, -1):
        budget_step(t, pad, shape, model, known, reward, tables, left, right, ceiling, beyond, tie, stale, everything)
        budget_beyond(t, shape, tables, pad, left, right, ceiling, beyond, everything)


@kernel
def budget_step(t, pad, shape, model, known, reward, tables, left, right, ceiling, beyond, tie, stale, everything):
    """One step of the pass, for all states."""
    units, now = shape.units[t], shape.top[t]
    rows, after = tables.cost[t + 1], tables.mean[t + 1]
    own = 0 if shape.joint else reward.shape[1]
    for s in range(shape.first.shape[0] - 1):
        if not everything and not row_is_stale(t, s, shape, model, known, tables, stale):
            tables.moved[t, s] = False
            continue
        start, stop = shape.first[s], shape.first[s + 1]
        best_mean, mean_choice = -1.0, 0
        for p in range(start, stop):
            state, atom, prob, n, miss = model.state[p], model.atom[p], model.prob[p], model.length[p], model.miss[p]
            listed, listed_atom, listed_n = known.state[p], known.atom[p], known.length[p]
            budget_of_pair(
                rows, units, state, atom, prob, n, miss, listed, listed_atom, listed_n, reward[p, :own], pad, now,
                left, right, beyond != WORST, tables.mixed, tables.spare, tables.actions[p - start],
            )  # fmt: skip
            here = mean_of_pair(
                after, units, state, atom, prob, n, miss, listed, listed_atom, listed_n, reward[p, :own],
                beyond != WORST,
            )  # fmt: skip
            if p == start or here > best_mean + tie / max(right, 1.0):  # means count ``right`` times in costs
                best_mean, mean_choice = here, p - start
        moved = everything or tables.mean[t, s] != best_mean
        tables.mean[t, s] = best_mean
        tables.by_mean[t, s] = mean_choice
        row, choice = tables.cost[t, s, pad + 1 : pad + now + 1], tables.by_budget[t, s, 1 : now + 1]
        if choose(tables.actions, tables.mixed, stop - start, row, choice, now, tie):
            moved = True
        if moved:
            fill_ends(tables.cost[t, s], pad, now, best_mean, left, right, ceiling)
        tables.moved[t, s] = moved


@kernel
def choose(actions, mark, count, row, choice, now, tie):
    """The least of the actions' rows, with its action; True if the row of costs changed.

    Actions are kept as floats in ``mark`` until the end: selections of one type become vector instructions.
    """
    best, chosen = actions[0, :now], mark[:now]
    for b in range(now):
        chosen[b] = 0.0
    for a in range(1, count):
        other, name = actions[a, :now], float(a)
        for b in range(now):
            better = other[b] < best[b] - tie
            best[b] = other[b] if better else best[b]
            chosen[b] = name if better else chosen[b]
    different = 0
    for b in range(now):
        different += row[b] != best[b]
        row[b] = best[b]
    for b in range(now):
        choice[b] = int(chosen[b])
    return different > 0


@kernel
def initial_cost(shape, tables, b):
    """``E_D W_0(S, b)`` for ``0 <= b <= top[0]``."""
    pad = shape.pad
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        total += shape.initial_prob[i] * tables.cost[0, shape.initial_state[i], pad + b]
    return total


@kernel
def mean_of_start(shape, tables):
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        total += shape.initial_prob[i] * tables.mean[0, shape.initial_state[i]]
    return total


@kernel
def set_policy_of_budget(shape, tables, rho):
    """The y-policy that plays ``W_t(s, rho - y)``; True if it differs from the one before."""
    different = 0
    for t in range(shape.units.shape[0]):
        end = shape.used[t] + 1
        first = min(max(rho - shape.top[t], 0), end)  # budgets above the window, inside it, below it
        last = min(max(rho, first), end)
        for s in range(shape.first.shape[0] - 1):
            beyond = tables.by_mean[t, s]
            different += fill_actions(tables.policy[t, s, :first], beyond)
            different += fill_actions(tables.policy[t, s, last:end], beyond)
            inside, row = tables.by_budget[t, s, rho - last + 1 : rho - first + 1], tables.policy[t, s, first:last]
            for i in range(last - first):
                action = inside[last - first - 1 - i]
                different += row[i] != action
                row[i] = action
    return different > 0


@kernel
def fill_actions(row, action):
    """Play ``action`` all along the row; how many entries that changes."""
    different = 0
    for y in range(row.shape[0]):
        different += row[y] != action
        row[y] = action
    return different


@kernel
def set_markov_policy(shape, tables):
    """Play ``by_mean`` whatever the return so far; True if that differs from the policy before."""
    changed = False
    for t in range(shape.units.shape[0]):
        for s in range(shape.first.shape[0] - 1):
            if tables.policy[t, s, 0] != tables.by_mean[t, s]:
                tables.policy[t, s, 0] = tables.by_mean[t, s]
                changed = True
    return changed
