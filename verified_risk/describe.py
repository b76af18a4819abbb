"""Descriptions of policies, in words and as character maps.

They begin with the decisions that a policy meets, their probabilities and its choices, by a forward walk through the
model.

A decision is ``(t, s, earned)``.  ``earned`` is the return so far if that determines the choice; otherwise, for a
policy that rounds rewards up, the rounded return; otherwise the return so far again, and the choice is the *average*
over everything else that the policy remembers.

A gridworld policy has a character map for each amount earned so far.  An arrow shows the policy's move: ``→`` always
with that amount, ``⇢`` mostly (it depends on the step).  Cells without a decision at that amount show their own letter.

In words: ``state 3 (start): play 2 (down)``, ``state 5: with 0 earned play 1; with 2 ...``.  Steps are counted from 1.
A range (``at steps 2 to 4``, ``with 1 to 3 earned``) refers to the steps and amounts in it that the policy meets.  The
likeliest decisions are described, in the order in which they are met, and the rest are counted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

from .errors import Unsupported
from .law import added_up
from .mdp import MDP, Action
from .models.gridworld import WALL, map_lines
from .numbers.format import json_number, short
from .policy import Choice, GridPolicy, Policy

MOST_BRANCHES = 60_000  # maximum number of outcomes to follow: about a second.  Later steps are not described

Place = tuple[int, int, Fraction]
"""``(t, s, earned)``."""


@dataclass(frozen=True)
class Decisions:
    """The choice at every place met before step ``steps``, and the probability of the place."""

    mdp: MDP
    played: Mapping[Place, Choice]
    mass: Mapping[Place, float]
    steps: int
    earned: str  # the meaning of a place's third number: `"earned"`, `"rounded"` or `"average"`

    @property
    def open_places(self) -> list[Place]:
        """The places where the choice matters: those in states whose actions differ."""
        own = {s: self.mdp.actions(s) for s in {place[1] for place in self.played}}
        free = {s for s, actions in own.items() if not all(_same(actions[0], other) for other in actions[1:])}
        return [place for place in self.played if place[1] in free]


def _same(one: Action, other: Action) -> bool:
    if one.independent and other.independent:
        return one.successors == other.successors and one.reward == other.reward
    return one.independent == other.independent and one.outcomes == other.outcomes


def decisions(policy: Policy) -> Decisions:
    """Return the decisions of a policy that is not a mixture."""
    walked = _walk(policy, float)
    chosen, earned = walked.by_return, "earned"
    if any(len(choices) > 1 for choices in chosen.values()):
        if walked.by_memory:
            chosen, earned = walked.by_memory, "rounded"
        else:  # averages are printed, so compute them exactly
            chosen, earned = _walk(policy, Fraction).by_return, "average"
    return Decisions(
        policy.mdp,
        {place: _mean(choices) for place, choices in chosen.items()},
        {place: float(sum(choices.values())) for place, choices in chosen.items()},
        walked.steps,
        earned,
    )


@dataclass
class _Walk:
    """The probability of each choice at each place, by the return so far and by the rounded return."""

    by_return: dict[Place, dict[Choice, Any]] = field(default_factory=dict)
    by_memory: dict[Place, dict[Choice, Any]] = field(default_factory=dict)
    steps: int = 0


def _walk(policy: Policy, weight: Callable[[Fraction], Any]) -> _Walk:
    """Follow every history step by step, with masses as floats or fractions."""
    mdp, found, branches = policy.mdp, _Walk(), 0
    weighed: dict[tuple[int, int], list[tuple[Any, int, Fraction]]] = {}
    level: dict[tuple[int, Fraction, Any], Any] = {(s, Fraction(), policy.start()): weight(p) for s, p in mdp.initial}
    for t in range(mdp.horizon):
        chosen = {(s, y, memory): policy.choice(t, s, memory) for s, y, memory in level}
        for (s, y, memory), mass in level.items():
            _add(found.by_return, (t, s, y), chosen[s, y, memory], mass)
            if isinstance(policy, GridPolicy):
                _add(found.by_memory, (t, s, memory * policy.eta), chosen[s, y, memory], mass)
        found.steps = t + 1
        if not mdp.is_discrete:
            break
        following: dict[tuple[int, Fraction, Any], Any] = {}
        for (s, y, memory), mass in level.items():
            for a, p in chosen[s, y, memory]:
                if (s, a) not in weighed:
                    weighed[s, a] = [(weight(q), target, r) for q, target, r in mdp.actions(s)[a].outcomes]
                branches += len(weighed[s, a])
                if branches > MOST_BRANCHES:
                    return found
                reached = mass * weight(p)
                for q, target, r in weighed[s, a]:
                    key = (target, y + mdp.step_reward(t, r), policy.remember(memory, t, s, a, r))
                    following[key] = following[key] + reached * q if key in following else reached * q
        level = following
    return found


def _add(table: dict[Place, dict[Choice, Any]], place: Place, choice: Choice, mass: Any) -> None:
    choices = table.setdefault(place, {})
    choices[choice] = choices[choice] + mass if choice in choices else mass


def _mean(choices: Mapping[Choice, Any]) -> Choice:
    """Return the only choice, or the average of several."""
    if len(choices) == 1:
        return next(iter(choices))
    total = sum(choices.values())
    played = added_up((a, p * mass / total) for choice, mass in choices.items() for a, p in choice)
    return tuple((a, p) for a, p in sorted(played.items()) if p)


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
                total = added_up((a, met.mass[place] * float(p)) for place in own for a, p in met.played[place])
                letters[s] = MOSTLY[moves[max(total, key=total.__getitem__)]]
        steps = [place[0] for place in by_amount[y]]
        cells = iter(letters.values())
        drawn = ["".join(letter if letter == WALL else next(cells) for letter in line) for line in lines]
        maps.append(TextMap(y, (min(steps), max(steps)), drawn, met.earned == "rounded"))
    more = len(ranked) - len(maps)
    return maps, covered, f"the maps of {more} rarer amounts earned" if more else ""


@lru_cache(maxsize=4)
def moves_of(mdp: MDP) -> Mapping[int, str]:
    """Derive the direction of each action of a model with a map from its transitions; empty if that fails.  If an
    action may slip to either side, the two sides cancel if both are open; elsewhere it must go one way only."""
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
    """Return what the reader of a plan needs of the drawing: the letters of a map, or all of it if it is short.  The
    map itself is shown beside the policy; indented lines below it describe the model, for `models show`."""
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


MOST_LINES = 12
MOST_CASES = 8
MOST_PARTS = 3
Names = Callable[[int], Mapping[int, str]]
"""The names of the actions of a state."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Sentence:
    """One line about one state (and one step, if both matter)."""

    text: str
    first: int
    mass: float


