r"""The law of a plan's policy: exact if affordable, else in float64 with an error bound, or unknown.

In float64, masses are sums of products of nonnegative numbers, so each mass, and each value of the CDF, is off by a
factor of at most :math:`1 + \gamma_K` (theory 05, A1, nonnegative expressions).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..grid import FloatModel, float_model, grid_model, own_unit, scaled_model
from ..kernels import budget_pass as kernels
from ..law import Law
from ..mdp import MDP
from ..mdp.packed import Floats
from ..numbers.enclosure import Interval, Real, bounds
from ..objectives import Weighting
from ..objectives.entropic import Entropic
from ..policy import GridPolicy, Policy
from ..policy.cell_policy import CellPolicy
from ..policy.evaluation import joint_law, return_law
from .clock import Clock, memory_limit
from .grid_choice import own_grid, steps_remaining
from .rounding import gamma

QUICK = 30_000
"""Maximum number of branches of an exact evaluation that every call of ``plan`` may follow: tens of milliseconds."""
PATIENT = 2_000_000  # the same limit where the exact value is worth waiting for: seconds

COUNTED = 200_000  # branches counted to see whether an evaluation is affordable after an estimate said that it is not
AT_ONCE = 1000  # branches followed before the clock is consulted
SECONDS_PER_BRANCH = 5e-6  # approximate cost of an exact evaluation; it matters only when time is short
MOST_SUMS = Fraction(10**300)  # cap on counts, which keeps them within the range of floats


def _own_unit(mdp: MDP) -> Fraction:
    """Return the unit of the rewards' own grid, or 0 if a discount makes it too fine to be of use."""
    return own_unit(mdp) if mdp.discount.denominator ** (mdp.horizon - 1) <= 2**200 else Fraction()


def _branches(mdp: MDP) -> int:
    """Return the greatest number of pairs of next state and reward of one action."""
    if mdp.flat is not None:
        return mdp.flat.branches
    return max(
        len(action.successors) * len(action.reward_law) if action.independent else len(action.outcomes)
        for _, _, action in mdp
    )


def _branches_of_all(mdp: MDP) -> int:
    """Return an upper bound on the distinct pairs of next state and reward reachable from a state by any action."""
    pairs: dict[int, set[tuple[int, Fraction]]] = {}
    for s, _, action in mdp:
        pairs.setdefault(s, set()).update((target, r) for _, target, r in action.outcomes)
    return max(map(len, pairs.values()))


def _cells(mdp: MDP, unit: Fraction, branches: int, *, off_grid: bool = False) -> Iterator[float]:
    """Yield, for t = 0, 1, ..., a bound on the cells (state, return so far, memory) met with ``branches`` each.  Off
    the grid, the memory is the rounded sum, which takes at most t + 2 values given the return."""
    low, high = mdp.reward_range
    cells, sums = float(len(mdp.initial)), 1.0
    for t in range(mdp.horizon):
        yield cells
        sums += float(min(mdp.step_reward(t, high - low) / unit, MOST_SUMS)) if unit else float(MOST_SUMS)
        cells = min(cells * branches, mdp.n_states * sums * (t + 2 if off_grid else 1))
    yield cells


def surely_more_cells(mdp: MDP, most: float) -> bool:
    """Return whether :func:`most_cells` exceeds ``most`` even with one action's branches; costs next to nothing."""
    return max(_cells(mdp, _own_unit(mdp), _branches(mdp))) > most


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
    if evaluation_work(mdp, policy) <= PATIENT:
        return return_law(mdp, policy), Fraction()
    found = float_law(mdp, policy)
    if found is None and mdp.is_discrete and _few_branches(mdp, policy, COUNTED, Clock()):
        return return_law(mdp, policy), Fraction()
    return found


def _few_branches(mdp: MDP, policy: Policy, most: int, clock: Clock) -> bool:
    """Return whether an exact evaluation follows at most ``most`` branches; counts them, without masses, in time."""
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


# -- laws in floats ----------------------------------------------------------------------------------------------------


POINTS = 4096  # grid points on which :func:`shared_law` tracks the return
PATIENT_SECONDS = 5.0  # time limit of a forward pass on the rewards' own grid for a policy planned on another grid
SECONDS_PER_PRODUCT, SECONDS_PER_POINT = 1e-9, 5e-6
"""Approximate cost of such a pass and of building its law."""


