"""Policies made of others: drawn at the start of an episode, or followed by the same actions for ever.

:func:`policy_from_json` reads policies of every kind, the inverse of ``policy.to_json``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from ..errors import InvalidPolicy, Unsupported
from ..law import added_up
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_step, said, text
from .base import Choice, Policy, choice_read, read_choice, required_policy
from .cell_policy import CellPolicy
from .grid_policy import GridPolicy, GridTable, unpacked
from .tables import MarkovPolicy, ReturnPolicy


class MixturePolicy(Policy):
    """Draw one of several policies at the start of an episode and play it to the end.

    :param parts: pairs of a probability and a policy, all of one model
    :raises InvalidPolicy: if the probabilities do not sum to 1, or the models differ
    """

    def __init__(self, parts: Iterable[tuple[Rational, Policy]]) -> None:
        read: list[tuple[Fraction, Policy]] = []
        for i, (weight, part) in enumerate(parts):
            w = as_fraction(weight, f"weight {i}", InvalidPolicy)
            if w < 0:
                raise InvalidPolicy(f"weight {i} of the mixture is {said(w)}, wanted a probability")
            read.append((w, required_policy(part, read[0][1].mdp if read else None)))
        total = sum((w for w, _ in read), Fraction())
        if total != 1:
            raise InvalidPolicy(f"the weights of the mixture sum to {said(total)}, not to 1")
        super().__init__(read[0][1].mdp)
        self._parts = tuple((w * v, leaf) for w, part in read for v, leaf in part.parts() if w)

    def parts(self) -> tuple[tuple[Fraction, Policy], ...]:
        return self._parts

    def start(self) -> Hashable:
        raise Unsupported("a mixture has no single starting memory: draw one of policy.parts() and play it")

    def choice(self, t: int, s: int, memory: Any) -> Choice:
        raise Unsupported("draw one of policy.parts() and play it")

    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        raise Unsupported("draw one of policy.parts() and play it")

    def choices(self) -> Hashable:
        return frozenset(added_up(((type(part), part.choices()), w) for w, part in self._parts).items())

    def on(self, mdp: MDP) -> MixturePolicy:
        return MixturePolicy([(w, part.on(mdp)) for w, part in self._parts])

    def to_json(self) -> dict[str, Any]:
        return {"kind": "mixture", "parts": [[text(w), part.to_json()] for w, part in self._parts]}


class EndlessPolicy(Policy):
    """Play ``first``, a policy of the model with a horizon, to its end; then the action ``afterwards[s]`` in state s.

    :param mdp: a model without a horizon
    :param first: a policy of ``mdp.with_horizon(T)``
    :param afterwards: an action for each state
    :raises InvalidPolicy: if ``first`` is the policy of another model, or an action does not exist
    """

    def __init__(self, mdp: MDP, first: Policy, afterwards: Sequence[int]) -> None:
        super().__init__(mdp)
        if not mdp.endless or len(afterwards) != mdp.n_states:
            raise InvalidPolicy(
                f"afterwards has {len(afterwards)} actions for {mdp!r}, wanted one for each state of a model without a "
                "horizon"
            )
        self.steps = first.mdp.horizon
        first.require(mdp.with_horizon(self.steps))
        self.first, self.afterwards = first, tuple(afterwards)
        self._last = tuple(read_choice(mdp, s, a, f"afterwards[{s}]") for s, a in enumerate(afterwards))

    def parts(self) -> tuple[tuple[Fraction, Policy], ...]:
        if not isinstance(self.first, MixturePolicy):
            return ((Fraction(1), self),)
        return tuple((w, EndlessPolicy(self.mdp, part, self.afterwards)) for w, part in self.first.parts())

    def start(self) -> Hashable:
        return self.first.start()

    def choice(self, t: int, s: int, memory: Any) -> Choice:
        return self.first.choice(t, s, memory) if t < self.steps else self._last[s]

    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        return self.first.remember(memory, t, s, a, r) if t + 1 < self.steps else None

    def memories(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> tuple[tuple[Any, Fraction], ...]:
        return self.first.memories(memory, t, s, a, r) if t + 1 < self.steps else ((None, Fraction(1)),)

    def choices(self) -> Hashable:
        return self.steps, type(self.first), self.first.choices(), self.afterwards

    def on(self, mdp: MDP) -> EndlessPolicy:
        return EndlessPolicy(mdp, self.first.on(mdp.with_horizon(self.steps)), self.afterwards)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "endless",
            "steps": self.steps,
            "first": self.first.to_json(),
            "afterwards": list(self.afterwards),
        }


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
