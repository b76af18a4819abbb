"""Text output: coloured and fitted to the window on a terminal, plain and complete in a pipe.

``rich`` is imported only to draw on a terminal, so that help, completion and pipes stay fast.

Work that takes more than a moment shows its progress on a terminal's standard error; there is none in a pipe.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from ..numbers.rational import digits
from ..progress import Progress

if TYPE_CHECKING:
    from ..law import Law


PATIENCE = 0.5  # seconds before anything is shown: quick work stays silent and does not import ``rich``


class _Live:
    """A line with a spinner or a bar, shown once the work has lasted a moment, removed when it is done."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._note = what, ""
        self._done, self._total = 0, total
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._over = False
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def start(self, at_once: bool) -> None:
        if at_once:
            self._show()
        else:
            self._timer.start()

    def note(self, text: str) -> None:
        """Add detail about the current work."""
        with self._lock:
            self._note = text
            self._update()

    def count(self, now: Progress) -> None:
        """Update the bar."""
        with self._lock:
            self._done, self._total = now.done or self._done, now.total or self._total
            self._note = now.doing
            self._update()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if self._over:
                return
            columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}")]
            if self._total:
                columns += [BarColumn(bar_width=24), TextColumn("{task.completed}/{task.total}")]
            self._bar = Bar(
                *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True, redirect_stdout=False
            )
            self._task = self._bar.add_task(self._what, total=self._total or None)
            self._update()
            self._bar.start()

    def _update(self) -> None:
        if self._bar is None:
            return
        text = self._note or self._what
        self._bar.update(self._task, description=text, completed=self._done, total=self._total or None)


@contextmanager
def working(what: str, *, at_once: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show a spinner while the body runs; yield a function that adds a note to it, or None without a terminal."""
    with _live(what, 0, at_once) as live:
        yield None if live is None else live.note


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[Progress], None] | None]:
    """Show a bar while the body runs; yield a function that moves it, or None without a terminal."""
    with _live(what, total) as live:
        yield None if live is None else live.count


@contextmanager
def _live(what: str, total: int, at_once: bool = False) -> Iterator[_Live | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from ..kernels.jit import COMPILING, reporting_compilations  # imports numpy, which the help does not need

    live = _Live(what, total)
    live.start(at_once)
    try:
        with reporting_compilations(lambda now: live.note(now.doing if now.doing == COMPILING else "")):
            yield live
    finally:
        live.stop()


MOST_ATOMS = 12  # maximum number of atoms of a law drawn in characters
BAR_WIDTH = 30
NAME_WIDTH = 10  # width of the names in ``name       what it is``


@dataclass(frozen=True)
class Column:
    """One column of a table; ``styles`` colours a cell by its text, ``spare`` columns are dropped first if narrow."""

    name: str
    right: bool = False
    spare: bool = False
    styles: dict[str, str] = field(default_factory=dict)


class Screen:
    """The standard output."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty()
        self.width = shutil.get_terminal_size().columns if self.terminal else None

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line unchanged; ``style`` applies on a terminal only."""
        self._print([(text, style)])

    def field(self, name: str, text: str, style: str = "") -> None:
        """Print ``name       text``; wrapped between words on a terminal, on one line in a pipe."""
        for i, piece in enumerate(self.broken(text, NAME_WIDTH + 1)):
            self._print([(f"{name if i == 0 else '':<{NAME_WIDTH}} ", "bold cyan"), (piece, style)])

    def written(self, name: str, file: object) -> None:
        """Print the name of a file, unless that is None."""
        if file is not None:
            self.field(name, str(file))

    def paragraph(self, text: str, indent: int = 2, style: str = "") -> None:
        """Print indented text, with continuation lines slightly deeper."""
        for i, piece in enumerate(self.broken(text, indent + 2)):
            self.line(" " * (indent if i == 0 else indent + 2) + piece, style)

    def broken(self, text: str, indent: int) -> list[str]:
        """Break the text into lines that fit the window beside ``indent`` blanks."""
        if self.width is None:
            return text.splitlines() or [""]
        room = max(20, self.width - indent)
        wrap = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False)
        return [piece for line in text.splitlines() for piece in wrap.wrap(line) or [""]] or [""]

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]], title: str = "") -> None:
        """Print aligned columns; a narrow window drops the spare ones, and says so, rather than cutting numbers."""
        shown, content = list(columns), [list(row) for row in rows]
        widths = [max(len(column.name), *(len(row[i]) for row in content), 1) for i, column in enumerate(shown)]
        dropped: list[str] = []
        while self.width is not None and sum(widths) + 2 * len(widths) > self.width:
            spare = [i for i, column in enumerate(shown) if column.spare]
            if not spare:
                break
            i = spare[-1]
            dropped.insert(0, shown[i].name)
            del shown[i], widths[i]
            content = [row[:i] + row[i + 1 :] for row in content]
        if title:
            self.line(title, "bold")
        self._row([column.name for column in shown], shown, widths, "bold")
        if self.terminal:
            self.line("─" * (sum(widths) + 2 * len(widths) - 2), "dim")
        for row in content:
            self._row(row, shown, widths)
        if dropped:
            self.line(f"a wider window, or --json, also shows: {', '.join(dropped)}", "dim")

    def _row(self, row: Sequence[str], columns: Sequence[Column], widths: Sequence[int], style: str = "") -> None:
        cells = [
            (f"{text:>{width}}" if column.right else f"{text:<{width}}", style or column.styles.get(text, ""))
            for text, column, width in zip(row, columns, widths, strict=True)
        ]
        if not self.terminal:
            cells = [("  ".join(text for text, _ in cells).rstrip(), "")]
        self._print([piece for cell in cells for piece in (cell, ("  ", ""))][:-1])

    def _print(self, pieces: Sequence[tuple[str, str]]) -> None:
        if not self.terminal:
            click.echo("".join(text for text, _ in pieces))
            return
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text.assemble(*pieces), soft_wrap=True)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--json`` to a command: one JSON value on the standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")(command)


def path_text(file: object) -> str | None:
    """Return the name of a file for JSON, or None."""
    return None if file is None else str(file)


def emit_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=1, ensure_ascii=False))


def print_law(screen: Screen, law: Law) -> None:
    """Print one line per atom with a bar; for long laws, the likeliest atoms and what was left out."""
    shown = sorted(sorted(law, key=lambda pair: -pair[1])[:MOST_ATOMS])
    peak = max(p for _, p in shown)
    screen.field("return", "value   probability")
    for x, p in shown:
        bar = "█" * max(1, round(BAR_WIDTH * p / peak))
        screen.line(f"  {digits(x, 6):>14}   {float(p):9.6f}  {bar}")
    left = len(law) - len(shown)
    rest = Fraction(1) - sum((p for _, p in shown), Fraction())
    if left:
        screen.line(f"  … and {left} more returns of total probability {float(rest):.4g}", "dim")
