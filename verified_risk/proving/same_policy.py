"""Compare the policy of a certificate with the policy of a plan.

The checker bounds the value of the policy written in the certificate.  This bounds the plan if both policies choose
alike in every reachable situation, because their returns then have the same law.  The plan's policy is read through the
methods that play it (``start``, ``choice``, ``remember``), or its tables if it has any; the certificate's according to
docs/proof_format.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ..errors import NotProved
from ..policy import GridPolicy, Policy
from ..policy.cell_policy import CellPolicy
from ..policy.grid_policy import ArrayRule
from .certificate import ByBudget, ByLaw, ByMarkov, CellGrid, Certificate, IntegerModel, Runs
from .weightings import Machine


def require_same_policy(policy: Policy, certificate: Certificate) -> None:
    """Raise :class:`NotProved` unless ``policy`` chooses as ``certificate`` does in every reachable situation."""
    model, low, parts = certificate.model, certificate.low, list(policy.parts())
    if isinstance(low, ByBudget) and isinstance(low.grid, CellGrid):
        if len(parts) > 1 or not isinstance(parts[0][1], CellPolicy):
            raise NotProved(f"the certificate has a policy by cells, the plan a {type(policy).__name__}")
        _compare_cells(model, parts[0][1], low, low.grid)
        return
    written = list(_drawn(certificate))
    if [weight for weight, _ in parts] != [weight for weight, _ in written]:
        raise NotProved("the certificate draws its policies with other probabilities than the plan")
    for (_, ours), (_, theirs) in zip(parts, written, strict=True):
        sign = theirs.sign(model, ours.eta) if isinstance(ours, GridPolicy) else None
        if isinstance(ours, GridPolicy) and isinstance(ours.rule, ArrayRule) and sign is not None:
            _compare_tables(model, ours, ours.rule, theirs, sign)
        else:
            _compare_where_met(model, ours, theirs)


class _Row:
    """The actions of one state at one step, by memory: ``before`` below ``first``, then those of the runs."""

    def __init__(self, first: int, runs: Runs, before: int) -> None:
        self.first, self.before = first, before
        self.ends = list(accumulate(count for count, _ in runs))
        self.actions = [action for _, action in runs]

    def action(self, memory: int) -> int:
        """Return the action, or -1 beyond the last run."""
        place = bisect_right(self.ends, memory - self.first)
        return self.before if memory < self.first else [*self.actions, -1][place]

    def at(self, memories: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return :meth:`action` of each."""
        place = np.searchsorted(np.array(self.ends), memories - self.first, side="right")
        return np.where(memories < self.first, self.before, np.array([*self.actions, -1])[place])


@dataclass(frozen=True)
class _Written:
    """A policy of a certificate: its memory is initially ``start``, and a reward of step t adds ``shifts[t][gain]``."""

    start: int
    shifts: Sequence[Mapping[int, int]]
    rows: Callable[[int], Sequence[_Row]]

    def sign(self, model: IntegerModel, eta: Fraction) -> int | None:
        """Return k such that the memory is ``start`` plus k times the sum of rewards rounded up to ``eta``."""
        sums = [dict(moves) for moves in model.moves(eta)]
        fits = (k for k in (0, 1, -1) if self.shifts == [{g: k * add for g, add in moves.items()} for moves in sums])
        return next(fits, None)


def _drawn(certificate: Certificate) -> Iterator[tuple[Fraction, _Written]]:
    """Yield the policies of the certificate, each with its probability."""
    low, model = certificate.low, certificate.model
    if isinstance(low, ByLaw):
        for machine in low.parts:
            yield Fraction(machine.weight, low.total), _remembering(machine)
    elif isinstance(low, ByMarkov):
        still = [dict.fromkeys(dict(moves), 0) for moves in model.moves(Fraction(1))]
        yield Fraction(1), _Written(0, still, lambda t: [_Row(0, [(1, a)], a) for a in low.choices[t]])
    else:
        falls = [{gain: -add for gain, add in moves} for moves in model.moves(low.grid.unit)]
        grid = low.grid.windows
        yield (
            Fraction(1),
            _Written(low.start, falls, lambda t: [_Row(grid[t][0], runs, runs[0][1]) for runs in low.choices(t)]),
        )


