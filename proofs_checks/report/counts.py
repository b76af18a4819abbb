"""The numbers of the summary, for README, docs/audit.md and the page.  Findings with the same cause count once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..engine.ledger import Row
from ..engine.severity import Cause, Severity
from .words import RANKS


@dataclass(frozen=True)
class Root:
    """A cause with its findings; its severity is that of the worst finding."""

    cause: Cause
    rows: tuple[Row, ...]

    @property
    def severity(self) -> Severity:
        return max((row.finding for row in self.rows), key=lambda finding: finding.weight)


def roots(rows: Sequence[Row]) -> list[Root]:
    """The causes of all findings about the paper, worst first, then in the order of the paper."""
    found: dict[Cause, list[Row]] = {}
    for row in rows:
        if row.in_paper and row.cause is not None:
            found.setdefault(row.cause, []).append(row)
    every = [Root(cause, tuple(group)) for cause, group in found.items()]
    return sorted(every, key=lambda root: -root.severity.weight)


def by_cause(rows: Sequence[Row]) -> Counter[Severity]:
    """The number of causes of each severity."""
    return Counter(root.severity for root in roots(rows))


def by_standing(rows: Sequence[Row]) -> dict[str, Counter[Severity]]:
    """The number of printed, implied and tempting claims of each severity."""
    return {
        said: Counter(row.finding for row in rows if row.printed is not None and row.said == said and not row.elsewhere)
        for said in ("printed", "implied", "tempting")
    }


def findings_table(rows: Sequence[Row]) -> list[str]:
    """The lines of a table in Markdown: causes, printed and implied claims of each severity."""
    counts, causes = by_standing(rows), by_cause(rows)
    return [
        "| finding | root causes | claims printed | claims implied |",
        "|---|---:|---:|---:|",
        *(
            f"| *{s}*: {s.meaning} | {causes[s] or ''} | {counts['printed'][s] or ''} | {counts['implied'][s] or ''} |"
            for s in Severity
        ),
    ]


def about_others(rows: Sequence[Row]) -> list[str]:
    """One sentence for each other paper, and one for claims of no paper."""
    found: dict[str, Counter[Severity]] = {}
    for row in rows:
        if row.elsewhere:
            found.setdefault(str(row.paper or "claims of no paper"), Counter())[row.finding] += 1
    return [
        f"Not about the audited paper ({key}): "
        + ", ".join(f"{count} {finding}" for finding, count in counts.items())
        + "."
        for key, counts in found.items()
    ]


def by_rank(rows: Sequence[Row]) -> dict[str, int]:
    """The number of statements by the rank of their strongest evidence, strongest rank first."""
    counts = Counter(row.rank for row in rows)
    return {rank: counts[rank] for rank in RANKS if counts[rank]}
