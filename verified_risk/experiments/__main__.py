"""``python -m verified_risk.experiments lake --out DIR``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import InvalidFile, VerifiedRiskError
from .cells import Cell
from .lake import lake_experiment
from .scaling import scaling_study
from .sweep import sweep


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where to run: processes of this machine, or dask."""
    for option in (
        click.option("--local-cluster", type=int, default=None, help="Start a dask cluster of N workers here."),
        click.option("--scheduler", default=None, help="Address of a dask scheduler, tcp://host:port."),
        click.option("--workers", type=int, default=None, help="Processes; default: one per core; 0: none."),
    ):
        command = option(command)
    return command


@click.group()
def main() -> None:
    """Experiments that resume where they were interrupted."""


@main.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
@click.option("--episodes", type=int, default=2000, show_default=True)
@click.option("--seeds", type=int, default=5, show_default=True)
@click.option("--bonus-scale", default="1/10", show_default=True)
@engine_options
def lake(out: Path, episodes: int, seeds: int, bonus_scale: str, **engine: Any) -> None:
    """The paper's frozen-lake experiment."""
    click.echo(lake_experiment(out, episodes=episodes, seeds=seeds, bonus_scale=bonus_scale, **engine))


@main.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
@click.option("--seeds", type=int, default=5, show_default=True)
@click.option("--bonus-scale", default="1", show_default=True)
@engine_options
def scaling(out: Path, seeds: int, bonus_scale: str, **engine: Any) -> None:
    """Regret against K, S, A, T and 1/alpha."""
    click.echo(scaling_study(out, seeds=seeds, bonus_scale=bonus_scale, **engine))


@main.command("sweep")
@click.argument("cells", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
@engine_options
def sweep_command(cells: Path, out: Path, **engine: Any) -> None:
    """Any sweep: CELLS is a JSON list of cells."""
    try:
        listing = json.loads(cells.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InvalidFile(f"{cells} is not JSON (line {error.lineno}: {error.msg})") from None
    outcome = sweep([Cell.from_json(entry) for entry in listing], out, **engine)
    click.echo(str(outcome))
    if outcome.failed:
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except VerifiedRiskError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
