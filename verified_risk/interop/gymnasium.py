"""Tabular gymnasium environments as exact models, and environments for policies.

An environment with a transition table ``P[s][a] = [(probability, next state, reward, terminated), ...]`` is an MDP
whose probabilities are given as floats.  Each float is converted to the rational it stands for, and floats for which
that is not the shortest decimal are reported in ``mdp.notes``.

:func:`TrackReturn` goes the other way: a wrapper whose observations contain what a policy must remember of an episode.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from typing import Any, TypeAlias, cast

import numpy as np

from ..errors import InvalidArgument, InvalidModel, Unsupported, optional_module
from ..mdp import MDP
from ..mdp.readers import Horizon
from ..numbers.rational import Rational, as_fraction, as_whole, meant, said
from ..policy.playing import Environment
from .outcomes import own_law

WATCHING_WRAPPERS = {
    "PassiveEnvChecker", "OrderEnforcing", "TimeLimit", "RecordEpisodeStatistics", "RecordVideo", "HumanRendering",
    "RenderCollection",
}  # fmt: skip
"""Wrappers that define ``step`` but do not change it."""

Row: TypeAlias = tuple[Fraction, int, Fraction, bool]


def mdp_of_environment(
    env: Any,
    *,
    horizon: Horizon = None,
    discount: Rational = 1,
    initial: Any = None,
    options: Mapping[str, object] | None = None,
) -> MDP:
    """Build the exact model of ``env``, an environment or its id, from ``env.unwrapped.P`` and
    ``initial_state_distrib``.

    A transition that terminates the episode leads to a state without further rewards: the next state itself if the
    table already makes it so (FrozenLake), otherwise an additional last state (CliffWalking, Taxi).

    >>> mdp = mdp_of_environment("FrozenLake-v1", horizon=3)
    >>> mdp.actions(0)[1].successors                       # down from the corner: slips left into the wall, or right
    ((0, Fraction(1, 3)), (1, Fraction(1, 3)), (4, Fraction(1, 3)))
    """
    if isinstance(env, str):
        made = _make(env, options or {})
        try:
            return mdp_of_environment(made, horizon=horizon, discount=discount, initial=initial)
        finally:
            made.close()
    if options:
        raise InvalidArgument("options are for an environment given by its id; this one has been made already")
    inner = getattr(env, "unwrapped", env)
    spec = getattr(env, "spec", None)
    name = str(spec.id) if spec is not None else type(inner).__name__
    _refuse_what_the_table_does_not_say(env, inner, name)
    n, table = _table(inner, name)
    limits = (getattr(part, "_max_episode_steps", None) for part in (*_wrappers(env), inner))
    cut_off = next((int(limit) for limit in limits if limit is not None), None)  # by the environment, if it says so
    steps = cut_off if horizon is None else math.inf if horizon == "auto" else horizon
    if steps is None:
        raise InvalidModel(f"{name} has no time limit, wanted horizon=, the number of steps")
    restore = _Restorer()
    rows = [
        [_read(table, s, a, n, restore, name) for a in _numbered(table[s], "action", f"P[{s}]", name)] for s in range(n)
    ]
    start = _initial(inner, n, restore, name) if initial is None else own_law(initial, n)

    flat = [[row for action in actions for row in action] for actions in rows]
    absorbing = {s for s, own in enumerate(flat) if all(target == s and r == 0 for _, target, r, _ in own)}
    ends = {target for actions in rows for action in actions for _, target, _, ended in action if ended}
    needs_end = bool(ends - absorbing)

    outcomes = [
        [[(p, n if ended and s not in absorbing else s, r) for p, s, r, ended in action] for action in actions]
        for actions in rows
    ]
    notes = [f"read from gymnasium's {name}", *restore.notes(), *_wrapper_notes(env, steps)]
    if needs_end:
        outcomes.append([[(Fraction(1), n, Fraction(0))]])
        notes.append(f"state {n} was added: it follows every transition that ends the episode, and earns nothing")
    states, actions = toy_text_names(inner, n, needs_end)
    return MDP.from_outcomes(
        outcomes,
        initial=start,
        horizon=steps,
        discount=discount,
        drawing=_drawing(inner),
        notes=notes,
        state_names=states,
        action_names=None if actions is None else [actions[: len(own)] for own in outcomes[:n]] + [["end"]] * needs_end,
    )


def toy_text_names(inner: Any, n: int, with_end: bool) -> tuple[list[str] | None, list[str] | None]:
    """Return the names of states and actions in gymnasium's toy-text environments; None for others."""
    kind, end = type(inner).__name__, ["the end"] * with_end
    if kind in ("FrozenLakeEnv", "CliffWalkingEnv"):
        width = getattr(inner, "ncol", None) or inner.shape[1]
        cells = [f"row {s // width}, column {s % width}" for s in range(n)]
        moves = ["left", "down", "right", "up"] if kind == "FrozenLakeEnv" else ["up", "right", "down", "left"]
        return cells + end, moves
    if kind == "TaxiEnv":
        places = ["red", "green", "yellow", "blue", "in the taxi"]
        decoded = [list(inner.decode(s)) for s in range(n)]
        names = [f"taxi at {r}, {c}; passenger {places[p]}, to {places[d]}" for r, c, p, d in decoded]
        return names + end, ["down", "up", "right", "left", "pick up", "drop off"]
    return None, None


