r"""An upper bound on the mean of one function, by betting on it (theory, page 10, kl-bets).

A pair was tried N times, ``count[j]`` times with outcome j.  For a function f that was fixed before the data, and every
:math:`\eta \ge \max f`,

.. math:: \mathbf E f \le \eta - e^{-\lambda_N / N} \prod_j (\eta - f_j)^{\mathrm{count}_j / N},

with the :math:`\lambda_N` of KL sets.  The right side grows with f: what is true of the unknown values of the best
policy is true of every table above them.
"""

from __future__ import annotations

import math

from .jit import view_kernel as kernel
from .learn_data import Floats, Ints

MOST_STEPS = 12
"""Of Newton's method; every eta gives a valid bound."""
ROUNDING = 2.0**-50
"""Outweighs the roundings of one term."""


@kernel
def bet_above(count: Ints, worth: Floats, outcomes: int, visits: int, most: float, threshold: float) -> float:
    """Return a float at least the mean of a function; ``most`` is its largest value at outcomes that can occur.

    ``count`` and ``worth`` list how often ``outcomes`` outcomes were seen in ``visits`` visits, and the function there.
    """
    rate = threshold / visits
    mean, square = 0.0, 0.0
    for j in range(outcomes):
        short = most - worth[j]
        mean += count[j] * short
        square += count[j] * short * short
    mean /= visits
    spread = max(square / visits - mean * mean, 0.0)
    best = least_above(count, worth, outcomes, visits, most, rate, 0.0)
    room = max(math.sqrt(spread / (2.0 * rate)) - mean, 1e-3 * mean)
    for _ in range(MOST_STEPS if mean > 0.0 else 0):
        if not room > 0.0:
            break
        logs, inverse, squares = 0.0, 0.0, 0.0
        for j in range(outcomes):
            short = room + (most - worth[j])
            logs += count[j] * math.log(short)
            inverse += count[j] / short
            squares += count[j] / (short * short)
        logs, inverse, squares = logs / visits, inverse / visits, squares / visits
        # the best eta has log GM + log 1/HM = rate; in 1/sqrt of the left side Newton's method is nearly exact
        excess = logs + math.log(inverse)
        slope = inverse - squares / inverse
        if not (excess > 0.0 and slope < 0.0):
            break
        step = 2.0 * excess * (1.0 - math.sqrt(excess / rate)) / slope
        room = max(room + step, 0.125 * room)
        if abs(step) <= 1e-3 * room:
            break
    return min(best, least_above(count, worth, outcomes, visits, most, rate, room))


@kernel
def least_above(count: Ints, worth: Floats, outcomes: int, visits: int, most: float, rate: float, room: float) -> float:
    """Return the bound for ``eta = most + room``, rounded up, and at most ``most``."""
    logs, size = 0.0, 0.0
    for j in range(outcomes):
        short = room + (most - worth[j])
        if not short > 0.0:
            return most
        here = count[j] * math.log(short)
        logs += here
        size += abs(here)
    left = math.exp(logs / visits - rate) * (1.0 - (size / visits + rate + 1.0) * (outcomes + 8) * ROUNDING)
    return min(most, most + (room - max(left, 0.0)) + (abs(most) + room + left) * ROUNDING)
