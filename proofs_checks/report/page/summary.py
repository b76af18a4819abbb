"""The first screen: what a busy referee reads in thirty seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..markdown import counts_by_standing
from .cards import rank_dots, rank_of
from .words import FINDINGS, GLYPHS, RANKS, anchor, prose

Row = Mapping[str, Any]
MOST_FAILURES = 8


def summary_html(ledger: Mapping[str, Any]) -> str:
    """Counts, a bar, the theorems one by one, and how strong the evidence is."""
    rows: Sequence[Row] = ledger["statements"]
    printed = [row for row in rows if row["printed"] is not None]
    counts = Counter(row["finding"] for row in printed)
    return (
        f'<p class="lead">{escape(_lead(printed, counts))}</p>'
        f"{_bar(counts, len(printed))}"
        f"{_theorems(printed)}"
        f"{_evidence(rows)}"
        f"{_status(ledger)}"
    )


def _lead(printed: Sequence[Row], counts: Counter[str]) -> str:
    false = counts["refuted"] + counts["corrected"]
    recheckable = sum(bool(row["refutation"] and row["refutation"]["rechecked"]) for row in printed)
    which = f"All {false} false ones" if recheckable == false else f"{recheckable} of the {false} false ones"
    said = counts_by_standing(printed)
    literal, implied, tempting = (sum(said[key].values()) for key in ("printed", "implied", "tempting"))
    stated = said["printed"]
    more = [f"{implied} claims that the paper only implies"] * bool(implied)
    more += [f"{tempting} tempting readings that are not in it"] * bool(tempting)
    untrue = sum(said[key][finding] for key in ("implied", "tempting") for finding in ("corrected", "refuted"))
    also = f" Also checked: {' and '.join(more)}; {untrue} of these are false." if more else ""
    return (
        f"Of {literal} printed claims, {stated['holds']} hold as printed, {stated['corrected']} hold after an obvious "
        f"repair, {stated['refuted']} are false in substance and {stated['gap']} "
        f"{'has' if stated['gap'] == 1 else 'have'} a gap in the proof.{also} {which} come "
        "with a counterexample in exact rational numbers that the Python standard library alone can recheck."
    )


def _bar(counts: Counter[str], total: int) -> str:
    if not total:
        return ""
    parts = "".join(
        f'<button type="button" class="part {finding}" data-filter="{finding}" style="flex-grow:{counts[finding]}" '
        f'title="{escape(finding)}: {escape(meaning)}">{GLYPHS[finding]} {counts[finding]} {finding}</button>'
        for finding, meaning in FINDINGS.items()
        if counts[finding]
    )
    return f'<div class="bar" role="group" aria-label="Statements by verdict">{parts}</div>'


def _theorems(printed: Sequence[Row]) -> str:
    """What becomes of each theorem: the sentence that is true.  What else is false in substance, by name."""
    theorems = [row for row in printed if row["label"].startswith("thm:") and "/" not in row["label"]]
    others = [row for row in printed if row["finding"] == "refuted" and row not in theorems]
    lines = []
    for row in theorems:
        true = row["corrected"] or row["printed"]
        lines.append(
            f'<tr><td><span class="chip {row["finding"]}">{GLYPHS[row["finding"]]} {row["finding"]}</span></td>'
            f'<td><a href="#{anchor(row["label"])}">{prose(row["title"])}</a></td>'
            f"<td>{prose(true['words'])}.</td></tr>"
        )
    head = "<tr><th>verdict</th><th>theorem</th><th>what is true</th></tr>"
    table = f'<div class="scroll" tabindex="0"><table class="theorems">{head}{"".join(lines)}</table></div>'
    names = "; ".join(f'<a href="#{anchor(row["label"])}">{prose(row["title"])}</a>' for row in others)
    also = (
        f'<p class="also">The {"other " if lines else ""}refuted claims are discussed on these cards: {names}.</p>'
        if others
        else ""
    )
    return (table if lines else "") + also


def _evidence(rows: Sequence[Row]) -> str:
    counts = Counter(rank_of(row) for row in rows)
    items = "".join(
        f"<li>{rank_dots(rank)} <b>{counts[rank]}</b> {rank}: {escape(meaning)}</li>"
        for rank, meaning in RANKS.items()
        if counts[rank]
    )
    return f'<p>Strongest evidence for what is true, over all {len(rows)} statements:</p><ul class="ranks">{items}</ul>'


def _status(ledger: Mapping[str, Any]) -> str:
    failures = ledger["failures"]
    how = f"{ledger['examples']} random cases a statement, seed {ledger['seed']}"
    if not failures:
        return f'<p class="status good">This audit ({how}) found nothing wrong with these verdicts.</p>'
    items = [f"<li>{escape(failure)}</li>" for failure in failures]
    rest = "".join(items[MOST_FAILURES:])
    more = f"<details><summary>and {len(items) - MOST_FAILURES} more</summary><ul>{rest}</ul></details>" if rest else ""
    return (
        f'<div class="status bad"><p>This audit ({how}) disagrees with these verdicts in {len(failures)} '
        f"point{'s' * (len(failures) != 1)}:</p><ul>{''.join(items[:MOST_FAILURES])}</ul>{more}</div>"
    )
