"""Time limits by a clock that counts how often it is asked: nothing here depends on how fast the machine is."""

from dataclasses import replace
from fractions import Fraction
from itertools import count

import numpy as np
import pytest

import verified_risk as vr
from verified_risk import comparing
from verified_risk.errors import Unsupported
from verified_risk.grid import float_model, scaled_model
from verified_risk.models import random_sparse
from verified_risk.numbers.enclosure import bounds
from verified_risk.objectives import objective
from verified_risk.planning import affordable_law, routes, threshold
from verified_risk.planning import clock as limits
from verified_risk.planning.clock import Clock, TimeUp
from verified_risk.planning.problem import Problem
from verified_risk.planning.search import driver, grid_coordinates
from verified_risk.planning.search.driver import weighed_above
from verified_risk.planning.tails import frontier, refine
from verified_risk.policy import CellPolicy

MODEL = random_sparse(6, 2, 3, 2, 6, seed=1)


@pytest.fixture
def clock(monkeypatch):
    """A second passes each time that somebody looks; ``asked`` is how many did."""

    class Counting:
        asked = 0

        def __call__(self) -> float:
            self.asked += 1
            return float(self.asked)

    counting = Counting()
    monkeypatch.setattr(limits, "now", counting)
    return counting


def test_a_clock_knows_its_limit(clock):
    limited = Clock(3)
    assert not limited.late()
    assert limited.affords(0.5, "this")
    assert not limited.affords(0.5, "that")
    assert not limited.affords(0.5, "that")
    assert limited.said("method") == "method; left out for time: that"
    with pytest.raises(TimeUp, match="limit of 3 s"):
        limited.require()
    assert not Clock().late()
    assert Clock().said("method") == "method"


@pytest.mark.parametrize("horizon", [6, 12])
def test_a_contraction_stops_at_the_step_at_which_time_ends(clock, horizon):
    """A whole pass asks once a step; a pass that is late does no more than the step it is in."""
    oracle = grid_coordinates.Oracle(float_model(MODEL.with_horizon(horizon), Fraction(1, 10)))
    slopes = np.linspace(2, 0.5, oracle.top)
    steps = []
    honest = grid_coordinates.in_threads
    grid_coordinates.in_threads = lambda work, parts: (steps.append(parts), honest(work, parts))  # type: ignore[assignment]
    try:
        deadline = clock.asked + 4.0
        assert oracle.contract(slopes, 0.5 * slopes, 2 * slopes, deadline) is None
        assert len(steps) <= 4
        steps.clear()
        assert oracle.contract(slopes, 0.5 * slopes, 2 * slopes, np.inf) is not None
        assert len(steps) == horizon
    finally:
        grid_coordinates.in_threads = honest


def test_actions_removed_by_an_unfinished_contraction_leave_the_bounds_true(clock):
    """Cut off at every possible moment, a search still agrees with the one that had time."""
    G = vr.Wang("3/4")
    done = vr.plan(MODEL, G, gap="1/1000", time_limit=10**9)
    for limit in (0, 1, 2, 5, 9, 14, 20, 30, 45, 70):
        plan = vr.plan(MODEL, G, gap="1/1000", time_limit=limit)
        assert plan.lower <= done.upper
        assert done.lower <= plan.upper


def test_a_search_looks_at_the_clock_only_a_few_times_after_its_limit(clock):
    for limit in (0, 3, 10):
        began = clock.asked
        vr.plan(MODEL, vr.CPW("0.71"), gap=0, time_limit=limit)
        assert clock.asked - began <= limit + 60  # one pass of each kind, then what is certified at the end


def test_the_weighting_is_enclosed_at_few_points_once_time_is_up(clock):
    G, cdf_values = vr.Wang("3/4"), [Fraction(k, 1000) for k in range(1, 1001)]
    asked = []

    class Watched:
        def value(self, x):
            asked.append(x)
            return G.value(x)

    exact = weighed_above(Watched(), cdf_values, Clock())
    assert len(asked) == 1000
    asked.clear()
    late = Clock(5)
    rough = weighed_above(Watched(), cdf_values, late)
    assert len(asked) <= 5 + 12
    assert asked[-1] == 1
    assert exact <= rough <= 1000
    assert "the weighting at every grid point" in late.said("")
    assert exact == sum((bounds(G.value(x))[1] for x in cdf_values), Fraction())


@pytest.mark.parametrize("objective", ["wang(3/4)", "cvar(1/10)", "var(1/3)"])
def test_an_exact_law_that_does_not_fit_into_the_time_is_left_out_and_said(clock, monkeypatch, objective):
    monkeypatch.setattr(affordable_law, "QUICK", 0)
    monkeypatch.setattr(affordable_law, "SECONDS_PER_BRANCH", 1e-3)
    mdp = MODEL.with_discount("9/10").with_horizon(4) if objective.startswith("cvar") else MODEL
    eta = "1/7"  # a grid that rounds: the exact law is worth waiting for
    short = vr.plan(mdp, objective, eta=eta, time_limit=1)
    assert "left out for time: " in short.certificate.method
    assert "the policy's exact law" in short.certificate.method
    long = vr.plan(mdp, objective, eta=eta, time_limit=10**9)
    assert "left out" not in long.certificate.method
    assert long.known_law is not None
    assert short.lower <= long.upper
    assert long.lower <= short.upper


