"""Each term of an error bound is needed: floats that round to the wrong side, against the same sums in rationals."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import counted
import numpy as np
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.grid import float_model, scaled_model
from verified_risk.numbers.enclosure import Interval
from verified_risk.objectives.polygon import Polygon
from verified_risk.objectives.weighting import Weighting
from verified_risk.planning.affordable_law import exact_value
from verified_risk.planning.rounding import SMALLEST_NORMAL, UNIT_ROUNDOFF, Enclosure, gamma
from verified_risk.planning.search import attained_coordinates
from verified_risk.planning.search.branching import Node, Search
from verified_risk.planning.search.cells_route import CellOracle
from verified_risk.planning.search.driver import by_laws
from verified_risk.planning.search.grid_coordinates import Oracle
from verified_risk.planning.search.relaxation import Mixture
from verified_risk.planning.tails import interpolated_tables, refine
from verified_risk.planning.tails.budget_tables import budget_tables, linear_part
from verified_risk.planning.tails.tail_route import assemble

U = Fraction(1, 2**53)


# -- sums that all round to one side ----------------------------------------------------------------------------------


def drifting(n: int, step: Fraction) -> np.ndarray:
    """``1 + step + step + ...`` from the right: a step of 3u/2 is rounded up by u/2 every time, one of u/2 down."""
    cost = np.full(n, float(step))
    cost[-1] = 1.0
    return cost


def of_half(cost: np.ndarray) -> Fraction:
    return sum(map(Fraction, cost.tolist()), Fraction()) / 2


def test_terminal_sums_between_grid_points_may_drift():
    up, down = drifting(2048, 3 * U / 2), drifting(2048, U / 2)
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 2048: "1/2"}]], horizon=1, discount="1/2")
    oracle = CellOracle(mdp, Fraction(1))
    assert oracle.top == 2048
    assert Fraction(oracle.solve(up)) <= of_half(up)
    assert Fraction(oracle.above(down, oracle.choice)) >= of_half(down)


# -- the search's own bound -------------------------------------------------------------------------------------------


def thirds(count: int, **sizes):
    """Models whose probabilities are no floats."""
    return models.small("error terms", count, **sizes)


def test_the_contractor_keeps_actions_that_differ_by_rounding_alone():
    """Two actions with the same law, whose outcomes are added in another order: no slope prefers either."""
    rng, n, differ = random.Random("ties of a search"), 7, 0
    for _ in range(20):
        weights = [rng.randint(1, 9) for _ in range(n)]
        rows = [
            [(Fraction(w, sum(weights)), state(k), Fraction(k)) for k, w in enumerate(weights)]
            for state in (lambda k: 1 + k, lambda k: n - k)
        ]
        mdp = vr.MDP.from_outcomes([rows, *([[(1, s, 0)]] for s in range(1, n + 1))], initial=0, horizon=1)
        oracle = Oracle(float_model(mdp, Fraction(1)))
        slopes = np.array([rng.uniform(0.5, 2) for _ in range(oracle.top)])
        oracle.contract(slopes, slopes, slopes, math.inf)
        assert oracle.allowed[0, 0, 0] == 0b11
        tail = np.append(np.cumsum(slopes[::-1])[::-1], 0.0).tolist()
        _, start, _, prob, units, _ = oracle.arrays
        differ += len({sum(prob[0, j] * tail[units[0, j]] for j in range(start[a], start[a + 1])) for a in (0, 1)}) == 2
    assert differ >= 5


def test_ranges_of_a_contraction_hold_the_only_cdf_that_there_is():
    """Sums of coins, whose laws are binomial."""
    horizon = 12
    for n in range(3, 40, 2):
        p = Fraction(n, 41)
        mdp = vr.MDP(0, [[[1]]], [[{0: p, 1: 1 - p}]], horizon=horizon)
        oracle = Oracle(float_model(mdp, Fraction(1)))
        ones = np.ones(horizon)
        low, high = oracle.contract(ones, ones, ones, math.inf)
        exact = Fraction()
        for i in range(horizon):
            exact += math.comb(horizon, i) * (1 - p) ** i * p ** (horizon - i)
            assert Fraction(float(low[i])) <= exact <= Fraction(float(high[i]))


def test_a_probe_moves_an_end_no_further_than_it_proves():
    """Rule B3 in rationals: ``F_i > (V + least - target) / theta``, from a value that the oracle is made to say."""
    rng, moved = random.Random("probes"), 0
    polygon = Polygon(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.9, 1.0]))
    for _ in range(300):
        gap, large = rng.choice([(0.2, 0.0), (1e-12, 1e3)])  # a small gap divides the rounding of large numbers
        least, asked, best = rng.uniform(-1, 0) * (1 + large), [], rng.uniform(0.5, 1.5) + rng.uniform(0, large)
        said = rng.uniform(0.2, 1.5) if not large else best - least + 4e-9 * rng.uniform(-1, 1) + 1e-3

        def solve(probed, value=said, asked=asked):
            asked.append((float(probed[0]), Fraction(value) - Fraction(1e-3)))
            return value

        oracle = SimpleNamespace(top=1, solve=solve, slack=lambda _: 1e-3)
        search = Search(oracle, polygon, 0.0, np.inf)
        search.best = Mixture(np.zeros(1), best)
        node, cost = Node(np.zeros(1), np.ones(1), np.full(1, 0.5)), np.array([rng.uniform(0, 2)])
        search.probe(node, search.target - gap, cost, np.array([least]), node.reference, 1)
        for probed, value in asked:
            over = (value + Fraction(least) - Fraction(search.target)) / (Fraction(probed) - Fraction(cost[0]))
            if probed > cost[0]:
                assert Fraction(float(node.low[0])) <= max(over, 0)
                moved += node.low[0] > 0 and bool(large)
            else:
                assert Fraction(float(node.high[0])) >= min(over, 1)
                moved += node.high[0] < 1 and not large
    assert moved >= 60


# -- tables of budgets ------------------------------------------------------------------------------------------------


def test_the_upper_bound_of_a_pass_is_the_largest_over_all_budgets():
    """Scores that are equal up to rounding: which of them is largest in floats says nothing."""
    rng, missed = random.Random("rivals"), 0
    model = float_model(models.as_mdp(next(thirds(1))[1]), Fraction(1, 60))
    tables = budget_tables(model, Fraction(), 0, model.remaining[0])
    for _ in range(30):
        slope, level = Fraction(rng.choice([3, 7, 10])), rng.uniform(-3, 0)
        rhos = range(model.remaining[0] + 1)
        short = np.array([(rho - level) / float(slope) for rho in rhos])
        bounds = assemble(replace(tables, shortfall=short), Fraction(), slope)
        every = [rho - slope * tables.enclosure.below(float(w)) for rho, w in zip(rhos, short, strict=True)]
        assert bounds.upper == max(every)
        first = int(np.argmax([rho - float(slope) * w for rho, w in zip(rhos, short, strict=True)]))
        missed += every[first] < max(every)
    assert missed, "the largest float was the largest number in every case: they test nothing"


def test_the_best_node_of_a_table_is_best_in_rationals():
    """Nodes that are equally good up to rounding."""
    rng, missed = random.Random("nodes"), 0
    for _ in range(20):
        slope, level, n = Fraction(3), rng.uniform(-3, 0), 60
        rows = np.array([[(k - level) / 3 + rng.choice([-1, 1]) * 2.0**-53 for k in range(n)] for _ in range(2)])
        every = [k - slope * (Fraction(rows[0, k]) + 2 * Fraction(rows[1, k])) / 3 for k in range(n)]
        table = interpolated_tables.Shortfall((Fraction(1, 3), Fraction(2, 3)), rows)
        assert table.best(Fraction(1), slope)[0] == max(every)
        missed += every[int(np.argmax(np.arange(n) - 3 * table.about()))] < max(every)
    assert missed, "the largest float was the largest number in every case: they test nothing"


def test_every_state_at_the_start_is_a_sum_and_a_product_more():
    n = 40
    mdp = vr.MDP([Fraction(1, n)] * n, [[[int(s == t) for t in range(n)]] for s in range(n)], [[{0: 1}]] * n, horizon=2)
    model = float_model(mdp, Fraction(1))
    assert budget_tables(model, Fraction(), 0, 0).enclosure.depth >= model.depth + n


def test_the_variance_of_a_window_has_room_for_the_error_of_a_square():
    """A mean to go is off by gamma times the greatest return M, hence a square of at most M * M by twice that."""
    for mdp, _, _ in thirds(10):
        model = float_model(mdp, Fraction(1, 60))
        part = linear_part(model, with_variance=True)
        assert Fraction(part.slack) >= 2 * gamma(model.depth) * model.remaining[0] ** 2


def test_what_a_budget_below_nothing_is_worth_is_bounded_from_both_sides():
    """Against the best mean to go in rationals, in units of the grid."""
    for mdp, model, _ in thirds(40):
        low, high = mdp.reward_range
        if low == high:
            continue
        scaled = scaled_model(mdp, Fraction(1, 7))
        mean, value = interpolated_tables.mean_part(scaled), [Fraction()] * mdp.n_states
        for t in range(mdp.horizon - 1, -1, -1):
            pay = model.discount**t
            value = [
                min(sum(p * (pay * (high - r) * 7 + value[s2]) for p, s2, r in row) for row in model.outcomes[s])
                for s in range(mdp.n_states)
            ]
            for kappa in (Fraction(1, 3), Fraction(7, 5)):
                sides = [interpolated_tables._left(mean, t, kappa, lower).tolist() for lower in (True, False)]
                for s, (below, above) in enumerate(zip(*sides, strict=True)):
                    assert Fraction(below) <= kappa * value[s] <= Fraction(above)


def test_the_best_mean_is_enclosed_where_no_exact_law_is_at_hand(monkeypatch):
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    for mdp, _, _ in thirds(60):
        found = refine.mean_plan(mdp, vr.Mean())
        assert found.lower <= vr.exact_plan(mdp, "mean").value <= found.upper


@pytest.mark.parametrize("outcomes", [1, 150])
def test_roundings_of_a_mean_and_of_a_step_between_nodes_are_counted_by_their_terms(outcomes):
    """A backup rounds each probability, each product and each sum; none of these may be left out."""
    anywhere = [Fraction(1, outcomes)] * outcomes
    mdp = vr.MDP(0, [[anywhere]] * outcomes, [[{0: "1/2", 1: "1/2"}]] * outcomes, horizon=3, discount="1/2")
    model = scaled_model(mdp, Fraction(1, 4))
    assert interpolated_tables.mean_part(model).enclosure.depth >= 3 * (outcomes + 3)
    size = model.tops[0][0]
    assert interpolated_tables._outward(model, 0, Fraction()) >= (2 * outcomes + 8) * 2.0**-53 * size


# -- enclosures -------------------------------------------------------------------------------------------------------


class Blurred(Weighting):
    """The mean, known no better than from 7/8 of it on."""

    shape = "general"
    lipschitz = Fraction(1)
    spec = "blurred"

    def value(self, tau):
        return tau if tau in (0, 1) else Interval(tau * Fraction(7, 8), tau)


def test_what_a_policy_is_worth_at_least_is_the_lower_end_of_its_enclosure():
    """Zero or one, each with probability 1/2: between 1 - 1/2 and 1 - 7/16."""
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)
    policy = vr.MarkovPolicy(mdp, [[0]])
    found = exact_value(mdp, policy, Blurred(), patient=True)
    assert found is not None
    assert found[0] == Fraction(1, 2)
    assert by_laws(Blurred(), found[1], found[1])(Fraction(1, 4))[0] == Fraction(1, 2)


def test_the_same_over_attainable_returns():
    """Rewards of 0 and a million and one: the gap between them, times the upper end of the weighting."""
    rewards = [[{0: "1/2", 10**6 + 1: "1/2"}, {0: "1/2", 10**6: "1/2"}]]
    model = attained_coordinates.unfolded(vr.MDP(0, [[[1], [1]]], rewards, horizon=1))
    assert model is not None
    choice = np.zeros((1, len(model.cells) + 1, 1), dtype=np.int8)
    held = attained_coordinates._worth(model, Blurred(), Mixture(np.zeros(model.top), 0.0, [(1.0, choice)]))
    assert held.lower == (10**6 + 1) / Fraction(2)


@pytest.fixture(scope="module")
def seen():
    """The planner's own kernels, run on numbers that count their roundings."""
    return counted.counts()


