"""Which route plans what: the first of the list that accepts a problem, and every one of them is needed."""

from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.planning import routes
from verified_risk.planning.problem import Problem

COIN = {0: "1/2", 1: "1/2"}
GRID = vr.MDP(0, [[[1], [1]]], [[COIN, {"1/2": 1}]], horizon=3)
DISCOUNTED = vr.MDP(0, [[[1], [1]]], [[COIN, {"1/3": 1}]], horizon=12, discount="9/10")
FINE = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", Fraction(1, 10**9 + 7): "1/2"}, {1: 1}]], horizon=2)
MANY = vr.MDP(0, [[[1], [1]]], [[{Fraction(k, 10**9 + 7 + k): "1/8" for k in range(8)}, {1: 1}]], horizon=9)

SERVED = [
    (GRID, "erm(1)", {}, "entropic risk and EVaR"),
    (FINE, "cvar(1/4)", {}, "integers, over attainable returns"),
    (FINE, "var(1/4)", {}, "integers, over attainable returns"),
    (DISCOUNTED, "cvar(1/4)", {}, "mean and one CVaR, tables read between grid points"),
    (MANY, "cvar(1/4)", {}, "mean and one CVaR, tables read between grid points"),
    (DISCOUNTED, "mean", {}, "mean, without returns"),
    (FINE, "wang(1/2)", {}, "search over attainable returns"),
    (DISCOUNTED, "wang(1/2)", {}, "search, tables read between grid points"),
    (DISCOUNTED, "wang(1/2)", {"eta": Fraction(1, 7)}, "search, tables read between grid points"),
    (GRID, "var(1/4)", {}, "VaR on a grid"),
    (DISCOUNTED, "var(1/4)", {"eta": Fraction(1, 7)}, "VaR on a grid"),
    (GRID, "cvar(1/4)", {}, "mean and one CVaR on a grid"),
    (FINE, "cvar(1/4)", {"eta": Fraction(1, 7)}, "mean and one CVaR on a grid"),
    (GRID, "1/2*cvar(1/4) + 1/2*cvar(3/4)", {}, "a few CVaRs on a grid"),
    (GRID, "1/2*cvar(1/2) + 1/2*cvar(1/1000000000000000000000)", {}, "search on a grid"),
    (FINE, "wang(1/2)", {"eta": Fraction(1, 7)}, "search on a grid"),
]


@pytest.mark.parametrize(("mdp", "objective", "options", "name"), SERVED)
def test_the_first_route_that_accepts_a_problem_solves_it(mdp, objective, options, name):
    problem = Problem(mdp, vr.objective(objective), gap=Fraction(1, 10), **options)
    assert next(route for route in routes.ROUTES if route.accepts(problem)).name == name


def test_every_route_is_the_first_for_some_problem():
    assert {name for *_, name in SERVED} == {route.name for route in routes.ROUTES}


def test_the_old_name_of_an_error_budget_is_deprecated():
    with pytest.warns(DeprecationWarning, match="Certificate is now called ErrorBudget"):
        assert vr.Certificate is vr.ErrorBudget
