"""A learner in one's own loop plays the run of ``learn``; a finished run goes on to the run of all its episodes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from test_learn_environment import Dice
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, Unsupported


class Walk(Chain):
    """Three observations; action 1 goes up with probability 2/3, pays 1 at the top and ends there."""

    observation_space = Chain.Space(3)

    def reset(self, seed=None):
        self.random = np.random.default_rng(seed)
        self.state = int(self.random.integers(2)) if self.starts == "random" else 0
        return self.state, {}

    def step(self, action):
        self.state += int(action and self.random.random() < 2 / 3)
        return self.state, int(self.state == 2) - int(action == 0), self.state == 2, False, {}


def drive(agent, env, episodes, seed=0):
    """Reset as ``learn`` does: episode k with a seed that is a function of both."""
    for k in range(agent.episodes, episodes):
        observation, _ = env.reset(seed=int(np.random.SeedSequence((seed, k)).generate_state(1)[0]))
        over = False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
            over = agent.observe(reward, observation, terminated, truncated)
    return agent


TOLD = {
    "plain": (Walk, {"horizon": 4, "rewards": [-1, 0, 1]}),
    "random starts": (lambda: Walk(starts="random"), {"horizon": 4, "rewards": [-1, 0, 1], "random_starts": True}),
    "grid": (Dice, {"horizon": 2, "reward_range": (0, 1), "eta": "1/3"}),
    "declared": (Walk, {"horizon": 3, "rewards": [-1, 0, 1], "known_successors": 3, "largest_return": 1}),
}


@pytest.mark.parametrize("case", TOLD)
@pytest.mark.parametrize("objective", ["cvar(1/2)", "mean", "wang(1/2)"])
def test_a_loop_of_ones_own_plays_the_run_of_learn(case, objective):
    env, told = TOLD[case]
    run = vr.learn(env(), objective, episodes=70, **told)
    spaces = {"observations": env().observation_space, "actions": env().action_space}
    agent = drive(vr.Learner(objective, **spaces, **told), env(), 70)
    own = agent.run()
    assert agent.interval == own.interval == run.interval
    assert own.history == run.history
    assert [k for k, _ in run.history] == [32, 64, 70]
    for name in ("returns", "optimistic", "planner_error", "table"):
        assert (getattr(own, name) == getattr(run, name)).all(), name
    assert (agent.policy().table == run.policy().table).all()


def test_a_learner_is_saved_between_episodes_and_goes_on(tmp_path):
    env, told = TOLD["declared"]
    agent = drive(vr.Learner("cvar(1/2)", observations=3, actions=2, **told), env(), 40)
    agent.save(tmp_path / "agent.json")
    whole = drive(agent, env(), 80)
    again = drive(vr.Learner.load(tmp_path / "agent.json"), env(), 80)
    assert (again.episodes, again.interval) == (80, whole.interval)
    for ours, theirs in ((again.counts.counts, whole.counts.counts), (again._columns(), whole._columns())):
        assert all((x == y).all() for x, y in zip(ours, theirs, strict=True))
    again.act(0)
    with pytest.raises(InvalidArgument, match="episode 80, step 0: an episode is being played"):
        again.save(tmp_path / "agent.json")
    vr.learn(env(), "mean", episodes=2, checkpoint=tmp_path / "other.json", **told)
    with pytest.raises(InvalidArgument, match="is the checkpoint of learn"):
        vr.Learner.load(tmp_path / "other.json")
    with pytest.raises(InvalidArgument, match="is no file"):
        vr.Learner.load(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text((tmp_path / "agent.json").read_text()[:-9])
    with pytest.raises(InvalidFile):
        vr.Learner.load(tmp_path / "broken.json")


def test_known_rewards_are_passed_again_when_a_learner_is_loaded(tmp_path):
    told = {"observations": 2, "actions": 2, "horizon": 2, "rewards": [0, 1]}
    agent = drive(vr.Learner("mean", known_rewards=lambda s, a, t: a, **told), Chain(), 3)
    agent.save(tmp_path / "agent.json")
    with pytest.raises(InvalidArgument, match="pass it again"):
        vr.Learner.load(tmp_path / "agent.json")
    with pytest.raises(InvalidFile, match="its known_rewards is"):
        vr.Learner.load(tmp_path / "agent.json", known_rewards=lambda s, a, t: 1 - a)
    assert vr.Learner.load(tmp_path / "agent.json", known_rewards=lambda s, a, t: a).episodes == 3


def test_what_a_learner_refuses():
    told = {"observations": 3, "actions": 2, "horizon": 3, "rewards": [0, 1]}
    for wrong, said in (
        ({"observations": 1.5}, "observations is 1.5, wanted a Discrete space"),
        ({"actions": (2, 2)}, "wanted a Discrete space"),
        ({"horizon": 0}, "horizon is 0, wanted a positive integer"),
        ({"known_rewards": True}, "a black box hides them"),
        ({"rewards": None}, "rewards and reward_range are None"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            vr.Learner("mean", **{**told, **wrong})
    with pytest.raises(TypeError, match="has no argument 'gamma'"):
        vr.Learner("mean", **told, gamma=1)
    agent = vr.Learner("mean", **told)
    assert agent.interval == (0, 3)
    for early in (agent.run, agent.policy, lambda: agent.observe(0, 0)):
        with pytest.raises(InvalidArgument, match=r"no episode is finished|observe was called before act"):
            early()
    agent.act(1)
    with pytest.raises(InvalidArgument, match="act was called twice"):
        agent.act(1)
    for wrong, said in (
        ((2, 0), "episode 0, step 0: the reward is 2"),
        ((0, 3), "episode 0, step 0: the observation is 3, outside"),
        ((0, 0, False, True), "cut the episode off after 1 steps, wanted 3"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            agent.observe(*wrong)
    assert agent.observe(1, 2) is False  # the errors left the episode as it was
    with pytest.raises(InvalidArgument, match="the observation is 1, but the step before led to observation 2"):
        agent.act(1)
    agent.act(2)
    assert agent.observe(0, 0, terminated=True)
    assert agent.episodes == 1
    assert agent.run().returns.tolist() == [1.0]
    with pytest.raises(Unsupported, match="episode 1 began in observation 0, episode 0 in 1"):
        agent.act(0)


@pytest.mark.parametrize("case", ["plain", "random starts"])
def test_what_is_counted_is_what_was_observed(case):
    """Against a list of the steps: outcomes of every pair, with the end of an episode as a state of its own."""
    env, told = TOLD[case]
    agent, env, seen, starts = vr.Learner("cvar(1/2)", observations=3, actions=2, **told), env(), Counter(), Counter()
    for k in range(40):
        observation, over = env.reset(seed=k)[0], False
        starts[observation] += 1
        while not over:
            action = agent.act(observation)
            following, reward, terminated, truncated, _ = env.step(action)
            over = agent.observe(reward, following, terminated, truncated)
            seen[observation, action, 3 if terminated else following, reward] += 1
            observation = following
    counts, atoms = agent.counts.counts, [-1, 0, 1]
    for s in range(3):
        for a in range(2):
            p = 2 * s + a
            found = {
                (s, a, int(counts.state[p, j]), atoms[counts.atom[p, j]]): int(counts.count[p, j])
                for j in range(counts.length[p])
            }
            assert found == {step: n for step, n in seen.items() if step[:2] == (s, a)}
    if case == "random starts":
        assert {int(s): int(n) for s, n in zip(counts.state[-1], counts.count[-1], strict=True) if n} == starts


def test_a_step_that_was_refused_is_not_remembered():
    agent = vr.Learner(
        "mean", observations=2, actions=1, horizon=2, rewards=[0, 1], known_successors=1, largest_return=1
    )
    for k in range(3):
        agent.act(0)
        if k:
            with pytest.raises(InvalidArgument, match="its outcome number 2, but known_successors is 1"):
                agent.observe(1, 0)
        agent.observe(1, 1)
        agent.act(1)
        with pytest.raises(InvalidArgument, match=r"a return of 2, but largest_return is 1|its outcome number 2"):
            agent.observe(1, 0)
        agent.observe(0, 0)
    assert agent.episodes == 3


# -- going on ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["cvar(1/3)", "mean", "wang(1/2)"])
def test_a_finished_run_goes_on_to_the_run_of_all_its_episodes(objective, tmp_path):
    mdp, told = vr.models.machine_replacement(horizon=4), {"seed": 3, "delta": "1/5", "known_rewards": True}
    vr.learn(mdp, objective, episodes=100, **told).save(tmp_path / "whole.json")
    short = vr.learn(mdp, objective, episodes=60, checkpoint=tmp_path / "state.json", **told)
    vr.learn(resume=short, episodes=40).save(tmp_path / "replayed.json")
    vr.learn(mdp, resume=tmp_path / "state.json", episodes=40).save(tmp_path / "continued.json")
    whole = (tmp_path / "whole.json").read_bytes()
    assert (tmp_path / "replayed.json").read_bytes() == whole
    assert (tmp_path / "continued.json").read_bytes() == whole


def test_a_run_in_an_environment_goes_on_from_its_checkpoint(tmp_path):
    for case, (env, told) in TOLD.items():
        path = tmp_path / f"{case}.json"
        whole = vr.learn(env(), "cvar(1/2)", episodes=50, **told)
        short = vr.learn(env(), "cvar(1/2)", episodes=20, checkpoint=path, **told)
        again = vr.learn(env(), resume=path, episodes=30)
        assert (again.interval, again.returns.tolist()) == (whole.interval, whole.returns.tolist())
        with pytest.raises(Unsupported, match=r"keeps no counts: use learn\(env, resume=its checkpoint\)"):
            vr.learn(resume=short, episodes=30)


def test_a_run_goes_on_until_its_interval_is_short():
    run = vr.learn(vr.models.two_paths(), "cvar(1/2)", episodes=40)
    wanted = (run.interval.upper - run.interval.lower) * Fraction(9, 10)
    longer = vr.learn(resume=run, stop_when=wanted)
    assert longer.episodes > run.episodes
    assert longer.interval.upper - longer.interval.lower <= wanted
    ends = [interval for _, interval in longer.history]
    assert all(a.lower <= b.lower <= b.upper <= a.upper for a, b in pairwise(ends))
    assert ends[-1] == longer.interval


def test_what_cannot_be_resumed_is_refused(tmp_path):
    mdp = vr.models.two_paths()
    run = vr.learn(mdp, "mean", episodes=3, checkpoint=tmp_path / "state.json")
    for told, said in (
        ({"resume": run, "episodes": 5, "delta": "1/3"}, "delta is that of the run to resume"),
        ({"resume": run, "episodes": 0}, "episodes is 0, wanted an integer of at least 1"),
        ({"resume": run}, "both None: the run would not end"),
        ({"resume": 3, "episodes": 5}, "resume is 3, wanted a Run or the file"),
        ({"resume": tmp_path / "state.json", "episodes": 5}, "a checkpoint does not contain the model"),
        ({"resume": run, "episodes": 5, "mdp": vr.models.frozen_lake()}, "mdp is another model"),
        ({"episodes": 5}, "mdp is missing"),
        ({"mdp": mdp, "episodes": 5}, "objective is missing"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            vr.learn(**told)
    with pytest.raises(InvalidFile, match="holds another run: its model is"):
        vr.learn(vr.models.frozen_lake(), resume=tmp_path / "state.json", episodes=5)
    with pytest.raises(Unsupported, match="'ucb' depend on the number of episodes"):
        vr.learn(resume=vr.learn(mdp, "mean", episodes=3, algorithm="ucb"), episodes=5)


def test_the_intervals_of_an_environment_are_drawn():
    pytest.importorskip("matplotlib")
    env, told = TOLD["plain"]
    (axes,) = vr.learn(env(), "cvar(1/2)", episodes=70, **told).plot().figure.axes
    _, lower, upper = axes.lines
    assert lower.get_xdata().tolist() == upper.get_xdata().tolist() == [32, 64, 70]
    assert (lower.get_ydata() <= upper.get_ydata()).all()
    with pytest.raises(Unsupported, match="no interval to draw"):
        vr.learn(env(), "var(1/2)", episodes=2, **told).plot()


def test_steps_after_the_end_of_an_episode_pay_0_in_units():
    agent = vr.Learner("mean", observations=1, actions=1, horizon=3, rewards=[-1, 2])
    agent.observe(agent.act(0) + 2, 0, terminated=True)
    assert agent._rows[0][0] == 3 + 1 + 1  # the unit is a reward of 1, above the least reward -1
