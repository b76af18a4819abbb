"""Worker processes that ignore Ctrl-C; the parent process receives it and terminates them."""

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
"""Maximum number of seconds to wait for the thread that hands out work, which ends soon after its workers."""


class Pool(ProcessPoolExecutor):
    """A pool whose workers ignore SIGINT from their start, and are terminated if the ``with`` block raises.

    Otherwise every worker would print its own traceback, and the block would wait for all submitted work.  A worker
    also exits when its parent process is gone, however that ended.
    """

    def __init__(self, workers: int, mp_context: BaseContext | None = None) -> None:
        super().__init__(workers, mp_context, initializer=_end_with_parent)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _interrupts_held():  # processes start here and inherit the mask
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
    """Wait in a thread for the end of the parent process, which cannot notify its workers after ``kill -9``."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Defer SIGINT until the block is over; no effect without signal masks (Windows)."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
