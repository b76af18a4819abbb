"""``verified-risk explain LABEL``: a statement of the paper, its error, and its correction."""

from textwrap import indent
from typing import Any

import click

from ..numbers.enclosure import bounds
from ..numbers.format import number
from .terminal import Screen, emit_json, json_option


@click.command(short_help="One statement: the claim, why it is false, what is true.")
@click.argument("label")
@json_option
def explain(label: str, as_json: bool) -> None:
    """Say what the paper's statement LABEL claims, on which case it fails and by how much, and what holds instead.

    LABEL is the paper's own, such as thm:augmented; docs/audit.md lists all of them. One that stands for several
    statements, such as lem:event, is answered by all of these.
    """
    from proofs_checks import cli as checks

    every = [_described(statement) for statement in checks.chosen_statements([label])]
    if as_json:
        emit_json(every[0] if len(every) == 1 else {"statements": every})
        return
    for i, answer in enumerate(every):
        if i:
            click.echo()
        _show(answer)


def _show(answer: dict[str, Any]) -> None:
    screen = Screen()
    screen.field("statement", f"{answer['label']}: {answer['title']} ({answer['section']})", "bold")
    screen.field("finding", answer["finding"])
    if answer["cause"]:
        screen.field("cause", answer["cause"])
    if answer["claims"]:
        screen.field(answer["said"], answer["claims"])
    if answer["fails_by"] is not None:
        screen.field("fails by", f"{answer['fails_by']} on this case:")
        click.echo(indent(answer["counterexample"], "  "))
    if answer["true"]:
        screen.field("true", answer["true"])
    if answer["notes"]:
        screen.field("why", answer["notes"])
    screen.field("more", f"docs/audit.md, and verified-risk audit --statement {answer['label']}")


def _described(statement: Any) -> dict[str, Any]:
    from proofs_checks.engine import shown
    from proofs_checks.report.words import sentence

    case, printed, cause = statement.counterexample, statement.printed, statement.cause
    slack = None if case is None or printed is None else printed.slack(case)
    ours = printed is None or statement.said == "tempting"
    lines = "" if cause is None or not cause.lines else f" (lines {cause.lines} of the source)"
    return {
        "label": statement.label,
        "title": statement.title,
        "section": statement.section,
        "finding": "not in the paper" if ours else str(statement.finding),
        "cause": None if cause is None else f"{cause.title}{lines}",
        "said": None if printed is None else statement.said,
        "claims": None if printed is None else sentence(printed.words),
        "counterexample": None if case is None else shown.text(case),
        "fails_by": None if slack is None or bounds(slack)[1] >= 0 else number(-slack),
        "true": None if statement.true_claim is None else sentence(statement.true_claim.words),
        "notes": statement.notes or None,
    }


COMMANDS = (explain,)
