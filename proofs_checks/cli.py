"""``python -m proofs_checks``: audit, recheck, report.  The ``verified-risk`` command calls the same functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from . import audit as auditing
from . import certificate, readme, recheck, report, search, statements
from .model import Statement

TABLE_WIDTH = 104


@click.group()
def main() -> None:
    """Every statement of the paper, executable: printed, corrected, refuted, supported."""


@main.command()
@click.option("--statement", "labels", multiple=True, metavar="LABEL", help="Only this statement (repeatable).")
@click.option("--examples", default=auditing.DEFAULT_EXAMPLES, show_default=True, help="Random cases a statement.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True, help="Processes.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False), help="Also write the ledger here.")
def audit(labels: tuple[str, ...], examples: int, seed: int, jobs: int, json_file: str | None) -> None:
    """Run the statements; the exit status is not 0 if a check failed or was vacuous."""
    try:
        chosen = [statements.by_label(label) for label in labels] if labels else list(statements.ALL)
    except KeyError as error:
        raise click.UsageError(str(error.args[0])) from None
    ledger = run_with_progress(chosen, examples=examples, seed=seed, jobs=jobs)
    print_table(ledger)
    if json_file is not None:
        Path(json_file).write_text(json.dumps(ledger, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(auditing.exit_status(ledger))


@main.command(name="recheck")
@click.argument("files", nargs=-1, required=True, type=click.Path())
def recheck_command(files: tuple[str, ...]) -> None:
    """Recompute both sides of stored counterexamples with the standalone checker."""
    sys.exit(recheck.main(list(files)))


@main.command(name="report")
@click.option("--check", is_flag=True, help="Write nothing; fail if a generated file is stale.")
@click.option("--examples", default=auditing.DEFAULT_EXAMPLES, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=2, show_default=True)
@click.option("--only-stale", is_flag=True, help="Keep the rows of the ledger whose sources have not changed.")
def report_command(check: bool, examples: int, seed: int, jobs: int, only_stale: bool) -> None:
    """Audit everything and regenerate docs/audit.json, docs/audit.md, docs/statements.svg and the certificates."""
    if check:
        stale = staleness()
        for line in stale:
            click.echo(line)
        sys.exit(1 if stale else 0)
    for path in certificate.write_all(statements.ALL):
        click.echo(f"wrote {path.name}")
    kept = fresh_rows(examples, seed) if only_stale else {}
    chosen = [statement for statement in statements.ALL if statement.label not in kept]
    ran = run_with_progress(chosen, examples=examples, seed=seed, jobs=jobs)
    rows = {**kept, **{row["label"]: row for row in ran["statements"]}}
    ledger = auditing.assemble([rows[statement.label] for statement in statements.ALL], examples, seed)
    print_table(ledger)
    for path in (*report.write(ledger), readme.write(ledger)):
        click.echo(f"wrote {path}")
    sys.exit(auditing.exit_status(ledger))


@main.command()
@click.option("--statement", "labels", multiple=True, metavar="LABEL", help="Only this statement (repeatable).")
@click.option("--seeds", default=5, show_default=True)
def power(labels: tuple[str, ...], seeds: int) -> None:
    """For each false printed claim: cases and seconds until its generator alone found a counterexample."""
    missed = 0
    click.echo(f"{'statement':<28} {'budget':>6}  cases (seconds) for seeds 0 to {seeds - 1}")
    for statement in statements.ALL:
        if not statement.should_be_refuted or (labels and statement.label not in labels):
            continue
        shown = []
        for seed in range(seeds):
            found = search.find_counterexample(statement, seed=seed, shrink=False)
            missed += found is None
            shown.append("none" if found is None else f"{found.cases} ({found.seconds:.2f})")
        click.echo(f"{statement.label:<28} {statement.find_budget:>6}  {'  '.join(shown)}")
    sys.exit(1 if missed else 0)


@main.command(name="certify")
def certify_command() -> None:
    """Regenerate the certificates of all counterexamples."""
    for path in certificate.write_all(statements.ALL):
        click.echo(path.name)


def fresh_rows(examples: int, seed: int) -> dict[str, Any]:
    """The rows of the stored ledger that an audit with these numbers need not repeat: same source, nothing failed.

    Proofs recorded since are added to them.
    """
    if not report.LEDGER.exists():
        return {}
    ledger = report.read_ledger()
    if (ledger["examples"], ledger["seed"]) != (examples, seed):
        return {}
    hashes = {statement.label: auditing.source_hash(statement) for statement in statements.ALL}
    return {
        row["label"]: auditing.refreshed(row)
        for row in ledger["statements"]
        if row["source_sha256"] == hashes.get(row["label"]) and not row["failures"]
    }


def staleness() -> list[str]:
    """One line for everything generated that is not what the sources generate now."""
    ledger = report.read_ledger()
    lines = [f"docs/{name} is stale: run python -m proofs_checks report" for name in report.stale_files()]
    if readme.is_stale(ledger):
        lines.append("README.md is stale: run python -m proofs_checks report")
    old = auditing.stale(ledger, statements.ALL)
    lines += [f"the evidence for {label} is stale: run python -m proofs_checks report" for label in old]
    wanted = certificate.expected(statements.ALL)
    present = {path.name: path.read_text(encoding="utf-8") for path in certificate.DIRECTORY.glob("*.json")}
    lines += [
        f"certificates/{name} is stale: run python -m proofs_checks certify"
        for name in sorted(wanted.keys() | present.keys())
        if wanted.get(name) != present.get(name)
    ]
    return lines


def run_with_progress(chosen: Sequence[Statement[Any]], *, examples: int, seed: int, jobs: int) -> auditing.Ledger:
    """The audit behind a progress bar on the standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("audit", total=len(chosen))
        return auditing.run(
            chosen,
            examples=examples,
            seed=seed,
            jobs=jobs,
            progress=lambda label: bar.update(task, advance=1, description=label),
        )


