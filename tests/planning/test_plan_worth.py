"""A plan's law and worth are its policy's own, to within what is stated, or not known."""

from fractions import Fraction

import numpy as np
import plan_models as models
import pytest
from click.testing import CliRunner

import verified_risk as vr
from verified_risk.cli.main import main
from verified_risk.errors import Unsupported
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning import affordable_law, certify
from verified_risk.planning.problem import Problem
from verified_risk.planning.search import cells_route
from verified_risk.policy.cell_policy import CellPolicy

Q = Fraction
COIN = {0: Q(1, 2), 1: Q(1, 2)}
LONG = vr.MDP(0, [[[1], [1]]], [[COIN, {"1/3": "1/2", "2/5": "1/2"}]], horizon=10, discount="9/10")
"""2**10 returns or more of every policy, which is too long here."""


@pytest.fixture
def no_exact_law(monkeypatch):
    """As for a large model: exact evaluations are too long, forward passes in float64 are not."""
    monkeypatch.setattr(certify, "exact_value", lambda *_, **__: None)
    monkeypatch.setattr(affordable_law, "evaluation_work", lambda *_: 1e9)


def searched_between(mdp: vr.MDP, objective: vr.Weighting) -> vr.Plan:
    low, high = mdp.remaining_range(0)
    return cells_route.search_cells(Problem(mdp, objective, eta=(high - low) / 5, seconds=1.0))


@pytest.mark.parametrize("objective", [vr.Wang("3/4"), vr.CPW("0.71")], ids=str)
def test_the_law_of_a_coarse_search_is_its_policys_own(no_exact_law, objective):
    tried = 0
    for mdp, model, _ in models.small("own laws", 12, max_states=3, max_actions=2):
        low, high = mdp.remaining_range(0)
        if low == high:
            continue
        plan = searched_between(mdp, objective)
        played = vr.Law(models.law_by_playing(model, plan.policy))
        assert plan.law is not None
        assert set(plan.law.atoms) <= set(played.atoms)
        assert 0 < plan.law_error < Q(1, 10**10)
        assert plan.law.kolmogorov(played) <= plan.law_error
        least, most = bounds(objective.of(played))
        assert plan.lower <= plan.value <= most
        assert plan.value >= least - (high - low) / 10**5, "the lower bound is of this policy, not of its grid"
        low, high = bounds(plan.worth())
        assert low <= least <= most <= high
        tried += 1
    assert tried >= 8


def test_a_policy_by_cells_plays_at_the_edge_of_a_cell_as_its_law_says(no_exact_law):
    """Returns on the border of two cells, and budgets of exactly 0, belong to the cell that the policy says."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 2: "1/2"}, {1: 1}]], horizon=3)
    outcome = models.oracles.Model({0: Q(1)}, [[[(Q(1, 2), 0, 0), (Q(1, 2), 0, 2)], [(Q(1), 0, 1)]]], 3, Q(1))
    tables = [np.array([[0, 1, 0, 1]]), np.array([[1, 0, 1, 0]]), np.array([[0, 1, 1, 0]])]
    for rho in range(7):
        for eta in (Q(1), Q(3, 2), Q(2)):
            policy = CellPolicy(mdp, eta, (0, 0, 1), rho, tables, np.array([[1], [0], [1]]))
            law, error = affordable_law.affordable_law(mdp, policy)
            assert error > 0
            assert law.kolmogorov(vr.Law(models.law_by_playing(outcome, policy))) <= error


def test_the_law_of_a_return_that_was_rounded_is_counted_or_left_out(monkeypatch):
    """A policy of a grid that rounds has no float law; where its histories are few it has its exact one."""
    mdp = vr.MDP(0, [[[1], [1]]], [[COIN, {"1/3": 1}]], horizon=4)
    plan = vr.plan(mdp, "mean", eta="2/5")  # the coin at 1 + 2 + 3 + 4 sums
    monkeypatch.setattr(affordable_law, "evaluation_work", lambda *_: 1e9)
    monkeypatch.setattr(affordable_law, "COUNTED", 20)
    assert affordable_law.affordable_law(mdp, plan.policy) == (vr.return_law(mdp, plan.policy), 0)
    monkeypatch.setattr(affordable_law, "COUNTED", 19)
    assert affordable_law.affordable_law(mdp, plan.policy) is None


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    for name in ("COUNTED", "QUICK", "PATIENT"):
        monkeypatch.setattr(affordable_law, name, 500)


@pytest.fixture
def unknown() -> vr.Plan:
    plan = vr.plan(LONG, "cvar(1/4)", eta="1/10")
    assert plan.law is None
    return plan


def test_a_plan_without_a_law_says_so_everywhere(unknown, tmp_path):
    assert unknown.law_error is None
    assert bounds(unknown.worth()) == (unknown.lower, unknown.upper)
    assert unknown.worth("mean") is None
    assert str(unknown).splitlines()[1].startswith("value      at least ")
    assert "takes too long to compute" in unknown._repr_html_()
    with pytest.raises(Unsupported, match="takes too long to compute"):
        unknown.plot()
    unknown.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert (again.law, again.lower) == (None, unknown.lower)
    played = vr.rollout(LONG, unknown, episodes=50)
    assert played.inside is None
    assert "nothing to compare with: the law of the policy's return takes too long" in str(played)
    with pytest.raises(Unsupported, match="takes too long"):
        _ = played.distance


def test_a_comparison_shows_what_is_known(unknown):
    compared = vr.Comparison(LONG, (vr.CVaR("1/4"), vr.Mean()), (unknown, vr.plan(LONG, "mean")))
    own, other = compared.values[0]
    assert bounds(own) == (unknown.lower, unknown.upper)
    assert other is None
    assert "not known" in str(compared)
    assert compared.to_json()["values"][0][1] is None
    with pytest.raises(Unsupported, match="takes too long"):
        compared.plot()


def test_the_command_line_shows_a_plan_without_a_law(tmp_path):
    LONG.save(tmp_path / "long.json")
    asked = ["plan", str(tmp_path / "long.json"), "--objective", "cvar(1/4)", "--eta", "1/10"]
    shown = CliRunner().invoke(main, asked)
    assert shown.exit_code == 0, shown.output
    assert "return     the law of the policy's return takes too long to compute" in shown.output
    assert "value      at least" in shown.output
    told = CliRunner().invoke(main, [*asked, "--json"])
    assert '"law": null' in told.output
    assert '"law_error": null' in told.output


def test_a_rollout_is_inside_outside_or_undecided():
    exact, shifted = vr.Law(COIN), vr.Law({0: "3/5", 1: "2/5"})
    near, far = (vr.Rollout(10**6, law, exact, Q(1, 1000)) for law in (exact, shifted))
    assert near.inside is True
    assert far.inside is False
    band = Q(near.band)
    for error, told in ((band / 2, True), (band, True), (band * Q(1001, 1000), None), (Q(1), None)):
        assert vr.Rollout(10**6, exact, exact, Q(1, 1000), error).inside is told
    undecided = vr.Rollout(10**6, shifted, exact, Q(1, 1000), Q(1))
    assert undecided.inside is None
    assert "decides nothing: the law itself is known to within 1" in str(undecided)
