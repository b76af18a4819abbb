"""Each fuzzed property fails on a seeded fault of the kind that it is meant to find."""

import json
import random
import threading
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from proof_files import require_checker
from test_fuzz import _counted  # noqa: F401

import verified_risk as vr
from proofs_checks import fuzz
from proofs_checks.fuzz import commands, learning, models, oracle, planning, property, readers, runner, statements
from proofs_checks.fuzz.property import Batch, Falsified, Property, Skipped, run_cases
from verified_risk import pool
from verified_risk.cli import main
from verified_risk.numbers.enclosure import Interval, Truth
from verified_risk.planning import Plan

BIT = Fraction(1, 1000)
CASE = {
    "model": {
        "initial": ["1"],
        "outcomes": [[[["1/2", 0, "0"], ["1/2", 0, "1"]], [["1", 0, "1/3"]]]],
        "horizon": 2,
        "discount": "1",
    },
    "objective": "cvar(1/2)",
    "eta": None,
}
"""A coin or a third, twice."""


# -- batches ----------------------------------------------------------------------------------------------------------


def test_a_dead_worker_is_a_failure_and_the_run_continues(tmp_path, monkeypatch):
    made = []

    class Pool:
        """The worker of the first pool dies with its first batch."""

        def __init__(self, *given, **named):
            made.append(self)
            self.first = len(made) == 1

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def submit(self, work, batch):
            done = Future()
            done.set_exception(BrokenProcessPool()) if self.first else done.set_result(work(batch))
            return done

    monkeypatch.setattr(pool, "Pool", Pool)
    report = fuzz.run(tmp_path / "fuzz", seconds=1.0, properties=["read-number"], seed=0, workers=1)
    assert len(made) == 2
    assert report.met == 1
    assert [failure.case["batch"]["number"] for failure in report.found] == [0]
    fuzz.check("read-number", report.found[0].case)
    assert "a worker process died" in report.page.read_text()
    assert report.cases > 1


def test_a_case_that_cannot_be_made_is_a_failure(monkeypatch):
    monkeypatch.setattr(property, "MOST_CASES", 3)

    def make(rng):
        if rng.random() < 2:
            raise KeyError("no case")

    outcome = run_cases(Property("p", "", make, lambda case: None), Batch("p", 0, 0, 1e9))
    assert len(outcome.failures) == outcome.cases == 3
    assert outcome.skipped == {}
    assert outcome.failures[0].error == "KeyError: 'no case'"


def test_a_case_that_is_skipped_is_counted_as_skipped_and_one_that_fails_is_not(monkeypatch):
    monkeypatch.setattr(property, "MOST_CASES", 4)
    answers = iter([Skipped("says nothing"), Falsified("false"), None, ValueError("odd")])

    def check(case):
        answer = next(answers, None)
        if answer is not None:
            raise answer

    outcome = run_cases(Property("p", "", lambda rng: {}, check), Batch("p", 0, 0, 1e9))
    assert (outcome.cases, outcome.skipped) == (4, {"says nothing": 1})
    assert [failure.error for failure in outcome.failures] == ["Falsified: false", "ValueError: odd"]


def failed(name="p", error="KeyError: 'a'", where="verified_risk/mdp/read.py:read"):
    return property.Failure(name, "0", error, where, "", {})


def test_failures_that_differ_only_in_numbers_and_names_have_one_signature():
    one = failed(error="Falsified: 'two_paths' attains 3/4 > 1.5e-3")
    assert failed(error="Falsified: 'lake' attains 7 > -2").signature == one.signature
    others = [failed(error="Falsified: 'lake' loses 7 > -2"), failed(error=one.error, where="another.py:read")]
    others += [failed("q", one.error), failed(error="")]
    assert len({one.signature, *(other.signature for other in others)}) == 5


def test_in_a_thread_a_slow_case_fails_when_it_ends():
    """Threads of dask workers have no alarms."""
    found = []

    def work():
        started = time.thread_time()
        try:
            with property.limited(0.01):
                while time.thread_time() - started < 0.02:
                    pass
        except property.OutOfTime as error:
            found.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["the case took more than 0.01 s"]


