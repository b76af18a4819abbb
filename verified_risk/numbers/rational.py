"""Read numbers exactly.

A float is read as its *shortest decimal*: ``0.1`` is 1/10, which is what the writer meant, unlike the binary expansion
of 0.1.
"""

import math
import numbers
import sys
from collections.abc import Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from ..errors import InvalidArgument, InvalidNumber, VerifiedRiskError

Rational: TypeAlias = int | str | float | Fraction | Decimal

LARGEST_DENOMINATOR = 10**5
"""Largest denominator of the fractions that a float may stand for, such as 1/3; see CLOSENESS."""
CLOSENESS = Fraction(1, 2**50)
"""Rationals with denominators up to 10**5 are at least 1e-10 apart, so at most one is this close to a float."""
LONGEST_PLAIN = 4000  # digits that Python converts between text and ``int`` below its own limit of 4300
LARGEST_EXPONENT = 100_000
"""Largest exponent of a decimal: ``1e999999999`` has a billion digits, and would take hours and gigabytes."""
LONGEST = 100_000
"""Maximum number of characters of a number in text: reading takes time quadratic in them, a third of a second here."""
MOST_SAID = 200  # maximum number of characters of a number in a message
LEAST_NORMAL, GREATEST_FLOAT = Fraction(sys.float_info.min), Fraction(sys.float_info.max)


def as_fraction(value: Any, where: str, error: type[VerifiedRiskError] = InvalidNumber) -> Fraction:
    """Return the exact rational meant by ``value``, or raise ``error``, which names the entry by ``where``.

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
        raise error(f"{where} is {value!r}, wanted a number")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise error(f"{where} is {_cut(str(value))}, wanted a finite number")
        _check_exponent(str(value), where, error)
        return Fraction(value)
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise error(f"{where} is {value[:40]!r}… of {len(value)} characters, wanted at most {LONGEST}")
        _check_exponent(value, where, error)
        try:
            if not value.isascii():  # Python reads the digits of every script, other readers do not
                raise ValueError
            if len(value) <= LONGEST_PLAIN:
                return Fraction(value)
            numerator, _, denominator = value.partition("/")  # with more digits than `int` accepts
            return Fraction(Decimal(numerator)) / Fraction(Decimal(denominator or 1))
        except (ArithmeticError, ValueError):
            raise error(f"{where} is {_cut(value)!r}, wanted a number such as '1/3' or '0.25'") from None
    if isinstance(value, numbers.Real):  # float, numpy floating
        if not math.isfinite(value):
            raise error(f"{where} is {value!r}, wanted a finite number")
        # str(), not repr(): numpy scalars print their shortest decimal, at their own precision, only through str.
        return Fraction(str(value))
    raise error(f"{where} is {value!r}, wanted a number")


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
    step = as_fraction(eta, "eta", InvalidArgument)
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
    return str(rounded(value, count)).lower()


def rounded(value: Fraction, count: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """Return the nearest number of ``count`` significant digits, or the next one in the direction ``rounding``."""
    context = Context(prec=count, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def text(value: Fraction) -> str:
    """Return ``p/q`` or ``p``, the form in which rationals are stored, of any length."""
    if _is_plain(value):
        return str(value)
    whole = str(Decimal(value.numerator))
    return whole if value.denominator == 1 else f"{whole}/{Decimal(value.denominator)}"


def _is_plain(value: Fraction) -> bool:
    """Return whether ``str`` does not exceed Python's limit of digits."""
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= LONGEST_PLAIN


def said(value: Fraction) -> str:
    """Format for a message: the number itself if it is short, otherwise its first digits, marked as such.

    >>> said(Fraction(1, 3)), said(Fraction(10) ** 5000 / 7)
    ('1/3', '≈1.42857142857e+4999')
    """
    if _is_plain(value) and len(shown := str(value)) <= MOST_SAID:
        return shown
    return f"≈{rounded(value, 12)}".lower()


def _check_exponent(written: str, where: str, error: type[VerifiedRiskError]) -> None:
    """Raise if a decimal's exponent alone makes it too long to write out."""
    for part in written.split("/"):
        exponent = part.lower().partition("e")[2].strip().lstrip("+-").replace("_", "").lstrip("0")
        if exponent.isdecimal() and (len(exponent) > 9 or int(exponent) > LARGEST_EXPONENT):
            raise error(f"{where} is {written[:40]!r}, wanted an exponent of at most {LARGEST_EXPONENT}")


def _cut(written: str) -> str:
    return written if len(written) <= MOST_SAID else written[: MOST_SAID - 1] + "…"


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
