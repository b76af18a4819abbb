r"""A reliable cache of compiled kernels.  This is the only file that imports numba.

numba's own cache has three defects, each reproduced in ``tests/planning/test_first_call.py``:

1. it keys a function on the time stamp of *its own* file: editing a constant or a kernel in another module leaves a
   stale caller;
2. decorator options are not part of the key: two variants made from one source share one compilation;
3. if neither the source tree nor a home directory is writable, importing raises.

Here the *name* of the cache directory contains a digest of every source file of this folder (this one, with its
options, included) and of the versions of Python, numba and numpy, and every entry is stamped with a digest of its own
file, which may lie outside; so a changed source never meets an old result.  A kernel outside this folder may call those
inside and of its own file only.  There is one function that compiles, with one set of options; and where nothing is
writable the kernels are compiled afresh, after one warning.

``FLOAT_RULES`` keeps the compiler from reordering or fusing floats: every product and sum is rounded separately, in the
order written, so a kernel gives the same bits compiled and interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import caching, codegen, compiler, event
from numba.core.types import unliteral

from .cache import cache_directory

FLOAT_RULES: frozenset[str] = frozenset()


def compile_lazily(function: Callable[..., Any], *, counted: bool = True, inner: bool = False) -> Any:
    """Return ``function``, compiled on its first call and cached in :func:`cache_directory`.

    The sources say which kernels count references, so that is part of the name of the cache.  ``inner``: only kernels
    call it.  Then it needs no wrapper that takes apart the arguments of a call from Python, which costs more than the
    kernel itself, and neither machine code nor a place in the cache, because the code of its callers contains it.
    """
    options: dict[str, Any] = {"fastmath": set(FLOAT_RULES), "error_model": "numpy", "nogil": True, "_nrt": counted}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner, "pipeline_class": _Inner if inner else _Outer}
    compiled: Any = numba.njit(**options)(function)
    if not hasattr(compiled, "enable_caching"):  # a plain function under NUMBA_DISABLE_JIT=1
        return compiled
    if inner:
        compile_for = compiled.compile
        compiled.compile = lambda types: compile_for(tuple(map(unliteral, types)))  # one code for f(x, 0) and f(x, n)
    elif cache_directory() is not None:
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return compiled


def hear_compilations(hear: Callable[[bool], None]) -> None:
    """Call ``hear(True)`` when a compilation begins, ``hear(False)`` when it ends; never when loading from the cache.
    Compiling a kernel together with those it calls counts as one compilation."""
    event.register("numba:compile", _Ear(hear))  # type: ignore[no-untyped-call]


class _Ear(event.Listener):
    def __init__(self, hear: Callable[[bool], None]) -> None:
        self._hear, self._depth = hear, 0

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            self._hear(True)

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._hear(False)


class _Flags(compiler.Flags):
    """Options that do not change any more.

    numba looks up every operation that it types by the options, too; collecting and comparing all fifty of them each
    time took a quarter of the compilation.
    """

    __slots__ = ("_all", "_hash")

    def __init__(self, flags: compiler.Flags) -> None:
        super().__init__(flags)  # type: ignore[no-untyped-call]
        self._all: Any = super().values()  # type: ignore[no-untyped-call]
        self._hash = hash(tuple(sorted(self._all)))

    def values(self) -> Any:
        return self._all

    def __hash__(self) -> int:
        return self._hash

    def copy(self) -> _Flags:
        return self


class _Outer(compiler.Compiler):
    """The pipeline of a kernel that Python calls."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, returns: Any, flags: Any, names: Any) -> None:
        super().__init__(typing, target, library, args, returns, _Flags(flags), names)  # type: ignore[no-untyped-call]


class _Inner(_Outer):
    """The pipeline of a kernel that only kernels call: it ends before optimisation.

    Else numba optimises it, and makes machine code, on its own and again within every kernel that calls it, directly or
    not; only the outermost of these is used.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        context = self.state.targetctx  # a copy of this pipeline's own
        context.get_executable = _unlinked
        self.state.library = _Part(context.codegen(), "part")  # type: ignore[no-untyped-call]


class _Part(codegen.JITCodeLibrary):
    """Code that is optimised where it is linked to."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


def _unlinked(library: _Part, description: Any, environment: Any) -> Any:
    """Return a function for numba's tables, to which no machine code belongs."""
    library._ensure_finalized()  # type: ignore[no-untyped-call]
    return _dynfunc.make_function(description.lookup_module(), "part", "", 0, environment, (library,))


class _Locator(caching._CacheLocator):
    """The place of a function in our directory; its stamp is the directory's name and the digest of its file."""

    def __init__(self, function: Any, file: Any) -> None:
        self._function, self._file, self._directory = function, file, cache_directory()

    def get_cache_path(self) -> str:
        return str(self._directory)

    def get_source_stamp(self) -> str:
        return f"{Path(self.get_cache_path()).name}-{sha256(Path(self._file).read_bytes()).hexdigest()[:16]}"

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator | None:
        return None if cache_directory() is None else cls(function, file)


class _Results(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - numba's own convention


class _Cache(caching.FunctionCache):
    _impl_class = _Results

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled code if possible; on failure (a full disk, code that numba cannot locate), the next
        process compiles again."""
        with suppress(OSError, RuntimeError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
