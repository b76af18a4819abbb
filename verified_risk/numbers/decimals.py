"""Shortest decimals of arrays of floats, their sums, and floats near a small fraction: vectorised, and exact.

The decimal that ``repr`` prints has at most 17 significant digits.  With up to 15, it is the rounded product with a
power of ten, if dividing gives the float back: both are exact up to 10**22, so the quotient is rounded once.  With 16
or 17, it is the closest decimal to the float, and the product with the power of ten is needed to twice the precision
of floats.  The few floats for which a comparison is too close to call are printed.
"""

from decimal import Decimal
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .rational import LARGEST_DENOMINATOR

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

TENS = np.array([float(10**k) for k in range(23)])  # the powers of ten that are floats
WHOLE_TENS = np.array([10**k for k in range(19)])
HIGH, LOW = 18, 14
"""Decimals are added as a multiple of ``10**-18`` and one of ``10**-32``, below ``10**14``."""
SMALLEST = 1e-6  # smaller floats are printed one by one: 17 of their digits need a larger power of ten
CLOSE = 1e-6  # comparisons closer than this, in relation to what is compared, are left to exact arithmetic


def shortest_decimals(x: Floats) -> tuple[Ints, Ints]:
    """Return digits w and places k with ``w / 10**k`` the shortest decimal of every float in [0, 1]; w may end in 0.

    >>> [part.tolist() for part in shortest_decimals(np.array([0.1, 1e-07]))]
    [[100000000000000, 1], [15, 7]]
    """
    zeros = np.zeros(len(x), dtype=np.int64)
    for bound in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        zeros += x < bound
    places = 15 + zeros
    rounded = np.rint(x * TENS[places])
    digits = rounded.astype(np.int64)
    printed = (x < SMALLEST) & (x > 0)
    rest = np.flatnonzero((rounded / TENS[places] != x) & ~printed)
    if len(rest):
        y, power = x[rest], places[rest] + 2
        product, error = _product(y, TENS[power])
        near, whole = np.rint(error), product.astype(np.int64)
        long = whole + near.astype(np.int64)
        last = long % 10 + (error - near)  # the last digit, and what follows it
        short = long - long % 10 + 10 * (last > 5)
        distance, half = np.abs((short - whole) - error), TENS[power] * np.spacing(y) / 2
        digits[rest], places[rest] = np.where(distance < half, short, long), power
        printed[rest] = (
            (np.abs(distance - half) < CLOSE * half)
            | (np.abs(last - 5) < CLOSE)
            | (np.abs(np.abs(error - near) - 0.5) < CLOSE)
            | (np.frexp(y)[0] == 0.5)
        )
    for i in np.flatnonzero(printed).tolist():
        digits[i], places[i] = shortest_decimal(float(x[i]))
    return digits, places


def shortest_decimal(x: float) -> tuple[int, int]:
    """Return the shortest decimal of a float as ``(digits, k)``, meaning ``digits / 10**k``.

    >>> shortest_decimal(0.25), shortest_decimal(3.0), shortest_decimal(1e-07), shortest_decimal(1e22)
    ((25, 2), (30, 1), (1, 7), (10000000000000000000000, 0))
    """
    shown = repr(x)
    if "e" not in shown:
        whole, _, part = shown.partition(".")
        return int(whole + part), len(part)
    _, digits, exponent = Decimal(shown).as_tuple()
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits)))
    return (value, -exponent) if exponent < 0 else (value * 10**exponent, 0)


def row_sums(digits: Ints, places: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Return the sums of rows of decimals in [0, 1] as high and low parts: ``high / 10**18 + low / 10**32``, with
    ``0 <= low < 10**14``.

    Every row needs entries of at most 32 places, a sum below 9, and at most 90,000 entries: no sum overflows then.
    """
    shift = places - HIGH
    power = WHOLE_TENS[np.clip(shift, 0, LOW)]
    over = np.where(shift > 0, digits // power, digits * WHOLE_TENS[np.clip(-shift, 0, HIGH)])
    under = np.where(shift > 0, (digits % power) * WHOLE_TENS[np.clip(LOW - shift, 0, LOW)], 0)
    high, low = np.add.reduceat(over, start[:-1]), np.add.reduceat(under, start[:-1])
    return high + low // WHOLE_TENS[LOW], low % WHOLE_TENS[LOW]


def less(x: Floats, digits: Ints, places: Ints, high: Ints, low: Ints) -> tuple[Floats, Bools]:
    """Return the floats nearest to ``digits / 10**places - high / 10**18 - low / 10**32``, and where that is certain.
    ``x`` are the floats nearest to ``digits / 10**places``; what is subtracted is a few units in their last place."""
    known = places < len(TENS)
    power = TENS[np.where(known, places, 0)]
    product, error = _product(x, power)
    over = digits // 2**30 * 2.0**30  # both parts are floats
    change = ((over - product) + (digits % 2**30 - error)) / power - (high + low * 10.0**-LOW) * 10.0**-HIGH
    found = x + change
    lost = np.abs(change - (found - x))
    certain: Bools = (
        known & (np.abs(lost - np.spacing(found) / 2) > CLOSE * np.spacing(found)) & (np.frexp(found)[0] != 0.5)
    )
    return found, certain


def near_small_fractions(x: Floats) -> Bools:
    """Return where a convergent of denominator up to 10**5 is within 2**-50: a quick test before the exact one."""
    found = np.zeros(len(x), dtype=bool)
    at, rest = np.arange(len(x)), x.copy()
    before, here = np.zeros(len(x), dtype=np.int64), np.ones(len(x), dtype=np.int64)
    low, high = here.copy(), before.copy()
    for _ in range(24):
        whole = rest.astype(np.int64)
        before, here, low, high = here, whole * here + before, high, whole * high + low
        fits = high <= LARGEST_DENOMINATOR
        close = fits & (np.abs(x[at] - here / np.maximum(high, 1)) <= 2.0**-50)
        found[at[close]] = True
        on = fits & ~close & (rest - whole >= 1e-9)
        at, before, here, low, high = at[on], before[on], here[on], low[on], high[on]
        rest = 1.0 / (rest - whole)[on]
        if not len(at):
            break
    return found


def _product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the rounded products and their exact errors (Dekker 1971)."""
    product = x * y
    (a, b), (c, d) = _halves(x), _halves(y)
    return product, ((a * c - product) + a * d + b * c) + b * d


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """Split floats into two of half the precision."""
    scaled = x * (2.0**27 + 1)
    above = scaled - (scaled - x)
    return above, x - above
