"""Fuzzing finds seeded faults, stores each kind once, writes a failing test for it, and can be continued."""

import dataclasses
import itertools
import json
import os
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import oracles
import plan_models
import pytest
from click.testing import CliRunner
from patience import PATIENCE, counted_time
from proof_files import require_checker

import verified_risk as vr
from proofs_checks import fuzz, recheck
from proofs_checks.fuzz import models, oracle, planning, property, readers, runner, statements
from proofs_checks.fuzz.property import Batch, Failure, Falsified, run_cases
from verified_risk import files
from verified_risk.cli import main
from verified_risk.errors import InvalidArgument, InvalidFile, InvalidNumber
from verified_risk.numbers.enclosure import Truth
from verified_risk.numbers.rational import as_fraction
from verified_risk.planning import api

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _counted(monkeypatch):
    """Replace the clock: each reading advances it by a hundredth of a second."""
    clock = counted_time(0.01)
    monkeypatch.setattr(runner, "time", clock)
    monkeypatch.setattr(property, "time", clock)


def batch(name, number=0, seconds=1e9):
    return Batch(name, 0, number, seconds)


def cases_of(name, count, monkeypatch):
    """The outcome of a fixed number of cases."""
    monkeypatch.setattr(property, "MOST_CASES", count)
    runner.warmed(name)
    return run_cases(runner.BY_NAME[name], batch(name))


def kept(folder):
    return fuzz.runner.Folder(folder, None).failures()


def test_a_short_run_is_green(tmp_path):
    chosen = ["plan", "read-number", "read-csv"]
    report = fuzz.run(tmp_path / "fuzz", seconds=0.5, properties=chosen, seed=0, workers=0)
    assert (report.met, report.found) == (0, [])
    assert report.cases == sum(count.cases for count in report.counts.values()) > 0
    assert set(report.counts) == set(chosen)
    page = report.page.read_text()
    for name in chosen:
        assert f"| {name} |" in page


@pytest.mark.parametrize("name", [prop.name for prop in fuzz.ALL])
def test_every_property_holds_in_its_first_cases(name, monkeypatch):
    prop = runner.BY_NAME[name]
    if prop.available() is not None:
        pytest.skip(prop.available())
    monkeypatch.setattr(planning, "PROOF_SECONDS", 0.25)
    outcome = cases_of(name, 3, monkeypatch)
    assert outcome.cases == 3
    assert [failure.error for failure in outcome.failures] == []


def test_the_oracle_agrees_with_the_oracle_of_the_tests():
    """Two independent slow definitions; y-policies suffice for the best deterministic value."""
    for number in range(12):
        case = models.draw(random.Random(number), discounted=number % 2 == 1)
        plain = case["model"]
        other = oracles.Model(
            {s: Fraction(p) for s, p in enumerate(plain["initial"])},
            [[[(Fraction(p), s, Fraction(r)) for p, s, r in rows] for rows in state] for state in plain["outcomes"]],
            plain["horizon"],
            plain["discount"],
        )
        if oracles.count_return_policies(other) > 2000:
            continue
        laws = oracle.attainable(plain)
        theirs = {frozenset((x, p) for x, p in law.items() if p) for law in oracles.all_return_laws(other)}
        assert theirs <= {frozenset((x, p) for x, p in law if p) for law in laws}
        for a in (Fraction(1, 4), Fraction(1, 2)):
            curve, exact = oracle.curve_of(f"cvar({a})")
            assert exact
            assert max(oracle.worth(law, curve) for law in laws) == max(oracles.cvar(dict(law), a) for law in theirs)
        plan = vr.plan(models.mdp_of(plain), "cvar(1/2)")
        assert dict(oracle.played(plain, plan.policy)) == plan_models.law_by_playing(other, plan.policy)


def test_the_curves_of_the_oracle_are_those_of_the_library():
    rng = random.Random("curves")
    for _ in range(200):
        words = models.words(rng)
        curve, exact = oracle.curve_of(words)
        tau = Fraction(rng.randint(0, 24), 24)
        theirs = vr.objective(words)(tau)
        assert curve(tau) == theirs if exact else abs(float(curve(tau)) - float(theirs)) < oracle.FLOAT_ERROR, words


@pytest.fixture
def low_upper_bound(monkeypatch):
    """A planner whose upper bounds are too low by a thousandth."""
    honest = api.plan

    def too_sure(mdp, objective, **options):
        found = honest(mdp, objective, **options)
        low = found.lower - Fraction(1, 1000)
        return type(found)(found.mdp, found.objective, low, low, low, found.policy, found.known_law, found.eta,
                           found.certificate)  # fmt: skip

    monkeypatch.setattr(vr, "plan", too_sure, raising=False)


