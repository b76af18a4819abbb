"""A run audits its own theorem: nothing is violated on the event, and planted faults are caught."""

from __future__ import annotations

from fractions import Fraction

import pytest
from test_learn_reference import coin_walk

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.kernels.learn_sets import refresh
from verified_risk.learning.audit import AuditReport, Row, audited_run, event_slack
from verified_risk.learning.evaluate import Judge, best_value
from verified_risk.learning.learner import Learner
from verified_risk.learning.planner import target_of
from verified_risk.learning.problem import Pair, standard_form
from verified_risk.learning.task import Settings, Task

MODELS = {
    "lake": vr.models.frozen_lake,
    "two paths": vr.models.two_paths,
    "machine": lambda: vr.models.machine_replacement(horizon=5),
    "ruin": lambda: vr.models.gamblers_ruin(horizon=4),
    "discounted": lambda: vr.models.machine_replacement(conditions=3, horizon=4, discount="1/2"),
    "random": lambda: vr.models.random_sparse(4, 2, 3, 2, horizon=4, seed=5, grid=4),
    "thirds": lambda: vr.MDP(
        0, [[["1/3", "2/3"], [1, 0]], [[0, 1]]], [[{0: "1/3", 1: "2/3"}, {"1/2": 1}], [{0: "1/7", 1: "6/7"}]], horizon=3
    ),
}
OBJECTIVES = {
    "cvar": vr.CVaR("33/100"),
    "mean-cvar": 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/10"),
    "spectral": vr.Spectral(["1/10", "1/2", 1], ["1/3", "1/3", "1/3"]),
}
every_model = pytest.mark.parametrize("model", MODELS)
every_objective = pytest.mark.parametrize("objective", OBJECTIVES)


@every_model
@every_objective
def test_no_claim_is_violated_on_the_event(model, objective):
    """Once with the corrected theorem's radii, once with a tenth of them: the event may fail, slack is small."""
    K = 8 if objective == "spectral" else 50  # several levels: an ascent for every plan
    for scale in (1, Fraction(1, 10)):
        report = vr.learn(
            MODELS[model](), OBJECTIVES[objective], episodes=K, algorithm="ucb", audit=True, bonus_scale=scale, seed=11
        ).audit
        assert report.violations == 0, str(report)
        for name in ("L2a", "regret"):
            assert report.rows[name].undecided == 0, (name, str(report))  # ties, or several levels, in L1 only
        assert report.rows["L2a"].tested == report.rows["L1"].tested == report.on_event
        assert report.on_event == K or scale < 1


def test_off_the_event_the_audit_says_so_and_claims_nothing():
    report = vr.learn(
        vr.models.machine_replacement(), vr.CVaR("1/4"), episodes=100, algorithm="ucb", audit=True, bonus_scale="1/200"
    ).audit
    assert 0 < report.on_event < 100
    assert report.rows["L1"].tested == report.on_event
    assert "claim nothing there" in str(report)
    assert report.violations == 0


def test_smooth_and_non_concave_weightings_are_audited_as_far_as_theory_goes():
    smooth = vr.learn(vr.models.two_paths(), vr.DualPower(2), episodes=12, algorithm="ucb", audit=True).audit
    assert smooth.violations == 0
    assert smooth.rows["L2a"].tested == 12
    convex = vr.learn(vr.models.two_paths(), vr.ProportionalHazard(2), episodes=12, algorithm="ucb", audit=True).audit
    assert convex.violations == 0
    assert convex.rows["L2a"].tested == 0  # its closeness step is another one
    quantile = vr.learn(vr.models.two_paths(), vr.VaR("1/3"), episodes=60, algorithm="ucb", audit=True).audit
    assert quantile.violations == 0
    assert quantile.rows["L1"].tested == 60  # optimism holds for every nondecreasing G
    assert quantile.rows["regret"].tested == 0  # and no regret bound is known


def test_rewards_rounded_to_a_grid_are_audited_in_the_rounded_model():
    report = vr.learn(
        vr.models.frozen_lake(), vr.CVaR("1/3"), episodes=60, algorithm="ucb", audit=True, eta=3, bonus_scale="1/10"
    ).audit
    assert report.rows["L1"].tested > 0
    assert report.violations == 0


