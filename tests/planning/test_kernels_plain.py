"""Kernels by themselves, interpreted, against the sentence that says what each computes."""

import math
import random
from fractions import Fraction as Q
from types import SimpleNamespace

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.kernels import budget_pass, cell_pass, learn_data, learn_plan, learn_run, polygon_bounds
from verified_risk.planning.search.cells_route import CellOracle


def test_a_polygon_is_read_as_its_end_beyond_its_ends():
    x, g = np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.5, 1.0])
    for t, wanted in ((-0.5, 0.0), (0.0, 0.0), (0.125, 0.25), (0.25, 0.5), (0.625, 0.75), (1.0, 1.0), (1.5, 1.0)):
        assert polygon_bounds.value.plain(t, x, g) == wanted


def test_nodes_from_above_are_raised_least_and_cover_both_sides():
    rng = np.random.default_rng(5)
    for actions, n in ((1, 1), (1, 3), (2, 2), (3, 6)):
        q, d = rng.integers(0, 9, (actions, n)) / 4.0, rng.integers(0, 3, (actions, n)) / 8.0
        now, choice, best = np.zeros((1, n + 2)), np.full((1, n), -1, dtype=np.int8), np.zeros(n)
        budget_pass.upper_nodes.plain(actions, n, q, d, now, 0, 2, choice, best)
        for b in range(n - 1):
            scores = [q[i, b] + q[i, b + 1] + 2 * d[i, b] for i in range(actions)]
            assert choice[0, b] == scores.index(min(scores))
        assert choice[0, n - 1] == np.argmin(q[:, n - 1])
        for b in range(n):
            i = choice[0, b]
            own = [q[i, b] + (d[i, b] if b < n - 1 else 0.0)]
            if b:
                j = choice[0, b - 1]
                own.append(q[j, b] + d[j, b - 1])
            assert now[0, 2 + b] == max(own)
        assert not now[0, :2].any()


@pytest.mark.parametrize("seed", range(12))
def test_every_cell_that_a_policy_of_allowed_actions_meets_is_marked(seed):
    """Returns so far are exact here; a node belongs to the cell on its left, 0 to the first."""
    rng = random.Random(seed)
    n, horizon = 2, 4
    action_start = np.array([0, 2, 3])
    outs = [[(rng.randrange(n), rng.randrange(2), rng.choice([0, 0, 1, 2, 3])) for _ in range(2)] for _ in range(3)]
    out_start = np.array([0, 2, 4, 6])
    out_state = np.array([s for row in outs for s, _, _ in row])
    units = np.array([[u for row in outs for _, u, _ in row]] * horizon)
    share = np.array([[quarter / 4.0 for row in outs for *_, quarter in row]] * horizon)
    nodes = np.array([1 + 2 * t for t in range(horizon + 1)])
    allowed = np.array([[[rng.choice([1, 2, 3]) if s == 0 else 1 for _ in range(nodes[-1] + 1)] for s in range(n)]] * 4)
    reached = np.zeros((horizon, n, nodes[-1] + 1), dtype=np.int8)
    cell_pass.mark_cells.plain(action_start, out_start, out_state, units, share, nodes, np.array([0]), allowed, reached)
    met, cells = {(0, Q(0))}, 0
    for t in range(horizon):
        following = set()
        for s, y in met:
            cell = min(max(math.ceil(y) - 1, 0), nodes[t] - 1)
            assert reached[t, s, cell] == 1
            cells += 1
            for a in range(action_start[s], action_start[s + 1]):
                if allowed[t, s, cell] >> (a - action_start[s]) & 1:
                    following |= {(target, y + u + Q(quarter, 4)) for target, u, quarter in outs[a]}
        met = following
    assert cells >= horizon
    assert reached[0].sum() == 1


@pytest.mark.parametrize(
    ("rewards", "discount", "horizon", "eta", "kept"),
    [
        (({1: 1}, {0: 1}), "9/10", 3, Q(1, 2), [[1], [1, 1], [1, 1, 1, 1]]),
        (({1: 1}, {0: 1}), "1/2", 2, Q(2), [[1], [3]]),  # one cell of returns; at its end all returns cost the same
        (({"1/2": 1}, {0: "1/2", 1: "1/2"}), "9/10", 2, Q(1, 2), [[3], [3, 3]]),  # the same mean: costs must decide
    ],
)
def test_an_action_is_ruled_out_only_if_it_costs_more_than_the_reference(rewards, discount, horizon, eta, kept):
    """In the first two cases the second action earns nothing, and costs are known exactly; in the third every cost
    between a half and three halves is possible."""
    oracle = CellOracle(vr.MDP(0, [[[1], [1]]], [list(rewards)], horizon=horizon, discount=discount), eta)
    cost = np.ones(oracle.top)
    oracle.solve(cost)
    room = 0.5 if kept[0] == [3] else 0.0
    *_, removed = oracle._contract(oracle.allowed, oracle.choice, cost, cost - room, cost + room)
    assert [oracle.allowed[t, 0, : oracle.nodes[t]].tolist() for t in range(horizon)] == kept
    assert removed == sum(row.count(1) for row in kept)


@pytest.mark.parametrize(
    ("beyond", "pick"), [(learn_data.WORST, min), (learn_data.LARGEST, None), (learn_data.BEST, max)]
)
@pytest.mark.parametrize("followers", [3, 2])
def test_what_lies_beyond_the_states_is_the_best_or_the_worst_of_those_that_may_follow(beyond, pick, followers):
    gains = np.array([[2.0, 1.0, 5.0], [3.0, 0.0, 5.0], [1.0, 4.0, 5.0]])
    gain = np.full((1, 4, 3), np.nan)
    gain[0, :3] = gains
    star, utility = np.full((1, 3), -1), np.arange(10.0)
    shape = SimpleNamespace(first=np.zeros(4), used=[2], top=[6], followers=followers)
    learn_plan.gain_beyond.plain(0, shape, SimpleNamespace(gain=gain, star=star), utility, beyond)
    if pick is None:
        assert gain[0, 3].tolist() == [6.0, 7.0, 8.0]
    else:
        assert gain[0, 3].tolist() == [pick(column) for column in gains[:followers].T.tolist()]
        assert star[0].tolist() == [column.index(pick(column)) for column in gains[:followers].T.tolist()]
    assert np.array_equal(gain[0, :3], gains)


def test_policies_differ_in_any_entry_and_are_kept_whole():
    policy = np.arange(24).reshape(2, 3, 4)
    for place in np.ndindex(policy.shape):
        other = policy.copy()
        assert not learn_run.keep.plain(policy, other)
        other[place] = -1
        assert learn_run.keep.plain(policy, other)
        assert np.array_equal(policy, other)
