"""``pytest --audit-statement LABEL`` runs one statement in anybody's test suite.

Loaded through the ``pytest11`` entry point; it imports nothing heavy unless the option is given.
"""

from __future__ import annotations

from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("verified-risk", "statements of the audited paper")
    group.addoption(
        "--audit-statement",
        action="append",
        default=[],
        metavar="LABEL",
        help="also audit this statement of proofs_checks (repeatable; 'all' for every one)",
    )
    group.addoption("--audit-examples", type=int, default=50, metavar="N", help="random cases for --audit-statement")


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append one test for each statement asked for."""
    labels: list[str] = config.getoption("--audit-statement")
    if not labels:
        return
    from . import theory

    chosen = list(theory.ALL) if "all" in labels else [theory.by_label(label) for label in labels]
    examples: int = config.getoption("--audit-examples")
    items.extend(
        AuditItem.from_parent(session, name=f"audit[{statement.label}]", statement=statement, examples=examples)
        for statement in chosen
    )


class AuditItem(pytest.Item):
    """The audit of one statement as a test."""

    def __init__(self, *, statement: Any, examples: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.statement, self.examples = statement, examples

    def runtest(self) -> None:
        from .engine.audit import audit_statement

        failures = audit_statement(self.statement, self.examples, seed=0).failures
        if failures:
            pytest.fail("; ".join(failures), pytrace=False)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.statement.source, None, self.name
