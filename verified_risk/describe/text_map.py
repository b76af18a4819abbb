"""Character maps of a gridworld policy, one for each amount earned so far.

An arrow shows the policy's move: ``→`` always with that amount, ``⇢`` mostly (it depends on the step).  Cells without a
decision at that amount show their own letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import Unsupported
from ..law import added_up
from ..mdp import MDP
from ..models.gridworld import WALL, map_lines
from ..numbers.format import json_number, short
from .decisions import Decisions, Place

ARROWS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
MOSTLY = {"up": "⇡", "right": "⇢", "down": "⇣", "left": "⇠"}
DIRECTIONS = {(-1, 0): "up", (0, 1): "right", (1, 0): "down", (0, -1): "left"}
MOST_MAPS = 6
MOST_LEGEND = 6


@dataclass(frozen=True)
class TextMap:
    """The map for one amount earned."""

    earned: Fraction
    steps: tuple[int, int]
    lines: list[str]
    rounded: bool

    @property
    def title(self) -> str:
        return f"{short(self.earned)} earned{' (rounded)' if self.rounded else ''}"

    def to_json(self) -> dict[str, Any]:
        first, last = self.steps
        return {"earned": json_number(self.earned), "steps": [first + 1, last + 1], "rounded": self.rounded,
                "lines": self.lines}  # fmt: skip


def text_map(met: Decisions) -> tuple[list[TextMap], set[Place], str]:
    """Return the maps of the likeliest amounts, the places they describe completely, and what was left out."""
    moves = moves_of(met.mdp)
    if not moves:
        return [], set(), ""
    lines = _lines(met.mdp)
    assert lines is not None
    by_amount: dict[Fraction, list[Place]] = {}
    for place in met.open_places:
        by_amount.setdefault(place[2], []).append(place)
    ranked = sorted(by_amount, key=lambda y: -sum(met.mass[place] for place in by_amount[y]))
    maps, covered = [], set()
    for y in sorted(ranked[:MOST_MAPS]):
        letters = dict(enumerate(letter for line in lines for letter in line if letter != WALL))
        for s in {place[1] for place in by_amount[y]}:
            own = [place for place in by_amount[y] if place[1] == s]
            played = {met.played[place] for place in own}
            if len(played) == 1 and len(met.played[own[0]]) == 1:
                letters[s] = ARROWS[moves[met.played[own[0]][0][0]]]
                covered |= set(own)
            else:
                letters[s] = MOSTLY[moves[_likeliest(met, own)]]
        steps = [place[0] for place in by_amount[y]]
        drawn = _redrawn(lines, letters)
        maps.append(TextMap(y, (min(steps), max(steps)), drawn, met.earned == "rounded"))
    more = len(ranked) - len(maps)
    return maps, covered, f"the maps of {more} rarer amounts earned" if more else ""


def _likeliest(met: Decisions, places: list[Place]) -> int:
    total = added_up((a, met.mass[place] * float(p)) for place in places for a, p in met.played[place])
    return max(total, key=lambda a: total[a])


def _redrawn(lines: list[str], letters: Mapping[int, str]) -> list[str]:
    cells = iter(range(len(letters)))
    return ["".join(letter if letter == WALL else letters[next(cells)] for letter in line) for line in lines]


@lru_cache(maxsize=4)
def moves_of(mdp: MDP) -> Mapping[int, str]:
    """Derive the direction of each action of a model with a map from its transitions; empty if that fails.

    If an action may slip to either side, the two sides cancel if both are open; elsewhere it must go one way only.
    """
    lines = _lines(mdp)
    if lines is None:
        return {}
    cells = [(row, column) for row, line in enumerate(lines) for column, letter in enumerate(line) if letter != WALL]
    found: dict[int, str] = {}
    for a in range(max(mdp.n_actions)):
        straight: set[tuple[int, int]] = set()
        balanced: set[tuple[int, int]] = set()
        for s, (row, column) in enumerate(cells):
            if mdp.n_actions[s] <= a or mdp.n_actions[s] == 1:
                continue
            ways = [
                (p, cells[target][0] - row, cells[target][1] - column)
                for target, p in mdp.actions(s)[a].successors
                if target != s
            ]
            signs = {((dr > 0) - (dr < 0), (dc > 0) - (dc < 0)) for _, dr, dc in ways}
            if len(signs) == 1:
                straight |= signs
            elif len(signs) == 3:
                total = sum(p * dr for p, dr, _ in ways), sum(p * dc for p, _, dc in ways)
                balanced.add(((total[0] > 0) - (total[0] < 0), (total[1] > 0) - (total[1] < 0)))
        evidence = balanced or straight
        if len(evidence) != 1 or (direction := DIRECTIONS.get(evidence.pop())) is None:
            return {}
        found[a] = direction
    return found if len(set(found.values())) == len(found) else {}


def _lines(mdp: MDP) -> list[str] | None:
    try:
        return map_lines(mdp)
    except Unsupported:
        return None


def legend(mdp: MDP) -> list[str]:
    """Return what the reader of a plan needs of the drawing: the letters of a map, or all of it if it is short.

    The map itself is shown beside the policy; indented lines below it describe the model, for `models show`.
    """
    drawn = (mdp.drawing or "").splitlines()
    lines = _lines(mdp)
    if lines is not None:
        return [line for line in drawn[len(lines) :] if line and not line.startswith(" ")]
    return drawn if len(drawn) <= MOST_LEGEND else []


def side_by_side(mdp: MDP, maps: list[TextMap], width: int | None) -> list[str]:
    """Lay out the model's map, then one map per amount, as many in a row as fit; and explain dashed arrows."""
    lines = _lines(mdp)
    if lines is None or not maps:
        return []
    panels = [("the map", lines)] + [(part.title, part.lines) for part in maps]
    room = max(len(lines[0]), *(len(title) for title, _ in panels)) + 3
    in_row = max(1, ((width or 80) - 2) // room)
    drawn: list[str] = []
    for start in range(0, len(panels), in_row):
        row = panels[start : start + in_row]
        drawn.append("".join(f"{title:<{room}}" for title, _ in row).rstrip())
        drawn += ["".join(f"{content[i]:<{room}}" for _, content in row).rstrip() for i in range(len(lines))]
        drawn.append("")
    used = {letter for part in maps for line in part.lines for letter in line}
    return [*drawn, "dashed arrows: mostly, see below"] if used & set(MOSTLY.values()) else drawn[:-1]
