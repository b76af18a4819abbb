"""Counterexamples as files: the instance, the label and the format version, never the conclusion.

Whoever doubts a refutation runs ``proofs_checks/recheck`` on the file; it needs nothing but the standard library and
shares no code with this package.  The format is described in ``docs/certificate_format.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk.errors import InvalidFile
from verified_risk.files import write_text

from .. import recheck
from .model import Statement, Verdict

FORMAT = "proofs_checks/counterexample"
VERSION = 1
DIRECTORY = Path(__file__).parents[1] / "certificates"


def certificate(statement: Statement[Any], case: Any) -> dict[str, Any]:
    """The certificate of one case against the printed claim of ``statement``."""
    content = {"format": FORMAT, "version": VERSION, "label": statement.label, "instance": statement.encode(case)}
    return {**content, "sha256": recheck.digest(content)}


def text(data: dict[str, Any]) -> str:
    """The file's content: the same certificate always gives the same bytes."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def file_name(label: str) -> str:
    """``lem:event/rewards`` is stored in ``lem_event-rewards.json``."""
    return label.replace(":", "_").replace("/", "-").replace(" ", "-") + ".json"


def save(statement: Statement[Any], case: Any, path: str | PathLike[str]) -> None:
    """Write the certificate of ``case``; the file appears whole or not at all."""
    write_text(path, text(certificate(statement, case)))


def load(path: str | PathLike[str], statements: Iterable[Statement[Any]]) -> tuple[Statement[Any], Any]:
    """The statement and the case of a certificate, read by this package (:mod:`.recheck` is the independent way)."""
    data = recheck.read(Path(path).read_text(encoding="utf-8"))
    for statement in statements:
        if statement.label == data["label"]:
            return statement, statement.read(data["instance"])
    raise InvalidFile(f"{path} is about {data['label']!r}, which is not one of the statements")


def refutes(path: str | PathLike[str], statements: Iterable[Statement[Any]]) -> bool:
    """Whether the stored case refutes the printed claim, by this package's own slack."""
    statement, case = load(path, statements)
    return statement.printed is not None and statement.printed.verdict(case) is Verdict.REFUTED


def expected(statements: Iterable[Statement[Any]]) -> dict[str, str]:
    """``{file name: content}`` of all certificates, as they should be on disk."""
    return {
        file_name(statement.label): text(certificate(statement, statement.counterexample))
        for statement in statements
        if statement.counterexample is not None
    }


def write_all(statements: Iterable[Statement[Any]], directory: Path = DIRECTORY) -> list[Path]:
    """Write every certificate, and remove files that belong to no statement any more."""
    directory.mkdir(exist_ok=True)
    wanted = expected(statements)
    for stale in set(directory.glob("*.json")) - {directory / name for name in wanted}:
        stale.unlink()
    for name, content in wanted.items():
        if not (directory / name).exists() or (directory / name).read_text(encoding="utf-8") != content:
            write_text(directory / name, content)
    return [directory / name for name in wanted]
