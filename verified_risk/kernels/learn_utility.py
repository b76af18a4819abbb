"""The utility recursion, the law of a policy, and the objective of a law: planning for a general G."""

from __future__ import annotations

import numpy as np

from .jit import view_kernel as kernel
from .learn_data import LARGEST, WORST, Actions, Branch, Floats, Known, Model, Shape, Tables, Target
from .learn_plan import branch_of
from .learn_rows import add_shifted_rows, add_shifts, best_of_list


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
        best_of_list(branch, rows, units, 0, 1, width, beyond == WORST, tables.spare)
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
        if beyond == LARGEST:
            tables.gain[t, n, y] = utility[y + shape.top[t]]
            continue
        best, star = tables.gain[t, 0, y], 0
        for s in range(1, shape.followers):
            here = tables.gain[t, s, y]
            if here != best and (here > best) == (beyond != WORST):
                best, star = here, s
        tables.gain[t, n, y] = best
        tables.star[t, y] = star


@kernel
def utility_pass(
    shape: Shape, model: Model, known: Known, tables: Tables, utility: Floats, beyond: int, tie: float
) -> float:
    """Compute ``V_t(s, y) = max_a E V_{t+1}(S', y + R)``, ``V_T(s, z) = utility[z]``, and its policy; return
    ``E_D V_0(S, 0)``.
    """
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
            elif beyond == LARGEST:
                law[z + shift + shape.top[t + 1]] += q * v[z]
            else:
                there[tables.star[t + 1, z + shift], z + shift] += q * v[z]
    if branch.miss > 0.0 and branch.listed > 0:
        for z in range(reach):
            if v[z] > 0.0:
                best, choice = 0.0, 0
                for j in range(branch.listed):
                    here = tables.gain[t + 1, branch.listed_state[j], z + units[branch.listed_atom[j]]]
                    if j == 0 or (here > best) == (beyond != WORST):
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
