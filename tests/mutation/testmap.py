"""Which tests execute which lines, measured once: the suite under coverage, every line with the tests that ran it.

Tests that compare digests or the form of the sources would notice any edit at all, so they judge no fault here.  A test
that fails or is skipped is left out.
"""

from __future__ import annotations

import ast
import json
import re
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
    "verified_risk/experiments/baselines": "tests/learning/",
    "verified_risk/kernels/": "tests/planning/",
}


#: Where the tests of a folder live, for :func:`named_judges`.
SUBJECTS = {
    "verified_risk/planning": "planning",
    "verified_risk/learning": "learning",
    "verified_risk/kernels/learn": "learning",
    "verified_risk/experiments/b": "learning",  # baselines.py
    "verified_risk/kernels": "planning",
    "verified_risk/objectives": "objectives",
    "verified_risk/grid": "planning",
    "verified_risk/proving": "proving",
    "verified_risk/interop": "interop",
    "proofs_checks": "checks",
    "": "model",
}


#: Quick tests that execute most of a folder; they judge first.
QUICK = {
    "verified_risk/planning": ("tests/planning/test_forged_bounds.py", "tests/planning/test_error_constants.py"),
    "verified_risk/learning": ("tests/learning/test_learn_curves.py", "tests/learning/test_learn_plan.py"),
    "verified_risk/objectives": (
        "tests/objectives/test_lines_and_turns.py",
        "tests/objectives/test_objectives.py",
        "tests/planning/test_plan_polygons.py",
    ),
    "proofs_checks/engine/codec": (
        "tests/checks/test_certificates.py::test_the_package_reads_its_own_certificate_and_agrees",
        "tests/checks/test_codec.py",
    ),
    "proofs_checks/engine": (
        "tests/checks/test_audit.py",
        "tests/checks/test_audit_counts.py",
        "tests/checks/test_verdicts.py",
    ),
    "proofs_checks/recheck": (
        "tests/checks/test_recheck_hypotheses.py",
        "tests/checks/test_recheck_sides.py",
        "tests/checks/test_certificates.py::test_every_file_refutes_by_the_checker_alone_without_any_installed_package",
        "tests/checks/test_recheck_regret.py::test_the_standalone_checker_refutes_exactly_what_the_package_refutes",
        "tests/checks/test_certificates.py::test_the_package_reads_its_own_certificate_and_agrees",
        "tests/checks/test_signed_certificates.py",
    ),
}


def named_judges(file: str, most: int = 6) -> list[str]:
    """Without a measurement: quick tests, then files that name the module or what it defines, rare names counting
    more."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    defined = {
        node.name.lstrip("_")
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("__")
    }
    home = next(subject for start, subject in SUBJECTS.items() if file.startswith(start))
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in JUDGES
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))
        if not any(name in path.name for name in NO_JUDGES)
    }
    words = {name: set(re.findall(r"\w+", text)) for name, text in texts.items()}
    rarity = {word: 1 / max(1, sum(word in said for said in words.values())) for word in defined}

    def score(test: str) -> float:
        *_, folder, own = module.split(".")
        named = 2.0 * (module in texts[test] or own in words[test]) + (folder in words[test])
        return named + sum(rarity[word] for word in defined & words[test]) + 3 * (test.split("/")[1] == home)

    ranked = sorted(texts, key=lambda test: (-score(test), len(texts[test])))
    quick = [test for start, tests in QUICK.items() if file.startswith(start) for test in tests]
    return quick + [test for test in ranked if score(test) >= 2 and test not in quick][:most]


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
    command += [
        f"--junitxml={report}",
        "-o",
        "junit_family=xunit1",
        "--cov-context=test",
        f"--cov-config={settings}",
        "--cov-report=",
    ]
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
