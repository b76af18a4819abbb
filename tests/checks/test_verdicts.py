"""Verdicts at their boundary: tiny margins, rarely met hypotheses, proofs with a stale part."""

import shutil
from dataclasses import replace
from fractions import Fraction as Q
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from hypothesis import configuration
from hypothesis import strategies as st
from hypothesis.strategies import just
from test_audit import BELOW_THREE, GOOD, SQUARE, Case, failures, small, toy
from test_formal_record import changed_record, recorded

from proofs_checks import cli, pytest_plugin
from proofs_checks import theory as statements
from proofs_checks.engine import audit, certificate, search
from proofs_checks.engine.model import Claim, Formal, Rank, Verdict, equality, least, verdict_of
from proofs_checks.evidence.coq import record as formal_record
from proofs_checks.report import files
from verified_risk.cli import main
from verified_risk.numbers.enclosure import Interval

TINY = Q(1, 10**30)


def test_a_margin_of_any_size_refutes():
    assert verdict_of(-TINY) is Verdict.REFUTED
    assert verdict_of(Q(0)) is Verdict.STANDS
    assert verdict_of(Interval(-2 * TINY, -TINY)) is Verdict.REFUTED
    assert verdict_of(Interval(-TINY, Q(0))) is Verdict.UNKNOWN
    assert verdict_of(Interval(Q(0), TINY)) is Verdict.STANDS
    assert verdict_of(equality(Q(1), 1 + TINY)) is Verdict.REFUTED
    assert verdict_of(least(Q(1), -TINY, Q(2))) is Verdict.REFUTED
    assert verdict_of(least(Q(1), Interval(-TINY, TINY))) is Verdict.UNKNOWN
    assert verdict_of(least(Q(-2), Interval(-TINY, TINY))) is Verdict.REFUTED
    assert (equality(Q(1, 3), Q(1, 3)), equality(Q(1, 3), Q(1, 2)), least(Q(3), Q(-1))) == (0, -Q(1, 6), -1)
    assert verdict_of(equality(Interval(Q(0), Q(1)), Q(1, 2))) is Verdict.UNKNOWN
    assert verdict_of(equality(Interval(Q(0), Q(1)), Q(2))) is Verdict.REFUTED
    with pytest.raises(TypeError):
        bool(Verdict.UNKNOWN)
    off = Claim("", "", lambda case: -TINY if case.x == 3 else Q(1))
    assert search.exhaustive(off, small()).verdict is Verdict.REFUTED
    assert any("refuted by 1 exhaustive" in line for line in failures(toy(corrected=off)))


def test_an_undecided_case_refutes_no_printed_claim():
    unsure = Claim("", "", lambda case: Interval(Q(-1), TINY))
    with pytest.raises(
        search.Undecided, match=r"(\d+) of \1 cases could not be decided, wanted all; the first is\nx: "
    ):
        search.find_counterexample(toy(), seed=0, claim=unsure)
    asked = search.conjecture(unsure, toy().cases())
    assert (asked.verdict, asked.found) == (Verdict.UNKNOWN, None)
    assert "undecided in" in repr(asked)
    lines = failures(toy(printed=unsure))
    assert any("does not refute the printed claim" in line for line in lines)
    assert any("could not be decided, wanted all" in line for line in lines)


@pytest.mark.parametrize(("met", "enough"), [(1, False), (49, False), (50, True)])
def test_hypotheses_met_by_too_small_a_share_fail(monkeypatch, met, enough):
    """At least one random case in twenty must meet the hypotheses."""
    met_rarely = search.Search(tried=1000, met=met, worst=Q(1), worst_case=Case(Q(0)))
    monkeypatch.setattr(search, "random", lambda *given, **named: met_rarely)
    lines = failures(toy(small_cases=lambda: iter([Case(Q(0))] * 100)))
    found = [line for line in lines if f"{met} of 1000 random cases met the hypotheses" in line]
    assert bool(found) is not enough


