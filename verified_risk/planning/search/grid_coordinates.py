r"""Oracle of the search on a grid: minimise a linear function of the CDF of the return, with error bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InvalidArgument
from ...grid import FloatModel
from ...kernels import cdf_pass as kernels
from ...mdp.packed import Floats, Ints, starts
from ...numbers.rational import digits, float_above, float_below
from .. import clock
from ..clock import memory_limit
from ..grid_choice import search_bytes
from ..rounding import UNIT_ROUNDOFF, gamma
from ..threads import in_threads, shares

CONTRACTED_PER_SECOND = 2e9
"""Multiplications of the contractor on a fast machine; a first guess that is too small costs one pass."""
MOST_ACTIONS = 62
"""Maximum number of actions per state that fit in the bits of a mask; with more, no action is ever ruled out."""

UNDERFLOWS = Fraction(1, 2**963)  # exceeds the total underflow of a pass: 2**59 operations that lose 2**-1022 each


def total_above(cost: Floats) -> Fraction:
    """Return an upper bound on the sum of ``|c_i|`` that allows for the rounding of the sum and of its terms."""
    return Fraction(math.fsum(np.abs(cost))) * (1 + 4 * UNIT_ROUNDOFF)


class Oracle:
    """The joint outcomes of a float model and the buffers of its passes.  ``top`` is the number of CDF values:
    :math:`F_i = P(Z \\le i)` for ``0 <= i < top``, in shifted units."""

    def __init__(self, model: FloatModel) -> None:
        self.model = model
        self.top = model.remaining[0]
        self.calls, self.coarse = 0, 0
        self._outcomes()
        horizon, n = model.horizon, model.n_states
        needed, limit = search_bytes(n, model.remaining), memory_limit()
        if needed > limit:
            raise InvalidArgument(
                f"eta is {digits(model.unit, 3)}: the search needs {needed / 1e9:.1f} GB of {limit / 1e9:.1f} GB "
                "allowed, wanted a larger eta"
            )
        self.low = np.zeros((horizon + 1, n), dtype=np.int64)
        self.high = np.zeros((horizon + 1, n), dtype=np.int64)
        kernels.reach_windows(
            *self.arrays[:3], self.arrays[4], self.arrays[5], model.initial_state, self.low, self.high
        )
        actions = np.diff(model.action_start)
        self.maskable = int(actions.max()) <= MOST_ACTIONS
        everything = (np.int64(1) << np.minimum(actions, MOST_ACTIONS)) - 1
        self.everything: Ints = np.broadcast_to(everything[None, :, None], (horizon, n, self.top + 1)).copy()
        self.allowed = self.everything.copy()
        self.choice = np.zeros((horizon, n, self.top + 1), dtype=model.choice_type)
        self._values, self._mass = np.zeros((2, n, self.top + 1)), np.zeros((2, n, self.top + 1))
        outcomes = self.arrays[1][model.action_start[1:]] - self.arrays[1][model.action_start[:-1]]
        self._parts = shares(outcomes, len(self.arrays[2]) * self.top / 2)
        self._q = np.zeros((len(self._parts), self.top + 1))
        self._contractor: _Contractor | None = None
        terms = int(np.diff(self.arrays[1]).max())
        #: products of a law and a probability in a pass of the contractor, which has three laws
        self.work = sum((self.top - w + 1) * max(w, 1) for w in model.remaining) * len(self.arrays[2])
        #: seconds per pass of the contractor: estimated from these until one has been timed
        self.contract_seconds = 3 * self.work / CONTRACTED_PER_SECOND
        #: successive roundings of a signed pass: the terminal sums, then per step three per joint probability and one
        #: per term (signed terminal costs, A5)
        self.depth = self.top + horizon * (terms + 4) + len(model.initial_state) + 2
        self.table_depth = horizon * (terms + 4) + len(model.initial_state) + 2
        self.gamma, self.table_gamma = gamma(self.depth), gamma(self.table_depth)
        #: relative error of the gain over a box of slopes: differences, products, their sum and one product
        self.inflate = float_above(1 + gamma(self.top + 4))
        incoming = len(self.arrays[2])
        self.law_gamma = gamma(horizon * (incoming + 4) + n + self.top + 4)

    def _outcomes(self) -> None:
        """Combine successors and rewards of a product model; a joint model already has them combined."""
        model = self.model
        blocks: list[Any] = []
        block = np.zeros(model.horizon, dtype=np.int64)
        for t, step in enumerate(model.steps):
            if not blocks or blocks[-1] is not step:
                blocks.append(step)
            block[t] = len(blocks) - 1
        if not model.product:
            units = np.array([step.units for step in blocks])
            prob = np.tile(model.succ_prob, (len(blocks), 1))
            self.arrays = (model.action_start, model.succ_start, model.succ_state, prob, units, block)
            return
        successors, widths = np.diff(model.succ_start), np.max([np.diff(step.start) for step in blocks], axis=0)
        start = starts(successors * widths)
        row = np.repeat(np.arange(len(widths)), successors * widths)
        reward, after = np.divmod(np.arange(start[-1]) - start[row], successors[row])
        after += model.succ_start[row]
        state, prob = model.succ_state[after], np.zeros((len(blocks), start[-1]))
        units = np.zeros((len(blocks), start[-1]), dtype=np.int64)
        for k, step in enumerate(blocks):
            # discounting may merge rewards at some steps only: pad short laws with probability 0
            here = reward < np.diff(step.start)[row]
            at = (step.start[row] + reward)[here]
            prob[k, here], units[k, here] = step.prob[at] * model.succ_prob[after[here]], step.units[at]
        self.arrays = (model.action_start, start, state, prob, units, block)

    def solve(self, cost: Floats, *, masked: bool = True) -> float:
        """Return the computed minimum of ``cost . F``, and set :attr:`choice` to a policy that attains it."""
        self.calls += 1
        model, limited = self.model, masked and self.maskable
        if len(self._parts) == 1:
            kernels.cost_pass(
                *self.arrays, self.low, self.high, self.allowed, limited, cost, self._values, self._q[0], self.choice
            )  # fmt: skip
        else:
            horizon = model.horizon
            kernels.terminal_costs(self.low[horizon], self.high[horizon], cost, self._values[horizon & 1])

            def some_states(k: int, t: int) -> None:
                kernels.cost_step(
                    *self._parts[k], t, *self.arrays, self.low, self.high, self.allowed, limited, self._values,
                    self._q[k], self.choice,
                )  # fmt: skip

            for t in range(horizon - 1, -1, -1):
                in_threads(partial(some_states, t=t), len(self._parts))
        return float(model.initial_prob @ self._values[0, model.initial_state, 0])

    def slack(self, cost: Floats) -> float:
        """Return a bound on the error of :meth:`solve`: :math:`\\gamma_K \\sum |c_i|`."""
        return float_above(self.gamma * total_above(cost) + UNDERFLOWS)

    def margin(self, c0: Floats, c_low: Floats, c_high: Floats) -> float:
        """Bound the rounding error of the contractor (B5): of the two values and the tables, and four roundings of each
        in the comparison; and what a reader loses whose tables are over ``coarse``."""
        values, tables = total_above(c0), total_above(np.maximum(c0 - c_low, c_high - c0))
        compared = 4 * UNIT_ROUNDOFF * (values + tables)
        if self.coarse:
            compared += Fraction(2 * self.model.horizon + 2) * (2 + tables) / self.coarse
        return float_above(2 * self.gamma * values + 2 * self.table_gamma * tables + compared)

    def cdf(self, choice: npt.NDArray[Any] | None = None) -> Floats:
        """Return the CDF vector of a policy, by default that of the last :meth:`solve`."""
        out = np.zeros(self.top)
        kernels.law_pass(
            *self.arrays, self.low, self.high, self.model.initial_state, self.model.initial_prob,
            self.choice if choice is None else choice, self._mass, out,
        )  # fmt: skip
        return out

    def contract(self, c0: Floats, c_low: Floats, c_high: Floats, deadline: float) -> tuple[Floats, Floats] | None:
        """Remove actions from :attr:`allowed` and return certified ranges of the CDF over the rest.  Return None if
        time runs out first: the actions removed so far stay removed, but no range is known."""
        if self._contractor is None:
            self._contractor = _Contractor(self)
        began = clock.now()
        found = self._contractor(c0, c_low, c_high, deadline)
        if found is not None:
            self.contract_seconds = clock.now() - began
        return found


class _Contractor:
    """The tables of the stationarity contractor, which shrink to a triangle of (sum so far, sum to come)."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        model = oracle.model
        cells = max((model.remaining[0] - w + 1) * max(w, 1) for w in model.remaining)
        self.least, self.most, self.own = (np.zeros((2, model.n_states * cells)) for _ in range(3))
        outcomes = oracle.arrays[1][model.action_start[1:]] - oracle.arrays[1][model.action_start[:-1]]
        self.parts = shares(outcomes, 3.0 * len(oracle.arrays[2]) * cells)
        most = int(np.diff(model.action_start).max())
        self.rows = np.zeros((len(self.parts), 4, most, max(oracle.top, 1)))
        self.reached = np.zeros((model.horizon, model.n_states, oracle.top + 1), dtype=np.int8)
        self.values = np.zeros((2, model.n_states, oracle.top + 1))

    def __call__(self, c0: Floats, c_low: Floats, c_high: Floats, deadline: float) -> tuple[Floats, Floats] | None:
        o = self.oracle
        model = o.model
        action_start, out_start, out_state, _, units, block = o.arrays
        kernels.mark_reachable(
            action_start, out_start, out_state, units, block, o.low, o.high, model.initial_state, o.allowed,
            self.reached,
        )  # fmt: skip
        margin = o.margin(c0, c_low, c_high)
        tail = np.zeros(o.top + 1)
        tail[:-1] = np.cumsum(c0[::-1])[::-1]

        def some_states(k: int, t: int) -> None:
            wide, after = model.remaining[t], model.remaining[t + 1]
            kernels.contract_step(
                *self.parts[k], t, *o.arrays, o.low, o.high, wide, after, o.top - wide, o.top - after, o.allowed,
                self.reached, tail, c0, c_low, c_high, margin, o.inflate, self.values, self.least, self.most, self.own,
                self.rows[k],
            )  # fmt: skip

        for t in range(model.horizon - 1, -1, -1):
            if clock.now() > deadline:
                return None
            in_threads(partial(some_states, t=t), len(self.parts))
        starts = model.initial_state[:, None] * o.top + np.arange(o.top)
        low, high = (model.initial_prob @ table[0][starts] for table in (self.least, self.most))
        # the products and differences here add three roundings
        shrink, grow = float_below(1 - gamma(o.table_depth + 3)), float_above(1 + gamma(o.table_depth + 3))
        lost = float_above(UNDERFLOWS)
        return np.maximum(low * shrink - lost, 0.0), np.minimum(high * grow + lost, 1.0)
