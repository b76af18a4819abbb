r"""Search for any weighting if few returns are attainable, however fine the grid that contains them (theory 05, B9).

Let :math:`z_0 < \dots < z_B` be the attainable returns, :math:`F_i = P(Z \le z_i)` and
:math:`w = \max_i (z_{i+1} - z_i)`.  Then

.. math:: \Phi = z_B - w \sum_{i<B} v_i\,G(F_i), \qquad v_i = (z_{i+1} - z_i) / w \le 1,

so the search has B coordinates, each with a polygon below :math:`v_i G`.  The model is unfolded: its states are pairs
of state and return so far, and only the last step has a reward, the *rank* of the return.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...grid import FloatModel, GridModel, Step, TooManySums, grid_model
from ...mdp import MDP
from ...mdp.packed import starts
from ...numbers.enclosure import bounds
from ...objectives import Weighting
from ...policy import ReturnPolicy
from ...policy.evaluation import return_law
from ..affordable_law import most_cells
from ..certify import Held, certify
from ..clock import Clock
from ..exact_route import last_attained
from ..grid_choice import own_grid, steps_remaining
from ..result import Plan
from ..rounding import confirmable
from .driver import Aim, Coordinates, Driver, by_laws, compile_search, kept_parts, mixed, off_the_jump
from .grid_coordinates import Oracle
from .relaxation import Mixture

if TYPE_CHECKING:
    from ..problem import Problem

MANY_POINTS = 100  # points of the returns' own grid up to which a search on that grid takes no time
SPARSE = 4  # own-grid points per attainable return from which on the search is over the returns, not the grid
MOST_RETURNS = 300  # maximum number of attainable returns, each a coordinate with a polygon of its own
MOST_CELLS = 3000  # maximum number of triples of step, state and return so far to unfold
MOST_ENTRIES = 5_000_000  # maximum number of entries of the search's tables: a hundred megabytes


@dataclass(frozen=True)
class Unfolded:
    """The cells (step, state, return so far in units) of a model, and its attainable returns in units, increasing."""

    mdp: MDP
    grid: GridModel
    cells: tuple[tuple[int, int, int], ...]
    returns: tuple[int, ...]

    @property
    def top(self) -> int:
        """B, the number of coordinates of a CDF."""
        return len(self.returns) - 1

    @cached_property
    def width(self) -> Fraction:
        """w, the widest gap between neighbours, in the user's units."""
        return self.grid.unit * max(b - a for a, b in pairwise(self.returns))

    @cached_property
    def widths(self) -> list[Fraction]:
        """v, the gaps as shares of the widest."""
        return [self.grid.unit * (b - a) / self.width for a, b in pairwise(self.returns)]

    @property
    def most(self) -> Fraction:
        return self.grid.unit * self.returns[-1]

    @property
    def span(self) -> Fraction:
        return self.grid.unit * (self.returns[-1] - self.returns[0])

    def model(self) -> FloatModel:
        """Return the model whose states are the cells, followed by a terminal state."""
        number = {cell: k for k, cell in enumerate(self.cells)}
        rank = {z: i for i, z in enumerate(self.returns)}
        end, last = len(self.cells), self.mdp.horizon - 1
        rows: list[dict[tuple[int, int], int]] = []
        counts = []
        for t, s, y in self.cells:
            actions = self.grid.steps[t][s]
            counts.append(len(actions))
            for branches in actions:
                row: dict[tuple[int, int], int] = {}
                for w, target, j in branches:
                    key = (end, rank[y + j]) if t == last else (number[t + 1, target, y + j], 0)
                    row[key] = row.get(key, 0) + w
                rows.append(row)
        rows.append({(end, 0): self.grid.denominator})
        start = starts(map(len, rows))
        prob = np.array([w / self.grid.denominator for row in rows for w in row.values()])
        paid = np.array([r for row in rows for _, r in row], dtype=np.int64)

        def step(units: npt.NDArray[np.int64], span: int) -> Step:
            nothing = np.zeros(len(rows))
            return Step(units, prob, start, 0, span, nothing, nothing, Fraction())

        silent, paying = step(np.zeros_like(paid), 0), step(paid, self.top)
        return FloatModel(
            self.width,
            end + 1,
            False,
            starts([*counts, 1]),
            start,
            np.array([s for row in rows for s, _ in row], dtype=np.int64),
            prob,
            (silent,) * last + (paying,),
            np.array([number[0, s, 0] for s, _ in self.grid.initial], dtype=np.int64),
            np.array([w / self.grid.initial_denominator for _, w in self.grid.initial]),
            True,
        )

    def policy(self, choice: npt.NDArray[Any]) -> ReturnPolicy:
        table = {(t, s, y * self.grid.unit): int(choice[t, k, 0]) for k, (t, s, y) in enumerate(self.cells)}
        return ReturnPolicy(self.mdp, table)


