"""The search's bound under a poor incumbent.

A search caps its bound near the best policy it has met, so a good incumbent hides a branch that was lost.  Here the
incumbent is a number, chosen above the truth and never improved: the bound must not exceed the brute-force minimum,
whatever that number is, and it must come from searches that really branch.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import float_model, grid_model
from verified_risk.kernels import polygon_bounds as kernels
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.search import branching
from verified_risk.planning.search.branching import Search
from verified_risk.planning.search.grid_coordinates import Oracle

POLYGONS = {
    "concave": vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"]),
    "convex": vr.PiecewiseLinear([(0, 0), ("1/4", "1/16"), ("1/2", "1/4"), (1, 1)]),
    "general": vr.PiecewiseLinear([(0, 0), ("1/4", "1/2"), ("3/4", "5/8"), (1, 1)]),
    "general, convex first": vr.PiecewiseLinear([(0, 0), ("3/10", "1/10"), ("1/2", "4/5"), ("7/10", "17/20"), (1, 1)]),
}
ABOVE = (0.003, 0.05, 0.4)


class FixedIncumbent(Search):
    """A search whose incumbent is a number: no policy that it meets is offered."""

    MOST_NODES = 40

    def offer(self, cdf, parts=None):
        return False

    def incumbents(self):
        self.vertex(np.ones(self.oracle.top), masked=False)

    def late(self):
        """Out of nodes, not out of time: the same search every time."""
        return self.nodes > self.MOST_NODES


def searched(mdp: vr.MDP, polygon: Polygon, incumbent: float, *, contracts: bool) -> FixedIncumbent:
    grid = grid_model(mdp)
    oracle = Oracle(float_model(mdp, grid.unit))
    oracle.maskable = contracts
    search = FixedIncumbent(oracle, polygon, 1e-9, np.inf)
    search.best.value = incumbent
    search.run()
    return search


def least_and_most(mdp: vr.MDP, grid) -> tuple[int, int]:
    low, high = mdp.remaining_range(0)
    return int(low / grid.unit), int(high / grid.unit)


def least_cost(mdp: vr.MDP, model: oracles.Model, polygon: Polygon, grid, rng: random.Random) -> Fraction:
    """An upper bound of ``min sum_i G(F_i)`` by brute force: every deterministic policy, and mixtures of them.

    For a concave polygon the deterministic policies attain the minimum over all policies; otherwise a mixture may be
    better, and every mixture that is tried is still a policy that the bound must not exceed.
    """
    low, high = least_and_most(mdp, grid)
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


def campaign(name: str, count: int = 8) -> int:
    """How many searches branched and proved more than nothing; raises if a bound exceeds the truth."""
    polygon = POLYGONS[name].polygon_below(Fraction(1, 10**6))
    branched = 0
    for mdp, model, rng in models.small("masks 8", count, max_states=3, max_actions=3):
        grid = grid_model(mdp)
        low, high = least_and_most(mdp, grid)
        if high == low:
            continue
        least = least_cost(mdp, model, polygon, grid, rng)
        for above, contracts in itertools.product(ABOVE, (True, False)):
            search = searched(mdp, polygon, float(least) + above, contracts=contracts)
            found = max(search.bound, search.uncut_bound)
            assert found == -np.inf or Fraction(found) <= least + Fraction(1, 10**12), f"{found} > {least}, {above}"
            branched += search.nodes > 0 and found > 0
    return branched


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """Boxes are tightened little before they are cut, so that searches branch and contract inside branches."""
    monkeypatch.setattr(branching, "ROOT_ROUNDS", 1)
    monkeypatch.setattr(branching, "NODE_ROUNDS", 2)


@pytest.mark.parametrize("name", POLYGONS)
def test_no_incumbent_makes_the_bound_false(name):
    assert campaign(name) >= 12


# -- slopes at corners (B5) -------------------------------------------------------------------------------------------


def needed_slopes(polygon: Polygon, low: float, high: float) -> list[list[tuple[Fraction, Fraction]]]:
    """For every point of a box an interval of slopes, or several of which one will do, that a range must contain.

    Inside a piece its slope; at a convex corner all slopes between both; at a concave one either.  Points: the ends,
    the corners, and one between each two of them; in exact arithmetic on the floats of the polygon.
    """
    x, g = ([Fraction(float(v)) for v in values] for values in (polygon.x, polygon.g))
    slopes = [(v - u) / (b - a) for (a, b), (u, v) in zip(itertools.pairwise(x), itertools.pairwise(g), strict=True)]
    ends = [Fraction(low), *(knot for knot in x if low < knot < high), Fraction(high)]
    points = ends + [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    needed = []
    for point in points:
        left, right = ([m for m, a, b in zip(slopes, x, x[1:], strict=False) if test(a, b)] for test in (
            lambda a, b, point=point: a < point <= b, lambda a, b, point=point: a <= point < b))  # fmt: skip
        one, other = (left or right)[0], (right or left)[0]
        needed.append([(one, other)] if one < other else [(one, one), (other, other)])
    return needed


def kernel_ranges(polygon: Polygon, low: float, high: float) -> tuple[float, float]:
    least, most, middle = np.zeros(1), np.zeros(1), np.zeros(1)
    kernels.slope_ranges(np.array([low]), np.array([high]), polygon.x, polygon.g, least, most, middle)
    assert least[0] <= middle[0] <= most[0]
    return float(least[0]), float(most[0])


def test_a_box_that_ends_at_a_corner_has_all_slopes_that_it_needs_and_hardly_more():
    """The search cuts at corners, so boxes that end at one are the rule."""
    rng = random.Random("corners")
    convex_ends = concave_ends = 0
    for _ in range(60):
        n = rng.randint(2, 6)
        x = np.array([0.0, *sorted(rng.sample([i / 16 for i in range(1, 16)], n - 1)), 1.0])
        polygon = Polygon(x, np.array([0.0, *sorted(rng.random() for _ in range(n - 1)), 1.0]))
        for low, high in [(a, b) for a in x for b in x if a < b] + [(x[1] - 0.01, x[1] + 0.01), (x[1], x[1])]:
            least, most = kernel_ranges(polygon, float(low), float(high))
            needed = needed_slopes(polygon, float(low), float(high))
            for choices in needed:
                assert any(least <= a and b <= most for a, b in choices), (x, polygon.g, low, high)
            every = [slope for choices in needed for pair in choices for slope in pair]
            assert least >= float(min(every)) * (1 - 1e-12)
            assert most <= float(max(every)) * (1 + 1e-12)
            convex_ends += len(needed[0]) == 1 and needed[0][0][0] < needed[0][0][1]
            concave_ends += len(needed[0]) == 2
    assert min(convex_ends, concave_ends) >= 50


def test_no_policy_with_a_better_mean_is_kept_at_the_expense_of_the_objective():
    """The tangent at the best policy, whose CDF is 2/5 where G is 0, cannot tell it from one with a better mean."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "2/5", 3: "3/5"}, {2: "3/5", 3: "2/5"}]], horizon=1)
    polygon = vr.objective("pl(0, 0; 1/2, 0; 1, 1)").polygon_below(Fraction(1, 4))
    search = Search(Oracle(float_model(mdp, Fraction(1))), polygon, 1e-9, np.inf)
    search.run()
    assert (search.best.value, search.best.cdf.tolist()) == (0.0, [0.4, 0.4, 0.4])
    search.prefer_mean(2.0**-35)
    assert search.best.cdf.tolist() == [0.4, 0.4, 0.4]
