"""Threads inside one plan: states of one step are independent, so the answer is the same to the last bit.

``VERIFIED_RISK_THREADS`` says how many; the default is the number of cores that this process may use, and one in a
worker process, so that many plans can run beside each other.
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
from ..grid.floats import Ints

VARIABLE = "VERIFIED_RISK_THREADS"
WORTHWHILE = 400_000
"""Multiplications of a thread between two meetings: a fifth of a millisecond, several times what a meeting takes."""


def threads() -> int:
    """How many threads a plan may use."""
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
    """One for each process: a fork inherits the pool, but not its threads."""
    return ThreadPoolExecutor(count)


def shares(weights: Ints, work: float) -> list[tuple[int, int]]:
    """Ranges of states ``first <= s < last`` of about equal total weight, one for each thread.

    ``work`` is what all of them do between two meetings, in multiplications; little work is not shared.
    """
    count = max(1, min(threads(), len(weights), int(work // WORTHWHILE)))
    total = np.cumsum(weights)
    inner = [int(np.searchsorted(total, total[-1] * k / count)) + 1 for k in range(1, count)]
    cuts = sorted({0, *(min(cut, len(weights)) for cut in inner), len(weights)})
    return list(pairwise(cuts))


def in_threads(work: Callable[[int], None], parts: int) -> None:
    """``work(0)``, ..., ``work(parts - 1)`` side by side; the kernels release the interpreter's lock."""
    if parts == 1:
        work(0)
        return
    others = [_pool(parts - 1, os.getpid()).submit(work, k) for k in range(1, parts)]
    work(0)
    for other in others:
        other.result()
