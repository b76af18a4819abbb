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
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np

from .cache import is_stored

if TYPE_CHECKING:
    from ..progress import Report

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 0.5  # seconds that a process interprets a kernel before compiling it
SMALL = 60_000  # maximum number of entries, over all arrays of a call, for interpreting it
PAIRS = 300_000
"""Maximum product of the sizes of the first and the longest array, if a loop may visit all pairs: about PATIENCE."""
STEP = 1.5e-6  # seconds per interpreted innermost step

EAGER = False  # whether everything is compiled on its first call
COMPILING = "compiling, once: later calls load the result"
"""The ``doing`` of the :class:`~verified_risk.Progress` that reports the start of a compilation."""

_listener: ContextVar[Callable[[bool], None] | None] = ContextVar("listener", default=None)
_homes: dict[tuple[int, bool], dict[str, Any]] = {}


class Kernel(Generic[P, R]):
    """A function of arrays that runs interpreted or compiled.  ``counted``: numba counts references to the arrays.
    ``nested``: the loop may go through another array for every entry of the first one."""

    def __init__(self, function: Callable[P, R], *, counted: bool = True, nested: bool = False) -> None:
        update_wrapper(self, function)
        self.function, self.counted, self.nested = function, counted, nested
        self.spent = 0.0
        """Seconds spent interpreting it."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if EAGER or self.spent > PATIENCE or _entries(args) > SMALL or (self.nested and _pairs(args) > PAIRS):
            self.spent = float("inf")
            return self.compiled(*args, **kwargs)
        began = time.thread_time()
        found = self.plain(*args, **kwargs)
        self.spent += time.thread_time() - began
        return found

    def at(
        self, work: float, *, ahead: float = 0, otherwise: Callable[P, R] | None = None, compiling: float = PATIENCE
    ) -> Callable[P, R]:
        """Return the function to call for ``work`` innermost steps, where the sizes of the arguments do not tell.

        It is :attr:`compiled` if interpreting takes, with this call and ``ahead`` steps of later ones, more than
        ``compiling`` seconds (PATIENCE if an earlier process has compiled it); else ``otherwise``, an equivalent
        function, or :attr:`plain`.
        """
        self.spent += work * STEP
        total = self.spent + ahead * STEP
        if EAGER or total > compiling or (total > PATIENCE and is_stored(self.function.__name__)):
            self.spent = float("inf")
            return self.compiled
        return self.plain if otherwise is None else otherwise

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """The function that numba compiles on its first call, to be called from Python."""
        home = _home(self.function, compiled=True)
        found: Callable[P, R] = _compiler()(_copy(self.function, home), counted=self.counted)
        return found

    @cached_property
    def plain(self) -> Callable[P, R]:
        """The interpreted function; it calls other kernels interpreted."""
        found: Callable[P, R] = _home(self.function, compiled=False)[self.function.__name__]
        return found


def _entries(args: Any) -> int:
    return sum(x.size if isinstance(x, np.ndarray) else _entries(x) for x in args if isinstance(x, np.ndarray | tuple))


def _pairs(args: Any) -> int:
    return int(args[0].size * max(x.size for x in args if isinstance(x, np.ndarray)))


def kernel(function: Callable[..., Any]) -> Any:
    """Return ``function`` as a :class:`Kernel`, without types: its callers may spread their arguments."""
    return Kernel(function)


def nested_kernel(function: Callable[..., Any]) -> Any:
    """Return a :func:`kernel` whose time is estimated by the product of the sizes of two arrays, not by their sum: the
    loop may go through another array for every entry of the first one."""
    return Kernel(function, nested=True)


def view_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Return ``function`` as a :class:`Kernel` without reference counts: it makes no array and uses only its arguments,
    which the caller keeps alive, and views of them.

    numba counts with one atomic operation for every view made and dropped; in the learner, whose rows are short, that
    took more than half of the time.  Compiling a function that makes an array raises.
    """
    return Kernel(function, counted=False)


def compile_next(*found: Any) -> None:
    """Have those that are kernels compiled on their next call, where so many follow that interpreting does not pay."""
    for one in found:
        if isinstance(one, Kernel):
            one.spent = float("inf")


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


def _rehomed(found: Kernel[..., Any], names: dict[str, Any], home: dict[str, Any], compiled: bool) -> Any:
    f = found.function
    if f.__globals__ is not names:  # imported from another kernel module
        return _home(f, compiled=compiled)[f.__name__]
    copy = _copy(f, home)
    return _compiler()(copy, counted=found.counted, inner=True) if compiled else copy


def _copy(f: Any, home: dict[str, Any]) -> Any:
    """Return the function with other globals."""
    copy = FunctionType(f.__code__, home, f.__name__, f.__defaults__, f.__closure__)
    copy.__doc__, copy.__qualname__, copy.__module__ = f.__doc__, f.__qualname__, f.__module__
    return copy


@cache
def _compiler() -> Callable[..., Any]:
    from . import compiling  # imports numba

    compiling.hear_compilations(_forward)
    return compiling.compile_lazily


def _forward(begins: bool) -> None:
    """Pass a compilation event to the listener of the current context, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(begins)


@contextmanager
def reporting_compilations(progress: Report | None) -> Iterator[None]:
    """Forward compilation events to the ``progress`` callback while the body runs; None forwards nothing."""
    if progress is None:
        yield
        return
    from ..progress import Progress

    began = time.monotonic()
    before = _listener.set(
        lambda begins: progress(Progress(time.monotonic() - began, doing=COMPILING if begins else "compiled"))
    )
    try:
        yield
    finally:
        _listener.reset(before)
