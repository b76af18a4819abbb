"""Search for the least slack: exhaustively on small cases, at random, and by climbing towards failure.

A search returns the worst case it met; the slack of that case is exact.
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
    """The result of a search: cases tried, cases that met the hypotheses, and the worst of these."""

    tried: int = 0
    met: int = 0
    refuted: int = 0
    unknown: int = 0
    worst: Real | None = None
    worst_case: Case | None = None
    seconds: float = field(default=0.0, compare=False)

    def see(self, claim: Claim[Case], case: Case) -> Real | None:
        """Evaluate the claim in one more case; return its slack, or None if it does not meet the hypotheses."""
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
        """REFUTED if some case refutes the claim; STANDS if cases met the hypotheses and none is undecided."""
        if self.refuted:
            return Verdict.REFUTED
        return Verdict.STANDS if self.met and not self.unknown else Verdict.UNKNOWN


@dataclass(frozen=True)
class Found(Generic[Case]):
    """A counterexample found by a generator: the first one met, the one it shrank to, and the effort."""

    first: Case
    case: Case
    slack: Real
    cases: int
    seconds: float


def exhaustive(claim: Claim[Case], cases: Iterable[Case]) -> Search[Case]:
    """Evaluate the claim in every case of an enumeration."""
    search: Search[Case] = Search()
    start = time.perf_counter()
    for case in cases:
        search.see(claim, case)
    search.seconds = time.perf_counter() - start
    return search


def random(
    claim: Claim[Case], cases: SearchStrategy[Case], *, examples: int, seed: int, climb: int | None = None
) -> Search[Case]:
    """Evaluate ``examples`` random cases, and ``climb`` more (default: a tenth) that aim at a smaller slack.

    Climbing uses hypothesis' targeting, which spends time on mutations that are not cases; hence its small share.
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
    if more and search.worst is not None and bounds(search.worst)[0] != 0:  # a slack of 0 cannot improve
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
    """Search for a case that refutes the printed claim with the statement's generator, and shrink it.

    ``budget`` bounds the cases until the first failure (default: the statement's ``find_budget``); shrinking is not
    counted.  ``claim`` replaces the printed claim.  Return None if no case was found.
    """
    target = claim if claim is not None else statement.printed
    if target is None:
        raise ValueError(f"{statement.label} has no printed claim to refute")
    cases = statement.find_budget if budget is None else budget
    return find(target, statement.cases(), seed=seed, budget=cases, shrink=shrink)


def find(
    claim: Claim[Case], cases: SearchStrategy[Case], *, seed: int, budget: int, shrink: bool = True
) -> Found[Case] | None:
    """Return a case of the strategy that refutes the claim, shrunk if wanted; None if ``budget`` cases show none.

    Warn with :class:`NothingTested` if no case met the hypotheses of the claim.
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
    """Redirect hypothesis' storage directory to a temporary folder in this block and in processes started in it.

    Even without a database, hypothesis writes constants of the sources to ``.hypothesis`` in the working directory.
    """
    found: Any = configuration.storage_directory(intent_to_write=False)
    before = getattr(found, "path", found)  # older versions return the path itself
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
    """Raised in a search so that hypothesis shrinks the case."""


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
