"""How long a call may take, and how much memory: one clock, asked wherever a call could go on for long."""

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
"""Seconds, from anywhere; tests put a counted clock here."""


Tick: TypeAlias = Callable[[], None]
"""Called now and then in the middle of long work; it may raise :class:`TimeUp` to end it."""


def unlimited() -> None:
    """The :data:`Tick` of work that nothing ends."""


def memory_limit() -> int:
    """Half of the machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


class TimeUp(Exception):
    """A clock has reached its limit; whoever set the limit catches it."""


GRACE = 0.5
"""Seconds at most, and as many as the limit at most, for the last steps of a call that has used up its time."""


class Clock:
    """Seconds since a call began, against its limit (None: no limit)."""

    def __init__(self, seconds: float | None = None) -> None:
        self.began = now()
        self.seconds = seconds
        self.deadline = math.inf if seconds is None else self.began + seconds
        self.end = self.deadline if seconds is None else self.deadline + min(GRACE, seconds)
        """When what makes an answer of what was found must have ended, too."""
        self.skipped: list[str] = []
        """What was left out because time was short."""

    @property
    def spent(self) -> float:
        return now() - self.began

    @property
    def left(self) -> float:
        return self.deadline - now()

    def late(self) -> bool:
        return now() >= self.deadline

    def over(self) -> bool:
        """Whether even the grace after the limit has passed."""
        return now() >= self.end

    def affords(self, seconds: float, what: str, *, last: bool = False) -> bool:
        """Whether so many seconds are left (``last``: with the grace after the limit); if not, ``what`` is noted as
        left out."""
        if seconds <= (self.end - now() if last else self.left):
            return True
        self.leave_out(what)
        return False

    def leave_out(self, what: str) -> None:
        """Note that ``what`` was left out."""
        if what not in self.skipped:
            self.skipped.append(what)

    def said(self, method: str) -> str:
        """The method of a certificate, with what was left out."""
        return f"{method}; left out for time: {', '.join(self.skipped)}" if self.skipped else method

    def require(self) -> None:
        """Raise :class:`TimeUp` once the limit is reached."""
        if self.late():
            raise TimeUp(f"the time limit of {self.seconds:g} s is reached")


def read_seconds(time_limit: Any) -> float | None:
    """``time_limit`` as seconds; None, or infinity, is no limit."""
    if isinstance(time_limit, float) and time_limit == math.inf:
        return None
    seconds = read_nonnegative(time_limit, "time_limit")
    return None if seconds is None else float(seconds)


def read_nonnegative(value: Any, name: str) -> Fraction | None:
    """An exact number from 0, or None."""
    if value is None:
        return None
    try:
        number = as_fraction(value, name)
    except InvalidNumber as error:
        raise InvalidArgument(str(error)) from None
    if number < 0:
        raise InvalidArgument(f"{name} is {said(number)}, wanted a nonnegative number")
    return number
