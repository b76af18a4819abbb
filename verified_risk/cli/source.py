"""Where a model on the command line comes from, and the options that say how to read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import InvalidArgument
from ..mdp import MDP


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument MODEL and the options that only some sources need."""
    for decorate in (
        click.option("--index-base", type=int, default=0, help="Least index in a CSV, 0 or 1."),
        click.option(
            "--initial", type=int, default=None, help="Initial state of a CSV, as numbered there; default: the first."
        ),
        click.option("--horizon", type=int, default=None, help="Steps; needed for CSV and gym models."),
        click.argument("model"),
    ):
        command = decorate(command)
    return command


def read_model(model: str, horizon: int | None, initial: int | None, index_base: int) -> MDP:
    """A named model, a saved JSON, a CSV, or ``gym:ID``."""
    from .. import models

    if model.startswith("gym:"):
        return MDP.from_gymnasium(model.removeprefix("gym:"), horizon=_needed(horizon, model))
    if model.endswith(".csv"):
        start = index_base if initial is None else initial
        return MDP.from_csv(model, initial=start, horizon=_needed(horizon, model), index_base=index_base)
    saved = model.endswith(".json") or Path(model).is_file()
    loaded = MDP.load(model) if saved else models.load(model)
    return loaded if horizon is None else loaded.with_horizon(horizon)


def _needed(horizon: int | None, model: str) -> int:
    if horizon is None:
        raise InvalidArgument(f"{model} does not say how many steps to play: add --horizon N")
    return horizon
