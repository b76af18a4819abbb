"""Players and rollouts: what is played is what was planned, and bad observations and rewards are named."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument

Q = Fraction


class Environment:
    """A gymnasium-like environment that plays a model with its own dice, and pays floats."""

    def __init__(self, mdp: vr.MDP, *, wrong: float = 0.0, cut: int | None = None) -> None:
        self.mdp, self.wrong, self.cut = mdp, wrong, cut
        self.rng = np.random.default_rng(99)

    def draw(self, pairs):
        chances = np.array([float(p) for p, *_ in pairs])
        return pairs[int(self.rng.choice(len(pairs), p=chances / chances.sum()))]

    def reset(self, seed=None):
        self.t, (_, self.s) = 0, self.draw([(p, s) for s, p in self.mdp.initial])
        return self.mdp.seen(self.s), {}

    def step(self, action):
        _, self.s, r = self.draw(self.mdp.actions(self.s)[action].outcomes)
        self.t += 1
        return self.mdp.seen(self.s), float(r) + self.wrong, False, self.t == self.cut, {}


def three_rewards(discount=1) -> vr.MDP:
    laws = [[{0: "1/3", "1/3": "1/3", 1: "1/3"}, "1/2"], ["0.1", {0: "1/2", "0.7": "1/2"}]]
    return vr.MDP(
        {0: "1/4", 1: "3/4"}, [[[0.5, 0.5], [0, 1]], [[1, 0], [0.25, 0.75]]], laws, horizon=4, discount=discount
    )


def policies(mdp: vr.MDP) -> dict[str, vr.Policy]:
    markov = vr.MarkovPolicy(mdp, [[{0: "1/3", 1: "2/3"}, 1]] * 4)
    exact = vr.exact_plan(mdp, "cvar(1/4)").policy
    return {
        "markov": markov,
        "exact plan": exact,
        "plan": vr.plan(mdp, "cvar(1/3)").policy,
        "rounded plan": vr.plan(mdp, "cvar(1/3)", eta="1/4").policy,
        "searched": vr.plan(mdp, "wang(-1/2)", gap="1/100", time_limit=5).policy,
        "history": vr.HistoryPolicy(mdp, lambda h: int(sum(r for _, _, r in h[:-1]) > 1)),
        "mixture": vr.MixturePolicy([("1/2", markov), ("1/2", exact)]),
        "learned": vr.learn(mdp, "cvar(1/4)", episodes=20, eta="1/10").policy(),
        "cells": vr.plan(mdp.with_discount("9/10"), "cvar(1/3)").policy.on(mdp),
    }


@pytest.mark.parametrize("discount", [1, "1/2"])
def test_every_kind_of_policy_plays_its_own_law(discount):
    """In the model, drawn together; in an environment, step by step, with rewards as floats."""
    mdp = three_rewards(discount)
    for name, policy in policies(mdp).items():
        law = vr.return_law(mdp, policy)
        together = vr.rollout(mdp, policy, episodes=20_000, seed=3)
        assert together.inside, name
        assert together.exact == law
        assert set(together.law.atoms) <= set(law.atoms)
        alone = vr.rollout(Environment(mdp), policy, episodes=400, seed=3)
        assert alone.inside, name
        assert set(alone.law.atoms) <= set(law.atoms)


def test_the_band_ends_where_it_says():
    """50 episodes, a chance of 1/1000: sqrt(log(2000)/100) = 0.275697..., and what the exact law is off."""
    coin = vr.Law({0: "1/2", 1: "1/2"})
    for distance, error, inside in (
        ("0.27569", 0, True), ("0.2757", 0, False), ("0.27669", "0.001", True), ("0.2767", "0.001", False),
    ):  # fmt: skip
        share = Q(1, 2) + Q(distance)
        played = vr.Rollout(50, vr.Law({0: share, 1: 1 - share}), coin, Q(1, 1000), Q(error))
        assert played.distance == Q(distance)
        assert played.inside is inside, distance
        assert ("OUTSIDE" in str(played)) is not inside


def test_a_chance_below_every_float_has_a_band():
    mdp = vr.models.two_paths()
    played = vr.rollout(mdp, vr.plan(mdp, "mean"), episodes=10, delta="1e-400")
    assert played.band == pytest.approx(((np.log(2) + 400 * np.log(10)) / 20) ** 0.5, rel=1e-9)
    for n in range(10, 30):  # rounded up
        assert mpmath.mpf(replace(played, episodes=n).band) ** 2 >= (mpmath.log(2) + 400 * mpmath.log(10)) / (2 * n)
    assert played.inside


def test_what_is_no_policy_is_named():
    mdp = vr.models.two_paths()
    plan = vr.plan(mdp, "mean")
    for call in (lambda: vr.return_law(mdp, plan), lambda: vr.rollout(mdp, 3), lambda: vr.MixturePolicy([(1, plan)])):
        with pytest.raises(vr.errors.InvalidPolicy, match=r"wanted a policy, such as the \.policy of a plan"):
            call()
    for call in (vr.plan, vr.exact_plan, lambda model, _: vr.cvar_frontier(model)):
        with pytest.raises(InvalidArgument, match=r"mdp is 'FrozenLake-v1', wanted an MDP: MDP.from_gymnasium\(...\)"):
            call("FrozenLake-v1", "mean")
    assert repr(vr.rollout(mdp, plan, episodes=10)).startswith("Rollout(10 episodes, mean ")


def test_a_plan_that_is_saved_and_read_plays_the_same(tmp_path):
    mdp = three_rewards()
    plan = vr.plan(mdp, "cvar(1/4)")
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert vr.rollout(mdp, again, episodes=3000, seed=5).law == vr.rollout(mdp, plan, episodes=3000, seed=5).law


def test_predict_is_a_player_whose_state_the_caller_keeps():
    mdp = three_rewards()
    policy = vr.exact_plan(mdp, "cvar(1/4)").policy
    player, state = policy.player(0), None
    seen, reward = 0, None
    for t in range(4):
        action, state = policy.predict(seen, state, reward=reward)
        assert action == player.act(seen)
        _, seen, r = mdp.actions(seen)[action].outcomes[-1 if t % 2 else 0]
        reward = float(r)
        player.observe(reward)
    with pytest.raises(InvalidArgument, match="reward is missing"):
        policy.predict(0, policy.predict(0)[1])


def test_models_that_change_with_the_step_are_played_by_the_users_states():
    P, R = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0, 1]]]), np.array([[0, 1], [2, 0.5]])
    mdp = vr.MDP.from_arrays([P, P, P], [R, 2 * R, R], initial=0, layout="sas", terminal=[3, 0])
    plan = vr.exact_plan(mdp, "cvar(1/2)")
    assert vr.rollout(mdp, plan, episodes=20_000).inside
    assert vr.rollout(Environment(mdp), plan, episodes=1500).inside
    player = plan.policy.player(0)
    for seen in (0, 1, 1):
        assert player.act(seen) in (0, 1)
        player.observe(mdp.actions(mdp.state_at(player.t, seen))[player.state[4]].reward.atoms[0])


def test_only_the_last_reward_of_a_model_that_changes_may_be_another():
    """There the model's reward holds the terminal one too, which the environment need not pay."""
    P, R = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0, 1]]]), np.array([[0, 1], [2, 0.5]])
    mdp = vr.MDP.from_arrays([P, P, P], [R, 2 * R, R], initial=0, layout="sas", terminal=[3, 0])
    player = vr.MarkovPolicy(mdp, [[0] * mdp.n_states] * 3).player(0)
    for t in range(3):
        player.act(0)
        if t < 2:
            with pytest.raises(InvalidArgument, match="not one that the model pays"):
                player.observe(0.375)
            player.observe(mdp.actions(mdp.state_at(t, 0))[player.state[4]].reward.atoms[0])
        else:
            player.observe(0.375)
    assert player.over


