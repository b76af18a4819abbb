r"""Models for the Storm model checker, in its explicit DRN format, with exact rationals.

Storm has no horizon, so the step becomes part of the state.  Two files can be written:

* :func:`write_drn`: states ``(t, s)``.  The reward collected on the way to ``end`` is the return, path by path, so
  ``R{"return"}max=? [F "end"]`` is the largest mean.  (Storm rejects this query if every reward is 0.)
* :func:`write_return_drn`: states ``(t, s, y)`` with the return so far, so that the law of the return can be queried:
  ``Pmax=? [F "at_least_3_2"]`` is the largest probability of a return of at least 3/2.

DRN attaches rewards to states and choices, not to arrivals.  If the reward of an action is random, each of its outcomes
passes through a *pay state*, which has the reward and one choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TypeAlias

from .. import files
from ..errors import InvalidArgument
from ..grid import grid_model
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, said, text


@dataclass(frozen=True, slots=True)
class AtStep:
    """State ``s`` before step ``t``; ``y`` is the return so far in units of the grid, 0 if it is not tracked."""

    t: int
    s: int
    y: int = 0


@dataclass(frozen=True, slots=True)
class Pay:
    """A reward collected on the way to ``following``."""

    reward: Fraction
    following: AtStep | End


@dataclass(frozen=True, slots=True)
class Final:
    """The end of all steps, with a return of ``z`` units."""

    z: int


@dataclass(frozen=True, slots=True)
class End:
    """The absorbing final state."""


Place: TypeAlias = AtStep | Pay | Final | End
Branches: TypeAlias = Sequence[tuple[Fraction, Place]]


@dataclass(frozen=True)
class Choice:
    """One action: its reward and successors."""

    reward: Fraction
    branches: Branches


@dataclass(frozen=True)
class Node:
    """One state of the file: its reward, labels and actions."""

    choices: Sequence[Choice]
    reward: Fraction = Fraction(0)
    labels: tuple[str, ...] = ()


THE_END = Node([Choice(Fraction(0), [(Fraction(1), End())])], labels=("end",))


def write_drn(mdp: MDP, path: str | PathLike[str]) -> None:
    """Write the model with its steps unrolled; the accumulated reward ``return`` is the (discounted) return."""

    def choices(t: int, s: int) -> Iterable[Choice]:
        for action in mdp.actions(s):
            after: list[tuple[Fraction, AtStep | End, Fraction]] = [
                (p, AtStep(t + 1, target) if t + 1 < mdp.horizon else End(), mdp.step_reward(t, r))
                for p, target, r in action.outcomes
            ]
            rewards = {r for _, _, r in after}
            if len(rewards) == 1:
                yield Choice(rewards.pop(), [(p, place) for p, place, _ in after])
            else:
                yield Choice(Fraction(0), [(p, Pay(r, place) if r else place) for p, place, r in after])

    def node(place: Place) -> Node:
        match place:
            case AtStep(t, s, _):
                return Node(list(choices(t, s)))
            case Pay(reward, following):
                return Node([Choice(Fraction(0), [(Fraction(1), following)])], reward)
            case _:
                return THE_END

    _write(path, [(p, AtStep(0, s)) for s, p in mdp.initial], node, f"{mdp!r}, steps unrolled")


def write_return_drn(
    mdp: MDP, path: str | PathLike[str], *, thresholds: Iterable[Rational] = ()
) -> dict[str, Fraction]:
    """Write the product with the return so far; return the meaning ``{label: z}`` of each label ``return_z``.

    A final state with return z has the label ``return_z`` (``return_3_2`` for 3/2, ``return_minus_1`` for -1), and
    ``at_least_x`` for every threshold ``x <= z``.  Its choice has the reward ``return`` of z.  The file grows with the
    number of distinct returns.
    """
    grid = grid_model(mdp)
    attainable = {z * grid.unit for sums in grid.reachable()[-1].values() for z in sums}
    levels = sorted({as_fraction(x, "threshold") for x in thresholds})
    if levels and levels[-1] > max(attainable):
        raise InvalidArgument(
            f"threshold {said(levels[-1])} is above every return, wanted at most {said(max(attainable))}"
        )

    def choices(t: int, s: int, y: int) -> Iterable[Choice]:
        for branches in grid.steps[t][s]:
            yield Choice(
                Fraction(0),
                [
                    (
                        Fraction(weight, grid.denominator),
                        AtStep(t + 1, target, y + j) if t + 1 < grid.horizon else Final(y + j),
                    )
                    for weight, target, j in branches
                ],
            )

    def node(place: Place) -> Node:
        match place:
            case AtStep(t, s, y):
                return Node(list(choices(t, s, y)))
            case Final(units):
                z = units * grid.unit
                labels = (label("return", z), *(label("at_least", x) for x in levels if x <= z))
                return Node([Choice(z, [(Fraction(1), End())])], labels=labels)
            case _:
                return THE_END

    _write(path, [(p, AtStep(0, s)) for s, p in mdp.initial], node, f"{mdp!r}, with the return so far")
    return {label("return", z): z for z in sorted(attainable)}


def label(prefix: str, value: Fraction) -> str:
    """Return a name that Storm's property language accepts.

    >>> label("return", Fraction(3, 2)), label("at_least", Fraction(-1))
    ('return_3_2', 'at_least_minus_1')
    """
    sign = "minus_" if value < 0 else ""
    return f"{prefix}_{sign}{text(abs(value)).replace('/', '_')}"


def _write(path: str | PathLike[str], initial: Branches, node: Callable[[Place], Node], title: str) -> None:
    """Number the reachable places from the start, and write them.

    A DRN file has initial states, not an initial law: state 0 draws the first state, without a reward.
    """
    numbers: dict[Place, int] = {}
    queue: list[Place] = []
    lines: list[str] = []
    count = 0

    def number(place: Place) -> int:
        if place not in numbers:
            numbers[place] = len(numbers) + 1  # 0 is the start
            queue.append(place)
        return numbers[place]

    def put(index: int, entry: Node, labels: tuple[str, ...]) -> None:
        nonlocal count
        lines.append(" ".join([f"state {index} [{text(entry.reward)}]", *labels]))
        for a, choice in enumerate(entry.choices):
            count += 1
            lines.append(f"\taction {a} [{text(choice.reward)}]")
            masses: dict[int, Fraction] = {}
            for p, place in choice.branches:
                target = number(place)
                masses[target] = masses[target] + p if target in masses else p
            lines.extend(f"\t\t{target} : {text(p)}" for target, p in sorted(masses.items()))

    put(0, Node([Choice(Fraction(0), initial)]), ("init",))
    for place in queue:  # grows while it is read: breadth-first
        entry = node(place)
        put(numbers[place], entry, entry.labels)

    header = [f"// {title}", "@type: MDP", "@parameters", "", "@reward_models", "return"]
    header += ["@nr_states", str(len(numbers) + 1), "@nr_choices", str(count), "@model"]
    files.write_text(path, "\n".join([*header, *lines, ""]))
