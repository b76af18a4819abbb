"""Where the reports stand: the ledger docs/audit.json, and docs/audit.md and docs/statements.svg made from it."""

from __future__ import annotations

from pathlib import Path

from verified_risk.files import write_text

from ..engine.ledger import Ledger
from .graph import graph_svg, nodes_of
from .markdown import page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LEDGER, PAGE, GRAPH = "audit.json", "audit.md", "statements.svg"


def stored(docs: Path = DOCS) -> Ledger:
    """The ledger of the last audit that was written to the docs."""
    return Ledger.load(docs / LEDGER)


def contents(ledger: Ledger) -> dict[str, str]:
    """``{file: text}`` of what is made from a ledger."""
    return {PAGE: page(ledger), GRAPH: graph_svg(nodes_of(ledger.statements), alone=True)}


def write(ledger: Ledger, docs: Path = DOCS) -> list[Path]:
    """Write the ledger, the page and the graph."""
    texts = {LEDGER: ledger.to_json(), **contents(ledger)}
    for name, text in texts.items():
        write_text(docs / name, text)
    return [docs / name for name in texts]


def stale(docs: Path = DOCS) -> list[str]:
    """Which of the page and the graph are not what the stored ledger generates."""
    return [
        name
        for name, text in contents(stored(docs)).items()
        if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != text
    ]
