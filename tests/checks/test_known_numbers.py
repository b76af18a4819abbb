"""Numbers that the audit of sections 1 to 3 and of the appendices worked out by hand, recomputed."""

from fractions import Fraction as Q

import pytest

import verified_risk as vr
from proofs_checks.cases.histories import weighted
from proofs_checks.theory.augmentation.conditioning import joint_laws, printed_rule, visits
from proofs_checks.theory.discretisation.adaptation import Case as Adaptation
from proofs_checks.theory.discretisation.adaptation import YRule, keep, rounded_steps, start_law, undo
from proofs_checks.theory.discretisation.thm_discretized import Case, _values
from proofs_checks.theory.experiment import experiment_paths
from proofs_checks.theory.setting.assump_lipschitz import cpw_growth
from verified_risk.numbers.enclosure import bounds


def printed_law(mdp, policy):
    levels = joint_laws(mdp, printed_rule(visits(mdp, policy)))
    return weighted((y, mass) for (_, y), mass in levels[-1].items())


def test_the_printed_average_degrades_even_an_optimal_policy():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/2", "3/4": "1/2"}]], 2)
    plan = vr.exact_plan(mdp, vr.CVaR("3/4"))
    assert plan.value == Q(7, 12)
    best = vr.ReturnPolicy(mdp, {(0, 0, 0): 1, (1, 0, 0): 1, (1, 0, "3/4"): 0, (1, 0, "1/4"): 0})
    assert vr.CVaR("3/4").of(vr.return_law(mdp, best)) == Q(7, 12)
    assert vr.CVaR("3/4").of(printed_law(mdp, best)) == Q(13, 24)


def test_the_printed_internal_state_earns_1_where_the_policy_earns_three_halves():
    mdp = vr.MDP(0, [[[1], [1]]], [[0, "3/4"]], 2)
    second = (Q(0), Q(1))
    case = Adaptation(mdp, Q(1), 1, YRule(((0, 0, Q(0), second), (1, 0, Q(3, 4), second))))
    raw, rounded = rounded_steps(case, 0), rounded_steps(case, 1)
    assert start_law(case, raw, keep) == vr.Law.point("3/2")
    assert start_law(case, rounded, undo(case, printed=True)) == vr.Law.point(1)
    assert start_law(case, rounded, undo(case, printed=False)) == vr.Law.point("7/4")


@pytest.mark.parametrize(("horizon", "loss"), [(2, Q(499, 250)), (3, Q(1497, 500)), (4, Q(499, 125))])
def test_the_loss_of_the_family_tends_to_t_eta(horizon, loss):
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/1000": 1}, {0: "1/1000", 1: "999/1000"}]], horizon)
    attained, best, _ = _values(Case(mdp, Q(1), vr.Mean()))
    assert best - attained == loss


@pytest.mark.parametrize(
    ("alpha", "values"),
    [
        ("2/5", ["387/200", "21/10", "3/2", "1"]),
        ("33/100", ["59/55", "56/33", "46/33", "1"]),
        ("1/4", ["0", "24/25", "6/5", "1"]),
        ("1/100", ["0", "0", "0", "1"]),
    ],
)
def test_the_values_of_the_four_paths(alpha, values):
    assert [experiment_paths.cvar(path, Q(alpha)) for path in (6, 4, 2, 1)] == [Q(value) for value in values]


@pytest.mark.parametrize(("alpha", "tied"), [("1/5", (1, 2)), ("7/25", (2, 4)), ("433/1000", (4, 6))])
def test_the_paths_tie_at_the_switches(alpha, tied):
    first, second = (experiment_paths.cvar(path, Q(alpha)) for path in tied)
    assert first == second == max(experiment_paths.cvar(path, Q(alpha)) for path in (6, 4, 2, 1))


@pytest.mark.parametrize("constant", [1, 5, 30])
def test_cumulative_probability_weighting_grows_like_the_formula(constant):
    n = 4 * constant + 8
    low, high = bounds(cpw_growth(constant))
    assert low**2 <= Q((n * n + 1) ** 3, (n + 1) ** 4) <= high**2
