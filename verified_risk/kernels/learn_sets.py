r"""Confidence sets of one pair: from counts to the optimistic and the pessimistic model.

A pair is a state with one of its actions.  Its outcome is ``(reward atom, next state)``; where rewards are independent
of the next state the outcome's atom is 0 (worth nothing) and the reward has a law of its own beside it.

Time-uniform sets (theory, page 10), x successes in N draws, :math:`\tilde p = x/N`:

.. math:: \lambda_N = \log\frac n\delta + \tfrac12 \log N + \log 2, \qquad
          q^- = \min\{q \le \tilde p : N\,\mathrm{kl}(\tilde p, q) \le \lambda_N\}, \qquad q^+(x, N) = 1 - q^-(N-x, N).

Hoeffding sets (page 6), with :math:`\epsilon = \sqrt{\ell / 2N}`: :math:`q^\pm = \tilde p \pm \epsilon`.  No sets:
the empirical model, in which a pair never tried is worth nothing (NONE) or everything (TRIED, so that all are tried).
"""

# mypy: allow-untyped-calls, allow-untyped-defs, disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any, NamedTuple

from .jit import view_kernel as kernel

NONE, TRIED, HOEFFDING, KL = range(4)
LOG_TWO = math.log(2.0)
UPWARD = 1.0 + 2.0**-48
"""Outweighs the at most eight roundings (each of one part in 2^53) of a threshold or a radius."""
SAFE = 1.0 - 2.0**-40
"""Outweighs the roundings of a lower end: a few parts in 2^53, times the exponent, which is at most 709."""
LEAST_NORMAL = 2.0**-1022
"""Roundings are relative down to here; a lower end that would be less is 0."""
MOST_STEPS = 60


class Counts(NamedTuple):
    visits: Any
    length: Any  # distinct outcomes seen
    state: Any  # state[p, j], atom[p, j]: the j-th of them, in the order of their first appearance
    atom: Any
    count: Any
    reward: Any  # reward[p, i]: how often atom i was paid (product models)


class Model(NamedTuple):
    length: Any
    state: Any  # state S (one beyond the last) is where the missing mass goes
    atom: Any
    prob: Any
    miss: Any
    reward: Any  # the law of the independent reward: optimistic
    reward_low: Any  # pessimistic
    used: Any  # N at the last rebuild


class Known(NamedTuple):
    """What was declared, pair by pair."""

    length: Any  # how many outcomes are listed; 0: nothing is known
    state: Any
    atom: Any
    limit: Any  # at most so many outcomes can occur; 0: unknown
    fixed: Any  # the pair is known altogether: its one listed outcome is certain
    rewards: Any  # 1 if the laws of the independent rewards are known
    reward: Any  # those laws


@kernel
def radius_of(visits, log_term, scale):
    """A float at least ``scale * sqrt(log_term / 2 visits)``."""
    return math.sqrt(log_term / (2.0 * visits)) * scale * UPWARD


@kernel
def threshold_of(visits, log_term, scale):
    r"""A float at least :math:`\text{scale}^2 \lambda_N`, ``log_term`` being at least :math:`\log(n/\delta)`."""
    return (log_term + 0.5 * math.log(visits) + LOG_TWO) * scale * scale * UPWARD


@kernel
def kl_low(x, n, threshold):
    r"""A float at most :math:`q^-`, for any threshold: Newton's method for :math:`n\,\mathrm{kl}(x/n, q) =` threshold.

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
def size_of(visits, kind, log_term, scale):
    """What the set of every test of a pair is made of: the threshold of KL sets, the radius of Hoeffding's."""
    if kind == KL:
        return threshold_of(visits, log_term, scale)
    if kind == HOEFFDING:
        return radius_of(visits, log_term, scale)
    return 0.0


@kernel
def low_end(x, n, kind, size):
    """A lower end for a probability of which x of n draws were successes."""
    if kind == KL:
        return kl_low(x, n, size)
    return max(x / n - size, 0.0)


@kernel
def put(model, p, n, state, atom, prob):
    """Entry n of pair p; True if it changed."""
    changed = model.state[p, n] != state or model.atom[p, n] != atom or model.prob[p, n] != prob
    model.state[p, n], model.atom[p, n], model.prob[p, n] = state, atom, prob
    return changed


@kernel
def refresh_outcomes(p, s, counts, known, model, kind, log_term, scale, beyond, top_atom):
    r"""Rebuild where pair p leads.  The missing mass goes to state ``beyond`` with ``top_atom``, unless the outcomes
    that can occur are known: then it stays in ``miss`` alone, and planning gives it to the best of them.
    """
    visits = counts.visits[p]
    changed, n, total = False, 0, 0.0
    if known.fixed[p] or (visits == 0 and kind == NONE):
        state, atom = (known.state[p, 0], known.atom[p, 0]) if known.fixed[p] else (s, 0)
        changed = put(model, p, 0, state, atom, 1.0)
        n, total = 1, 1.0
    elif visits > 0:
        sure = kind == KL and known.limit[p] == 1
        size = size_of(visits, kind, log_term, scale)
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
        changed = put(model, p, n, beyond, top_atom, miss) or changed
        n += 1
    if model.length[p] != n or model.miss[p] != miss:
        changed = True
    model.length[p], model.miss[p] = n, miss
    return changed


@kernel
def refresh_reward(p, counts, known, model, kind, log_term, scale):
    """Rebuild the law of pair p's independent reward, from above and from below."""
    visits = counts.visits[p]
    last = model.reward.shape[1] - 1
    changed = False
    below, below_low = 0.0, 0.0
    seen = 0
    size = size_of(visits, kind, log_term, scale) if visits > 0 else 0.0
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
def is_due(counts, model, target, touched):
    """Whether the visits of some pair have grown by the factor ``1 + target.patience`` since it was last rebuilt."""
    for p in range(touched.shape[0]):
        if touched[p] and counts.visits[p] >= model.used[p] * (1.0 + target.patience):
            return True
    return False


@kernel
def refresh(shape, counts, known, model, target, touched, stale):
    """Rebuild the pairs that were played, if one of them is due; True if the model changed.

    Older sets stay valid, so waiting costs width and saves planning.  A plan costs the same however many pairs have
    changed, so all that were played are rebuilt together.
    """
    if not is_due(counts, model, target, touched):
        return False
    changed = False
    beyond = shape.first.shape[0] - 1
    top_atom = shape.units.shape[1] - 1 if shape.joint else 0
    for s in range(beyond):
        for p in range(shape.first[s], shape.first[s + 1]):
            stale[p] = False
            if touched[p]:
                stale[p] = refresh_outcomes(
                    p, s, counts, known, model, target.sets, target.log_term, target.scale, beyond, top_atom
                )
                if not shape.joint:
                    moved = refresh_reward(p, counts, known, model, target.sets, target.log_term, target.scale)
                    stale[p] = stale[p] or moved
                changed = changed or stale[p]
                model.used[p] = counts.visits[p]
                touched[p] = False
    return changed
