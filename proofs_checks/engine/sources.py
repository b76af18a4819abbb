"""The sources of a statement: its file and the modules of this package that it imports, directly or not.

Evidence is stale when any of them changes.  The library ``verified_risk`` is not included; it has its own tests.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path


def depends_on(file: Path) -> list[Path]:
    """The file and everything it imports by relative imports, in alphabetical order."""
    seen: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += imported(path, path.stat().st_mtime_ns)
    return sorted(seen)


@cache
def imported(file: Path, _changed: int) -> tuple[Path, ...]:
    """The modules that a file imports by relative imports, including ``from . import a``."""
    found: list[Path] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parent
            for _ in range(node.level - 1):
                folder = folder.parent
            for part in (node.module or "").split("."):
                folder = folder / part if part else folder
            found += [folder / alias.name for alias in node.names] + [folder]
    return tuple(sorted({path.with_suffix(".py") for path in found if path.with_suffix(".py").is_file()}))


def digest(file: Path) -> str:
    """SHA-256 of the names and contents of :func:`depends_on`; empty if there is no file (interactive use)."""
    if not file.is_file():
        return ""
    total = hashlib.sha256()
    for path in depends_on(file):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
