"""``python -m proofs_checks report``, and what ``verified-risk audit`` calls."""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import count
from typing import Any

import click

from verified_risk.cli.failures import Commands
from verified_risk.cli.terminal import Column, Screen, counting
from verified_risk.errors import InvalidArgument, InvalidFile
from verified_risk.progress import Progress

from . import theory
from .engine import audit as auditing
from .engine import certificate
from .engine.ledger import Ledger, Row
from .engine.model import Statement
from .engine.own import statements_of
from .report import files
from .report.words import said_of, short
from .theory import coverage


@click.group(cls=Commands)
def main() -> None:
    """Every statement of the paper, executable: printed, corrected, refuted, supported."""


@main.command(name="report")
@click.option("--check", is_flag=True, help="Write nothing; fail if a generated file is stale.")
@click.option("--examples", default=auditing.DEFAULT_EXAMPLES, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=2, show_default=True)
@click.option("--only-stale", is_flag=True, help="Keep the rows of the ledger whose sources have not changed.")
def report_command(check: bool, examples: int, seed: int, jobs: int, only_stale: bool) -> None:
    """Audit everything; regenerate the ledger, docs/audit.md, docs/theory/formal.md, the graph and the certificates."""
    if check:
        stale = staleness()
        for line in stale:
            click.echo(line)
        sys.exit(1 if stale else 0)
    for path in certificate.write_all(theory.ALL):
        click.echo(f"wrote {path.name}")
    kept = fresh_rows(examples, seed) if only_stale else {}
    chosen = [statement for statement in theory.ALL if statement.label not in kept]
    ran = run_with_progress(chosen, examples=examples, seed=seed, jobs=jobs)
    rows = {**kept, **{row.label: row for row in ran.statements}}
    ledger = auditing.assemble([rows[statement.label] for statement in theory.ALL], examples, seed)
    print_table(ledger)
    for path in files.write(ledger):
        click.echo(f"wrote {path}")
    sys.exit(auditing.exit_status(ledger))


def fresh_rows(examples: int, seed: int) -> dict[str, Row]:
    """The rows of the stored ledger with the same sources, examples and seed, and without failures.

    Proofs recorded since are added.
    """
    try:
        ledger = files.stored()
    except (FileNotFoundError, InvalidFile):  # none yet, or in an older format
        return {}
    if (ledger.examples, ledger.seed) != (examples, seed):
        return {}
    rows = [(row, theory.BY_LABEL[row.label]) for row in ledger.statements if row.label in theory.BY_LABEL]
    return {
        row.label: auditing.refreshed(row, statement)
        for row, statement in rows
        if row.source_sha256 == auditing.source_hash(statement) and not row.failures
    }


def staleness() -> list[str]:
    """One line for each generated file that is stale and for each failure of the stored audit."""
    ledger = files.stored()
    lines = [f"the stored audit failed: {failure}" for failure in ledger.failures]
    old = [*files.stale(), *(f"the evidence for {label}" for label in auditing.stale(ledger, theory.ALL))]
    wanted = certificate.expected(theory.ALL)
    present = {path.name: path.read_text(encoding="utf-8") for path in certificate.DIRECTORY.glob("*.json")}
    names = sorted(wanted.keys() | present.keys())
    old += [f"certificates/{name}" for name in names if wanted.get(name) != present.get(name)]
    return lines + [f"{name} is stale: run python -m proofs_checks report" for name in old]


def chosen_statements(labels: Sequence[str], module: str | None = None) -> list[Statement[Any]]:
    """The statements with these labels, of the package or of a ``module``; all of them if there are none.

    A label of the paper that is treated in several statements stands for all of them: ``lem:event``, ``eqn:phi``.
    """
    every = theory.ALL if module is None else statements_of(module)
    known = [statement.label for statement in every]
    chosen: list[str] = []
    for label in labels:
        treated = [one for entry in coverage.ENTRIES if label in entry.names for one in entry.treated]
        parts = [label] if label in known else [one for one in known if one.startswith(label + "/")] or treated
        chosen += parts
        if not parts:
            close = get_close_matches(label, known, n=3, cutoff=0.6)
            guess = (
                f"did you mean {' or '.join(close)}?"
                if close
                else f"docs/audit.md lists all {len(known)}, e.g. {known[0]}"
            )
            raise InvalidArgument(f"no statement has the label {label!r}: {guess}")
    return [statement for statement in every if statement.label in chosen or not labels]


def run_with_progress(chosen: Sequence[Statement[Any]], *, examples: int, seed: int, jobs: int) -> Ledger:
    """Run the audit with a progress bar if standard error is a terminal."""
    total, done = len(chosen), count(1)
    with counting("audit", total) as show:

        def progress(label: str) -> None:
            if show is not None:
                show(Progress(0.0, done=next(done), total=total, doing=label))

        return auditing.run(chosen, examples=examples, seed=seed, jobs=jobs, progress=progress)


COLOURS = {"holds": "green", "slip": "cyan", "repair": "yellow", "substance": "red", "gap": "magenta"}
TRUTHS = {"stands": "green", "refuted": "red", "unknown": "red"}
MOST_CHARACTERS = 14  # width of a slack in the table
COLUMNS = (
    Column("statement"),
    Column("finding", styles=COLOURS),
    Column("truth", styles=TRUTHS),
    Column("evidence"),
    Column("cases", right=True),
    Column("worst slack", spare=True),
    Column("power", right=True, spare=True),
    Column("found in", right=True, spare=True),
)


def print_table(ledger: Ledger) -> None:
    """Print one line per statement: finding, verdict, evidence, cases, worst slack."""
    screen, rows = Screen(), ledger.statements
    title = f"{len(rows)} statement{'s' * (len(rows) > 1)}, seed {ledger.seed}"
    screen.table(COLUMNS, [_row(row) for row in rows], title)
    for failure in ledger.failures:
        screen.paragraph(f"FAILED {failure}", indent=0, style="bold red")
    if not ledger.failures:
        screen.paragraph(
            "Nothing failed: every true claim stands, every false one was refuted again, no check was vacuous.",
            indent=0,
        )


def _row(row: Row) -> list[str]:
    support, refutation = row.support, row.refutation
    return [
        row.label,
        said_of(row),
        support.verdict if support else "-",
        (support and support.rank) or "-",
        str(support.exhaustive.met + support.random.met) if support else "-",
        short(support.worst_slack, MOST_CHARACTERS) if support and support.worst_slack else "-",
        (support and support.least_power) or "-",
        str(refutation.found.cases) if refutation and refutation.found else "-",
    ]
