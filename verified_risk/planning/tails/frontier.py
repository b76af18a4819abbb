r"""The curve alpha -> CVaR* at all levels, and the trade-off between mean and CVaR.

One pass computes :math:`\bar W(\rho) = \min_\pi \mathbf E(\rho - Z)^+` for every rho, and

.. math:: \alpha\,\mathrm{CVaR}^*_\alpha = \max_\rho \{ \alpha\rho - \bar W(\rho) \}

is an upper envelope of lines in alpha: its corners are the levels at which the optimal rho changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from ...grid import float_model, scaled_model
from ...mdp import MDP
from ...mdp.model import required_model
from ...mdp.packed import Floats
from ...numbers.enclosure import Interval
from ...numbers.format import above, columns, ends, short
from ...numbers.rational import Rational
from ...objectives import CVaR, Mean, Weighting
from ...objectives.weighting import read_level
from ..affordable_law import approximate_law
from ..certify import certify_on_grid
from ..clock import Clock, read_nonnegative, read_seconds
from ..grid_choice import choose_unit, served_by_own_grid, unit_that_fits
from ..result import Plan
from ..rounding import within_range
from .budget_tables import BudgetTables, budget_tables
from .interpolated_tables import Envelope, envelope
from .refine import answer, refined_plan, serves, solved
from .tail_route import assemble

if TYPE_CHECKING:
    from ...plotting import Picture

MOST_POINTS = 64  # default number of points of a front; each is a plan of its own
SHOWN_LEVELS = ("1/100", "1/20", "1/10", "1/4", "1/2", "3/4", "1")
FRONTIER_COLUMNS = ("alpha", "attained", "no policy has more than", "gap")


@dataclass(frozen=True)
class PlainCurve:
    """Tables on a grid that contains every reward, or rounds them up."""

    mdp: MDP
    tables: BudgetTables

    @property
    def unit(self) -> Fraction:
        return self.tables.model.unit

    def shortfalls(self) -> Floats:
        """Return the computed ``min E(rho - Z)^+`` at rho = 0, 1, ... units."""
        return self.tables.shortfall

    def at(self, alpha: Fraction) -> Interval:
        """Return bounds on the optimum at one level."""
        model, bounds = self.tables.model, assemble(self.tables, Fraction(), 1 / alpha)
        shift = model.offsets[-1]
        lower, upper = model.unit * (shift + bounds.lower) - model.loss, model.unit * (shift + bounds.upper)
        return Interval(*within_range(self.mdp, lower, upper))

    def plan(self, alpha: Fraction) -> Plan:
        bounds = assemble(self.tables, Fraction(), 1 / alpha)
        return certify_on_grid(
            self.mdp, CVaR(alpha), self.tables.model, bounds, "budget recursion, float64, all levels"
        )


@dataclass(frozen=True)
class Interpolated:
    """Tables interpolated between their nodes, for discounted models."""

    mdp: MDP
    tables: Envelope

    @property
    def unit(self) -> Fraction:
        return self.tables.model.eta

    def shortfalls(self) -> Floats:
        return self.tables.above.about()

    def at(self, alpha: Fraction) -> Interval:
        found = solved(self.tables, CVaR(alpha).require_levels())
        return Interval(found.lower, found.upper)

    def plan(self, alpha: Fraction) -> Plan:
        found = solved(self.tables, CVaR(alpha).require_levels())
        return answer(self.mdp, CVaR(alpha), [found], "the tables of all levels")


Curve: TypeAlias = PlainCurve | Interpolated
"""The tables of all levels at once."""


@dataclass(frozen=True)
class CVaRFrontier:
    """The curve alpha -> CVaR*; call it for an enclosure, :meth:`plan` for a policy.

    ``corners`` are the levels at which the (computed) optimal rho changes, increasing.

    :param mdp: the model
    :param eta: the step of the grid
    :param corners: levels at which the best policy changes
    """

    mdp: MDP = field(repr=False)
    eta: Fraction
    corners: tuple[Fraction, ...] = field(repr=False)
    _curve: Curve = field(repr=False)

    def __call__(self, alpha: Rational) -> Interval:
        """Return certified bounds on the optimal CVaR at level alpha."""
        return self._curve.at(read_level(alpha, "alpha"))

    def rows(self, levels: Iterable[Rational] = SHOWN_LEVELS) -> list[list[str]]:
        """Return a table as text: a row per level, with its certified bounds, rounded outward, and their distance.

        :param levels: in (0, 1]
        :returns: rows of cells
        :raises InvalidObjective: if a level is outside
        """
        read = [read_level(alpha, "alpha") for alpha in levels]
        found = [(alpha, self._curve.at(alpha)) for alpha in read]
        return [[str(a), *ends(x.lower, x.upper), above(x.upper - x.lower)] for a, x in found]

    def __str__(self) -> str:
        return f"the best CVaR in {self.mdp!r}\n" + columns([list(FRONTIER_COLUMNS), *self.rows()])

    def plan(self, alpha: Rational) -> Plan:
        """Return the plan of one level, from the tables of all levels.

        :param alpha: a level in (0, 1]
        :returns: the plan
        :raises InvalidObjective: if the level is outside
        """
        return self._curve.plan(read_level(alpha, "alpha"))

    def plot(self) -> Picture:
        """Plot the certified bounds over alpha.

        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from ...plotting import draw_frontier

        return draw_frontier(self)


