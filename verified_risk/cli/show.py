"""How results look: a few lines for people, JSON for programs."""

from __future__ import annotations

import json
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import click

from ..enclosure import Real, bounds
from ..law import Law

DIGITS = 10


def number(x: Real) -> str:
    """``56/33 ≈ 1.696969697``: the fraction where it is short, the decimal where it is not whole."""
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


def _decimal(x: Fraction, rounding: str) -> str:
    """``x`` to ten significant digits, rounded once in the given direction."""
    quotient = Context(prec=DIGITS, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator))
    plain = format(quotient, "f")
    return plain if len(plain) <= 2 * DIGITS else str(quotient)


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
