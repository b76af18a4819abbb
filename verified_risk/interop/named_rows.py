"""Models from tables of outcomes whose states and actions have names: dataframes, files, functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidModel
from ..mdp import MDP
from ..numbers.rational import Rational, as_whole
from .outcomes import mdp_of_outcomes

MOST_NAMED = 6
"""Maximum number of states that an error message lists."""


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
            raise InvalidModel(f"{what} names state {strange!r}, wanted one of the table's: {_some(number)}")
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


def _some(names: Iterable[Any]) -> str:
    listed = [repr(name) for name in names]
    return ", ".join(listed[:MOST_NAMED]) + (", …" if len(listed) > MOST_NAMED else "")
