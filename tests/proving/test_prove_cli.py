"""`verified-risk prove` and `plan --prove`, and the documented certificate."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from documented import ROOT
from proof_files import is_true, verdicts

import verified_risk as vr
from verified_risk.cli import main


def run(*words: str):
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def plan_file(tmp_path):
    vr.exact_plan(vr.models.two_paths(), "cvar(1/4)").save(tmp_path / "plan.json")
    return tmp_path / "plan.json"


def test_one_line_says_what_was_proved(plan_file):
    done = run("prove", str(plan_file))
    assert done.exit_code == 0
    (line,) = done.output.splitlines()
    assert line.startswith(
        "proved: best over all policies = 1, the lower bound attained by the plan's policy; by check_sound"
    )
    assert "on the axioms of the classical reals" in line


def test_the_same_as_json_with_both_files(plan_file, tmp_path):
    done = run(
        "prove", str(plan_file), "--json", "--coq", str(tmp_path / "p.v"), "--certificate", str(tmp_path / "c.txt")
    )
    answer = json.loads(done.output)
    assert (answer["proved"], answer["theorem"], answer["lower"]["exact"]) == (True, "check_sound", "1")
    assert "Theorem the_plan_is_right" in (tmp_path / "p.v").read_text()
    assert is_true((tmp_path / "c.txt").read_text())


def test_a_plan_that_is_refused_exits_with_1(plan_file):
    held = vr.Plan.load(plan_file).to_json()
    wrong = vr.Plan.from_json({**held, "lower": "3/4", "value": "3/4", "upper": "3/4"})
    wrong.save(plan_file)
    done = run("prove", str(plan_file))
    assert done.exit_code == 1
    assert done.output.startswith("NOT PROVED: the checker does not confirm the plan: the tables")


def test_what_is_not_covered_exits_with_1(tmp_path):
    vr.plan(vr.models.two_paths(), "wang(21/2)", gap="1/100").save(tmp_path / "plan.json")
    done = run("prove", str(tmp_path / "plan.json"))
    assert done.exit_code == 1
    assert "not covered: wang(21/2), a shift above 10" in done.output


def test_a_file_that_is_no_plan_exits_with_2(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    assert run("prove", str(tmp_path / "plan.json")).exit_code == 2


def test_plan_shows_that_it_was_proved():
    done = run("plan", "two_paths", "--prove")
    assert done.exit_code == 0
    assert "\nproved     by check_sound (Coq, classical reals), " in done.output
    assert "proved" not in run("plan", "two_paths").output
    assert json.loads(run("plan", "two_paths", "--prove", "--json").output)["proved"]["theorem"] == "check_sound"
    refused = run("plan", "two_paths", "--objective", "wang(21/2)", "--prove")
    assert refused.exit_code == 1
    assert "\nproved     NO: not covered: wang(21/2), a shift above 10" in refused.output


def test_the_documented_certificate_is_accepted(tmp_path):
    page = (ROOT / "docs" / "proof_format.md").read_text("utf-8")
    text = page.partition("```text\n")[2].partition("```")[0]
    (line,) = verdicts([text], tmp_path)
    assert line.startswith("proved by check_sound")
    assert is_true(text)
