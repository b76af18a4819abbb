"""Models: reading, refusing, deriving, saving."""

import gc
import json
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidModel
from verified_risk.mdp.action import ContinuousReward
from verified_risk.mdp.reading import Reader

HALF = Fraction(1, 2)
HOME = [[1, 0], [1, 0]]
"""Both actions of state 1 lead to state 0."""


def coin(**changes):
    """Two states; state 1 has a second action."""
    parts = {
        "initial": ["1/2", "1/2"],
        "transitions": [[[0, 1]], [["1/3", "2/3"], [1, 0]]],
        "rewards": [[{0: HALF, 1: 0.5}], [{"3/4": 1}, {0: Decimal("0.25"), 2: "3/4"}]],
        "horizon": 3,
    }
    return vr.MDP(**(parts | changes))


def test_every_way_of_writing_a_number_means_the_same_model():
    dense = coin()
    sparse = coin(
        initial={0: 0.5, 1: 0.5}, transitions=[[{1: 1}], [{0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: "1.0"}]]
    )
    assert dense == sparse
    assert hash(dense) == hash(sparse)
    assert dense != coin(horizon=4)
    assert coin(initial=1) == coin(initial=[0, 1])


def test_a_model_has_one_form_however_it_was_given():
    product = coin()
    joint = vr.MDP.from_outcomes(
        [[action.outcomes for action in product.actions(s)] for s in range(2)], initial=dict(product.initial), horizon=3
    )
    assert product.is_product
    assert joint == product


def test_a_float_and_the_fraction_of_its_bits_are_different_rewards():
    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{0.1: 1}, {Fraction(0.1): 1}]], horizon=1)
    assert [action.reward_range[0] for action in mdp.actions(0)] == [Fraction(1, 10), Fraction(0.1)]


def test_a_reward_that_depends_on_the_next_state_keeps_its_joint_law():
    rows = [(HALF, 0, 0), ("1/4", 1, 0), ("1/4", 1, 1)]
    mdp = vr.MDP.from_outcomes([[rows], [[(1, 1, 0)]]], initial=0, horizon=2)
    action = mdp.actions(0)[0]
    assert not mdp.is_product
    assert not action.independent
    assert action.outcomes == tuple((Fraction(p), s, Fraction(r)) for p, s, r in rows)
    assert action.successors == ((0, HALF), (1, HALF))
    assert action.reward == vr.Law({0: "3/4", 1: "1/4"})
    assert vr.return_law(mdp, vr.MarkovPolicy(mdp, [[0, 0]] * 2)) == vr.Law({0: "5/8", 1: "3/8"})


