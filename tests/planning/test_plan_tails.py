"""The certified planner for Mean, CVaR, mean-CVaR and VaR, against brute force and LPs over occupation measures."""

import dataclasses
import itertools
import random
from fractions import Fraction

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.planning.affordable_law import float_law
from verified_risk.planning.grid_choice import choose_unit
from verified_risk.planning.rounding import round_up_to_two_digits
from verified_risk.planning.tails.frontier import FrontPoint

ALPHAS = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)]
ETAS = [Fraction(1, 3), Fraction(2, 7), Fraction(1, 10), Fraction(3, 4), Fraction(2)]


def objective(name, rng):
    a = rng.choice(ALPHAS)
    w = rng.choice([Fraction(1, 1000), Fraction(1, 3), Fraction(9, 10)])
    upper = vr.VaR(a, upper=True), lambda law: oracles.quantile(law, a, upper=True)
    return {**models.tail_objectives(a, w), "upper-var": upper}[name]


@pytest.mark.parametrize("name", ["mean", "cvar", "mean-cvar", "var", "upper-var"])
def test_the_bounds_contain_the_brute_force_optimum_and_the_policy_attains_the_lower_one(name):
    for mdp, model, rng in models.small(f"float {name}", 200, max_states=3, max_actions=3):
        G, phi = objective(name, rng)
        best = max(phi(law) for law in oracles.all_return_laws(model))
        plan = vr.plan(mdp, G)
        assert plan.lower <= best <= plan.upper
        assert plan.lower <= plan.value <= plan.upper
        assert plan.gap <= Fraction(1, 10**12)
        assert phi(models.law_by_playing(model, plan.policy)) >= plan.lower
        assert sum(x for _, x in plan.certificate.contributions) == plan.gap


@pytest.mark.parametrize("name", ["mean", "cvar", "mean-cvar", "var", "upper-var"])
def test_on_a_grid_that_does_not_fit_the_rewards_the_bounds_still_hold_for_the_model_itself(name):
    for mdp, model, rng in models.small(f"rounded {name}", 120, max_states=2, max_actions=3):
        G, phi = objective(name, rng)
        eta = rng.choice(ETAS)
        best = max(phi(law) for law in oracles.all_return_laws(model))
        plan = vr.plan(mdp, G, eta=eta)
        assert plan.eta == eta
        assert plan.lower <= best <= plan.upper
        assert plan.gap <= model.horizon * eta + Fraction(1, 10**12)
        assert phi(models.law_by_playing(model, plan.policy)) >= plan.lower


def test_one_step_one_action_and_constant_rewards_are_no_special_cases():
    lottery = {0: "1/3", "5/7": "2/3"}
    one = vr.MDP(0, [[[1]]], [[lottery]], horizon=1)
    assert vr.plan(one, vr.CVaR("1/2")).lower == vr.CVaR("1/2").of(vr.Law(lottery))
    constant = vr.MDP(0, [[[1], [1]]], [[{"-2/3": 1}, {"-2/3": 1}]], horizon=4)
    for G in (
        vr.Mean(),
        vr.CVaR("1/9"),
        vr.VaR("1/9"),
        vr.Wang(1),
        vr.CPW("1/2"),
        vr.Spectral(["1/9", "1/2"], ["1/2", "1/2"]),
    ):
        plan = vr.plan(constant, G)
        assert plan.lower <= Fraction(-8, 3) <= plan.upper
        assert plan.gap < Fraction(1, 10**12)


def test_the_frontier_contains_the_optimum_of_every_level_and_turns_where_it_says():
    for mdp, _, rng in models.small("frontier", 40, max_states=3, max_actions=3):
        frontier = vr.cvar_frontier(mdp)
        for alpha in [rng.choice(ALPHAS), *frontier.corners[:3], Fraction(1)]:
            exact = vr.exact_plan(mdp, vr.CVaR(alpha)).value
            assert exact in frontier(alpha)
            assert frontier.plan(alpha).lower <= exact <= frontier.plan(alpha).upper
        values = [frontier(Fraction(k, 40)).lower for k in range(1, 41)]
        assert all(a <= b + Fraction(1, 10**12) for a, b in itertools.pairwise(values))


