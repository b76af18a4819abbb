"""Plans with constraints, against a linear program over occupation measures for every return as rho."""

import contextlib
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import oracles
import plan_models as models
import pytest
import scipy.stats

import verified_risk as vr
from verified_risk.errors import Infeasible, InvalidArgument, InvalidNumber, Unsupported
from verified_risk.grid import float_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning.constraints import _DirectionSearch, _Problem

LAKE = vr.models.frozen_lake()


def best_by_lp(model: oracles.Model, functionals: list[dict[Fraction, Fraction]], limits: list[Fraction]) -> float:
    """The largest value of the first functional where the others reach their limits; -inf if there is none.

    A functional has a weight for each level of CVaR, and level 1 is the mean.
    """
    from scipy.optimize import linprog

    returns, laws, a_eq, b_eq = models.occupancy_lp(model)
    levels = sorted({alpha for functional in functionals for alpha in functional} - {Fraction(1)})
    best = -np.inf
    for quantiles in product(returns, repeat=len(levels)):
        utility = {Fraction(1): [float(z) for z in returns]}
        for alpha, rho in zip(levels, quantiles, strict=True):
            utility[alpha] = [float(rho - max(rho - z, Fraction()) / alpha) for z in returns]
        rows = [sum(float(w) * np.array(utility[a]) for a, w in functional.items()) @ laws
                for functional in functionals]  # fmt: skip
        found = linprog(-rows[0], A_ub=[-row for row in rows[1:]], b_ub=[-float(c) for c in limits], A_eq=a_eq,
                        b_eq=b_eq, method="highs")  # fmt: skip
        if found.status == 0:
            best = max(best, -found.fun)
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
        functionals = [{Fraction(1): a, alpha: 1 - a} for a in (weight, *(a for a, _ in wanted))]
        best = best_by_lp(model, functionals, [c for _, c in wanted])
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
        search = _DirectionSearch(grid, problem)
        search.look(Fraction(1, 3))
        shift = grid.offsets[-1]
        for theta, support in search.supports.items():
            for rho in range(0, grid.remaining[0] + 1, max(1, grid.remaining[0] // 3)):
                at = (rho + shift) * grid.unit

                def worth(z, at=at, theta=theta, alpha=alpha):
                    return theta * z + (1 - theta) * (at - max(at - z, 0) / alpha)

                exact = oracles.best_expected_utility(model, worth) / grid.unit - shift
                assert exact <= Fraction(float(support[rho])) <= exact + Fraction(1, 10**9)


def test_lagrangians_are_rounded_up():
    rng = np.random.default_rng(4)
    for _ in range(20):
        c, supports = Fraction(rng.random()), {Fraction(k, 6): rng.random(50) * 10 for k in (2, 3)}
        found = _Problem(Fraction(1, 3), ((Fraction(2, 3), c),), Fraction(1, 2)).best(supports, Fraction(3), 0)
        for own, other, least in zip(*supports.values(), found, strict=True):
            assert Fraction(least) >= min(Fraction(own), 2 * Fraction(other) - c / 3)


def test_the_lake_mixes_two_policies_to_reach_a_cvar_of_a_half():
    plan = vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 1/2"])
    assert plan.lower > Fraction(364, 100) > max(p.mean for p in vr.mean_cvar_front(LAKE, "1/4") if p.cvar >= 0.5)
    assert plan.missed == (0,)
    assert plan.law_error == 0
    assert len(plan.proof.weights) <= 8
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
        ("mean", ["erm(1) >= 1"], Unsupported, r"erm\(1\): entropic risks have no constraints"),
    ],
)
def test_other_constraints_are_refused_in_words(objective, subject_to, error, message):
    with pytest.raises(error, match=message):
        vr.plan(LAKE, objective, subject_to=subject_to)


