"""The checker as a program: locate it, run it, read its answer."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..errors import MissingDependency
from ..planning.clock import TimeUp

BUILT = Path(__file__).resolve().parents[2] / "proofs_checks" / "formal" / "checker" / "build" / "checker"
"""The only program to run; no other is known to be built from the proved sources."""
STACK_BYTES_PER_CELL = 160
"""Stack per cell of the checker's widest row: the extracted code walks a row by recursion."""
SOURCES = ("extracted/integer.ml", "extracted/checker.ml", "driver/answer.ml", "driver/main.ml")
"""Files that ``driver/build.sh`` compiles into the program, in this order."""
PAGE_SOURCES = (
    "driver/browser/integers.js", "driver/browser/integer.ml", "extracted/checker.ml", "driver/answer.ml",
    "driver/browser/page.ml",
)  # fmt: skip
"""Files that it compiles to JavaScript for a page, where js_of_ocaml is present."""


@dataclass(frozen=True)
class Program:
    """The path of the checker, and the SHA-256 of its bytes."""

    path: Path
    sha256: str


def find_checker(*, for_page: bool = False) -> Program:
    """Return the program that ``driver/build.sh`` built from the present sources; an error says how to build it.

    :param for_page: the same program in JavaScript
    :raises MissingDependency: if there is none, if it is not the file that was built, or if its sources have changed
    """
    built = BUILT.with_suffix(".js") if for_page else BUILT
    if not os.access(built, os.X_OK):
        raise MissingDependency(
            f"the verified {built.name} is not built: run `{_build_command()}` "
            "(it needs OCaml with zarith, which root gets with apt)"
        )
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    try:
        recorded, source = built.with_name(f"{built.name}.record").read_text(encoding="ascii").split()
    except (OSError, ValueError):  # no record, or another text
        recorded = source = ""
    if digest != recorded:
        raise MissingDependency(
            f"the checker {built} (SHA-256 {digest[:8]}) is not what its build left ({recorded[:8] or 'no record'}): "
            f"run `{_build_command()}`"
        )
    if source != (beside := _source_digest(PAGE_SOURCES if for_page else SOURCES)):
        raise MissingDependency(
            f"the checker {built} was built from other sources ({source[:8]}) than are there now ({beside[:8]}): "
            f"run `{_build_command()}`"
        )
    return Program(built, digest)


def _build_command() -> str:
    in_repository = (BUILT.parents[4] / "Makefile").exists()
    return "make checker" if in_repository else f"sh {BUILT.parents[1] / 'driver' / 'build.sh'}"


def _source_digest(sources: tuple[str, ...] = SOURCES) -> str:
    folder = BUILT.parents[1]
    every = b"".join((folder / source).read_bytes() for source in sources)
    return hashlib.md5(every, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Answer:
    """The one-line answer of the program, or of the reader in Python (``program`` is None), parsed."""

    proved: bool
    line: str
    seconds: float
    program: Program | None

    @property
    def refuses_lower(self) -> bool:
        """True if the tables do not prove the lower bound."""
        return not self.proved and "does not prove the lower bound" in self.line

    @property
    def refuses_upper(self) -> bool:
        """True if the tables do not prove the upper bound."""
        return not self.proved and "do not prove the upper bound" in self.line

    @property
    def not_covered(self) -> bool:
        """True if the checker has no proof for such a claim, right or wrong."""
        return "not covered" in self.line

    @property
    def provable(self) -> Fraction | None:
        """The bound that the checker proves instead of the refused one, if it names one."""
        found = re.search(r"proves only (-?\d+(?:/\d+)?)", self.line)
        return None if found is None else Fraction(found[1])


def run_checker(
    file: str | os.PathLike[str], widest: int, *, memory_mb: int | None = None, seconds: float | None = None
) -> Answer:
    """Run the checker on a certificate whose windows have at most ``widest`` indices; raise :class:`TimeUp` if it does
    not answer within ``seconds``."""
    program = find_checker()
    words = [str(program.path), "--widest", str(_most_cells(widest))]
    if memory_mb is not None:
        words += ["--memory", str(memory_mb)]
    started = time.monotonic()
    command = [*_with_deep_stack(), *words, str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TimeUp(f"no answer within {seconds:.1f} s") from None
    line = done.stdout.strip() or done.stderr.strip() or f"the checker ended with code {done.returncode}"
    proved = done.returncode == 0 and line.startswith("proved")
    return Answer(proved, line, time.monotonic() - started, program)


def _with_deep_stack() -> list[str]:
    """Return a shell command that raises the stack limit as far as allowed."""
    return [
        "/bin/sh",
        "-c",
        'ulimit -s 4000000 2>/dev/null || ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$@"',
        "sh",
    ]


def _most_cells(widest: int) -> int:
    """Return a bound on the width that the deepest stack allows."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if hard == resource.RLIM_INFINITY:
        return max(widest, 1)
    return max(1, min(widest, hard // STACK_BYTES_PER_CELL))
