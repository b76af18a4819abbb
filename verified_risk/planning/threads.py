"""Threads inside one plan: states of one step are independent, so the answer is the same to the last bit.

``VERIFIED_RISK_THREADS`` says how many; the default is one, so that many plans can run beside each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from ..errors import InvalidArgument

VARIABLE = "VERIFIED_RISK_THREADS"


def threads() -> int:
    """How many threads a plan may use."""
    text = os.environ.get(VARIABLE, "1")
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise InvalidArgument(f"{VARIABLE} is {text!r}, wanted a number of threads from 1")
    return int(text)


@lru_cache(maxsize=4)
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


def in_threads(work: Callable[[int], None], parts: int) -> None:
    """``work(0)``, ..., ``work(parts - 1)`` side by side; the kernels release the interpreter's lock."""
    if parts == 1:
        work(0)
        return
    for done in [_pool(parts).submit(work, k) for k in range(parts)]:
        done.result()
