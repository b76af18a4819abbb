r"""Maximise one objective subject to lower bounds on others, where all are mixtures of the mean and one CVaR.

Every functional is :math:`\Phi_i = a_i \mathbf E Z + (1 - a_i) \mathrm{CVaR}_\alpha(Z)`, and the problem is to maximise
:math:`\Phi_0` over all policies, randomised ones included, with :math:`\Phi_i \ge c_i` for i = 1, ..., m.  For a fixed
:math:`\rho` replace CVaR by :math:`C = \rho - \mathbf E(\rho - Z)^+ / \alpha \le \mathrm{CVaR}`, with equality at the
quantile: the optimum is the greatest over rho of a linear program in two moments.  Its support function

.. math:: s_\rho(\theta) = \max_\pi \{ \theta\, \mathbf E Z + (1 - \theta)\, C \}

is, for every rho at once, one budget pass, and gives the upper bounds (theory 05, B11).  The policies of two passes,
mixed so that the constraints hold, give the lower bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from ...errors import Infeasible, Unsupported
from ...grid.compiled import FloatModel, Floats, float_model
from ...law import Law
from ...mdp import MDP
from ...numbers.format import at_most
from ...numbers.rational import float_above, float_below
from ...objectives import Weighting
from ...policy import GridPolicy, MixturePolicy, Policy
from ..affordable_law import affordable_law
from ..clock import Clock
from ..constraints import ConstrainedPlan, Constraint, constrained_plan, undecided
from ..float_error import UNIT_ROUNDOFF, Enclosure
from ..forward_law import forward_law
from ..grid_choice import own_grid, unit_that_fits
from ..outward import tidy_above
from ..search.driver import DEFAULT_GAP
from .budget_tables import BudgetRule, BudgetTables, budget_tables, linear_part
from .tail_route import MeanRule, best_mean, scores_of

MOST_PASSES = 200
"""Maximum number of directions; an answer rarely needs more than twenty."""
FINEST = 10**9
"""Largest denominator of a direction."""
SHARES = 2**53
"""Weights of mixtures are multiples of one part in this."""


@dataclass(frozen=True)
class Directions:
    """Bounds by the Lagrangians of passes over a grid: the weights of the mean in them (theory 05, B11).

    :param eta: the step of the grid
    :param weights: the weight of the mean in each pass
    """

    eta: Fraction
    weights: tuple[Fraction, ...]

    def upper_again(self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...]) -> Fraction:
        """Return the bound from tables of integers."""
        from ...proving.budgets import largest_by_budget

        problem = _Problem.of(objective, constraints)
        assert problem is not None
        supports = [largest_by_budget(mdp, self.eta, theta, problem.alpha) for theta in self.weights]
        bounds_by_rho = []
        for values in zip(*supports, strict=True):
            at, limits = dict(zip(self.weights, values, strict=True)), []
            for a, c in problem.others:
                limits += [(problem.weight - a) / (theta - a) * value - (problem.weight - theta) / (theta - a) * c
                           for theta, value in at.items()
                           if theta != a and (problem.weight - theta) / (theta - a) >= 0]  # fmt: skip
                if at.get(a, c) < c:
                    break
            else:
                bounds_by_rho.append(min([*limits, at[problem.weight]]))
        return max(bounds_by_rho, default=mdp.remaining_range(0)[0])


@dataclass(frozen=True)
class _Problem:
    """The weights of the mean in the objective and the constraints, their bounds, and the level of CVaR."""

    weight: Fraction
    others: tuple[tuple[Fraction, Fraction], ...]
    alpha: Fraction

    @classmethod
    def of(cls, objective: Weighting, constraints: Sequence[Constraint]) -> _Problem | None:
        """Read a problem; None if there is another functional than the mean, CVaR at one level and their mixtures."""
        functionals = (objective, *(c.objective for c in constraints))
        levels = [w.levels for w in functionals if w.levels is not None]
        alphas = {alpha for found in levels for alpha, _ in found.tails}
        if len(levels) < len(functionals) or len(alphas) > 1:
            return None
        means = [found.mean for found in levels]
        pairs = zip(means[1:], (c.bound for c in constraints), strict=True)
        return cls(means[0], tuple(pairs), alphas.pop() if alphas else Fraction(1, 2))

    def directions(self) -> set[Fraction]:
        """Return the directions to begin with: of every functional, and the mean alone."""
        return {self.weight, Fraction(1), *(a for a, _ in self.others)}

    def best(self, supports: dict[Fraction, Floats], unit: Fraction, shift: int) -> Floats:
        """Bound the objective at every rho from above, in shifted units; -inf where the constraints contradict each
        other (B11)."""
        found = supports[self.weight].copy()
        wanted = [(a, c / unit - shift) for a, c in self.others]
        for theta, support in supports.items():
            for a, c in wanted:
                if theta == a:
                    found[_raised(support, c) < float_below(c)] = -np.inf
                step = _multiplier(self.weight, a, theta)
                if step is not None:
                    lagrangian = float(1 + step) * support - float(step * c)
                    rounding = 2.0**-50 * float(1 + step) * (np.abs(support) + abs(float(c)))
                    found = np.minimum(found, lagrangian + rounding)
            for (a, c), (b, d) in combinations(wanted, 2):
                if a != b and 0 <= (share := (theta - b) / (a - b)) <= 1:
                    both = share * c + (1 - share) * d
                    found[_raised(support, both) < float_below(both)] = -np.inf
        return found


def _raised(support: Floats, c: Fraction) -> Floats:
    """Return more than ``support``, so that a comparison with ``c`` is decided beyond rounding."""
    return support + 2.0**-50 * (np.abs(support) + abs(float(c)))


def _multiplier(weight: Fraction, other: Fraction, theta: Fraction) -> Fraction | None:
    """Return lambda >= 0 with ``weight + lambda * other = (1 + lambda) * theta``; None if there is none."""
    if theta == other:
        return None
    step = (weight - theta) / (theta - other)
    return step if step >= 0 else None


class _Search:
    """Directions, their passes on one grid, and the policies found."""

    def __init__(self, model: FloatModel, problem: _Problem) -> None:
        self.model, self.problem, self.top = model, problem, model.remaining[0]
        self.linear = linear_part(model)
        self.supports: dict[Fraction, Floats] = {}
        self.tables: dict[Fraction, BudgetTables] = {}
        self.points: dict[tuple[Fraction, int], tuple[float, float]] = {}
        for theta in sorted(problem.directions()):
            self.look(theta)

    def look(self, theta: Fraction) -> None:
        """Run the pass of one direction; its support is rounded up."""
        model, top = self.model, self.top
        if theta == 1:
            self.supports[theta] = np.repeat(float_above(best_mean(model, self.linear).upper), top + 1)
            return
        slope = (1 - theta) / self.problem.alpha
        self.tables[theta] = tables = budget_tables(model, theta / slope, 0, top, linear=self.linear)
        computed = np.maximum(scores_of(tables.shortfall, range(top + 1), theta, slope, top), -4.0 * (top + 1))
        self.supports[theta] = computed + float_above(_margin(tables.enclosure, top))

    def rule(self, theta: Fraction, rho: int) -> MeanRule | BudgetRule:
        if theta == 1:
            return MeanRule(self.linear, self.model.offsets)
        return BudgetRule(self.tables[theta], rho)

    def point(self, theta: Fraction, rho: int) -> tuple[float, float]:
        """Return the mean and C of a direction's policy, in floats."""
        key = (theta, rho)
        if key not in self.points:
            law = forward_law(self.model, self.rule(theta, rho))
            returns = np.arange(self.top + 1)
            short_of = float(law @ np.maximum(rho - returns, 0))
            self.points[key] = float(law @ returns), rho - short_of / float(self.problem.alpha)
        return self.points[key]

    def mixture(self, rho: int, wanted: list[tuple[float, float]]) -> tuple[float, Fraction, Fraction, float] | None:
        """Return the best mixture of two policies that meets the constraints at ``rho``, about: its value, the
        directions of a policy that meets them and of one that need not, and the weight of the second."""
        found = None
        weight = float(self.problem.weight)
        points = {theta: self.point(theta, rho) for theta in self.supports}

        def value(theta: Fraction, a: float) -> float:
            mean, c = points[theta]
            return a * mean + (1 - a) * c

        for first in points:
            kept = [value(first, a) - c for a, c in wanted]
            if min(kept, default=0.0) < -1e-9 * (self.top + 1):
                continue
            for second in points:
                share = 1.0
                for (a, _), room in zip(wanted, kept, strict=True):
                    lost = value(first, a) - value(second, a)
                    if lost > max(room, 0.0):
                        share = min(share, max(room, 0.0) / lost)
                mixed = (1 - share) * value(first, weight) + share * value(second, weight)
                if found is None or mixed > found[0]:
                    found = mixed, first, second, share
        return found


