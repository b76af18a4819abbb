"""Policies that are tables: what they play at the ends of their cells and windows, and every table that is refused."""

from fractions import Fraction as Q

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidPolicy
from verified_risk.policy import policy_from_json
from verified_risk.policy.cell_policy import CellPolicy
from verified_risk.policy.grid_policy import PackedRule, packed, unpacked, windows

TWO = vr.MDP(0, [[[1, 0], [0, 1]], [[0, 1]]], [[{0: 1}, {1: 1}], [{"1/2": 1}]], horizon=2, discount="1/2")
TABLES = (np.array([[0, 1, 0], [0, 0, 0]]), np.array([[1, 0], [0, 0]]))
LINEAR = np.array([[1, 0], [0, 0]])


def cells(**changed):
    """Cells of a half at step 0 and of a quarter at step 1; ``rho`` 2 is a budget of 1."""
    given = {"eta": "1/2", "halvings": (0, 1), "rho": 2, "tables": TABLES, "linear": LINEAR, **changed}
    return CellPolicy(TWO, **given)


def action(policy, t, s, y):
    ((played, probability),) = policy.choice(t, s, y)
    assert probability == 1
    return played


@pytest.mark.parametrize(
    ("t", "y", "cell"),
    [
        (0, Q(0), 2), (0, Q(1, 2), 1), (0, Q(501, 1000), 0), (0, Q(999, 1000), 0),  # a node is in the cell on its right
        (0, Q(1), -1), (0, Q(2), -1),  # from 0 down the mean decides
        (1, Q(1, 2), 2), (1, Q(3, 4), 1), (1, Q(7, 8), 0), (1, Q(1), -1),
    ],
)  # fmt: skip
def test_the_cell_is_the_whole_part_of_the_budget(t, y, cell):
    policy = cells()
    assert policy.cell(t, y) == cell
    for s in range(2):
        table = TABLES[t][s]
        assert action(policy, t, s, y) == (LINEAR[t, s] if cell < 0 else table[min(cell, len(table) - 1)])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eta": 0}, "eta is 0, wanted a positive grid step"),
        ({"halvings": (1, 1)}, r"halvings\[0\] is 1, wanted 0"),
        ({"halvings": (0, "1")}, r"halvings\[1\] is '1', wanted a number from 0"),
        ({"rho": 0.5}, r"rho is 0\.5, wanted a whole number from 0"),
        ({"halvings": (0,)}, "1 halvings, 2 tables"),
        ({"tables": TABLES[:1]}, "2 halvings, 1 tables"),
        ({"linear": LINEAR[:1]}, r"shape \(1, 2\), wanted 2, 2 and \(2, 2\)"),
        ({"tables": (TABLES[0], np.zeros(2, dtype=int))}, r"table 1 has shape \(2,\), wanted 2 rows"),
        ({"tables": (TABLES[0][:1], TABLES[1])}, r"table 0 has shape \(1, 3\), wanted 2 rows"),
        ({"tables": (TABLES[0], TABLES[1][:, :0])}, r"table 1 has shape \(2, 0\), wanted 2 rows"),
        ({"tables": (TABLES[0], np.array([[1, 0], [0, 1]]))}, r"tables\[1\] plays 1 in state 1, wanted 0\.\.0"),
        ({"tables": (TABLES[0], np.array([[2, 0], [0, 0]]))}, r"tables\[1\] plays 2 in state 0, wanted 0\.\.1"),
        ({"tables": (np.array([[0, -1], [0, 0]]), TABLES[1])}, r"tables\[0\] plays -1 in state 0"),
        ({"linear": np.array([[1, 0], [0, 1]])}, r"linear\[1\] plays 1 in state 1, wanted 0\.\.0"),
    ],
)
def test_a_policy_by_cells_that_does_not_fit_its_model_is_refused(changed, message):
    with pytest.raises(InvalidPolicy, match=message):
        cells(**changed)


