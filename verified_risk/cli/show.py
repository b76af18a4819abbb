"""How numbers and laws look: a few characters for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from .screen import Screen

if TYPE_CHECKING:
    from ..enclosure import Real
    from ..law import Law

DIGITS = 10
MOST_ATOMS = 12
BAR_WIDTH = 30


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Every command has ``--json``: one JSON value on the standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")(command)


def emit_json(data: Any) -> None:
    import json

    click.echo(json.dumps(data, indent=1, ensure_ascii=False))


def number(x: Real) -> str:
    """``56/33 ≈ 1.696969697``: the fraction where it is short, the decimal where it is not whole."""
    from ..enclosure import bounds

    low, high = bounds(x)
    decimal = _decimal((low + high) / 2, ROUND_HALF_EVEN)
    if low != high or len(str(low)) > 24:
        return f"≈ {decimal}"
    return str(low) if low.denominator == 1 else f"{low} ≈ {decimal}"


def at_least(x: Fraction) -> str:
    """A decimal that is certainly not above ``x``; the number itself where it is short."""
    return str(x) if len(str(x)) <= DIGITS else _decimal(x, ROUND_FLOOR)


def at_most(x: Fraction) -> str:
    """A decimal that is certainly not below ``x``; the number itself where it is short."""
    return str(x) if len(str(x)) <= DIGITS else _decimal(x, ROUND_CEILING)


def above(x: Fraction) -> str:
    """Three digits, certainly not below ``x``: ``4.01e-15``."""
    rounded = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(x.numerator), Decimal(x.denominator))
    return f"{rounded:.2e}" if rounded < Decimal("0.001") else format(rounded, "f")


def short(x: Fraction) -> str:
    """The number itself where it is short, otherwise six digits marked as such."""
    return str(x) if len(str(x)) <= DIGITS else f"≈{float(x):.6g}"


def _decimal(x: Fraction, rounding: str) -> str:
    """``x`` to ten significant digits, rounded once in the given direction."""
    quotient = Context(prec=DIGITS, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator))
    plain = format(quotient, "f")
    return plain if len(plain) <= 2 * DIGITS else str(quotient)


def json_number(x: Real) -> dict[str, Any]:
    """An exact number as ``{"exact": "p/q", "float": ...}``, an enclosed one by its rational ends."""
    from ..enclosure import bounds

    return json_between(*bounds(x))


def json_between(low: Fraction, high: Fraction) -> dict[str, Any]:
    """A number known to lie between the two; the float is the one nearest to the middle."""
    if low == high:
        return {"exact": str(low), "float": float(low)}
    return {"lower": str(low), "upper": str(high), "float": float((low + high) / 2)}


def json_law(law: Law) -> dict[str, Any]:
    """Atoms and masses as ``"p/q"``, and the same as floats."""
    floats = {"atoms": [float(x) for x, _ in law], "masses": [float(p) for _, p in law]}
    return {**law.to_json(), "floats": floats, "mean": json_number(law.mean)}


def print_law(screen: Screen, law: Law) -> None:
    """One line per atom with a bar; of long laws the likeliest atoms, and what was left out."""
    shown = sorted(sorted(law, key=lambda pair: -pair[1])[:MOST_ATOMS])
    peak = max(p for _, p in shown)
    screen.field("return", "value   probability")
    for x, p in shown:
        bar = "█" * max(1, round(BAR_WIDTH * p / peak))
        screen.line(f"  {float(x):>14.6g}   {float(p):9.6f}  {bar}")
    left = len(law) - len(shown)
    rest = Fraction(1) - sum((p for _, p in shown), Fraction())
    if left:
        screen.line(f"  … and {left} more returns of total probability {float(rest):.4g}", "dim")
