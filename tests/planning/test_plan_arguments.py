"""Bad input to the planners: an error that names the entry, its value and what was wanted."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidObjective, InvalidPolicy

MODEL = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=2)
G = vr.CVaR("1/4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eta": 0}, "eta is 0, wanted a positive grid step"),
        ({"eta": "-1/2"}, "eta is -1/2, wanted a positive grid step"),
        ({"eta": math.inf}, "eta is inf, wanted a finite number"),
        ({"eta": math.nan}, "eta is nan, wanted a finite number"),
        ({"eta": "1e-30"}, r"more than 2\*\*40 grid points"),
        ({"eta": "fine"}, "eta is 'fine', wanted a number"),
        ({"gap": -1}, "gap is -1, wanted a nonnegative number"),
        ({"gap": "1/x"}, "gap is '1/x', wanted a number"),
        ({"time_limit": -0.5}, "time_limit is -1/2, wanted a nonnegative number"),
    ],
)
def test_options_outside_their_range_are_refused(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        vr.plan(MODEL, G, **arguments)


@pytest.mark.parametrize("objective", [0.25, None, 0.5 * vr.Mean(), lambda tau: tau])
def test_what_is_not_a_weighting_is_refused(objective):
    with pytest.raises(InvalidObjective, match="is not a weighting"):
        vr.plan(MODEL, objective)


def test_continuous_rewards_get_a_grid_that_meets_the_default_gap():
    from scipy import stats

    mdp = vr.MDP(0, [[[1]]], [[stats.uniform(0, 1)]], horizon=2)
    for plan in (vr.plan(mdp, G), vr.plan(mdp, G, gap=0), vr.cvar_frontier(mdp).plan(G.alpha)):
        assert 0 < plan.gap <= Fraction(2, 1000)


def test_a_grid_that_does_not_fit_in_memory_is_refused_with_one_that_does(monkeypatch):
    for module in ("tails.budget_tables", "grid_choice", "tails.interpolated_tables", "tails.refine"):
        monkeypatch.setattr(f"verified_risk.planning.{module}.memory_limit", lambda: 20_000)
    fine = vr.MDP(0, [[[1], [1]]], [[{"1/10007": 1}, {1: 1}]], horizon=3)
    assert vr.plan(fine, G, gap="1/10").gap <= Fraction(1, 10)
    assert vr.plan(fine, G).gap <= Fraction(3, 100)  # the finest grid that fits, without being asked
    with pytest.raises(InvalidArgument, match=r"tables need .* GB allowed, wanted eta of at least") as refused:
        vr.plan(fine, G, eta="1/9999")
    assert vr.plan(fine, G, eta=str(refused.value).rsplit(" ", 1)[1]).upper > 0
    with pytest.raises(InvalidArgument, match="wanted a larger gap, or eta of at least"):
        vr.plan(fine, vr.VaR("1/2"), gap="1/100000")


def test_a_policy_of_one_model_is_not_played_in_another_by_accident():
    other = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/4", "1/2": "3/4"}]], horizon=2)
    with pytest.raises(InvalidPolicy, match="belongs to another model"):
        vr.return_law(other, vr.plan(MODEL, G).policy)


def test_importing_the_package_imports_no_numba():
    code = "import sys, verified_risk; print({'numba', 'scipy.stats', 'flint', 'sympy'} & set(sys.modules) or 'none')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "none"
