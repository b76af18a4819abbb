"""Models from lists of outcomes ``(probability, next state, reward)``, the same at every step or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import InvalidModel
from ..mdp import MDP
from ..mdp.readers import StateActions
from ..mdp.reading import Reader, collector_resting
from .time_varying import model_of_steps


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
    normalise: bool = False,
    **rest: Any,
) -> MDP:
    """Build the model of ``steps[t][s][a]``, of ``steps[0][s][a]`` at every step unless ``varies``.

    ``name(t, s, a)`` is what messages call an action; the rest is for :func:`~.time_varying.model_of_steps`.
    """
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
    return model_of_steps(states, read, varies=varies, **rest)
