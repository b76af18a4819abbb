"""Multithreading within one plan: the states of a step are independent, so results do not depend on the threads.

``VERIFIED_RISK_THREADS`` sets how many; the default is the number of cores available to this process, and one in a
worker process, so that many plans can run side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from multiprocessing import parent_process

import numpy as np

from ..errors import InvalidArgument
from ..mdp.packed import Ints

VARIABLE = "VERIFIED_RISK_THREADS"
WORTHWHILE = 400_000
"""Multiplications per thread between two barriers: a fifth of a millisecond, several times the cost of a barrier."""


def threads() -> int:
    """Return the number of threads that a plan may use."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return 1 if parent_process() is not None else _cores()
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise InvalidArgument(f"{VARIABLE} is {text!r}, wanted a number of threads from 1")
    return int(text)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=4)
def _pool(count: int, process: int) -> ThreadPoolExecutor:
    """Return a pool for this process: a fork inherits the pool, but not its threads."""
    return ThreadPoolExecutor(count)


def shares(weights: Ints, work: float) -> list[tuple[int, int]]:
    """Split the states into ranges ``first <= s < last`` of about equal total weight, one per thread.  ``work`` is the
    total number of multiplications between two barriers; small amounts are not split."""
    count = max(1, min(threads(), len(weights), int(work // WORTHWHILE)))
    total = np.cumsum(weights)
    inner = [int(np.searchsorted(total, total[-1] * k / count)) + 1 for k in range(1, count)]
    cuts = sorted({0, *(min(cut, len(weights)) for cut in inner), len(weights)})
    return list(pairwise(cuts))


def in_threads(work: Callable[[int], None], parts: int) -> None:
    """Run ``work(0)``, ..., ``work(parts - 1)`` in parallel; the kernels release the interpreter's lock."""
    if parts == 1:
        work(0)
        return
    others = [_pool(parts - 1, os.getpid()).submit(work, k) for k in range(1, parts)]
    work(0)
    for other in others:
        other.result()