@runtime_checkable
class StepChoices(Protocol):
    """A rule that can return its choices at one step as an array over states and shifted sums."""

    def choices(self, t: int, width: int) -> Any: ...


def forward_depth(model: FloatModel) -> int:
    """Return the successive roundings: rewards and successors of every step, plus the terms that a cell can receive."""
    incoming = len(model.succ_prob) if not model.product else len(model.succ_prob) + int(model.steps[0].start[-1])
    return model.horizon * (min(incoming, 2**40) + 6) + model.n_states + model.remaining[0] + 4


def forward_law(model: FloatModel, rule: StepChoices) -> Floats:
    """Return the probabilities of the shifted returns 0, 1, ..., M_0, in units, in the rounded-up model."""
    total: Floats = _forward_masses(model, rule).sum(axis=0)
    return total


def state_law_above(mdp: MDP, policy: Policy) -> Floats | None:
    """Return upper bounds on the probabilities of the states after the last step; None if they would take too long."""
    found = np.zeros(mdp.n_states)
    if evaluation_work(mdp, policy) <= PATIENT:
        for (s, _), p in joint_law(mdp, policy, mdp.horizon).items():
            found[s] += float(p)
    else:
        for weight, part in policy.parts():
            model = None if isinstance(part, CellPolicy) else _own_model(mdp, part)
            if model is None or 16 * mdp.n_states * (model.remaining[0] + 1) > memory_limit():
                return None
            masses = _forward_masses(model, part.rule).sum(axis=1)  # type: ignore[attr-defined]
            found += float(weight) * masses * (1 + 2 * float(gamma(forward_depth(model))))
    return found * (1 + 2.0**-30) + 2.0**-900


def _forward_masses(model: FloatModel, rule: StepChoices) -> Floats:
    """Return the probabilities of each state and shifted return after the last step."""
    top = model.remaining[0]
    mass, after = np.zeros((model.n_states, top + 1)), np.zeros((model.n_states, top + 1))
    u = np.zeros(top + max(step.span for step in model.steps) + 2)
    mass[model.initial_state, 0] = model.initial_prob
    width = 1
    for t, step in enumerate(model.steps):
        after[:] = 0.0
        kernels.forward_step(
            model.product, model.action_start, model.succ_start, model.succ_state, model.succ_prob,
            step.start, step.units, step.prob, np.ascontiguousarray(rule.choices(t, width)), width, step.span, mass,
            after, u,
        )  # fmt: skip
        mass, after = after, mass
        width += step.span
    return mass


def shared_law(mdp: MDP, policy: CellPolicy) -> Law:
    """Approximate the law of a policy that depends on its exact return, with no proved error.  The return is tracked on
    :data:`POINTS` points; mass between two of them is split so as to preserve the mean."""
    low, high = mdp.remaining_range(0)
    step = (high - low) / POINTS
    model = scaled_model(mdp, step, (0,) * mdp.horizon, joint=True)
    width = sum(part.span + 1 for part in model.steps) + 1
    mass, after = np.zeros((mdp.n_states, width)), np.zeros((mdp.n_states, width))
    mass[[s for s, _ in mdp.initial], 0] = [float(p) for _, p in mdp.initial]
    starts, states = 2 * model.succ_start, np.repeat(model.succ_state, 2)
    shift = Fraction()
    for t, part in enumerate(model.steps):
        units = np.stack([part.units, part.units + 1], axis=1).ravel()
        prob = (np.stack([1.0 - part.share, part.share], axis=1) * model.succ_prob[:, None]).ravel()
        after[:] = 0.0
        reach = width - part.span - 1
        kernels.forward_step(
            False, model.action_start, starts, states, prob, starts, units, prob,
            np.ascontiguousarray(_cell_choices(policy, t, shift, step, reach)), reach, part.span + 1, mass, after,
            np.zeros(1),
        )  # fmt: skip
        mass, after = after, mass
        shift += mdp.step_reward(t, model.least)
    total = mass.sum(axis=0)
    weights = {j: Fraction(float(p)) for j, p in enumerate(total) if p > 0}
    whole = sum(weights.values(), Fraction())
    return Law.of_weights({model.offset + j * step: p / whole for j, p in weights.items()})


