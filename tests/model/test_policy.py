"""Equality of policies, and the text forms of plans and models."""

import base64
import json
import zlib
from fractions import Fraction
from fractions import Fraction as Q

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidPolicy
from verified_risk.policy import policy_from_json
from verified_risk.policy.cell_policy import CellPolicy
from verified_risk.policy.grid_policy import PackedRule, packed, unpacked, windows

HALF = Fraction(1, 2)


def coin(p: str = "1/2") -> vr.MDP:
    return vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{0: 1}, {0: p, 1: p}]], horizon=2)


def kinds(mdp: vr.MDP) -> list[vr.Policy]:
    one, other = vr.MarkovPolicy(mdp, [[0], [1]]), vr.MarkovPolicy(mdp, [[1], [{0: HALF, 1: HALF}]])
    rule = {(0, 0, 0): 1, (1, 0, 0): 0, (1, 0, 1): 1}
    grid = vr.GridPolicy(mdp, 1, lambda t, s, i: int(i == 0))
    return [one, other, vr.ReturnPolicy(mdp, rule), grid, vr.MixturePolicy([("1/3", one), ("2/3", other)])]


def test_policies_are_equal_when_they_decide_alike_in_equal_models():
    for i, one in enumerate(kinds(coin())):
        for j, other in enumerate(kinds(coin())):
            assert (one == other) is (i == j)
            assert (one != other) is (i != j)
            assert i != j or hash(one) == hash(other)


def test_a_policy_of_another_model_or_another_choice_differs():
    mdp, shorter = coin(), coin().with_horizon(1)
    assert vr.MarkovPolicy(mdp, [[0], [1]]) != vr.MarkovPolicy(mdp, [[0], [0]])
    assert vr.MarkovPolicy(shorter, [[0]]) != vr.MarkovPolicy(mdp, [[0], [0]])
    assert vr.MarkovPolicy(mdp, [[0], [0]]) != "a policy"
    always = lambda history: 0  # noqa: E731
    policy = vr.HistoryPolicy(mdp, always)
    assert policy == policy
    assert policy != vr.HistoryPolicy(mdp, always)  # functions cannot be compared


def test_a_grid_policy_is_what_it_does_where_it_can_be():
    """Choices at sums that are never reached do not count; those that are reached do."""
    mdp = coin()
    same = [vr.GridPolicy(mdp, 1, lambda t, s, i, far=far: far if i > 7 else 1) for far in (0, 1)]
    assert same[0] == same[1]
    assert same[0] != vr.GridPolicy(mdp, 1, lambda t, s, i: int(i < 1))


def test_a_mixture_does_not_depend_on_the_order_of_its_parts():
    mdp = coin()
    one, other = (vr.MarkovPolicy(mdp, [[a], [a]]) for a in (0, 1))
    assert vr.MixturePolicy([("1/4", one), ("3/4", other)]) == vr.MixturePolicy([("3/4", other), ("1/4", one)])
    assert vr.MixturePolicy([("1/4", one), ("3/4", other)]) != vr.MixturePolicy([("1/2", one), ("1/2", other)])


def test_what_was_saved_is_equal_when_it_is_read(tmp_path):
    mdp = vr.models.two_paths()
    for G in ("cvar(1/4)", "wang(3/4)"):
        plan = vr.plan(mdp, G)
        plan.policy.save(tmp_path / "policy.json")
        assert vr.Policy.load(tmp_path / "policy.json") == plan.policy


def test_plans_and_models_print_for_people():
    plan = vr.plan(vr.models.two_paths(), "wang(3/4)")
    assert "Fraction" not in str(plan) + repr(plan) + plan.describe()
    assert str(plan).splitlines()[1] == "value      1"
    assert "state 0 (start): play" in plan.describe()
    exact = vr.exact_plan(vr.models.two_paths(), "cvar(1/4)")
    assert "the bounds meet exactly" in str(exact)
    assert str(vr.models.two_paths()).startswith("       .-- road")


