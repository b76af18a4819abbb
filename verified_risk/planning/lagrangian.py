r"""Maximise any objective subject to lower bounds on any others, by Lagrangian duality.

For multipliers :math:`\lambda \ge 0` every policy with :math:`\Phi_i \ge c_i` has

.. math:: \Phi_0 \le \Phi_0 + \sum_i \lambda_i (\Phi_i - c_i)
          \le (1 + \Lambda) \sup_\pi \Phi_\lambda(\pi) - \sum_i \lambda_i c_i, \qquad \Lambda = \sum_i \lambda_i,

where :math:`\Phi_\lambda = (\Phi_0 + \sum_i \lambda_i \Phi_i) / (1 + \Lambda)` is again a weighting: one plan bounds
all policies that meet the constraints, and if the bound is below the least return there are none (theory 05, B14).
Good multipliers are the prices of a small linear program that mixes the policies found so far.

Mixtures of policies are linear in the CDF F of the return, the functionals are not.  Where G is concave, a slope of G
at F bounds :math:`\Phi` from below by a linear function that meets it at F, so mixtures that meet the constraints of
these functions meet the constraints; they are found by the same program, whose columns are passes over a grid, and
improved until they stay.  Every mixture is judged by its law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import Infeasible, InvalidArgument, Unsupported
from ..grid.compiled import Floats, float_model
from ..law import Law
from ..mdp import MDP
from ..numbers.enclosure import Truth, bounds
from ..numbers.format import at_most
from ..objectives import Mixture, Weighting
from ..objectives.entropic import Entropic
from ..objectives.polygon import Polygon
from ..policy import GridPolicy, MixturePolicy, Policy
from .affordable_law import affordable_law, worth_within
from .clock import Clock
from .constraints import ConstrainedPlan, Constraint, UpperProof, constrained_plan, undecided
from .grid_choice import own_grid
from .problem import Problem
from .result import Plan
from .routes import solve
from .search.driver import DEFAULT_GAP, DEFAULT_SECONDS, below
from .search.grid_coordinates import Oracle
from .search.grid_route import TableRule
from .tails.constrained import plan_one_level

MOST_PLANS = 40
"""Maximum number of multipliers that are tried."""
DEAREST = (16.0, 256.0, 4096.0)
"""Prices of what a mixture lacks of a constraint, in turn, as long as one is not met."""
FINEST = 10**6
"""Largest denominator of a multiplier."""
ROUNDS = 12
"""Maximum number of linearisations of a mixture."""
COLUMNS = 30
"""Maximum number of passes for one of them."""
WEIGHTS = 2**40
"""Weights of mixtures are multiples of one part in this."""
SPARE = (1e-11, 1e-9, 1e-7)
"""Shares of the range of returns, in turn, by which a mixture in floats is to exceed its constraints, until it meets
them exactly."""
STARTS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of a second policy in the CDFs at which mixtures are begun."""
POLYGON = Fraction(1, 4**8)
"""Accuracy of the polygons whose slopes guide a mixture."""


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
    law: tuple[Law, Fraction]
    worth: tuple[Fraction, ...]


class _Search:
    def __init__(
        self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...], tolerance: Fraction, clock: Clock
    ) -> None:
        self.mdp, self.objective, self.constraints, self.clock = mdp, objective, constraints, clock
        self.tolerance, self.span = tolerance, mdp.remaining_range(0)
        self.functionals = (objective, *(c.objective for c in constraints))
        self.wide = float(max(self.span[1] - self.span[0], Fraction(1, 10**9)))
        self.judged: list[Judged] = []
        self.proofs: list[Multipliers] = []
        self.fewer: list[tuple[Fraction, UpperProof]] = []

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
            found = plan_one_level(self.mdp, self.objective, kept, eta=eta, gap=self.tolerance / 4, time_limit=left)
        if found is not None:
            self.judge(found.policy)
            self.fewer.append((found.upper, FewerConstraints(kept, found.proof)))

    @property
    def best_proof(self) -> tuple[Fraction, UpperProof]:
        """The least upper bound, and why it holds."""
        proofs: list[tuple[Fraction, UpperProof]] = [(proof.upper(self.constraints), proof) for proof in self.proofs]
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
        return value * self.wide, tuple(Fraction(float(p)).limit_denominator(FINEST) for p in prices)

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

    def __init__(self, search: _Search, unit: Fraction) -> None:
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
        slopes = np.array([_slopes(p, at) for p in self.polygons]) * float(self.unit)
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


def _slopes(polygon: Polygon, cdf: Floats) -> Floats:
    """Return the slope of the piece of a polygon that begins at or before each value."""
    piece = np.clip(np.searchsorted(polygon.x, cdf, side="right") - 1, 0, len(polygon.x) - 2)
    return np.asarray((np.diff(polygon.g) / np.diff(polygon.x))[piece])


def plan_by_lagrangian(
    mdp: MDP,
    objective: Weighting,
    constraints: tuple[Constraint, ...],
    *,
    eta: Fraction | None = None,
    gap: Fraction | None = None,
    time_limit: float | None = None,
) -> ConstrainedPlan:
    """Plan with constraints of any kind; ``gap`` is what the bounds aim at, which a duality gap may prevent.

    :raises Infeasible: if no policy meets the constraints
    :raises Unsupported: if a functional has no mixture with others, or no law of a policy can be computed
    """
    for weighting in (objective, *(c.objective for c in constraints)):
        if isinstance(weighting, Entropic):
            raise Unsupported(f"{weighting.spec}: entropic risks have no constraints, and are none")
    low, high = mdp.remaining_range(0)
    clock = Clock(DEFAULT_SECONDS if time_limit is None else time_limit)
    tolerance = max(DEFAULT_GAP * (high - low) if gap is None else gap, (high - low) / 10**10)
    search = _Search(mdp, objective, constraints, tolerance, clock)
    search.run(eta)
    if not search.judged:
        raise undecided(constraints)
    unit = own_grid(mdp) if eta is None else eta
    (upper, proof), shown = search.best_proof, search.proofs[0].plan.eta if unit is None else unit
    if unit is not None and not (search.meets(search.best) and upper - search.best.worth[0] <= tolerance / 2):
        _mix(search, unit)
    best = search.best
    return constrained_plan(mdp, objective, constraints, best.policy, best.law, upper, shown, proof)


def _mix(search: _Search, unit: Fraction) -> None:
    """Add mixtures of policies of the grid to those judged.

    The slopes at a single policy may say nothing of what a mixture gains: start also between the best that meets the
    constraints and the best for each functional.
    """
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
