"""Any weighting: the search's bounds against brute force, LPs and mixtures, on hundreds of models."""

import itertools
import math
import random
from fractions import Fraction
from statistics import NormalDist
from types import SimpleNamespace

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning.search.relaxation import Relaxation

NORMAL = NormalDist()
GAP = Fraction(1, 10**5)


def wang(beta):
    return lambda tau: float(tau) if tau in (0, 1) else NORMAL.cdf(NORMAL.inv_cdf(float(tau)) + beta)


def cpw(gamma):
    return lambda t: float(t) ** gamma / (float(t) ** gamma + (1 - float(t)) ** gamma) ** (1 / gamma)


def polygon(*corners):
    def weight(tau):
        for (x, y), (u, v) in itertools.pairwise(corners):
            if tau <= u:
                return y + (v - y) * (tau - x) / (u - x)
        raise AssertionError(tau)

    return weight


def area(weight):
    """The value of a law by the area below its CDF."""
    return lambda law: oracles.phi_by_area(law, weight, max(law))


CONVEX, ESS = (
    [(Fraction(x), Fraction(g)) for x, g in [(0, 0), *inner, (1, 1)]]
    for inner in ([("1/3", "1/12"), ("3/4", "2/5")], [("1/4", "1/2"), ("3/4", "5/8")])
)
CASES = {
    "spectral": (
        vr.Spectral(["1/10", "1/3", 1], ["1/2", "1/4", "1/4"]),
        lambda law: sum(
            w * oracles.cvar(law, a) for a, w in [(Fraction(1, 10), 0.5), (Fraction(1, 3), 0.25), (Fraction(1), 0.25)]
        ),
    ),
    "wang": (vr.Wang("3/4"), area(wang(0.75))),
    "dual-power": (vr.DualPower(3), area(lambda t: 1 - (1 - t) ** 3)),
    "hazard": (vr.ProportionalHazard("1/2"), area(math.sqrt)),
    "wang-seeking": (vr.Wang("-3/4"), area(wang(-0.75))),
    "convex": (vr.PiecewiseLinear(CONVEX), area(polygon(*CONVEX))),
    "cpw": (vr.CPW("0.71"), area(cpw(0.71))),
    "ess": (vr.PiecewiseLinear(ESS), area(polygon(*ESS))),
    "mixture": (
        0.5 * vr.CPW("0.71") + 0.5 * vr.CVaR("1/4"),
        lambda law: 0.5 * float(area(cpw(0.71))(law)) + 0.5 * float(oracles.cvar(law, Fraction(1, 4))),
    ),
}
CONCAVE = ("spectral", "wang", "dual-power", "hazard")


@pytest.mark.parametrize("name", CONCAVE)
def test_for_concave_weightings_the_search_closes_on_the_brute_force_optimum(name):
    """Phi is convex in the law, so some deterministic policy is optimal among all."""
    G, phi = CASES[name]
    for mdp, model, _ in models.small(f"search {name}", 100, max_states=3, max_actions=3):
        best = float(max(phi(law) for law in oracles.all_return_laws(model)))
        plan = vr.plan(mdp, G, gap=GAP, time_limit=20)
        assert float(plan.lower) <= best + 1e-9
        assert float(plan.upper) >= best - 1e-9
        assert plan.gap <= GAP
        assert float(phi(models.law_by_playing(model, plan.policy))) >= float(plan.lower) - 1e-9


@pytest.mark.parametrize("name", ["wang-seeking", "convex", "cpw", "ess", "mixture"])
def test_no_policy_and_no_mixture_of_two_exceeds_the_upper_bound(name):
    G, phi = CASES[name]
    closed = 0
    for mdp, model, rng in models.small(f"mixtures {name}", 100, most=40, max_states=2, max_actions=2):
        laws = list(oracles.all_return_laws(model))
        values = sorted(((float(phi(law)), k) for k, law in enumerate(laws)), reverse=True)
        candidates = [laws[k] for _, k in values[:6]]
        best = values[0][0]
        for a, b in itertools.combinations(candidates, 2):
            w = Fraction(rng.randint(1, 15), 16)
            mixed = {z: w * a.get(z, 0) + (1 - w) * b.get(z, 0) for z in {*a, *b}}
            best = max(best, float(phi(mixed)))
        plan = vr.plan(mdp, G, gap=GAP, time_limit=1)
        closed += plan.gap <= GAP
        assert float(plan.upper) >= best - 1e-9
        assert plan.lower <= plan.upper
        played = models.law_by_playing(model, plan.policy)
        assert float(phi(played)) >= float(plan.lower) - 1e-9
        assert dict(plan.law) == {z: p for z, p in played.items() if p}
    assert closed >= 90


