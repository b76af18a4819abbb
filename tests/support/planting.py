"""Import packages afresh with one text changed in memory, and put everything back afterwards."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
