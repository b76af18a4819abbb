r"""Plans with constraints: lower bounds on other objectives than the one that is maximised.

**Any objectives**, by Lagrangian duality: one plan for :math:`\Phi_\lambda = (\Phi_0 + \sum_i \lambda_i \Phi_i) / (1 +
\sum_i \lambda_i)`, again a weighting, bounds all policies that meet the constraints; if the bound is below the least
return there are none (theory 05, B14).  Good multipliers are the prices of a small linear program that mixes the
policies found so far.

Mixtures of policies are linear in the CDF F of the return, the functionals are not.  Where G is concave, a slope of G
at F bounds :math:`\Phi` from below by a linear function that meets it at F, so mixtures that meet the constraints of
these functions meet the constraints; they are found by the same program, whose columns are passes over a grid, and
improved until they stay.  Every mixture is judged by its law.

**Mixtures of the mean and one CVaR.**  For a fixed :math:`\rho` the optimum is that of a linear program in the moments
:math:`\mathbf E Z` and :math:`C = \rho - \mathbf E(\rho - Z)^+ / \alpha`.  Its support function, :math:`s_\rho(\theta)
= \max_\pi \{ \theta\, \mathbf E Z + (1 - \theta)\, C \}`, is, for every rho at once, one budget pass, and gives the
upper bounds (theory 05, B11).  The policies of two passes, mixed so that the constraints hold, give the lower bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import Infeasible, InvalidArgument, Unsupported
from ..grid import FloatModel, float_model
from ..law import Law
from ..mdp import MDP
from ..mdp.packed import Floats
from ..numbers.enclosure import Interval, Truth, bounds
from ..numbers.format import above, at_least, at_most, columns, ends, number, short
from ..numbers.rational import as_fraction, float_above, float_below
from ..objectives import Mixture, Weighting
from ..objectives import objective as read_objective
from ..objectives.entropic import Entropic
from ..objectives.polygon import Polygon
from ..policy import GridPolicy, MixturePolicy, Policy
from .affordable_law import affordable_law, forward_law, worth_within
from .clock import Clock
from .grid_choice import own_grid, unit_that_fits
from .problem import Problem
from .result import Plan
from .rounding import UNIT_ROUNDOFF, tidy_above
from .routes import solve
from .search.driver import DEFAULT_GAP, DEFAULT_SECONDS, below
from .search.grid_coordinates import Oracle
from .search.grid_route import TableRule
from .tails.budget_tables import BudgetRule, BudgetTables, budget_tables, linear_part
from .tails.tail_route import MeanRule, best_mean, scores_of


@dataclass(frozen=True)
class Constraint:
    """``objective >= bound``, in the user's units.

    :param objective: what is bounded
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


class UpperProof(Protocol):
    """Proof that no policy that meets the constraints is better than a plan's upper bound."""

    def upper_again(self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...]) -> Fraction | None:
        """Return the bound, computed in other arithmetic; None if that cannot confirm it."""


