"""``verified-risk plan`` and ``evaluate``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from .show import at_least, at_most, emit_json, json_number, law_lines, number
from .source import model_options, read_model


@click.command()
@model_options
@click.option("--objective", "text", default="cvar(1/4)", show_default=True, help='e.g. "0.5*mean + 0.5*cvar(1/10)".')
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: the rewards' own grid.")
@click.option("--gap", default=None, help="Stop when upper - lower is at most this.")
@click.option("--time-limit", type=float, default=None, help="Stop after this many seconds.")
@click.option("--exact", is_flag=True, help="Exact integer arithmetic.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write the plan as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(
    model: str,
    horizon: int | None,
    initial: int | None,
    index_base: int,
    text: str,
    eta: str | None,
    gap: str | None,
    time_limit: float | None,
    exact: bool,
    save: Path | None,
    as_json: bool,
) -> None:
    """Plan a policy for MODEL with certified bounds."""
    import verified_risk as vr

    mdp = read_model(model, horizon, initial, index_base)
    weighting = vr.objective(text)
    if exact:
        answer = vr.exact_plan(mdp, weighting)
    else:
        answer = vr.plan(mdp, weighting, eta=eta, gap=gap, time_limit=time_limit, progress=_progress())
    if save is not None:
        answer.save(save)
    if as_json:
        numbers = {name: json_number(getattr(answer, name)) for name in ("value", "lower", "upper", "eta")}
        emit_json({"objective": weighting.spec, **numbers, "law": answer.law.to_json()})
        return
    click.echo(f"objective  {weighting.spec} of the return of {mdp!r}")
    click.echo(f"value      {number(answer.value)}")
    click.echo(f"certified  {at_least(answer.lower)} <= best over all policies <= {at_most(answer.upper)}")
    click.echo(f"because    {answer.certificate}")
    click.echo("return of the policy (value, probability):")
    for line in law_lines(answer.law):
        click.echo(line)
    if save is not None:
        click.echo(f"saved      {save}")


def _progress() -> Callable[[str], None] | None:
    """The bounds as they close, on a terminal's stderr; nothing in a pipe."""
    return (lambda line: click.echo(line, err=True)) if sys.stderr.isatty() else None


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--objective", "text", default="cvar(1/4)", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate(file: Path, text: str, as_json: bool) -> None:
    """Evaluate the policy in FILE (a saved policy or plan) exactly in its model."""
    import verified_risk as vr

    from ..files import kind_of

    policy = vr.Plan.load(file).policy if kind_of(file) == "plan" else vr.Policy.load(file)
    law = vr.return_law(policy.mdp, policy)
    value = vr.objective(text).of(law)
    if as_json:
        emit_json({"objective": text, "value": json_number(value), "law": law.to_json()})
        return
    click.echo(f"{text} = {number(value)}, exactly evaluated in {policy.mdp!r}")
    for line in law_lines(law):
        click.echo(line)


COMMANDS = (plan, evaluate)
