r"""Planning inside the learner: the mean, the budget and the utility recursion in a model with missing mass.

The arrays are those of :mod:`.learn_data`.  Row S of a table, the worth of missing mass, is

=========== =================================================================================================
LARGEST     :math:`s_\infty` of the paper: pays the most at every step
BEST        the best row of all states: :math:`\max_s \hat V_t(s, y)`, never worth more than :math:`s_\infty`
WORST       the worst row of all states: for lower bounds
=========== =================================================================================================

A pair whose possible outcomes are known gives its missing mass to the best (worst) of these instead.

Ties: an action replaces the best one so far only if it is better by more than ``tie``; hence rounding does not decide.
"""

from __future__ import annotations

from .jit import view_kernel as kernel
from .learn_bets import bet_above
from .learn_data import (
    BEST,
    LARGEST,
    WORST,
    Actions,
    Backup,
    Branch,
    Floats,
    Ints,
    Known,
    Model,
    Sets,
    Shape,
    Tables,
    Target,
)  # fmt: skip
from .learn_rows import budget_of_pair, fill_ends
from .learn_sets import threshold_of


@kernel
def branch_of(p: int, shape: Shape, model: Model, known: Known) -> Branch:
    """Return the rows of pair p."""
    own = 0 if shape.joint else model.reward.shape[1]
    return Branch(
        model.state[p], model.atom[p], model.prob[p], model.length[p], model.miss[p], known.state[p], known.atom[p],
        known.length[p], model.reward[p, :own],
    )  # fmt: skip


@kernel
def mean_of_pair(branch: Branch, after: Floats, units: Ints, most: bool) -> float:
    """Return the expected reward and remaining return of a pair; ``after`` are the means of the next step.

    The missing mass of a list goes to the best outcome of the list, or to the worst if ``most`` is False.
    """
    total = 0.0
    if branch.reward.shape[0] == 0:
        for j in range(branch.length):
            total += branch.prob[j] * (units[branch.atom[j]] + after[branch.state[j]])
    else:  # outcomes pay nothing
        for j in range(branch.length):
            total += branch.prob[j] * after[branch.state[j]]
    if branch.miss > 0.0 and branch.listed > 0:
        best = 0.0
        for j in range(branch.listed):
            here = units[branch.listed_atom[j]] + after[branch.listed_state[j]]
            if j == 0 or (here > best) == most:
                best = here
        total += branch.miss * best
    for i in range(branch.reward.shape[0]):
        total += branch.reward[i] * units[i]
    return total


@kernel
def mean_beyond(t: int, shape: Shape, tables: Tables, beyond: int) -> bool:
    """Set row S of the means; True if it changed."""
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
    changed: bool = tables.mean[t, n] != best
    tables.mean[t, n] = best
    return changed


@kernel
def least_with_bets(
    p: int, total: float, shape: Shape, sets: Sets, after: Floats, units: Ints, target: Target, scratch: Floats
) -> float:
    """Return the least upper bound on the expected reward and remaining return of a pair that was tried: ``total``, or
    what bets on it allow.

    A reward of its own has a bet of its own, unless its law is known; the lesser bound counts for each of the two.
    """
    counts, known = sets.counts, sets.known
    visits, seen, atoms = counts.visits[p], counts.length[p], units.shape[0]
    threshold = threshold_of(visits, target.log_term, target.scale)
    most = after[shape.first.shape[0] - 1] + (units[atoms - 1] if shape.joint else 0.0)
    for j in range(known.length[p]):
        here = units[known.atom[p, j]] + after[known.state[p, j]]
        most = here if j == 0 else max(most, here)
    for j in range(seen):
        scratch[j] = units[counts.atom[p, j]] + after[counts.state[p, j]]
    bound = bet_above(counts.count[p], scratch, seen, visits, most, threshold)
    if shape.joint:
        return min(total, bound)
    paid = 0.0
    for i in range(atoms):
        paid += sets.model.reward[p, i] * units[i]
        scratch[i] = units[i]
    bound = min(total - paid, bound)
    if known.rewards == 0:
        paid = min(paid, bet_above(counts.reward[p], scratch, atoms, visits, scratch[atoms - 1], threshold))
    return bound + paid


@kernel
def mean_pass(shape: Shape, sets: Sets, tables: Tables, target: Target, beyond: int) -> None:
    """Compute ``V_t(s) = max_a { E R + E V_{t+1}(S') }`` and its actions."""
    model, known, tie = sets.model, sets.known, target.tie
    horizon = shape.units.shape[0]
    tables.mean[horizon, :] = 0.0
    for t in range(horizon - 1, -1, -1):
        units, after = shape.units[t], tables.mean[t + 1]
        for s in range(shape.first.shape[0] - 1):
            best, choice = -1.0, 0
            for p in range(shape.first[s], shape.first[s + 1]):
                total = mean_of_pair(branch_of(p, shape, model, known), after, units, beyond != WORST)
                if target.bets and sets.counts.visits[p] > 0 and not known.fixed[p]:
                    total = least_with_bets(p, total, shape, sets, after, units, target, tables.spare)
                if p == shape.first[s] or total > best + tie:
                    best, choice = total, p - shape.first[s]
            tables.mean[t, s] = best
            tables.by_mean[t, s] = choice
        mean_beyond(t, shape, tables, beyond)


