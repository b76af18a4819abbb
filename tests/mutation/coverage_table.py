"""Lines and branches that the tests execute, by folder: ``python tests/mutation/coverage_table.py [--kernels]``.

The judges of the mutation campaign run under coverage once (``testmap.py``); this reads what they left.  Compiled code
is out of coverage's sight: with ``--kernels`` some tests of planning and learning run again with numba switched off,
each for at most a stated time: what it has executed by then counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from campaign import FOLDERS, PLACE
from testmap import NO_JUDGES, ROOT, measure

#: Tests of small models that between them call every kernel.
KERNELS = (
    *(f"tests/planning/test_{name}.py" for name in ("kernels_plain", "plan_between", "plan_polygons")),
    *(f"tests/planning/test_{name}.py" for name in ("plan_discounted", "plan_tails", "grid_forms", "error_constants")),
    *(f"tests/learning/test_learn_{name}.py" for name in ("plan", "sets", "run", "reference", "rows", "curves")),
)


def table(data: Path) -> str:
    """A row a folder; below it every file that stays under 95 % with the lines that nothing executes."""
    from coverage import Coverage

    measured = Coverage(data_file=str(data), branch=True)
    measured.load()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    missing = []
    for subject, folder in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            numbers = measured._analyze(str(path)).numbers
            wanted = numbers.n_statements + numbers.n_branches
            met = wanted - numbers.n_missing - numbers.n_missing_branches
            counts[subject][0] += met
            counts[subject][1] += wanted
            if wanted and met < 0.95 * wanted:
                lines = measured.analysis2(str(path))[4]
                missing.append(f"| {path.relative_to(ROOT)} | {met / wanted:.0%} | {lines} |")
    rows = ["| folder | lines and branches | executed |", "|---|---|---|"]
    rows += [f"| {name} | {wanted} | {met / max(1, wanted):.1%} |" for name, (met, wanted) in counts.items()]
    return "\n".join([*rows, "", "| file | executed | lines that no test executes |", "|---|---|---|", *missing])


def without_compiler(data: Path) -> None:
    """Kernels as plain Python, added to the same data."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "short_tests", "--cov=verified_risk", "--cov-append"]
    command += ["--cov-branch", "-k", " and ".join(f"not {name}" for name in NO_JUDGES)]
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(data), "PYTHONPATH": path}
    subprocess.run([*command, "--cov-report=", *KERNELS], cwd=ROOT, env=environment, check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--again", action="store_true", help="run the tests even if an earlier run left its data")
    parser.add_argument("--kernels", action="store_true", help="also run the kernels as plain Python (slow)")
    asked = parser.parse_args()
    data = PLACE / "coverage"
    if asked.again or not data.exists():
        measure(PLACE, os.cpu_count() or 1).save(PLACE / "tests.json")
    if asked.kernels:
        without_compiler(data)
    print(table(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
