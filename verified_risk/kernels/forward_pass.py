"""The law of the return of a policy, computed forwards in float64."""

from __future__ import annotations

from .jit import kernel


@kernel
def forward_step(  # type: ignore[no-untyped-def]
    product, action_start, succ_start, succ_state, succ_prob, reward_start, units, reward_prob,
    choice, width, span, mass, after, u,
):  # fmt: skip
    """Move ``mass[s, y]`` of ``y < width`` along the actions ``choice[s, y]`` into ``after`` (which must hold zeros).

    For each state and action, the mass that takes the action is first spread over its rewards, then over its
    successors.
    """
    for s in range(action_start.shape[0] - 1):
        m, c = mass[s, :width], choice[s, :width]
        for i in range(action_start[s], action_start[s + 1]):
            a = i - action_start[s]
            low, high = width, -1
            for y in range(width):
                if c[y] == a and m[y] > 0.0:
                    low = min(low, y)
                    high = y
            if high < 0:
                continue
            if product:
                row = u[: high - low + span + 1]
                for y in range(high - low + span + 1):
                    row[y] = 0.0
                for k in range(reward_start[i], reward_start[i + 1]):
                    q, shifted = reward_prob[k], row[units[k] : units[k] + high - low + 1]
                    for y in range(high - low + 1):
                        if c[low + y] == a:
                            shifted[y] += q * m[low + y]
                for j in range(succ_start[i], succ_start[i + 1]):
                    p, out = succ_prob[j], after[succ_state[j], low : high + span + 1]
                    for y in range(high - low + span + 1):
                        out[y] += p * row[y]
            else:
                for j in range(succ_start[i], succ_start[i + 1]):
                    p, out = succ_prob[j], after[succ_state[j], low + units[j] : high + units[j] + 1]
                    for y in range(high - low + 1):
                        if c[low + y] == a:
                            out[y] += p * m[low + y]
