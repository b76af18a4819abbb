"""Models as JSON, with rationals as ``"p/q"``."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidModel
from ..law import Law
from ..numbers.rational import as_whole, text
from .action import Action
from .model import MDP
from .reading import Reader
from .rewards import ContinuousReward


def model_to_json(mdp: MDP) -> dict[str, Any]:
    """Return the input of :func:`model_from_json`; keys without information are omitted."""

    def action(action: Action) -> dict[str, Any]:
        if not action.independent:
            return {"outcomes": [[text(p), s, text(r)] for p, s, r in action.outcomes]}
        return {"next": [[s, text(p)] for s, p in action.successors], "reward": action.reward.to_json()}

    words = {
        "action_names": None if mdp.action_names is None else [list(names) for names in mdp.action_names],
        "state_names": None if mdp.state_names is None else list(mdp.state_names),
        "clock": mdp.clock,
    }
    return {
        "horizon": None if mdp.endless else mdp.horizon,
        "discount": text(mdp.discount),
        "initial": [[s, text(p)] for s, p in mdp.initial],
        "states": [[action(choice) for choice in mdp.actions(s)] for s in range(mdp.n_states)],
        "drawing": mdp.drawing,
        "notes": list(mdp.notes),
        **{name: value for name, value in words.items() if value is not None},
    }


def model_from_json(data: dict[str, Any]) -> MDP:
    """Read the output of :func:`model_to_json`, validated like user input."""
    read = Reader(len(data["states"]), normalise=False)

    def action(entry: dict[str, Any], where: str) -> Action:
        if "outcomes" in entry:
            return read.action(entry["outcomes"], where)
        law = entry["reward"]
        reward = ContinuousReward.from_json(law) if "scipy" in law else Law.from_json(law)
        return Action(read.row(_once(entry["next"], where), where), reward)

    if isinstance(data["horizon"], float):  # no horizon is written as null
        raise InvalidModel(f"horizon is {data['horizon']!r}, wanted an integer of at least 1, or null")
    states = []
    for s, actions in enumerate(data["states"]):
        if not actions:
            raise InvalidModel(f"state {s} has no actions, wanted at least one")
        states.append(tuple(action(entry, f"states[{s}][{a}]") for a, entry in enumerate(actions)))
    return MDP.from_actions(
        tuple(states),
        read=read,
        initial=_once(data["initial"], "initial"),
        horizon=data["horizon"],
        discount=data["discount"],
        drawing=data["drawing"],
        notes=data["notes"],
        action_names=data.get("action_names"),
        state_names=data.get("state_names"),
        clock=_clock(data, len(states)),
    )


def _once(pairs: list[Any], where: str) -> dict[Any, Any]:
    """Read a law listed as pairs of a state and its probability, each state once."""
    law: dict[Any, Any] = {}
    for s, p in pairs:
        if s in law:
            raise InvalidModel(f"{where} lists state {s!r:.60} twice, wanted it once")
        law[s] = p
    return law


def _clock(data: dict[str, Any], n: int) -> int | None:
    """Read the number of the user's states if the step is part of the model's states; it must fit the others."""
    clock = data.get("clock")
    if clock is None:
        return None
    if as_whole(clock) is None or clock < 1 or not data["horizon"] or clock * data["horizon"] + 1 != n:
        raise InvalidModel(
            f"clock is {clock!r} for {n} states and horizon {data['horizon']}, wanted n = clock * horizon + 1"
        )
    return int(clock)
