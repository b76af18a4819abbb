"""Numbers that the audit worked out by hand, claims of other papers, and forty episodes, recomputed."""

import math
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as Q

import pytest
from test_audit import toy

import verified_risk as vr
from proofs_checks import theory
from proofs_checks.cases.histories import weighted
from proofs_checks.engine import audit
from proofs_checks.engine.ledger import Ledger
from proofs_checks.engine.papers import AUDITED, Paper
from proofs_checks.engine.severity import Severity
from proofs_checks.report import markdown
from proofs_checks.report.counts import about_others, by_cause, by_standing
from proofs_checks.report.words import said_of
from proofs_checks.theory.augmentation.conditioning import joint_laws, printed_rule, visits
from proofs_checks.theory.discretisation.adaptation import Case as Adaptation
from proofs_checks.theory.discretisation.adaptation import YRule, keep, rounded_steps, start_law, undo
from proofs_checks.theory.discretisation.thm_discretized import Case, _values
from proofs_checks.theory.experiment import experiment_paths
from proofs_checks.theory.experiment.exp_forty import OTHER, SLIP, nats
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


@pytest.mark.parametrize(("alpha", "tied"), [("1/5", (1, 2)), ("7/25", (2, 4)), ("433/1000", (4, 6))])
def test_the_paths_tie_at_the_switches(alpha, tied):
    first, second = (experiment_paths.cvar(path, Q(alpha)) for path in tied)
    assert first == second == max(experiment_paths.cvar(path, Q(alpha)) for path in (6, 4, 2, 1))


@pytest.mark.parametrize("constant", [1, 5, 30])
def test_cumulative_probability_weighting_grows_like_the_formula(constant):
    n = 4 * constant + 8
    low, high = bounds(cpw_growth(constant))
    assert low**2 <= Q((n * n + 1) ** 3, (n + 1) ** 4) <= high**2


OTHERS = {None: "repair (own claim)", Paper("On Toys", "A. Toy", "version 2"): "repair (A. Toy)"}


@pytest.mark.parametrize("paper", OTHERS)
def test_a_users_false_claim_is_not_pinned_on_the_audited_paper(paper):
    ledger = audit.run([toy(paper=paper)], examples=5)
    (row,) = ledger.statements
    assert Ledger.from_json(ledger.to_json()).statements == (row,)
    assert (row.paper, row.elsewhere, row.in_paper, row.is_false) == (paper, True, False, False)
    page = markdown.page(ledger)
    assert said_of(row) == OTHERS[paper]
    assert OTHERS[paper] in page
    assert AUDITED.authors not in page
    assert str(paper or "claims of no paper") in about_others([row])[0]
    mixed = [row, replace(row, paper=AUDITED)]
    assert by_standing(mixed)["printed"][Severity.REPAIR] == 1
    assert sum(by_cause(mixed).values()) == 0  # a toy has no cause


def test_only_the_audited_papers_statements_carry_its_name():
    assert {statement.paper for statement in theory.ALL} == {AUDITED}
    assert toy().paper is None


def test_forty_episodes_on_the_path_tell_little():
    """The least total error of any test on forty walks of path 6 is the sum of the smaller likelihoods, exactly."""
    low, high = bounds(nats(40))
    assert Fraction("0.2621") < low <= high < Fraction("0.2622")
    assert math.exp(-float(high)) / 2 > 0.38

    def walk(slip):
        stay = 1 - slip
        return [int(10**6 * x) for x in (slip, stay * slip, stay**2 * slip, stay**3)]

    p, q = walk(SLIP), walk(OTHER)
    assert sum(p) == sum(q) == 10**6
    total, n = 0, 40
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                d = n - a - b - c
                ways = math.comb(n, a) * math.comb(n - a, b) * math.comb(n - a - b, c)
                first, second = (w[0] ** a * w[1] ** b * w[2] ** c * w[3] ** d for w in (p, q))
                total += ways * min(first, second)
    assert Fraction(total, 10 ** (6 * n)) > Fraction(math.exp(-float(high)) / 2)
