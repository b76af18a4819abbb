"""Cases as plain JSON: a dataclass becomes an object, a Fraction ``"p/q"``, models and policies become tables.

The decoder follows the field annotations of the dataclass, so new kinds of cases need no code here.  A policy belongs
to the model field before it.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

from verified_risk.errors import InvalidFile
from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.numbers.rational import as_fraction
from verified_risk.objectives import Weighting, objective
from verified_risk.policy import HistoryPolicy, Policy, policy_from_json

from ..cases.histories import History, HistoryTable, history_policy

Case = TypeVar("Case")


def encode_case(case: Any) -> dict[str, Any]:
    """The JSON object of a dataclass instance."""
    return {field.name: encode(getattr(case, field.name)) for field in dataclasses.fields(case)}


def encode(value: Any) -> Any:
    """Encode one value as plain JSON."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, HistoryPolicy) and isinstance(value.rule, HistoryTable):
        return {"kind": "history", "rows": [[_history_json(xi), _choice_json(c)] for xi, c in value.rule.rows.items()]}
    if isinstance(value, (Law, Weighting, Policy)):
        return value.to_json()
    if isinstance(value, MDP):
        data = value.to_json()
        return {key: data[key] for key in ("horizon", "discount", "initial", "states")}
    if dataclasses.is_dataclass(value):
        return encode_case(value)
    if isinstance(value, Mapping):
        return [[encode(key), encode(entry)] for key, entry in value.items()]
    if isinstance(value, (tuple, list, frozenset)):
        return [encode(entry) for entry in value]
    raise TypeError(
        f"{value!r} of type {type(value).__name__} has no JSON form: give the statement its own encode and decode"
    )


def decode_case(case: type[Case], instance: Mapping[str, Any]) -> Case:
    """Read a dataclass from its JSON object; raise ``InvalidFile`` on missing or unknown keys."""
    hints = typing.get_type_hints(case)
    names = [field.name for field in dataclasses.fields(case)]  # type: ignore[arg-type]
    if set(instance) != set(names):
        raise InvalidFile(f"the instance has the keys {sorted(instance)}, wanted {sorted(names)}")
    values: dict[str, Any] = {}
    model: MDP | None = None
    for name in names:
        values[name] = decode(hints[name], instance[name], model)
        if isinstance(values[name], MDP):
            model = values[name]
    return case(**values)


def decode(kind: Any, data: Any, model: MDP | None = None) -> Any:
    """Read one value of the annotated type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if data is None and type(None) in arguments:
            return None
        kinds = [part for part in arguments if part is not type(None)]
        return decode(kinds[0], data, model)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(decode(arguments[0], entry, model) for entry in data)
        return tuple(decode(part, entry, model) for part, entry in zip(arguments, data, strict=True))
    if origin in (dict, Mapping):
        return {decode(arguments[0], key, model): decode(arguments[1], entry, model) for key, entry in data}
    if kind is Fraction:
        return as_fraction(data, "a number of the instance")
    if kind in (int, bool, str):
        if type(data) is not kind:
            raise InvalidFile(f"{data!r} is not a {kind.__name__}")
        return data
    if kind is Law:
        return Law.from_json(data)
    if kind is MDP:
        return MDP.from_json({**data, "drawing": None, "notes": []})
    if isinstance(kind, type) and issubclass(kind, Weighting):
        return objective(data)
    if isinstance(kind, type) and issubclass(kind, Policy):
        if model is None:
            raise InvalidFile("a policy comes before its model")
        if data["kind"] == "history":
            return history_policy(model, {_history_read(xi): _choice_read(choice) for xi, choice in data["rows"]})
        return policy_from_json(data, model)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return decode_case(kind, data)
    raise TypeError(f"no reader for {kind!r}: give the statement its own decode")


def _history_json(history: History) -> list[Any]:
    return [*([s, a, str(r)] for s, a, r in history[:-1]), history[-1]]


def _history_read(data: list[Any]) -> History:
    return (*((s, a, as_fraction(r, "a reward")) for s, a, r in data[:-1]), data[-1])


def _choice_json(choice: Any) -> Any:
    return {str(a): str(Fraction(p)) for a, p in choice.items()} if isinstance(choice, Mapping) else choice


def _choice_read(data: Any) -> Any:
    return {int(a): as_fraction(p, "a probability") for a, p in data.items()} if isinstance(data, dict) else data
