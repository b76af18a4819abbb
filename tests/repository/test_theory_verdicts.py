"""The verdicts on the pages of the theory are those of the ledger, label by label."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks.engine.severity import Severity

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "docs" / "theory"
LEDGER = {row["label"]: row for row in json.loads((ROOT / "docs" / "audit.json").read_text("utf-8"))["statements"]}
WORDS = set(Severity)
OF_THE_PAPER = {
    label for label, row in LEDGER.items() if row["section"] not in ("corrected theory", "second paper", "this library")
}
PAGES = sorted(THEORY.glob("*.md"))
LABEL = re.compile(r"`((?:assump|cvar|def|exp|experiment|intro|lem|thm):[\w:/-]+)`")
IN_PROSE = re.compile(r"`([\w]+:[\w:/-]+)` is \*(\w+)\*")


def tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a page, row by row, without the ruler."""
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


def verdicts(text: str) -> list[tuple[str, str]]:
    """Every ``(label, verdict)`` of a page's tables; a verdict without a label is an error."""
    found = []
    for head, *rows in tables(text):
        if "verdict" not in head:
            continue
        names = next(i for i, cell in enumerate(head) if cell in ("label", "labels"))
        for row in rows:
            labels, word = LABEL.findall(row[names]), row[head.index("verdict")]
            assert len(row) == len(head), f"a row of {len(row)} cells: {row}"
            assert bool(labels) == (word in WORDS), f"wanted labels with a verdict, and only then: {row}"
            found += [(label, word) for label in labels]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_verdict_in_a_table_is_the_ledgers(page):
    wrong = [(label, word) for label, word in verdicts(page.read_text("utf-8")) if LEDGER[label]["finding"] != word]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_verdict_in_a_sentence_is_the_ledgers(page):
    said = IN_PROSE.findall(page.read_text("utf-8"))
    assert [(label, word) for label, word in said if LEDGER[label]["finding"] != word] == []


def test_the_overview_names_every_statement_of_the_paper_once():
    labels = [label for label, _ in verdicts((THEORY / "index.md").read_text("utf-8"))]
    assert sorted(labels) == sorted(OF_THE_PAPER)


def test_tables_are_found_where_they_are():
    counts = {page.stem: len(verdicts(page.read_text("utf-8"))) for page in PAGES}
    assert counts["08-regret"] >= 10
    assert counts["06-event-and-optimism"] == 4
    assert IN_PROSE.findall((THEORY / "09-experiment.md").read_text("utf-8"))


def test_a_wrong_verdict_and_one_without_a_label_would_be_noticed():
    head = "| step | label | verdict |\n|---|---|---|\n"
    assert verdicts(f"{head}| $\\vert x\\vert$ | `lem:key` | substance |\n") == [("lem:key", "substance")]
    assert LEDGER["lem:key"]["finding"] != "substance"
    with pytest.raises(AssertionError, match="wanted labels"):
        verdicts(f"{head}| a step | | holds |\n")
    with pytest.raises(AssertionError, match="wanted labels"):
        verdicts(f"{head}| a step | `lem:key` | false |\n")


def test_the_citation_names_the_five_words_in_their_order() -> None:
    *words, last = Severity
    assert f"graded {', '.join(words)} or {last}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
