"""A run audits its own theorem: nothing is violated on the event, and planted faults are caught."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.kernels.learn_plan import set_policy_of_budget
from verified_risk.kernels.learn_run import best_budget
from verified_risk.kernels.learn_sets import refresh
from verified_risk.learning.audit import AuditReport, audited_run
from verified_risk.learning.evaluate import Judge, best_value
from verified_risk.learning.learner import Learner
from verified_risk.learning.planner import target_of
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

MODELS = {
    "lake": vr.models.frozen_lake,
    "two paths": vr.models.two_paths,
    "machine": lambda: vr.models.machine_replacement(horizon=5),
    "ruin": lambda: vr.models.gamblers_ruin(horizon=4),
    "discounted": lambda: vr.models.machine_replacement(conditions=3, horizon=4, discount="1/2"),
    "random": lambda: vr.models.random_sparse(4, 2, 3, 2, horizon=4, seed=5, grid=4),
}
OBJECTIVES = {
    "cvar": vr.CVaR("33/100"),
    "mean-cvar": 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/10"),
    "spectral": vr.Spectral(["1/10", "1/2", 1], ["1/3", "1/3", "1/3"]),
}
PROOF = ("L1", "L2a", "L2b", "L3")
every_model = pytest.mark.parametrize("model", MODELS)
every_objective = pytest.mark.parametrize("objective", OBJECTIVES)


@every_model
@every_objective
def test_no_step_of_the_proof_is_violated_on_the_event(model, objective):
    """Once with the corrected theorem's radii, once with a tenth of them: the event may fail, slack is small."""
    K = 15 if objective == "spectral" else 80  # several levels: an ascent for every plan
    for scale in (1, Fraction(1, 10)):
        report = vr.learn(
            MODELS[model](), OBJECTIVES[objective], episodes=K, algorithm="ucb", audit=True, bonus_scale=scale, seed=11
        ).audit
        for name in (*PROOF, "counts", "model", "regret"):
            assert report.rows[name].violations == 0, (name, str(report))
            assert report.rows[name].undecided == 0 or name == "L1", (name, str(report))  # ties, or several levels
        assert report.rows["L3"].tested == K
        assert report.rows["L2a"].tested == report.rows["L1"].tested == report.on_event
        if scale == 1:
            assert report.on_event == K
            assert report.rows["radius"].violations == 0
        else:
            assert (
                report.rows["radius"].violations == K - 1
            )  # smaller radii are not the theorem's, and the audit says so


def test_off_the_event_the_audit_says_so_and_claims_nothing():
    report = vr.learn(
        vr.models.machine_replacement(), vr.CVaR("1/4"), episodes=100, algorithm="ucb", audit=True, bonus_scale="1/200"
    ).audit
    assert 0 < report.on_event < 100
    assert report.rows["L1"].tested == report.on_event
    assert "claim nothing there" in str(report)
    assert report.violations == report.rows["radius"].violations


def test_smooth_and_non_concave_weightings_are_audited_as_far_as_theory_goes():
    smooth = vr.learn(vr.models.two_paths(), vr.DualPower(2), episodes=12, algorithm="ucb", audit=True).audit
    assert smooth.violations == 0
    assert smooth.rows["L2a"].tested == 12
    convex = vr.learn(vr.models.two_paths(), vr.ProportionalHazard(2), episodes=12, algorithm="ucb", audit=True).audit
    assert convex.violations == 0
    assert convex.rows["L2a"].tested == 0  # its closeness step is another one
    assert convex.rows["L3"].tested == 12
    quantile = vr.learn(vr.models.two_paths(), vr.VaR("1/3"), episodes=60, algorithm="ucb", audit=True).audit
    assert quantile.violations == 0
    assert quantile.rows["L1"].tested == 60  # optimism holds for every nondecreasing G
    assert quantile.rows["regret"].tested == 0  # and no regret bound is known


def test_rewards_rounded_to_a_grid_are_audited_in_the_rounded_model():
    report = vr.learn(
        vr.models.frozen_lake(), vr.CVaR("1/3"), episodes=60, algorithm="ucb", audit=True, eta=3, bonus_scale="1/10"
    ).audit
    assert report.rows["L1"].tested > 0
    assert sum(report.rows[name].violations for name in PROOF) == 0


def test_the_report_is_a_table_and_survives_a_file():
    report = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=20, audit=True).audit
    lines = str(report).splitlines()
    assert len(lines) == 3 + len(report.rows)
    assert [line.split()[0] for line in lines[3:]] == list(report.rows)
    again = AuditReport.from_json(report.to_json())
    assert str(again) == str(report)