def test_the_report_is_a_table_and_survives_a_file():
    """So does one of an earlier version, which had more claims."""
    report = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=20, audit=True).audit
    for shown in (report, AuditReport(20, 20, {"L3": Row(20, 0, 0, 1.5, 3), **report.rows})):
        lines = str(shown).splitlines()
        assert len(lines) == 2 + len(shown.rows)
        assert [line.split()[0] for line in lines[2:]] == list(shown.rows)
        again = AuditReport.from_json(shown.to_json())
        assert str(again) == str(shown)


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


class PlaysOtherwise(Learner):
    """Of two actions the other one than planned, with the value of the plan."""

    def plan(self):
        self.fresh = True
        value = super().plan()
        self.tables.policy[:] = 1 - self.tables.policy
        return value


class HandsOutAnotherPolicy(Learner):
    """The policy that is handed out with the lower end plays other actions than the plan for it."""

    def plan_below(self):
        value, table = super().plan_below()
        return value, 1 - table


def audit_with(kind, mdp, objective, episodes, algorithm="kl"):
    task = Task.of(standard_form(mdp), Settings.read(objective, episodes, seed=3, algorithm=algorithm))
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
def test_missing_mass_that_goes_nowhere_is_caught_by_optimism(algorithm):
    report = audit_with(ForgetsTheMissingMass, machine(), vr.Mean(), 60, algorithm)
    assert report.rows["L1"].violations > 0, str(report)


def test_another_action_than_planned_is_caught_by_closeness_and_by_both_bounds():
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/10", 1: "9/10"}, {0: 1}]], horizon=1)
    rows = audit_with(PlaysOtherwise, mdp, vr.Mean(), 600).rows
    assert all(rows[name].violations > 0 for name in ("L2a", "regret", "data")), rows
    assert rows["L1"].violations == rows["interval"].violations == 0


def test_another_policy_than_the_one_that_is_worth_the_lower_end_is_caught_by_the_interval():
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/10", 1: "9/10"}, {0: 1}]], horizon=1)
    rows = audit_with(HandsOutAnotherPolicy, mdp, vr.Mean(), 200).rows
    assert rows["interval"].violations > 0
    assert sum(row.violations for name, row in rows.items() if name != "interval") == 0


def test_the_event_holds_up_to_equality_at_every_end_and_no_further():
    """Two outcomes of probability 1/4 and 3/4; a reward of 0, 1/2 or 1, each with probability 1/3."""
    third, hair = Fraction(1, 3), Fraction(1, 10**40)
    truth = Pair(((0, 0, Fraction(1, 4)), (0, 1, Fraction(3, 4))), tuple((i, third) for i in range(3)))
    found = {(0, 0): Fraction(1, 4), (0, 1): Fraction(3, 4)}
    levels = [third, 2 * third, Fraction(1)]
    assert event_slack(found, levels, levels, truth) == 0
    assert event_slack({}, [Fraction()] * 3, [Fraction(1)] * 3, truth) == third
    for one in found:
        assert event_slack({**found, one: found[one] + hair}, levels, levels, truth) == -hair
    for i in range(2):
        moved = [level + hair * (i == j) for j, level in enumerate(levels)]
        assert event_slack(found, moved, levels, truth) == -hair
        moved = [level - hair * (i == j) for j, level in enumerate(levels)]
        assert event_slack(found, levels, moved, truth) == -hair
    assert event_slack({(0, 2): hair}, levels, levels, truth) == -hair


def test_a_slack_below_zero_by_a_hair_is_a_violation():
    hair, row = Fraction(1, 10**40), Row()
    for low, high in ((-hair, None), (-hair, -hair), (-hair, Fraction()), (Fraction(), None), (hair, hair)):
        row.note(1, low, high)
    assert (row.tested, row.violations, row.undecided) == (5, 2, 1)
    assert AuditReport(1, 1, {"L1": row, "data": row}).violations == 4


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
        for name in ("data", "interval", "L1", "L2a"):
            assert report.rows[name].tested > 10, (name, str(report))


def test_a_model_whose_rewards_come_with_the_next_state_passes_its_audit():
    mdp = coin_walk()
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
