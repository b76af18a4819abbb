"""Policies drawn at the start of an episode."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

from ..errors import InvalidNumber, InvalidPolicy, Unsupported
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, said, text
from .base import Choice, Policy, required_policy


class MixturePolicy(Policy):
    """Draw one of several policies at the start of an episode and play it to the end.

    :param parts: pairs of a probability and a policy, all of one model
    :raises InvalidPolicy: if the probabilities do not sum to 1, or the models differ
    """

    def __init__(self, parts: Iterable[tuple[Rational, Policy]]) -> None:
        read: list[tuple[Fraction, Policy]] = []
        for i, (weight, part) in enumerate(parts):
            try:
                w = as_fraction(weight, f"weight {i}")
            except InvalidNumber as error:
                raise InvalidPolicy(str(error)) from None
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
        shares: dict[tuple[type[Policy], Hashable], Fraction] = {}
        for w, part in self._parts:
            key = (type(part), part.choices())
            shares[key] = shares.get(key, Fraction()) + w
        return frozenset(shares.items())

    def on(self, mdp: MDP) -> MixturePolicy:
        return MixturePolicy([(w, part.on(mdp)) for w, part in self._parts])

    def to_json(self) -> dict[str, Any]:
        return {"kind": "mixture", "parts": [[text(w), part.to_json()] for w, part in self._parts]}
