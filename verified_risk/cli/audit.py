"""``verified-risk audit`` runs ``proofs_checks``; ``recheck`` recomputes certificates and saved plans."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import VerifiedRiskError
from ..files import read_text, write_text
from ..numbers.format import json_number
from .failures import BAD_INPUT
from .model_argument import check_writable, readable, save_option
from .terminal import Screen, emit_json, json_option, working

PRINTED = "-"


@click.command(short_help="Run every statement of the paper.")
@click.option("--statement", "labels", multiple=True, metavar="LABEL", help="Only this statement (repeatable).")
@click.option("--module", metavar="NAME", help="Audit the STATEMENTS of this module instead of the paper's.")
@click.option(
    "--examples", type=click.IntRange(min=1), metavar="N", default=200, show_default=True, help="Random cases each."
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Of the random cases.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", default=2, show_default=True, help="Processes.")
@click.option("--json", "ledger_to", is_flag=False, flag_value=PRINTED, default=None, metavar="[FILE]",
              help="Print the ledger as JSON, and nothing else; with a FILE, write it there.")  # fmt: skip
@save_option("Write the audit page here.", "--html", sign="<!doctype html>")
def audit(
    labels: tuple[str, ...], module: str | None, ledger_to: str | None, html: Path | None, **options: Any
) -> None:
    """Run every statement of the paper: refute what is false as printed, test what is true.

    Exits with 1 if a corrected claim is refuted, a false one is not, or a check was vacuous.
    """
    from proofs_checks import cli as checks
    from proofs_checks.engine import audit as auditing
    from proofs_checks.report import page

    file = Path(ledger_to) if ledger_to not in (None, PRINTED) else None
    if file is not None:
        check_writable(file, "--json", b'{\n "examples"')
    chosen = checks.chosen_statements(labels, module)
    ledger = checks.run_with_progress(chosen, **options)
    if file is not None:
        write_text(file, ledger.to_json())
    if html is not None:
        page.write_page(ledger, html, chosen)
    if ledger_to == PRINTED:
        click.echo(ledger.to_json(), nl=False)
    else:
        checks.print_table(ledger)
        for written in (file, html):
            if written is not None:
                click.echo(f"wrote {written}")
    sys.exit(auditing.exit_status(ledger))


@click.command(short_help="Recompute what a certificate or a plan claims.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--time-limit", type=click.FloatRange(min=0), default=None, metavar="SECONDS",
    help="For each plan: a bound that is not confirmed in time is unknown.",
)  # fmt: skip
@json_option
def recheck(files: tuple[str, ...], time_limit: float | None, as_json: bool) -> None:
    """Recompute what FILES claim: stored counterexamples with the standalone checker (standard library only), saved
    plans by their certificates, read in integers.

    Exits with 0 if every file is confirmed, 1 if one is not, 2 if one is not a certificate or a plan.
    """
    with working("rechecking") as note:
        answers = {file: _answer(file, time_limit, note) for file in files}
    if as_json:
        emit_json(answers)
    else:
        screen = Screen()
        for file, answer in answers.items():
            screen.paragraph(f"{file}: {_words(answer)}", indent=0)
    codes = (0 if answer.get("refutes", answer.get("confirmed")) else 1 for answer in answers.values())
    sys.exit(BAD_INPUT if any("rejected" in answer for answer in answers.values()) else max(codes))


def _answer(file: str, seconds: float | None, note: Callable[[str], None] | None) -> dict[str, Any]:
    """Check both sides of a claim or both bounds of a plan, or say why the file is neither."""
    from proofs_checks import recheck as checker

    try:
        with readable(file):
            text = read_text(file)
        if '"verified_risk/plan"' in text[:200]:
            return _plan_answer(file, seconds, note)
        outcome = checker.check_text(text)
    except (checker.Rejected, VerifiedRiskError) as error:
        return {"rejected": str(error)}
    left, right = checker.shown(outcome.left), checker.shown(outcome.right)
    return {"refutes": outcome.refutes, "left": left, "relation": outcome.relation, "right": right}


def _plan_answer(file: str, seconds: float | None, note: Callable[[str], None] | None) -> dict[str, Any]:
    from ..planning import Plan

    plan = Plan.load(file)
    found = plan.recheck(time_limit=seconds, progress=note and (lambda now: note(f"rechecking {file}: {now.doing}")))
    bounds = {
        name: {
            "claimed": json_number(claimed),
            "recomputed": None if again is None else json_number(again),
            "verdict": verdict.value,
            "route": route,
        }
        for name, claimed, again, verdict, route in (
            ("lower", plan.lower, found.lower, found.lower_holds, found.lower_route),
            ("upper", plan.upper, found.upper, found.upper_holds, found.upper_route),
        )
    }
    return {"confirmed": all(bound["verdict"] == "holds" for bound in bounds.values()), **bounds}


def _words(answer: dict[str, Any]) -> str:
    if "rejected" in answer:
        return f"REJECTED: {answer['rejected']}"
    if "refutes" in answer:
        verdict = "REFUTES" if answer["refutes"] else "DOES NOT REFUTE"
        return f"{verdict}: the claim says {answer['left']} {answer['relation']} {answer['right']}"
    shown = [f"{name} bound {answer[name]['verdict']} ({answer[name]['route']})" for name in ("lower", "upper")]
    return f"{'CONFIRMED' if answer['confirmed'] else 'NOT CONFIRMED'}: {'; '.join(shown)}"


@click.command(short_help="Start an audit of your own.")
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def new_audit(folder: Path, as_json: bool) -> None:
    """Write a small audit to FOLDER: a paper, two claims, a generator, a certificate, a test and the audit's page."""
    from proofs_checks.engine import own

    written = own.new_audit(folder)
    if as_json:
        emit_json({"wrote": [str(path) for path in written]})
        return
    for path in written:
        click.echo(f"wrote {path}")


COMMANDS = (audit, recheck, new_audit)