def test_bad_play_is_named():
    mdp = three_rewards()
    player = vr.exact_plan(mdp, "mean").policy.player(0)
    for observation in (2, -1, 1.0, "x", True):
        with pytest.raises(InvalidArgument, match=r"observation is .*, wanted a state in 0..1"):
            player.act(observation)
    with pytest.raises(InvalidArgument, match="observe was called before act"):
        player.observe(0)
    player.act(np.int64(1))
    with pytest.raises(InvalidArgument, match="act was called twice"):
        player.act(0)
    with pytest.raises(InvalidArgument, match=r"reward 0.2 of action \d in state 1 is not one that the model pays"):
        player.observe(0.2)
    with pytest.raises(InvalidArgument, match="reward is nan"):
        player.observe(float("nan"))


def test_a_float_is_a_reward_of_the_model_only_if_it_means_it():
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", "1/3": "1/2"}]], horizon=4)
    player = vr.MarkovPolicy(mdp, [[0]] * 4).player(0)
    for reward in (1 / 3, 1 / 3 + 2**-53, "1/3"):
        player.act(0)
        player.observe(reward)
    player.act(0)
    for reward in (1 / 3 + 1e-9, 1 / 3 - 1e-12, 0.333333, 1e-12, "0.333333333333333333"):
        with pytest.raises(InvalidArgument, match="not one that the model pays there, wanted one of 0, 1/3"):
            player.observe(reward)