def cvar_frontier(
    mdp: MDP, *, eta: Rational | None = None, gap: Rational | None = None, time_limit: Rational | None = None
) -> CVaRFrontier:
    """Compute the optimal CVaR at every level in one backward pass.

    >>> import verified_risk as vr
    >>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> frontier = vr.cvar_frontier(mdp)
    >>> float(frontier("1/8")), float(frontier(1)), [str(alpha) for alpha in frontier.corners]
    (0.25, 0.4375, ['1/4'])

    With a discount, and without ``eta``, the grid is the one that meets ``gap`` at level 1/10, or the finest whose
    passes fit into half of ``time_limit``.  A given grid, or the rewards' own, takes one pass whatever the limit.

    :param mdp: the model
    :param eta: the step of the grid of rewards
    :param gap: the gap to aim at when choosing the grid
    :param time_limit: seconds; after it no finer grid is tried
    :returns: the curve
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory
    """
    mdp = required_model(mdp)
    seconds = read_seconds(time_limit)
    curve = _curve(mdp, None if eta is None else unit_that_fits(mdp, eta), read_nonnegative(gap, "gap"), seconds)
    return CVaRFrontier(mdp, curve.unit, tuple(_corners(curve.shortfalls())), curve)


def _curve(mdp: MDP, unit: Fraction | None, gap: Fraction | None, seconds: float | None) -> Curve:
    if serves(mdp, CVaR("1/10")) and not served_by_own_grid(mdp, unit):
        if unit is None:
            unit = refined_plan(mdp, CVaR("1/10"), None, gap, None if seconds is None else seconds / 2).eta
        return Interpolated(mdp, envelope(scaled_model(mdp, unit), Fraction()))
    model = float_model(mdp, choose_unit(mdp, unit, gap, searching=False))
    return PlainCurve(mdp, budget_tables(model, Fraction(), 0, model.remaining[0]))


def _corners(shortfalls: Floats) -> Iterator[Fraction]:
    """Yield the corners of the upper envelope of ``alpha * rho - W(rho)`` over (0, 1); its slopes rho increase."""
    hull: list[tuple[int, Fraction]] = []
    for rho, shortfall in enumerate(shortfalls.tolist()):
        w = Fraction(shortfall)
        while len(hull) >= 2:
            (a, u), (b, v) = hull[-2], hull[-1]
            if (v - u) * (rho - b) < (w - v) * (b - a):  # b lies strictly below the chord of its neighbours: a corner
                break
            hull.pop()
        hull.append((rho, w))
    for (a, u), (b, v) in pairwise(hull):
        alpha = (v - u) / (b - a)
        if 0 < alpha < 1:
            yield alpha


