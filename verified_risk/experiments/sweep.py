"""Sweeps over cells: one file per cell, written whole; a sweep that is started again runs the missing cells.

The same cells give the same CSV, byte for byte, whatever the engine and the number of workers: a cell depends on its
own seed alone, and the table is written in the order of the cells.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from os import PathLike, cpu_count
from pathlib import Path
from typing import Any, TypedDict

from .. import files
from ..errors import InvalidArgument, InvalidFile, MissingDependency
from ..pool import Pool
from .sweep_cells import Cell, attempt, csv_of, run_cell

MOST_ATTEMPTS = 3
"""The most times that a cell is started if its workers die."""


@dataclass
class SweepResult:
    """Results in the order of the cells, errors by cell, and where the table is (None while cells are missing)."""

    folder: Path
    results: list[dict[str, Any]] = field(default_factory=list)
    failed: list[tuple[Cell, str]] = field(default_factory=list)
    table: Path | None = None

    def __str__(self) -> str:
        done = len(self.results)
        lines = [f"{done} cell{'s' * (done != 1)} done, {len(self.failed)} failed, in {self.folder}"]
        for cell, error in self.failed:
            lines.append(f"  failed: {cell.model} {cell.objective} {cell.algorithm} seed {cell.seed}: {error}")
        if self.table is not None:
            lines.append(f"  table: {self.table}")
        return "\n".join(lines)


class Engine(TypedDict, total=False):
    """Where a sweep runs (see :func:`sweep`)."""

    workers: int | None
    scheduler: str | None
    local_cluster: int | None
    progress: bool | None


def complete_sweep(
    name: str, cells: Iterable[Cell], out: str | PathLike[str], seeds: int, engine: Engine
) -> tuple[Path, SweepResult]:
    """Run ``cells`` into ``out/cells`` and copy the table to ``out/name.csv``; return ``out/name`` and the results.

    Raises :class:`InvalidArgument` if ``seeds`` is less than 1, or if a cell failed.
    """
    if seeds < 1:
        raise InvalidArgument(f"seeds is {seeds}, wanted at least 1")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    outcome = sweep(list(cells), folder / "cells", **engine)
    if outcome.table is None:
        raise InvalidArgument(f"the experiment is not complete\n{outcome}")
    files.write_text(folder / f"{name}.csv", outcome.table.read_text(encoding="utf-8"))
    return folder / name, outcome


def sweep(
    cells: Sequence[Cell],
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    local_cluster: int | None = None,
    progress: bool | None = None,
) -> SweepResult:
    """Run what is missing of ``cells`` into ``folder`` and write ``results.csv`` when all are there.

    ``workers`` processes of this machine by default (0: in this process); ``scheduler="tcp://..."`` or
    ``local_cluster=N`` runs the same on dask.distributed.
    """
    cells = list(dict.fromkeys(cells))
    if not cells:
        raise InvalidArgument("the sweep has no cells, wanted at least one")
    if scheduler is not None and local_cluster is not None:
        raise InvalidArgument("both scheduler and local_cluster are given, wanted one of them")
    for name, value in (("workers", workers), ("local_cluster", local_cluster)):
        if value is not None and value < (0 if name == "workers" else 1):
            raise InvalidArgument(f"{name} is {value}, wanted a positive number")
    target = _open(cells, Path(folder))
    missing = [cell for cell in cells if _read(target, cell) is None]
    outcome = SweepResult(target)
    engine = (
        _dask(missing, scheduler, local_cluster)
        if scheduler is not None or local_cluster is not None
        else _processes(missing, (cpu_count() or 1) if workers is None else workers)
    )
    if missing:
        with _bar(len(cells), len(cells) - len(missing), progress) as advance:
            for cell, result in engine:
                if "error" in result:
                    outcome.failed.append((cell, result["error"]))
                    files.write_text(target / f"{cell.key}.error.txt", result.get("traceback", result["error"]))
                else:
                    files.write(target / f"{cell.key}.json", "cell", result)
                    (target / f"{cell.key}.error.txt").unlink(missing_ok=True)
                advance()
    found = [_read(target, cell) for cell in cells]
    outcome.results = [result for result in found if result is not None]
    if len(outcome.results) == len(cells):
        outcome.table = target / "results.csv"
        files.write_text(outcome.table, csv_of(outcome.results))
    return outcome


def _open(cells: Sequence[Cell], folder: Path) -> Path:
    """Create the folder, or check that it belongs to this sweep."""
    listing = [cell.to_json() for cell in cells]
    manifest = folder / "sweep.json"
    if manifest.exists():
        held = files.read(manifest, "sweep", lambda data: data)
        if held != listing:
            raise InvalidFile(
                f"{folder} holds another sweep ({len(held)} cells, this one has {len(listing)}): choose another folder"
            )
        return folder
    if folder.exists() and any(folder.iterdir()):
        raise InvalidFile(f"{folder} is not empty and holds no sweep: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    files.write(manifest, "sweep", listing)
    return folder


def _read(folder: Path, cell: Cell) -> dict[str, Any] | None:
    path = folder / f"{cell.key}.json"
    if not path.exists():
        return None

    def parse(data: dict[str, Any]) -> dict[str, Any]:
        if data["cell"] != cell.to_json():
            raise InvalidFile(f"{path} holds the result of another cell")
        for name in ("episode", "regret", "bound"):
            wanted = "a list of numbers, one per checkpoint"
            if data[name] is None and name == "bound":
                continue
            if not isinstance(data[name], list) or len(data[name]) != len(data["episode"]):
                raise InvalidFile(f"{path}: {name} is not {wanted}")
            if not all(type(x) in (int, float) for x in data[name]):
                raise InvalidFile(f"{path}: {name} is not {wanted}")
        return data

    try:
        return files.read(path, "cell", parse)
    except InvalidFile as error:
        raise InvalidFile(f"{error}; delete {path} and start again: only this cell is run anew") from None


# -- engines ---------------------------------------------------------------------------------------------------------


def _processes(cells: Sequence[Cell], workers: int) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """A pool of processes; a worker that dies takes its cell down at most ``MOST_ATTEMPTS`` times."""
    if workers == 0 or len(cells) == 1:
        for cell in cells:
            yield cell, attempt(cell.to_json())
        return
    if cells:
        _warm()
    left = list(cells)
    starts = dict.fromkeys(cells, 0)
    while left:
        with Pool(min(workers, len(left)), mp_context=get_context("spawn")) as pool:
            yield from _one_pool(pool, left, starts, workers)
        for cell in [cell for cell in left if starts[cell] >= MOST_ATTEMPTS]:
            left.remove(cell)
            yield cell, {"cell": cell.to_json(), "error": f"its worker died {MOST_ATTEMPTS} times"}


def _one_pool(
    pool: Pool, left: list[Cell], starts: dict[Cell, int], workers: int
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Feed one pool until all is done or it breaks; only cells that were running when it broke count as started."""
    waiting = iter(list(left))
    running: dict[Future[dict[str, Any]], Cell] = {}
    while True:
        try:
            while len(running) < workers and (cell := next(waiting, None)) is not None:
                running[pool.submit(attempt, cell.to_json())] = cell
        except BrokenProcessPool:
            pass
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        broken = False
        for future in done:
            cell = running.pop(future)
            try:
                result = future.result()
            except BrokenProcessPool:
                broken = True
                starts[cell] += 1
                continue
            left.remove(cell)
            yield cell, result
        if broken:
            for cell in running.values():
                starts[cell] += 1
            return