@dataclass(frozen=True)
class Account:
    """The description of one policy; ``weight`` is its probability in a mixture."""

    name: str
    weight: Fraction
    preface: list[str]
    maps: list[TextMap]
    sentences: list[str]
    left_out: list[str]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "weight": json_number(self.weight),
            "maps": [part.to_json() for part in self.maps],
            "words": [*self.preface, *self.sentences],
            "left_out": self.left_out,
        }


def accounts(policy: Policy) -> tuple[str, list[Account]]:
    """Return how the policy is drawn (empty if it is not a mixture), and descriptions of its likeliest parts."""
    parts = sorted(policy.parts(), key=lambda part: -part[0])
    if len(parts) == 1:
        return "", [account(parts[0][1], "", Fraction(1))]
    shown = parts[:MOST_PARTS]
    names = [LETTERS[i] for i in range(len(shown))]
    first, *middle = [f"with probability {short(w)} play {name}" for name, (w, _) in zip(names, shown, strict=True)]
    if len(parts) == len(shown):
        drawn = [first, *middle[:-1], f"otherwise {names[-1]}"]
    else:
        rest = sum((w for w, _ in parts[MOST_PARTS:]), Fraction())
        more = len(parts) - len(shown)
        others = "one more" if more == 1 else f"one of {more} more"
        drawn = [first, *middle, f"otherwise {others}, not described here (probability {short(rest)})"]
    draw = "Draw once, before the first step: " + ", ".join(drawn) + "."
    return draw, [account(part, name, w) for name, (w, part) in zip(names, shown, strict=True)]


def described(policy: Policy, width: int | None = None, indent: int = 2) -> str:
    """Describe a policy as lines of text: how it is drawn, maps of gridworlds, and sentences."""
    draw, parts = accounts(policy)
    lines = [draw] if draw else []
    for part in parts:
        lines += [f"{part.name}:"] if part.name else []
        lines += side_by_side(policy.mdp, part.maps, width)
        lines += [*part.preface, *part.sentences, *(f"… left out: {line}" for line in part.left_out)]
    return "\n".join(f"{' ' * indent}{line}".rstrip() for line in lines)


