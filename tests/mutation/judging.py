"""Tests run on a copy of the packages in which one fault may be planted.

A judge is a test or a file of tests.  Processes come from a fork server that has imported what all tests need, and are
stopped by seconds of their own processor, not of the clock: a loaded machine makes nothing a kill.
"""

import multiprocessing
import os
import resource
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from operators import Mutant
from testmap import PACKAGES, ROOT

COPIED = ("verified_risk", "proofs_checks", "tests", "docs")
FILES = ("pyproject.toml", "README.md", "Makefile", "CITATION.cff", "CHANGELOG.md")
OPTIONS = ("-o", "addopts=", "-q", "-p", "no:cacheprovider", "-p", "no:randomly")
BUILT = shutil.ignore_patterns("*.vo", "*.vok", "*.vos", "*.glob", "*.aux", "_build")
PRELOADED = ("pytest", "numpy", "mpmath", "flint", "numba")
"""Not hypothesis, which imports proofs_checks by its entry point."""

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(list(PRELOADED))


def modules(path: Path) -> list[Path]:
    """The module, or every module of the folder."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def copy_to(place: Path, changed: Sequence[str]) -> None:
    """A copy of what tests need, in which no module of ``changed`` has the bytes that a recorded digest is about."""
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=BUILT)
    for name in FILES:
        shutil.copy(ROOT / name, place / name)
    for folder in changed:
        for path in modules(place / folder):
            path.write_text(path.read_text(encoding="utf-8") + "# a copy\n", encoding="utf-8")


def _pytest(place: str, arguments: list[str], said: str, seconds: int) -> None:
    """In a process of its own: pytest in the copy, its words into a file."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    with open(said, "w", encoding="utf-8") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.chdir(place)
    os.environ["PYTHONPATH"] = place
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{place}/.hypothesis"
    sys.path.insert(0, place)
    early = [name for name in sys.modules if name.split(".")[0] in PACKAGES]
    if early:
        raise ImportError(f"{early[0]} was imported before the fault was planted")
    import pytest

    code = int(pytest.main(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads of a test that failed are not waited for


def run(place: Path, arguments: list[str], seconds: float) -> tuple[int, str]:
    """pytest's exit status (negative: the signal that ended it) and what it said."""
    said = place / "said.txt"
    process = _server.Process(target=_pytest, args=(str(place), [*OPTIONS, *arguments], str(said), int(seconds) + 1))
    process.start()
    process.join()
    return process.exitcode or 0, said.read_text(encoding="utf-8", errors="replace")


def failing(place: Path, tests: list[str], seconds: float, *options: str) -> str:
    """The first test that fails in the copy; ``import`` if none could be collected, ``time`` if they are stopped,
    ``crash`` if compiled code ends the process."""
    code, said = run(place, ["-x", *options, *tests], seconds)
    if code in (0, 5):  # 5: everything is deselected
        return ""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "time"
    if code in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
        return "crash"
    for line in said.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            name = line.partition(" ")[2]
            given = max((test for test in tests if name.startswith(test)), key=len, default="")
            if "::" in given:  # a parameter may contain " - ", which also parts name and message
                return given
            return name.partition(" - ")[0] if "::" in name else "import"
    if code in (1, 2, 3, 4) and "error" in said.lower():
        return "import"
    raise RuntimeError(f"pytest ended with {code}: {said[-500:]}")


class Judges:
    """Runs tests on faults, and keeps which tests pass in a copy without one."""

    def __init__(self) -> None:
        self.sound: set[str] = set()
        self.biased: set[str] = set()

    def verdict(self, place: Path, mutant: Mutant, tests: list[str], seconds: float, *, hangs: bool = True) -> str:
        """``killed by TEST``, or by ``time`` or ``crash``; ``survived`` or ``no test``.  The copy is left as it was.

        ``hangs`` says that tests which are stopped after so many seconds would have ended long before without a fault;
        otherwise the fault survived them.
        """
        while tests := [test for test in tests if test not in self.biased]:
            ignored = [option for test in sorted(self.biased) for option in ("--deselect", test)]
            changed = place / mutant.file
            source = changed.read_text(encoding="utf-8")
            changed.write_text(mutant.of(source), encoding="utf-8")
            try:
                killer = failing(place, tests, seconds, *ignored)
            finally:
                changed.write_text(source, encoding="utf-8")
            if not killer or (killer == "time" and not hangs):
                return "survived" if not killer else "survived so many seconds"
            without = "" if killer in self.sound else self.without(place, killer, tests, seconds)
            if not without:
                self.sound |= {killer} - {"import", "time", "crash"}
                return f"killed by {killer}"
            self.biased.add(without)
        return "no test"

    def without(self, place: Path, killer: str, tests: list[str], seconds: float) -> str:
        """The test that fails though there is no fault."""
        if killer == "import":
            found = failing(place, tests, seconds, "--collect-only")
        else:
            found = failing(place, tests if killer in ("time", "crash") else [killer], 4 * seconds)
        if found in ("import", "time", "crash"):
            raise RuntimeError(f"without a fault the judges end with {found}: {tests}")
        return found
