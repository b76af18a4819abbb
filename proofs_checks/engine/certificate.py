"""Counterexamples as files, described in ``docs/certificate_format.md``.

A file holds the label, the instance and the format version, not the conclusion.  ``proofs_checks/recheck`` recomputes
it with the standard library alone and shares no code with the rest of this package.
"""

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk.errors import InvalidFile
from verified_risk.files import write_text

from .. import recheck
from ..recheck import FORMAT, VERSION
from .model import Statement, Verdict

DIRECTORY = Path(__file__).parents[1] / "certificates"


def certificate(statement: Statement[Any], case: Any) -> dict[str, Any]:
    """The certificate that ``case`` refutes the printed claim of ``statement``."""
    content = {"format": FORMAT, "version": VERSION, "label": statement.label, "instance": statement.encode(case)}
    return {**content, "sha256": recheck.digest(content)}


def text(data: dict[str, Any]) -> str:
    """The content of the file; equal certificates give equal bytes."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def file_name(label: str) -> str:
    """``lem:event/rewards`` is stored in ``lem_event-rewards.json``."""
    return label.replace(":", "_").replace("/", "-").replace(" ", "-") + ".json"


def save(statement: Statement[Any], case: Any, path: str | PathLike[str]) -> None:
    """Write the certificate of ``case`` atomically."""
    write_text(path, text(certificate(statement, case)))


def load(path: str | PathLike[str], statements: Iterable[Statement[Any]]) -> tuple[Statement[Any], Any]:
    """Read the statement and the case of a certificate.  (:mod:`..recheck` is the independent reader.)"""
    data = recheck.read(Path(path).read_text(encoding="utf-8"))
    for statement in statements:
        if statement.label == data["label"]:
            return statement, statement.read(data["instance"])
    raise InvalidFile(f"{path} is about {data['label']!r}, which is not one of the statements")


def refutes(path: str | PathLike[str], statements: Iterable[Statement[Any]]) -> bool:
    """Return True if the slack of the printed claim is negative in the stored case."""
    statement, case = load(path, statements)
    return statement.printed is not None and statement.printed.verdict(case) is Verdict.REFUTED


def expected(statements: Iterable[Statement[Any]]) -> dict[str, str]:
    """``{file name: content}`` of all certificates."""
    return {
        file_name(statement.label): text(certificate(statement, statement.counterexample))
        for statement in statements
        if statement.counterexample is not None
    }


def write_all(statements: Iterable[Statement[Any]], directory: Path = DIRECTORY) -> list[Path]:
    """Write all certificates and remove those of no statement."""
    directory.mkdir(exist_ok=True)
    wanted = expected(statements)
    for stale in set(directory.glob("*.json")) - {directory / name for name in wanted}:
        stale.unlink()
    for name, content in wanted.items():
        if not (directory / name).exists() or (directory / name).read_text(encoding="utf-8") != content:
            write_text(directory / name, content)
    return [directory / name for name in wanted]
