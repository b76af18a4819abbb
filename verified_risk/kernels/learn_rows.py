"""Rows of a table added up: the inner loops of the learner's recursions.

A row holds values at neighbouring budgets (or returns), one per unit.  Loops run over slices of one length, so that
they become vector instructions.
"""

# mypy: allow-untyped-calls, allow-untyped-defs, disable-error-code="no-untyped-call"
from __future__ import annotations

from .jit import view_kernel as kernel


@kernel
def add_rows(rows, state, prob, n, start, width, out):
    """``out[:width] += sum_j prob[j] * rows[state[j], start : start + width]``, seven rows in one sweep."""
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
        p0, p1, p2, p3, p4, p5, p6 = (
            prob[j],
            prob[j + 1],
            prob[j + 2],
            prob[j + 3],
            prob[j + 4],
            prob[j + 5],
            prob[j + 6],
        )
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
def add_shifted_rows(rows, state, atom, prob, n, origin, sign, units, width, out):
    """``out[:width] += sum_j prob[j] * rows[state[j], origin + sign * units[atom[j]] :]``."""
    x = out[:width]
    for j in range(n):
        start = origin + sign * units[atom[j]]
        v = rows[state[j], start : start + width]
        q = prob[j]
        for b in range(width):
            x[b] += q * v[b]


@kernel
def add_shifts(row, origin, sign, units, prob, width, out):
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
def best_of_list(rows, state, atom, n, units, origin, sign, width, least, out):
    """``out[:width]``: the least (or the greatest) of the rows of a list of outcomes, each shifted by its reward."""
    for j in range(n):
        c = origin + sign * units[atom[j]]
        v = rows[state[j], c : c + width]
        for b in range(width):
            if j == 0 or (v[b] < out[b]) == least:
                out[b] = v[b]


@kernel
def fill_ends(row, pad, now, mean, left, right, ceiling):
    """Outside the window nothing is left to decide but the mean."""
    for b in range(-pad, 1):
        row[pad + b] = left * (b - mean)
    for b in range(now + 1, now + pad + 1):
        row[pad + b] = right * (b - mean) + ceiling


@kernel
def budget_of_pair(
    rows, units, state, atom, prob, n, miss, listed, listed_atom, listed_n, reward, pad, now, left, right, least,
    mixed, spare, out,
):  # fmt: skip
    """``out[b - 1] = E W_{t+1}(S', b - R)`` for ``1 <= b <= now``; ``rows`` are those of the next step.

    With a reward of its own the pair's rows are mixed first and then shifted by it; otherwise each outcome shifts its
    own row.  Outside the window of the next step, ``1 <= b <= after``, rows are straight lines with slopes ``left`` and
    ``right``: they are mixed at ``0 <= b <= after + 1`` and prolonged from there (probabilities add up to 1).
    """
    if reward.shape[0] == 0:
        for b in range(now):
            out[b] = 0.0
        add_shifted_rows(rows, state, atom, prob, n, pad + 1, -1, units, now, out)
        if miss > 0.0 and listed_n > 0:
            best_of_list(rows, listed, listed_atom, listed_n, units, pad + 1, -1, now, least, spare)
            for b in range(now):
                out[b] += miss * spare[b]
        return
    reach = units[units.shape[0] - 1]
    after = now - reach
    row = mixed[reach : reach + after + 2]
    for b in range(after + 2):
        row[b] = 0.0
    add_rows(rows, state, prob, n, pad, after + 2, row)
    if miss > 0.0 and listed_n > 0:
        best_of_list(rows, listed, listed_atom, listed_n, units, pad, -1, after + 2, least, spare)
        for b in range(after + 2):
            row[b] += miss * spare[b]
    for b in range(reach):
        mixed[b] = row[0] + left * (b - reach)
    for b in range(after + 2, now + 1):
        mixed[reach + b] = row[after + 1] + right * (b - after - 1)
    add_shifts(mixed, reach + 1, -1, units, reward, now, out)
