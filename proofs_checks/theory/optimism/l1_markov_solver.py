r"""L1/markov: the optimistic model raises every Markov policy, for every nondecreasing G.

For T = 1 the claim is complete: a mixture of reward laws, each shifted down by its radius on the event.  For longer
horizons the two steps of the induction on the horizon are proved, each summand by itself: dominated rewards, and mass
moved to :math:`s_\infty`, where the CDF of the rest is least.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

from ...evidence.solver.query import Lemma, Problem, Query, Term
from ...evidence.solver.terms import cumulative, distance, is_law, positive_part, real, reals, total, when, within


def one_step(pairs: int, atoms: int, *, planted: bool = False) -> Problem:
    """T = 1: the policy draws one of ``pairs`` reward laws, all on the points x_1 < ... < x_n = 1, with chances mu.

    At the i-th point pair j has the true CDF F, the empirical CDF E within eps, and the optimistic one O.  By the
    key identity the gain is the sum of width times (G(F) - G(O)); G enters through its levels g = G(F), h = G(O).
    """
    mu = reals("mu", pairs)
    hypotheses = [*is_law(mu)]
    uses: list[tuple[Lemma, tuple[Term, ...]]] = []
    gains = []
    for i in range(atoms - 1):
        mine, better = [], []
        for j in range(pairs):
            true, seen, eps, shifted = (real(f"{name}{j}.{i}") for name in ("F", "E", "eps", "O"))
            hypotheses += [within(true, 0, 1), eps >= 0, distance(seen, true) <= (2 * eps if planted else eps)]
            hypotheses += [shifted == positive_part(seen - eps)]
            uses.append((scaled, (mu[j], shifted, true)))
            mine.append(mu[j] * true)
            better.append(mu[j] * shifted)
        width, mixed, raised, g, h = (real(f"{name}{i}") for name in ("w", "M", "N", "g", "h"))
        hypotheses += [width > 0, mixed == total(mine), raised == total(better)]
        hypotheses += [when(raised <= mixed, h <= g), when(mixed <= raised, g <= h)]  # G is nondecreasing
        gains.append(width * g - width * h)
        uses.append((scaled, (width, h, g)))
    return Problem(hypotheses, total(gains) >= 0, () if planted else uses)


def scaled(factor: Term, low: Term, high: Term) -> tuple[Sequence[Term], Term]:
    """An inequality times a nonnegative number."""
    return [factor >= 0, low <= high], factor * low <= factor * high


def dominated(atoms: int, *, planted: bool = False) -> Problem:
    """The summed-up form of: a law with the smaller CDF gives a nonincreasing function a smaller mean."""
    gaps, f = reals("c", atoms - 1), reals("f", atoms)
    hypotheses = [*(a >= b for a, b in itertools.pairwise(f)), *(gap >= (-1 if planted else 0) for gap in gaps)]
    uses = [(scaled, (gap, low, high)) for gap, high, low in zip(gaps, f, f[1:], strict=False)]
    parts = total(gap * high - gap * low for gap, high, low in zip(gaps, f, f[1:], strict=False))
    return Problem(hypotheses, parts >= 0, () if planted else uses)


def by_parts(atoms: int, *, planted: bool = False) -> Problem:
    """sum (p - q) f = sum of (P - Q)(f_i - f_{i+1}) for two laws: an identity."""
    p, q, f = reals("p", atoms), reals("q", atoms), reals("f", atoms)
    mine, better = cumulative(p), cumulative(q)
    left = total((a - b) * v for a, b, v in zip(p, q, f, strict=True))
    last = -2 if planted else -1
    right = total((a - b) * (v - u) for a, b, v, u in zip(mine[:last], better, f, f[1:], strict=False))
    return Problem([total(p) == total(q), *([f[0] > f[1]] if planted else [])], left == right)


def moved_mass(states: int, *, planted: bool = False) -> Problem:
    """Mass moved to the best state lowers the CDF: P^ f^ + (1 - sum P^) f_inf <= P f, with P^ <= P, f^, f_inf <= f."""
    p, less, f, better = (reals(name, states) for name in ("p", "q", "f", "h"))
    end = real("end")
    hypotheses = [*is_law(p), end >= 0]
    for i in range(states):
        hypotheses += [less[i] >= 0, less[i] <= p[i], better[i] >= 0, better[i] <= f[i], f[i] <= 1]
        if not planted:
            hypotheses.append(end <= f[i])
    left = total(q * h for q, h in zip(less, better, strict=True)) + total(
        p[i] * end - less[i] * end for i in range(states)
    )
    uses = [(summand, (p[i], less[i], f[i], better[i], end)) for i in range(states)]
    return Problem(hypotheses, left <= total(a * b for a, b in zip(p, f, strict=True)), () if planted else uses)


def summand(p: Term, less: Term, f: Term, better: Term, end: Term) -> tuple[Sequence[Term], Term]:
    """One state's share."""
    hypotheses = [less >= 0, less <= p, better >= 0, better <= f, end >= 0, end <= f]
    return hypotheses, less * better + (p * end - less * end) <= p * f


QUERIES = (
    Query(
        "L1/markov",
        "on the event the optimistic objective is larger, every nondecreasing G",
        "T = 1, 4 pairs, 6 reward atoms",
        partial(one_step, 4, 6),
        "claim",
        partial(one_step, 1, 2, planted=True),
        "the event with twice the radius",
    ),
    Query(
        "L1/markov",
        "induction step: better rewards",
        "8 reward atoms",
        partial(dominated, 8),
        "step",
        partial(dominated, 2, planted=True),
        "rewards need not dominate",
    ),
    Query(
        "L1/markov",
        "induction step: summation by parts",
        "8 reward atoms",
        partial(by_parts, 8),
        "step",
        partial(by_parts, 3, planted=True),
        "the last strip is lost",
    ),
    Query(
        "L1/markov",
        "induction step: mass moved to s_inf",
        "S0 = 12",
        partial(moved_mass, 12),
        "step",
        partial(moved_mass, 2, planted=True),
        "s_inf need not be best",
    ),
)
