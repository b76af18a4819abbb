"""Which route plans what, and bad input: an error that names the entry, its value and what was wanted."""

import math
from fractions import Fraction

import plan_models
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidObjective
from verified_risk.planning import routes
from verified_risk.planning.problem import Problem

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
    plan_models.limit_memory(monkeypatch, 20_000)
    fine = vr.MDP(0, [[[1], [1]]], [[{"1/10007": 1}, {1: 1}]], horizon=3)
    assert vr.plan(fine, G, gap="1/10").gap <= Fraction(1, 10)
    assert vr.plan(fine, G).gap <= Fraction(3, 100)  # the finest grid that fits, without being asked
    with pytest.raises(InvalidArgument, match=r"tables need .* GB allowed, wanted eta of at least") as refused:
        vr.plan(fine, G, eta="1/9999")
    assert vr.plan(fine, G, eta=str(refused.value).rsplit(" ", 1)[1]).upper > 0
    with pytest.raises(InvalidArgument, match="wanted a larger gap, or eta of at least"):
        vr.plan(fine, vr.VaR("1/2"), gap="1/100000")


@pytest.mark.parametrize(
    ("call", "argument", "meant"),
    [
        (lambda **x: vr.plan(MODEL, G, **x), "timelimit", "time_limit"),
        (lambda **x: vr.plan(MODEL, G, **x), "constraints", "subject_to"),
        (lambda **x: vr.learn(MODEL, G, **x), "episode", "episodes"),
        (lambda **x: vr.MDP(0, [[[1]]], [[0]], 1, **x), "gamma", "discount"),
        (lambda **x: vr.MDP.from_arrays([[[1]]], [0], initial=0, horizon=1, **x), "gamma", "discount"),
        (lambda **x: vr.MDP.from_gymnasium("FrozenLake-v1", **x), "max_steps", "horizon"),
    ],
)
def test_an_unknown_argument_is_answered_with_the_one_that_was_meant(call, argument, meant):
    with pytest.raises(TypeError, match=f"has no argument '{argument}', did you mean '{meant}'\\?"):
        call(**{argument: 1})


@pytest.mark.parametrize(
    ("argument", "answer"),
    [("zzz", "only mdp, objective, eta, gap"), ("gamma", "mdp.with_discount"), ("T", "mdp.with_horizon")],
)
def test_an_argument_that_plan_has_not_is_answered_with_where_to_say_it_or_with_all(argument, answer):
    with pytest.raises(TypeError, match=f"has no argument '{argument}', {answer}"):
        vr.plan(MODEL, G, **{argument: 1})


def test_the_default_gap_of_small_models_off_the_grid_is_a_few_times_1e_5_of_the_range():
    rewards = [["1.2345678901", "0.7182818284"], ["-0.5772156649", "0.3333333331"]]
    mdp = vr.MDP(0, [[["1/2", "1/2"], ["1/3", "2/3"]]] * 2, rewards, horizon=4, discount="0.97")
    plan = vr.plan(mdp, vr.CVaR("1/4"))
    low, high = mdp.remaining_range(0)
    assert plan.gap <= (high - low) / 20_000
    assert plan.lower <= plan.objective.of(vr.return_law(mdp, plan.policy)) <= plan.upper


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
