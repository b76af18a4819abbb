"""Which tests execute which lines, measured once: the suite under coverage, every line with the tests that ran it.

Tests that compare digests or the form of the sources would notice any edit at all, so they judge no fault here.  A test
that fails or is skipped is left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
