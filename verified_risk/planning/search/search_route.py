r"""Any weighting, over all policies: search, then certify the answer in the model itself.

``upper`` comes from the search over a polygon below G (theory 05, B7, result of the search), ``lower`` from the policy
that was found: its exact law where that is affordable, otherwise its float law with every CDF value raised by its
error.  For convex or general G the policy may be a mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...grid.floats import FloatModel, Floats, float_model
from ...mdp import MDP
from ...numbers.enclosure import bounds
from ...numbers.rational import float_above
from ...objectives import Weighting
from ...objectives.polygon import Polygon, past_the_jump
from ...policy import GridPolicy, MixturePolicy, Policy
from ...progress import Progress, Report
from ..affordable_law import exact_value
from ..api import DEFAULT_SEARCH_GAP, DEFAULT_SEARCH_SECONDS
from ..clock import Clock
from ..float_error import SMALLEST_NORMAL
from ..outward import tidy_above, tidy_below, within_range
from ..result import Certificate, Plan
from ..tails.budget_tables import BudgetRule
from ..tails.tail_route import Bounds, best_mean
from .branching import Node, Search
from .grid_coordinates import Oracle
from .jump_mixing import Held, by_laws, off_the_jump
from .relaxation import Mixture
from .trace import Proof

LEAST_WEIGHT = 1e-10
"""Parts of a mixture below this are left out; the lower bound is that of what remains."""

CLOSEST = Fraction(1, 10**10)
"""Of the range of returns: no search goes closer, and one that is asked to gets a time limit."""

SPARED = 2.0**-38
"""Of the range of returns, added to the upper bound: room for a recheck in other arithmetic to confirm it."""

SECONDS_PER_KNOT = 1.5e-4
"""Of a polygon, about; it only matters where the time is short."""


class TableRule:
    """A policy on the grid by its table: ``table[t, s, y]``, y the shifted sum."""

    def __init__(self, model: FloatModel, table: npt.NDArray[Any]) -> None:
        self.table = table
        self.offsets = model.offsets

    def __call__(self, t: int, s: int, i: int) -> int:
        return int(self.table[t, s, i - self.offsets[t]])

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        return self.table[t, :, :width]


@lru_cache(maxsize=32)
def below(objective: Weighting, accuracy: Fraction) -> Polygon:
    return objective.polygon_below(accuracy)


def best_general(
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    gap: Fraction | None,
    seconds: float | None,
    progress: Report | None,
) -> Plan:
    """Search until the gap is closed or time is up."""
    top = model.remaining[0]
    if seconds is None and gap is None:
        seconds = DEFAULT_SEARCH_SECONDS
    wanted = DEFAULT_SEARCH_GAP * top
    if gap is not None:
        # what rounding has already lost cannot be won back by searching more closely
        wanted = max((gap - model.loss, gap / 10, model.loss / 1000)) / model.unit
        closest = CLOSEST * top
        if wanted < closest:
            wanted, seconds = closest, DEFAULT_SEARCH_SECONDS if seconds is None else seconds
    if top == 0:
        return _constant(mdp, objective, model, Clock(seconds))
    compile_search()
    clock = Clock(seconds)
    accuracy = power_of_four_below(max(wanted / (6 * top), accuracy_in(seconds)))
    polygon = below(objective, accuracy)
    quantiles = _best_quantiles(mdp, objective, model, clock)
    starts = tuple(int(found.upper) for found in quantiles)
    oracle = Oracle(model)

    attained = _Attained(objective, model, oracle, clock)

    def report(incumbent: float, bound: float) -> None:
        assert progress is not None
        upper = tidy_above(model.unit * (model.offsets[-1] + top - Fraction(bound - SPARED * top)))
        progress(Progress(clock.spent, attained(search.best), upper))

    passed = passed_pieces(objective, accuracy, starts, top)
    search = Search(oracle, polygon, float(wanted) / 2, clock.deadline, None if progress is None else report, passed)
    search.run()
    if progress is not None:
        report(search.best.value, max(search.bound, search.uncut_bound))
    proof = Proof(accuracy, search.target - SPARED * top, search.record, starts if passed else ())
    return _certified(mdp, objective, model, oracle, search, proof, clock, quantiles)


def _best_quantiles(mdp: MDP, objective: Weighting, model: FloatModel, clock: Clock) -> list[Bounds]:
    """For each jump of G, the best quantile at its level, in shifted units; none if there is no time."""
    from ..threshold import best_quantile

    found: list[Bounds] = []
    for jump in objective.jumps:
        if clock.late():
            return []
        found.append(best_quantile(model, jump, mdp, clock))
    return found


def passed_pieces(
    objective: Weighting, accuracy: Fraction, starts: Sequence[int], top: int
) -> list[tuple[int, Polygon]]:
    """From jump j's coordinate ``starts[j]`` on, the CDF of every policy is past it: where each polygon below G begins,
    in which the jumps passed there count in full (B8)."""
    begins = sorted({start for start in starts if start < top})
    return [
        (begin, past_the_jump(objective, accuracy, [jump for jump, at in zip(objective.jumps, starts, strict=True)
                                                    if at <= begin]))
        for begin in begins
    ]  # fmt: skip


class _Attained:
    """A certified lower bound of what the best mixture so far is worth, computed once for each."""

    def __init__(self, objective: Weighting, model: FloatModel, oracle: Oracle, clock: Clock) -> None:
        self.objective, self.model, self.oracle, self.clock = objective, model, oracle, clock
        self._known: tuple[Mixture, Fraction] | None = None

    def __call__(self, best: Mixture) -> Fraction:
        if self._known is None or self._known[0] is not best:
            parts = kept_parts(best)
            raised = _raised_cdf(self.oracle, parts, sum((w for w, _ in parts), Fraction()))
            cost = weighed_above(self.objective, raised, self.clock)
            model = self.model
            value = model.unit * (model.offsets[-1] + model.remaining[0] - cost) - model.loss
            self._known = best, tidy_below(value)
        return self._known[1]


def kept_parts(best: Mixture) -> list[tuple[Fraction, Any]]:
    return [(Fraction(w), choice) for w, choice in best.parts if w > LEAST_WEIGHT]


@lru_cache(maxsize=1)
def compile_search() -> None:
    """Compile, or load, every kernel of the search on two toy problems before the clock starts."""
    coin = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    toy = MDP(0, [[coin, {0: 1}], [{0: 1}]], [[coin, {1: 1}], [{0: 1}]], horizon=2)
    model = float_model(toy, Fraction(1))
    for polygon in (
        Polygon(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0])),
        Polygon(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0])),
    ):
        search = Search(Oracle(model), polygon, -1e-3, np.inf)
        search.run()
        node = Node(np.zeros(model.remaining[0]), np.ones(model.remaining[0]), search.best.cdf)
        search.evaluate(node, 1, 2, 2)


def accuracy_in(seconds: float | None) -> Fraction:
    """How closely a polygon follows an irrational weighting in a tenth of the time: knots grow as accuracy ** -1/2."""
    if seconds is None:
        return Fraction()
    return min(Fraction(1, 2**10), Fraction((10 * SECONDS_PER_KNOT / max(seconds, 1e-3)) ** 2))


def power_of_four_below(x: Fraction) -> Fraction:
    """So that polygons are shared between calls of similar accuracy."""
    power = Fraction(1)
    while power > x:
        power /= 4
    return power


def _constant(mdp: MDP, objective: Weighting, model: FloatModel, clock: Clock) -> Plan:
    """Every policy has the same (rounded) return."""
    from ..api import finished

    return finished(mdp, objective, model, best_mean(model), "the return is constant on the grid", clock)


def _certified(
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    oracle: Oracle,
    search: Search,
    proof: Proof,
    clock: Clock,
    quantiles: list[Bounds],
) -> Plan:
    top, shift, unit = model.remaining[0], model.offsets[-1], model.unit
    bound = max(max(search.bound, search.uncut_bound) - SPARED * top, 0.0)
    upper = tidy_above(unit * (shift + top - Fraction(bound)))
    parts = kept_parts(search.best)
    scale = sum((w for w, _ in parts), Fraction())
    policies: list[tuple[Fraction, Policy]] = [
        (w / scale, GridPolicy(mdp, unit, TableRule(model, choice))) for w, choice in parts
    ]
    policy = policies[0][1] if len(policies) == 1 else MixturePolicy(policies)
    raised = _raised_cdf(oracle, parts, scale)
    cost = weighed_above(objective, raised, clock)
    grid_lower = unit * (shift + top - cost)
    held = Held(grid_lower - model.loss, policy, None)
    found = exact_value(mdp, policy, objective, patient=True, clock=clock)
    if found is not None:
        held = Held(max(held.lower, found[0]), policy, found[1])
    for quantile in quantiles:
        if upper - held.lower > CLOSEST * top * unit and not clock.over():
            held = _off_the_jump(held, mdp, objective, model, oracle, raised, quantile, clock)
    lower, upper = within_range(mdp, tidy_below(held.lower), upper)
    if lower > upper:  # evaluator and bound share no code; they must agree
        raise AssertionError(f"the policy attains {lower}, above the upper bound {upper}: please report this model")
    searched = tidy_above(unit * (shift + top - Fraction(search.best.value)))
    discretised = Fraction() if model.exact else min(max(Fraction(), grid_lower - lower), upper - lower)
    rest = upper - lower - discretised
    gap = max(Fraction(), min(upper - searched, rest))
    rest -= gap
    polygon = Fraction(search.total(raised))  # about, to say where the gap comes from
    enclosed = max(Fraction(), min(unit * (cost - polygon), rest))
    contributions = (
        ("rewards rounded up to the grid", discretised),
        ("search", gap),
        ("weighting above its polygon", enclosed),
        *model.float_parts(rest - enclosed),
    )
    method = clock.said(f"search over CDFs: {oracle.calls} passes, {search.nodes} nodes")
    certificate = Certificate(method, contributions, proof)
    return Plan(mdp, objective, lower, lower, upper, held.policy, held.law, unit, certificate)


def _off_the_jump(
    held: Held,
    mdp: MDP,
    objective: Weighting,
    model: FloatModel,
    oracle: Oracle,
    raised: Floats,
    quantile: Bounds,
    clock: Clock,
) -> Held:
    """With a share of the best quantile's policy: by exact laws, or by CDFs raised by their errors."""
    other = GridPolicy(mdp, model.unit, quantile.rule)
    if held.law is not None:
        found = exact_value(mdp, other, objective, patient=True, clock=clock)
        return held if found is None else off_the_jump(held, other, by_laws(objective, held.law, found[1]))
    if not isinstance(quantile.rule, BudgetRule) or clock.late():  # where integers decided there is no table
        return held
    table = np.array([quantile.rule.choices(t, oracle.top + 1) for t in range(mdp.horizon)], dtype=oracle.choice.dtype)
    apart = _raised_cdf(oracle, [(Fraction(1), table)], Fraction(1))

    def worth(share: Fraction) -> tuple[Fraction, None]:
        other_share = float_above(share)
        mixed = np.minimum(_up(_up(float_above(1 - share) * raised) + _up(other_share * apart)), 1.0)
        cost = weighed_above(objective, mixed, clock)
        return model.unit * (model.offsets[-1] + oracle.top - cost) - model.loss, None

    return off_the_jump(held, other, worth)


