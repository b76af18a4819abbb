"""One cell of a sweep: a model, an objective, an algorithm, a seed; and what running it leaves."""

from __future__ import annotations

import csv
import io
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from os import PathLike
from typing import Any

import numpy as np

from .. import files, models
from ..errors import InvalidArgument, InvalidFile
from ..mdp import MDP
from ..objectives import objective

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

    run = learn(
        cell.build(),
        objective(cell.objective),
        episodes=cell.episodes,
        delta=cell.delta,
        eta=cell.eta,
        seed=cell.seed,
        algorithm=cell.algorithm,
        bonus_scale=cell.bonus_scale,
        known_rewards=cell.known_rewards,
    )
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


def attempt(data: dict[str, Any]) -> dict[str, Any]:
    """Run the cell of a JSON object in a worker; return its result, or its error, which is not raised."""
    try:
        return run_cell(Cell.from_json(data))
    except Exception as error:
        return {"cell": data, "error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}


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
    from dataclasses import replace
    from itertools import product

    names = list(choices)
    return [replace(base, **dict(zip(names, values, strict=True))) for values in product(*choices.values())]
