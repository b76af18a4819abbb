"""``then=``: among policies that are as good, the one that a second objective prefers, against all policies."""

from fractions import Fraction

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidObjective, Unsupported


@pytest.mark.parametrize("level", ["1/4", "1/3", "1/2"])
def test_of_all_policies_with_the_best_cvar_one_with_the_best_mean_is_taken(level):
    changed = 0
    for mdp, model, _ in models.small(f"ties {level}", 40, max_actions=3):
        laws = [(oracles.cvar(law, Fraction(level)), oracles.mean(law)) for law in oracles.all_return_laws(model)]
        best = max(c for c, _ in laws)
        plain, plan = (vr.plan(mdp, vr.CVaR(level), then=then) for then in (None, "mean"))
        law = models.law_by_playing(model, plan.policy)
        span = mdp.remaining_range(0)[1] - mdp.remaining_range(0)[0]
        assert plan.lower <= oracles.cvar(law, Fraction(level)) <= best <= plan.upper
        assert plain.lower - plan.lower <= span / 10**6
        assert oracles.mean(law) >= max(mean for c, mean in laws if c == best) - Fraction(1, 10**6)
        assert plan.recheck().lower_holds.value == plan.recheck().upper_holds.value == "holds"
        changed += plan.law != plain.law
    assert changed > 0


@pytest.mark.parametrize("eta", [None, Fraction(1, 60)], ids=["integers", "a grid"])
@pytest.mark.parametrize("spec", ["cvar(1/3)", "var(1/2)"])
def test_by_default_one_pass_breaks_ties_by_the_mean(spec, eta):
    """The mean is at least that of every policy with the best CVaR; of a quantile, of every one that misses it as
    rarely."""
    better, level = 0, Fraction(spec[-4:-1])
    for mdp, model, _ in models.small(f"default {spec}", 40, max_actions=3):
        if mdp.discount != 1:
            continue
        plain, plan = (vr.plan(mdp, spec, eta=eta, then=then) for then in (None, "auto"))
        value = plan.objective.of(plan.law)
        assert plan.lower <= value <= plan.upper
        assert plan.lower == plain.lower if spec == "var(1/2)" else plain.lower - plan.lower <= Fraction(1, 10**8)
        laws = list(oracles.all_return_laws(model))
        if spec == "var(1/2)":
            rarely = min(sum(p for z, p in law.items() if z < value) for law in laws)
            rivals = [law for law in laws if sum(p for z, p in law.items() if z < value) == rarely]
        else:
            best = max(oracles.cvar(law, level) for law in laws)
            rivals = [law for law in laws if oracles.cvar(law, level) == best]
        assert plan.law.mean >= max(map(oracles.mean, rivals)) - Fraction(1, 10**6)
        exact = vr.exact_plan(mdp, spec)
        assert exact.value == plan.objective.of(exact.law)
        assert exact.law.mean == max(map(oracles.mean, rivals))
        better += plan.law.mean > plain.law.mean
        assert plan.recheck().lower_holds.value == "holds"
    assert better > 0 or eta is None


SPECTRAL = ("1/2*cvar(1/4) + 1/2*cvar(1/3)", "pl(0, 0; 1/4, 7/8; 1/3, 1; 1, 1)")
SEARCHED = " + ".join(f"1/7*cvar(1/{k})" for k in (14, 12, 10, 8, 6, 4, 3))


@pytest.mark.parametrize("eta", [None, Fraction(1, 60)], ids=["own grid or returns", "a grid"])
@pytest.mark.parametrize("spec", [*SPECTRAL, SEARCHED])
def test_by_default_plans_for_several_levels_break_ties_by_the_mean(spec, eta):
    better, objective = 0, vr.objective(spec)
    upper_half = oracles.Model({0: Fraction(1)}, [[[(Fraction(1, 2), 0, r) for r in (0, z)] for z in (1, 3, 2)]], 1)
    tied = vr.MDP.from_outcomes(upper_half.outcomes, initial=0, horizon=1)
    for mdp, model, _ in [(tied, upper_half, 0), *models.small("several levels", 25, max_actions=3)]:
        if mdp.discount != 1:
            continue
        plain, plan = (vr.plan(mdp, objective, eta=eta, then=then) for then in (None, "auto"))
        value, law = objective.of(plan.law), plan.law
        assert plan.lower <= value <= plan.upper
        assert plain.lower - plan.lower <= Fraction(1, 10**8)
        laws = [vr.Law(law) for law in oracles.all_return_laws(model)]
        best = max(objective.of(law) for law in laws)
        assert law.mean >= max(law.mean for law in laws if objective.of(law) == best) - Fraction(1, 10**6)
        better += law.mean > plain.law.mean
    assert better > 0


