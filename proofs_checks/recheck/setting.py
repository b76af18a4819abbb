"""Histories, quantiles, objectives, the assumptions and the key identity."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

from .enclosed import normal
from .exact import area, cdf, cdfs, law, law_of, phi, weighting
from .file_format import Outcome, Rejected, check, number, require, whole, worst
from .paths import gained, histories, model, policy, returns


def _key_identity(data: dict[str, Any], factor: int) -> Outcome:
    """Phi <= factor T - int_0^M G(F), which the printed identity implies for every M because G(F) >= 0."""
    z, g, horizon, top = law(data["law"]), weighting(data["objective"]), data["horizon"], number(data["top"])
    require(min(z) >= 0 and max(z) == horizon <= top, "returns in [0, T], T attained, M >= T")
    return Outcome(factor * horizon - area(z, g, Fraction(), top), ">=", phi(z, g))


check("lem:key")(partial(_key_identity, factor=1))
check("intro:key")(partial(_key_identity, factor=2))


@check("def:history/episode")
def _episode(data: dict[str, Any]) -> Outcome:
    """The rewards in a history of length T against the return."""
    m = model(data["mdp"])
    choose = policy(data["policy"], m)
    short = law_of((gained(xi), p) for xi, p in histories(m, choose, m.horizon - 1).items())
    return worst(cdfs(short, returns(m, choose)), "=")


@check("def:return")
def _printed_return(data: dict[str, Any]) -> Outcome:
    """(T - t + 1) r_t against r_t + ... + r_T."""
    m, t = model(data["mdp"]), whole(data["t"], 1)
    require(t <= m.horizon, "t between 1 and T")
    episodes = histories(m, policy(data["policy"], m), m.horizon)
    printed = law_of(((m.horizon - t + 1) * xi[t - 1][2], p) for xi, p in episodes.items())
    true = law_of((sum((r for _, _, r in xi[t - 1 : -1]), Fraction()), p) for xi, p in episodes.items())
    return worst(cdfs(printed, true), "=")


@check("def:quantile/zero")
def _quantile_at_zero(data: dict[str, Any]) -> Outcome:
    """A point x with F(x) >= tau against the least return."""
    z, tau, x = law(data["law"]), number(data["tau"]), number(data["x"])
    require(0 <= tau <= 1 and cdf(z, x) >= tau, "a level in [0, 1] that F(x) reaches")
    return Outcome(x, ">=", min(z))


class Corners(NamedTuple):
    """A nondecreasing function: at each place its left limit, value and right limit; linear between places."""

    places: list[tuple[Fraction, Fraction, Fraction, Fraction]]

    def value(self, x: Fraction) -> Fraction:
        """F(x)."""
        if x < self.places[0][0]:
            return self.places[0][1]
        for (a, _, va, ra), (b, lb, _, _) in pairwise(self.places):
            if x == a:
                return va
            if x < b:
                return ra + (lb - ra) * (x - a) / (b - a)
        last = self.places[-1]
        return last[2] if x == last[0] else last[3]

    def quantile(self, tau: Fraction) -> Fraction:
        """inf{x : F(x) >= tau}, which must be finite."""
        require(self.places[0][1] < tau <= self.places[-1][3], "a finite quantile")
        for i, (at, _, _, right) in enumerate(self.places):
            if right >= tau:
                return at
            following, left, _, _ = self.places[i + 1]
            if left >= tau:
                return at + (tau - right) * (following - at) / (left - right)
        raise Rejected("no quantile")


def corners(data: Any) -> Corners:
    """A function, checked to be nondecreasing."""
    places = [tuple(number(c[key]) for key in ("at", "left", "value", "right")) for c in data["corners"]]
    heights = [h for place in places for h in place[1:]]
    require(len(places) > 0 and heights == sorted(heights), "nondecreasing heights")
    require(all(a[0] < b[0] for a, b in pairwise(places)), "increasing places")
    return Corners(places)  # type: ignore[arg-type]


@check("lem:quantileinverse/second")
def _reaches_its_level(data: dict[str, Any]) -> Outcome:
    """F(F†(tau)) >= tau for a nondecreasing F."""
    f, tau = corners(data["function"]), number(data["tau"])
    return Outcome(f.value(f.quantile(tau)), ">=", tau)


@check("def:objective/var")
def _decreasing_indicator(data: dict[str, Any]) -> Outcome:
    """G(tau) = 1(tau <= alpha) as a CDF: nondecreasing, G(0) = 0, G(1) = 1."""
    alpha, sigma, tau = number(data["alpha"]), number(data["sigma"]), number(data["tau"])
    require(0 < alpha <= 1 and 0 <= sigma <= tau <= 1, "levels in order")
    if int(tau <= alpha) < int(sigma <= alpha):
        return Outcome(int(tau <= alpha), ">=", int(sigma <= alpha))
    return Outcome(int(alpha >= 0), "=", 0)


@check("def:objective/cvar")
def _cvar_at_level_zero(data: dict[str, Any]) -> Outcome:
    """G(tau) <= L tau for CVaR, the level 0 read as the limit 1(tau > 0), L = 1/alpha or, at 0, any L proposed."""
    alpha, tau, constant = number(data["alpha"]), number(data["tau"]), number(data["constant"])
    law(data["law"])  # not used by this claim, but part of the instance
    require(0 <= alpha <= 1 and 0 <= tau <= 1 and (alpha == 0 or constant * alpha == 1), "a level and its constant")
    return Outcome(min(tau / alpha, Fraction(1)) if alpha else Fraction(tau > 0), "<=", constant * tau)


@check("assump:quantile/empirical")
def _largest_sampled_reward(data: dict[str, Any]) -> Outcome:
    """The largest reward of a sample of a law that can pay 1."""
    z, sample = law(data["law"]), [number(r) for r in data["sample"]]
    require(min(z) >= 0 and max(x for x in z if z[x]) == 1, "a law on [0, 1] that pays 1")
    require(all(z.get(r, 0) > 0 for r in sample), "a sample of the law")
    return Outcome(max(sample), "=", 1)


@check("assump:lipschitz/var")
def _var_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """|VaR - VaR'| <= L KS for the coins with P(0) = 1/2 and 1/2 - 1/(2L+2), medians 0 and 1."""
    constant = whole(data["constant"], 1)
    apart = Fraction(1, 2 * constant + 2)
    fair = {Fraction(0): Fraction(1, 2), Fraction(1): Fraction(1, 2)}
    tilted = {Fraction(0): Fraction(1, 2) - apart, Fraction(1): Fraction(1, 2) + apart}
    medians = [min(x for x in z if cdf(z, x) >= Fraction(1, 2)) for z in (fair, tilted)]
    return Outcome(abs(medians[0] - medians[1]), "<=", constant * apart)


@check("assump:lipschitz/cpw")
def _cpw_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """G(tau) <= L tau for gamma = 1/2, squared, at tau = 1/(n^2+1), n = 4L + 8: (G(tau)/tau)^2 = (n^2+1)^3/(n+1)^4."""
    constant = whole(data["constant"], 1)
    n = 4 * constant + 8
    return Outcome(Fraction((n * n + 1) ** 3, (n + 1) ** 4), "<=", constant**2)


@check("assump:lipschitz/wang")
def _wang_is_not_lipschitz(data: dict[str, Any]) -> Outcome:
    """N(N^{-1}(tau) + 1) <= L tau at tau = 4^-k: take z with N(z) <= tau; then the left side is at least N(z + 1)."""
    constant = whole(data["constant"], 1)
    tau = Fraction(1, 4 ** (2 + constant.bit_length()))
    z = Fraction(round(NormalDist().inv_cdf(float(tau)) * 2**20) - 1, 2**20)  # a guess, certified by the next line
    require(normal(z)[1] <= tau, "the guessed quantile is below the true one")
    return Outcome(normal(z + 1)[0], "<=", constant * tau)
