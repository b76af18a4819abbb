r"""Whole episodes of a learner: count, rebuild the optimistic model, plan, play.

Random numbers are an argument: row ``k`` of ``draws`` drives episode ``k`` (the initial state, then reward and outcome
of each step), so a run depends on its seed and on nothing else.
"""

from __future__ import annotations

import math

from . import learn_data as data
from .jit import view_kernel as kernel
from .learn_data import Actions, Ascent, Backup, Episodes, Floats, Known, Model, Path, Sets, Shape, Tables, Target
from .learn_plan import (
    budget_pass,
    forward_law,
    initial_cost,
    mean_of_start,
    mean_pass,
    objective_of_law,
    set_markov_policy,
    set_policy_of_budget,
    utility_pass,
)  # fmt: skip
from .learn_sets import refresh

MOST_ASCENTS = 40
"""Steps of the ascent from one start.  It ends where it gains nothing; the certified error includes the loss of ending
it earlier."""


@kernel
def ucbvi_pass(shape: Shape, counts: data.Counts, tables: Tables, target: Target) -> None:
    r"""Azar, Osband and Munos 2017 with their Hoeffding bonus :math:`7 H L / \sqrt{N}`; values never exceed H or the
    last ones.

    ``tables.quality`` is kept from episode to episode; the mean reward, known there, is estimated here.
    """
    quality = tables.quality
    horizon, atoms = shape.units.shape
    most = horizon * target.unit_per_reward
    for t in range(horizon - 1, -1, -1):
        for s in range(shape.first.shape[0] - 1):
            best, choice = -1.0, 0
            for p in range(shape.first[s], shape.first[s + 1]):
                visits = counts.visits[p]
                if visits > 0:
                    total = 0.0
                    for i in range(atoms):
                        total += counts.reward[p, i] * shape.units[t, i]
                    for j in range(counts.length[p]):
                        worth = shape.units[t, counts.atom[p, j]] + tables.mean[t + 1, counts.state[p, j]]
                        total += counts.count[p, j] * worth
                    bonus = 7.0 * most * target.log_term * target.scale / math.sqrt(visits)
                    quality[t, p] = min(quality[t, p], total / visits + bonus)
                if p == shape.first[s] or quality[t, p] > best + target.tie:
                    best, choice = quality[t, p], p - shape.first[s]
            tables.mean[t, s] = best
            tables.by_mean[t, s] = choice


@kernel
def best_budget(shape: Shape, tables: Tables, target: Target) -> tuple[int, float]:
    """Return the least rho that maximises ``rho - E_D W_0(S, rho)`` up to ties, and the maximum."""
    rho, best = 0, -initial_cost(shape, tables, 0)
    for b in range(1, min(shape.top[0], int(shape.largest)) + 1):
        score = b - initial_cost(shape, tables, b)
        if score > best + target.tie:
            rho, best = b, score
    return rho, best


@kernel
def best_quantile(shape: Shape, tables: Tables, target: Target) -> int:
    """Return the largest rho that some policy falls short of with probability below the threshold."""
    for b in range(min(shape.top[0], int(shape.largest)), 0, -1):
        if initial_cost(shape, tables, b) < target.threshold:
            return b
    return 0


@kernel
def ascend(
    shape: Shape, model: Model, known: Known, tables: Tables, target: Target, ascent: Ascent, beyond: int
) -> float:
    r"""Local search for general G: repeat ``u' = G'(F)``, the best policy for ``E u(Z)``, its law F.

    Starts: the last utility found, the mean, and three hinges ``min(z, theta)``.  Leaves in ``tables.policy`` the
    greedy policy of the best utility and returns its worth: for concave G the value of the linearisation, a lower
    bound on the objective of that policy (and equal to it at a fixed point); for other G the objective itself.
    """
    top = shape.top[0]
    best = -1.0
    trial = ascent.slopes[1]
    for start in range(5):
        for z in range(top + 1):
            if start == 0:
                trial[z] = ascent.utility[z]
            elif start == 1:
                trial[z] = z
            else:
                trial[z] = min(z, (start - 1) * top / 4.0)
        utility_pass(shape, model, known, tables, trial, beyond, target.tie)
        forward_law(shape, model, known, tables, tables.policy, beyond, ascent.law)
        worth = objective_of_law(ascent.law, target, ascent.slopes[0])
        if not target.concave and worth > best + target.tie:
            best = worth
            keep_row(trial, ascent.best)
        for _ in range(MOST_ASCENTS):
            level, tangent = 0.0, 0.0
            trial[0] = 0.0
            for z in range(top):
                level += ascent.law[z]
                tangent += ascent.slopes[0, z] * (1.0 - min(level, 1.0))
                trial[z + 1] = trial[z] + ascent.slopes[0, z]
            gained = utility_pass(shape, model, known, tables, trial, beyond, target.tie)
            linear = worth + gained - tangent
            forward_law(shape, model, known, tables, tables.policy, beyond, ascent.law)
            reached = objective_of_law(ascent.law, target, ascent.slopes[0])
            found = linear if target.concave else reached
            if found > best + target.tie:
                best = found
                keep_row(trial, ascent.best)
            if reached <= worth + 1e-9 * top:
                break
            worth = reached
    keep_row(ascent.best, ascent.utility)
    utility_pass(shape, model, known, tables, ascent.best, beyond, target.tie)
    return best