def test_a_continuous_reward_lies_between_its_ends():
    stats = pytest.importorskip("scipy.stats")
    mdp = vr.MDP(0, [[[1]]], [[stats.uniform(loc=-1, scale=3)]], horizon=3)
    player = vr.GridPolicy(mdp, 1, lambda t, s, i: 0).player(0)
    for reward in (-1, 2.0, 0.123):
        player.act(0)
        for wrong in (-1.001, 2.001, "20000000001/10000000000"):
            with pytest.raises(InvalidArgument, match=r"reward .* is outside \[-1, 2\], the rewards of action 0 there"):
                player.observe(wrong)
        player.observe(reward)
    assert player.over


def test_acting_after_the_end_is_refused():
    mdp = vr.models.two_paths()
    player = vr.exact_plan(mdp, "mean").policy.player(0)
    for seen in (0, 1):
        a = player.act(seen)
        player.observe(mdp.actions(seen)[a].reward_range[0])
    assert player.over
    with pytest.raises(InvalidArgument, match="the episode is over after 2 steps"):
        player.act(0)
    player.reset()
    assert player.act(0) in (0, 1)


def test_an_environment_that_is_not_the_model_is_named():
    mdp = vr.models.two_paths()
    policy = vr.exact_plan(mdp, "mean").policy
    with pytest.raises(InvalidArgument, match="is not one that the model pays"):
        vr.rollout(Environment(mdp, wrong=0.25), policy, episodes=5)
    with pytest.raises(InvalidArgument, match="cut episode 0 off after 1 steps, the model plays 2"):
        vr.rollout(Environment(mdp, cut=1), policy, episodes=5)
    with pytest.raises(InvalidArgument, match="episodes is 0"):
        vr.rollout(mdp, policy, episodes=0)


GYM = [
    ("FrozenLake-v1", {}, 20), ("FrozenLake-v1", {"map_name": "8x8"}, 30), ("CliffWalking-v1", {}, 20),
    ("Taxi-v4", {}, 25),
]  # fmt: skip


@pytest.mark.parametrize("episodes", [400, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "options", "horizon"), GYM)
def test_gymnasium_plays_what_was_planned(name, options, horizon, episodes):
    gymnasium = pytest.importorskip("gymnasium")
    if name not in gymnasium.registry:  # releases differ in the versions that they hold
        name = max(known for known in gymnasium.registry if known.startswith(name[:-1]))
    mdp = vr.MDP.from_gymnasium(name, horizon=horizon, options=options)
    plan = vr.plan(mdp, "0.5*mean + 0.5*cvar(1/4)")
    env = gymnasium.make(name, **options)
    played = vr.rollout(env, plan, episodes=episodes, seed=1)
    env.close()
    assert played.inside, str(played)


@pytest.mark.slow
def test_a_hundred_thousand_episodes_of_an_own_environment_stay_inside_the_band():
    mdp = three_rewards("9/10")
    played = vr.rollout(Environment(mdp), vr.plan(mdp, "0.5*mean + 0.5*cvar(1/4)"), episodes=100_000, seed=1)
    assert played.inside, str(played)


# -- predict, as other libraries call it ------------------------------------------------------------------------------


class Several:
    """Environments that reset themselves and are stepped together, as stable-baselines3 has them."""

    def __init__(self, envs, seed):
        self.envs, self.num_envs, self.seed = envs, len(envs), seed

    def reset(self):
        return self._stacked([env.reset(seed=self.seed + i)[0] for i, env in enumerate(self.envs)])

    def step(self, actions):
        seen, rewards, dones = [], [], []
        for env, action in zip(self.envs, actions, strict=True):
            observation, reward, terminated, truncated, _ = env.step(action)
            seen.append(env.reset()[0] if terminated or truncated else observation)
            rewards.append(reward)
            dones.append(terminated or truncated)
        return self._stacked(seen), np.array(rewards, float), np.array(dones)

    @staticmethod
    def _stacked(seen):
        if not isinstance(seen[0], dict):
            return np.array(seen)
        return {key: np.stack([np.asarray(x[key]) for x in seen]) for key in seen[0]}


