r"""The budget recursion in exact integers: numbers as limbs of 30 bits in int64, least limb first.

``table[s, k, margin + b]`` is limb k of the value of budget b.  A weighted sum of limbs stays below
:math:`D\,2^{30} + D \le 2^{63}` because the weights are nonnegative and sum to ``D <= 2**32``, and the carry of one
limb into the next is at most ``D``; the caller proves that, and that the last limb's carry is zero, before the call
(:func:`verified_risk.planning.exact.limb_tables.require_no_overflow`).
"""

from __future__ import annotations

from .jit import kernel

BITS = 30
MASK = (1 << BITS) - 1


@kernel
def limb_sum(table, state, units, weight, first, last, origin, width, limbs, carry, out):  # type: ignore[no-untyped-def]
    """Compute ``out[:, b] = sum_j weight[j] * table[state[j], :, origin - units[j] + b]`` with carries."""
    c = carry[:width]
    for b in range(width):
        c[b] = 0
    for k in range(limbs):
        x = out[k, :width]
        for b in range(width):
            x[b] = c[b]
        for j in range(first, last):
            start = origin - units[j]
            v, w = table[state[j], k, start : start + width], weight[j]
            for b in range(width):
                x[b] += w * v[b]
        for b in range(width):
            c[b] = x[b] >> BITS
            x[b] = x[b] & MASK


@kernel
def limb_step(  # type: ignore[no-untyped-def]
    low, high, margin, span, two_stages,
    action_start, succ_start, succ_state, succ_units, succ_weight, reward_start, reward_units, reward_weight,
    extra, limbs, after, now, mixed, q, carry, less, zeros, policy,
):  # fmt: skip
    """Compute budgets ``low..high`` of one step; ``extra[i]`` holds the limbs of a constant of action i."""
    width = high - low + 1
    x_less = less[:width]
    for s in range(action_start.shape[0] - 1):
        choice = policy[s]
        for i in range(action_start[s], action_start[s + 1]):
            if two_stages:
                begin = margin + low - span
                limb_sum(
                    after, succ_state, zeros, succ_weight, succ_start[i], succ_start[i + 1], begin, width + span, limbs,
                    carry, mixed[0],
                )  # fmt: skip
                limb_sum(
                    mixed, zeros, reward_units, reward_weight, reward_start[i], reward_start[i + 1], span, width, limbs,
                    carry, q,
                )  # fmt: skip
            else:
                limb_sum(
                    after, succ_state, succ_units, succ_weight, succ_start[i], succ_start[i + 1], margin + low, width,
                    limbs, carry, q,
                )  # fmt: skip
            c = carry[:width]
            for b in range(width):
                c[b] = 0
            for k in range(limbs):
                x, e = q[k, :width], extra[i, k]
                for b in range(width):
                    total = x[b] + e + c[b]
                    c[b] = total >> BITS
                    x[b] = total & MASK
            if i == action_start[s]:
                for k in range(limbs):
                    x, o = q[k, :width], now[s, k, margin + low : margin + high + 1]
                    for b in range(width):
                        o[b] = x[b]
                for b in range(width):
                    choice[b] = 0
            else:
                for b in range(width):
                    x_less[b] = 0
                for k in range(limbs):  # from the least limb up: higher limbs take precedence
                    x, o = q[k, :width], now[s, k, margin + low : margin + high + 1]
                    for b in range(width):
                        x_less[b] = 1 if x[b] < o[b] else (0 if x[b] > o[b] else x_less[b])
                for k in range(limbs):
                    x, o = q[k, :width], now[s, k, margin + low : margin + high + 1]
                    for b in range(width):
                        o[b] = x[b] if x_less[b] else o[b]
                for b in range(width):
                    choice[b] = i - action_start[s] if x_less[b] else choice[b]


@kernel
def limb_finish(high, reach, margin, per_unit, ceiling, sloped, left, limbs, now):  # type: ignore[no-untyped-def]
    """Fill in what the next step reads: ``left[s]`` from budget 0 down; right of ``high`` a slope per unit, or
    ``ceiling``."""
    for s in range(now.shape[0]):
        for k in range(limbs):
            for b in range(margin + 1):
                now[s, k, b] = left[s, k]
        for b in range(high + 1, reach + 1):
            carry = 0
            for k in range(limbs):
                grown = now[s, k, margin + high] + (b - high) * per_unit[k] + carry
                total = grown if sloped else ceiling[k]
                now[s, k, margin + b] = total & MASK
                carry = total >> BITS
