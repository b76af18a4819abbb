"""The five severities of findings, used by every table, page, file and command, and their causes."""

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """The finding about a claim of the paper.

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
        """A one-line definition."""
        return MEANINGS[self]

    @property
    def weight(self) -> int:
        """The effect on statements that rest on the claim: 0 for *holds* to 4 for *substance*."""
        return WEIGHTS.index(self)

    @property
    def is_passed_on(self) -> bool:
        """True if statements that rest on the claim inherit the finding; a slip is not inherited."""
        return self not in (Severity.HOLDS, Severity.SLIP)

    @property
    def is_false(self) -> bool:
        """True if the claim fails in some case if read literally, and so needs a counterexample."""
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
    """The root of one or more findings: the lines of the LaTeX source and the correction.

    ``severity`` grades the statements that have this cause and no finding of their own.  It is no part of a ledger,
    which has the finding of each statement.
    """

    key: str
    title: str
    lines: str
    right: str
    severity: Severity = field(default=Severity.SLIP, compare=False)
