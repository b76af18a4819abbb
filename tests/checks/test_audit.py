"""Claims, search and audit: each kind of failure is reported."""

import json
import re
import shutil
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from proofs_checks import cli
from proofs_checks import theory as statements
from proofs_checks.engine import audit, search
from proofs_checks.engine.ledger import ClaimText, Ledger
from proofs_checks.engine.model import Claim, Evidence, Rank, Statement, Verdict, at_most, least
from proofs_checks.engine.severity import Severity
from proofs_checks.report import files, graph
from verified_risk.cli import main
from verified_risk.errors import InvalidArgument, InvalidFile
from verified_risk.numbers.enclosure import Interval

Q = Fraction


@dataclass(frozen=True)
class Case:
    x: Fraction


def rationals():
    return st.integers(-12, 12).map(lambda i: Case(Q(i, 4)))


def small():
    return (Case(Q(i)) for i in range(-3, 4))


SQUARE = Claim(r"x^2 \ge 0", "Squares are nonnegative.", lambda case: case.x**2)
BELOW_TWO = Claim(r"x \le 2", "Nothing exceeds two.", lambda case: 2 - case.x)
BELOW_THREE = Claim(r"x \le 3", "Nothing exceeds three.", lambda case: 3 - case.x)
POSITIVE = replace(BELOW_THREE, when=lambda case: case.x > 0)


def toy(**changes):
    record = {
        "label": "toy",
        "title": "a toy",
        "section": "1",
        "printed": BELOW_TWO,
        "corrected": BELOW_THREE,
        "finding": "repair",
        "cases": rationals,
        "small_cases": small,
        "small_size": "integers",
        "counterexample": Case(Q(3)),
        "find_budget": 200,
    }
    return Statement(**{**record, **changes})


GOOD = toy(printed=BELOW_THREE, corrected=None, finding="holds", counterexample=None)


def failures(statement, examples=60):
    return audit.audit_statement(statement, examples, seed=0).failures


# -- claims -----------------------------------------------------------------------------------------------------------


def test_ranks_are_ordered_and_printed():
    ranks = [Rank.CITED, Rank.RANDOM, Rank.EXHAUSTIVE, Rank.SYMBOLIC, Rank.MACHINE_CHECKED]
    assert ranks == sorted(ranks)
    assert str(Evidence(Rank.MACHINE_CHECKED, "Coq")) == "machine-checked (Coq)"


def test_a_statement_without_a_claim_is_rejected():
    with pytest.raises(ValueError, match="claims nothing"):
        toy(printed=None, corrected=None, counterexample=None)
    with pytest.raises(ValueError, match="no printed claim"):
        toy(printed=None)


# -- search -----------------------------------------------------------------------------------------------------------


def test_the_search_keeps_the_worst_case_and_counts_the_hypotheses():
    seen = search.exhaustive(POSITIVE, small())
    assert (seen.tried, seen.met, seen.worst, seen.worst_case) == (7, 3, 0, Case(Q(3)))


def test_a_counterexample_is_found_and_shrunk():
    found = search.find_counterexample(toy(), seed=1)
    assert found is not None
    assert found.case == Case(Q(9, 4))
    assert found.slack == -Q(1, 4)


def test_nothing_is_found_against_a_true_claim():
    with warnings.catch_warnings():
        warnings.simplefilter("error", search.NothingTested)
        assert search.find_counterexample(toy(), seed=1, claim=SQUARE) is None


def test_a_search_says_that_no_case_met_the_hypotheses():
    never = replace(SQUARE, when=lambda case: False)
    with pytest.warns(search.NothingTested, match=r"none of \d+ cases met the hypotheses"):
        assert search.find_counterexample(toy(), seed=1, claim=never) is None
    assert "nothing tested, 0 of" in str(search.conjecture(never, rationals()))


@pytest.mark.parametrize("slack", [True, False, 0.5, None, "1", np.bool_(True)])
def test_a_slack_that_is_no_exact_number_is_refused_with_its_case(slack):
    wrong = replace(SQUARE, slack=lambda case: slack if case.x > 1 else Q(1))
    kind = type(slack).__name__
    with pytest.raises(
        InvalidArgument, match=f"'Squares are nonnegative.' is .*, a {kind}, wanted a Fraction"
    ) as raised:
        search.find(wrong, rationals(), seed=0, budget=100)
    assert re.fullmatch(r"in the case\nx: [\d/]+", raised.value.__notes__[0])
    assert ("at_most(a, b)" in str(raised.value)) == ("bool" in kind)


