"""Only the program that the build left, made of the sources at hand, is asked and believed."""

from __future__ import annotations

import hashlib
import subprocess

import pytest
from click.testing import CliRunner
from proof_files import plant_program, require_checker

import verified_risk as vr
from verified_risk import errors
from verified_risk.cli import main
from verified_risk.proving import run_checker
from verified_risk.proving.certificate import VERSION

BELIEVER = "echo proved by check_sound"
"""Accepts every certificate."""


def plan() -> vr.Plan:
    return vr.exact_plan(vr.models.two_paths(), "mean")


def test_a_program_on_the_path_or_in_the_environment_is_not_asked(monkeypatch, tmp_path):
    """A script of one line that proves everything must not be found by its name or by a variable."""
    script = plant_program(monkeypatch, tmp_path, BELIEVER)
    script.rename(tmp_path / "verified-risk-checker")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("VERIFIED_RISK_CHECKER", str(tmp_path / "verified-risk-checker"))
    with pytest.raises(errors.MissingDependency, match="the verified checker is not built"):
        plan().prove()


def test_a_program_that_its_build_did_not_record_is_not_asked(monkeypatch, tmp_path):
    built = plant_program(monkeypatch, tmp_path, BELIEVER, record=False)
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    with pytest.raises(errors.MissingDependency) as caught:
        plan().prove()
    said = f"the checker {built} (SHA-256 {digest[:8]}) is not what its build left (no record): run `sh "
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("place", [0, 1])
def test_a_record_of_another_program_or_of_other_sources_is_not_believed(place, monkeypatch, tmp_path):
    built = plant_program(monkeypatch, tmp_path, BELIEVER)
    record = built.with_name("checker.record")
    words = record.read_text().split()
    assert run_checker.find_checker().path == built
    words[place] = ("0" if words[place][0] != "0" else "1") + words[place][1:]
    record.write_text("\n".join(words))
    why = ["is not what its build left", "was built from other sources"][place]
    with pytest.raises(errors.MissingDependency, match=why):
        plan().prove()


def test_a_program_that_was_changed_after_its_build_is_not_asked(monkeypatch, tmp_path):
    built = plant_program(monkeypatch, tmp_path, BELIEVER)
    built.write_bytes(built.read_bytes() + b"\n")
    with pytest.raises(errors.MissingDependency, match="is not what its build left"):
        plan().prove()


@pytest.mark.parametrize("source", run_checker.SOURCES)
def test_a_program_of_other_sources_is_not_asked(source, monkeypatch, tmp_path):
    """A source that differs by one blank is another source."""
    built = plant_program(monkeypatch, tmp_path, BELIEVER)
    file = built.parents[1] / source
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(errors.MissingDependency, match=r"built from other sources \(\w{8}\) than are there now"):
        run_checker.find_checker()


def test_the_answer_names_the_program_and_its_digest():
    built = require_checker()
    proved = plan().prove()
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    assert (proved.program, proved.program_sha256) == (str(built), digest)
    assert f"checked by {built} (SHA-256 {digest[:16]})" in str(proved)
    assert (proved.to_json()["program"], proved.to_json()["program_sha256"]) == (str(built), digest)
    line = subprocess.run([built, "--version"], capture_output=True, text=True, check=True).stdout
    assert line == f"verified-risk-checker format {VERSION} source {run_checker._source_digest()}\n"


def test_without_a_believed_program_the_command_line_ends_with_2(monkeypatch, tmp_path):
    plant_program(monkeypatch, tmp_path, BELIEVER, record=False)
    plan().save(tmp_path / "plan.json")
    done = CliRunner().invoke(main, ["prove", str(tmp_path / "plan.json")])
    assert done.exit_code == 2
    assert "is not what its build left" in " ".join(done.output.split())


SAID = {
    "a refusal that ends with 0": ("refused: the tables of the certificate do not prove the upper bound", 0),
    "a proof that ends with 1": ("proved by check_sound", 1),
    "a proof by another theorem": ("proved by check_curved_sound; read in 0.1 s", 0),
    "silence": ("", 0),
    "a proof that is none": ("refused: a point of a curve is not proved", 0),
}


@pytest.mark.parametrize("name", SAID)
def test_only_a_program_that_says_proved_and_ends_with_0_has_proved(name, monkeypatch, tmp_path):
    line, code = SAID[name]
    plant_program(monkeypatch, tmp_path, f'echo "{line}"; exit {code}')
    stated = plan()
    with pytest.raises((errors.NotProved, errors.Unsupported)):
        stated.prove()
    assert stated.proved is None


@pytest.mark.parametrize("part", ["objective tail", "claim", "model", "policy"])
def test_a_program_that_speaks_of_something_else_is_not_believed(part, monkeypatch, tmp_path):
    require_checker()
    honest = plan().prove().answer
    plant_program(monkeypatch, tmp_path, f'echo "{honest}"')
    assert plan().prove().answer == honest
    other = honest.replace(f"{part} ", f"{part} 7", 1)
    plant_program(monkeypatch, tmp_path, f'echo "{other}"')
    with pytest.raises(errors.NotProved, match=f"the checker says .*{part} 7"):
        plan().prove()
