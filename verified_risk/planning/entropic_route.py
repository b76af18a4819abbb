r"""Plans for entropic risk and EVaR, by a recursion on the plain model (docs/theory/05-certificates.md, part F).

:math:`W_t(s) = \min_a \sum_{s', r} p\, e^{-\beta \gamma^t r}\, W_{t+1}(s')` is the least :math:`\mathbb E\, e^{-\beta
Z}` over all policies, for :math:`\beta > 0`, and its minimisers are an optimal policy of step and state.  It runs in
balls of arb that contain both the optimum and the policy's own value.  For EVaR the best ``beta`` is found by branch
and bound: as entropic risk falls with ``beta``, no ``beta`` in ``[a, b]`` gives more than ``ERM(a) + log(alpha) / b``.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from typing import Any

from ..errors import InvalidArgument, Unsupported
from ..mdp import MDP
from ..numbers.enclosure import Interval, ball, bounds, enclose, log
from ..objectives import Mean
from ..objectives.entropic import ERM, EVaR
from ..policy import MarkovPolicy
from .certify import Held, certify, evaluated
from .clock import Clock
from .grid_choice import DEFAULT_GAP
from .problem import Problem
from .result import Plan
from .rounding import tidy_above, tidy_below
from .tails.refine import mean_plan

PATIENCE = 60.0  # seconds of a search for the best beta if no limit is given


def plan_entropic(problem: Problem) -> Plan:
    """Plan for entropic risk in one pass, for EVaR in several."""
    mdp, objective = problem.mdp, problem.objective
    if problem.eta is not None:
        raise InvalidArgument(f"eta is for grids of returns, and {objective.spec} needs none: leave it out")
    if not mdp.is_discrete:
        raise Unsupported(f"rewards are continuous, and {objective.spec} needs atoms", instead="mdp.discretised(eta)")
    if isinstance(objective, ERM):
        found, table = best_entropic(mdp, objective.beta)
        lower, upper, said = found.lower, found.upper, "exponential recursion in ball arithmetic"
    else:
        assert isinstance(objective, EVaR)
        lower, upper, table, passes = _best_level(problem, objective)
        said = f"exponential recursion in ball arithmetic, at {passes} values of beta"
    held = Held(tidy_below(lower), MarkovPolicy(mdp, table))
    held = evaluated(held, mdp, objective, problem.clock, patient=False)
    return certify(mdp, objective, held, tidy_above(upper), Fraction(1), said)


def best_entropic(mdp: MDP, beta: Fraction) -> tuple[Interval, list[list[int]]]:
    """Return an enclosure of the best entropic risk and of its policy's, and the policy's actions ``[t][s]``."""
    table: list[list[int]] = []

    def value(arb: Any) -> Any:
        table.clear()
        worth = [arb(1)] * mdp.n_states
        for t in reversed(range(mdp.horizon)):
            scale = -ball(beta * mdp.step_reward(t, Fraction(1)), arb)
            powers: dict[Fraction, Any] = {}
            step = [_best(mdp, s, worth, scale, powers, arb, seeking=beta < 0) for s in range(mdp.n_states)]
            worth = [found for found, _ in step]
            table.insert(0, [a for _, a in step])
        total = arb(0)
        for s, p in mdp.initial:
            total += ball(p, arb) * worth[s]
        return -total.log() / ball(beta, arb)

    return enclose(value), table


def _best(
    mdp: MDP, s: int, worth: list[Any], scale: Any, powers: dict[Fraction, Any], arb: Any, *, seeking: bool
) -> tuple[Any, int]:
    """Return the best action of a state, and a ball with both its value and the least (largest, if ``seeking``)."""

    def power(r: Fraction) -> Any:
        if r not in powers:
            powers[r] = (scale * ball(r, arb)).exp()
        return powers[r]

    sums = []
    for action in mdp.actions(s):
        total = arb(0)
        if action.independent:
            for k, p in action.successors:
                total += ball(p, arb) * worth[k]
            total *= sum((ball(q, arb) * power(r) for r, q in action.reward_law), arb(0))
        else:
            for p, k, r in action.outcomes:
                total += ball(p, arb) * power(r) * worth[k]
        sums.append(total)
    best = 0
    for a, total in enumerate(sums):
        if (total.mid() > sums[best].mid()) if seeking else (total.mid() < sums[best].mid()):
            best = a
    found = sums[best]
    for total in sums:
        if not (total < sums[best] if seeking else total > sums[best]):  # not surely worse
            found = found.union(total)
    return found, best


def _best_level(problem: Problem, objective: EVaR) -> tuple[Fraction, Fraction, list[list[int]], int]:
    """Return bounds on the best EVaR, a policy that attains the lower one, and the number of passes."""
    mdp, alpha = problem.mdp, objective.alpha
    low, high = mdp.remaining_range(0)
    mean = mean_plan(mdp, Mean())
    if alpha == 1 or low == high:
        assert isinstance(mean.policy, MarkovPolicy)
        return mean.lower, mean.upper, [[row[s][0][0] for s in range(mdp.n_states)] for row in mean.policy.table], 0
    clock = Clock(PATIENCE) if problem.seconds is None and problem.gap is None else problem.clock
    weight = bounds(log(alpha))
    best: tuple[Fraction, list[list[int]]] | None = None
    known: dict[Fraction, Fraction] = {Fraction(): mean.upper}

    def look(beta: Fraction) -> None:
        nonlocal best
        found, table = best_entropic(mdp, beta)
        known[beta] = found.upper
        worth = found.lower + weight[0] / beta
        if best is None or worth > best[0]:
            best = worth, table

    def bound(a: Fraction, b: Fraction | None) -> Fraction:
        return known[a] if b is None else known[a] + weight[1] / b

    start = 1 / (high - low)
    look(start)
    queue: list[tuple[Fraction, Fraction, Fraction | None]] = []
    for a, b in ((Fraction(), start), (start, None)):
        heapq.heappush(queue, (-bound(a, b), a, b))
    assert best is not None
    while not clock.late():
        goal = DEFAULT_GAP * (mean.upper - best[0]) if problem.gap is None else problem.gap
        if -queue[0][0] - best[0] <= goal:
            break
        _, a, b = heapq.heappop(queue)
        middle = 2 * a if b is None else b / 2 if not a else (a + b) / 2
        look(middle)
        for ends in ((a, middle), (middle, b)):
            heapq.heappush(queue, (-bound(*ends), *ends))
    return best[0], max(-queue[0][0], best[0]), best[1], len(known) - 1
