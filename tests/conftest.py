"""Hypothesis profiles (the first kernel call compiles, so there is no deadline) and the clock of time limits."""

import os
import signal
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, settings

from verified_risk.planning import clock

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", max_examples=100, derandomize=True, **_common)
settings.register_profile("nightly", max_examples=2000, **_common)

# Time limits of planner and recheck count seconds of the processor here, so that a busy machine changes no answer.
clock.now = time.process_time

# Started with SIGINT ignored (nohup, a background job), a process hands that down to every program that it starts;
# the tests of Ctrl-C are about programs that a person started.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without a home that can be written, matplotlib says on the standard error where it keeps its fonts instead.
try:
    tempfile.TemporaryFile(dir=Path.home()).close()
except (OSError, RuntimeError):
    os.environ.setdefault("MPLCONFIGDIR", tempfile.mkdtemp(prefix="verified_risk-"))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(config, items):
    """`slow` campaigns run only when a marker expression asks for them (`make nightly`); they count as deselected."""
    if config.option.markexpr:
        return
    slow = [item for item in items if "slow" in item.keywords]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]
