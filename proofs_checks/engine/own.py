"""Audits of one's own: statements from a module, and a folder with an example to start from."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from verified_risk.errors import InvalidArgument
from verified_risk.files import write_text

from .model import Statement

EXAMPLE = Path(__file__).parents[1] / "new_audit.md"
FILES = re.compile(r"^`(\S+)`\n\n````\n(.*?)^````$", re.MULTILINE | re.DOTALL)


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
    """Write the files of ``new_audit.md`` (a paper, two claims, a generator, a test), their certificate and page."""
    if folder.exists():
        raise InvalidArgument(f"{folder} exists, wanted the name of a new folder")
    folder.mkdir(parents=True)
    for name, text in FILES.findall(EXAMPLE.read_text("utf-8")):
        write_text(folder / name, text)
    command = ["audit", "--module", "claims", "--html", "audit.html", "--examples", "50", "--jobs", "1"]
    program = "import claims; claims.write_certificates(); from verified_risk.cli import main; main()"
    subprocess.run([sys.executable, "-Bc", program, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return sorted(path for path in folder.rglob("*") if path.is_file())
