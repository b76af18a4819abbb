"""Models in UMB archives, the binary exchange format of Storm, PRISM and stormvogel, by the package ``umbi``.

Probabilities and rewards are exact if the archive holds rationals; floats are read as their shortest decimals, and rows
that miss 1 by rounding are repaired as by ``MDP.from_arrays``.  Rewards, variables and labels are read as from Storm's
other formats (:mod:`~verified_risk.interop.storm`).  An archive has neither horizon nor discount nor a law of the
initial state.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import InvalidFile, InvalidModel, MissingDependency, Unsupported
from ..mdp import MDP
from ..numbers.rational import as_fraction

MOST_NAMED = 256
"""Maximum number of states whose names are written, as one label each; the format's text variables are not."""


def _umbi() -> Any:
    try:
        import umbi.ats
    except ImportError:
        raise MissingDependency("UMB archives are read and written by umbi", extra="umb") from None
    return umbi.ats


def read_umb(path: Path) -> tuple[Any, Mapping[str, Any], Mapping[str, Any]]:
    """Return the transition system of an archive, and the values of its rewards and labels.

    The values are those of the archive itself: umbi 0.2.5 keeps one annotation of a kind in its transition systems.

    :raises InvalidFile: if umbi cannot read it
    :raises Unsupported: if it is no MDP or Markov chain in discrete time
    """
    umbi = _umbi()
    path.stat()  # a missing file is an error of the operating system
    try:
        from umbi.umb import read

        archive = read(path)
        ats = umbi.explicit_umb_to_explicit_ats(archive)
    except Exception as error:  # umbi raises whatever its parts raise
        raise InvalidFile(f"umbi cannot read {path}: {' '.join(str(error).split()) or type(error).__name__}") from None
    if ats.time != umbi.TimeType.DISCRETE or ats.num_players > 1 or ats.has_observations:
        raise Unsupported(f"{path} has random times, several players or observations, wanted an MDP or a DTMC")
    notes = archive.annotations or {}
    return ats, notes.get("rewards", {}), notes.get("aps", {})


def umb_outcomes(ats: Any, rewards: Mapping[str, Any], where: str) -> list[list[list[tuple[Any, int, Any]]]]:
    """Return the outcomes of every choice; a state without one stays, paying nothing."""

    def reward(kind: str, i: int) -> Fraction:
        values = rewards.get(kind)
        return Fraction() if values is None else as_fraction(values[i], f"{where}: reward of {kind}[{i}]")

    found: list[list[list[tuple[Any, int, Any]]]] = []
    choices = branches = 0
    for s in ats.states:
        rows: list[list[tuple[Any, int, Any]]] = []
        for choice in ats.get_state_choices(s):
            base, row = reward("states", s) + reward("choices", choices), []
            for branch in choice.branches:
                if branch.prob is None and choice.num_branches > 1:
                    raise InvalidModel(f"{where}: state {s} has a branch without a probability, wanted an MDP")
                row.append(
                    (1 if branch.prob is None else branch.prob, branch.target, base + reward("branches", branches))
                )
                branches += 1
            rows.append(row)
            choices += 1
        found.append(rows or [[(1, s, 0)]])
    return found


def umb_names(ats: Any, notes: Mapping[str, Any]) -> tuple[list[str] | None, list[list[str]] | None]:
    """Return the variables and labels of every state, and the names of its actions, if the archive has any."""
    labels = [(name, values["states"]) for name, values in notes.items() if "states" in values]
    states, known = [], ats.variable_valuations
    for s in ats.states:
        values = known.state_valuations.get_entity_valuation(s) if known and known.has_state_valuations else {}
        variables = " & ".join(f"{variable.name}={value}" for variable, value in values.items())
        states.append("; ".join(filter(None, [variables, ", ".join(sorted(name for name, held in labels if held[s]))])))
    names = ats.choice_action_to_name
    actions = [[names[c.action] if names and c.action is not None else str(a)
                for a, c in enumerate(ats.get_state_choices(s))] or ["stay"] for s in ats.states]  # fmt: skip
    return (states if any(states) else None), (actions if names else None)


def write_umb(mdp: MDP, path: str | PathLike[str]) -> None:
    """Write a model whose reward is certain given state, action and next state; see :meth:`MDP.to_umb`."""
    umbi = _umbi()
    ats, paid = umbi.ExplicitAts(time=umbi.TimeType.DISCRETE, num_players=1), []
    names: dict[str, int] = {}
    for _ in range(mdp.n_states):
        ats.add_state()
    ats.set_initial_states([s for s, _ in mdp.initial])
    for s, a, action in mdp:
        choice = ats.add_state_choice(state=s)
        if mdp.action_names is not None:
            choice.action = names.setdefault(mdp.action_names[s][a], len(names))
        if len(action.outcomes) > len(action.successors):
            raise Unsupported(
                f"action {a} of {mdp.state_name(s)} has a random reward given the next state, and UMB has one "
                "reward for each branch", instead="save, or to_drn"
            )  # fmt: skip
        for p, target, r in action.outcomes:
            choice.add_branch(target=target, prob=p)
            paid.append(r)
    if names:
        ats.choice_action_to_name, ats.num_choice_actions = list(names), len(names)
    ats.add_reward_annotation(name="reward").set_branch_values(paid)
    if mdp.state_names is not None and mdp.n_states <= MOST_NAMED:
        for name in dict.fromkeys(mdp.state_names):
            held = [mdp.state_names[mdp.seen(s)] == name for s in range(mdp.n_states)]
            ats.add_ap_annotation(name=name).set_state_values(held)
    umbi.write(ats, Path(path))
