"""Calls in other processes or on a dask cluster.

Worker processes ignore Ctrl-C; the parent process receives it and terminates them.
"""

import concurrent.futures
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from .errors import InvalidArgument, MissingDependency, optional_module

Task = TypeVar("Task")
MANAGER_SECONDS = 10.0
"""Maximum number of seconds to wait for the thread that hands out work, which ends soon after its workers."""
WAKING_SECONDS = 1.0
"""Longest wait for a result without looking for Ctrl-C: a signal that another thread receives does not end a wait."""


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


@dataclass(frozen=True)
class Workers:
    """``submit(function, *args)`` starts a call, ``first(running)`` waits for some to end; ``count`` run at a time."""

    submit: Callable[..., Any]
    first: Callable[[list[Any]], list[Any]]
    count: int


@contextmanager
def workers(jobs: int, cluster: str | int | None = None, context: BaseContext | None = None) -> Iterator[Workers]:
    """Start that many processes, or use dask: the scheduler ``cluster="tcp://..."``, or so many workers started here.
    Calls end if the block raises."""
    if cluster is not None:
        with _dask(cluster) as found:
            yield found
        return
    if jobs < 1:
        raise InvalidArgument(f"jobs is {jobs}, wanted a number from 1")
    with Pool(jobs, mp_context=context) as pool:
        yield Workers(pool.submit, _first_done, jobs)


def _first_done(running: list[Future[Any]]) -> list[Future[Any]]:
    while not (done := concurrent.futures.wait(running, WAKING_SECONDS, concurrent.futures.FIRST_COMPLETED).done):
        pass
    return list(done)


PoolStart: TypeAlias = Callable[[], AbstractContextManager[Workers]]


@contextmanager
def _dask(cluster: str | int) -> Iterator[Workers]:
    distributed = optional_module("distributed", "clusters need dask.distributed", extra="cluster")
    local: Any = None
    if isinstance(cluster, int):
        local = distributed.LocalCluster(
            n_workers=cluster, threads_per_worker=1, processes=True, dashboard_address=None
        )
    try:
        client = distributed.Client(cluster if local is None else local, timeout="5s")
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidArgument(f"scheduler {cluster!r} cannot be reached: {error}") from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise InvalidArgument(f"the cluster at {cluster} has no workers")
        yield Workers(
            partial(client.submit, pure=False),
            lambda running: list(distributed.wait(running, return_when="FIRST_COMPLETED").done),
            threads,
        )
    finally:
        client.close()
        if local is not None:
            local.close()


def calls(
    function: Callable[[Task], Any], more: Callable[[], Task | None], start: PoolStart
) -> Iterator[tuple[Task, Any]]:
    """Call ``function`` for tasks, as many at a time as there are workers, until ``more()`` returns None.

    Yield each task with its finished future, or with None if it was running when a worker process died; then the rest
    runs in a new pool.
    """
    waiting: list[Task] = []  # a task that found its pool broken
    healthy = False
    while not healthy:
        with start() as pool:
            running: dict[Any, Task] = {}
            healthy = True
            while True:
                while healthy and len(running) < pool.count:
                    task = waiting.pop() if waiting else more()
                    if task is None:
                        break
                    try:
                        running[pool.submit(function, task)] = task
                    except BrokenProcessPool:
                        waiting.append(task)
                        healthy = False
                if not running:
                    break
                for future in pool.first(list(running)):
                    died = isinstance(future.exception(), BrokenProcessPool)
                    healthy = healthy and not died
                    yield running.pop(future), None if died else future


def packed(value: Any) -> bytes:
    """Return the value for another process: lambdas, closures and what a notebook defines included (by cloudpickle).

    :func:`pickle.loads` reads it.  Modules that can be imported here must be importable there.
    """
    try:
        cloudpickle: Any = import_module("cloudpickle")
    except ImportError:
        cloudpickle = pickle
    try:
        return bytes(cloudpickle.dumps(value))
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        if cloudpickle is pickle:
            raise MissingDependency(
                "claims of one's own in other processes need cloudpickle", extra="cluster"
            ) from None
        raise InvalidArgument(f"the claim cannot be sent to another process: {error}") from error
