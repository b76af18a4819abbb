"""The folder of a fuzz run: counts, a file and a test for each kind of failure, and a summary page.

The state is written after every batch, so a killed run can be continued.  Batches that were running when it was killed
are not counted, and their seeds are not used again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verified_risk import files
from verified_risk.errors import InvalidArgument, InvalidFile

from .property import Batch, Failure, Outcome, Property

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
    absent: str | None = None
    """Why the property could not be checked in the last run; None if it could."""


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

    def write_page(self, titles: dict[str, str]) -> Path:
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
            what = titles.get(name, "") + (f" (not checked: {count.absent})" if count.absent else "")
            skipped = sum(count.skipped.values())
            lines.append(f"| {name} | {what} | {count.cases} | {skipped} | {count.seconds:.0f} | {count.failures} |")
        kept = self.failures()
        lines += ["", f"## Failures: {len(kept)} kinds", ""]
        for one in kept:
            error = one["error"][:300].replace("|", "\\|").replace("`", "'")
            lines.append(f"- **{one['name']}**, {one['times']} times, seed {one['seed']}, in {one['where']}: `{error}`")
        files.write_text(self.path / PAGE, "\n".join(lines) + "\n")
        return self.path / PAGE


def _parsed(data: dict[str, Any]) -> tuple[int, int, dict[str, Count]]:
    return data["seed"], data["runs"], {name: Count(**count) for name, count in data["counts"].items()}
