"""Run the properties in turn until time is up: in this process, on a pool of processes, or on dask.

The folder of a run has counts, a file and a test for each kind of failure, and a summary page.  The state is written
after every batch, so a killed run can be continued.  Batches that were running when it was killed are not counted, and
their seeds are not used again.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from itertools import cycle
from multiprocessing import get_context
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk import files
from verified_risk.errors import InvalidArgument, InvalidFile
from verified_risk.pool import calls
from verified_risk.pool import workers as start

from ..engine.search import leaving_nothing
from . import commands, learning, planning, readers, statements
from .property import Batch, Case, Failure, Outcome, Property, run_cases

STATE, PAGE, FAILURES = "fuzz.json", "summary.md", "failures"
TEST = '''"""Found by `verified-risk fuzz`: {title}.

Seed {seed}.  Run it with pytest; it fails until the fault is fixed.
"""

import json

from proofs_checks.fuzz import check

CASE = json.loads(
    {case}
)


def test_{function}():
    check({name!r}, CASE)
'''


@dataclass
class Count:
    """Totals of one property over all runs."""

    batches: int = 0
    cases: int = 0
    seconds: float = 0.0
    failures: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    absent: str | None = None  # the reason why the property could not be checked in the last run; None if it could


class Folder:
    """The state of a fuzz run on disk.  ``seed=None`` uses the seed stored in the folder, or 0."""

    def __init__(self, path: Path, seed: int | None) -> None:
        self.path = path
        state = path / STATE
        self.runs, self.seed, self.counts = 0, seed or 0, dict[str, Count]()
        if state.exists():
            held, self.runs, self.counts = files.read(state, "fuzz", _parsed)
            if seed is not None and seed != held:
                raise InvalidArgument(f"{path} holds a run of seed {held}, not {seed}: choose another --out")
            self.seed = held
        elif path.exists() and any(path.iterdir()):
            raise InvalidFile(f"{path} is not empty and holds no fuzz run: choose another folder")
        self.runs += 1
        (path / FAILURES).mkdir(parents=True, exist_ok=True)
        self.write()

    def count(self, name: str) -> Count:
        return self.counts.setdefault(name, Count())

    def next_batch(self, name: str, seconds: float) -> Batch:
        """The next batch of unused seeds."""
        count = self.count(name)
        count.batches += 1
        return Batch(name, self.seed, count.batches - 1, seconds)

    def add(self, prop: Property, outcome: Outcome) -> list[Failure]:
        """Count a batch and return the failures that are new."""
        count = self.count(prop.name)
        count.cases += outcome.cases
        count.seconds += outcome.seconds
        count.failures += len(outcome.failures)
        for reason, times in outcome.skipped.items():
            count.skipped[reason] = count.skipped.get(reason, 0) + times
        new = [failure for failure in outcome.failures if self._keep(prop, failure)]
        self.write()
        return new

    def _keep(self, prop: Property, failure: Failure) -> bool:
        """Store a failure and its test, or count it towards a stored one; return True if it is new."""
        stem = f"{failure.name.replace('-', '_')}_{failure.signature}"
        path = self.path / FAILURES / f"{stem}.json"
        if path.exists():
            held = files.read(path, "failure", dict)
            held["times"] += 1
            if len(json.dumps(failure.case)) < len(json.dumps(held["case"])):
                held.update(asdict(failure))
                self._write_test(prop, failure, stem)
            files.write(path, "failure", held)
            return False
        files.write(path, "failure", {**asdict(failure), "times": 1})
        self._write_test(prop, failure, stem)
        return True

    def _write_test(self, prop: Property, failure: Failure, stem: str) -> None:
        case = json.dumps(failure.case)
        pieces = [repr(case[i : i + 100]) for i in range(0, len(case), 100)]
        content = TEST.format(
            title=prop.title, seed=failure.seed, case="\n    ".join(pieces), function=stem, name=failure.name
        )
        files.write_text(self.path / FAILURES / f"test_{stem}.py", content)

    def failures(self) -> list[dict[str, Any]]:
        """All stored failures, with how often each occurred."""
        return [files.read(path, "failure", dict) for path in sorted((self.path / FAILURES).glob("*.json"))]

    def write(self) -> None:
        counts = {name: asdict(count) for name, count in sorted(self.counts.items())}
        files.write(self.path / STATE, "fuzz", {"seed": self.seed, "runs": self.runs, "counts": counts})

    def write_page(self) -> None:
        """``summary.md``: cases and failures of every property, then the failures."""
        lines = [
            "# Fuzzing",
            "",
            f"Seed {self.seed}, {self.runs} run{'s' * (self.runs != 1)}. Skipped cases do not test the property.",
            "",
            "| property | what | cases | skipped | seconds | failures |",
            "|---|---|---:|---:|---:|---:|",
        ]
        for name, count in self.counts.items():
            title = BY_NAME[name].title if name in BY_NAME else ""
            what = title + (f" (not checked: {count.absent})" if count.absent else "")
            skipped = sum(count.skipped.values())
            lines.append(f"| {name} | {what} | {count.cases} | {skipped} | {count.seconds:.0f} | {count.failures} |")
        kept = self.failures()
        lines += ["", f"## Failures: {len(kept)} kinds", ""]
        for one in kept:
            error = one["error"][:300].replace("|", "\\|").replace("`", "'")
            lines.append(f"- **{one['name']}**, {one['times']} times, seed {one['seed']}, in {one['where']}: `{error}`")
        files.write_text(self.path / PAGE, "\n".join(lines) + "\n")


def _parsed(data: dict[str, Any]) -> tuple[int, int, dict[str, Count]]:
    return data["seed"], data["runs"], {name: Count(**count) for name, count in data["counts"].items()}


ALL: tuple[Property, ...] = (
    *planning.PROPERTIES,
    *learning.PROPERTIES,
    *statements.PROPERTIES,
    *readers.PROPERTIES,
    *commands.PROPERTIES,
)
BY_NAME = {prop.name: prop for prop in ALL}


def chosen(names: Sequence[str]) -> list[Property]:
    """The named properties, or all of them."""
    for name in names:
        if name not in BY_NAME:
            raise InvalidArgument(f"unknown property {name!r}, wanted one of {', '.join(BY_NAME)}")
    return [prop for prop in ALL if not names or prop.name in names]


def check(name: str, case: Case) -> None:
    """Check one case again.  The tests written for failures call this."""
    prop = BY_NAME[name]
    if "batch" in case:
        ran = run_cases(prop, Batch(**case["batch"]))
        assert not ran.failures, ran.failures[0].error
        return
    prop.check(case)


def run_batch(batch: Batch) -> Outcome:
    """Run one batch of cases in this process."""
    warmed(batch.name)
    return run_cases(BY_NAME[batch.name], batch)


@cache
def warmed(name: str) -> None:
    """Compile the kernels that the property needs, once per process."""
    BY_NAME[name].warm()


BATCH_SECONDS = 2.0


@dataclass
class Report:
    """The result of a run: the counts of its folder over all runs, and the cases and failures of this run."""

    folder: Path
    page: Path
    counts: dict[str, Count]
    cases: int = 0
    found: list[Failure] = field(default_factory=list)  # failures that the folder did not hold before
    met: int = 0  # number of failing cases, known ones included


def run(
    folder: str | PathLike[str],
    *,
    seconds: float,
    properties: Sequence[str] = (),
    workers: int = 0,
    cluster: str | None = None,
    seed: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Fuzz for ``seconds`` and keep the results in ``folder``; a later run there continues with new seeds.  Batches run
    in ``workers`` processes (0: in this process), or on the dask scheduler ``cluster="tcp://..."``."""
    if seconds <= 0:
        raise InvalidArgument(f"the time is {seconds} s, wanted more than 0")
    wanted = chosen(properties)
    kept = Folder(Path(folder), seed)
    for prop in wanted:
        kept.count(prop.name).absent = prop.available()
    ready = [prop for prop in wanted if kept.count(prop.name).absent is None]
    if not ready:
        raise InvalidArgument(f"no property can be checked: {kept.count(wanted[0].name).absent}")
    report = Report(kept.path, kept.path / PAGE, kept.counts)
    for prop in ready:
        warmed(prop.name)  # the workers find the compiled kernels in the cache
    until = time.monotonic() + seconds
    turns = cycle(ready)

    def more() -> Batch | None:
        left = until - time.monotonic()
        return kept.next_batch(next(turns).name, min(BATCH_SECONDS, left)) if left > 0 else None

    try:
        with leaving_nothing():
            for batch, outcome in _outcomes(more, workers, cluster):
                report.found += kept.add(BY_NAME[batch.name], outcome)
                report.cases += outcome.cases
                report.met += len(outcome.failures)
                if progress is not None:
                    left = max(0.0, until - time.monotonic())
                    progress(f"{report.cases} cases, {report.met} failing, {left:.0f} s left")
    finally:
        kept.write_page()
        kept.write()
    return report


def _outcomes(more: Callable[[], Batch | None], workers: int, cluster: str | None) -> Iterator[tuple[Batch, Outcome]]:
    """Run the batches in this process without workers, otherwise in a pool."""
    if workers == 0 and cluster is None:
        while (batch := more()) is not None:
            yield batch, run_batch(batch)
        return
    for batch, future in calls(run_batch, more, partial(start, workers, cluster, get_context("spawn"))):
        yield batch, _died(batch) if future is None else future.result()


def _died(batch: Batch) -> Outcome:
    """The outcome of a batch during which a worker died."""
    again = {"batch": asdict(batch)}
    error = "a worker process died while this batch, or one beside it, was running"
    seed = f"{batch.seed}/{batch.name}/{batch.number}"
    return Outcome(cases=1, failures=[Failure(batch.name, seed, error, "", error, again)])
