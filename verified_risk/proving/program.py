"""The checker as a program: where it is, how it is run, what it answers."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from ..errors import MissingDependency
from ..planning.limits import TimeUp
from .certificate import VERSION

ENVIRONMENT = "VERIFIED_RISK_CHECKER"
"""The environment variable that names the program, where it is not where ``make checker`` puts it."""
BUILT = Path(__file__).resolve().parents[2] / "proofs_checks" / "formal" / "checker" / "build" / "checker"
STACK_BYTES_PER_CELL = 160
"""What the checker needs for each cell of its widest row: the extracted code walks a row by recursion."""


SOURCES = (
    "extracted/integer.ml",
    "extracted/checker.ml",
    *(f"driver/{name}.ml" for name in ("source", "limits", "curve_reader", "reader", "main")),
)
"""What ``driver/build.sh`` makes the program of, in this order."""
VERSION_SECONDS = 20.0
"""How long the program may take to say its version: a busy machine is slow, a program that waits is not ours."""


def find_checker() -> Path:
    """The program, or an error that says how to get it, or how to get one that is not out of date."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        if not os.access(named, os.X_OK):
            raise MissingDependency(f"{ENVIRONMENT} is {named!r}, which is not a program")
        return _current(Path(named))
    if os.access(BUILT, os.X_OK):
        return _current(BUILT)
    on_path = shutil.which("verified-risk-checker")
    if on_path:
        return _current(Path(on_path))
    raise MissingDependency(
        f"the verified checker is not built: run `{_build_command()}` "
        "(it needs OCaml with zarith, which root gets with apt)"
    )


def _build_command() -> str:
    in_repository = (BUILT.parents[4] / "Makefile").exists()
    return "make checker" if in_repository else f"sh {BUILT.parents[1] / 'driver' / 'build.sh'}"


def _current(program: Path) -> Path:
    """The program, if it reads what is written here; the one that was built here, if it was made of today's sources."""
    known = program.stat()
    latest, source = _version(program, known.st_mtime_ns, known.st_size)
    if latest < VERSION:
        has = f"reads format {latest}" if latest else "does not say which format it reads"
        raise MissingDependency(f"the checker {program} {has}, format {VERSION} is wanted: run `{_build_command()}`")
    if program == BUILT and source != (beside := _source_digest()):
        raise MissingDependency(
            f"the checker {program} was built from other sources ({source[:8]}) than are there now ({beside[:8]}): "
            f"run `{_build_command()}`"
        )
    return program


@lru_cache(maxsize=8)
def _version(program: Path, _changed: int, _size: int) -> tuple[int, str]:
    """The latest format that the program reads, and the digest of its sources; 0 for one that is too old to say."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return 0, ""
    found = re.fullmatch(r"verified-risk-checker format (\d+) source ([0-9a-f]+)", done.stdout.strip())
    return (0, "") if found is None else (int(found[1]), found[2])


def _source_digest() -> str:
    folder = BUILT.parents[1]
    every = b"".join((folder / name).read_bytes() for name in SOURCES)
    return hashlib.md5(every, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What the checker said, in its one line of text: what is read from that line is read here."""

    proved: bool
    line: str
    seconds: float

    @property
    def refuses_lower(self) -> bool:
        """Whether it was the lower bound that the checker did not accept."""
        return not self.proved and "lower bound" in self.line

    @property
    def not_covered(self) -> bool:
        """Whether the checker has no proof for such a claim, right or wrong."""
        return "not covered" in self.line

    @property
    def provable(self) -> Fraction | None:
        """The bound that the checker proves instead of the one that it refused, where it names one."""
        found = re.search(r"proves only (-?\d+(?:/\d+)?)", self.line)
        return None if found is None else Fraction(found[1])


def run_checker(
    file: str | os.PathLike[str], widest: int, *, memory_mb: int | None = None, seconds: float | None = None
) -> Answer:
    """Ask the checker about a certificate whose windows have at most ``widest`` indices; :class:`TimeUp` if it does not
    answer within so many seconds."""
    program = find_checker()
    words = [str(program), "--widest", str(_most_cells(widest))]
    if memory_mb is not None:
        words += ["--memory", str(memory_mb)]
    started = time.monotonic()
    command = [*_with_deep_stack(), *words, str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TimeUp(f"no answer within {seconds:.1f} s") from None
    line = done.stdout.strip() or done.stderr.strip() or f"the checker ended with code {done.returncode}"
    return Answer(done.returncode == 0 and line.startswith("proved"), line, time.monotonic() - started)


def _with_deep_stack() -> list[str]:
    """A shell that raises the limit of the stack as far as it may."""
    return [
        "/bin/sh",
        "-c",
        'ulimit -s 4000000 2>/dev/null || ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$@"',
        "sh",
    ]


def _most_cells(widest: int) -> int:
    """At most the width that the deepest stack allows."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if hard == resource.RLIM_INFINITY:
        return max(widest, 1)
    return max(1, min(widest, hard // STACK_BYTES_PER_CELL))
