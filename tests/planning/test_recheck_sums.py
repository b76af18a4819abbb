"""Rechecks over attainable sums: on small models with fine grids the optimum is exact, a forged bound is refuted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import grid_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning.affordable_law import most_cells, surely_more_cells
from verified_risk.planning.recheck import both_bounds as recheck
from verified_risk.planning.recheck.integer_routes import best_on_sums

THIRD, TENTH = Fraction(1, 3), Fraction(1, 10)
BY_DEFINITION = {
    "mean": oracles.mean,
    "cvar(1/3)": lambda law: oracles.cvar(law, THIRD),
    "1/4*mean + 3/4*cvar(1/10)": lambda law: oracles.mean(law) / 4 + 3 * oracles.cvar(law, TENTH) / 4,
    "var(1/3)": lambda law: oracles.quantile(law, THIRD),
    "var(1/3, upper)": lambda law: oracles.quantile(law, THIRD, upper=True),
}


@pytest.mark.parametrize("text", BY_DEFINITION)
def test_the_optimum_over_attainable_sums_is_that_of_brute_force(text):
    for mdp, model, _ in models.small(f"sums {text}", 40):
        best = max(BY_DEFINITION[text](law) for law in oracles.all_return_laws(model))
        assert best_on_sums(grid_model(mdp), vr.objective(text)) == best


def fine(discount: str = "0.8") -> vr.MDP:
    """Few returns, far apart in units of their own grid: tables over all its points would be long."""
    gamble = [("1/2", 0, "0.001"), ("1/2", 1, "0.983")]
    return vr.MDP.from_outcomes(
        [[gamble, [(1, 1, "1/7")]], [[(1, 0, "0.311")]]], initial=0, horizon=3, discount=discount
    )


@pytest.mark.parametrize("text", BY_DEFINITION)
def test_a_discounted_plan_is_confirmed_exactly_and_a_forged_one_refuted(text):
    plan = vr.plan(fine(), text)
    assert plan.gap == 0
    answer = plan.recheck()
    assert answer.upper == plan.upper
    assert answer.upper_route in recheck.EXACT_ROUTES
    assert answer.lower_holds is answer.upper_holds is Truth.HOLDS
    forged = replace(plan, upper=plan.upper - Fraction(1, 10**12), lower=plan.lower - 1, value=plan.value - 1)
    assert forged.recheck().upper_holds is Truth.FAILS


def test_what_one_action_needs_is_no_more_than_what_all_of_them_need():
    """A quick count decides only what the full count would."""
    decided = 0
    for mdp, _, _ in models.small("cells", 60):
        cells = most_cells(mdp)
        assert not surely_more_cells(mdp, cells)
        decided += surely_more_cells(mdp, cells / 2)
    assert decided >= 10


def test_many_sums_are_left_to_another_route():
    """Every return has a pass of its own, so the work grows with the square of the cells."""
    mdp = vr.models.random_sparse(6, 3, 3, 3, 6)
    assert not recheck._few_sums(mdp)
    assert recheck._few_sums(fine())
