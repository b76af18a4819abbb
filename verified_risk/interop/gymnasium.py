"""Tabular gymnasium environments as exact models.

An environment with a transition table ``P[s][a] = [(probability, next state, reward, terminated), ...]`` is an MDP
whose probabilities were written in floats.  Here each float becomes the rational it stands for, and every float for
which that is not its shortest decimal is reported in ``mdp.notes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from ..errors import InvalidModel, InvalidNumber, MissingDependency, Unsupported
from ..mdp import MDP, Outcome
from ..rational import Rational, as_fraction, as_whole

LARGEST_DENOMINATOR = 10**5
CLOSENESS = Fraction(1, 2**50)
"""Rationals with denominators up to 10**5 are at least 1e-10 apart, so at most one is this close to a float."""

HARMLESS_WRAPPERS = {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit"}

Row: TypeAlias = tuple[Fraction, int, Fraction, bool]


def mdp_of_environment(env: Any, *, horizon: int, discount: Rational = 1) -> MDP:
    """The exact model of ``env``, an environment or its id, from ``env.unwrapped.P`` and ``initial_state_distrib``.

    A transition that terminates the episode leads to a state that earns nothing more: the next state itself where the
    table already makes it so (FrozenLake), otherwise one more state, the last (CliffWalking, Taxi).

    >>> mdp = mdp_of_environment("FrozenLake-v1", horizon=3)
    >>> mdp.actions(0)[1].successors                       # down from the corner: slips left into the wall, or right
    ((0, Fraction(1, 3)), (1, Fraction(1, 3)), (4, Fraction(1, 3)))
    """
    if isinstance(env, str):
        made = _make(env)
        try:
            return mdp_of_environment(made, horizon=horizon, discount=discount)
        finally:
            made.close()
    inner = getattr(env, "unwrapped", env)
    name = _name(env, inner)
    _refuse_what_the_table_does_not_say(inner, name)
    n, table = _table(inner, name)
    restore = _Restorer()
    rows = [[_read(table, s, a, n, restore, name) for a in _actions_of(table[s], s, name)] for s in range(n)]
    initial = _initial(inner, n, restore, name)

    absorbing = {s for s in range(n) if _is_absorbing(rows[s], s)}
    ends = {target for actions in rows for action in actions for _, target, _, ended in action if ended}
    needs_end = bool(ends - absorbing)

    def outcome(p: Fraction, target: int, r: Fraction, ended: bool) -> Outcome:
        return p, (n if ended and target not in absorbing else target), r

    outcomes = [[[outcome(*row) for row in action] for action in actions] for actions in rows]
    notes = [f"read from gymnasium's {name}", *restore.notes(), *_wrapper_notes(env, horizon)]
    if needs_end:
        outcomes.append([[(Fraction(1), n, Fraction(0))]])
        notes.append(f"state {n} was added: it follows every transition that ends the episode, and earns nothing")
    return MDP.from_outcomes(
        outcomes, initial=initial, horizon=horizon, discount=discount, drawing=_drawing(inner), notes=notes
    )


def meant(value: float) -> Fraction:
    """The rational that a computed float stands for: a small one if it is within 2**-50, else the shortest decimal.

    >>> meant(0.04999999999999999), meant(0.33333333333333337), meant(0.8), meant(0.12345678)
    (Fraction(1, 20), Fraction(1, 3), Fraction(4, 5), Fraction(6172839, 50000000))
    """
    written = as_fraction(value, "value")
    small = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return small if abs(small - Fraction(value)) <= CLOSENESS * max(Fraction(1), abs(small)) else written


class _Restorer:
    """Reads floats as the rationals they mean and counts what was not simply their shortest decimal."""

    def __init__(self) -> None:
        self._read: dict[Any, Fraction] = {}
        self._moved: dict[Any, int] = {}

    def __call__(self, value: Any, where: str) -> Fraction:
        key = (type(value), value)
        if key not in self._read:
            try:
                written = as_fraction(value, where)
            except InvalidNumber as error:
                raise InvalidModel(str(error)) from None
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


def _make(identifier: str) -> Any:
    try:
        import gymnasium
    except ImportError as error:
        raise MissingDependency("reading environments by name needs gymnasium", extra="gym") from error
    try:
        return gymnasium.make(identifier)
    except gymnasium.error.Error as error:
        raise InvalidModel(f"gymnasium makes no environment {identifier!r}: {error}") from None


def _name(env: Any, inner: Any) -> str:
    spec = getattr(env, "spec", None)
    return str(spec.id) if spec is not None else type(inner).__name__


def _refuse_what_the_table_does_not_say(inner: Any, name: str) -> None:
    """Taxi's fickle passenger is drawn in ``step`` and depends on the past: its table describes another process."""
    if getattr(inner, "fickle_passenger", False):
        raise Unsupported(
            f"{name} has fickle_passenger=True, which its transition table leaves out; wanted fickle_passenger=False"
        )