def test_equal_outcomes_are_added_and_empty_ones_dropped():
    mdp = vr.MDP.from_outcomes([[[("1/4", 0, 1), ("1/4", 0, 1.0), ("1/2", 0, 0), (0, 0, 7)]]], initial=0, horizon=1)
    assert mdp.actions(0)[0].outcomes == ((HALF, 0, Fraction(0)), (HALF, 0, Fraction(1)))
    assert mdp.reward_range == (0, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"transitions": [[[0, "11/10"]], HOME]}, r"transitions\[0\]\[0\] sums to 11/10, not to 1: \[0, 11/10\]"),
        (
            {"transitions": [[[0, 1]], [["1/3", 0.6], [1, 0]]]},
            r"transitions\[1\]\[0\] sums to 14/15, not to 1: \[1/3, 3/5\]",
        ),
        ({"transitions": [[{1: "1/2", 0: "1/3"}], HOME]}, r"transitions\[0\]\[0\] sums to 5/6, not to 1"),
        ({"transitions": [[[-1, 2]], HOME]}, r"transitions\[0\]\[0\]\[0\] is -1, wanted a probability"),
        ({"transitions": [[[float("nan"), 1]], HOME]}, r"transitions\[0\]\[0\]\[0\] is nan, wanted a finite"),
        ({"transitions": [[[0, float("inf")]], HOME]}, r"transitions\[0\]\[0\]\[1\] is inf, wanted a finite"),
        ({"transitions": [[{2: 1}], HOME]}, r"transitions\[0\]\[0\] names state 2, wanted an integer in 0..1"),
        ({"transitions": [[[0, 0, 1]], HOME]}, r"transitions\[0\]\[0\] has 3 entries, wanted 2"),
        ({"transitions": [[], HOME]}, "state 0 has no actions"),
        ({"transitions": [[5], HOME]}, r"transitions\[0\]\[0\] is 5, wanted a list or dict"),
        ({"rewards": [[{0: 1}]]}, "rewards has 1 states, wanted 2"),
        ({"rewards": [[{0: 1}], [{0: 1}]]}, r"rewards\[1\] has 1 actions, wanted 2"),
        ({"rewards": [[{}], [{0: 1}, {0: 1}]]}, r"rewards\[0\]\[0\] is empty"),
        ({"rewards": [[{0: HALF, "0": HALF}], [{0: 1}, {0: 1}]]}, r"rewards\[0\]\[0\] repeats the value 0"),
        ({"rewards": [[{0: HALF}], [{0: 1}, {0: 1}]]}, r"rewards\[0\]\[0\] sums to 1/2, not to 1"),
        ({"rewards": [["x"], [{0: 1}, {0: 1}]]}, r"rewards\[0\]\[0\] is 'x', wanted a number"),
        ({"initial": [1]}, "initial has 1 entries, wanted 2"),
        ({"initial": ["1/2", "1/3"]}, "initial sums to 5/6, not to 1"),
        ({"initial": 2}, "initial names state 2"),
        ({"horizon": 0}, "horizon is 0, wanted an integer of at least 1"),
        ({"horizon": 1.5}, "horizon is 1.5, wanted an integer"),
        ({"horizon": True}, "horizon is True, wanted an integer"),
        ({"horizon": "never"}, "horizon is 'never', wanted an integer of at least 1, or math.inf"),
        ({"discount": 0}, r"discount is 0, wanted a number in \(0, 1\]"),
        ({"discount": "11/10"}, "discount is 11/10"),
        ({"discount": float("nan")}, "discount is nan"),
        ({"transitions": [], "rewards": []}, "no states"),
    ],
)
def test_what_is_not_a_model_is_refused_with_its_witness(changes, message):
    with pytest.raises(vr.errors.InvalidModel, match=message) as caught:
        coin(**changes)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([[[(1, 1, 0)]]], r"outcomes\[0\]\[0\]\[0\] names state 1, wanted an integer in 0..0"),
        ([[[("1/2", 0, 0)]]], r"outcomes\[0\]\[0\] sums to 1/2, not to 1"),
        ([[[(1, 0)]]], r"outcomes\[0\]\[0\]\[0\] is \(1, 0\), wanted \(probability, next_state, reward\)"),
        ([[[(1, 0, float("inf"))]]], r"outcomes\[0\]\[0\]\[0\] reward is inf"),
        ([[[]]], r"outcomes\[0\]\[0\] is empty"),
        ([[]], "state 0 has no actions"),
    ],
)
def test_bad_outcomes_are_refused_with_their_witness(outcomes, message):
    with pytest.raises(vr.errors.InvalidModel, match=message):
        vr.MDP.from_outcomes(outcomes, initial=0, horizon=1)


def test_normalisation_happens_only_on_request_and_is_reported():
    thirds = [[[0.3333, 0.6666]], HOME]
    with pytest.raises(vr.errors.InvalidModel, match="sums to 9999/10000"):
        coin(transitions=thirds)
    mdp = coin(transitions=thirds, normalise=True)
    assert mdp.actions(0)[0].successors == ((0, Fraction(3333, 9999)), (1, Fraction(6666, 9999)))
    assert mdp.notes == ("transitions[0][0] summed to 9999/10000 and was divided by it (moved by 0.0001)",)


