"""Searches over few attainable returns on a fine grid: against brute force, rechecked in other code."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import oracles
import plan_models as models
import pytest
from test_plan_interpolated import OBJECTIVES, POLYGON, SEVERAL, value_of
from test_plan_recheck import random_record

import verified_risk as vr
from verified_risk.errors import InvalidFile, Unsupported
from verified_risk.numbers.enclosure import Truth
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.clock import Clock
from verified_risk.planning.recheck import attained_returns as recheck
from verified_risk.planning.recheck.attained_returns import ranked, replay_attained
from verified_risk.planning.recheck.line import Line
from verified_risk.planning.search import attained_coordinates
from verified_risk.planning.search.driver import DEFAULT_SECONDS
from verified_risk.planning.search.trace import Branch, Proof
from verified_risk.proving.write import Draft

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


def bounds_hold(seed: str, count: int) -> bool:
    """Whether bounds enclose the best deterministic policy, and the plan's own policy attains the lower one."""
    for number, (mdp, model, _) in enumerate(cases(seed, count)):
        G = [*OBJECTIVES, SEVERAL, POLYGON][number % 9]
        plan = vr.plan(mdp, G, time_limit=2)
        assert "attainable returns" in plan.certificate.method
        assert sum(part for _, part in plan.certificate.contributions) == plan.gap
        best = max(value_of(G, law)[0] for law in oracles.all_return_laws(model))
        if best > plan.upper or value_of(G, models.law_by_playing(model, plan.policy))[1] < plan.lower:
            return False
    return True


def test_bounds_hold_for_every_kind_of_weighting():
    assert bounds_hold("attained", 45)


@pytest.mark.slow
def test_bounds_hold_on_many_models():
    assert bounds_hold("attained, many", 400)


@pytest.mark.parametrize("G", [*OBJECTIVES, SEVERAL, POLYGON], ids=str)
def test_the_gap_closes_and_both_bounds_are_confirmed(G):
    mdp = large()
    plan = vr.plan(mdp, G)
    low, high = mdp.remaining_range(0)
    assert plan.gap <= (high - low) / 10**6
    answer = plan.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)
    assert plan.upper - plan.gap / 10 <= answer.upper <= plan.upper
    forged = replace(plan, upper=plan.lower - plan.gap, lower=plan.lower - 2 * plan.gap, value=plan.lower - plan.gap)
    assert forged.recheck().upper_holds is not Truth.HOLDS


def test_a_saved_plan_is_rechecked_as_before(tmp_path):
    plan = vr.plan(large(), "wang(3/4)", gap=10)
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert again.certificate.proof.attained
    assert again.recheck() == plan.recheck()
    data = plan.certificate.proof.to_json()
    with pytest.raises(InvalidFile, match="attained of the proof is 'yes', wanted true or false"):
        Proof.from_json({**data, "attained": "yes"})


def test_a_grid_too_wide_to_prove_on_is_not_covered_in_words():
    with pytest.raises(Unsupported, match=r"not covered: .* on a grid of 3000099 points, more than 20000"):
        Draft.of(vr.plan(large(), POLYGON))


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


# -- pieces -----------------------------------------------------------------------------------------------------------


def test_a_polygon_times_a_width_is_at_most_that():
    rng = random.Random("times")
    for G in ("wang(3/4)", "cpw(0.71)", POLYGON):
        polygon = vr.objective(G).polygon_below(Fraction(1, 10**4))
        lowered = Polygon(polygon.x, polygon.g - 1e-3)  # some values are below 0
        for _ in range(20):
            width = Fraction(rng.randint(1, 10**9), rng.randint(10**9, 10**18))
            for p in (polygon, lowered):
                for scaled in (p.times(width), Line.of(p).times(width)):
                    for g, product in zip(p.g.tolist(), scaled.g.tolist(), strict=True):
                        assert Fraction(product) <= width * Fraction(g)
                        assert Fraction(product) >= width * Fraction(g) - Fraction(1, 10**15) * width


