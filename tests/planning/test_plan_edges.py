"""Edges of the planners: crashes, limits and wide answers that were met, each with what is wanted instead."""

import time
from fractions import Fraction

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import float_model
from verified_risk.planning import exact_route, threshold
from verified_risk.planning.search import grid_coordinates

HALF = Fraction(1, 2)


def test_rewards_beyond_int64_are_planned_in_pythons_integers():
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: HALF, 10**25: HALF}, {1: 1}]], horizon=2)
    assert vr.exact_plan(mdp, vr.CVaR("1/2")).value == (10**25 + 0) * HALF  # gamble twice: the worse half is 0 or one


def test_the_actions_of_all_policies_are_counted_before_returns_are_listed():
    rewards = [{Fraction(a * a, 7): 1} for a in range(10)]  # one outcome each, ten together
    mdp = vr.MDP(0, [[[1]] * 10], [rewards], 12, "19/20")
    with pytest.raises(vr.errors.Unsupported, match="too many returns to list"):
        vr.exact_plan(mdp, vr.CVaR("1/2"))
    plan = vr.plan(mdp, vr.CVaR("1/2"))
    assert "attainable returns" not in plan.certificate.method
    best = Fraction(81, 7) * sum(Fraction(19, 20) ** t for t in range(12))
    assert plan.lower <= best <= plan.upper


@pytest.mark.parametrize("G", [vr.CVaR("1/2"), vr.VaR("1/2")])
def test_returns_and_budgets_are_counted_while_they_are_listed(G, monkeypatch):
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: HALF, 1: HALF}, {"1/3": 1}]], 6, "19/20")
    optimum = vr.exact_plan(mdp, G).value
    monkeypatch.setattr(exact_route, "MOST_BUDGETS", 1200)  # of one rho there are fewer, of all together more
    if isinstance(G, vr.VaR):
        assert vr.exact_plan(mdp, G).value == optimum
    else:
        with pytest.raises(vr.errors.Unsupported, match="too many returns to list"):
            vr.exact_plan(mdp, G)
    monkeypatch.setattr(exact_route, "MOST_CELLS", 800)  # there are 1093 sums with their states
    with pytest.raises(vr.errors.Unsupported, match="too many returns to list"):
        vr.exact_plan(mdp, G)


def test_the_exact_mean_needs_no_enumeration_of_sums():
    rewards = [[{Fraction(3 * s + a, 7): 1} for a in range(2)] for s in range(10)]
    rows = [[{(s + 1 + a) % 10: HALF, (3 * s) % 10: HALF} for a in range(2)] for s in range(10)]
    rows = [[row if len(row) == 2 else {next(iter(row)): 1} for row in states] for states in rows]
    mdp = vr.MDP(0, rows, rewards, 100, "4/5")
    plan = vr.exact_plan(mdp, vr.Mean())
    float_plan = vr.plan(mdp, vr.Mean())
    assert float_plan.lower <= plan.value <= float_plan.upper
    assert float_plan.gap < Fraction(1, 10**9)


def test_a_gap_of_zero_stops(monkeypatch):
    monkeypatch.setattr("verified_risk.planning.search.driver.DEFAULT_SECONDS", 2.0)
    rows = [[["1/5", "2/5", "2/5"]], [[0, "1/5", "4/5"]], [["3/5", "2/5", 0], [0, 1, 0]]]
    rewards = [[{"-3/2": 1}], [{"-1/2": 1}], [{"1/2": 1}, {"-3/2": "1/5", 1: "4/5"}]]
    mdp = vr.MDP(["1/5", 0, "4/5"], rows, rewards, horizon=2, discount="2/3")
    G = vr.objective("pl(0,0; 4/5,28/29; 9/10,1; 1,1)")
    began = time.process_time()
    plan = vr.plan(mdp, G, gap=0)
    assert time.process_time() - began < 60
    low, high = mdp.remaining_range(0)
    assert plan.gap <= (high - low) / 10**6


def test_bounds_stay_within_the_range_of_returns():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=2)
    for G in (vr.CVaR("1/4"), vr.VaR("1/4"), vr.Wang("1/2")):
        plan = vr.plan(mdp, G, eta=10**30)
        assert 0 <= plan.lower <= plan.upper <= 1


@pytest.mark.parametrize("size", [400, -400])
def test_the_unit_of_enormous_or_tiny_rewards_is_chosen_without_floats(size):
    r = Fraction(10) ** size
    mdp = vr.MDP(0, [[[1], [1]]], [[{r: 1}, {0: HALF, 3 * r + Fraction(r) / 10**15: HALF}]], 3, "99/100")
    for G in (vr.CVaR("1/2"), vr.VaR("1/3"), vr.Mean()):
        plan = vr.plan(mdp, G)
        assert plan.gap <= plan.mdp.remaining_range(0)[1] / 500


