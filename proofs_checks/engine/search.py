"""Looking for the least slack: exhaustively on small cases, at random, and climbing towards failure.

The search never decides anything: it returns the worst case it met, and the slack of that case is exact.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any, Generic

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration
from hypothesis.strategies import SearchStrategy

from verified_risk.numbers.enclosure import Real, bounds

from .model import Case, Claim, Statement, Verdict, verdict_of

STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"


@dataclass
class Search(Generic[Case]):
    """What a search met: how many cases, how many of them met the hypotheses, and the worst of these."""

    tried: int = 0
    met: int = 0
    refuted: int = 0
    unknown: int = 0
    worst: Real | None = None
    worst_case: Case | None = None
    seconds: float = field(default=0.0, compare=False)

    def see(self, claim: Claim[Case], case: Case) -> Real | None:
        """Evaluate the claim on one more case; its slack, or None outside the hypotheses."""
        self.tried += 1
        if not claim.when(case):
            return None
        self.met += 1
        slack = claim.slack(case)
        verdict = verdict_of(slack)
        self.refuted += verdict is Verdict.REFUTED
        self.unknown += verdict is Verdict.UNKNOWN
        if self.worst is None or bounds(slack) < bounds(self.worst):
            self.worst, self.worst_case = slack, case
        return slack

    @property
    def verdict(self) -> Verdict:
        """REFUTED by one case; HOLDS only if some case met the hypotheses and none was undecided."""
        if self.refuted:
            return Verdict.REFUTED
        return Verdict.STANDS if self.met and not self.unknown else Verdict.UNKNOWN


@dataclass(frozen=True)
class Found(Generic[Case]):
    """A counterexample that a generator found by itself: the first one met, what it shrank to, and the effort."""

    first: Case
    case: Case
    slack: Real
    cases: int
    seconds: float


def exhaustive(claim: Claim[Case], cases: Iterable[Case]) -> Search[Case]:
    """Every case of an enumeration."""
    search: Search[Case] = Search()
    start = time.perf_counter()
    for case in cases:
        search.see(claim, case)
    search.seconds = time.perf_counter() - start
    return search


def random(
    claim: Claim[Case], cases: SearchStrategy[Case], *, examples: int, seed: int, climb: int | None = None
) -> Search[Case]:
    """``examples`` random cases, and ``climb`` more (default: a tenth) that climb towards smaller slack.

    The climbing is hypothesis' targeting.  It tries many mutations that are no cases at all, which do not count here
    but cost time; hence its share is small.
    """
    search: Search[Case] = Search()
    start = time.perf_counter()

    def look(case: Case) -> None:
        search.see(claim, case)

    def look_and_aim(case: Case) -> None:
        slack = search.see(claim, case)
        if slack is not None:
            hypothesis.target(-float(slack), label="slack")

    _run(look, cases, examples=examples, seed=seed, phases=(Phase.generate,))
    more = examples // 10 if climb is None else climb
    if more and search.worst is not None and bounds(search.worst)[0] != 0:  # nothing to gain where it is tight
        _run(look_and_aim, cases, examples=more, seed=seed, phases=(Phase.generate, Phase.target))
    search.seconds = time.perf_counter() - start
    return search


class NothingTested(UserWarning):
    """A search found nothing because no case met the hypotheses."""


def find_counterexample(
    statement: Statement[Case],
    *,
    seed: int,
    budget: int | None = None,
    claim: Claim[Case] | None = None,
    shrink: bool = True,
) -> Found[Case] | None:
    """Let the statement's own generator look for a case on which the printed claim fails, and shrink what it finds.

    ``budget`` bounds the cases until the first failure (default: the statement's ``find_budget``); shrinking comes
    after and is not counted.  ``claim`` replaces the printed claim.  None if nothing was found.
    """
    target = claim if claim is not None else statement.printed
    if target is None:
        raise ValueError(f"{statement.label} has no printed claim to refute")
    cases = statement.find_budget if budget is None else budget
    return find(target, statement.cases(), seed=seed, budget=cases, shrink=shrink)


def find(
    claim: Claim[Case], cases: SearchStrategy[Case], *, seed: int, budget: int, shrink: bool = True
) -> Found[Case] | None:
    """A case of the strategy on which the claim fails, shrunk if wanted; None if ``budget`` cases show none.

    Where no case met the hypotheses of the claim, None means nothing, and :class:`NothingTested` is warned of.
    """
    failures: list[tuple[Case, Real]] = []
    tried, met, first_at, first_seconds = 0, 0, 0, 0.0
    start = time.perf_counter()

    def look(case: Case) -> None:
        nonlocal tried, met, first_at, first_seconds
        tried += 1
        if not claim.when(case):
            return
        met += 1
        slack = claim.slack(case)
        if verdict_of(slack) is Verdict.REFUTED:
            if not failures:
                first_at, first_seconds = tried, time.perf_counter() - start
            failures.append((case, slack))
            raise _Refuted

    try:
        phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
        _run(look, cases, examples=budget, seed=seed, phases=phases)
    except _Refuted:
        case, slack = failures[-1]  # hypothesis replays the smallest failure last
        return Found(failures[0][0], case, slack, first_at, first_seconds)
    if not met:
        said = f"none of {tried} cases met the hypotheses of {claim.words!r}: nothing was tested"
        warnings.warn(said, NothingTested, stacklevel=2)
    return None


@contextmanager
def leaving_nothing() -> Iterator[None]:
    """Hypothesis, even without a database, notes the constants of the sources in ``.hypothesis`` where one stands: in
    this block, and in the processes started in it, it does so in a folder that is then removed.
    """
    found: Any = configuration.storage_directory(intent_to_write=False)
    before = getattr(found, "path", found)  # older versions answer with the path itself
    variable = os.environ.get(STORAGE)
    with TemporaryDirectory(prefix="verified_risk-", ignore_cleanup_errors=True) as folder:
        configuration.set_hypothesis_home_dir(folder)
        os.environ[STORAGE] = folder
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
            if variable is None:
                del os.environ[STORAGE]
            else:
                os.environ[STORAGE] = variable


class _Refuted(Exception):
    """Raised inside a search to make hypothesis shrink."""


def _run(
    look: Callable[[Any], None], cases: SearchStrategy[Any], *, examples: int, seed: int, phases: tuple[Phase, ...]
) -> None:
    # HealthChecks are about speed and filtering; the audit counts the cases that met the hypotheses instead.
    run = hypothesis.settings(
        max_examples=max(1, examples),
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )(hypothesis.seed(seed)(hypothesis.given(cases)(look)))
    run()
