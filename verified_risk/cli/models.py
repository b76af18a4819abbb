"""``verified-risk models``: list the named models, draw one."""

from __future__ import annotations

import click

from .show import emit_json
from .source import model_options, read_model


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List the named models; `models show NAME` draws one."""
    from .. import models as library

    if ctx.invoked_subcommand is not None:
        return
    described = {name: (build.__doc__ or "").strip().splitlines()[0] for name, build in library.NAMES.items()}
    if as_json:
        emit_json(described)
        return
    for name, line in described.items():
        click.echo(f"{name:22} {line}")


@models.command()
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(model: str, horizon: int | None, initial: int | None, index_base: int, as_json: bool) -> None:
    """Draw MODEL: a named model, a saved JSON, a CSV, or gym:ID."""
    mdp = read_model(model, horizon, initial, index_base)
    if as_json:
        emit_json(mdp.to_json())
        return
    click.echo(mdp.describe())


COMMANDS = (models,)