def test_a_seeded_fault_of_the_planner_is_found_and_stored_once(tmp_path, low_upper_bound):
    report = fuzz.run(tmp_path / "fuzz", seconds=0.5, properties=["plan"], seed=0)
    assert report.met > len(report.found) >= 1
    held = kept(tmp_path / "fuzz")
    assert sum(one["times"] for one in held) == report.met
    with pytest.raises(Falsified, match="upper bound"):
        fuzz.check("plan", held[0]["case"])


def test_a_failing_model_is_made_smaller(low_upper_bound):
    draws = (models.draw(random.Random(number), discounted=True) for number in range(100))
    case = next(one for one in draws if one["model"]["horizon"] == 3) | {"objective": "mean", "eta": None}
    prop = runner.BY_NAME["plan-discounted"]
    failure = property.attempt(prop, case, "0")
    less = property.shrunk(prop, failure, seconds=60)
    assert less.signature == failure.signature
    model = less.case["model"]
    assert (model["horizon"], model["discount"]) == (1, "1")
    assert {len(actions) for actions in model["outcomes"]} == {1}
    assert {row[2] for actions in model["outcomes"] for rows in actions for row in rows} == {"0"}


READER_THAT_CRASHES = """
import pytest
from verified_risk import mdp

@pytest.fixture(autouse=True)
def planted(monkeypatch):
    def crash(cls, data):
        return data["initial"] + data["no such key"]
    monkeypatch.setattr(mdp.MDP, "load", classmethod(crash))
"""


def test_a_crashing_reader_gets_a_test_that_fails_until_it_is_fixed(tmp_path, monkeypatch):
    def crash(cls, path):
        raise KeyError(f"no such key {random.randrange(1000)}")

    with monkeypatch.context() as planted:
        planted.setattr(vr.MDP, "load", classmethod(crash))
        planted.setattr(property, "SHRINK_SECONDS", 1.0)
        planted.setattr(property, "MOST_CASES", 30)
        report = fuzz.run(tmp_path / "fuzz", seconds=1, properties=["read-model"], seed=0)
    assert report.met >= 30
    assert len(report.found) == 1, "they differ in a number only"
    (test,) = (tmp_path / "fuzz" / "failures").glob("test_*.py")
    (tmp_path / "fuzz" / "failures" / "conftest.py").write_text(READER_THAT_CRASHES)
    assert run_test(test) == 1, "with the fault"
    (tmp_path / "fuzz" / "failures" / "conftest.py").unlink()
    assert run_test(test) == 0, "fixed"


def run_test(path):
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(path.parent), str(path)]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they take longer to import than the test
    return subprocess.run(words, cwd=ROOT, env=alone, capture_output=True, text=True, timeout=PATIENCE).returncode


def test_a_second_run_uses_new_seeds_and_keeps_the_counts(tmp_path):
    first = fuzz.run(tmp_path / "fuzz", seconds=0.3, properties=["read-number"], seed=7)
    seen = first.counts["read-number"]
    again = fuzz.run(tmp_path / "fuzz", seconds=0.3, properties=["read-number"])
    count = again.counts["read-number"]
    assert count.cases == seen.cases + again.cases
    assert count.batches > seen.batches
    state = files.read(tmp_path / "fuzz" / "fuzz.json", "fuzz", dict)
    assert (state["seed"], state["runs"]) == (7, 2)
    with pytest.raises(InvalidArgument, match="seed 7, not 8"):
        fuzz.run(tmp_path / "fuzz", seconds=0.1, properties=["read-number"], seed=8)


def test_batches_have_different_seeds(monkeypatch):
    monkeypatch.setattr(property, "MOST_CASES", 5)
    drawn = []
    prop = property.Property("p", "", lambda rng: {"x": rng.random()}, lambda case: drawn.append(case["x"]))
    for number in (0, 1, 0):
        run_cases(prop, batch("p", number))
    assert drawn[:5] == drawn[10:]
    assert len(set(drawn)) == 10


def test_a_foreign_folder_is_rejected(tmp_path):
    (tmp_path / "letter.txt").write_text("dear reader")
    with pytest.raises(InvalidFile, match="holds no fuzz run"):
        fuzz.run(tmp_path, seconds=1)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_refuted_statement_is_found_and_stored_as_an_instance(monkeypatch):
    """The printed claim of a false statement replaces the true one."""
    label = "assump:lipschitz/var"
    false = statements.BY_LABEL[label]
    planted = dataclasses.replace(false, corrected=false.printed)
    monkeypatch.setitem(statements.BY_LABEL, label, planted)
    case = {"label": label, "seed": 1, "examples": max(200, false.find_budget)}
    with pytest.raises(Falsified, match=label):
        fuzz.check("statements", case)
    failure = property.attempt(runner.BY_NAME["statements"], case, "1")
    assert isinstance(failure, Failure)
    less = list(statements.smaller(case))
    with pytest.raises(Falsified, match=label):
        fuzz.check("statements", less[0])


