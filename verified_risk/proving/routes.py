"""From a plan to a certificate: which proof of the checker fits which plan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..errors import Unsupported
from ..objectives import Weighting
from ..planning.plan import Plan
from ..rational import ceil_div
from .budgets import Charges, PolicyRows, best_mean_above
from .certificate import (
    ByBudget,
    ByBudgets,
    ByMarkov,
    ByMean,
    ByThreshold,
    Certificate,
    IntegerModel,
    Quantile,
    Tail,
    integer_model,
)

EXACT_WORK = 2e8
"""Bits of all cells of a certificate whose tables may hold exact numbers without being asked."""
MOST_EXACT_BITS = 100_000


def objective_of(weighting: Weighting) -> Tail | Quantile:
    """The objective in the checker's words."""
    if weighting.quantile is not None:
        return Quantile(weighting.quantile.alpha, weighting.quantile.upper)
    if weighting.knots is None:
        raise Unsupported(f"not covered: {weighting.spec}, which is not piecewise linear with rational corners")
    if weighting.shape not in ("linear", "concave"):
        raise Unsupported(f"not covered: {weighting.spec}, which is not concave")
    levels = weighting.require_levels()
    if not levels.tails:
        return Tail(Fraction(1), Fraction(1))
    if len(levels.tails) > 1:
        raise Unsupported(f"not covered: {weighting.spec}, which has more than one level besides the mean")
    return Tail(levels.mean, levels.tails[0][0])


@dataclass(frozen=True)
class Draft:
    """What all certificates of one plan share; only scales and claims differ between attempts."""

    plan: Plan
    model: IntegerModel
    objective: Tail | Quantile
    charges: Charges
    rows: PolicyRows

    @classmethod
    def of(cls, plan: Plan) -> Draft:
        objective = objective_of(plan.objective)
        if getattr(plan.policy, "halvings", None):
            raise Unsupported("not covered: a policy that remembers on grids finer and finer, with coins of its own")
        model = integer_model(plan.mdp)
        charges = Charges(model, plan.eta)
        return cls(plan, model, objective, charges, PolicyRows(plan.policy, charges))

    def certificate(self, *, exact: bool, bits: int, lower: Fraction | None = None) -> Certificate:
        """``exact`` tables lose nothing; others lose at most about the horizon over ``2**bits``."""
        low = self._low(exact, bits)
        up = self._up(exact, bits)
        return Certificate(
            self.model, self.objective, self.plan.lower if lower is None else lower, self.plan.upper, low, up
        )

    def fixed_bits(self) -> int:
        """Bits behind the point that cost a small share of what floats cost the planner."""
        rounding = dict(self.plan.certificate.contributions).get("rewards rounded up to the grid", Fraction())
        floats = self.plan.gap - rounding
        if floats <= 0:
            return 128
        return max(30, math.ceil(math.log2(256 * (self.model.horizon + 2) / floats)))

    def exact_bits(self) -> int:
        """Bits of the numbers of tables that lose nothing."""
        return self._exact_scale(self._terminal_denominator()).bit_length()

    def exact_is_cheap(self, cells: int) -> bool:
        return self.exact_bits() * max(cells, 1) <= EXACT_WORK

    # -- the two proofs ---------------------------------------------------------------------------------------------

    def _low(self, exact: bool, bits: int) -> ByMarkov | ByBudget:
        objective = self.objective
        if isinstance(objective, Tail) and objective.weight == 1:
            choices = self.rows.markov()
            if choices is not None:
                return ByMarkov(self._mean_scale(exact, bits), choices)
        start = self._start()
        return ByBudget(self._scale(exact, bits), self.charges.policy_grid(start), start, self.rows)

    def _up(self, exact: bool, bits: int) -> ByMean | ByBudgets | ByThreshold:
        objective, unit, bound = self.objective, self.charges.unit, self.plan.upper
        if isinstance(objective, Quantile):
            start = -ceil_div(-bound, unit)
            return ByThreshold(
                self._scale(exact, bits), self.charges.all_policies_grid(start, start, whole=False), start
            )
        w, slope = objective.weight, self._slope()
        if w + slope == 1:
            return ByMean(self._mean_scale(exact, bits))
        # Left of the first window (1 - w) rho + w E Z bounds the objective, right of it its slope 1 - w - k < 0 does.
        mean = best_mean_above(self.model)
        first = -ceil_div(-(bound - w * mean) / (1 - w), unit)
        last = max(first, ceil_div(((w + slope) * mean - bound) / (w + slope - 1), unit))
        return ByBudgets(self._scale(exact, bits), self.charges.all_policies_grid(first, last, whole=w > 0))

    def _start(self) -> int:
        """The budget at which the policy's own shortfall is least: a quantile of its return."""
        objective, unit = self.objective, self.charges.unit
        if isinstance(objective, Quantile):
            return -ceil_div(-self.plan.lower, unit)
        rho = getattr(getattr(self.plan.policy, "rule", None), "rho", None)
        if rho is not None:
            return int(rho) + self.charges.spent_least[-1]
        return ceil_div(self.plan.law.quantile(objective.level), unit)

    # -- scales -----------------------------------------------------------------------------------------------------

    def _slope(self) -> Fraction:
        assert isinstance(self.objective, Tail)
        return (1 - self.objective.weight) / self.objective.level

    def _terminal_denominator(self) -> int:
        """Terminal costs are multiples of one over this."""
        if isinstance(self.objective, Quantile):
            return 1
        unit, w = self.charges.unit, self.objective.weight
        return math.lcm((w * unit).denominator, ((w + self._slope()) * unit).denominator)

    def _exact_scale(self, denominator: int) -> int:
        return int(denominator * self.model.step_denominator**self.model.horizon)

    def _scale(self, exact: bool, bits: int) -> int:
        return self._exact_scale(self._terminal_denominator()) if exact else 1 << bits

    def _mean_scale(self, exact: bool, bits: int) -> int:
        if not exact:
            return 1 << bits
        model = self.model
        return int(model.reward_denominator * (model.step_denominator * model.discount.denominator) ** model.horizon)