def test_a_better_mean_is_not_bought_with_the_objective():
    """The second action has a far better mean, a CVaR that is less by 1/10, and misses the quantile a little more
    often than it may."""
    third, bit = Fraction(1, 3), Fraction(1, 10**12)
    often = [{0: third - bit, 100: 1 - third + bit}, {0: third + bit, 10**6: 1 - third - bit}]
    for spec, laws in (("cvar(1/2)", [{1: 1}, {"9/10": "1/2", 100: "1/2"}]), ("var(1/3)", often)):
        mdp = vr.MDP(0, [[[1], [1]]], [laws], horizon=1)
        plan = vr.plan(mdp, spec)
        assert plan.objective.of(plan.law) == plan.lower == vr.plan(mdp, spec, then=None).lower
        assert plan.policy.choice(0, 0, 0) == ((0, 1),)


def test_what_is_earned_after_a_certain_miss_counts_for_the_mean():
    """Both actions miss 25 with probability 1/4; after the second, that still pays 5."""
    start = [[("3/4", 1, 20), ("1/4", 2, 0)], [("3/4", 1, 20), ("1/4", 3, 0)]]
    mdp = vr.MDP.from_outcomes([start, [[(1, 1, 5)]], [[(1, 2, 0)]], [[(1, 3, 5)]]], initial=0, horizon=2)
    plan = vr.plan(mdp, "var(1/2)")
    assert (plan.lower, plan.law.mean) == (25, 20)


def test_of_several_best_budgets_that_with_the_better_mean_is_taken():
    """A sure 1, best at rho = 1, and a lottery with the same CVaR, best at rho = 2."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{1: 1}, {0: "1/4", 2: "1/4", 100: "1/2"}]], horizon=1)
    for plan in (vr.plan(mdp, "cvar(1/2)"), vr.exact_plan(mdp, "cvar(1/2)")):
        assert (plan.lower, plan.law.mean) == (1, Fraction(101, 2))
    assert vr.plan(mdp, "cvar(1/2)", then=None).law.mean == 1


def test_the_loss_to_the_mean_stays_within_the_gap_asked_for():
    mdp = vr.models.river_swim()
    asked = vr.plan(mdp, "cvar(1/10)", gap=Fraction(1, 10**14))
    assert asked.gap <= Fraction(1, 10**14)
    assert asked.lower <= vr.plan(mdp, "cvar(1/10)").upper


def test_a_quantile_leaves_much_to_the_mean():
    coin, safe = {0: "1/2", 4: "1/2"}, {1: 1}
    mdp = vr.MDP(0, [[[1], [1]]], [[safe, coin]], horizon=3)
    plan = vr.plan(mdp, "var(1/2)", then="mean")
    assert plan.lower >= vr.plan(mdp, "var(1/2)").lower - Fraction(12, 10**6)
    assert plan.law.mean >= vr.plan(mdp, "var(1/2)").law.mean
    assert vr.plan(mdp, "var(1/2)", then="mean", gap=100).law.mean >= plan.law.mean, "beyond the range"


def test_taxi_does_not_waste_time_that_its_cvar_does_not_count():
    pytest.importorskip("gymnasium")
    mdp = vr.MDP.from_gymnasium("Taxi-v4", horizon=20)
    plain, plan = vr.plan(mdp, "cvar(1/10)", then=None), vr.plan(mdp, "cvar(1/10)")
    assert plain.lower == plan.lower == Fraction(19, 5)
    assert (plain.law.mean, plan.law.mean) == (Fraction("4.88"), Fraction("7.93"))
    assert vr.plan(mdp, "cvar(1/10)", then="mean").law.mean == Fraction("7.93")


def test_what_cannot_break_ties_is_said():
    lake = vr.models.frozen_lake()
    with pytest.raises(InvalidObjective, match="has no place in a sum"):
        vr.plan(lake, "cvar(1/4)", then="erm(1)")
    with pytest.raises(Unsupported, match="read between grid points breaks no ties"):
        vr.plan(lake.with_discount("97/101"), "cvar(1/4)", then="mean", time_limit=5)
