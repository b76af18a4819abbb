"""Worker processes that ignore Ctrl-C; the process that started them receives it, and then ends them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any

MANAGER_SECONDS = 10.0
"""The thread that hands out work ends soon after its workers; it is not waited for any longer than this."""


class Pool(ProcessPoolExecutor):
    """A pool whose workers ignore SIGINT from their start, and are ended when the ``with`` block raises.

    Otherwise every worker would print a traceback of its own, and the block would wait for all submitted work.  A
    worker also ends when the process that started it is gone, however that ended.
    """

    def __init__(self, workers: int, mp_context: BaseContext | None = None) -> None:
        super().__init__(workers, mp_context, initializer=_end_with_parent)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _interrupts_held():  # processes start here, and inherit what is held
            return super().submit(function, *args, **kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if kind is not None:
            workers = list((self._processes or {}).values())
            manager: Any = self._executor_manager_thread
            self.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            if manager is not None:  # shutdown forgot it; Python ending at the same time prints a traceback (3.12.1)
                manager.join(MANAGER_SECONDS)
        return super().__exit__(kind, error, trace)


def _end_with_parent() -> None:
    """Wait beside the work for the end of the parent process: after ``kill -9`` nobody else tells its workers."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


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
