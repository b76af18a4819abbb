"""Choose the grid of returns if the caller gave none, and check the one given."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from ..errors import InvalidArgument, Unsupported
from ..grid import own_unit
from ..mdp import MDP
from ..mdp.action import ContinuousReward
from ..numbers.rational import Rational, as_step, digits, said
from .clock import memory_limit
from .rounding import round_up_to_two_digits, short_below

LARGEST_GRID = 2**40
"""Maximum number of grid points; with more, sums of units times probabilities are too inexact in float64."""
OWN_CELLS = 20_000_000
"""Maximum number of cells for which a discounted model is planned on its own grid, without rounding: about a second."""
DEFAULT_GAP = Fraction(1, 1000)  # default gap, as a share of the range of returns, if neither grid nor gap is given
MOST_ATOMS = 3_000_000
"""Maximum number of values that continuous rewards may be rounded to: about a gigabyte of rationals."""
SEARCH_POINTS = 300  # returns that a search distinguishes if no grid is given; its tables grow with their square
SEARCH_OWN_POINTS = 2000
"""Maximum number of returns for which the search of a discounted model stays on its own grid, without rounding."""


def unit_that_fits(mdp: MDP, eta: Rational) -> Fraction:
    """Read ``eta`` as a positive rational, or raise if it needs more than :data:`LARGEST_GRID` points."""
    unit = as_step(eta)
    low, high = mdp.reward_range
    if (high - low) / unit * mdp.horizon > LARGEST_GRID or max(abs(low), abs(high)) / unit > LARGEST_GRID:
        raise InvalidArgument(
            f"eta is {said(unit)}: the returns then need more than 2**40 grid points, wanted a larger eta"
        )
    return unit


def steps_remaining(mdp: MDP, unit: Fraction) -> list[int]:
    """Return a bound on ``FloatModel.remaining`` without building the model."""
    low, high = mdp.reward_range
    spans = [math.ceil(mdp.step_reward(t, high - low) / unit) + 1 for t in range(mdp.horizon)]
    remaining = [0]
    for span in reversed(spans):
        remaining.append(remaining[-1] + span)
    return remaining[::-1]


def own_grid(mdp: MDP) -> Fraction | None:
    """Return the unit of the rewards' own grid, or None if it has more than :data:`LARGEST_GRID` points.

    With a discount p/q the unit divides ``r / q**(T-1)`` for every reward r; for most discounts the grid is therefore
    too large, which is known before any unit is computed.
    """
    low, high = mdp.reward_range
    if not mdp.is_discrete:
        return None
    if low < high and mdp.discount.denominator ** (mdp.horizon - 1) > LARGEST_GRID * _end_over_range(mdp):
        return None
    unit = own_unit(mdp)
    return unit if (high - low) / unit * mdp.horizon <= LARGEST_GRID else None


def _end_over_range(mdp: MDP) -> Fraction:
    """Return the smaller nonzero end of the range of rewards over its width, but at least 1; the unit is at most that
    end over ``q**(T-1)``."""
    low, high = mdp.reward_range
    end = min((abs(r) for r in (low, high) if r), default=high - low)
    return max(Fraction(1), end / (high - low))


def table_bytes(n_states: int, remaining: list[int]) -> int:
    """Return the bytes of two tables of floats and one byte per cell for the policy."""
    widest = remaining[0] + max(a - b for a, b in pairwise(remaining))
    return n_states * (16 * (widest + 1) + sum(remaining[:-1]))


def fits_own_grid(mdp: MDP) -> bool:
    """Return whether the tables of the rewards' own grid fit in memory."""
    unit = own_grid(mdp)
    return unit is not None and table_bytes(mdp.n_states, steps_remaining(mdp, unit)) <= memory_limit()


def served_by_own_grid(mdp: MDP, unit: Fraction | None) -> bool:
    """True if no interpolation is needed: without a discount, ``unit`` is given or the own grid fits; with one,
    ``unit`` contains every reward or is not given, and the grid is small."""
    if mdp.discount == 1:
        return unit is not None or fits_own_grid(mdp)
    own = own_grid(mdp)
    if own is None or (unit is not None and (own / unit).denominator != 1):
        return False
    return mdp.n_states * sum(steps_remaining(mdp, own if unit is None else unit)) <= OWN_CELLS


