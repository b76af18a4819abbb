"""The audit as tests; the counterexamples are files that are up to date and recheck."""

from pathlib import Path

import pytest
from checks import CHECKS
from claims import STATEMENTS

from proofs_checks import audit, certificate, recheck

HERE = Path(__file__).parent


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.label)
def test_the_audit_finds_nothing_wrong(statement):
    assert audit.audit_statement(statement, 200, seed=0).failures == ()


def test_the_certificates_are_up_to_date_and_refute():
    stored = {path.name: path.read_text(encoding="utf-8") for path in (HERE / "certificates").glob("*.json")}
    assert stored == certificate.expected(STATEMENTS)
    assert all(recheck.check_text(text, CHECKS).refutes for text in stored.values())
