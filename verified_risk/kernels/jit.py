r"""Kernels are loops over arrays, written once and run in two ways: compiled by numba, or interpreted by Python.

Both give the same bits (``compiling.FLOAT_RULES``; ``tests/planning/test_first_call.py``), so which one runs is a
matter of time only.  Compilation takes seconds, once for each installation; a small model is planned in less by
interpreting.  So a kernel is interpreted on small arrays until that has taken as long as compiling would, and numba is
not even imported until something is compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, update_wrapper
from types import FunctionType
from typing import Any

import numpy as np

from .cache import is_stored

PATIENCE = 0.5
"""Seconds that a process interprets one kernel before it compiles it."""
SMALL = 60_000
"""Entries of all arrays of a call that may be interpreted."""
PAIRS = 300_000
"""Entries of the first array times those of the longest, where a loop may meet all pairs: about PATIENCE in steps."""
STEP = 1.5e-6
"""Seconds of an innermost step, interpreted."""

EAGER = False
"""Whether everything is compiled on its first call."""

_told: ContextVar[Callable[[bool], None] | None] = ContextVar("told", default=None)
_homes: dict[tuple[int, bool], dict[str, Any]] = {}


class Kernel:
    """A loop over arrays; ``counted`` says whether numba counts references to them, ``nested`` whether for every entry
    of the first one it may go through another."""

    def __init__(self, function: Callable[..., Any], *, counted: bool = True, nested: bool = False) -> None:
        update_wrapper(self, function)
        self.function, self.counted, self.nested = function, counted, nested
        self.spent = 0.0
        """Seconds spent on interpreting it."""

    def __call__(self, *args: Any) -> Any:
        if EAGER or self.spent > PATIENCE or _entries(args) > SMALL or (self.nested and _pairs(args) > PAIRS):
            self.spent = float("inf")
            return self.compiled(*args)
        began = time.thread_time()
        found = self.plain(*args)
        self.spent += time.thread_time() - began
        return found

    def at(self, work: float, *, otherwise: Callable[..., Any] | None = None, compiling: float = PATIENCE) -> Any:
        """The way to run ``work`` innermost steps in all, where the size of the arguments does not tell: compiled, or
        else ``otherwise``, which does the same, or :attr:`plain`.

        ``compiling`` is about how many seconds that takes, unless an earlier process has done it.
        """
        self.spent += work * STEP
        if EAGER or self.spent > compiling or (self.spent > PATIENCE and is_stored(self.function.__name__)):
            self.spent = float("inf")
            return self.compiled
        return self.plain if otherwise is None else otherwise

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of it, on its first call."""
        return _home(self.function, compiled=True)[self.function.__name__]

    @cached_property
    def plain(self) -> Any:
        """The function that is written, calling others like it."""
        return _home(self.function, compiled=False)[self.function.__name__]


def _entries(args: Any) -> int:
    return sum(x.size if isinstance(x, np.ndarray) else _entries(x) for x in args if isinstance(x, np.ndarray | tuple))


def _pairs(args: Any) -> int:
    return int(args[0].size * max(x.size for x in args if isinstance(x, np.ndarray)))


def kernel(function: Callable[..., Any]) -> Any:
    """``function`` as a :class:`Kernel`."""
    return Kernel(function)


def nested_kernel(function: Callable[..., Any]) -> Any:
    """:func:`kernel` for a loop that may go through another array for every entry of its first one: the sizes of both
    tell how long it takes, their sum does not."""
    return Kernel(function, nested=True)


def view_kernel(function: Callable[..., Any]) -> Any:
    """:func:`kernel` for code that makes no array: all its arrays are its arguments, which the caller keeps alive, or
    views of them, so references need not be counted.

    numba counts with one atomic operation for every view made and dropped; in the learner, whose rows are short, that
    took more than half of the time.  Code that does make an array is refused when it is compiled.
    """
    return Kernel(function, counted=False)


def _home(function: Callable[..., Any], *, compiled: bool) -> dict[str, Any]:
    """The globals of a module, with kernels in place that all run in one way."""
    names = function.__globals__
    key = (id(names), compiled)
    if key not in _homes:
        home = _homes[key] = dict(names)
        for name, value in names.items():
            if isinstance(value, Kernel):
                home[name] = _rehomed(value, names, home, compiled)
    return _homes[key]


def _rehomed(found: Kernel, names: dict[str, Any], home: dict[str, Any], compiled: bool) -> Any:
    f = found.function
    if f.__globals__ is not names:  # imported from another module of kernels
        return found.compiled if compiled else found.plain
    copy = FunctionType(f.__code__, home, f.__name__, f.__defaults__, f.__closure__)
    copy.__doc__, copy.__qualname__, copy.__module__ = f.__doc__, f.__qualname__, f.__module__
    return _compiler()(copy, counted=found.counted) if compiled else copy


@cache
def _compiler() -> Callable[..., Any]:
    from . import compiling  # imports numba

    compiling.hear_compilations(lambda begins: (_told.get() or _nobody)(begins))
    return compiling.compile_lazily


def _nobody(begins: bool) -> None:
    pass


@contextmanager
def telling(tell: Callable[[bool], None]) -> Iterator[None]:
    """While the body runs, ``tell(True)`` when a compilation begins and ``tell(False)`` when it ends."""
    before = _told.set(tell)
    try:
        yield
    finally:
        _told.reset(before)
