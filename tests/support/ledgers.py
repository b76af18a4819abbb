"""Ledgers as the audit writes them, without running the audit."""

from proofs_checks import theory as statements
from proofs_checks.engine import audit
from proofs_checks.engine.ledger import Enumerated, Ledger, Refutation, Sampled, Support


def row_of(statement, *, rank="exhaustive", failures=()):
    """A row of the ledger as the audit writes it, without running the audit."""
    refuted = statement.should_be_refuted and statement.counterexample is not None
    evidence = (f"{rank} (some cases)",)
    cases = Enumerated("", 0, 0), Sampled(0, 5, 5)
    support = Support("stands", rank, evidence, (), *cases, "0", None, {"bound": "0.8"}, {"bound": "why"}, "noticed")
    return audit.row_of(statement, support, Refutation("x.json", "-1/4", True, None) if refuted else None, failures)


def ledger_of(rows, failures=()):
    return Ledger(50, 0, tuple(rows), tuple(failures))


def whole_ledger():
    ranks = ("exhaustive", "random", "machine-checked")
    return ledger_of([row_of(statement, rank=ranks[i % 3]) for i, statement in enumerate(statements.ALL)])