def _table(inner: Any, name: str) -> tuple[int, Any]:
    space = getattr(inner, "observation_space", None)
    table = getattr(inner, "P", None)
    if not isinstance(table, (Mapping, Sequence)) or isinstance(table, str):
        shown = "no attribute P" if table is None else f"P = {type(table).__name__}"
        raise Unsupported(
            f"{name} has {shown} and observations {space}, wanted a tabular environment with a transition table "
            "P[state][action] = [(probability, next state, reward, terminated), ...]"
        )
    n = len(table)
    count = getattr(space, "n", n)
    if count != n:
        raise InvalidModel(f"{name} has a table of {n} states, wanted {count} as in its observation space")
    if isinstance(table, Mapping) and set(table) != set(range(n)):
        missing = next(s for s in range(n) if s not in table)
        raise InvalidModel(f"{name} has no state {missing} in its table, wanted states 0..{n - 1}")
    return n, table


def _actions_of(choices: Any, s: int, name: str) -> range:
    count = len(choices)
    if isinstance(choices, Mapping) and set(choices) != set(range(count)):
        missing = next(a for a in range(count) if a not in choices)
        raise InvalidModel(f"{name} has no action {missing} in P[{s}], wanted actions 0..{count - 1}")
    return range(count)


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
        raise InvalidModel(f"{name}: P[{s}][{a}] sums to {total}, not to 1: {[str(p) for p, *_ in rows]}")
    return rows


def _is_absorbing(actions: list[list[Row]], s: int) -> bool:
    return all(target == s and r == 0 for action in actions for _, target, r, _ in action)


def _initial(inner: Any, n: int, restore: _Restorer, name: str) -> dict[int, Fraction]:
    law = getattr(inner, "initial_state_distrib", None)
    if law is None:
        law = getattr(inner, "isd", None)
    if law is not None:
        if len(law) != n:
            raise InvalidModel(f"{name} has an initial law of {len(law)} states, wanted {n}")
        return {s: restore(p, f"{name}: initial_state_distrib[{s}]") for s, p in enumerate(law) if p}
    for attribute in ("start_state_index", "start_state", "s"):
        start = as_whole(getattr(inner, attribute, None))
        if start is not None:
            return {start: Fraction(1)}
    raise InvalidModel(f"{name} says nowhere where it starts, wanted initial_state_distrib or a start state")


def _wrapper_notes(env: Any, horizon: int) -> list[str]:
    """What the table cannot know: wrappers around it."""
    notes = []
    while env is not getattr(env, "unwrapped", env):
        kind = type(env).__name__
        if kind not in HARMLESS_WRAPPERS:
            notes.append(f"the wrapper {kind} is not part of the model: the table is that of the environment inside")
        limit = getattr(env, "_max_episode_steps", None) if kind == "TimeLimit" else None
        if limit is not None and horizon > limit:
            notes.append(f"the environment is cut off after {limit} steps, the model goes on to its horizon {horizon}")
        env = env.env
    return notes


def _drawing(inner: Any) -> str | None:
    """The map, where the environment carries one as characters."""
    desc = getattr(inner, "desc", None)
    if desc is None or getattr(desc, "ndim", 0) != 2:
        return None
    return "\n".join("".join(cell.decode() if isinstance(cell, bytes) else str(cell) for cell in line) for line in desc)
