"""The arguments of :func:`~verified_risk.plan`, parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..mdp import MDP
from ..objectives import Weighting
from ..progress import Report
from .affordable_law import most_cells, surely_more_cells
from .clock import Clock
from .exact_route import FEW_CELLS
from .grid_choice import own_grid, steps_remaining
from .search.attained_coordinates import Unfolded, unfolded

MANY_POINTS = 100_000  # cells of plain tables beyond which the attainable returns, if few, are listed instead


@dataclass(frozen=True)
class Problem:
    """A model, an objective, and the caller's limits; ``clock`` starts when the problem is created."""

    mdp: MDP
    objective: Weighting
    eta: Fraction | None = None
    gap: Fraction | None = None
    seconds: float | None = None
    progress: Report | None = None
    by_mean: bool = False  # whether one pass is to prefer, of policies that are as good, one with the better mean
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock", Clock(self.seconds))

    @property
    def needs_search(self) -> bool:
        return needs_search(self.objective)

    @property
    def is_mean(self) -> bool:
        return self.objective.levels is not None and not self.objective.levels.tails

    @cached_property
    def unfolded(self) -> Unfolded | None:
        """The model unfolded over its attainable returns, if they are few."""
        return unfolded(self.mdp)


def needs_search(objective: Weighting) -> bool:
    """True if one pass is not enough: for everything but VaR, the mean, and the mean with one CVaR."""
    if objective.quantile is not None:
        return False
    levels = objective.levels
    return levels is None or len(levels.tails) > 1


def few_returns(mdp: MDP, objective: Weighting) -> bool:
    """Return whether one exact pass over the attainable returns is enough while their grid has many points."""
    if needs_search(objective) or not mdp.is_discrete:
        return False
    if surely_more_cells(mdp, FEW_CELLS) or most_cells(mdp) > FEW_CELLS:
        return False
    own = own_grid(mdp)
    return own is None or mdp.n_states * sum(steps_remaining(mdp, own)) > MANY_POINTS
