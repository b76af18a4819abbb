"""Progress on a terminal's standard error, for work that takes more than a moment; none in a pipe."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..progress import Progress

PATIENCE = 0.5
"""Seconds before anything is shown: quick work stays silent and does not import ``rich``."""


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
