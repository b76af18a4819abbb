"""Models as JSON, with rationals as ``"p/q"``."""

from typing import Any

import numpy as np

from ..errors import InvalidModel
from ..files import decode_array, encode_array
from ..law import Law
from ..numbers.rational import as_whole, text
from .action import Action, ContinuousReward
from .model import MDP
from .packed import Packed, PackedStates, starts
from .readers import StateActions
from .reading import Reader

MOST_LISTED = 20_000  # successors up to which a model is written entry by entry; the arrays of larger ones are packed


def model_to_json(mdp: MDP, *, listed: bool = False) -> dict[str, Any]:
    """Return the input of :func:`model_from_json`; keys without information are omitted.  Large models, whose rewards
    are independent of the next state, are written as arrays unless ``listed``."""

    def action(action: Action) -> dict[str, Any]:
        if not action.independent:
            return {"outcomes": [[text(p), s, text(r)] for p, s, r in action.outcomes]}
        return {"next": [[s, text(p)] for s, p in action.successors], "reward": action.reward.to_json()}

    states = range(mdp.n_states)
    packed = not listed and mdp.flat is not None and len(mdp.flat.succ_prob) > MOST_LISTED
    words = {
        "action_names": None if mdp.action_names is None else [list(names) for names in mdp.action_names],
        "state_names": None if mdp.state_names is None else list(mdp.state_names),
        "clock": mdp.clock,
    }
    return {
        "horizon": None if mdp.endless else mdp.horizon,
        "discount": text(mdp.discount),
        "initial": [[s, text(p)] for s, p in mdp.initial],
        **({"arrays": _arrays(mdp)} if packed else {"states": [[action(a) for a in mdp.actions(s)] for s in states]}),
        "drawing": mdp.drawing,
        "notes": list(mdp.notes),
        **{name: value for name, value in words.items() if value is not None},
    }


def model_from_json(data: dict[str, Any]) -> MDP:
    """Read the output of :func:`model_to_json`, validated like user input."""
    if isinstance(data["horizon"], float):  # no horizon is written as null
        raise InvalidModel(f"horizon is {data['horizon']!r}, wanted an integer of at least 1, or null")
    states = _states_of_arrays(data["arrays"]) if "arrays" in data else _states(data["states"])
    return MDP.from_actions(
        states,
        read=Reader(len(states), normalise=False),
        initial=_once(data["initial"], "initial"),
        horizon=data["horizon"],
        discount=data["discount"],
        drawing=data["drawing"],
        notes=data["notes"],
        action_names=data.get("action_names"),
        state_names=data.get("state_names"),
        clock=_clock(data, len(states)),
    )


def _states(listed: list[Any]) -> StateActions:
    """Read the actions of states that are listed entry by entry."""
    read = Reader(len(listed), normalise=False)

    def action(entry: dict[str, Any], where: str) -> Action:
        if "outcomes" in entry:
            return read.action(entry["outcomes"], where)
        return Action(read.row(_once(entry["next"], where), where), _law(entry["reward"]))

    states = []
    for s, actions in enumerate(listed):
        if not actions:
            raise InvalidModel(f"state {s} has no actions, wanted at least one")
        states.append(tuple(action(entry, f"states[{s}][{a}]") for a, entry in enumerate(actions)))
    return tuple(states)


def _law(data: dict[str, Any]) -> Law | ContinuousReward:
    return ContinuousReward.from_json(data) if "scipy" in data else Law.from_json(data)


def _arrays(mdp: MDP) -> dict[str, Any]:
    """Return the arrays of a product model: for each state how many actions, for each action how many successors and
    which law of rewards, for each successor its state and probability."""
    assert mdp.flat is not None
    packed, flat = mdp.packed, mdp.flat
    short = {"actions": np.diff(flat.action_start), "law": flat.law, "successors": np.diff(packed.start)}
    return {
        **{name: encode_array(x.astype("<i4")) for name, x in (short | {"next": packed.column}).items()},
        "probability": encode_array(packed.value.astype("<f8")),
        "filled": encode_array(packed.filled.astype("<i4")),
        "own": [[i, [text(p) for p in row]] for i, row in packed.own.items()],
        "laws": [law.to_json() for law in flat.laws],
    }


def _states_of_arrays(data: dict[str, Any]) -> PackedStates:
    """Read what :func:`_arrays` wrote, and check it."""
    found: dict[str, Any] = {}
    for name in ("actions", "law", "successors", "next", "filled", "probability"):
        found[name] = x = decode_array(data[name])
        if x.ndim != 1 or x.dtype != ("<f8" if name == "probability" else "<i4"):
            raise InvalidModel(f"{name} of the model has shape {x.shape} and type {x.dtype}, wanted a list of numbers")
    actions, sizes = found["actions"], found["successors"]
    for name, x, most in (
        ("actions", actions, None), ("successors", sizes, None), ("next", found["next"], len(actions)),
        ("law", found["law"], len(data["laws"])), ("filled", found["filled"] + 1, None),
    ):  # fmt: skip
        low = int(name in ("actions", "successors"))
        wrong = np.flatnonzero((x < low) | (False if most is None else x >= most))
        if len(wrong):
            raise InvalidModel(f"{name}[{wrong[0]}] of the model is {found[name][wrong[0]]}, which is out of range")
    for name, wanted in (
        ("successors", actions.sum()), ("law", actions.sum()), ("filled", actions.sum()), ("next", sizes.sum()),
        ("probability", sizes.sum()),
    ):  # fmt: skip
        if len(found[name]) != wanted:
            raise InvalidModel(f"{name} of the model has {len(found[name])} entries, wanted {wanted}")
    start, action_start, value = starts(sizes), starts(actions), found["probability"]
    column = found["next"].astype(np.int64)
    ahead = np.diff(column) > 0
    ahead[start[1:-1] - 1] = True  # between rows
    wrong = np.flatnonzero(~ahead) + 1
    if len(wrong) or not (np.isfinite(value) & (value >= 0)).all() or (found["filled"] >= sizes).any():
        raise InvalidModel("the model's arrays are damaged: wanted increasing next states, and their probabilities")
    number = Reader(len(actions), normalise=False).number
    own = {int(i): tuple(number(p, f"own[{i}]") for p in row) for i, row in data["own"]}
    if any(not 0 <= i < len(sizes) or len(row) != sizes[i] for i, row in own.items()):
        raise InvalidModel("own of the model does not fit its successors")
    packed = Packed(start, column, value, found["filled"], own)
    packed.check(lambda i: f"row {i} of the model")
    return PackedStates(packed, action_start, tuple(map(_law, data["laws"])), found["law"].astype(np.int64))


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
