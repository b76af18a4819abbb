"""The power of a check: how much too small a bound may be before the generator notices.

The greater side of each part of a claim is multiplied by a factor below 1.  A generator *refutes* a factor if its
cases, at the default number and with each of two seeds, contain one where the claim then fails.  One search a seed
decides all factors, because the cases that it climbs to depend on the true claim alone (:attr:`.Search.closest`).

A claim may also lose a hypothesis.  The generator notices if some case that misses this one alone refutes the claim.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .model import Case, Claim, Statement, least, parts_of
from .search import Search

LADDER = tuple(Fraction(factor) for factor in ("0.99", "0.95", "0.9", "0.8", "0.5", "0.2", "0.1", "0.01", "0.001"))
WANTED = LADDER[0]


def tightened(claim: Claim[Case], part: str, factor: Fraction) -> Claim[Case]:
    """The claim with the greater side of all parts of this name multiplied by ``factor``."""

    def slack(case: Case) -> Any:
        return least(*(p.slack(factor if p.name == part else 1) for p in parts_of(claim.slack(case))))

    return replace(claim, words=f"{claim.words} ({part} times {float(factor):g})", slack=slack)


def power(searches: Iterable[Search[Any]]) -> dict[str, str]:
    """For each part of the claim, the greatest factor of the ladder that every search refutes; ``"none"`` if none."""
    closest: dict[str, Fraction] = {}
    for search in searches:
        for name, ratio in search.closest.items():
            closest[name] = min(ratio, closest.get(name, ratio))
    found = {name: [factor for factor in LADDER if factor < ratio] for name, ratio in closest.items()}
    return {name: f"{float(factors[0]):g}" if factors else "none" for name, factors in sorted(found.items())}


def is_evidence(found: dict[str, str]) -> bool:
    """Return False if the claim has bounds and cases come close to none of them; such cases are no evidence."""
    return not found or any(factor != "none" for factor in found.values())


def unnoticed(claim: Claim[Any], searches: Sequence[Search[Any]]) -> list[str]:
    """The hypotheses whose removal some search does not notice."""
    return [name for name in claim.hypotheses if not all(search.beyond[name] for search in searches)]


def shortfalls(statement: Statement[Any], found: dict[str, str], missed: Sequence[str]) -> list[str]:
    """One line for each part whose factor is below what the statement says: 0.99, or less with a reason.  Another for
    each hypothesis of ``missed``, which no case notices, unless there is a reason for that."""
    lines = [
        f"no case of the generator refutes the claim without its {name}, wanted one for each seed"
        for name in missed
        if name not in statement.reaches
    ]
    for name, factor in found.items():
        wanted, _ = statement.reaches.get(name, (f"{float(WANTED):g}", ""))
        if _number(factor) < _number(wanted):
            lines.append(f"the generator refutes {factor} times the {name}, wanted {wanted}")
    return lines


def _number(factor: str) -> Fraction:
    return Fraction() if factor == "none" else Fraction(factor)
