"""The group of commands.  Everything heavy is imported inside the command that needs it."""

import click

from .failures import Commands

EPILOG = """\b
Exit codes:
  0    done
  1    an audit, a recheck, a proof or an experiment found something wrong
  2    bad input: one line says what to do
  3    a bug in this program: one line says how to report it
  130  stopped by Ctrl-C; no file is left half-written
  141  the program that reads the output has ended, as in `| head -1`

\b
Shell completion (likewise zsh_source, fish_source):
  eval "$(_VERIFIED_RISK_COMPLETE=bash_source verified-risk)"
"""


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="verified-risk")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Certified planning and learning for risk-sensitive MDPs, and an audit of their theory.

    Every command takes --json.  `verified-risk COMMAND --help` says more.
    """


def _add_commands() -> None:
    from . import audit, compare, experiment, explain, from_log, fuzz, learn, models, plan, prove

    for module in (models, plan, compare, prove, learn, from_log, experiment, audit, fuzz, explain):
        for command in module.COMMANDS:
            main.add_command(command)


_add_commands()
