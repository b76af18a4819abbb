"""Worker processes that ignore Ctrl-C; the process that started them receives it, and then ends them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import Any


class Pool(ProcessPoolExecutor):
    """A pool whose workers ignore SIGINT from their start, and are ended when the ``with`` block raises.

    Otherwise every worker would print a traceback of its own, and the block would wait for all submitted work.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _interrupts_held():  # processes start here, and inherit what is held
            return super().submit(function, *args, **kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if kind is not None:
            workers = list((self._processes or {}).values())
            self.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
        return super().__exit__(kind, error, trace)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """SIGINT waits until the block is over; where there is no such mask (Windows), nothing changes."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