def test_a_case_that_takes_too_long_fails(monkeypatch):
    monkeypatch.setattr(property, "CASE_SECONDS", 0.2)

    def forever(case):
        while True:
            pass

    prop = property.Property("p", "", lambda rng: {}, forever)
    failure = property.attempt(prop, {}, "0")
    assert isinstance(failure, Failure)
    assert "more than 0.2 s" in failure.error


def test_what_fuzzing_found_in_readers_stays_fixed(tmp_path):
    """A whole number of 5000 digits; a packed table with text for an offset; nesting in a certificate."""
    for kind in ("model", "policy", "plan", "run"):
        for hostile in ("9" * 5000, "[" * 5000):
            readers.check({"kind": kind, "signed": kind, "text": hostile})
            readers.check({"kind": kind, "signed": None, "text": hostile})
    readers.check({"kind": "certificate", "signed": None, "text": '{"a":' * 5000})
    readers.check({"kind": "certificate", "signed": None, "text": "9" * 5000})
    for hostile in ("1e999999999", "1/1e-999999999", Decimal("1e999999999"), " -2.5E+9_999_999 "):
        with pytest.raises(InvalidNumber, match=r"the entry is .*, wanted an exponent of at most 100000"):
            as_fraction(hostile, "the entry")
    assert as_fraction("1e400", "the entry") == 10**400
    huge = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{0: 1}, {"1e400": "1/2", 1: "1/2"}]], horizon=2)
    small = vr.exact_plan(huge, "cvar(1/2)")
    assert small.recheck().lower_holds is Truth.UNKNOWN
    mdp = vr.models.load("two_paths")
    data = vr.plan(mdp, "cvar(1/2)").policy.to_json()
    assert "packed" in data
    data["packed"]["offsets"][0] = "1/2"
    path = tmp_path / "policy.json"
    files.write(path, "policy", {"model": mdp.to_json(), "policy": data})
    with pytest.raises(vr.errors.InvalidPolicy, match=r"offsets\[0\] of the policy is '1/2', wanted 0 on a grid of 1"):
        vr.Policy.load(path)


def test_what_an_hour_of_fuzzing_found_stays_fixed(tmp_path):
    """A certificate whose label is a list or whose state is infinite; a grid of 1e400 points; rewards too long to be
    written; a plan whose one return has no range, which a float's slack turned into a failure."""
    stored = json.loads((readers.CERTIFICATES / "def_history-episode.json").read_text())
    infinite = json.loads(json.dumps(stored))
    infinite["instance"]["mdp"]["initial"][0][0] = float("inf")
    for hostile in ({**stored, "label": ["def:history/episode"]}, infinite):
        with pytest.raises(recheck.Rejected):
            recheck.check_text(json.dumps({**hostile, "sha256": recheck.digest(hostile)}))
    huge = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{0: 1}, {"1e400": "1/2", 1: "1/2"}]], horizon=1)
    found = vr.exact_plan(huge, "cvar(1/2)")
    data = {**found.to_json(), "eta": "1"}
    answer = vr.Plan.from_json(data).recheck()
    assert answer.upper_holds in (Truth.HOLDS, Truth.UNKNOWN)
    long = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[{"9" * 5000: 1}]], horizon=1)
    long.save(tmp_path / "long.json")
    for words in ("models show FILE", "plan FILE --objective mean", "plan FILE --objective mean --json"):
        result = CliRunner().invoke(main, words.replace("FILE", str(tmp_path / "long.json")).split())
        assert result.exit_code == 0, result.output
    still = {"initial": ["1"], "outcomes": [[[["1", 0, "-1/7"]]]], "horizon": 2, "discount": "99/100"}
    fuzz.check("plan-discounted", {"model": still, "objective": "cpw(71/100)", "eta": None})