@dataclass(frozen=True)
class ConstrainedPlan:
    """A policy and bounds on the best objective of all policies that meet the constraints.

    ``lower`` is what the policy is worth at least; ``upper`` bounds every policy that meets the constraints.  The
    policy is usually a mixture of two or more, one of which is drawn at the start.

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
    :param proof: why ``upper`` holds
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
    proof: UpperProof = field(repr=False)

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
        """Compute the upper bound again from its proof, in other arithmetic, and the policy's worth from its law.

        :returns: whether both confirm the plan
        """
        span, again = self.mdp.remaining_range(0), affordable_law(self.mdp, self.policy)
        if again is None or again[1] != self.law_error:
            return False
        functionals = (self.objective, *(c.objective for c in self.constraints))
        worth = [bounds(worth_within(w, *again, span))[0] for w in functionals]
        stated = [self.lower, *(w.lower for w in self.worth)]
        upper = self.proof.upper_again(self.mdp, self.objective, self.constraints)
        return all(x >= y for x, y in zip(worth, stated, strict=True)) and (
            upper is not None and min(upper, span[1]) <= self.upper
        )


Known: TypeAlias = tuple[Law, Fraction]
"""A law, and a bound on the error of its CDF."""
Bound: TypeAlias = tuple[Fraction, UpperProof]
"""An upper bound, and why it holds."""


def constrained_plan(
    asked: Problem, constraints: tuple[Constraint, ...], policy: Policy, law: Known, bound: Bound, eta: Fraction
) -> ConstrainedPlan:
    """Put a plan together: what the policy is worth follows from its law.

    :raises AssertionError: if a policy that meets the constraints exceeds the upper bound
    """
    mdp, objective, (upper, proof) = asked.mdp, asked.objective, bound
    span = mdp.remaining_range(0)
    worth = tuple(Interval(*bounds(worth_within(c.objective, *law, span))) for c in constraints)
    lower = bounds(worth_within(objective, *law, span))[0]
    found = ConstrainedPlan(mdp, objective, constraints, policy, lower, min(upper, span[1]), worth, *law, eta, proof)
    if lower > upper and not any(found.missed):
        raise AssertionError(f"a policy attains {lower}, above the upper bound {upper}: please report this model")
    return found


def undecided(constraints: tuple[Constraint, ...]) -> Unsupported:
    """Return the error for constraints that are neither met nor refuted."""
    wanted = " and ".join(map(str, constraints))
    return Unsupported(f"{wanted}: neither a policy that has this nor a proof that there is none was found")


# -- any objectives, by Lagrangian duality -----------------------------------------------------------------------------


MOST_PLANS = 40  # maximum number of multipliers that are tried
DEAREST = (16.0, 256.0, 4096.0)  # prices of what a mixture lacks of a constraint, in turn, as long as one is not met
FINEST_MULTIPLIER = 10**6  # largest denominator of a multiplier
ROUNDS = 12  # maximum number of linearisations of a mixture
COLUMNS = 30  # maximum number of passes for one of them
WEIGHTS = 2**40  # weights of mixtures are multiples of one part in this
SPARE = (1e-11, 1e-9, 1e-7)
"""Shares of the range of returns, in turn, by which a mixture in floats is to exceed its constraints, until it meets
them exactly."""
STARTS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # shares of a second policy in the CDFs at which mixtures are begun
POLYGON = Fraction(1, 4**8)  # accuracy of the polygons whose slopes guide a mixture


@dataclass(frozen=True)
class Multipliers:
    """The proof of an upper bound: a plan for the weighted mean of the objective and the constraints.

    :param prices: the multiplier of each constraint
    :param plan: the plan for the weighted mean, whose upper bound counts
    """

    prices: tuple[Fraction, ...]
    plan: Plan

    def upper(self, constraints: Sequence[Constraint]) -> Fraction:
        """Return the bound on the objective of every policy that meets the constraints."""
        paid = sum((p * c.bound for p, c in zip(self.prices, constraints, strict=True)), Fraction())
        return (1 + sum(self.prices)) * self.plan.upper - paid

    def upper_again(self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...]) -> Fraction | None:
        """Return the bound if :meth:`Plan.recheck` confirms that of the plan, and the plan is about this problem."""
        same = self.plan.mdp == mdp and self.plan.objective == weighted_mean(objective, constraints, self.prices)
        confirmed = same and self.plan.recheck().upper_holds is Truth.HOLDS
        return self.upper(constraints) if confirmed else None


@dataclass(frozen=True)
class FewerConstraints:
    """The proof of an upper bound for some of the constraints, which holds for all of them.

    :param constraints: those it uses
    :param proof: the proof of the bound with these
    """

    constraints: tuple[Constraint, ...]
    proof: UpperProof

    def upper_again(self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...]) -> Fraction | None:
        """Return the bound that the proof confirms, if all its constraints are among these."""
        among = all(c in constraints for c in self.constraints)
        return self.proof.upper_again(mdp, objective, self.constraints) if among else None


def weighted_mean(objective: Weighting, constraints: Sequence[Constraint], prices: Sequence[Fraction]) -> Weighting:
    """Return the mixture of the objective and the functionals of the constraints, in proportion 1 to ``prices``."""
    total = 1 + sum(prices)
    terms = [(1 / total, objective), *((p / total, c.objective) for p, c in zip(prices, constraints, strict=True) if p)]
    return objective if len(terms) == 1 else Mixture(terms)


@dataclass(frozen=True)
class Judged:
    """A policy, its law to within an error of the CDF, and lower bounds on the objective and on every constraint's
    functional."""

    policy: Policy
    law: Known
    worth: tuple[Fraction, ...]


class _LagrangianSearch:
    def __init__(
        self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...], tolerance: Fraction, clock: Clock
    ) -> None:
        self.mdp, self.objective, self.constraints, self.clock = mdp, objective, constraints, clock
        self.tolerance, self.span = tolerance, mdp.remaining_range(0)
        self.functionals = (objective, *(c.objective for c in constraints))
        self.wide = float(max(self.span[1] - self.span[0], Fraction(1, 10**9)))
        self.judged: list[Judged] = []
        self.proofs: list[Multipliers] = []
        self.fewer: list[Bound] = []

    def plan(self, weighting: Weighting, share: Fraction, eta: Fraction | None) -> Plan:
        """Plan for a weighting, to within ``share`` of the tolerance, and judge the policy."""
        seconds = None if self.clock.seconds is None else max(self.clock.left / 3, 0.1)
        found = solve(Problem(self.mdp, weighting, eta, self.tolerance * share, seconds))
        self.judge(found.policy)
        return found

    def judge(self, policy: Policy) -> Judged | None:
        """Add a policy to those that are mixed; return None if its law takes too long."""
        law = affordable_law(self.mdp, policy)
        if law is None:
            return None
        worth = tuple(bounds(worth_within(w, *law, self.span))[0] for w in self.functionals)
        self.judged.append(Judged(policy, law, worth))
        return self.judged[-1]

    def look(self, prices: tuple[Fraction, ...], eta: Fraction | None) -> None:
        """Bound the optimum with these multipliers.

        :raises Infeasible: if the bound is below the least return
        """
        weighting = weighted_mean(self.objective, self.constraints, prices)
        proof = Multipliers(prices, self.plan(weighting, Fraction(1, 4) / (1 + sum(prices)), eta))
        if proof.upper(self.constraints) < self.span[0]:
            wanted = " and ".join(map(str, self.constraints))
            raise Infeasible(
                f"no policy has {wanted} together: {weighting.spec} is at most {at_most(proof.plan.upper)}",
                plan=proof.plan,
            )
        self.proofs.append(proof)

    def look_at_one_level(self, alpha: Fraction, eta: Fraction | None) -> None:
        """Bound the optimum by the constraints on the mean and on CVaR at one level, if the objective is of this kind.

        :raises Infeasible: if no policy meets these constraints
        """

        def of_this_kind(weighting: Weighting) -> bool:
            return weighting.levels is not None and {level for level, _ in weighting.levels.tails} <= {alpha}

        kept = tuple(c for c in self.constraints if of_this_kind(c.objective))
        left = max(self.clock.left / 3, 0.1)
        found = None
        if kept and of_this_kind(self.objective):
            found = plan_one_level(Problem(self.mdp, self.objective, eta, self.tolerance / 4, left), kept)
        if found is not None:
            self.judge(found.policy)
            self.fewer.append((found.upper, FewerConstraints(kept, found.proof)))

    @property
    def best_proof(self) -> Bound:
        """The least upper bound, and why it holds."""
        proofs: list[Bound] = [(proof.upper(self.constraints), proof) for proof in self.proofs]
        return min(proofs + self.fewer, key=lambda pair: pair[0])

    def meets(self, point: Judged) -> bool:
        return all(w >= c.bound for w, c in zip(point.worth[1:], self.constraints, strict=True))

    @property
    def best(self) -> Judged:
        """The best policy that meets the constraints; if none does, the one that misses least, in all."""

        def order(point: Judged) -> tuple[bool, Fraction]:
            lacking = (max(c.bound - w, Fraction()) for w, c in zip(point.worth[1:], self.constraints, strict=True))
            return (True, point.worth[0]) if self.meets(point) else (False, -sum(lacking, Fraction()))

        return max(self.judged, key=order)

    def prices(self, dearest: float) -> tuple[float, tuple[Fraction, ...]]:
        """Return the value of the best mixture of the policies found, were the functionals linear, and its prices."""
        worth = np.array([[float(x) for x in point.worth] for point in self.judged]) / self.wide
        bound = np.array([float(c.bound) for c in self.constraints]) / self.wide
        weights, prices = best_mixture(worth[:, 0], worth[:, 1:] - bound, dearest)
        short_of = np.minimum(weights @ (worth[:, 1:] - bound), 0.0)
        value = float(weights @ worth[:, 0] + dearest * short_of.sum())
        return value * self.wide, tuple(Fraction(float(p)).limit_denominator(FINEST_MULTIPLIER) for p in prices)

    def run(self, eta: Fraction | None) -> None:
        """Find multipliers until the bound is that of the mixture, or time is up."""
        for c in self.constraints:
            alone = self.plan(c.objective, Fraction(1, 4), eta)
            if alone.upper < c.bound:
                raise Infeasible(f"no policy has {c}: the largest is at most {at_most(alone.upper)}", plan=alone)
        for alpha in sorted({level for w in self.functionals if w.levels for level, _ in w.levels.tails}):
            self.look_at_one_level(alpha, eta)
        self.look((Fraction(),) * len(self.constraints), eta)
        for dearest in DEAREST:
            while len(self.proofs) < MOST_PLANS and self.judged:
                value, prices = self.prices(dearest)
                closed = float(self.best_proof[0]) - value <= float(self.tolerance) / 2
                if closed or self.clock.late() or any(prices == proof.prices for proof in self.proofs):
                    break
                self.look(prices, eta)
            if any(self.meets(point) for point in self.judged) or self.clock.late():
                break


def best_mixture(gains: Floats, excess: Floats, dearest: float) -> tuple[Floats, Floats]:
    r"""Return the weights w of a mixture of columns and the prices of its constraints, by the simplex method.

    It maximises :math:`\sum_k w_k g_k - d \sum_i t_i` over the weights and over :math:`t \ge 0` with
    :math:`\sum_k w_k e_{ki} + t_i \ge 0`; prices are at most d.
    """
    k, m = excess.shape
    slacks = np.vstack((np.eye(m), np.zeros((1, m))))
    columns = np.hstack((np.vstack((excess.T, np.ones((1, k)))), -slacks, slacks))
    cost = np.concatenate((gains, np.zeros(m), np.full(m, -dearest)))
    right = np.append(np.zeros(m), 1.0)
    first = int(np.argmax(gains + dearest * np.minimum(excess, 0.0).sum(axis=1)))
    basis = [k + i if excess[first, i] >= 0 else k + m + i for i in range(m)] + [first]
    for step in range(200 * (m + 1)):
        square = columns[:, basis]
        value, prices = np.linalg.solve(square, right), np.linalg.solve(square.T, cost[basis])
        reduced = cost - prices @ columns
        entering = np.flatnonzero(reduced > 1e-11 * (1 + dearest))
        if not len(entering):
            break
        # the least index, once the steepest has had its chance: no cycles
        new = int(entering[0] if step > 50 * (m + 1) else entering[np.argmax(reduced[entering])])
        rate = np.linalg.solve(square, columns[:, new])
        falling = np.flatnonzero(rate > 1e-12)
        basis[int(falling[np.argmin(np.maximum(value[falling], 0.0) / rate[falling])])] = new
    weights = np.zeros(k)
    for i, x in zip(basis, value, strict=True):
        if i < k:
            weights[i] += max(float(x), 0.0)
    return weights / weights.sum(), np.maximum(-prices[:m], 0.0)


class _Mixer:
    """Mixtures of policies of one grid, improved by linear programs at the slopes of the functionals."""

    def __init__(self, search: _LagrangianSearch, unit: Fraction) -> None:
        self.search, self.unit = search, unit
        self.model = float_model(search.mdp, unit)
        self.oracle = Oracle(self.model)
        self.polygons = [below(w, POLYGON) for w in search.functionals]
        self.most = float((self.model.offsets[-1] + self.oracle.top) * unit)
        self.bound = np.array([float(c.bound) for c in search.constraints])
        self.columns: list[tuple[Floats, npt.NDArray[Any]]] = []

    def add(self, cost: Floats) -> None:
        self.oracle.solve(cost, masked=False)
        self.columns.append((np.clip(self.oracle.cdf(), 0.0, 1.0), self.oracle.choice.copy()))

    def value(self, polygon: Polygon, cdf: Floats) -> float:
        return self.most - float(self.unit) * float(np.interp(cdf, polygon.x, polygon.g).sum())

    def on_grid(self, law: Law) -> Floats:
        """Return the CDF of a law at the points of the grid."""
        first = self.model.offsets[-1] * self.unit
        places = np.array([float((z - first) / self.unit) for z in law.atoms])
        levels = np.array([0.0, *map(float, law.cumulative())])
        return np.asarray(levels[np.searchsorted(places, np.arange(self.oracle.top) + 1e-6)])

    def improve(self, at: Floats, spare: float) -> Judged | None:
        """Mix policies, beginning near a CDF, and judge the best mixture found."""
        found, best = None, -np.inf
        for _ in range(ROUNDS):
            weights, at = self.linearised(at, spare)
            worth = [self.value(p, at) for p in self.polygons]
            lacking = np.minimum(np.array(worth[1:]) - self.bound, 0.0).sum()
            score = worth[0] + DEAREST[-1] * min(lacking + self.search.wide * 1e-6, 0.0)
            if score <= best + 1e-9 * self.search.wide or self.search.clock.late():
                break
            best, found = score, weights
        return None if found is None else self.judged(found)

    def linearised(self, at: Floats, spare: float) -> tuple[Floats, Floats]:
        """Return the weights of the best mixture of columns, were the functionals linear as they are at a CDF, and its
        CDF."""
        # the slope of the piece that begins at or before each value
        pieces = [np.clip(np.searchsorted(p.x, at, side="right") - 1, 0, len(p.x) - 2) for p in self.polygons]
        slopes = np.array([p.slope[piece] for p, piece in zip(self.polygons, pieces, strict=True)]) * float(self.unit)
        here = np.array([self.value(p, at) for p in self.polygons])
        wide = self.search.wide
        if not self.columns:
            for cost in slopes:
                self.add(cost)
        for _ in range(COLUMNS):
            cdfs = np.array([cdf for cdf, _ in self.columns])
            values = (here - (cdfs - at) @ slopes.T) / wide
            excess = values[:, 1:] - self.bound / wide - spare
            weights, prices = best_mixture(values[:, 0], excess, DEAREST[-1])
            cost = slopes[0] + prices @ slopes[1:]
            self.add(cost)
            gained = float(weights @ cdfs @ cost - self.columns[-1][0] @ cost)
            if gained <= 1e-10 * wide * (1 + prices.sum()) or self.search.clock.late():
                self.columns.pop()
                break
        return weights, np.asarray(weights @ cdfs[: len(weights)])

    def judged(self, weights: Floats) -> Judged | None:
        """Judge the mixture of the first columns with these weights, in rationals."""
        kept = [(int(w * WEIGHTS), table) for w, (_, table) in zip(weights, self.columns, strict=False)
                if w * WEIGHTS >= 1]  # fmt: skip
        total = sum(w for w, _ in kept)
        policies = ((Fraction(w, total), GridPolicy(self.search.mdp, self.unit, TableRule(self.model, table)))
                    for w, table in kept)  # fmt: skip
        return self.search.judge(MixturePolicy(policies))


def plan_by_lagrangian(asked: Problem, constraints: tuple[Constraint, ...]) -> ConstrainedPlan:
    """Plan with constraints of any kind; the gap is what the bounds aim at, which a duality gap may prevent.

    :raises Infeasible: if no policy meets the constraints
    :raises Unsupported: if a functional has no mixture with others, or no law of a policy can be computed
    """
    mdp, objective, eta, gap = asked.mdp, asked.objective, asked.eta, asked.gap
    for weighting in (objective, *(c.objective for c in constraints)):
        if isinstance(weighting, Entropic):
            raise Unsupported(f"{weighting.spec}: entropic risks have no constraints, and are none")
    low, high = mdp.remaining_range(0)
    clock = Clock(DEFAULT_SECONDS if asked.seconds is None else asked.seconds)
    tolerance = max(DEFAULT_GAP * (high - low) if gap is None else gap, (high - low) / 10**10)
    search = _LagrangianSearch(mdp, objective, constraints, tolerance, clock)
    search.run(eta)
    if not search.judged:
        raise undecided(constraints)
    unit = own_grid(mdp) if eta is None else eta
    bound, shown = search.best_proof, search.proofs[0].plan.eta if unit is None else unit
    if unit is not None and not (search.meets(search.best) and bound[0] - search.best.worth[0] <= tolerance / 2):
        _mix(search, unit)
    return constrained_plan(asked, constraints, search.best.policy, search.best.law, bound, shown)


def _mix(search: _LagrangianSearch, unit: Fraction) -> None:
    """Add mixtures of policies of the grid to those judged.  The slopes at a single policy may say nothing of what a
    mixture gains: start also between the best that meets the constraints and the best for each functional."""
    try:
        mixer = _Mixer(search, unit)
    except InvalidArgument:  # its tables do not fit
        return
    kept = mixer.on_grid(search.best.law[0])
    others = [max(search.judged, key=lambda p, i=i: p.worth[i]) for i in range(len(search.functionals))]  # type: ignore[misc]
    for other in map(mixer.on_grid, {p.law[0]: None for p in others}):
        for share in STARTS:
            for spare in SPARE:
                found = mixer.improve((1 - share) * kept + share * other, spare)
                if found is None or search.meets(found) or search.clock.late():
                    break


# -- the mean and one CVaR ---------------------------------------------------------------------------------------------


MOST_PASSES = 200  # maximum number of directions; an answer rarely needs more than twenty
FINEST_DIRECTION = 10**9  # largest denominator of a direction
SHARES = 2**53  # weights of mixtures are multiples of one part in this
Best: TypeAlias = tuple[float, int, Fraction, Fraction, float]
"""About the value of a mixture of two policies; their rho, their directions, and the weight of the second."""


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
        from ..proving.budgets import largest_by_budget

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
                    found[support < float_below(c)] = -np.inf
                elif (step := (self.weight - theta) / (theta - a)) >= 0:  # weight + step * a = (1 + step) * theta
                    lagrangian = float(1 + step) * support - float(step * c)
                    rounding = 2.0**-50 * float(1 + step) * (np.abs(support) + abs(float(c)))
                    found = np.minimum(found, lagrangian + rounding)
            for (a, c), (b, d) in combinations(wanted, 2):
                if a != b and 0 <= (share := (theta - b) / (a - b)) <= 1:
                    both = share * c + (1 - share) * d
                    found[support < float_below(both)] = -np.inf
        return found


class _DirectionSearch:
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
        # more than the rounding error: of the table, and of six operations on numbers below 8 (top + 1)
        roundings, underflow = tables.enclosure.depth + 16, tables.enclosure.underflow
        self.supports[theta] = computed + float_above(roundings * UNIT_ROUNDOFF * 8 * (top + 1) + underflow * 2**200)

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


def plan_one_level(asked: Problem, constraints: tuple[Constraint, ...]) -> ConstrainedPlan | None:
    """Plan on the rewards' own grid, or the grid that was asked for if that contains it.

    :returns: the plan; None if a functional is none of the mean, CVaR at one level and their mixtures, or if the
        rewards have no grid that fits in memory
    :raises Infeasible: if no policy meets the constraints
    """
    problem, clock, mdp, gap = _Problem.of(asked.objective, constraints), Clock(asked.seconds), asked.mdp, asked.gap
    unit = own_grid(mdp) if asked.eta is None else unit_that_fits(mdp, asked.eta)
    if problem is None or unit is None or not (model := float_model(mdp, unit)).exact:
        return None
    search, shift = _DirectionSearch(model, problem), model.offsets[-1]
    wanted = [(float(a), float(c / unit - shift)) for a, c in problem.others]
    span = model.unit * max(model.remaining[0], 1)
    tolerance = float((DEFAULT_GAP * span if gap is None else gap) / unit) / 2
    best: Best | None = None
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
    return _assembled(asked, constraints, search, best, upper, unit)


def _between(
    search: _DirectionSearch, rho: int, found: tuple[float, Fraction, Fraction, float] | None
) -> Fraction | None:
    """Return a new direction: that in which the two policies of the mixture are equal, or, without one, some two
    neighbours on the front."""
    pairs = list(pairwise(sorted(search.supports)))
    if found is not None and found[1] != found[2]:
        pairs.insert(0, (found[1], found[2]))
    for pair in pairs:
        (x, c), (y, d) = sorted(search.point(theta, rho) for theta in pair)
        if y > x and c > d:
            theta = Fraction((c - d) / ((c - d) + (y - x))).limit_denominator(FINEST_DIRECTION)
            if theta not in search.supports:
                return theta
    return None


def _no_policy(read: Sequence[Constraint], search: _DirectionSearch, unit: Fraction) -> str:
    shift = search.model.offsets[-1]
    for c, (a, bound) in zip(read, search.problem.others, strict=True):
        most = tidy_above((Fraction(float(search.supports[a].max())) + shift) * unit)
        if most < bound:
            return f"no policy has {c}: the largest is at most {at_most(most)}"
    return f"no policy has {' and '.join(map(str, read))} together"


def _assembled(
    asked: Problem, kept: tuple[Constraint, ...], search: _DirectionSearch, best: Best, upper: Fraction, unit: Fraction
) -> ConstrainedPlan:
    """Mix the two policies by their own laws, so that the constraints hold exactly if the laws are exact."""
    _, rho, first, second, share = best
    parts = [GridPolicy(asked.mdp, unit, search.rule(theta, rho)) for theta in (first, second)]
    laws = [affordable_law(asked.mdp, part) for part in parts]
    if any(found is None for found in laws):
        raise Unsupported("the laws of the policies take too long to compute", instead="a larger eta")
    known = [found for found in laws if found is not None]
    error = max(e for _, e in known)
    weight = Fraction(share).limit_denominator(FINEST_DIRECTION)
    if error == 0:
        at = (rho + search.model.offsets[-1]) * unit
        weight = min(Fraction(1), _most_share(search.problem, [law for law, _ in known], at))
        weight = Fraction(int(weight * SHARES), SHARES)
    shares = [(w, k) for k, w in enumerate((1 - weight, weight)) if w]
    policy: Policy = parts[shares[0][1]] if len(shares) == 1 else MixturePolicy((w, parts[k]) for w, k in shares)
    law = Law.mixture((w, known[k][0]) for w, k in shares)
    proof = Directions(unit, tuple(sorted(search.supports)))
    return constrained_plan(asked, kept, policy, (law, error), (upper, proof), unit)


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
