r"""Confidence sets, from counts to the optimistic and the pessimistic model.

Time-uniform sets (theory, page 10), x successes in N draws, :math:`\tilde p = x/N`:

.. math:: \lambda_N = \log\frac n\delta + \tfrac12 \log N + \log 2, \qquad
          q^- = \min\{q \le \tilde p : N\,\mathrm{kl}(\tilde p, q) \le \lambda_N\}, \qquad q^+(x, N) = 1 - q^-(N-x, N).

Hoeffding sets (page 6), with :math:`\epsilon = \sqrt{\ell / 2N}`: :math:`q^\pm = \tilde p \pm \epsilon`.  No sets:
the empirical model, in which a pair never tried is worth nothing (NONE) or everything (TRIED, so that all are tried).
"""

from __future__ import annotations

import math

from .jit import view_kernel as kernel
from .learn_data import HOEFFDING, KL, NONE, TRIED, Model, Sets, Shape, Target

LOG_TWO = math.log(2.0)
UPWARD = 1.0 + 2.0**-48  # outweighs the at most eight roundings (each of one part in 2^53) of a threshold or a radius
SAFE = 1.0 - 2.0**-40
"""Outweighs the roundings of a lower end: a few parts in 2^53, times the exponent, which is at most 709."""
LEAST_NORMAL = 2.0**-1022  # roundings are relative down to here; a lower end that would be less is 0
MOST_STEPS = 60  # of Newton's method; stopping early gives a lower end that is valid, if wider


@kernel
def radius_of(visits: int, log_term: float, scale: float) -> float:
    """Return a float at least ``scale * sqrt(log_term / 2 visits)``."""
    return math.sqrt(log_term / (2.0 * visits)) * scale * UPWARD


@kernel
def threshold_of(visits: int, log_term: float, scale: float) -> float:
    r"""Return a float at least :math:`\text{scale}^2 \lambda_N`, ``log_term`` being at least :math:`\log(n/\delta)`."""
    return (log_term + 0.5 * math.log(visits) + LOG_TWO) * scale * scale * UPWARD


@kernel
def kl_low(x: int, n: int, threshold: float) -> float:
    r"""Return a float at most :math:`q^-`, by Newton's method for :math:`n\,\mathrm{kl}(x/n, q) =` threshold.

    The function is convex and decreasing on :math:`(0, \tilde p)`, so Newton's iterates increase towards the root and
    each of them is a valid lower end.  Start, p for :math:`\tilde p`: since
    :math:`\mathrm{kl}(p, q) = \int_q^p \frac{p-z}{z(1-z)} dz` is :math:`\frac{(p-q)^2}2` times a mean of
    :math:`\frac1{z(1-z)}` in which z has the mean :math:`\bar z = \frac{p+2q}3`, Jensen's inequality gives
    :math:`\mathrm{kl}(p, q) \ge \frac{(p-q)^2}{2\bar z(1-\bar z)}`, and a quadratic equation for q.  Where that leaves
    little of p, :math:`\mathrm{kl}(p, q) \ge p \log(p/q) + (1-p) \log(1-p)` may leave more; it is nearly an equation
    where q is small, so that 0 is answered only where q itself is below every normal float.
    """
    if x == 0:
        return 0.0
    rate = threshold / n
    p, rest = x / n, (n - x) / n
    if x == n:
        q = math.exp(-rate)
    else:
        a, b = 1.0 + rate * (8.0 / 9.0), rate * (2.0 / 3.0) * (p - rest)
        q = (p - (b + math.sqrt(b * b + 2.0 * a * rate * p * rest)) / a) * SAFE
        if not q >= 0.125 * p:
            q = p * math.exp(-(rate - rest * math.log1p(-p)) / p)
    if q < LEAST_NORMAL:
        return 0.0
    for _ in range(MOST_STEPS if x < n else 0):
        gap = p - q
        excess = p * math.log1p(gap / q) + rest * math.log1p(-gap / (1.0 - q)) - rate
        step = excess * (1.0 - q) / gap
        q += q * step  # from the right of the root, too, a step leads to its left: the tangent of a convex function
        if step * step * p <= 1e-11 * gap:  # what is left, relative to q, is about half of step^2 p / gap
            break
    return q * SAFE


@kernel
def size_of(visits: int, target: Target) -> float:
    """Return the size of the sets of a pair: the threshold of KL sets, the radius of Hoeffding's, else 0."""
    if target.sets == KL:
        return threshold_of(visits, target.log_term, target.scale)
    if target.sets == HOEFFDING:
        return radius_of(visits, target.log_term, target.scale)
    return 0.0


@kernel
def low_end(x: int, n: int, kind: int, size: float) -> float:
    """Return the lower end of the set of a probability after x successes in n draws."""
    if kind == KL:
        return kl_low(x, n, size)
    return max(x / n - size, 0.0)


