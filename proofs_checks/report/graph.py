"""The graph of statements as SVG: a statement is to the right of everything it uses.

It is drawn in the audit page, whose style sheet colours it, and in docs/statements.svg, which has its own colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ..engine.ledger import Row
from .words import GLYPHS, OWN, TINTS, TONES, anchor, kind_of

ROW, GAP, PAD = 29, 46, 8
CHARACTER = 6.7  # width of one character of a label at 11 px monospace
SWEEPS = 8  # number of passes over the columns, in both directions, that order their labels


def inherited(rows: Sequence[Row]) -> dict[str, list[str]]:
    """For each label, the claims of the paper that it rests on, directly or not, and that are worse than slips.
    Statements and readings that are not in the paper pass no fault on."""
    uses = {row.label: row.uses for row in rows}
    said = {row.label: row for row in rows if row.printed is not None and row.said != "tempting"}

    def reach(label: str, seen: set[str]) -> set[str]:
        for used in uses.get(label, ()):
            if used not in seen and used in said:
                seen.add(used)
                reach(used, seen)
        return seen

    order = list(uses)
    return {
        label: sorted(
            (used for used in reach(label, set()) if said[used].finding.is_passed_on and used != label), key=order.index
        )
        for label in order
    }


@dataclass(frozen=True)
class Node:
    """A statement in the picture; ``kind`` colours it, a dashed frame shows that it inherits a fault."""

    label: str
    title: str
    kind: str
    uses: tuple[str, ...]
    inherits_a_fault: bool = False


def nodes_of(rows: Sequence[Row]) -> list[Node]:
    """The statements of a ledger as nodes."""
    faults = inherited(rows)
    return [
        Node(row.label, row.title, kind_of(row), row.uses, kind_of(row) != OWN and bool(faults[row.label]))
        for row in rows
    ]


def layers(nodes: Sequence[Node]) -> list[list[str]]:
    """Columns of labels: a node is to the right of all it uses, and as close to its first user as possible.  A use that
    closes a cycle is ignored here and drawn as an arrow to the left."""
    known = {node.label for node in nodes}
    uses = {node.label: [other for other in node.uses if other in known] for node in nodes}
    depth: dict[str, int] = {}
    forward: dict[str, list[str]] = {label: [] for label in known}  # used -> users, without cycles

    def visit(label: str, path: tuple[str, ...]) -> int:
        if label not in depth:
            below = [-1]
            for other in uses[label]:
                if other not in (*path, label):
                    below.append(visit(other, (*path, label)))
                    forward[other].append(label)
            depth[label] = 1 + max(below)
        return depth[label]

    for node in nodes:
        visit(node.label, ())
    for label in sorted(depth, key=lambda label: -depth[label]):
        if forward[label]:
            depth[label] = min(depth[user] for user in forward[label]) - 1
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in nodes:
        columns[depth[node.label]].append(node.label)
    return _untangled([column for column in columns if column], uses, forward)


def _untangled(
    columns: list[list[str]], uses: Mapping[str, Sequence[str]], users: Mapping[str, Sequence[str]]
) -> list[list[str]]:
    """Order each column by the mean height of its neighbours, in several passes."""
    place = {label: i - len(column) / 2 for column in columns for i, label in enumerate(column)}
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            near = uses if sweep % 2 == 0 else users

            def height(label: str, near: Mapping[str, Sequence[str]] = near) -> float:
                around = [place[other] for other in near[label] if other in place]
                return sum(around) / len(around) if around else place[label]

            column.sort(key=height)
            for i, label in enumerate(column):
                place[label] = i - len(column) / 2
    return columns


def graph_svg(nodes: Sequence[Node], *, alone: bool = False) -> str:
    """The statements that use or are used by another, as an SVG whose nodes link to their cards.  With ``alone``: all
    statements, as a separate file with its own colours and without links."""
    known = {node.label for node in nodes}
    linked = {other for node in nodes for other in node.uses if other in known}
    shown = [node for node in nodes if alone or node.label in linked or any(used in known for used in node.uses)]
    if not shown:
        return ""
    by_label = {node.label: node for node in shown}
    columns = layers(shown)
    widths = [max(len(label) for label in column) * CHARACTER + 30 for column in columns]
    lefts = [PAD + sum(widths[:i]) + GAP * i for i in range(len(columns))]
    height = max(len(column) for column in columns) * ROW + 2 * PAD
    width = lefts[-1] + widths[-1] + PAD
    spot: dict[str, tuple[float, float, float]] = {}
    for left, wide, column in zip(lefts, widths, columns, strict=True):
        top = (height - len(column) * ROW) / 2
        for i, label in enumerate(column):
            spot[label] = (left, top + i * ROW + ROW / 2, wide)
    edges = [
        _edge(spot[other], spot[node.label], other, node.label)
        for node in shown
        for other in node.uses
        if other in spot
    ]
    boxes = [_box(by_label[label], *spot[label], link=not alone) for column in columns for label in column]
    kind = 'xmlns="http://www.w3.org/2000/svg"' if alone else 'role="group" aria-label="Statements and what they use"'
    inside = [*([_style(), '<rect width="100%" height="100%" fill="white"/>'] if alone else []), *edges, *boxes]
    between = "\n" if alone else ""
    return (
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" {kind}>'
        f"{between}{between.join(inside)}{between}</svg>{between}"
    )


def _style() -> str:
    """The light style of the graph, as in the page's style sheet."""
    colours = "".join(
        f".{kind} rect{{fill:{TINTS[kind]};stroke:{TONES[kind]}}}.{kind}{{fill:{TONES[kind]}}}" for kind in TINTS
    )
    return (
        "<style>.edge{fill:none;stroke:#d8d8d3;stroke-width:1.2}.inherits rect{stroke-dasharray:4 3}"
        f"text{{font:11px ui-monospace,Menlo,Consolas,monospace}}{colours}</style>"
    )


def _edge(start: tuple[float, float, float], end: tuple[float, float, float], used: str, user: str) -> str:
    x0, y0, x1, y1 = start[0] + start[2], start[1], end[0], end[1]
    bend = max(30.0, (x1 - x0) / 2)
    path = f"M{x0:.0f} {y0:.0f}C{x0 + bend:.0f} {y0:.0f} {x1 - bend:.0f} {y1:.0f} {x1:.0f} {y1:.0f}"
    return f'<path class="edge" data-from="{anchor(used)}" data-to="{anchor(user)}" d="{path}"/>'


def _box(node: Node, left: float, middle: float, wide: float, *, link: bool) -> str:
    name = escape(f"{node.label}: {node.title} ({node.kind})")
    look = f'class="node {node.kind}' + " inherits" * node.inherits_a_fault + '"'
    start = f'<a {look} href="#{anchor(node.label)}" aria-label="{name}">' if link else f"<g {look}>"
    return (
        f"{start}<title>{name}</title>"
        f'<rect x="{left:.0f}" y="{middle - 11:.0f}" width="{wide:.0f}" height="22" rx="5"/>'
        f'<text x="{left + 8:.0f}" y="{middle + 4:.0f}">{GLYPHS[node.kind]}</text>'
        f'<text x="{left + 23:.0f}" y="{middle + 4:.0f}">{escape(node.label)}</text>{"</a>" if link else "</g>"}'
    )
