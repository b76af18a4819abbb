"""A fuzzed property: how to draw a case from a seed, how to check it, and how to shrink it.

A case is plain JSON, so a failure can be stored in a file and checked again.  A check fails by raising
:class:`Falsified` or any exception that the project does not raise on purpose.  It raises :class:`Skipped` if the case
does not test the property.
"""

import hashlib
import random
import re
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

CASE_SECONDS = 30.0  # limit of CPU time per case.  Cases are small, so one that takes longer has failed
LONGEST_WAIT = 20 * CASE_SECONDS  # limit of wall-clock time per case, for cases that wait without computing
SHRINK_SECONDS = 10.0
MOST_CASES = 2000  # limit of cases per batch
ROOT = Path(__file__).resolve().parents[2]


class Falsified(AssertionError):
    """The property fails in this case."""


class Skipped(Exception):
    """The case does not test the property; the message says why."""


class OutOfTime(BaseException):
    """A case exceeded its time limit.  Derived from BaseException so that commands under test do not catch it."""


@dataclass(frozen=True)
class Property:
    """``make(rng)`` draws a case, ``check(case)`` raises if it fails, ``smaller(case)`` yields simpler cases."""

    name: str
    title: str
    make: Callable[[random.Random], Case]
    check: Callable[[Case], None]
    smaller: Callable[[Case], Iterator[Case]] = lambda case: iter(())
    available: Callable[[], str | None] = lambda: None
    """Return why the property cannot be checked here, or None if it can."""
    warm: Callable[[], None] = lambda: None  # compile kernels before the time of a case is measured


@dataclass
class Failure:
    """A kind of failure: the property, the error, and the smallest case found so far."""

    name: str
    seed: str
    error: str
    where: str
    trace: str
    case: Case

    @property
    def signature(self) -> str:
        """A digest that ignores the numbers and quoted names in the error."""
        words = re.sub(r"'[^']*'|\"[^\"]*\"|-?\d[\d./e+-]*", "#", self.error)
        return hashlib.sha256(f"{self.name}|{self.where}|{words[:160]}".encode()).hexdigest()[:10]


@dataclass
class Batch:
    """The cases of one property with seeds ``seed/name/number/0, 1, ...``, until ``seconds`` have passed."""

    name: str
    seed: int
    number: int
    seconds: float


@dataclass
class Outcome:
    """The result of a batch."""

    cases: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)


def attempt(prop: Property, case: Case, seed: str) -> Failure | str | None:
    """Check a case: None if the property holds, the reason if the case was skipped, otherwise the failure."""
    try:
        with limited(CASE_SECONDS):
            prop.check(case)
    except Skipped as reason:
        return str(reason)
    except (Exception, OutOfTime) as error:
        return failure_of(prop.name, case, seed, error)
    return None


def failure_of(name: str, case: Case, seed: str, error: BaseException) -> Failure:
    """Describe an error: its message, and the innermost frame of the project where it was raised."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    where = f"{Path(ours[-1].filename).relative_to(ROOT).as_posix()}:{ours[-1].name}" if ours else ""
    shown = "".join(traceback.format_exception(error)).replace(f"{ROOT}/", "")
    message = " ".join(f"{type(error).__name__}: {error}".split())
    return Failure(name, seed, message[:2000], where, shown[-20_000:], case)


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ("verified_risk", "proofs_checks")


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise :class:`OutOfTime` after ``seconds`` of CPU time, or after :data:`LONGEST_WAIT` of wall-clock time.

    In the main thread of a process with alarms this interrupts the block.  In other threads (dask workers) it happens
    at the end of the block.
    """
    started = time.thread_time()
    alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    clocks = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, LONGEST_WAIT))

    def ring(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(f"the case took more than {seconds:g} s")

    before = [signal.signal(number, ring) for number, _, _ in clocks] if alarms else []
    try:
        if alarms:
            for _, clock, length in clocks:
                signal.setitimer(clock, length)
        yield
    finally:
        if alarms:
            for (number, clock, _), handler in zip(clocks, before, strict=True):
                signal.setitimer(clock, 0)
                signal.signal(number, handler)
    if not alarms and time.thread_time() - started > seconds:
        raise OutOfTime(f"the case took more than {seconds:g} s")


def shrunk(prop: Property, failure: Failure, seconds: float = SHRINK_SECONDS) -> Failure:
    """Return the smallest case found within ``seconds`` that fails with the same signature."""
    until = time.monotonic() + seconds
    best, going = failure, True
    while going:
        going = False
        for case in prop.smaller(best.case):
            if time.monotonic() > until:
                return best
            found = attempt(prop, case, failure.seed)
            if isinstance(found, Failure) and found.signature == failure.signature:
                best, going = found, True
                break
    return best


def run_cases(prop: Property, batch: Batch) -> Outcome:
    """Run the cases of a batch; shrink the first failure of each signature."""
    outcome, started, known = Outcome(), time.monotonic(), set[str]()
    while outcome.cases < MOST_CASES and (outcome.cases == 0 or time.monotonic() - started < batch.seconds):
        seed = f"{batch.seed}/{batch.name}/{batch.number}/{outcome.cases}"
        outcome.cases += 1
        try:
            with limited(CASE_SECONDS):
                case = prop.make(random.Random(seed))
        except (Exception, OutOfTime) as error:
            found: Failure | str | None = failure_of(prop.name, {"unmade": seed}, seed, error)
        else:
            found = attempt(prop, case, seed)
        if isinstance(found, str):
            outcome.skipped[found] = outcome.skipped.get(found, 0) + 1
        elif found is not None:
            slow = found.error.startswith(OutOfTime.__name__)
            if found.signature not in known and "unmade" not in found.case and not slow:
                found = shrunk(prop, found)
            known.add(found.signature)
            outcome.failures.append(found)
    outcome.seconds = time.monotonic() - started
    return outcome
