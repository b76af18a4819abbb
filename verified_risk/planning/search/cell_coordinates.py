r"""Oracle of a search over returns between the points of a grid (docs/theory/05-certificates.md, part D).

The CDF of a discounted return is not a vector on a grid.  Its averages over the cells of a grid are, :math:`A_k =
\int_k^{k+1} P(Z \le x)\,dx`, and :math:`c \cdot A = \mathbf E\, h(Z)` for the polygon :math:`h(z) = \int_z^B c`.
Backward passes interpolate tables between nodes, and move each outward far enough to bound every real return
(:mod:`verified_risk.kernels.cell_pass`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InvalidArgument
from ...grid.compiled import Floats, Ints
from ...grid.scaled import ScaledModel, scaled_model
from ...mdp import MDP
from ...numbers.rational import digits
from .. import clock
from ..clock import memory_limit
from ..outward import round_up_to_two_digits
from ..tails.interpolated_tables import narrowest
from .branching import Search
from .grid_coordinates import MOST_ACTIONS
from .mean_pruning import Reference, reference

CELLS_PER_SECOND = 2e8
"""Table entries that the contractor mixes per second: a first guess, until a pass has been timed."""


def cells_of(mdp: MDP, eta: Fraction) -> int:
    """Return B, the number of cells in the range of returns."""
    low, high = mdp.remaining_range(0)
    return math.ceil((high - low) / eta)


def sizes(mdp: MDP, eta: Fraction) -> tuple[Ints, Ints]:
    """Return, for each step, the nodes of the returns so far and the cells of those to come."""
    low, high = mdp.reward_range
    sums = [Fraction()]
    for t in range(mdp.horizon):
        sums.append(sums[-1] + mdp.step_reward(t, high - low) / eta)
    nodes = np.array([max(1, math.ceil(y)) for y in sums])
    wides = np.array([math.ceil(sums[-1] - y) for y in sums])
    wides[0] = nodes[-1]
    return nodes, wides


class CellOracle:
    """Bounds on ``cost . A`` over all policies and for one policy, and on A itself; the interface of
    :class:`~.grid_coordinates.Oracle`."""

    def __init__(self, mdp: MDP, eta: Fraction) -> None:
        self.mdp, self.eta = mdp, eta
        require_memory(mdp, eta)
        self.model: ScaledModel = scaled_model(mdp, eta, (0,) * mdp.horizon, joint=True)
        model, n, horizon = self.model, mdp.n_states, mdp.horizon
        self.nodes, self.wides = sizes(mdp, eta)
        self.top = int(self.nodes[-1])
        self.calls = 0
        self.maskable = int(np.diff(model.action_start).max()) <= MOST_ACTIONS
        self.arrays = (
            model.action_start, model.succ_start, model.succ_state, model.succ_prob,
            np.array([step.units for step in model.steps]), np.array([step.share for step in model.steps]),
        )  # fmt: skip
        self.initial_state = np.array([s for s, _ in mdp.initial])
        self.initial_prob = np.array([float(p) for _, p in mdp.initial])
        self.spans = np.array([step.span for step in model.steps])
        actions = np.minimum(np.diff(model.action_start), MOST_ACTIONS)
        self.allowed: Ints = np.repeat(
            np.tile((np.int64(1) << actions) - 1, (horizon, 1))[:, :, None], self.top + 1, axis=2
        )
        self.choice = np.zeros((horizon, n, self.top + 1), dtype=narrowest(model))
        width = self.top + int(self.spans.max()) + 4
        self._values, self._mass = np.zeros((2, n, width)), np.zeros((2, n, self.top + 1))
        self._work = np.zeros((5, width))
        self._reached = np.zeros((horizon, n, self.top + 1), dtype=np.int8)
        self._buffers: tuple[Any, ...] | None = None
        self._reference: Reference | None = None
        outcomes = len(model.succ_prob)
        work = sum((self.nodes[:-1] + 1) * (self.wides[:-1] + 20)) * outcomes
        #: seconds per pass of the contractor: a guess until one has been timed
        self.contract_seconds = 2 * float(work) / CELLS_PER_SECOND

    def solve(self, cost: Floats, *, masked: bool = True) -> float:
        """Return a lower bound on ``cost . A`` over all policies; :attr:`choice` is then the apparent best policy."""
        self.calls += 1
        return self._pass(cost, self.choice, masked=masked and self.maskable, fixed=False)

    def above(self, cost: Floats, choice: npt.NDArray[Any]) -> float:
        """Return an upper bound on ``cost . A`` for the policy ``choice``."""
        return self._pass(cost, choice, masked=False, fixed=True)

    def _pass(self, cost: Floats, choice: npt.NDArray[Any], *, masked: bool, fixed: bool) -> float:
        from ...kernels import cell_pass as kernels

        kernels.value_pass(
            *self.arrays, self.nodes, self.spans, self.model.terms, self.allowed, masked, fixed,
            np.ascontiguousarray(cost, dtype=float), self._values, self._work, choice,
        )  # fmt: skip
        rows = self._values[0, self.initial_state, 0]
        slack = 4.0 * (len(rows) + 2) * 2.0**-53 * float(np.abs(rows).max())
        return float(self.initial_prob @ rows) + (slack if fixed else -slack)

    def slack(self, cost: Floats) -> float:
        """Return 0, since the value of :meth:`solve` is already a bound."""
        return 0.0

    def cdf(self, choice: npt.NDArray[Any] | None = None) -> Floats:
        """Return an approximation of the averages A of a policy."""
        from ...kernels import cell_pass as kernels

        out = np.zeros(self.top)
        kernels.share_pass(
            *self.arrays, self.nodes, self.initial_state, self.initial_prob,
            self.choice if choice is None else choice, self._mass, out,
        )  # fmt: skip
        return out

    def contract(
        self, c0: Floats, c_low: Floats, c_high: Floats, deadline: float = math.inf
    ) -> tuple[Floats, Floats] | None:
        """Remove actions from :attr:`allowed`; return certified ranges of A over the rest.  A pass always completes."""
        if self._reference is None:
            self._reference = reference(self.model)
        began = clock.now()
        self._rule_out_by_mean(self._reference, c_low, c_high)
        self.solve(c0)
        low, high, _ = self._contract(self.allowed, self.choice, c0, c_low, c_high)
        self.contract_seconds = clock.now() - began
        return low, high

    def _rule_out_by_mean(self, against: Reference, c_low: Floats, c_high: Floats) -> None:
        from ...kernels import cell_pass as kernels

        kernels.rule_out_by_mean(
            *self.arrays, self.nodes, self.wides, self.allowed, against.loss, against.distance,
            against.action, c_low, c_high, *np.zeros((4, 2, self.mdp.n_states, self.top + 1)),
        )  # fmt: skip

    def ranges(self, choice: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """Return certified ranges of A for one policy."""
        only = np.int64(1) << choice.astype(np.int64)
        flat = np.zeros(self.top)
        low, high, _ = self._contract(only, choice, flat, flat, flat)
        return low, high

    def _contract(
        self, allowed: Ints, choice: npt.NDArray[Any], c0: Floats, c_low: Floats, c_high: Floats
    ) -> tuple[Floats, Floats, int]:
        from ...kernels import cell_pass as kernels

        if self._buffers is None:
            n = self.mdp.n_states
            size = n * int(((self.nodes + 1) * (self.wides + 6)).max())
            self._buffers = (
                np.zeros((2, 2, n, self._values.shape[2])),
                np.zeros((4, 2, size)),
                np.zeros((4, 3, self.top + 4)),
            )
        reached = self._reached
        a, o, state, prob, units, share = self.arrays
        kernels.mark_cells(a, o, state, units, share, self.nodes, self.initial_state, allowed, reached)
        inflate = 1.0 + 16.0 * (self.top + 8) * 2.0**-53
        low, high = np.zeros(self.top), np.zeros(self.top)
        removed = kernels.contract_cells(
            a, o, state, prob, units, share, self.nodes, self.wides, self.model.terms, self.initial_state,
            self.initial_prob, allowed, reached, choice, c0, c_low, c_high, inflate, *self._buffers, low, high,
        )  # fmt: skip
        wide = 2.0**-48 * (len(self.initial_prob) + 2)
        return np.maximum(low - wide, 0.0), np.minimum(high + wide, 1.0), removed


def bytes_needed(mdp: MDP, nodes: Ints, wides: Ints) -> int:
    """Return the bytes of the contractor's tables; of masks (three of eight bytes), policies and reached flags per
    cell; and of a few rows of floats per state."""
    cells = mdp.n_states * (int(nodes[-1]) + 1)
    return 64 * mdp.n_states * int(((nodes + 1) * (wides + 6)).max()) + (32 * mdp.horizon + 160) * cells


def fits(mdp: MDP, eta: Fraction) -> bool:
    """Whether the tables of a grid fit in memory."""
    return bytes_needed(mdp, *sizes(mdp, eta)) <= memory_limit()


def require_memory(mdp: MDP, eta: Fraction) -> None:
    """Raise if the tables do not fit in memory, naming a grid step whose tables do."""
    needed, limit = bytes_needed(mdp, *sizes(mdp, eta)), memory_limit()
    if needed > limit:
        wanted = round_up_to_two_digits(eta * Fraction(math.isqrt(1 + 10**6 * needed // limit), 1000))
        raise InvalidArgument(
            f"eta is {digits(eta, 3)}: the search needs {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB allowed, "
            f"wanted eta of at least {wanted}"
        )


class CellSearch(Search):
    """Search whose boxes contain F at every point of a cell, while cuts concern averages (D2): a bound on the average
    over cell k holds at every point of cell k + 1 (from below) or k - 1 (from above)."""

    oracle: CellOracle
    reach = 1

    def incumbents(self) -> None:
        """Find incumbents, then raise the tolerance to what this grid can prove of the incumbent's policy."""
        super().incumbents()
        self.tol = max(self.tol, 1.25 * (self.best.value - self.own_bound()))

    def own_bound(self) -> float:
        """Return the bound that weak duality would prove if only the incumbent's actions were allowed."""
        oracle, cdf = self.oracle, self.best.cdf
        low = np.concatenate(([0.0], cdf[:-1]))
        high = np.concatenate((cdf[1:], [1.0]))
        kept = oracle.allowed.copy()
        oracle.allowed[:] = 0
        for _, choice in self.best.parts:
            oracle.allowed |= np.int64(1) << choice.astype(np.int64)
        cost = np.zeros_like(cdf)
        self.slopes_at(cdf, cost)
        value = oracle.solve(cost)
        oracle.allowed[:] = kept
        least, _ = self.tilted_minima(cost, low, high)
        return value + float(least.sum())