@pytest.mark.parametrize("off", [Fraction(1, 10**16), -Fraction(1, 10**16), Fraction(1, 10**40)])
def test_a_row_that_misses_one_by_a_hair_is_refused_or_noted(off):
    """Exact rows are what they are; only rows of floats are read as what their writer meant, and that is noted."""
    row = [HALF, HALF + off]
    with pytest.raises(vr.errors.InvalidModel, match=re.escape(f"sums to {1 + off}, not to 1")):
        coin(transitions=[[row], HOME])
    with pytest.raises(vr.errors.InvalidModel, match="not to 1"):
        coin(initial=row)
    noted = coin(transitions=[[row], HOME], normalise=True)
    assert any(f"summed to {1 + off} and was divided by it" in note for note in noted.notes)
    assert sum(p for _, p in noted.actions(0)[0].successors) == 1


def test_discretisation_rounds_every_reward_up():
    rounded = coin().discretised("1/2")
    assert rounded.actions(1)[0].reward == vr.Law.point(1)
    assert rounded.actions(1)[1].reward == vr.Law({0: "1/4", 2: "3/4"})
    with pytest.raises(vr.errors.Unsupported, match="discounted model has no stationary"):
        coin(discount=0.9).discretised("1/2")
    with pytest.raises(vr.errors.InvalidArgument, match="eta is 0"):
        coin().discretised(0)


def test_continuous_rewards_telescope_to_one_and_match_the_cdf():
    from scipy import stats

    mdp = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[stats.beta(2, 3)]], horizon=2)
    assert not mdp.is_discrete
    assert mdp.reward_range == (0, 1)
    law = mdp.discretised("1/10").actions(0)[0].reward
    assert isinstance(law, vr.Law)
    assert sum(law.masses) == 1
    assert [float(p) for p in law.masses] == pytest.approx(
        [stats.beta(2, 3).cdf((i + 1) / 10) - stats.beta(2, 3).cdf(i / 10) for i in range(10)]
    )
    with pytest.raises(vr.errors.Unsupported, match="rewards are continuous"):
        vr.exact_plan(mdp, vr.Mean())
    with pytest.raises(vr.errors.InvalidModel, match="wanted a bounded one"):
        vr.MDP(initial=0, transitions=[[[1]]], rewards=[[stats.norm()]], horizon=2)


def test_a_cdf_that_decreases_is_no_law():
    """Its mass between two points would be negative, and the sum still 1."""

    class Frozen:
        class dist:
            name = "odd"

        args = (0.5,)

        def support(self):
            return 0.0, 1.0

        def cdf(self, x):
            return 0.75 if x < 0.4 else 0.5

    with pytest.raises(vr.errors.InvalidModel, match=r"the cdf of odd\(0.5,\) decreases from 3/4 to 1/2 at 1/2"):
        ContinuousReward(Frozen()).round_up(Fraction(1, 4))


@pytest.mark.parametrize("discount", [1, "9/10"])
def test_a_saved_model_comes_back_equal(tmp_path, discount):
    from scipy import stats

    for mdp in (
        coin(discount=discount),
        vr.MDP.from_outcomes([[[(1, 0, -2)]]], initial=0, horizon=2, discount=discount, drawing="o", notes=["seen"]),
        vr.MDP(initial=0, transitions=[[[1]]], rewards=[[stats.beta(2, 3, loc=1)]], horizon=2),
    ):
        mdp.save(tmp_path / "m.json")
        again = vr.MDP.load(tmp_path / "m.json")
        assert again == mdp
        assert (again.drawing, again.notes) == (mdp.drawing, mdp.notes)


def test_a_damaged_file_is_refused_and_says_how(tmp_path):
    path = tmp_path / "m.json"
    coin().save(path)
    content = path.read_text()
    for damage, message in [
        (content[:-40], "truncated or damaged"),
        (content.replace('"1/3"', '"2/5"', 1), "was edited"),
        (content.replace('"version": 1', '"version": 9'), "has version 9"),
        (content.replace("verified_risk/model", "verified_risk/law"), "wanted 'verified_risk/model'"),
        ("[]", "is not a verified_risk file"),
    ]:
        path.write_text(damage)
        with pytest.raises(vr.errors.InvalidFile, match=message):
            vr.MDP.load(path)
    envelope = json.loads(content)
    right = envelope["sha256"]
    for i in range(64):
        other = "0" if right[i] != "0" else "1"
        path.write_text(json.dumps({**envelope, "sha256": right[:i] + other + right[i + 1 :]}))
        with pytest.raises(vr.errors.InvalidFile, match="was edited"):
            vr.MDP.load(path)
    del envelope["data"]["horizon"]
    envelope["sha256"] = vr.files.digest(envelope["data"])
    path.write_text(json.dumps(envelope))
    with pytest.raises(vr.errors.InvalidFile, match="lacks what a model needs"):
        vr.MDP.load(path)


