"""``vr.learn``: regret, bounds, reproducibility, files, environments, bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, InvalidObjective, StoppedRun, Unsupported
from verified_risk.learning import episodes
from verified_risk.policy.evaluation import visited

CVAR = vr.CVaR("33/100")


# -- regret ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["kl", "ucb", "ucb-as-printed", "greedy", "greedy-tried", "ucbvi", "posterior"])
@pytest.mark.parametrize("G", [CVAR, vr.Spectral(["1/5", 1], ["1/2", "1/2"]), vr.VaR("1/4")], ids=str)
def test_the_regret_is_that_of_the_policies_played_evaluated_exactly(algorithm, G):
    mdp = vr.models.machine_replacement(horizon=4)
    run = vr.learn(mdp, G, episodes=40, algorithm=algorithm, bonus_scale="1/20", seed=2)
    best = vr.exact_plan(mdp, G).value
    assert run.best == (best, best)
    total = Fraction()
    for k in range(40):
        value = G.of(vr.return_law(mdp, run.policy(k)))
        total += best - value
        assert abs(run.values[k] - float(value)) < 1e-9
        assert total <= Fraction(run.regret[k])
        assert Fraction(run.regret[k]) - Fraction(run.regret_width[k]) <= total
    assert run.regret_width[-1] < 1e-8


@pytest.mark.parametrize("name", ["frozen_lake", "two_paths", "machine_replacement", "gamblers_ruin"])
@pytest.mark.parametrize("G", [CVAR, vr.Mean(), vr.Spectral(["1/10", "1/2"], ["1/2", "1/2"])], ids=str)
def test_the_regret_stays_below_both_bounds(name, G):
    several = "+" in str(G)  # several levels: an ascent for every plan
    for seed in range(1 if several else 3):
        run = vr.learn(vr.models.load(name), G, episodes=40 if several else 300, seed=seed)
        assert run.proved
        assert (run.regret <= run.expected_bound).all()
        assert (run.regret <= run.bound).all()
        assert (np.diff(run.regret) >= 0).all()


def test_ucb_learns_the_lake_and_the_baselines_do_not():
    """Mean over five seeds, a tenth of the theorem's radii: ucb's regret per episode falls, the baselines' stays.

    Single seeds of ucb may still be suboptimal at the end: radii below the theorem's guarantee nothing.
    """
    lake = vr.models.frozen_lake()
    early, late = {}, {}
    for algorithm, scale in (("ucb", "1/10"), ("greedy", 1), ("ucbvi", "1/1000")):
        regret = np.mean(
            [
                vr.learn(lake, CVAR, episodes=2000, algorithm=algorithm, bonus_scale=scale, seed=k).regret
                for k in range(5)
            ],
            axis=0,
        )
        early[algorithm], late[algorithm] = regret[499] / 500, (regret[-1] - regret[1499]) / 500
    assert late["ucb"] < early["ucb"] / 2
    assert late["greedy"] == pytest.approx(early["greedy"])
    assert late["greedy"] == pytest.approx(56 / 33)  # it never leaves its first choice
    assert 0.55 < late["ucbvi"] < 0.65  # it settles on the path of 6: 56/33 - 59/55 = 0.624
    assert late["ucb"] < late["ucbvi"] / 2


def test_the_optimistic_value_dominates_and_the_gap_is_what_it_says():
    run = vr.learn(vr.models.frozen_lake(), CVAR, episodes=50)
    assert (run.optimistic >= float(run.best[0])).all()
    assert np.allclose(run.value_gap, run.optimistic - run.values)


def test_a_model_with_one_reward_has_no_regret():
    mdp = vr.MDP(0, [[[1], [1]]], [[5, 5]], horizon=2)
    run = vr.learn(mdp, CVAR, episodes=10)
    assert run.best[0] == 10
    assert run.regret[-1] < 1e-9


def test_a_grid_coarser_than_the_rewards_is_judged_in_the_model_itself():
    lake = vr.models.frozen_lake()
    run = vr.learn(lake, CVAR, episodes=30, eta=3, bonus_scale="1/20")
    assert run.best[0] == Fraction(56, 33)
    for k in (0, 10, 29):
        assert run.values[k] == pytest.approx(float(CVAR.of(vr.return_law(lake, run.policy(k)))), abs=1e-12)
    assert "grid" in run.notes[0]
    run, exact = (vr.learn(lake, CVAR, episodes=30, eta=eta, algorithm="ucb") for eta in (3, 1))
    assert run.bound[-1] - exact.bound[-1] == pytest.approx(30 * 5 * 3, rel=1e-3)  # K T eta


def test_continuous_rewards_are_learned_on_a_grid():
    from scipy import stats

    mdp = vr.MDP(0, [[[1], [1]]], [[stats.beta(2, 2), {"1/4": 1}]], horizon=2)
    G = vr.CVaR("1/10")
    run = vr.learn(mdp, G, episodes=200, eta="1/20", seed=3)
    on_grid = mdp.discretised("1/20")
    best = vr.exact_plan(on_grid, G).value
    assert run.best[0] <= best <= run.best[1]
    for k in (0, 50, 199):
        policy = run.policy(k)
        table = {}
        for t, s, y in visited_cells(on_grid, policy):
            table[t, s, Fraction(y, 20)] = policy.choice(t, s, y)[0][0]
        value = G.of(vr.return_law(on_grid, vr.ReturnPolicy(on_grid, table)))
        assert run.values[k] == pytest.approx(float(value), abs=1e-9)
    assert "grid" in run.notes[0]
    assert (run.regret <= run.bound).all()


def visited_cells(mdp, policy):
    return visited(mdp, policy.on(mdp))


def test_discounted_models_are_learned():
    mdp = vr.models.machine_replacement(conditions=3, horizon=4, discount="1/2")
    run = vr.learn(mdp, CVAR, episodes=300, bonus_scale="1/50", seed=1)
    assert run.best[0] == vr.exact_plan(mdp, CVAR).value
    assert run.regret[-1] - run.regret[199] < 0.2 * run.regret[199] + 1e-6


# -- reproducibility and files -----------------------------------------------------------------------------------------


def test_a_run_depends_on_its_seed_and_on_nothing_else(monkeypatch):
    mdp = vr.models.machine_replacement()
    one = vr.learn(mdp, CVAR, episodes=120, seed=5, bonus_scale="1/10")
    monkeypatch.setattr(episodes, "CHUNK", 7)
    two = vr.learn(mdp, CVAR, episodes=120, seed=5, bonus_scale="1/10")
    three = vr.learn(mdp, CVAR, episodes=120, seed=6, bonus_scale="1/10")
    assert (one.regret == two.regret).all()
    assert (one.returns == two.returns).all()
    assert (one.returns != three.returns).any()
    audited = vr.learn(mdp, CVAR, episodes=120, seed=5, bonus_scale="1/10", audit=True)
    assert (one.returns == audited.returns).all()


def test_a_run_survives_its_file(tmp_path):
    run = vr.learn(vr.models.two_paths(), CVAR, episodes=30, audit=True)
    run.save(tmp_path / "run.json")
    again = vr.Run.load(tmp_path / "run.json")
    assert str(again) == str(run)
    assert (again.regret == run.regret).all()
    assert again.mdp == run.mdp
    text = (tmp_path / "run.json").read_text()
    (tmp_path / "cut.json").write_text(text[:-100])
    with pytest.raises(InvalidFile, match="truncated"):
        vr.Run.load(tmp_path / "cut.json")


def test_progress_is_reported_to_the_end():
    seen = []
    vr.learn(vr.models.two_paths(), CVAR, episodes=50, progress=lambda now: seen.append((now.done, now.total)))
    assert seen[-1] == (50, 50)


def test_a_learned_policy_can_be_saved_and_played_elsewhere(tmp_path):
    mdp = vr.models.machine_replacement(horizon=3)
    policy = vr.learn(mdp, CVAR, episodes=20, bonus_scale="1/10").policy(19)
    policy.save(tmp_path / "policy.json")
    assert vr.return_law(mdp, vr.Policy.load(tmp_path / "policy.json")) == vr.return_law(mdp, policy)
    with pytest.raises(InvalidArgument, match="outside 0"):
        vr.learn(mdp, CVAR, episodes=20).policy(20)
    fine = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/2", "3/4": "1/2"}]], horizon=2)
    with pytest.raises(
        Unsupported, match="cannot be saved"
    ):  # its memory is a rounded return, which a file does not keep
        vr.learn(fine, CVAR, episodes=5, eta="3/8").policy().save(tmp_path / "rounded.json")


# -- guarantees --------------------------------------------------------------------------------------------------------


# -- environments ------------------------------------------------------------------------------------------------------


def test_a_gymnasium_environment_is_learned_as_a_black_box():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1", map_name="4x4", is_slippery=False)
    told = {"horizon": 8, "rewards": [0, 1], "known_successors": 1, "largest_return": 1}
    run = vr.learn(env, vr.Mean(), episodes=200, seed=1, **told)
    assert run.regret is None
    assert run.values is None
    assert run.returns[-20:].mean() == 1.0  # the path is found and kept
    assert run.bound is not None
    assert run.interval[0] <= 1 <= run.interval[1]
    assert run.interval[1] - run.interval[0] < Fraction(1, 10**6)
    shown = [Fraction(end) for end in str(run.interval).strip("[]").split(", ")]
    assert shown[0] <= run.interval.lower < run.interval.upper <= shown[1]  # decimals, rounded outward
    assert shown[1] - shown[0] < Fraction(1, 10**5)
    assert len(str(run.interval)) < 40
    with pytest.raises(Unsupported, match="black box"):
        run.policy(0)
    assert run.policy().play(env, seed=3) == 1
    again = vr.learn(env, vr.Mean(), episodes=200, seed=1, **told)
    assert (run.returns == again.returns).all()


class Chain:
    """A minimal environment without gymnasium: two observations, two actions."""

    class Space:
        def __init__(self, n):
            self.n = n

    observation_space, action_space = Space(2), Space(2)

    def __init__(self, rewards=(0, 1), starts=(0,)):
        self.rewards, self.starts, self.resets = rewards, starts, 0

    def reset(self, seed=None):
        self.state = self.starts[self.resets % len(self.starts)]
        self.resets += 1
        return self.state, {}

    def step(self, action):
        self.state = action
        return self.state, self.rewards[action], False, False, {}


def test_a_stopped_run_keeps_the_episodes_before_it(tmp_path):
    class Breaks(Chain):
        def step(self, action):
            following, reward, *rest = super().step(action)
            return (following, 7 if self.resets > 11 else reward, *rest)

    with pytest.raises(StoppedRun, match=r"episode 10, step 0: the reward is 7.*holds the 10 episodes") as caught:
        vr.learn(Breaks(), vr.Mean(), episodes=50, horizon=2, reward_range=(0, 1), eta=1)
    whole = vr.learn(Chain(), vr.Mean(), episodes=50, horizon=2, reward_range=(0, 1), eta=1)
    part = caught.value.run
    assert part.episodes == 10
    assert list(part.returns) == list(whole.returns[:10])
    part.save(tmp_path / "part.json")
    assert list(vr.Run.load(tmp_path / "part.json").returns) == list(part.returns)


def test_an_unknown_initial_law_is_refused():
    with pytest.raises(Unsupported, match="began in observation 1"):
        vr.learn(Chain(starts=(0, 1)), vr.Mean(), episodes=50, horizon=2, reward_range=(0, 1), eta=1)
    late = Chain(starts=(0,) * 10 + (1,))  # the learner resets once before its first episode
    with pytest.raises(vr.errors.StoppedRun, match="episode 9 began in observation 1, episode 0 in 0"):
        vr.learn(late, vr.Mean(), episodes=50, horizon=2, reward_range=(0, 1), eta=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"horizon": None}, "horizon is None"),
        ({"horizon": 0}, "wanted a positive integer"),
        ({"reward_range": None}, "reward_range are None"),
        ({"reward_range": (1, 0)}, "wanted low < high"),
        ({"reward_range": (1, 2)}, "contains 0"),
        ({"eta": None}, "eta is None"),
        ({"rewards": [1]}, "not wanted"),
        ({"eta": "2/3"}, "divides the range"),
        ({"audit": True}, "cannot be audited"),
    ],
)
def test_an_environment_without_what_it_needs_is_refused(arguments, said):
    settings = {"horizon": 2, "reward_range": (0, 1), "eta": 1, **arguments}
    with pytest.raises((InvalidArgument, Unsupported), match=said):
        vr.learn(Chain(), vr.Mean(), episodes=5, **settings)


def test_continuous_spaces_are_refused():
    gymnasium = pytest.importorskip("gymnasium")
    with pytest.raises(InvalidArgument, match="observation_space is Box"):
        vr.learn(gymnasium.make("CartPole-v1"), vr.Mean(), episodes=5, horizon=10, reward_range=(0, 1), eta=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"episodes": 0}, "episodes is 0"),
        ({"episodes": 2.5}, "episodes is 2.5"),
        ({"delta": 0}, "delta is 0"),
        ({"delta": 1}, "delta is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"algorithm": "sarsa"}, "algorithm is 'sarsa'"),
        ({"bonus_scale": 0}, "bonus_scale is 0"),
        ({"eta": "3/7"}, "evenly"),
        ({"horizon": 3}, "for environments"),
        ({"random_starts": True}, "random_starts is for environments"),
    ],
)
def test_bad_arguments_are_named(arguments, said):
    with pytest.raises(InvalidArgument, match=said):
        vr.learn(vr.models.two_paths(), CVAR, **{"episodes": 5, **arguments})


def test_what_is_neither_a_model_nor_an_environment_is_refused():
    with pytest.raises(InvalidArgument, match="neither an MDP nor an environment"):
        vr.learn(42, CVAR, episodes=5)
    with pytest.raises(InvalidObjective):
        vr.learn(vr.models.two_paths(), 42, episodes=5)
