"""The search's bound under a poor incumbent.

A search caps its bound near the best policy it has met, so a good incumbent hides a branch that was lost.  Here the
incumbent is a number, chosen above the truth and never improved: the bound must not exceed the brute-force minimum,
whatever that number is, and it must come from searches that really branch.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import grid_model
from verified_risk.grid.floats import float_model
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.recheck import replay
from verified_risk.planning.recheck.rational import remaining_range
from verified_risk.planning.search import branching
from verified_risk.planning.search.branching import Search
from verified_risk.planning.search.cdf import Oracle
from verified_risk.planning.search.proof import Proof

POLYGONS = {
    "concave": vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"]),
    "convex": vr.PiecewiseLinear([(0, 0), ("1/4", "1/16"), ("1/2", "1/4"), (1, 1)]),
    "general": vr.PiecewiseLinear([(0, 0), ("1/4", "1/2"), ("3/4", "5/8"), (1, 1)]),
    "general, convex first": vr.PiecewiseLinear([(0, 0), ("3/10", "1/10"), ("1/2", "4/5"), ("7/10", "17/20"), (1, 1)]),
}
ABOVE = (0.003, 0.05, 0.4)
MOST_NODES = 40


class FixedIncumbent(Search):
    """A search whose incumbent is a number: no policy that it meets is offered."""

    def offer(self, cdf, parts=None):
        return False

    def incumbents(self):
        self.vertex(np.ones(self.oracle.top), masked=False)

    def late(self):
        """Out of nodes, not out of time: the same search every time."""
        return self.nodes > MOST_NODES


def searched(mdp: vr.MDP, polygon: Polygon, incumbent: float, *, contracts: bool) -> FixedIncumbent:
    grid = grid_model(mdp)
    oracle = Oracle(float_model(mdp, grid.unit))
    oracle.maskable = contracts
    search = FixedIncumbent(oracle, polygon, 1e-9, np.inf)
    search.best.value = incumbent
    search.run()
    return search


def least_cost(model: oracles.Model, polygon: Polygon, grid, rng: random.Random) -> Fraction:
    """An upper bound of ``min sum_i G(F_i)`` by brute force: every deterministic policy, and mixtures of them.

    For a concave polygon the deterministic policies attain the minimum over all policies; otherwise a mixture may be
    better, and every mixture that is tried is still a policy that the bound must not exceed.
    """
    low, high = remaining_range(grid)[0]
    points = [(low + i) * grid.unit for i in range(high - low)]
    cdfs = [
        [sum((p for z, p in law.items() if z <= x), Fraction()) for x in points]
        for law in oracles.all_return_laws(model)
    ]
    tried = list(cdfs)
    for _ in range(200):
        weight = Fraction(rng.randint(1, 9), 10)
        one, other = rng.choice(cdfs), rng.choice(cdfs)
        tried.append([weight * a + (1 - weight) * b for a, b in zip(one, other, strict=True)])
    return min(sum((polygon(x) for x in cdf), Fraction()) for cdf in tried)


def campaign(name: str, count: int = 8, *, replayed: bool = False) -> int:
    """How many searches branched; raises if a bound exceeds the truth."""
    polygon = POLYGONS[name].polygon_below(Fraction(1, 10**6))
    branched = 0
    for mdp, model, rng in models.small("masks 8", count, max_states=3, max_actions=3):
        grid = grid_model(mdp)
        low, high = remaining_range(grid)[0]
        if high == low:
            continue
        least = least_cost(model, polygon, grid, rng)
        for above, contracts in itertools.product(ABOVE, (True, False)):
            search = searched(mdp, polygon, float(least) + above, contracts=contracts)
            found = max(search.bound, search.uncut_bound)
            if replayed:
                proof = Proof(Fraction(1), search.target, search.record)
                found = replay.Replay(grid, polygon, proof).bound()
            assert found == -np.inf or Fraction(found) <= least + Fraction(1, 10**12), f"{found} > {least}, {above}"
            branched += search.nodes > 0
    return branched


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """Boxes are tightened little before they are cut, so that searches branch and contract inside branches."""
    monkeypatch.setattr(branching, "ROOT_ROUNDS", 1)
    monkeypatch.setattr(branching, "NODE_ROUNDS", 2)


@pytest.mark.parametrize("name", POLYGONS)
def test_no_incumbent_makes_the_bound_false(name):
    assert campaign(name) >= 12


@pytest.mark.parametrize("name", POLYGONS)
def test_no_incumbent_makes_the_replay_false(name):
    campaign(name, 5, replayed=True)
