"""Searches over few attainable returns on a fine grid: against brute force, rechecked in other code."""

from fractions import Fraction

import oracles
import plan_models as models
import pytest
from test_plan_interpolated import OBJECTIVES, POLYGON, SEVERAL, value_of

import verified_risk as vr
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning.clock import Clock
from verified_risk.planning.search import attained_coordinates
from verified_risk.planning.search.driver import DEFAULT_SECONDS

FAR = [Fraction(), Fraction(999983), Fraction(1000003), Fraction(1000033), Fraction(10**9, 7), Fraction(-(10**6))]


def large() -> vr.MDP:
    """One state, three steps, rewards near a million beside one of 0."""
    rewards = [[{999983: "1/2", 1000003: "1/4", 1000033: "1/4"}, {0: "1/10", 1000013: "9/10"}]]
    return vr.MDP(0, [[[1], [1]]], rewards, horizon=3)


def cases(seed: str, count: int):
    """An MDP whose rewards lie far apart on a fine grid, and its oracle data; every third one has a discount."""
    number = 0
    for _, model, rng in models.small(seed, 10 * count, max_states=2, max_actions=2):
        rewards = sorted({r for actions in model.outcomes for outcomes in actions for _, _, r in outcomes})
        if len(rewards) > len(FAR):
            continue
        moved = dict(zip(rewards, rng.sample(FAR, len(rewards)), strict=True))
        outcomes = [[[(p, s, moved[r]) for p, s, r in row] for row in actions] for actions in model.outcomes]
        discount = Fraction(9, 10) if number % 3 == 2 else Fraction(1)
        far = oracles.Model(model.initial, outcomes, model.horizon, discount)
        mdp = models.as_mdp(far)
        if oracles.count_return_policies(far) > 300 or attained_coordinates.unfolded(mdp) is None:
            continue
        yield mdp, far, rng
        number += 1
        if number == count:
            return


@pytest.mark.parametrize(("seed", "count"), [("attained", 45), pytest.param("many", 400, marks=pytest.mark.slow)])
def test_bounds_enclose_the_best_policy_and_the_plans_own_attains_the_lower_one(seed, count):
    for number, (mdp, model, _) in enumerate(cases(seed, count)):
        G = [*OBJECTIVES, SEVERAL, POLYGON][number % 9]
        plan = vr.plan(mdp, G, time_limit=2)
        assert "attainable returns" in plan.certificate.method
        assert sum(part for _, part in plan.certificate.contributions) == plan.gap
        assert max(value_of(G, law)[0] for law in oracles.all_return_laws(model)) <= plan.upper
        assert value_of(G, models.law_by_playing(model, plan.policy))[1] >= plan.lower


@pytest.mark.parametrize("G", [*OBJECTIVES, SEVERAL, POLYGON], ids=str)
def test_the_gap_closes_and_polygons_are_rechecked_over_the_attainable_returns(G):
    """The grid of the rewards has 3,000,099 points."""
    mdp = large()
    plan = vr.plan(mdp, G)
    low, high = mdp.remaining_range(0)
    assert plan.gap <= (high - low) / 10**6
    if G in (SEVERAL, POLYGON):  # points of curves take seconds
        answer = plan.recheck()
        assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)


def test_many_returns_and_small_grids_are_left_to_other_routes():
    coin = {0: "1/2", 1: "1/2"}
    assert attained_coordinates.unfolded(vr.MDP(0, [[[1], [1]]], [[coin, {"1/2": 1}]], horizon=3)) is None
    dense = {Fraction(r): Fraction(1, 200) for r in range(0, 400, 2)}
    assert attained_coordinates.unfolded(vr.MDP(0, [[[1], [1]]], [[dense, {7: 1}]], horizon=2)) is None


def test_tables_that_would_be_too_large_are_left_to_other_routes(monkeypatch):
    """Steps times cells times returns, at the limit and one beyond it."""
    found = attained_coordinates.unfolded(large())
    entries = large().horizon * len(found.cells) * len(found.returns)
    monkeypatch.setattr(attained_coordinates, "MOST_ENTRIES", entries)
    assert attained_coordinates.unfolded(large()) == found
    monkeypatch.setattr(attained_coordinates, "MOST_ENTRIES", entries - 1)
    assert attained_coordinates.unfolded(large()) is None


@pytest.mark.parametrize(("gap", "seconds"), [(0, DEFAULT_SECONDS), (10**5, None)])
def test_a_gap_that_floats_cannot_certify_gets_a_time_limit(gap, seconds, monkeypatch):
    limits = []

    class Ended(Clock):
        def __init__(self, seconds: float | None) -> None:
            limits.append(seconds)
            super().__init__(0.0)

    monkeypatch.setattr(attained_coordinates, "Clock", Ended)
    vr.plan(large(), POLYGON, gap=gap)
    assert limits == [seconds]


def test_a_search_over_returns_keeps_its_time():
    plan = vr.plan(large(), "cpw(0.71)", gap=0, time_limit=0)
    assert plan.lower < plan.upper
    assert plan.recheck(time_limit=0).upper_holds is Truth.UNKNOWN