def print_table(ledger: auditing.Ledger) -> None:
    """One line a statement: finding, verdict, evidence, cases, worst slack."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{len(ledger['statements'])} statements, seed {ledger['seed']}", title_justify="left")
    for name in ("statement", "printed", "truth", "evidence", "cases", "worst slack", "found in"):
        table.add_column(name, no_wrap=True, justify="right" if name in ("cases", "found in") else "left")
    colours = {"holds": "green", "corrected": "yellow", "refuted": "red", "gap": "magenta", "unknown": "red"}
    for row in ledger["statements"]:
        support, refutation = row["support"], row["refutation"]
        printed = row["finding"] if row["printed"] is not None else "not in print"
        verdict = support["verdict"] if support else "-"
        table.add_row(
            row["label"],
            f"[{colours.get(printed, 'blue')}]{printed}[/]",
            f"[{colours.get(verdict, 'blue')}]{verdict}[/]",
            support["rank"] if support and support["rank"] else "-",
            str(support["exhaustive"]["met"] + support["random"]["met"]) if support else "-",
            _short(support["worst_slack"]) if support else "-",
            str(refutation["found"]["cases"]) if refutation and refutation["found"] else "-",
        )
    console = Console()
    if console.width < TABLE_WIDTH:  # a cut number is worse than a wrapped line
        console = Console(width=TABLE_WIDTH)
    console.print(table)
    for failure in ledger["failures"]:
        console.print(f"[red]FAILED[/] {failure}", highlight=False)
    if not ledger["failures"]:
        console.print(
            "Nothing failed: every true claim stood, every false one was refuted again, no check was vacuous."
        )


def _short(slack: str | None) -> str:
    """A fraction with many digits does not fit in a table; the ledger has it in full."""
    if slack is None:
        return "-"
    return slack if len(slack) <= 14 else f"≈ {float(Fraction(slack)):.6g}"