def test_ties_are_decided_in_integers_only_if_there_is_time(clock):
    tie = vr.MDP(0, [[[1], [1]]], [[{0: "1/3", 3: "2/3"}, {1: 1}]], horizon=1)
    decided = vr.plan(tie, vr.VaR("1/3", upper=True), time_limit=10**6)
    hurried = vr.plan(tie, vr.VaR("1/3", upper=True), time_limit=0)
    assert decided.gap == 0
    assert hurried.lower <= decided.lower <= hurried.upper
    if hurried.gap:
        assert "ties decided in integers" in hurried.certificate.method


def test_seconds_pass_for_everybody(monkeypatch):
    """The planner asks no other clock."""
    seconds = count(0, 10**6)
    monkeypatch.setattr(limits, "now", lambda: float(next(seconds)))
    plan = vr.plan(MODEL, vr.CPW("0.71"), gap=0, time_limit=1)
    assert plan.lower <= plan.upper
    assert "0 nodes" in plan.certificate.method or "1 nodes" in plan.certificate.method


# -- rechecks and exact plans ask in the middle of a pass -------------------------------------------------------------


@pytest.mark.parametrize("objective", ["mean", "cvar(1/4)", "var(1/3)", "1/2*cvar(1/4) + 1/2*cvar(1/2)"])
def test_an_exact_plan_ends_at_its_limit(clock, objective):
    mdp = MODEL.with_horizon(2)
    assert vr.exact_plan(mdp, objective, time_limit=10**9).gap == 0
    for limit in (0, 2):
        before = clock.asked
        with pytest.raises(Unsupported, match=f"the time limit of {limit} s is reached: use plan"):
            vr.exact_plan(mdp, objective, time_limit=limit)
        assert clock.asked - before <= limit + 3


def test_the_limit_of_a_comparison_is_one_for_all_its_plans(clock, monkeypatch):
    given = []

    def counted(*args, time_limit, **options):
        given.append(time_limit)
        for _ in range(20):
            limits.now()
        return vr.exact_plan(MODEL.with_horizon(2), "mean")

    monkeypatch.setattr(comparing, "plan", counted)
    vr.compare(MODEL, ["mean", "cvar(1/4)", "cvar(1/2)"], time_limit=90)
    assert given[0] <= 90 / 3
    assert given[1] <= (90 - 20) / 2
    assert given[2] <= 90 - 2 * 20
    given.clear()
    vr.compare(MODEL, ["mean", "cvar(1/4)", "cvar(1/2)"], time_limit=30)
    assert given[2] == 0
    given.clear()
    vr.compare(MODEL, ["mean", "cvar(1/4)"])
    assert given == [None, None]


def test_a_front_that_has_no_time_is_its_two_ends(clock):
    mdp = random_sparse(4, 3, 3, 3, 4, seed=3).with_horizon(2)
    assert len(vr.mean_cvar_front(mdp, "1/10", time_limit=10**9)) > 2
    assert len(vr.mean_cvar_front(mdp, "1/10", time_limit=0)) == 2


def test_a_frontier_chooses_its_grid_in_half_of_its_time(monkeypatch):
    asked = []
    honest = frontier.refined_plan

    def counted(mdp, objective, eta, gap, seconds):
        asked.append(seconds)
        return honest(mdp, objective, eta, gap, 1e-3)

    monkeypatch.setattr(frontier, "refined_plan", counted)
    mdp = random_sparse(4, 2, 3, 2, 8, seed=3).with_horizon(12).with_discount("9/10")
    hurried = vr.cvar_frontier(mdp, time_limit=8)
    assert asked == [4.0]
    assert hurried("1/4").lower <= hurried("1/4").upper


@pytest.mark.parametrize("objective", ["1/2*var(1/3) + 1/2*mean", "wang(1/2)", "pl(0, 0; 1/4, 1/8; 1/2, 3/4; 1, 1)"])
@pytest.mark.parametrize("eta", ["1/3", "1/50", 10**8])
@pytest.mark.parametrize("discount", [1, "9/10"])
def test_a_plan_without_time_evaluates_neither_law_nor_weighting_at_length(
    clock, monkeypatch, objective, eta, discount
):
    G, asked = vr.objective(objective), []
    honest = type(G).value
    monkeypatch.setattr(affordable_law, "return_law", None)
    monkeypatch.setattr(type(G), "value", lambda self, x: asked.append(x) or honest(self, x))
    mdp = random_sparse(12, 3, 4, 3, 12, seed=1).with_discount(discount)
    driver.below.cache_clear()
    plan = vr.plan(mdp, G, eta=eta, time_limit=0)
    assert plan.lower <= plan.upper
    assert len(asked) <= 200  # a coarse polygon, and the weighting at every second, fourth, ... value of a CDF