def test_a_known_failure_that_is_met_again_ends_with_1(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "as_fraction", lambda value, where: Fraction(int(value) // 0))
    monkeypatch.setattr(property, "SHRINK_SECONDS", 0.1)
    words = ["fuzz", "--seconds", "0.3", "--workers", "0", "--property", "read-number", "--out", str(tmp_path / "fuzz")]
    assert CliRunner().invoke(main, [*words, "--json"]).exit_code == 1
    seen = set()
    for _ in range(5):  # a run that finds nothing new
        again = CliRunner().invoke(main, [*words, "--json"])
        assert again.exit_code == 1
        told = json.loads(again.stdout)
        assert told["failing"] > 0
        seen.add(bool(told["new"]))
    assert False in seen


# -- planner, recheck, checker ----------------------------------------------------------------------------------------


def moved(monkeypatch, lower, upper):
    """A planner with shifted bounds."""
    honest = vr.plan

    def off(mdp, objective, **options):
        found = honest(mdp, objective, **options)
        return replace(found, lower=found.lower + lower, upper=found.upper + upper, value=found.lower + lower)

    monkeypatch.setattr(vr, "plan", off, raising=False)


def test_a_policy_that_is_worth_less_than_the_lower_bound_is_found(monkeypatch):
    planning.check_optimum(CASE)
    moved(monkeypatch, BIT, BIT)
    with pytest.raises(Falsified, match="the policy, played out, is worth less than the lower bound"):
        planning.check_optimum(CASE)


def test_an_upper_bound_that_only_a_mixture_exceeds_is_found(monkeypatch):
    """G = tau^2: a coin and 3/4 for sure are both worth 3/4, an even lottery between them 13/16."""
    actions = [[["1/2", 0, "0"], ["1/2", 0, "1"]], [["1", 0, "3/4"]]]
    case = {**CASE, "model": {**CASE["model"], "outcomes": [actions], "horizon": 1}, "objective": "hazard(2)"}
    planning.check_optimum(case)
    found = planning.planned(case)
    assert found.upper >= Fraction(13, 16)
    low = replace(found, lower=Fraction(), value=Fraction(), upper=Fraction(3, 4))
    monkeypatch.setattr(planning, "planned", lambda case: low)
    with pytest.raises(Falsified, match="a mixture is worth more than the upper bound"):
        planning.check_optimum(case)


def test_an_exact_plan_that_is_off_is_found(monkeypatch):
    off = vr.exact_plan(planning.planned(CASE).mdp, CASE["objective"]).value - Fraction(1, 10**30)
    monkeypatch.setattr(vr, "exact_plan", lambda *given: SimpleNamespace(value=off), raising=False)
    with pytest.raises(Falsified, match="exact_plan says"):
        planning.check_optimum(CASE)


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_a_recheck_that_confirms_a_forged_bound_is_found(monkeypatch, name):
    honest, true = Plan.recheck, planning.planned(CASE)
    planning.check_recheck(CASE)

    def believing(self, **options):
        answer = honest(self, **options)
        forged = self.lower != true.lower
        if not forged:
            return answer
        kept = {"lower_holds": answer.lower_holds, "upper_holds": answer.upper_holds}
        return SimpleNamespace(**{**kept, f"{name}_holds": Truth.HOLDS})

    monkeypatch.setattr(Plan, "recheck", believing)
    with pytest.raises(Falsified, match=f"recheck confirms a forged {name} bound"):
        planning.check_recheck(CASE)


@pytest.mark.parametrize("name", ["lower", "upper"])
@pytest.mark.parametrize("held", [Truth.FAILS, Truth.UNKNOWN])
def test_a_recheck_that_does_not_confirm_an_honest_bound_is_found(monkeypatch, name, held):
    both = {"lower_holds": Truth.HOLDS, "upper_holds": Truth.HOLDS, f"{name}_holds": held}
    monkeypatch.setattr(Plan, "recheck", lambda self, **options: SimpleNamespace(**both))
    with pytest.raises(Falsified, match=f"recheck (refutes|does not decide) the {name} bound"):
        planning.check_recheck(CASE)


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_a_checker_that_proves_a_forged_bound_is_found(monkeypatch, name):
    require_checker()
    true = planning.planned(CASE)

    def believing(self, **options):
        if (self.lower > true.lower) != (name == "lower"):
            raise vr.errors.NotProved("refused")
        return SimpleNamespace(lower=self.lower, upper=self.upper)

    monkeypatch.setattr(planning, "planned", lambda case: granted(true))
    monkeypatch.setattr(Plan, "prove", believing)
    with pytest.raises(Falsified, match=f"the checker proves a forged {name} bound"):
        planning.check_proof(CASE)


def granted(plan):
    """The plan, with its own proof assumed."""
    honest = replace(plan)
    object.__setattr__(honest, "prove", lambda **options: None)
    return honest


FLOATS = {**CASE, "model": {**CASE["model"], "outcomes": [CASE["model"]["outcomes"][0][:1]]}, "objective": "wang(1)"}
"""One policy and an objective in floats, so that the tolerance decides."""
BELOW, ABOVE = Fraction(9, 10), Fraction(11, 10)
"""Multiples of a tolerance."""


def value_of(case):
    (law,) = models.laws_of(case["model"])
    return Fraction(oracle.worth(law, oracle.curve_of(case["objective"])[0]))


def found_only_above(check, case, match, plant):
    """The fault of ``plant(share)`` is found if and only if it exceeds the tolerance."""
    plant(BELOW)
    check(case)
    plant(ABOVE)
    with pytest.raises(Falsified, match=match):
        check(case)


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_an_objective_in_floats_has_a_tolerance_of_1e_9_of_the_range(monkeypatch, name):
    true, best = planning.planned(FLOATS), value_of(FLOATS)

    def plant(share):
        off = share * 2 * Fraction(1, 10**9)  # returns lie in [0, 2]
        lower, upper = (best + off, best + 1) if name == "lower" else (best - 1, best - off)
        monkeypatch.setattr(planning, "planned", lambda case: replace(true, lower=lower, value=lower, upper=upper))

    found_only_above(planning.check_optimum, FLOATS, f"the {name} bound", plant)


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_a_proof_of_a_float_objective_has_a_tolerance_of_1e_7(monkeypatch, name):
    true, best = planning.planned(FLOATS), value_of(FLOATS)
    monkeypatch.setattr(planning, "planned", lambda case: granted(true))

    def plant(share):
        off = share / 10**7
        ends = {"lower": best - 1, "upper": best + 1, name: best + off if name == "lower" else best - off}
        monkeypatch.setattr(Plan, "prove", lambda self, **options: SimpleNamespace(**ends))

    found_only_above(planning.check_proof, FLOATS, "the checker proves a forged", plant)


@pytest.mark.parametrize(("exact", "bit"), [(True, Fraction(1, 10**9)), (False, Fraction(3, 10**6))])
def test_forged_bounds_are_off_by_the_stated_margin(exact, bit):
    found = planning.planned(CASE)
    best = found.upper + BIT
    plans = dict(planning.forged(found, best, exact))
    assert {plans["lower"].lower, plans["lower"].upper} == {best + bit}
    best = found.lower - BIT
    plans = dict(planning.forged(found, best, exact))
    assert {plans["upper"].lower, plans["upper"].upper} == {best - bit}


def test_drawn_models_have_zero_probabilities_negative_rewards_and_few_trivial_ones():
    drawn = [models.draw(random.Random(seed), discounted=False)["model"] for seed in range(100)]
    rows = [[row for actions in model["outcomes"] for rows in actions for row in rows] for model in drawn]
    assert sum(any(row[0] == "0" for row in listed) for listed in rows) >= 40
    assert sum(any(row[2].startswith("-") for row in listed) for listed in rows) >= 20
    assert sum("0" in model["initial"] for model in drawn) >= 10
    assert 1 <= sum(len(oracle.attainable(model)) == 1 for model in drawn) <= 10


# -- learners, readers, commands, statements --------------------------------------------------------------------------


def test_a_run_whose_proof_is_violated_on_its_event_is_found(monkeypatch):
    case = {**CASE, "algorithm": "kl", "episodes": 2, "seed": 0, "known_rewards": False, "audit": True}
    runner.check("learn", case)
    honest = vr.learn

    def violated(*given, **options):
        run = honest(*given, **options)
        assert run.audit is not None
        next(iter(run.audit.rows.values())).violations = 1
        return run

    monkeypatch.setattr(vr, "learn", violated, raising=False)
    with pytest.raises(Falsified, match="violated on the event"):
        runner.check("learn", case)


@pytest.mark.parametrize("part", ["optimum", "value below", "value above", "returns"])
def test_a_run_may_be_off_by_its_tolerance_and_no_more(monkeypatch, part):
    case = {**CASE, "algorithm": "kl", "episodes": 2, "seed": 0, "known_rewards": False, "audit": False}
    run, best = learning.learned(case), max(oracle.worth(law, EXACT) for law in models.laws_of(CASE["model"]))
    value = Fraction(oracle.worth(oracle.played(CASE["model"], run.policy(1)), EXACT))
    tolerance = Fraction(3, 10**9)  # returns lie in [0, 2]

    def plant(share):
        off = share * tolerance
        ends = {"value below": value + off, "value above": value - off}.get(part, value)
        changes = {"values": run.values * 0 + float(ends), "values_width": run.values_width * 0}
        if part == "optimum":
            changes["best"] = (best - 1, best - off)
        if part == "returns":
            changes["returns"] = run.returns * 0 + float(-off)
        monkeypatch.setattr(learning, "learned", lambda case: replace(run, **changes))

    found_only_above(
        learning.check, case, r"the optimum is at most|the last policy is worth|which no history pays", plant
    )


EXACT = oracle.curve_of(CASE["objective"])[0]


@pytest.mark.parametrize("error", [ValueError, TypeError, ArithmeticError, LookupError, AssertionError, RecursionError])
def test_a_foreign_error_of_a_reader_is_a_failure(monkeypatch, error):
    case = readers.valid_case("model", random.Random(0))
    readers.check(case)

    def crash(cls, path):
        raise error("not on purpose")

    monkeypatch.setattr(vr.MDP, "load", classmethod(crash))
    with pytest.raises(error, match="not on purpose"):
        readers.check(case)


def test_a_model_that_changes_when_it_is_saved_is_found(monkeypatch):
    other = vr.MDP(0, [[[1]]], [[{1: 1}]], horizon=1)
    honest = vr.MDP.load
    monkeypatch.setattr(
        vr.MDP, "load", classmethod(lambda cls, path: other if path.name == "again.json" else honest(path))
    )
    with pytest.raises(Falsified, match="changes when it is saved and loaded"):
        readers.check(readers.valid_case("model", random.Random(0)))


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_a_mutated_plan_whose_false_bound_recheck_confirms_is_found(monkeypatch, tmp_path, name):
    """Bounds that are off by a thousandth of what brute force finds."""
    true = planning.planned(CASE)
    off = {"lower": true.lower + BIT} if name == "lower" else {"lower": true.lower - 1, "upper": true.upper - BIT}
    holds = SimpleNamespace(lower_holds=Truth.HOLDS, upper_holds=Truth.HOLDS)
    monkeypatch.setattr(Plan, "recheck", lambda self, **options: holds)
    monkeypatch.setattr(vr.Plan, "load", classmethod(lambda cls, path: true))
    readers._plan(tmp_path / "plan.json")
    wrong = replace(true, **{"upper": true.upper + 1, **off, "value": off["lower"]})
    monkeypatch.setattr(vr.Plan, "load", classmethod(lambda cls, path: wrong))
    with pytest.raises(Falsified, match=f"confirms an? {name} bound"):
        readers._plan(tmp_path / "plan.json")


@pytest.mark.parametrize("total", [Fraction(1) - Fraction(1, 10**30), Fraction(1) + Fraction(1, 10**30)])
def test_a_row_that_does_not_sum_to_1_is_found(tmp_path, total):
    action = SimpleNamespace(outcomes=[(total, 0, Fraction())])
    model = SimpleNamespace(n_states=1, is_discrete=True, actions=lambda s: [action])
    with pytest.raises(Falsified, match="was accepted with total probability"):
        readers._survives(model, tmp_path / "model.json")


@pytest.mark.parametrize("total", [Fraction(1) - Fraction(1, 10**30), Fraction(1) + Fraction(1, 10**30)])
def test_a_law_that_does_not_sum_to_1_is_found(monkeypatch, tmp_path, total):
    law = SimpleNamespace(masses=[Fraction(1)], save=lambda path: None, to_json=dict)
    monkeypatch.setattr(vr.Law, "load", classmethod(lambda cls, path: law))
    readers._law(tmp_path / "law.json")
    law.masses = [total]
    with pytest.raises(Falsified, match="does not have mass 1"):
        readers._law(tmp_path / "law.json")


@pytest.mark.parametrize("episodes", [3, 5])
def test_a_checkpoint_that_gives_another_number_of_episodes_is_found(monkeypatch, tmp_path, episodes):
    run = SimpleNamespace(episodes=4)
    monkeypatch.setattr(vr, "learn", lambda *given, **options: run, raising=False)
    readers._learning(tmp_path / "state.json")
    run.episodes = episodes
    with pytest.raises(Falsified, match=f"a run of {episodes} episodes"):
        readers._learning(tmp_path / "state.json")


def test_a_command_that_leaves_a_file_behind_is_a_failure(monkeypatch):
    def leave(words):
        Path(words[-1]).with_name("left.txt").write_text("")

    command = click.Command("main", callback=leave, params=[click.Argument(["words"], nargs=-1)])
    monkeypatch.setattr(commands, "main", command)
    with pytest.raises(Falsified, match="left a file behind"):
        commands.check({"kind": "csv", "text": "", "words": ["models", "show", "FILE"]})


def test_shrinking_keeps_the_signature():
    """The smaller case fails for another reason."""

    def check(case):
        raise Falsified("large" if case["size"] > 1 else "small")

    prop = Property(
        "p", "", lambda rng: {}, check, lambda case: iter([{"size": case["size"] - 1}] * (case["size"] > 0))
    )
    failure = property.attempt(prop, {"size": 5}, "0")
    assert property.shrunk(prop, failure).case == {"size": 2}


ENDINGS = {
    "a crash": (lambda: raise_(KeyError("a bug")), KeyError, "a bug"),
    "an exit status of 3": (lambda: raise_(SystemExit(3)), Falsified, "ended with 3"),
    "a traceback": (lambda: click.echo("Traceback (most recent call last)", err=True), Falsified, "a traceback"),
    "silence": (lambda: raise_(SystemExit(2)), Falsified, "without a message"),
}


def raise_(error):
    raise error


@pytest.mark.parametrize("name", ENDINGS)
def test_a_command_that_ends_badly_is_a_failure(monkeypatch, name):
    how, error, said = ENDINGS[name]
    command = click.Command("main", callback=lambda words: how(), params=[click.Argument(["words"], nargs=-1)])
    monkeypatch.setattr(commands, "main", command)
    with pytest.raises(error, match=said):
        commands.check({"kind": "number", "text": "1", "words": ["plan", "FILE"]})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"when": lambda case: False}, "no case met the hypotheses"),
        ({"slack": lambda case: Interval(Fraction(-1), Fraction(1))}, "a case could not be decided"),
    ],
)
def test_a_statement_whose_cases_say_nothing_is_skipped(monkeypatch, change, said):
    label = "def:pushforward"
    held = statements.BY_LABEL[label]
    monkeypatch.setitem(statements.BY_LABEL, label, replace(held, corrected=replace(held.true_claim, **change)))
    with pytest.raises(Skipped, match=said):
        statements.check({"label": label, "seed": 1, "examples": 5})
