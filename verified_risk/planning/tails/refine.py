r"""``plan`` for discounted models: refine the grid until the gap is met.

Each round computes both tables of :mod:`.interpolated_tables`.  The gap is about a constant times ``eta**2``, which
determines the next grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ...grid import ScaledModel, scaled_model
from ...kernels import budget_pass
from ...kernels.jit import PATIENCE, STEP, compile_next
from ...mdp import MDP
from ...objectives import Weighting
from ...objectives.piecewise import Levels
from ...policy import MarkovPolicy
from ...policy.cell_policy import CellPolicy
from ...progress import Progress, Report
from .. import clock as timing
from ..certify import Held, certify, evaluated
from ..clock import Clock, memory_limit
from ..grid_choice import DEFAULT_GAP
from ..result import Plan
from ..rounding import short_below, tidy_above, tidy_below, within_range
from .interpolated_tables import Envelope, best_rho, bytes_needed, envelope, mean_part

FIRST_NODES = 256  # nodes of the first round: milliseconds, and often enough for three digits
QUICK_GAP, QUICK_STEPS = Fraction(1, 30_000), 10**7
"""The default gap if the first round has at most so many innermost steps: the finer grid takes a tenth of a second."""
DEFAULT_SECONDS = 60.0  # default time limit in the same case
STEEPEST = 2**30
"""Largest ratio of weight to level; beyond it, rounding errors of a table times that ratio dominate the answer."""


@dataclass(frozen=True)
class SolvedGrid:
    """The result of one grid, in the user's units."""

    model: ScaledModel
    tables: Envelope
    rho: int
    lower: Fraction
    upper: Fraction
    rounding: Fraction


def serves(mdp: MDP, objective: Weighting) -> bool:
    """Return whether this route takes the objective: mean and one CVaR of a level that is not tiny, finite rewards."""
    levels = objective.levels
    if levels is None or len(levels.tails) != 1 or not mdp.is_discrete:
        return False
    ((alpha, weight),) = levels.tails
    low, high = mdp.reward_range
    return weight / alpha <= STEEPEST and levels.mean <= STEEPEST * weight / alpha and high > low


def refined_plan(
    mdp: MDP,
    objective: Weighting,
    eta: Fraction | None,
    gap: Fraction | None,
    seconds: float | None,
    progress: Report | None = None,
) -> Plan:
    """Run one round for a given ``eta``; otherwise rounds until ``gap`` is met, or time or memory runs out."""
    levels = objective.require_levels()
    width = _range(mdp)
    first = scaled_model(mdp, eta if eta is not None else short_below(width / FIRST_NODES))
    work = 2 * len(first.succ_prob) * first.cells / first.n_states
    if work * STEP > PATIENCE / 2:  # before the clock starts: it would affect the choice of the next grid
        _compile_on_toys()
    if eta is None and gap is None:
        gap = (QUICK_GAP if work <= QUICK_STEPS else DEFAULT_GAP) * width
        seconds = DEFAULT_SECONDS if seconds is None else seconds
    clock = Clock(seconds)
    rounds = [_solved(first, levels)]
    why = "the grid that was asked for"
    while eta is None:
        lower, upper = max(r.lower for r in rounds), min(r.upper for r in rounds)
        if progress is not None:
            progress(Progress(clock.spent, lower, upper))
        assert gap is not None
        if min(r.upper - r.lower for r in rounds) <= gap:  # both bounds of one grid: the answer uses only one
            why = "the gap is met"
            break
        model, stopped = _finer(mdp, rounds, gap, clock.deadline, clock.spent)
        if model is None:
            why = stopped
            break
        rounds.append(_solved(model, levels))
    return answer(mdp, objective, rounds, why, clock)


@lru_cache(maxsize=1)
def _compile_on_toys() -> None:
    """Compile on two small models that cover every form of the kernels' arguments."""
    compile_next(*vars(budget_pass).values())
    rewards = [[{0: Fraction(1, 2), 1: Fraction(1, 2)}, {"1/3": 1}]]
    product = MDP(0, [[{0: 1}, {0: 1}]], rewards, horizon=2, discount=Fraction(1, 2))
    halves = [(Fraction(1, 2), 0, Fraction(1, 3)), (Fraction(1, 2), 1, Fraction(1))]
    joint = MDP.from_outcomes([[halves], [[(1, 0, 0)]]], initial=0, horizon=2, discount=Fraction(1, 2))
    for toy in (product, joint):
        _solved(scaled_model(toy, Fraction(1, 2)), Levels(Fraction(), ((Fraction(1, 2), Fraction(1)),)))