def test_a_return_that_is_constant_on_the_grid_has_no_exact_law_without_time(clock, monkeypatch):
    monkeypatch.setattr(affordable_law, "return_law", None)
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/3": "1/2", "1/2": "1/2"}, {1: 1}]], horizon=12, discount="9/10")
    plan = vr.plan(mdp.with_discount(1).map_rewards(lambda r: r + 1), "wang(1/2)", eta=5, time_limit=0)
    assert "constant on the grid; left out for time: the policy's exact law" in plan.certificate.method


def test_a_search_between_grid_points_is_compared_with_a_quantile_on_its_own_grid(monkeypatch):
    """The rewards' own grid has fifty million points here, and one pass over it cannot be stopped."""
    model = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=6, discount="19/20")
    points, best = [], threshold.best_quantile

    def counted(model, *args, **options):
        points.append(model.remaining[0])
        return best(model, *args, **options)

    G = vr.objective("1/2*cvar(1/4) + 1/2*cvar(1/2)")
    found = vr.plan(model, G, gap="1/10")
    assert isinstance(found.policy, CellPolicy)
    monkeypatch.setattr(routes, "best_quantile", counted)
    routes.improved(replace(found, upper=found.upper + 1), Problem(model, G, gap=Fraction(1, 10)))
    assert points
    assert max(points) < 10_000


@pytest.fixture(scope="module")
def model():
    rewards = [[{0: Fraction(1, 2), 1: Fraction(1, 2)}, {Fraction(1, 3): 1}]]
    return vr.MDP(0, [[{0: 1}, {0: 1}]], rewards, horizon=8, discount=Fraction(9, 10))


@pytest.fixture(scope="module")
def one_round(model):
    return refine._solved(scaled_model(model, Fraction(1, 64)), objective("cvar(1/4)").require_levels())


def finer(model, rounds, *, gap=Fraction(1, 10**6), deadline=float("inf"), spent=0.0):
    return refine._finer(model, rounds, gap, deadline, spent)


def test_a_finer_grid_is_taken_where_time_and_memory_allow_it(model, one_round):
    following, why = finer(model, [one_round])
    assert why == ""
    assert following.eta == one_round.model.eta / 16


def test_time_is_the_reason_when_the_deadline_has_passed(model, one_round):
    assert finer(model, [one_round], deadline=refine.timing.now() - 1e6) == (None, "time")
    stopped = vr.plan(model, "cvar(1/4)", gap=Fraction(1, 10**9), time_limit=1e-3)
    assert stopped.certificate.method.startswith("budget tables")
    assert "rounds: time" in stopped.certificate.method


def test_time_is_the_reason_when_a_pass_twice_as_long_would_not_end(model, one_round, monkeypatch):
    monkeypatch.setattr(refine.timing, "now", lambda: 0.0)
    spent, cells = 1.0, one_round.model.cells
    halved = refine.scaled_model(model, one_round.model.eta / 2)
    needed = 1.2 * spent * halved.cells / cells
    assert finer(model, [one_round], deadline=0.999 * needed, spent=spent) == (None, "time")
    following, _ = finer(model, [one_round], deadline=1.001 * needed, spent=spent)
    assert following.eta == halved.eta, "the coarsest of the finer grids ends in time"


def test_memory_is_the_reason_when_half_the_step_needs_more_than_allowed(model, one_round, monkeypatch):
    halved = refine.bytes_needed(refine.scaled_model(model, one_round.model.eta / 2))
    monkeypatch.setattr(refine, "memory_limit", lambda: halved - 1)
    assert finer(model, [one_round]) == (None, "memory")
    assert finer(model, [one_round], deadline=refine.timing.now() - 1e6) == (None, "memory")
    monkeypatch.setattr(refine, "memory_limit", lambda: halved)
    assert finer(model, [one_round])[0].eta == one_round.model.eta / 2


def test_float64_is_the_reason_when_rounding_is_more_than_a_quarter_of_the_gap(model, one_round):
    width = one_round.upper - one_round.lower
    assert finer(model, [replace(one_round, rounding=width / 4)])[1] == ""
    beyond = replace(one_round, rounding=width / 4 + width / 10**9)
    assert finer(model, [beyond]) == (None, "float64 can certify no more")


def test_two_grids_that_did_not_help_are_the_reason_and_one_is_not(model, one_round):
    width = one_round.upper - one_round.lower
    rounds = [replace(one_round, upper=one_round.lower + width * share) for share in (Fraction(1), Fraction(1))]
    assert finer(model, rounds)[1] == ""
    helped = replace(one_round, upper=one_round.lower + width * Fraction(9, 10))
    assert finer(model, [*rounds, helped])[1] == ""
    hardly = replace(one_round, upper=one_round.lower + width * Fraction(91, 100))
    assert finer(model, [*rounds, hardly]) == (None, "two finer grids no longer helped")