class _Restorer:
    """Reads floats as the rationals they mean and counts those that are not their shortest decimal."""

    def __init__(self) -> None:
        self._read: dict[Any, Fraction] = {}
        self._moved: dict[Any, int] = {}

    def __call__(self, value: Any, where: str) -> Fraction:
        key = (type(value), value)
        if key not in self._read:
            written = as_fraction(value, where, InvalidModel)
            exact = written if as_whole(value) is not None else meant(float(value))
            self._read[key] = exact
            if exact != written:
                self._moved[key] = 0
        if key in self._moved:
            self._moved[key] += 1
        return self._read[key]

    def notes(self) -> list[str]:
        moved = sorted((str(key[1]), self._read[key], count) for key, count in self._moved.items())
        return [f"{shown} was read as {exact} ({count} times)" for shown, exact, count in moved]


def _make(identifier: str, options: Mapping[str, Any]) -> Any:
    gymnasium = optional_module("gymnasium", "reading environments by name needs gymnasium", extra="gym")
    try:
        with warnings.catch_warnings():  # an old version is rejected below, in one line
            warnings.simplefilter("ignore", DeprecationWarning)
            return gymnasium.make(identifier, **options)
    except (gymnasium.error.Error, TypeError, KeyError, ValueError, AttributeError) as error:
        with_options = f" with {dict(options)}" if options else ""
        raise InvalidModel(f"gymnasium makes no environment {identifier!r}{with_options}: {error}") from None


def _refuse_what_the_table_does_not_say(env: Any, inner: Any, name: str) -> None:
    """Raise for wrappers that change a step, and for Taxi's fickle passenger, drawn in ``step`` and path-dependent."""
    for kind in map(type, _wrappers(env)):
        outside = takewhile(lambda part: part.__name__ != "Wrapper", kind.__mro__)  # what gymnasium's own base adds to
        own = {method for part in outside for method in vars(part)}
        if kind.__name__ not in WATCHING_WRAPPERS and own & {"step", "reset"}:
            raise Unsupported(
                f"the wrapper {kind.__name__} has a step or reset of its own, which the transition table of {name} "
                "leaves out; wanted env.unwrapped, if the environment inside is meant"
            )
    if getattr(inner, "fickle_passenger", False):
        raise Unsupported(
            f"{name} has fickle_passenger=True, which its transition table leaves out; wanted fickle_passenger=False"
        )


def _table(inner: Any, name: str) -> tuple[int, Any]:
    space = getattr(inner, "observation_space", None)
    table = getattr(inner, "P", None)
    if not isinstance(table, (Mapping, Sequence)) or isinstance(table, str):
        shown = "no attribute P" if table is None else f"P = {type(table).__name__}"
        seen = "" if space is None else f" and observations {space}"
        raise Unsupported(
            f"{name} has {shown}{seen}, wanted a tabular environment with a transition table "
            "P[state][action] = [(probability, next state, reward, terminated), ...]; vr.learn(env, ...) needs none "
            "if its spaces are discrete"
        )
    n = len(table)
    count = getattr(space, "n", n)
    if count != n:
        raise InvalidModel(f"{name} has a table of {n} states, wanted {count} as in its observation space")
    _numbered(table, "state", "its table", name)
    return n, table


def _numbered(entries: Any, what: str, where: str, name: str) -> range:
    """Return the numbers of states or actions, which must be 0, 1, ... without a gap."""
    every = range(len(entries))
    missing = next((k for k in every if isinstance(entries, Mapping) and k not in entries), None)
    if missing is not None:
        raise InvalidModel(f"{name} has no {what} {missing} in {where}, wanted {what}s 0..{every[-1]}")
    return every