def test_a_slack_that_raises_shows_its_case():
    with pytest.raises(ZeroDivisionError) as raised:
        search.conjecture(lambda case: 1 / case.x, rationals())
    assert raised.value.__notes__[0] == "in the case\nx: 0"


def test_a_conjecture_says_what_was_seen():
    refuted, true = search.conjecture(BELOW_TWO, rationals()), search.conjecture(BELOW_THREE, rationals())
    assert (refuted.verdict, refuted.found.case, refuted.found.slack) == (Verdict.REFUTED, Case(Q(9, 4)), -Q(1, 4))
    assert re.fullmatch(r"Nothing exceeds two.: refuted\nx: 9/4\nfails by 1/4, found after \d+ cases", repr(refuted))
    assert (true.verdict, true.found) == (Verdict.STANDS, None)
    assert re.fullmatch(r"Nothing exceeds three.: no counterexample, (\d+) of \1 cases .*not a proof.", repr(true))


# -- audit ------------------------------------------------------------------------------------------------------------


def without_certificate(found):
    """The failures without that of the standalone checker, which does not know the toy."""
    return [failure for failure in found if "standalone checker" not in failure]


def test_a_sound_statement_passes():
    assert without_certificate(failures(toy())) == without_certificate(failures(toy(corrected=POSITIVE))) == []
    assert failures(GOOD) == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corrected": Claim("", "", lambda case: 1 - case.x)}, "is refuted by"),
        ({"corrected": Claim("", "", lambda case: Interval(Q(-1), Q(1)))}, "could not be decided"),
        ({"corrected": replace(BELOW_THREE, when=lambda case: case.x > 100)}, "vacuous"),
        ({"small_cases": lambda: iter(())}, "no case of the enumeration"),
        ({"corrected": POSITIVE, "small_cases": lambda: (Case(Q(-i)) for i in range(7))}, "no case of the enumeration"),
        ({"least_met": 10_000}, "wanted 10000"),
        ({"counterexample": None}, "no counterexample"),
        ({"counterexample": Case(Q(1))}, "does not refute the printed claim"),
        ({"counterexample": Case(Q(4))}, "also refutes the correction"),
        ({"cases": lambda: st.just(Case(Q(0)))}, "found no counterexample in 200 cases"),
        ({}, "the standalone checker rejects"),
    ],
)
def test_every_fault_makes_the_audit_fail(changes, message):
    found = failures(toy(**changes))
    assert any(message in failure for failure in found), found


def test_nothing_is_called_verified_and_a_random_rank_says_how_many():
    row = audit.audit_statement(replace(GOOD, small_cases=lambda: iter(()), small_size=""), 40, seed=7)
    assert row.support.rank == "random"
    assert row.support.evidence[0].startswith("random (")
    assert "seed 7" in row.support.evidence[0]
    assert "verified" not in str(row.support)


def test_a_changed_source_makes_its_evidence_stale():
    chosen = [statements.by_label("lem:key"), statements.by_label("cvar:ru")]
    ledger = audit.run(chosen, examples=5)
    assert audit.stale(ledger, chosen) == []
    ledger = replace(ledger, statements=(replace(ledger.statements[0], source_sha256="0" * 64), *ledger.statements[1:]))
    assert audit.stale(ledger, chosen) == ["lem:key"]
    assert audit.stale(ledger, chosen[1:]) == ["lem:key"]


