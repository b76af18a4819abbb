"""Black boxes hand out a policy and an interval: gymnasium's small environments, and boxes that break what was said."""

from __future__ import annotations

from fractions import Fraction

import pytest
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.errors import InvalidArgument, StoppedRun
from verified_risk.learning.policies import BlackBoxPolicy


def test_the_cliff_is_learned_and_its_optimum_certified_from_data():
    """Thirteen steps along the edge; a deterministic model, declared as such."""
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("CliffWalking-v1")
    told = {"horizon": 15, "rewards": [-100, -1], "known_successors": 1}
    run = vr.learn(env, vr.Mean(), episodes=350, seed=1, **told)
    assert run.interval[0] <= -13 <= run.interval[1]
    assert run.interval[1] - run.interval[0] < Fraction(1, 1000)
    assert run.returns[-1] == -13
    assert run.policy().play(env, seed=9) == -13
    assert (run.returns <= -13).all()  # what was earned, not what a grid made of it
    assert float(run.returns.min()) < -100


def test_a_policy_learned_in_an_environment_plays_by_a_player():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1", max_episode_steps=6, is_slippery=False)
    run = vr.learn(env, vr.Mean(), episodes=5, rewards=[0, 1])  # the horizon is the time limit
    assert run.policy().shell.steps == 6
    assert repr(run) == "Run(bets on mean, 5 episodes, an environment)"
    player = run.policy().player()
    for wrong in (16, -1, "x", 0.5):
        with pytest.raises(InvalidArgument, match=r"the observation is .*, outside the declared space"):
            player.act(wrong)
    with pytest.raises(InvalidArgument, match="observe was called before act"):
        player.observe(0)
    for t in range(6):
        assert player.act(0) == run.policy().act(t, 0, 0)
        with pytest.raises(InvalidArgument, match="act was called twice"):
            player.act(0)
        with pytest.raises(InvalidArgument, match="none of those declared"):
            player.observe(0.5)
        player.observe(0.0)
    with pytest.raises(InvalidArgument, match="the episode is over after 6 steps"):
        player.act(0)
    with pytest.raises(InvalidArgument, match="wanted that environment and no model"):
        vr.rollout(vr.models.two_paths(), run.policy())


def test_observations_may_be_tuples_and_episodes_may_begin_anywhere(tmp_path):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Blackjack-v1")
    told = {"horizon": 5, "rewards": [-1, 0, 1], "random_starts": True, "largest_return": 1}
    run = vr.learn(env, vr.Mean(), episodes=30, seed=1, **told)
    assert run.interval[0] >= -5
    assert set(run.returns) <= {-1.0, 0.0, 1.0}
    policy = run.policy()
    policy.save(tmp_path / "policy.json")
    again = BlackBoxPolicy.load(tmp_path / "policy.json")
    assert [again.play(env, seed=k) for k in range(20)] == [policy.play(env, seed=k) for k in range(20)]
    played = vr.rollout(env, policy, episodes=20, seed=2)
    assert played.exact is None
    assert set(played.law.atoms) <= {-1, 0, 1}
    run.save(tmp_path / "run.json")
    assert vr.Run.load(tmp_path / "run.json").policy().play(env, seed=3) == policy.play(env, seed=3)
    with pytest.raises(StoppedRun, match="random_starts=True"):
        vr.learn(env, vr.Mean(), episodes=30, seed=1, **{**told, "random_starts": False})


@pytest.mark.slow
def test_the_taxi_is_learned():
    """500 observations, any of 300 starts; the best policy earns about 7.9 on average."""
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Taxi-v4")
    told = {"horizon": 20, "rewards": [-10, -1, 20], "random_starts": True, "known_successors": 1, "largest_return": 20}
    run = vr.learn(env, vr.Mean(), episodes=8000, seed=1, **told)
    assert run.returns[:800].mean() < -50
    assert run.returns[-800:].mean() > 7
    assert run.interval[0] <= 7 <= run.interval[1] <= 20
    assert sum(run.policy().play(env, seed=k) for k in range(500)) > 3500


class Dice(Chain):
    """Action 1 pays 1 with probability 1/2, from a generator that the reset seeds."""

    def reset(self, seed=None):
        import random

        self.random = random.Random(seed)
        self.state = 0
        return 0, {}

    def step(self, action):
        return 0, self.random.randrange(2) if action else "1/4", False, False, {}


def test_the_interval_of_a_black_box_contains_the_optimum_of_the_model_behind_it():
    model = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/2", 1: "1/2"}]], horizon=2)
    for G in (vr.CVaR("1/2"), vr.Mean()):
        best = vr.exact_plan(model, G).value
        for seed in range(3):
            run = vr.learn(Dice(), G, episodes=150, horizon=2, rewards=[0, "1/4", 1], seed=seed)
            assert run.interval[0] <= best <= run.interval[1]


class Cut(Chain):
    """Cut off after three steps."""

    steps = 0

    def reset(self, seed=None):
        self.steps = 0
        return super().reset(seed)

    def step(self, action):
        self.steps += 1
        following, reward, ended, _, info = super().step(action)
        return following, reward, ended, self.steps == 3, info


def test_an_environment_that_cuts_episodes_off_says_so():
    with pytest.raises(
        InvalidArgument, match=r"episode 0, step 2: .* cut the episode off after 3 steps, wanted 5: pass horizon=3"
    ):
        vr.learn(Cut(), vr.Mean(), episodes=5, horizon=5, rewards=[0, 1])
    run = vr.learn(Cut(), vr.Mean(), episodes=5, horizon=3, rewards=[0, 1])
    assert run.episodes == 5
    assert (run.regret, run.regret_width) == (None, None)  # nothing knows the optimum of a black box
    assert run.policy().play(Cut()) in range(4)
    longer = vr.learn(Chain(), vr.Mean(), episodes=2, horizon=4, rewards=[0, 1]).policy()
    assert longer.play(Chain()) in range(5)
    for play in (longer.play, lambda env: vr.rollout(env, longer, episodes=2)):
        with pytest.raises(InvalidArgument, match="cut the episode off after 3 steps, the policy plays 4"):
            play(Cut())


def test_a_reward_that_was_not_listed_is_named():
    with pytest.raises(InvalidArgument, match=r"episode \d+, step \d: the reward is 1, none of those declared: 0, 2"):
        vr.learn(Chain((0, 1)), vr.Mean(), episodes=20, horizon=2, rewards=[0, 2])