POSITIONAL = (
    lambda m: vr.plan(m, "mean", 1),
    lambda m: vr.cvar_frontier(m, 1),
    lambda m: vr.learn(m, "mean", 5),
    lambda m: vr.mean_cvar_front(m, "1/4", 1),
)


@pytest.mark.parametrize("call", POSITIONAL)
def test_what_comes_after_the_objective_is_named(call):
    with pytest.raises(TypeError, match="positional"):
        call(vr.models.two_paths())


def test_every_reader_of_eta_says_the_same():
    mdp = coin()
    for read in (
        lambda eta: vr.plan(mdp, "mean", eta=eta),
        lambda eta: vr.learn(mdp, "mean", episodes=2, eta=eta),
        lambda eta: vr.GridPolicy(mdp, eta, lambda t, s, i: 0),
        lambda eta: vr.Law({0: 1}).round_up(eta),
        mdp.discretised,
    ):
        for eta, said in ((0, "eta is 0, wanted a positive grid step"), ("x", "eta is 'x', wanted a number")):
            with pytest.raises(vr.errors.InvalidArgument, match=said):
                read(eta)


def test_errors_carry_what_they_know():
    with pytest.raises(vr.errors.Unsupported) as caught:
        vr.exact_plan(coin(), "wang(1/2)")
    assert caught.value.instead == "plan(mdp, G)"
    assert str(caught.value) == f"{caught.value.why}: use plan(mdp, G)"


def test_a_packed_table_is_read_as_it_was_and_damage_is_named(tmp_path):
    mdp = vr.models.machine_replacement()
    for plan in (vr.plan(mdp, "cvar(1/4)"), vr.plan(mdp, "wang(1/2)", gap="1/10", time_limit=5)):
        again = policy_from_json(plan.policy.to_json(), mdp)
        for (_, one), (_, other) in zip(plan.policy.parts(), again.parts(), strict=True):
            offsets, widths = windows(mdp, one.eta)
            for t in range(mdp.horizon):
                for s in range(mdp.n_states):
                    for k in {0, widths[t] // 2, widths[t] - 1}:
                        assert one.rule(t, s, offsets[t] + k) == other.rule(t, s, offsets[t] + k)
        assert vr.return_law(mdp, again) == vr.return_law(mdp, plan.policy)
    data = vr.plan(mdp, "cvar(1/4)").policy.to_json()
    table = data["packed"]
    tables = zlib.decompress(base64.b64decode(table["tables"]))

    def repacked(flat: bytes) -> str:
        return base64.b64encode(zlib.compress(flat)).decode()

    for change, said in (
        ({"tables": "***"}, "cannot be unpacked"),
        ({"tables": repacked(tables[:-1])}, "tables of the policy hold"),
        ({"tables": repacked(b"\x09" + tables[1:])}, "plays action 9, state 0 has actions 0..1"),
        ({"widths": table["widths"][:-1]}, "widths"),
        ({"type": "<f8"}, "tables of the policy have type '<f8'"),
    ):
        with pytest.raises(vr.errors.InvalidPolicy, match=said):
            policy_from_json({**data, "packed": {**table, **change}}, mdp)


def test_large_files_are_written_in_one_line_and_read_the_same(tmp_path, monkeypatch):
    plan = vr.plan(vr.models.two_paths(), "cvar(1/4)")
    plan.save(tmp_path / "small.json")
    monkeypatch.setattr("verified_risk.files.LONGEST_INDENTED", 10)
    plan.save(tmp_path / "large.json")
    small, large = ((tmp_path / name).read_text() for name in ("small.json", "large.json"))
    assert json.loads(small) == json.loads(large)
    assert large.count("\n") == 1
    assert vr.Plan.load(tmp_path / "large.json").policy == plan.policy
    (tmp_path / "large.json").write_text(large.replace('"lower":"1"', '"lower":"2"'))
    with pytest.raises(vr.errors.InvalidFile, match="was edited"):
        vr.Plan.load(tmp_path / "large.json")


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
