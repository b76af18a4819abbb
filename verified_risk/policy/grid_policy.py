"""Policies of a discretised model, adapted to the original model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import Rational, as_step, ceil_div, text
from .base import Choice, Chosen, Policy, choice_json, read_choice, same_shape
from .packed_rule import packed
from .tables import ReturnPolicy


class GridPolicy(Policy):
    r"""A policy of a discretised model, adapted: it acts by the sum :math:`\hat y = \sum_t \phi(\gamma^t r_t)`.

    ``rule(t, s, i)`` is the choice when :math:`\hat y = i \eta`.  On rewards that lie on the grid, this is a
    :class:`ReturnPolicy`.  The rule may be any callable; :meth:`save` writes the table of its choices at every
    reachable sum, and a policy read from a file has no choice elsewhere.

    :param mdp: the model
    :param eta: the grid's step
    :param rule: a function of step, state and the return so far in units of the grid
    :raises InvalidPolicy: if an action does not exist
    """

    def __init__(self, mdp: MDP, eta: Rational, rule: Callable[[int, int, int], Chosen]) -> None:
        super().__init__(mdp)
        self.eta = as_step(eta)
        self.rule = rule
        self._rounded: dict[tuple[int, Fraction], int] = {}

    @classmethod
    def adapt(cls, policy: ReturnPolicy, mdp: MDP, eta: Rational) -> GridPolicy:
        """Adapt a y-policy of ``mdp.discretised(eta)`` to ``mdp``.

        :param policy: a policy of the rounded model
        :param mdp: the original model
        :param eta: the grid's step
        :returns: the policy that acts by the rounded return
        """
        step = as_step(eta)
        same_shape(policy.mdp, mdp)
        return cls(mdp, step, lambda t, s, i: dict(policy.choice(t, s, i * step)))

    def start(self) -> int:
        return 0

    def choice(self, t: int, s: int, memory: int) -> Choice:
        return read_choice(self.mdp, s, self.rule(t, s, memory), f"policy({t}, {s}, {memory} eta)")

    def remember(self, memory: int, t: int, s: int, a: int, r: Fraction) -> int:
        key = (t, r)
        if key not in self._rounded:
            self._rounded[key] = ceil_div(self.mdp.step_reward(t, r), self.eta)
        return memory + self._rounded[key]

    def memory_of_return(self, unit: Fraction) -> Callable[[int], int] | None:
        """Return how many steps of the grid a return is, if every return lies on the grid.

        :param unit: a number of which every reward, discounted, is a multiple
        :returns: a function of a whole number of units, or None
        """
        steps = unit / self.eta
        return (lambda z: z * steps.numerator) if steps.denominator == 1 else None

    def choices(self) -> Hashable:
        """Return the choices at every reachable sum; others do not count."""
        return self.eta, tuple(self.reached())

    def on(self, mdp: MDP) -> GridPolicy:
        same_shape(self.mdp, mdp)
        return GridPolicy(mdp, self.eta, self.rule)

    def to_json(self) -> dict[str, Any]:
        """Return the packed table if there is one, otherwise the choices at the reachable sums."""
        table = packed(self.mdp, self.eta, self.rule)
        if table is not None:
            return {"kind": "grid", "eta": text(self.eta), "packed": table}
        rows = [[t, s, i, choice_json(choice)] for t, s, i, choice in self.reached()]
        return {"kind": "grid", "eta": text(self.eta), "rows": rows}

    def reached(self) -> Iterator[tuple[int, int, int, Choice]]:
        """Yield every reachable ``(t, s, i)``, in order, with its choice; rewards may be continuous.

        :returns: step, state, units, choice
        """
        from ..grid import grid_model

        grid = grid_model(self.mdp, self.eta)
        cells = {(s, 0) for s, _ in grid.initial}
        for t, step in enumerate(grid.steps):
            following: set[tuple[int, int]] = set()
            for s, i in sorted(cells):
                choice = self.choice(t, s, i)
                yield t, s, i, choice
                following |= {(target, i + j) for a, _ in choice for _, target, j in step[s][a]}
            cells = following


class GridTable:
    """A rule given by a table over ``(t, s, i)``."""

    def __init__(self, table: Mapping[tuple[int, int, int], Chosen]) -> None:
        self.table = dict(table)

    def __call__(self, t: int, s: int, i: int) -> Chosen:
        try:
            return self.table[t, s, i]
        except KeyError:
            raise InvalidPolicy(f"the policy says nothing at step {t}, state {s}, rounded return {i} eta") from None