@kernel
def row_is_stale(t: int, s: int, shape: Shape, sets: Sets, tables: Tables) -> bool:
    """Return whether a pair of state s is stale, or one of its successors' rows moved."""
    model, known = sets.model, sets.known
    for p in range(shape.first[s], shape.first[s + 1]):
        if sets.stale[p]:
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
def budget_beyond(t: int, shape: Shape, tables: Tables, backup: Backup) -> None:
    """Set row S of the costs, and whether it moved."""
    n, pad = shape.first.shape[0] - 1, shape.pad
    now, beyond, everything = shape.top[t], backup.beyond, backup.everything
    moved = mean_beyond(t, shape, tables, beyond) or everything
    row = tables.cost[t, n]
    if beyond == LARGEST:
        if everything:
            for b in range(1, now + 1):
                row[pad + b] = backup.left * (b - now)
            fill_ends(row, pad, now, float(now), backup)
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
def budget_pass(shape: Shape, sets: Sets, tables: Tables, backup: Backup) -> None:
    r"""Compute ``W_t(s, b) = min_a E W_{t+1}(S', b - R)`` for ``1 <= b <= top[t]``, and the mean recursion beside it.

    Outside the window only the mean is left to decide: ``W = left * (b - V)`` below, ``right * (b - V) + ceiling``
    above.

    Unless ``backup.everything``, only rows that can have changed are computed: those with a stale pair, or with a
    successor whose row moved.  All others would be computed from the same numbers in the same order, so the result is
    the same to the last bit.
    """
    horizon = shape.units.shape[0]
    if backup.everything:
        tables.mean[horizon, :] = 0.0
        for s in range(shape.first.shape[0]):
            fill_ends(tables.cost[horizon, s], shape.pad, 0, 0.0, backup)
    for t in range(horizon - 1, -1, -1):
        budget_step(t, shape, sets, tables, backup)
        budget_beyond(t, shape, tables, backup)


@kernel
def budget_step(t: int, shape: Shape, sets: Sets, tables: Tables, backup: Backup) -> None:
    """Compute step t of the pass for all states."""
    units, now, pad = shape.units[t], shape.top[t], shape.pad
    rows, after, most = tables.cost[t + 1], tables.mean[t + 1], backup.beyond != WORST
    for s in range(shape.first.shape[0] - 1):
        if not backup.everything and not row_is_stale(t, s, shape, sets, tables):
            tables.moved[t, s] = False
            continue
        start, stop = shape.first[s], shape.first[s + 1]
        best_mean, mean_choice = -1.0, 0
        for p in range(start, stop):
            branch = branch_of(p, shape, sets.model, sets.known)
            budget_of_pair(branch, rows, units, pad, now, backup, tables, tables.actions[p - start])
            here = mean_of_pair(branch, after, units, most)
            if p == start or here > best_mean + backup.tie / max(backup.right, 1.0):  # a mean costs ``right`` times it
                best_mean, mean_choice = here, p - start
        moved = backup.everything or tables.mean[t, s] != best_mean
        tables.mean[t, s] = best_mean
        tables.by_mean[t, s] = mean_choice
        row, choice = tables.cost[t, s, pad + 1 : pad + now + 1], tables.by_budget[t, s, 1 : now + 1]
        if choose(tables.actions, tables.mixed, stop - start, row, choice, now, backup.tie):
            moved = True
        if moved:
            fill_ends(tables.cost[t, s], pad, now, best_mean, backup)
        tables.moved[t, s] = moved


@kernel
def choose(actions: Floats, mark: Floats, count: int, row: Floats, choice: Actions, now: int, tie: float) -> bool:
    """Write the least of the actions' rows and its action; True if the row of costs changed.

    Actions are floats in ``mark`` until the end: selections of one type become vector instructions.
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
def initial_cost(shape: Shape, tables: Tables, b: int) -> float:
    """Return ``E_D W_0(S, b)`` for ``0 <= b <= top[0]``."""
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        total += shape.initial_prob[i] * tables.cost[0, shape.initial_state[i], shape.pad + b]
    return total


@kernel
def mean_of_start(shape: Shape, tables: Tables) -> float:
    """Return ``E_D V_0(S)``."""
    total = 0.0
    for i in range(shape.initial_state.shape[0]):
        total += shape.initial_prob[i] * tables.mean[0, shape.initial_state[i]]
    return total


@kernel
def set_policy_of_budget(shape: Shape, tables: Tables, rho: int) -> bool:
    """Set the y-policy that plays ``W_t(s, rho - y)``; True if it differs from the one before."""
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
def fill_actions(row: Actions, action: int) -> int:
    """Set all entries of the row; return how many that changes."""
    different = 0
    for y in range(row.shape[0]):
        different += row[y] != action
        row[y] = action
    return different


@kernel
def set_markov_policy(shape: Shape, tables: Tables) -> bool:
    """Set the policy ``by_mean`` for every return so far; True if it differs from the one before."""
    changed = False
    for t in range(shape.units.shape[0]):
        for s in range(shape.first.shape[0] - 1):
            if tables.policy[t, s, 0] != tables.by_mean[t, s]:
                tables.policy[t, s, 0] = tables.by_mean[t, s]
                changed = True
    return changed