def test_a_policy_by_cells_in_a_file_has_as_many_actions_as_it_says():
    data = cells().to_json()
    again = CellPolicy.from_json(data, TWO)
    assert all(np.array_equal(one, other) for one, other in zip(again.tables, TABLES, strict=True))
    assert np.array_equal(again.linear, LINEAR)
    assert (again.eta, again.rho, again.halvings, again.least) == (Q(1, 2), 2, (0, 1), 0)
    longer = cells(linear=LINEAR).to_json() | {"linear": data["tables"]}
    with pytest.raises(InvalidPolicy, match="linear holds 10 actions, wanted 4"):
        CellPolicy.from_json(longer, TWO)
    with pytest.raises(InvalidPolicy, match="tables hold 10 actions, wanted 8"):
        CellPolicy.from_json(data | {"widths": [2, 2]}, TWO)
    for widths, message in (([6, -1], r"\[1\] of the policy is -1"), ([0, 5], r"\[0\]"), ([2.5, 2.5], r"is 2\.5")):
        with pytest.raises(InvalidPolicy, match=f"widths.*{message}.*wanted a whole number from 1"):
            CellPolicy.from_json(data | {"widths": widths}, TWO)


def test_a_policy_by_cells_moves_to_a_model_of_the_same_shape_only():
    other = vr.MDP(0, [[[1, 0], [0, 1]], [[0, 1]]], [[{0: 1}, {2: 1}], [{1: 1}]], horizon=2, discount="1/2")
    moved = cells().on(other)
    assert (moved.mdp, moved.least, moved.eta) == (other, 0, Q(1, 2))
    higher = vr.MDP(0, [[[1, 0], [0, 1]], [[0, 1]]], [[{3: 1}, {4: 1}], [{5: 1}]], horizon=2, discount="1/2")
    assert all(cells().on(higher).cell(1, y) == cells().cell(1, y) for y in (Q(0), Q(1, 2), Q(3, 4), Q(1)))
    with pytest.raises(InvalidPolicy, match="not the states, actions and horizon"):
        cells().on(TWO.with_horizon(3))


def test_a_packed_rule_answers_in_its_window_and_nowhere_else():
    rule = PackedRule([-1], [np.array([[0, 1, 0]])])
    assert [rule(0, 0, i) for i in (-1, 0, 1)] == [0, 1, 0]
    for i in (-2, 2):
        with pytest.raises(InvalidPolicy, match=f"says nothing at step 0, state 0, rounded return {i} eta"):
            rule(0, 0, i)


def test_a_rule_is_packed_with_every_sum_that_discrete_rewards_can_reach_and_not_otherwise():
    from scipy import stats

    eta = Q(1, 4)
    offsets, widths = windows(TWO, eta)
    assert (offsets, widths) == ([0, 0], [1, 5])  # 0..1 in quarters before step 1
    rule = PackedRule(offsets, [np.zeros((2, width), dtype=np.int8) for width in widths])
    found = packed(TWO, eta, rule)
    assert found is not None
    assert all(np.array_equal(a, b) for a, b in zip(unpacked(found, TWO, eta).tables, rule.tables, strict=True))
    assert packed(TWO, eta, lambda t, s, i: 0) is None
    assert packed(TWO, eta, PackedRule([0, 1], rule.tables)) is None
    assert packed(TWO, eta, PackedRule(offsets, [table[:, :1] for table in rule.tables])) is None
    continuous = vr.MDP(0, [[[1, 0], [0, 1]], [[0, 1]]], [[stats.uniform(), {1: 1}], [{"1/2": 1}]], 2, "1/2")
    assert windows(continuous, eta) == (offsets, widths)
    assert packed(continuous, eta, rule) is None


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("widths", [1, 6], r"widths\[1\] of the policy is 6, wanted 5 on a grid of 1/4"),
        ("widths", [0, 5], r"widths\[0\] of the policy is 0, wanted 1"),
        ("widths", [1, 4.5], r"widths\[1\] of the policy is 4.5, wanted 5"),
        ("widths", [1], "the policy has 1 widths, wanted 2"),
        ("offsets", [0, -1], r"offsets\[1\] of the policy is -1, wanted 0"),
        ("offsets", [1000, 0], r"offsets\[0\] of the policy is 1000, wanted 0"),
        ("offsets", [0, "0"], r"offsets\[1\] of the policy is '0', wanted 0"),
        ("offsets", [0, 0, 0], "the policy has 3 offsets, wanted 2"),
    ],
)
def test_a_packed_table_has_the_windows_of_the_model_on_its_grid(name, given, message):
    rule = PackedRule([0, 0], [np.zeros((2, width), dtype=np.int8) for width in (1, 5)])
    data = packed(TWO, Q(1, 4), rule)
    assert unpacked(data, TWO, Q(1, 4)).offsets == (0, 0)
    with pytest.raises(InvalidPolicy, match=message):
        unpacked(data | {name: given}, TWO, Q(1, 4))
    with pytest.raises(InvalidPolicy, match=r"widths\[1\] of the policy is 5, wanted 9 on a grid of 1/8"):
        unpacked(data, TWO, Q(1, 8))