@kernel
def put(model: Model, p: int, n: int, state: int, atom: int, prob: float) -> bool:
    """Set entry n of pair p; True if that changes it."""
    changed: bool = model.state[p, n] != state or model.atom[p, n] != atom or model.prob[p, n] != prob
    model.state[p, n], model.atom[p, n], model.prob[p, n] = state, atom, prob
    return changed


@kernel
def refresh_outcomes(p: int, s: int, shape: Shape, sets: Sets, target: Target) -> bool:
    """Rebuild the outcomes of pair p of state s; True if they changed.

    The missing mass goes to state S with the greatest atom, unless the outcomes that can occur are known: then it stays
    in ``miss`` alone, and planning gives it to the best of them.
    """
    counts, known, model, kind = sets.counts, sets.known, sets.model, target.sets
    visits = counts.visits[p]
    changed, n, total = False, 0, 0.0
    if known.fixed[p] or (visits == 0 and kind == NONE):
        state, atom = (known.state[p, 0], known.atom[p, 0]) if known.fixed[p] else (s, 0)
        changed = put(model, p, 0, state, atom, 1.0)
        n, total = 1, 1.0
    elif visits > 0:
        sure = kind == KL and known.limit[p] == 1
        size = size_of(visits, target)
        for j in range(counts.length[p]):
            q = 1.0 if sure else low_end(counts.count[p, j], visits, kind, size)
            if q > 0.0:
                changed = put(model, p, n, counts.state[p, j], counts.atom[p, j], q) or changed
                total += q
                n += 1
    if known.length[p] == 0 and known.limit[p] > 0 and counts.length[p] == known.limit[p]:
        known.length[p] = known.limit[p]  # all outcomes that can occur have been seen
        for j in range(known.limit[p]):
            known.state[p, j], known.atom[p, j] = counts.state[p, j], counts.atom[p, j]
    miss = max(1.0 - total, 0.0)
    if kind == NONE or (kind == TRIED and visits > 0) or known.fixed[p]:
        miss = 0.0
    if miss > 0.0 and known.length[p] == 0:
        top_atom = shape.units.shape[1] - 1 if shape.joint else 0
        changed = put(model, p, n, shape.first.shape[0] - 1, top_atom, miss) or changed
        n += 1
    if model.length[p] != n or model.miss[p] != miss:
        changed = True
    model.length[p], model.miss[p] = n, miss
    return changed


@kernel
def refresh_reward(p: int, sets: Sets, target: Target) -> bool:
    """Rebuild the law of pair p's independent reward, from above and from below; True if it changed."""
    counts, known, model, kind = sets.counts, sets.known, sets.model, target.sets
    visits = counts.visits[p]
    last = model.reward.shape[1] - 1
    changed = False
    below, below_low = 0.0, 0.0
    seen = 0
    size = size_of(visits, target) if visits > 0 else 0.0
    for i in range(last + 1):
        here, here_low = 1.0, 1.0
        if i < last:
            if visits > 0:
                seen += counts.reward[p, i]
                here = max(low_end(seen, visits, kind, size), below)
                here_low = max(1.0 - low_end(visits - seen, visits, kind, size), below_low) if kind == KL else here
            elif kind != NONE:
                here = 0.0
        mass, mass_low = here - below, here_low - below_low
        if known.rewards:
            mass = mass_low = known.reward[p, i]
        if model.reward[p, i] != mass or model.reward_low[p, i] != mass_low:
            changed = True
        model.reward[p, i], model.reward_low[p, i] = mass, mass_low
        below, below_low = here, here_low
    return changed


@kernel
def refresh(shape: Shape, sets: Sets, target: Target) -> bool:
    """Rebuild the pairs that were played if one of them is due; True if the model changed.

    A pair is due when its visits have grown by the share ``target.patience`` since its last rebuild.  Older sets stay
    valid, so waiting costs width and saves planning.  A plan costs the same however many pairs have changed, so all
    that were played are rebuilt together.
    """
    touched, stale, due, changed = sets.touched, sets.stale, False, False
    for p in range(touched.shape[0]):
        due = due or (touched[p] and sets.counts.visits[p] >= sets.model.used[p] * (1.0 + target.patience))
    if not due:
        return False
    for s in range(shape.first.shape[0] - 1):
        for p in range(shape.first[s], shape.first[s + 1]):
            stale[p] = False
            if touched[p]:
                stale[p] = refresh_outcomes(p, s, shape, sets, target)
                if not shape.joint:
                    moved = refresh_reward(p, sets, target)
                    stale[p] = stale[p] or moved
                changed = changed or stale[p]
                sets.model.used[p] = sets.counts.visits[p]
                touched[p] = False
    return changed
