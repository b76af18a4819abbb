"""Draw who imports whom, before and after the folders by subject: ``python docs/pictures/imports.py [FOLDER]``.

``imports_before.json`` holds the imports of the tree as it was; those of today are read from the sources.  A dot in row
A and column B is an import of B by A, as large as there are many; red ones point against the order of the rooms.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "support"), str(HERE.parents[1] / "tests" / "repository")]

import import_graph  # noqa: E402

from verified_risk import plotting  # noqa: E402
from verified_risk.plotting.picture import BLUE, RED, new_figure, style  # noqa: E402

BEFORE = HERE / "imports_before.json"
Edges = dict[tuple[str, str], int]


#: Where the loose modules of the older tree are today: each is ordered as the room it became a part of.
HOMES = {
    "verified_risk.numbers": ("rational", "enclosure"),
    "verified_risk.mdp": ("action", "reading", "rewards"),
    "verified_risk.policy": ("evaluation",),
    "proofs_checks.cases": (
        "adaptation", "augmentation", "budget", "enumeration", "estimation", "estimation_strategies", "greedy",
        "histories", "irrational", "monotone", "sampling", "strategies",
    ),
    "proofs_checks.engine": ("audit", "certificate", "codec", "model", "search", "sources"),
    "proofs_checks.evidence": ("coq_source", "formal_record", "symbolic"),
    "proofs_checks.theory": ("statements",),
    "proofs_checks.report": ("page", "readme"),
}  # fmt: skip
HOME = {f"{home.split('.')[0]}.{name}": home for home, names in HOMES.items() for name in names}


def places(edges: Edges, order: list[str]) -> dict[str, int]:
    """All rooms in today's order, with their place in it."""
    named = {name for edge in edges for name in edge if not name.endswith(("__init__", "__main__"))}
    found = {name: order.index(HOME.get(name, name)) for name in named}
    return dict(sorted(found.items(), key=lambda one: (one[1], one[0])))


def draw(before: Edges, after: Edges, order: list[str]) -> plotting.Picture:
    """Two square tables of dots."""
    with style():
        figure = new_figure(13.0, 7.2)
        for axes, edges, title in zip(figure.subplots(1, 2), (before, after), ("before", "after"), strict=True):
            _table(axes, edges, places(edges, order), title)
        return plotting.Picture(figure)


def _table(axes: Any, edges: Edges, ranks: dict[str, int], title: str) -> None:
    names = list(ranks)
    place = {name: i for i, name in enumerate(names)}
    kept = {edge: n for edge, n in edges.items() if edge[0] in place and edge[1] in place}
    against = {edge: n for edge, n in kept.items() if ranks[edge[1]] > ranks[edge[0]]}
    for edge, n in kept.items():
        wrong = edge in against
        axes.plot(
            place[edge[1]], place[edge[0]], "s" if wrong else "o", color=RED if wrong else BLUE,
            markersize=min(2.5 + n**0.5, 9),
        )  # fmt: skip
    short = [name.removeprefix("verified_risk.").replace("proofs_checks.", "checks: ") for name in names]
    axes.set_xticks(range(len(names)), short, rotation=90, fontsize=6.5)
    axes.set_yticks(range(len(names)), short, fontsize=6.5)
    axes.set_xlim(-0.7, len(names) - 0.3)
    axes.set_ylim(len(names) - 0.3, -0.7)
    axes.plot([-0.5, len(names) - 0.5], [-0.5, len(names) - 0.5], color="#cccccc", linewidth=0.8)
    axes.set_title(f"{title}: {len(names)} rooms, {len(kept)} pairs, {len(against)} against the order")


def main(folder: Path) -> None:
    from test_repository import ORDER

    stored = {(a, b): n for a, b, n in json.loads(BEFORE.read_text("utf-8"))}
    picture = draw(stored, import_graph.edges(), ORDER)
    for kind in ("svg", "png"):
        picture.save(folder / f"imports.{kind}")
        print(folder / f"imports.{kind}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
