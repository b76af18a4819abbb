"""The generated files: the ledger docs/audit.json, and docs/audit.md, statements.svg and theory/formal.md."""

from __future__ import annotations

from pathlib import Path

from verified_risk.files import write_text

from ..engine.ledger import Ledger
from . import formal
from .graph import graph_svg, nodes_of
from .markdown import page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LEDGER, PAGE, GRAPH = "audit.json", "audit.md", "statements.svg"


def stored(docs: Path = DOCS) -> Ledger:
    """The ledger of the last audit that was written to the docs."""
    return Ledger.load(docs / LEDGER)


def contents(ledger: Ledger) -> dict[str, str]:
    """``{file below docs: text}`` of the page, the graph and the list of Coq theorems."""
    graph = graph_svg(nodes_of(ledger.statements), alone=True)
    return {PAGE: page(ledger), GRAPH: graph, formal.FILE: formal.page()}


def write(ledger: Ledger, docs: Path = DOCS) -> list[Path]:
    """Write the ledger and everything generated with it."""
    texts = {LEDGER: ledger.to_json(), **contents(ledger)}
    for name, text in texts.items():
        (docs / name).parent.mkdir(exist_ok=True)
        write_text(docs / name, text)
    return [docs / name for name in texts]


def stale(docs: Path = DOCS) -> list[str]:
    """The files that differ from what the stored ledger and the present statements generate."""
    return [
        name
        for name, text in contents(stored(docs)).items()
        if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != text
    ]