def test_there_is_nothing_to_audit_without_a_theorem():
    with pytest.raises(InvalidArgument, match="no theorem to audit"):
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=5, algorithm="greedy", audit=True)


@pytest.mark.parametrize("asked", [{"stop_when": 1}, {"checkpoint": "state.json"}])
def test_what_an_audited_run_would_pass_over_is_refused(asked):
    with pytest.raises(InvalidArgument, match=f"{next(iter(asked))} is .*, but an audited run plays all its episodes"):
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=5, audit=True, **asked)


# -- planted faults --------------------------------------------------------------------------------------------------


class ForgetsTheMissingMass(Learner):
    """The printed construction: the mass taken away goes nowhere."""

    def plan(self):
        refresh(self.shape, self.sets, self.target)
        beyond = self.model.state == self.standard.n_states
        self.model.prob[beyond] = 0.0
        self.model.miss[:] = 0.0
        self.fresh = True
        return super().plan()


class StopsCounting(Learner):
    """After 25 episodes the counts are never brought up to date again."""

    played = 0

    def play(self, draws):
        saved = tuple(x.copy() for x in self.counts)
        episode = super().play(draws)
        self.played += 1
        if self.played > 25:
            for mine, old in zip(self.counts, saved, strict=True):
                mine[:] = old
        return episode


class PlansRarely(Learner):
    """The sets are brought up to date, the plan only at every tenth episode."""

    called = -1

    def plan(self):
        self.called += 1
        if self.called % 10:
            refresh(self.shape, self.sets, self.target)
            self.fresh = True
            return self.value
        return super().plan()


class PlaysTheLevelBelow(Learner):
    """The policy of rho - 1 with the value of rho."""

    def plan(self):
        value = super().plan()
        rho, _ = best_budget(self.shape, self.tables, self.target)
        set_policy_of_budget(self.shape, self.tables, max(rho - 1, 0))
        return value


