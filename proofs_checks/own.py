"""Audits of one's own: statements from a module, and a folder with an example to start from."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

from verified_risk.errors import InvalidArgument

from .engine.model import Statement

EXAMPLE = Path(__file__).parent / "new-audit"


def statements_of(module: str) -> list[Statement[Any]]:
    """The ``STATEMENTS`` of a module, which may lie in the working directory; ``InvalidArgument`` if it has none."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = list(getattr(import_module(module), "STATEMENTS", ()))
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"module {module!r} cannot be imported: {error}") from error
    wrong = [entry for entry in found if not isinstance(entry, Statement)]
    if wrong or not found:
        raise InvalidArgument(f"{module}.STATEMENTS is {wrong[0] if wrong else found!r}, wanted a list of statements")
    return found


def new_audit(folder: Path) -> list[Path]:
    """Write a small audit: a paper, two claims, a generator, a certificate, a test, and the page of its audit."""
    if folder.exists():
        raise InvalidArgument(f"{folder} exists, wanted the name of a new folder")
    copytree(EXAMPLE, folder, ignore=ignore_patterns("__pycache__"))
    command = ("audit", "--module", "claims", "--html", "audit.html", "--jobs", "1")
    run = [sys.executable, "-c", "from verified_risk.cli import main; main()", *command]
    subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