def test_a_changed_helper_makes_the_evidence_of_what_imports_it_stale(tmp_path):
    (tmp_path / "statements").mkdir()
    files = {
        "statements/claim.py": "from ..helper import f\n",
        "helper.py": "def f():\n    from . import deep\n    return deep\n",
        "deep.py": "from .helper import f\n",
        "other.py": "",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    claim = tmp_path / "statements" / "claim.py"

    def digest(file):
        return audit.source_hash(toy(source=str(file)))

    assert [path.name for path in audit.depends_on(claim)] == ["deep.py", "helper.py", "claim.py"]
    before = digest(claim)
    (tmp_path / "other.py").write_text("x = 1\n")
    assert digest(claim) == before
    (tmp_path / "deep.py").write_text("from .helper import f\nx = 1\n")
    assert digest(claim) != before
    claim.write_text("from ..helper import f\nfrom ..other import x\n")  # the same process sees a new import
    assert [path.name for path in audit.depends_on(claim)] == ["deep.py", "helper.py", "other.py", "claim.py"]
    (tmp_path / "other.py").write_text("from deep import x\n")  # a library's module with the name of a neighbour
    assert audit.imported(tmp_path / "other.py", 0) == ()


# -- counts -----------------------------------------------------------------------------------------------------------


def test_climbing_finds_smaller_slacks_than_random_cases():
    near = replace(BELOW_THREE, slack=lambda case: abs(case.x - 65432))
    cases = st.integers(0, 10**5).map(lambda i: Case(Q(i)))
    climbed, plain = (
        [search.random(near, cases, examples=200, seed=seed, climb=climb).worst for seed in range(3)]
        for climb in (True, False)
    )
    assert sorted(climbed)[1] == 0 < min(plain)
    found = search.find(replace(near, slack=lambda case: abs(case.x - 65432) - 1), cases, seed=0, budget=1500)
    assert found is not None, "find climbs too"
    even = search.random(replace(near, when=lambda case: case.x % 2 == 0), cases, examples=120, seed=0)
    assert 0 < even.met < even.tried
    assert even == search.random(replace(near, when=lambda case: case.x % 2 == 0), cases, examples=120, seed=0)


def test_a_part_that_is_always_zero_does_not_keep_the_others_from_climbing():
    def slack(case):
        return least(at_most(Q(0), Q(0), "trivial"), at_most(10**5 - abs(case.x - 65432), 10**5, "bound"))

    cases = st.integers(0, 10**5).map(lambda i: Case(Q(i)))
    seen = search.random(Claim("", "", slack), cases, examples=1500, seed=0)
    assert (seen.worst, seen.closest) == (0, {"trivial": 0, "bound": 1})


def test_a_statement_draws_as_many_cases_as_are_asked_for():
    never_tight = replace(BELOW_THREE, slack=lambda case: 4 - case.x)
    statement = toy(corrected=never_tight, cases=lambda: st.integers(-(10**6), 3).map(lambda i: Case(Q(i))))
    row = audit.audit_statement(statement, 100, seed=0)
    assert row.support.random.tried == 100
    half = audit.audit_statement(replace(statement, examples_share=0.5), 100, seed=0)
    assert half.support.random.tried == 50
    assert search.random(never_tight, statement.cases(), examples=70, seed=0, climb=False).tried == 70


@pytest.mark.parametrize(("examples", "wanted"), [(10, 200), (49, 980), (50, 1000), (51, 1000), (200, 1000)])
def test_an_audit_with_fewer_than_fifty_examples_requires_proportionally_fewer_cases(examples, wanted):
    assert f"wanted {wanted}" in str(failures(toy(least_met=1000), examples))


def test_several_jobs_are_processes_that_report_each_statement_once(monkeypatch):
    asked, honest = [], audit.workers
    monkeypatch.setattr(audit, "workers", lambda jobs: asked.append(jobs) or honest(jobs))
    chosen = [statements.by_label(label) for label in ("def:pushforward", "cvar:ru")] + [toy()]
    told = []
    ledger = audit.run(chosen, examples=2, jobs=2, progress=told.append)
    assert sorted(told) == ["cvar:ru", "def:pushforward", "toy"]
    assert asked == [2]
    assert audit.run(chosen, examples=2, progress=told.append) == ledger
    assert asked == [2], "one job needs no process"
    assert told[3:] == [statement.label for statement in chosen]


def test_the_stored_ledger_is_rewritten_unchanged():
    text = (files.ROOT / "docs" / "audit.json").read_text(encoding="utf-8")
    assert Ledger.from_json(text).to_json() == text


# -- ledger -----------------------------------------------------------------------------------------------------------


def test_a_ledger_is_written_and_read_back_the_same():
    ledger = audit.run([statements.by_label("lem:key"), toy(label="other")], examples=5)
    assert Ledger.from_json(ledger.to_json()) == ledger


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(version=1), "version 1; wanted"),
        (lambda data: data.update(format="proofs_checks/formal"), "a ledger of format 'proofs_checks/formal'"),
        (lambda data: data.pop("seed"), "wanted the keys"),
        (lambda data: data["statements"][0].update(finding="refuted"), "finding is .refuted., wanted one of"),
        (lambda data: data["statements"][0]["support"].update(rank=3), "support.rank is '3', wanted a str"),
        (lambda data: data["statements"][0].update(uses="lem:key"), "uses is 'lem:key', wanted a list"),
    ],
)
def test_an_invalid_ledger_is_rejected_with_the_place(change, message):
    data = json.loads(audit.run([toy()], examples=5).to_json())
    change(data)
    with pytest.raises(InvalidFile, match=message):
        Ledger.from_json(json.dumps(data))