class InfinityIsWorthNothing(Learner):
    """In the mean recursion the state s_inf earns nothing."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.shape = self.shape._replace(top=np.zeros_like(self.shape.top))


class OneDrawForBoth(Learner):
    """Reward and next state are read off the same random number."""

    def play(self, draws):
        same = draws.copy()
        same[1::2] = draws[2::2]
        return super().play(same)


def audit_with(kind, mdp, objective, episodes, algorithm="kl", log_ratio=None):
    """``log_ratio`` multiplies the number inside the logarithm of the radii."""
    task = Task.of(standard_form(mdp), Settings.read(objective, episodes, seed=3, algorithm=algorithm))
    if log_ratio is not None:
        task.target = task.target._replace(log_term=task.target.log_term + math.log(log_ratio))
    learner = kind(task.standard, task.target, task.knowledge)
    reference, error = target_of(task.standard, objective, "greedy", task.problem, Fraction(1))
    low, high, _ = best_value(mdp, task.standard, objective, reference, error)
    return audited_run(task, learner, Judge(mdp, task.standard, objective, learner), (low, high))[1]


def machine():
    return vr.models.machine_replacement(horizon=4)


every_theorem = pytest.mark.parametrize("algorithm", ["kl", "ucb"])


@every_theorem
def test_the_harness_itself_finds_nothing_in_the_right_learner(algorithm):
    for G in (vr.CVaR("1/2"), vr.Mean()):
        assert audit_with(Learner, machine(), G, 60, algorithm).violations == 0


@every_theorem
def test_missing_mass_that_goes_nowhere_is_caught_by_the_model_and_by_optimism(algorithm):
    report = audit_with(ForgetsTheMissingMass, machine(), vr.Mean(), 60, algorithm)
    assert report.rows["model"].violations > 0
    assert report.rows["L1"].violations > 0, str(report)


@every_theorem
def test_stale_counts_are_caught_by_the_counts_and_by_the_model(algorithm):
    report = audit_with(StopsCounting, vr.models.two_paths(), vr.CVaR("1/2"), 120, algorithm)
    assert report.rows["counts"].violations == 94
    assert report.rows["model"].violations > 0


def test_stale_counts_are_caught_by_the_counting_step():
    report = audit_with(StopsCounting, vr.models.two_paths(), vr.CVaR("1/2"), 350, "ucb")
    assert report.rows["L3"].violations > 0, str(report)


@every_theorem
@pytest.mark.parametrize("kind", [PlansRarely, PlaysTheLevelBelow], ids=lambda kind: kind.__name__)
def test_a_plan_that_is_not_greedy_is_caught(kind, algorithm):
    report = audit_with(kind, machine(), vr.CVaR("1/2"), 60, algorithm)
    assert report.rows["greedy"].violations > 0, str(report)


def test_a_state_beyond_that_is_worth_nothing_in_the_mean_table_is_caught():
    report = audit_with(InfinityIsWorthNothing, machine(), vr.Mean(), 60, "ucb")
    assert report.rows["greedy"].violations > 0, str(report)
    assert report.rows["L1"].violations > 0


@every_theorem
def test_one_draw_for_reward_and_next_state_is_caught(algorithm):
    report = audit_with(OneDrawForBoth, MODELS["random"](), vr.CVaR("1/2"), 40, algorithm)
    assert report.rows["draws"].violations > 0, str(report)


WEAKER = {
    "kl, no union over successors": ("kl", lambda S, m, A, K, T: Fraction(m - 1, S + m - 1)),
    "kl, no union over reward levels": ("kl", lambda S, m, A, K, T: Fraction(S, S + m - 1)),
    "kl, delta doubled": ("kl", lambda S, m, A, K, T: Fraction(1, 2)),
    "kl, one action counted": ("kl", lambda S, m, A, K, T: Fraction(1, A)),
    "ucb, no union over successors": ("ucb", lambda S, m, A, K, T: Fraction(2, S + 2)),
    "ucb, no union over counts": ("ucb", lambda S, m, A, K, T: Fraction(1, K * T)),
    "ucb, delta doubled": ("ucb", lambda S, m, A, K, T: Fraction(1, 2)),
    "ucb, one action counted": ("ucb", lambda S, m, A, K, T: Fraction(1, A)),
}


@pytest.mark.parametrize("name", WEAKER)
def test_a_union_bound_with_a_part_missing_is_caught(name):
    algorithm, ratio = WEAKER[name]
    mdp = machine()
    m = len(standard_form(mdp).atoms)
    factor = ratio(mdp.n_states, m, max(mdp.n_actions), 30, mdp.horizon)
    report = audit_with(Learner, mdp, vr.CVaR("1/2"), 30, algorithm, log_ratio=float(factor))
    assert report.rows["radius"].violations == 29, str(report)  # every episode but the first, which has no counts


def test_radii_far_too_small_break_the_event():
    report = vr.learn(machine(), vr.CVaR("1/2"), episodes=150, algorithm="ucb", audit=True, bonus_scale="1/20").audit
    assert report.on_event < 150
    assert vr.learn(machine(), vr.CVaR("1/2"), episodes=150, audit=True).audit.on_event == 150


def test_the_printed_radii_are_reported_as_too_small():
    report = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=50, algorithm="ucb-as-printed", audit=True).audit
    assert report.rows["radius"].violations == 49


# -- time-uniform sets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told", [{}, {"known_rewards": True}, {"known_successors": True}, {"largest_return": 20}], ids=str
)
@every_model
def test_the_default_learner_passes_its_audit_whatever_is_declared(model, told):
    mdp = MODELS[model]()
    for G in (vr.CVaR("1/3"), vr.Mean()):
        report = vr.learn(mdp, G, episodes=60, audit=True, seed=5, **told).audit
        assert report.violations == 0, str(report)
        assert report.on_event == 60
        for name in ("greedy", "data", "interval", "L2a", "radius"):
            assert report.rows[name].tested > 10, (name, str(report))


def test_a_model_whose_rewards_come_with_the_next_state_passes_its_audit():
    mdp = vr.MDP.from_outcomes(
        [[[("1/2", 1, 1), ("1/2", 0, 0)], [("1/4", 1, 0), ("3/4", 0, "1/2")]], [[(1, 0, "1/2")]]],
        initial=[1, 0],
        horizon=4,
    )
    assert not mdp.is_product
    for told in (
        {},
        {"known_rewards": True},
        {"known_successors": True, "known_rewards": True},
        {"known_successors": 2},
    ):
        for algorithm in ("kl", "ucb"):
            if told and algorithm == "ucb":
                continue
            report = vr.learn(mdp, vr.CVaR("1/2"), episodes=80, audit=True, algorithm=algorithm, **told).audit
            assert report.violations == 0, (told, str(report))
            assert report.on_event == 80
