"""Assemble the page: summary, graph, filters, and the statements by section."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk.files import write_text
from verified_risk.plotting.page import page_of, table_html

from ... import theory
from ...engine import certificate as certificates
from ...engine.audit import claim_text
from ...engine.ledger import Ledger, Row
from ...engine.model import Statement
from ...engine.papers import Paper
from ...engine.severity import Severity
from ...theory.readings import READINGS
from ..counts import by_cause, by_rank, by_standing, roots
from ..graph import Node, graph_svg, inherited, nodes_of
from ..words import GLYPHS, KINDS, RANKS, anchor, kind_of, prose, section_key, section_title
from .cards import archive, card_html, claims_html, rank_dots, reference

HERE = Path(__file__).parent
MOST_FAILURES = 8


def write_page(ledger: Ledger, path: str | PathLike[str], statements: Sequence[Statement[Any]] = theory.ALL) -> None:
    """Write the page: one file that needs no other; counterexamples are those of ``statements``."""
    write_text(path, page_html(ledger, statements))


def page_html(ledger: Ledger, statements: Sequence[Statement[Any]] = theory.ALL) -> str:
    """The page as text."""
    known = {statement.label: statement for statement in statements}
    rows = ledger.statements
    users: dict[str, list[str]] = {row.label: [] for row in rows}
    for row in rows:
        for used in row.uses:
            if used in users:
                users[used].append(row.label)
    faults = inherited(rows)
    papers = list(dict.fromkeys(row.paper for row in rows if row.paper is not None))
    titles = " and ".join(f"“{paper.title}”" for paper in papers)
    title = f"What is true in {titles}" if papers else "An audit of claims"
    sections: dict[str, list[str]] = {}
    for row in rows:
        inherits = faults[row.label] if row.in_paper else []
        statement = known.get(row.label)
        card = card_html(row, users, certificate_of(row, statement), meaning_of(statement), inherits)
        key = f"Section {row.section}" if row.elsewhere else section_key(row.section)
        sections.setdefault(key, []).append(card)
    return page_of(
        HERE,
        title=title,
        about="".join(map(_about, papers)),
        summary=summary_html(ledger),
        graph=_graph_section(nodes_of(rows)),
        findings=_buttons("finding", {kind: KINDS[kind] for kind in KINDS if kind in set(map(kind_of, rows))}),
        ranks=_buttons("rank", {rank: RANKS[rank] for rank in by_rank(rows)}),
        count=len(rows),
        contents=_contents(sections),
        sections=_sections(sections),
        footer=_footer(ledger),
    )


def certificate_of(row: Row, statement: Statement[Any] | None) -> dict[str, Any] | None:
    """The certificate of the stored counterexample of a refuted statement."""
    if row.refutation is None or statement is None or statement.counterexample is None:
        return None
    return certificates.certificate(statement, statement.counterexample)


def meaning_of(statement: Statement[Any] | None) -> str:
    """The first sentence of the docstring of the statement's cases; empty without a counterexample."""
    case = None if statement is None else statement.counterexample
    words = " ".join((type(case).__doc__ or "").split("\n\n")[0].split())
    return "" if case is None else words.split(". ")[0]


def statement_html(statement: Statement[Any]) -> str:
    """A statement as shown in a notebook: the printed and the true claim."""
    head = f"{GLYPHS[statement.finding]} {statement.finding}: {statement.title}"
    claims = claims_html(
        claim_text(statement.printed), claim_text(statement.corrected), statement.said, statement.finding
    )
    return f"<div><p><b>{escape(head)}</b> <code>{escape(statement.label)}</code></p>{claims}</div>"


def _graph_section(nodes: Sequence[Node]) -> str:
    svg = graph_svg(nodes)
    if not svg:
        return ""
    return (
        '<section class="graph-section"><h2>Dependencies</h2>'
        "<p>A statement is to the right of what it uses. "
        '<span class="screen">Choose one to open its card; scroll sideways for more.</span> '
        "A dashed frame: the printed claim rests, directly or not, on a claim of the paper that needs a repair, "
        "breaks, or has a gap.</p>"
        '<button id="fit" type="button" aria-pressed="false" hidden>the whole graph, small</button>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Graph of the statements">{svg}</div></section>'
    )


def _buttons(kind: str, meanings: Mapping[str, str]) -> str:
    """Buttons that filter the list; hidden without JavaScript."""
    return "".join(
        f'<button type="button" data-kind="{kind}" data-value="{value}" aria-pressed="false" '
        f'title="{escape(meaning)}">{(GLYPHS.get(value, "") + " " + value).strip()}</button>'
        for value, meaning in meanings.items()
    )


def _contents(sections: Mapping[str, Sequence[str]]) -> str:
    items = " ".join(f'<a href="#section-{i}">{escape(section_title(key))}</a>' for i, key in enumerate(sections))
    return f'<nav aria-label="Sections">{items}</nav>'


def _sections(sections: Mapping[str, Sequence[str]]) -> str:
    return "".join(
        f'<section class="paper" id="section-{i}"><h2>{escape(section_title(key))}</h2>{"".join(cards)}</section>'
        for i, (key, cards) in enumerate(sections.items())
    )


def _about(paper: Paper) -> str:
    """Authors, version and digest of what was read."""
    read = f" The file read has SHA-256 <code>{paper.sha256}</code>; line numbers are those of this file."
    return f'<p class="about">{escape(str(paper))}.{read if paper.sha256 else ""}</p>'


def _archive() -> str:
    named = "Proofs in words, Coq sources, certificates and their checker"
    data = f"data:application/gzip;base64,{archive()}"
    return f'<p><a download="proofs.tar.gz" href="{data}">{named}</a>, in this file.</p>'


def _footer(ledger: Ledger) -> str:
    meanings = "; ".join(f"{GLYPHS[finding]} {finding}: {meaning}" for finding, meaning in KINDS.items())
    return (
        f"<p>{escape(meanings)}.</p>"
        "<p>Random testing is never called a proof. Made by <code>verified-risk audit --html</code> "
        f"from a ledger of {len(ledger.statements)} statements; this page loads nothing from elsewhere.</p>"
        f"{'' if all(row.elsewhere for row in ledger.statements) else _archive()}"
    )


# -- the summary at the top --------------------------------------------------------------------------------------------


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
    table = table_html(("finding", "theorem", "what is true"), lines)
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
    table = table_html(("planner", "weighting", "radii", "status", "statement"), lines)
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
    table = table_html(("finding", "root cause", "lines", "claims"), lines)
    return f"<details class=causes><summary>{said}</summary>{table}</details>" if lines else ""


def _chip(finding: Severity) -> str:
    return f'<span class="chip {finding}">{GLYPHS[finding]} {finding}</span>'


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
