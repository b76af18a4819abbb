r"""Exact derivatives of the objective of a policy by each transition probability.

Let the probability p of a successor of one action rise by a small :math:`\varepsilon`, at all steps, and those of the
other successors fall in proportion.  With :math:`x_1 < x_2 < \dots` the returns, the objective moves by

.. math:: d\Phi = -\sum_i (x_{i+1} - x_i)\, G'(F(x_i))\, dF(x_i),

with the right derivative of a piecewise-linear G where dF is positive and the left one where it is negative.  Given
these slopes, :math:`d\Phi` is the change of the mean of a utility: the sum over all visits of the action of how much
better that successor is than the action, divided by 1 - p.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from ..errors import Unsupported
from ..law import Law
from ..mdp import MDP
from ..numbers.format import columns, short
from ..objectives import Weighting
from ..objectives.piecewise import slopes
from .base import Policy
from .evaluation import levels_of

SHOWN = 10  # rows that the text of :class:`Sensitivities` shows
Utility: TypeAlias = tuple[Fraction, ...]
"""The mean of the smooth part, and of being at most each return where the slope jumps."""
Moved: TypeAlias = dict[tuple[int, int, int], Utility]


class Sensitivity(NamedTuple):
    """The derivative of an objective by one transition probability.

    :param state: a state
    :param action: the index of an action there
    :param next_state: the successor
    :param probability: its probability
    :param derivative: of the objective, as the probability rises
    """

    state: int
    action: int
    next_state: int
    probability: Fraction
    derivative: Fraction


@dataclass(frozen=True)
class Sensitivities:
    """The derivatives of a policy's objective by every transition probability between 0 and 1 that it meets, the
    largest first; printing shows ten.

    Each is the derivative as the probability rises, at all steps, while those of the other successors of the action
    fall in proportion; the law of the reward, given the next state, stays.

    :param mdp: the model
    :param objective: the weighting
    :param rows: the derivatives, by decreasing size
    """

    mdp: MDP = field(repr=False)
    objective: Weighting
    rows: tuple[Sensitivity, ...]

    def __str__(self) -> str:
        mdp, table = self.mdp, [("state", "action", "to", "probability", "derivative")]
        for s, a, target, p, slope in self.rows[:SHOWN]:
            step = "" if mdp.clock is None else f" at step {s // mdp.clock}"
            act = str(a) if mdp.action_names is None else mdp.action_names[s][a]
            table.append((mdp.state_name(s) + step, act, mdp.state_name(target), short(p), f"{float(slope):+.6g}"))
        shown = f", the {SHOWN} largest of {len(self.rows)}" if len(self.rows) > SHOWN else ""
        return f"d {self.objective.spec} / d probability{shown}\n{columns(table)}"


def sensitivities(mdp: MDP, policy: Policy, objective: Weighting, law: Law) -> Sensitivities:
    """Return the derivatives of the objective of a policy whose law is ``law``.

    :raises Unsupported: if the weighting is not piecewise linear with rational corners
    """
    knots = objective.knots
    if knots is None:
        raise Unsupported(
            f"{objective.spec} is not piecewise linear with rational corners, so it has no exact derivative here",
            instead="plan.sensitivity('cvar(1/10)'), or another mixture of mean and CVaRs",
        )
    rises, levels = slopes(knots), [tau for tau, _ in knots]
    widths = [(x, y - x, F) for x, y, F in zip(law.atoms, law.atoms[1:], law.cumulative(), strict=False)]
    smooth = [(x, width * rises[bisect_left(levels, F) - 1]) for x, width, F in widths]
    kinks = [(x, width * (rises[k] - rises[k - 1])) for x, width, F in widths
             if levels[k := bisect_left(levels, F)] == F and rises[k] != rises[k - 1]]  # fmt: skip

    def utility(z: Fraction) -> Utility:
        return (-sum((c for x, c in smooth if x >= z), Fraction()), *(Fraction(z <= x) for x, _ in kinks))

    moved: Moved = {}
    for share, part in policy.parts():
        _add(mdp, part, share, utility, moved)
    rows = []
    for (s, a, target), change in moved.items():
        p = dict(mdp.actions(s)[a].successors)[target]
        first, *rest = (x / (1 - p) for x in change)
        bent = (extra * max(dF, Fraction()) for (_, extra), dF in zip(kinks, rest, strict=True))
        rows.append(Sensitivity(s, a, target, p, first - sum(bent, Fraction())))
    return Sensitivities(mdp, objective, tuple(sorted(rows, key=lambda row: (-abs(row.derivative), row))))


def _add(mdp: MDP, policy: Policy, share: Fraction, utility: Callable[[Fraction], Utility], moved: Moved) -> None:
    """Add, for every successor of every action met, how much better it is than the action, over all visits."""
    levels = list(levels_of(mdp, policy))
    grid = levels[0].grid
    after = {key: utility(key[1] * grid.unit) for key in levels[-1].weights}
    for t in range(mdp.horizon - 1, -1, -1):
        level, now, scale = levels[t], {}, grid.unit / mdp.step_reward(t, Fraction(1))
        for (s, z, memory), w in level.weights.items():
            remembered, worth = level.memory(z, memory), []
            for a, chance in policy.choice(t, s, remembered):
                ways: dict[int, list[tuple[Fraction, Utility]]] = {}
                for weight, target, j in grid.steps[t][s][a]:
                    kept = ((None, Fraction(1)),) if level.recalled else policy.memories(memory, t, s, a, j * scale)
                    ways.setdefault(target, []).extend(
                        (Fraction(weight, grid.denominator) * q, after[target, z + j, m]) for m, q in kept
                    )
                action = _total(pair for pairs in ways.values() for pair in pairs)
                worth.append((chance, action))
                visits = share * chance * Fraction(w, level.total)
                for target, pairs in ways.items():
                    p = sum((mass for mass, _ in pairs), Fraction())
                    if p < 1:
                        change = [(visits / p, _total(pairs)), (-visits, action)]
                        old = moved.get((s, a, target))
                        moved[s, a, target] = _total(change if old is None else [*change, (Fraction(1), old)])
            now[s, z, memory] = _total(worth)
        after = now


def _total(parts: Iterable[tuple[Fraction, Utility]]) -> Utility:
    """Return a sum of weighted vectors."""
    entries = zip(*([w * x for x in vector] for w, vector in parts), strict=True)
    return tuple(sum(column, Fraction()) for column in entries)
