"""What decides a verdict cannot be loosened: margins, hypotheses rarely met, proofs of which a part is stale."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from fractions import Fraction as Q
from pathlib import Path

import pytest
from hypothesis import strategies as st
from test_audit import BELOW_THREE, SQUARE, Case, failures, small, toy

from proofs_checks.engine import audit, search
from proofs_checks.engine.model import Claim, Rank, Verdict, equality, least, verdict_of
from proofs_checks.evidence.coq import record as formal_record
from verified_risk.errors import InvalidFile
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
    off = Claim("", "", lambda case: -TINY if case.x == 3 else Q(1))
    assert search.exhaustive(off, small()).verdict is Verdict.REFUTED
    assert any("refuted by 1 exhaustive" in line for line in failures(toy(corrected=off)))


def test_one_undecided_case_among_many_leaves_the_claim_undecided():
    once = Claim("", "", lambda case: Interval(-TINY, TINY) if case.x == 3 else Q(1))
    assert search.exhaustive(once, small()).verdict is Verdict.UNKNOWN
    assert any("1 exhaustive cases could not be decided" in line for line in failures(toy(corrected=once)))


def test_an_undecided_case_refutes_no_printed_claim():
    unsure = Claim("", "", lambda case: Interval(Q(-1), TINY))
    assert search.find_counterexample(toy(), seed=0, claim=unsure) is None
    assert any("does not refute the printed claim" in line for line in failures(toy(printed=unsure)))


def test_an_enumeration_that_never_meets_its_hypotheses_fails():
    positive = replace(BELOW_THREE, when=lambda case: case.x > 0)
    met_nowhere = toy(corrected=positive, small_cases=lambda: (Case(Q(-i)) for i in range(7)))
    assert any("no case of the enumeration" in line for line in failures(met_nowhere))
    assert not any("vacuous" in line for line in failures(toy(corrected=positive)))


@pytest.mark.parametrize(("met", "enough"), [(1, False), (49, False), (50, True)])
def test_hypotheses_met_by_too_small_a_share_fail(monkeypatch, met, enough):
    """Of a thousand random cases; one in twenty is asked for, however many there are."""
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


def test_a_statement_without_a_budget_lets_its_generator_look_at_nothing():
    none = replace(toy(), find_budget=type(toy()).__dataclass_fields__["find_budget"].default)
    assert any("no counterexample in 0 cases" in line for line in failures(none))


def test_an_audit_reports_what_the_generator_met_first_and_not_what_it_shrinks_to():
    """Seeds whose first refuting case is not the least of all; shrinking would end at 9/4."""
    first = {search.find_counterexample(toy(), seed=seed, shrink=False).slack for seed in range(8)}
    shrunk = {search.find_counterexample(toy(), seed=seed).slack for seed in range(8)}
    assert shrunk == {Q(-1, 4)} < first
    for seed in range(8):
        row = audit.audit_statement(toy(), 60, seed=seed)
        assert row.refutation.found.slack == str(search.find_counterexample(toy(), seed=seed, shrink=False).slack)


def test_one_stale_part_of_several_demotes_the_proof(tmp_path: Path):
    """Two parts in files that do not need each other; a change of either is enough."""
    rows = {row["theorem"]: row for row in formal_record.read()}
    parts = [rows["key_identity"] | {"supports": [["part", "toy"]]}, rows["dkw"] | {"supports": [["part", "toy"]]}]
    files = [row["file"] for row in parts]
    assert not set(files) & {Path(name).name for row in parts for name in row["depends_on"]}
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"theorems": parts}), encoding="utf-8")
    for file in files:
        folder = tmp_path / file.replace("/", "-")
        for path in formal_record.FORMAL.rglob("*.v"):
            place = folder / path.relative_to(formal_record.FORMAL)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        (piece,) = formal_record.machine_checked("toy", record=record, folder=folder)
        assert piece.rank is Rank.MACHINE_CHECKED
        with (folder / file).open("a") as out:
            out.write("(* a change *)\n")
        (piece,) = formal_record.machine_checked("toy", record=record, folder=folder)
        assert piece.rank is Rank.CITED, file


def two_parts(tmp_path: Path, **changes: object) -> Path:
    """A record in which a claim has two parts; the second, and it alone, is changed and needs ``Mdp.v``."""
    rows = {row["theorem"]: row for row in formal_record.read()}
    assert "Mdp.v" not in rows["key_identity"]["depends_on"]
    needs = next(row for row in rows.values() if "Mdp.v" in row["depends_on"])
    parts = [rows["key_identity"], needs | changes]
    record = tmp_path / "record.json"
    told = [{**row, "supports": [["part", "toy"]]} for row in parts]
    record.write_text(json.dumps({"theorems": told}), encoding="utf-8")
    return record


def test_one_part_of_several_with_another_axiom_demotes_the_proof(tmp_path: Path):
    axioms = [*formal_record.CLASSICAL_REALS, "Cheating.axiom"]
    (piece,) = formal_record.machine_checked("toy", record=two_parts(tmp_path, axioms=axioms))
    assert piece.rank is Rank.CITED
    assert "Cheating.axiom" in piece.detail
    (piece,) = formal_record.machine_checked("toy", record=two_parts(tmp_path, axioms=axioms[:-1]))
    assert piece.rank is Rank.MACHINE_CHECKED


def test_the_narrowest_scope_of_several_parts_is_told(tmp_path: Path):
    (piece,) = formal_record.machine_checked("toy", record=two_parts(tmp_path, differs="for two atoms only"))
    assert formal_record.MODEL_SCOPE in piece.detail
    assert "for two atoms only" in piece.detail


def test_a_theorem_that_is_printed_with_others_needs_a_new_answer():
    """Its axioms are those of the group that it was printed with, which is another one now."""
    theorems, table = formal_record.read(), formal_record.TABLE.read_text(encoding="utf-8")
    assert formal_record.reword(theorems, table) is not None
    groups = sorted({row["printed_with"] for row in theorems})
    moved = theorems[0] | {"printed_with": next(name for name in groups if name != theorems[0]["printed_with"])}
    assert formal_record.reword([moved, *theorems[1:]], table) is None


@pytest.mark.parametrize("key", ["supports", "hypotheses", "differs", "anchor"])
def test_any_word_of_a_row_that_has_changed_since_is_named(key):
    theorems, table = formal_record.read(), formal_record.TABLE.read_text(encoding="utf-8")
    at = next(i for i, row in enumerate(theorems) if row["theorem"] == "key_identity")
    theorems[at] = theorems[at] | {key: [["step", "lem:key"]] if key == "supports" else "other words"}
    assert formal_record.stale(theorems, table) == ["key_identity: its row in formal.md has changed"]


def test_a_theorem_with_two_rows_is_refused():
    row = "| proves `lem:key` | `t` | h | d | [x](01-setting.md#key-identity) |"
    assert list(formal_record.read_table(row)) == ["t"]
    with pytest.raises(InvalidFile, match=r"line 2 of formal\.md repeats the theorem t"):
        formal_record.read_table(f"{row}\n{row.replace('proves', 'step')}")


def test_the_command_that_compares_the_record_ends_with_1_if_something_is_stale(monkeypatch, capsys):
    monkeypatch.setattr(formal_record, "stale", lambda theorems, table: ["key_identity is not recorded"])
    assert formal_record.main(["--check"]) == 1
    assert capsys.readouterr().out == "key_identity is not recorded\n"


def test_a_recorded_digest_is_compared_to_its_last_digit():
    theorem = next(row for row in formal_record.read() if row["theorem"] == "key_identity")
    assert not formal_record.is_stale(theorem)
    last = "0" if theorem["sha256"][-1] != "0" else "1"
    assert formal_record.is_stale({**theorem, "sha256": theorem["sha256"][:-1] + last})
    assert formal_record.is_stale({**theorem, "sha256": theorem["sha256"][:12]})
