"""Draw who imports whom: ``python docs/pictures/imports.py [FOLDER]``.

A dot in row A and column B is an import of B by A, as large as there are many; red ones point against the order of the
rooms.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "support"), str(HERE.parents[1] / "tests" / "repository")]

import import_graph  # noqa: E402

from verified_risk import plotting  # noqa: E402
from verified_risk.plotting.picture import BLUE, RED, new_figure, style  # noqa: E402

Edges = dict[tuple[str, str], int]


def draw(edges: Edges, order: list[str]) -> plotting.Picture:
    """A square table of dots, the rooms in their order."""
    named = {name for edge in edges for name in edge if not name.endswith(("__init__", "__main__"))}
    names = sorted(named, key=order.index)
    place = {name: i for i, name in enumerate(names)}
    kept = {edge: n for edge, n in edges.items() if edge[0] in place and edge[1] in place}
    against = {edge for edge in kept if place[edge[1]] > place[edge[0]]}
    with style():
        figure = new_figure(7.2, 7.2)
        axes = figure.subplots()
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
        axes.set_title(f"{len(names)} rooms, {len(kept)} pairs, {len(against)} against the order")
        return plotting.Picture(figure)


def main(folder: Path) -> None:
    from test_repository import ORDER

    path = folder / "imports.svg"
    draw(import_graph.edges(), ORDER).save(path)
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
