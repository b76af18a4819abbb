r"""close/tv, close/markov, lem:genbound: closeness of two models in one step, and its steps for longer horizons.

For T = 1 with one pair the claims are complete: by the key identity the objectives differ by the strips between the
CDFs, whose heights are at most TV (or add up to :math:`W_1`).  For longer horizons each summand of the recursion is
bounded by itself.  The printed lemma is refuted for T = 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Lemma, Problem, Query, Term
from ...evidence.solver.terms import both, cumulative, distance, is_law, larger, real, reals, total


def one_step(atoms: int, *, area: bool = False, planted: bool = False) -> Problem:
    """T = 1, one pair, rewards on common points of [0, 1]: |Phi' - Phi| is at most L TV, or L times the area.

    w are the widths between the points, d the distances of the CDFs, g the differences of G(F).
    """
    w, d, g = (reals(name, atoms - 1) for name in ("w", "d", "g"))
    p, q, apart = reals("p", atoms), reals("q", atoms), reals("a", atoms)
    constant, limits = real("L"), reals("m", atoms - 1)
    mine, other = cumulative(p), cumulative(q)
    variation = total(apart) / 2
    hypotheses = [*is_law(p), *is_law(q), *(x >= 0 for x in w), total(w) <= 1, constant >= 0]
    hypotheses += [a == distance(x, y) for a, x, y in zip(apart, p, q, strict=True)]
    hypotheses += [e == distance(x, y) for e, x, y in zip(d, mine, other, strict=False)]
    hypotheses += [m == constant * e for m, e in zip(limits, d, strict=True)]
    hypotheses += [both(x <= m, -x <= m) for x, m in zip(g, limits, strict=True)]  # G is L-Lipschitz
    difference = total(width * x for width, x in zip(w, g, strict=True))
    if area:
        bound = total(width * m for width, m in zip(w, limits, strict=True))
        uses: list[tuple[Lemma, tuple[Term, ...]]] = []
    else:
        most = real("most")
        hypotheses.append(most == constant * variation)
        uses = [(times, (constant, e, variation)) for e in d]
        uses += [(times, (width, m, most)) for width, m in zip(w, limits, strict=True)]
        uses += [(shares, (most, *w))]
        bound = most
    uses += [(strip, (width, x, m)) for width, x, m in zip(w, g, limits, strict=True)]
    if planted:
        return Problem(hypotheses, difference <= bound / 2)
    return Problem(hypotheses, both(difference <= bound, -difference <= bound), uses)


def strip(width: Term, gap: Term, limit: Term) -> tuple[Sequence[Term], Term]:
    """A bound of the height of a strip, times its width."""
    return [width >= 0, gap <= limit, -gap <= limit], both(width * gap <= width * limit, -width * gap <= width * limit)


def times(factor: Term, low: Term, high: Term) -> tuple[Sequence[Term], Term]:
    """An inequality times a nonnegative number."""
    return [factor >= 0, low <= high], factor * low <= factor * high


def shares(most: Term, *widths: Term) -> tuple[Sequence[Term], Term]:
    """Widths that add up to at most 1, times a nonnegative number."""
    return [most >= 0, total(widths) <= 1], total(w * most for w in widths) <= most


def moved(states: int, *, planted: bool = False) -> Problem:
    """Two rows and values within [low, low + spread]: the means differ by at most TV times the spread."""
    p, q, v, apart = (reals(name, states) for name in ("p", "q", "v", "a"))
    low, spread = real("low"), real("spread")
    hypotheses = [*is_law(p), *is_law(q), spread >= 0]
    hypotheses += [both(low <= x, x <= low + spread) for x in v]
    hypotheses += [a == distance(x, y) for a, x, y in zip(apart, p, q, strict=True)]
    difference = total(y * x - z * x for y, z, x in zip(q, p, v, strict=True))
    # centre the values: the rows have equal mass, and |v - low - spread/2| <= spread/2
    uses: list[tuple[Lemma, tuple[Term, ...]]] = [
        (centred, (a, y, z, x, low, spread)) for a, y, z, x in zip(apart, q, p, v, strict=True)
    ]
    uses += [(equal_mass, (low, *q, *p)), (equal_mass, (spread, *q, *p))]
    bound = total(a * spread for a in apart) / (4 if planted else 2)
    return Problem(hypotheses, difference <= bound, () if planted else uses)


def centred(a: Term, y: Term, z: Term, x: Term, low: Term, spread: Term) -> tuple[Sequence[Term], Term]:
    """(q - p)(v - low - spread/2) <= |q - p| spread/2."""
    left = y * x - z * x - (y * low - z * low) - (y * spread - z * spread) / 2
    return [a == distance(z, y), spread >= 0, low <= x, x <= low + spread], left <= a * spread / 2


def equal_mass(x: Term, *masses: Term) -> tuple[Sequence[Term], Term]:
    """Two rows of equal mass, times a number."""
    half = len(masses) // 2
    first, second = masses[:half], masses[half:]
    return [total(first) == total(second)], total(m * x for m in first) == total(m * x for m in second)


def summands(states: int, *, planted: bool = False) -> Problem:
    """|sum q g - sum p f| <= sum |q - p| + sum p |g - f| for f, g in [0, 1]: the step of the printed proof."""
    p, q, f, g, apart, gaps = (reals(name, states) for name in ("p", "q", "f", "g", "a", "d"))
    hypotheses = [*is_law(p), *is_law(q)]
    hypotheses += [both(x >= 0, x <= 1) for x in (*f, *g)]
    hypotheses += [a == distance(x, y) for a, x, y in zip(apart, p, q, strict=True)]
    hypotheses += [d == distance(x, y) for d, x, y in zip(gaps, f, g, strict=True)]
    difference = total(y * b - x * a for x, y, a, b in zip(p, q, f, g, strict=True))
    bound = (0 if planted else total(apart)) + total(x * d for x, d in zip(p, gaps, strict=True))
    uses = [(summand, (x, y, a, b, c, d)) for x, y, a, b, c, d in zip(p, q, f, g, apart, gaps, strict=True)]
    return Problem(hypotheses, both(difference <= bound, -difference <= bound), () if planted else uses)


def summand(p: Term, q: Term, f: Term, g: Term, apart: Term, gap: Term) -> tuple[Sequence[Term], Term]:
    """|q g - p f| <= |q - p| + p |g - f|."""
    hypotheses = [p >= 0, q >= 0, f >= 0, f <= 1, g >= 0, g <= 1, apart == distance(p, q), gap == distance(f, g)]
    return hypotheses, both(q * g - p * f <= apart + p * gap, p * f - q * g <= apart + p * gap)


def printed() -> Problem:
    """T = 2, one state, mean.  M: a pays x or z; M': a pays c, between them; b pays r.  Play a, then a after c, else b.

    KS is the larger mass, M meets a once: is the difference of the means at most 2 KS?
    """
    x, z, c, r, p = (real(name) for name in ("x", "z", "c", "r", "p"))
    hypotheses = [x >= 0, x < c, c < z, z <= 1, r >= 0, r <= 1, p > 0, p < 1]
    mean, twin = p * x + (1 - p) * z + r, 2 * c
    return Problem(hypotheses, distance(mean, twin) <= 2 * larger(p, 1 - p))


def case(numbers: Mapping[str, Fraction]) -> Any:
    """The two models, the policy and the mean."""
    from verified_risk.law import Law
    from verified_risk.objectives import Mean
    from verified_risk.policy import ReturnPolicy

    from .model_pairs import Pair, one_state

    x, z, c, r, p = (numbers[name] for name in ("x", "z", "c", "r", "p"))
    mdp, twin = one_state([Law({x: p, z: 1 - p}), r], 2), one_state([c, r], 2)
    rule: dict[Any, Any] = {(0, 0, 0): 0, (1, 0, c): 0, (1, 0, x): 1, (1, 0, z): 1}
    return Pair(twin, mdp, ReturnPolicy(mdp, rule), Mean())


QUERIES = (
    *(
        Query(
            label,
            "objectives differ by at most L TV(R, R')",
            "T = 1, one pair, rewards on 4 common points",
            partial(one_step, 4),
            "claim",
            partial(one_step, 2, planted=True),
            "half of TV",
        )
        for label in ("close/tv", "lem:genbound")
    ),
    Query(
        "close/markov",
        "objectives differ by at most L times the area between the CDFs",
        "T = 1, one pair, rewards on 12 common points",
        partial(one_step, 12, area=True),
        "claim",
        partial(one_step, 2, area=True, planted=True),
        "half the area",
    ),
    Query(
        "close/markov",
        "step of the recursion: other rows cost at most TV times the spread",
        "S0 = 6",
        partial(moved, 6),
        "step",
        partial(moved, 2, planted=True),
        "half of TV",
    ),
    Query(
        "lem:genbound",
        "step of the printed recursion, before its integration by parts",
        "S0 = 8",
        partial(summands, 8),
        "step",
        partial(summands, 2, planted=True),
        "the distance of the rows is dropped",
    ),
    Query(
        "lem:genbound",
        "objectives differ by at most T L times the expected l1 and KS distances",
        "T = 2, one state, mean, one y-policy",
        printed,
        "printed",
        case=case,
    ),
)
