"""The cache of compiled kernels: a directory whose name is a digest of everything they were built from."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

KERNELS = Path(__file__).parent
PREFIX = "verified-risk-"
FORGET_AFTER_DAYS = 30


def sources_digest(folder: Path = KERNELS) -> str:
    """Return a digest of every kernel source and of the versions that compile it."""
    digest = hashlib.sha256()
    versions = (sys.version, version("numba"), np.__version__)
    digest.update(repr(versions).encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path | None:
    """Return the first writable of ``$NUMBA_CACHE_DIR``, this folder's ``__pycache__``, the user's cache; else None."""
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
    """Return whether a file can be created there; permission bits do not tell (read-only mounts, the super-user)."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _forget_old(place: Path, current: str) -> None:
    """Delete caches of other sources unused for a month."""
    limit = time.time() - FORGET_AFTER_DAYS * 86400
    for old in place.glob(PREFIX + "*"):
        try:
            if old.name != current and old.stat().st_mtime < limit:
                for file in old.iterdir():
                    file.unlink()
                old.rmdir()
        except OSError:
            continue  # in use, or removed by another process


def is_stored(name: str) -> bool:
    """Return whether an earlier process has compiled the kernel ``name`` for some arguments."""
    directory = cache_directory()
    return directory is not None and any(directory.glob(f"*.{name}-*.nbi"))
