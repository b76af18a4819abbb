"""Mixtures of a few CVaRs, planned by boxes of differences of budgets, against every policy and every budget."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import float_model, own_unit
from verified_risk.numbers.enclosure import Truth
from verified_risk.objectives.piecewise import Levels
from verified_risk.planning.clock import Clock
from verified_risk.planning.rounding import gamma
from verified_risk.planning.tails.budget_tables import Shortfall, budget_tables, linear_part
from verified_risk.planning.tails.several_levels import MOST_LEVELS, SeveralLevels, few_levels


def mixture(rng: random.Random, count: int, denominators=(2, 3, 4, 7, 10)) -> vr.Weighting:
    """``count`` levels, some close to each other, and in half of the cases the mean."""
    levels = {Fraction(1, 1000)}
    while len(levels) < count:
        q = rng.choice(denominators)
        levels.add(Fraction(rng.randint(1, q - 1), q))
    parts = [vr.CVaR(alpha) for alpha in sorted(levels)[-count:]] + [vr.Mean()] * rng.randint(0, 1)
    weights = [rng.randint(1, 5) for _ in parts]
    total = sum((Fraction(w, sum(weights)) * part for w, part in zip(weights, parts, strict=True)), 0 * vr.Mean())
    assert isinstance(total, vr.Weighting)
    return total


def worth(levels, law) -> Fraction:
    return sum((w * oracles.cvar(law, alpha) for alpha, w in levels.tails), levels.mean * oracles.mean(law))


def test_the_least_probabilities_are_rounded_down():
    model = float_model(vr.models.machine_replacement(), Fraction(1))
    tables = budget_tables(model, Fraction(), 0, model.remaining[0], threshold=True, linear=linear_part(model))
    found = SeveralLevels(model, vr.objective("1/2*cvar(1/4) + 1/2*cvar(1/2)").require_levels()).least
    for least, x in zip(found[:-1].tolist(), tables.shortfall.tolist(), strict=True):
        assert Fraction(least) <= min(tables.enclosure.below(x), 1)


@pytest.mark.parametrize("count", range(2, MOST_LEVELS + 1))
def test_the_bounds_enclose_the_best_of_all_policies(count):
    for mdp, model, rng in models.small(f"few levels {count}", 40):
        objective = mixture(rng, count)
        assert few_levels(objective)
        plan = models.plan_on_grid(mdp, objective, own_unit(mdp))
        best = max(worth(objective.levels, law) for law in oracles.all_return_laws(model))
        span = max(mdp.remaining_range(0)[1] - mdp.remaining_range(0)[0], Fraction(1))
        assert "budgets of" in plan.certificate.method or plan.gap == 0
        assert plan.lower <= best <= plan.upper <= plan.lower + span / 10**6
        assert plan.lower <= worth(objective.levels, models.law_by_playing(model, plan.policy))
        if "budgets of" in plan.certificate.method:
            search = SeveralLevels(float_model(mdp, plan.eta), objective.levels)
            search.run(Fraction(), Clock())
            assert best <= (search.upper + search.model.offsets[-1]) * plan.eta


def exact_value(model, levels, shift, unit, rho, steps) -> Fraction:
    """V in units, by its definition, over all policies of step, state and return; budgets are above ``shift``."""
    rhos = [(rho + d) * unit for d in (0, *steps)]

    def cost(z):
        tails = zip(levels.tails, rhos, strict=True)
        parts = [w * (rho - max(rho - z + shift, 0) / alpha) for (alpha, w), rho in tails]
        return sum(parts, levels.mean * (z - shift))

    return oracles.best_expected_utility(model, cost) / unit


def test_a_box_is_bounded_by_its_best_budgets_and_no_more_than_its_slopes_allow():
    """On models with rewards in units of 1: the bound at every rho_1 holds for every difference of the box, is exact
    for a box of one point, and exceeds the exact inequality by rounding only."""
    compared = 0
    for mdp, model, rng in models.small("boxes", 80):
        unit = own_unit(mdp)
        search = SeveralLevels(float_model(mdp, unit), mixture(rng, 3).levels)
        low_return = min(z for law in oracles.all_return_laws(model) for z in law)
        if search.top == 0 or search.top > 12 or search.model.offsets[-1] * unit > low_return:
            continue
        levels = Levels(search.mean, tuple(zip(search.alphas, search.weights, strict=True)))
        shift = search.model.offsets[-1] * unit
        low = sorted(rng.randint(0, search.top) for _ in range(2))
        high = sorted(d + rng.randint(0, 2) for d in low)
        least = [min(sum(p for z, p in law.items() if z - shift <= x * unit) for law in oracles.all_return_laws(model))
                 for x in range(search.top + 1)]  # fmt: skip
        box = search.box(tuple(low), tuple(high), np.full(len(search.rhos), np.inf))
        for rho in range(len(search.rhos)):
            if not np.isfinite(box.bound[rho]):
                continue
            compared += 1
            allowed = exact_value(model, levels, shift, unit, rho, low)
            for (alpha, w), a, b in zip(levels.tails[1:], low, high, strict=True):
                rates = [w - w / alpha * least[min(x, search.top)] for x in range(rho + a, rho + b)]
                allowed += sum(max(rate, 0) for rate in rates)
            margin = search.margin
            assert abs(Fraction(float(box.bound[rho])) - allowed) <= margin
            inside = itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))
            inside = [d for d in inside if d[0] <= d[1]]
            assert max(exact_value(model, levels, shift, unit, rho, d) for d in inside) <= allowed
    assert compared > 60


def test_a_budget_beyond_every_quantile_is_left_out_and_no_other():
    for mdp, model, rng in models.small("quantiles", 30):
        search = SeveralLevels(float_model(mdp, own_unit(mdp)), mixture(rng, 2).levels)
        shift = search.model.offsets[-1] * own_unit(mdp)
        for alpha, largest in zip(search.alphas, search.largest, strict=True):
            laws, rho = list(oracles.all_return_laws(model)), largest * own_unit(mdp) + shift
            assert rho >= max(oracles.quantile(law, alpha) for law in laws)
            assert min(sum(p for z, p in law.items() if z < rho) for law in laws) <= alpha + Fraction(1, 10**12)
            level = min(sum(p for z, p in law.items() if z < rho) for law in laws) * (1 + Fraction(1, 2**80))
            if 0 < level < 1:  # all but equal to a probability
                near = SeveralLevels(search.model, Levels(Fraction(1, 2), ((level, Fraction(1, 2)),)))
                assert near.largest[0] >= largest


def medium(seed: int) -> vr.MDP:
    rng = random.Random(seed)

    def law(values):
        chosen = rng.sample(values, 3)
        return dict(zip(chosen, (Fraction(w, 10) for w in (2, 3, 5)), strict=True))

    rewards = [[law([Fraction(k, 4) for k in range(5)]) for _ in range(3)] for _ in range(6)]
    return vr.MDP(0, [[law(range(6)) for _ in range(3)] for _ in range(6)], rewards, horizon=8)


OBJECTIVE = vr.objective("1/4*cvar(1/20) + 1/4*cvar(1/5) + 1/4*cvar(1/2) + 1/4*mean")


def test_a_recheck_confirms_a_saved_plan_and_a_forged_bound_is_not_confirmed(tmp_path):
    plan = vr.plan(medium(1), OBJECTIVE)
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    checked = again.recheck()
    assert checked.lower_holds is checked.upper_holds is Truth.HOLDS
    assert "boxes of CDFs" in checked.upper_route
    assert replace(again, upper=again.lower - Fraction(1, 10**8)).recheck().upper_holds is not Truth.HOLDS
    assert plan.gap <= Fraction(1, 10**6) * 8
    searched = dict(plan.certificate.contributions)["search"]
    assert 0 <= searched <= plan.gap


def test_a_cost_is_rounded_no_more_often_than_it_says():
    rng = random.Random("costs")
    for count in range(1, 7):
        weights = [rng.randint(1, 10**6) for _ in range(count)]
        shares, delays = [Fraction(w, sum(weights)) for w in weights], [rng.randint(0, 20) for _ in range(count)]
        cost = Shortfall(tuple(shares), tuple(delays))
        for b, computed in enumerate(cost.upto(60), start=1):
            exact = sum((v * max(b - d, 0) for v, d in zip(shares, delays, strict=True)), Fraction())
            assert abs(Fraction(float(computed)) - exact) <= gamma(cost.roundings) * exact
        assert cost.bend == max(delays)


def test_a_search_stopped_early_has_wider_bounds_that_hold():
    model = float_model(medium(3), Fraction(1, 4))
    closed, stopped = (SeveralLevels(model, OBJECTIVE.levels) for _ in range(2))
    closed.run(Fraction(1, 10**9), Clock())
    stopped.run(Fraction(1, 10**9), Clock(0.0))
    assert closed.upper - closed.lower < Fraction(1, 10**9) < stopped.upper - stopped.lower
    assert stopped.lower <= closed.lower <= closed.upper <= stopped.upper
