"""The number of cases that an audit draws and requires, its progress reports, and the text of its ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from test_audit import BELOW_THREE, Case, Q, failures, toy

from proofs_checks import theory as statements
from proofs_checks.engine import audit, search
from proofs_checks.engine.ledger import Ledger
from proofs_checks.engine.model import Claim, at_most, least
from proofs_checks.report import files


def test_climbing_finds_smaller_slacks_than_random_cases():
    near = replace(BELOW_THREE, slack=lambda case: abs(case.x - 65432))
    cases = st.integers(0, 10**5).map(lambda i: Case(Q(i)))
    climbed, plain = (
        [search.random(near, cases, examples=400, seed=seed, climb=climb).worst for seed in range(3)]
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
    audit.run(chosen, examples=2, jobs=2, progress=told.append)
    assert sorted(told) == ["cvar:ru", "def:pushforward", "toy"]
    assert asked == [2]
    audit.run(chosen[:1], examples=2, progress=told.append)
    assert asked == [2], "one job needs no process"
    assert told[3:] == ["def:pushforward"]


def test_the_stored_ledger_is_rewritten_unchanged():
    text = (files.ROOT / "docs" / "audit.json").read_text(encoding="utf-8")
    assert Ledger.from_json(text).to_json() == text