@kernel
def curve_bound(shape: Shape, tables: Tables, target: Target) -> float:
    r"""Return a value that no policy exceeds, from one budget pass.

    Concave G: each CVaR level at its own optimum.  Any other: ``top - sum_i G(min P(Z <= i))``, every point of the
    CDF at its own.
    """
    top = shape.top[0]
    if not target.concave:
        total = 0.0
        for i in range(top):
            level = min(max(initial_cost(shape, tables, i + 1), 0.0), 1.0)
            j = 1
            while j < target.knots.shape[0] - 1 and target.knots[j] < level:
                j += 1
            total += 1.0 - (target.heights[j - 1] + target.slopes[j - 1] * (level - target.knots[j - 1]))
        return total
    total = target.mean_weight * mean_of_start(shape, tables)
    for j in range(target.levels.shape[0]):
        best = 0.0
        for b in range(1, top + 1):
            best = max(best, b - initial_cost(shape, tables, b) / target.levels[j])
        total += target.weights[j] * best
    return total


@kernel
def plan_curve(
    shape: Shape, sets: Sets, tables: Tables, target: Target, ascent: Ascent, beyond: int, everything: bool
) -> tuple[float, float]:
    """Plan for a general G; return the value and an upper bound on the best value."""
    right, ceiling = (1.0, 0.0) if target.concave else (0.0, 1.0)
    tie = target.tie if target.concave else target.tie / max(shape.top[0], 1)  # every point of the CDF pays for it
    budget_pass(shape, sets, tables, Backup(0.0, right, ceiling, beyond, tie, everything))
    value = ascend(shape, sets.model, sets.known, tables, target, ascent, beyond)
    return value, curve_bound(shape, tables, target)


@kernel
def plan_once(
    shape: Shape, sets: Sets, tables: Tables, target: Target, beyond: int, everything: bool, budgets: tuple[bool, ...]
) -> tuple[float, bool]:
    """Plan for every other kind of objective; return the value and whether the policy changed.

    ``budgets`` is empty for kinds without tables by budget.  The length of a tuple belongs to its type, so that the
    branch that is not taken is not compiled.
    """
    if len(budgets) == 0:
        if target.kind == data.UCBVI:
            ucbvi_pass(shape, sets.counts, tables, target)
        else:
            mean_pass(shape, sets, tables, target, beyond)
        return mean_of_start(shape, tables), set_markov_policy(shape, tables)
    ceiling = 1.0 if target.kind == data.QUANTILE else 0.0
    budget_pass(shape, sets, tables, Backup(target.left, target.right, ceiling, beyond, target.tie, everything))
    if target.kind == data.QUANTILE:
        rho = best_quantile(shape, tables, target)
        value = float(rho)
    else:
        rho, value = best_budget(shape, tables, target)
    return value, set_policy_of_budget(shape, tables, rho)


@kernel
def first_above(cumulative: Floats, u: float) -> int:
    """Return the first index whose entry exceeds u; the last entry is 1, and u is below it."""
    i = 0
    while u >= cumulative[i]:
        i += 1
    return i


@kernel
def play(shape: Shape, world: data.World, policy: Actions, draws: Floats, path: Path) -> int:
    """Play one episode in the true model into ``path``; return its return in units."""
    truth = world.truth
    s = shape.initial_state[first_above(world.initial, draws[0])]
    path.states[0] = s
    y = 0
    last = policy.shape[2] - 1
    for t in range(shape.units.shape[0]):
        a = policy[t, s, min(y, last)]
        p = shape.first[s] + a
        atom = 0 if shape.joint else first_above(world.reward[p], draws[1 + 2 * t])
        j = first_above(world.outcome[p], draws[2 + 2 * t])
        s = truth.state[p, j]
        y += shape.units[t, atom] + shape.units[t, truth.atom[p, j]]
        path.states[t + 1], path.actions[t], path.rewards[t], path.paid[t] = s, a, atom, truth.atom[p, j]
    return y


