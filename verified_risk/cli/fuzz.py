"""``verified-risk fuzz``: run ``proofs_checks.fuzz``."""

import sys
from dataclasses import asdict
from os import cpu_count
from pathlib import Path
from typing import Any

import click

from ..errors import InvalidArgument
from .terminal import Column, Screen, emit_json, json_option, working

DEFAULT_SECONDS = 60.0


@click.command(short_help="Try every property of this project on new random cases.")
@click.option("--hours", type=click.FloatRange(min=0, min_open=True), metavar="H", help="How long.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), metavar="S", help="How long; default: 60.")
@click.option("--workers", type=click.IntRange(min=0), metavar="N", help="Processes; default: one per core; 0: none.")
@click.option("--cluster", metavar="ADDRESS", help="Address of a dask scheduler, tcp://host:port.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("fuzz"), show_default=True,
              help="Folder of counts and failures; again: goes on with new seeds.")  # fmt: skip
@click.option("--seed", type=int, metavar="N", help="Of the random cases; default: that of the folder, or 0.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Only this property (repeatable).")
@json_option
def fuzz(
    hours: float | None, seconds: float | None, workers: int | None, cluster: str | None, out: Path, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Try every property on new random cases: the planner against brute force, recheck and the verified checker
    against the planner and forged bounds, statements against their generators, readers and commands against mutated
    files.

    A failure is kept once for each kind, made smaller, with a test that is ready to run.  Exits with 1 if a case
    failed.
    """
    from proofs_checks.fuzz import run

    if hours is not None and seconds is not None:
        raise InvalidArgument("both --hours and --seconds are given, wanted one of them")
    if workers is not None and cluster is not None:
        raise InvalidArgument("both --workers and --cluster are given, wanted one of them")
    time = hours * 3600 if hours is not None else seconds or DEFAULT_SECONDS
    with working("fuzzing") as note:
        processes = (cpu_count() or 1) if workers is None else workers
        report = run(out, seconds=time, workers=processes, cluster=cluster, progress=note, **options)
    if as_json:
        new = [{"property": one.name, "seed": one.seed, "error": one.error} for one in report.found]
        counts = {name: asdict(count) for name, count in report.counts.items()}
        found = {"folder": str(report.folder), "page": str(report.page), "cases": report.cases, "failing": report.met}
        emit_json({**found, "new": new, "properties": counts})
    else:
        _print(report)
    sys.exit(1 if report.met else 0)


def _print(report: Any) -> None:
    screen = Screen()
    columns = [
        Column("property"),
        *(Column(name, right=True) for name in ("cases", "skipped", "failures")),
        Column("not tried", spare=True),
    ]
    rows = [
        [name, str(count.cases), str(sum(count.skipped.values())), str(count.failures), count.absent or ""]
        for name, count in report.counts.items()
    ]
    screen.table(columns, rows, title="over all runs of this folder")
    for one in report.found:
        screen.paragraph(f"new failure of {one.name}, seed {one.seed}: {one.error[:300]}", indent=0)
    screen.field("this run", f"{report.cases} cases, {report.met} failing, {len(report.found)} new kinds of failure")
    screen.field("page", str(report.page))


COMMANDS = (fuzz,)
