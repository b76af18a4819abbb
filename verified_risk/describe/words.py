"""Descriptions of a policy in words: ``state 3 (start): play 2 (down)``, ``state 5: with 0 earned play 1; with 2 ...``.

Steps are counted from 1.  A range (``at steps 2 to 4``, ``with 1 to 3 earned``) refers to the steps and amounts in it
that the policy meets.  The likeliest decisions are described, in the order in which they are met, and the rest are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from ..law import added_up
from ..numbers.format import json_number, short
from ..policy import Choice, Policy
from .decisions import Decisions, Place, decisions
from .text_map import TextMap, side_by_side, text_map

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
    def play(choice: Choice) -> str:
        return _play(choice, names(s))

    amounts = "earned (rounded)" if met.earned == "rounded" else "earned"
    if len({met.played[place] for place in places}) == 1:
        return [_sentence(met, s, None, places, play(met.played[places[0]]))]
    if _decided_by(met, places, 0):
        return [_sentence(met, s, None, places, _cases(met, places, 0, _steps, play))]
    if _decided_by(met, places, 2):
        cases = _cases(met, places, 2, lambda low, high: _earned(low, high, amounts), play)
        return [_sentence(met, s, None, places, cases)]
    said: list[tuple[str, list[Place]]] = []
    for _, group in groupby(places, key=lambda place: place[0]):
        own = list(group)
        if len({met.played[place] for place in own}) == 1:
            text = play(met.played[own[0]])
        else:
            text = _cases(met, own, 2, lambda low, high: _earned(low, high, amounts), play)
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
    """Whether the step (index 0) or the amount earned (2) alone determines the choice in this state."""
    seen: dict[Any, Choice] = {}
    return all(seen.setdefault(place[index], met.played[place]) == met.played[place] for place in places)


def _cases(
    met: Decisions,
    places: Sequence[Place],
    index: int,
    when: Callable[[Any, Any], str],
    play: Callable[[Choice], str],
) -> str:
    """Format runs of equal choices, ``at step 1 play 1; at steps 2 to 4 play 0``; the likeliest if there are many."""
    chosen = {place[index]: met.played[place] for place in places}
    mass = added_up((place[index], met.mass[place]) for place in places)
    runs = []
    for choice, group in groupby(sorted(chosen), key=chosen.__getitem__):
        values = list(group)
        runs.append((sum(mass[value] for value in values), values[0], values[-1], choice))
    kept = sorted(sorted(runs, key=lambda run: -run[0])[:MOST_CASES], key=lambda run: run[1])
    texts = [f"{when(low, high)} {play(choice)}" for _, low, high, choice in kept]
    more = len(runs) - len(kept)
    return "; ".join(texts + ([f"{more} rarer case{'s' * (more > 1)} left out"] if more else []))


def _steps(low: int, high: int) -> str:
    return f"at step {low + 1}" if low == high else f"at steps {low + 1} to {high + 1}"


def _earned(low: Fraction, high: Fraction, amounts: str) -> str:
    return f"with {short(low)} {amounts}" if low == high else f"with {short(low)} to {short(high)} {amounts}"


def _play(choice: Choice, names: Mapping[int, str]) -> str:
    def action(a: int) -> str:
        return f"{a} ({names[a]})" if a in names else str(a)

    if len(choice) == 1:
        return f"play {action(choice[0][0])}"
    return "play " + " or ".join(f"{action(a)} with probability {short(p)}" for a, p in choice)


def action_names(met: Decisions) -> Names:
    """Return the model's names or, without names, directions if it is a map and its actions are moves."""
    from .text_map import moves_of

    moves, own = moves_of(met.mdp), met.mdp.action_names
    return lambda s: moves if own is None else dict(enumerate(own[s]))
