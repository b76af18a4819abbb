"""Declarations that a learner cannot use are refused in words."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidPolicy


def space(n, start=0):
    return SimpleNamespace(n=n, start=start)


def several(spaces):
    return SimpleNamespace(spaces=spaces)


class Coin:
    """One state; action 1 pays 1."""

    observation_space, action_space, spec = space(1), space(2), None

    def reset(self, seed=None):
        return 0, {}

    def step(self, action):
        return 0, action, False, False, {}


def coin(**changes):
    env = Coin()
    for name, value in changes.items():
        setattr(env, name, value)
    return env


@pytest.mark.parametrize(
    ("changes", "told", "said"),
    [
        ({"action_space": several((space(2), space(2)))}, {}, "action_space is .*, wanted a Discrete space"),
        ({"observation_space": several({"a": space(2)})}, {}, "wanted a Discrete space or a tuple of them"),
        ({"observation_space": space(2, start=1)}, {}, "wanted a Discrete space that starts at 0"),
        ({"spec": SimpleNamespace(max_episode_steps=1)}, {}, "horizon is 2, but the environment cuts"),
        ({}, {"rewards": [0]}, r"rewards is \[0\], wanted at least one that is not 0"),
        ({}, {"rewards": [0, 1, "1/1000003"]}, "make 2000007 returns, wanted at most"),
        ({}, {"known_rewards": lambda s, a, target: "1/3"}, r"known_rewards\(0, 0, 0\) is 1/3, which is none"),
        ({}, {"known_successors": {(0, 0): [7], (0, 1): [0]}}, r"known_successors\[0, 0\] has state 7, wanted 0\.\.1"),
        ({}, {"known_successors": "few"}, "known_successors is 'few', wanted True, False, a number"),
    ],
)  # fmt: skip
def test_what_an_environment_cannot_be_is_refused(changes, told, said):
    with pytest.raises(InvalidArgument, match=said):
        vr.learn(coin(**changes), "mean", episodes=2, **{"horizon": 2, "rewards": [0, 1], **told})


def test_an_environment_is_learned_until_its_optimum_is_known():
    """One state, deterministic: the interval closes long before the last episode, and holds the optimum 2."""
    run = vr.learn(coin(), "mean", episodes=5000, horizon=2, rewards=[0, 1], known_successors=1, stop_when="1/2")
    assert run.episodes < 5000
    assert run.interval[0] <= 2 <= run.interval[1] <= run.interval[0] + Fraction(1, 2)


def test_a_model_is_told_nothing_that_is_for_environments():
    with pytest.raises(InvalidArgument, match="known_rewards is a function, which is for environments"):
        vr.learn(vr.models.two_paths(), "mean", episodes=2, known_rewards=lambda s, a, target: 0)


def test_an_observation_has_as_many_numbers_as_were_declared():
    env = coin(observation_space=several((space(1), space(1))))
    env.reset = lambda seed=None: ((0, 0), {})
    env.step = lambda action: ((0, 0), action, False, False, {})
    policy = vr.learn(env, "mean", episodes=2, horizon=2, rewards=[0, 1]).policy()
    assert policy.act(0, (0, 0), 0) in (0, 1)
    with pytest.raises(InvalidArgument, match=r"the observation is \(0, 0, 0\), wanted 2 numbers"):
        policy.act(0, (0, 0, 0), 0)


def test_a_learned_policy_moves_only_to_a_model_of_its_shape_and_knows_its_rewards():
    mdp = vr.models.two_paths()
    policy = vr.learn(mdp, "mean", episodes=2).policy()
    assert policy.on(mdp).choice(0, 0, 0) == policy.choice(0, 0, 0)
    with pytest.raises(InvalidPolicy, match="not the states, actions and horizon"):
        policy.on(mdp.with_horizon(3))
    with pytest.raises(InvalidPolicy, match="reward 50 is not one the policy was learned with"):
        policy.atom(Fraction(50))


def test_a_learned_policy_rounds_no_reward_but_continuous_ones():
    from scipy import stats

    rows = [[{0: "1/2", "1/2": "1/4", 1: "1/4"}, {1: 1}]]
    discrete = vr.MDP(0, [[[1], [1]]], rows, horizon=2)
    drawn = vr.MDP(0, [[[1], [1]]], [[stats.uniform(0, 1), {0: 1}]], horizon=2)
    policy = vr.learn(discrete, vr.CVaR("1/2"), episodes=2).policy()
    assert [policy.atom(Fraction(i, 2)) for i in range(3)] == [0, 1, 2]
    for other in (policy, policy.on(drawn)):
        with pytest.raises(InvalidPolicy, match="reward 1/4 is not one the policy was learned with"):
            other.atom(Fraction(1, 4))
    rounding = vr.learn(drawn, vr.CVaR("1/2"), episodes=2, eta="1/2").policy()
    assert [rounding.atom(Fraction(i, 4)) for i in range(5)] == [0, 1, 1, 2, 2]
    assert rounding.on(discrete).atom(Fraction(1, 4)) == 1


def test_numbers_that_no_float_holds_are_refused_or_taken_in_their_logarithm():
    mdp = vr.models.two_paths()
    assert vr.learn(mdp, vr.Mean(), episodes=2, algorithm="ucbvi", delta="1e-400").episodes == 2
    with pytest.raises(InvalidArgument, match=r"bonus_scale is .*, wanted a positive number of at most 1000000000"):
        vr.learn(mdp, vr.Mean(), episodes=2, bonus_scale="1e400")
    for rewards in (["1e400", 0], ["-1e200", 0], [0, "1e-201"]):
        model = vr.MDP(0, [[[1], [1]]], [rewards], horizon=2)
        for where, told in ((model, {}), (Chain(), {"horizon": 2, "rewards": rewards})):
            with pytest.raises(InvalidArgument, match=r"rewards range from .*: regret is computed in floats"):
                vr.learn(where, vr.Mean(), episodes=2, **told)
    run = vr.learn(vr.MDP(0, [[[1], [1]]], [["5e199", 0]], horizon=2), vr.Mean(), episodes=2)
    assert run.best == (10**200, 10**200)
    assert run.regret[-1] <= run.bound[-1] < float("inf")