@pytest.mark.parametrize(
    ("reward", "horizon", "message"), [(scipy.stats.uniform(), 1, "finitely many rewards"), (1, None, "a horizon")]
)
def test_models_whose_returns_have_no_exact_law_have_no_constraints(reward, horizon, message):
    with pytest.raises(Unsupported, match=f"constraints need {message}"):
        vr.plan(vr.MDP(0, [[[1]]], [[reward]], horizon, "1/2"), "mean", eta="1/2", subject_to=["mean >= 0"])


SEVERAL = {
    "two levels": ({Fraction(1): Fraction(1)}, {Fraction(1, 4): Fraction(1)}, {Fraction(1, 2): Fraction(1)}),
    "spectral": ({Fraction(1, 5): Fraction(1, 2), Fraction(1): Fraction(1, 2)}, {Fraction(2, 3): Fraction(1)}),
}


@pytest.mark.parametrize("family", SEVERAL)
def test_several_levels_are_bounded_on_both_sides(family):
    """By one linear program for each choice of quantiles; what is said to be infeasible is, and mixtures get close."""
    rng, tight, infeasible = random.Random(f"several {family}"), 0, 0
    functionals = list(SEVERAL[family])
    for trial in range(20):
        model = gambles(rng)
        mdp = models.as_mdp(model)
        objective, *others = (
            vr.objective(" + ".join(f"{w}*cvar({a})" for a, w in functional.items())) for functional in functionals
        )
        alone = [vr.plan(mdp, w).lower for w in others]
        least = [vr.plan(mdp, w, subject_to=[vr.Constraint(objective, vr.plan(mdp, objective).lower)]).lower
                 for w in others]  # fmt: skip
        limits = [
            low + Fraction(rng.choice([0, 1, 2, 3, 4, 5, 6, 9]), 7) * (high - low)
            for low, high in zip(least, alone, strict=True)
        ]
        constraints = [vr.Constraint(w, c) for w, c in zip(others, limits, strict=True)]
        best, span = best_by_lp(model, functionals, limits), float(np.ptp(mdp.remaining_range(0))) + 1
        if best == -np.inf:
            with contextlib.suppress(Infeasible):
                assert any(vr.plan(mdp, objective, subject_to=constraints).missed), trial
                continue
            infeasible += 1
            continue
        plan = vr.plan(mdp, objective, subject_to=constraints)
        law = models.law_by_playing(model, plan.policy)
        value = [sum(w * oracles.cvar(law, a) for a, w in functional.items()) for functional in functionals]
        assert plan.lower <= value[0], trial
        assert all(w.lower <= x <= w.upper for w, x in zip(plan.worth, value[1:], strict=True)), trial
        assert best <= plan.upper + 1e-8 * span, trial
        assert plan.recheck(), trial
        if not any(plan.missed):
            assert plan.lower <= best + 1e-8 * span, trial
            tight += best - plan.lower <= 1e-5 * span
    assert tight >= 12
    assert infeasible >= (2 if family == "two levels" else 0)


def test_infeasibility_comes_with_a_plan_that_proves_it():
    """Half of the outcomes at least, and nearly all, cannot both be as good as each is alone."""
    with pytest.raises(Infeasible, match=r"no policy has .* together: .* is at most") as caught:
        vr.plan(LAKE, "cvar(1/10)", subject_to=["var(1/2) >= 6", "cvar(1/4) >= 6/5"], time_limit=20)
    assert caught.value.plan.recheck().upper_holds is Truth.HOLDS


