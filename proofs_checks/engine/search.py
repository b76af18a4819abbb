"""Search for the least slack: exhaustively on small cases, at random, and by climbing towards failure.

A search returns the worst case it met; the slack of that case is exact.
"""

from __future__ import annotations

import os
import pickle
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from tempfile import TemporaryDirectory
from typing import Any, Generic

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration
from hypothesis.strategies import SearchStrategy

from verified_risk.errors import VerifiedRiskError
from verified_risk.numbers.enclosure import Real, bounds
from verified_risk.pool import packed, workers

from . import shown
from .model import Case, Claim, Statement, Verdict, parts_of, verdict_of

STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"


@dataclass
class Search(Generic[Case]):
    """The result of a search: cases tried, cases that met the hypotheses, and the worst of these.

    ``beyond`` counts, for each hypothesis, cases that miss it alone and in which the claim fails.  ``closest`` has, for
    every part of the claim with two sides, the greatest ratio of the smaller to the greater side: the search refutes
    the claim whose bound is multiplied by less.
    """

    tried: int = 0
    met: int = 0
    refuted: int = 0
    unknown: int = 0
    beyond: Counter[str] = field(default_factory=Counter)
    worst: Real | None = None
    worst_case: Case | None = None
    undecided_case: Case | None = None
    closest: dict[str, Fraction] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    def add(self, other: Search[Case]) -> None:
        """Add the cases of another search of the same claim."""
        self.undecided_case = other.undecided_case if not self.unknown else self.undecided_case
        for name in ("tried", "met", "refuted", "unknown", "beyond"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.worst is not None and (self.worst is None or bounds(other.worst) < bounds(self.worst)):
            self.worst, self.worst_case = other.worst, other.worst_case
        for name, ratio in other.closest.items():
            self.closest[name] = max(ratio, self.closest.get(name, ratio))

    def see(self, claim: Claim[Case], case: Case) -> Real | None:
        """Evaluate the claim in one more case; return its slack, or None if it does not meet the hypotheses."""
        self.tried += 1
        slack = claim.evaluate(case)
        if slack is None:
            self.beyond.update(_refuted_without(claim, case))
            return None
        self.met += 1
        verdict = verdict_of(slack)
        self.refuted += verdict is Verdict.REFUTED
        if verdict is Verdict.UNKNOWN:
            self.unknown += 1
            self.undecided_case = case if self.unknown == 1 else self.undecided_case
        if self.worst is None or bounds(slack) < bounds(self.worst):
            self.worst, self.worst_case = slack, case
        for part in parts_of(slack):
            if part.small is not None:
                ratio = part.ratio()
                self.closest[part.name] = max(ratio, self.closest.get(part.name, ratio))
        return slack

    @property
    def verdict(self) -> Verdict:
        """REFUTED if some case refutes the claim; STANDS if cases met the hypotheses and none is undecided."""
        if self.refuted:
            return Verdict.REFUTED
        return Verdict.STANDS if self.met and not self.unknown else Verdict.UNKNOWN


@dataclass(frozen=True, repr=False)
class Found(Generic[Case]):
    """A counterexample found by a generator: the first one met, the one it shrank to, and the effort."""

    first: Case
    case: Case
    slack: Real
    cases: int
    seconds: float

    def describe(self) -> str:
        """The counterexample as a table, by how much it fails, and after how many cases it was found."""
        return f"{shown.text(self.case)}\nfails by {shown.number(-self.slack)}, found after {self.cases} cases"

    __repr__ = describe


@dataclass(frozen=True, repr=False)
class Conjecture(Generic[Case]):
    """The answer of a search: the verdict, the counterexample if there is one, and the cases seen."""

    claim: Claim[Case]
    verdict: Verdict
    found: Found[Case] | None
    search: Search[Case]

    def describe(self) -> str:
        """The verdict in words, with the counterexample or the first undecided case as a table."""
        said, seen = self.claim.words or self.claim.formula, f"{self.search.met} of {self.search.tried} cases"
        if self.found is not None:
            return f"{said}: refuted\n{self.found.describe()}"
        if not self.search.met:
            return f"{said}: nothing tested, {seen} met the hypotheses"
        if self.search.unknown:
            return (
                f"{said}: undecided in {self.search.unknown} cases, the first\n{shown.text(self.search.undecided_case)}"
            )
        return f"{said}: no counterexample, {seen} met the hypotheses (support, not a proof)"

    __repr__ = describe


class NothingTested(UserWarning):
    """A search found nothing because no case met the hypotheses."""


class Undecided(VerifiedRiskError):
    """A search found no counterexample, but could not decide every case."""


def exhaustive(claim: Claim[Case], cases: Iterable[Case]) -> Search[Case]:
    """Evaluate the claim in every case of an enumeration."""
    search: Search[Case] = Search()
    start = time.perf_counter()
    for case in cases:
        search.see(claim, case)
    search.seconds = time.perf_counter() - start
    return search


def random(
    claim: Claim[Case], cases: SearchStrategy[Case], *, examples: int, seed: int, climb: bool = True
) -> Search[Case]:
    """Evaluate ``examples`` cases: the first half at random, the others, if ``climb``, from mutations of these.
    Mutations aim at a smaller relative slack of each part of the claim."""
    return _search(claim, cases, examples=examples, seed=seed, climb=climb)[0]


def conjecture(
    claim: Claim[Case] | Callable[[Case], Real],
    cases: SearchStrategy[Case],
    *,
    seed: int = 0,
    budget: int = 1000,
    jobs: int = 1,
    cluster: str | None = None,
) -> Conjecture[Case]:
    """Search for a counterexample to a claim, or to a bare slack function, and shrink it.

    Unlike :func:`find`, the answer tells *refuted* from *no counterexample*, *undecided* and *nothing tested*.  With
    ``jobs > 1``, or on the dask scheduler ``cluster="tcp://..."``, each worker sees its share of ``budget`` with a seed
    of its own, and the counterexample that is found first ends the search.
    """
    asked = claim if isinstance(claim, Claim) else Claim("", getattr(claim, "__name__", "the claim"), claim)
    if jobs == 1 and cluster is None:
        search, found = _search(asked, cases, examples=budget, seed=seed, until_refuted=True)
    else:
        search, found = _shared_search(asked, cases, budget, seed, jobs, cluster)
    return Conjecture(asked, search.verdict, found, search)


def _shared_search(
    claim: Claim[Case], cases: SearchStrategy[Case], budget: int, seed: int, jobs: int, cluster: str | None
) -> tuple[Search[Case], Found[Case] | None]:
    total: Search[Case] = Search()
    found: Found[Case] | None = None
    start = time.perf_counter()
    sent = packed((claim, cases))
    with leaving_nothing(), suppress(_Refuted), workers(jobs, cluster) as pool:
        share = -(-budget // pool.count)
        running = [pool.submit(_share_of_search, sent, share, seed + i) for i in range(pool.count)]
        while running:
            for future in pool.first(running):
                running.remove(future)
                search, found = pickle.loads(future.result())
                total.add(search)
                if found is not None:
                    raise _Refuted  # ends the other workers
    total.seconds = time.perf_counter() - start
    return total, found


def _share_of_search(sent: bytes, examples: int, seed: int) -> bytes:
    claim, cases = pickle.loads(sent)
    return packed(_search(claim, cases, examples=examples, seed=seed, until_refuted=True))


def find_counterexample(
    statement: Statement[Case], *, seed: int, claim: Claim[Case] | None = None, shrink: bool = True
) -> Found[Case] | None:
    """Search for a case that refutes the printed claim with the statement's generator, and shrink it.

    ``claim`` replaces the printed claim.  Return None if the statement's ``find_budget`` of cases, not counting those
    met while shrinking, shows none.
    """
    target = claim if claim is not None else statement.printed
    if target is None:
        raise ValueError(f"{statement.label} has no printed claim to refute")
    return find(target, statement.cases(), seed=seed, budget=statement.find_budget, shrink=shrink)


def find(
    claim: Claim[Case], cases: SearchStrategy[Case], *, seed: int, budget: int, shrink: bool = True
) -> Found[Case] | None:
    """Return a case of the strategy that refutes the claim, shrunk if wanted; None if ``budget`` cases show none.

    The search is that of :func:`random`, up to the first refuted case.  Warn with :class:`NothingTested` if no case met
    the hypotheses of the claim; raise :class:`Undecided` if none was refuted and some could not be decided.
    """
    search, found = _search(claim, cases, examples=budget, seed=seed, until_refuted=True, shrink=shrink)
    if found is None and search.unknown:
        case = shown.text(search.undecided_case)
        raise Undecided(
            f"{search.unknown} of {search.met} cases could not be decided, wanted all; the first is\n{case}"
        )
    if not search.met:
        said = f"none of {search.tried} cases met the hypotheses of {claim.words!r}: nothing was tested"
        warnings.warn(said, NothingTested, stacklevel=2)
    return found


def _search(
    claim: Claim[Case],
    cases: SearchStrategy[Case],
    *,
    examples: int,
    seed: int,
    climb: bool = True,
    until_refuted: bool = False,
    shrink: bool = True,
) -> tuple[Search[Case], Found[Case] | None]:
    """Generate, climb, and shrink the first refuted case if the search is to end there."""
    search: Search[Case] = Search()
    failures: list[tuple[Case, Real]] = []
    first_at, start = (0, 0.0), time.perf_counter()

    def look(case: Case) -> None:
        nonlocal first_at
        slack = (Search() if failures else search).see(claim, case)  # cases met while shrinking are not counted
        if slack is None:
            return
        if until_refuted and verdict_of(slack) is Verdict.REFUTED:
            first_at = first_at if failures else (search.tried, time.perf_counter() - start)
            failures.append((case, slack))
            raise _Refuted
        if climb:
            aims: dict[str, float] = {}
            for part in parts_of(slack):
                closeness = part.closeness()
                if closeness is not None:
                    aims[part.name] = max(closeness, aims.get(part.name, closeness))
            for name, closeness in aims.items():
                hypothesis.target(closeness, label=name)

    phases = (Phase.generate, *[Phase.target] * climb, *[Phase.shrink] * shrink)
    with suppress(_Refuted):
        _run(look, cases, examples=examples, seed=seed, phases=phases)
    search.seconds = time.perf_counter() - start
    if not failures:
        return search, None
    case, slack = failures[-1]  # hypothesis replays the smallest failure last
    return search, Found(failures[0][0], case, slack, *first_at)


def _refuted_without(claim: Claim[Any], case: Any) -> list[str]:
    """The hypothesis that the case misses, if it is one and the claim fails; nothing where the claim has no meaning."""
    try:
        missed = [name for name, met in claim.hypotheses.items() if not met(case)]
        return missed if len(missed) == 1 and verdict_of(claim.slack(case)) is Verdict.REFUTED else []
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return []


@contextmanager
def leaving_nothing() -> Iterator[None]:
    """Redirect hypothesis' storage directory to a temporary folder in this block and in processes started in it.  Even
    without a database, hypothesis writes constants of the sources to ``.hypothesis`` in the working directory."""
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
