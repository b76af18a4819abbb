r"""A certificate for the verified checker: the model in integers, the objective, the claim, why it holds, and its text.

The classes mirror ``proofs_checks/formal/checker/Program.v`` under the same names, except that states are numbered from
0 here; docs/proof_format.md describes their text form.  Nothing here is trusted: the checker judges what it reads.

A weighting that is not piecewise linear is a mixture of curves with points of their graphs (:class:`Curved`).  A
:class:`Point` states that a curve is at least, or at most, ``height`` at ``place``; its hints help the checker verify
it (``proofs_checks/formal/checker/CurveCheck.v``): for Wang's transform a z with :math:`N(z)` on the right side of the
place, for CPW bounds of :math:`\tau^\gamma` from both sides and of :math:`(1-\tau)^\gamma`.  A line of pieces lies
below the curve, each with the reason; stairs bound it from above.

A :data:`Cover` proves an upper bound under a piecewise-linear weighting, as a tree of cuts with multipliers at leaves.
In units, with the return rounded up to the grid, :math:`\Phi = \text{top} - \sum_i G(F_i)`, :math:`F_i = P(Z \le i)`.
A leaf is a box of CDFs and proves its bound by weak duality (docs/theory/05-certificates.md, B1): for any c,

.. math:: \sum_i G(F_i) \ge \min_\pi \sum_i c_i F_i + \sum_i \min_{x \in \text{box}_i} (G(x) - c_i x) .

If the weighting jumps at a level, a box of values not below the level takes the height past the jump; a table shows
that every policy passes the level at a coordinate (B8).

The search for the tree (:mod:`verified_risk.proving.cover_search`) uses floats; only the checker decides.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby, repeat
from operator import mul
from typing import NamedTuple, TypeAlias

from ..errors import Unsupported
from ..mdp import MDP
from ..numbers.rational import ceil_div, lcm_of_denominators
from ..objectives.weighting import Knots
from .weightings import Bend, Bounds, Curve, Machine, Mixture, Point

VERSION = 4
"""Format version, raised whenever certificates contain something that older checkers cannot read."""

STEEP = 2**40
"""A multiplier above the slopes of most weightings."""

Outcome: TypeAlias = tuple[int, int, int]
"""Weight, reward times the common denominator, next state."""
Runs: TypeAlias = Sequence[tuple[int, int]]
"""Length and action of each run of equal actions, from the first index of the window to its last."""


@dataclass(frozen=True)
class IntegerModel:
    """Probabilities as weights over a total for each action, rewards over one denominator; all steps are alike."""

    discount: Fraction
    reward_denominator: int
    horizon: int
    initial_total: int
    initial: tuple[tuple[int, int], ...]
    states: tuple[tuple[tuple[int, tuple[Outcome, ...]], ...], ...]
    """``states[s][a]`` is ``(total, outcomes)``."""

    @cached_property
    def gains(self) -> list[int]:
        """The distinct rewards times their common denominator, increasing."""
        return sorted({gain for actions in self.states for _, outcomes in actions for _, gain, _ in outcomes})

    @cached_property
    def weights(self) -> list[Fraction]:
        """The discounted value of a gain of 1 at each step."""
        first = Fraction(1, self.reward_denominator)
        return list(accumulate(repeat(self.discount, self.horizon - 1), mul, initial=first))

    def charges(self, unit: Fraction) -> list[tuple[int, int]]:
        """Return the least and greatest discounted reward of each step, rounded up to multiples of ``unit``."""
        return [(moves[0][1], moves[-1][1]) for moves in self.moves(unit)]

    def moves(self, unit: Fraction) -> list[list[tuple[int, int]]]:
        """Return, for each step, what each reward, from the least on, adds to a sum of rewards rounded up to multiples
        of ``unit``."""
        found = {w: [(gain, ceil_div(gain * w, unit)) for gain in self.gains] for w in dict.fromkeys(self.weights)}
        return [found[w] for w in self.weights]

    def loss(self, unit: Fraction) -> Fraction:
        """Return a bound on what rounding up to multiples of ``unit`` adds to a return."""
        most = {w: max(ceil_div(gain * w, unit) * unit - gain * w for gain in self.gains) for w in set(self.weights)}
        return sum((most[w] for w in self.weights), Fraction())

    @property
    def step_denominator(self) -> int:
        """A common multiple of the totals of all actions."""
        return math.lcm(*{total for actions in self.states for total, _ in actions})

    def exact_scale(self, denominator: int) -> int:
        """Return the scale over which tables lose nothing if terminal costs are multiples of ``1 / denominator``."""
        return int(denominator * self.step_denominator**self.horizon)

    @property
    def largest_total(self) -> int:
        return max([self.initial_total, *(total for actions in self.states for total, _ in actions)])

    @property
    def branches(self) -> int:
        """The number of outcomes of all actions of all states."""
        return sum(len(outcomes) for actions in self.states for _, outcomes in actions)


def integer_model(mdp: MDP) -> IntegerModel:
    """Convert the model to integers, exactly."""
    if not mdp.is_discrete:
        raise Unsupported("not covered: continuous rewards; a model with finitely many is, mdp.discretised(eta)")
    rows = [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]
    rewards = {(r.numerator, r.denominator): r for actions in rows for row in actions for _, _, r in row}
    denominator = lcm_of_denominators(rewards.values())
    gains = {key: r.numerator * (denominator // r.denominator) for key, r in rewards.items()}

    def action(row: Sequence[tuple[Fraction, int, Fraction]]) -> tuple[int, tuple[Outcome, ...]]:
        total = lcm_of_denominators(p for p, _, _ in row)
        return total, tuple(
            (p.numerator * (total // p.denominator), gains[r.numerator, r.denominator], s) for p, s, r in row
        )

    initial_total = lcm_of_denominators(p for _, p in mdp.initial)
    return IntegerModel(
        mdp.discount,
        denominator,
        mdp.horizon,
        initial_total,
        tuple((s, p.numerator * (initial_total // p.denominator)) for s, p in mdp.initial),
        tuple(tuple(action(row) for row in actions) for actions in rows),
    )


@dataclass(frozen=True)
class Tail:
    """``weight * Mean + (1 - weight) * CVaR_level``."""

    weight: Fraction
    level: Fraction

    def words(self) -> str:
        return f"tail {self.weight} {self.level}"


@dataclass(frozen=True)
class Quantile:
    """The lower or upper ``level``-quantile."""

    level: Fraction
    upper: bool

    def words(self) -> str:
        return f"quantile {self.level} {'upper' if self.upper else 'lower'}"


@dataclass(frozen=True)
class Piecewise:
    """A polygon given by its corners after (0, 0)."""

    corners: Knots

    def words(self) -> str:
        return f"polygon {len(self.corners)} " + " ".join(f"{x} {g}" for x, g in self.corners)


@dataclass(frozen=True)
class Grid:
    """Index b before a step means the budget b * unit; ``windows[t]`` holds the first and last index at time t."""

    unit: Fraction
    windows: tuple[tuple[int, int], ...]

    @property
    def fine(self) -> tuple[tuple[int, int], ...]:
        """The computed windows."""
        return self.windows

    @property
    def cells(self) -> int:
        return sum(max(0, last - first + 1) for first, last in self.windows)

    def lines(self) -> Iterator[str]:
        yield f"unit {self.unit} stretch 1 shrink 1\nwindows\n"
        for first, last in self.windows:
            yield f"{first} {last}\n"


@dataclass(frozen=True)
class CellGrid:
    """``halvings[t]`` says how often step t halves the grid before it; ``windows[t]`` are nodes of that grid."""

    unit: Fraction
    base: int
    halvings: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]

    @property
    def fine(self) -> tuple[tuple[int, int], ...]:
        """The windows on the grid of each step, and the last one."""
        halved = [(first << n, last << n) for (first, last), n in zip(self.windows[:-1], self.halvings, strict=True)]
        return (*halved, self.windows[-1])

    @property
    def cells(self) -> int:
        return sum(last - first + 1 for first, last in self.fine)

    def lines(self) -> Iterator[str]:
        yield f"unit {self.unit} base {self.base} halvings\n{' '.join(map(str, self.halvings))}\nwindows\n"
        for first, last in self.windows:
            yield f"{first} {last}\n"


@dataclass(frozen=True)
class Returns:
    """Returns of which each is met, decreasing, over the denominator of all sums of rewards; a state has ``cells``
    sums, on average, at all steps."""

    values: tuple[int, ...]
    cells: int

    @property
    def windows(self) -> tuple[tuple[int, int], ...]:
        return ((0, len(self.values) - 1),)

    fine = windows

    def lines(self) -> Iterator[str]:
        yield f"{len(self.values)} {' '.join(map(str, self.values))}\n"


def _multipliers(costs: Sequence[int]) -> str:
    return " ".join(f"{len(list(run))} {cost}" for cost, run in groupby(costs)) + "\n"


def _runs(runs: Runs) -> str:
    return f"{len(runs)} {' '.join(f'{count} {a}' for count, a in runs)}\n"


@dataclass(frozen=True)
class ByMarkov:
    """A policy by step and state: ``choices[t][s]`` is an action."""

    scale: int
    choices: Sequence[Sequence[int]]

    def lines(self) -> Iterator[str]:
        yield f"lower markov {self.scale}\n"
        for row in self.choices:
            yield f"choices {len(row)}\n" + "".join(f"{s} {a}\n" for s, a in enumerate(row))


@dataclass(frozen=True)
class ByBudget:
    """A policy that remembers an index, or the cell of its budget, initially ``start``: ``choices(t)[s]`` are the runs
    of its window.  Under a polygon, a line of slope ``multipliers[k]`` over the scale is above it in cell k."""

    scale: int
    grid: Grid | CellGrid
    start: int
    choices: Callable[[int], Sequence[Runs]]
    multipliers: Sequence[int] = ()

    def lines(self) -> Iterator[str]:
        kind = "lines" if self.multipliers else "cells" if self.by_cells else "budget"
        yield f"lower {kind} {self.scale}\n"
        yield from self.grid.lines()
        yield f"start {self.start}\n"
        if self.multipliers:
            yield f"multipliers {_multipliers(self.multipliers)}policy\n"
        for t in range(len(self.grid.windows) - 1):
            rows = self.choices(t)
            yield f"choices {len(rows)}\n" + "".join(f"{s} {_runs(runs)}" for s, runs in enumerate(rows))

    @property
    def by_cells(self) -> bool:
        return isinstance(self.grid, CellGrid)


@dataclass(frozen=True)
class ByLaw:
    """Machines, one of which is drawn at the start; the checker computes the law of the return itself."""

    scale: int
    total: int
    parts: Sequence[Machine]

    def lines(self) -> Iterator[str]:
        yield f"lower law {self.scale} {self.total} {len(self.parts)}\n"
        for one in self.parts:
            yield f"machine {one.weight} {one.memory}\n"
            for rule, rows in zip(one.rules, one.tables, strict=True):
                moves = " ".join(f"{gain} {shift} {coin}" for gain, (shift, coin) in rule.moves.items())
                yield f"rule {rule.factor} {rule.coins} {len(rule.moves)} {moves}\n"
                yield f"choices {len(rows)}\n" + "".join(
                    f"{s} {first} {before} {_runs(runs)}" for s, (first, before, runs) in rows.items()
                )


@dataclass(frozen=True)
class ByTables:
    """All policies, by ``kind``: the largest ``mean``; the least expected cost from every index (``budgets``) or node
    (``cells``) of the first window; the least probability of returns up to ``start`` units (``threshold``)."""

    kind: str
    scale: int
    grid: Grid | CellGrid | None = None
    start: int | None = None

    def lines(self) -> Iterator[str]:
        yield f"upper {self.kind} {self.scale}\n"
        if self.grid is not None:
            yield from self.grid.lines()
        if self.start is not None:
            yield f"start {self.start}\n"


@dataclass(frozen=True)
class ByCover:
    """A cover of the box of all CDFs; coordinate k of the checker is coordinate ``shift - k`` of the cover."""

    scale: int
    grid: Grid | CellGrid | Returns
    start: int
    cover: Cover
    shift: int
    steep: Fraction = Fraction(STEEP)
    """A multiplier where F is 1 under every policy."""

    def lines(self) -> Iterator[str]:
        kinds = {Grid: "cover", CellGrid: "cell_cover", Returns: "return_cover"}
        contracts = any(node.kind == "contract" for node in self.cover)
        yield f"upper {'contraction' if contracts else kinds[type(self.grid)]} {self.scale}\n"
        yield from self.grid.lines()
        if not isinstance(self.grid, Returns):
            yield f"start {self.start}\n"
        first = self.shift + isinstance(self.grid, CellGrid)  # a cell ends where its cut is
        for node in self.cover:
            if node.kind == "cut":
                yield f"cut {first - node.coordinate} {node.level}\n"
            elif node.kind == "passed":
                yield f"passed {node.scale} {self.shift - node.coordinate} {node.level}\n"
            elif node.kind == "contract":
                costs = node.costs[-1:] * (self.shift + 1 - len(node.costs))  # where F is 1 they do not matter
                yield f"contract {node.scale} {_multipliers(self.multipliers((*node.costs, *costs), node.scale))}"
            else:
                yield f"dual {_multipliers(self.multipliers(node.costs, self.scale))}"

    def multipliers(self, exact: Sequence[Fraction], scale: int) -> list[int]:
        """Return a leaf's multipliers in the checker's order, over the scale.

        Below every return F is 0 and so is the multiplier; above every return F is 1, and any multiplier above every
        slope of G expresses that.
        """
        lo, hi = self.grid.windows[-1]
        costs = [c * scale for c in exact]
        # between the points of a grid a multiplier larger than that of the cell before would bend the table there
        steep = math.ceil(max([scale * self.steep, *(costs[-1:] if isinstance(self.grid, CellGrid) else costs)]))
        found = []
        for k in range(hi - lo):
            i = self.shift - k
            found.append(0 if i < 0 else steep if i >= len(costs) else int(costs[i]))
        return found


Proof: TypeAlias = ByMarkov | ByBudget | ByLaw | ByTables | ByCover


def grids_of(proof: Proof) -> list[Grid | CellGrid | Returns]:
    grid = getattr(proof, "grid", None)
    return [] if grid is None else [grid]


@dataclass(frozen=True)
class Certificate:
    """``lower <= Phi of the policy`` and ``Phi of every policy <= upper``, with the proofs of both."""

    model: IntegerModel
    objective: Tail | Quantile | Piecewise | Curved
    lower: Fraction
    upper: Fraction
    low: ByMarkov | ByBudget | ByLaw
    up: ByTables | ByCover

    @property
    def cells(self) -> int:
        """The pairs of state and index, at all steps, in all tables that the checker computes."""
        total = 0
        for part in (self.low, self.up):
            tables = 1
            if isinstance(part, ByCover):
                each = {"cut": 0, "contract": (part.grid.windows[-1][1] - part.grid.windows[-1][0]) // 2}
                tables = sum(each.get(node.kind, 1) for node in part.cover)
            elif isinstance(self.objective, Piecewise) and isinstance(part, ByBudget) and not part.multipliers:
                tables = part.grid.windows[-1][1] - part.grid.windows[-1][0] + 1
            total += sum(tables * grid.cells for grid in grids_of(part))
        return len(self.model.states) * total

    @property
    def widest(self) -> int:
        """The largest number of indices in a window."""
        grids = (*grids_of(self.low), *grids_of(self.up))
        return max((last - first + 1 for grid in grids for first, last in grid.fine), default=1)

    def lines(self) -> Iterator[str]:
        """Yield the text form piece by piece."""
        yield f"verified-risk-proof {VERSION}\n"
        yield f"objective {self.objective.words()}\n"
        yield f"claim {self.lower} {self.upper}\n"
        yield from _model_lines(self.model)
        if isinstance(self.objective, Curved):
            yield from self.objective.lines()
        yield from self.low.lines()
        yield from self.up.lines()
        yield "end\n"


@contextmanager
def numbers_of_any_length() -> Iterator[None]:
    """Lift the interpreter's limit of 4,300 digits for ``str`` of an integer while certificates are written."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _model_lines(model: IntegerModel) -> Iterator[str]:
    yield f"discount {model.discount}\nreward_denominator {model.reward_denominator}\n"
    yield f"state_count {len(model.states)}\nhorizon {model.horizon}\n"
    yield f"initial {model.initial_total} {len(model.initial)}\n"
    yield "".join(f"{s} {weight}\n" for s, weight in model.initial)
    yield f"steps {model.horizon} states {len(model.states)}\n"
    for s, actions in enumerate(model.states):
        yield f"{s} {len(actions)}\n" + "".join(
            f"{total} {len(outcomes)} {' '.join(f'{w} {gain} {target}' for w, gain, target in outcomes)}\n"
            for total, outcomes in actions
        )


