"""Models from lists of outcomes ``(probability, next state, reward)``, the same at every step or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import InvalidModel
from ..mdp import MDP
from ..mdp.readers import Horizon, Initial, StateActions
from ..mdp.reading import Reader, collector_resting
from ..numbers.rational import Rational
from .time_varying import clocked


def lists_steps(outcomes: Sequence[Any]) -> bool:
    """Whether ``outcomes`` is ``[t][s][a]``: then its third level holds lists of triples, not triples."""
    entry: Any = outcomes
    for _ in range(4):
        if not isinstance(entry, (list, tuple)) or not entry:
            return False
        entry = entry[0]
    return isinstance(entry, (list, tuple))


def mdp_of_outcomes(
    steps: Sequence[Sequence[Sequence[Iterable[Any]]]],
    name: Callable[[int, int, int], str],
    *,
    varies: bool,
    initial: Initial,
    horizon: Horizon,
    discount: Rational = 1,
    terminal: Sequence[Rational] | None = None,
    normalise: bool = False,
    drawing: str | None = None,
    notes: Iterable[str] = (),
    action_names: Sequence[Sequence[str]] | None = None,
    state_names: Sequence[str] | None = None,
) -> MDP:
    """Build the model of ``steps[t][s][a]``, of ``steps[0][s][a]`` at every step unless ``varies``.

    ``name(t, s, a)`` is what messages call an action.
    """
    if varies and horizon not in (None, len(steps)):
        raise InvalidModel(f"horizon is {horizon}, and there are {len(steps)} steps: leave it out")
    T = len(steps) if varies else horizon
    if T is None:
        raise InvalidModel("horizon is missing: wanted the number of steps, or math.inf if there is no last one")
    n = len(steps[0])
    read = Reader(n, normalise)

    def actions(t: int, own: Sequence[Sequence[Iterable[Any]]]) -> StateActions:
        if len(own) != n:
            raise InvalidModel(f"step {t} has {len(own)} states, wanted {n} as at step 0")
        found = []
        for s, choices in enumerate(own):
            wanted = len(steps[0][s])
            if not len(choices):
                raise InvalidModel(
                    f"state {s} has no actions, wanted at least one in {name(t, s, 0).rpartition('[')[0]}"
                )
            if len(choices) != wanted:
                raise InvalidModel(f"state {s} has {len(choices)} actions at step {t}, wanted {wanted} as at step 0")
            found.append(tuple(read.action(list(rows), name(t, s, a)) for a, rows in enumerate(choices)))
        return tuple(found)

    with collector_resting():
        states = [actions(t, own) for t, own in enumerate(steps)]
    names: dict[str, Any] = {"drawing": drawing, "action_names": action_names, "state_names": state_names}
    if not varies and terminal is None:
        return MDP.from_actions(
            states[0], read=read, initial=initial, horizon=T, discount=discount, notes=notes, **names
        )
    if terminal is not None and len(terminal) != n:
        raise InvalidModel(f"terminal has {len(terminal)} entries, wanted {n}, one for each state")
    last = None if terminal is None else [read.number(r, f"terminal[{s}]") for s, r in enumerate(terminal)]
    return clocked(
        states, read, initial=initial, horizon=T, discount=discount, terminal=last,
        notes=[*notes, *read.notes], **names,
    )  # fmt: skip
