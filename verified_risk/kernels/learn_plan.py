r"""Planning inside the learner: the mean, the budget and the utility recursion in a model with missing mass.

The arrays are those of :mod:`.learn_data`.  Row S of a table, the worth of missing mass, is

=========== =================================================================================================
LARGEST     :math:`s_\infty` of the paper: pays the most at every step
BEST        the best row of all states: :math:`\max_s \hat V_t(s, y)`, never worth more than :math:`s_\infty`
WORST       the worst row of all states: for lower bounds
=========== =================================================================================================

A pair whose possible outcomes are known gives its missing mass to the best (worst) of these instead.

Ties: an action replaces the best one so far only if it is better by more than ``tie``; hence rounding does not decide.

Bets (:func:`bet_above`) bound the mean of one function (theory, page 10, kl-bets).  A pair was tried N times,
``count[j]`` times with outcome j.  For a function f that was fixed before the data, and every
:math:`\eta \ge \max f`,

.. math:: \mathbf E f \le \eta - e^{-\lambda_N / N} \prod_j (\eta - f_j)^{\mathrm{count}_j / N},

with the :math:`\lambda_N` of KL sets.  The right side grows with f: what is true of the unknown values of the best
policy is true of every table above them.

A row of a table holds values at neighbouring budgets (or returns), one per unit.  Loops over rows run over slices of
one length, so that they become vector instructions.

Planning for a general G ends the file: the utility recursion, the law of a policy, and the objective of a law.
"""

from __future__ import annotations

import math

import numpy as np

from . import learn_data as data
from .jit import view_kernel as kernel
from .learn_data import Actions, Backup, Branch, Floats, Ints, Known, Model, Sets, Shape, Tables, Target
from .learn_sets import threshold_of

MOST_STEPS = 12  # of Newton's method; every eta gives a valid bound
ROUNDING = 2.0**-50  # outweighs the roundings of one term


@kernel
def bet_above(count: Ints, worth: Floats, outcomes: int, visits: int, most: float, threshold: float) -> float:
    """Return a float at least the mean of a function; ``most`` is its largest value at outcomes that can occur.

    ``count`` and ``worth`` list how often ``outcomes`` outcomes were seen in ``visits`` visits, and the function there.
    """
    rate = threshold / visits
    mean, square = 0.0, 0.0
    for j in range(outcomes):
        short = most - worth[j]
        mean += count[j] * short
        square += count[j] * short * short
    mean /= visits
    spread = max(square / visits - mean * mean, 0.0)
    best = least_above(count, worth, outcomes, visits, most, rate, 0.0)
    room = max(math.sqrt(spread / (2.0 * rate)) - mean, 1e-3 * mean)
    for _ in range(MOST_STEPS if mean > 0.0 else 0):
        if not room > 0.0:
            break
        logs, inverse, squares = 0.0, 0.0, 0.0
        for j in range(outcomes):
            short = room + (most - worth[j])
            logs += count[j] * math.log(short)
            inverse += count[j] / short
            squares += count[j] / (short * short)
        logs, inverse, squares = logs / visits, inverse / visits, squares / visits
        # the best eta has log GM + log 1/HM = rate; in 1/sqrt of the left side Newton's method is nearly exact
        excess = logs + math.log(inverse)
        slope = inverse - squares / inverse
        if not (excess > 0.0 and slope < 0.0):
            break
        step = 2.0 * excess * (1.0 - math.sqrt(excess / rate)) / slope
        room = max(room + step, 0.125 * room)
        if abs(step) <= 1e-3 * room:
            break
    return min(best, least_above(count, worth, outcomes, visits, most, rate, room))


@kernel
def least_above(count: Ints, worth: Floats, outcomes: int, visits: int, most: float, rate: float, room: float) -> float:
    """Return the bound for ``eta = most + room``, rounded up, and at most ``most``."""
    logs, size = 0.0, 0.0
    for j in range(outcomes):
        short = room + (most - worth[j])
        if not short > 0.0:
            return most
        here = count[j] * math.log(short)
        logs += here
        size += abs(here)
    left = math.exp(logs / visits - rate) * (1.0 - (size / visits + rate + 1.0) * (outcomes + 8) * ROUNDING)
    return min(most, most + (room - max(left, 0.0)) + (abs(most) + room + left) * ROUNDING)