def test_whatever_the_record_the_bound_is_valid():
    """Random records against brute force, with targets above the truth."""
    polygon = SEVERAL.polygon_below(Fraction(1, 10**6))
    tight = 0
    for mdp, model, rng in cases("any record", 30):
        found = ranked(mdp, lambda: None)
        points, widest = found.returns, max(found.gaps)
        least = min(
            sum(
                (polygon(sum((p for z, p in law.items() if z <= a), Fraction())) * (b - a) / widest)
                for a, b in itertools.pairwise(points)
            )
            for law in oracles.all_return_laws(model)
        )
        assert points == sorted({z for law in oracles.all_return_laws(model) for z, p in law.items() if p})
        for _ in range(4):
            target = float(least) + rng.choice([0.001, 0.05, 0.5]) * rng.random() + 1e-6
            record = Proof(Fraction(1, 10**6), target, random_record(rng, len(points) - 1), attained=True)
            bound = replay_attained(SEVERAL, found, record, lambda: None).bound()
            assert bound == -math.inf or Fraction(bound) <= least
            tight += bound > least - Fraction(1, 2)
    assert tight >= 30


def test_a_jump_is_passed_only_where_every_policy_has_passed_it():
    """One step pays 0 or a million, each with probability 1/2: at 0 the CDF is past 1/3, and not past 2/3."""
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 10**6: "1/4", 10**6 + 1: "1/4"}]], horizon=1)
    found = ranked(mdp, lambda: None)
    record = random_record(random.Random(0), 2)
    for G, wanted in (("1/2*var(1/3) + 1/2*mean", True), ("1/2*var(2/3) + 1/2*mean", False)):
        before, after = (
            replay_attained(vr.objective(G), found, Proof(Fraction(1, 100), 0.0, record, passed), lambda: None)
            for passed in ((), (0,))
        )
        assert (list(before.lines[0].g) != list(after.lines[0].g)) == wanted


def test_a_record_passes_no_jump_of_several():
    """At 0 the CDF is past 1/3 and not past 2/3: beyond both of them is not where it is."""
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 10**6: "1/4", 10**6 + 1: "1/4"}]], horizon=1)
    found, G = ranked(mdp, lambda: None), vr.objective("1/3*var(1/3) + 1/3*var(2/3) + 1/3*mean")
    proof = Proof(Fraction(1, 100), 0.0, random_record(random.Random(0), 2), (0, 0))
    replay = replay_attained(G, found, proof, lambda: None)
    share = found.gaps[0] / max(found.gaps)
    below = replay.lines[0].value(0.5)
    assert Fraction(float(below)) <= share * G("1/2")


def test_what_a_replay_says_in_the_users_units_is_rounded_up():
    """Returns with denominators of hundreds of bits: a short number, not below the long one."""
    far = Fraction(3**200, 7**150)
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", far: "1/4", 2 * far + 1: "1/4"}]], horizon=1)
    plan = replace(vr.plan(large(), POLYGON, gap=10**5), mdp=mdp)
    _, of = recheck.attained_replay(plan, Proof(Fraction(1, 100), 0.0, Branch()), lambda: None)
    for k in range(1, 50):
        exact = 2 * far + 1 - (far + 1) * Fraction(k / 50)
        assert exact <= of(k / 50) <= exact * (1 + Fraction(1, 2**150))


def test_returns_are_listed_again_up_to_a_limit(monkeypatch):
    """Whatever a file says: a model with too many cells is left open, in words."""
    plan = vr.plan(large(), POLYGON, gap=10**5)
    most = max(len(level) for level in layers(large()))
    monkeypatch.setattr(recheck, "MOST_CELLS", most)
    assert plan.recheck().upper_holds is Truth.HOLDS
    monkeypatch.setattr(recheck, "MOST_CELLS", most - 1)
    answer = plan.recheck()
    assert answer.upper_holds is Truth.UNKNOWN
    assert "too many" in answer.upper_route


def layers(mdp: vr.MDP) -> list[set[tuple[int, Fraction]]]:
    """State and return so far, step by step."""
    found = [{(s, Fraction()) for s, _ in mdp.initial}]
    for _ in range(mdp.horizon):
        found.append({(to, y + r) for s, y in found[-1] for a in mdp.actions(s) for _, to, r in a.outcomes})
    return found
