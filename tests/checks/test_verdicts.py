"""Verdicts at their boundary: tiny margins, rarely met hypotheses, proofs with a stale part."""

import json
import shutil
from dataclasses import replace
from fractions import Fraction as Q
from pathlib import Path

import pytest
from hypothesis import strategies as st
from test_audit import BELOW_THREE, SQUARE, Case, failures, small, toy

from proofs_checks.engine import audit, search
from proofs_checks.engine.model import Claim, Formal, Rank, Verdict, equality, least, verdict_of
from proofs_checks.evidence.coq import record as formal_record
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


def test_an_enumeration_that_never_meets_its_hypotheses_fails():
    positive = replace(BELOW_THREE, when=lambda case: case.x > 0)
    met_nowhere = toy(corrected=positive, small_cases=lambda: (Case(Q(-i)) for i in range(7)))
    assert any("no case of the enumeration" in line for line in failures(met_nowhere))
    assert not any("vacuous" in line for line in failures(toy(corrected=positive)))


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
    data = json.loads(formal_record.RECORD.read_text(encoding="utf-8"))
    data["axioms"][formal_record.theorems()["history_measure"].group] = [*formal_record.CLASSICAL_REALS, *extra]
    (tmp_path / "record.json").write_text(json.dumps(data), encoding="utf-8")
    (piece,) = formal_record.machine_checked(PARTS, record=tmp_path / "record.json")
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
    data = json.loads(formal_record.RECORD.read_text(encoding="utf-8"))
    data["digests"]["FiniteLaw.v"] = change(data["digests"]["FiniteLaw.v"])
    (tmp_path / "record.json").write_text(json.dumps(data), encoding="utf-8")
    assert formal_record.theorems(tmp_path / "record.json")["key_identity"].changed == ("FiniteLaw.v",)
    assert formal_record.theorems()["key_identity"].changed == ()
