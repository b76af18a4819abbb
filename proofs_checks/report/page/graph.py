"""The graph of statements as inline SVG: a statement stands to the right of everything it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .words import GLYPHS, anchor

ROW, GAP, PAD = 29, 46, 8
CHARACTER = 6.7  # width of one character of a label at 11 px monospace
SWEEPS = 8


@dataclass(frozen=True)
class Node:
    label: str
    title: str
    finding: str
    uses: tuple[str, ...]
    inherits_a_fault: bool = False


def layers(nodes: Sequence[Node]) -> list[list[str]]:
    """Columns of labels: a node is right of all it uses, and as near to its first user as that allows.

    Where statements use each other in a circle, the use that closes the circle does not count here; it is drawn all
    the same, as an arrow to the left.
    """
    known = {node.label for node in nodes}
    uses = {node.label: [other for other in node.uses if other in known] for node in nodes}
    depth: dict[str, int] = {}
    forward: dict[str, list[str]] = {label: [] for label in known}  # used -> users, circles cut

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
    """Order each column by the mean height of its neighbours, a few times to the right and back."""
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


def graph_svg(nodes: Sequence[Node]) -> str:
    """The statements that use or are used by another, as an SVG whose nodes link to their cards."""
    known = {node.label for node in nodes}
    linked = {other for node in nodes for other in node.uses if other in known}
    shown = [node for node in nodes if node.label in linked or any(other in known for other in node.uses)]
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
    boxes = [_box(by_label[label], *spot[label]) for column in columns for label in column]
    return (
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="group" aria-label="Statements and what they use">{"".join(edges)}{"".join(boxes)}</svg>'
    )


def _edge(start: tuple[float, float, float], end: tuple[float, float, float], used: str, user: str) -> str:
    x0, y0, x1, y1 = start[0] + start[2], start[1], end[0], end[1]
    bend = max(30.0, (x1 - x0) / 2)
    path = f"M{x0:.0f} {y0:.0f}C{x0 + bend:.0f} {y0:.0f} {x1 - bend:.0f} {y1:.0f} {x1:.0f} {y1:.0f}"
    return f'<path class="edge" data-from="{anchor(used)}" data-to="{anchor(user)}" d="{path}"/>'


def _box(node: Node, left: float, middle: float, wide: float) -> str:
    name = escape(f"{node.label}: {node.title} ({node.finding})")
    look = f"node {node.finding}" + " inherits" * node.inherits_a_fault
    return (
        f'<a class="{look}" href="#{anchor(node.label)}" aria-label="{name}"><title>{name}</title>'
        f'<rect x="{left:.0f}" y="{middle - 11:.0f}" width="{wide:.0f}" height="22" rx="5"/>'
        f'<text x="{left + 8:.0f}" y="{middle + 4:.0f}">{GLYPHS[node.finding]}</text>'
        f'<text x="{left + 23:.0f}" y="{middle + 4:.0f}">{escape(node.label)}</text></a>'
    )
