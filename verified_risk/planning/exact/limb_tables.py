r"""The exact budget recursion, compiled: integers as int64 limbs, proved not to overflow before the call.

Values are those of the budget recursion in :mod:`.exact_route`, over the common denominator :math:`Q^{T-t}` and a
common factor ``scale``.  With weights that sum to :math:`D \le 2^{32}` no intermediate sum reaches :math:`2^{63}`, and
the number of limbs is chosen so that the largest possible value fits.  Larger models (or those with more than 127
actions) use Python integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...grid import compiled, own_unit
from ...grid.floats import Ints
from ...grid.limb_model import IntegerModel
from ...mdp import MDP
from ...numbers.rational import lcm_of_denominators
from ...objectives.weighting import Jump
from ..clock import Tick, unlimited

BITS = 30
"""Bits of a limb: a sum of products of weights up to 2**32 and limbs then stays below 2**63."""
LARGEST_SUM = 2**32
"""Largest sum of the weights of one row, for the same reason."""
MOST_CELLS = 50_000_000
"""Maximum number of limbs of one table: 400 MB."""


class Overflow(ArithmeticError):
    """Raised if limbs cannot hold the numbers; use Python integers instead."""


def require_no_overflow(model: IntegerModel, largest: int, limbs: int) -> None:
    """Prove that no sum of limbs reaches 2**63 and that ``largest`` fits; raise :class:`Overflow` otherwise.

    A sum of limbs is at most ``D (2**30 - 1)`` plus a carry of at most D plus a limb, for weights that sum to D.
    """
    for total in (model.succ_total, model.reward_total):
        if total > LARGEST_SUM:
            raise Overflow(f"weights over {total}: a sum of 30-bit limbs could exceed 63 bits, wanted at most 2**32")
    if sum(model.spans) >= 2**31:
        raise Overflow(f"returns up to {sum(model.spans)} units, wanted fewer than 2**31")
    for rows, weights, total in (
        (model.succ_start, model.succ_weight, model.succ_total),
        (model.reward_start, model.reward_weight, model.reward_total),
    ):
        for first, last in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
            if last > first and (min(weights[first:last]) < 0 or sum(weights[first:last]) != total):
                raise Overflow(f"weights {weights[first:last]} do not sum to {total}")
    require_fit(largest, limbs)


def require_fit(largest: int, limbs: int) -> None:
    if largest >= 1 << (BITS * limbs):
        raise Overflow(f"a value of {largest.bit_length()} bits does not fit in {limbs} limbs of {BITS} bits")


@dataclass(frozen=True)
class LimbTables:
    """``shortfall[s]`` maps every budget ``0..M_0`` to the exact integer over ``step_total**T`` (and the caller's
    scale)."""

    model: IntegerModel
    shortfall: dict[int, list[int]]
    policy: list[npt.NDArray[Any]]


def limb_tables(
    mdp: MDP,
    model: IntegerModel,
    below: int,
    slope: int,
    outlook: list[list[int]],
    *,
    threshold: bool = False,
    tick: Tick = unlimited,
) -> LimbTables:
    """Run the recursion with cost ``below * b + slope * b^+`` (or ``1(b > 0)``), made nonnegative as in the float pass.

    ``outlook[t][s]`` is the best expected remaining return in unshifted units over ``step_total**(T-t)``.
    """
    from ...kernels import limb_pass as kernels

    horizon, n, top, total = mdp.horizon, mdp.n_states, sum(model.spans), model.step_total
    ceiling = 1 if threshold else (below + slope) * (top + 1)
    limbs = [_limbs_for(ceiling * total ** (horizon - t)) for t in range(horizon + 1)]
    require_no_overflow(model, ceiling * total**horizon, limbs[0])
    for t in range(1, horizon + 1):
        require_fit(ceiling * total ** (horizon - t), limbs[t])
    margin = max(model.spans)
    if int(max(mdp.n_actions)) > 127 or n * limbs[0] * (margin + top + 1) > MOST_CELLS:
        raise Overflow("the model has too many actions or cells for limbs")
    after, now = (np.zeros((n, limbs[0], margin + top + 1), dtype=np.int64) for _ in range(2))
    after[:, : limbs[horizon], margin + 1 :] = _table_of_limbs(
        [1 if threshold else slope * b for b in range(1, top + 1)], limbs[horizon]
    )
    mixed = np.zeros((1, limbs[0], margin + top + margin + 1), dtype=np.int64)
    q = np.zeros((limbs[0], top + 1), dtype=np.int64)
    carry, less = (np.zeros(margin + top + 1, dtype=np.int64) for _ in range(2))
    zeros = np.zeros(max(len(model.succ_weight), len(model.reward_weight), 1), dtype=np.int64)
    succ_weight, reward_weight = (np.array(w, dtype=np.int64) for w in (model.succ_weight, model.reward_weight))
    policy, high_after = [], 0
    for t in range(horizon - 1, -1, -1):
        tick()
        high = high_after + model.spans[t]
        nl, power = limbs[t], total ** (horizon - t - 1)
        chosen = np.zeros((n, max(high, 1)), dtype=np.int8)
        extra = _extra(model, t, below * power, nl)
        if high:
            kernels.limb_step(
                1, high, margin, model.spans[t], model.two_stages, model.action_start, model.succ_start,
                model.succ_state, zeros if model.two_stages else model.units[t], succ_weight, model.reward_start,
                model.units[t] if model.two_stages else zeros, reward_weight, extra, nl, after, now, mixed, q, carry,
                less, zeros, chosen,
            )  # fmt: skip
        shift = sum(model.least[t:])
        left = [below * (total ** (horizon - t) * (high + shift) - outlook[t][s]) for s in range(n)]
        per_unit = _table_of_limbs([slope * total ** (horizon - t)], nl)[:, 0]
        full = _table_of_limbs([total ** (horizon - t)], nl)[:, 0]
        reach = high + model.spans[t - 1] if t else high
        kernels.limb_finish(
            high,
            reach,
            margin,
            per_unit,
            full,
            not threshold,
            np.ascontiguousarray(_table_of_limbs(left, nl).T),
            nl,
            now,
        )
        policy.append(chosen)
        after, now, high_after = now, after, high
    rows = {s: _integers(after[s, : limbs[0], margin : margin + top + 1]) for s, _ in mdp.initial}
    return LimbTables(model, rows, policy[::-1])


def _limbs_for(largest: int) -> int:
    return largest.bit_length() // BITS + 1


def _table_of_limbs(values: list[int], limbs: int) -> Ints:
    """Return a table whose column k holds the limbs of ``values[k]``."""
    return np.array([[(v >> (BITS * k)) & (2**BITS - 1) for v in values] for k in range(limbs)], dtype=np.int64)


def _integers(rows: Ints) -> list[int]:
    """Return the integers whose limbs are the columns."""
    values = [0] * rows.shape[1]
    for row in rows[::-1].tolist():
        values = [(v << BITS) + limb for v, limb in zip(values, row, strict=True)]
    return values


def _extra(model: IntegerModel, t: int, factor: int, limbs: int) -> Ints:
    """Return, per action, ``factor * E[span - R]`` over ``step_total``, as limbs."""
    starts = model.reward_start if model.two_stages else model.succ_start
    weights = model.reward_weight if model.two_stages else model.succ_weight
    other = model.succ_total if model.two_stages else model.reward_total
    if not factor:
        return np.zeros((len(starts) - 1, limbs), dtype=np.int64)
    units, span = model.units[t].tolist(), model.spans[t]
    sums = [
        factor * other * sum(weights[j] * (span - units[j]) for j in range(first, last))
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    return np.ascontiguousarray(_table_of_limbs(sums, limbs).T)


def worth_it(mdp: MDP) -> bool:
    """Whether the Python route would take longer than loading the kernels."""
    low, high = mdp.reward_range
    unit = own_unit(mdp)
    top = sum(int(mdp.step_reward(t, high - low) / unit) for t in range(mdp.horizon))
    branches = sum(len(action.successors) * len(action.reward_law) for _, _, action in mdp)
    return top * mdp.horizon * branches > 500_000


def rule_of(tables: LimbTables, rho: int, linear: list[list[int]]) -> Any:
    """Return ``decision(t, s, y)``, with y the unshifted sum in units."""
    model = tables.model
    offsets = [sum(model.least[:t]) for t in range(len(model.least) + 1)]
    remaining = [sum(model.spans[t:]) for t in range(len(model.spans) + 1)]

    def decision(t: int, s: int, y: int) -> int:
        b = rho - (y - offsets[t])
        if b <= 0 or b > remaining[t]:  # nothing left to decide, or all is linear
            return linear[t][s]
        return int(tables.policy[t][s, b - 1])

    return decision


def best_tail_in_limbs(
    mdp: MDP,
    mean: Fraction,
    slope: Fraction,
    outlook: list[list[int]],
    denominator: int,
    linear: list[list[int]],
    tick: Tick = unlimited,
) -> tuple[Fraction, Any]:
    """Return ``max_rho { rho - E c(rho - Z) }``, ``c(b) = mean * b + slope * b^+``, and a decision that attains it."""
    model = compiled(mdp).limbs()
    scale = lcm_of_denominators((mean, slope))
    below = int(mean * scale)
    tables = limb_tables(mdp, model, below, int(slope * scale), _rescaled(model, outlook, denominator), tick=tick)
    weights = lcm_of_denominators(p for _, p in mdp.initial)
    full, top = model.step_total**mdp.horizon * weights, sum(model.spans)

    def score(rho: int) -> int:
        expected = sum(int(p * weights) * tables.shortfall[s][rho] for s, p in mdp.initial)
        return int(((scale - below) * rho + below * top) * full - expected)

    rho = max(range(top + 1), key=lambda r: (score(r), -r))
    value = (Fraction(score(rho), scale * full) + sum(model.least)) * model.unit
    return value, rule_of(tables, rho, linear)


def best_quantile_in_limbs(
    mdp: MDP,
    jump: Jump,
    outlook: list[list[int]],
    denominator: int,
    linear: list[list[int]],
    unit: Fraction | None = None,
    tick: Tick = unlimited,
) -> tuple[Fraction, Any]:
    """Return the largest rho with ``min P(Z < rho) < alpha`` (or ``<= alpha``), and a decision that attains it.

    Works on the rewards' own grid or, without a discount, on rewards rounded up to multiples of ``unit``.
    """
    model = compiled(mdp, unit).limbs()
    tables = limb_tables(mdp, model, 0, 0, _rescaled(model, outlook, denominator), threshold=True, tick=tick)
    weights = lcm_of_denominators(p for _, p in mdp.initial)
    full = model.step_total**mdp.horizon * weights

    def attained(rho: int) -> bool:
        short = Fraction(sum(int(p * weights) * tables.shortfall[s][rho] for s, p in mdp.initial), full)
        return jump.reached_by(short)

    rho = max(r for r in range(sum(model.spans) + 1) if attained(r))
    return (rho + sum(model.least)) * model.unit, rule_of(tables, rho, linear)


def _rescaled(model: IntegerModel, outlook: list[list[int]], denominator: int) -> list[list[int]]:
    """Convert integers over ``denominator**(T-t)`` to integers over ``step_total**(T-t)``, which it divides."""
    ratio, horizon = model.step_total // denominator, len(outlook) - 1
    return [[v * ratio ** (horizon - t) for v in row] for t, row in enumerate(outlook)]
