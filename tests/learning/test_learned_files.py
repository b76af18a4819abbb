"""Runs and learned policies that were damaged: a table that does not fit is refused before anything is played."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hostile import refused, signed

import verified_risk as vr
from verified_risk import errors
from verified_risk.files import encode_array
from verified_risk.learning.policies import BlackBox, BlackBoxPolicy

BOX = BlackBox((2,), 3, 2, Fraction(), Fraction(1), Fraction(1, 2), (Fraction(), Fraction(1)), True, False)
TABLE = np.zeros((2, 3, 1), dtype=np.int16)


def changed_at(t, s, action):
    table = TABLE.copy()
    table[t, s, 0] = action
    return {"table": encode_array(table)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed_at(1, 1, 3), r"table\[1\]\[1\]\[0\] is 3, wanted an action in 0..2"),
        (changed_at(0, 2, 1), r"table\[0\]\[2\]\[0\] is 1, wanted an action in 0..0"),
        (changed_at(0, 0, -1), "is -1, wanted an action"),
        ({"table": encode_array(TABLE[:1])}, "wanted int16 of 2 steps, 3 states"),
        ({"table": encode_array(TABLE[:, :, :0])}, "has 0 entries"),
        ({"table": encode_array(TABLE.astype(np.float64))}, "type float64"),
        ({"sizes": [2**30, 2**30]}, "entries for 1152921504606846976 observations"),
        ({"sizes": [0]}, r"sizes\[0\] of the environment is 0, wanted a positive integer"),
        ({"actions": "3"}, "actions of the environment is '3'"),
        ({"steps": 2.5}, "steps of the environment is 2.5"),
        ({"range": "0"}, "range of the environment is 0"),
        ({"unit": "-1"}, "unit of the environment is -1"),
        ({"atoms": []}, "atoms of the environment are not increasing"),
        ({"atoms": ["1", "0"]}, "atoms of the environment are not increasing"),
        ({"atoms": ["0", "1/2", "1/4", "1"]}, "atoms of the environment are not increasing"),
        ({"exact": False}, "not the multiples of its unit 1/2"),
        ({"exact": False, "unit": "1e-9000"}, "not the multiples of its unit"),
        ({"exact": False, "atoms": ["0", "1/2"]}, "not the multiples of its unit 1/2"),
        ({"random_starts": 1}, "random_starts of the environment is 1"),
    ],
)
def test_a_table_of_actions_must_fit_its_environment(change, said, tmp_path):
    def load(shell, table):
        path = signed(tmp_path / "p.json", "black-box-policy", {"shell": shell, "table": table})
        return BlackBoxPolicy.load(path)

    assert load(BOX.to_json(), encode_array(TABLE)).act(0, 1, 0) == 0
    shell = {**BOX.to_json(), **{name: value for name, value in change.items() if name != "table"}}
    refused(load, shell, change.get("table", encode_array(TABLE)), match=said, kind=errors.InvalidFile)


def test_the_table_of_a_run_must_fit_its_model(tmp_path):
    run = vr.learn(vr.models.two_paths(), "cvar(1/2)", episodes=2)
    wrong = run.table.copy()
    wrong[0, 0, 0] = 2
    for change, said in (
        ({"table": encode_array(wrong)}, r"table\[0\]\[0\]\[0\] is 2, wanted an action in 0..1"),
        ({"table": encode_array(run.table[:, :3])}, "wanted int16 of 2 steps, 4 states"),
        ({"shell": BOX.to_json()}, "either a model or a shell"),
        ({"model": None}, "either a model or a shell"),
        ({"returns": [0.0] * 3}, "returns has 3 entries, wanted 2, one per episode"),
        ({"bound": [1.0]}, "bound has 1 entries, wanted 2, one per episode"),
    ):
        path = signed(tmp_path / "run.json", "run", {**run.to_json(), **change})
        refused(vr.Run.load, path, match=said, kind=errors.InvalidFile)
