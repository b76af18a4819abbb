"""The difference between the values of a policy in two models."""

from fractions import Fraction
from typing import Any, NamedTuple

from .enclosed import Bounds, above, printed_radius, root_of
from .exact import Law, ks_distance, phi, steepest, weighting
from .file_format import Outcome, check, number, require, whole
from .paths import Model, expected_cost, model, policy, returns, rewards_of, row_of, same_shape, y_policies


@check("lem:genbound")
def _genbound(instance: dict[str, Any]) -> Outcome:
    """|Phi' - Phi| <= T L_G E_M sum [l1 distance of rows + KS distance of rewards]."""
    law, other, budget = two_laws(instance)
    g, scale = weighting(instance["weighting"]), instance["mdp"]["horizon"] * steepest(instance["weighting"])
    return Outcome(abs(phi(other, g) - phi(law, g)), "<=", scale * budget)


@check("lem:genbound/cdf")
def _genbound_cdf(instance: dict[str, Any]) -> Outcome:
    """KS(Z', Z) <= E_M sum [l1 distance of rows + KS distance of rewards]."""
    law, other, budget = two_laws(instance)
    weighting(instance["weighting"])  # not used by this claim, but part of the instance
    return Outcome(ks_distance(law, other), "<=", budget)


def l1_distance(m: Model, twin: Model, s: int, a: int) -> Fraction:
    """The l1 distance of the rows of a pair in two models."""
    return sum((abs(p - q) for p, q in zip(row_of(m, s, a), row_of(twin, s, a), strict=True)), Fraction())


def two_laws(instance: dict[str, Any]) -> tuple[Law, Law, Fraction]:
    """The laws of the return in M and in M', and B(pi)."""
    m, twin = model(instance["mdp"]), model(instance["twin"])
    same_shape(m, twin)
    choose = policy(instance["policy"], m)

    def cost(t: int, s: int, a: int) -> Fraction:
        return l1_distance(m, twin, s, a) + ks_distance(rewards_of(m, s, a), rewards_of(twin, s, a))

    return returns(m, choose), returns(twin, choose), expected_cost(m, choose, cost)


class Comb(NamedTuple):
    """The counts of a sampled comb: ``seen`` of ``seen * spread`` rewards of a; b pays ``pay_b``, c nothing."""

    seen: int
    spread: int
    pay_b: int
    visits_b: int
    visits_c: int
    episodes: int
    delta: Fraction
    true_mean: Fraction
    seen_mean: Fraction

    def radius(self, visits: int) -> Bounds:
        return printed_radius(2, 3, self.episodes, self.delta, visits)

    def budget(self) -> Fraction:
        """An upper bound of E_M sum (eps_P + eps_R): a, then b at one of ``spread`` rewards and c at the others."""
        share = Fraction(1, self.spread)
        radii = [self.radius(n)[1] for n in (self.seen, self.visits_b, self.visits_c)]
        return (2 * root_of(Fraction(2))[1] + 1) * (radii[0] + share * radii[1] + (1 - share) * radii[2])


def comb(instance: dict[str, Any], *, event: bool) -> Comb:
    """Read the counts, list the rewards of a, and require the printed event if the claim does."""
    seen, spread = whole(instance["seen"], 1), whole(instance["spread"], 1)
    visits_b, episodes = whole(instance["visits_b"], 1), whole(instance["episodes"], 1)
    visits_c = 2 * (episodes - 1) - seen - visits_b
    points = seen * spread
    require(visits_c >= 1 and instance["pay_b"] in (0, 1) and points <= 10**7, "counts that some history has")
    offset = (spread - 1) // 2
    sample = range(offset, points, spread)
    pay_b, delta = int(instance["pay_b"]), number(instance["delta"])
    true_mean, seen_mean = Fraction(sum(range(points)), points * points), Fraction(sum(sample), points * seen)
    c = Comb(seen, spread, pay_b, visits_b, visits_c, episodes, delta, true_mean, seen_mean)
    if event:  # between two seen rewards the CDFs differ most just before the upper one and at the lower one
        gap = max(
            max(abs(Fraction(j, points) - Fraction(i, seen)) for i, j in enumerate(sample)),
            max(abs(Fraction(j + 1, points) - Fraction(i + 1, seen)) for i, j in enumerate(sample)),
        )
        require(gap <= c.radius(seen)[0], "the event")
    return c


@check("lem:tildebound")
def _tildebound(instance: dict[str, Any]) -> Outcome:
    """|Phi~ - Phi| <= T L_G B: a, then b at a seen first reward, c at any other."""
    c = comb(instance, event=True)
    gap = abs((c.seen_mean + c.pay_b) - (c.true_mean + Fraction(c.pay_b, c.spread)))
    return Outcome(gap, "<=", above(2 * c.budget()))


@check("lem:hattildebound")
def _hattildebound(instance: dict[str, Any]) -> Outcome:
    """|Phi^ - Phi~| <= T L_G sqrt|S| B.  R^(a) dominates R~(a), and R^(b) is 1 when b's radius is at least 1."""
    c = comb(instance, event=False)
    require(c.pay_b == 0 and c.radius(c.visits_b)[0] >= 1, "b pays nothing and its radius is at least 1")
    return Outcome(Fraction(1), "<=", above(2 * root_of(Fraction(2))[1] * c.budget()))


@check("lem:fullbound")
def _fullbound(instance: dict[str, Any]) -> Outcome:
    """|Phi^ - Phi| <= 2 T L_G sqrt|S| B.  R^(a) dominates R~(a), and the second reward of Phi^ is 1."""
    c = comb(instance, event=True)
    require(c.pay_b == 1, "b pays 1")
    gap = (c.seen_mean + 1) - (c.true_mean + Fraction(1, c.spread))
    return Outcome(gap, "<=", above(4 * root_of(Fraction(2))[1] * c.budget()))


@check("L2/merely-optimal")
def _merely_optimal(instance: dict[str, Any]) -> Outcome:
    """Phi' - Phi <= L_G E_M sum [(T-t) TV + KS] for a policy that is optimal in M'."""
    m, twin, g = model(instance["mdp"]), model(instance["twin"]), weighting(instance["weighting"])
    same_shape(m, twin)
    require(instance["weighting"].replace(" ", "").startswith(("mean", "cvar(")), "a concave weighting")
    choose = policy(instance["policy"], m)
    value = phi(returns(twin, choose), g)
    require(
        value == max(phi(returns(twin, rule), g) for rule in y_policies(twin, most=5000)), "the policy is optimal in M'"
    )

    def cost(t: int, s: int, a: int) -> Fraction:
        rows = (m.horizon - 1 - t) * l1_distance(m, twin, s, a) / 2
        return rows + ks_distance(rewards_of(m, s, a), rewards_of(twin, s, a))

    bound = steepest(instance["weighting"]) * expected_cost(m, choose, cost)
    return Outcome(value - phi(returns(m, choose), g), "<=", bound)
