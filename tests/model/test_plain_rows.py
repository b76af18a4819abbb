"""Rows of plain floats and of arrays are read entry by entry, without garbage collection."""

import gc
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidModel
from verified_risk.mdp.reading import Reader


@pytest.mark.parametrize("kind", [np.float64, np.float32, object])
def test_a_row_of_an_array_is_the_row_of_its_entries(kind):
    row = [0.0, 0.3, 0.0, 0.7]
    read = Reader(4, normalise=False).row(np.array(row, dtype=kind), "here")
    assert read == Reader(4, normalise=False).row(row, "here") == ((1, Fraction(3, 10)), (3, Fraction(7, 10)))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({0: 0.5, 1: 0.4}, "sums to 9/10, not to 1"), ({0: 0.5, 2: 0.5}, "names state 2"),
        ({-1: 0.5, 0: 0.5}, "names state -1"), ({0: -0.5, 1: 1.5}, r"here\[0\] is -1/2, wanted a probability"),
        ({0: float("nan"), 1: 1.0}, r"here\[0\] is nan"), ({0: float("inf")}, r"here\[0\] is inf"),
        ({}, "sums to 0, not to 1"), ({True: 1.0}, "names state True"), ({0: True}, r"here\[0\] is True"),
        ({0.0: 1.0}, "names state 0.0"), ({"0": 1.0}, "names state '0'"), ({0: 1e300}, "not to 1"),
        (np.array([0.5, 0.4]), "sums to 9/10, not to 1"), (np.array([0.5, np.nan]), r"here\[1\] is nan"),
        (np.array([0.2, 0.3, 0.5]), "has 3 entries, wanted 2"), (np.array([-0.5, 1.5]), r"here\[0\] is -1/2"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_rows_get_the_complaint_that_names_the_entry(row, said):
    with pytest.raises(InvalidModel, match=said):
        Reader(2, normalise=False).row(row, "here")


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
