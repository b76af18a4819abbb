"""Read numbers exactly.

A float is read as its *shortest decimal*: ``0.1`` is 1/10, which is what the writer meant, unlike the binary expansion
of 0.1.

Functions of arrays of floats, for shortest decimals, their sums and floats near a small fraction, are vectorised and
exact.  The decimal that ``repr`` prints has at most 17 significant digits.  With up to 15, it is the rounded product
with a power of ten, if dividing gives the float back: both are exact up to 10**22, so the quotient is rounded once.
With 16 or 17, it is the closest decimal to the float, and the product with the power of ten is needed to twice the
precision of floats.  The few floats for which a comparison is too close to call are printed.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidArgument, InvalidNumber

Rational: TypeAlias = int | str | float | Fraction | Decimal

LARGEST_DENOMINATOR = 10**5
"""Largest denominator of the fractions that a float may stand for, such as 1/3; see CLOSENESS."""
CLOSENESS = Fraction(1, 2**50)
"""Rationals with denominators up to 10**5 are at least 1e-10 apart, so at most one is this close to a float."""
LONGEST_PLAIN = 4000
"""Digits that Python converts between text and ``int`` below its own limit of 4300."""
LARGEST_EXPONENT = 100_000
"""Largest exponent of a decimal: ``1e999999999`` has a billion digits, and would take hours and gigabytes."""
LONGEST = 100_000
"""Maximum number of characters of a number in text: reading takes time quadratic in them, a third of a second here."""
MOST_SAID = 200
"""Maximum number of characters of a number in a message."""
LEAST_NORMAL, GREATEST_FLOAT = Fraction(sys.float_info.min), Fraction(sys.float_info.max)


def as_fraction(value: Any, where: str) -> Fraction:
    """Return the exact rational meant by ``value``; ``where`` names the entry in the error.

    >>> as_fraction(0.1, "p"), as_fraction("1/3", "p"), as_fraction("2.5e-1", "p")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 4))
    """
    if type(value) is Fraction:
        return value
    if type(value) is int:
        return Fraction(value)
    if type(value) is float and "e" not in (shown := repr(value)) and "n" not in shown:  # most numbers
        whole, _, part = shown.partition(".")
        return Fraction(int(whole + part), 10 ** len(part))
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise InvalidNumber(f"{where} is {value!r}, wanted a number")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InvalidNumber(f"{where} is {_cut(str(value))}, wanted a finite number")
        _check_exponent(str(value), where)
        return Fraction(value)
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise InvalidNumber(f"{where} is {value[:40]!r}… of {len(value)} characters, wanted at most {LONGEST}")
        _check_exponent(value, where)
        try:
            if not value.isascii():  # Python reads the digits of every script, other readers do not
                raise ValueError
            return _long_fraction(value) if len(value) > LONGEST_PLAIN else Fraction(value)
        except (ArithmeticError, ValueError):
            raise InvalidNumber(f"{where} is {_cut(value)!r}, wanted a number such as '1/3' or '0.25'") from None
    if isinstance(value, numbers.Real):  # float, numpy floating
        if not math.isfinite(value):
            raise InvalidNumber(f"{where} is {value!r}, wanted a finite number")
        # str(), not repr(): numpy scalars print their shortest decimal, at their own precision, only through str.
        return Fraction(str(value))
    raise InvalidNumber(f"{where} is {value!r}, wanted a number")


def meant(value: float) -> Fraction:
    """Return the rational that a computed float stands for: a small one within 2**-50, else the shortest decimal.

    >>> meant(0.04999999999999999), meant(0.33333333333333337), meant(0.8), meant(0.12345678)
    (Fraction(1, 20), Fraction(1, 3), Fraction(4, 5), Fraction(6172839, 50000000))
    """
    written = as_fraction(value, "value")
    small = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return small if abs(small - Fraction(value)) <= CLOSENESS * max(Fraction(1), abs(small)) else written


def as_probability(value: Any, where: str) -> Fraction:
    """Read a rational in [0, 1]."""
    p = as_fraction(value, where)
    if not 0 <= p <= 1:
        raise InvalidNumber(f"{where} is {said(p)}, wanted a probability in [0, 1]")
    return p


def as_step(eta: Any) -> Fraction:
    """Read the grid step ``eta``; used for laws, models, policies, planners and learners alike."""
    try:
        step = as_fraction(eta, "eta")
    except InvalidNumber as error:
        raise InvalidArgument(str(error)) from None
    if step <= 0:
        raise InvalidArgument(f"eta is {said(step)}, wanted a positive grid step")
    return step


def as_whole(value: Any) -> int | None:
    """Return ``value`` as an integer, or None if it is not one: bools and floats are not, numpy's integers are."""
    if type(value) is int:  # the usual case, without the slow abstract test
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    return None


