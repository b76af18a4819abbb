"""Sweeps over cells: one file per cell, written whole; a sweep that is started again runs the missing cells.

The same cells give the same CSV, byte for byte, whatever the engine and the number of workers: a cell depends on its
own seed alone, and the table is written in the order of the cells.

A cell is a model, an objective, an algorithm and a seed.  Pictures are in the style of the others: the same data give
the same SVG, and black and white suffice.
"""

from __future__ import annotations

import csv
import io
import sys
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import product
from multiprocessing import get_context
from os import PathLike, cpu_count
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from .. import files, models
from ..errors import InvalidArgument, InvalidFile
from ..mdp import MDP
from ..mdp.packed import Floats
from ..objectives import objective
from ..plotting.picture import BLUE, LINES, RED, Picture, new_figure, quiet_grid
from ..pool import PoolStart, calls
from ..pool import workers as start

COLUMNS = (
    "model", "parameters", "objective", "algorithm", "known_rewards", "bonus_scale", "delta", "eta", "seed", "episodes",
    "episode", "regret", "bound",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Everything that determines a run; numbers as text, so that a cell is its JSON."""

    model: str
    objective: str
    algorithm: str = "ucb"
    bonus_scale: str = "1"
    episodes: int = 1000
    seed: int = 0
    delta: str = "1/10"
    eta: str | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    known_rewards: bool = False

    @property
    def key(self) -> str:
        """The name of the cell's file."""
        return files.digest(self.to_json())[:20]

    def build(self) -> MDP:
        """The model: one of ``verified_risk.models`` by name, with the cell's parameters."""
        named = [name for name in models.__all__ if name not in ("NAMES", "load")]
        if self.model not in named:
            raise InvalidArgument(f"no model is named {_clipped(self.model)}, wanted one of {', '.join(named)}")
        mdp: MDP = getattr(models, self.model)(**dict(self.parameters))
        return mdp

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "parameters": [list(pair) for pair in self.parameters]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        known = [entry.name for entry in fields(cls)]
        where = f"cell {_clipped(data)}"
        for name in ("model", "objective"):
            if name not in data:
                raise InvalidArgument(f"{where} cannot be read: it has no {name}")
        for name in data:
            if name not in known:
                raise InvalidArgument(f"{where} cannot be read: {_clipped(name)} is none of {', '.join(known)}")
        try:
            parameters = tuple((str(name), value) for name, value in data.get("parameters", ()))
        except (TypeError, ValueError):
            wrong = _clipped(data["parameters"])
            raise InvalidArgument(f"{where}: parameters is {wrong}, wanted [[name, value], ...]") from None
        for name, value in (*data.items(), *parameters):
            if name != "parameters" and isinstance(value, (list, dict)):
                raise InvalidArgument(f"{where}: {_clipped(name)} is {_clipped(value)}, wanted a number or text")
        return cls(**{**data, "parameters": parameters})


def read_cells(path: str | PathLike[str]) -> list[Cell]:
    """The cells of a JSON list."""
    listing = files.parse_json(files.read_text(path), str(path))
    if not isinstance(listing, list) or not all(isinstance(entry, dict) for entry in listing):
        raise InvalidFile(f'{path} is not a list of cells, wanted [{{"model": ..., "objective": ...}}, ...]')
    return [Cell.from_json(entry) for entry in listing]


def _clipped(value: Any) -> str:
    """Return the representation of a value, cut to 200 characters for a message."""
    written = repr(value)
    return written if len(written) <= 200 else f"{written[:200]}…"


def run_cell(cell: Cell) -> dict[str, Any]:
    """Run one cell; its regret at checkpoints, its bound, and the last episode that played a suboptimal policy."""
    from ..learning import learn

    options = {name: value for name, value in vars(cell).items() if name not in ("model", "objective", "parameters")}
    run = learn(cell.build(), objective(cell.objective), **options)
    assert run.regret is not None
    assert run.values is not None
    assert run.best is not None
    marks = checkpoints(cell.episodes)
    at = np.array(marks) - 1
    worse = np.nonzero(float(run.best[0]) - run.values > 1e-6 * max(1.0, abs(float(run.best[0]))))[0]
    return {
        "cell": cell.to_json(),
        "episode": marks,
        "regret": [float(x) for x in run.regret[at]],
        "bound": None if run.bound is None else [float(x) for x in run.bound[at]],
        "last_suboptimal": int(worse[-1]) + 1 if len(worse) else 0,
        "best": str(run.best[0]),
        "proved": run.proved,
    }


def attempt(cell: Cell) -> dict[str, Any]:
    """Run a cell in a worker; return its result, or its error, which is not raised."""
    try:
        return run_cell(cell)
    except Exception as error:
        return {
            "cell": cell.to_json(),
            "error": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }


def checkpoints(episodes: int) -> list[int]:
    """At most about 300 episodes: evenly spaced, and dense at the start."""
    even = np.linspace(1, episodes, min(episodes, 200))
    dense = np.geomspace(1, episodes, min(episodes, 100))
    return sorted({round(float(x)) for x in (*even, *dense)})


def csv_of(results: Sequence[dict[str, Any]]) -> str:
    """All results as one table; floats in their shortest exact form, so equal runs give equal bytes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        cell = Cell.from_json(result["cell"])
        parameters = ";".join(f"{name}={value}" for name, value in cell.parameters)
        head = [
            cell.model, parameters, cell.objective, cell.algorithm, str(cell.known_rewards).lower(), cell.bonus_scale,
            cell.delta, cell.eta or "",
        ]  # fmt: skip
        for i, episode in enumerate(result["episode"]):
            bound = "" if result["bound"] is None else repr(result["bound"][i])
            writer.writerow([*head, cell.seed, cell.episodes, episode, repr(result["regret"][i]), bound])
    return out.getvalue()


def grid(base: Cell, **choices: Iterable[Any]) -> list[Cell]:
    """The product of choices: ``grid(base, algorithm=["ucb", "greedy"], seed=range(5))``."""
    return [replace(base, **dict(zip(choices, values, strict=True))) for values in product(*choices.values())]


MOST_ATTEMPTS = 3  # the most times that a cell is started if its workers die


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
    """The options of :func:`sweep` that choose where it runs."""

    workers: int | None
    scheduler: str | None
    local_cluster: int | None
    progress: bool | None


def complete_sweep(
    name: str, cells: Iterable[Cell], out: str | PathLike[str], seeds: int, engine: Engine
) -> tuple[Path, SweepResult]:
    """Run ``cells`` into ``out/cells`` and copy the table to ``out/name.csv``; return ``out/name`` and the results.
    Raises :class:`InvalidArgument` if ``seeds`` is less than 1, or if a cell failed."""
    if seeds < 1:
        raise InvalidArgument(f"seeds is {seeds}, wanted at least 1")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    outcome = sweep(list(cells), folder / "cells", **engine)
    if outcome.table is None:
        raise InvalidArgument(f"the experiment is not complete\n{outcome}")
    files.write_text(folder / f"{name}.csv", outcome.table.read_text(encoding="utf-8"))
    return folder / name, outcome


def write_page(stem: Path, lines: Sequence[str]) -> Path:
    """Write ``stem.md`` and return its path."""
    page = stem.with_suffix(".md")
    files.write_text(page, "\n".join(lines) + "\n")
    return page


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
    jobs = (cpu_count() or 1) if workers is None else workers
    cluster = local_cluster if scheduler is None else scheduler
    engine: Iterable[tuple[Cell, dict[str, Any]]]
    if cluster is None and (jobs == 0 or len(missing) <= 1):
        engine = ((cell, attempt(cell)) for cell in missing)
    else:
        engine = _elsewhere(missing, partial(start, min(jobs, len(missing)), cluster, get_context("spawn")))
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
            x = data[name]
            numbers = isinstance(x, list) and all(type(y) in (int, float) for y in x)
            if not (numbers and len(x) == len(data["episode"])) and (name != "bound" or x is not None):
                raise InvalidFile(f"{path}: {name} is not a list of numbers, one per checkpoint")
        return data

    try:
        return files.read(path, "cell", parse)
    except InvalidFile as error:
        raise InvalidFile(f"{error}; delete {path} and start again: only this cell is run anew") from None


# -- engines ---------------------------------------------------------------------------------------------------------


def _elsewhere(cells: Sequence[Cell], pool: PoolStart) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Run the cells in a pool; a cell whose worker dies is started at most ``MOST_ATTEMPTS`` times."""
    run_cell(Cell("two_paths", "cvar(1/2)", episodes=2))  # compiles here once; the workers find that in the cache
    left, starts = deque(cells), Counter[Cell]()
    for cell, future in calls(attempt, lambda: left.popleft() if left else None, pool):
        if future is not None and future.exception() is None:
            yield cell, future.result()
        elif future is not None:
            yield cell, {"cell": cell.to_json(), "error": f"{future.exception()!r}"}
        else:
            starts[cell] += 1
            if starts[cell] < MOST_ATTEMPTS:
                left.append(cell)
            else:
                yield cell, {"cell": cell.to_json(), "error": f"its worker died {MOST_ATTEMPTS} times"}


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


def panels(count: int, width: float, height: float) -> tuple[Any, Any]:
    """Return a figure with that many panels side by side, and the panels; call it in :func:`style`."""
    figure = new_figure(width, height)
    return figure, figure.subplots(1, count, squeeze=False)[0]


def save(figure: Any, stem: Path) -> None:
    """Write ``stem.svg`` and ``stem.png``."""
    for suffix in (".svg", ".png"):
        Picture(figure).save(stem.with_suffix(suffix))


def band(axes: Any, episodes: Sequence[int], runs: Floats, label: str) -> None:
    """Mean and standard deviation over seeds; ``runs[seed, i]``.  Each further band has its own line style."""
    styles = (*LINES, (RED, (0, (2, 1, 1, 1, 1, 1))))
    colour, dashes = styles[len(axes.lines) % len(styles)]
    middle, spread = runs.mean(axis=0), runs.std(axis=0)
    axes.plot(episodes, middle, color=colour, linestyle=dashes, label=label)
    axes.fill_between(episodes, middle - spread, middle + spread, alpha=0.18, color=colour, linewidth=0)
    axes.set_xlim(left=0, auto=True)  # the next band may need more room
    axes.set_ylim(bottom=0, auto=True)
    quiet_grid(axes)


def log_log(axes: Any, points: Mapping[float, Floats], exponent: float, name: str) -> float:
    """Regret against one quantity; the fitted slope, and a line of the theorem's slope through the first point."""
    x = np.array(sorted(points))
    y = np.array([points[value].mean() for value in sorted(points)])
    slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
    spread = [points[value].std() for value in sorted(points)]
    axes.errorbar(x, y, yerr=spread, fmt="o-", color=BLUE, markersize=4, label=f"measured: {slope:.2f}")
    axes.plot(x, y[0] * (x / x[0]) ** exponent, color=RED, linestyle=(0, (5, 2)), label=f"theorem: {exponent:g}")
    axes.set(xscale="log", yscale="log", xlabel=name, ylabel="regret")
    axes.legend(fontsize=8)
    return slope
