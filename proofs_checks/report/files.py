"""The generated files: the ledger docs/audit.json, and docs/audit.md, statements.svg, theory/formal.md, README.md."""

from pathlib import Path

from verified_risk.files import write_text

from ..engine.ledger import Ledger
from . import formal
from .graph import graph_svg, nodes_of
from .markdown import page, with_summary

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LEDGER, PAGE, GRAPH, README = "docs/audit.json", "docs/audit.md", "docs/statements.svg", "README.md"


def stored(root: Path = ROOT) -> Ledger:
    """The ledger of the last audit that was written to the docs."""
    return Ledger.load(root / LEDGER)


def contents(ledger: Ledger, root: Path = ROOT) -> dict[str, str]:
    """``{file below the root: text}`` of all that is generated from the ledger and the present statements."""
    graph = graph_svg(nodes_of(ledger.statements), alone=True)
    readme = with_summary((root / README).read_text(encoding="utf-8"), ledger)
    return {PAGE: page(ledger), GRAPH: graph, formal.FILE: formal.page(), README: readme}


def write(ledger: Ledger, root: Path = ROOT) -> list[Path]:
    """Write the ledger and everything generated with it."""
    texts = {LEDGER: ledger.to_json(), **contents(ledger, root)}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        write_text(root / name, text)
    return [root / name for name in texts]


def stale(root: Path = ROOT) -> list[str]:
    """The files that differ from what the stored ledger and the present statements generate."""
    return [
        name
        for name, text in contents(stored(root), root).items()
        if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != text
    ]
