r"""Bounds on shortfalls, row by row of a learner's confidence sets: for policies that are given, and for sets that are
balls (theory, page 10, kl-logs and kl-ball).

A table :math:`W_t(s, y)` holds expected costs of what was earned up to the end, y being what was earned before step t.
With sign 1 every row is bounded from above over the set of its pair, with sign -1 from below:

=========  ============================================================================================================
``kl``     :math:`\sum_j q_j^- f_j + \mu \max f`, the maximum over the outcomes that can occur
``ball``   :math:`\eta - e^{-\lambda/N} \prod_j (\eta - f_j)^{\tilde p_j}`, for some :math:`\eta \ge \max f`
=========  ============================================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ..kernels.learn_data import Actions, Floats, Ints
from ..numbers.enclosure import ball, enclose
from .guarantee import up
from .learner import Learner

Rule: TypeAlias = Callable[[int, int, int], Sequence[tuple[int, Any]]]
"""``rule(t, s, width)``: actions of state s at step t and their probabilities, numbers or arrays over ``y < width``."""
MOST_SUPPORTS = 60
"""Supports with so many outcomes more than were seen are left out of the mixture, which makes sets wider."""
HALVINGS = 18
"""Bisections for eta, on a logarithmic scale from 1e-9 to 1e3 times the span; any eta is valid."""
TARGETS = 128
"""Targets rho whose tables are computed together."""
ROUNDED = 2.0**-49
"""Sixteen roundings of floats."""


@dataclass(frozen=True)
class Row:
    """The set of one pair: outcomes ``(state, atom)`` seen, their weights, the mass beyond; ``rate`` is None or
    :math:`\\lambda/N` of a ball.  ``listed`` are the outcomes that can occur, None if all can.
    """

    state: Ints
    atom: Ints
    weight: Floats
    miss: float
    rate: float | None
    listed: tuple[Ints, Ints] | None


class Rows:
    """The confidence sets of a learner, whose counts are complete, as rows."""

    def __init__(self, learner: Learner, *, delta: Fraction | None = None, untried: int = 0) -> None:
        """``delta`` makes balls of the sets; ``untried`` is the number of pairs that are not in the learner's model."""
        self.learner, self.standard = learner, learner.standard
        counts, known, model = learner.counts, learner.known, learner.model
        learned = (~known.fixed & (known.limit != 1)).sum()
        tests = max(int(learned) + untried, 1)
        atoms = len(self.standard.atoms)
        start = len(counts.visits) - 1 if self.standard.free_steps else -1  # pays nothing
        self.rows = []
        for p in range(len(counts.visits)):
            n, k = int(counts.visits[p]), int(known.length[p])
            listed = (known.state[p, :k], known.atom[p, :k]) if k else None
            if delta is not None and n and not known.fixed[p] and model.miss[p] > 0:
                seen = int(counts.length[p])
                x = counts.count[p, :seen]
                every = learner.shape.followers * (1 if p == start else atoms)
                possible = len(learner.knowledge.lists[p]) or every  # before data: the list may have grown from them
                size = tuple(sorted(x.tolist()))
                rate = ball_rate(size, n, possible, int(known.limit[p]) or possible, tests / delta)
                row = Row(counts.state[p, :seen], counts.atom[p, :seen], x / n, 0.0, rate, listed)
            else:
                kept = np.flatnonzero(model.state[p, : model.length[p]] < self.standard.n_states)
                weights = model.prob[p, kept]
                row = Row(model.state[p, kept], model.atom[p, kept], weights, float(model.miss[p]), None, listed)
            self.rows.append(row)

    def costs(self, terminal: Floats, sign: int, rule: Rule | None) -> tuple[Floats, list[list[Ints]]]:
        """Return bounds on the expected ``terminal[y]`` at the end, for every state and return at the start, of a rule
        or of the best actions (None); and those actions, step by step and state by state.
        """
        standard, first = self.standard, self.learner.shape.first
        after = np.broadcast_to(terminal, (standard.n_states, *terminal.shape))
        chosen: list[list[Ints]] = []
        for t in range(standard.horizon - 1, -1, -1):
            units = np.array(standard.units[t])
            width = after.shape[-1] - int(units[-1])
            signed = sign * after
            most = signed[: self.learner.shape.followers].max(axis=0)
            beyond = np.max([most[..., u : u + width] for u in units], axis=0)
            now, actions = np.empty((standard.n_states, *terminal.shape[:-1], width)), []
            for s in range(standard.n_states):
                if rule is None:
                    pairs = range(first[s], first[s + 1])
                    found = np.array([sign * _bound(self.rows[p], signed, units, width, beyond) for p in pairs])
                    actions.append(np.argmin(found, axis=0))
                    now[s] = found.min(axis=0)
                else:
                    now[s] = sum(
                        weight * (sign * _bound(self.rows[first[s] + a], signed, units, width, beyond))
                        for a, weight in rule(t, s, width)
                    )
            after = now
            chosen.append(actions)
        return after, chosen[::-1]

    def at_start(self, table: Floats) -> Floats:
        """Return the average of a table over the initial law."""
        return np.asarray(sum(float(p) * table[s] for s, p in self.standard.initial))

    def by_target(self, kind: Callable[[Floats], Floats], sign: int, rule: Rule | None, by_return: bool) -> Floats:
        """Return bounds on ``E kind(rho - Z)`` for ``rho = 0 .. top``, in one pass unless the rule looks at the return:
        what is missing to rho is what is missing to ``top`` after ``top - rho`` at the start.
        """
        top = self.standard.top[0]
        if not by_return:
            return self.at_start(self.costs(kind(top - np.arange(2.0 * top + 1)), sign, rule)[0])[::-1]
        parts = np.array_split(np.arange(top + 1.0), 1 + top // TARGETS)
        passes = (self.costs(kind(rho[:, None] - np.arange(top + 1.0)), sign, rule)[0] for rho in parts)
        return np.concatenate([self.at_start(table)[:, 0] for table in passes])

    def plan(self, left: float, right: float, sign: int) -> tuple[float, Actions]:
        """Return the best ``max_rho rho - E c(rho - Z)``, ``c(b) = left b`` below 0 and ``right b`` above, over all
        policies, bounded from below (sign 1) or above (-1), and the policy of the maximiser.
        """
        standard = self.standard
        top, last = standard.top[0], standard.used[standard.horizon - 1]
        budget = top - np.arange(2.0 * top + 1)
        table, chosen = self.costs(np.where(budget > 0, right * budget, left * budget), sign, None)
        rhos = np.arange(min(top, self.learner.knowledge.largest) + 1)
        scores = rhos - self.at_start(table)[::-1][: len(rhos)]
        rho = int(np.argmax(scores))
        policy = np.zeros((standard.horizon, standard.n_states, last + 1), np.int16)
        for t, actions in enumerate(chosen):
            reach = standard.used[t] + 1
            for s, action in enumerate(actions):
                policy[t, s, :reach] = action[top - rho : top - rho + reach]
        return float(scores[rho]), policy


def _bound(row: Row, values: Floats, units: Ints, width: int, beyond: Floats) -> Floats:
    """Return an upper bound on the mean of ``values`` one step later, over the set of a row, at every ``y < width``."""
    f = np.array([values[s, ..., u : u + width] for s, u in zip(row.state, units[row.atom], strict=True)])
    if row.listed is not None:
        listed = zip(row.listed[0], units[row.listed[1]], strict=True)
        beyond = np.max([values[s, ..., u : u + width] for s, u in listed], axis=0)
    if row.rate is not None:
        return ball_above(f, np.maximum(beyond, f.max(axis=0)), row.weight, row.rate)
    seen = np.tensordot(row.weight, f, 1) if len(f) else np.zeros_like(beyond)
    return seen + row.miss * beyond if row.miss else seen


def ball_above(f: Floats, most: Floats, p: Floats, rate: float) -> Floats:
    r"""Return upper bounds on :math:`\sum_i P_i f_i` over :math:`\mathrm{KL}(p, P) \le` ``rate``, column by column;
    ``most`` is at least f at every outcome that can occur, seen or not.

    Every :math:`z \ge 0` gives one, with :math:`\eta = \text{most} + z`; the derivative in z is
    :math:`1 - e^{-\text{rate}} \prod (z + g_i)^{p_i} \sum p_i / (z + g_i)`, ``g = most - f``, increasing.  Rounding:
    the exponent of k outcomes is wrong by at most ``(k + 4) u`` times the largest logarithm plus ``4u``.
    """
    g = most - f
    span = g.max(axis=0)
    scale = np.log(np.maximum(span, 1e-280))
    low, high = scale - 21.0, scale + 7.0
    weights = p.reshape(-1, *[1] * (f.ndim - 1))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        d = np.exp(middle) + g
        more = (weights * np.log(d)).sum(axis=0) + np.log((weights / d).sum(axis=0)) > rate
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    best = most
    for z in (np.exp(high), np.zeros_like(most)):
        with np.errstate(divide="ignore"):
            logs = np.log(z + g)
        size = np.where(np.isfinite(logs), np.abs(logs), 0.0).max(axis=0)
        product = np.exp((weights * logs).sum(axis=0) - rate)
        product *= 1.0 - ROUNDED * ((len(p) + 4) * size + rate + 4.0)
        eta = most + z
        best = np.minimum(best, eta - product + ROUNDED * (np.abs(eta) + product + 1e-280))
    return best


@lru_cache(maxsize=100_000)
def ball_rate(counts: tuple[int, ...], visits: int, possible: int, limit: int, odds: Fraction) -> float:
    r"""Return a float at least :math:`\lambda/N`, for ``counts`` x of N ``visits``:
    :math:`\lambda = \log \text{odds} + \log(\prod \tilde p_i^{x_i}/q(x))`, q the mixture over supports of at most
    ``limit`` of the ``possible`` outcomes.

    Computed in ball arithmetic; terms of the mixture that are left out make it larger.
    """
    exact = enclose(lambda arb: (ball(odds, arb).log() + redundancy(counts, visits, possible, limit, arb)) / visits)
    return up(exact)


def redundancy(counts: Sequence[int], visits: int, possible: int, limit: int, arb: Any) -> Any:
    r"""Return :math:`\log(\prod \tilde p_i^{x_i}/q(x))` as a ball (theory, page 10, kl-ball)."""
    seen, most = len(counts), min(possible, limit)
    half = arb(1) / 2
    likelihood, product = arb(0), arb(0)
    for x in counts:
        likelihood += x * (arb(x) / visits).log()
        product += (x + half).lgamma() - half.lgamma()
    total = arb(0)
    for m in range(seen, min(most, seen + MOST_SUPPORTS) + 1):
        weight = Fraction(most + 1, most * m * (m + 1))
        share = Fraction(math.comb(possible - seen, m - seen), math.comb(possible, m))
        total += ball(weight * share, arb) * ((m * half).lgamma() - (visits + m * half).lgamma() + product).exp()
    return likelihood - total.log()