def account(policy: Policy, name: str, weight: Fraction) -> Account:
    """Describe a policy that is not a mixture."""
    met = decisions(policy)
    names = action_names(met)
    maps, covered, unshown = text_map(met)
    open_places = [place for place in met.open_places if place not in covered]
    every = sentences(met, open_places, names)
    kept = sorted(every, key=lambda sentence: -sentence.mass)[:MOST_LINES]
    kept.sort(key=lambda sentence: (sentence.first, -sentence.mass))
    left_out = [unshown] if unshown else []
    if len(every) > len(kept):
        total = sum(met.mass[place] for place in met.open_places)
        share = 1 - (sum(sentence.mass for sentence in kept) + sum(met.mass[place] for place in covered)) / total
        count = len(every) - len(kept)
        left_out.append(f"{count} more line{'s' * (count > 1)}, about {max(share, 0):.1%} of the decisions it meets")
    horizon = met.mdp.horizon
    if met.steps < horizon:
        later = f"step {horizon}" if met.steps + 1 == horizon else f"steps {met.steps + 1} to {horizon}"
        why = "too many situations" if met.mdp.is_discrete else "the rewards are continuous"
        left_out.append(f"{later} ({why}); --save writes the whole policy")
    preface = []
    if not met.open_places:
        preface.append("no choice to make: every state that is met has one action")
    if met.earned == "rounded":
        preface.append("earned (rounded): every reward counts as rounded up to the grid")
    if met.earned == "average":
        preface.append("probabilities are averages over what else the policy remembers")
    return Account(name, weight, preface, maps, [sentence.text for sentence in kept], left_out)


def sentences(met: Decisions, places: Iterable[Place], names: Names) -> list[Sentence]:
    """Return lines that describe the choices at these places: one per state, or per state and step if both matter."""
    by_state: dict[int, list[Place]] = {}
    for place in sorted(places):
        by_state.setdefault(place[1], []).append(place)
    return [line for s, own in by_state.items() for line in _about_state(met, s, own, names)]


def _about_state(met: Decisions, s: int, places: Sequence[Place], names: Names) -> list[Sentence]:
    def told(own: Sequence[Place], index: int) -> str:
        if len({met.played[place] for place in own}) == 1:
            return _play(met.played[own[0]], names(s))
        return _cases(met, own, index, names(s))

    for index in (0, 2):
        if _decided_by(met, places, index):
            return [_sentence(met, s, None, places, told(places, index))]
    said: list[tuple[str, list[Place]]] = []
    for _, group in groupby(places, key=lambda place: place[0]):
        own = list(group)
        text = told(own, 2)
        if said and said[-1][0] == text:
            said[-1][1].extend(own)
        else:
            said.append((text, own))
    return [_sentence(met, s, _steps(own[0][0], own[-1][0]).removeprefix("at "), own, text) for text, own in said]


def _sentence(met: Decisions, s: int, steps: str | None, places: Sequence[Place], text: str) -> Sentence:
    start = " (start)" if any(place[0] == 0 for place in places) else ""
    step = "" if steps is None else f", {steps}"
    mass = sum(met.mass[place] for place in places)
    return Sentence(f"{met.mdp.state_name(s)}{step}{start}: {text}", min(place[0] for place in places), mass)


def _decided_by(met: Decisions, places: Sequence[Place], index: int) -> bool:
    """Return whether the step (index 0) or the amount earned (2) alone determines the choice in this state."""
    seen: dict[Any, Choice] = {}
    return all(seen.setdefault(place[index], met.played[place]) == met.played[place] for place in places)


def _cases(met: Decisions, places: Sequence[Place], index: int, names: Mapping[int, str]) -> str:
    """Format runs of equal choices, ``at step 1 play 1; at steps 2 to 4 play 0``; the likeliest if there are many."""
    amounts = "earned (rounded)" if met.earned == "rounded" else "earned"
    when: Callable[[Any, Any], str] = partial(_earned, amounts) if index else _steps
    chosen = {place[index]: met.played[place] for place in places}
    mass = added_up((place[index], met.mass[place]) for place in places)
    runs = []
    for choice, group in groupby(sorted(chosen), key=chosen.__getitem__):
        values = list(group)
        runs.append((sum(mass[value] for value in values), values[0], values[-1], choice))
    kept = sorted(sorted(runs, key=lambda run: -run[0])[:MOST_CASES], key=lambda run: run[1])
    texts = [f"{when(low, high)} {_play(choice, names)}" for _, low, high, choice in kept]
    more = len(runs) - len(kept)
    return "; ".join(texts + ([f"{more} rarer case{'s' * (more > 1)} left out"] if more else []))


def _steps(low: int, high: int) -> str:
    return f"at step {low + 1}" if low == high else f"at steps {low + 1} to {high + 1}"


def _earned(amounts: str, low: Fraction, high: Fraction) -> str:
    return f"with {short(low)} {amounts}" if low == high else f"with {short(low)} to {short(high)} {amounts}"


def _play(choice: Choice, names: Mapping[int, str]) -> str:
    def action(a: int) -> str:
        return f"{a} ({names[a]})" if a in names else str(a)

    if len(choice) == 1:
        return f"play {action(choice[0][0])}"
    return "play " + " or ".join(f"{action(a)} with probability {short(p)}" for a, p in choice)


def action_names(met: Decisions) -> Names:
    """Return the model's names or, without names, directions if it is a map and its actions are moves."""
    moves, own = moves_of(met.mdp), met.mdp.action_names
    return lambda s: moves if own is None else dict(enumerate(own[s]))
