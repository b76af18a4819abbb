"""Plans with constraints, against a linear program over occupation measures for every return as rho."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import Infeasible, InvalidArgument, InvalidNumber, Unsupported
from verified_risk.grid.floats import float_model
from verified_risk.planning.tails.constrained import _Problem, _Search

LAKE = vr.models.frozen_lake()


def best_by_lp(model: oracles.Model, weight: Fraction, alpha: Fraction, wanted) -> float:
    """The largest ``a E Z + (1 - a) CVaR`` with ``a_i E Z + (1 - a_i) CVaR >= c_i``; -inf if there is none."""
    from scipy.optimize import linprog

    returns, laws, a_eq, b_eq = models.occupancy_lp(model)
    mean = np.array(list(map(float, returns))) @ laws
    best = -np.inf
    for rho in returns:
        short = np.array([max(float(rho - z), 0.0) for z in returns]) @ laws / float(alpha)
        rows = [-(float(a) * mean - float(1 - a) * short) for a, _ in wanted]
        limits = [float((1 - a) * rho - c) for a, c in wanted]
        found = linprog(-(float(weight) * mean - float(1 - weight) * short), A_ub=rows, b_ub=limits, A_eq=a_eq,
                        b_eq=b_eq, method="highs")  # fmt: skip
        if found.status == 0:
            best = max(best, float(1 - weight) * float(rho) - found.fun)
    return best


def mixed(a: Fraction, alpha: Fraction) -> vr.Weighting:
    whole = a * vr.Mean() + (1 - a) * vr.CVaR(alpha)
    assert isinstance(whole, vr.Weighting)
    return whole


def gambles(rng: random.Random) -> oracles.Model:
    """Two states in which what pays more on average also fails more often."""

    def action(k: int):
        p, good = Fraction(rng.randint(1, 3), 4), rng.randint(0, 1)
        return [(p, good, Fraction(1 + 2 * k)), (1 - p, 1 - good, Fraction(1 - k))]

    outcomes = [[action(k) for k in range(rng.randint(2, 3))] for _ in range(2)]
    return oracles.Model({0: Fraction(1)}, outcomes, rng.randint(1, 2), Fraction(1))


def problems(seed: str, count: int):
    """Random models, objectives and one or two constraints that the best policies without them miss, if any does."""
    rng = random.Random(seed)
    for _ in range(count):
        model = gambles(rng)
        mdp = models.as_mdp(model)
        alpha = Fraction(rng.randint(1, 5), 6)
        weights = [Fraction(w, 4) for w in rng.choice([(4, 0), (4, 0), (0, 4), (3, 1), (4, 0, 2), (1, 0, 4)])]
        laws = [(oracles.mean(law), oracles.cvar(law, alpha)) for law in oracles.all_return_laws(model)]
        preferred = max(laws, key=lambda pair, a=weights[0]: a * pair[0] + (1 - a) * pair[1])
        wanted = []
        for a in weights[1:]:
            least, most = a * preferred[0] + (1 - a) * preferred[1], max(a * x + (1 - a) * c for x, c in laws)
            wanted.append((a, least + Fraction(rng.randint(1, 9), 8) * (most - least)))  # beyond 1 nothing is left
        if any(a * preferred[0] + (1 - a) * preferred[1] < c for a, c in wanted):
            yield mdp, model, alpha, weights[0], wanted


def test_bounds_enclose_the_optimum_of_the_linear_programs():
    solved = infeasible = mixtures = 0
    for mdp, model, alpha, weight, wanted in problems("constraints", 75):
        constraints = [vr.Constraint(mixed(a, alpha), c) for a, c in wanted]
        best = best_by_lp(model, weight, alpha, wanted)
        if best == -np.inf:
            with pytest.raises(Infeasible):
                vr.plan(mdp, mixed(weight, alpha), subject_to=constraints)
            infeasible += 1
            continue
        plan = vr.plan(mdp, mixed(weight, alpha), subject_to=constraints)
        span = float(max(mdp.remaining_range(0)[1] - mdp.remaining_range(0)[0], Fraction(1)))
        law = models.law_by_playing(model, plan.policy)
        assert plan.lower <= weight * oracles.mean(law) + (1 - weight) * oracles.cvar(law, alpha)
        for (a, c), worth in zip(wanted, plan.worth, strict=True):
            assert c <= worth.lower <= a * oracles.mean(law) + (1 - a) * oracles.cvar(law, alpha) <= worth.upper
        assert not any(plan.missed)
        assert plan.lower - 1e-8 * span <= best <= plan.upper + 1e-8 * span
        assert plan.gap <= 2e-6 * span
        assert plan.recheck()
        solved += 1
        mixtures += isinstance(plan.policy, vr.MixturePolicy)
    assert solved > 20
    assert infeasible > 10
    assert mixtures > 15


def test_every_direction_bounds_every_rho():
    """The Lagrangian bound, rho by rho, against the exact optimum of all policies in that direction."""
    for mdp, model, alpha, weight, wanted in problems("directions", 25):
        problem = _Problem(weight, tuple(wanted), alpha)
        grid = float_model(mdp, vr.grid.own_unit(mdp))
        search = _Search(grid, problem)
        search.look(Fraction(1, 3))
        shift = grid.offsets[-1]
        for theta, support in search.supports.items():
            for rho in range(0, grid.remaining[0] + 1, max(1, grid.remaining[0] // 3)):
                at = (rho + shift) * grid.unit

                def worth(z, at=at, theta=theta, alpha=alpha):
                    return theta * z + (1 - theta) * (at - max(at - z, 0) / alpha)

                exact = oracles.best_expected_utility(model, worth) / grid.unit - shift
                assert exact <= Fraction(float(support[rho])) <= exact + Fraction(1, 10**9)


def test_the_lake_mixes_two_policies_to_reach_a_cvar_of_a_half():
    plan = vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 1/2"])
    assert plan.lower > Fraction(364, 100) > max(p.mean for p in vr.mean_cvar_front(LAKE, "1/4") if p.cvar >= 0.5)
    assert plan.missed == (0,)
    assert plan.law_error == 0
    assert len(plan.directions) <= 8
    assert "no policy that keeps to it has more than 3.6425" in str(plan)
    assert plan.recheck()
    assert not replace(plan, upper=plan.lower - Fraction(1, 10**6)).recheck()
    assert not replace(plan, lower=plan.upper + Fraction(1, 10**6)).recheck()


def test_what_no_policy_has_is_said():
    with pytest.raises(Infeasible, match=r"no policy has cvar\(1/4\) >= 5: the largest is at most 1.200000001"):
        vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 5"])
    with pytest.raises(Infeasible, match=r"no policy has cvar\(1/4\) >= 6/5 and mean >= 4 together"):
        vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 6/5", "mean >= 4"])


@pytest.mark.parametrize(
    ("objective", "subject_to", "error", "message"),
    [
        ("mean", "mean >= 1", InvalidArgument, "subject_to is 'mean >= 1', wanted a list"),
        ("mean", ["mean <= 1"], InvalidArgument, "a constraint is 'mean <= 1', wanted text such as"),
        ("mean", ["mean >= x"], InvalidNumber, "the bound of 'mean >= x'"),
        ("wang(1/2)", ["mean >= 1"], Unsupported, r"wang\(1/2\): constraints are planned for the mean"),
        ("cvar(1/2)", ["cvar(1/4) >= 1"], Unsupported, "levels 1/4 and 1/2"),
    ],
)
def test_other_constraints_are_refused_in_words(objective, subject_to, error, message):
    with pytest.raises(error, match=message):
        vr.plan(LAKE, objective, subject_to=subject_to)


def test_rewards_off_every_grid_are_refused():
    rng = random.Random(1)
    law = {Fraction(rng.randint(1, 10**12), 10**12 + 39): Fraction(1, 4) for _ in range(4)}
    mdp = vr.MDP(0, [[[1]]], [[law]], horizon=30, discount="97/101")
    with pytest.raises(Unsupported, match="constraints need rewards on a grid that fits in memory"):
        vr.plan(mdp, "mean", subject_to=["cvar(1/2) >= 0"])
