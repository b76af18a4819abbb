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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from ...errors import Infeasible, InvalidArgument, Unsupported
from ...grid.floats import FloatModel, Floats, float_model
from ...law import Law
from ...mdp import MDP
from ...numbers.enclosure import Interval, bounds
from ...numbers.format import above, at_least, at_most, columns, ends, number, short
from ...numbers.rational import as_fraction, float_above, float_below
from ...objectives import Weighting
from ...objectives import objective as read_objective
from ...policy import GridPolicy, MixturePolicy, Policy
from ..affordable_law import affordable_law, worth_within
from ..clock import Clock
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
class Constraint:
    """``objective >= bound``, in the user's units.

    :param objective: a mixture of the mean and one CVaR
    :param bound: the least acceptable value
    """

    objective: Weighting
    bound: Fraction

    @classmethod
    def of(cls, text: object) -> Constraint:
        """Read ``"cvar(1/10) >= -5"``.

        :param text: a constraint, or its text form
        :returns: the constraint
        :raises InvalidArgument: if it is not of this form
        """
        if isinstance(text, Constraint):
            return text
        if not isinstance(text, str) or text.count(">=") != 1:
            raise InvalidArgument(f"a constraint is {text!r}, wanted text such as 'cvar(1/10) >= -5'")
        left, right = text.split(">=")
        return cls(read_objective(left.strip()), as_fraction(right.strip(), f"the bound of {text!r}"))

    def __str__(self) -> str:
        return f"{self.objective.spec} >= {short(self.bound)}"


@dataclass(frozen=True)
class ConstrainedPlan:
    """A policy and bounds on the best objective of all policies that meet the constraints.

    ``lower`` is what the policy is worth at least; ``upper`` bounds every policy that meets the constraints.  The
    policy is usually a mixture of two, one of which is drawn at the start.

    :param mdp: the model
    :param objective: what was maximised
    :param constraints: what had to hold
    :param policy: the policy
    :param lower: a lower bound on the policy's objective
    :param upper: an upper bound on the objective of every policy that meets the constraints
    :param worth: bounds on the policy's value of each constraint
    :param law: the law of the policy's return, off by at most ``law_error`` in its CDF
    :param law_error: 0 if the law is exact
    :param eta: the step of the grid
    :param directions: the weights of the mean in the passes that prove ``upper``
    """

    mdp: MDP = field(repr=False)
    objective: Weighting
    constraints: tuple[Constraint, ...]
    policy: Policy = field(repr=False)
    lower: Fraction
    upper: Fraction
    worth: tuple[Interval, ...]
    law: Law = field(repr=False)
    law_error: Fraction
    eta: Fraction
    directions: tuple[Fraction, ...] = field(repr=False)

    @property
    def gap(self) -> Fraction:
        """A bound on how far the policy is from the best that meets the constraints; 0 if it misses some of them and is
        better than those that do not."""
        return max(self.upper - self.lower, Fraction())

    @property
    def missed(self) -> tuple[Fraction, ...]:
        """By how much the policy may miss each constraint: 0 where it surely holds."""
        return tuple(max(c.bound - w.lower, Fraction()) for c, w in zip(self.constraints, self.worth, strict=True))

    def __str__(self) -> str:
        table = [["", "this policy", "wanted", "missed by"]]
        best = f"no policy that keeps to it has more than {at_most(self.upper)}"
        table.append([self.objective.spec, f"at least {at_least(self.lower)}", "the most", ""])
        for c, w, missed in zip(self.constraints, self.worth, self.missed, strict=True):
            has = number(w.lower) if w.lower == w.upper else " to ".join(ends(w.lower, w.upper))
            table.append([c.objective.spec, has, f"at least {short(c.bound)}", above(missed)])
        return f"{self.objective.spec} in {self.mdp!r}, with constraints\n{columns(table)}\n{best}"

    def recheck(self) -> bool:
        """Compute the upper bound again in other arithmetic, from the directions alone, and the policy's worth from its
        law.

        :returns: whether both confirm the plan
        """
        span, again = self.mdp.remaining_range(0), affordable_law(self.mdp, self.policy)
        if again is None or again[1] != self.law_error:
            return False
        worth = [bounds(worth_within(w, *again, span))[0]
                 for w in (self.objective, *(c.objective for c in self.constraints))]  # fmt: skip
        stated = [self.lower, *(w.lower for w in self.worth)]
        return all(x >= y for x, y in zip(worth, stated, strict=True)) and min(self._upper(), span[1]) <= self.upper

    def _upper(self) -> Fraction:
        """Bound the optimum by the Lagrangian of each direction and constraint, from tables of integers."""
        from ...proving.budgets import largest_by_budget

        problem = _Problem.of(self.objective, self.constraints)
        supports = [largest_by_budget(self.mdp, self.eta, theta, problem.alpha) for theta in self.directions]
        bounds_by_rho = []
        for values in zip(*supports, strict=True):
            at, limits = dict(zip(self.directions, values, strict=True)), []
            for a, c in problem.others:
                limits += [(problem.weight - a) / (theta - a) * value - (problem.weight - theta) / (theta - a) * c
                           for theta, value in at.items()
                           if theta != a and (problem.weight - theta) / (theta - a) >= 0]  # fmt: skip
                if at.get(a, c) < c:
                    break
            else:
                bounds_by_rho.append(min([*limits, at[problem.weight]]))
        return max(bounds_by_rho, default=self.mdp.remaining_range(0)[0])


