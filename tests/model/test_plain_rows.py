"""Rows of plain floats are read in one go; the answer, and every complaint, is that of reading entry by entry."""

from __future__ import annotations

import gc
import random
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidModel
from verified_risk.mdp.reading import Reader
from verified_risk.numbers.rational import as_fraction


def slowly(n_states: int, row: object) -> object:
    reader = Reader(n_states, normalise=False)
    reader._plain_row = lambda row: None  # type: ignore[method-assign]
    return reader.row(row, "transitions[0][0]")


def rows(seed: str, count: int):
    """Floats of few digits that add up to 1, states in any order, zeros among them."""
    rng = random.Random(seed)
    for _ in range(count):
        n = rng.randint(1, 8)
        states = rng.sample(range(n), rng.randint(1, n))
        cuts = sorted(rng.randint(0, 1000) for _ in states[1:])
        masses = [(b - a) / 1000 for a, b in zip([0, *cuts], [*cuts, 1000], strict=True)]
        if sum(as_fraction(p, "p") for p in masses) == 1:
            yield n, dict(zip(states, masses, strict=True))


def test_plain_rows_are_read_as_entry_by_entry():
    fast = 0
    for n, row in rows("plain", 500):
        reader = Reader(n, normalise=False)
        fast += reader._plain_row(row) is not None
        assert reader.row(row, "transitions[0][0]") == slowly(n, row)
        array = np.array([row.get(s, 0.0) for s in range(n)])
        assert reader.row(array, "transitions[0][0]") == slowly(n, row)
        assert reader._plain_row(array) is not None
    assert fast > 300


@pytest.mark.parametrize(
    "row",
    [
        {0: 0.5, 1: 0.4}, {0: 0.5, 2: 0.5}, {-1: 0.5, 0: 0.5}, {0: -0.5, 1: 1.5}, {0: float("nan"), 1: 1.0},
        {0: float("inf")}, {}, {True: 1.0}, {0: True}, {0.0: 1.0}, {"0": 1.0}, {0: 1e300},
        np.array([0.5, 0.4]), np.array([0.5, np.nan]), np.array([0.2, 0.3, 0.5]), np.array([-0.5, 1.5]),
    ],
    ids=str,
)  # fmt: skip
def test_bad_rows_get_the_complaint_that_names_the_entry(row):
    with pytest.raises(InvalidModel) as fast:
        Reader(2, normalise=False).row(row, "transitions[0][0]")
    with pytest.raises(InvalidModel) as slow:
        slowly(2, row)
    assert str(fast.value) == str(slow.value)


def test_digits_beyond_eighteen_are_not_lost():
    tiny = 1e-19
    row = {0: 1.0, 1: tiny}
    with pytest.raises(InvalidModel, match="sums to"):
        Reader(2, normalise=False).row(row, "here")
    assert Reader(2, normalise=True).row(row, "here") == (
        (0, 1 / (1 + Fraction("1e-19"))),
        (1, Fraction("1e-19") / (1 + Fraction("1e-19"))),
    )


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_left_as_it_was(running):
    before = gc.isenabled()
    try:
        gc.enable() if running else gc.disable()
        vr.MDP(0, [[[1]]], [[1]], horizon=1)
        assert gc.isenabled() is running
        with pytest.raises(InvalidModel):
            vr.MDP(0, [[[2]]], [[1]], horizon=1)
        assert gc.isenabled() is running
    finally:
        gc.enable() if before else gc.disable()
