"""Certificates under attack: ill-conditioned models, and planted faults that the checks must catch."""

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import float_model, own_unit
from verified_risk.kernels import polygon_bounds as kernels
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning import certify, rounding
from verified_risk.planning.problem import Problem
from verified_risk.planning.routes import ROUTES
from verified_risk.planning.search import branching, grid_coordinates
from verified_risk.planning.tails import budget_tables, tail_route

SPECTRUM = {Fraction(1, 10): Fraction(1, 2), Fraction(1, 2): Fraction(1, 4), Fraction(1): Fraction(1, 4)}
SPECTRAL = vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"])
TINY = [Fraction(1, 10**k) for k in (3, 9, 17, 40, 160, 320)]


def ill_conditioned(rng: random.Random, horizon: int) -> vr.MDP:
    """Probabilities near 0 and 1, prime denominators, rewards that nearly cancel."""

    def coin():
        e = rng.choice(TINY) * Fraction(rng.randint(1, 96), 97)
        return (e, 1 - e) if rng.random() < 0.5 else (1 - e, e)

    transitions, rewards = [], []
    for _ in range(2):
        rows, laws = [], []
        for _ in range(2):
            rows.append(coin())
            p, q = coin()
            low, high = sorted(rng.sample(range(5), 2))
            laws.append({low: p, high: q})
        transitions.append(rows)
        rewards.append(laws)
    return vr.MDP([Fraction(1, 3), Fraction(2, 3)], transitions, rewards, horizon)


@pytest.fixture
def without_exact_evaluation(monkeypatch):
    """Make the float certificate stand alone: small models are otherwise evaluated exactly."""
    monkeypatch.setattr(certify, "exact_value", lambda *args, **kwargs: None)


@pytest.mark.usefixtures("without_exact_evaluation")
def test_the_enclosure_contains_the_exact_value_where_floats_do_not_reach():
    rng = random.Random("ill-conditioned")
    missed = 0
    for k in range(60):
        mdp = ill_conditioned(rng, rng.choice([1, 4, 9]))
        alpha = rng.choice([Fraction(1, 3), Fraction(1, 10**6), Fraction(1, 10**18), Fraction(1, 10**60)])
        mixed = Fraction(1, 7) * vr.Mean() + Fraction(6, 7) * vr.CVaR(alpha)
        G = [vr.CVaR(alpha), vr.Mean(), mixed, vr.VaR(alpha)][k % 4]
        exact = vr.exact_plan(mdp, G).value
        plan = vr.plan(mdp, G)
        assert plan.lower <= exact <= plan.upper
        if k % 4 != 3:
            missed += plan.value != exact
            assert plan.gap <= Fraction(1, 10**10)
    assert missed >= 20, "the float value is never off: the models are too easy to test anything"


@pytest.mark.usefixtures("without_exact_evaluation")
def test_a_long_horizon_of_thirds_is_enclosed():
    third = Fraction(1, 3)
    laws = [{0: third, 1: 2 * third}, {0: 3 * third / 7, 1: 1 - 3 * third / 7}]
    mdp = vr.MDP(0, [[{0: 1}, {0: 1}]], [laws], horizon=300)
    mean = vr.plan(mdp, vr.Mean())
    assert mean.lower < 200 * Fraction(6, 7) * Fraction(3, 2) <= mean.upper
    cvar = vr.plan(mdp, vr.CVaR("1/1000"))
    law = vr.return_law(mdp, vr.MarkovPolicy(mdp, [[1]] * 300))
    assert cvar.lower <= vr.CVaR("1/1000").of(law) <= cvar.upper


def float_campaign(count: int = 40) -> None:
    """Small random models whose exact optimum must be inside the float bounds; raises if one is not."""
    for mdp, _, rng in models.small("campaign", count, max_states=3, max_actions=3):
        alpha = rng.choice([Fraction(1, 10), Fraction(1, 3)])
        for G in (vr.CVaR(alpha), Fraction(1, 3) * vr.Mean() + Fraction(2, 3) * vr.CVaR(alpha), vr.Mean()):
            exact = vr.exact_plan(mdp, G).value
            plan = vr.plan(mdp, G)
            assert plan.lower <= exact <= plan.upper, "bound"


def search_campaign(count: int = 30) -> None:
    search = next(route for route in ROUTES if route.name == "search on a grid")
    for mdp, model, _ in models.small("search campaign", count, max_states=3, max_actions=3):
        laws = oracles.all_return_laws(model)
        exact = max(sum(w * oracles.cvar(law, a) for a, w in SPECTRUM.items()) for law in laws)
        plan = search.solve(Problem(mdp, SPECTRAL, gap=Fraction(1, 10**5), seconds=5))
        assert plan.lower <= exact <= plan.upper, "bound"