@dataclass(frozen=True)
class _Problem:
    """The weights of the mean in the objective and the constraints, their bounds, and the level of CVaR."""

    weight: Fraction
    others: tuple[tuple[Fraction, Fraction], ...]
    alpha: Fraction

    @classmethod
    def of(cls, objective: Weighting, constraints: Sequence[Constraint]) -> _Problem:
        levels = [w.levels for w in (objective, *(c.objective for c in constraints))]
        alphas: set[Fraction] = set()
        for weighting, found in zip((objective, *(c.objective for c in constraints)), levels, strict=True):
            if found is None or len(found.tails) > 1:
                raise Unsupported(
                    f"{weighting.spec}: constraints are planned for the mean, CVaR at one level and their mixtures"
                )
            alphas |= {alpha for alpha, _ in found.tails}
        if len(alphas) > 1:
            shown = " and ".join(map(str, sorted(alphas)))
            raise Unsupported(f"CVaR at levels {shown}: constraints are planned for one level of CVaR at a time")
        means = [found.mean for found in levels if found is not None]
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


def plan_subject_to(
    mdp: MDP,
    objective: Weighting,
    constraints: Iterable[object],
    *,
    eta: Fraction | None = None,
    gap: Fraction | None = None,
    time_limit: float | None = None,
) -> ConstrainedPlan:
    """Plan on the rewards' own grid, or the grid ``eta`` that contains it.

    :raises Infeasible: if no policy meets the constraints
    :raises Unsupported: if a functional is none of the mean, CVaR at one level and their mixtures, or if the rewards
        have no grid that fits in memory
    """
    read = tuple(Constraint.of(c) for c in constraints)
    problem, clock = _Problem.of(objective, read), Clock(time_limit)
    unit = own_grid(mdp) if eta is None else unit_that_fits(mdp, eta)
    if unit is None or not (model := float_model(mdp, unit)).exact:
        raise Unsupported("constraints need rewards on a grid that fits in memory", instead="mdp.discretised(eta)")
    search, shift = _Search(model, problem), model.offsets[-1]
    wanted = [(float(a), float(c / unit - shift)) for a, c in problem.others]
    span = model.unit * max(model.remaining[0], 1)
    tolerance = float((DEFAULT_GAP * span if gap is None else gap) / unit) / 2
    best: tuple[float, int, Fraction, Fraction, float] | None = None
    while True:
        bound = problem.best(search.supports, unit, shift)
        rho = int(np.argmax(bound))
        if bound[rho] == -np.inf:
            raise Infeasible(_no_policy(read, search, unit))
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
        wanted_all = " and ".join(map(str, read))
        raise Unsupported(f"{wanted_all}: neither a policy that has this nor a proof that there is none was found")
    upper = tidy_above((Fraction(float(problem.best(search.supports, unit, shift).max())) + shift) * unit)
    return _assembled(mdp, objective, read, search, best, upper, unit)


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
    weight, span = Fraction(share).limit_denominator(FINEST), mdp.remaining_range(0)
    if error == 0:
        at = (rho + search.model.offsets[-1]) * unit
        weight = min(Fraction(1), _most_share(search.problem, [law for law, _ in known], at))
        weight = Fraction(int(weight * SHARES), SHARES)
    kept = [(w, k) for k, w in enumerate((1 - weight, weight)) if w]
    policy: Policy = parts[kept[0][1]] if len(kept) == 1 else MixturePolicy((w, parts[k]) for w, k in kept)
    law = Law.mixture((w, known[k][0]) for w, k in kept)
    worth = tuple(Interval(*bounds(worth_within(c.objective, law, error, span))) for c in constraints)
    lower = bounds(worth_within(objective, law, error, span))[0]
    plan = ConstrainedPlan(
        mdp, objective, constraints, policy, lower, min(upper, span[1]), worth, law, error, unit,
        tuple(sorted(search.supports)),
    )  # fmt: skip
    if lower > upper and not any(plan.missed):
        raise AssertionError(f"a policy attains {lower}, above the upper bound {upper}: please report this model")
    return plan


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
