"""A run audits its own theorem: nothing is violated on the event, and planted faults are caught."""

from __future__ import annotations

from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.learning.audit import AuditReport, audited_run
from verified_risk.learning.evaluate import Judge, best_value
from verified_risk.learning.learn import Settings
from verified_risk.learning.learner import Learner
from verified_risk.learning.standard import standard_form
from verified_risk.learning.target import problem_of, target_of

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
    """150 episodes with the theorem's radii; 150 with a tenth of them, where the event may fail and slack is small."""
    for scale in (1, Fraction(1, 10)):
        report = vr.learn(
            MODELS[model](), OBJECTIVES[objective], episodes=150, audit=True, bonus_scale=scale, seed=11
        ).audit
        for name in (*PROOF, "counts", "model", "regret"):
            assert report.rows[name].violations == 0, (name, str(report))
            assert report.rows[name].undecided == 0 or name == "L1", (name, str(report))  # ties, or several levels
        assert report.rows["L3"].tested == 150
        assert report.rows["L2a"].tested == report.rows["L1"].tested == report.on_event
        if scale == 1:
            assert report.on_event == 150
            assert report.rows["radius"].violations == 0
        else:
            assert report.rows["radius"].violations == 149  # smaller radii are not the theorem's, and the audit says so


def test_off_the_event_the_audit_says_so_and_claims_nothing():
    report = vr.learn(
        vr.models.machine_replacement(), vr.CVaR("1/4"), episodes=100, audit=True, bonus_scale="1/200"
    ).audit
    assert 0 < report.on_event < 100
    assert report.rows["L1"].tested == report.on_event
    assert "claim nothing there" in str(report)
    assert report.violations == report.rows["radius"].violations


def test_smooth_and_non_concave_weightings_are_audited_as_far_as_theory_goes():
    smooth = vr.learn(vr.models.two_paths(), vr.DualPower(2), episodes=60, audit=True).audit
    assert smooth.violations == 0
    assert smooth.rows["L2a"].tested == 60
    convex = vr.learn(vr.models.two_paths(), vr.ProportionalHazard(2), episodes=60, audit=True).audit
    assert convex.violations == 0
    assert convex.rows["L2a"].tested == 0  # its closeness step is another one
    assert convex.rows["L3"].tested == 60
    quantile = vr.learn(vr.models.two_paths(), vr.VaR("1/3"), episodes=60, audit=True).audit
    assert quantile.violations == 0
    assert quantile.rows["L1"].tested == 60  # optimism holds for every nondecreasing G
    assert quantile.rows["regret"].tested == 0  # and no regret bound is known


def test_rewards_rounded_to_a_grid_are_audited_in_the_rounded_model():
    report = vr.learn(vr.models.frozen_lake(), vr.CVaR("1/3"), episodes=60, audit=True, eta=3, bonus_scale="1/10").audit
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


# -- planted faults --------------------------------------------------------------------------------------------------


class ForgetsInfinity(Learner):
    """The printed construction: the mass taken away goes nowhere."""

    def plan(self):
        self._run.refresh(self.shape, self.counts, self.model, self.target, self.touched, self.stale)
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


class ShrinksRadius(Learner):
    """A logarithm of 1/400 of the right size: radii 20 times too small."""

    def __init__(self, standard, target):
        super().__init__(standard, target._replace(log_term=target.log_term / 400))


def audit_with(kind, mdp, objective, episodes, scale=1):
    settings = Settings.read(objective, episodes, Fraction(1, 10), None, 3, "ucb", scale)
    standard = standard_form(mdp)
    problem = problem_of(standard, objective, episodes, settings.delta)
    target, _ = target_of(standard, objective, "ucb", problem, settings.bonus_scale)
    learner = kind(standard, target)
    low, high, _ = best_value(
        mdp, standard, objective, target_of(standard, objective, "greedy", problem, Fraction(1))[0]
    )
    return audited_run(learner, Judge(mdp, standard, objective, learner), settings, problem, (low, high))[1]


def test_the_harness_itself_finds_nothing_in_the_right_learner():
    assert audit_with(Learner, vr.models.two_paths(), vr.CVaR("1/2"), 60).violations == 0


def test_a_forgotten_s_inf_is_caught_by_the_model_and_by_optimism():
    report = audit_with(ForgetsInfinity, vr.models.machine_replacement(horizon=4), vr.CVaR("1/2"), 60)
    assert report.rows["model"].violations > 0
    report = audit_with(ForgetsInfinity, vr.models.machine_replacement(horizon=4), vr.Mean(), 60)
    assert report.rows["L1"].violations > 0, str(report)


def test_stale_counts_are_caught_by_the_counts_and_by_the_counting_step():
    report = audit_with(StopsCounting, vr.models.two_paths(), vr.CVaR("1/2"), 350)
    assert report.rows["counts"].violations == 324
    assert report.rows["model"].violations > 0
    assert report.rows["L3"].violations > 0, str(report)


def test_a_radius_too_small_is_caught_by_the_radius_and_breaks_the_event():
    report = audit_with(ShrinksRadius, vr.models.machine_replacement(horizon=5), vr.CVaR("1/2"), 150)
    assert report.rows["radius"].violations == 149
    assert report.on_event < 150
    assert audit_with(Learner, vr.models.machine_replacement(horizon=5), vr.CVaR("1/2"), 150).on_event == 150


def test_the_printed_radii_are_reported_as_too_small():
    report = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=50, algorithm="ucb-as-printed", audit=True).audit
    assert report.rows["radius"].violations == 49
