r"""The law of a plan's policy: exact if affordable, else in float64 with an error bound, or unknown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..grid import grid_model, own_unit
from ..law import Law
from ..mdp import MDP
from ..numbers.enclosure import Interval, Real, bounds
from ..objectives import Weighting
from ..objectives.entropic import Entropic
from ..policy import GridPolicy, Policy
from ..policy.evaluation import return_law
from .clock import Clock

QUICK = 30_000
"""Maximum number of branches of an exact evaluation that every call of ``plan`` may follow: tens of milliseconds."""
PATIENT = 2_000_000
"""The same limit where the exact value is worth waiting for: seconds."""


COUNTED = 200_000
"""Branches counted to see whether an evaluation is affordable after an estimate said that it is not."""
AT_ONCE = 1000
"""Branches followed before the clock is consulted."""
SECONDS_PER_BRANCH = 5e-6
"""Approximate cost of an exact evaluation; it matters only when time is short."""
MOST_SUMS = Fraction(10**300)
"""Cap on counts, which keeps them within the range of floats."""


def _own_unit(mdp: MDP) -> Fraction:
    """Return the unit of the rewards' own grid, or 0 if a discount makes it too fine to be of use."""
    return own_unit(mdp) if mdp.discount.denominator ** (mdp.horizon - 1) <= 2**200 else Fraction()


def _branches(mdp: MDP) -> int:
    """Return the greatest number of pairs of next state and reward of one action."""
    if mdp.flat is not None:
        return mdp.flat.branches
    return max(len(action.successors) * len(action.reward_law) for _, _, action in mdp)


def _branches_of_all(mdp: MDP) -> int:
    """Return an upper bound on the distinct pairs of next state and reward reachable from a state by any action."""
    pairs: dict[int, set[tuple[int, Fraction]]] = {}
    for s, _, action in mdp:
        pairs.setdefault(s, set()).update((target, r) for _, target, r in action.outcomes)
    return max(map(len, pairs.values()))


def _cells(mdp: MDP, unit: Fraction, branches: int, *, off_grid: bool = False) -> Iterator[float]:
    """Yield, for t = 0, 1, ..., a bound on the cells (state, return so far, memory) met with ``branches`` each.

    Off the grid, the memory is the rounded sum, which takes at most t + 2 values given the return.
    """
    low, high = mdp.reward_range
    cells, sums = float(len(mdp.initial)), 1.0
    for t in range(mdp.horizon):
        yield cells
        sums += float(min(mdp.step_reward(t, high - low) / unit, MOST_SUMS)) if unit else float(MOST_SUMS)
        cells = min(cells * branches, mdp.n_states * sums * (t + 2 if off_grid else 1))
    yield cells


def surely_more_cells(mdp: MDP, most: float) -> bool:
    """Whether :func:`most_cells` exceeds ``most`` even with the branches of a single action; costs next to nothing."""
    if mdp.flat is not None:
        branches = mdp.flat.branches
    else:
        branches = max(
            len(action.successors) * len(action.reward_law) if action.independent else len(action.outcomes)
            for _, _, action in mdp
        )
    return max(_cells(mdp, _own_unit(mdp), branches)) > most


def most_cells(mdp: MDP) -> float:
    """Return an upper bound on the pairs of state and return so far that all policies together meet at one step."""
    return max(_cells(mdp, _own_unit(mdp), _branches_of_all(mdp)))


def evaluation_work(mdp: MDP, policy: Policy) -> float:
    """Return an upper bound on the branches that the exact evaluation of ``policy`` follows."""
    if not mdp.is_discrete:
        return float("inf")
    unit, branches, total = _own_unit(mdp), _branches(mdp), 0.0
    for _, part in policy.parts():
        off_grid = isinstance(part, GridPolicy) and (not unit or (unit / part.eta).denominator != 1)
        *cells, _ = _cells(mdp, unit, branches, off_grid=off_grid)
        total += branches * sum(cells)
    return total


def exact_value(
    mdp: MDP, policy: Policy, objective: Weighting, *, patient: bool, clock: Clock | None = None
) -> tuple[Fraction, Law] | None:
    """Return a lower bound on the policy's objective (its value, if that is rational) and its law.

    Return None if the evaluation would follow more than :data:`QUICK` (``patient``: :data:`PATIENT`) branches, or take
    longer than the ``clock`` has left; the clock records the latter.
    """
    clock = Clock() if clock is None else clock
    work = evaluation_work(mdp, policy)
    if patient and work > PATIENT and mdp.is_discrete and _few_branches(mdp, policy, QUICK, clock):
        work = QUICK
    if work > (PATIENT if patient else QUICK):
        return None
    if work > AT_ONCE and not clock.affords(work * SECONDS_PER_BRANCH, "the policy's exact law", last=True):
        return None
    law = return_law(mdp, policy)
    return bounds(objective.of(law))[0], law


def affordable_law(mdp: MDP, policy: Policy) -> tuple[Law, Fraction] | None:
    """Return the policy's law and a bound on the error of its CDF; None if computing it would take too long."""
    from .forward_law import float_law

    if evaluation_work(mdp, policy) <= PATIENT:
        return return_law(mdp, policy), Fraction()
    found = float_law(mdp, policy)
    if found is None and mdp.is_discrete and _few_branches(mdp, policy, COUNTED, Clock()):
        return return_law(mdp, policy), Fraction()
    return found


def _few_branches(mdp: MDP, policy: Policy, most: int, clock: Clock) -> bool:
    """Whether an exact evaluation follows at most ``most`` branches; counts them, without masses, within the time."""
    followed = 0
    grid = grid_model(mdp)
    for _, part in policy.parts():
        recalled = part.memory_of_return(grid.unit)
        cells: set[tuple[int, int, Any]] = {(s, 0, None if recalled else part.start()) for s, _ in grid.initial}
        for t, step in enumerate(grid.steps):
            scale = grid.unit / mdp.step_reward(t, Fraction(1))
            after: set[tuple[int, int, Any]] = set()
            for s, z, memory in cells:
                for a, _ in part.choice(t, s, recalled(z) if recalled else memory):
                    followed += len(step[s][a])
                    for _, target, j in step[s][a]:
                        memories = () if recalled else part.memories(memory, t, s, a, j * scale)
                        after.update((target, z + j, m) for m, _ in memories or ((None, 1),))
                if followed > most or clock.over():
                    return False
            cells = after
    return True


def worth_within(objective: Weighting, law: Law, error: Fraction, span: tuple[Fraction, Fraction]) -> Real:
    """Evaluate the objective of a law in ``span`` whose CDF is within ``error`` of that of ``law``."""
    if not error:
        return objective.of(law)
    if isinstance(objective, Entropic):
        return objective.within(law, error, span)
    low, high = span
    points, levels = (low, *law.atoms, high), (Fraction(), *law.cumulative())
    most = least = Fraction()
    for x, after, level in zip(points, points[1:], levels, strict=False):
        most += (after - x) * bounds(objective.value(min(level + error, Fraction(1))))[1]
        least += (after - x) * bounds(objective.value(max(level - error, Fraction())))[0]
    return Interval(high - most, high - least)
