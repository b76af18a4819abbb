r"""The CVaR appendix (cvar:ru, cvar:min, cvar:value, cvar:rho, cvar:concave).

CVaR as a maximum: :math:`\alpha\,\mathrm{CVaR}_\alpha = \max_\rho\{\alpha\rho - E(\rho - Z)^+\}`, attained at an atom.

With :math:`H(u) = \min(u, \alpha)` and cumulative masses :math:`c_i`, the increments
:math:`h_i = H(c_i) - H(c_{i-1})` lie between 0 and :math:`p_i` and add up to alpha; so
:math:`h_i(\rho - x_i) \le p_i(\rho - x_i)^+`, and the sum over i is the inequality.  At the atom where the cumulative
mass first reaches alpha every summand is an equation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...evidence.solver.query import Lemma, Problem, Query, Term, z3
from ...evidence.solver.terms import (
    both,
    cumulative,
    increasing,
    is_law,
    larger,
    number,
    positive_part,
    real,
    reals,
    smaller,
    total,
    when,
    within,
)


def summand(h: Term, p: Term, x: Term, rho: Term, part: Term) -> tuple[Sequence[Term], Term]:
    """h (rho - x) <= p (rho - x)^+ for 0 <= h <= p."""
    return [h >= 0, h <= p, part == positive_part(rho - x)], h * rho - h * x <= p * part


def upper(atoms: int, *, planted: bool = False) -> Problem:
    """alpha rho - E(rho - Z)^+ is at most alpha CVaR, for every rho.  Planted: half the shortfall."""
    x, p, h, part = (reals(name, atoms) for name in ("x", "p", "h", "s"))
    alpha, rho = real("alpha"), real("rho")
    ranks = [smaller(c, alpha) for c in cumulative(p)]
    before = [number(0), *ranks]
    hypotheses = [*increasing(x), *is_law(p), alpha > 0, alpha <= 1]
    hypotheses += [hi == b - a for hi, a, b in zip(h, before, ranks, strict=False)]
    hypotheses += [s == positive_part(rho - xi) for s, xi in zip(part, x, strict=True)]
    shortfall = total(pi * s for pi, s in zip(p, part, strict=True))
    weighted = total(hi * xi for hi, xi in zip(h, x, strict=True))
    left = total(hi * rho for hi in h) - (shortfall / 2 if planted else shortfall)
    uses = [(summand, (hi, pi, xi, rho, s)) for hi, pi, xi, s in zip(h, p, x, part, strict=True)]
    return Problem(hypotheses, both(total(h) == alpha, left <= weighted), () if planted else uses)


def attained(h: Term, p: Term, x: Term, q: Term, part: Term) -> tuple[Sequence[Term], Term]:
    """h (q - x) = p (q - x)^+ where h = p below q and h = 0 above q."""
    return [part == positive_part(q - x), when(x < q, h == p), when(x > q, h == 0)], h * q - h * x == p * part


def equality(atoms: int, *, planted: bool = False) -> Problem:
    """At the quantile q, the first atom whose cumulative mass reaches alpha, the inequality is an equation."""
    x, p, h, part = (reals(name, atoms) for name in ("x", "p", "h", "s"))
    alpha, q, levels = real("alpha"), real("q"), reals("c", atoms)
    ranks = [smaller(c, alpha) for c in levels]
    before = [number(0), *levels]
    hypotheses = [*increasing(x), *is_law(p), alpha > 0, alpha <= 1]
    hypotheses += [c == b + pi for c, b, pi in zip(levels, before, p, strict=False)]
    hypotheses += [hi == b - a for hi, a, b in zip(h, [number(0), *ranks], ranks, strict=False)]
    hypotheses += [s == positive_part(q - xi) for s, xi in zip(part, x, strict=True)]
    first = [
        both(q == xi, b < alpha, True if planted else alpha <= c) for xi, b, c in zip(x, before, levels, strict=False)
    ]
    hypotheses.append(z3().Or(*first))
    shortfall = total(pi * s for pi, s in zip(p, part, strict=True))
    left = total(hi * q for hi in h) - shortfall
    uses = [(attained, (hi, pi, xi, q, s)) for hi, pi, xi, s in zip(h, p, x, part, strict=True)]
    equal = left == total(hi * xi for hi, xi in zip(h, x, strict=True))
    return Problem(hypotheses, both(total(h) == alpha, equal), () if planted else uses)


def whole(atoms: int, *, planted: bool = False) -> Problem:
    """Both halves at once from the definitions, without help.  Planted: one atom beyond the quantile attains too."""
    x, p, alpha, rho = reals("x", atoms), reals("p", atoms), real("alpha"), real("rho")
    levels = cumulative(p)
    ranks = [smaller(c, alpha) for c in levels]
    cvar = total(xi * (b - a) for xi, a, b in zip(x, [number(0), *ranks], ranks, strict=False))

    def objective(level: Term) -> Term:
        return alpha * level - total(pi * positive_part(level - xi) for xi, pi in zip(x, p, strict=True))

    quantile = x[-1]
    for i in reversed(range(atoms - 1)):
        quantile = z3().If(levels[i] >= alpha, x[i + 1 if planted else i], quantile)
    hypotheses = [*increasing(x), *is_law(p), alpha > 0, alpha <= 1]
    return Problem(hypotheses, both(objective(rho) <= cvar, objective(quantile) == cvar))


def largest_shortfall() -> Problem:
    """T = 1, two sure rewards: is max_rho {rho - max_a (rho - r_a)^+ / alpha}, which is the lesser reward, CVaR*?"""
    x, z, alpha = real("x"), real("z"), real("alpha")
    return Problem([x >= 0, x <= z, z <= 1, alpha > 0, alpha <= 1], smaller(x, z) == larger(x, z))


def model_case(numbers: Mapping[str, Fraction]) -> Any:
    """One state, one step, two sure rewards."""
    from verified_risk.mdp import MDP

    from .cvar_appendix import ModelCase

    return ModelCase(MDP(0, [[[1], [1]]], [[numbers["x"], numbers["z"]]], 1), numbers.get("alpha", Fraction(1)))


def early_value() -> Problem:
    """T = 1, one sure reward: is the shortfall below rho what the recursion gives that stops before the step?"""
    r, rho = real("r"), real("rho")
    return Problem([within(r, 0, 1), within(rho, 0, 1)], positive_part(rho - r) == positive_part(rho))


def budget_case(numbers: Mapping[str, Fraction]) -> Any:
    """The model and the budget."""
    from verified_risk.mdp import MDP

    from .cvar_appendix import BudgetCase

    return BudgetCase(MDP(0, [[[1]]], [[numbers["r"]]], 1), numbers["rho"])


def recursion(actions: int, atoms: int, *, greedy: bool = False, planted: bool = False) -> Problem:
    """T = 2, one state: no history-dependent randomised policy has a smaller E(rho - Z)^+ than the recursion.

    u is the first lottery, v the second after each history, e the expected shortfall of action b from the budget
    left; these depend on the history only through the budget.  ``greedy``: lotteries on minimisers attain it.
    """
    u = reals("u", actions)
    hypotheses = [*is_law(u)]
    uses: list[tuple[Lemma, tuple[Term, ...]]] = []
    firsts, bests = [], []
    for a in range(actions):
        p = reals(f"p{a}.", atoms)
        hypotheses += is_law(p)
        played, least = [], []
        for j in range(atoms):
            v, e = reals(f"v{a}.{j}.", actions), reals(f"e{a}.{j}.", actions)
            value, best = real(f"x{a}.{j}"), real(f"m{a}.{j}")
            hypotheses += [*is_law(v), *(x >= 0 for x in e)]
            hypotheses += [value == total(w * x for w, x in zip(v, e, strict=True)), *_minimum(best, e)]
            if greedy:
                hypotheses += [when(w > 0, x == best) for w, x in zip(v, e, strict=True)]
            uses += [(above if not greedy else equal_where_played, (w, best, x)) for w, x in zip(v, e, strict=True)]
            uses += [(total_share, (best, *v))]
            uses += [(same if greedy else above, (p[j], best, value))]
            played.append(p[j] * value)
            least.append(p[j] * best)
        first, best = real(f"f{a}"), real(f"b{a}")
        hypotheses += [first == total(played), best == total(least)]
        firsts.append(first)
        bests.append(best)
    answer = real("W")
    hypotheses += _minimum(answer, bests)
    if greedy:
        hypotheses += [when(w > 0, best == answer) for w, best in zip(u, bests, strict=True)]
    attained = real("V")
    hypotheses.append(attained == total(w * x for w, x in zip(u, firsts, strict=True)))
    uses += [(same if greedy else above, (w, b, f)) for w, b, f in zip(u, bests, firsts, strict=True)]
    uses += [(equal_where_played if greedy else above, (w, answer, b)) for w, b in zip(u, bests, strict=True)]
    uses.append((total_share, (answer, *u)))
    if planted:
        return Problem(hypotheses, attained > answer)
    return Problem(hypotheses, attained == answer if greedy else attained >= answer, uses)


def _minimum(least: Term, values: Sequence[Term]) -> list[Term]:
    return [*(least <= x for x in values), z3().Or(*(least == x for x in values))]


def above(weight: Term, low: Term, high: Term) -> tuple[Sequence[Term], Term]:
    """An inequality times a nonnegative number."""
    return [weight >= 0, low <= high], weight * low <= weight * high


def same(weight: Term, x: Term, y: Term) -> tuple[Sequence[Term], Term]:
    """An equation times a number."""
    return [x == y], weight * x == weight * y


def equal_where_played(weight: Term, best: Term, x: Term) -> tuple[Sequence[Term], Term]:
    """An equation that holds where the weight is positive, times the weight."""
    return [weight >= 0, when(weight > 0, x == best)], weight * best == weight * x


def total_share(x: Term, *weights: Term) -> tuple[Sequence[Term], Term]:
    """A number times weights that add up to 1."""
    return [total(weights) == 1], total(w * x for w in weights) == x


def concave() -> Problem:
    """T = 1, a pays x, b pays z or, with probability e, nothing: is J midpoint-concave?"""
    x, z, e, alpha, low, high = (real(name) for name in ("x", "z", "e", "alpha", "low", "high"))
    hypotheses = [x > 0, x < z, z <= 1, e > 0, e < 1, alpha == number("1/4"), low >= 0, low < high, high <= 1]

    def scaled(rho: Term) -> Term:  # alpha J(rho)
        risky = e * positive_part(rho) + (1 - e) * positive_part(rho - z)
        return alpha * rho - smaller(positive_part(rho - x), risky)

    return Problem(hypotheses, 2 * scaled((low + high) / 2) >= scaled(low) + scaled(high))


def curve_case(numbers: Mapping[str, Fraction]) -> Any:
    """The model, the level and the two budgets."""
    from verified_risk.law import Law
    from verified_risk.mdp import MDP

    from .cvar_rho import CurveCase

    risky = Law({Fraction(0): numbers["e"], numbers["z"]: 1 - numbers["e"]})
    mdp = MDP(0, [[[1], [1]]], [[Law.point(numbers["x"]), risky]], 1)
    return CurveCase(mdp, numbers["alpha"], numbers["low"], numbers["high"])


def own_rho() -> Problem:
    """T = 1, two states with 1/2 each: one pays w; the other x surely, or z and, with probability e, nothing.

    From its own point of view the second state prefers the sure reward; is it then best for the whole law?
    """
    w, x, z, e, alpha = (real(name) for name in ("w", "x", "z", "e", "alpha"))
    half = number("1/2")
    hypotheses = [x > 0, x < z, z <= w, w <= 1, e > 0, e < 1, alpha > 0, alpha <= half]
    hypotheses += [alpha * x > positive_part(alpha - e) * z]  # alpha CVaR of both choices in the second state
    return Problem(hypotheses, alpha * x >= (alpha - half * e) * z)  # alpha CVaR of both choices for the whole law


def start_case(numbers: Mapping[str, Fraction]) -> Any:
    """The model and the level."""
    from verified_risk.law import Law
    from verified_risk.mdp import MDP

    from .cvar_appendix import ModelCase

    risky = Law({Fraction(0): numbers["e"], numbers["z"]: 1 - numbers["e"]})
    half = Fraction(1, 2)
    rows = [[[1, 0]], [[0, 1], [0, 1]]]
    mdp = MDP([half, half], rows, [[Law.point(numbers["w"])], [Law.point(numbers["x"]), risky]], 1)
    return ModelCase(mdp, numbers["alpha"])


QUERIES = (
    Query(
        "cvar:ru",
        "rho - E(rho - Z)^+ / alpha is at most CVaR",
        "20 atoms, every rho and alpha",
        partial(upper, 20),
        "step",
        partial(upper, 2, planted=True),
        "half the shortfall",
    ),
    Query(
        "cvar:ru",
        "equal at the quantile",
        "8 atoms, every alpha",
        partial(equality, 8),
        "step",
        partial(equality, 2, planted=True),
        "at any atom up to the quantile",
    ),
    Query(
        "cvar:ru",
        "at most CVaR, and equal at the quantile",
        "4 atoms, every rho and alpha",
        partial(whole, 4),
        "claim",
        partial(whole, 2, planted=True),
        "equal at the next atom",
    ),
    Query(
        "cvar:min",
        "CVaR* from the largest shortfall",
        "T = 1, two sure rewards",
        largest_shortfall,
        "printed",
        case=model_case,
    ),
    Query(
        "cvar:value",
        "no policy is below the recursion",
        "T = 2, one state, 3 actions, 3 reward atoms",
        partial(recursion, 3, 3),
        "step",
        partial(recursion, 2, 1, planted=True),
        "every policy is strictly above",
    ),
    Query(
        "cvar:value",
        "greedy policies attain it",
        "T = 2, one state, 2 actions, 2 reward atoms",
        partial(recursion, 2, 2, greedy=True),
        "step",
        partial(recursion, 2, 1, greedy=True, planted=True),
        "greedy policies are strictly above",
    ),
    Query(
        "cvar:value",
        "the recursion with its terminal value at T",
        "T = 1, one sure reward",
        early_value,
        "printed",
        case=budget_case,
    ),
    Query(
        "cvar:rho",
        "each initial state with its own rho",
        "T = 1, two states, three rewards",
        own_rho,
        "printed",
        case=start_case,
    ),
    Query("cvar:concave", "J is concave", "T = 1, two actions, alpha = 1/4", concave, "printed", case=curve_case),
)