def _margin(enclosure: Enclosure, top: int) -> Fraction:
    """Return more than the rounding error of a support: of its table, and of six operations on numbers below
    8 (top + 1)."""
    return (enclosure.depth + 16) * UNIT_ROUNDOFF * 8 * (top + 1) + enclosure.underflow * 2**200


def plan_one_level(
    mdp: MDP,
    objective: Weighting,
    constraints: tuple[Constraint, ...],
    *,
    eta: Fraction | None = None,
    gap: Fraction | None = None,
    time_limit: float | None = None,
) -> ConstrainedPlan | None:
    """Plan on the rewards' own grid, or the grid ``eta`` that contains it.

    :returns: the plan; None if a functional is none of the mean, CVaR at one level and their mixtures, or if the
        rewards have no grid that fits in memory
    :raises Infeasible: if no policy meets the constraints
    """
    problem, clock = _Problem.of(objective, constraints), Clock(time_limit)
    unit = own_grid(mdp) if eta is None else unit_that_fits(mdp, eta)
    if problem is None or unit is None or not (model := float_model(mdp, unit)).exact:
        return None
    search, shift = _Search(model, problem), model.offsets[-1]
    wanted = [(float(a), float(c / unit - shift)) for a, c in problem.others]
    span = model.unit * max(model.remaining[0], 1)
    tolerance = float((DEFAULT_GAP * span if gap is None else gap) / unit) / 2
    best: tuple[float, int, Fraction, Fraction, float] | None = None
    while True:
        bound = problem.best(search.supports, unit, shift)
        rho = int(np.argmax(bound))
        if bound[rho] == -np.inf:
            raise Infeasible(_no_policy(constraints, search, unit))
        found = search.mixture(rho, wanted)
        if found is not None and (best is None or found[0] > best[0]):
            best = (found[0], rho, *found[1:])
        if best is not None and bound[rho] - best[0] <= tolerance:
            break
        if len(search.supports) >= MOST_PASSES or clock.late():
            break
        theta = _between(search, rho, found)
        if theta is None:
            break
        search.look(theta)
    if best is None:
        raise undecided(constraints)
    upper = tidy_above((Fraction(float(problem.best(search.supports, unit, shift).max())) + shift) * unit)
    return _assembled(mdp, objective, constraints, search, best, upper, unit)