def _dask(
    cells: Sequence[Cell], scheduler: str | None, local_cluster: int | None
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingDependency("clusters need dask.distributed", extra="cluster") from None
    if not cells:
        return
    cluster = None
    if scheduler is None:
        _warm()
        cluster = distributed.LocalCluster(
            n_workers=local_cluster, threads_per_worker=1, processes=True, dashboard_address=None
        )
    try:
        client = distributed.Client(cluster if cluster is not None else scheduler, timeout="5s")
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidArgument(f"scheduler {scheduler!r} cannot be reached: {error}; nothing was lost") from None
    try:
        again = MOST_ATTEMPTS - 1
        futures = {client.submit(attempt, cell.to_json(), pure=False, retries=again): cell for cell in cells}
        for future in distributed.as_completed(list(futures)):
            cell = futures[future]
            if future.status == "finished":
                yield cell, future.result()
            else:
                yield cell, {"cell": cell.to_json(), "error": f"{future.exception()!r}"}
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _warm() -> None:
    """Compile here once, so that the workers find the result in the cache."""
    run_cell(Cell("two_paths", "cvar(1/2)", episodes=2))


@contextmanager
def _bar(total: int, done: int, wanted: bool | None) -> Iterator[Any]:
    """A progress bar with the time left, on a terminal or when asked for."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("cells"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("cells", total=total, completed=done)
        yield lambda: bar.advance(task)