def digits(value: Fraction, count: int) -> str:
    """Format ``count`` significant digits, even outside the range of floats.

    >>> digits(Fraction(1, 3), 6), digits(Fraction(10) ** 400 / 3, 6), digits(Fraction(0), 3)
    ('0.333333', '3.33333e+399', '0')
    """
    if value == 0 or LEAST_NORMAL <= abs(value) <= GREATEST_FLOAT:
        return f"{float(value):.{count}g}"
    context = Context(prec=count, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator))).lower()


def text(value: Fraction) -> str:
    """Return ``p/q`` or ``p``, the form in which rationals are stored, of any length."""
    if _is_plain(value):
        return str(value)
    whole = str(Decimal(value.numerator))
    return whole if value.denominator == 1 else f"{whole}/{Decimal(value.denominator)}"


def _is_plain(value: Fraction) -> bool:
    """Whether ``str`` certainly works."""
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= LONGEST_PLAIN


def said(value: Fraction) -> str:
    """Format for a message: the number itself if it is short, otherwise its first digits, marked as such.

    >>> said(Fraction(1, 3)), said(Fraction(10) ** 5000 / 7)
    ('1/3', '≈1.42857142857e+4999')
    """
    if _is_plain(value) and len(shown := str(value)) <= MOST_SAID:
        return shown
    context = Context(prec=12, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return f"≈{context.divide(Decimal(value.numerator), Decimal(value.denominator))}".lower()


def _check_exponent(written: str, where: str) -> None:
    """Raise if a decimal's exponent alone makes it too long to write out."""
    for part in written.split("/"):
        exponent = part.lower().partition("e")[2].strip().lstrip("+-").replace("_", "").lstrip("0")
        if exponent.isdecimal() and (len(exponent) > 9 or int(exponent) > LARGEST_EXPONENT):
            raise InvalidNumber(f"{where} is {written[:40]!r}, wanted an exponent of at most {LARGEST_EXPONENT}")


def _cut(written: str) -> str:
    return written if len(written) <= MOST_SAID else written[: MOST_SAID - 1] + "…"


def _long_fraction(written: str) -> Fraction:
    """Read ``p/q``, ``p`` or a decimal with more digits than ``int`` accepts."""
    numerator, _, denominator = written.partition("/")
    return Fraction(Decimal(numerator)) / Fraction(Decimal(denominator or 1))


def lcm_of_denominators(values: Iterable[Fraction]) -> int:
    """Return the least common denominator; 1 for no values."""
    return math.lcm(*{value.denominator for value in values})


def exact_sum(values: Collection[Fraction]) -> Fraction:
    """Sum over one common denominator: one gcd at the end instead of one per term.

    >>> exact_sum([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 1)
    """
    denominator = lcm_of_denominators(values)
    return Fraction(sum(value.numerator * (denominator // value.denominator) for value in values), denominator)


def gcd_of(values: Iterable[Fraction]) -> Fraction:
    """Return the largest rational of which every value is an integer multiple; 0 if all are 0.

    >>> gcd_of([Fraction(1, 2), Fraction(1, 3)])
    Fraction(1, 6)
    """
    nonzero = [value for value in values if value]
    denominator = lcm_of_denominators(nonzero)
    return Fraction(math.gcd(*(value.numerator * (denominator // value.denominator) for value in nonzero)), denominator)


def ceil_div(value: Fraction, unit: Fraction) -> int:
    """Return the least integer ``i`` with ``i * unit >= value``."""
    return -((-value.numerator * unit.denominator) // (value.denominator * unit.numerator))


def float_below(x: Fraction) -> float:
    """Return the largest float that is at most ``x`` (or its neighbour below)."""
    y = float(x)
    return y if Fraction(y) <= x else math.nextafter(y, -math.inf)


def float_above(x: Fraction) -> float:
    """Return the least float that is at least ``x`` (or its neighbour above)."""
    y = float(x)
    return y if Fraction(y) >= x else math.nextafter(y, math.inf)


Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

TENS = np.array([float(10**k) for k in range(23)])
"""The powers of ten that are floats."""
WHOLE_TENS = np.array([10**k for k in range(19)])
HIGH, LOW = 18, 14
"""Decimals are added as a multiple of ``10**-18`` and one of ``10**-32``, below ``10**14``."""
SMALLEST = 1e-6
"""Smaller floats are printed one by one: 17 of their digits need a larger power of ten."""
CLOSE = 1e-6
"""Comparisons closer than this, in relation to what is compared, are left to exact arithmetic."""


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

    ``x`` are the floats nearest to ``digits / 10**places``; what is subtracted is a few units in their last place.
    """
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
    """Whether a convergent of each float with denominator up to 10**5 is within 2**-50: a quick test before the exact
    one."""
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
