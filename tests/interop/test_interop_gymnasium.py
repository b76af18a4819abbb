"""Gymnasium's tables as exact models, against a float recursion on the very same tables."""

import math
import sys
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.errors import InvalidModel, MissingDependency, Unsupported
from verified_risk.interop.gymnasium import meant

gymnasium = pytest.importorskip("gymnasium")

ENVIRONMENTS = [
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake-v1", {"success_rate": 0.9}),
    ("FrozenLake-v1", {"desc": ["SFH", "FHG", "FFF"], "reward_schedule": (2, -1, 0.1)}),
    ("CliffWalking-v1", {}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("Taxi-v4", {}),
    ("Taxi-v4", {"is_rainy": True}),
]


def float_optimum(env, horizon):
    """The best mean over ``horizon`` steps by the Bellman recursion on the table itself; termination stops it."""
    table, start = env.unwrapped.P, env.unwrapped.initial_state_distrib
    value = dict.fromkeys(table, 0.0)
    for _ in range(horizon):
        value = {
            s: max(sum(p * (r + (0.0 if done else value[n])) for p, n, r, done in table[s][a]) for a in table[s])
            for s in table
        }
    return sum(p * value[s] for s, p in enumerate(start))


def exact_optimum(mdp):
    """The best mean, over states only: exact_plan would also tabulate every return so far."""
    value = [Fraction(0)] * mdp.n_states
    for t in reversed(range(mdp.horizon)):
        value = [
            max(sum(p * (mdp.step_reward(t, r) + value[n]) for p, n, r in action.outcomes) for action in mdp.actions(s))
            for s in range(mdp.n_states)
        ]
    return sum(p * value[s] for s, p in mdp.initial)


@pytest.mark.parametrize(("name", "options"), ENVIRONMENTS, ids=lambda x: str(x))
def test_the_model_has_the_value_of_the_table(name, options):
    env = gymnasium.make(name, **options)
    horizon = 6 if name.startswith("Taxi") else 12
    mdp = vr.MDP.from_gymnasium(env, horizon=horizon)
    assert float(exact_optimum(mdp)) == pytest.approx(float_optimum(env, horizon), abs=1e-10)


def test_slipping_is_in_thirds_and_equal_landings_are_added_up():
    mdp = vr.MDP.from_gymnasium("FrozenLake-v1", horizon=1)
    assert mdp.actions(0)[0].successors == ((0, Fraction(2, 3)), (4, Fraction(1, 3)))
    assert mdp.actions(14)[2].outcomes == ((Fraction(1, 3), 10, 0), (Fraction(1, 3), 14, 0), (Fraction(1, 3), 15, 1))


def test_every_restored_float_is_reported_once_with_its_count():
    mdp = vr.MDP.from_gymnasium(gymnasium.make("FrozenLake-v1", success_rate=0.9), horizon=1)
    assert "0.04999999999999999 was read as 1/20 (88 times)" in mdp.notes
    assert not any("0.9" in note.split(" was")[0] for note in mdp.notes)  # 0.9 is its own shortest decimal
    assert "0.3333333333333333 was read as 1/3" in vr.MDP.from_gymnasium("FrozenLake-v1", horizon=1).describe()


def test_holes_and_goal_of_the_lake_are_kept_as_they_are():
    mdp = vr.MDP.from_gymnasium("FrozenLake-v1", horizon=3)
    assert mdp.n_states == 16
    for s in (5, 7, 11, 12, 15):
        assert {action.outcomes for action in mdp.actions(s)} == {((1, s, 0),)}
    assert mdp.drawing == "SFFF\nFHFH\nFFFH\nHFFG"


@pytest.mark.parametrize(("name", "states"), [("CliffWalking-v1", 48), ("Taxi-v4", 500)])
def test_an_end_that_is_not_absorbing_in_the_table_gets_a_state_of_its_own(name, states):
    mdp = vr.MDP.from_gymnasium(name, horizon=3)
    assert mdp.n_states == states + 1
    assert mdp.actions(states)[0].outcomes == ((1, states, 0),)
    assert any(note.startswith(f"state {states} was added") for note in mdp.notes)


def test_a_discount_is_passed_on():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    mdp = vr.MDP.from_gymnasium(env, horizon=6, discount="1/2")
    assert vr.exact_plan(mdp, vr.Mean()).value == Fraction(1, 32)


def test_a_float_that_is_no_small_rational_keeps_its_decimal():
    assert meant(0.123456789) == Fraction(123456789, 10**9)
    assert meant(0.7071067811865476) == Fraction("0.7071067811865476")
    third = 6004799503160661 * 2.0**-54  # the float of 1/3, whose neighbours are 2**-54 apart
    for k in (0, 15, -15):
        assert meant(third + k * 2.0**-54) == Fraction(1, 3)
    for beyond in (third + 17 * 2.0**-54, third - 17 * 2.0**-54):
        assert meant(beyond) == Fraction(repr(beyond))


def test_computed_floats_and_all_quotients_of_small_integers_are_restored():
    assert [meant(x) for x in (0.04999999999999999, 0.1 + 0.2, 1 / 300)] == [Fraction(n, 300) for n in (15, 90, 1)]
    for q in range(1, 200):
        for p in range(q + 1):
            assert meant(p / q) == Fraction(p, q)
            assert meant(1 - p / q) == 1 - Fraction(p, q)


# -- what is refused --------------------------------------------------------------------------------------------------


class Table:
    """The least that counts as a tabular environment."""

    def __init__(self, P, start=None, **attributes):
        self.P = P
        if start is not None:
            self.initial_state_distrib = start
        self.__dict__.update(attributes)


GOOD = {0: {0: [(0.5, 0, 1.0, False), (0.5, 1, 0.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}


def test_a_table_needs_no_gymnasium_around_it():
    mdp = vr.MDP.from_gymnasium(Table(GOOD, [1.0, 0.0]), horizon=2)
    assert vr.exact_plan(mdp, vr.Mean()).value == Fraction(3, 4)
    assert vr.MDP.from_gymnasium(Table(GOOD), horizon=2, initial=0) == mdp
    with pytest.raises(vr.errors.InvalidModel, match="its present state does not count"):
        vr.MDP.from_gymnasium(Table(GOOD, s=0), horizon=2)


def test_a_terminal_state_that_would_go_on_paying_is_replaced_by_the_end():
    table = {0: {0: [(1.0, 1, 5, True)]}, 1: {0: [(1.0, 1, 7, True)]}}
    mdp = vr.MDP.from_gymnasium(Table(table, [1.0, 0.0]), horizon=3)
    assert mdp.n_states == 3
    assert vr.exact_plan(mdp, vr.Mean()).law == vr.Law.point(5)


@pytest.mark.parametrize("name", ["CartPole-v1", "Blackjack-v1"])
def test_an_environment_without_a_table_is_refused(name):
    with pytest.raises(Unsupported, match=f"{name} has no attribute P and observations .*wanted a tabular environment"):
        vr.MDP.from_gymnasium(name, horizon=3)


def test_an_unknown_id_is_refused():
    with pytest.raises(InvalidModel, match="gymnasium makes no environment 'FrozenPond-v1'"):
        vr.MDP.from_gymnasium("FrozenPond-v1", horizon=3)


def test_a_fickle_passenger_is_refused_because_the_table_leaves_him_out():
    with pytest.raises(Unsupported, match="fickle_passenger=True"):
        vr.MDP.from_gymnasium(gymnasium.make("Taxi-v4", fickle_passenger=True), horizon=3)


class Named(gymnasium.Wrapper):
    """A wrapper that leaves every step alone."""

    def greet(self):
        return "hello"


class Restarted(gymnasium.Wrapper):
    """A wrapper that begins elsewhere."""

    def reset(self, **rest):
        _, info = super().reset(**rest)
        self.unwrapped.s = 4
        return 4, info


def test_a_wrapper_that_changes_what_is_played_is_refused():
    """Its transition table would be read as if the wrapper were not there."""
    lake = gymnasium.make("FrozenLake-v1")
    for env in (gymnasium.wrappers.TransformReward(lake, lambda r: 2 * r), Restarted(lake)):
        for outside in (env, gymnasium.wrappers.RecordEpisodeStatistics(env)):
            with pytest.raises(Unsupported, match=f"the wrapper {type(env).__name__} has a step or reset of its own"):
                vr.MDP.from_gymnasium(outside, horizon=3)
        assert vr.MDP.from_gymnasium(env.unwrapped, horizon=3) == vr.MDP.from_gymnasium("FrozenLake-v1", horizon=3)
    for env in (Named(lake), gymnasium.wrappers.RecordEpisodeStatistics(lake)):
        assert vr.MDP.from_gymnasium(env).horizon == 100


def test_a_time_limit_below_the_horizon_is_named_in_the_notes():
    env = gymnasium.make("FrozenLake-v1", max_episode_steps=5)
    assert not any("cut off" in note for note in vr.MDP.from_gymnasium(env, horizon=5).notes)
    assert "the environment is cut off after 5 steps, the model goes on to its horizon 6" in (
        vr.MDP.from_gymnasium(env, horizon=6).notes
    )
    assert vr.MDP.from_gymnasium(env, horizon="auto") == vr.MDP.from_gymnasium(env, horizon=math.inf)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Table({**GOOD, 1: {0: [(0.9, 1, 0, True)]}}, [1.0, 0.0]), r"P\[1\]\[0\] sums to 9/10, not to 1"),
        (Table({**GOOD, 1: {0: [(1.0, 2, 0, True)]}}, [1.0, 0.0]), r"P\[1\]\[0\]\[0\] leads to state 2"),
        (Table({**GOOD, 1: {0: [(1.0, 1, 0)]}}, [1.0, 0.0]), r"P\[1\]\[0\]\[0\] is \(1.0, 1, 0\)"),
        (Table({**GOOD, 1: {0: [(float("nan"), 1, 0, True)]}}, [1.0, 0.0]), r"P\[1\]\[0\]\[0\] probability is nan"),
        (Table({**GOOD, 1: {1: GOOD[1][0]}}, [1.0, 0.0]), r"no action 0 in P\[1\]"),
        (Table({0: GOOD[0], 2: GOOD[1]}, [1.0, 0.0]), "no state 1 in its table"),
        (Table(GOOD, [1.0]), "initial law of 1 states, wanted 2"),
        (Table(GOOD, [0.5, 0.25]), "initial sums to 3/4"),
        (Table(GOOD), "says nowhere where it starts"),
    ],
)
def test_a_bad_table_is_refused_with_the_entry(env, message):
    with pytest.raises(InvalidModel, match=message):
        vr.MDP.from_gymnasium(env, horizon=2)


def test_a_name_without_gymnasium_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingDependency, match=r"verified-risk\[gym\]"):
        vr.MDP.from_gymnasium("FrozenLake-v1", horizon=3)
