"""Counterexamples as files: fresh, rechecked without this package, and rejected once edited, even if signed again."""

import ast
import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks import recheck
from proofs_checks import theory as statements
from proofs_checks.engine import certificate, codec
from proofs_checks.engine.model import Verdict
from proofs_checks.recheck.command import shown
from proofs_checks.recheck.file_format import number
from verified_risk.errors import InvalidFile, InvalidNumber

WITH_COUNTEREXAMPLE = [statement for statement in statements.ALL if statement.counterexample is not None]
CHECKER = Path(recheck.__file__).parent

every_counterexample = pytest.mark.parametrize("statement", WITH_COUNTEREXAMPLE, ids=lambda statement: statement.label)


def test_every_file_refutes_by_the_checker_alone_without_any_installed_package():
    """``-I -S``: no site-packages, no environment, no current directory on the path."""
    files = sorted(certificate.DIRECTORY.glob("*.json"))
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), *map(str, files)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("REFUTES") == len(files) == len(WITH_COUNTEREXAMPLE) >= 40


def test_the_checker_imports_only_the_standard_library():
    """All imports are from the standard library or the checker itself."""
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= {*sys.stdlib_module_names}, path
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] in {*sys.stdlib_module_names, "recheck"}, path
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1, f"{path} imports from outside the checker"


