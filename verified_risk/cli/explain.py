"""``verified-risk explain LABEL``: a statement of the paper, its error, and its correction."""

from textwrap import indent
from typing import Any

import click

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

    every = [_told(statement) for statement in checks.chosen_statements([label])]
    if as_json:
        emit_json(every[0] if len(every) == 1 else {"statements": every})
        return
    for number, told in enumerate(every):
        if number:
            click.echo()
        _show(told)


def _show(told: dict[str, Any]) -> None:
    screen = Screen()
    screen.field("statement", f"{told['label']}: {told['title']} ({told['section']})", "bold")
    screen.field("finding", told["finding"])
    if told["cause"]:
        screen.field("cause", told["cause"])
    if told["claims"]:
        screen.field(told["said"], told["claims"])
    if told["fails_by"] is not None:
        screen.field("fails by", f"{told['fails_by']} on this case:")
        click.echo(indent(told["counterexample"], "  "))
    if told["true"]:
        screen.field("true", told["true"])
    if told["notes"]:
        screen.field("why", told["notes"])
    screen.field("more", f"docs/audit.md, and verified-risk audit --statement {told['label']}")


def _told(statement: Any) -> dict[str, Any]:
    from proofs_checks.engine import shown
    from proofs_checks.report.words import sentence

    from ..numbers.enclosure import bounds
    from ..numbers.format import number

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