def _between(search: _Search, rho: int, found: tuple[float, Fraction, Fraction, float] | None) -> Fraction | None:
    """Return a new direction: that in which the two policies of the mixture are equal, or, without one, some two
    neighbours on the front."""
    pairs = list(pairwise(sorted(search.supports)))
    if found is not None and found[1] != found[2]:
        pairs.insert(0, (found[1], found[2]))
    for pair in pairs:
        (x, c), (y, d) = sorted(search.point(theta, rho) for theta in pair)
        if y > x and c > d:
            theta = Fraction((c - d) / ((c - d) + (y - x))).limit_denominator(FINEST)
            if theta not in search.supports:
                return theta
    return None


def _no_policy(read: Sequence[Constraint], search: _Search, unit: Fraction) -> str:
    shift = search.model.offsets[-1]
    for c, (a, bound) in zip(read, search.problem.others, strict=True):
        most = tidy_above((Fraction(float(search.supports[a].max())) + shift) * unit)
        if most < bound:
            return f"no policy has {c}: the largest is at most {at_most(most)}"
    return f"no policy has {' and '.join(map(str, read))} together"


def _assembled(
    mdp: MDP,
    objective: Weighting,
    constraints: tuple[Constraint, ...],
    search: _Search,
    best: tuple[float, int, Fraction, Fraction, float],
    upper: Fraction,
    unit: Fraction,
) -> ConstrainedPlan:
    """Mix the two policies by their own laws, so that the constraints hold exactly if the laws are exact."""
    _, rho, first, second, share = best
    parts = [GridPolicy(mdp, unit, search.rule(theta, rho)) for theta in (first, second)]
    laws = [affordable_law(mdp, part) for part in parts]
    if any(found is None for found in laws):
        raise Unsupported("the laws of the policies take too long to compute", instead="a larger eta")
    known = [found for found in laws if found is not None]
    error = max(e for _, e in known)
    weight = Fraction(share).limit_denominator(FINEST)
    if error == 0:
        at = (rho + search.model.offsets[-1]) * unit
        weight = min(Fraction(1), _most_share(search.problem, [law for law, _ in known], at))
        weight = Fraction(int(weight * SHARES), SHARES)
    kept = [(w, k) for k, w in enumerate((1 - weight, weight)) if w]
    policy: Policy = parts[kept[0][1]] if len(kept) == 1 else MixturePolicy((w, parts[k]) for w, k in kept)
    law = Law.mixture((w, known[k][0]) for w, k in kept)
    proof = Directions(unit, tuple(sorted(search.supports)))
    return constrained_plan(mdp, objective, constraints, policy, (law, error), upper, unit, proof)


def _most_share(problem: _Problem, laws: list[Law], rho: Fraction) -> Fraction:
    """Return the largest weight of the second law with which every constraint holds at ``rho``, from 0 on."""
    share = Fraction(1)

    def value(law: Law, a: Fraction) -> Fraction:
        shortfall = sum((p * max(rho - z, Fraction()) for z, p in law), Fraction())
        return a * law.mean + (1 - a) * (rho - shortfall / problem.alpha)

    for a, c in problem.others:
        first, second = (value(law, a) for law in laws)
        if second < c:
            share = min(share, max(first - c, Fraction()) / (first - second) if first > second else Fraction())
    return share
