"""The e-value against one law for each pair: at most 1 on average if there is one, large if there is none."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.learning.log_problem import MarkovTest, _average, _log_e, markov_test


def log_of(rows):
    """A log of episodes, each a list of (state, action, reward, next state)."""
    columns = {name: [] for name in ("episode", "state", "action", "reward", "next_state")}
    for k, steps in enumerate(rows):
        for step in steps:
            for name, x in zip(columns, (k, *step), strict=True):
                columns[name].append(x)
    return vr.Log.from_arrays(**columns)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("contexts", [(0, 0, 0, 0, 0), (0, 1, 0, 1, 0), (0, 1, 2, 3, 4)])
def test_the_mean_over_all_sequences_is_at_most_one(chance, contexts):
    """All sequences of five outcomes of two kinds, of three that are possible."""
    mean = 0.0
    for outcomes in itertools.product((0, 1), repeat=5):
        p = math.prod(chance if x else 1 - chance for x in outcomes)
        mean += p * math.exp(_log_e(np.array(contexts), np.array(outcomes), 3))
    assert 0 < mean <= 1


def test_averages_and_rejections_are_of_numbers_whose_logarithms_are_given():
    assert _average([math.log(2), math.log(6)]) == pytest.approx(math.log(4))
    assert MarkovTest(math.log(20.1), {}, ()).rejects(0.05)
    assert not MarkovTest(math.log(19.9), {}, ()).rejects(0.05)


def drawn(episodes, law, seed):
    """Episodes of three steps from one state with one action; ``law(k, t, before)`` is the chance of a reward."""
    rng = random.Random(seed)
    found = []
    for k in range(episodes):
        steps, before = [], 0
        for t in range(3):
            before = int(rng.random() < law(k, t, before))
            steps.append(("s", "a", before, "s"))
        found.append(steps)
    return log_of(found)


def test_a_log_of_one_law_is_not_refuted():
    for seed in range(20):
        found = markov_test(drawn(60, lambda k, t, before: 0.3, seed))
        assert found.e_value < 20
        assert not found.rejects(0.05)


def test_what_changes_with_the_step_or_with_time_is_refuted_and_named():
    found = markov_test(drawn(150, lambda k, t, before: 0.8 if t == 2 else 0.2, 1))
    assert found.rejects(0.001)
    assert found.worst[0][:3] == ("s", "a", "step")
    assert "by step" in str(found)
    found = markov_test(drawn(150, lambda k, t, before: 0.8 if k > 75 else 0.2, 1))
    assert found.rejects(0.001)
    assert found.worst[0][2] == "time"


def test_what_depends_on_the_action_before_is_refuted():
    rng, rows = random.Random(5), []
    for _ in range(150):
        first = rng.choice("ab")
        rows.append([("s", first, 0, "s"), ("s", "c", int(rng.random() < (0.9 if first == "a" else 0.1)), "s")])
    found = markov_test(log_of(rows))
    assert found.rejects(0.001)
    assert found.worst[0][:3] == ("s", "c", "what was done before")


def test_an_answer_says_what_the_log_contradicts():
    log = drawn(150, lambda k, t, before: 0.8 if t == 2 else 0.2, 1)
    assert any("contradicts" in note for note in vr.plan_from_log(log, "mean", rewards=[0, 1]).notes)
    log = drawn(150, lambda k, t, before: 0.3, 1)
    assert not any("contradicts" in note for note in vr.plan_from_log(log, "mean", rewards=[0, 1]).notes)
