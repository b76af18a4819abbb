"""Equality of policies, and the text forms of plans and models."""

import base64
import json
import zlib
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.policy import policy_from_json
from verified_risk.policy.grid_policy import windows

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
