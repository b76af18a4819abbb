"""``pytest --audit-statement LABEL`` audits a statement in any test suite; ``--audit-only`` runs nothing else.

Loaded through the ``pytest11`` entry point.  Heavy modules are imported only if the option is given.
"""

from __future__ import annotations

from difflib import get_close_matches
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
    group.addoption("--audit-only", action="store_true", help="run the audited statements and no other test")
    group.addoption("--audit-examples", type=int, default=50, metavar="N", help="random cases for --audit-statement")


def pytest_configure(config: pytest.Config) -> None:
    """Reject invalid options before tests are collected."""
    labels: list[str] = config.getoption("--audit-statement")
    if config.getoption("--audit-only") and not labels:
        raise pytest.UsageError("--audit-only needs at least one --audit-statement LABEL")
    examples = config.getoption("--audit-examples")
    if examples < 1:
        raise pytest.UsageError(f"--audit-examples is {examples}, wanted a number from 1")
    if labels:
        _chosen(labels)


def _chosen(labels: list[str]) -> list[Any]:
    """The statements with these labels.  An unknown label is a usage error that names the nearest one."""
    from . import theory

    if "all" in labels:
        return list(theory.ALL)
    known = {statement.label: statement for statement in theory.ALL}
    for label in labels:
        if label not in known:
            near = get_close_matches(label, known, n=1)
            meant = f": did you mean {near[0]}?" if near else "; docs/audit.md lists all"
            raise pytest.UsageError(f"--audit-statement {label}: no statement has this label{meant}")
    return [known[label] for label in labels]


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append one test for each requested statement."""
    labels: list[str] = config.getoption("--audit-statement")
    if not labels:
        return
    if config.getoption("--audit-only"):
        config.hook.pytest_deselected(items=list(items))
        items.clear()
    chosen = _chosen(labels)
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
