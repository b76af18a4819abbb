"""The summary at the top of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from ...engine.ledger import Ledger, Row
from ...engine.severity import Severity
from ...theory.readings import READINGS
from ..counts import by_cause, by_rank, by_standing, roots
from ..words import GLYPHS, RANKS, anchor, prose
from .cards import rank_dots, reference

MOST_FAILURES = 8


def summary_html(ledger: Ledger) -> str:
    """Counts, a bar, the theorems, and the strength of the evidence."""
    rows = ledger.statements
    printed = [row for row in rows if row.in_paper]
    counts = by_standing(rows)["printed"]
    return (
        f'<p class="lead">{escape(_lead(rows))}</p>'
        f"{_bar(counts, sum(counts.values()))}"
        f"{_theorems(printed)}"
        f"{_readings(rows)}"
        f"{_causes(rows)}"
        f"{_evidence(rows)}"
        f"{_status(ledger)}"
    )


def _lead(rows: Sequence[Row]) -> str:
    if not any(row.in_paper for row in rows):
        return f"Of {len(rows)} claims: {_listed(Counter(row.finding for row in rows), COUNTED)}."
    false = [row for row in rows if row.is_false]
    recheckable = sum(bool(row.refutation and row.refutation.rechecked) for row in false)
    which = "All" if recheckable == len(false) else f"{recheckable} of the"
    said, causes = by_standing(rows), by_cause(rows)
    printed = _listed(said["printed"], COUNTED)
    named = _listed(causes, ROOTS)
    total = sum(said["printed"].values())
    survives = SURVIVES if any(row.label == "thm:main" for row in rows) else ""
    return (
        f"The findings come from {sum(causes.values())} root causes: {named}. Of {total} printed "
        f"claims: {printed}. {survives}{which} {len(false)} counterexamples are in exact rational numbers, and the "
        "Python standard library alone can recheck them."
    )


SURVIVES = (
    "The printed regret theorem fails only through an optimal planner's choices at returns that its own model never "
    "produces, already for rewards with finitely many values. The key identity, the sufficiency of state and return so "
    "far, the loss T eta, and the rate of root K for concave G with the paper's own radii are untouched. "
)


COUNTED = {
    Severity.HOLDS: ("holds", "hold"),
    Severity.SLIP: ("is a slip", "are slips"),
    Severity.REPAIR: ("needs a repair", "need a repair"),
    Severity.SUBSTANCE: ("breaks in substance", "break in substance"),
    Severity.GAP: ("has a gap in its proof", "have a gap in their proof"),
}
ROOTS = {
    Severity.SUBSTANCE: ("is of substance", "are of substance"),
    Severity.REPAIR: ("is a repair", "are repairs"),
    Severity.SLIP: ("is a slip", "are slips"),
    Severity.GAP: ("is a gap", "are gaps"),
}


def _listed(counts: Counter[Severity], words: dict[Severity, tuple[str, str]]) -> str:
    """``1 is a slip, 2 need a repair``."""
    return ", ".join(f"{counts[s]} {words[s][counts[s] > 1]}" for s in words if counts[s])


def _bar(counts: Counter[Severity], total: int) -> str:
    if not total:
        return ""
    parts = "".join(
        f'<button type="button" class="part {s}" data-filter="{s}" style="flex-grow:{counts[s]}" '
        f'title="{s}: {escape(s.meaning)}">{GLYPHS[s]} {counts[s]} {s}</button>'
        for s in Severity
        if counts[s]
    )
    return f'<div class="bar" role="group" aria-label="Statements by finding">{parts}</div>'


def _theorems(printed: Sequence[Row]) -> str:
    """A table of the theorems with their true claims, and the names of other claims that are false in substance."""
    theorems = [row for row in printed if row.label.startswith("thm:") and "/" not in row.label]
    others = [row for row in printed if row.finding is Severity.SUBSTANCE and row not in theorems]
    lines = []
    for row in theorems:
        true = row.corrected or row.printed
        assert true is not None
        link = f'<a href="#{anchor(row.label)}">{prose(row.title)}</a>'
        lines.append((_chip(row.finding), link, f"{prose(true.words)}."))
    table = _table(("finding", "theorem", "what is true"), lines)
    names = "; ".join(f'<a href="#{anchor(row.label)}">{prose(row.title)}</a>' for row in others)
    also = f'<p class="also">What else breaks in substance: {names}.</p>' if others else ""
    return (table if lines else "") + also


def _readings(rows: Sequence[Row]) -> str:
    """A table of the readings of the main theorem, if the page has it."""
    known = {row.label for row in rows}
    if "thm:main" not in known:
        return ""
    lines = [
        (*(prose(cell) for cell in (r.planner, r.weighting, r.radii, r.status)), reference(r.label, known))
        for r in READINGS
    ]
    table = _table(("planner", "weighting", "radii", "status", "statement"), lines)
    said = "Readings of the main theorem: what is false, true and open"
    return f"<details class=causes open><summary>{said}</summary>{table}</details>"


def _causes(rows: Sequence[Row]) -> str:
    """A table of the root causes, worst first."""
    known = {row.label for row in rows}
    lines = [
        (
            *(_chip(root.severity), prose(root.cause.title), root.cause.lines),
            ", ".join(reference(row.label, known) for row in root.rows),
        )
        for root in roots(rows)
    ]
    said = f"The {len(lines)} root causes, each with the lines of the source and the claims it concerns"
    table = _table(("finding", "root cause", "lines", "claims"), lines)
    return f"<details class=causes><summary>{said}</summary>{table}</details>" if lines else ""


def _chip(finding: Severity) -> str:
    return f'<span class="chip {finding}">{GLYPHS[finding]} {finding}</span>'


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of HTML cells; each cell has the name of its column, which narrow screens show before it."""
    head = "".join(f"<th>{name}</th>" for name in names)
    cells = [[f'<td data-name="{name}">{cell}</td>' for name, cell in zip(names, row, strict=True)] for row in rows]
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f'<div class="scroll" tabindex="0"><table class="theorems"><tr>{head}</tr>{lines}</table></div>'


def _evidence(rows: Sequence[Row]) -> str:
    items = "".join(
        f"<li>{rank_dots(rank)} <b>{count}</b> {rank}: {escape(RANKS[rank])}</li>"
        for rank, count in by_rank(rows).items()
    )
    return f'<p>Strongest evidence for what is true, over all {len(rows)} statements:</p><ul class="ranks">{items}</ul>'


def _status(ledger: Ledger) -> str:
    failures = ledger.failures
    how = f"{ledger.examples} random cases per statement, seed {ledger.seed}"
    if not failures:
        return f'<p class="status good">This audit ({how}) found nothing wrong with these findings.</p>'
    items = [f"<li>{escape(failure)}</li>" for failure in failures]
    rest = "".join(items[MOST_FAILURES:])
    more = f"<details><summary>and {len(items) - MOST_FAILURES} more</summary><ul>{rest}</ul></details>" if rest else ""
    return (
        f'<div class="status bad"><p>This audit ({how}) disagrees with these findings in {len(failures)} '
        f"point{'s' * (len(failures) != 1)}:</p><ul>{''.join(items[:MOST_FAILURES])}</ul>{more}</div>"
    )
