"""A checker that is out of date is not asked: one line says what it is, what is wanted, and how to build it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.testing import CliRunner
from proof_files import require_checker

import verified_risk as vr
from verified_risk import errors
from verified_risk.cli import main
from verified_risk.proving import program
from verified_risk.proving.certificate import VERSION


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """A program that says this when asked for its version, and accepts every certificate."""

    def write(said: str) -> str:
        file = tmp_path / "checker"
        file.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ {said}; exit; }}\necho "proved by nothing"\n')
        file.chmod(0o755)
        monkeypatch.setenv("VERIFIED_RISK_CHECKER", str(file))
        return str(file)

    return write


OLD = {
    "an older format": (f"echo verified-risk-checker format {VERSION - 1} source 00", f"reads format {VERSION - 1}"),
    "before there were versions": (
        "echo 'refused: --version: No such file or directory'; false",
        "does not say which format it reads",
    ),
    "silence": ("true", "does not say which format it reads"),
    "a sentence around it": (
        f"echo this is verified-risk-checker format {VERSION} source 00",
        "does not say which format it reads",
    ),
}


@pytest.mark.parametrize("name", OLD)
def test_an_old_program_is_named_with_what_is_wanted_and_the_command(name, fake, tmp_path):
    said, has = OLD[name]
    path = fake(said)
    plan = vr.exact_plan(vr.models.two_paths(), "mean")
    with pytest.raises(errors.MissingDependency) as caught:
        plan.prove()
    assert str(caught.value) == f"the checker {path} {has}, format {VERSION} is wanted: run `make checker`"
    assert plan.proved is None
    plan.save(tmp_path / "plan.json")
    done = CliRunner().invoke(main, ["prove", str(tmp_path / "plan.json")])
    assert done.exit_code == 2
    assert f"{has}, format {VERSION} is wanted: run `make checker`" in " ".join(done.output.split())


@pytest.mark.parametrize("format_", [VERSION, VERSION + 1])
def test_a_program_that_reads_this_format_or_a_later_one_is_asked(format_, fake):
    path = fake(f"echo verified-risk-checker format {format_} source 00")
    assert str(program.find_checker()) == path


def test_a_program_that_is_built_again_is_asked_again(fake):
    fake(f"echo verified-risk-checker format {VERSION - 1} source 00")
    with pytest.raises(errors.MissingDependency):
        program.find_checker()
    path = fake(f"echo verified-risk-checker format {VERSION} source 0000")
    assert str(program.find_checker()) == path


def test_the_program_knows_its_sources_and_one_of_other_sources_is_not_asked(monkeypatch, tmp_path):
    """The copy of a source that differs by one blank is another source."""
    built = require_checker()
    if built != program.BUILT:
        pytest.skip("the checker was not built here")
    line = subprocess.run([built, "--version"], capture_output=True, text=True, check=True).stdout
    assert line == f"verified-risk-checker format {VERSION} source {program._source_digest()}\n"
    folder = tmp_path / "proofs_checks" / "formal" / "checker"
    for name in ("driver", "extracted"):
        shutil.copytree(built.parents[1] / name, folder / name)
    (folder / "build").mkdir()
    shutil.copy2(built, folder / "build" / "checker")
    monkeypatch.setattr(program, "BUILT", folder / "build" / "checker")
    assert program.find_checker() == folder / "build" / "checker"
    for name in program.SOURCES:
        text = (folder / name).read_bytes()
        (folder / name).write_bytes(text + b" ")
        with pytest.raises(errors.MissingDependency, match=r"built from other sources \(\w{8}\) than are there now"):
            program.find_checker()
        (folder / name).write_bytes(text)
    assert program.find_checker() == folder / "build" / "checker"


SAID = {
    "a refusal that ends with 0": ("refused: the tables of the certificate do not prove the upper bound", 0),
    "a proof that ends with 1": ("proved by check_sound", 1),
    "silence": ("", 0),
    "a proof that is none": ("refused: a point of a curve is not proved", 0),
}


@pytest.mark.parametrize("name", SAID)
def test_only_a_program_that_says_proved_and_ends_with_0_has_proved(name, monkeypatch, tmp_path):
    line, code = SAID[name]
    file = tmp_path / "checker"
    version = f"verified-risk-checker format {VERSION} source 00"
    file.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo {version}; exit; }}\necho "{line}"\nexit {code}\n')
    file.chmod(0o755)
    monkeypatch.setenv("VERIFIED_RISK_CHECKER", str(file))
    plan = vr.exact_plan(vr.models.two_paths(), "mean")
    with pytest.raises(errors.NotProved):
        plan.prove()
    assert plan.proved is None
