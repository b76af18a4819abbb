"""The group of commands.  Everything heavy is imported inside the command that needs it."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..errors import VerifiedRiskError


class _Commands(click.Group):
    """Turns errors raised on purpose into one line on stderr and exit code 2; ``--debug`` shows the traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (VerifiedRiskError, OSError) as error:
            if ctx.params.get("debug"):
                raise
            click.echo(f"error: {error}", err=True)
            sys.exit(2)


EPILOG = """Exit codes: 0 done; 1 an audit or a recheck found something wrong; 2 bad input, one line says what to do.

Shell completion: eval "$(_VERIFIED_RISK_COMPLETE=bash_source verified-risk)"; likewise zsh_source, fish_source."""


@click.group(cls=_Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="verified-risk")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Certified planning and learning for risk-sensitive MDPs, and an audit of their theory."""


def _add_commands() -> None:
    from . import audit, learn, models, plan

    for module in (models, plan, learn, audit):
        for command in module.COMMANDS:
            main.add_command(command)


_add_commands()
