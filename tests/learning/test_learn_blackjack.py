"""Blackjack as a black box, judged by an exact model of the game that the learner does not see."""

from __future__ import annotations

from fractions import Fraction

import blackjack
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, StoppedRun
from verified_risk.learning import episodes as episodes_of_runs

STEPS = 8
OPTIMUM = blackjack.worth(STEPS, lambda t, seen: None)
STICK = blackjack.worth(STEPS, lambda t, seen: 0)
STICK_AT_17 = blackjack.worth(STEPS, lambda t, seen: int(seen[0] < 17))
TOLD = {"horizon": STEPS, "rewards": [-1, 0, 1], "random_starts": True}


def learn(episodes, **told):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Blackjack-v1", sab=False)
    return vr.learn(env, vr.Mean(), episodes=episodes, seed=1, algorithm="kl", **TOLD, **told)


def test_the_oracle_has_the_known_figures():
    """The dealer busts in 28 % of the hands."""
    assert -Fraction(466, 10**4) < OPTIMUM < -Fraction(465, 10**4)
    assert -Fraction(794, 10**4) < STICK_AT_17 < -Fraction(792, 10**4)
    assert -Fraction(1864, 10**4) < STICK < -Fraction(1863, 10**4)
    bust = sum(p * blackjack.dealer_ends(blackjack.with_card((0, 0), card))[0] for card, p in blackjack.CARDS.items())
    assert Fraction(28, 100) < bust < Fraction(285, 1000)
    assert sum(p for p, _, _ in blackjack.first_hands()) == 1


def test_the_oracle_plays_the_environment_s_game():
    """4000 hands of a policy that hits often, within four standard errors (a return has a deviation below 1)."""
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Blackjack-v1", sab=False)
    total = 0
    for k in range(4000):
        (points, _, ace), ended, reward = env.reset(seed=k)[0], False, 0
        while not ended:
            (points, _, ace), reward, ended, _, _ = env.step(int(points < 17 + ace))
        total += reward
    exact = blackjack.worth(30, lambda t, seen: int(seen[0] < 17 + seen[2]))
    assert abs(total / 4000 - exact) < 4 / 4000**0.5


def test_blackjack_is_learned_from_the_rules_and_two_thousand_hands():
    """The rules say what can happen, with no probability.  No state is worth less than -1 or more than 1 then, and the
    state before the deal, which never follows, does not stand for unseen hands.
    """
    run = learn(2000, **blackjack.rules())
    policy = run.policy()
    found = blackjack.worth_of_policy(policy)
    assert found > STICK + Fraction(1, 20)
    assert -1 <= run.interval[0] <= found <= OPTIMUM <= run.interval[1] <= 1
    assert run.proved
    assert "(Coq: " in run.guarantee


@pytest.mark.slow
def test_twenty_thousand_hands_beat_sticking_at_17_and_a_hundred_thousand_are_near_the_optimum():
    run = learn(20_000, **blackjack.rules())
    assert blackjack.worth_of_policy(run.policy()) > STICK_AT_17
    longer = learn(100_000, **blackjack.rules())
    found = blackjack.worth_of_policy(longer.policy())
    assert found > OPTIMUM - Fraction(1, 50)
    assert run.interval[0] < longer.interval[0] <= found <= OPTIMUM <= longer.interval[1] < run.interval[1]
    assert longer.returns[-10_000:].mean() > float(STICK_AT_17) - 0.03  # it explores still


def test_hands_that_were_interrupted_go_on_byte_for_byte(tmp_path, monkeypatch):
    """Lists, random starts and sets that are kept for some episodes: all of it is in the file."""
    monkeypatch.setattr(episodes_of_runs, "SECONDS_BETWEEN", 0.0)
    state = tmp_path / "state.json"

    def stop(now):
        if now.done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(50, checkpoint=state, progress=stop, **blackjack.rules())
    learn(50, checkpoint=state, **blackjack.rules()).save(tmp_path / "again.json")
    learn(50, **blackjack.rules()).save(tmp_path / "whole.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_a_reward_that_was_not_declared_possible_stops_the_run():
    told = blackjack.rules()
    pays = told["known_rewards"]

    def never_drawn(s, action, after):
        return (-1, 1) if after == blackjack.OVER and not action else pays(s, action, after)

    said = r"state \d+, action 0 led to state 704 with reward 0, but known_rewards\(\d+, 0, 704\) is -1 or 1"
    with pytest.raises(StoppedRun, match=said):
        learn(500, **{**told, "known_rewards": never_drawn})
    with pytest.raises(InvalidArgument, match=r"known_rewards\(0, 0, 704\) is empty, wanted the rewards that are"):
        learn(5, **{**told, "known_rewards": lambda s, action, after: []})
    with pytest.raises(InvalidArgument, match=r"known_rewards\(0, 0, 704\) is 2, which is none"):
        learn(5, **{**told, "known_rewards": lambda s, action, after: [2, 0]})
