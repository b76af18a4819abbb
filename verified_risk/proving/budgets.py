r"""Budgets of a certificate: lossless windows, scales, and the runs of a policy.

Before step t the index b stands for the budget :math:`\rho - y`, y the sum of the rounded rewards so far.  With
:math:`\ell_t \le j \le m_t` the rounded rewards of step t and :math:`L_t = \ell_t + \ell_{t+1} + \dots`:

* a policy that starts at :math:`\rho` meets only :math:`\rho - m_0 - \dots - m_{t-1} \le b \le \rho - \ell_0 - \dots -
  \ell_{t-1}`;
* from :math:`b \le L_t` on, no shortfall is possible.

For discounted plans (:class:`Budgets`) tables are interpolated on the planner's own grids.  The budget before step t is
:math:`\eta\rho - \sum_{u<t} \gamma^u (r_u - \text{least})`, known exactly.  The grid before step t has the unit
:math:`e_t = \delta_{t-1}`, that of step t is :math:`\delta_t = \eta\,2^{-h_t}`, as in :mod:`verified_risk.grid` and
:class:`~verified_risk.policy.cell_policy.CellPolicy`.  The checker computes both tables itself; the certificate
contains only windows and actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..errors import InvalidPolicy, Unsupported
from ..mdp import MDP
from ..numbers.rational import ceil_div, lcm_of_denominators
from ..policy import GridPolicy, MarkovPolicy, Policy
from ..policy.cell_policy import CellPolicy
from ..policy.grid_policy import ArrayRule
from . import integer_tables
from .certificate import CellGrid, Grid, IntegerModel, Runs, integer_model
from .weightings import Machine, Rule, law_of

MOST_MET = 200_000
"""Maximum number of triples of step, state and return for which a policy is played, if an estimate says that it may be
long: some seconds."""
MOST_ENTRIES = 500_000
"""Maximum number of triples of state, memory and return before a step."""


class Charges:
    """The range of rewards of each step, in units."""

    def __init__(self, model: IntegerModel, unit: Fraction) -> None:
        pairs = model.charges(unit)
        self.model, self.unit, self.horizon = model, unit, model.horizon
        self.spent_least = [0, *accumulate(low for low, _ in pairs)]
        self.spent_most = [0, *accumulate(high for _, high in pairs)]
        self.spent_or_kept = [0, *accumulate(max(0, high) for _, high in pairs)]
        self.gained_or_kept = [0, *accumulate(min(0, low) for low, _ in pairs)]

    @property
    def span(self) -> int:
        """The greatest return less the least."""
        return self.spent_most[-1] - self.spent_least[-1]

    def least_left(self, t: int) -> int:
        return self.spent_least[-1] - self.spent_least[t]

    def policy_grid(self, start: int) -> Grid:
        """Return every index that a policy meets from ``start``; the first index decreases no faster than the last, as
        the checker requires."""
        return self._grid(start, [spent + self.span for spent in self.spent_least], self.spent_least)

    def followed_grid(self, start: int) -> Grid:
        """Return :meth:`policy_grid` with a last index that never decreases, even where nothing is earned."""
        return self._grid(start, [spent + self.span for spent in self.spent_least], self.gained_or_kept)

    def closed_grid(self, start: int) -> Grid:
        """Return every index met from ``start``, even if nothing is earned at some steps."""
        return self._grid(start, self.spent_or_kept, self.gained_or_kept)

    def _grid(self, start: int, most: list[int], least: list[int]) -> Grid:
        return Grid(self.unit, tuple((start - x, start - y) for x, y in zip(most, least, strict=True)))

    def all_policies_grid(self, first: int, last: int, *, whole: bool) -> Grid:
        """Return every index met from ``first..last``, even if nothing is earned at some steps; unless ``whole``,
        without those that cannot have a shortfall."""
        windows = []
        for t, least in enumerate(self.spent_least):
            low = first - self.spent_or_kept[t] if whole else max(first - self.spent_most[t], self.least_left(t))
            windows.append((min(low, last - least), last - least))
        return Grid(self.unit, tuple(windows))


def _setting(
    model: IntegerModel, scale: int, grid: integer_tables.Grid | None = None, tick: integer_tables.Tick = lambda: None
) -> integer_tables.Setting:
    """Return the model as the reader of certificates has it, with tables over ``scale``."""
    step = {
        s: [integer_tables.Action(total, rows, integer_tables.factors_of(total, rows)) for total, rows in actions]
        for s, actions in enumerate(model.states)
    }
    (p, q), steps = model.discount.as_integer_ratio(), [step] * model.horizon
    read = integer_tables.Model(p, q, model.reward_denominator, model.initial_total, model.initial, steps)
    return integer_tables.Setting(read, scale, grid, tick)


def best_mean_above(model: IntegerModel) -> Fraction:
    """Return an upper bound on the largest mean."""
    mean = integer_tables.means(_setting(model, 2**64))
    assert mean is not None, "every state of the model has actions"
    return mean


def largest_by_budget(mdp: MDP, unit: Fraction, weight: Fraction, level: Fraction) -> list[Fraction]:
    """Return, for each budget rho from the least to the greatest return, a bound on rho - E c(rho - Z) over all
    policies; its largest value over rho is ``weight`` times the mean and the rest CVaR at ``level``."""
    model = integer_model(mdp)
    charges = Charges(model, unit)
    first, last = charges.spent_least[-1], charges.spent_most[-1]
    windows = charges.all_policies_grid(first, last, whole=True).windows
    c = _setting(model, 2**64, integer_tables.Grid(unit, 1, 1, windows))
    terminal = integer_tables.Tail(weight, level).costs(c.V, unit, Fraction(), windows[-1], up=False)
    row, outside = integer_tables.one_row(c, terminal, min(0, *terminal))
    costs = integer_tables.least_costs(c, integer_tables.table(c, row, outside))
    return [unit * b - Fraction(x, c.total) for b, x in enumerate(costs, first)]


def runs_of(actions: Sequence[int] | np.ndarray[Any, Any]) -> Runs:
    """Run-length encode actions: ``[(3, 1), (2, 0)]`` for 1 1 1 0 0."""
    row = np.asarray(actions)
    ends = np.flatnonzero(np.diff(row)) + 1
    starts = [0, *ends.tolist()]
    return [(end - start, int(row[start])) for start, end in zip(starts, [*starts[1:], len(row)], strict=True)]


class TooLong(Unsupported):
    """The policy meets too many returns."""


class PolicyRows:
    """The runs of a deterministic policy, from the least sum of rewards to the greatest in :meth:`by_memory`, over the
    window of :meth:`Charges.policy_grid` in ``rows(t)[s]``.

    Unreachable sums get the action of a neighbour, unreachable states action 0.  A policy without tables over the sums
    is played; :class:`TooLong` is raised if it meets more than ``most`` triples of step, state and sum.
    """

    def __init__(self, policy: Policy, charges: Charges, most: float = math.inf) -> None:
        self.charges, self.n_states = charges, policy.mdp.n_states
        self.rule = _array_rule(policy, charges)
        self.cells = [] if self.rule else _cells(policy, charges, most)

    def by_memory(self, t: int) -> list[tuple[int, Runs]]:
        """Return the first sum and the runs of each state."""
        least, met = self.charges.spent_least[t], self.charges.spent_most[t] - self.charges.spent_least[t] + 1
        if self.rule is None:
            return [_sparse(self.cells[t].get(s, {}), least, met) for s in range(self.n_states)]
        table = self.rule.choices(t, met)[:, :met]
        return [(least, runs_of(np.pad(row, (0, met - len(row)), mode="edge"))) for row in table]

    def __call__(self, t: int) -> list[Runs]:
        width, found = self.charges.span + 1, list[Runs]()
        for first, runs in self.by_memory(t):
            counts, actions = [count for count, _ in runs], [action for _, action in runs] or [0]
            before = first - self.charges.spent_least[t]
            counts = [*counts[:-1], width - before - sum(counts[:-1])]
            counts[0] += before
            found.append(list(zip(counts[::-1], actions[::-1], strict=True)))
        return found

    def markov(self) -> list[list[int]] | None:
        """Return ``[t][s]``, if no action depends on the index; otherwise None."""
        table = []
        for t in range(self.charges.horizon):
            rows = self(t)
            if any(len(runs) > 1 for runs in rows):
                return None
            table.append([runs[0][1] for runs in rows])
        return table


class Drawn:
    """The policies of which one is drawn at the start, as machines that remember the sum of rewards; and the law of
    the return as the checker computes it."""

    def __init__(self, policy: Policy, charges: Charges, tick: integer_tables.Tick, *, short: bool) -> None:
        self.policy, self.charges, self.tick, self.most = policy, charges, tick, math.inf if short else MOST_MET
        self.weights = [weight for weight, _ in policy.parts()]
        self.total = lcm_of_denominators(self.weights)
        self._laws: dict[int, tuple[integer_tables.Setting, dict[int, int]]] = {}

    @cached_property
    def parts(self) -> list[PolicyRows]:
        return [PolicyRows(part, self.charges, self.most) for _, part in self.policy.parts()]

    @cached_property
    def machines(self) -> list[Machine]:
        moves = self.charges.model.moves(self.charges.unit)
        rules, found = [Rule(1, 1, {gain: (add, 0) for gain, add in step}) for step in moves], []
        for weight, rows in zip(self.weights, self.parts, strict=True):
            steps = (enumerate(rows.by_memory(t)) for t in range(len(rules)))
            tables = [{s: (first, 0, runs) for s, (first, runs) in step} for step in steps]
            found.append(Machine(int(weight * self.total), 0, rules, tables))
        return found

    def law(self, scale: int) -> tuple[integer_tables.Setting, dict[int, int]]:
        """Return the masses of all returns over ``scale``; :class:`TooLong` if there are too many."""
        if scale not in self._laws:
            c = _setting(self.charges.model, scale, None, self.tick)
            try:
                self._laws[scale] = c, law_of(c, self.total, self.machines, MOST_ENTRIES)
            except integer_tables.Refused:
                raise TooLong(f"not covered: a policy with more than {MOST_ENTRIES} returns") from None
        return self._laws[scale]

    @cached_property
    def is_short(self) -> bool:
        """True if the law can be followed."""
        try:
            return self.most == math.inf or bool(self.law(1))
        except TooLong:
            return False


class ShorterRows:
    """A :class:`PolicyRows` for CVaR, without indices from which no shortfall is possible.

    Below its window the checker's policy acts as at the first index.  A window may therefore start at the last index
    without shortfall, provided that no action depends on the index up to there, at this step and all later ones.
    """

    def __init__(self, rows: PolicyRows, start: int, loss: Fraction) -> None:
        charges, self.rows = rows.charges, rows
        whole = charges.policy_grid(start)
        spare = ceil_div(loss, charges.unit)
        self.cut = [0] * (charges.horizon + 1)
        for t in range(charges.horizon, -1, -1):
            cut = max(0, charges.least_left(t) - spare - whole.windows[t][0])
            if t < charges.horizon and cut and any(runs[0][0] <= cut for runs in rows(t)):
                break
            self.cut[t] = cut
        self.grid = Grid(
            charges.unit,
            tuple((min(first + cut, last), last) for (first, last), cut in zip(whole.windows, self.cut, strict=True)),
        )

    def __call__(self, t: int) -> list[Runs]:
        first, last = self.grid.windows[t]
        width = self.rows.charges.span - (last - first)
        return [[(runs[0][0] - width, runs[0][1]), *runs[1:]] for runs in self.rows(t)]


def _array_rule(policy: Policy, charges: Charges) -> ArrayRule | None:
    """Return the rule of a policy that has tables over the reachable sums, on the grid of ``charges``; else None."""
    if not isinstance(policy, GridPolicy) or policy.eta != charges.unit or not isinstance(policy.rule, ArrayRule):
        return None
    return policy.rule if list(policy.rule.offsets)[: charges.horizon] == charges.spent_least[:-1] else None


def _cells(policy: Policy, charges: Charges, most: float) -> list[dict[int, dict[int, int]]]:
    """Return, for each step and state, the action at each shifted sum that the policy meets."""
    found: list[dict[int, dict[int, int]]] = [{} for _ in range(charges.horizon)]
    for count, (t, s, i, choice) in enumerate(_met(policy, charges)):
        if len(choice) > 1:
            raise Unsupported(f"not covered: a policy that draws its action (step {t}, state {s})")
        if count >= most:
            raise TooLong(f"not covered: a policy that meets more than {most} returns")
        found[t].setdefault(s, {})[i - charges.spent_least[t]] = choice[0][0]
    return found


def _met(policy: Policy, charges: Charges) -> Any:
    """Yield step, state, sum in units and choice for every situation that the policy meets."""
    if isinstance(policy, GridPolicy):
        if policy.eta != charges.unit:
            raise InvalidPolicy(f"the policy tracks multiples of {policy.eta}, the plan multiples of {charges.unit}")
        return policy.reached()
    if isinstance(policy, MarkovPolicy):
        return (
            (t, s, charges.spent_least[t], choice) for t, row in enumerate(policy.table) for s, choice in enumerate(row)
        )
    if policy.memory_is_return:
        if charges.model.loss(charges.unit):
            raise InvalidPolicy(f"the policy depends on returns that are no multiples of {charges.unit}")
        return _walked(policy, charges)
    raise Unsupported(f"not covered: a {type(policy).__name__}")


def _walked(policy: Policy, charges: Charges) -> Any:
    """Walk step by step a policy that remembers the return, on a grid that contains every reward."""
    cells = {(s, 0) for s, weight in charges.model.initial if weight}
    for t, moves in enumerate(charges.model.moves(charges.unit)):
        adds, following = dict(moves), set[tuple[int, int]]()
        for s, i in sorted(cells):
            choice = policy.choice(t, s, i * charges.unit)
            yield t, s, i, choice
            for a, _ in choice:
                following.update((target, i + adds[gain]) for w, gain, target in charges.model.states[s][a][1] if w)
        cells = following


def _sparse(known: dict[int, int], least: int, met: int) -> tuple[int, Runs]:
    """Return the first reachable sum, and the runs from there to the greatest of ``met`` sums."""
    if not known:
        return least, []
    sums = sorted(known)
    kept = sums[:1] + [i for before, i in pairwise(sums) if known[before] != known[i]]
    return least + sums[0], [(end - i, known[i]) for i, end in zip(kept, [*kept[1:], met], strict=True)]


# -- budgets of discounted plans ---------------------------------------------------------------------------------------


MOST_CELLS = 30_000_000
"""Maximum number of cells of a table sent to the checker, which would take a few minutes."""


class Budgets:
    """The budgets met at each step, in units of the grid before it; grids are halved as often as those of a policy."""

    def __init__(self, model: IntegerModel, least: Fraction, eta: Fraction, halvings: Sequence[int] = ()) -> None:
        base = least * model.reward_denominator
        if base.denominator != 1:
            raise Unsupported(f"not covered: a policy whose base {least} is no multiple of the rewards' unit")
        self.model, self.base, self.eta = model, int(base), eta
        self.spare = model.horizon + 3  # nodes below the least budget: the first has the worst cost, which spreads
        before = (0, *(halvings or (0,) * model.horizon))
        self.halvings = tuple(now - last for last, now in pairwise(before))
        self.units = [eta / 2**h for h in before]
        widest = Fraction(model.gains[-1] - self.base, model.reward_denominator)
        self.paid = [widest * sum((model.discount**u for u in range(t)), Fraction()) for t in range(model.horizon + 1)]
        self.offset = Fraction(self.base, model.reward_denominator) * sum(
            (model.discount**u for u in range(model.horizon)), Fraction()
        )

    def grid(self, first: int, last: int, unit: Fraction, *, whole: bool) -> CellGrid:
        """Return every budget met from ``first..last`` units; unless ``whole``, without those that cannot have a
        shortfall."""
        windows = []
        for t, now in enumerate(self.units):
            size = now * unit / self.eta
            low = math.floor((first * unit - self.paid[t]) / size) - self.spare
            high = math.ceil(last * unit / size) + 3
            windows.append((low if whole else min(max(low, -2), high - 1), high))
        if not whole or first != last:
            windows[0] = (first, max(last, first + 1))
        grid = CellGrid(unit, self.base, self.halvings, tuple(windows))
        if grid.cells * len(self.model.states) > MOST_CELLS:
            raise Unsupported(
                f"not covered: a discounted plan whose tables have {grid.cells * len(self.model.states)} cells where "
                f"the checker reads them, at every budget that is met, on a grid that is halved {sum(self.halvings)} "
                f"times; more than {MOST_CELLS}"
            )
        return grid

    def closed(self, start: int, unit: Fraction, *, beyond: bool = False) -> CellGrid:
        """Return a grid whose last window has every budget met from ``start`` units, whatever is earned, and spare
        nodes ``beyond`` if there may be costs that are less than those of the first one."""
        grid, gains = self.grid(start, start, unit, whole=True), [0, *self.model.gains]
        weight = sum(self.model.weights, Fraction()) / unit
        low, high = (start - weight * (x - self.base) for x in (max(gains), min(gains)))
        ends = math.floor(low) - self.spare * beyond, max(grid.windows[-1][1], math.ceil(high))
        return CellGrid(grid.unit, grid.base, grid.halvings, (*grid.windows[:-1], ends))


def cell_rows(policy: CellPolicy, grid: CellGrid, halved: int = 0) -> Callable[[int], list[Runs]]:
    """Return the policy's actions in the cells of each window, on a grid finer by ``halved`` halvings."""

    def at(t: int) -> list[Runs]:
        first, last = grid.fine[t]
        table, found = policy.tables[t], list[Runs]()
        inside = np.minimum(np.arange(max(first, 0), last + 1) >> halved, table.shape[1] - 1)
        for s in range(policy.mdp.n_states):
            runs = list(runs_of(table[s, inside])) if len(inside) else []
            if first < 0:
                runs.insert(0, (min(0, last + 1) - first, int(policy.linear[t, s])))
            found.append(runs)
        return found

    return at