def test_the_checker_runs_from_a_copy_of_its_folder(tmp_path):
    copied = shutil.copytree(CHECKER, tmp_path / "recheck", ignore=shutil.ignore_patterns("__pycache__"))
    file = str(certificate.DIRECTORY / "lem_key.json")
    run = subprocess.run([sys.executable, "-I", "-S", str(copied), file], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@every_counterexample
def test_the_package_reads_its_own_certificate_and_agrees(statement, tmp_path):
    path = tmp_path / "certificate.json"
    certificate.save(statement, statement.counterexample, path)
    assert certificate.refutes(path, statements.ALL)
    loaded, case = certificate.load(path, statements.ALL)
    assert loaded is statement
    assert statement.encode(case) == statement.encode(statement.counterexample)


def numbers_in(data, path=()):
    """The places of all numbers of an instance."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from numbers_in(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from numbers_in(value, (*path, i))
    elif isinstance(data, int) and not isinstance(data, bool):
        yield path
    elif isinstance(data, str):
        try:
            Fraction(data)
        except ValueError:
            return
        yield path


def changed(data, path, by=Fraction(1, 7)):
    """The data with the number at ``path`` moved, a whole number by at least 1."""
    twin = copy.deepcopy(data)
    place = twin
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    place[path[-1]] = old + (int(by) or 1) if isinstance(old, int) else str(Fraction(old) + by)
    return twin


@every_counterexample
def test_an_edited_certificate_is_rejected(statement):
    data = certificate.certificate(statement, statement.counterexample)
    paths = list(numbers_in(data["instance"]))
    assert paths
    for path in paths:
        edited = {**data, "instance": changed(data["instance"], path)}
        with pytest.raises(recheck.Rejected, match="edited"):
            recheck.check_text(json.dumps(edited))


@pytest.mark.parametrize(("by", "most"), [(Fraction(1, 7), 25), (-2, 12)])
@every_counterexample
def test_an_edited_and_signed_certificate_is_rejected_or_judged_on_its_merits(statement, by, most):
    """With a new digest the checker must not claim a refutation that the package's own slack denies.

    No probability, reward, level or count may be two less.
    """
    data = certificate.certificate(statement, statement.counterexample)
    paths = list(numbers_in(data["instance"]))[:most]
    assert paths
    for path in paths:
        edited = {**data, "instance": changed(data["instance"], path, by)}
        edited["sha256"] = recheck.digest(edited)
        try:
            outcome = recheck.check_text(json.dumps(edited))
        except recheck.Rejected:
            continue
        if outcome.refutes:
            assert statement.printed.verdict(statement.read(edited["instance"])) is Verdict.REFUTED, path


def test_the_format_describes_the_instances_of_every_label():
    docs = certificate.DIRECTORY.parent.parent / "docs"
    if not docs.is_dir():
        pytest.skip("an installed package has no documentation")
    pages = ("certificate_format.md", "certificate_instances_learning.md")
    text = "".join((docs / page).read_text(encoding="utf-8") for page in pages)
    for statement in WITH_COUNTEREXAMPLE:
        assert f"| `{statement.label}` |" in text


def test_truncated_and_foreign_files_are_rejected():
    good = (certificate.DIRECTORY / "lem_key.json").read_text(encoding="utf-8")
    for bad in (
        good[:-20],
        "[]",
        "{}",
        good.replace('"version": 1', '"version": 2'),
        good.replace("lem:key", "lem:kex"),
    ):
        with pytest.raises(recheck.Rejected):
            recheck.check_text(bad)


def test_an_unknown_label_is_rejected_even_if_signed():
    data = {"format": certificate.FORMAT, "version": 1, "label": "lem:nothing", "instance": {}}
    with pytest.raises(recheck.Rejected, match="lem:nothing"):
        recheck.check_text(json.dumps({**data, "sha256": recheck.digest(data)}))


def test_a_case_that_does_not_refute_is_reported_as_such(tmp_path, capsys):
    key = statements.by_label("lem:key")
    harmless = type(key.counterexample)(key.counterexample.law, 1, key.counterexample.objective, Fraction(1))
    path = tmp_path / "harmless.json"
    certificate.save(key, harmless, path)
    assert recheck.main([str(path)]) == 1
    assert "DOES NOT REFUTE" in capsys.readouterr().out
    good, absent = str(certificate.DIRECTORY / "lem_key.json"), str(tmp_path / "absent.json")
    for files, worst in (
        ((str(path), absent), 2), ((absent, str(path)), 2), ((absent, good), 2), ((good, absent), 2),
        ((str(path), good), 1), ((good, str(path)), 1), ((good, good), 0),
    ):  # fmt: skip
        assert recheck.main(list(files)) == worst, files


def test_a_number_too_long_to_be_shown_whole_is_marked_as_rounded():
    assert shown(Fraction(1, 3)) == "1/3"
    assert shown(Fraction(10**29)) == str(10**29)
    assert shown(Fraction(10**40 + 1, 3 * 10**40)) == "0.333333333333 (rounded)"
    assert shown(Fraction(10**5000)) == "1.00000000000E+5000 (rounded)"


def test_loading_a_certificate_of_another_statement_says_so(tmp_path):
    key = statements.by_label("lem:key")
    path = tmp_path / "key.json"
    certificate.save(key, key.counterexample, path)
    with pytest.raises(InvalidFile, match="lem:key"):
        certificate.load(path, [statements.by_label("cvar:ru")])


def test_writing_all_certificates_removes_stale_ones(tmp_path):
    (tmp_path / "old.json").write_text("{}")
    written = certificate.write_all(statements.ALL[:8], tmp_path)
    assert sorted(tmp_path.glob("*.json")) == sorted(written)
    wanted = [path.read_text() for path in written]
    written[0].write_text(wanted[0] + " ")
    assert certificate.write_all(statements.ALL[:8], tmp_path) == written
    assert [path.read_text() for path in written] == wanted


@pytest.mark.parametrize("entry", ["1E5", "2e-3/7", "1e999999999"])
def test_a_number_with_an_exponent_is_rejected_before_it_is_written_out(entry):
    with pytest.raises(recheck.Rejected, match="without an exponent"):
        number(entry)


@pytest.mark.parametrize(
    "read",
    [
        lambda text: codec.decode(Fraction, text, None),
        lambda text: codec._history_read([[0, 0, text], 0]),
        lambda text: codec._choice_read({"0": text}),
    ],
    ids=["number", "reward", "probability"],
)
def test_numbers_of_an_instance_are_read_with_a_limit(read):
    """This number can be written out; with four more digits it would take hours."""
    with pytest.raises(InvalidNumber, match="wanted an exponent of at most 100000"):
        read("1e100001")


def signed(data: dict[str, Any]) -> str:
    return json.dumps({**data, "sha256": recheck.digest(data)})


def dicts(place: Any) -> Iterator[dict[str, Any]]:
    """Every dict inside a JSON value."""
    if isinstance(place, dict):
        yield place
        for value in place.values():
            yield from dicts(value)
    elif isinstance(place, list):
        for value in place:
            yield from dicts(value)


def models(instance: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in dicts(instance) if {"horizon", "initial", "states"} <= set(one))


def first_law(model: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in dicts(model["states"]) if {"atoms", "masses"} <= set(one))


def with_atom(value: str, place: int) -> Any:
    def edit(model: dict[str, Any]) -> None:
        first_law(model)["atoms"][place] = value

    return edit


def moved_mass(model: dict[str, Any]) -> None:
    masses = first_law(model)["masses"]
    masses[0] = str(Fraction(masses[0]) - Fraction(1, 10**30))


def negative_mass(model: dict[str, Any]) -> None:
    law = first_law(model)
    law["masses"] = [str(Fraction(law["masses"][0]) + 1), *law["masses"][1:], "-1"]
    law["atoms"] = [*law["atoms"], "999/1000"]


def lost_start(model: dict[str, Any]) -> None:
    model["initial"][0][1] = str(Fraction(model["initial"][0][1]) * Fraction(1, 2))


def holding(parts: Any) -> list[Any]:
    """The statements whose counterexample has such parts."""
    return [
        one for one in WITH_COUNTEREXAMPLE if any(parts(certificate.certificate(one, one.counterexample)["instance"]))
    ]


EDITS = {
    "a reward of 2": with_atom("2", -1),
    "a reward just above 1": with_atom(str(1 + Fraction(1, 10**30)), -1),
    "a reward below 0": with_atom(str(-Fraction(1, 10**30)), 0),
    "masses that sum to less than 1": moved_mass,
    "a negative mass": negative_mass,
    "half of the start is lost": lost_start,
    "a start that is no state": lambda model: model["initial"][0].__setitem__(0, len(model["states"])),
    "a discount": lambda model: model.update(discount="1/2"),
    "no step": lambda model: model.update(horizon=0),
}
WITH_MODELS = holding(models)


@pytest.mark.parametrize("edit", list(EDITS))
@pytest.mark.parametrize("statement", WITH_MODELS, ids=lambda statement: statement.label)
def test_a_signed_model_outside_the_papers_setting_is_rejected(statement, edit):
    data = certificate.certificate(statement, statement.counterexample)
    for i in range(len(list(models(data["instance"])))):
        twin = copy.deepcopy(data)
        EDITS[edit](list(models(twin["instance"]))[i])
        assert twin["instance"] != data["instance"]
        with pytest.raises(recheck.Rejected):
            recheck.check_text(signed(twin))


def test_enough_certificates_hold_models():
    assert len(WITH_MODELS) >= 15


def test_a_digest_is_compared_to_its_last_digit():
    data = json.loads((certificate.DIRECTORY / "lem_key.json").read_text("utf-8"))
    digest = data["sha256"]
    others = [digest[:i] + "01"[digest[i] == "0"] + digest[i + 1 :] for i in (0, 7, 31, 32, 63)]
    for other in (*others, digest[:32], digest + "0", ""):
        with pytest.raises(recheck.Rejected, match="edited"):
            recheck.check_text(json.dumps({**data, "sha256": other}))


def policies(instance: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in dicts(instance) if one.get("kind") == "return" and one.get("rows"))


@pytest.mark.parametrize("statement", holding(policies), ids=lambda statement: statement.label)
def test_a_signed_policy_with_an_unknown_action_is_rejected(statement):
    data = certificate.certificate(statement, statement.counterexample)
    for rows in (
        lambda own: [[*row[:-1], -1] for row in own],
        lambda own: [[*row[:-1], 99] for row in own],
        lambda _: [],
    ):
        twin = copy.deepcopy(data)
        for policy in policies(twin["instance"]):
            policy["rows"] = rows(policy["rows"])
        with pytest.raises(recheck.Rejected):
            recheck.check_text(signed(twin))
