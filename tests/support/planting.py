"""Import packages afresh with one text changed in memory, and put everything back afterwards.

Tables of mutations are run and printed here as well.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

ROOT = Path(__file__).resolve().parents[2]


class TableError(LookupError):
    """The table of mutations names a text, a module or a test that is not there: this is no kill."""


def source_of(module: str) -> Path:
    """The file of a module of this repository."""
    path = ROOT / (module.replace(".", "/") + ".py")
    if not path.is_file():
        raise TableError(f"{module} has no file {path.relative_to(ROOT)}")
    return path


class _Rewriting(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Loads one module from a changed text."""

    def __init__(self, module: str, old: str, new: str) -> None:
        super().__init__(module, str(source_of(module)))
        self.module, self.old, self.new, self.loaded = module, old, new, False

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> Any:
        text = Path(self.path).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise TableError(f"{self.old!r} occurs {text.count(self.old)} times in {self.module}, wanted once")
        self.loaded = True
        return compile(text.replace(self.old, self.new), self.path, "exec")


@contextmanager
def planted(module: str, old: str, new: str, packages: Collection[str], tests: Collection[str]) -> Iterator[None]:
    """``old`` is ``new`` in ``module`` while the packages and the test modules are imported anew."""

    def ours() -> list[str]:
        return [name for name in sys.modules if name.split(".")[0] in packages or name in tests]

    saved = {name: sys.modules.pop(name) for name in ours()}
    finder = _Rewriting(module, old, new)
    sys.meta_path.insert(0, finder)
    try:
        yield
        if not finder.loaded:
            raise TableError(f"{module}, which should be changed, was never imported")
    finally:
        sys.meta_path.remove(finder)
        for name in ours():
            del sys.modules[name]
        sys.modules.update(saved)


def own_evidence(label: str) -> tuple[Any, Any]:
    """A statement and its enumeration, after the checks that it carries with itself: nothing that is enumerated refutes
    what should be true, and a counterexample refutes, also to the standalone checker."""
    search = importlib.import_module("proofs_checks.engine.search")
    statement = importlib.import_module("proofs_checks.theory").by_label(label)
    seen = search.exhaustive(statement.true_claim, statement.small_cases())
    assert seen.met, f"{label}: the enumeration is vacuous"
    assert not seen.refuted, f"{label}: {seen.refuted} enumerated cases refute what should be true"
    if statement.should_be_refuted:
        recheck = importlib.import_module("proofs_checks.recheck")
        certificate = importlib.import_module("proofs_checks.engine.certificate")
        case = statement.counterexample
        assert statement.printed.verdict(case).value == "refuted", f"{label}: the counterexample does not refute"
        text = certificate.text(certificate.certificate(statement, case))
        assert recheck.check_text(text).refutes, f"{label}: the standalone checker does not refute"
    return statement, seen


class Planted(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def module(self) -> str: ...


Row = TypeVar("Row", bound=Planted)


def report(rows: Sequence[Row], killed: Callable[[Row], str | None]) -> int:
    """Print the table; exit status 1 if a mutation survives."""
    survivors = 0
    print("| mutation | in | killed by | seconds |\n|---|---|---|---|")
    for row in rows:
        start = time.perf_counter()
        how = killed(row)
        survivors += how is None
        shown = "**SURVIVES**" if how is None else how[:120].replace("|", "/")
        print(f"| {row.name} | `{row.module}` | {shown} | {time.perf_counter() - start:.1f} |", flush=True)
    print(f"\n{len(rows) - survivors} of {len(rows)} killed")
    return 1 if survivors else 0
