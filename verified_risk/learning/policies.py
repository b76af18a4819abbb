"""A learned policy, as a policy of the user's own model."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import InvalidPolicy
from ..mdp import MDP
from ..policy import Choice, Policy
from ..rational import ceil_div
from .standard import Standard


class LearnedPolicy(Policy):
    """Plays ``table[t][s][y]``, y the rounded-up return so far in units of the learner's standard form.

    It remembers ``(y, atom)``: the units paid so far, and in a model whose rewards depend on the next state the
    reward that the standard form has yet to pay (-1 otherwise).
    """

    def __init__(self, mdp: MDP, standard: Standard, table: Sequence[Sequence[Sequence[int]]]) -> None:
        super().__init__(mdp)
        self.standard, self.table = standard, table
        self._atom = {r: i for i, r in enumerate(standard.atoms)}

    def start(self) -> tuple[int, int]:
        return (0, 0 if self.standard.carries_rewards else -1)

    def choice(self, t: int, s: int, memory: tuple[int, int]) -> Choice:
        y, atom = memory
        return ((int(self.table[t][self.standard.index[s, atom]][y]), Fraction(1)),)

    def remember(self, memory: tuple[int, int], t: int, s: int, a: int, r: Fraction) -> tuple[int, int]:
        y, carried = memory
        atom = self.atom(r)
        if carried >= 0:
            return y + self.standard.units[t][carried], atom
        return y + self.standard.units[t][atom], -1

    def atom(self, r: Fraction) -> int:
        """The number of a reward of the user's model; continuous rewards are rounded up to the grid first."""
        standard = self.standard
        x = (r - standard.low) / standard.range
        if x not in self._atom:
            x = ceil_div(x, standard.unit) * standard.unit
        if x not in self._atom:
            raise InvalidPolicy(f"reward {r} is not one the policy was learned with")
        return self._atom[x]

    def on(self, mdp: MDP) -> LearnedPolicy:
        if mdp.n_actions != self.mdp.n_actions or mdp.horizon != self.mdp.horizon:
            raise InvalidPolicy(
                f"the policy is for {self.mdp!r}, which has not the states, actions and horizon of {mdp!r}"
            )
        return LearnedPolicy(mdp, self.standard, self.table)

    def to_json(self) -> dict[str, Any]:
        """Stored as a table over returns, where the return so far determines the memory; else an error of the base
        class.
        """
        from ..evaluation import visited

        if self.standard.carries_rewards or not self.standard.exact:
            return super().to_json()
        shift = self.standard.low
        rows = []
        cells = [(t, s, memory) for t, s, memory in visited(self.mdp, self) if isinstance(memory, tuple)]
        for t, s, memory in sorted(cells):
            y = memory[0]
            paid = self.standard.range * self.standard.unit * y
            paid += shift * sum((self.standard.discount**u for u in range(t)), Fraction())
            rows.append([t, s, str(paid), self.choice(t, s, memory)[0][0]])
        return {"kind": "return", "rows": rows}
