r"""Models from lists of outcomes ``(probability, next state, reward)``, the same at every step or not.

:func:`mdp_of_rows` reads tables of outcomes whose states and actions have names: dataframes, files, functions.

In models that change with the step, or have terminal rewards, the step becomes part of the state.  State s at step t is
number ``t * |S| + s``, and one last state follows the last step.  Every algorithm sees an ordinary model; players,
drawings and files refer to the user's states (:meth:`MDP.state_at`, :meth:`MDP.seen`). A terminal reward ``g(s)`` adds
:math:`\gamma^T g(s_T)` to the return; it is paid with the last reward, :math:`\gamma^{T-1} (r + \gamma\, g(s_T))`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel, Unsupported
from ..law import Law, added_up
from ..mdp import MDP
from ..mdp.action import Action
from ..mdp.readers import Horizon, StateActions
from ..mdp.reading import Reader, by_name, collector_resting, read_horizon
from ..numbers.rational import Rational, as_fraction, as_whole

MOST_STATES = 2_000_000  # maximum number of pairs of step and state; each becomes a state of the model


def model_of_steps(
    steps: Sequence[StateActions],
    read: Reader,
    *,
    varies: bool,
    horizon: Horizon,
    terminal: Sequence[Any] | npt.NDArray[Any] | None = None,
    **rest: Any,
) -> MDP:
    """Build the model that has ``steps[0]`` at every step, or ``steps[t]`` at step t if it ``varies``, and then the
    ``terminal`` reward; the rest is for ``MDP``."""
    n = len(steps[0])
    if varies and horizon not in (None, len(steps)):
        raise InvalidModel(f"horizon is {horizon}, wanted {len(steps)}, the number of steps listed, or none")
    T = len(steps) if varies else horizon
    if T is None:
        raise InvalidModel("horizon is missing: wanted the number of steps, or math.inf if there is no last one")
    if not varies and terminal is None:
        return MDP.from_actions(steps[0], read=read, horizon=T, **rest)
    if terminal is not None and len(terminal) != n:
        raise InvalidModel(f"terminal has {len(terminal)} entries, wanted {n}, one for each state")
    listed = terminal.tolist() if isinstance(terminal, np.ndarray) else terminal
    last = None if listed is None else [read.number(r, f"terminal[{s}]") for s, r in enumerate(listed)]
    if (T := read_horizon(T)) is None:
        raise InvalidModel("horizon is infinite, wanted a number of steps: the model has rewards at its end")
    if n * T > MOST_STATES:
        raise Unsupported(
            f"{n} states over {T} steps are {n * T} pairs of step and state, wanted at most {MOST_STATES}"
        )
    per_step = list(steps) if len(steps) == T else [steps[0]] * T
    end, gamma = n * T, as_fraction(rest["discount"], "discount")
    states: list[tuple[Action, ...]] = []
    for t, own in enumerate(per_step):
        if t < T - 1:
            states += [tuple(_moved(action, (t + 1) * n) for action in actions) for actions in own]
        else:
            states += [tuple(_last(action, end, last, gamma) for action in actions) for actions in own]
    states.append((Action(((end, Fraction(1)),), Law.point(0)),))
    names = rest.get("action_names")
    rest["initial"] = own_law(by_name(rest["initial"], rest.get("state_names")), n)
    rest["notes"] = [*rest.get("notes", ()), *read.repairs.notes()]
    rest["action_names"] = None if names is None else [*(list(names) * T), ["end"]]
    return MDP.from_actions(tuple(states), read=Reader(end + 1, read.normalise), horizon=T, clock=n, **rest)


def _moved(action: Action, offset: int) -> Action:
    if not action.independent:
        return Action(outcomes=tuple((p, s + offset, r) for p, s, r in action.outcomes))
    return Action(tuple((s + offset, p) for s, p in action.successors), action.reward)


def _last(action: Action, end: int, terminal: Sequence[Fraction] | None, gamma: Fraction) -> Action:
    """Return a last-step action that leads to the end and adds the terminal reward of the state reached."""
    leads = ((end, Fraction(1)),)
    if terminal is None:
        return Action(leads, action.reward)
    return Action(leads, Law.of_weights(added_up((r + gamma * terminal[s], p) for p, s, r in action.outcomes)))


def own_law(initial: Any, n: int) -> Any:
    """Return the caller's initial state or law, which refers to n states, for a model that has more."""
    if isinstance(initial, Mapping) or as_whole(initial) is not None:
        for s in initial if isinstance(initial, Mapping) else [initial]:
            if as_whole(s) is None or not 0 <= s < n:
                raise InvalidModel(f"initial names state {s!r}, wanted an integer in 0..{n - 1}")
        return initial
    listed = list(initial)
    if len(listed) != n:
        raise InvalidModel(f"initial has {len(listed)} entries, wanted {n}, one for each state")
    return dict(enumerate(listed))


def lists_steps(outcomes: Sequence[Any]) -> bool:
    """Return whether ``outcomes`` is ``[t][s][a]``: only then does its third level contain lists of triples."""
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
    """Build the model of ``steps[t][s][a]``, of ``steps[0][s][a]`` at every step unless ``varies``.  ``name(t, s, a)``
    is what messages call an action; the rest is for :func:`model_of_steps`."""
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


MOST_NAMED = 6  # maximum number of states that an error message lists


class Row(NamedTuple):
    """An outcome in a table; ``place`` is where it was found, ``step`` is None in a model that does not change."""

    place: str
    step: int | None
    state: Any
    action: Any
    next_state: Any
    probability: Rational
    reward: Rational