def test_a_probability_below_every_float_is_no_domain_error():
    tiny = Fraction(1, 10**400)
    mdp = vr.MDP(0, [[{0: 1 - tiny, 1: tiny}, {0: 1}], [{1: 1}]], [[{1: 1}, {"1/2": 1}], [{0: 1}]], horizon=3)
    plan = vr.plan(mdp, vr.CVaR(Fraction(1, 10**280)))
    assert plan.lower <= plan.upper
    assert plan.upper >= Fraction(3, 2)


def test_a_reward_of_a_probability_below_every_float_is_not_forgotten():
    tiny, alpha = Fraction(1, 10**400), Fraction(1, 10**280)
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: tiny, 1: 1 - tiny}, {"1/2": 1}]], horizon=2)
    optimum = 2 - 2 * tiny / alpha  # the worst alpha share holds both failures, and the double one counts twice
    assert vr.exact_plan(mdp, vr.CVaR(alpha)).value == optimum
    plan = vr.plan(mdp, vr.CVaR(alpha))
    assert plan.lower <= optimum <= plan.upper


def test_var_is_decided_exactly_where_a_level_is_met_with_equality():
    """Twelve fair coins and a level of exactly one half: floats cannot tell, integers can."""
    steps = 12
    rows = [[{0: HALF, 1: HALF}, {1: 1}], [{0: HALF, 1: HALF}, {0: 1}]]
    rewards = [[{0: HALF, 1: HALF}, {"1/3": 1}], [{0: HALF, "3/2": HALF}, {"1/4": 1}]]
    mdp = vr.MDP(0, rows, rewards, steps)
    for alpha in ("1/2", "1/4", "1/8"):
        plan = vr.plan(mdp, vr.VaR(alpha))
        assert plan.lower == plan.upper == vr.exact_plan(mdp, vr.VaR(alpha)).value


@pytest.mark.parametrize("rows", [True, False])
def test_a_level_met_with_equality_is_bounded_where_python_may_not_decide_it(monkeypatch, rows):
    """By rows the answer is the same; where those may not be computed either, the doubt stays, and stays true."""
    monkeypatch.setattr(threshold, "EXACT_CELLS", 0)
    if not rows:
        monkeypatch.setattr(threshold, "ROW_CELLS", 0)
    doubtful = 0
    for mdp, model, rng in models.small("levels met", 60, max_horizon=2):
        laws = list(oracles.all_return_laws(model))
        law = rng.choice(laws)
        levels = [sum(law[z] for z in law if z <= x) for x in law]
        alpha = rng.choice([x for x in levels if 0 < x < 1] or [HALF])
        for upper in (False, True):
            best = max(oracles.quantile(own, alpha, upper=upper) for own in laws)
            plan = vr.plan(mdp, vr.VaR(alpha, upper=upper))
            assert plan.lower <= best <= plan.upper
            assert oracles.quantile(models.law_by_playing(model, plan.policy), alpha, upper=upper) >= plan.lower
            assert not rows or plan.lower == plan.upper or mdp.discount != 1
            doubtful += plan.lower < plan.upper
    assert doubtful >= 10 or rows


@pytest.mark.parametrize("level", ["1/9", "1/3", "2/3", "8/9"])
def test_rows_decide_nothing_where_a_discount_and_rounding_up_merge_rewards(level, monkeypatch):
    """Rewards 0, 1, 2 are 0, 1, 1 in the second step; rows have one denominator for all steps."""
    monkeypatch.setattr(threshold, "EXACT_CELLS", 0)
    third = Fraction(1, 3)
    mdp = vr.MDP(0, [[[1]]], [[{0: third, 1: third, 2: third}]], horizon=2, discount=HALF)
    rounded = vr.Law({0: "1/9", 1: "1/3", 2: "1/3", 3: "2/9"})
    for upper in (False, True):
        G = vr.VaR(level, upper=upper)
        found = threshold.best_quantile(float_model(mdp, Fraction(1)), G.jumps[0], mdp)
        assert found.lower <= G.of(rounded) <= found.upper


def test_a_contraction_that_would_not_end_in_time_is_left_out(monkeypatch):
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=6)
    best = vr.plan(mdp, vr.Wang("3/4"), gap="1/100").lower
    monkeypatch.setattr(grid_coordinates, "CONTRACTED_PER_SECOND", 1e-9)
    monkeypatch.setattr(grid_coordinates.Oracle, "contract", lambda *_: pytest.fail("there was no time for this"))
    plan = vr.plan(mdp, vr.Wang("3/4"), time_limit=0.2)
    assert plan.lower <= plan.upper
    assert plan.upper >= best