@dataclass(frozen=True)
class FrontPoint:
    """A policy that no other beats in both mean and CVaR by more than the plan's gap, for one weight of the mean.

    ``mean`` and ``cvar`` are exact values of the law of the policy's return if ``exact``, otherwise approximations.

    :param weight: the weight of the mean; the rest is on CVaR
    :param mean: the mean of the policy's return
    :param cvar: the CVaR of the policy's return
    :param plan: the policy with its bounds
    """

    weight: Fraction
    mean: Fraction
    cvar: Fraction
    plan: Plan = field(repr=False)

    @property
    def exact(self) -> bool:
        """True if ``mean`` and ``cvar`` are exact."""
        return self.plan.law_error == 0


class Front(tuple[FrontPoint, ...]):
    """The points of a front, by increasing mean.

    :param iterable: the points
    """

    __slots__ = ()

    def __str__(self) -> str:
        table = [["mean", "cvar", "weight of the mean", "gap", "mean and cvar are"]]
        for p in self:
            said = "exact" if p.exact else "not exact"
            table.append([short(p.mean), short(p.cvar), short(p.weight), above(p.plan.gap), said])
        return columns(table)

    def plot(self) -> Picture:
        """Plot the points, and for each the line above which no policy lies.

        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from ...plotting import draw_front

        return draw_front(self)


def mean_cvar_front(
    mdp: MDP,
    alpha: Rational,
    *,
    eta: Rational | None = None,
    gap: Rational | None = None,
    points: int = MOST_POINTS,
    time_limit: Rational | None = None,
) -> Front:
    r"""Return the supported points of the Pareto front of mean against CVaR, by increasing mean.

    Between two neighbours, the weight that makes them equal is tried; a better policy is a new point (Aneja and Nair).
    The points maximise :math:`w\,\mathrm{Mean} + (1-w)\,\mathrm{CVaR}_\alpha` for some w; points below the segments
    between them are not found.  The ends are found with weights 1/1000 and 999/1000, so that the other criterion breaks
    ties.  Both ends are found whatever the ``time_limit``, each in a quarter of it if a plan can be cut short; once it
    has passed, no more points are sought.

    :param mdp: the model
    :param alpha: the level of CVaR, in (0, 1]
    :param eta: the step of the grid of rewards
    :param gap: the gap to aim at when choosing the grid
    :param points: the largest number of points
    :param time_limit: seconds
    :returns: the points, by increasing mean
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory
    """
    level, clock = read_level(alpha, "alpha"), Clock(read_seconds(time_limit))

    def point(weight: Fraction) -> FrontPoint:
        return _point(mdp, level, weight, eta, gap, None if clock.seconds is None else max(clock.left, 0.0) / 4)

    least, most = point(Fraction(1, 1000)), point(Fraction(999, 1000))
    found = [least, most] if (least.mean, least.cvar) != (most.mean, most.cvar) else [least]
    queue = [(least, most)] if len(found) == 2 else []
    while queue and len(found) < points and not clock.late():
        left, right = queue.pop(0)
        gain, loss = right.mean - left.mean, left.cvar - right.cvar
        if gain <= 0 or loss <= 0:
            continue
        weight = loss / (gain + loss)  # w mean + (1 - w) cvar is equal at both ends
        middle = point(weight)
        height = weight * middle.mean + (1 - weight) * middle.cvar
        chord = weight * left.mean + (1 - weight) * left.cvar
        if height > chord + max(middle.plan.gap, Fraction(1, 10**12)) and left.mean < middle.mean < right.mean:
            found.append(middle)
            queue += [(left, middle), (middle, right)]
    return Front(sorted(found, key=lambda point: point.mean))


def _point(
    mdp: MDP, alpha: Fraction, weight: Fraction, eta: Rational | None, gap: Rational | None, seconds: float | None
) -> FrontPoint:
    from ..api import plan

    mixture = weight * Mean() + (1 - weight) * CVaR(alpha)
    assert isinstance(mixture, Weighting)
    answer = plan(mdp, mixture, eta=eta, gap=gap, time_limit=seconds)
    law = answer.law or approximate_law(mdp, answer.policy)
    cvar = CVaR(alpha).of(law)
    assert isinstance(cvar, Fraction)
    return FrontPoint(weight, law.mean, cvar, answer)
