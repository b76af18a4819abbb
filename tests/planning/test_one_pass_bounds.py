"""A search is at least as good as one pass for the mean, CVaR or VaR (theory 05, B13)."""

from dataclasses import replace
from fractions import Fraction

import pytest
from oracles import all_return_laws
from plan_models import small

import verified_risk as vr
from verified_risk.models import random_sparse
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning import clock, routes
from verified_risk.planning.problem import Problem
from verified_risk.planning.result import ErrorBudget

Q = Fraction
LAWS = [
    vr.Law(dict(zip((-7, 0, 2, 11), weights, strict=True)))
    for weights in ([Q(1, 20), Q(1, 5), Q(1, 4), Q(1, 2)], [Q(1, 4)] * 4, [Q(9, 10), Q(1, 20), Q(1, 40), Q(1, 40)])
]


@pytest.mark.parametrize("G", ["wang(3/4)", "wang(1/10)", "hazard(1/2)", "1/3*cvar(1/10) + 2/3*wang(1)"])
def test_a_mixture_that_is_above_a_weighting_is_worth_more_for_every_law(G):
    G = vr.objective(G)
    above = [H for H in routes.candidates(G) if routes.is_above(G, H)]
    assert len(above) == 1 + len(routes.LEVELS)
    for H in above:
        assert all(bounds(G.of(law))[1] <= bounds(H.of(law))[1] for law in LAWS)
        for alpha, w in H.levels.tails:  # no more of the CVaR would do
            more = min(w + Q(2, routes.SHARES), Q(1))
            assert not routes.is_above(G, (1 - more) * vr.Mean() + more * vr.CVaR(alpha)) or w == 1
    assert not routes.is_above(G, vr.CVaR("1/100"))


@pytest.mark.parametrize("G", ["cpw(71/100)", "wang(-3/4)", "var(1/3)", "1/2*mean + 1/2*var(1/2)"])
def test_nothing_is_above_a_weighting_that_is_not_concave(G):
    G = vr.objective(G)
    assert not any(routes.is_above(G, H) for H in routes.candidates(G))


@pytest.mark.parametrize("late", [0.0, 1000.0])
@pytest.mark.parametrize("G", ["wang(3/4)", "cpw(71/100)", "wang(-1/2)"])
def test_a_search_that_found_nothing_has_what_one_pass_has(G, late, tmp_path, monkeypatch):
    """A plan with the trivial bounds stands for a search that ran out of time, perhaps because kernels compiled."""
    G, bounded = vr.objective(G), 0
    for mdp, model, _ in small("one pass", 8):
        low, high = mdp.remaining_range(0)
        whole = vr.plan(mdp, G)
        nothing = replace(
            whole, value=low, lower=low, upper=high, known_law=None, certificate=ErrorBudget("a search"),
            policy=vr.MarkovPolicy(mdp, [[0] * mdp.n_states] * mdp.horizon),
        )  # fmt: skip
        problem, running = Problem(mdp, G, seconds=20.0), clock.now
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now", lambda running=running: running() + late)
            found = routes.improved(nothing, problem)
        assert max(bounds(G.of(vr.Law(law)))[0] for law in all_return_laws(model)) <= found.upper
        assert found.lower >= bounds(G.of(vr.plan(mdp, "mean").law))[0] - Q(1, 10**9)
        assert found.lower <= bounds(G.of(vr.return_law(mdp, found.policy)))[1]
        if G.shape == "concave":
            assert found.upper <= vr.plan(mdp, "mean").upper
        bounded += "the upper bound is that of" in found.certificate.method
        found.save(tmp_path / "plan.json")
        assert vr.Plan.load(tmp_path / "plan.json").to_json() == found.to_json()
    assert (bounded > 3) is (G.shape == "concave")


def test_a_bound_below_what_a_policy_attains_is_reported_and_not_hidden(monkeypatch):
    mdp = vr.models.machine_replacement()
    plan = vr.plan(mdp, "wang(3/4)")
    wide = replace(plan, upper=mdp.remaining_range(0)[1])
    monkeypatch.setattr(routes, "is_above", lambda objective, other: True)
    monkeypatch.setattr(routes, "candidates", lambda objective: [vr.CVaR("1/100")])
    with pytest.raises(AssertionError, match="above the upper bound"):
        routes.improved(wide, Problem(mdp, plan.objective))


def test_a_search_that_met_its_gap_is_returned_as_it_is():
    mdp = random_sparse(3, 2, 2, 2, 3, seed=1)
    plan = vr.plan(mdp, "wang(3/4)", gap="1/1000")
    assert routes.improved(plan, Problem(mdp, plan.objective, gap=Q(1, 1000))) is plan
