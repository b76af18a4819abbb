"""Assemble the page: summary, graph, filters, and the statements by section."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from verified_risk.files import write_text

from ... import theory
from ...engine import certificate as certificates
from ...engine.audit import claim_text
from ...engine.ledger import Ledger, Row
from ...engine.model import Statement
from ...engine.papers import Paper
from ..counts import by_rank
from ..graph import Node, graph_svg, inherited, nodes_of
from ..words import GLYPHS, KINDS, RANKS, kind_of, section_key, section_title
from .cards import card_html, claims_html
from .links import archive
from .summary import summary_html

HERE = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:"


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
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>{_font()}{(HERE / 'style.css').read_text('utf-8')}</style></head><body>",
            '<a class="skip" href="#statements">Skip to the statements</a>',
            f"<header><h1>{escape(title)}</h1>{''.join(map(_about, papers))}",
            f'<div class="summary">{summary_html(ledger)}</div></header>',
            f"<main>{_graph_section(nodes_of(rows))}{_filters(rows)}{_contents(sections)}{_sections(sections)}</main>",
            f"<footer>{_footer(ledger)}</footer>",
            f"<script>{(HERE / 'script.js').read_text('utf-8')}</script></body></html>\n",
        ]
    )


def _font() -> str:
    """The embedded font of formulas; browsers draw MathML badly without a mathematical font."""
    data = b64encode((HERE / "formulas.woff2").read_bytes()).decode("ascii")
    return f"@font-face {{ font-family: Formulas; src: url(data:font/woff2;base64,{data}) format('woff2'); }}\n"


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


def _filters(rows: Sequence[Row]) -> str:
    """Buttons that filter the list; hidden without JavaScript."""
    present = {kind_of(row) for row in rows}
    findings = "".join(
        f'<button type="button" data-kind="finding" data-value="{finding}" aria-pressed="false" '
        f'title="{escape(meaning)}">{GLYPHS[finding]} {finding}</button>'
        for finding, meaning in KINDS.items()
        if finding in present
    )
    evidence = "".join(
        f'<button type="button" data-kind="rank" data-value="{rank}" aria-pressed="false" '
        f'title="{escape(RANKS[rank])}">{rank}</button>'
        for rank in by_rank(rows)
    )
    return (
        '<section class="filters" id="statements" hidden aria-label="Filters">'
        f'<div role="group" aria-label="Finding"><span>Finding</span>{findings}</div>'
        f'<div role="group" aria-label="Evidence"><span>Evidence</span>{evidence}</div>'
        '<div><label>Search <input type="search" id="search"></label>'
        '<button type="button" id="open-all">open all</button><button type="button" id="close-all">close all</button>'
        f'<output id="count" aria-live="polite">{len(rows)} statements</output></div></section>'
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
