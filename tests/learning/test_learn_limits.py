"""Every limit of the learner is met from both sides: the largest value that is accepted, and the next one."""

from __future__ import annotations

import math
from contextlib import nullcontext
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.experiments import baselines
from verified_risk.learning import environment, evaluate, learner, run
from verified_risk.learning.declarations import Declared, knowledge_of
from verified_risk.learning.planner import patience_of, planned_by_return, planner_allowance, target_of
from verified_risk.learning.problem import check_floats, standard_form
from verified_risk.learning.task import Settings, Task


def ladder(n):
    """One step that pays 0, 1/n or 1: returns of up to n units."""
    return vr.MDP(0, [[[1], [1], [1]]], [[0, Fraction(1, n), 1]], horizon=1)


def steep(slope):
    return Task.of(standard_form(ladder(2)), Settings.read(vr.CVaR(Fraction(1, slope)), 5))


def shell(n):
    return environment.shell_of((2,), 2, 1, [0, 1, n], None, None, False)


@pytest.mark.parametrize(
    ("accepts", "most", "message"),
    [
        (lambda n: standard_form(ladder(n)), 10**5, "grid of 100002 points"),
        (shell, 10**5, "make 100002 returns"),
        (lambda n: check_floats(Fraction(), Fraction(n), 1), 10**200, "wanted returns of at most 1e200"),
        (lambda n: check_floats(Fraction(), Fraction(1, n), 1), 10**200, "a range of at least 1e-200"),
        (lambda n: Settings.read(vr.Mean(), 5, bonus_scale=n), 10**9, "bonus_scale is 1000000001"),
        (steep, 10**50, "wanted at most 1e50"),
    ],
    ids=["units", "units of a box", "digits", "digits of the range", "scale", "slope"],
)
def test_the_largest_value_is_accepted_and_the_next_refused(accepts, most, message):
    accepts(most)
    with pytest.raises(InvalidArgument, match=message):
        accepts(most + 1)


def test_a_mean_is_planned_by_the_return_up_to_a_million_cells_and_only_below_the_top():
    def by_return(top, largest):
        standard = SimpleNamespace(horizon=9, n_states=100, top=(top,))
        return planned_by_return(standard, SimpleNamespace(largest=largest))

    assert by_return(999, 998)
    assert not by_return(999, 999)
    assert not by_return(1000, 998)


def test_patience_grows_with_the_pairs_up_to_a_sixteenth():
    found = [patience_of(SimpleNamespace(learned_pairs=n)) for n in (79, 80, 81)]
    assert found == [Fraction(79, 1280), Fraction(1, 16), Fraction(1, 16)]


@pytest.mark.parametrize(("limit", "listed"), [(64, 64), (65, 0)])
def test_up_to_sixty_four_outcomes_become_a_list_when_all_are_seen(limit, listed):
    states = 66
    mdp = vr.MDP(0, [[{s: 1}] for s in range(states)], [[{0: "1/2", 1: "1/2"}]] * states, horizon=1)
    standard = standard_form(mdp)
    assert knowledge_of(standard, Declared(successors=limit)).arrays(standard).limit.tolist() == [listed] * states


@pytest.mark.parametrize("spare", [0, -1])
def test_the_optimum_is_exact_up_to_the_limit_of_branches(spare, monkeypatch):
    mdp, G = vr.models.two_paths(), vr.CVaR("1/2")
    task = Task.of(standard_form(mdp), Settings.read(G, 5))
    target, error = target_of(task.standard, G, "greedy", task.problem, Fraction(1))
    monkeypatch.setattr(evaluate, "MOST_EXACT_BRANCHES", evaluate._branches(mdp, task.standard) + spare)
    how = evaluate.best_value(mdp, task.standard, G, target, error)[2]
    assert (how == "exact integer arithmetic") == (spare == 0)


@pytest.mark.parametrize("spare", [0, -1])
@pytest.mark.parametrize("algorithm", ["bernstein", "posterior"])
def test_the_tables_of_a_baseline_may_take_as_much_as_the_limit(algorithm, spare, monkeypatch):
    standard = standard_form(vr.models.two_paths())
    cells = (standard.horizon + 1) * standard.n_states * (standard.top[0] + 1)
    needed = 34 * cells if algorithm == "bernstein" else 24 * sum(standard.n_actions) * standard.n_states
    monkeypatch.setattr(baselines, "MOST_BYTES", needed + spare)
    declared = Declared(rewards=algorithm == "bernstein")
    task = Task.of(standard, Settings.read(vr.CVaR("1/2"), 5, algorithm=algorithm, declared=declared))
    with nullcontext() if spare == 0 else pytest.raises(InvalidArgument, match="too large"):
        task.learner()


def test_a_full_buffer_of_laws_ends_a_batch_and_changes_nothing(monkeypatch):
    options = {"episodes": 60, "seed": 3, "bonus_scale": "1/10"}
    whole = vr.learn(vr.models.machine_replacement(), vr.CVaR("1/4"), **options)
    monkeypatch.setattr(learner, "LAWS_AT_ONCE", 1)
    pieces = vr.learn(vr.models.machine_replacement(), vr.CVaR("1/4"), **options)
    assert whole.to_json() == pieces.to_json()


def test_a_note_names_values_known_less_well_than_a_millionth_of_the_range():
    task = Task.of(standard_form(vr.models.two_paths()), Settings.read(vr.CVaR("1/2"), 5))
    widest = 1e-6 * max(1.0, float(task.standard.range))
    assert run._notes(task, np.array([0.0, widest]), None) == ()
    (note,) = run._notes(task, np.array([0.0, math.nextafter(widest, 1)]), None)
    assert note.startswith("values are known to")


@pytest.mark.parametrize("joint", [False, True])
def test_the_rounding_of_a_plan_is_that_of_its_longest_backup(joint):
    mdp = vr.models.inventory() if joint else vr.models.machine_replacement()
    task = Task.of(standard_form(mdp), Settings.read(vr.CVaR("1/4"), 5))
    standard, target = task.standard, task.target._replace(tie=0.0)
    T, m = standard.horizon, len(standard.atoms)
    outcomes = standard.n_states * (m if joint else 1)
    wanted = (2 * T + 1) * (T + 1) * 8 * (outcomes + m + 8) * 2.0**-53 * 4 * standard.top[0]
    assert planner_allowance(standard, target, 4.0) == pytest.approx(wanted, rel=1e-12)


def test_the_bernstein_tables_allow_for_rounding():
    standard = standard_form(vr.models.machine_replacement())
    settings = Settings.read(vr.CVaR("1/4"), 5, algorithm="bernstein", declared=Declared(rewards=True))
    task = Task.of(standard, settings)
    rules, m = task.learner().rules, len(standard.atoms)
    assert rules.margin == 8 * (standard.n_states + m + 8) * 2.0**-53 * standard.top[0]
    tests = baselines.table_tests(standard, task.knowledge.learned_pairs, only_mean=False)
    log = baselines.bernstein_log_term(tests, settings.delta).upper
    assert log * (1 + Fraction(9, 10**15)) <= Fraction(rules.log_term) <= log * (1 + Fraction(2, 10**14))