def _read(table: Any, s: int, a: int, n: int, restore: _Restorer, name: str) -> list[Row]:
    rows: list[Row] = []
    for i, entry in enumerate(table[s][a]):
        where = f"{name}: P[{s}][{a}][{i}]"
        try:
            p, target, r, ended = entry
        except (TypeError, ValueError):
            raise InvalidModel(f"{where} is {entry!r}, wanted (probability, next state, reward, terminated)") from None
        state = as_whole(target)
        if state is None or not 0 <= state < n:
            raise InvalidModel(f"{where} leads to state {target!r}, wanted an integer in 0..{n - 1}")
        rows.append((restore(p, f"{where} probability"), state, restore(r, f"{where} reward"), bool(ended)))
    total = sum((p for p, *_ in rows), Fraction())
    if total != 1:
        raise InvalidModel(f"{name}: P[{s}][{a}] sums to {said(total)}, not to 1: {[said(p) for p, *_ in rows]}")
    return rows


def _initial(inner: Any, n: int, restore: _Restorer, name: str) -> dict[int, Fraction]:
    law = getattr(inner, "initial_state_distrib", None)
    if law is None:
        law = getattr(inner, "isd", None)
    if law is not None:
        if len(law) != n:
            raise InvalidModel(f"{name} has an initial law of {len(law)} states, wanted {n}")
        return {s: restore(p, f"{name}: initial_state_distrib[{s}]") for s, p in enumerate(law) if p}
    for attribute in ("start_state_index", "start_state"):
        start = as_whole(getattr(inner, attribute, None))
        if start is not None:
            return {start: Fraction(1)}
    raise InvalidModel(
        f"{name} says nowhere where it starts (its present state does not count), wanted initial=, a state or a law"
    )


def _wrappers(env: Any) -> Iterator[Any]:
    """Yield the wrappers of an environment, from the outside in."""
    while env is not getattr(env, "unwrapped", env):
        yield env
        env = env.env


def _wrapper_notes(env: Any, horizon: float) -> list[str]:
    """Return notes on wrappers, which the table does not include."""
    notes = []
    for part in _wrappers(env):
        limit = getattr(part, "_max_episode_steps", None) if type(part).__name__ == "TimeLimit" else None
        if limit is not None and horizon > limit:
            to = "" if horizon == math.inf else f" to its horizon {horizon}"
            notes.append(f"the environment is cut off after {limit} steps, the model goes on{to}")
    return notes


def _drawing(inner: Any) -> str | None:
    """Return the map, if the environment has one as characters."""
    desc = getattr(inner, "desc", None)
    if desc is None or getattr(desc, "ndim", 0) != 2:
        return None
    return "\n".join("".join(cell.decode() if isinstance(cell, bytes) else str(cell) for cell in line) for line in desc)


def TrackReturn(env: Environment) -> Any:
    """Return a gymnasium wrapper that adds the step, the last reward and the return so far to the observations.

    They become dicts with the entries ``observation``, ``step``, ``reward`` and ``earned``, which
    :meth:`verified_risk.Policy.predict` reads: ``evaluate_policy(policy, TrackReturn(env))`` of stable-baselines3 plays
    a policy that remembers what it earned.

    :param env: a gymnasium environment that ends its episodes at the policy's horizon at the latest
    :returns: the wrapped environment
    :raises MissingDependency: if gymnasium is not installed
    """
    gymnasium = optional_module("gymnasium", "TrackReturn wraps environments of gymnasium", extra="gym")

    class Tracked(gymnasium.Wrapper):  # type: ignore[misc, name-defined]
        def reset(self, *, seed: Any = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
            observation, info = self.env.reset(seed=seed, options=options)
            self.steps, self.earned = 0, 0.0
            return self.tracked(observation, 0.0), info

        def step(self, action: Any) -> tuple[dict[str, Any], Any, bool, bool, dict[str, Any]]:
            observation, reward, terminated, truncated, info = self.env.step(action)
            self.steps, self.earned = self.steps + 1, self.earned + float(reward)
            return self.tracked(observation, float(reward)), reward, terminated, truncated, info

        def tracked(self, observation: Any, reward: float) -> dict[str, Any]:
            numbers = {"step": self.steps, "reward": reward, "earned": self.earned}
            return {"observation": observation, **{key: np.array([x], np.float64) for key, x in numbers.items()}}

    found = Tracked(cast("Any", env))
    number = gymnasium.spaces.Box(-np.inf, np.inf, (1,), np.float64)
    entries = {"observation": found.env.observation_space, "step": number, "reward": number, "earned": number}
    found.observation_space = gymnasium.spaces.Dict(entries)
    return found
