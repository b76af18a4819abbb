r"""The one place that imports numba: how kernels are compiled and where the results are kept.

``kernel`` is ``njit`` with one fixed set of options and a cache that cannot lie.  numba's own cache has three faults,
each reproduced in ``tests/planning/test_numba_cache.py``:

1. it keys a function on the time stamp of *its own* file: editing a constant or a kernel in another module leaves a
   stale caller behind;
2. decorator options are not part of the key: two variants made from one source share one compilation;
3. where neither the source tree nor a home directory is writable, importing raises.

Here the *name* of the cache directory contains a digest of every source file of this folder (this one, with its
options, included) and of the versions of Python, numba and numpy, so a changed source never meets an old result; there
is one decorator with one set of options and no factory; and where nothing is writable the kernels are compiled afresh,
after one warning.

``FLOAT_RULES`` allows the contraction of a product and a sum into one rounding and ignores the sign of zero, nothing
else: sums are evaluated in the order written, and infinities and NaN keep their meaning.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import caching

FLOAT_RULES = frozenset({"contract", "nsz"})
KERNELS = Path(__file__).parent
PREFIX = "verified-risk-"
FORGET_AFTER_DAYS = 30


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on its first call; the result is kept in :func:`cache_directory`."""
    compiled = numba.njit(fastmath=set(FLOAT_RULES), error_model="numpy", nogil=True)(function)
    directory = cache_directory()
    if directory is not None and hasattr(compiled, "enable_caching"):  # a plain function under NUMBA_DISABLE_JIT=1
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call, attr-defined]
    return compiled


def sources_digest(folder: Path = KERNELS) -> str:
    """A digest of every kernel source and of the versions that compile it."""
    digest = hashlib.sha256()
    versions = (sys.version, numba.__version__, np.__version__)
    digest.update(repr(versions).encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path | None:
    """The first writable place of ``$NUMBA_CACHE_DIR``, this folder's ``__pycache__``, the user's cache; else None."""
    name = PREFIX + sources_digest()
    for place in _places():
        directory = place / name
        if _writable(directory):
            _forget_old(place, name)
            return directory
    warnings.warn(
        "no writable place for compiled kernels (set NUMBA_CACHE_DIR to one): every process will compile them anew, "
        "which takes seconds",
        RuntimeWarning,
        stacklevel=3,
    )
    return None


def _places() -> list[Path]:
    places = []
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        places.append(Path(chosen))
    places.append(KERNELS / "__pycache__")
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        places.append(Path(chosen) / "verified_risk")
    with suppress(RuntimeError):  # no home directory
        places.append(Path.home() / ".cache" / "verified_risk")
    return places


def _writable(directory: Path) -> bool:
    """Whether a file can be created there; permission bits do not say (a read-only mount, a super-user)."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _forget_old(place: Path, current: str) -> None:
    """Drop the results of sources that nobody has used for a month."""
    limit = time.time() - FORGET_AFTER_DAYS * 86400
    for old in place.glob(PREFIX + "*"):
        try:
            if old.name != current and old.stat().st_mtime < limit:
                for file in old.iterdir():
                    file.unlink()
                old.rmdir()
        except OSError:
            continue  # in use, or another process was faster


class _Locator(caching._CacheLocator):
    """Tells numba to use our directory, and the digest in its name as the only stamp of the sources."""

    def __init__(self, function: Any, directory: Path) -> None:
        self._function, self._directory = function, directory

    def get_cache_path(self) -> str:
        return str(self._directory)

    def get_source_stamp(self) -> str:
        return self._directory.name

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator | None:
        directory = cache_directory()
        return None if directory is None else cls(function, directory)


class _Results(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - numba's own convention


class _Cache(caching.FunctionCache):
    _impl_class = _Results
