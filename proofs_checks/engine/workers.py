"""Work in other processes or on a dask cluster, with claims and strategies of one's own."""

from __future__ import annotations

import concurrent.futures
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.context import BaseContext
from typing import Any

from verified_risk.errors import InvalidArgument, MissingDependency
from verified_risk.pool import Pool


@dataclass(frozen=True)
class Workers:
    """``submit(function, *args)`` starts a call, ``first(running)`` waits for some to end; ``count`` run at a time."""

    submit: Callable[..., Any]
    first: Callable[[list[Any]], list[Any]]
    count: int


@contextmanager
def workers(jobs: int, cluster: str | None = None, context: BaseContext | None = None) -> Iterator[Workers]:
    """That many processes, or the dask scheduler at ``cluster="tcp://..."``; calls end if the block raises."""
    if cluster is not None:
        with _dask(cluster) as found:
            yield found
        return
    if jobs < 1:
        raise InvalidArgument(f"jobs is {jobs}, wanted a number from 1")
    with Pool(jobs, mp_context=context) as pool:
        first = partial(concurrent.futures.wait, return_when=concurrent.futures.FIRST_COMPLETED)
        yield Workers(pool.submit, lambda running: list(first(running).done), jobs)


def packed(value: Any) -> bytes:
    """The value for another process: lambdas, closures and what a notebook defines included (by cloudpickle).

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


@contextmanager
def _dask(address: str) -> Iterator[Workers]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingDependency("clusters need dask.distributed", extra="cluster") from None
    try:
        client = distributed.Client(address, timeout="5s")
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidArgument(f"scheduler {address!r} cannot be reached: {error}") from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise InvalidArgument(f"the cluster at {address} has no workers")
        yield Workers(
            partial(client.submit, pure=False),
            lambda running: list(distributed.wait(running, return_when="FIRST_COMPLETED").done),
            threads,
        )
    finally:
        client.close()