def weighed_above(
    objective: Weighting, cdf: Sequence[Fraction] | Floats, clock: Clock, widths: Sequence[Fraction] | None = None
) -> Fraction:
    """At least the sum of G over the values of a CDF, which increase; value i counts ``widths[i]`` times, or once.

    G is enclosed at every value; once time is up, and its grace, at every second, fourth, ... one, which it is at
    least at those before: then few are left.
    """
    total, first, step, at, high = Fraction(), 0, 1, None, Fraction()
    while first < len(cdf):
        after = min(first + step, len(cdf))
        weight = after - first if widths is None else sum(widths[first:after], Fraction())
        if cdf[after - 1] != at:
            at = cdf[after - 1]
            _, high = bounds(objective.value(Fraction(at)))
        total += weight * high
        first = after
        if first < len(cdf) and clock.over():
            clock.leave_out("the weighting at every grid point")
            step *= 2
    return total


def _raised_cdf(oracle: Oracle, parts: list[tuple[Fraction, Any]], scale: Fraction) -> Floats:
    """The CDF of the mixture from float laws, raised by its error; every operation is rounded up."""
    raised = np.zeros(oracle.top)
    factor, lost = float_above(1 + oracle.law_gamma), float_above(oracle.top * SMALLEST_NORMAL * 2**20)
    for w, choice in parts:
        own = np.minimum(_up(_up(oracle.cdf(choice) * factor) + lost), 1.0)
        raised = _up(raised + _up(float_above(w / scale) * own))
    return np.minimum(raised, 1.0)


def _up(x: Floats) -> Floats:
    """At least what was computed as ``x`` in one operation."""
    return np.nextafter(x, np.inf)
