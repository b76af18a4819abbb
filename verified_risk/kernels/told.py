"""Forward compilation events to the ``progress`` callback."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..progress import Progress, Report
from .jit import telling

COMPILING = "compiling, once: later calls load the result"


@contextmanager
def compilations_told(progress: Report | None) -> Iterator[None]:
    """Report every compilation to ``progress`` while the body runs."""
    if progress is None:
        yield
        return
    began = time.monotonic()

    def tell(begins: bool) -> None:
        progress(Progress(time.monotonic() - began, doing=COMPILING if begins else "compiled"))

    with telling(tell):
        yield