@pytest.mark.parametrize("way", ["backward", "forward"])
def test_no_number_is_made_by_more_roundings_than_the_bound_allows(seen, way):
    assert len(seen) >= 20
    for row in seen:
        roundings, allowed = row[way]
        assert roundings <= allowed, row


def test_the_count_of_roundings_is_nearly_attained(seen):
    """So a constant that is too small by little would be noticed."""
    assert max(row["backward"][0] / row["backward"][1] for row in seen) >= 0.85
    assert max(row["forward"][0] / row["forward"][1] for row in seen) >= 0.35


def test_gamma_is_the_sum_of_the_geometric_series():
    for depth in (1, 7, 10**6, 2**52):
        share = Fraction(depth, 2**53)
        assert gamma(depth) == share / (1 - share)
        assert (1 - UNIT_ROUNDOFF) ** min(depth, 50) >= 1 - min(depth, 50) * UNIT_ROUNDOFF
    assert gamma(2**53 - 1) == 2**53 - 1
    with pytest.raises(Unsupported, match="no correct digit"):
        gamma(2**53)


def test_an_enclosure_holds_what_so_many_roundings_can_do_at_most():
    """Worst cases, met with equality to first order: k roundings all down, all up."""
    for depth in (1, 3, 40):
        box, exact = Enclosure(depth), Fraction(1, 3)
        low, high = exact * (1 - UNIT_ROUNDOFF) ** depth, exact * (1 + UNIT_ROUNDOFF) ** depth
        for computed in (low, high):
            assert computed * box.shrink <= exact <= computed / box.shrink
        assert high * (1 - (depth - 1) * UNIT_ROUNDOFF) > exact or depth == 1
        assert low / (1 - (depth - 1) * UNIT_ROUNDOFF) < exact


def test_what_underflow_loses_is_covered_and_counted_per_operation():
    """A product below the normal range may lose 2**-1022; a chain of so many products, each with a lost weight."""
    for depth, size in ((1, 0), (5, 1), (9, 100)):
        box = Enclosure(depth, size)
        lost = sum(SMALLEST_NORMAL * (1 + size) for _ in range(depth))
        assert box.underflow >= 2 * lost
        assert box.below(0.0) == 0
        assert box.above(0.0) >= 2 * lost
    assert Enclosure(5, 1).underflow < Enclosure(6, 1).underflow
    assert Enclosure(5, 1).underflow < Enclosure(5, 2).underflow
