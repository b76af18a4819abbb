"""Allowances of the learner, each alone: rounding, slack, where episodes begin, units."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from test_learn_models import learner_of

import verified_risk as vr
from verified_risk.errors import StoppedRun
from verified_risk.learning import audit
from verified_risk.learning.evaluate import Bracket, Judge
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task


def test_both_ends_of_an_interval_move_outward_by_the_slack():
    mdp = vr.models.machine_replacement(horizon=4)
    ends = {}
    for slack in (0.0, 0.125):
        task = Task.of(standard_form(mdp), Settings.read(vr.CVaR("1/2"), 300, seed=1))
        learner = task.learner()
        learner.run(np.random.default_rng(1).random((300, 9)), evaluate=False)
        bracket = Bracket(learner, slack, wanted=True)
        bracket.replan(300)
        ends[slack] = bracket.lower, bracket.upper
    scale = task.standard.range * task.standard.unit
    assert ends[0.0][0] - ends[0.125][0] == scale / 8
    assert ends[0.125][1] - ends[0.0][1] == scale / 8


def test_errors_of_the_planner_enter_the_audited_regret_bound_in_its_unit(monkeypatch):
    """Rewards of 0 to 8 on a grid of 1/8 of that: an error of x units is x / 8 of the range, episode by episode."""
    steps, inherited = [], audit._Auditor._test_regret

    def watched(self, k, low):
        planner, regret = self.planner, self.regret
        inherited(self, k, low)
        units = Fraction(self.learner.upper) - Fraction(self.learner.value) + Fraction(self.task.slack)
        steps.append((self.planner - planner, float(units / 8)))
        assert self.regret - regret == pytest.approx(float((self.best[1] - low) / 8), rel=1e-9, abs=1e-15)

    monkeypatch.setattr(audit._Auditor, "_test_regret", watched)
    vr.learn(vr.models.machine_replacement(horizon=4), "cvar(1/2)", episodes=12, audit=True)
    assert len(steps) == 12
    for found, wanted in steps:
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-18)
    assert any(wanted > 0 for _, wanted in steps)


# -- rounding ----------------------------------------------------------------------------------------------------------


def test_the_error_of_a_law_counts_the_roundings_of_its_longest_chain():
    r"""A step sums over rewards, pairs and outcomes, then over states and returns; :math:`\gamma_D = Du/(1 - Du)`."""
    outcomes = [[[("1/2", 1, 1), ("1/2", 0, 0)], [(1, 0, "1/2")]], [[(1, 0, "1/2")]]]
    joint = vr.MDP.from_outcomes(outcomes, initial=[1, 0], horizon=4)
    for mdp in (vr.models.machine_replacement(horizon=4), joint):
        learner = learner_of(mdp, vr.CVaR("1/2"))
        standard, u = learner.standard, Fraction(1, 2**53)
        m = len(standard.atoms)
        into = sum(mdp.n_actions) * (1 if mdp.is_product else m)
        D = mdp.horizon * (m + into + 6) + mdp.n_states + standard.top[0] + 4
        error = Judge(mdp, standard, vr.CVaR("1/2"), learner).law_error()
        assert D * u / (1 - D * u) + u <= Fraction(error) <= (Fraction(102, 100) * D + 1) * u


def test_values_that_rounding_leaves_wide_are_noted_with_a_width_that_covers_them():
    mdp = vr.models.two_paths()
    steep = vr.learn(mdp, vr.CVaR("1/1000000000"), episodes=5)
    (note,) = [text for text in steep.notes if text.startswith("values are known to ")]
    said = note.removeprefix("values are known to ").removesuffix(" only")
    assert steep.values_width.max() <= float(said) <= 1.01 * steep.values_width.max()
    assert not [text for text in vr.learn(mdp, vr.CVaR("1/2"), episodes=5).notes if "known to" in text]


# -- where episodes begin ----------------------------------------------------------------------------------------------


class Begins:
    """An environment whose first observation is told by the seed, and nothing else happens."""

    def __init__(self) -> None:
        from gymnasium.spaces import Discrete

        self.observation_space, self.action_space = Discrete(2), Discrete(2)
        self.begun: list[int] = []

    def reset(self, seed=None):
        self.begun.append(seed % 2)
        return self.begun[-1], {}

    def step(self, action):
        return self.begun[-1], 0, True, False, {}


def test_the_first_episode_begins_where_its_own_seed_says():
    pytest.importorskip("gymnasium")
    begins = {
        seed: [int(np.random.SeedSequence((seed, k)).generate_state(1)[0]) % 2 for k in (0, 1)] for seed in range(9)
    }
    seed, (first, second) = next((seed, pair) for seed, pair in begins.items() if pair[0] != pair[1])
    with pytest.raises(StoppedRun, match=f"episode 1 began in observation {second}, episode 0 in {first}"):
        vr.learn(Begins(), vr.Mean(), episodes=5, horizon=1, rewards=[0, 1], seed=seed)


class PaysByTheStart(Begins):
    """Pays 1 where it began in observation 0, nothing where it began in 1."""

    def step(self, action):
        return self.begun[-1], 1 - self.begun[-1], True, False, {}


def test_where_episodes_begin_is_learned_even_if_all_else_is_declared():
    """Both observations are as likely, so the optimum is 1/2, whichever came first."""
    pytest.importorskip("gymnasium")
    told = {
        "known_rewards": lambda s, a, s2: int(s == 0),
        "known_successors": {(s, a): [2] for s in (0, 1) for a in (0, 1)},
    }
    for seed in range(6):
        run = vr.learn(
            PaysByTheStart(), vr.Mean(), episodes=3, horizon=1, rewards=[0, 1], random_starts=True, seed=seed, **told
        )
        assert run.interval[0] <= Fraction(1, 2) <= run.interval[1]
        assert run.interval[0] < run.interval[1]


# -- units -------------------------------------------------------------------------------------------------------------


def test_a_run_in_other_units_is_the_same_run():
    """Rewards times ten plus three, for three steps: values are stretched and move by nine, differences do not move."""

    def learned(scale, shift):
        def pays(law):
            return {shift + scale * Fraction(r): p for r, p in law.items()}

        rewards = [[pays({0: "1/2", 1: "1/2"}), pays({"1/2": 1})], [pays({1: 1})]]
        mdp = vr.MDP(0, [[["1/2", "1/2"], [1, 0]], [[0, 1]]], rewards, horizon=3)
        return vr.learn(mdp, vr.CVaR("1/3"), episodes=30, seed=4)

    plain, other = learned(1, 0), learned(10, 3)
    for name in ("returns", "values", "optimistic"):
        assert getattr(other, name) == pytest.approx(9 + 10 * getattr(plain, name), rel=1e-9), name
    for name in ("regret", "bound", "expected_bound", "data_bound", "planner_error", "value_gap"):
        assert getattr(other, name) == pytest.approx(10 * getattr(plain, name), rel=1e-9, abs=1e-9), name
    assert [float(x) for x in other.interval] == pytest.approx([9 + 10 * float(x) for x in plain.interval])
