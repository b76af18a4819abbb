"""How long a test waits before it calls a program stuck: a guard against a hang, never a measurement.

It is ten times what the slowest wait takes on a busy machine, so that no test depends on the load.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0


def wait_until(condition: Callable[[], object], what: str = "nothing happened", pause: float = 0.02) -> None:
    """Return as soon as the condition is true; fail when patience is at an end."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(pause)
