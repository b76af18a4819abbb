"""``verified-risk models``: list the named models, draw one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .model_argument import ModelSource, model_options
from .terminal import Screen, emit_json, json_option

if TYPE_CHECKING:
    from ..mdp import MDP


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List the named models; `models show NAME` draws one."""
    if ctx.invoked_subcommand is not None:
        return
    from .. import models as library

    described = {name: _described(build) for name, build in library.NAMES.items()}
    if as_json:
        emit_json(described)
        return
    screen = Screen()
    width = max(map(len, described))
    for name, about in described.items():
        size = f"{about['states']} states, {about['actions']} actions, horizon {about['horizon']}"
        for i, piece in enumerate(screen.broken(f"{about['description']} ({size})", width + 2)):
            screen.line(f"{name if i == 0 else '':<{width}}  {piece}")


def _described(build: Callable[[], MDP]) -> dict[str, Any]:
    """Return the first line of the function's docstring, and the sizes."""
    first = (build.__doc__ or "").strip().splitlines()[0].replace("``", "")
    mdp = build()
    return {"description": first, "states": mdp.n_states, "actions": max(mdp.n_actions), "horizon": mdp.horizon}


@models.command()
@model_options
@json_option
def show(source: ModelSource, as_json: bool) -> None:
    """Draw MODEL, with its sizes and rewards."""
    mdp = source.read()
    if as_json:
        emit_json(mdp.to_json())
        return
    screen = Screen()
    for line in mdp.describe().splitlines():
        screen.paragraph(line, indent=0)


COMMANDS = (models,)
