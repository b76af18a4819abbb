"""Mixtures with a quantile at levels that policies meet with equality (theory 05, B8)."""

import math
import random
from fractions import Fraction
from itertools import combinations

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import float_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.objectives.mixture import Mixture
from verified_risk.planning.clock import Clock
from verified_risk.planning.problem import Problem
from verified_risk.planning.search import cells_route, driver, grid_route

FIFTH = Fraction(1, 5)
TIED = vr.MDP(0, [[[1], [1]]], [[{0: FIFTH, 1: 1 - FIFTH}, {0: "1/4", 1: "3/4"}]], 1)


@pytest.mark.parametrize(
    ("G", "horizon", "optimum"),
    [
        ("3/4*var(1/5) + 1/4*mean", 1, FIFTH),  # the quantile is 0: it falls short of 1 with 1/5, which is not less
        ("3/4*var(1/5) + 1/4*mean", 2, 3 * Fraction(1, 4) + Fraction(8, 20)),
        ("3/4*var(1/5) + 1/4*cvar(2/5)", 1, Fraction(1, 8)),
        ("1/2*var(1/5, upper) + 1/2*mean", 1, Fraction(9, 10)),
        ("1/2*var(1/5, upper) + 1/2*mean", 2, Fraction(13, 10)),
    ],
)
def test_a_level_met_with_equality_does_not_leave_a_gap(G, horizon, optimum, tmp_path):
    plan = vr.plan(TIED.with_horizon(horizon), G)
    assert plan.lower == optimum
    assert optimum <= plan.upper <= optimum + Fraction(1, 10**5)
    checked = plan.recheck()
    assert (checked.lower_holds, checked.upper_holds) == (Truth.HOLDS, Truth.HOLDS)
    plan.save(tmp_path / "plan.json")
    assert vr.Plan.load(tmp_path / "plan.json").recheck().upper_holds is Truth.HOLDS


@pytest.mark.parametrize(
    ("G", "optimum"),
    [
        ("1/2*var(1/2) + 1/2*var(1/2, upper)", Fraction(1, 2)),  # two jumps at one level
        ("1/2*var(1/4) + 1/2*var(1/2)", Fraction()),
        ("1/3*var(1/4) + 1/3*var(1/2, upper) + 1/3*mean", Fraction(1, 2)),
        ("1/3*var(1/2) + 1/3*var(3/4) + 1/3*wang(0)", Fraction(1, 2)),
    ],
)
def test_two_jumps_leave_no_gap_on_a_coin(G, optimum):
    coin = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)
    for mdp in (coin, coin.map_rewards(lambda r: r * 1000003), coin.with_discount("1/3")):
        scale = mdp.reward_range[1]
        plan = vr.plan(mdp, G)
        assert optimum * scale - Fraction(1, 10**9) * scale <= plan.lower <= optimum * scale <= plan.upper
        assert plan.upper <= (optimum + Fraction(1, 10**5)) * scale
        assert plan.recheck().upper_holds is Truth.HOLDS


def test_several_jumps_against_every_policy_and_every_mixture_of_two():
    """Levels are probabilities of the model; the optimum over mixtures is a supremum near jumps."""
    rng, closed, cases = random.Random("several jumps"), 0, 0
    while cases < 25:
        model = oracles.random_model(rng, max_horizon=2, min_actions=2)
        if oracles.count_return_policies(model) > 60:
            continue
        laws = [vr.Law(law) for law in oracles.all_return_laws(model)]
        mass = sorted({p for law in laws for p in law.cumulative() if p < 1})
        if len(mass) < 2:
            continue
        one, other = rng.choice(mass), rng.choice(mass)
        terms = [(1, vr.VaR(one)), (2, vr.VaR(other, upper=rng.random() < 0.7)), (1, vr.Mean())]
        G, mdp = Mixture([(Fraction(w, 4), part) for w, part in terms]), models.as_mdp(model)
        plan = vr.plan(mdp, G, time_limit=5)
        shares = [*(Fraction(k, 8) for k in range(1, 8)), Fraction(1, 2**30), 1 - Fraction(1, 2**30)]
        mixed = [vr.Law.mixture([(s, a), (1 - s, b)]) for a, b in combinations(laws, 2) for s in shares]
        low, high = mdp.remaining_range(0)
        assert max(G.of(law) for law in (*laws, *mixed)) <= plan.upper
        assert plan.lower <= G.of(vr.return_law(mdp, plan.policy)) <= plan.upper
        closed, cases = closed + (plan.gap <= (high - low) / 500), cases + 1
    assert closed >= 23


def test_no_coordinate_is_passed_that_some_policy_has_not_passed():
    mdp, G = TIED.with_horizon(2), vr.objective("3/4*var(1/5) + 1/4*mean")
    model = float_model(mdp, Fraction(1))
    (quantile,) = grid_route._best_quantiles(Problem(mdp, G), model, Clock())
    ((start, polygon),) = driver.passed_pieces(G, Fraction(1, 4**8), [int(quantile.upper)], model.remaining[0])
    laws = [vr.return_law(mdp, vr.MarkovPolicy(mdp, [[a], [b]])) for a in range(2) for b in range(2)]
    assert all(law.cdf(start) >= FIFTH for law in laws)
    assert any(law.cdf(start - 1) < FIFTH for law in laws)
    for tau in (FIFTH, Fraction(1, 3), Fraction(1)):
        assert polygon(tau) <= G.value(tau) <= polygon(tau) + Fraction(1, 10**6)


@pytest.mark.parametrize("surely", ["1/2", "5/8", "3/4"])
def test_between_grid_points_a_jump_leaves_the_bounds_true(surely):
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/4", surely: "1/2", 1: "1/4"}]], horizon=1, discount="1/2")
    G = vr.objective("1/2*var(1/3) + 1/2*mean")
    assert vr.exact_plan(mdp, "var(1/3)").value == Fraction(surely)
    found = cells_route._round(mdp, G, Fraction(1, 4), Fraction(1, 100), math.inf, [Fraction(surely)])
    assert found.lower <= G.of(vr.return_law(mdp, found.policy)) <= found.upper
