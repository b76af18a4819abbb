"""Models as CSV files: round trips, and every error of a reader."""

from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk import models
from verified_risk.errors import InvalidModel, Unsupported, VerifiedRiskError

HEADER = "idstatefrom,idaction,idstateto,probability,reward"


@pytest.fixture
def read(tmp_path):
    def read(*lines, header=HEADER, **options):
        path = tmp_path / "model.csv"
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return vr.MDP.from_csv(path, **{"initial": 0, "horizon": 2, "index_base": 0, **options})

    return read


def same(mdp, path, index_base=0):
    initial = {s + index_base: p for s, p in mdp.initial}
    return vr.MDP.from_csv(path, initial=initial, horizon=mdp.horizon, discount=mdp.discount, index_base=index_base)


@pytest.mark.parametrize("index_base", [0, 1])
@pytest.mark.parametrize("name", models.NAMES)
def test_every_named_model_comes_back_from_its_file(name, index_base, tmp_path):
    mdp = models.load(name)
    mdp.to_csv(tmp_path / "model.csv", index_base=index_base)
    assert same(mdp, tmp_path / "model.csv", index_base) == mdp


def test_the_file_is_plain_rationals(tmp_path):
    models.two_paths().to_csv(tmp_path / "model.csv", index_base=1)
    assert (tmp_path / "model.csv").read_text(encoding="utf-8").splitlines() == [
        HEADER,
        *["1,1,2,1,0", "1,2,3,1,0", "2,1,4,1,1", "3,1,4,1/4,0", "3,1,4,3/4,2", "4,1,4,1,0"],
    ]


def test_equal_transitions_with_different_rewards_are_separate_outcomes(read):
    mdp = read("0,0,0,1/4,1", "0,0,0,0.75,-2")
    assert mdp.actions(0)[0].outcomes == ((Fraction(3, 4), 0, -2), (Fraction(1, 4), 0, 1))


def test_states_may_differ_in_their_actions_and_rows_may_come_in_any_order(read):
    mdp = read("1,0,1,1,0", "0,2,1,1,3", "0,0,0,1,1", "", "0,1,1,1,2")
    assert mdp.n_actions == (3, 1)
    assert [action.reward_law.atoms for action in mdp.actions(0)] == [(1,), (2,), (3,)]


def test_the_initial_state_is_numbered_as_in_the_file(read):
    rows = ("1,1,2,1,0", "2,1,2,1,1")
    assert read(*rows, index_base=1, initial=2).initial == ((1, 1),)
    assert read(*rows, index_base=1, initial={1: "1/2", 2: "1/2"}).initial == ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    assert read(*rows, index_base=1, initial=[0, 1]).initial == ((1, 1),)
    with pytest.raises(InvalidModel, match=r"initial names state 0, wanted one of the states 1\.\.2"):
        read(*rows, index_base=1, initial=0)


def test_columns_in_another_order_a_byte_order_mark_and_spaces_are_read(read):
    mdp = read("1, 0 ,0,5,0,x", header="\ufeffprobability, idstatefrom,idaction,reward,idstateto,comment")
    assert mdp.actions(0)[0].outcomes == ((1, 0, 5),)
    assert any("comment" in note for note in mdp.notes)


def test_thirds_written_as_decimals_are_normalised_only_on_request(read):
    rows = ("0,0,0,0.333,0", "0,0,1,0.666,0", "1,0,1,1,0")
    with pytest.raises(InvalidModel, match=r"state 0, action 0 \(from line 2\) sums to 999/1000, not to 1"):
        read(*rows)
    mdp = read(*rows, normalise=True)
    assert mdp.actions(0)[0].successors == ((0, Fraction(1, 3)), (1, Fraction(2, 3)))
    assert any("summed to 999/1000" in note for note in mdp.notes)


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ([], {}, "no rows"),
        (["0,0,0,1"], {}, "line 2 has 4 entries, wanted 5"),
        (["0,0,0,1,0,0"], {}, "line 2 has 6 entries, wanted 5"),
        (["0,0,0,1,0"], {"header": "idstatefrom,idaction,idstateto,probability"}, "0 columns 'reward'"),
        (["0,0,0,1,0,0"], {"header": HEADER + ",reward"}, "2 columns 'reward'"),
        (["1,1,1,1,0"], {}, r"least state index is 1 \(line 2\), wanted index_base = 0"),
        (["0,0,0,1,0"], {"index_base": 1}, r"least state index is 0 \(line 2\), wanted index_base = 1"),
        (["0,1,0,1,0"], {}, r"least action index is 1 \(line 2\), wanted index_base = 0"),
        (["0,0,0,1,0", "-1,0,0,1,0"], {}, r"least state index is -1 \(line 3\)"),
        (["0,0,0,1,0"], {"index_base": 2}, "index_base is 2, wanted 0 or 1"),
        (["0,0,0,1,0", "0,1,0,one,0"], {}, "line 3: probability is 'one'"),
        (["0,0,0,1/0,0"], {}, "line 2: probability is '1/0'"),
        (["0,0,0,nan,0"], {}, "line 2: probability is 'nan'"),
        (["0,0,0,1,inf"], {}, "line 2: reward is 'inf'"),
        (["0,0,0,1,"], {}, "line 2: reward is ''"),
        (["0,0.5,0,1,0"], {}, "line 2: idaction is '0.5', wanted an integer"),
        (["0,0,0,-1/2,0", "0,0,0,3/2,1"], {}, "line 2: probability is -1/2"),
        (["0,0,0,1,0", "0,2,0,1,0"], {}, "state 0 has actions 0, 2 and no action 1"),
        (["0,0,1,1,0"], {}, r"state 1 \(named in line 2\) has no rows"),
        (["0,0,2,1,0", "2,0,2,1,0"], {}, r"state 1 \(below the greatest state 2\) has no rows"),
        (["0,0,0,1/2,0", "0,0,0,1/4,1"], {}, r"state 0, action 0 \(from line 2\) sums to 3/4, not to 1: \[1/2, 1/4\]"),
        (["0,0,0,1/2,1", "0,0,0,1/4,1"], {}, "line 3 contradicts line 2: .* probability 1/4 here and 1/2 there"),
        (["0,0,0,1/2,1", "0,0,0,0.5,1.0"], {}, "line 3 repeats line 2"),
        (["0,0,0,1,0"], {"initial": 1}, "initial names state 1"),
        (["0,0,0,1,0"], {"horizon": 0}, "horizon is 0"),
        (["0,0,0,1,0"], {"discount": 0}, "discount is 0"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(read, lines, options, message):
    with pytest.raises(VerifiedRiskError, match=message):
        read(*lines, **options)


def test_a_failed_write_leaves_the_old_file_alone(tmp_path):
    stats = pytest.importorskip("scipy.stats")
    path = tmp_path / "model.csv"
    models.two_paths().to_csv(path)
    before = path.read_bytes()
    continuous = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[stats.uniform()]], horizon=1)
    with pytest.raises(Unsupported, match="continuous"):
        continuous.to_csv(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InvalidModel, match="index_base is 3"):
        models.two_paths().to_csv(path, index_base=3)