def test_for_convex_weightings_the_optimum_is_that_of_an_lp_over_occupation_measures():
    G, _ = CASES["convex"]
    mixed = 0
    for mdp, model, _ in models.small("lp convex", 80, most=10_000, max_states=3, max_actions=3):
        best = models.lp_convex(model, CONVEX)
        plan = vr.plan(mdp, G, gap=GAP, time_limit=20)
        assert float(plan.lower) <= best + 1e-6
        assert float(plan.upper) >= best - 1e-6
        assert plan.gap <= GAP
        mixed += len(list(plan.policy.parts())) > 1
    assert mixed >= 3, "no instance needed a mixture"


def test_on_a_coarse_grid_the_bounds_hold_for_the_model_itself():
    for name in ("spectral", "wang", "cpw"):
        G, phi = CASES[name]
        for mdp, model, rng in models.small(f"coarse {name}", 25, most=100, max_states=2, max_actions=2):
            eta = rng.choice([Fraction(1, 3), Fraction(2, 7), Fraction(3, 4)])
            best = float(max(phi(law) for law in oracles.all_return_laws(model)))
            plan = vr.plan(mdp, G, eta=eta, gap=GAP, time_limit=1)
            assert float(plan.upper) >= best - 1e-9
            assert float(phi(models.law_by_playing(model, plan.policy))) >= float(plan.lower) - 1e-9


def test_a_search_stopped_at_once_still_returns_valid_bounds_and_says_where_it_stands():
    mdp, model, _ = next(models.small("stopped", 1, most=3000, max_states=3, max_actions=3))
    for name, (G, phi) in CASES.items():
        seen: list[vr.Progress] = []
        plan = vr.plan(mdp, G, gap=GAP, time_limit=0, progress=seen.append)
        best = float(max(phi(law) for law in oracles.all_return_laws(model)))
        assert float(plan.lower) <= best + 1e-9 or name in ("wang-seeking", "convex", "cpw", "ess", "mixture")
        assert float(plan.upper) >= best - 1e-9
        assert float(phi(models.law_by_playing(model, plan.policy))) >= float(plan.lower) - 1e-9
        assert seen
        assert float(seen[-1].upper) >= best - 1e-9
        assert float(phi(models.law_by_playing(model, plan.policy))) >= float(seen[-1].lower) - 1e-9
        assert "optimum" in str(seen[-1])


def test_progress_of_a_search_on_a_coarse_grid_says_no_more_than_the_best_policy_is_worth():
    """Rewards of a third are rounded up to one: what the grid says of its best policy is no bound."""
    law = {0: Fraction(1, 2), Fraction(4, 3): Fraction(1, 2)}
    rows = [[(Fraction(1), 0, Fraction(1, 3))], [(p, 0, Fraction(r)) for r, p in law.items()]]
    model = oracles.Model({0: Fraction(1)}, [rows], 2, Fraction(1))
    for objective in (vr.Wang("1/2"), vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"])):
        seen: list[vr.Progress] = []
        vr.plan(models.as_mdp(model), objective, eta=1, progress=seen.append)
        best = max(bounds(objective.of(vr.Law(found)))[1] for found in oracles.all_return_laws(model))
        assert seen
        assert all(step.lower <= best for step in seen)


def test_a_search_reports_nothing_before_it_has_a_policy():
    told = []
    search = SimpleNamespace(
        report=lambda *found: told.append(found), _next_report=-math.inf, best=SimpleNamespace(value=math.inf),
        bound=1.0, uncut_bound=2.0, deadline=math.inf,
    )  # fmt: skip
    assert not Relaxation.late(search)
    assert told == []
    search.best.value = 3.0
    assert not Relaxation.late(search)
    assert told == [(3.0, 2.0)]


@pytest.mark.parametrize("objective", ["cpw(0.71)", "wang(1/2)", "dual(2)", "1/2*var(1/3) + 1/2*mean"])
def test_bounds_are_as_close_whatever_the_unit_and_the_origin_of_rewards_are(objective):
    """Grids, gaps and tolerances are shares of the range of returns: rewards of any size are served alike."""
    mdp, _ = models.product(random.Random("units"), max_states=3, max_horizon=3)
    low, high = mdp.remaining_range(0)
    plain = vr.plan(mdp, objective)
    for scale, shift in ((2**60, 0), (Fraction(10**12, 7), 0), (Fraction(1, 10**15), 0), (10**9, 10**12)):
        other = mdp.map_rewards(lambda r, scale=scale, shift=shift: r * scale + shift)
        least, most = other.remaining_range(0)
        plan = vr.plan(other, objective)
        assert plan.gap / (most - least) <= 2 * plain.gap / (high - low) + Fraction(1, 10**9)
