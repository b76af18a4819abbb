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
from verified_risk.planning.search import grid_coordinates
from verified_risk.planning.tails import budget_tables

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


@pytest.mark.usefixtures("without_exact_evaluation")
class TestPlantedFaults:
    """Each fault makes some bound wrong; the campaigns above it must notice."""

    def test_the_campaigns_pass_without_faults(self):
        float_campaign()
        search_campaign()
        contractor_campaign()

    def test_bounds_that_are_not_widened_are_caught(self, monkeypatch):
        monkeypatch.setattr(rounding.Enclosure, "above", lambda self, x: Fraction(x))
        monkeypatch.setattr(rounding.Enclosure, "below", lambda self, x: Fraction(x))
        with pytest.raises(AssertionError, match="bound"):
            float_campaign()

    def test_a_flipped_rounding_direction_is_caught(self, monkeypatch):
        above, below = rounding.Enclosure.above, rounding.Enclosure.below
        monkeypatch.setattr(rounding.Enclosure, "above", below)
        monkeypatch.setattr(rounding.Enclosure, "below", above)
        with pytest.raises(AssertionError, match="bound"):
            float_campaign()

    def test_a_final_rounding_to_nearest_is_caught(self, monkeypatch):
        monkeypatch.setattr(certify, "tidy_below", lambda x: Fraction(float(x)))
        monkeypatch.setattr(certify, "tidy_above", lambda x: Fraction(float(x)))
        monkeypatch.setattr(rounding.Enclosure, "shrink", property(lambda self: Fraction(1)))
        with pytest.raises(AssertionError, match="bound"):
            float_campaign()

    def test_a_window_that_is_too_narrow_is_caught(self, monkeypatch):
        from verified_risk.planning.tails import tail_route as tails

        honest = tails.rho_window
        monkeypatch.setattr(
            tails, "rho_window", lambda *args: (min(honest(*args)[0] + 2, honest(*args)[1]), honest(*args)[1])
        )
        with pytest.raises(AssertionError, match="bound"):
            float_campaign()

    def test_an_action_eliminated_too_eagerly_is_caught(self, monkeypatch):
        honest = grid_coordinates.Oracle.contract

        def eager(self, c0, c_low, c_high, deadline):
            middle = np.ascontiguousarray(c0)
            return honest(self, middle, middle, middle, deadline)  # as if the slopes were known exactly

        monkeypatch.setattr(grid_coordinates.Oracle, "contract", eager)
        with pytest.raises(AssertionError, match="bound"):
            contractor_campaign()

    def test_a_dual_bound_that_forgets_the_box_minima_is_caught(self, monkeypatch):
        from verified_risk.planning.search import branching as search

        honest = search.Search.dual

        def forgetful(self, cost, low, high):
            bound, vertex, where, least = honest(self, cost, low, high)
            return bound + 1e-3, vertex, where, least

        monkeypatch.setattr(search.Search, "dual", forgetful)
        with pytest.raises(AssertionError, match="bound"):
            search_campaign()


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
    outcomes = [[mdp.actions(s)[a].outcomes for a in range(actions)] for s in range(n)]
    same = vr.MDP.from_outcomes(outcomes, initial=0, horizon=4)
    G = vr.CVaR("1/5")
    dense = vr.plan(mdp, G)
    monkeypatch.setattr(budget_tables, "DENSE_SHARE", 2.0)
    sparse, joint = vr.plan(mdp, G), vr.plan(same, G)
    exact = vr.exact_plan(mdp, G).value
    for plan in (dense, sparse, joint):
        assert plan.lower <= exact <= plan.upper
        assert plan.gap < Fraction(1, 10**12)
