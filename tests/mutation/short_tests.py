"""A plugin of pytest: a test that has used its processor time is skipped.

Loops that are meant to be compiled take a hundred times as long as plain Python.  What a test has executed until
then is what coverage wants.  The exception is no ``Exception``: nothing that a test runs takes it for an answer.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from types import FrameType
from typing import NoReturn

import pytest

SECONDS = 10


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    pytest.skip(f"more than {SECONDS} s as plain Python")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
