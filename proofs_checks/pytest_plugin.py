"""``pytest --audit-statement LABEL`` audits a statement in any test suite, ``--audit-module NAME`` those of a module;
``--audit-only`` runs nothing else.

Loaded through the ``pytest11`` entry point.  Heavy modules are imported only if the option is given.
"""

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
    group.addoption("--audit-module", metavar="NAME", help="audit the STATEMENTS of this module")
    group.addoption("--audit-only", action="store_true", help="run the audited statements and no other test")
    group.addoption("--audit-examples", type=int, default=50, metavar="N", help="random cases for --audit-statement")


def pytest_configure(config: pytest.Config) -> None:
    """Reject invalid options before tests are collected."""
    if config.getoption("--audit-only") and not _is_asked(config):
        raise pytest.UsageError("--audit-only needs at least one --audit-statement LABEL or an --audit-module NAME")
    examples = config.getoption("--audit-examples")
    if examples < 1:
        raise pytest.UsageError(f"--audit-examples is {examples}, wanted a number from 1")
    _chosen(config)


def _is_asked(config: pytest.Config) -> bool:
    return bool(config.getoption("--audit-statement") or config.getoption("--audit-module"))


def _chosen(config: pytest.Config) -> list[Any]:
    """The statements to audit; an unknown label is a usage error that names the nearest one."""
    if not _is_asked(config):
        return []
    from verified_risk.errors import InvalidArgument

    from .cli import chosen_statements

    labels, module = config.getoption("--audit-statement"), config.getoption("--audit-module")
    try:
        return chosen_statements([label for label in labels if "all" not in labels], module)
    except InvalidArgument as error:
        raise pytest.UsageError(f"--audit-{'module' if module else 'statement'}: {error}") from None


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append one test for each requested statement."""
    if not _is_asked(config):
        return
    if config.getoption("--audit-only"):
        config.hook.pytest_deselected(items=list(items))
        items.clear()
    chosen = _chosen(config)
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