@pytest.mark.parametrize(
    ("objective", "constraint", "upper"),
    [("wang(1/2)", "mean >= 3", 3.2623), ("mean", "wang(1/2) >= 3", 4.374001), ("mean", "var(1/4) >= 1/2", 4.34),
     ("cpw(0.71)", "cvar(1/4) >= 1/2", 4.2), ("dual(3/2)", "cvar(1/10) >= 1/2", 3.5)],
)  # fmt: skip
def test_any_weighting_has_constraints(objective, constraint, upper):
    """Bounds of policies that meet the constraint, mixtures of two drawn at random, are below the upper bound."""
    plan = vr.plan(LAKE, objective, subject_to=[constraint], time_limit=20)
    assert not any(plan.missed)
    assert plan.lower <= plan.upper <= upper
    wanted = plan.constraints[0]
    found = [
        vr.plan(LAKE, w).policy for w in (objective, "mean", "cvar(1/10)", "cvar(1/4)", "var(1/4)", wanted.objective)
    ]
    laws = [vr.return_law(LAKE, policy) for policy in (*found, plan.policy)]
    rng = random.Random(constraint)
    for _ in range(100):
        share = Fraction(rng.randint(0, 64), 64)
        law = vr.Law.mixture([(share, rng.choice(laws)), (1 - share, rng.choice(laws))])
        if worth(wanted.objective, law)[0] >= wanted.bound:
            assert worth(plan.objective, law)[0] <= plan.upper


def worth(weighting: vr.Weighting, law: vr.Law) -> tuple[Fraction, Fraction]:
    return vr.numbers.enclosure.bounds(weighting.of(law))


def test_a_forged_proof_of_a_lagrangian_is_not_confirmed():
    plan = vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 1/2", "var(1/4) >= 1"], time_limit=20)
    proof = next(
        p for p in (plan.proof, vr.plan(LAKE, "mean", subject_to=["var(1/4) >= 1"]).proof) if hasattr(p, "prices")
    )
    constraints = (vr.Constraint.of("var(1/4) >= 1"),)
    assert proof.upper_again(LAKE, vr.Mean(), constraints) == proof.upper(constraints)
    other = replace(proof, prices=tuple(p + 1 for p in proof.prices))
    assert other.upper_again(LAKE, vr.Mean(), constraints) is None
    assert proof.upper_again(vr.models.two_paths(), vr.Mean(), constraints) is None
    lowered = replace(proof.plan, upper=proof.plan.lower - Fraction(1, 10**6))
    assert replace(proof, plan=lowered).upper_again(LAKE, vr.Mean(), constraints) is None
    fewer = vr.plan(LAKE, "mean", subject_to=["cvar(1/4) >= 1/2", "cvar(1/10) >= 1/4"]).proof
    assert fewer.upper_again(LAKE, vr.Mean(), (*fewer.constraints, *constraints)) is not None
    assert fewer.upper_again(LAKE, vr.Mean(), constraints) is None


def test_what_is_just_possible_is_not_called_infeasible():
    """A bound within the planner's error of the best, and an objective that can only be as bad as the worst return."""
    most = vr.plan(LAKE, "wang(1/2)", gap="1/4000", time_limit=20)
    plan = vr.plan(LAKE, "mean", subject_to=[vr.Constraint(vr.Wang("1/2"), most.upper)], gap="1/1000", time_limit=20)
    assert 0 < plan.missed[0] < Fraction(1, 500)
    plan = vr.plan(LAKE, "cvar(1/10)", subject_to=["var(1/2) >= 6"], time_limit=20)
    assert not any(plan.missed)
    assert plan.lower == 0


def test_rewards_off_every_grid_have_the_bounds_of_the_lagrangian():
    rng = random.Random(1)
    law = {Fraction(rng.randint(1, 10**12), 10**12 + 39): Fraction(1, 4) for _ in range(4)}
    mdp = vr.MDP(0, [[[1]]], [[law]], horizon=3, discount="97/101")
    plan = vr.plan(mdp, "mean", subject_to=["cvar(1/2) >= 0"])
    exact = vr.return_law(mdp, plan.policy).mean
    assert plan.lower <= exact <= plan.upper <= exact + Fraction(1, 10**3)
    with pytest.raises(Infeasible, match="no policy has mean >= 5: the largest"):
        vr.plan(mdp, "mean", subject_to=["mean >= 5"])