@pytest.mark.parametrize(("place", "action"), [((0, 0), -1), ((0, 0), 2), ((1, 4), 1), ((1, 4), -1)])
def test_a_packed_table_plays_actions_that_there_are(place, action):
    tables = [np.zeros((2, width), dtype=np.int8) for width in (1, 5)]
    s, k = place
    tables[1][s, k] = action
    with pytest.raises(InvalidPolicy, match=rf"policy\(1, {s}, {k} eta\) plays action {action}, state {s} has actions"):
        unpacked(packed(TWO, Q(1, 4), PackedRule([0, 0], tables)), TWO, Q(1, 4))


def test_a_mixture_is_drawn_before_it_is_played_and_its_weights_are_probabilities():
    policy = vr.MarkovPolicy(TWO, [[0, 0], [1, 0]])
    mixture = vr.MixturePolicy([("1/3", policy), ("2/3", cells())])
    for ask in (mixture.start, lambda: mixture.choice(0, 0, None), lambda: mixture.remember(None, 0, 0, 0, Q(0))):
        with pytest.raises(vr.errors.Unsupported, match=r"draw one of policy\.parts\(\)"):
            ask()
    other = vr.MDP(0, [[[1, 0], [0, 1]], [[0, 1]]], [[{0: 1}, {2: 1}], [{1: 1}]], horizon=2, discount="1/2")
    assert [(w, part.mdp) for w, part in mixture.on(other).parts()] == [(Q(1, 3), other), (Q(2, 3), other)]
    with pytest.raises(InvalidPolicy, match="belongs to another model"):
        vr.MixturePolicy([("1/3", policy), ("2/3", policy.on(other))])
    for weights, message in ((("x", 1), "weight 0"), (("3/2", "-1/2"), "weight 1 .* -1/2"), ((1, 1), "sum to 2")):
        with pytest.raises(InvalidPolicy, match=message):
            vr.MixturePolicy([(w, policy) for w in weights])


@pytest.mark.parametrize(("kind", "place"), [("return", "0"), ("grid", 0)])
def test_a_place_that_a_table_lists_twice_is_refused(kind, place):
    """The second choice would silently replace the first."""
    data = {"kind": kind, "eta": "1", "rows": [[0, 0, place, 0], [0, 0, place, 1]]}
    with pytest.raises(InvalidPolicy, match=r"policy\[0, 0, 0\] stands twice, wanted it once"):
        policy_from_json(data, TWO)
    policy_from_json(data | {"rows": data["rows"][:1]}, TWO)
    with pytest.raises(InvalidPolicy, match=r"policy\[0, 0, 1/2\] stands twice"):
        vr.ReturnPolicy(TWO, {(0, 0, 0.5): 0, (0, 0, "1/2"): 1})
