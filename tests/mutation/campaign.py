"""Draw faults and see which ones tests notice.

    python tests/mutation/campaign.py [--map] [--sample N] [--folder NAME ...]

Faults (``operators.py``) are drawn per folder, as many of each kind, written one at a time into a copy of the packages
and judged by the tests that execute the changed line (``judging.py``; measured by the first campaign, again by
``--map``).  Results are appended to ``.mutate/results.jsonl``: a campaign that was stopped goes
on where it was, and only faults whose file is unchanged count.  A survivor is a test to write, or an entry of
``equivalent.json`` that says why no test can see it.

Tests that fail in the copy without any fault (because they compare digests, or need a file that was not copied) are
ignored; to find them, every module of the drawn folders ends with a comment of its own there.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from queue import SimpleQueue

from judging import ROOT, JudgeMap, Judges, copy_to, measure, modules, run
from operators import KINDS, Mutant, candidates, parses

FOLDERS = {
    "planning": "verified_risk/planning",
    "learning": "verified_risk/learning",
    "objectives": "verified_risk/objectives",
    "kernels": "verified_risk/kernels",
    "grid": "verified_risk/grid.py",
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


def drawn(folder: str, count: int, seed: int) -> list[Mutant]:
    """``count`` faults of a folder, one of each kind in turn; within a kind, a file as often as it has places.

    The order is that of digests of the faults' own lines, so that an edit elsewhere changes no draw.
    """
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in modules(ROOT / FOLDERS[folder])
    }
    lines = {file: source.splitlines() for file, source in sources.items()}

    def key(one: Mutant) -> str:
        return sha256(f"{seed} {one.file} {lines[one.file][one.line - 1].strip()} {one.what}".encode()).hexdigest()

    every = sorted((one for file, source in sources.items() for one in candidates(file, source)), key=key)

    def of(kind: str) -> Iterator[Mutant]:
        return (one for one in every if one.kind == kind and parses(one.of(sources[one.file])))

    turns = zip_longest(*map(of, KINDS))
    return list(islice((one for turn in turns for one in turn if one is not None), count))


def digest(file: str) -> str:
    return sha256((ROOT / file).read_bytes()).hexdigest()[:16]


def collected(place: Path, files: Iterable[str]) -> set[str]:
    """The tests of these files of the copy, by pytest's names: a map that was measured earlier may know others."""
    code, said = run(place, ["--collect-only", *sorted(file for file in files if (place / file).exists())], 600)
    if code:
        raise RuntimeError(f"pytest ended with {code}: {said[-500:]}")
    return {line for line in said.splitlines() if "::" in line}


def known(results: Path) -> dict[str, dict[str, str]]:
    """Earlier results whose file has not changed since."""
    rows: dict[str, dict[str, str]] = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if (ROOT / row["file"]).exists() and row["digest"] == digest(row["file"]):
                rows[row["name"]] = row
    return rows


def judged(
    chosen: list[tuple[str, Mutant]],
    tests: JudgeMap,
    workers: int,
    budget: float,
    killers: Counter[tuple[str, str]],
    alone: Sequence[str] = (),
) -> Iterator[dict[str, str]]:
    """Judge every fault, each worker in a copy of its own; tests that noticed a fault of the same file run first.

    ``alone`` are tests that judge instead of those chosen here.
    """
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder, ThreadPoolExecutor(workers) as pool:
        places: SimpleQueue[Path] = SimpleQueue()
        room = Judges()
        for i in range(workers):
            copy_to(Path(folder) / str(i), sorted({FOLDERS[subject] for subject, _ in chosen}))
            places.put(Path(folder) / str(i))
        there = collected(Path(folder) / "0", {test.partition("::")[0] for test in tests.seconds})

        def one(item: tuple[str, Mutant]) -> dict[str, str]:
            subject, mutant = item
            found = [test for test in tests.judges(mutant.file, mutant.line, budget) if test in there]
            judges = list(alone) or sorted(found, key=lambda test: -killers[mutant.file, test])
            seconds = budget if alone else 10 + 3 * sum(tests.seconds[name] for name in judges)
            place = places.get()
            try:
                verdict = room.verdict(place, mutant, judges, seconds, hangs=not alone)
            except RuntimeError as error:  # a fault that no test can judge must not end the campaign
                verdict = f"not judged: {error}"
            finally:
                places.put(place)
            killers[mutant.file, verdict.removeprefix("killed by ")] += 1
            return {
                "name": mutant.name, "folder": subject, "file": mutant.file, "line": str(mutant.line),
                "what": mutant.what, "digest": digest(mutant.file), "verdict": verdict, "judges": str(len(judges)),
            }  # fmt: skip

        for done in as_completed([pool.submit(one, item) for item in chosen]):
            yield done.result()


def argument(row: dict[str, str]) -> str | None:
    """The recorded reason why no test can see this fault, if there is one."""
    said = json.loads(ARGUMENTS.read_text(encoding="utf-8"))
    text = (ROOT / row["file"]).read_text(encoding="utf-8").splitlines()[int(row["line"]) - 1].strip()
    for entry in said:
        if (entry["file"], entry["line"], entry["what"]) == (row["file"], text, row["what"]):
            return str(entry["why"])
    return None


def outdated(said: list[dict[str, str]]) -> list[str]:
    """Arguments about a line that is no longer there: they excuse nothing and can go."""
    texts = {entry["file"]: ROOT / entry["file"] for entry in said}
    lines = {
        file: {line.strip() for line in path.read_text(encoding="utf-8").splitlines()} if path.exists() else set()
        for file, path in texts.items()
    }
    return [f"{entry['file']}: {entry['line']}" for entry in said if entry["line"] not in lines[entry["file"]]]


def survived(row: dict[str, str] | None) -> bool:
    return row is not None and not row["verdict"].startswith("killed") and argument(row) is None


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
    parser.add_argument("--budget", type=float, default=60, help="processor seconds of tests per fault (default 60)")
    parser.add_argument("--survivors", action="store_true", help="judge again what survived, if no argument is given")
    parser.add_argument("--by", action="append", metavar="TESTS", help="judge by these tests alone")
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
        if asked.survivors:
            left += [item for item in chosen if survived(rows.get(item[1].name))]
        killers = Counter((row["file"], row["verdict"].removeprefix("killed by ")) for row in rows.values())
        for row in judged(left, tests, asked.workers, asked.budget, killers, asked.by or ()):
            rows[row["name"]] = row
            if not row["verdict"].startswith("not judged"):  # such a fault is tried again next time
                with results.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
            print(f"{row['file']}:{row['line']}: {row['what']}: {row['verdict']}", flush=True)
    print(table([rows[one.name] for _, one in chosen if one.name in rows]))
    for entry in outdated(json.loads(ARGUMENTS.read_text(encoding="utf-8"))):
        print(f"an argument about a line that is gone: {entry}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
