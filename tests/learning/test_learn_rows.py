"""Sums and extremes over rows of tables, seven, three or one at a time, against numpy's sums; both ways to run them."""

from __future__ import annotations

import numpy as np
import pytest

from verified_risk.kernels.learn_data import Branch
from verified_risk.kernels.learn_plan import add_rows, add_shifted_rows, add_shifts, best_of_list

both_ways = pytest.mark.parametrize("way", ["plain", "compiled"])
UNITS = np.array([0, 2, 3, 5])


def branch_of(state, atom, prob, n):
    """A pair whose outcomes are also its list."""
    return Branch(state, atom, prob, n, 0.0, state, atom, n, np.zeros(0))


def drawn(seed):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (6, 40))
    return rng, rows


@both_ways
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6, 7, 8, 10, 14, 17, 21])
def test_rows_are_added_whatever_their_number(way, n):
    rng, rows = drawn(n)
    state, prob = rng.integers(0, 6, n), rng.uniform(0, 1, n)
    out = rng.uniform(-1, 1, 20)
    wanted = out.copy()
    wanted[:12] += sum((prob[j] * rows[state[j], 5:17] for j in range(n)), np.zeros(12))
    getattr(add_rows, way)(branch_of(state, state, prob, n), rows, 5, 12, out)
    assert out == pytest.approx(wanted, abs=1e-13)
    assert (out[12:] == wanted[12:]).all(), "nothing beyond the width is touched"


@both_ways
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 9])
def test_shifted_rows_are_added_whatever_their_number(way, sign, n):
    rng, rows = drawn(100 + n)
    state, atom, prob = rng.integers(0, 6, n), rng.integers(0, 4, n), rng.uniform(0, 1, n)
    out = rng.uniform(-1, 1, 20)
    wanted = out.copy()
    for j in range(n):
        start = 10 + sign * UNITS[atom[j]]
        wanted[:12] += prob[j] * rows[state[j], start : start + 12]
    getattr(add_shifted_rows, way)(branch_of(state, atom, prob, n), rows, UNITS, 10, sign, 12, out)
    assert out == pytest.approx(wanted, abs=1e-13)
    assert (out[12:] == wanted[12:]).all()


@both_ways
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("least", [True, False])
def test_the_extreme_row_of_a_list_is_taken_entry_by_entry(way, sign, least):
    rng, rows = drawn(7)
    state, atom = np.array([3, 0, 5, 3]), np.array([1, 3, 0, 2])
    out = rng.uniform(-9, 9, 20)
    beyond = out[12:].copy()
    getattr(best_of_list, way)(branch_of(state, atom, np.ones(4), 4), rows, UNITS, 10, sign, 12, least, out)
    shifted = [rows[s, 10 + sign * UNITS[i] :][:12] for s, i in zip(state, atom, strict=True)]
    assert (out[:12] == (np.min if least else np.max)(shifted, axis=0)).all()
    assert (out[12:] == beyond).all()


@both_ways
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 11])
@pytest.mark.parametrize("zeros", [0, 1, 3])
def test_shifts_of_one_row_are_added_whatever_their_number(way, sign, n, zeros):
    rng, rows = drawn(n + zeros)
    units = np.sort(rng.choice(12, n, replace=False))
    prob = np.where(np.arange(n) < zeros, 0.0, rng.uniform(0, 1, n) * (rng.random(n) < 0.8))
    out = rng.uniform(-9, 9, 20)
    beyond = out[12:].copy()
    getattr(add_shifts, way)(rows[0], units, prob, 14, sign, 12, out)
    wanted = sum((prob[i] * rows[0][14 + sign * units[i] :][:12] for i in range(n)), np.zeros(12))
    assert out[:12] == pytest.approx(wanted, abs=1e-13)
    assert (out[12:] == beyond).all()