@kernel
def add_rows(branch: Branch, rows: Floats, start: int, width: int, out: Floats) -> None:
    """``out[:width] += sum_j prob[j] * rows[state[j], start : start + width]``, seven rows in one sweep."""
    state, prob, n = branch.state, branch.prob, branch.length
    x = out[:width]
    j = 0
    while j + 7 <= n:
        v0 = rows[state[j], start : start + width]
        v1 = rows[state[j + 1], start : start + width]
        v2 = rows[state[j + 2], start : start + width]
        v3 = rows[state[j + 3], start : start + width]
        v4 = rows[state[j + 4], start : start + width]
        v5 = rows[state[j + 5], start : start + width]
        v6 = rows[state[j + 6], start : start + width]
        p0, p1, p2, p3 = prob[j], prob[j + 1], prob[j + 2], prob[j + 3]
        p4, p5, p6 = prob[j + 4], prob[j + 5], prob[j + 6]
        for b in range(width):
            x[b] += (p0 * v0[b] + p1 * v1[b] + p2 * v2[b]) + (p3 * v3[b] + p4 * v4[b] + p5 * v5[b] + p6 * v6[b])
        j += 7
    while j + 3 <= n:
        v0 = rows[state[j], start : start + width]
        v1 = rows[state[j + 1], start : start + width]
        v2 = rows[state[j + 2], start : start + width]
        p0, p1, p2 = prob[j], prob[j + 1], prob[j + 2]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b]
        j += 3
    while j < n:
        v0 = rows[state[j], start : start + width]
        p0 = prob[j]
        for b in range(width):
            x[b] += p0 * v0[b]
        j += 1


@kernel
def add_shifted_rows(
    branch: Branch, rows: Floats, units: Ints, origin: int, sign: int, width: int, out: Floats
) -> None:
    """``out[:width] += sum_j prob[j] * rows[state[j], origin + sign * units[atom[j]] :]``."""
    x = out[:width]
    for j in range(branch.length):
        start = origin + sign * units[branch.atom[j]]
        v = rows[branch.state[j], start : start + width]
        q = branch.prob[j]
        for b in range(width):
            x[b] += q * v[b]


@kernel
def add_shifts(row: Floats, units: Ints, prob: Floats, origin: int, sign: int, width: int, out: Floats) -> None:
    """``out[:width] = sum_i prob[i] * row[origin + sign * units[i] :]``."""
    x = out[:width]
    for b in range(width):
        x[b] = 0.0
    i = 0
    last = units.shape[0]
    while i < last and prob[i] == 0.0:
        i += 1
    while i + 4 <= last:
        c0, c1 = origin + sign * units[i], origin + sign * units[i + 1]
        c2, c3 = origin + sign * units[i + 2], origin + sign * units[i + 3]
        v0, v1 = row[c0 : c0 + width], row[c1 : c1 + width]
        v2, v3 = row[c2 : c2 + width], row[c3 : c3 + width]
        p0, p1, p2, p3 = prob[i], prob[i + 1], prob[i + 2], prob[i + 3]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b] + p3 * v3[b]
        i += 4
    if i + 3 <= last:
        c0, c1, c2 = origin + sign * units[i], origin + sign * units[i + 1], origin + sign * units[i + 2]
        v0, v1, v2 = row[c0 : c0 + width], row[c1 : c1 + width], row[c2 : c2 + width]
        p0, p1, p2 = prob[i], prob[i + 1], prob[i + 2]
        for b in range(width):
            x[b] += p0 * v0[b] + p1 * v1[b] + p2 * v2[b]
        i += 3
    while i < last:
        if prob[i] > 0.0:
            c0 = origin + sign * units[i]
            v0 = row[c0 : c0 + width]
            p0 = prob[i]
            for b in range(width):
                x[b] += p0 * v0[b]
        i += 1


@kernel
def best_of_list(
    branch: Branch, rows: Floats, units: Ints, origin: int, sign: int, width: int, least: bool, out: Floats
) -> None:
    """Write to ``out[:width]`` the least (or the greatest) of the listed outcomes' rows, each shifted by its reward."""
    for j in range(branch.listed):
        c = origin + sign * units[branch.listed_atom[j]]
        v = rows[branch.listed_state[j], c : c + width]
        for b in range(width):
            if j == 0 or (v[b] < out[b]) == least:
                out[b] = v[b]


@kernel
def fill_ends(row: Floats, pad: int, now: int, mean: float, backup: Backup) -> None:
    """Fill a row outside the window ``1 <= b <= now``, where only the mean is left to decide."""
    for b in range(-pad, 1):
        row[pad + b] = backup.left * (b - mean)
    for b in range(now + 1, now + pad + 1):
        row[pad + b] = backup.right * (b - mean) + backup.ceiling