def contractor_campaign(count: int = 60) -> None:
    """Boxes around an optimal CDF: the contractor must keep every optimal policy inside; raises if it does not."""
    polygon = SPECTRAL.polygon_below(Fraction(1, 10**6))
    for mdp, model, rng in models.small("contractor", count, max_states=3, max_actions=3):
        grid = float_model(mdp, own_unit(mdp))
        oracle = grid_coordinates.Oracle(grid)
        if oracle.top == 0:
            continue
        atoms = [(grid.offsets[-1] + i) * grid.unit for i in range(oracle.top)]
        laws = [vr.Law(law) for law in oracles.all_return_laws(model)]
        cdfs = np.array([[float(law.cdf(x)) for x in atoms] for law in laws])
        costs = np.array([kernels.total(f, polygon.x, polygon.g) for f in cdfs])
        optimal = cdfs[costs <= costs.min() + 1e-12]
        for width in (0.03, 0.2, 0.6):
            centre = optimal[rng.randrange(len(optimal))]
            low = np.maximum(centre - width * rng.random(), 0.0)
            high = np.minimum(centre + width * rng.random(), 1.0)
            c_low, c_high, c0 = np.zeros_like(low), np.zeros_like(low), np.zeros_like(low)
            kernels.slope_ranges(low, high, polygon.x, polygon.g, c_low, c_high, c0)
            oracle.allowed[:] = oracle.everything
            least, most = oracle.contract(c0, c_low, c_high, np.inf)
            assert np.all(least <= centre + 1e-15), "bound"
            assert np.all(centre <= most + 1e-15), "bound"


HONEST = {
    "above": rounding.Enclosure.above, "below": rounding.Enclosure.below, "window": tail_route.rho_window,
    "contract": grid_coordinates.Oracle.contract, "dual": branching.Search.dual,
}  # fmt: skip


def narrow(*args):
    low, high = HONEST["window"](*args)
    return min(low + 2, high), high


def eager(self, c0, c_low, c_high, deadline):
    """As if the slopes were known exactly."""
    return HONEST["contract"](self, *[np.ascontiguousarray(c0)] * 3, deadline)


def forgetful(*args):
    bound, *rest = HONEST["dual"](*args)
    return bound + 1e-3, *rest


def to_nearest(x):
    return Fraction(float(x))


ENCLOSURE = rounding.Enclosure
FAULTS = {
    "bounds that are not widened": (
        float_campaign, *((ENCLOSURE, name, lambda self, x: Fraction(x)) for name in ("above", "below"))
    ),
    "a flipped rounding direction": (
        float_campaign, (ENCLOSURE, "above", HONEST["below"]), (ENCLOSURE, "below", HONEST["above"])
    ),
    "a final rounding to nearest": (
        float_campaign, (certify, "tidy_below", to_nearest), (certify, "tidy_above", to_nearest),
        (ENCLOSURE, "shrink", Fraction(1)),
    ),
    "a window that is too narrow": (float_campaign, (tail_route, "rho_window", narrow)),
    "an action eliminated too eagerly": (contractor_campaign, (grid_coordinates.Oracle, "contract", eager)),
    "a dual bound that forgets the box minima": (search_campaign, (branching.Search, "dual", forgetful)),
}  # fmt: skip


@pytest.mark.usefixtures("without_exact_evaluation")
def test_the_campaigns_pass():
    for campaign in (float_campaign, search_campaign, contractor_campaign):
        campaign()


@pytest.mark.usefixtures("without_exact_evaluation")
@pytest.mark.parametrize(("campaign", "changes"), [(one, rest) for one, *rest in FAULTS.values()], ids=FAULTS)
def test_a_campaign_notices(campaign, changes, monkeypatch):
    for where, name, value in changes:
        monkeypatch.setattr(where, name, value)
    with pytest.raises(AssertionError, match="bound"):
        campaign()


def test_recheck_confirms_every_plan_and_exposes_a_forged_one():
    routes = set()
    for mdp, _, rng in models.small("recheck", 12, max_states=3, max_actions=3):
        alpha = rng.choice([Fraction(1, 10), Fraction(1, 3)])
        for G in (vr.CVaR(alpha), vr.Mean(), vr.VaR(alpha), vr.PiecewiseLinear([(0, 0), ("1/2", "1/4"), (1, 1)])):
            plan = vr.plan(mdp, G, gap="1/100000")
            again = plan.recheck()
            routes.add(again.upper_route)
            assert again.lower_holds is Truth.HOLDS, str(again)
            assert again.upper_holds is Truth.HOLDS, str(again)
            forged = replace(plan, upper=plan.lower - Fraction(1, 1000), lower=plan.lower - Fraction(1, 500))
            assert forged.recheck().upper_holds is not Truth.HOLDS
            boasting = replace(plan, lower=plan.upper + Fraction(1, 1000), upper=plan.upper + 1)
            assert boasting.recheck().lower_holds is Truth.FAILS
    assert len(routes) == 4


def test_sparse_dense_and_joint_sweeps_agree_with_each_other_and_with_exact_integers(monkeypatch):
    rng = np.random.default_rng(1)
    n, actions = 20, 3
    weights = rng.integers(1, 50, (n, actions, n))
    transitions = [[[Fraction(int(w), int(row.sum())) for w in row] for row in rows] for rows in weights]
    rewards = [[{0: "1/4", int(rng.integers(1, 6)): "3/4"} for _ in range(actions)] for _ in range(n)]
    mdp = vr.MDP(0, transitions, rewards, horizon=4)
    same = models.as_mdp(models.data_of(mdp))
    G = vr.CVaR("1/5")
    dense = vr.plan(mdp, G)
    monkeypatch.setattr(budget_tables, "DENSE_SHARE", 2.0)
    sparse, joint = vr.plan(mdp, G), vr.plan(same, G)
    exact = vr.exact_plan(mdp, G).value
    for plan in (dense, sparse, joint):
        assert plan.lower <= exact <= plan.upper
        assert plan.gap < Fraction(1, 10**12)
