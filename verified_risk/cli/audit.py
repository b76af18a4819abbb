"""``verified-risk audit``, ``recheck`` and ``experiment``: doors to ``proofs_checks`` and to the experiments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from .show import emit_json


@click.command()
@click.option("--statement", "labels", multiple=True, metavar="LABEL", help="Only this statement (repeatable).")
@click.option("--examples", default=200, show_default=True, help="Random cases for each statement.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the ledger here.")
@click.option("--html", "html_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the audit page here.")
def audit(
    labels: tuple[str, ...], examples: int, seed: int, jobs: int, json_file: Path | None, html_file: Path | None
) -> None:
    """Run every statement of the paper: refute what is false as printed, test what is true.

    Exits with 1 if a corrected claim is refuted, a false one is not, or a check was vacuous.
    """
    from proofs_checks import audit as auditing
    from proofs_checks import cli as checks
    from proofs_checks import page, report, statements

    from ..errors import InvalidArgument
    from ..files import write_text

    try:
        chosen = [statements.by_label(label) for label in labels] if labels else list(statements.ALL)
    except KeyError as error:
        raise InvalidArgument(str(error.args[0])) from None
    ledger = checks.run_with_progress(chosen, examples=examples, seed=seed, jobs=jobs)
    checks.print_table(ledger)
    if json_file is not None:
        write_text(json_file, report.ledger_text(ledger))
    if html_file is not None:
        page.write_page(ledger, html_file)
        click.echo(f"wrote {html_file}")
    sys.exit(auditing.exit_status(ledger))


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def recheck(files: tuple[str, ...], as_json: bool) -> None:
    """Recompute both sides of counterexamples with the standalone checker (standard library only)."""
    from proofs_checks import recheck as checker

    if not as_json:
        sys.exit(checker.main(list(files)))
    answers = {file: _answer(file) for file in files}
    emit_json(answers)
    sys.exit(0 if all(answer.get("refutes") for answer in answers.values()) else 1)


def _answer(file: str) -> dict[str, Any]:
    """Both sides of one claim, or why the file is not a certificate."""
    from proofs_checks import recheck as checker

    try:
        outcome = checker.check_text(Path(file).read_text(encoding="utf-8"))
    except checker.Rejected as error:
        return {"rejected": str(error)}
    left, right = checker.shown(outcome.left), checker.shown(outcome.right)
    return {"refutes": outcome.refutes, "left": left, "relation": outcome.relation, "right": right}


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def experiment(arguments: tuple[str, ...]) -> None:
    """The paper's experiment (`experiment lake --out DIR`), a scaling study, sweeps that resume."""
    from ..experiments.__main__ import main

    main(args=list(arguments) or ["--help"], prog_name="verified-risk experiment")


COMMANDS = (audit, recheck, experiment)