@kernel
def budget_of_pair(
    branch: Branch, rows: Floats, units: Ints, pad: int, now: int, backup: Backup, tables: Tables, out: Floats
) -> None:
    """``out[b - 1] = E W_{t+1}(S', b - R)`` for ``1 <= b <= now``; ``rows`` are those of the next step.

    With a reward of its own the pair's rows are mixed first and then shifted by it; otherwise each outcome shifts its
    own row.  Outside the window of the next step, ``1 <= b <= after``, rows are straight lines with slopes ``left`` and
    ``right``: they are mixed at ``0 <= b <= after + 1`` and prolonged from there (probabilities add up to 1).
    """
    miss, mixed, spare, least = branch.miss, tables.mixed, tables.spare, backup.beyond != data.WORST
    if branch.reward.shape[0] == 0:
        for b in range(now):
            out[b] = 0.0
        add_shifted_rows(branch, rows, units, pad + 1, -1, now, out)
        if miss > 0.0 and branch.listed > 0:
            best_of_list(branch, rows, units, pad + 1, -1, now, least, spare)
            for b in range(now):
                out[b] += miss * spare[b]
        return
    reach = units[units.shape[0] - 1]
    after = now - reach
    row = mixed[reach : reach + after + 2]
    for b in range(after + 2):
        row[b] = 0.0
    add_rows(branch, rows, pad, after + 2, row)
    if miss > 0.0 and branch.listed > 0:
        best_of_list(branch, rows, units, pad, -1, after + 2, least, spare)
        for b in range(after + 2):
            row[b] += miss * spare[b]
    for b in range(reach):
        mixed[b] = row[0] + backup.left * (b - reach)
    for b in range(after + 2, now + 1):
        mixed[reach + b] = row[after + 1] + backup.right * (b - after - 1)
    add_shifts(mixed, units, branch.reward, reach + 1, -1, now, out)


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
    if beyond == data.LARGEST:
        best = float(shape.top[t])
    elif beyond == data.BEST:
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
    threshold = threshold_of(visits, target.bet_term, target.scale)
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
                total = mean_of_pair(branch_of(p, shape, model, known), after, units, beyond != data.WORST)
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
    if beyond == data.LARGEST:
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
        elif beyond == data.BEST:
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
    rows, after, most = tables.cost[t + 1], tables.mean[t + 1], backup.beyond != data.WORST
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
    different = 0
    for t in range(shape.units.shape[0]):
        for s in range(shape.first.shape[0] - 1):
            different += fill_actions(tables.policy[t, s, :1], tables.by_mean[t, s])
    return different > 0


@kernel
def gain_of_pair(branch: Branch, t: int, shape: Shape, tables: Tables, beyond: int, out: Floats) -> None:
    """``out[y] = E V_{t+1}(S', y + R)`` for ``0 <= y <= used[t]``."""
    units, rows, row = shape.units[t], tables.gain[t + 1], tables.mixed
    now = shape.used[t] + 1
    width = now if shape.joint else shape.used[t + 1] + 1
    for y in range(width):
        row[y] = 0.0
    add_shifted_rows(branch, rows, units, 0, 1, width, row)
    if branch.miss > 0.0 and branch.listed > 0:
        best_of_list(branch, rows, units, 0, 1, width, beyond == data.WORST, tables.spare)
        for y in range(width):
            row[y] += branch.miss * tables.spare[y]
    if shape.joint:
        for y in range(width):
            out[y] = row[y]
    else:
        add_shifts(row, units, branch.reward, 0, 1, now, out)


@kernel
def gain_beyond(t: int, shape: Shape, tables: Tables, utility: Floats, beyond: int) -> None:
    """Set row S of the gains, and the state it comes from."""
    n = shape.first.shape[0] - 1
    for y in range(shape.used[t] + 1):
        if beyond == data.LARGEST:
            tables.gain[t, n, y] = utility[y + shape.top[t]]
            continue
        best, star = tables.gain[t, 0, y], 0
        for s in range(1, shape.followers):
            here = tables.gain[t, s, y]
            if here != best and (here > best) == (beyond != data.WORST):
                best, star = here, s
        tables.gain[t, n, y] = best
        tables.star[t, y] = star


