"""One model under several objectives: the exact value of each plan under every objective."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .errors import InvalidArgument
from .mdp import MDP
from .numbers.enclosure import Interval, Real
from .numbers.format import above, at_least, at_most, columns, json_number, short
from .numbers.rational import Rational
from .objectives import Weighting
from .objectives import objective as read_objective
from .planning import Plan, plan
from .planning.clock import Clock, read_seconds
from .progress import Report

if TYPE_CHECKING:
    from .plotting import Picture


@dataclass(frozen=True)
class Comparison:
    """Plans of one model, one per objective; ``values[i][j]`` is objective j of the return of plan i.

    A value is exact, an enclosure, or None if the law of the plan's return is not known (:meth:`Plan.worth`).

    :param mdp: the model
    :param objectives: the objectives, in the order given
    :param plans: one plan per objective
    """

    mdp: MDP = field(repr=False)
    objectives: tuple[Weighting, ...]
    plans: tuple[Plan, ...] = field(repr=False)

    @property
    def values(self) -> tuple[tuple[Real | None, ...], ...]:
        return tuple(tuple(plan.worth(G) for G in self.objectives) for plan in self.plans)

    def rows(self) -> list[list[str]]:
        """Return a table as text: a row per plan, a column per objective, and the plan's gap.

        :returns: rows of cells
        """
        shown = [[_shown(x) for x in row] for row in self.values]
        return [
            [G.spec, *own, above(plan.gap) if plan.gap else "0"]
            for G, own, plan in zip(self.objectives, shown, self.plans, strict=True)
        ]

    def __str__(self) -> str:
        return columns([["planned for", *(G.spec for G in self.objectives), "gap"], *self.rows()])

    def plot(self) -> Picture:
        """Plot the laws of the return, one below the other.

        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from .plotting import draw_compared

        return draw_compared(self)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        return {
            "objectives": [G.spec for G in self.objectives],
            "values": [[None if x is None else json_number(x) for x in row] for row in self.values],
            "gaps": [json_number(plan.gap) for plan in self.plans],
        }


def _shown(value: Real | None) -> str:
    """Format a value for a cell: six digits if an enclosure determines them, otherwise both ends."""
    if value is None:
        return "not known"
    if not isinstance(value, Interval):
        return short(Fraction(value))
    low, high = f"{float(value.lower):.6g}", f"{float(value.upper):.6g}"
    return f"≈{low}" if low == high else f"{at_least(value.lower)} to {at_most(value.upper)}"


def compare(
    mdp: MDP,
    objectives: Iterable[Weighting | str] | Weighting | str,
    *,
    eta: Rational | None = None,
    gap: Rational | None = None,
    time_limit: Rational | None = None,
    progress: Report | None = None,
) -> Comparison:
    """Plan for every objective, and evaluate every plan under all of them.

    >>> import verified_risk as vr
    >>> print(vr.compare(vr.models.two_paths(), ["mean", "cvar(1/4)"]))
    planned for  mean  cvar(1/4)       gap
    mean          3/2          0  6.11e-15
    cvar(1/4)       1          1         0

    :param mdp: the model
    :param objectives: weightings, or their text forms; a single one counts as a list of one
    :param eta: the step of the grid of rewards
    :param gap: the largest acceptable ``upper - lower`` of a plan
    :param time_limit: seconds for all plans; each gets an equal share of the remaining time
    :param progress: a callback that takes a :class:`~verified_risk.Progress`
    :returns: the plans and the table of their values
    :raises InvalidArgument: if there is no objective
    :raises InvalidObjective: if a text is not a weighting
    """
    listed = [objectives] if isinstance(objectives, (str, Weighting)) else objectives
    read = tuple(read_objective(G) for G in listed)
    if not read:
        raise InvalidArgument("objectives is empty, wanted at least one")
    clock, plans = Clock(read_seconds(time_limit)), []
    for k, G in enumerate(read):
        share = None if clock.seconds is None else max(clock.left, 0.0) / (len(read) - k)
        plans.append(plan(mdp, G, eta=eta, gap=gap, time_limit=share, progress=progress))
    return Comparison(mdp, read, tuple(plans))
