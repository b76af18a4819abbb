"""A declared largest return: the mean is then planned by the return so far, and is never the worse for it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from test_learn_reference import corridor
from test_learn_run import Chain
from test_learn_sets import checks_of

import verified_risk as vr
from verified_risk.kernels.learn_data import MEAN, TAIL
from verified_risk.learning import planner
from verified_risk.learning.declarations import Declared
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

EPISODES = 300


def kind_of(mdp, objective, largest):
    settings = Settings.read(objective, 1, "1/10", declared=Declared(largest=largest))
    return Task.of(standard_form(mdp), settings).target.kind


def test_a_true_largest_return_helps_the_mean():
    """With a cap of the mean's table instead the regret was larger than without the declaration."""
    free = vr.learn(corridor(), "mean", episodes=EPISODES)
    told = vr.learn(corridor(), "mean", episodes=EPISODES, largest_return=1)
    assert told.regret[-1] < 0.9 * free.regret[-1]
    assert told.proved
    assert "(Coq: " in told.guarantee
    for run in (free, told):
        assert run.interval[0] <= run.best[0] <= run.interval[1]
    assert told.interval[1] <= 1 < free.interval[1]
    assert told.optimistic.max() <= 1 + 1e-9


def test_the_interval_is_right_after_every_episode():
    for seed, objective in enumerate((vr.Mean(), vr.CVaR("1/2"), 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4"))):
        found = list(checks_of(corridor(), objective, 100, seed, largest=Fraction(1)))
        assert all(found)
        assert len(found) > 100


def test_only_a_return_below_the_trivial_one_changes_the_plan():
    assert kind_of(corridor(), vr.Mean(), 1) == TAIL
    assert kind_of(corridor(), vr.Mean(), 8) == MEAN
    assert kind_of(corridor(), vr.Mean(), None) == MEAN


def test_where_tables_by_return_are_too_long_the_plan_is_that_of_the_mean_and_the_interval_is_capped(monkeypatch):
    free = vr.learn(corridor(), "mean", episodes=50, algorithm="kl")
    monkeypatch.setattr(planner, "MOST_CELLS_BY_RETURN", 10)
    told = vr.learn(corridor(), "mean", episodes=50, largest_return=1)
    assert np.array_equal(told.returns, free.returns)
    assert np.array_equal(told.optimistic, free.optimistic)
    assert told.interval[1] == 1 < free.interval[1]
    assert any("bounds the interval only" in note for note in told.notes)
    assert not any("bounds the interval only" in note for note in free.notes)


def test_the_audit_of_a_mean_planned_by_returns_finds_nothing():
    report = vr.learn(corridor(), "mean", episodes=80, largest_return=1, audit=True).audit
    assert report.violations == 0, str(report)
    assert report.rows["interval"].tested > 10


def test_a_largest_return_between_two_points_of_the_grid_is_no_smaller_on_it():
    """Two steps pay 1/8 each, which are two halves on the grid; a black box is told the truth, 1/4."""
    eighths = Chain((Fraction(1, 8), Fraction(1, 8)))
    told = {"horizon": 2, "reward_range": (0, 1), "eta": "1/2", "largest_return": "1/4"}
    run = vr.learn(eighths, vr.Mean(), episodes=3, **told)
    assert run.interval[0] <= Fraction(1, 4) <= run.interval[1]
