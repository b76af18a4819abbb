"""The replay of a search's record: it confirms what the planner claims, and no record, however made, makes it lie."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidFile
from verified_risk.grid import grid_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.recheck import both_bounds as recheck
from verified_risk.planning.recheck import integer_routes, replay
from verified_risk.planning.search.trace import Branch, Proof, Round

SPECTRAL = vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"])
WEIGHTINGS = {
    "concave, irrational": vr.Wang("3/4"),
    "convex, irrational": vr.Wang("-3/4"),
    "inverse S": vr.CPW("0.71"),
    "three levels": SPECTRAL,
    "a corner up, a corner down": vr.PiecewiseLinear([(0, 0), ("1/4", "1/2"), ("3/4", "5/8"), (1, 1)]),
    "with a quantile": Fraction(1, 2) * vr.VaR("1/3") + Fraction(1, 2) * vr.CVaR("1/4"),
}


def searched_plans(name: str, count: int):
    for mdp, _, _ in models.small(f"replay {name}", count, max_states=3, max_actions=3):
        plan = vr.plan(mdp, WEIGHTINGS[name], gap="1/10000", time_limit=5)
        if plan.certificate.proof is not None:
            yield plan


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_replay_confirms_what_the_search_claims(name, monkeypatch):
    """On its own: neither integers nor rationals may step in."""
    monkeypatch.setattr(recheck, "EXACT_WORK", 0)
    monkeypatch.setattr(recheck, "SUMS_WORK", 0)
    answers = [plan.recheck() for plan in searched_plans(name, 12)]
    assert len(answers) >= 8
    for answer in answers:
        assert ("boxes of budgets" if name == "three levels" else "replayed") in answer.upper_route
        assert answer.upper_holds is Truth.HOLDS, str(answer)
        assert answer.lower_holds is Truth.HOLDS, str(answer)


def test_an_upper_bound_below_the_truth_is_not_confirmed():
    for plan in searched_plans("inverse S", 10):
        forged = replace(plan, upper=plan.upper - Fraction(1, 1000), lower=plan.lower - Fraction(1, 500))
        assert forged.recheck().upper_holds is not Truth.HOLDS


def test_a_search_that_was_stopped_is_replayed_to_its_weaker_bound():
    rng = random.Random("stopped")
    mdp, _ = models.product(rng, max_states=3, max_actions=2, max_horizon=3)
    plan = vr.plan(mdp, vr.CPW("0.71"), gap="1/10000", time_limit=0)
    answer = plan.recheck()
    assert answer.upper_holds is Truth.HOLDS, str(answer)


def test_a_saved_plan_is_rechecked_as_before(tmp_path):
    plan = next(p for p in searched_plans("inverse S", 10) if p.certificate.proof.root.rounds[0].slopes is not None)
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert again.recheck() == plan.recheck()
    assert again.certificate.proof.to_json() == plan.certificate.proof.to_json()


# -- any record -------------------------------------------------------------------------------------------------------


def random_record(rng: random.Random, top: int, depth: int = 2) -> Branch:
    """Rounds and cuts that no search would make; multipliers of the size of slopes."""

    def multipliers():
        return np.array([rng.choice([0.0, 0.3, 1.0, 2.0, 5.0]) * rng.random() for _ in range(top)])

    branch = Branch()
    for _ in range(rng.randint(1, 3)):
        cost = None if rng.random() < 0.1 else multipliers()
        probes = [] if cost is None else [(rng.randrange(top), 8 * rng.random() - 2) for _ in range(rng.randint(0, 4))]
        branch.rounds.append(Round(cost, probes, multipliers() if rng.random() < 0.8 else None))
    if depth and rng.random() < 0.5:
        branch.cut = rng.randrange(top), rng.choice([rng.random(), 0.1, 0.5, 1.0])
        branch.children = [random_record(rng, top, depth - 1) for _ in range(2)]
    return branch


def exact_cost(plan_grid, polygon: Polygon, laws) -> Fraction:
    """The least ``sum_i G(F_i)`` over deterministic policies, exactly; G concave, so over all policies."""
    low, high = integer_routes.remaining_range(plan_grid)[0]
    points = [(low + i) * plan_grid.unit for i in range(high - low)]
    return min(
        sum((polygon(sum((p for z, p in law.items() if z <= x), Fraction())) for x in points), Fraction())
        for law in laws
    )


def campaign(count: int = 60, records: int = 6) -> None:
    """Random records against brute force; raises if a replayed bound exceeds the truth."""
    polygon = SPECTRAL.polygon_below(Fraction(1, 10**6))
    tight = 0
    for mdp, model, rng in models.small("any record", count, max_states=3, max_actions=3):
        grid = grid_model(mdp)
        low, high = integer_routes.remaining_range(grid)[0]
        if high == low:
            continue
        least = exact_cost(grid, polygon, oracles.all_return_laws(model))
        for _ in range(records):
            # a target above the truth: the minimiser has to survive every cut
            target = float(least) + rng.choice([0.001, 0.05, 0.5]) * rng.random() + 1e-6
            proof = Proof(Fraction(1), target, random_record(rng, high - low))
            found = replay.Replay(replay.Outcomes(grid), polygon, proof).bound()
            assert found == -np.inf or Fraction(found) <= least, "bound"
            tight += found > least - Fraction(1, 2)
    assert tight >= count, "the records prove nothing: the campaign cannot fail"


def test_whatever_the_record_the_bound_is_valid():
    campaign(100)


class TestPlantedFaults:
    """Each of these makes the replay wrong; the campaign must notice."""

    def caught(self):
        return pytest.raises(AssertionError, match="bound")

    def test_slopes_known_too_well(self, monkeypatch):
        honest = replay.Line.slopes
        monkeypatch.setattr(replay.Line, "slopes", lambda self, a, b: (sum(honest(self, a, b)) / 2,) * 2)
        with self.caught():
            campaign()

    def test_minima_of_the_boxes_forgotten(self, monkeypatch):
        honest = replay.Replay._dual

        def forgetful(self, cost, box):
            return replace(honest(self, cost, box), bound=honest(self, cost, box).bound + 0.01)

        monkeypatch.setattr(replay.Replay, "_dual", forgetful)
        with self.caught():
            campaign()

    def test_ends_cut_with_too_little_room(self, monkeypatch):
        honest = replay.Replay._cut

        def greedy(self, cost, dual, box):
            return honest(self, cost, replace(dual, bound=(dual.bound + self.target) / 2), box)

        monkeypatch.setattr(replay.Replay, "_cut", greedy)
        with self.caught():
            campaign()

    def test_values_computed_for_a_cheaper_policy_than_there_is(self, monkeypatch):
        honest = replay.Outcomes.least_costs
        monkeypatch.setattr(replay.Outcomes, "least_costs", lambda self, c, mask: honest(self, c, mask) + 0.01)
        with self.caught():
            campaign()

    def test_conditional_laws_that_forget_what_a_reward_has_earned(self, monkeypatch):
        honest = replay.Outcomes._shifted

        def unmoved(branches, after, shape):
            return honest([(p, s, 0) for p, s, _ in branches], after, shape)

        monkeypatch.setattr(replay.Outcomes, "_shifted", staticmethod(unmoved))
        with self.caught():
            campaign()

    def test_a_box_closed_from_the_wrong_side(self, monkeypatch):
        def wrong(self):
            self.low = np.minimum(np.maximum.accumulate(self.low[::-1])[::-1], self.high)
            return True

        monkeypatch.setattr(replay.Box, "close", wrong)
        with self.caught():
            campaign()


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (Branch([Round(np.array([np.nan, 1.0]))]), "not a number"),
        (Branch([Round(np.array([1.0, np.inf]))]), "not a number"),
        (Branch([Round(np.array([1.0]))]), "1 multipliers, wanted 2"),
        (Branch([Round(np.ones(2), [(2, 1.0)])]), "coordinate 2 of 2"),
        (Branch([Round(np.ones(2), [(0, np.nan)])]), "nan at coordinate 0"),
        (Branch([Round(np.ones(2), [], np.array([1e200, 0.0]))]), "below 1e100"),
        (Branch([], (0, np.nan)), "cut at nan"),
        (Branch([], (-1, 0.5)), "coordinate -1"),
        (Branch([], (0, 0.5), [Branch()]), "1 children, wanted 2"),
    ],
)
def test_a_record_that_could_close_a_node_by_accident_is_refused(record, complaint):
    mdp = vr.MDP(0, [[{0: 1}, {0: 1}]], [[{1: 1}, {0: "1/2", 2: "1/2"}]], horizon=1)
    with pytest.raises(InvalidFile, match=complaint):
        replay.Replay(
            replay.Outcomes(grid_model(mdp)), SPECTRAL.polygon_below(Fraction(1, 100)), Proof(Fraction(1), 0.5, record)
        )


def test_a_record_with_costs_missing_or_left_over_is_refused():
    whole = Proof(Fraction(1, 4), 0.5, Branch([Round(np.ones(3), [(1, 2.0)], np.zeros(3))])).to_json()
    assert Proof.from_json(whole).to_json() == whole
    short = {**whole, "tree": {**whole["tree"], "rounds": []}}
    with pytest.raises(InvalidFile, match="6 more"):
        Proof.from_json(short)
    long = {**whole, "tree": {**whole["tree"], "rounds": whole["tree"]["rounds"] * 2}}
    with pytest.raises(InvalidFile, match="wants 3 numbers, 0 are left"):
        Proof.from_json(long)
    with pytest.raises(InvalidFile, match="cannot be unpacked"):
        Proof.from_json({**whole, "costs": "####"})
