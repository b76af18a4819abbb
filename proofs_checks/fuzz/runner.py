"""Run the properties in turn until time is up: in this process, on a pool of processes, or on dask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from itertools import cycle
from multiprocessing import get_context
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk.errors import InvalidArgument

from ..engine.search import leaving_nothing
from ..engine.workers import Workers
from ..engine.workers import workers as start
from .catalogue import chosen, run_batch, warmed
from .folder import Count, Folder
from .property import Batch, Failure, Outcome, Property

BATCH_SECONDS = 2.0


@dataclass
class Report:
    """The result of a run: the counts of its folder over all runs, and the cases and failures of this run."""

    folder: Path
    page: Path
    counts: dict[str, Count]
    cases: int = 0
    found: list[Failure] = field(default_factory=list)
    """Failures that the folder did not hold before."""
    met: int = 0
    """Number of failing cases, known ones included."""


def run(
    folder: str | PathLike[str],
    *,
    seconds: float,
    properties: Sequence[str] = (),
    workers: int = 0,
    cluster: str | None = None,
    seed: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Fuzz for ``seconds`` and keep the results in ``folder``; a later run there continues with new seeds.

    Batches run in ``workers`` processes (0: in this process), or on the dask scheduler ``cluster="tcp://..."``.
    """
    if seconds <= 0:
        raise InvalidArgument(f"the time is {seconds} s, wanted more than 0")
    wanted = chosen(properties)
    kept = Folder(Path(folder), seed)
    ready = []
    for prop in wanted:
        kept.count(prop.name).absent = prop.available()
        if kept.count(prop.name).absent is None:
            ready.append(prop)
    if not ready:
        raise InvalidArgument(f"no property can be checked: {kept.count(wanted[0].name).absent}")
    titles = {prop.name: prop.title for prop in chosen(())}
    report = Report(kept.path, kept.path, kept.counts)
    for prop in ready:
        warmed(prop.name)  # the workers find the compiled kernels in the cache
    until = time.monotonic() + seconds
    turns = cycle(ready)

    def more() -> Batch | None:
        left = until - time.monotonic()
        return kept.next_batch(next(turns).name, min(BATCH_SECONDS, left)) if left > 0 else None

    by_name = {prop.name: prop for prop in ready}
    try:
        with leaving_nothing():
            for batch, outcome in _outcomes(more, workers, cluster):
                _note(report, kept, by_name[batch.name], outcome)
                if progress is not None:
                    left = max(0.0, until - time.monotonic())
                    progress(f"{report.cases} cases, {report.met} failing, {left:.0f} s left")
    finally:
        report.page = kept.write_page(titles)
        kept.write()
    return report


def _note(report: Report, kept: Folder, prop: Property, outcome: Outcome) -> None:
    report.found += kept.add(prop, outcome)
    report.cases += outcome.cases
    report.met += len(outcome.failures)


# -- engines ---------------------------------------------------------------------------------------------------------


def _outcomes(more: Callable[[], Batch | None], workers: int, cluster: str | None) -> Iterator[tuple[Batch, Outcome]]:
    if workers == 0 and cluster is None:
        while (batch := more()) is not None:
            yield batch, run_batch(batch)
        return
    going = True
    while going:  # with a new pool after a worker has died
        going = False
        with start(workers, cluster, get_context("spawn")) as pool:
            for batch, outcome in _fed(more, pool):
                going = going or outcome is _DIED
                yield batch, _died(batch) if outcome is _DIED else outcome


_DIED = Outcome()


def _fed(more: Callable[[], Batch | None], pool: Workers) -> Iterator[tuple[Batch, Outcome]]:
    """Keep all workers busy until there are no more or a worker dies."""
    running: dict[Any, Batch] = {}
    healthy = True
    while True:
        while healthy and len(running) < pool.count and (batch := more()) is not None:
            try:
                running[pool.submit(run_batch, batch)] = batch
            except BrokenProcessPool:
                healthy = False
        if not running:
            return
        for future in pool.first(list(running)):
            batch = running.pop(future)
            try:
                yield batch, future.result()
            except BrokenProcessPool:
                healthy = False
                yield batch, _DIED


def _died(batch: Batch) -> Outcome:
    """The outcome of a batch during which a worker died."""
    again = {"batch": asdict(batch)}
    error = "a worker process died while this batch, or one beside it, was running"
    seed = f"{batch.seed}/{batch.name}/{batch.number}"
    return Outcome(cases=1, failures=[Failure(batch.name, seed, error, "", error, again)])
