"""Ledgers as the audit writes them, without running the audit."""

from __future__ import annotations

from proofs_checks import theory as statements
from proofs_checks.engine.audit import claim_text
from proofs_checks.engine.ledger import Enumerated, Ledger, Refutation, Row, Sampled, Support


def row_of(statement, *, rank="exhaustive", failures=()):
    """A row of the ledger as the audit writes it, without running the audit."""
    refuted = statement.should_be_refuted and statement.counterexample is not None
    return Row(
        label=statement.label,
        title=statement.title,
        section=statement.section,
        said=statement.said,
        finding=statement.finding,
        cause=statement.cause,
        uses=statement.uses,
        theory=statement.theory,
        notes=statement.notes,
        source="proofs_checks/engine/model.py",
        source_sha256="",
        printed=claim_text(statement.printed),
        corrected=claim_text(statement.corrected),
        support=Support(
            "stands",
            rank,
            (f"{rank} (some cases)",),
            (),
            Enumerated("", 0, 0),
            Sampled(0, 5, 5),
            "0",
            None,
            {"bound": "0.8"},
            {"bound": "why"},
            "noticed",
        ),
        refutation=Refutation("x.json", "-1/4", True, None) if refuted else None,
        failures=tuple(failures),
        paper=statement.paper,
    )


def ledger_of(rows, failures=()):
    return Ledger(50, 0, tuple(rows), tuple(failures))


def whole_ledger():
    ranks = ("exhaustive", "random", "machine-checked")
    return ledger_of([row_of(statement, rank=ranks[i % 3]) for i, statement in enumerate(statements.ALL)])
