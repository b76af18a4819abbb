"""Rows, commands and certificates of an audit do not overstate what was found."""

import shutil
from dataclasses import replace
from fractions import Fraction as Q
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from hypothesis import configuration
from hypothesis.strategies import just
from test_audit import BELOW_THREE, GOOD, Case, failures, toy

from proofs_checks import cli, pytest_plugin
from proofs_checks import theory as statements
from proofs_checks.engine import audit, certificate, search
from proofs_checks.engine.model import Claim
from proofs_checks.report import files
from verified_risk.cli import main
from verified_risk.numbers.enclosure import Interval

UNSURE = Interval(Q(-1), Q(1))


def test_a_row_with_one_undecided_case_does_not_say_that_the_claim_stands():
    """The random cases all hold; one of the enumeration is not decided."""
    once = Claim("", "", lambda case: UNSURE if case.x == 5 else Q(1))
    unsure = toy(corrected=once, small_cases=lambda: iter([Case(Q(0)), Case(Q(5))]))
    row = audit.audit_statement(unsure, 60, seed=0)
    assert row.support.verdict == "unknown"
    assert any("1 exhaustive cases could not be decided" in line for line in row.failures)
    sure = toy(corrected=once, small_cases=lambda: iter([Case(Q(0))]))
    assert audit.audit_statement(sure, 60, seed=0).support.verdict == "stands"


def test_an_enclosed_slack_is_marked_wherever_it_is_printed():
    enclosed = Claim("", "", lambda case: Interval(Q(1, 3), Q(2, 3)))
    support = audit.audit_statement(toy(corrected=enclosed), 60, seed=0).support
    assert support.worst_slack == "≈ 0.5"
    exact = audit.audit_statement(toy(corrected=Claim("", "", lambda case: Q(1, 3))), 60, seed=0).support
    assert exact.worst_slack == "1/3"


# -- counterexamples --------------------------------------------------------------------------------------------------


def harmless():
    """``lem:key`` with a case that does not refute it, M = T."""
    key = statements.by_label("lem:key")
    return replace(key, counterexample=replace(key.counterexample, top=Q(1)), small_cases=lambda: iter(()))


def test_a_counterexample_that_the_standalone_checker_denies_fails_the_audit():
    """A slack that is wrong: the package refutes, the standalone checker does not."""
    wrong = replace(harmless(), printed=Claim("", "", lambda case: Q(-1)), corrected=None)
    row = audit.audit_statement(wrong, 20, seed=0)
    assert row.refutation.rechecked is False
    assert any("the standalone checker says that 1 >= 1 holds" in line for line in row.failures), row.failures


def test_a_case_that_is_undecided_or_outside_the_hypotheses_refutes_nothing(tmp_path):
    key, path = statements.by_label("lem:key"), tmp_path / "case.json"
    certificate.save(key, key.counterexample, path)
    for slack, when, wanted in (
        (lambda case: Q(-1), lambda case: True, True),
        (lambda case: UNSURE, lambda case: True, False),
        (lambda case: Q(-1), lambda case: False, False),
        (lambda case: Q(0), lambda case: True, False),
    ):
        assert certificate.refutes(path, [replace(key, printed=Claim("", "", slack, when))]) is wanted


# -- rows of an older audit -------------------------------------------------------------------------------------------


def test_rows_are_kept_only_of_an_audit_with_the_same_numbers_the_same_source_and_no_failure(monkeypatch):
    chosen = [statements.by_label(label) for label in ("def:pushforward", "cvar:ru", "lem:key")]
    ledger = audit.run(chosen, examples=5, seed=1)
    monkeypatch.setattr(files, "stored", lambda: ledger)
    assert set(cli.fresh_rows(5, 1)) == {statement.label for statement in chosen}
    assert cli.fresh_rows(6, 1) == {}
    assert cli.fresh_rows(5, 2) == {}
    first, second, third = ledger.statements
    edited = (replace(first, source_sha256="0" * 64), replace(second, failures=("something",)), third)
    monkeypatch.setattr(files, "stored", lambda: replace(ledger, statements=edited))
    assert set(cli.fresh_rows(5, 1)) == {"lem:key"}