def evaluated(policy, env, episodes):
    """The calls of ``evaluate_policy`` of stable-baselines3 2.9: an environment that has played its share of episodes
    goes on, and is told at every step that an episode begins."""
    n = env.num_envs
    counts, shares = np.zeros(n, int), np.array([(episodes + i) // n for i in range(n)])
    earned, found, states, starts = np.zeros(n), [], None, np.ones(n, bool)
    observations = env.reset()
    while (counts < shares).any():
        actions, states = policy.predict(observations, state=states, episode_start=starts, deterministic=True)
        observations, rewards, dones = env.step(actions)
        earned += rewards
        for i in range(n):
            if counts[i] < shares[i]:
                starts[i] = dones[i]
                if dones[i]:
                    found.append(earned[i])
                    counts[i] += 1
                    earned[i] = 0
    return found


def game(count, wrapped=True):
    gymnasium = pytest.importorskip("gymnasium")
    mdp = three_rewards()

    class Played(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(mdp.n_states), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.inner = Environment(mdp, cut=mdp.horizon)
            self.inner.rng = self.np_random
            return self.inner.reset()

        def step(self, action):
            return self.inner.step(int(action))

    return mdp, [vr.TrackReturn(Played()) if wrapped else Played() for _ in range(count)]


@pytest.mark.parametrize("count", [1, 3])
def test_predict_is_evaluated_as_in_stable_baselines3(count):
    """A policy that remembers, by the calls of that function and, where it is installed, by the function itself."""
    mdp, envs = game(count)
    policy = vr.exact_plan(mdp, "var(1/2)").policy
    assert not isinstance(policy, vr.MarkovPolicy)
    law = vr.return_law(mdp, policy)
    runs = {"stand-in": evaluated(policy, Several(envs, 5), 601)}
    try:
        from stable_baselines3.common.evaluation import evaluate_policy
        from stable_baselines3.common.vec_env import DummyVecEnv
    except ImportError:
        pass
    else:
        several = DummyVecEnv([lambda env=env: env for env in envs])
        runs["stable-baselines3"], _ = evaluate_policy(policy, several, 601, return_episode_rewards=True, warn=False)
    for name, found in runs.items():
        for x in law.atoms:  # Massart: a deviation of 0.1 has probability below 2 exp(-12) in 601 episodes
            share = np.mean(np.array(found) <= float(x) + 1e-5)
            assert abs(share - float(law.cdf(x))) < 0.1, name


def test_predict_of_several_is_predict_of_each():
    mdp, envs = game(3, wrapped=False)
    stays = vr.MarkovPolicy(mdp, [[t % 2] * mdp.n_states for t in range(mdp.horizon)])
    assert len(evaluated(stays, Several(envs, 1), 20)) == 20  # no rewards are needed
    policy = vr.exact_plan(mdp, "cvar(1/4)").policy
    actions, states = policy.predict(np.array([0, 0]))
    assert (actions.tolist(), states) == ([policy.predict(0)[0]] * 2, (policy.predict(0)[1],) * 2)
    after = [mdp.actions(0)[int(actions[0])].outcomes[k] for k in (0, -1)]
    seen, rewards = [s for _, s, _ in after], [float(r) for _, _, r in after]
    both = policy.predict(np.array(seen), states, reward=rewards)
    each = [policy.predict(seen[i], states[i], reward=rewards[i]) for i in range(2)]
    assert (both[0].tolist(), both[1]) == ([a for a, _ in each], tuple(state for _, state in each))
    again, _ = policy.predict(np.array([0, 0]), both[1], [True, True])
    assert again.tolist() == actions.tolist()
    tracked = {"observation": 0, "step": np.array([2.0]), "reward": np.array([0.0])}
    for wrong, said in (
        ((np.array([0, 0]), states[:1]), "state has 1 entries, wanted 2"),
        ((np.array([0]), states[:1]), r"reward is missing: .* TrackReturn\(env\)"),
        ((tracked, states[0]), "the observation is of step 2, but the state is that of step 0"),
        ((tracked,), "the observation is of step 2, but there is no state"),
        (({"x": 0},), "observation has entries x, wanted those of TrackReturn"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            policy.predict(*wrong)


@pytest.mark.parametrize("discount", [1, "1/2"])
def test_logged_episodes_are_those_that_were_counted(discount):
    mdp = vr.models.machine_replacement(horizon=4).with_discount(discount)
    plan = vr.plan(mdp, "cvar(1/4)")
    played = vr.rollout(mdp, plan, episodes=300, seed=3, log=True)
    log = played.log
    assert played.inside
    assert (log.episodes, log.longest) == (300, 4)
    for k in range(20):
        rows = range(log.first[k], log.first[k + 1])
        path = [(log.states[log.state[i]], log.actions[log.action[i]], log.rewards[log.reward[i]]) for i in rows]
        player = plan.policy.player(0)
        for s, a, r in path:
            assert player.act(s) == a
            assert r in {x for _, _, x in mdp.actions(s)[a].outcomes}
            player.observe(r)
        assert sum(mdp.step_reward(t, r) for t, (_, _, r) in enumerate(path)) in played.law.atoms
    assert vr.rollout(mdp, plan, episodes=5).log is None
