"""``verified-risk experiment``."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .failures import Commands
from .model_argument import readable
from .terminal import Screen, emit_json, json_option, path_text


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose processes of this machine or dask."""
    cluster = click.option("--local-cluster", type=int, metavar="N", help="Start a dask cluster of N workers here.")
    scheduler = click.option("--scheduler", help="Address of a dask scheduler, tcp://host:port.")
    workers = click.option("--workers", type=int, metavar="N", help="Processes; default: one per core; 0: none.")
    return workers(scheduler(cluster(command)))


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    folder = click.Path(file_okay=False, path_type=Path)
    return click.option("--out", type=folder, required=True, help="Folder of the results; again: resumes.")(command)


@click.group(
    cls=Commands,
    short_help="The paper's experiment, a scaling study, sweeps.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def experiment() -> None:
    """The paper's experiment, a scaling study, sweeps: all resume where they were interrupted."""


SCENES = ("lake", "machine", "random", "swim")
seeds_option = click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", default=20, show_default=True,
    help="Runs of everything, with seeds 0, 1, ...; curves are means over them.",
)  # fmt: skip


@experiment.command()
@out_option
@click.option("--episodes", type=click.IntRange(min=1), metavar="N", default=2000, show_default=True,
              help="Episodes of every run.")  # fmt: skip
@seeds_option
@click.option("--bonus-scale", default="1/10", show_default=True, help="Multiplies the radii of ucb; 1 is the theorem.")
@engine_options
@json_option
def lake(out: Path, as_json: bool, **options: Any) -> None:
    """The paper's frozen-lake experiment."""
    from ..experiments import lake_experiment

    _written(lake_experiment(out, **options), as_json)


@experiment.command()
@out_option
@seeds_option
@click.option("--model", "scenes", type=click.Choice(SCENES), metavar="NAME", multiple=True, default=SCENES,
              help="lake, machine, random or swim; may be repeated.  [default: all four]")  # fmt: skip
@engine_options
@json_option
def rivals(out: Path, as_json: bool, **options: Any) -> None:
    """All learners on four models."""
    from ..experiments import rival_experiment

    _written(rival_experiment(out, **options), as_json)


@experiment.command()
@out_option
@seeds_option
@click.option("--bonus-scale", default="1", show_default=True, help="Multiplies the radii; 1 is the theorem.")
@engine_options
@json_option
def scaling(out: Path, as_json: bool, **options: Any) -> None:
    """Regret against K, S, A, T and 1/alpha."""
    from ..experiments import scaling_study

    _written(scaling_study(out, **options), as_json)


def _written(page: Path, as_json: bool) -> None:
    """Report the page of an experiment and the files beside it."""
    beside = [path for suffix in (".csv", ".svg", ".png") if (path := page.with_suffix(suffix)).exists()]
    if as_json:
        emit_json({"page": str(page), "files": [str(path) for path in beside], "cells": str(page.parent / "cells")})
        return
    screen = Screen()
    screen.field("page", str(page), "bold")
    screen.field("beside it", ", ".join(path.name for path in beside))


@experiment.command("sweep")
@click.argument("cells", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@out_option
@engine_options
@json_option
def sweep_command(cells: Path, out: Path, as_json: bool, **engine: Any) -> None:
    """Any sweep: CELLS is a JSON list of cells."""
    from ..experiments import sweep
    from ..experiments.sweep import read_cells

    with readable(cells):
        listing = read_cells(cells)
    outcome = sweep(listing, out, **engine)
    if as_json:
        failed = [{"cell": cell.to_json(), "error": error} for cell, error in outcome.failed]
        done = len(outcome.results)
        emit_json({"folder": str(outcome.folder), "done": done, "failed": failed, "table": path_text(outcome.table)})
    else:
        click.echo(str(outcome))
    if outcome.failed:
        sys.exit(1)


COMMANDS = (experiment,)