def unfolded(mdp: MDP) -> Unfolded | None:
    """Return the unfolded model if its own grid has many points and few returns are attainable; otherwise None."""
    if not mdp.is_discrete or most_cells(mdp) > 10 * MOST_CELLS:
        return None
    own = own_grid(mdp)
    points = math.inf if own is None else steps_remaining(mdp, own)[0]
    if points <= MANY_POINTS:
        return None
    grid = grid_model(mdp)
    try:
        reached = grid.reachable(MOST_CELLS)
    except TooManySums:
        return None
    cells = tuple((t, s, y) for t, level in enumerate(reached[:-1]) for s in sorted(level) for y in sorted(level[s]))
    returns = tuple(sorted({z for sums in reached[-1].values() for z in sums}))
    few = 2 <= len(returns) <= min(MOST_RETURNS, points / SPARSE)
    few = few and mdp.horizon * len(cells) * len(returns) <= MOST_ENTRIES
    return Unfolded(mdp, grid, cells, returns) if few else None


def search_attained_returns(problem: Problem) -> Plan:
    """Search until the gap is closed or time is up."""
    model, objective = problem.unfolded, problem.objective
    assert model is not None
    aim = Aim.of(model.span, problem.gap, problem.seconds)
    compile_search()
    clock = Clock(aim.seconds)
    quantiles = _best_quantiles(model, objective, clock)
    oracle = Oracle(model.model())
    driver = Driver(
        Coordinates(oracle, model.width, model.most, model.widths), objective, aim.accuracy,
        [rank for rank, _ in quantiles], float(aim.gap / model.width) / 2, clock,
        lambda best: _worth(model, objective, best), problem.progress,
    )  # fmt: skip
    driver.run(by_mean=problem.by_mean)
    upper, held = driver.upper, driver.held
    for _, other in quantiles:
        if upper - held.lower > aim.gap and held.law is not None:
            held = off_the_jump(held, other, by_laws(objective, held.law, return_law(model.mdp, other)))

    def shares(lower: Fraction, upper: Fraction) -> tuple[tuple[str, Fraction], ...]:
        left_open = min(max(Fraction(), upper - driver.found), upper - lower)
        rest = upper - lower - left_open
        return (("search", left_open), ("weighting above its polygon, float64 arithmetic", rest))

    method = clock.said(
        f"search over CDFs of {model.top + 1} attainable returns: {oracle.calls} passes, {driver.search.nodes} nodes"
    )
    held = replace(held, lower=confirmable(held.lower, model.mdp, objective))
    return certify(model.mdp, objective, held, upper, model.grid.unit, method, shares)


def _best_quantiles(model: Unfolded, objective: Weighting, clock: Clock) -> list[tuple[int, ReturnPolicy]]:
    """Return, for each jump of G, the rank from which on every policy's CDF is past it (B8), decided in integers, and
    the policy of that quantile; an empty list if there is no time."""
    found = []
    for jump in objective.jumps:
        if clock.late():
            return []
        best = last_attained(model.grid, jump, model.returns)
        assert best is not None  # the least return is always attained
        value, decision = best
        table = {(t, s, y * model.grid.unit): decision(t, s, y) for t, s, y in model.cells}
        found.append((model.returns.index(int(value / model.grid.unit)), ReturnPolicy(model.mdp, table)))
    return found


def _worth(model: Unfolded, objective: Weighting, best: Mixture) -> Held:
    """Return the mixture with a lower bound on its value, from its exact law."""
    policy = mixed((w, model.policy(choice)) for w, choice in kept_parts(best))
    law = return_law(model.mdp, policy)
    return Held(bounds(objective.of(law))[0], policy, law)
