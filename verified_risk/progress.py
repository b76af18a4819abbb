"""Progress of long calls: ``progress=`` always takes a function of one :class:`Progress`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .errors import InvalidArgument
from .numbers.format import above, at_least, at_most


@dataclass(frozen=True)
class Progress:
    """The progress of a call after ``seconds``.

    A planner sets ``lower`` and ``upper``: certified bounds on the optimum in the user's units, None while there is
    none.  A learner sets ``done`` of ``total`` episodes.  ``doing`` names a stage, such as compiling.

    >>> print(Progress(1.25, Fraction(1, 4), Fraction(1, 3)))
    1.2 s   1/4 <= optimum <= 1/3   0.0834 apart

    :param seconds: seconds since the call began
    :param lower: a certified lower bound, None while there is none
    :param upper: a certified upper bound, None while there is none
    :param done: episodes or steps completed
    :param total: the total number of these
    :param doing: the current stage
    """

    seconds: float
    lower: Fraction | None = None
    upper: Fraction | None = None
    done: int | None = None
    total: int | None = None
    doing: str = ""

    @property
    def bounds(self) -> str:
        """Format the bounds on one line, rounded outward, so that the printed bounds hold."""
        if self.lower is None and self.upper is None:
            return self.doing
        low = "" if self.lower is None else f"{at_least(self.lower)} <= "
        high = "" if self.upper is None else f" <= {at_most(self.upper)}"
        both = self.lower is not None and self.upper is not None
        gap = f"   {above(self.upper - self.lower)} apart" if both else ""  # type: ignore[operator]
        return f"{low}optimum{high}{gap}"

    def __str__(self) -> str:
        counted = "" if self.done is None else f"{self.done} of {self.total}"
        return "   ".join(part for part in (f"{self.seconds:.1f} s", counted, self.bounds) if part)


Report: TypeAlias = Callable[[Progress], None]
"""The type of ``progress=``."""


def read_report(progress: Report | None) -> Report | None:
    """Return ``progress``, or raise if it is not callable."""
    if progress is not None and not callable(progress):
        raise InvalidArgument(f"progress is {progress!r}, wanted a function of one Progress")
    return progress


def counted(progress: Report | None) -> Callable[[int, int | None], None] | None:
    """Return a function ``(done, total)`` that reports to ``progress`` with the time since now."""
    if progress is None:
        return None
    began = time.monotonic()
    return lambda done, total: progress(Progress(time.monotonic() - began, done=done, total=total))
