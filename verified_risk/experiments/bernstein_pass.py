r"""Planning with Bernstein bonuses: a lower and an upper table of the least shortfall, computed from counts.

``low[t, s, b]`` and ``up[t, s, b]`` enclose :math:`W^*_t(s, b)`, the least expected shortfall
:math:`E(b - \text{what steps } t..T-1 \text{ pay})^+`, for budgets ``1 <= b <= top[t]`` in units.  Below the window the
shortfall is 0; above it nothing but the mean matters, so there :math:`W(b) = W(top[t]) + b - top[t]`.

For one pair with N visits and empirical frequencies :math:`\hat P` the bonus is (theory, page 11)

.. math:: \beta = \min\Bigl\{\sqrt{\tfrac{2 L_N}{N-1}} \Bigl(\sqrt{\mathrm{Var}_{\hat P} f} +
          \sqrt{E_{\hat P} (g - f)^2}\Bigr) + \tfrac{7 R L_N}{3(N-1)},\ R \sqrt{\tfrac{L_N}{2N}}\Bigr\}, \qquad
          L_N = \log \tfrac{10\, n N (N-1)}{\delta},

f and g being the lower and upper tables after the step, and R the length of the interval that they lie in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..kernels.jit import view_kernel as kernel
from ..kernels.learn_data import Actions, Floats, Ints, Path, Shape
from ..kernels.learn_sets import kl_low, threshold_of


class Rules(NamedTuple):
    """The parameters of a pass."""

    log_term: float  # at least log(10 n / delta)
    kl_log_term: float  # at least log(2 n' / delta), n' the tests of single outcomes
    scale: float  # multiplies the bonus
    steepest: float  # 1 / tau
    margin: float  # outweighs the rounding of one backup
    tie: float
    only_mean: bool  # tau = 1: only budgets that nothing can exceed matter


class Frequencies(NamedTuple):
    """The counts of a plan, pair by pair."""

    visits: Ints
    length: Ints  # distinct outcomes seen
    state: Ints
    atom: Ints
    count: Floats  # type: ignore[assignment]  # a field, not the method of tuples


class Bounds(NamedTuple):
    """The tables of a pass, and scratch rows."""

    low: Floats
    up: Floats
    width: Floats  # the most that the chosen action can lose at (t, s, b): twice its bonus, the correction of page 11
    action: Actions
    drop: Floats  # [pair, outcome]: the frequency minus its lower confidence end
    after_low: Floats  # scratch [outcome, b]: f and g, the tables after the step
    after_up: Floats
    mean: Floats  # scratch [b], as are all below
    mean_up: Floats
    spread: Floats
    gap: Floats
    lost: Floats
    pair_low: Floats
    pair_up: Floats
    pair_width: Floats
    chosen: Floats  # the lower bound of the action chosen so far


@kernel
def drops(counts: Frequencies, rules: Rules, drop: Floats) -> None:
    r"""Write :math:`\hat P - q^-` for every outcome seen, q the time-uniform KL end."""
    for p in range(counts.visits.shape[0]):
        n = counts.visits[p]
        for j in range(counts.length[p]):
            x = counts.count[p, j]
            drop[p, j] = x / n - kl_low(x, n, threshold_of(n, rules.kl_log_term, 1.0))


@kernel
def add_shifted(row: Floats, later: int, shift: int, weight: float, first: int, now: int, out: Floats) -> None:
    """``out[b] += weight * W(b - shift)`` for ``first <= b <= now``; ``row`` holds W inside its window, up to
    ``later``.
    """
    for b in range(max(first, shift + 1), min(now, shift + later) + 1):
        out[b] += weight * row[b - shift]
    for b in range(max(first, shift + later + 1), now + 1):
        out[b] += weight * (row[later] + (b - shift - later))


@kernel
def rows_after(p: int, t: int, first: int, shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds) -> None:
    """Write the tables after the step, outcome by outcome, for budgets ``first .. top[t]``."""
    units, now, later = shape.units[t], shape.top[t], shape.top[t + 1]
    for j in range(counts.length[p]):
        s = counts.state[p, j]
        low, up = bounds.low[t + 1, s], bounds.up[t + 1, s]
        f, g = bounds.after_low[j], bounds.after_up[j]
        f[first : now + 1], g[first : now + 1] = 0.0, 0.0
        if shape.joint:
            add_shifted(low, later, units[counts.atom[p, j]], 1.0, first, now, f)
            add_shifted(up, later, units[counts.atom[p, j]], 1.0, first, now, g)
            continue
        for i in range(units.shape[0]):
            if reward[p, i] > 0.0:
                add_shifted(low, later, units[i], reward[p, i], first, now, f)
                add_shifted(up, later, units[i], reward[p, i], first, now, g)


@kernel
def surely(p: int, t: int, first: int, shape: Shape, reward: Floats, least: Floats, most: Floats) -> None:
    """Write the interval that the shortfall lies in whatever follows the pair."""
    now, later = shape.top[t], shape.top[t + 1]
    for b in range(first, now + 1):
        least[b], most[b] = (max(b - now, 0), b) if shape.joint else (0, 0)
    if shape.joint:
        return
    for i in range(shape.units.shape[1]):
        if reward[p, i] > 0.0:
            for b in range(first, now + 1):
                left = b - shape.units[t, i]
                least[b] += reward[p, i] * max(left - later, 0)
                most[b] += reward[p, i] * max(left, 0)


@kernel
def moments(p: int, first: int, now: int, counts: Frequencies, bounds: Bounds) -> None:
    """Write, over the outcomes seen, the means of f and g, the variance of f, the mean of ``(g - f)^2``, and the sum of
    ``g - f`` weighted by ``drop``.
    """
    n = counts.visits[p]
    mean, mean_up, spread, gap, lost = bounds.mean, bounds.mean_up, bounds.spread, bounds.gap, bounds.lost
    for row in (mean, mean_up, spread, gap, lost):
        row[first : now + 1] = 0.0
    for j in range(counts.length[p]):
        q, d, f, g = counts.count[p, j] / n, bounds.drop[p, j], bounds.after_low[j], bounds.after_up[j]
        for b in range(first, now + 1):
            mean[b] += q * f[b]
            mean_up[b] += q * g[b]
            gap[b] += q * (g[b] - f[b]) * (g[b] - f[b])
            lost[b] += d * (g[b] - f[b])
    for j in range(counts.length[p]):
        q, f = counts.count[p, j] / n, bounds.after_low[j]
        for b in range(first, now + 1):
            spread[b] += q * (f[b] - mean[b]) * (f[b] - mean[b])


@kernel
def bounds_of_pair(
    p: int, t: int, first: int, shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds, rules: Rules
) -> None:
    """Write ``pair_low``, ``pair_up`` and ``pair_width`` of a pair."""
    n, now = counts.visits[p], shape.top[t]
    low, up, width = bounds.pair_low, bounds.pair_up, bounds.pair_width
    surely(p, t, first, shape, reward, low, up)
    if n >= 2:
        rows_after(p, t, first, shape, counts, reward, bounds)
        moments(p, first, now, counts, bounds)
        term = rules.log_term + math.log(n) + math.log(n - 1)
    for b in range(first, now + 1):
        least, most = low[b], up[b]
        width[b] = min(b, now)
        if n >= 2:
            bonus = math.sqrt(2.0 * term / (n - 1)) * (math.sqrt(bounds.spread[b]) + math.sqrt(bounds.gap[b]))
            bonus += 7.0 * (most - least) * term / (3.0 * (n - 1))
            bonus = min(bonus, (most - least) * math.sqrt(term / (2.0 * n))) * rules.scale
            low[b], up[b] = max(least, bounds.mean[b] - bonus), min(most, bounds.mean_up[b] + bonus)
            width[b] = min(width[b], 2.0 * bonus + bounds.lost[b])
        low[b], up[b] = low[b] - rules.margin, up[b] + rules.margin


@kernel
def bernstein_pass(shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds, rules: Rules) -> None:
    """Write both tables from the last step to the first; the action is that of the least lower bound, up to ties."""
    drops(counts, rules, bounds.drop)
    bounds.low[shape.units.shape[0]], bounds.up[shape.units.shape[0]] = 0.0, 0.0
    for t in range(shape.units.shape[0] - 1, -1, -1):
        now = shape.top[t]
        first = max(now, 1) if rules.only_mean else 1
        for s in range(shape.first.shape[0] - 1):
            for p in range(shape.first[s], shape.first[s + 1]):
                bounds_of_pair(p, t, first, shape, counts, reward, bounds, rules)
                new = p == shape.first[s]
                for b in range(first, now + 1):
                    low, up = bounds.pair_low[b], bounds.pair_up[b]
                    if new or low < bounds.chosen[b] - rules.tie:
                        bounds.chosen[b] = low
                        bounds.width[t, s, b] = bounds.pair_width[b]
                        bounds.action[t, s, b] = p - shape.first[s]
                    if new or low < bounds.low[t, s, b]:
                        bounds.low[t, s, b] = low
                    if new or up < bounds.up[t, s, b]:
                        bounds.up[t, s, b] = up


@kernel
def best_start(shape: Shape, table: Floats, rules: Rules) -> tuple[int, float]:
    """Return the least rho that maximises ``rho - E_D W_0(S, rho) / tau`` up to ties, and the maximum."""
    top = shape.top[0]
    rho, best = 0, 0.0
    for b in range(top if rules.only_mean else 1, top + 1):
        score = float(b)
        for i in range(shape.initial_state.shape[0]):
            score -= rules.steepest * shape.initial_prob[i] * table[0, shape.initial_state[i], b]
        if score > best + rules.tie * rules.steepest:
            rho, best = b, score
    return rho, best


@kernel
def set_policy(shape: Shape, bounds: Bounds, policy: Actions, rho: int) -> None:
    """Write the y-policy that plays budget ``rho - y``; one column if y does not matter.  A budget that is used up can
    lose nothing any more; it plays as the least one does.
    """
    last = policy.shape[2] - 1
    for t in range(shape.units.shape[0]):
        now = shape.top[t]
        for s in range(shape.first.shape[0] - 1):
            for y in range(min(shape.used[t], last) + 1):
                b = now if last == 0 else min(max(rho - y, 1), now)
                policy[t, s, y] = bounds.action[t, s, b]


@kernel
def width_of(shape: Shape, bounds: Bounds, rho: int, path: Path) -> float:
    """Return the sum of the widths that an episode met; a budget that is used up adds nothing."""
    total, b = 0.0, rho
    for t in range(path.actions.shape[0]):
        if b > 0:
            total += bounds.width[t, path.states[t], min(b, shape.top[t])]
        b -= shape.units[t, path.rewards[t]] + shape.units[t, path.paid[t]]
    return total