# -- weightings that are not piecewise linear --------------------------------------------------------------------------


ROOM = Fraction(1, 2**64)
"""Distance above the level of an upper quantile; the lower quantile there is at least as large."""


def _point(point: Point) -> str:
    return " ".join(str(x) for x in (point.place, point.height, *point.hints))


def _curve(curve: Curve) -> str:
    if curve.kind == "polygon":
        return Piecewise(tuple(curve.corners)).words()
    return f"{curve.kind} {curve.x}"


def _bends(cells: Bend) -> str:
    return " ".join([str(len(cells)), *(str(x) for cell in cells for x in cell)])


@dataclass(frozen=True)
class Curved:
    """A mixture of curves: a broken line below each, with corners at ``places``, and stairs above it."""

    parts: tuple[tuple[Fraction, Curve], ...]
    places: tuple[Fraction, ...]
    bounds: tuple[Bounds, ...]
    accuracy: Fraction
    """The most by which the lines were to be below the curves, at the values of the policy's CDF or everywhere."""
    everywhere: bool = True

    @property
    def is_exact(self) -> bool:
        """True if the lines are the weighting, but for the rise behind a jump."""
        return all(curve.kind in ("polygon", "jump", "upper") for _, curve in self.parts)

    def words(self) -> str:
        return f"mixture {len(self.parts)} " + " ".join(f"weight {w} {_curve(curve)}" for w, curve in self.parts)

    @property
    def mixture(self) -> Mixture:
        return Mixture(self.parts, self.places, self.bounds)

    @cached_property
    def knots(self) -> Knots:
        """The broken line below the mixture, from (0, 0) on."""
        return tuple(self.mixture.line_for(Fraction(-1)).points)

    @property
    def jumps(self) -> tuple[CurveJump, ...]:
        """Where the line below the mixture may be raised for values not below a level."""
        found = []
        for (w, curve), bounds in zip(self.parts, self.bounds, strict=True):
            if curve.kind in ("jump", "upper"):
                corner = self.places.index(curve.x + (ROOM if curve.kind == "upper" else 0))
                found.append(CurveJump(1 + corner, w * (1 - bounds.pieces[corner].height)))
        return tuple(found)

    @property
    def stair_denominator(self) -> int:
        """A common denominator of all weights given by the stairs."""
        every = zip(self.parts, self.bounds, strict=True)
        return lcm_of_denominators(w * point.height for (w, _), bounds in every for point in bounds.stairs)

    @property
    def has_upper_quantiles(self) -> bool:
        return any(curve.kind == "upper" for _, curve in self.parts)

    def lines(self) -> Iterator[str]:
        if self.has_upper_quantiles:
            yield f"room {ROOM}\n"
        yield f"places {len(self.places)}\n" + " ".join(str(x) for x in self.places) + "\n"
        for (_, curve), (turn, pieces, stairs) in zip(self.parts, self.bounds, strict=True):
            yield "curve\n"
            if curve.kind == "cpw":
                yield f"falling {_bends(turn.falling)} rising {turn.start} {turn.low} {_bends(turn.rising)}\n"
            yield "line\n"
            for height, reason, points in pieces:
                yield " ".join([str(height), reason, *map(_point, points)]) + "\n"
            yield f"stairs {len(stairs)}\n" + "".join(f"{_point(point)}\n" for point in stairs)


@dataclass(frozen=True)
class CurveJump:
    """At this corner of the broken line the mixture jumps by ``height``."""

    corner: int
    height: Fraction


# -- covers by boxes of CDFs -------------------------------------------------------------------------------------------


class CoverNode(NamedTuple):
    """A ``cut``, followed by the covers where F_i, i the ``coordinate``, is at most a level and at least that;
    ``passed``, a table over ``scale`` that shows that every policy has F_i at least the level, followed by the cover of
    such CDFs; or ``dual``, a leaf with an exact multiplier for each coordinate."""

    kind: str
    coordinate: int = 0
    level: Fraction = Fraction()
    scale: int = 1
    costs: tuple[Fraction, ...] = ()


Cover: TypeAlias = Sequence[CoverNode]
"""The nodes of a tree in the order in which they are read."""


def leaves(cover: Cover) -> list[tuple[Fraction, ...]]:
    """Return the multipliers of all leaves."""
    return [node.costs for node in cover if node.kind == "dual"]