@kernel
def count(shape: Shape, sets: Sets, path: Path) -> bool:
    """Count one episode; False if some pair has no room for one more outcome: no step from there on is counted."""
    counts, states, paid = sets.counts, path.states, path.paid
    for t in range(path.actions.shape[0]):
        p = shape.first[states[t]] + path.actions[t]
        j = 0
        while j < counts.length[p] and (counts.state[p, j] != states[t + 1] or counts.atom[p, j] != paid[t]):
            j += 1
        if j == counts.length[p]:
            if j == counts.state.shape[1]:
                return False
            counts.state[p, j], counts.atom[p, j] = states[t + 1], paid[t]
            counts.length[p] += 1
        counts.visits[p] += 1
        counts.count[p, j] += 1
        counts.reward[p, path.rewards[t]] += 1
        sets.touched[p] = True
    return True


@kernel
def width_of(shape: Shape, model: Model, known: Known, path: Path) -> float:
    r"""Return the widths of the sets that an episode met, :math:`\sum_t Y_t`, in units.

    Product: :math:`Y_t = M_{t+1} \mu + w_t \int (F^+ - \hat F)`; joint: :math:`Y_t = M_t \mu`.
    """
    total = 0.0
    for t in range(path.actions.shape[0]):
        p = shape.first[path.states[t]] + path.actions[t]
        if shape.joint:
            total += shape.top[t] * model.miss[p]
            continue
        total += shape.top[t + 1] * model.miss[p]
        if known.rewards == 0:
            gap = 0.0
            for i in range(shape.units.shape[1] - 1):
                gap += model.reward_low[p, i] - model.reward[p, i]
                total += (shape.units[t, i + 1] - shape.units[t, i]) * gap
    return total


@kernel
def keep_row(row: Floats, kept: Floats) -> None:
    """``kept[:] = row``."""
    for z in range(row.shape[0]):
        kept[z] = row[z]


@kernel
def keep(policy: Actions, kept: Actions) -> bool:
    """``kept[:] = policy``, which numba takes seconds to compile (it prepares an error); return if that changes it."""
    changed = False
    for t in range(policy.shape[0]):
        for s in range(policy.shape[1]):
            for y in range(policy.shape[2]):
                changed = changed or kept[t, s, y] != policy[t, s, y]
                kept[t, s, y] = policy[t, s, y]
    return changed


@kernel
def episodes(
    shape: Shape,
    world: data.World,
    sets: Sets,
    tables: Tables,
    target: Target,
    fresh: bool,
    budgets: tuple[bool, ...],
    draws: Floats,
    batch: Episodes,
) -> tuple[int, int]:
    """Play one episode per row of ``draws`` (rebuild, plan, play, count); return the episodes and the laws written.

    ``batch.laws`` receives the law of the return, in the true model, of every policy that differs from the one before
    it.  An empty ``laws`` turns evaluation off; a full one ends the batch.  ``batch.values[0]`` holds the last value on
    entry, in case nothing changed.  ``batch.uppers`` is not written: these plans attain the best value.

    ``fresh`` tables are computed again, to the same result, unless there are bets: these would use later counts than
    the last plan, and a run must not depend on where a batch begins.
    """
    found, current, moved = 0, -1, False
    value = batch.values[0]
    laws = batch.laws
    evaluating = laws.shape[0] > 0
    for k in range(draws.shape[0]):
        changed = refresh(shape, sets, target)
        if changed or (fresh and not target.bets) or target.kind == data.UCBVI:
            value, moved = plan_once(shape, sets, tables, target, target.beyond, fresh, budgets)
        if evaluating and (moved or fresh) and (keep(tables.policy, tables.last_policy) or fresh):
            forward_law(shape, world.truth, sets.known, tables, tables.policy, data.BEST, laws[found])
            current = found
            found += 1
        fresh = moved = False
        batch.values[k] = value
        if evaluating:
            batch.law_index[k] = current
        path = Path(batch.states[k], batch.actions[k], batch.rewards[k], batch.paid[k])
        batch.returns[k] = play(shape, world, tables.policy, draws[k], path)
        batch.widths[k] = width_of(shape, sets.model, sets.known, path)
        count(shape, sets, path)
        if evaluating and found == laws.shape[0]:
            return k + 1, found
    return draws.shape[0], found
