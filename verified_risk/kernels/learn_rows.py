"""Rows of a table added up: the inner loops of the learner's recursions.

A row holds values at neighbouring budgets (or returns), one per unit.  Loops run over slices of one length, so that
they become vector instructions.
"""

from __future__ import annotations

from .jit import view_kernel as kernel
from .learn_data import WORST, Backup, Branch, Floats, Ints, Tables


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
    miss, mixed, spare, least = branch.miss, tables.mixed, tables.spare, backup.beyond != WORST
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