def test_a_certificate_of_no_statement_and_one_that_is_missing_are_stale(monkeypatch, tmp_path):
    folder = tmp_path / "certificates"
    shutil.copytree(certificate.DIRECTORY, folder)
    monkeypatch.setattr(certificate, "DIRECTORY", folder)
    (folder / "surplus.json").write_text("{}")
    (folder / "lem_key.json").unlink()
    said = [line.partition(" is stale")[0] for line in cli.staleness()]
    assert said == ["certificates/lem_key.json", "certificates/surplus.json"]


def test_a_stored_audit_that_failed_is_not_clean(monkeypatch):
    """Even if all generated files are fresh."""
    ledger = replace(files.stored(), failures=("lem:key: vacuous",))
    monkeypatch.setattr(files, "stored", lambda *given: ledger)
    monkeypatch.setattr(files, "stale", list)
    assert cli.staleness() == ["the stored audit failed: lem:key: vacuous"]
    assert CliRunner().invoke(cli.main, ["report", "--check"]).exit_code == 1


# -- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failed", [True, False])
def test_commands_end_with_1_if_something_failed_and_say_so(monkeypatch, tmp_path, failed):
    ledger = audit.run([replace(GOOD, least_met=10_000) if failed else GOOD], examples=20)
    monkeypatch.setattr(cli, "run_with_progress", lambda chosen, **named: ledger)
    for words in (["audit"], ["audit", "--json"], ["audit", "--json", str(tmp_path / "ledger.json")]):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == int(failed), words
        if words[-1] != "--json":
            assert ("FAILED toy" in done.output, "Nothing failed" in done.output) == (failed, not failed)
    monkeypatch.setattr(statements, "ALL", (GOOD,))
    monkeypatch.setattr(certificate, "write_all", lambda chosen: [])
    monkeypatch.setattr(files, "write", lambda ledger: [])
    assert CliRunner().invoke(cli.main, ["report"]).exit_code == int(failed)


def test_one_failure_of_an_audited_statement_fails_its_test():
    """The result of ``pytest --audit-statement``."""
    pytest_plugin.AuditItem.runtest(SimpleNamespace(statement=GOOD, examples=20))
    failing = replace(GOOD, least_met=10_000)
    assert len(failures(failing, 20)) == 1
    with pytest.raises(pytest.fail.Exception, match="vacuous"):
        pytest_plugin.AuditItem.runtest(SimpleNamespace(statement=failing, examples=20))


def test_the_worst_of_enclosed_slacks_is_the_one_that_may_be_least():
    """The second may be below 0, although the first has the lower upper end."""
    slacks = {0: Interval(Q(1, 4), Q(1, 2)), 1: Interval(Q(-1), Q(1)), 2: Interval(Q(-1), Q(2))}
    seen = search.exhaustive(Claim("", "", lambda case: slacks[case.x]), [Case(Q(i)) for i in slacks])
    assert (seen.worst, seen.worst_case) == (slacks[1], Case(Q(1)))


def test_a_ledger_names_the_file_of_a_statement_from_the_project_on():
    assert audit.source_file(statements.by_label("lem:key")) == "proofs_checks/theory/setting/lem_key.py"
    assert audit.source_file(toy(source="/elsewhere/mine.py")) == "mine.py"


def test_an_audit_restores_the_storage_directory_of_hypothesis():
    def place():
        found = configuration.storage_directory(intent_to_write=False)
        return str(getattr(found, "path", found))

    before = place()
    with search.leaving_nothing():
        assert place() != before
    assert place() == before


def test_a_failure_of_the_first_case_took_one_case():
    found = search.find(BELOW_THREE, just(Case(Q(4))), seed=0, budget=5)
    assert found is not None
    assert (found.first, found.cases) == (Case(Q(4)), 1)


def test_a_case_of_a_statement_without_an_example_cannot_be_read():
    with pytest.raises(ValueError, match="toy cannot decode: give decode"):
        toy(counterexample=None, small_cases=lambda: iter(())).read({})