@kernel
def utility_pass(
    shape: Shape, model: Model, known: Known, tables: Tables, utility: Floats, beyond: int, tie: float
) -> float:
    """Compute ``V_t(s, y) = max_a E V_{t+1}(S', y + R)``, ``V_T(s, z) = utility[z]``, and its policy; return
    ``E_D V_0(S, 0)``."""
    horizon = shape.units.shape[0]
    n = shape.first.shape[0] - 1
    for s in range(n + 1):
        for z in range(shape.top[0] + 1):
            tables.gain[horizon, s, z] = utility[z]
    tables.star[horizon, :] = 0
    for t in range(horizon - 1, -1, -1):
        now = shape.used[t] + 1
        for s in range(n):
            start = shape.first[s]
            count = shape.first[s + 1] - start
            for a in range(count):
                branch = branch_of(start + a, shape, model, known)
                gain_of_pair(branch, t, shape, tables, beyond, tables.actions[a])
            for y in range(now):
                best, action = tables.actions[0, y], 0
                for a in range(1, count):
                    if tables.actions[a, y] > best + tie:
                        best, action = tables.actions[a, y], a
                tables.gain[t, s, y] = best
                tables.policy[t, s, y] = action
        gain_beyond(t, shape, tables, utility, beyond)
    value = 0.0
    for i in range(shape.initial_state.shape[0]):
        value += shape.initial_prob[i] * tables.gain[0, shape.initial_state[i], 0]
    return value


@kernel
def pass_mass_on(
    branch: Branch, t: int, shape: Shape, tables: Tables, beyond: int, v: Floats, there: Floats, law: Floats
) -> None:
    """Move the mass ``v[z]`` of a pair, rewards of its own already paid, to the next states."""
    n = shape.first.shape[0] - 1
    units = shape.units[t]
    reach = (shape.used[t] if shape.joint else shape.used[t + 1]) + 1
    for j in range(branch.length):
        q, state, shift = branch.prob[j], branch.state[j], units[branch.atom[j]]
        for z in range(reach):
            if v[z] == 0.0:
                continue
            if state < n:
                there[state, z + shift] += q * v[z]
            elif beyond == data.LARGEST:
                law[z + shift + shape.top[t + 1]] += q * v[z]
            else:
                there[tables.star[t + 1, z + shift], z + shift] += q * v[z]
    if branch.miss > 0.0 and branch.listed > 0:
        for z in range(reach):
            if v[z] > 0.0:
                best, choice = 0.0, 0
                for j in range(branch.listed):
                    here = tables.gain[t + 1, branch.listed_state[j], z + units[branch.listed_atom[j]]]
                    if j == 0 or (here > best) == (beyond != data.WORST):
                        best, choice = here, j
                there[branch.listed_state[choice], z + units[branch.listed_atom[choice]]] += branch.miss * v[z]


@kernel
def forward_law(
    shape: Shape, model: Model, known: Known, tables: Tables, policy: Actions, beyond: int, law: Floats
) -> None:
    """Compute the law of the return of a policy, in units: transitions after rewards, all terms nonnegative.

    Missing mass goes where row S of the gains comes from; a model without missing mass needs no gains.
    """
    horizon, atoms = shape.units.shape
    n = shape.first.shape[0] - 1
    last = policy.shape[2] - 1
    mass, v = tables.mass, tables.mixed
    mass[:] = 0.0
    law[:] = 0.0
    for i in range(shape.initial_state.shape[0]):
        mass[0, shape.initial_state[i], 0] += shape.initial_prob[i]
    for t in range(horizon):
        here, there = mass[t % 2], mass[(t + 1) % 2]
        now, after = shape.used[t] + 1, shape.used[t + 1] + 1
        there[:, :after] = 0.0
        for s in range(n):
            start = shape.first[s]
            for a in range(shape.first[s + 1] - start):
                p = start + a
                met = False
                for y in range(now):
                    if here[s, y] > 0.0 and policy[t, s, min(y, last)] == a:
                        if not met:
                            met = True
                            for z in range(after):
                                v[z] = 0.0
                        if shape.joint:
                            v[y] += here[s, y]
                        else:
                            for i in range(atoms):
                                v[y + shape.units[t, i]] += here[s, y] * model.reward[p, i]
                if met:
                    pass_mass_on(branch_of(p, shape, model, known), t, shape, tables, beyond, v, there, law)
    here = mass[horizon % 2]
    for s in range(n):
        for z in range(law.shape[0]):
            law[z] += here[s, z]


@kernel
def objective_of_law(law: Floats, target: Target, slopes: Floats) -> float:
    """Return ``top - sum_i G(F_i)``; write ``G'(F_i)`` to ``slopes[i]``, to the right of a corner except at 1."""
    value, level, last = 0.0, 0.0, target.slopes.shape[0]
    for i in range(law.shape[0] - 1):
        level = min(level + law[i], 1.0)
        j = min(np.searchsorted(target.knots, level, side="right"), last) - 1
        slopes[i] = target.slopes[j]
        value += 1.0 - (target.heights[j] + target.slopes[j] * (level - target.knots[j]))
    return value
