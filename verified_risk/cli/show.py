"""How results look: a few lines for people, JSON for programs."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import click

from ..enclosure import Real, bounds
from ..law import Law


def number(x: Real) -> str:
    """``56/33 = 1.69697``, without the fraction where it is long, without the decimal where it is whole."""
    low, high = bounds(x)
    decimal = f"{float((low + high) / 2):.9g}"
    if low != high or len(str(low)) > 24:
        return decimal
    return str(low) if low.denominator == 1 else f"{low} = {decimal}"


def emit_json(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=1))


def json_number(x: Real) -> dict[str, Any]:
    low, high = bounds(x)
    return {"lower": str(low), "upper": str(high), "float": float((low + high) / 2)}


def law_lines(law: Law, width: int = 30) -> list[str]:
    """One line per atom with a bar; the longest laws show their likeliest atoms only."""
    shown = sorted(sorted(law, key=lambda pair: -pair[1])[:12])
    peak = max(p for _, p in shown)
    lines = [f"  {float(x):>10.5g}  {float(p):7.4f}  {'█' * max(1, round(width * p / peak))}" for x, p in shown]
    left = len(law) - len(shown)
    rest = Fraction(1) - sum((p for _, p in shown), Fraction())
    return lines + ([f"  … and {left} more returns of total probability {float(rest):.4f}"] if left else [])
