r"""L3, intro:bound, thm:main/harmonic, factor and coefficient, corrected/episode, corrected/i: the bound's arithmetic.

Roots are numbers whose squares are given.  The step under all of it is :math:`1/\sqrt n \le 2(\sqrt n - \sqrt{n-1})`:
with :math:`s^2 = u^2 + 1`, :math:`2s(s-u) - 1 = (s-u)^2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

from ...evidence.solver.query import Identity, Lemma, Problem, Query, Term, sympy
from ...evidence.solver.terms import both, number, real, reals, smaller, total


def square() -> Identity:
    """2s(s - u) - (s^2 - u^2) = (s - u)^2."""
    return _square(1)


def not_square() -> Identity:
    """The same with s^2 + u^2."""
    return _square(-1)


def _square(sign: int) -> Identity:
    from sympy.polys.rings import ring

    _, s, u = ring("s,u", sympy().QQ)
    return Identity([2 * s * (s - u) - (s**2 - sign * u**2) - (s - u) ** 2])


def telescopes(v: Term, s: Term, u: Term, c: Term, cs: Term, cu: Term) -> tuple[Sequence[Term], Term]:
    """c / s <= 2 (c s - c u) where v = c / s, s^2 = u^2 + 1."""
    return [s > 0, u >= 0, s * s == u * u + 1, c >= 0, v * s == c, cs == c * s, cu == c * u], v <= 2 * cs - 2 * cu


class Roots:
    """The roots of 0, 1, ..., n, a number c, and all c / sqrt(j) and c sqrt(j)."""

    def __init__(self, most: int) -> None:
        self.c = real("c")
        self.root = [real(f"s{j}") for j in range(most + 1)]
        self.over = [number(0), *(real(f"v{j}") for j in range(1, most + 1))]
        self.times = [real(f"t{j}") for j in range(most + 1)]
        self.facts = [self.c >= 0, self.root[0] == 0, self.times[0] == 0]
        self.uses: list[tuple[Lemma, tuple[Term, ...]]] = []
        for j in range(1, most + 1):
            s, u = self.root[j], self.root[j - 1]
            self.facts += [s > 0, s * s == u * u + 1, self.over[j] * s == self.c, self.times[j] == self.c * s]
            self.facts += [self.times[j - 1] == self.c * u, self.over[j] >= 0]
            self.uses.append((telescopes, (self.over[j], s, u, self.c, self.times[j], self.times[j - 1])))


def harmonic(most: int, *, planted: bool = False) -> Problem:
    """sum of c / sqrt(j) for j <= n is at most 2 c sqrt(n), for every n up to ``most``."""
    r = Roots(most)
    factor = 1 if planted else 2
    conclusions = [total(r.over[1 : n + 1]) <= factor * r.times[n] for n in range(1, most + 1)]
    return Problem([*r.facts, *([r.c > 0] if planted else [])], both(*conclusions), () if planted else r.uses)


def two_pairs(most: int, *, planted: bool = False) -> Problem:
    """Over two pairs, with every number of visits up to ``most``: the sums add up to at most 2 c sqrt(2 (N + N'))."""
    r = Roots(most)
    conclusions, facts, uses = [], list(r.facts), list(r.uses)
    facts += [s * s == j for j, s in enumerate(r.root)]
    for n, m in product(range(1, most + 1), repeat=2):
        if n > m:
            continue
        root, scaled = real(f"r{n}.{m}"), real(f"cr{n}.{m}")
        facts += [root >= 0, root * root == 2 * (r.root[n] * r.root[n] + r.root[m] * r.root[m]), scaled == r.c * root]
        uses += [(cauchy_schwarz, (root, r.root[n], r.root[m])), (scaled_sum, (r.c, root, r.root[n], r.root[m]))]
        spent = total([*r.over[1 : n + 1], *r.over[1 : m + 1]])
        conclusions.append(spent <= (1 if planted else 2) * scaled)
    return Problem([*facts, *([r.c > 0] if planted else [])], both(*conclusions), () if planted else uses)


def visits(horizon: int, episodes: int, *, planted: bool = False) -> Problem:
    """All courses of one pair: sum of min(T, c / sqrt(N^(k))) <= T min(T, N) + 2 c sqrt(N)."""
    r = Roots(horizon * episodes)
    conclusions = []
    for course in product(range(horizon + 1), repeat=episodes):
        before, spent = 0, []
        for count in course:
            price = number(horizon) if before == 0 else smaller(number(horizon), r.over[before])
            spent.append(count * price)
            before += count
        first = 0 if planted else horizon * min(horizon, before)
        conclusions.append(total(spent) <= first + 2 * r.times[before])
    if planted:
        return Problem(r.facts, both(*conclusions))
    later = range(2, horizon * episodes + 1)
    grows = [r.root[j - 1] <= r.root[j] for j in later]
    falls = [(falling, (r.c, r.over[j - 1], r.over[j], r.root[j - 1], r.root[j])) for j in later]
    return Problem([*r.facts, *grows], both(*conclusions), [*r.uses, *falls])


def falling(c: Term, v: Term, w: Term, s: Term, u: Term) -> tuple[Sequence[Term], Term]:
    """c / s >= c / u for 0 < s <= u."""
    return [c >= 0, s > 0, s <= u, v * s == c, w * u == c, w >= 0], v >= w


def coefficient(*, planted: bool = False) -> Problem:
    """sqrt|S| (sqrt(2|S|) + sqrt(1/2)) <= sqrt(5) |S| for every real |S| >= 1; q = sqrt|S|, h = sqrt(1/2)."""
    q, two, half, five = real("q"), real("two"), real("h"), real("five")
    hypotheses = [q >= 1, two > 0, two * two == 2, half > 0, half * half == number("1/2")]
    hypotheses += [five > 0, five * five == (4 if planted else 5)]
    return Problem(hypotheses, q * (two * q + half) <= five * q * q)


def announced(*, planted: bool = False) -> Problem:
    """T^{3/2} x sqrt|A| <= T^2 x |A| for T, |A| >= 1 and x = |S|^{3/2} sqrt K; t and a are the roots of T and |A|."""
    t, a, x = real("t"), real("a"), real("x")
    hypotheses = [t >= (0 if planted else 1), a >= 1, x >= 1]
    return Problem(hypotheses, t * t * t * a * x <= t * t * t * t * a * a * x)


def episode(horizon: int, *, planted: bool = False) -> Problem:
    """Y_t <= min(T - t + 1, ((T-1) S0 + 2) eps) and sum Y_t <= T(T+1)/2; z is S0 eps, for any real S0 >= 0."""
    costs, conclusions, hypotheses = [], [], []
    for t in range(horizon):
        eps, z = real(f"e{t}"), real(f"z{t}")
        hypotheses += [eps >= 0, z >= 0]
        y = (horizon - 1 - t) * smaller(number(1), z) + smaller(number(1), 2 * eps)
        conclusions += [y <= horizon - t, y <= (horizon - 1) * z + (1 if planted else 2) * eps]
        costs.append(y)
    return Problem(hypotheses, both(*conclusions, 2 * total(costs) <= horizon * (horizon + 1)))


def pairs(count: int, *, planted: bool = False) -> Problem:
    """sum over pairs of [T min(T, N) + 2 c sqrt N] <= T^2 n + 2 c sqrt(n sum N), for all real T, c, N >= 0."""
    s, m, horizon, c, root = reals("s", count), reals("m", count), real("T"), real("c"), real("r")
    cap = real("q")
    hypotheses = [horizon >= 0, c >= 0, *(x >= 0 for x in s), root >= 0, cap == horizon * horizon]
    hypotheses += [root * root == (1 if planted else count) * total(x * x for x in s)]
    hypotheses += [both(x <= horizon, x >= 0) for x in m]  # m = min(T, N), at most T
    spent = total(horizon * x for x in m) + 2 * total(c * x for x in s)
    if planted:
        return Problem(hypotheses, total(s) <= root)
    uses: list[tuple[Lemma, tuple[Term, ...]]] = [(capped, (horizon, x)) for x in m]
    uses += [(cauchy_schwarz, (root, *s)), (scaled_sum, (c, root, *s))]
    return Problem(hypotheses, spent <= count * (horizon * horizon) + 2 * (c * root), uses)


def capped(horizon: Term, x: Term) -> tuple[Sequence[Term], Term]:
    """T m <= T^2 for 0 <= m <= T."""
    return [x >= 0, x <= horizon], horizon * x <= horizon * horizon


def cauchy_schwarz(root: Term, *s: Term) -> tuple[Sequence[Term], Term]:
    """sum s <= sqrt(n sum s^2)."""
    return [root >= 0, *(x >= 0 for x in s), root * root == len(s) * total(x * x for x in s)], total(s) <= root


def scaled_sum(c: Term, root: Term, *s: Term) -> tuple[Sequence[Term], Term]:
    """That, times c."""
    return [c >= 0, total(s) <= root], total(c * x for x in s) <= c * root


QUERIES = (
    Query(
        "intro:bound",
        "the rate of the theorem is at most the announced one",
        "all real T, |A|, |S|, K >= 1",
        announced,
        "claim",
        partial(announced, planted=True),
        "T may be less than 1",
    ),
    Query(
        "thm:main/harmonic",
        "2s(s - u) - 1 is a square where s^2 = u^2 + 1",
        "all real s, u",
        square,
        "step",
        not_square,
        "s^2 + u^2",
    ),
    Query(
        "thm:main/harmonic",
        "sum of 1/sqrt(j) <= 2 sqrt(n)",
        "n <= 20",
        partial(harmonic, 20),
        "claim",
        partial(harmonic, 2, planted=True),
        "sqrt(n)",
    ),
    Query(
        "thm:main/factor",
        "summed over two pairs, at most 2 sqrt(2 (N + N'))",
        "2 pairs, up to 8 visits each",
        partial(two_pairs, 8),
        "claim",
        partial(two_pairs, 2, planted=True),
        "without the factor 2",
    ),
    Query(
        "thm:main/coefficient",
        "the two radii add up to at most sqrt(5) |S|",
        "all real |S| >= 1",
        coefficient,
        "claim",
        partial(coefficient, planted=True),
        "sqrt(4)",
    ),
    Query(
        "L3",
        "what the visits of one pair cost, every real c",
        "T = 3, 4 episodes, all 256 courses",
        partial(visits, 3, 4),
        "claim",
        partial(visits, 1, 2, planted=True),
        "the first visits are dropped",
    ),
    Query(
        "corrected/episode",
        "what one episode can cost, every radius, every real S0",
        "T = 8",
        partial(episode, 8),
        "claim",
        partial(episode, 2, planted=True),
        "eps in place of 2 eps",
    ),
    Query(
        "corrected/i/sum",
        "the costs of all pairs add up to at most beta, all real T, c, N",
        "3 pairs",
        partial(pairs, 3),
        "claim",
        partial(pairs, 2, planted=True),
        "Cauchy-Schwarz without the number of pairs",
    ),
)
