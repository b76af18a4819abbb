"""Time and memory limits of a call: one clock, consulted wherever a call could take long."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from ..errors import InvalidArgument, InvalidNumber
from ..numbers.rational import as_fraction, said

now: Callable[[], float] = time.monotonic
"""A monotonic clock in seconds; tests replace it."""

Tick: TypeAlias = Callable[[], None]
"""A callback for long computations; it may raise :class:`TimeUp` to end them."""


def unlimited() -> None:
    """A :data:`Tick` that never ends the work."""


def memory_limit() -> int:
    """Half of the machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


class TimeUp(Exception):
    """Raised when a clock has reached its limit; caught where the limit was set."""


GRACE = 0.5  # seconds, but no more than the limit itself, for the last steps of a call whose time is up


class Clock:
    """Measures the seconds since a call began against its limit (None: no limit)."""

    def __init__(self, seconds: float | None = None) -> None:
        self.began = now()
        self.seconds = seconds
        self.deadline = math.inf if seconds is None else self.began + seconds
        self.end = self.deadline if seconds is None else self.deadline + min(GRACE, seconds)
        """When the final steps, which turn what was found into an answer, must be done."""
        self.skipped: list[str] = []
        """Steps left out because time was short."""

    @property
    def spent(self) -> float:
        return now() - self.began

    @property
    def left(self) -> float:
        return self.deadline - now()

    def late(self) -> bool:
        return now() >= self.deadline

    def over(self) -> bool:
        """Return whether even the grace after the limit has passed."""
        return now() >= self.end

    def affords(self, seconds: float, what: str, *, last: bool = False) -> bool:
        """Return whether ``seconds`` are left (``last``: with the grace); if not, record ``what`` as left out."""
        if seconds <= (self.end - now() if last else self.left):
            return True
        self.leave_out(what)
        return False

    def leave_out(self, what: str) -> None:
        """Record that ``what`` was left out."""
        if what not in self.skipped:
            self.skipped.append(what)

    def said(self, method: str) -> str:
        """Return the method of a certificate, followed by the steps left out."""
        return f"{method}; left out for time: {', '.join(self.skipped)}" if self.skipped else method

    def require(self) -> None:
        """Raise :class:`TimeUp` once the limit is reached."""
        if self.late():
            raise TimeUp(f"the time limit of {self.seconds:g} s is reached")


def read_seconds(time_limit: Any) -> float | None:
    """Read ``time_limit`` as seconds; None and infinity mean no limit."""
    if isinstance(time_limit, float) and time_limit == math.inf:
        return None
    seconds = read_nonnegative(time_limit, "time_limit")
    return None if seconds is None else float(seconds)


def read_nonnegative(value: Any, name: str) -> Fraction | None:
    """Read a nonnegative exact number, or None."""
    if value is None:
        return None
    try:
        number = as_fraction(value, name)
    except InvalidNumber as error:
        raise InvalidArgument(str(error)) from None
    if number < 0:
        raise InvalidArgument(f"{name} is {said(number)}, wanted a nonnegative number")
    return number
