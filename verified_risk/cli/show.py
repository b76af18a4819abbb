"""What every command shares: JSON as an option, and a law drawn in characters."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from ..numbers.rational import digits
from .terminal import Screen

if TYPE_CHECKING:
    from ..law import Law

MOST_ATOMS = 12
BAR_WIDTH = 30


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Every command has ``--json``: one JSON value on the standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")(command)


def emit_json(data: Any) -> None:
    import json

    click.echo(json.dumps(data, indent=1, ensure_ascii=False))


def print_law(screen: Screen, law: Law) -> None:
    """One line per atom with a bar; of long laws the likeliest atoms, and what was left out."""
    shown = sorted(sorted(law, key=lambda pair: -pair[1])[:MOST_ATOMS])
    peak = max(p for _, p in shown)
    screen.field("return", "value   probability")
    for x, p in shown:
        bar = "█" * max(1, round(BAR_WIDTH * p / peak))
        screen.line(f"  {digits(x, 6):>14}   {float(p):9.6f}  {bar}")
    left = len(law) - len(shown)
    rest = Fraction(1) - sum((p for _, p in shown), Fraction())
    if left:
        screen.line(f"  … and {left} more returns of total probability {float(rest):.4g}", "dim")