def test_the_frontier_of_rewards_that_were_rounded_up_contains_the_optimum():
    """Every return is a third less than the grid says."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{"2/3": 1}, {"-1/3": "1/4", "5/3": "3/4"}]], horizon=1)
    frontier = vr.cvar_frontier(mdp, eta=1)
    for alpha in ("1/8", "1/2", "1"):
        best = vr.exact_plan(mdp, vr.CVaR(alpha)).value
        assert best - Fraction(1, 10**9) <= frontier(alpha).lower <= best < frontier(alpha).upper


def test_a_point_of_a_front_is_exact_only_if_its_law_is():
    plan = vr.plan(vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1), "mean")
    law = vr.return_law(plan.mdp, plan.policy)
    for error, exact in ((Fraction(), True), (Fraction(1, 10**15), False), (Fraction(1), False)):
        stated = dataclasses.replace(plan, known_law=law, known_error=error)
        assert FrontPoint(Fraction(1), law.mean, law.mean, stated).exact is exact


def test_no_policy_beats_the_mean_cvar_front_by_a_weighted_sum():
    found, rng, alpha = 0, random.Random("front"), Fraction(1, 4)
    for _ in range(15):
        laws = [{rng.randint(1, 4): 1}] + [{0: Fraction(k, 8), rng.randint(5, 12): 1 - Fraction(k, 8)} for k in (1, 2)]
        mdp = vr.MDP(0, [[[1]] * 3], [laws], horizon=2)
        model = oracles.Model({0: Fraction(1)}, [[[(p, 0, Fraction(r)) for r, p in law.items()] for law in laws]], 2)
        front = vr.mean_cvar_front(mdp, alpha)
        found += len(front) > 1
        points = {(oracles.mean(law), oracles.cvar(law, alpha)) for law in oracles.all_return_laws(model)}
        assert all((point.mean, point.cvar) in points for point in front)
        for k in range(21):
            w = Fraction(1, 1000) + Fraction(998, 1000) * Fraction(k, 20)
            best = max(w * m + (1 - w) * c for m, c in points)
            assert max(w * point.mean + (1 - w) * point.cvar for point in front) >= best - Fraction(1, 10**10)
    assert found >= 5, "the models have no trade-offs to find"


def test_the_law_of_a_plan_is_the_policys_and_the_float_law_is_within_its_error():
    for mdp, model, rng in models.small("laws", 60, max_states=3, max_actions=3):
        plan = vr.plan(mdp, vr.CVaR(rng.choice(ALPHAS)))
        assert dict(plan.law) == {z: p for z, p in models.law_by_playing(model, plan.policy).items() if p}
        assert plan.law_error == 0
        law, error = float_law(mdp, plan.policy)
        assert law.kolmogorov(plan.law) <= error < Fraction(1, 10**10)


@pytest.mark.parametrize(
    ("x", "rounded"),
    [
        ("1", "1"), ("99", "99"), ("991/10", "100"), ("100", "100"), ("101", "110"), ("1/3", "34/100"),
        ("12345", "13000"), ("1/1000", "1/1000"), ("99/1000", "99/1000"), ("991/10000", "1/10"),
    ],
)  # fmt: skip
def test_two_digits_are_rounded_up_and_no_further(x, rounded):
    assert round_up_to_two_digits(Fraction(x)) == Fraction(rounded)


def test_a_grid_for_a_gap_costs_half_of_it_where_a_search_follows_and_nearly_all_where_none_does():
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], 100, "97/100")
    assert choose_unit(mdp, None, Fraction(2), searching=True) == Fraction(1, 100)  # 100 steps, T eta = 1
    assert choose_unit(mdp, None, Fraction(2), searching=False) == Fraction(1, 51)  # the largest 1/n with T eta <= 1.98
