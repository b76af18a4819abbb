"""Proofs by solvers: they hold, they can fail, and a solver that does not answer is never taken for one that does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from proofs_checks import theory as statements
from proofs_checks.engine.model import Claim, Rank
from proofs_checks.evidence.solver import record, solve, terms
from proofs_checks.evidence.solver.__main__ import main
from proofs_checks.evidence.solver.query import Answer, Identity, Problem, Query, Status
from proofs_checks.evidence.solver.solve import Worker, answer
from proofs_checks.theory import queries as symbolic
from verified_risk.errors import MissingDependency
from verified_risk.numbers.enclosure import Interval

pytest.importorskip("z3")
pytest.importorskip("sympy")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as process:
        yield process


every_query = pytest.mark.parametrize("query", symbolic.ALL, ids=lambda q: f"{q.label}, {q.asks}, {q.size}")


@every_query
def test_a_proof_holds_and_its_twin_falls_and_a_false_claim_gives_a_rechecked_certificate(
    query: Query, worker: Worker
) -> None:
    row = record.run_one(query, worker)
    assert record.as_wanted(row), row


# -- what a solver may fail to say ------------------------------------------------------------------------------------


def loop_forever() -> Problem:
    while True:
        pass


def three_cubes() -> Problem:
    """114 as a sum of three cubes: nobody knows."""
    import z3

    x, y, z = z3.Ints("x y z")
    return Problem([x**3 + y**3 + z**3 == 114], z3.BoolVal(False))


def crash() -> Problem:
    os._exit(1)


def mistake() -> Problem:
    raise KeyError("a mistake in a problem")


def true_of_all_reals() -> Problem:
    x = terms.real("x")
    return Problem([], x * x >= 0)


def false_lemma(x: Any) -> tuple[list[Any], Any]:
    return [], x * x > 0


def true_lemma(x: Any) -> tuple[list[Any], Any]:
    return [x >= 1], x * x >= x


def resting_on(lemma: Any, least: int) -> Problem:
    x = terms.real("x")
    return Problem([x >= least], x * x >= 1, [(lemma, (x,))])


def products_matter() -> Problem:
    """True, but not if x y and y z are just numbers."""
    x, y, z = terms.reals("x", 3)
    return Problem([x >= 1, y >= 1, z == 0], x * y >= 1, [(true_lemma, (x,))])


def contradiction() -> Problem:
    x = terms.real("x")
    return Problem([x > 0, x < 0], x == 7)


@pytest.mark.parametrize("endless", [loop_forever, three_cubes])
def test_a_query_that_cannot_finish_is_killed_and_reported_as_timeout(endless: Any) -> None:
    with Worker() as process:
        started = time.perf_counter()
        found = process.ask(endless, limit=1)
        assert found.status is Status.TIMEOUT
        assert time.perf_counter() - started >= 1
        assert process.ask(true_of_all_reals).status is Status.HOLDS  # the next query gets a new worker


def test_the_process_of_a_killed_query_is_gone() -> None:
    with Worker() as process:
        process.ask(true_of_all_reals)
        pid = process._process.pid
        assert process.ask(loop_forever, limit=0.5).status is Status.TIMEOUT
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_crash_is_its_own_status(worker: Worker) -> None:
    assert worker.ask(crash).status is Status.CRASHED
    assert worker.ask(true_of_all_reals).status is Status.HOLDS


def test_a_mistake_in_a_problem_is_raised_here(worker: Worker) -> None:
    with pytest.raises(KeyError, match="a mistake in a problem"):
        worker.ask(mistake)


def test_nothing_rests_on_a_false_lemma(worker: Worker) -> None:
    assert worker.ask(partial(resting_on, false_lemma, 1)).status is Status.UNKNOWN


def test_a_lemma_is_used_only_where_its_hypotheses_hold(worker: Worker) -> None:
    assert worker.ask(partial(resting_on, true_lemma, 1)).status is Status.HOLDS
    assert worker.ask(partial(resting_on, true_lemma, 0)).status is Status.UNKNOWN


def test_a_model_in_which_products_are_not_products_refutes_nothing(worker: Worker) -> None:
    assert worker.ask(products_matter).status is Status.UNKNOWN


def test_a_lemma_that_is_not_decided_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(partial(resting_on, true_lemma, 1)).status is Status.HOLDS
    monkeypatch.setattr(solve, "_search", lambda conditions: (Status.UNKNOWN, {}))
    assert answer(partial(resting_on, true_lemma, 1)).status is Status.UNKNOWN


def test_what_is_not_decided_does_not_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    x = terms.real("x")
    known = solve.Linear([x >= 1])
    assert known.implies(x >= 0)
    monkeypatch.setattr(z3.Solver, "check", lambda self, *given: z3.unknown)
    assert not known.implies(x >= 0)
    assert solve._search([x >= 0]) == (Status.UNKNOWN, {})


@pytest.mark.parametrize(
    ("printed", "corrected", "counts"),
    [(-1, 0, True), (0, 0, False), (Interval(Fraction(-1), Fraction(1)), 0, False), (-1, -1, False)],
)
def test_a_model_of_the_solver_refutes_the_printed_claim_by_its_own_slack_and_not_the_correction(
    monkeypatch: pytest.MonkeyPatch, printed: Any, corrected: int, counts: bool
) -> None:
    """The standalone checker confirms the case throughout."""
    key = statements.by_label("lem:key")
    claims = {
        name: Claim("", "", lambda case, slack=slack: slack if isinstance(slack, Interval) else Fraction(slack))
        for name, slack in (("printed", printed), ("corrected", corrected))
    }
    monkeypatch.setattr(statements, "by_label", lambda label: replace(key, **claims))
    query = Query("lem:key", "x", "y", true_of_all_reals, "printed", case=lambda model: key.counterexample)
    row = record._refutation(query, Answer(Status.REFUTED, 0.0, ""))
    assert row["rechecked"] is counts


def test_contradictory_hypotheses_are_noticed(worker: Worker) -> None:
    vacuous = Query("lem:key", "nothing", "none", contradiction, "step", contradiction, "none")
    row = record.run_one(vacuous, worker)
    assert row["status"] == Status.HOLDS
    assert row["premises"] == Status.REFUTED
    assert not record.as_wanted(row)


def test_an_identity_is_refuted_by_a_polynomial_that_is_not_zero() -> None:
    from sympy import QQ
    from sympy.polys.rings import ring

    _, x, y = ring("x,y", QQ)
    assert answer(lambda: Identity([(x + y) ** 2 - x**2 - 2 * x * y - y**2])).status is Status.HOLDS
    assert answer(lambda: Identity([(x + y) ** 2 - x**2 - y**2])).status is Status.REFUTED


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.TIMEOUT, Status.CRASHED, Status.REFUTED])
def test_only_holds_supports_a_claim(status: Status) -> None:
    row = {"covers": "claim", "status": "holds", "premises": "holds", "twin": "refuted"}
    assert record.as_wanted(row)
    assert not record.as_wanted(row | {"status": str(status)})
    assert not record.as_wanted(row | {"premises": str(status)})
    assert not record.as_wanted(row | {"twin": "unknown"})


# -- the list, the record, the evidence -------------------------------------------------------------------------------


def test_every_query_is_about_a_statement_and_no_two_are_the_same() -> None:
    known = {statement.label for statement in statements.ALL}
    assert {query.label for query in symbolic.ALL} <= known
    keys = [(query.label, query.asks, query.size) for query in symbolic.ALL]
    assert len(keys) == len(set(keys))


def test_every_file_of_queries_is_listed() -> None:
    folder = Path(symbolic.__file__).parent
    files = {path.stem for path in folder.rglob("*_solver.py")}
    assert files == {module.__name__.rpartition(".")[2] for module in symbolic.MODULES}


def test_a_proof_without_a_twin_is_not_accepted() -> None:
    with pytest.raises(ValueError, match="a twin and its planted error belong to every proof"):
        Query("lem:key", "x", "y", true_of_all_reals, "claim")
    with pytest.raises(ValueError, match="a case belongs to a printed claim"):
        Query("lem:key", "x", "y", true_of_all_reals, "printed")


def test_the_record_is_fresh() -> None:
    assert record.stale(record.read()) == []
    assert all(record.as_wanted(row) for row in record.read())


def test_the_record_notices_a_changed_source_and_a_missing_query(tmp_path: Path) -> None:
    rows = record.read()
    rows[0]["sha256"] = "0" * 64
    del rows[-1]
    found = record.stale(rows)
    assert len(found) == 2
    assert any("another source" in line for line in found)
    assert any("is not recorded" in line for line in found)


def test_evidence_is_symbolic_while_fresh_and_worth_nothing_when_stale(tmp_path: Path) -> None:
    fresh = record.symbolic_evidence("lem:key")
    assert [piece.rank for piece in fresh] == [Rank.SYMBOLIC, Rank.SYMBOLIC]
    assert "40 sorted atoms" in fresh[0].detail
    rows = [row | {"sha256": "0" * 64} for row in record.read()]
    record.write(rows, tmp_path / "record.json")
    old = record.symbolic_evidence("lem:key", tmp_path / "record.json")
    assert [piece.rank for piece in old] == [Rank.CITED, Rank.CITED]
    assert all("stale" in piece.detail for piece in old)


def test_a_step_of_a_proof_is_no_evidence_for_the_claim() -> None:
    assert any(query.label == "L2/greedy" for query in symbolic.ALL)
    assert record.symbolic_evidence("L2/greedy") == ()


def test_an_unfinished_proof_is_no_evidence(tmp_path: Path) -> None:
    rows = [row | {"status": "timeout"} for row in record.read()]
    record.write(rows, tmp_path / "record.json")
    assert record.symbolic_evidence("lem:key", tmp_path / "record.json") == ()
    assert record.symbolic_evidence("lem:key", tmp_path / "absent.json") == ()


def test_the_recorded_certificates_refute_again() -> None:
    from proofs_checks import recheck

    printed = [row for row in record.read() if row["covers"] == "printed"]
    assert len(printed) >= 15
    for row in printed:
        assert recheck.check_text(json.dumps(row["certificate"])).refutes


def test_the_command_prints_a_table_and_knows_its_labels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--label", "lem:monotoneinversebound"]) == 0
    assert "all functions F, H" in capsys.readouterr().out
    assert main(["--check"]) == 0
    with pytest.raises(SystemExit):
        main(["--label", "lem:nothing"])
    assert "no query is about 'lem:nothing'" in capsys.readouterr().err


def test_the_solvers_are_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(MissingDependency, match="verified-risk"), Worker() as process:
        process.ask(true_of_all_reals)


def test_listing_the_queries_loads_no_solver() -> None:
    code = "import sys, proofs_checks.evidence.solver; assert not {'z3', 'sympy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
