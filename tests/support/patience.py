"""Waiting for events, and clocks that do not depend on the load of the machine."""

import time
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace

PATIENCE = 600.0
"""Seconds after which a program is called stuck: ten times the slowest wait on a busy machine, never a measurement."""


def wait_until(condition: Callable[[], object], what: str = "nothing happened", pause: float = 0.02) -> None:
    """Return as soon as the condition is true; fail when patience is at an end."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(pause)


def counted_time(step: float) -> SimpleNamespace:
    """In place of the module ``time``: ``step`` seconds pass whenever ``monotonic`` is called."""
    ticks = count()
    return SimpleNamespace(monotonic=lambda: step * next(ticks), thread_time=time.thread_time)
