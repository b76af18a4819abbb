"""The command line as a user sees it: what it prints, what it exits with, what it leaves behind."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

import verified_risk as vr
from verified_risk.cli import main


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_models_are_listed_and_drawn():
    assert "frozen_lake" in run("models")
    assert set(json.loads(run("models", "--json"))) == set(vr.models.NAMES)
    assert "S start" in run("models", "show", "frozen_lake")


@pytest.mark.parametrize(
    ("alpha", "value", "best"), [("2/5", "21/10", 4), ("33/100", "56/33", 4), ("1/4", "6/5", 2), ("1/100", "1", 1)]
)
def test_planning_the_lake_prints_the_value_and_the_path(alpha, value, best):
    answer = json.loads(run("plan", "frozen_lake", "--exact", "--objective", f"cvar({alpha})", "--json"))
    assert answer["value"]["lower"] == answer["value"]["upper"] == value
    assert answer["law"]["atoms"][-1] == str(best)
    assert value in run("plan", "frozen_lake", "--exact", "--objective", f"cvar({alpha})")


def test_a_saved_plan_is_evaluated_exactly(tmp_path):
    file = tmp_path / "plan.json"
    run("plan", "frozen_lake", "--exact", "--objective", "cvar(33/100)", "--save", file)
    answer = json.loads(run("evaluate", file, "--objective", "mean", "--json"))
    assert Fraction(answer["value"]["lower"]) == 4 * Fraction(81, 100)
    assert "56/33" in run("evaluate", file, "--objective", "cvar(33/100)")


def test_models_come_from_files_and_environments(tmp_path):
    lake = vr.models.two_paths()
    lake.save(tmp_path / "m.json")
    lake.to_csv(tmp_path / "m.csv", index_base=1)
    by_name = run("plan", "two_paths", "--exact")
    assert run("plan", tmp_path / "m.json", "--exact") == by_name
    assert (
        run("plan", tmp_path / "m.csv", "--exact", "--horizon", lake.horizon, "--index-base", 1, "--initial", 1)
        == by_name
    )
    assert "horizon 3" in run("models", "show", "gym:FrozenLake-v1", "--horizon", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "nowhere"], "nowhere"),
        (["plan", "frozen_lake", "--objective", "cvar(2)"], "alpha is 2"),
        (["plan", "m.csv"], "add --horizon N"),
        (["plan", "missing.json"], "missing.json"),
    ],
)
def test_an_error_is_one_line_that_says_what_is_wrong(arguments, message):
    output = run(*arguments, code=2)
    assert output.startswith("error: ")
    assert message in output
    assert "Traceback" not in output
