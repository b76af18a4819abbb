"""Every command prints JSON on request: valid, complete, and nothing else."""

import json
import re
import subprocess
from dataclasses import replace
from fractions import Fraction

import click
import pytest
from click.testing import CliRunner
from proof_files import require_checker
from terminal import COMMAND

import verified_risk as vr
from proofs_checks.engine.certificate import DIRECTORY
from verified_risk.cli import main

WARD = DIRECTORY.parents[1] / "docs" / "examples" / "ward.csv"
CELL = {"model": "two_paths", "objective": "cvar(1/2)", "episodes": 20}


def leaves(command=main, path=()):
    """Every command that does something, with the words that call it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    if command.invoke_without_command:
        yield path, command
    for name, child in command.commands.items():
        yield from leaves(child, (*path, name))


def words(path, folder):
    """Arguments for each command, small enough for a test."""
    plan, cells = folder / "plan.json", folder / "cells.json"
    vr.exact_plan(vr.models.two_paths(), vr.CVaR("1/2")).save(plan)
    cells.write_text(json.dumps([CELL]))
    return {
        ("models",): [],
        ("models", "show"): ["river_swim"],
        ("plan",): ["two_paths"],
        ("evaluate",): [plan],
        ("learn",): ["two_paths", "--episodes", 20, "--audit"],
        ("from-log",): [WARD, "--rewards", "-20,-3,-1,10", "--terminal", "home,dead", "--horizon", 3, "--behaviour"],
        ("experiment", "lake"): ["--out", folder / "lake", "--episodes", 20, "--seeds", 1, "--workers", 0],
        ("experiment", "rivals"): None,  # takes minutes, as does the next: see below
        ("experiment", "scaling"): None,
        ("experiment", "sweep"): [cells, "--out", folder / "sweep", "--workers", 0],
        ("audit",): ["--statement", "intro:key", "--examples", 5, "--jobs", 1],
        ("new-audit",): [folder / "mine"],
        ("recheck",): [DIRECTORY / "thm_augmented.json", plan],
        ("compare",): ["two_paths", "--objective", "mean", "--objective", "cvar(1/2)"],
        ("frontier",): ["two_paths", "--alpha", "1/2,1"],
        ("warmup",): [],
        ("prove",): [plan],
        ("explain",): ["thm:augmented"],
        ("fuzz",): ["--seconds", 1, "--workers", 0, "--property", "read-number", "--out", folder / "fuzz"],
    }[path]


every_leaf = pytest.mark.parametrize("path", [path for path, _ in leaves()], ids=" ".join)


@every_leaf
def test_every_command_prints_one_json_value_and_nothing_else(path, tmp_path):
    arguments = words(path, tmp_path)
    if arguments is None:
        return
    if path == ("prove",):
        require_checker()
    done = subprocess.run(
        [*COMMAND, *path, *map(str, arguments), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.parametrize(("name", "function"), [("scaling", "scaling_study"), ("rivals", "rival_experiment")])
def test_long_experiments_print_json_too(name, function, tmp_path, monkeypatch):
    """The experiments take minutes, so a function that returns the page at once stands in for them."""
    (tmp_path / f"{name}.svg").touch()
    monkeypatch.setattr(f"verified_risk.experiments.{function}", lambda out, **options: out / f"{name}.md")
    found = answer("experiment", name, "--out", tmp_path)
    assert found["page"] == str(tmp_path / f"{name}.md")
    assert found["files"] == [str(tmp_path / f"{name}.svg")]


def test_the_tree_of_commands_is_walked_to_its_leaves():
    assert len(list(leaves())) == 19
    assert ("experiment", "sweep") in dict(leaves())


def answer(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_exact_numbers_are_strings_with_a_float_alongside():
    plan = answer("plan", "frozen_lake", "--exact", "--objective", "cvar(33/100)")
    assert plan["value"] == {"exact": "56/33", "float": 56 / 33}
    assert plan["law"]["atoms"] == ["0", "4"]
    assert plan["law"]["masses"] == ["19/100", "81/100"]
    assert plan["law"]["floats"] == {"atoms": [0.0, 4.0], "masses": [0.19, 0.81]}
    assert plan["law"]["mean"] == {"exact": "81/25", "float": 3.24}


def test_an_irrational_number_is_enclosed_by_two_exact_ends(tmp_path):
    vr.exact_plan(vr.models.two_paths(), vr.Mean()).save(tmp_path / "p.json")
    value = answer("evaluate", tmp_path / "p.json", "--objective", "wang(1)")["value"]
    assert value.keys() == {"lower", "upper", "float"}
    assert Fraction(value["lower"]) < Fraction(value["upper"])
    assert float(Fraction(value["lower"])) <= value["float"] <= float(Fraction(value["upper"]))
    assert abs(value["float"] - float(vr.Wang(1).of(vr.Law({0: "1/4", 2: "3/4"})))) < 1e-12


def every_number(data, path=""):
    """Everything in an answer that has a float beside it."""
    if isinstance(data, dict):
        if "float" in data:
            yield path, data
        for name, part in data.items():
            yield from every_number(part, f"{path}/{name}")
    elif isinstance(data, list):
        for i, part in enumerate(data):
            yield from every_number(part, f"{path}/{i}")


def test_every_number_is_exact_or_enclosed_and_its_ends_are_text(tmp_path):
    vr.plan(vr.models.frozen_lake(), vr.CVaR("1/4")).save(tmp_path / "p.json")
    found = dict(every_number(answer("plan", "betting_game", "--objective", "wang(1)", "--time-limit", 2)))
    found |= dict(every_number(answer("learn", "two_paths", "--objective", "wang(1)", "--episodes", 5)))
    found |= dict(every_number(answer("recheck", tmp_path / "p.json")))
    assert {"/value", "/gap", "/law/mean", "/policy/parts/0/weight", "/numbers/best"} <= found.keys()
    for number in found.values():
        assert number.keys() in ({"exact", "float"}, {"lower", "upper", "float"})
        assert {type(number[name]) for name in number.keys() - {"float"}} == {str}


def test_a_plan_in_json_says_how_its_bounds_were_obtained_and_what_it_plays():
    plan = answer("plan", "frozen_lake", "--objective", "cvar(33/100)")
    assert plan["because"]["method"] == "budget recursion, float64"
    gap = Fraction(plan["upper"]["exact"]) - Fraction(plan["lower"]["exact"])
    assert Fraction(plan["gap"]["exact"]) == gap
    assert sum(Fraction(x["exact"]) for x in plan["because"]["contributions"].values()) == gap
    (part,) = plan["policy"]["parts"]
    (drawn,) = part["maps"]
    assert drawn["earned"] == {"exact": "0", "float": 0.0}
    assert "O~.↓.~O#" in drawn["lines"]


def test_constraints_and_ties_are_options(tmp_path):
    found = answer("plan", "frozen_lake", "--objective", "mean", "--subject-to", "cvar(1/4) >= 1/2")
    wanted = vr.plan(vr.models.frozen_lake(), "mean", subject_to=["cvar(1/4) >= 1/2"])
    assert Fraction(found["upper"]["exact"]) == wanted.upper
    assert found["constraints"] == {"cvar(1/4) >= 1/2": {"missed": {"exact": "0", "float": 0.0}}}
    mixed = CliRunner().invoke(
        main, ["plan", "two_paths", "--subject-to", "cvar(1/4) >= 1", "--save", str(tmp_path / "p")]
    )
    assert mixed.exit_code == 2
    assert "--save has no form" in mixed.output
    taken = answer("plan", "frozen_lake", "--objective", "cvar(1/4)", "--then", "mean")["law"]["mean"]["exact"]
    assert Fraction(taken) == vr.plan(vr.models.frozen_lake(), "cvar(1/4)", then="mean").law.mean


def test_a_planned_mixture_says_how_it_is_drawn(tmp_path):
    """A convex objective gains by drawing between a bet of 0 or 10 and a sure 6."""
    path = tmp_path / "m.json"
    vr.MDP(0, [[{0: 1}, {0: 1}]], [[{0: "1/2", 10: "1/2"}, {6: 1}]], horizon=1).save(path)
    found = answer("plan", path, "--objective", "wang(-3/4)")["policy"]
    first, second = found["parts"]
    assert Fraction(first["weight"]["exact"]) + Fraction(second["weight"]["exact"]) == 1
    assert abs(first["weight"]["float"] - 0.787) < 0.01
    shown = re.fullmatch(
        r"Draw once, before the first step: with probability ≈(\S+) play A, otherwise B\.", found["draw"]
    )
    assert abs(float(shown[1]) - first["weight"]["float"]) < 1e-6
    assert (first["words"], second["words"]) == (["state 0 (start): play 0"], ["state 0 (start): play 1"])


def test_a_ledger_is_printed_or_written(tmp_path):
    words = ("audit", "--statement", "intro:key", "--examples", 5, "--jobs", 1)
    printed = answer(*words)
    assert [row["label"] for row in printed["statements"]] == ["intro:key"]
    for flag in (["--json", tmp_path / "ledger.json"], [f"--json={tmp_path / 'ledger.json'}"]):
        result = CliRunner().invoke(main, [*map(str, words), *map(str, flag), "--html", str(tmp_path / "p.html")])
        assert result.exit_code == 0, result.output
        assert f"wrote {tmp_path / 'ledger.json'}\nwrote {tmp_path / 'p.html'}\n" in result.output
        assert json.loads((tmp_path / "ledger.json").read_text()) == printed
        (tmp_path / "ledger.json").unlink()
        assert "Nothing failed" in result.output
        assert "intro:key" in (tmp_path / "p.html").read_text()
    result = CliRunner().invoke(main, [*map(str, words), "--json", "--html", str(tmp_path / "p.html")])
    assert json.loads(result.stdout) == printed


def test_a_saved_plan_is_rechecked_by_another_route_and_a_wrong_one_is_not_confirmed(tmp_path):
    plan = vr.plan(vr.models.frozen_lake(), vr.CVaR("33/100"))
    plan.save(tmp_path / "plan.json")
    found = answer("recheck", tmp_path / "plan.json")[str(tmp_path / "plan.json")]
    assert found["confirmed"]
    assert found["lower"]["route"] == "budgets of the policy, in integers"
    assert Fraction(found["upper"]["recomputed"]["exact"]) <= plan.upper
    above = replace(plan, lower=plan.lower + 1, value=plan.value + 1, upper=plan.upper + 1)
    above.save(tmp_path / "wrong.json")
    found = answer("recheck", tmp_path / "wrong.json", code=1)[str(tmp_path / "wrong.json")]
    assert found["lower"]["verdict"] == "fails"
    below = replace(plan, lower=plan.lower - 1, value=plan.value - 1, upper=plan.upper - 1)
    below.save(tmp_path / "wrong.json")
    text = CliRunner().invoke(main, ["recheck", str(tmp_path / "wrong.json"), str(tmp_path / "plan.json")])
    assert text.exit_code == 1
    wrong = "wrong.json: NOT CONFIRMED: lower bound holds (budgets of the policy, in integers); upper bound fails"
    assert wrong in text.output
    assert "plan.json: CONFIRMED: lower bound holds" in text.output


def test_a_learner_in_json_has_its_exact_numbers_twice():
    run = answer("learn", "two_paths", "--objective", "cvar(1/2)", "--episodes", 30)
    assert len(run["regret"]) == 30
    assert run["numbers"]["delta"] == {"exact": "1/10", "float": 0.1}
    assert run["numbers"]["best"] == {"exact": run["best"][0], "float": 1.0}
    between = run["numbers"]["interval"]
    assert [between["lower"], between["upper"]] == run["interval"]
    assert between["float"] == float((Fraction(between["lower"]) + Fraction(between["upper"])) / 2)


def test_a_sweep_with_a_failed_cell_says_so_in_json_and_exits_with_one(tmp_path):
    cells = tmp_path / "cells.json"
    cells.write_text(json.dumps([CELL, {**CELL, "model": "nowhere"}]))
    found = answer("experiment", "sweep", cells, "--out", tmp_path / "out", "--workers", 0, code=1)
    assert found["done"] == 1
    assert found["table"] is None
    assert "no model is named 'nowhere'" in found["failed"][0]["error"]
