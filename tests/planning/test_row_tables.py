"""Exact planning row by row: the same answers as cell by cell, within limits."""

import random
from fractions import Fraction

import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import compiled, grid_model
from verified_risk.planning import exact_route
from verified_risk.planning import exact_route as exact


@pytest.fixture
def rows_always(monkeypatch):
    monkeypatch.setattr(exact_route, "worth_it", lambda mdp: True)
    monkeypatch.setattr(exact, "FEW_CELLS", 0)


@pytest.mark.usefixtures("rows_always")
@pytest.mark.parametrize("name", ["cvar", "mean-cvar", "var", "upper-var"])
def test_rows_and_cells_give_the_same_optimum(name):
    """The policies' laws are checked too: exact_plan compares the recursion with the exact evaluation of its policy."""
    rng = random.Random(f"limbs {name}")
    for _ in range(50):
        mdp, _ = models.product(rng, max_states=3, max_actions=3, max_horizon=5)
        if rng.random() < 0.5:
            outcomes = [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]
            mdp = vr.MDP.from_outcomes(outcomes, initial=dict(mdp.initial), horizon=mdp.horizon, discount=mdp.discount)
        a = rng.choice([Fraction(1, 10**30), Fraction(1, 7), Fraction(1, 2)])
        G = {
            "cvar": vr.CVaR(a),
            "mean-cvar": Fraction(1, 3) * vr.Mean() + Fraction(2, 3) * vr.CVaR(a),
            "var": vr.VaR(a),
            "upper-var": vr.VaR(a, upper=True),
        }[name]
        grid = grid_model(mdp)
        assert exact._in_rows(mdp, grid, G) is not None
        assert vr.exact_plan(mdp, G).value == exact._in_cells(grid, G, grid.reachable())[0]


@pytest.mark.usefixtures("rows_always")
@pytest.mark.parametrize(("denominator", "by_rows"), [(2**32, True), (2**32 + 1, False)])
def test_long_weights_are_left_to_cells(denominator, by_rows):
    q = Fraction(1, denominator)
    mdp = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[{0: q, 1: 1 - q}]], horizon=2)
    assert (exact._in_rows(mdp, grid_model(mdp), vr.CVaR("1/2")) is not None) == by_rows
    low = {0: q * q, 1: 2 * q * (1 - q)}
    assert vr.exact_plan(mdp, "cvar(1/2)").value == (low[1] + 2 * (Fraction(1, 2) - low[0] - low[1])) * 2


@pytest.mark.parametrize("limit", ["MOST_UNITS", "MOST_ACTIONS", "MOST_DIGITS"])
def test_tables_beyond_a_limit_are_refused(limit, monkeypatch):
    mdp = vr.models.two_paths()
    grid = grid_model(mdp)
    arguments = (compiled(mdp), 0, 1, exact.mean_to_go(grid), grid.denominator)
    exact_route.row_tables(*arguments)
    monkeypatch.setattr(exact_route, limit, 1)
    with pytest.raises(exact_route.TooLarge):
        exact_route.row_tables(*arguments)
