r"""List the attainable returns of a model in rationals, to replay a search over them (theory 05, B9).

This module shares nothing with the planner's unfolded model: returns are listed from the MDP itself, cells are numbered
step by step, and :class:`~.replay.Outcomes` reads them as a model whose last reward is the rank of the return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ...grid import GridModel
from ...mdp import MDP
from ...numbers.rational import lcm_of_denominators
from ...objectives import Weighting
from ..result import Plan
from ..search.trace import Proof
from .integer_routes import is_passed
from .line import Line
from .replay import Outcomes, Replay
from .wide import at_least

MOST_CELLS = 200_000
"""Maximum number of cells to list; takes seconds."""


class TooManyReturns(Exception):
    """There are more than :data:`MOST_CELLS` cells."""


@dataclass(frozen=True)
class Ranked:
    """The last reward of ``grid`` is the rank of the return; ``returns`` are the attainable ones, increasing."""

    grid: GridModel
    returns: list[Fraction]

    @property
    def gaps(self) -> list[Fraction]:
        return [b - a for a, b in pairwise(self.returns)]


def ranked(mdp: MDP, tick: Callable[[], None]) -> Ranked:
    """Enumerate every history by state and return so far."""
    layers: list[dict[tuple[int, Fraction], int]] = [{(s, Fraction()): k for k, (s, _) in enumerate(mdp.initial)}]
    for t in range(mdp.horizon):
        tick()
        after: dict[tuple[int, Fraction], int] = {}
        for s, y in layers[-1]:
            for action in mdp.actions(s):
                for _, target, r in action.outcomes:
                    after.setdefault((target, y + mdp.discount**t * r), len(after))
        if len(after) > MOST_CELLS:
            raise TooManyReturns("the attainable returns are too many to be listed")
        layers.append(after)
    returns = sorted({y for _, y in layers[-1]})
    place = {z: i for i, z in enumerate(returns)}
    total = lcm_of_denominators(p for _, _, action in mdp for p, _, _ in action.outcomes)
    most = max(map(len, layers))
    steps = []
    for t, layer in enumerate(layers[:-1]):
        last = t == mdp.horizon - 1
        rows = []
        for s, y in layer:
            actions = []
            for action in mdp.actions(s):
                branches: dict[tuple[int, int], int] = {}
                for p, target, r in action.outcomes:
                    z = y + mdp.discount**t * r
                    key = (0, place[z]) if last else (layers[t + 1][target, z], 0)
                    branches[key] = branches.get(key, 0) + int(p * total)
                actions.append(tuple((w, k, j) for (k, j), w in branches.items()))
            rows.append(tuple(actions))
        idle = (((total, 0, 0),),)  # the replay expects as many states at every step
        steps.append((*rows, *(idle for _ in range(most - len(rows)))))
    whole = lcm_of_denominators(p for _, p in mdp.initial)
    initial = tuple((k, int(p * whole)) for k, (_, p) in enumerate(mdp.initial))
    return Ranked(GridModel(Fraction(1), total, initial, whole, tuple(steps), True), returns)


def replay_attained(objective: Weighting, found: Ranked, proof: Proof, tick: Callable[[], None]) -> Replay:
    """Build a replay in which coordinate i is weighted by its gap, as a share of the widest."""
    polygon = objective.polygon_below(proof.accuracy)
    replay = Replay(Outcomes(found.grid, tick), polygon, proof)
    replay.pass_jumps(
        objective, lambda jump, i: replay.least_cdf(i) > jump.level or is_passed(found.grid, jump, i, tick)
    )
    widest = max(found.gaps)
    known: dict[tuple[int, Fraction], Line] = {}
    for i, gap in enumerate(found.gaps):
        key = id(replay.lines[i]), gap / widest
        if key not in known:
            known[key] = replay.lines[i].times(gap / widest)
    replay.lines = [known[id(line), gap / widest] for line, gap in zip(replay.lines, found.gaps, strict=True)]
    return replay


def attained_replay(plan: Plan, proof: Proof, tick: Callable[[], None]) -> tuple[Replay, Callable[[float], Fraction]]:
    """Return the replay of a plan's record, and the map from its bound to an upper bound in the user's units."""
    found = ranked(plan.mdp, tick)
    if not found.gaps:
        raise TooManyReturns("every policy has the same return: there is nothing to replay")
    most, widest = found.returns[-1], max(found.gaps)
    replay = replay_attained(plan.objective, found, proof, tick)
    return replay, lambda bound: at_least(most - widest * Fraction(max(bound, 0.0)))
