"""A sampling mutation campaign: ``python tests/mutation/campaign.py [--map] [--sample N] [--folder NAME ...]``.

Faults (``operators.py``) are drawn per folder, written one at a time into a copy of the packages and judged by the
tests that execute the changed line (``testmap.py``).  Results are appended to ``.mutate/results.jsonl``: a campaign
that was stopped goes on where it was, and only faults whose file is unchanged count.  A survivor is a test to write, or
a line in ``equivalent.json`` that says why no test can see it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue

from operators import Mutant, mutants
from testmap import ROOT, JudgeMap, measure

FOLDERS = {
    "planning": "verified_risk/planning",
    "learning": "verified_risk/learning",
    "objectives": "verified_risk/objectives",
    "kernels": "verified_risk/kernels",
    "grid": "verified_risk/grid",
    "mdp": "verified_risk/mdp",
    "policy": "verified_risk/policy",
    "numbers": "verified_risk/numbers",
    "proving": "verified_risk/proving",
    "interop": "verified_risk/interop",
    "engine": "proofs_checks/engine",
    "recheck": "proofs_checks/recheck",
    "theory": "proofs_checks/theory",
}
PLACE = ROOT / ".mutate"
ARGUMENTS = Path(__file__).with_name("equivalent.json")
COPIED = ("verified_risk", "proofs_checks", "tests", "docs")
FILES = ("pyproject.toml", "README.md", "Makefile", "CITATION.cff", "CHANGELOG.md")
BUILT = shutil.ignore_patterns("*.vo", "*.vok", "*.vos", "*.glob", "*.aux", "_build")


def drawn(folder: str, count: int, seed: int) -> list[Mutant]:
    """``count`` faults of a folder: a file is drawn as often as it has places."""
    every = [
        one
        for path in sorted((ROOT / FOLDERS[folder]).rglob("*.py"))
        for one in mutants(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    return random.Random(f"{folder} {seed}").sample(every, min(count, len(every)))


def digest(file: str) -> str:
    return sha256((ROOT / file).read_bytes()).hexdigest()[:16]


def copy_to(place: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=BUILT)
    for name in FILES:
        shutil.copy(ROOT / name, place / name)


def judge(place: Path, mutant: Mutant, tests: list[str], patience: float) -> str:
    """``killed by TEST``, ``killed by time``, ``survived`` or ``no test``, in a copy that is left as it was."""
    if not tests:
        return "no test"
    changed = place / mutant.file
    source = changed.read_text(encoding="utf-8")
    names = place / "judges.txt"
    names.write_text("\n".join(tests) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", f"@{names}"]
    environment = {**os.environ, "PYTHONPATH": str(place), "HYPOTHESIS_STORAGE_DIRECTORY": str(place / ".hypothesis")}
    changed.write_text(mutant.of(source), encoding="utf-8")
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return "killed by time"
    finally:
        changed.write_text(source, encoding="utf-8")
    if done.returncode == 0:
        return "survived"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode in (1, 2, 3, 4) and (failed or "rror" in done.stdout + done.stderr):
        return f"killed by {failed[0][:150] if failed else 'an error on import'}"
    raise RuntimeError(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-500:]}")


def known(results: Path) -> dict[str, dict[str, str]]:
    """Earlier results whose file has not changed since."""
    rows: dict[str, dict[str, str]] = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if (ROOT / row["file"]).exists() and row["digest"] == digest(row["file"]):
                rows[row["name"]] = row
    return rows


def run(chosen: list[tuple[str, Mutant]], tests: JudgeMap, workers: int, budget: float) -> Iterator[dict[str, str]]:
    """Judge every fault, each worker in a copy of its own."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder, ThreadPoolExecutor(workers) as pool:
        places: SimpleQueue[Path] = SimpleQueue()
        for i in range(workers):
            copy_to(Path(folder) / str(i))
            places.put(Path(folder) / str(i))

        def one(item: tuple[str, Mutant]) -> dict[str, str]:
            subject, mutant = item
            judges = tests.judges(mutant.file, mutant.line, budget)
            patience = 60 + 5 * sum(tests.seconds[name] for name in judges)
            place = places.get()
            try:
                verdict = judge(place, mutant, judges, patience)
            finally:
                places.put(place)
            return {
                "name": mutant.name, "folder": subject, "file": mutant.file, "line": str(mutant.line),
                "what": mutant.what, "digest": digest(mutant.file), "verdict": verdict, "judges": str(len(judges)),
            }  # fmt: skip

        yield from pool.map(one, chosen)


def argument(row: dict[str, str]) -> str | None:
    """Why no test can see this fault, if someone has said so."""
    said = json.loads(ARGUMENTS.read_text(encoding="utf-8"))
    text = (ROOT / row["file"]).read_text(encoding="utf-8").splitlines()[int(row["line"]) - 1].strip()
    for entry in said:
        if (entry["file"], entry["line"], entry["what"]) == (row["file"], text, row["what"]):
            return str(entry["why"])
    return None


def table(rows: list[dict[str, str]]) -> str:
    """Kill rates by folder, then the survivors."""
    lines = ["| folder | faults | killed | argued equivalent | survived | killed of those not equivalent |"]
    lines.append("|---|---|---|---|---|---|")
    left = []
    for folder in FOLDERS:
        here = [row for row in rows if row["folder"] == folder]
        if not here:
            continue
        count: Counter[str] = Counter()
        for row in here:
            killed = row["verdict"].startswith("killed")
            state = "killed" if killed else "equivalent" if argument(row) else "survived"
            count[state] += 1
            if state == "survived":
                left.append(row)
        share = count["killed"] / max(1, len(here) - count["equivalent"])
        numbers = (len(here), count["killed"], count["equivalent"], count["survived"])
        lines.append(f"| {folder} | {' | '.join(map(str, numbers))} | {share:.0%} |")
    lines += ["", "| survivor | fault | |", "|---|---|---|"]
    lines += [f"| {row['file']}:{row['line']} | {row['what']} | {row['verdict']} |" for row in left]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--map", action="store_true", help="measure again which tests execute which lines")
    parser.add_argument("--sample", type=int, default=40, help="faults per folder (default 40)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", action="append", choices=list(FOLDERS), help="only these (default: all)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests per fault (default 60)")
    parser.add_argument("--table", action="store_true", help="print the table of what is known and stop")
    asked = parser.parse_args()
    PLACE.mkdir(exist_ok=True)
    where, results = PLACE / "tests.json", PLACE / "results.jsonl"
    chosen = [(name, one) for name in asked.folder or FOLDERS for one in drawn(name, asked.sample, asked.seed)]
    rows = known(results)
    if not asked.table:
        if asked.map or not where.exists():
            measure(PLACE, asked.workers).save(where)
        tests = JudgeMap.load(where)
        left = [(subject, one) for subject, one in chosen if one.name not in rows]
        for row in run(left, tests, asked.workers, asked.budget):
            rows[row["name"]] = row
            with results.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            print(f"{row['file']}:{row['line']}: {row['what']}: {row['verdict']}", flush=True)
    print(table([rows[one.name] for _, one in chosen if one.name in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