def test_a_state_that_a_file_lists_twice_is_refused():
    """The second probability would silently stand for both."""
    data = coin().to_json()
    entry = next(action for actions in data["states"] for action in actions if "next" in action)
    for pairs, said in ((entry["next"], r"states\[\d\]\[\d\]"), (data["initial"], "initial")):
        pairs.append(pairs[0])
        with pytest.raises(vr.errors.InvalidModel, match=rf"{said} lists state \d twice, wanted it once"):
            vr.MDP.from_json(data)
        pairs.pop()
    assert vr.MDP.from_json(data) == coin()


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    coin().save(path)
    before = path.read_text()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        coin(horizon=9).save(path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


def test_a_description_shows_drawing_sizes_and_notes():
    mdp = vr.MDP.from_outcomes([[[(1, 0, 2)]]], initial=0, horizon=2, drawing="[#]", notes=["restored"])
    assert mdp.describe() == "[#]\n\nMDP(1 state, 1 action, horizon 2)\nrewards from 2 to 2 a step\nrestored"
    assert repr(coin(discount=0.5)) == "MDP(2 states, 1 to 2 actions, horizon 3, discount 1/2)"


@pytest.mark.parametrize("kind", [np.float64, np.float32, object])
def test_a_row_of_an_array_is_the_row_of_its_entries(kind):
    row = [0.0, 0.3, 0.0, 0.7]
    read = Reader(4, normalise=False).row(np.array(row, dtype=kind), "here")
    assert read == Reader(4, normalise=False).row(row, "here") == ((1, Fraction(3, 10)), (3, Fraction(7, 10)))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({0: 0.5, 1: 0.4}, "sums to 9/10, not to 1"), ({0: 0.5, 2: 0.5}, "names state 2"),
        ({-1: 0.5, 0: 0.5}, "names state -1"), ({0: -0.5, 1: 1.5}, r"here\[0\] is -1/2, wanted a probability"),
        ({0: float("nan"), 1: 1.0}, r"here\[0\] is nan"), ({0: float("inf")}, r"here\[0\] is inf"),
        ({}, "sums to 0, not to 1"), ({True: 1.0}, "names state True"), ({0: True}, r"here\[0\] is True"),
        ({0.0: 1.0}, "names state 0.0"), ({"0": 1.0}, "names state '0'"), ({0: 1e300}, "not to 1"),
        (np.array([0.5, 0.4]), "sums to 9/10, not to 1"), (np.array([0.5, np.nan]), r"here\[1\] is nan"),
        (np.array([0.2, 0.3, 0.5]), "has 3 entries, wanted 2"), (np.array([-0.5, 1.5]), r"here\[0\] is -1/2"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_rows_get_the_complaint_that_names_the_entry(row, said):
    with pytest.raises(InvalidModel, match=said):
        Reader(2, normalise=False).row(row, "here")


def test_digits_beyond_eighteen_are_not_lost():
    tiny = 1e-19
    row = {0: 1.0, 1: tiny}
    with pytest.raises(InvalidModel, match="sums to"):
        Reader(2, normalise=False).row(row, "here")
    assert Reader(2, normalise=True).row(row, "here") == (
        (0, 1 / (1 + Fraction("1e-19"))),
        (1, Fraction("1e-19") / (1 + Fraction("1e-19"))),
    )


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_left_as_it_was(running):
    before = gc.isenabled()
    try:
        gc.enable() if running else gc.disable()
        vr.MDP(0, [[[1]]], [[1]], horizon=1)
        assert gc.isenabled() is running
        with pytest.raises(InvalidModel):
            vr.MDP(0, [[[2]]], [[1]], horizon=1)
        assert gc.isenabled() is running
    finally:
        gc.enable() if before else gc.disable()
