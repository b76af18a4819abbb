r"""Kernels: loops over arrays, written once and run in two ways, compiled by numba or interpreted by Python.

Both give the same bits (``compiling.FLOAT_RULES``; ``tests/planning/test_first_call.py``), so the choice only affects
time.  Compilation takes seconds, once per installation; interpreting a small model takes less. A kernel is therefore
interpreted on small arrays until that has taken as long as compiling would, and numba is not imported until something
is compiled.
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
"""Seconds that a process interprets a kernel before compiling it."""
SMALL = 60_000
"""Maximum number of entries, over all arrays of a call, for interpreting it."""
PAIRS = 300_000
"""Maximum product of the sizes of the first and the longest array, if a loop may visit all pairs: about PATIENCE."""
STEP = 1.5e-6
"""Seconds per interpreted innermost step."""

EAGER = False
"""Whether everything is compiled on its first call."""

_told: ContextVar[Callable[[bool], None] | None] = ContextVar("told", default=None)
_homes: dict[tuple[int, bool], dict[str, Any]] = {}


class Kernel:
    """A loop over arrays; ``counted`` says whether numba counts references to them, ``nested`` whether the loop may
    traverse another array for every entry of the first."""

    def __init__(self, function: Callable[..., Any], *, counted: bool = True, nested: bool = False) -> None:
        update_wrapper(self, function)
        self.function, self.counted, self.nested = function, counted, nested
        self.spent = 0.0
        """Seconds spent interpreting it."""

    def __call__(self, *args: Any) -> Any:
        if EAGER or self.spent > PATIENCE or _entries(args) > SMALL or (self.nested and _pairs(args) > PAIRS):
            self.spent = float("inf")
            return self.compiled(*args)
        began = time.thread_time()
        found = self.plain(*args)
        self.spent += time.thread_time() - began
        return found

    def at(self, work: float, *, otherwise: Callable[..., Any] | None = None, compiling: float = PATIENCE) -> Any:
        """Return the way to run ``work`` innermost steps in total, if the size of the arguments does not tell:
        compiled, or else the equivalent ``otherwise``, or :attr:`plain`.

        ``compiling`` estimates the seconds of compilation, unless an earlier process has done it.
        """
        self.spent += work * STEP
        if EAGER or self.spent > compiling or (self.spent > PATIENCE and is_stored(self.function.__name__)):
            self.spent = float("inf")
            return self.compiled
        return self.plain if otherwise is None else otherwise

    @cached_property
    def compiled(self) -> Any:
        """The function compiled by numba, on its first call."""
        return _home(self.function, compiled=True)[self.function.__name__]

    @cached_property
    def plain(self) -> Any:
        """The function as written, calling others as written."""
        return _home(self.function, compiled=False)[self.function.__name__]


def _entries(args: Any) -> int:
    return sum(x.size if isinstance(x, np.ndarray) else _entries(x) for x in args if isinstance(x, np.ndarray | tuple))


def _pairs(args: Any) -> int:
    return int(args[0].size * max(x.size for x in args if isinstance(x, np.ndarray)))


def kernel(function: Callable[..., Any]) -> Any:
    """Wrap ``function`` as a :class:`Kernel`."""
    return Kernel(function)


def nested_kernel(function: Callable[..., Any]) -> Any:
    """Wrap a loop that may traverse another array for every entry of its first one as a :func:`kernel`; its time
    depends on the product of their sizes, not the sum."""
    return Kernel(function, nested=True)


def view_kernel(function: Callable[..., Any]) -> Any:
    """Wrap code that creates no array as a :func:`kernel`: all its arrays are its arguments, which the caller keeps
    alive, or views of them, so references need not be counted.

    numba counts with one atomic operation for every view created and dropped, which took more than half of the
    learner's time, as its rows are short.  Code that does create an array fails to compile.
    """
    return Kernel(function, counted=False)


def _home(function: Callable[..., Any], *, compiled: bool) -> dict[str, Any]:
    """Return the globals of a module, with kernels that all run in one way."""
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
    if f.__globals__ is not names:  # imported from another kernel module
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
    """Call ``tell(True)`` when a compilation begins and ``tell(False)`` when it ends, while the body runs."""
    before = _told.set(tell)
    try:
        yield
    finally:
        _told.reset(before)