def test_severities_have_meanings_weights_and_an_order_of_harm():
    assert len({severity.meaning for severity in Severity}) == 5
    assert sorted(Severity, key=lambda severity: severity.weight) == ["holds", "gap", "slip", "repair", "substance"]
    assert [severity for severity in Severity if severity.is_false] == ["slip", "repair", "substance"]
    with pytest.raises(ValueError, match="refuted"):
        toy(finding="refuted")


def test_a_statement_prints_its_finding_and_both_claims():
    assert str(toy()) == "toy: a toy (repair)\n  printed: Nothing exceeds two.\n  true: Nothing exceeds three."
    assert audit.claim_text(BELOW_TWO) == ClaimText(r"x \le 2", "Nothing exceeds two.")


# -- command ----------------------------------------------------------------------------------------------------------


def test_the_command_audits_one_statement_and_writes_the_ledger(tmp_path):
    target = tmp_path / "ledger.json"
    result = CliRunner().invoke(
        main, ["audit", "--statement", "lem:key", "--examples", "10", "--seed", "3", "--json", str(target)]
    )
    assert result.exit_code == 0, result.output
    assert "lem:key" in result.output
    ledger = json.loads(target.read_text())
    assert (ledger["seed"], ledger["examples"], len(ledger["statements"])) == (3, 10, 1)


# -- report -----------------------------------------------------------------------------------------------------------


def test_the_generated_documents_are_fresh():
    assert cli.staleness() == []


def test_the_page_lists_every_statement_and_calls_nothing_verified():
    page = (files.ROOT / files.PAGE).read_text(encoding="utf-8")
    assert all(f"`{statement.label}`" in page for statement in statements.ALL)
    assert "verified" not in page.replace("verified_risk", "").replace("verified-risk", "")


def test_the_graph_shows_every_statement_and_what_it_inherits():
    ledger = files.stored()
    picture = files.contents(ledger)[files.GRAPH]
    assert all(f">{row.label}</text>" in picture for row in ledger.statements)
    rests = graph.inherited(ledger.statements)
    assert "lem:augmented:1" in rests["thm:augmented"]
    assert "lem:genbound" in rests["thm:main"]
    assert rests["lem:augmented:1"] == []  # it uses only the history measure, which has no false printed claim


def test_an_edited_page_is_stale(tmp_path):
    shutil.copy(files.ROOT / files.README, tmp_path)
    files.write(files.stored(), tmp_path)
    assert files.stale(tmp_path) == []
    for name in (files.PAGE, files.README):
        text = (tmp_path / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("slip*: a misprint", "slip*: a mistake"), "utf-8")
    assert files.stale(tmp_path) == [files.PAGE, files.README]


def test_a_proof_recorded_or_withdrawn_later_counts_without_running_the_cases_again(monkeypatch):
    chosen = [statements.by_label("def:pushforward")]
    ledger = audit.run(chosen, examples=5)
    proof = Evidence(Rank.MACHINE_CHECKED, "a later proof")
    for proofs, rank in (((proof,), "machine-checked"), ((), "exhaustive")):
        monkeypatch.setattr(audit, "machine_checked", lambda formal, proofs=proofs: proofs)
        assert audit.stale(ledger, chosen) == ["def:pushforward"]
        row = audit.refreshed(ledger.statements[0], chosen[0])
        assert (row.rank, str(proof) in row.support.evidence) == (rank, bool(proofs))
        assert any(piece.startswith("random (") for piece in row.support.evidence)
        ledger = audit.assemble([row], 5, 0)
        assert audit.stale(ledger, chosen) == []


@pytest.mark.parametrize(
    ("label", "finding", "said"),
    [
        ("thm:augmented", "repair", "printed"),
        ("def:quantile/zero", "slip", "implied"),
        ("cvar:concave", "not in the paper", "tempting"),
        ("thm:main/greedy", "not in the paper", None),
    ],
)
def test_explaining_a_statement_never_heads_as_printed_what_is_not(label, finding, said):
    told = json.loads(CliRunner().invoke(main, ["explain", label, "--json"]).stdout)
    assert (told["finding"], told["said"]) == (finding, said)
    statement = statements.by_label(label)
    assert told["cause"] is None if statement.cause is None else told["cause"].startswith(statement.cause.title)
    shown = CliRunner().invoke(main, ["explain", label]).stdout
    assert said is None or re.search(rf"^{said} +\S", shown, flags=re.MULTILINE)
    assert said == "printed" or not re.search(r"^(printed|claims) ", shown, flags=re.MULTILINE)
