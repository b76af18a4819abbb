"""UMB archives: umbi and Storm read what is written here as the same model; foreign archives keep numbers and names."""

import random
from fractions import Fraction
from importlib.util import find_spec

import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, InvalidModel, Unsupported

umbi = pytest.importorskip("umbi.ats", reason="umbi is not installed: pip install umbi")


def random_model(rng):
    """A model whose reward depends on the next state, with names."""
    n, outcomes = rng.randint(1, 4), []
    for _ in range(n):
        rows = []
        for _ in range(rng.randint(1, 3)):
            weights = {k: rng.randint(1, 5) for k in rng.sample(range(n), rng.randint(1, n))}
            whole = sum(weights.values())
            rows.append([(Fraction(w, whole), k, Fraction(rng.randint(-9, 9), 7)) for k, w in weights.items()])
        outcomes.append(rows)
    actions = [[rng.choice("abc") + str(a) for a in range(len(rows))] for rows in outcomes]
    names = [f"place {s}" for s in range(n)]
    return vr.MDP.from_outcomes(outcomes, initial=0, horizon=3, action_names=actions, state_names=names)


def test_a_model_comes_back_as_it_was_written(tmp_path):
    rng = random.Random("umb")
    for i in range(20):
        mdp, path = random_model(rng), tmp_path / f"{i}.umb"
        mdp.to_umb(path)
        again = vr.MDP.from_storm(path, horizon=3)
        assert again == mdp
        assert (again.action_names, again.state_names) == (mdp.action_names, mdp.state_names)


@pytest.mark.skipif(find_spec("stormpy") is None, reason="Storm is not installed: pip install stormpy")
def test_storm_finds_the_same_probabilities_in_our_archive(tmp_path):
    import stormpy

    rng = random.Random("umb in Storm")
    for i in range(5):
        mdp, path = random_model(rng), tmp_path / f"{i}.umb"
        mdp.to_umb(path)
        built = stormpy.build_model_from_umb(str(path))
        matrix, rows = built.transition_matrix, [action for _, _, action in mdp]
        assert (built.nr_states, built.nr_choices) == (mdp.n_states, len(rows))
        for i, action in enumerate(rows):
            found = {entry.column: float(Fraction(str(entry.value))) for entry in matrix.get_row(i)}
            assert {s: float(p) for s, p in action.successors} == pytest.approx(found)


def written(path, *, rewards=("cost",), time=umbi.TimeType.DISCRETE, prob=(0.1, 0.9)):
    """Two states: one that fails with a probability in floats, and one without choices."""
    ats = umbi.ExplicitAts(time=time, num_players=1)
    ats.add_state(), ats.add_state()
    ats.set_initial_states([0])
    choice = ats.add_state_choice(state=0)
    for target, p in zip((0, 1), prob, strict=True):
        choice.add_branch(target=target, prob=p)
    for name in rewards:
        note = ats.add_reward_annotation(name=name)
        note.set_state_values([1, 0])
        note.set_choice_values([Fraction(1, 3)])
        note.set_branch_values([0, 5])
    values = umbi.EntityValuations()
    ats.variable_valuations = umbi.EntityClassValuations()
    ats.variable_valuations.set_state_valuations(values)
    x = values.add_variable("x")
    for s in (0, 1):
        values.set_entity_valuation(s, {x: s + 3})
    ats.add_ap_annotation(name="failed").set_state_values([False, True])
    umbi.write(ats, path)
    return path


def test_rewards_of_states_choices_and_branches_add_up_and_names_are_kept(tmp_path):
    mdp = vr.MDP.from_storm(written(tmp_path / "a.umb"), horizon=2)
    assert mdp.state_names == ("x=3", "x=4; failed")
    ((stay, _, earned), (fail, _, lost)) = mdp.actions(0)[0].outcomes
    assert (stay, fail, earned, lost) == (Fraction(1, 10), Fraction(9, 10), Fraction(4, 3), Fraction(19, 3))
    assert mdp.actions(1)[0].outcomes == ((1, 1, 0),)


def test_what_an_archive_lacks_is_said(tmp_path):
    with pytest.raises(InvalidArgument, match="has the reward models 'cost', 'time': choose one"):
        vr.MDP.from_storm(written(tmp_path / "two.umb", rewards=("cost", "time")), horizon=1)
    with pytest.raises(InvalidModel, match="has no rewards"):
        vr.MDP.from_storm(written(tmp_path / "none.umb", rewards=()), horizon=1)
    with pytest.raises(InvalidArgument, match="a UMB archive has none"):
        vr.MDP.from_storm(written(tmp_path / "c.umb"), horizon=1, constants="N=3")
    with pytest.raises(InvalidModel, match=r"state 0, action 0 sums to 1/2, not to 1"):
        vr.MDP.from_storm(written(tmp_path / "half.umb", prob=(0.1, 0.4)), horizon=1)
    (tmp_path / "bad.umb").write_bytes(b"not an archive")
    with pytest.raises(InvalidFile, match="umbi cannot read"):
        vr.MDP.from_storm(tmp_path / "bad.umb", horizon=1)
    with pytest.raises(FileNotFoundError):
        vr.MDP.from_storm(tmp_path / "missing.umb", horizon=1)
    coin = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)
    with pytest.raises(Unsupported, match="action 0 of state 0 has a random reward"):
        coin.to_umb(tmp_path / "coin.umb")