def test_a_search_that_meets_nothing_is_no_support():
    never = replace(SQUARE, when=lambda case: False)
    found = search.random(never, st.integers(0, 9).map(lambda i: Case(Q(i))), examples=50, seed=0)
    assert (found.met, found.verdict) == (0, Verdict.UNKNOWN)
    lines = failures(toy(corrected=never))
    assert any("0 of" in line and "random cases met" in line for line in lines)
    assert any("0 cases met the hypotheses, wanted 10" in line for line in lines)


def test_a_statement_without_a_budget_searches_no_case():
    none = replace(toy(), find_budget=type(toy()).__dataclass_fields__["find_budget"].default)
    assert any("no counterexample in 0 cases" in line for line in failures(none))


def test_an_audit_reports_the_first_counterexample_without_shrinking():
    """Seeds whose first refuting case is not the least of all; shrinking would end at 9/4."""
    first = {search.find_counterexample(toy(), seed=seed, shrink=False).slack for seed in range(8)}
    shrunk = {search.find_counterexample(toy(), seed=seed).slack for seed in range(8)}
    assert shrunk == {Q(-1, 4)} < first
    for seed in range(8):
        row = audit.audit_statement(toy(), 60, seed=seed)
        assert row.refutation.found.slack == str(search.find_counterexample(toy(), seed=seed, shrink=False).slack)


PARTS = Formal(parts=("key_identity", "history_measure"))
"""Two theorems of which the second alone needs ``Mdp.v``; the files do not need each other."""


@pytest.mark.parametrize("part", PARTS.parts)
def test_one_stale_part_of_several_demotes_the_proof(tmp_path: Path, part: str):
    for path in formal_record.FORMAL.rglob("*.v"):
        place = tmp_path / path.relative_to(formal_record.FORMAL)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    (piece,) = formal_record.machine_checked(PARTS, folder=tmp_path)
    assert piece.rank is Rank.MACHINE_CHECKED
    with (tmp_path / formal_record.theorems()[part].file).open("a") as out:
        out.write("Definition another := 0.\n")
    (piece,) = formal_record.machine_checked(PARTS, folder=tmp_path)
    assert piece.rank is Rank.CITED


@pytest.mark.parametrize(("extra", "rank"), [((), Rank.MACHINE_CHECKED), (("Cheating.axiom",), Rank.CITED)])
def test_one_part_of_several_with_another_axiom_demotes_the_proof(tmp_path: Path, extra: tuple[str, ...], rank: Rank):
    group = formal_record.theorems()["history_measure"].group
    axioms = recorded()["axioms"] | {group: [*formal_record.CLASSICAL_REALS, *extra]}
    (piece,) = formal_record.machine_checked(PARTS, record=changed_record(tmp_path, axioms=axioms))
    assert piece.rank is rank
    assert all(name in piece.detail for name in extra)


def test_the_narrowest_scope_of_several_parts_is_reported():
    (piece,) = formal_record.machine_checked(PARTS)
    known = formal_record.theorems()
    assert "Mdp.v" not in known["key_identity"].needs
    assert f"; {formal_record.MODEL_SCOPE};" in piece.detail
    assert f"; {known['key_identity'].differs}; {known['history_measure'].differs};" in piece.detail


def test_checking_a_stale_record_exits_with_1(monkeypatch, capsys):
    monkeypatch.setattr(formal_record, "stale", lambda: ["Mdp.v has changed"])
    assert formal_record.main(["--check"]) == 1
    assert capsys.readouterr().out == "Mdp.v has changed\n"


@pytest.mark.parametrize("change", [lambda old: old[:-1] + "01"[old[-1] == "0"], lambda old: old[:12]])
def test_a_recorded_digest_is_compared_to_its_last_digit(tmp_path: Path, change):
    digests = recorded()["digests"]
    record = changed_record(tmp_path, digests=digests | {"FiniteLaw.v": change(digests["FiniteLaw.v"])})
    assert formal_record.theorems(record)["key_identity"].changed == ("FiniteLaw.v",)
    assert formal_record.theorems()["key_identity"].changed == ()


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