def mdp_of_dataframe(df: Any, columns: Sequence[str | None], **options: Any) -> MDP:
    """Read the columns ``(step, state, action, next state, probability, reward)``; see ``MDP.from_dataframe``."""
    known = list(df) if isinstance(df, Mapping) else list(getattr(df, "columns", ()))
    missing = next((name for name in columns if name is not None and name not in known), None)
    if missing is not None:
        raise InvalidModel(
            f"the table has no column {missing!r}, wanted one of its columns {', '.join(map(str, known)) or '(none)'}"
        )

    def column(name: str | None) -> list[Any] | None:
        if name is None:
            return None
        return list(df[name].to_list() if hasattr(df[name], "to_list") else df[name])

    steps, *others = map(column, columns)
    assert all(found is not None for found in others)

    def rows() -> Iterator[Row]:
        for i, entries in enumerate(zip(*others, strict=True)):
            place = f"row {i}"
            for name, entry in zip(columns[1:4], entries, strict=False):
                if entry is None or entry != entry:
                    raise InvalidModel(f"{place} has {name} = {entry!r}, wanted a name or a number")
            step = None if steps is None else as_whole(steps[i])
            if steps is not None and (step is None or step < 0):
                raise InvalidModel(f"{place} has {columns[0]} = {steps[i]!r}, wanted a step, counted from 0")
            yield Row(place, step, *entries)

    return mdp_of_rows(rows(), **options)


def mdp_of_rows(
    rows: Iterable[Row],
    *,
    initial: Any,
    terminal: Mapping[Any, Rational] | Callable[[Any], Rational] | None = None,
    absorbing: Iterable[Any] = (),
    listed: Sequence[Any] = (),
    steps: int | None = None,
    **rest: Any,
) -> MDP:
    """Build the model of a table; ``listed`` begins the order of the states, which :func:`_ordered` completes, and
    ``steps`` is the number of steps if it is not the last one in the table."""
    table: dict[tuple[int, Any, Any], list[tuple[Rational, Any, Rational]]] = {}
    first: dict[tuple[int, Any, Any], str] = {}
    choices: dict[Any, dict[Any, None]] = {}
    named: dict[Any, str] = {}
    varies = False
    for row in rows:
        varies = row.step is not None
        key = (row.step or 0, row.state, row.action)
        table.setdefault(key, []).append((row.probability, row.next_state, row.reward))
        first.setdefault(key, row.place)
        choices.setdefault(row.state, {})[row.action] = None
        named.setdefault(row.state, row.place)
        named.setdefault(row.next_state, row.place)
    if not named:
        raise InvalidModel("the table has no rows, wanted at least one outcome")
    still = dict.fromkeys(absorbing)
    states = [*listed, *(s for s in _ordered([*named, *still]) if s not in set(listed))]
    number = {s: i for i, s in enumerate(dict.fromkeys(states))}
    law = initial if isinstance(initial, Mapping) else {initial: 1}
    for what, found in (("initial", law), ("terminal", terminal if isinstance(terminal, Mapping) else {})):
        strange = next((s for s in found if s not in number), None)
        if strange is not None:
            known = ", ".join(repr(name) for name in list(number)[:MOST_NAMED]) + ", …" * (len(number) > MOST_NAMED)
            raise InvalidModel(f"{what} names state {strange!r}, wanted one of the table's: {known}")
    for s in number:
        if s not in choices and s not in still:
            raise InvalidModel(
                f"state {s!r} (named in {named[s]}) has no rows, wanted at least one action, or absorbing=[{s!r}]"
            )
    T = steps or 1 + max(t for t, _, _ in table)
    at = [dict.fromkeys(law)]  # the states that can be met before each step; others need no rows
    for t in range(T - 1):
        at.append(
            {target: None for s in at[t] for a in choices.get(s, ()) for p, target, _ in table.get((t, s, a), ())}
        )

    def outcomes(t: int, s: Any, a: Any) -> list[tuple[Rational, int, Rational]]:
        found = table.get((t, s, a))
        if found is None and varies and s in at[t] and s not in still:
            raise InvalidModel(f"state {s!r} has no rows of action {a!r} at step {t}, wanted some: it can be met there")
        return [(1, number[s], 0)] if found is None else [(p, number[target], r) for p, target, r in found]

    offered = {s: _ordered(choices.get(s, {"stay": None})) for s in number}
    by_step = [[[outcomes(t, s, a) for a in own] for s, own in offered.items()] for t in range(T)]
    keys = list(offered.items())

    def name(t: int, s: int, a: int) -> str:
        state, own = keys[s]
        place = first.get((t, state, own[a]))
        step = f"step {t}, " if varies else ""
        return f"{step}state {state!r}, action {own[a]!r}" + (f" (from {place})" if place else "")

    value = terminal if callable(terminal) else lambda s: (terminal or {}).get(s, 0)
    return mdp_of_outcomes(
        by_step, name, varies=varies, initial={number[s]: p for s, p in law.items()},
        terminal=None if terminal is None else [value(s) for s in number], **rest,
        action_names=[[label(a) for a in own] for own in offered.values()], state_names=[label(s) for s in number],
    )  # fmt: skip


def label(thing: Any) -> str:
    """Return the name of a state or an action: text as it is, anything else as Python prints it."""
    return thing if isinstance(thing, str) else str(thing) if as_whole(thing) is not None else repr(thing)


def _ordered(names: Iterable[Any]) -> list[Any]:
    """Return whole numbers in their order, other names in the order in which they appear."""
    listed = list(dict.fromkeys(names))
    return sorted(listed) if all(as_whole(name) is not None for name in listed) else listed