def _cell_choices(policy: CellPolicy, t: int, shift: Fraction, unit: Fraction, width: int) -> Any:
    """Return the actions of every state for a return so far of ``shift + j * unit``, ``0 <= j < width``."""
    table, delta = policy.tables[t], policy.eta / 2 ** policy.halvings[t]
    before = sum((policy.mdp.step_reward(u, Fraction(1)) for u in range(t)), Fraction())
    left, cell = (policy.eta * policy.rho + policy.least * before - shift) / unit, delta / unit
    whole = math.lcm(left.denominator, cell.denominator)
    top, step = int(left * whole), int(cell * whole)
    # the greatest j with a budget of at least k cells, for k = 1, 2, ...: decreasing
    greatest = np.array([min(max((top - k * step) // whole, -1), width) for k in range(1, table.shape[1])], dtype=int)
    j = np.arange(width)
    cells = len(greatest) - np.searchsorted(greatest[::-1], j)
    played = min(max(-(-top // whole), 0), width)  # from here on no budget is left
    return np.where(j < played, table[:, cells], policy.linear[t][:, None])


class _CellRule:
    """A policy that depends on its exact return, on a grid that contains every return."""

    def __init__(self, policy: CellPolicy, model: FloatModel) -> None:
        self.policy, self.model = policy, model

    def choices(self, t: int, width: int) -> Any:
        return _cell_choices(self.policy, t, self.model.offsets[t] * self.model.unit, self.model.unit, width)


def forward_seconds(mdp: MDP) -> float:
    """Estimate the time of a forward pass on the rewards' own grid; infinite if the grid has too many points."""
    unit = own_grid(mdp)
    if unit is None:
        return math.inf
    remaining = steps_remaining(mdp, unit)
    if 16 * mdp.n_states * (remaining[0] + 1) > memory_limit():
        return math.inf
    outcomes = sum(len(action.outcomes) for _, _, action in mdp)
    return outcomes * sum(remaining) * SECONDS_PER_PRODUCT + remaining[0] * SECONDS_PER_POINT


def float_law(mdp: MDP, policy: Policy) -> tuple[Law, Fraction] | None:
    """Return the law of ``policy`` in float64 and a bound on the error of its CDF.  Return None if the return has no
    grid, the policy has no table over it, or the pass would take too long."""
    laws: list[tuple[Fraction, Law]] = []
    error = Fraction()
    for weight, part in policy.parts():
        model = _own_model(mdp, part)
        if model is None or model.loss or 16 * mdp.n_states * (model.remaining[0] + 1) > memory_limit():
            return None
        rule = _CellRule(part, model) if isinstance(part, CellPolicy) else part.rule  # type: ignore[attr-defined]
        laws.append((weight, _normalised(forward_law(model, rule), model)))
        error = max(error, 2 * gamma(forward_depth(model)))
    return Law.mixture(laws), error


def approximate_law(mdp: MDP, policy: Policy) -> Law:
    """Return a law near that of ``policy``, without a proved error: the return is rounded up to the policy's grid, or
    its mass is split between grid points."""
    laws: list[tuple[Fraction, Law]] = []
    for weight, part in policy.parts():
        if isinstance(part, CellPolicy):
            laws.append((weight, shared_law(mdp, part)))
        else:
            model = _own_model(mdp, part)
            assert model is not None
            laws.append((weight, _normalised(forward_law(model, part.rule), model)))  # type: ignore[attr-defined]
    return Law.mixture(laws)


def _own_model(mdp: MDP, part: Policy) -> FloatModel | None:
    """Return the model on the grid of the policy's returns, if there is one."""
    if isinstance(part, GridPolicy) and isinstance(part.rule, StepChoices):
        return float_model(mdp, part.eta)
    if not isinstance(part, CellPolicy) or forward_seconds(mdp) > PATIENT_SECONDS:
        return None
    return float_model(mdp, own_unit(mdp))


def _normalised(masses: Floats, model: FloatModel) -> Law:
    """Return the masses as rationals; the largest one absorbs the difference from 1."""
    weights = {z: Fraction(float(p)) for z, p in enumerate(masses) if p > 0}
    largest = max(weights, key=lambda z: weights[z])
    weights[largest] += 1 - sum(weights.values())
    shift = model.offsets[-1]
    return Law.of_weights({(z + shift) * model.unit: p for z, p in weights.items()})
