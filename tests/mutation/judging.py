"""Which tests judge a fault, and how they run on a copy of the packages in which it is planted.

The suite is measured once under coverage, without tests that would notice any edit at all, as digests differ.

A judge is a test or a file of tests.  Processes come from a fork server that has imported what all tests need, and are
stopped by seconds of their own processor, not of the clock: a loaded machine makes nothing a kill.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from operators import Mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("verified_risk", "proofs_checks")
JUDGES = ("model", "objectives", "interop", "planning", "proving", "learning", "experiments", "checks", "cli")
NO_JUDGES = ("fresh", "stale", "test_formal_record", "test_cli_interrupt")
#: Compiled code runs outside coverage's sight: its judges are the tests of its subject.
COMPILED = {
    "verified_risk/kernels/learn": "tests/learning/",
    "verified_risk/experiments/bernstein_pass": "tests/learning/",
    "verified_risk/kernels/": "tests/planning/",
}

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


@dataclass(frozen=True)
class JudgeMap:
    """``lines[file][line]`` is the tests that execute it, ``seconds[test]`` how long each takes."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def judges(self, file: str, line: int, budget: float) -> list[str]:
        """The quickest tests that execute the line, as many as take ``budget`` seconds together.

        Every test is there with one of its cases before another has two.
        """
        ran = self.lines.get(file, {})
        tests = set(ran.get(line, ()))
        if not tests:  # executed on import: whoever executes anything of the file
            tests = {test for covered in ran.values() for test in covered}
        for start, folder in COMPILED.items():
            if file.startswith(start):
                tests |= {test for test in self.seconds if test.startswith(folder)}
                break
        chosen: list[str] = []
        spent = 0.0
        for _, _, test in sorted(self._ranked(tests & self.seconds.keys())):
            spent += self.seconds[test]
            if chosen and spent > budget:
                break
            chosen.append(test)
        return chosen

    def _ranked(self, tests: Iterable[str]) -> Iterator[tuple[int, float, str]]:
        """Each with its place among the cases of the same test, and its seconds."""
        places: Counter[str] = Counter()
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            name = test.partition("[")[0]
            yield places[name], self.seconds[test], test
            places[name] += 1

    def save(self, path: Path) -> None:
        names = sorted(self.seconds)
        number = {name: i for i, name in enumerate(names)}
        lines = {
            file: {str(line): [number[test] for test in tests if test in number] for line, tests in ran.items()}
            for file, ran in self.lines.items()
        }
        path.write_text(json.dumps({"tests": names, "seconds": [self.seconds[n] for n in names], "lines": lines}))

    @staticmethod
    def load(path: Path) -> JudgeMap:
        data = json.loads(path.read_text())
        names = data["tests"]
        lines = {
            file: {int(line): [names[i] for i in tests] for line, tests in ran.items()}
            for file, ran in data["lines"].items()
        }
        return JudgeMap(lines, dict(zip(names, data["seconds"], strict=True)))


def measure(folder: Path, workers: int) -> JudgeMap:
    """Run the judges under coverage; the data stay in ``folder`` for ``coverage report``."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "coveragerc"
    data, report = folder / "coverage", folder / "tests.xml"
    settings.write_text(f"[run]\nbranch = true\nsource = {', '.join(PACKAGES)}\ndata_file = {data}\n")
    judges = [f"tests/{name}" for name in JUDGES if (ROOT / "tests" / name).is_dir()]
    names = " and ".join(f"not {name}" for name in NO_JUDGES)
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers if workers > 1 else 0), "-k", names]
    command += [f"--junitxml={report}", "-o", "junit_family=xunit1"]
    command += ["--cov-context=test", f"--cov-config={settings}", "--cov-report="]
    command += [f"--cov={name}" for name in PACKAGES] + judges
    subprocess.run(command, cwd=ROOT, check=False)  # a failing test is no judge, the others are
    return JudgeMap(_lines(data), _seconds(report))


def _seconds(report: Path) -> dict[str, float]:
    """The tests that passed, by pytest's own names."""
    passed = {}
    for case in ElementTree.parse(report).iter("testcase"):
        if any(child.tag in ("failure", "error", "skipped") for child in case):
            continue
        file = case.get("file") or (case.get("classname", "").replace(".", "/") + ".py")
        inside = case.get("classname", "").removeprefix(file.removesuffix(".py").replace("/", ".")).strip(".")
        parts = [file, *([inside] if inside else []), case.get("name", "")]
        passed["::".join(parts)] = float(case.get("time", 0))
    return passed


def _lines(data: Path) -> dict[str, dict[int, list[str]]]:
    from coverage import CoverageData

    recorded = CoverageData(str(data))
    recorded.read()
    lines: dict[str, dict[int, list[str]]] = {}
    for path in recorded.measured_files():
        file = Path(path).relative_to(ROOT).as_posix()
        by_line = recorded.contexts_by_lineno(path)
        tests = {line: sorted({name.split("|")[0] for name in names if name}) for line, names in by_line.items()}
        lines[file] = {line: names for line, names in tests.items() if names}
    return lines
