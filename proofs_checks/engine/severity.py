"""How grave a finding about a claim of the paper is, in five words that every table, page, file and command uses; and
what it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """What the audit says of a claim of the paper.

    >>> print(Severity.SLIP, "-", Severity.SLIP.meaning)
    slip - a misprint, a missing convention or an endpoint; nothing else changes
    """

    HOLDS = "holds"
    SLIP = "slip"
    REPAIR = "repair"
    SUBSTANCE = "substance"
    GAP = "gap"

    @property
    def meaning(self) -> str:
        """In words."""
        return MEANINGS[self]

    @property
    def weight(self) -> int:
        """How much harm it does to what rests on it: 0 for *holds* to 4 for *substance*."""
        return WEIGHTS.index(self)

    @property
    def is_passed_on(self) -> bool:
        """Whether it matters to what rests on the claim: a slip changes nothing else, by its meaning."""
        return self not in (Severity.HOLDS, Severity.SLIP)

    @property
    def is_false(self) -> bool:
        """Whether the claim, read literally, fails for some case: then a counterexample is owed."""
        return self not in (Severity.HOLDS, Severity.GAP)


WEIGHTS = (Severity.HOLDS, Severity.GAP, Severity.SLIP, Severity.REPAIR, Severity.SUBSTANCE)
MEANINGS = {
    Severity.HOLDS: "true as printed",
    Severity.SLIP: "a misprint, a missing convention or an endpoint; nothing else changes",
    Severity.REPAIR: "a constant, a quantifier or a condition changes; the result stands",
    Severity.SUBSTANCE: "the result, or the route of its proof, breaks",
    Severity.GAP: "not contradicted, but the printed proof does not prove it",
}


@dataclass(frozen=True)
class Cause:
    """The root of one or more findings: at which lines of the source it stands, and what sets it right."""

    key: str
    title: str
    lines: str
    right: str