def interpolates(mdp: MDP, unit: Fraction | None) -> bool:
    """Return whether a search interpolates its tables: with a discount, if ``unit`` does not contain every reward; or
    if no grid is given and the own one has too many points for the tables of a search."""
    low, high = mdp.remaining_range(0)
    if not mdp.is_discrete or low == high or (unit is not None and mdp.discount == 1):
        return False
    own = own_grid(mdp)
    if own is None:
        return True
    if unit is not None:
        return (own / unit).denominator != 1
    remaining = steps_remaining(mdp, own)
    return search_bytes(mdp.n_states, remaining) > memory_limit() or (
        mdp.discount != 1 and remaining[0] > SEARCH_OWN_POINTS
    )


def search_bytes(n_states: int, remaining: list[int]) -> int:
    """Return the bytes of a search on a plain grid: pairs of sums so far and to come; per cell three masks of eight
    bytes, some policies of one byte, and reached flags; and a few rows of floats per state."""
    pairs = max((remaining[0] - w + 1) * max(w, 1) for w in remaining)
    return n_states * (48 * pairs + (32 * (len(remaining) - 1) + 48) * (remaining[0] + 1))


def listed_atoms(mdp: MDP, unit: Fraction) -> int:
    """Return the number of values that continuous rewards are rounded to, over all distinct steps."""
    wide = sum((a.reward.high - a.reward.low for _, _, a in mdp if isinstance(a.reward, ContinuousReward)), Fraction())
    if not wide:
        return 0
    steps = range(1 if mdp.discount == 1 else mdp.horizon)
    return math.ceil(sum((mdp.step_reward(t, wide) for t in steps), Fraction()) / unit)


def _fits(mdp: MDP, unit: Fraction, *, searching: bool = False) -> bool:
    """Return whether the tables of a grid, and the laws of continuous rewards on it, fit in memory."""
    needed = (search_bytes if searching else table_bytes)(mdp.n_states, steps_remaining(mdp, unit))
    return needed <= memory_limit() and listed_atoms(mdp, unit) <= MOST_ATOMS


def choose_unit(mdp: MDP, unit: Fraction | None, gap: Fraction | None, *, searching: bool) -> Fraction:
    """Return the grid step: the caller's, the rewards' own, or the coarsest that keeps ``T * eta`` within the gap.

    Without a gap, aim at :data:`DEFAULT_GAP` of the range of returns or at what fits.  A search also falls back to what
    fits, since it may end with a larger gap anyway.
    """
    if unit is not None:
        if listed_atoms(mdp, unit) > MOST_ATOMS:
            least = grid_that_fits(mdp, unit, searching=searching)
            raise InvalidArgument(
                f"eta is {said(unit)}: continuous rewards then have more than {MOST_ATOMS:,} values, wanted eta of at "
                f"least {least}"
            )
        return unit
    if fits_own_grid(mdp):
        return own_unit(mdp)
    unit = wanted_unit(mdp, gap, searching=searching)
    if gap and not searching and not _fits(mdp, unit):
        raise InvalidArgument(
            f"gap is {said(gap)}: the grid it needs (step {digits(unit, 3)}) takes "
            f"{table_bytes(mdp.n_states, steps_remaining(mdp, unit)) / 1e9:.1f} GB of {memory_limit() / 1e9:.1f} GB "
            f"allowed, wanted a larger gap, or eta of at least {grid_that_fits(mdp, unit)}"
        )
    return grid_that_fits(mdp, unit, searching=searching)


def wanted_unit(mdp: MDP, gap: Fraction | None, *, searching: bool) -> Fraction:
    """Return the coarsest grid step that meets the gap, whether or not it fits."""
    low, high = mdp.remaining_range(0)
    share = Fraction(1, 2) if searching else Fraction(99, 100)
    # Rounding up costs at most T eta; the rest of the gap is left for floating point and for a search.
    unit = short_below((gap or DEFAULT_GAP * (high - low)) * share / mdp.horizon)
    return unit if gap or not searching else max(unit, short_below((high - low) / SEARCH_POINTS))


def grid_that_fits(mdp: MDP, unit: Fraction, *, searching: bool = False) -> Fraction:
    """Return ``unit`` if its tables fit in memory, otherwise a short number above it whose tables fit.

    :raises Unsupported: if the tables do not fit even on a grid wider than the range of rewards
    """
    low, high = mdp.reward_range
    fitting = unit
    while not _fits(mdp, fitting, searching=searching):
        if fitting >= high - low and listed_atoms(mdp, fitting) <= MOST_ATOMS:
            raise Unsupported(
                f"{mdp!r} does not fit in {memory_limit() / 1e9:.1f} GB on any grid", instead="fewer states or steps"
            )
        fitting *= 2
    return unit if fitting == unit else round_up_to_two_digits(fitting)