def _range(mdp: MDP) -> Fraction:
    low, high = mdp.remaining_range(0)
    return high - low


def _solved(model: ScaledModel, levels: Levels) -> SolvedGrid:
    ((alpha, weight),) = levels.tails
    return solved(envelope(model, levels.mean / (weight / alpha)), levels)


def solved(tables: Envelope, levels: Levels) -> SolvedGrid:
    """Find the best rho of two tables, in the user's units."""
    model = tables.model
    ((alpha, weight),) = levels.tails if levels.tails else ((Fraction(1), Fraction(1)),)
    mean = levels.mean if levels.tails else Fraction()  # at all levels, the mean is CVaR at level 1
    bounds = best_rho(tables, mean, weight / alpha)
    lower, upper = (model.offset + model.eta * x for x in (bounds.lower, bounds.upper))
    lower, upper = within_range(model.mdp, tidy_below(lower), tidy_above(upper))
    rounding = tidy_above(2 * model.eta * weight / alpha * Fraction(tables.shift))
    return SolvedGrid(model, tables, bounds.rho, lower, upper, rounding)


def _finer(
    mdp: MDP, rounds: list[SolvedGrid], gap: Fraction, deadline: float, spent: float
) -> tuple[ScaledModel | None, str]:
    """Return the next grid, or the reason why there is none."""
    last = rounds[-1]
    ratio = float(min((last.upper - last.lower) / gap, Fraction(1000))) if gap else 10.0
    factor = min(16, 2 ** max(1, math.ceil(math.log2(1.1 * math.sqrt(ratio)))))
    if last.rounding > (last.upper - last.lower) / 4:
        return None, "float64 can certify no more"
    if len(rounds) > 2 and (last.upper - last.lower) > Fraction(9, 10) * (rounds[-3].upper - rounds[-3].lower):
        return None, "two finer grids no longer helped"
    while True:
        model = scaled_model(mdp, last.model.eta / factor)
        fits = bytes_needed(model) <= memory_limit()
        # a pass, judging by the rounds so far, is expected to end before the deadline
        if fits and timing.now() + 1.2 * spent * model.cells / last.model.cells <= deadline:
            return model, ""
        if factor == 2:
            return None, "time" if fits else "memory"
        factor //= 2


def answer(mdp: MDP, objective: Weighting, rounds: list[SolvedGrid], why: str, clock: Clock | None = None) -> Plan:
    """Return policy and bounds of the round with the least gap; from one grid, so that a recheck can recompute both."""
    best = min(rounds, key=lambda r: r.upper - r.lower)
    model = best.model
    clock = Clock() if clock is None else clock
    policy = CellPolicy(mdp, model.eta, model.halvings, best.rho, best.tables.policy, best.tables.mean.action)
    held = evaluated(Held(best.lower, policy), mdp, objective, clock)
    held = replace(held, lower=tidy_below(held.lower))
    method = (
        f"budget tables read between {model.tops[0][1] + 1} nodes, grid halved {model.halvings[-1]} times by the last "
        f"step, {len(rounds)} rounds: {why}"
    )

    def shares(lower: Fraction, upper: Fraction) -> tuple[tuple[str, Fraction], ...]:
        rounding = min(best.rounding, upper - lower)
        return (("returns between grid points", upper - lower - rounding), ("float64 arithmetic", rounding))

    return certify(mdp, objective, held, best.upper, model.eta, clock.said(method), shares)


def mean_plan(mdp: MDP, objective: Weighting) -> Plan:
    """Return the plan of the best mean, which needs no grid: one value per step and state."""
    width = _range(mdp)
    model = scaled_model(mdp, width or Fraction(1), (0,) * mdp.horizon)
    mean = mean_part(model)
    computed = [(p, float(mean.value[0, s])) for s, p in mdp.initial]
    most = mdp.remaining_range(0)[1]
    lower = most - model.eta * sum((p * mean.enclosure.above(x) for p, x in computed), Fraction())
    upper = most - model.eta * sum((p * mean.enclosure.below(x) for p, x in computed), Fraction())
    held = evaluated(
        Held(tidy_below(lower), MarkovPolicy(mdp, mean.action.tolist())), mdp, objective, Clock(), patient=False
    )
    return certify(
        mdp, objective, held, tidy_above(upper), model.eta, "mean recursion, float64",
        lambda lower, upper: (("float64 arithmetic", upper - lower),),
    )  # fmt: skip