def test_what_fuzzing_found_last_stays_fixed(tmp_path):
    """A run that recommends a policy other than its last; a searched plan with a reward of 5000 digits; a window of a
    certificate that fits no machine integer."""
    model = {"initial": ["1", "0"], "horizon": 1, "discount": "1"}
    model["outcomes"] = [[[["1", 0, "0"]], [["5/7", 0, "0"], ["2/7", 0, "1/4"]]], [[["1", 1, "0"]]]]
    told = {"objective": "mean", "eta": None, "algorithm": "kl", "known_rewards": False, "audit": True}
    for seed in (31, 32, 33):
        fuzz.check("learn", {"model": model, **told, "episodes": 2, "seed": seed})
    found = vr.plan(vr.MDP(0, [[[1], [1]]], [[{1: 1}, {0: "1/2", 3: "1/2"}]], horizon=1), "wang(1/2)", eta=1)
    data = json.loads(json.dumps(found.to_json()).replace('"3"', f'"{"9" * 5000}"'))
    answer = vr.Plan.from_json(data).recheck()
    assert answer.upper_holds is Truth.UNKNOWN
    require_checker()
    plan = vr.plan(vr.models.two_paths(), "var(1/3)")
    plan.prove(certificate=tmp_path / "proof.txt")
    lines = (tmp_path / "proof.txt").read_text().splitlines()
    place = lines.index("windows") + 1
    lines[place] = f"{'9' * 400} 2"  # its width is a number of 400 digits below 0
    readers.check({"kind": "proof", "text": "\n".join([*lines, ""]), "signed": None})


def test_storm_files_that_crash_its_parser_are_rejected(tmp_path):
    pytest.importorskip("stormpy")
    text = "@type: MDP\n@parameters\n\n@reward_models\nr\n@nr_states\n1\n@nr_choices\n1\n@model\nstate 0 [0] init\n"
    for action in ("\taction 0 [0] 2\n\t\t0 : 1\n", "\taction 0 [0]\n\t\t0 :\n", "\taction 0 [x]\n\t\t0 : 1/0\n"):
        readers.check({"kind": "drn", "text": text + action, "signed": None})
    nowhere = text.replace(" init", "") + "\taction 0 [0]\n\t\t0 : 1\n"
    readers.check({"kind": "drn", "text": nowhere, "signed": None})
    (tmp_path / "nowhere.drn").write_text(nowhere)
    with pytest.raises(InvalidArgument, match=r"has 0 initial states \(none\)"):
        vr.MDP.from_storm(tmp_path / "nowhere.drn", horizon=2)


def test_a_learner_that_overstates_its_policies_is_found(monkeypatch):
    """A run whose values are too high by a hundredth, and one that depends on more than its seed."""
    honest, prop, seeds = vr.learn, runner.BY_NAME["learn"], itertools.count(2**20)
    assert not cases_of("learn", 4, monkeypatch).failures

    def boasting(*arguments, **options):
        run = honest(*arguments, **options)
        return dataclasses.replace(run, values=run.values + 0.01)

    monkeypatch.setattr(property, "SHRINK_SECONDS", 0.0)
    monkeypatch.setattr(vr, "learn", boasting, raising=False)
    assert any("the last policy is worth" in failure.error for failure in run_cases(prop, batch("learn")).failures)

    def fickle(*arguments, **options):
        return honest(*arguments, **{**options, "seed": next(seeds)})

    monkeypatch.setattr(vr, "learn", fickle, raising=False)
    assert any("another run" in failure.error for failure in run_cases(prop, batch("learn")).failures)


def test_the_command_prints_counts_and_exits_with_1_on_a_failure(tmp_path, monkeypatch):
    words = ["fuzz", "--seconds", "0.3", "--workers", "0", "--property", "read-number", "--out"]
    green = CliRunner().invoke(main, [*words, str(tmp_path / "green"), "--json"])
    assert green.exit_code == 0, green.output
    assert json.loads(green.stdout)["properties"]["read-number"]["cases"] > 0
    monkeypatch.setattr(readers, "as_fraction", lambda value, where: Fraction(int(value) // 0))
    red = CliRunner().invoke(main, [*words, str(tmp_path / "red")])
    assert red.exit_code == 1, red.output
    assert "new failure of read-number" in red.stdout
    wrong = CliRunner().invoke(main, ["fuzz", "--property", "castle"])
    assert wrong.exit_code == 2
    assert "unknown property 'castle'" in wrong.stderr


def test_a_pool_and_a_cluster_run_the_same_batches(tmp_path):
    distributed = pytest.importorskip("distributed")
    pooled = fuzz.run(tmp_path / "pool", seconds=0.5, properties=["read-number"], workers=1)
    assert pooled.cases > 0
    assert pooled.met == 0
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        there = fuzz.run(tmp_path / "dask", seconds=0.5, properties=["read-number"], cluster=cluster.scheduler_address)
    assert there.cases > 0
    assert there.met == 0
