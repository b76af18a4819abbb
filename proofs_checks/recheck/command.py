"""Check certificate files: recompute both sides of the claim with the file's label and print them."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from os import fstat
from runpy import run_path
from stat import S_ISCHR
from typing import Any

from . import augmentation, closeness, cvar, discretisation, event, optimism, regret, setting
from .file_format import CHECKS, Outcome, Rejected, read

SUBJECTS = (setting, augmentation, discretisation, cvar, event, optimism, closeness, regret)
"""Importing a module registers the checks of its labels."""

HELP = """\
Check certificates of counterexamples with the standard library alone: read the instance of each FILE, recompute both
sides of the claim with its label, and print them.

REFUTES          both sides, recomputed, contradict the claim
DOES NOT REFUTE  they do not
REJECTED         the file is not a certificate, or its label is unknown

The exit status is that of the worst file: 0, 1 or 2 in this order.  The stored certificates are in
proofs_checks/certificates, their format in docs/certificate_format.md.
"""


def check_text(text: str, more: Mapping[str, Any] | None = None) -> Outcome:
    """Read a certificate and recompute both sides of its claim; ``more`` has checks of other labels."""
    data = read(text)
    checks = {**CHECKS, **(more or {})}
    if not isinstance(data["label"], str) or data["label"] not in checks:
        raise Rejected(f"no printed claim with the label {repr(data['label'])[:60]} is known here")
    try:
        return Outcome(*checks[data["label"]](data["instance"]))
    except Rejected:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Rejected(f"the instance cannot be read: {type(error).__name__}: {error}") from None


def shown(value: Any) -> str:
    """A number exactly, or as a decimal marked as rounded if it is long."""
    try:
        exact = str(value)
    except ValueError:  # more digits than Python converts
        exact = ""
    return exact if 0 < len(exact) <= 30 else f"{_decimal(Fraction(value))} (rounded)"


def _decimal(value: Fraction) -> str:
    """Twelve significant digits, also outside the range of floats."""
    return str(Context(prec=12).divide(Decimal(value.numerator), Decimal(value.denominator)))


def main(arguments: list[str]) -> int:
    """Check files; return the exit status of the worst one."""
    parser = ArgumentParser("recheck", description=HELP, formatter_class=RawDescriptionHelpFormatter)
    said = "whose dictionary CHECKS has functions for other labels, from an instance to (left, <= or >= or =, right)"
    parser.add_argument("--checks", metavar="FILE", help=said)
    parser.add_argument("files", metavar="FILE", nargs="+")
    given = parser.parse_args(arguments)
    status, more = 0, None
    if given.checks is not None:
        try:
            more = run_path(given.checks)["CHECKS"]
        except (OSError, SyntaxError, LookupError) as error:
            print(f"{given.checks}: REJECTED: no file with a dictionary CHECKS: {type(error).__name__}: {error}")
            return 2
    for path in given.files:
        try:
            with open(path, encoding="utf-8") as file:
                if S_ISCHR(fstat(file.fileno()).st_mode):
                    raise Rejected("a device, wanted a file")
                outcome = check_text(file.read(), more)
        except (Rejected, OSError, UnicodeDecodeError) as error:
            print(f"{path}: REJECTED: {error}")
            status = 2
            continue
        says = f"the claim says {shown(outcome.left)} {outcome.relation} {shown(outcome.right)}"
        print(f"{path}: {'REFUTES' if outcome.refutes else 'DOES NOT REFUTE'}: {says}")
        if not outcome.refutes:
            status = max(status, 1)
    return status
