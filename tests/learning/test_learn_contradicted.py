"""False declarations: refused on a model with what refutes them, on a black box at the first contradiction."""

from __future__ import annotations

from fractions import Fraction

import pytest
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, StoppedRun
from verified_risk.learning.declarations import largest_return
from verified_risk.learning.problem import standard_form


def every_return(mdp):
    """All returns that some path has, by listing paths."""
    found = set()
    paths = [(s, Fraction(), 1) for s, p in mdp.initial if p]
    for _ in range(mdp.horizon):
        paths = [
            (s2, y + weight * r, weight * mdp.discount)
            for s, y, weight in paths
            for action in mdp.actions(s)
            for p, s2, r in action.outcomes
            if p
        ]
        paths = list(set(paths))
    found.update(y for _, y, _ in paths)
    return found


def models():
    for seed in range(6):
        yield vr.models.random_sparse(3, 2, 2, 2, horizon=3, seed=seed, grid=3)
    yield vr.models.two_paths()
    yield vr.MDP.from_outcomes(
        [[[("1/2", 1, 2), ("1/2", 0, -1)], [(1, 0, "1/2")]], [[(1, 0, 0)], [("1/3", 1, 1), ("2/3", 0, 0)]]],
        initial=["1/2", "1/2"], horizon=4, discount="1/2",
    )  # fmt: skip


def test_the_largest_return_is_that_of_some_path():
    for mdp in models():
        standard = standard_form(mdp)
        most, way = largest_return(standard)
        assert standard.value(Fraction(most)) == max(every_return(mdp))
        assert len(way) == mdp.horizon


def test_a_largest_return_that_the_model_exceeds_is_refused_and_the_true_one_is_taken():
    for mdp in models():
        most = max(every_return(mdp))
        run = vr.learn(mdp, vr.CVaR("1/2"), episodes=3, largest_return=most)
        assert run.interval[0] <= run.best[0] <= run.interval[1] <= most + Fraction(1, 10**6)
        with pytest.raises(InvalidArgument, match=rf"largest_return is .*, wanted at least {most}: the \(state"):
            vr.learn(mdp, vr.CVaR("1/2"), episodes=3, largest_return=most - Fraction(1, 1000))


def test_a_state_missing_from_the_declared_successors_is_named():
    mdp = vr.models.frozen_lake()
    truth = {(s, a): [t for t, p in action.successors if p] for s, a, action in mdp}
    assert vr.learn(mdp, vr.Mean(), episodes=2, known_successors=truth).proved
    for s, a in [(0, 1), (6, 2)]:
        lost = truth[s, a][-1]
        wrong = {**truth, (s, a): truth[s, a][:-1]}
        with pytest.raises(InvalidArgument, match=rf"known_successors\[{s}, {a}\] is .*, wanted state {lost} too"):
            vr.learn(mdp, vr.Mean(), episodes=2, known_successors=wrong)
    most = max(len(states) for states in truth.values())
    assert vr.learn(mdp, vr.Mean(), episodes=2, known_successors=most).on_paper
    with pytest.raises(InvalidArgument, match=rf"known_successors is {most - 1}, but state \d+, action \d+ has {most}"):
        vr.learn(mdp, vr.Mean(), episodes=2, known_successors=most - 1)


class Door(Chain):
    """Action 1 pays 1 and stays; from the third episode on it pays 2 and goes to observation 1."""

    def __init__(self):
        super().__init__()
        self.episodes = 0

    def reset(self, seed=None):
        self.episodes += 1
        self.state = 0
        return 0, {}

    def step(self, action):
        late = self.episodes > 3 and action == 1  # the learner resets once before its first episode
        return int(late), (2 if late else int(action)), False, False, {}


STAYS = {(s, a): [0] for s in range(2) for a in range(2)}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"known_successors": {**STAYS, (2, 0): [2]}}, r"led to state 1, but known_successors\[0, 1\] is \[0\]"),
        ({"known_successors": 1}, r"led to state 1 with reward 2, its outcome number 2, but known_successors is 1"),
        ({"known_rewards": lambda s, a, t: a}, r"led to state 1 with reward 2, but known_rewards\(0, 1, 1\) is 1"),
        ({"largest_return": 2}, r"ended the episode with a return of 4, but largest_return is 2"),
    ],
    ids=["successors", "number", "rewards", "largest"],
)
def test_the_first_step_that_contradicts_a_declaration_is_named(told, message):
    with pytest.raises((StoppedRun, InvalidArgument), match=r"episode \d+, step \d: state \d, action 1 " + message):
        vr.learn(Door(), vr.Mean(), episodes=60, horizon=2, rewards=[0, 1, 2], **told)


@pytest.mark.parametrize("told", [{"known_rewards": True}, {"known_successors": True}])
def test_a_black_box_cannot_be_asked_for_its_model(told):
    with pytest.raises(InvalidArgument, match="is True, but a black box hides them"):
        vr.learn(Door(), vr.Mean(), episodes=5, horizon=2, rewards=[0, 1, 2], **told)


@pytest.mark.parametrize("name", ["returns", "regret", "bound", "optimistic", "planner_error", "data_bound"])
@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_a_run_with_a_number_that_is_none_is_not_loaded(tmp_path, name, text):
    run = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=4)
    data = run.to_json()
    assert data[name] is not None
    data[name] = [*data[name][:2], float(text), data[name][3]]
    with pytest.raises(InvalidFile, match=rf"{name}\[2\] is (nan|-?inf), wanted a finite number"):
        vr.Run.from_json(data)