def _remembering(machine: Machine) -> _Written:
    if any(rule.factor != 1 or any(coin for _, coin in rule.moves.values()) for rule in machine.rules):
        raise NotProved("a memory of the certificate is multiplied or drawn, which no memory of a plan's policy is")
    shifts = [{gain: shift for gain, (shift, _) in rule.moves.items()} for rule in machine.rules]
    rows = [[_Row(first, runs, before) for first, before, runs in table.values()] for table in machine.tables]
    return _Written(machine.memory, shifts, rows.__getitem__)


def _differ(t: int, s: int, where: str, written: int, played: object) -> NotProved:
    return NotProved(
        f"the policy of the certificate is not the plan's: at step {t}, state {s}, {where} it plays action {written}, "
        f"the plan's policy plays {played}"
    )


def _compare_where_met(model: IntegerModel, policy: Policy, written: _Written) -> None:
    """Compare both policies along every history from the initial states."""
    cells = {(s, policy.start(), written.start) for s, weight in model.initial if weight}
    for t in range(model.horizon):
        rows, following = written.rows(t), set()
        for s, ours, theirs in cells:
            action, choice = rows[s].action(theirs), policy.choice(t, s, ours)
            if choice != ((action, Fraction(1)),):
                raise _differ(t, s, f"memory {ours},", action, choice)
            for weight, gain, target in model.states[s][action][1]:
                if weight:
                    after = policy.remember(ours, t, s, action, Fraction(gain, model.reward_denominator))
                    following.add((target, after, theirs + written.shifts[t][gain]))
        cells = following


def _compare_tables(model: IntegerModel, policy: GridPolicy, rule: ArrayRule, written: _Written, sign: int) -> None:
    """Compare two tables over the sum of rounded rewards, at every reachable sum."""
    least = most = 0
    for t, moves in enumerate(model.moves(policy.eta)):
        sums = np.arange(least, most + 1)
        columns = sums - rule.offsets[t]
        table = rule.choices(t, int(columns[-1]) + 1)
        if columns[0] < 0 or table.shape != (len(model.states), columns[-1] + 1):
            raise NotProved(
                f"the tables of the plan's policy at step {t} begin at {rule.offsets[t]} and have shape {table.shape}, "
                f"wanted every sum from {least} to {most}"
            )
        for s, row in enumerate(written.rows(t)):
            theirs, ours = row.at(written.start + sign * sums), table[s, columns]
            if len(wrong := np.flatnonzero(theirs != ours)):
                k = wrong[0]
                raise _differ(t, s, f"rounded return {sums[k]} eta,", int(theirs[k]), int(ours[k]))
        adds = [add for _, add in moves]
        least, most = least + min(adds), most + max(adds)


def _compare_cells(model: IntegerModel, policy: CellPolicy, low: ByBudget, grid: CellGrid) -> None:
    """Compare two tables over the cells of one exact budget, at every reachable cell."""
    denominator = model.reward_denominator
    if low.start * grid.unit != policy.rho * policy.eta or grid.base != policy.least * denominator:
        raise NotProved("the policy of the certificate starts at another budget than the plan's")
    highest = lowest = low.start * grid.unit
    fine, weight = grid.unit, Fraction(1, denominator)
    for t, halved in enumerate(grid.halvings):
        fine /= 2**halved
        ratio = policy.eta / 2 ** policy.halvings[t] / fine
        if ratio.denominator != 1:
            raise NotProved(f"the cells of the certificate at step {t} do not divide those of the plan's policy")
        # Budgets from 0 down form one cell of the policy, so the direction in which they are rounded does not matter.
        cells = np.arange(lowest // fine - 1, highest // fine + 1)
        table, first = policy.tables[t], grid.fine[t][0]
        inside = np.clip(cells // int(ratio), 0, table.shape[1] - 1)
        for s, runs in enumerate(low.choices(t)):
            theirs = _Row(first, runs, runs[0][1]).at(cells)
            ours = np.where(cells < 0, policy.linear[t, s], table[s, inside])
            if len(wrong := np.flatnonzero(theirs != ours)):
                k = wrong[0]
                raise _differ(t, s, f"budget {cells[k]} cells,", int(theirs[k]), int(ours[k]))
        lowest -= weight * (model.gains[-1] - grid.base)
        highest -= weight * (model.gains[0] - grid.base)
        weight *= model.discount
