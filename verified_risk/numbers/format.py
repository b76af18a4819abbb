"""Formatting of numbers and laws: short, safely rounded text for people, and JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from .enclosure import Real, bounds
from .rational import rounded, text

if TYPE_CHECKING:
    from ..law import Law

DIGITS = 10
NEGLIGIBLE = Fraction(1, 10**30)
"""Bounds closer to zero than this are rounded outward to it: ``-2.4E-303 <=`` would read as a value of its own."""

MOST_WRITTEN_OUT = Decimal(10) ** (2 * DIGITS)  # gaps from here on are shown with an exponent


def number(x: Real) -> str:
    """Format as ``56/33 ≈ 1.696969697``: the fraction if it is short, the decimal if it is not an integer."""
    low, high = bounds(x)
    decimal = _decimal((low + high) / 2, ROUND_HALF_EVEN)
    if low != high or not _is_short(low, 24):
        return f"≈ {decimal}"
    return str(low) if low.denominator == 1 else f"{low} ≈ {decimal}"


def at_least(x: Fraction, negligible: bool = True) -> str:
    """Return a decimal that is certainly not above ``x``; the number itself if it is short."""
    if negligible and abs(x) < NEGLIGIBLE:
        return "0" if x >= 0 else f"-{float(NEGLIGIBLE):g}"
    return str(x) if _is_short(x) else _decimal(x, ROUND_FLOOR)


def at_most(x: Fraction, negligible: bool = True) -> str:
    """Return a decimal that is certainly not below ``x``; the number itself if it is short."""
    if negligible and abs(x) < NEGLIGIBLE:
        return "0" if x <= 0 else f"{float(NEGLIGIBLE):g}"
    return str(x) if _is_short(x) else _decimal(x, ROUND_CEILING)


def above(x: Fraction | float, digits: int = 3) -> str:
    """Return ``digits`` digits, certainly not below ``x``: ``4.01e-15``."""
    if isinstance(x, float) and not isfinite(x):
        return str(x)
    found = rounded(Fraction(x), digits, ROUND_CEILING)
    plain = not found or Decimal("0.001") <= abs(found) < MOST_WRITTEN_OUT
    return format(found, "f") if plain else f"{found:.{digits - 1}e}"


def short(x: Fraction) -> str:
    """Return the number itself if it is short, otherwise six digits marked as such."""
    return str(x) if _is_short(x) else f"≈{rounded(x, 6):g}"


def span(lower: Fraction, upper: Fraction) -> str:
    """Format ``lower <= best over all policies <= upper``, rounded outward.

    If the lower bound is short, the upper one is shown as the distance above it.

    >>> span(Fraction(1, 4), Fraction(1, 4) + Fraction(1, 3 * 10**9))
    '1/4 <= best over all policies <= 1/4 + 3.34e-10'
    >>> span(Fraction(10) ** -400 / 3, Fraction(10) ** -400 / 2)
    '3.333333333E-401 <= best over all policies <= 5E-401, 1.67e-401 apart'
    """
    if _is_short(lower):
        return f"{lower} <= best over all policies <= {lower} + {above(upper - lower)}"
    coarse = _says_nothing(lower, upper)
    low, high = at_least(lower, coarse), at_most(upper, coarse)
    return f"{low} <= best over all policies <= {high}, {above(upper - lower)} apart"


def ends(lower: Fraction, upper: Fraction) -> tuple[str, str]:
    """Format both bounds, rounded outward; if a short decimal lies between close ones, by their distances from it.

    >>> ends(Fraction(6, 5) - Fraction(1, 10**15), Fraction(6, 5) + Fraction(1, 10**14))
    ('1.2 - 1.00e-15', '1.2 + 1.00e-14')
    >>> ends(Fraction(1, 3), Fraction(1, 2))
    ('1/3', '1/2')
    """
    middle = rounded((lower + upper) / 2, DIGITS - 1).normalize()
    near = Fraction(middle)
    if lower <= near <= upper and 0 < upper - lower < abs(near) / 10**DIGITS and len(f"{middle:f}") <= DIGITS:
        short, low, high = f"{middle:f}", near - lower, upper - near
        return f"{short} - {above(low)}" if low else short, f"{short} + {above(high)}" if high else short
    coarse = _says_nothing(lower, upper)
    return at_least(lower, coarse), at_most(upper, coarse)


def columns(table: Sequence[Sequence[str]]) -> str:
    """Align rows of cells: the first column to the left, the others to the right.

    >>> print(columns([["level", "value"], ["1/2", "3"]]))
    level  value
    1/2        3
    """
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in table
    )


def json_number(x: Real) -> dict[str, Any]:
    """Return an exact number as ``{"exact": "p/q", "float": ...}``, an enclosed one by its rational ends."""
    return json_between(*bounds(x))


def json_between(low: Fraction, high: Fraction) -> dict[str, Any]:
    """Return a number known to lie between the two; the float is the one nearest to the middle."""
    if low == high:
        return {"exact": text(low), "float": nearest(low)}
    return {"lower": text(low), "upper": text(high), "float": nearest((low + high) / 2)}


def nearest(x: Fraction) -> float | None:
    """Return the nearest float; None, JSON's null, beyond the largest one."""
    try:
        return float(x)
    except OverflowError:
        return None


def json_law(law: Law) -> dict[str, Any]:
    """Return atoms and masses as ``"p/q"``, and as floats."""
    floats = {"atoms": [nearest(x) for x, _ in law], "masses": [float(p) for _, p in law]}
    return {**law.to_json(), "floats": floats, "mean": json_number(law.mean)}


def _says_nothing(lower: Fraction, upper: Fraction) -> bool:
    """Return whether digits of negligible bounds are meaningless: the bounds are far apart, or on both sides of 0."""
    return upper - lower >= min(NEGLIGIBLE, max(abs(lower), abs(upper)))


def _is_short(x: Fraction, most: int = DIGITS) -> bool:
    """Return whether the number itself takes at most ``most`` characters; long ones are not written out to test it."""
    return x.numerator.bit_length() + x.denominator.bit_length() <= 4 * most + 8 and len(str(x)) <= most


def _decimal(x: Fraction, rounding: str) -> str:
    """Format ``x`` to ten significant digits, rounded once in the given direction."""
    quotient = rounded(x, DIGITS, rounding)
    plain = format(quotient, "f") if -60 < quotient.adjusted() < 60 else ""
    return plain if plain and len(plain) <= 2 * DIGITS else str(quotient)
