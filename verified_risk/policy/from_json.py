"""Read policies from JSON, the inverse of ``policy.to_json``."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import as_step
from .base import Policy, choice_read
from .cell_policy import CellPolicy
from .endless_policy import EndlessPolicy
from .grid_policy import GridPolicy, GridTable
from .mixture_policy import MixturePolicy
from .packed_rule import unpacked
from .tables import MarkovPolicy, ReturnPolicy


def policy_from_json(data: dict[str, Any], mdp: MDP) -> Policy:
    """Invert ``policy.to_json``."""
    kind = data["kind"]
    if kind == "markov":
        return MarkovPolicy(mdp, [[choice_read(entry) for entry in row] for row in data["table"]])
    if kind == "return":
        return ReturnPolicy(mdp, _rows(data["rows"]))
    if kind == "grid" and "packed" in data:
        return GridPolicy(mdp, data["eta"], unpacked(data["packed"], mdp, as_step(data["eta"])))
    if kind == "grid":
        return GridPolicy(mdp, data["eta"], GridTable(_rows(data["rows"])))
    if kind == "mixture":
        return MixturePolicy([(w, policy_from_json(part, mdp)) for w, part in data["parts"]])
    if kind == "endless":
        first = policy_from_json(data["first"], mdp.with_horizon(data["steps"]))
        return EndlessPolicy(mdp, first, data["afterwards"])
    if kind == "cells":
        return CellPolicy.from_json(data, mdp)
    raise InvalidPolicy(f"policy kind {kind!r} is not known, wanted markov, return, grid, cells, endless or mixture")


def _rows(rows: list[Any]) -> dict[tuple[Any, Any, Any], Any]:
    """Read rows ``[step, state, return so far, choice]``, each place once."""
    table: dict[tuple[Any, Any, Any], Any] = {}
    for t, s, y, entry in rows:
        if (t, s, y) in table:
            raise InvalidPolicy(f"policy[{t}, {s}, {y}] stands twice, wanted it once")
        table[t, s, y] = choice_read(entry)
    return table
